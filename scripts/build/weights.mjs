// What the code of a wasm file is made of, and what has grown when a budget is exceeded.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../workspace.mjs";

/** Bytes of code by module: what each variant weighed when its budget was last set. `npm run build -- --weights` sets it. */
export const RECORD = join(root, "scripts/build/weights.json");
/** How many modules are named when something has grown. */
const NAMED = 12;

/** @typedef {Record<string, number>} Weights bytes of code by module */

/** Reads numbers and names out of a wasm file. @param {Uint8Array} bytes */
function reader(bytes) {
	let at = 8;
	const number = () => {
		let value = 0;
		for (let factor = 1; ; factor *= 128) {
			const byte = bytes[at++];
			value += (byte & 127) * factor;
			if (byte < 128) return value;
		}
	};
	const name = () => {
		const length = number();
		at += length;
		return new TextDecoder().decode(bytes.subarray(at - length, at));
	};
	return {
		number,
		name,
		skip: (/** @type {number} */ count) => {
			at += count;
		},
		byte: () => bytes[at++],
		position: () => at,
		done: () => at >= bytes.length,
	};
}

/** The crates that are told apart, as a mangled name spells them: behind their length. */
const CRATE = /(?:8mcp_duet|4core|5alloc|3std|6js_sys|12wasm_bindgen|8dlmalloc)(?=\d)/;

/**
 * The module of a function by its mangled name (https://doc.rust-lang.org/rustc/symbol-mangling/v0.html); nothing for
 * what only wasm-bindgen reads.
 * @param {string} mangled
 */
function moduleOf(mangled) {
	if (/describe/i.test(mangled)) return undefined;
	const found = CRATE.exec(mangled);
	if (found === null) return "other";
	const crate = found[0].replace(/^\d+/, "");
	const steps = [];
	for (let rest = mangled.slice(found.index + found[0].length); ; ) {
		const [prefix, digits] = /^(\d+)_?/.exec(rest) ?? [];
		if (prefix === undefined) break;
		const step = rest.slice(prefix.length, prefix.length + Number(digits));
		// A type or a closure: the module ends here.
		if (!/^[a-z][a-z0-9_]*$/.test(step)) break;
		steps.push(step);
		rest = rest.slice(prefix.length + Number(digits));
	}
	const deep = crate !== "mcp_duet" ? 1 : steps[0] === "protocol" ? 3 : 2;
	return [crate, ...steps.slice(0, deep)].join("::");
}

/** @param {Uint8Array} bytes a wasm file with its names @returns {Weights} */
export function weights(bytes) {
	const { number, name, skip, byte, position, done } = reader(bytes);
	/** @type {number[]} */
	const sizes = [];
	/** @type {Map<number, string>} */
	const names = new Map();
	let imported = 0;
	while (!done()) {
		const id = byte();
		const length = number();
		const end = position() + length;
		if (id === 2) {
			for (let count = number(); count > 0; count--) {
				name();
				name();
				const kind = byte();
				if (kind !== 0) throw new Error(`an import of kind ${kind}, where only functions are expected`);
				imported++;
				number();
			}
		} else if (id === 10) {
			for (let count = number(); count > 0; count--) {
				sizes.push(number());
				skip(sizes[sizes.length - 1]);
			}
		} else if (id === 0 && name() === "name") {
			while (position() < end) {
				const part = byte();
				const size = number();
				if (part !== 1) skip(size);
				else for (let count = number(); count > 0; count--) names.set(number(), name());
			}
		}
		skip(end - position());
	}
	/** @type {Weights} */
	const out = {};
	sizes.forEach((size, index) => {
		const module = moduleOf(names.get(index + imported) ?? "");
		if (module !== undefined) out[module] = (out[module] ?? 0) + size;
	});
	return out;
}

/** @param {string} variant @returns {string} the file in which the build leaves the weights of a variant */
export const weightsFile = (variant) => join(root, "build/wasm", variant, "weights.json");

/** @param {string} path */
const read = (path) => JSON.parse(readFileSync(path, "utf8"));

/** Makes what was built last what later builds are compared with. @param {string[]} variants */
export function record(variants) {
	const sorted = (/** @type {Weights} */ all) =>
		Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1)));
	const all = Object.fromEntries(variants.map((name) => [name, sorted(read(weightsFile(name)))]));
	writeFileSync(RECORD, `${JSON.stringify(all, null, "\t")}\n`);
}

/**
 * The modules that have grown most.
 * @param {Weights} before
 * @param {Weights} now
 */
export function grown(before, now) {
	const all = [...new Set([...Object.keys(before), ...Object.keys(now)])];
	return all
		.map((module) => ({ module, more: (now[module] ?? 0) - (before[module] ?? 0) }))
		.filter(({ more }) => more > 0)
		.sort((a, b) => b.more - a.more)
		.slice(0, NAMED);
}

/** Says what has grown in a variant since its budget was set. @param {string} variant */
export function tellGrown(variant) {
	const rows = grown(read(RECORD)[variant] ?? {}, read(weightsFile(variant)));
	if (rows.length === 0) console.log(`build: the wasm of ${variant} has not grown: it is the script`);
	for (const { module, more } of rows) console.log(`build:   ${variant}: ${module} + ${more} B of code`);
}
