// The official suite as a program: what it has for a side, and what came out of a run of it.

import { access, readdir, readFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { spawnOwned } from "../../scripts/processes.mjs";

/** @typedef {"client" | "server"} Side */
/** @typedef {{ id: string, name?: string, status: string, description?: string, errorMessage?: string }} Check */
/** @typedef {{ scenario: string, revision: string, outcome: "passed" | "failed" | "skipped", checks: number, skippedChecks: number, why: string }} Result */

const modules = fileURLToPath(new URL("node_modules/", import.meta.url));
/** The suite needs a newer Node than the package itself does. */
const node = join(modules, "node", "bin", "node");
const program = join(modules, "@modelcontextprotocol", "conformance", "dist", "index.js");

/** The revisions with a requirement set; each is also the wire that its run speaks. */
export const REVISIONS = ["2025-11-25", "2026-07-28"];

/** How long one run of the suite may take before it is ended. */
const RUN_MS = 240_000;

/** The line with which the client fixture says that it reached its end. */
export const FINISHED = "finished";

/**
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {Promise<{ output: string, timedOut: boolean }>} all that the suite printed
 */
async function suite(args, env) {
	for (const [path, name] of [
		[node, "node@24"],
		[program, "@modelcontextprotocol/conformance"],
	]) {
		await access(path).catch(() => {
			throw new Error(`${name} is not installed: run \`node scripts/setup.mjs --tests\` (looked for ${path})`);
		});
	}
	const child = spawnOwned(node, [program, ...args], {
		stdio: ["ignore", "pipe", "pipe"],
		env: { ...process.env, ...env },
	});
	let output = "";
	for (const stream of [child.stdout, child.stderr]) {
		stream?.setEncoding("utf8").on("data", (/** @type {string} */ text) => {
			output += text;
		});
	}
	let timedOut = false;
	const timer = setTimeout(() => {
		timedOut = true;
		child.kill("SIGKILL");
	}, RUN_MS);
	await new Promise((resolve, reject) => child.once("close", resolve).once("error", reject));
	clearTimeout(timer);
	return { output, timedOut };
}

/**
 * The scenarios of a requirement set, scored or not, that belong to a side.
 * @param {Side} side
 * @param {string} revision
 */
export async function required(side, revision) {
	const { output } = await suite(["list", "--requirements", revision]);
	/** @type {string[]} */
	const names = [];
	let mine = false;
	for (const line of output.split("\n")) {
		if (/^\S/.test(line)) mine = line.toLowerCase().startsWith(`${side} scenarios`);
		const unscored = /^ {4}- (\S+) \[(client|server)\]/.exec(line);
		const scored = /^ {2}- (\S+)$/.exec(line);
		if (unscored?.[2] === side) names.push(unscored[1]);
		else if (scored && mine) names.push(scored[1]);
	}
	if (names.length === 0) throw new Error(`the suite lists no ${side} scenario for ${revision}:\n${output}`);
	return names;
}

/**
 * Every scenario that the suite has for a side, with the wires that it applies to.
 * @param {Side} side
 * @returns {Promise<Map<string, string[]>>}
 */
export async function everything(side) {
	const { output } = await suite(["list", `--${side}`]);
	/** @type {Map<string, string[]>} */
	const found = new Map();
	for (const [, name, tags] of output.matchAll(/^ {2}- (\S+) \[([^\]]*)\]$/gm)) {
		const applies = tags.split(",");
		const wires = tags === "extension" ? REVISIONS : REVISIONS.filter((revision) => applies.includes(revision));
		found.set(name, wires.length > 0 ? wires : applies.slice(-1));
	}
	if (found.size === 0) throw new Error(`the suite lists no ${side} scenario:\n${output}`);
	return found;
}

/**
 * @param {string[]} target `["--command", …]` or `["--url", …]`
 * @param {Side} side
 * @param {string} revision
 * @param {string} folder where the suite puts its results
 * @param {string[]} scenarios what the requirement set holds
 * @returns {Promise<Result[]>}
 */
