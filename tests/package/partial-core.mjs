// Has every client and server of the process run in a wasm of which only some functions are there at first: which, the
// environment says. The rest comes when a call needs it, as in a page. For `node --import`.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach } from "node:test";
import { split } from "../../scripts/build/split.mjs";
import { installed } from "../../scripts/link.mjs";

const { PARTIAL_NAME: name = "", PARTIAL_KINDS: kinds = "", PARTIAL_SEED: seed = "" } = process.env;

/** A sequence of numbers below 2³², the same for a seed everywhere. @param {number} state */
const numbers = (state) => () => {
	state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
	return state;
};
const next = numbers(Number(seed));
// Seed 0: nothing is there but what must be. Odd seeds: half of it; even ones: so much that calls get far.
const share = Number(seed) % 2 === 0 ? 0.98 : 0.5;
const part = (/** @type {string} */ which) => readFileSync(join(installed, "wasm", `${name}_${which}.wasm`));
// "usual": what pages get.
const { first, rest } =
	seed === "usual"
		? { first: part("first"), rest: part("rest") }
		: split(join(installed, "wasm", `${name}_bg.wasm`), () => seed !== "0" && next() < share * 2 ** 32);
const url = new URL(`data:application/wasm;base64,${Buffer.from(rest).toString("base64")}`);

const { current, partial, provide } = await import(join(installed, "lib/core.js"));
const { instantiate } = await import(join(installed, "wasm", `${name}.js`));
let loaded = 0;
const lacking = partial(() => {
	loaded++;
	return url;
});
const init = provide({
	kinds: kinds.split(","),
	instantiate,
	compile: () => new WebAssembly.Module(Uint8Array.from(first)),
	partial: lacking,
	lazy: { schema: () => import("mcp-duet/validator"), whole: () => import("mcp-duet/server-whole") },
});
await init();
// Each test begins with an instance of its own, which lacks the rest.
beforeEach(() => init());
afterEach(() => current(kinds.split(",")[0])?.end(new Error("the test is over")));
process.on("exit", () => process.stdout.write(`# rests loaded: ${loaded}\n`));
