// The modules under lib/ in few files: a runtime takes longer to find, read and link thirty small ones than for all the
// rest of a server's start. What several entries share stays one file, so that there is one of each class.

import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

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

/**
 * Puts the modules together.
 * @param {string} pkg folder of the package
 */
export async function joinModules(pkg) {
	// Not at the top: npm packages may only just have been installed.
	const { build } = await import("esbuild");
	const lib = join(pkg, "lib");
	const { outputFiles } = await build({
		entryPoints: named(pkg).map((name) => join(lib, `${name}.js`)),
		...{ bundle: true, splitting: true, format: "esm", platform: "neutral", target: "es2022", charset: "utf8" },
		...{ outdir: lib, absWorkingDir: pkg, chunkNames: "shared-[hash]", write: false, logLevel: "error" },
		plugins: [
			{
				name: "elsewhere",
				setup: ({ onResolve }) =>
					onResolve({ filter: /./ }, ({ path, kind }) =>
						kind === "entry-point" || path.startsWith("./") ? undefined : { path, external: true },
					),
			},
		],
	});
	for (const name of readdirSync(lib)) if (name.endsWith(".js")) rmSync(join(lib, name));
	// Where only the order of evaluation asks for a file: nothing happens when one of these is evaluated, and bundlers
	// warn of imports that have no names and no effect.
	for (const { path, text } of outputFiles)
		writeFileSync(path, text.replaceAll(/^import "\.\/shared-\w+\.js";\n/gm, ""));
}
