// Splits a wasm file in two that share a memory: what a page needs first, and the rest, which a page loads when a call
// needs it (pkg-template/lib/partial.js).
//
// Every function stays what it was. A call from the first file into the rest goes through a slot of the table, which
// is empty until the rest is there: such a call traps. Calls from the rest into the first file are imports.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { environment, Failure } from "../workspace.mjs";

/** Exports of the first file for the rest; no name of Rust's begins like that. `STACK` also tells lib/partial.js what it faces. */
const TABLE = "-t";
const STACK = "-s";

/** What is called outside of a guarded call: by the collector, by the glue, and when an instance begins. */
const UNGUARDED = /^(__wbg_\w+_free|__externref_\w+|mailboxTable)$/;

/**
 * @typedef {object} Func
 * @property {string} name
 * @property {string} type its parameters and results
 * @property {string} head
 * @property {string[]} lines all of its text
 */

/** @typedef {{ head: string[], funcs: Func[] }} Text a module as text: each function, and everything else by line */

/** @param {boolean} truth @param {string} what */
function expect(truth, what) {
	if (!truth) throw new Failure(`the wasm has changed its shape, it cannot be split: ${what}`);
}

/** What rustc takes for granted of a wasm engine, and SIMD. */
const FEATURES = [
	...["simd", "bulk-memory", "bulk-memory-opt", "reference-types", "mutable-globals", "sign-ext"],
	...["nontrapping-float-to-int", "multivalue", "call-indirect-overlong"],
].map((name) => `--enable-${name}`);

/** Runs a tool of binaryen's. @param {string} tool @param {string[]} args */
export function binaryen(tool, args) {
	const done = spawnSync(tool, ["--mvp-features", ...FEATURES, ...args], {
		env: environment,
		maxBuffer: 1 << 30,
		encoding: "utf8",
	});
	if (done.status !== 0) throw new Failure(`${tool} failed: ${done.error ?? done.stderr}`);
	return done.stdout;
}

/** @param {string} file @returns {Text} */
export function textOf(file) {
	/** @type {string[]} */
	const head = [];
	/** @type {Func[]} */
	const funcs = [];
	/** @type {Func | undefined} */
	let open;
	for (const line of binaryen("wasm-dis", [file]).split("\n")) {
		if (open) {
			open.lines.push(line);
			if (line === " )") open = undefined;
			continue;
		}
		const [, name, rest] = /^ \(func (\$\S+)(.*)$/.exec(line) ?? [];
		if (name === undefined) {
			head.push(line);
			continue;
		}
		const params = [...rest.matchAll(/\(param \$\S+ (\w+)\)/g)].map(([, type]) => type);
		const results = /\(result [^)]*\)/.exec(rest)?.[0] ?? "";
		const type = `${params.length > 0 ? `(param ${params.join(" ")}) ` : ""}${results}`;
		open = { name, type, head: rest, lines: [line] };
		funcs.push(open);
	}
	return { head, funcs };
}

const CALL = /^( *)\(call (\$[^\s)]+)(\)?)$/;

/** The functions that these call by name. @param {Iterable<Func>} funcs */
function called(funcs) {
	/** @type {Set<string>} */
	const names = new Set();
	for (const { lines } of funcs) {
		for (const line of lines) {
			const [, , name] = CALL.exec(line) ?? [];
			if (name) names.add(name);
		}
	}
	return names;
}

/** @param {string} line of an export */
const exported = (line) => /^ \(export "([^"]*)" \(func (\$[^)]+)\)\)$/.exec(line) ?? [];

/**
 * The functions that must be there at once, because nobody would notice the trap: all that these can reach.
 * @param {Text} text
 */
