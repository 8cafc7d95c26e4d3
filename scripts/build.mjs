// Builds pkg/, the complete npm package. Does nothing when nothing has changed.
//
// `npm run build -- --quick [variant …]` is for development: wasm without optimization, only the
// variants named (all, when none is), the others as they were. The next build without it is complete.
//
// `npm run build -- --weights` also records what the code of each variant is made of: what a build over
// budget is compared with. To be run where a budget is set.

import { createHash } from "node:crypto";
import {
	cpSync,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	renameSync,
	rmSync,
	statSync,
	writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { writeViewScript } from "./build/apps.mjs";
import { entries, inlineEntry, inlineText } from "./build/entries.mjs";
import { splitVariant } from "./build/first.mjs";
import { factory } from "./build/glue.mjs";
import { joinModules } from "./build/joined.mjs";
import { printSizes } from "./build/sizes.mjs";
import { variants } from "./build/variants.mjs";
import { wasmPack } from "./build/wasm.mjs";
import { record } from "./build/weights.mjs";
import { link, linked } from "./link.mjs";
import { setup } from "./setup.mjs";
import { Failure, root, script } from "./workspace.mjs";

/** @typedef {import("./build/variants.mjs").Variant} Variant */

const pkg = join(root, "pkg");
const work = join(root, "build");

/** What the wasm files and their glue are made of, and what the rest of the package is. */
const WASM_SOURCES = [
	...["src", "Cargo.toml", "Cargo.lock", ".cargo/config.toml", "rust-toolchain.toml", "package-lock.json"],
	...["scripts/build/wasm.mjs", "scripts/build/variants.mjs"],
];
const COPIES = ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"];
const PACKAGE_SOURCES = ["pkg-template", "scripts/build.mjs", "scripts/build", ...COPIES];

/**
 * One hash over files and folders, by name and content.
 * @param {string[]} paths
 */
function hash(paths) {
	const sum = createHash("sha256");
	/** @param {string} path */
	const visit = (path) => {
		const full = join(root, path);
		if (statSync(full).isDirectory()) for (const name of readdirSync(full).sort()) visit(`${path}/${name}`);
		else sum.update(`${path}\0`).update(readFileSync(full)).update("\0");
	};
	for (const path of paths) visit(path);
	return sum.digest("hex");
}

/** @param {string} path */
const text = (path) => readFileSync(path, "utf8");

/** @param {string} path */
const recorded = (path) => (existsSync(path) ? text(path) : "");

/** @param {string} path @param {string | Uint8Array} content */
function write(path, content) {
	mkdirSync(dirname(path), { recursive: true });
	writeFileSync(path, content);
}

/**
 * Runs wasm-pack for every variant whose sources have changed.
 * @param {{ quick: boolean, names: string[] }} wanted no names: all
 */
async function buildWasm({ quick, names }) {
	const stamp = hash(WASM_SOURCES);
	const mark = join(work, "wasm.stamp");
	if (recorded(mark) === stamp) return stamp;
	rmSync(mark, { force: true });
	for (const variant of variants) {
		const out = join(work, "wasm", variant.name);
		if (names.length > 0 && !names.includes(variant.name) && existsSync(out)) continue;
		const started = Date.now();
		const { glue } = await wasmPack(variant, out, { quick });
		if (variant.fast && !quick) {
			const fast = await wasmPack(variant, `${out}-fast`, { fast: true });
			// They share a glue.
			if (fast.glue !== glue) throw new Failure(`${variant.name}: the glue differs where it is built for speed`);
		}
		console.log(`build: ${variant.name}_bg.wasm in ${((Date.now() - started) / 1000).toFixed(1)} s`);
	}
	// What was made of some variants, or without optimization, goes into the package, but does not count as its build.
	if (quick || names.length > 0) return `quick ${stamp} ${names.join(" ")}`;
	write(mark, stamp);
	return stamp;
}

/** The sandbox page, which is a template literal without any placeholders. @param {string} module */
function sandboxPage(module) {
	const page = /^export const SANDBOX_PAGE = `([^`$\\\\]*)`;$/m.exec(module)?.[1];
	if (page === undefined) throw new Error("lib/apps-sandbox.js: SANDBOX_PAGE must be one plain template literal");
	return page;
}

/** Puts the package together in `to`. @param {string} to */
async function assemble(to) {
	rmSync(to, { recursive: true, force: true });
	cpSync(join(root, "pkg-template"), to, { recursive: true });
	for (const name of COPIES) cpSync(join(root, name), join(to, name));
	cpSync(join(root, "src/js/errors.js"), join(to, "errors.js"));
	write(join(to, "apps/sandbox.html"), sandboxPage(text(join(to, "lib/apps-sandbox.js"))));

	const version = /^version = "(.+)"/m.exec(text(join(root, "Cargo.toml")))?.[1];
	const manifest = JSON.parse(text(join(to, "package.json")));
	write(join(to, "package.json"), `${JSON.stringify({ ...manifest, version }, null, "\t")}\n`);

	for (const variant of variants) {
		const { name } = variant;
		const from = join(work, "wasm", name);
		const wasm = readFileSync(join(from, `${name}_bg.wasm`));
		write(join(to, "wasm", `${name}_bg.wasm`), wasm);
		const isOptimized = existsSync(join(from, "weights.json"));
		const fast = join(work, "wasm", `${name}-fast`, `${name}_bg.wasm`);
		if (variant.fast) write(join(to, "wasm", `${name}_fast.wasm`), isOptimized ? readFileSync(fast) : wasm);
		const glue = factory(text(join(from, `${name}.js`)));
		write(join(to, "wasm", `${name}.js`), glue);
		write(join(to, "inline", `${name}.js`), inlineText(wasm));
		/** @type {Record<string, string[]>} */
		const facades = {};
		for (const facade of variant.facades) {
			facades[facade] = Object.keys(await import(pathToFileURL(join(to, `lib/${facade}.js`)).href));
		}
		const parts = variant.edge?.map((name) => /** @type {Variant} */ (variants.find((one) => one.name === name)));
		for (const [path, content] of Object.entries(entries(variant, facades, glue, parts)))
			write(join(to, path), content);
		if (variant.entry === "index") write(join(to, "inline.js"), inlineEntry(parts ?? [], facades));
	}
	// Whoever has this entry has a server beside it.
	const apps = join(to, "apps/server.js");
	write(apps, text(apps).replace('"../errors.js"', '"../lib/core.js"'));
	await writeViewScript(to);
	await joinModules(to);
	for (const variant of variants) if (variant.first) splitVariant(to, variant);
}

/** Builds what is out of date and gives the folder of the package. */
export async function build({ quick = false, names = /** @type {string[]} */ ([]) } = {}) {
	const started = Date.now();
	const stamp = `${await buildWasm({ quick, names })} ${hash(PACKAGE_SOURCES)}`;
	const mark = join(work, "package.stamp");
	if (existsSync(pkg) && recorded(mark) === stamp) {
		if (!linked()) link();
		return pkg;
	}
	rmSync(mark, { force: true });
	const fresh = join(work, "pkg");
	await assemble(fresh);
	const over = await printSizes(fresh, !quick);
	rmSync(pkg, { recursive: true, force: true });
	renameSync(fresh, pkg);
	link();
	if (over.length > 0 && !quick) {
		throw new Failure(`over budget: ${over.join(", ")} (scripts/build/variants.mjs); pkg/ is as it was built`);
	}
	write(mark, stamp);
	console.log(`build: pkg/ is ready after ${((Date.now() - started) / 1000).toFixed(1)} s`);
	return pkg;
}

if (process.argv[1] === import.meta.filename) {
	await script(async () => {
		await setup();
		const words = process.argv.slice(2);
		const names = words.filter((word) => !word.startsWith("--"));
		await build({ quick: words.includes("--quick"), names });
		if (words.includes("--weights")) record(variants.map(({ name }) => name));
	});
}
