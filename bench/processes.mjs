// Fresh processes, one after the other, in an order that changes from round to round.

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Failure, root } from "../scripts/workspace.mjs";
import { random } from "./fixtures.mjs";

const MINUTES = 10;

/** The newer Node that the conformance suite brings, if it is there; else this one. */
const newer = join(root, "tests/conformance/node_modules/node/bin/node");
export const node = existsSync(newer) ? newer : process.execPath;

/**
 * What a script under bench/ prints last, parsed.
 * @param {string} script
 * @param {unknown} argument handed over as JSON
 */
export function result(script, argument) {
	const args = ["--expose-gc", join(root, "bench", script), JSON.stringify(argument)];
	const child = spawnSync(node, args, { cwd: root, encoding: "utf8", timeout: MINUTES * 60_000 });
	if (child.status !== 0) throw new Failure(`bench/${script} ${args[2]} failed:\n${child.stderr || child.error}`);
	return JSON.parse(/** @type {string} */ (child.stdout.trim().split("\n").pop()));
}

/**
 * The same things in another order, the same one for the same seed.
 * @template T
 * @param {T[]} things
 * @param {number} seed
 */
export function shuffled(things, seed) {
	const next = random(seed);
	const out = [...things];
	for (let i = out.length - 1; i > 0; i--) {
		const j = Math.floor(next() * (i + 1));
		[out[i], out[j]] = [out[j], out[i]];
	}
	return out;
}