function unguarded(text) {
	const { head, funcs } = text;
	const byName = new Map(funcs.map((func) => [func.name, func]));
	/** @type {Set<string>} */
	const found = new Set();
	/** @type {string[]} what stands in the table, once something is called through it */
	let elements = shape(text).elements.map(({ name }) => name);
	const next = head
		.map(exported)
		.filter(([, name]) => UNGUARDED.test(name ?? ""))
		.map(([, , func]) => func);
	for (let name = next.pop(); name !== undefined; name = next.pop()) {
		const func = byName.get(name);
		if (func === undefined || found.has(name)) continue;
		found.add(name);
		next.push(...called([func]));
		if (!func.lines.some((line) => line.includes("(call_indirect "))) continue;
		next.push(...elements);
		elements = [];
	}
	return found;
}

/** The parts of a module that a split is about. @param {Text} text */
function shape({ head, funcs }) {
	const one = (/** @type {RegExp} */ pattern) => {
		const lines = head.filter((line) => pattern.test(line));
		expect(lines.length === 1, `${lines.length} lines match ${pattern}`);
		return lines[0];
	};
	const table = one(/^ \(table \$\d+ \d+ \d+ funcref\)$/);
	const [, tableName, size] = /\(table (\$\d+) (\d+)/.exec(table) ?? [];
	const odd = new RegExp(`\\((ref\\.func|return_call|data\\.drop|memory\\.init|table\\.\\w+ \\${tableName}\\b)`);
	for (const { lines } of funcs) expect(!lines.some((line) => odd.test(line)), lines[0]);
	const elem = one(/^ \(elem /);
	const [, base, listed] = /\(i32\.const (\d+)\) func (.*)\)$/.exec(elem) ?? [];
	expect(elem.includes(`(table ${tableName})`) || !elem.includes("(table "), "the elements are another table's");
	const stack = one(/^ \(global \$\S+ \(mut /);
	const [, stackName] = /\(global (\$\S+) \(mut i32\)/.exec(stack) ?? [];
	expect(stackName !== undefined, "the stack pointer is not a number");
	const externs = one(/^ \(table \$\d+ .*externref\)$/);
	const [, externsName] = /\(table (\$\d+)/.exec(externs) ?? [];
	const externsExport = one(new RegExp(`^ \\(export "[^"]*" \\(table \\${externsName}\\)`));
	const [, externsAs] = /"([^"]*)"/.exec(externsExport) ?? [];
	const elements = listed.split(" ").map((name, at) => ({ name, slot: Number(base) + at }));
	return { table, tableName, size: Number(size), elem, elements, stackName, externsName, externsAs };
}

/**
 * Elements in rising order as segments of a table.
 * @param {{ name: string, slot: number }[]} elements
 * @param {string} table
 */
function segments(elements, table) {
	/** @type {{ at: number, names: string[] }[]} */
	const runs = [];
	for (const { name, slot } of elements) {
		const last = runs.at(-1);
		if (last && last.at + last.names.length === slot) last.names.push(name);
		else runs.push({ at: slot, names: [name] });
	}
	return runs.map(({ at, names }, i) => ` (elem $e${i} (table ${table}) (i32.const ${at}) func ${names.join(" ")})`);
}

/**
 * @param {string} file of the wasm
 * @param {(name: string) => boolean} isFirst whether a function is needed first, by its name in `textOf(file)`
 * @returns {{ first: Uint8Array, rest: Uint8Array }}
 */
export function split(file, isFirst) {
	const text = textOf(file);
	const { head } = text;
	const { table, tableName, size, elem, elements, stackName, externsName, externsAs } = shape(text);
	const pinned = unguarded(text);
	const first = text.funcs.filter(({ name }) => isFirst(name) || pinned.has(name));
	const rest = new Map(text.funcs.filter((func) => !first.includes(func)).map((func) => [func.name, func]));

	// Where the first file calls the rest: the places that the table has already, and new ones.
	const stubs = head.filter((line) => rest.has(exported(line)[2]));
	const slots = new Map(elements.filter(({ name }) => rest.has(name)).map(({ name, slot }) => [name, slot]));
	let end = size;
	for (const name of [...called(first), ...stubs.map((line) => exported(line)[2])])
		if (rest.has(name) && !slots.has(name)) slots.set(name, end++);

	/** A function with its calls into the rest made through the table. @param {Func} func */
	const rerouted = ({ lines }) => {
		/** @type {string[]} */
		const out = [];
		/** @type {{ close: string, slot: number | undefined }[]} */
		const open = [];
		for (const line of lines) {
			const [, indent, name, whole] = CALL.exec(line) ?? [];
			const target = rest.get(name);
			const close = open.at(-1);
			if (target) {
				const slot = slots.get(name);
				out.push(`${indent}(call_indirect ${tableName} ${target.type}${whole ? ` (i32.const ${slot}))` : ""}`);
				if (!whole) open.push({ close: `${indent})`, slot });
			} else if (close?.close === line) {
				out.push(`(i32.const ${close.slot})`, line);
				open.pop();
			} else out.push(line);
		}
		expect(open.length === 0, "a call does not end");
		return out;
	};
	const stub = (/** @type {Func} */ { name, head, type }) => {
		const passed = [...head.matchAll(/\(param (\$\S+)/g)].map(([, param]) => `(local.get ${param})`).join(" ");
		const call = `(call_indirect ${tableName} ${type} ${passed} (i32.const ${slots.get(name)}))`;
		return ` (func $stub${name}${head}\n  ${call}\n )`;
	};

	const shared = [...called(rest.values())].filter((name) => !rest.has(name));
	const short = new Map(shared.map((name, at) => [name, `-${at.toString(36)}-`]));
	const firstText = [
		...head.slice(0, head.lastIndexOf(")")).flatMap((line) => {
			if (line === table) return [` (table ${tableName} ${end} ${end} funcref)`];
			if (line === elem)
				return segments(
					elements.filter(({ name }) => !rest.has(name)),
					tableName,
				);
			const [, as, name] = exported(line);
			return rest.has(name) ? [` (export "${as}" (func $stub${name}))`] : [line];
		}),
		` (export "${TABLE}" (table ${tableName}))`,
		` (export "${STACK}" (global ${stackName}))`,
		...shared.map((name) => ` (export "${short.get(name)}" (func ${name}))`),
		...first.flatMap(rerouted),
		...stubs.map((line) => stub(/** @type {Func} */ (rest.get(exported(line)[2])))),
		")",
	];

	const types = new Map(first.map(({ name, type }) => [name, type]));
	for (const line of head) {
		const [, name, type] = /^ \(import .* \(func (\$[^\s)]+)(.*)\)\)$/.exec(line) ?? [];
		if (name) types.set(name, type);
	}
	const placed = elements.filter(({ name }) => rest.has(name));
	const restText = [
		...["(module", ...head.filter((line) => line.startsWith(" (type "))],
		` (import "" "memory" (memory 0))`,
		` (import "" "${TABLE}" (table ${tableName} ${end} ${end} funcref))`,
		` (import "" "${externsAs}" (table ${externsName} 0 externref))`,
		` (import "" "${STACK}" (global ${stackName} (mut i32)))`,
		...shared.map((name) => ` (import "" "${short.get(name)}" (func ${name} ${types.get(name)}))`),
		...segments(
			[...placed, ...[...slots].map(([name, slot]) => ({ name, slot })).filter(({ slot }) => slot >= size)],
			tableName,
		),
		...[...rest.values()].flatMap(({ lines }) => lines),
		")",
	];
	return { first: assembled(firstText), rest: assembled(restText) };
}

/** @param {string[]} text */
function assembled(text) {
	const folder = mkdtempSync(join(tmpdir(), "mcp-duet-split-"));
	try {
		const [wat, wasm] = [join(folder, "module.wat"), join(folder, "module.wasm")];
		writeFileSync(wat, text.join("\n"));
		binaryen("wasm-as", [wat, "-o", wasm]);
		binaryen("wasm-opt", [wasm, "--remove-unused-module-elements", "-o", wasm]);
		return readFileSync(wasm);
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}
