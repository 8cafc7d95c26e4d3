// `npm run conformance -- client|server`: the official suite, everything that it has for one side.
//
//   --at node|workerd   where the server under test runs (default node, with sessions; in workerd it has none)
//   --revision R        only the wire of that revision
//   --only TEXT         only scenarios whose name holds TEXT, each run on its own
//   --verbose           every failed check of every scenario, expected ones included

import { mkdir, readFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { build } from "../../scripts/build.mjs";
import { ownedFolder } from "../../scripts/processes.mjs";
import { setup } from "../../scripts/setup.mjs";
import { compare, keyOf } from "./expectations.mjs";
import { clientCommand, startServer } from "./fixtures.mjs";
import { everything, REVISIONS, required, runRequirements, runScenario } from "./suite.mjs";

const { values, positionals } = parseArgs({
	allowPositionals: true,
	options: {
		at: { type: "string", default: "node" },
		revision: { type: "string" },
		only: { type: "string" },
		verbose: { type: "boolean", default: false },
	},
});
const side = positionals[0];
if (
	(side !== "client" && side !== "server") ||
	positionals.length > 1 ||
	(values.at !== "node" && values.at !== "workerd")
) {
	console.error(
		"usage: npm run conformance -- client|server [--at node|workerd] [--revision R] [--only TEXT] [--verbose]",
	);
	process.exit(2);
}
const place = /** @type {"node" | "workerd"} */ (values.at);

/** What a server without sessions has no part in: the server in workerd is one, that in Node has sessions. */
const NEEDS_SESSIONS = ["server-sse-multiple-streams", "server-sse-polling", "server-session-lifecycle"];
/** @param {{ revision: string, scenario: string }} result */
const applies = ({ revision, scenario }) =>
	place === "node" || revision !== "2025-11-25" || !NEEDS_SESSIONS.includes(scenario);

const listFile = new URL("expected.json", import.meta.url);
/** @type {import("./expectations.mjs").Expectations} */
const list = JSON.parse(await readFile(fileURLToPath(listFile), "utf8"));

await setup({ tests: true });
await build();
const all = await everything(side);
/** @type {Map<string, string[]>} */
const sets = new Map();
for (const revision of REVISIONS) sets.set(revision, await required(side, revision));
const inSets = new Set([...sets.values()].flat());

/** @type {{ scenario: string, revision: string }[]} */
const single = [];
/** @type {string[]} */
const whole = [];
if (values.only === undefined) {
	whole.push(...REVISIONS);
	for (const [scenario, wires] of all) {
		if (!inSets.has(scenario)) for (const revision of wires) single.push({ scenario, revision });
	}
} else {
	for (const [scenario, wires] of all) {
		const listed = REVISIONS.filter((revision) => sets.get(revision)?.includes(scenario));
		if (scenario.includes(values.only))
			for (const revision of listed.length > 0 ? listed : wires) single.push({ scenario, revision });
	}
}
const wanted = (/** @type {string} */ revision) => values.revision === undefined || values.revision === revision;

const { path: folder, remove } = await ownedFolder("mcp-duet-conformance-");
const server = side === "server" ? await startServer(place) : undefined;
const target = server ? ["--url", server.url] : ["--command", clientCommand()];

/** @type {import("./suite.mjs").Result[]} */
const results = [];
for (const revision of whole.filter(wanted)) {
	const out = join(folder, revision);
	await mkdir(out);
	const ran = await runRequirements(target, side, revision, out, sets.get(revision) ?? []);
	results.push(...ran.filter(applies));
}
const queue = single.filter(({ revision, scenario }) => wanted(revision) && applies({ revision, scenario }));
// One server answers one scenario at a time; clients are processes of their own.
const lanes = side === "server" ? 1 : Math.min(2, availableParallelism());
await Promise.all(
	Array.from({ length: lanes }, async () => {
		for (let next = queue.shift(); next; next = queue.shift()) {
			const out = join(folder, next.revision, `single ${next.scenario.replaceAll("/", " ")}`);
			await mkdir(out, { recursive: true });
			results.push(await runScenario(target, side, next.revision, out, next.scenario));
		}
	}),
);
await server?.stop();
await remove();

const { verdicts, stale, unexpected, counts } = compare(
	side,
	results,
	list,
	values.only === undefined && values.revision === undefined,
);
for (const { result, expected, reason } of verdicts) {
	const mark = result.outcome === "passed" ? "ok  " : expected ? "list" : "FAIL";
	const checks = `${result.checks} checks${result.skippedChecks ? `, ${result.skippedChecks} skipped` : ""}`;
	console.log(`${mark} ${result.outcome} ${keyOf(side, result)} (${checks})${reason ? `: ${reason}` : ""}`);
	if (result.why && (!expected || values.verbose)) console.log(result.why.replace(/^/gm, "       "));
}
for (const entry of stale) console.log(`STALE ${entry}`);
if (unexpected.length + stale.length > 0) {
	console.log(
		`${unexpected.length} not as listed, ${stale.length} stale entries in ${listFile.pathname.split("/").slice(-3).join("/")}`,
	);
}
for (const revision of new Set(results.map((result) => result.revision))) {
	const of = (/** @type {string} */ outcome) =>
		results.filter((result) => result.revision === revision && result.outcome === outcome).length;
	console.log(`at ${revision}: ${of("passed")} passed, ${of("failed")} failed, ${of("skipped")} skipped`);
}
console.log(`conformance-${side}: ${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
process.exitCode = unexpected.length + stale.length > 0 ? 1 : 0;
