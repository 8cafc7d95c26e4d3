// `npm run bench [-- --json] [--rounds N] [--only PART,…] [--docs]`: everything in one run, side by side.
// Parts: operations, start, page, memory, size, sockets, growth. Several minutes; the machine should do nothing else.

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { build } from "../scripts/build.mjs";
import { setup } from "../scripts/setup.mjs";
import { Failure, root, script } from "../scripts/workspace.mjs";
import { median } from "./measure.mjs";
import { operations } from "./operations.mjs";
import { plot } from "./plot.mjs";
import { node, result, shuffled } from "./processes.mjs";
import { report } from "./report.mjs";

const PARTS = ["operations", "start", "page", "memory", "size", "sockets", "growth"];
const ADAPTERS = /** @type {const} */ (["duet", "sdk", "floor"]);
/** Enough that the lowest and the highest ratio hold the true median with more than 95 %. */
const ROUNDS = 7;
const CALLS = 100_000;

/** @param {string} line */
const tell = (line) => process.stderr.write(`${line}\n`);

/** @param {number} rounds */
function measureOperations(rounds) {
	/** CPU microseconds by operation and package, one for each round. @type {Record<string, Record<string, number[]>>} */
	const cpu = Object.fromEntries(operations.map(({ name }) => [name, { duet: [], sdk: [], floor: [] }]));
	const tasks = operations.flatMap((operation) => ADAPTERS.map((adapter) => ({ operation, adapter })));
	for (let round = 1; round <= rounds; round++) {
		tell(`bench: operations, round ${round} of ${rounds}`);
		for (const { operation, adapter } of shuffled(tasks, round)) {
			const { side, what, via, era } = operation;
			/** @type {import("./measure.mjs").Sample[]} */
			const samples = result("child.mjs", { adapter, side, what, via, era });
			cpu[operation.name][adapter].push(median(samples.map((sample) => sample.cpu)));
		}
	}
	return operations.map(({ name, goal }) => ({ name, goal, cpu: cpu[name] }));
}

function measureMemory() {
	const out = [];
	for (const side of ["server", "client"])
		for (const adapter of ADAPTERS) {
			tell(`bench: memory, ${side} of ${adapter}`);
			out.push({ side, adapter, ...result("memory.mjs", { adapter, side, calls: CALLS }) });
		}
	return out;
}

/**
 * @template T
 * @param {string} name
 * @param {number} rounds
 * @param {(seed: number) => Promise<T[]>} round
 */
async function repeated(name, rounds, round) {
	const out = [];
	for (let n = 1; n <= rounds; n++) {
		tell(`bench: ${name}, round ${n} of ${rounds}`);
		for (const row of await round(n)) out.push({ round: n, ...row });
	}
	return out;
}

async function measureSizes() {
	const { weight } = await import("./bundles.mjs");
	const out = [];
	for (const [name, platform] of /** @type {const} */ ([
		["client", "browser"],
		["server", "workerd"],
		["both", "browser"],
	])) {
		for (const adapter of ["duet", "sdk"])
			out.push({ adapter, name, ...(await weight(`${name}.${adapter}`, platform)) });
	}
	return out;
}

await script(async () => {
	const { values } = parseArgs({
		options: {
			json: { type: "boolean", default: false },
			docs: { type: "boolean", default: false },
			rounds: { type: "string", default: String(ROUNDS) },
			only: { type: "string", default: PARTS.join(",") },
		},
	});
	const rounds = Number(values.rounds);
	if (!Number.isInteger(rounds) || rounds < 1) throw new Failure("--rounds must be a whole number from 1 on");
	const parts = values.only.split(",");
	const unknown = parts.find((part) => !PARTS.includes(part));
	if (unknown !== undefined) throw new Failure(`--only ${unknown}: there are ${PARTS.join(", ")}`);
	await setup();
	await build();
	const start = await import("./start.mjs");
	await start.clean();

	const wanted = (/** @type {string} */ part) => parts.includes(part);
	const measured = {
		machine: { processor: cpus()[0]?.model ?? "unknown", cores: cpus().length, node: nodeVersion() },
		rounds,
		operations: wanted("operations") ? measureOperations(rounds) : [],
		start: wanted("start") ? await repeated("cold start", rounds, start.round) : [],
		page: wanted("page")
			? await (await import("./page.mjs")).visits(rounds, (n) => tell(`bench: page, round ${n} of ${rounds}`))
			: [],
		memory: wanted("memory") ? measureMemory() : [],
		sizes: wanted("size") ? await measureSizes() : [],
		sockets: wanted("sockets")
			? await repeated("sockets", Math.min(rounds, ROUNDS), (await import("./sockets.mjs")).round)
			: [],
		growth: /** @type {import("./plot.mjs").Curve[]} */ (wanted("growth") ? result("growth.mjs", {}) : []),
	};
	mkdirSync(join(root, "bench/results"), { recursive: true });
	writeFileSync(join(root, "bench/results/latest.json"), `${JSON.stringify(measured, null, "\t")}\n`);
	if (values.docs) document(measured);
	console.log(values.json ? JSON.stringify(measured) : report(measured));
});

/** Writes what was measured into docs/. @param {any} measured */
function document(measured) {
	const folder = join(root, "docs/growth");
	rmSync(folder, { recursive: true, force: true });
	mkdirSync(folder, { recursive: true });
	const pictures = measured.growth.map((/** @type {import("./plot.mjs").Curve} */ curve) => {
		const file = `${curve.name.replaceAll(/[^A-Za-z]+/g, "-").toLowerCase()}.svg`;
		writeFileSync(join(folder, file), plot(curve));
		return `![${curve.name}](growth/${file})`;
	});
	const parts = ["# Measurements", "Written by `npm run bench -- --docs`.", report(measured), ...pictures];
	writeFileSync(join(root, "docs/measurements.md"), `${parts.join("\n\n")}\n`);
}

function nodeVersion() {
	return result("version.mjs", node).version;
}
