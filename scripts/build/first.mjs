// Which functions of a wasm a page needs first: those that run in scripts/build/usual.mjs.

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Failure, root } from "../workspace.mjs";
import { binaryen, split, textOf } from "./split.mjs";

/** A pass of binaryen's has every function report a number of its own when it begins, under this name. */
const REPORT = "log_execution";

/** A module with nothing in it. */
const EMPTY = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);

/**
 * Splits a variant's wasm, next to it.
 * @param {string} pkg folder of the package, as far as it is built
 * @param {import("./variants.mjs").Variant} variant
 */
export function splitVariant(pkg, { name, kinds }) {
	const file = join(pkg, "wasm", `${name}_bg.wasm`);
	const parts = (/** @type {Uint8Array} */ first, /** @type {Uint8Array} */ rest) => {
		writeFileSync(join(pkg, "wasm", `${name}_first.wasm`), first);
		writeFileSync(join(pkg, "wasm", `${name}_rest.wasm`), rest);
	};
	// What was built quickly has another shape, and nobody minds its size: the whole comes first.
	if (!existsSync(join(root, "build/wasm", name, "weights.json"))) return parts(readFileSync(file), EMPTY);
	const reporting = join(root, "build/wasm", name, "reporting.wasm");
	binaryen("wasm-opt", [file, "--log-execution", "-o", reporting]);
	const ran = runs(pkg, name, kinds, reporting);
	const { first, rest } = split(file, (name) => ran.has(name));
	parts(first, rest);
}

/**
 * The functions that run, by their names.
 * @param {string} pkg
 * @param {string} name
 * @param {string[]} kinds
 * @param {string} reporting
 */
function runs(pkg, name, kinds, reporting) {
	const script = join(root, "scripts/build/usual.mjs");
	const done = spawnSync(process.execPath, [script, pkg, name, kinds.join(), reporting, REPORT], {
		encoding: "utf8",
		timeout: 60_000,
	});
	if (done.status !== 0) throw new Failure(`what pages do usually has failed for ${name}:\n${done.stderr}`);
	const numbers = new Set(JSON.parse(done.stdout));
	const { head, funcs } = textOf(reporting);
	const [, report] = head.map((line) => new RegExp(`"${REPORT}" \\(func (\\$\\S+)`).exec(line)).find(Boolean) ?? [];
	const names = funcs.filter(({ lines }) =>
		lines.some(
			(line, at) => line.endsWith(`(call ${report}`) && numbers.has(Number(/const (-?\d+)/.exec(lines[at + 1])?.[1])),
		),
	);
	if (names.length === 0) throw new Failure(`no function of ${name} has reported`);
	return new Set(names.map(({ name }) => name));
}
