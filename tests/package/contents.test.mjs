// What is in the tarball.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, relative } from "node:path";
import { test } from "node:test";
import { scriptSizes } from "../../scripts/build/apps.mjs";
import { sizes } from "../../scripts/build/sizes.mjs";
import { variants } from "../../scripts/build/variants.mjs";
import { tarball } from "../../scripts/link.mjs";
import { root } from "../../scripts/workspace.mjs";
import { installed, output } from "./harness.mjs";

const folder = installed();
const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
const files = readdirSync(folder, { recursive: true, withFileTypes: true })
	.filter((entry) => entry.isFile())
	.map((entry) => relative(folder, join(entry.parentPath, entry.name)))
	.sort();
const wasms = ["apps", "auth", "client", "duet", "schema", "server", "toolset", "whole"];

/** @param {string} file */
const text = (file) => readFileSync(join(folder, file), "utf8");
/** @param {string} name */
const wasmBytes = (name) => readFileSync(join(folder, "wasm", `${name}_bg.wasm`));

/**
 * Every file that the exports name, patterns left out.
 * @param {unknown} target
 * @returns {string[]}
 */
const targets = (target) =>
	typeof target === "string" ? [target] : Object.values(/** @type {object} */ (target)).flatMap(targets);

test("it holds these files and no others", () => {
	const entries = ["apps/host", "auth", "client", "index", "server", "server-whole", "toolset", "validator"].flatMap(
		(name) => ["", ".web", ".node", ".workerd", ".edge"].map((place) => `${name}${place}.js`),
	);
	const parts = variants
		.filter(({ first }) => first)
		.flatMap(({ name }) => [`wasm/${name}_first.wasm`, `wasm/${name}_rest.wasm`]);
	const fast = variants.filter(({ fast }) => fast).map(({ name }) => `wasm/${name}_fast.wasm`);
	const whole = wasms.flatMap((name) => [`wasm/${name}.js`, `wasm/${name}_bg.wasm`, `inline/${name}.js`]);
	const generated = [...whole, ...parts, ...fast];
	const own = [
		"apps/sandbox.html",
		"errors.js",
		"inline.js",
		"CHANGELOG.md",
		"LICENSE-APACHE",
		"LICENSE-MIT",
		"README.md",
		"package.json",
	];
	const scripts = ["apps/view.global.js", "apps/view-text.js"];
	// Hand-written: as many as there are beside the template, none forgotten and none left over.
	const template = readdirSync(join(root, "pkg-template"), { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) => relative(join(root, "pkg-template"), join(entry.parentPath, entry.name)));
	const isModule = (/** @type {string} */ path) => /^lib\/.*\.js$/.test(path);
	const wanted = [...entries, ...generated, ...scripts, ...own, ...template].filter((path) => !isModule(path));
	assert.deepEqual(
		files.filter((path) => !isModule(path)),
		[...new Set(wanted)].sort(),
	);
	// The modules are joined: each is in one file, which says so above it, and the files hold nothing else.
	const places = files.filter(isModule).flatMap((file) => {
		const inside = [...text(file).matchAll(/^\/\/ (lib\/[\w-]+\.js)$/gm)].map(([, module]) => module);
		return [...new Set(inside)].map((module) => ({ file, module }));
	});
	for (const module of template.filter(isModule)) {
		const found = places.filter((place) => place.module === module).map(({ file }) => file);
		// One that only names what others export has no code of its own.
		if (found.length === 0) assert.ok(files.includes(module), module);
		else assert.equal(found.length, 1, `${module} is in ${found}`);
	}
	for (const { module } of places) assert.ok(template.includes(module), module);
});

test("every file that the exports name is there", () => {
	const named = targets(manifest.exports).filter((path) => !path.includes("*"));
	for (const path of [...named, manifest.main, manifest.module, manifest.types]) {
		assert.ok(files.includes(path.slice(2)), path);
	}
});

test("conditions stand in the order in which platforms must meet them", () => {
	const names = [".", "./apps/host", "./auth", "./client", "./server", "./server-whole", "./toolset", "./validator"];
	for (const name of names) {
		assert.deepEqual(Object.keys(manifest.exports[name]), ["types", "workerd", "edge-light", "node", "default"], name);
	}
});

