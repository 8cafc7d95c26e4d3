// The modules under lib/ in few files: a runtime takes longer to find, read and link thirty small ones than for all the
// rest of a server's start. What several entries share stays one file, so that there is one of each class.

import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * What stands in one file, by its name: these modules and all that they import, but for what stands in a file before.
 * With the core stand the Error classes, what both roles need, and what is so small that whoever needs it may have all of
 * that file. The View alone has Error classes of its own, for it is small and never in one page with the rest.
 * @type {Record<string, string[]>}
 */
const TOGETHER = {
	core: ["core", "disk", "web", "protocol", "place", "body", "judge"],
	server: ["server"],
	client: ["client"],
};

/** Where the modules import the Error classes from. */
const ERRORS = "../errors.js";

/** The file under lib/ that has what a module named outside of lib/ exports. @param {string} module */
export const fileOf = (module) =>
	Object.entries(TOGETHER).find(([, modules]) => modules.includes(module))?.[0] ?? module;

/** The modules that are named outside of lib/, and those that are loaded only when they are needed. @param {string} pkg */
function named(pkg) {
	/** @type {Set<string>} */
	const names = new Set();
	for (const path of readdirSync(pkg, { recursive: true, encoding: "utf8" })) {
		if (!/\.js(on)?$/.test(path)) continue;
		const name = path.startsWith("lib") ? /await import\("\.\/([\w-]+)\.js"\)/g : /["/]lib\/([\w-]+)\.js"/g;
		for (const [, found] of readFileSync(join(pkg, path), "utf8").matchAll(name)) names.add(found);
	}
	return [...names].sort();
}

/** @param {string} path */
const nameOf = (path) => path.slice(path.lastIndexOf("/") + 1, -3);

/**
 * Puts the modules together.
 * @param {string} pkg folder of the package
 */
export async function joinModules(pkg) {
	// Not at the top: npm packages may only just have been installed.
	const { build } = await import("esbuild");
	const lib = join(pkg, "lib");
	/** Each module that stands with others, and the file in which it does. @type {Map<string, string>} */
	const places = new Map();
	/**
	 * Leaves out what is not under lib/, and what stands in another file than `own`.
	 * @param {string} [own]
	 * @returns {import("esbuild").Plugin}
	 */
	const elsewhere = (own) => ({
		name: "elsewhere",
		setup: ({ onResolve }) =>
			onResolve({ filter: /./ }, ({ path, kind, importer }) => {
				if (kind === "entry-point") return undefined;
				if (path === ERRORS && !nameOf(importer).startsWith("view"))
					return own === "core" ? undefined : { path: "./core.js", external: true };
				// What is loaded when it is needed is a file of its own.
				if (!path.startsWith("./") || kind === "dynamic-import") return { path, external: true };
				const place = places.get(nameOf(path));
				return place === undefined || place === own ? undefined : { path: `./${place}.js`, external: true };
			}),
	});
	/** @param {import("esbuild").BuildOptions & { own?: string }} options */
	const bundled = async ({ own, ...options }) =>
		await build({
			...{ bundle: true, splitting: true, format: "esm", platform: "neutral", target: "es2022", charset: "utf8" },
			...{ outdir: lib, absWorkingDir: pkg, chunkNames: "shared-[hash]", logLevel: "error" },
			...{ ...options, metafile: true, write: false, plugins: [elsewhere(own)] },
		});

	const all = readdirSync(lib).filter((name) => name.endsWith(".js"));
	const { inputs, outputs } = (await bundled({ entryPoints: all.map((name) => join(lib, name)) })).metafile;
	/** @param {string} module */
	const exported = (module) => outputs[`lib/${module}.js`].exports;
	/** @param {string} module @param {string} file */
	function place(module, file) {
		if (places.has(module)) return;
		places.set(module, file);
		for (const { path } of inputs[`lib/${module}.js`].imports) if (path.startsWith("lib/")) place(nameOf(path), file);
	}
	for (const [file, modules] of Object.entries(TOGETHER)) for (const module of modules) place(module, file);

	/** @type {{ path: string, text: string }[]} */
	const files = [];
	for (const file of Object.keys(TOGETHER)) {
		const inside = [...places.keys()].filter((module) => places.get(module) === file);
		const contents = [...(file === "core" ? [ERRORS] : []), ...inside.map((module) => `./${module}.js`)]
			.map((path) => `export * from "${path}";`)
			.join("\n");
		const stdin = { contents, resolveDir: lib, sourcefile: `all of ${file}.js` };
		const { outputFiles, metafile } = await bundled({ own: file, stdin, entryNames: file });
		// A name that two modules have would be nobody's.
		const has = new Set(Object.values(metafile.outputs).flatMap((output) => output.exports));
		for (const name of inside.flatMap(exported))
			if (!has.has(name)) throw new Error(`lib/${file}.js: two modules export ${name}`);
		files.push(...outputFiles);
	}
	const names = named(pkg);
	for (const name of names)
		if (places.has(name) && !(name in TOGETHER)) {
			const text = `export {\n\t${exported(name).join(",\n\t")},\n} from "./${places.get(name)}.js";\n`;
			files.push({ path: join(lib, `${name}.js`), text });
		}
	const apart = names.filter((name) => !places.has(name)).map((name) => join(lib, `${name}.js`));
	files.push(...(await bundled({ entryPoints: apart })).outputFiles);

	for (const name of all) rmSync(join(lib, name));
	// Where only the order of evaluation asks for a file: nothing happens when one of these is evaluated, and bundlers
	// warn of imports that have no names and no effect.
	for (const { path, text } of files)
		writeFileSync(path, text.replaceAll(/^import "\.\/(?:shared-\w+|core|server|client)\.js";\n/gm, ""));
}
