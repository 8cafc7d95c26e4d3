// A wasm of which only a part is there at first does what a whole one does, whichever part that is.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { variants } from "../../scripts/build/variants.mjs";
import { installed } from "../../scripts/link.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));

/**
 * Runs a test file where each test begins with some functions only; gives the names of what failed, and how many passed.
 * @param {string} file
 * @param {{ name: string, kinds: string, seed: string }} part
 */
async function runIn(file, { name, kinds, seed }) {
	// The context is of the test that this one runs in, whose reports are of another kind.
	const { NODE_TEST_CONTEXT, ...outer } = process.env;
	const env = { ...outer, PARTIAL_NAME: name, PARTIAL_KINDS: kinds, PARTIAL_SEED: seed };
	const child = spawn(
		process.execPath,
		["--import", join(here, "partial-core.mjs"), "--test-reporter=tap", join(here, file)],
		{ env, stdio: ["ignore", "pipe", "inherit"], timeout: 120_000 },
	);
	let out = "";
	child.stdout.setEncoding("utf8").on("data", (text) => {
		out += text;
	});
	const [code] = await new Promise((resolve) => child.on("close", (...end) => resolve(end)));
	assert.notEqual(code, null, "it took too long");
	return {
		failed: [...out.matchAll(/^not ok \d+ - (.*)$/gm)].map(([, name]) => name),
		passed: [...out.matchAll(/^ok \d+ - /gm)].length,
		loaded: Number(/^# rests loaded: (\d+)$/m.exec(out)?.[1]),
	};
}

for (const seed of ["0", "usual", "4"]) {
	test(`the client's transcripts, seed ${seed}`, async () => {
		const ran = await runIn("client-transcripts.test.mjs", { name: "client", kinds: "client", seed });
		// Who closes before anything has been loaded has asked for nothing.
		const early = ["calls.json: closing while connecting", "calls.json: closing while connecting (one byte at a time)"];
		assert.deepEqual(ran.failed, seed === "0" ? early : []);
		assert.ok(ran.passed > 600, `${ran.passed} passed`);
		assert.ok(ran.loaded > 300, `${ran.loaded} tests needed the rest`);
	});
}

for (const file of ["transcripts", "fetch", "asks", "listen"]) {
	for (const seed of ["0", "usual"]) {
		test(`a server's ${file}, seed ${seed}`, async () => {
			const ran = await runIn(`${file}.test.mjs`, { name: "server", kinds: "server", seed });
			assert.deepEqual(ran.failed, []);
			assert.ok(ran.passed > 0 && ran.loaded > 0, `${ran.passed} passed, ${ran.loaded} needed the rest`);
		});
	}
}

test("an instance whose memory has grown loads its rest without being asked", async () => {
	const { partial } = await import(join(installed, "lib/core.js"));
	const memory = new WebAssembly.Memory({ initial: 20 });
	let loads = 0;
	const empty = new URL("data:application/wasm;base64,AGFzbQEAAAA=");
	const lacking = partial(() => {
		loads++;
		return empty;
	})({ memory, "-s": { value: 262_144 } });
	const live = { partial: lacking };
	lacking.keep(live);
	// What is copied is the memory without the stack, of which 1 MiB is the limit.
	assert.equal(memory.buffer.byteLength - 262_144, 1_048_576);
	assert.equal(loads, 0);
	memory.grow(1);
	lacking.keep(live);
	lacking.keep(live);
	await lacking.complete(live);
	assert.equal(loads, 1);
	assert.equal(live.partial, undefined);
});

for (const { name } of variants.filter(({ first }) => first)) {
	test(`${name}: the parts in the package are valid, and the first one imports what the whole does`, () => {
		const [whole, first, rest] = ["bg", "first", "rest"].map(
			(part) => new WebAssembly.Module(Uint8Array.from(readFileSync(join(installed, "wasm", `${name}_${part}.wasm`)))),
		);
		assert.deepEqual(WebAssembly.Module.imports(first), WebAssembly.Module.imports(whole));
		const exported = new Set(WebAssembly.Module.exports(first).map(({ name }) => name));
		for (const { module, name } of WebAssembly.Module.imports(rest)) {
			assert.equal(module, "");
			assert.ok(exported.has(name), name);
		}
	});
}
