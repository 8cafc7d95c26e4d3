// Runs the checks: `npm test`, or some of them: `node scripts/test.mjs lint native package …`;
// with `--long` the long campaigns as well.
//
// One line for each step with its time, the output only of what failed (all of it is in
// build/logs/), and at the end how many tests passed and failed.

import { availableParallelism } from "node:os";
import { join } from "node:path";
import { setup } from "./setup.mjs";
import { counts } from "./test/counts.mjs";
import { groups as known, steps } from "./test/steps.mjs";
import { Failure, root, run, script, tail } from "./workspace.mjs";

/** Lines of a failed step's output that are shown. */
const SHOWN_LINES = 120;

/** @typedef {import("./test/steps.mjs").Step} Step */

/** @param {number} started */
const seconds = (started) => `${((Date.now() - started) / 1000).toFixed(1)} s`;

/**
 * The chosen groups' steps and what they need.
 * @param {string[]} groups all but the long ones when there is none
 * @param {boolean} long all, the long ones too
 */
async function chosen(groups, long) {
	const all = await steps();
	for (const group of groups) {
		if (!known.includes(group)) throw new Failure(`There is no group "${group}"; there are ${known.join(", ")}.`);
	}
	const everything = groups.length === 0;
	/** @param {Step} step */
	const asked = ({ group }) => (everything ? long || group !== "long" : groups.includes(group));
	const wanted = new Set(all.filter(asked).map(({ name }) => name));
	for (const step of all.toReversed()) if (wanted.has(step.name)) for (const need of step.needs ?? []) wanted.add(need);
	return all.filter(({ name }) => wanted.has(name));
}

/**
 * Runs every step once what it needs is done, as many at a time as there are cores.
 * @param {Step[]} list
 */
async function runAll(list) {
	/** @type {Map<string, boolean>} */
	const done = new Map();
	const total = { passed: 0, failed: 0, skipped: 0, listed: 0 };
	/** @type {string[]} */
	const failures = [];
	const waiting = [...list];
	let running = 0;
	/** @type {Set<string>} */
	const held = new Set();

	/** @param {Step} step */
	const one = async (step) => {
		const started = Date.now();
		const log = join(root, "build/logs", `test-${step.name.replaceAll(/\W+/g, "-")}.log`);
		const result = await run(step.command, step.args, { log, env: step.env, timeoutMs: (step.minutes ?? 10) * 60_000 });
		const found = counts(result.output);
		// A step without a test runner is one check; a runner that fails without a failed test failed as a whole.
		total.passed += found.passed || (result.ok ? 1 : 0);
		total.failed += result.ok ? found.failed : Math.max(found.failed, 1);
		total.skipped += found.skipped;
		total.listed += found.listed;
		const ok = result.ok && found.failed === 0;
		const numbers = found.ran ? `, ${found.passed} passed${found.failed ? `, ${found.failed} failed` : ""}` : "";
		const skips = found.skipped ? `, ${found.skipped} skipped` : "";
		const listed = found.listed ? `, ${found.listed} fail as listed` : "";
		console.log(`${ok ? "ok  " : "FAIL"} ${step.name} (${seconds(started)}${numbers}${listed}${skips})`);
		if (!ok) {
			failures.push(step.name);
			console.log(
				`${tail(result.output, SHOWN_LINES)}\n     ${step.name}: ${result.why}; everything is in ${log.slice(root.length + 1)}`,
			);
		}
		done.set(step.name, ok);
	};

	await new Promise((resolve) => {
		const next = () => {
			for (let i = 0; i < waiting.length && running < availableParallelism(); ) {
				const step = waiting[i];
				const needs = step.needs ?? [];
				if (needs.some((need) => done.get(need) === false)) {
					waiting.splice(i, 1);
					console.log(`FAIL ${step.name} (not run: ${needs.find((need) => done.get(need) === false)} failed)`);
					failures.push(step.name);
					total.failed++;
					done.set(step.name, false);
					i = 0;
				} else if (needs.every((need) => done.get(need)) && !(step.holds && held.has(step.holds))) {
					waiting.splice(i, 1);
					running++;
					if (step.holds) held.add(step.holds);
					one(step).then(() => {
						running--;
						if (step.holds) held.delete(step.holds);
						next();
					});
				} else i++;
			}
			if (running === 0) resolve(undefined);
		};
		next();
	});
	return { total, failures };
}

await script(async () => {
	const started = Date.now();
	await setup({ tests: true });
	console.log(`ok   set-up (${seconds(started)})`);
	const groups = process.argv.slice(2).filter((word) => word !== "--long");
	const { total, failures } = await runAll(await chosen(groups, process.argv.includes("--long")));
	console.log(failures.length > 0 ? `\nfailed: ${failures.join(", ")}` : "\neverything passed");
	console.log(`took ${seconds(started)}`);
	if (total.listed) console.log(`${total.listed} conformance scenarios fail as the list in tests/conformance says`);
	const skipped = total.skipped ? `, ${total.skipped} skipped` : "";
	console.log(`${total.passed} passed, ${total.failed} failed${skipped}`);
	if (failures.length > 0) process.exitCode = 1;
});
