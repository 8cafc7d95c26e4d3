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

/**
 * What `pattern` finds in the files of the package.
 * @param {string} pkg
 * @param {RegExp} files
 * @param {RegExp} pattern
 */
function found(pkg, files, pattern) {
	const paths = readdirSync(pkg, { recursive: true, encoding: "utf8" }).filter((path) => files.test(path));
	const names = paths.flatMap((path) =>
		[...readFileSync(join(pkg, path), "utf8").matchAll(pattern)].map(([, name]) => name),
	);
	return [...new Set(names)].sort();
}

/** The modules that are loaded only when they are needed. @param {string} pkg */
const lazy = (pkg) => found(pkg, /^lib\/.*\.js$/, /await import\("\.\/([\w-]+)\.js"\)/g);

/** Those, and the modules that are named outside of lib/. @param {string} pkg */
const named = (pkg) => [...found(pkg, /^(?!lib\/).*\.js(on)?$/, /["/]lib\/([\w-]+)\.js"/g), ...lazy(pkg)].sort();

/** The names in the braces of an import or an export: outside, and inside of the file. @param {string} list */
const pairs = (list) =>
	list
		.split(",")
		.map((part) => part.trim().split(" as "))
		.filter(([name]) => name !== "");

/** @param {string} path */
const nameOf = (path) => path.slice(path.lastIndexOf("/") + 1, -3);

/** The list of exports at the end of what esbuild makes. */
const EXPORTS = /^export \{([^}]*)\};\n$/m;

/**
 * Gives a module that is loaded when it is needed what it imports from the file that loads it as an argument, where it
 * imports nothing else. Where a bundler puts everything into one file, as those of workers do, all that such a module
 * imports would wait in functions for it, and an engine reads twice what stands in a function.
 * @param {string} name
 * @param {{ path: string, text: string }[]} files changed in place
 */
function handOver(name, files) {
	const call = `await import("./${name}.js")`;
	const file = files.find(({ path }) => nameOf(path) === name);
	const [loader, ...others] = files.filter(({ text }) => text.includes(call));
	if (file === undefined || others.length > 0) return;
	/** What it imports: the names outside, and those inside. @type {[string, string][]} */
	const taken = [];
	let body = file.text.replaceAll(
		new RegExp(`^import \\{([^}]*)\\} from "\\./${nameOf(loader.path)}\\.js";\n`, "gm"),
		(_, list) => {
			for (const [outside, inside = outside] of pairs(list)) taken.push([outside, inside]);
			return "";
		},
	);
	if (/^import /m.test(body)) return;
	/** @type {string[]} */
	const exported = [];
	body = body.replace(EXPORTS, (_, list) => {
		for (const [inside, outside = inside] of pairs(list)) exported.push(`${outside}: ${inside}`);
		return "";
	});
	file.text = `let made;
export const using = (given) => (made ??= make(given));
function make([${taken.map(([, inside]) => inside).join(", ")}]) {
${body}return { ${exported.join(", ")} };
}
`;
	const own = new Map(
		pairs(EXPORTS.exec(loader.text)?.[1] ?? "").map(([inside, outside = inside]) => [outside, inside]),
	);
	const given = taken.map(([outside]) => own.get(outside)).join(", ");
	loader.text = loader.text.replaceAll(call, `${call}.then(({ using }) => using([${given}]))`);
}

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
		files.push(...outputFiles.map(({ path, text }) => ({ path, text })));
	}
	const names = named(pkg);
	for (const name of names)
		if (places.has(name) && !(name in TOGETHER)) {
			const text = `export {\n\t${exported(name).join(",\n\t")},\n} from "./${places.get(name)}.js";\n`;
			files.push({ path: join(lib, `${name}.js`), text });
		}
	const apart = names.filter((name) => !places.has(name)).map((name) => join(lib, `${name}.js`));
	const rest = await bundled({ entryPoints: apart });
	files.push(...rest.outputFiles.map(({ path, text }) => ({ path, text })));

	for (const name of lazy(pkg)) handOver(name, files);
	for (const name of all) rmSync(join(lib, name));
	// Where only the order of evaluation asks for a file: nothing happens when one of these is evaluated, and bundlers
	// warn of imports that have no names and no effect.
	for (const { path, text } of files)
		writeFileSync(path, text.replaceAll(/^import "\.\/(?:shared-\w+|core|server|client)\.js";\n/gm, ""));
}