test("no entry that registers a wasm may be dropped as free of side effects", () => {
	const patterns = manifest.sideEffects.map(
		(/** @type {string} */ glob) => new RegExp(`^${glob.replaceAll(".", "\\.").replaceAll("*", "[^/]*")}$`),
	);
	const registers = /^export const init = provide\(\{|^\tprovide\(\{|^export \* from "\.\/\w+\.web\.js"/m;
	for (const file of files.filter((name) => name.endsWith(".js") && registers.test(text(name)))) {
		assert.ok(
			patterns.some((/** @type {RegExp} */ pattern) => pattern.test(`./${file}`)),
			file,
		);
	}
});

test("the version is the crate's", () => {
	assert.equal(manifest.version, /^version = "(.+)"/m.exec(readFileSync(join(root, "Cargo.toml"), "utf8"))?.[1]);
});

test("nothing is generated from strings and nothing runs at install", () => {
	assert.equal(manifest.scripts, undefined);
	assert.equal(manifest.dependencies, undefined);
	for (const file of files.filter((name) => name.endsWith(".js"))) {
		assert.doesNotMatch(text(file), /\beval\(|\bnew Function\b|\bFunction\(["'`]/, file);
	}
});

for (const name of wasms) {
	test(`${name}: the wasm imports its own glue and nothing else`, () => {
		const imports = WebAssembly.Module.imports(new WebAssembly.Module(wasmBytes(name)));
		assert.deepEqual([...new Set(imports.map(({ module }) => module))], [`./${name}_bg.js`]);
		// A clock or randomness would have to come in through an import.
		for (const entry of imports) assert.doesNotMatch(entry.name, /now|random|performance|crypto|env/i);
	});

	test(`${name}: no path of the machine that built it is in the bytes`, () => {
		const bytes = wasmBytes(name).toString("latin1");
		for (const path of [homedir(), root, process.env.CARGO_HOME ?? "/.cargo/", "/registry/src/"]) {
			assert.ok(!bytes.includes(path), path);
		}
	});

	test(`${name}: the memory has a limit, and the module starts small`, () => {
		const { memory, initial, maximum } = memoryOf(wasmBytes(name));
		assert.equal(memory, 1);
		assert.equal(maximum, 16_384, "1 GiB");
		assert.ok(initial <= 24, `starts with ${initial} pages`);
	});

	test(`${name}: text copy and file are the same`, async () => {
		const { default: copy } = await import(join(folder, "inline", `${name}.js`));
		const { gunzipSync } = await import("node:zlib");
		assert.ok(gunzipSync(Buffer.from(copy, "base64")).equals(wasmBytes(name)));
	});
}

/**
 * The memory section of a wasm file.
 * @param {Uint8Array} bytes
 */
function memoryOf(bytes) {
	let at = 8;
	const number = () => {
		let value = 0;
		for (let shift = 0; ; shift += 7) {
			const byte = bytes[at++];
			value |= (byte & 127) << shift;
			if (byte < 128) return value >>> 0;
		}
	};
	while (at < bytes.length) {
		const id = bytes[at++];
		const length = number();
		if (id === 5) {
			const [memory, flags, initial] = [number(), number(), number()];
			return { memory, initial, maximum: flags & 1 ? number() : undefined };
		}
		at += length;
	}
	throw new Error("no memory section");
}

for (const { entry, total, budget } of [...(await sizes(folder)), ...(await scriptSizes(folder))]) {
	test(`${entry}: what it downloads fits its budget`, () => {
		assert.ok(total <= budget, `${total} bytes gzipped are over the budget of ${budget}`);
	});
}

test("the View as one file is the View, as a script and as text", async () => {
	const { viewScript } = await import(join(folder, "apps/view-text.js"));
	assert.equal(viewScript, text("apps/view.global.js"));
	const view = await import(join(folder, "apps/view.js"));
	const { runInNewContext } = await import("node:vm");
	/** @type {any} */
	const page = {};
	page.globalThis = page;
	runInNewContext(viewScript, page);
	assert.deepEqual(Object.keys(page.mcpDuetView), Object.keys(view));
});

test("publint has nothing to say", async () => {
	const { publint } = await import("publint");
	const { formatMessage } = await import("publint/utils");
	const { messages, pkg } = await publint({ pkgDir: folder, strict: true, pack: false });
	assert.deepEqual(
		messages.map((message) => formatMessage(message, pkg)),
		[],
	);
});

test("are the types wrong? They are not, for ES modules", async () => {
	const said = await output("attw", [tarball(), "--profile", "esm-only", "--format", "json"], { cwd: root });
	const { analysis } = JSON.parse(said);
	assert.equal(analysis.types.kind, "included");
	// A require() of an ES module works since Node.js 20.19, older resolution is not supported.
	const ignored = ["node10", "node16-cjs"];
	assert.deepEqual(
		analysis.problems.filter((/** @type {any} */ { resolutionKind }) => !ignored.includes(resolutionKind)),
		[],
	);
});