export async function runRequirements(target, side, revision, folder, scenarios) {
	const { output, timedOut } = await suite([side, ...target, "--requirements", revision, "-o", folder]);
	const results = await collect(side, revision, folder, scenarios);
	for (const result of results) {
		if (result.why !== NO_RESULT) continue;
		const at = output.indexOf(`Failed to run scenario ${result.scenario}:`);
		if (at >= 0) result.why += `: ${output.slice(at).split("\n", 1)[0]}`;
	}
	if (timedOut)
		results.push(failure("(the whole run)", revision, `took longer than ${RUN_MS} ms:\n${output.slice(-2_000)}`));
	return results;
}

/**
 * @param {string[]} target
 * @param {Side} side
 * @param {string} revision
 * @param {string} folder
 * @param {string} scenario
 * @returns {Promise<Result>}
 */
export async function runScenario(target, side, revision, folder, scenario) {
	const { output } = await suite([
		side,
		...target,
		"--scenario",
		scenario,
		"--spec-version",
		revision,
		"--force",
		"-o",
		folder,
	]);
	const [result] = await collect(side, revision, folder, [scenario]);
	if (result.why === NO_RESULT) result.why += `\n${output.slice(-2_000)}`;
	return result;
}

const NO_RESULT = "the suite left no result";

/**
 * @param {string} scenario
 * @param {string} revision
 * @param {string} why
 * @returns {Result}
 */
const failure = (scenario, revision, why) => ({
	scenario,
	revision,
	outcome: "failed",
	checks: 0,
	skippedChecks: 0,
	why,
});

/**
 * @param {Side} side
 * @param {string} revision
 * @param {string} folder
 * @param {string[]} scenarios
 */
async function collect(side, revision, folder, scenarios) {
	/** @type {Map<string, string>} */
	const folders = new Map();
	for (const path of await readdir(folder, { recursive: true })) {
		if (!path.endsWith("checks.json")) continue;
		const place = join(folder, path, "..");
		const name = relative(folder, place).split(sep).join("/");
		folders.set(name.slice(side === "server" ? "server-".length : 0).replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, ""), place);
	}
	return Promise.all(
		scenarios.map(async (scenario) => {
			const place = folders.get(scenario);
			if (!place) return failure(scenario, revision, NO_RESULT);
			const checks = JSON.parse(await readFile(join(place, "checks.json"), "utf8"));
			const said = side === "client" ? await readFile(join(place, "stdout.txt"), "utf8") : FINISHED;
			const errors = side === "client" ? await readFile(join(place, "stderr.txt"), "utf8") : "";
			return judge(scenario, revision, checks, said, errors);
		}),
	);
}

/**
 * One scenario's outcome. A warning counts as a failure; so does a client that crashed or hung,
 * which the suite itself forgives when no check noticed it.
 * @param {string} scenario
 * @param {string} revision
 * @param {Check[]} checks
 * @param {string} said what the client printed
 * @param {string} errors what the client printed to stderr
 * @returns {Result}
 */
export function judge(scenario, revision, checks, said, errors) {
	const count = (/** @type {string} */ status, /** @type {Check[]} */ among = checks) =>
		among.filter((check) => check.status === status).length;
	const bad = checks.filter((check) => check.status === "FAILURE" || check.status === "WARNING");
	/** @type {Result} */
	const result = {
		scenario,
		revision,
		outcome: "passed",
		checks: count("SUCCESS"),
		skippedChecks: count("SKIPPED"),
		why: "",
	};
	const details = bad.map(
		(check) => `${check.status.toLowerCase()} ${check.id}: ${check.errorMessage ?? check.description ?? ""}`,
	);
	// Says of any traffic at all that it fits the schema, so it shows nothing of the scenario's own subject.
	const own = checks.filter((check) => check.id !== "wire-schema-valid");
	if (!said.trimEnd().endsWith(FINISHED)) {
		details.unshift(`the client did not reach its end: ${errors.trimStart().split("\n").slice(0, 3).join(" ")}`);
	}
	if (details.length > 0) {
		result.outcome = "failed";
		result.why = details.join("\n");
	} else if (count("SUCCESS", own) === 0) {
		// Not applicable: the suite says so by skipping its checks or by no more than remarks.
		const skipped = own.find((check) => check.status === "SKIPPED" || check.status === "INFO");
		result.outcome = skipped ? "skipped" : "failed";
		result.why = skipped ? (skipped.errorMessage ?? skipped.description ?? "") : "no check ran";
	}
	return result;
}
