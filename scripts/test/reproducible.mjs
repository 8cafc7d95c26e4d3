// Builds the package a second time, from a copy in another folder with a target folder
// of its own, and compares every byte.

import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { ask, environment, Failure, root, run, script, tail } from "../workspace.mjs";

/** @param {string} folder @returns {Map<string, Buffer>} */
function contents(folder) {
	const found = new Map();
	for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
		const path = join(entry.parentPath, entry.name);
		if (entry.isFile()) found.set(relative(folder, path), readFileSync(path));
	}
	return found;
}

await script(async () => {
	const temporary = mkdtempSync(join(tmpdir(), "mcp-duet-reproducible-"));
	try {
		const copy = join(temporary, "another/place");
		const files = ask("git", ["ls-files", "--cached", "--others", "--exclude-standard"]);
		if (files === undefined) throw new Failure("git ls-files failed: is this a git checkout?");
		for (const file of files.split("\n")) {
			if (!existsSync(join(root, file))) continue;
			mkdirSync(dirname(join(copy, file)), { recursive: true });
			cpSync(join(root, file), join(copy, file));
		}
		mkdirSync(join(copy, "node_modules"));
		for (const name of readdirSync(join(root, "node_modules"))) {
			symlinkSync(join(root, "node_modules", name), join(copy, "node_modules", name));
		}
		if (existsSync(join(root, ".tools"))) symlinkSync(join(root, ".tools"), join(copy, ".tools"));
		const { CARGO_TARGET_DIR, ...env } = environment;
		const log = join(root, "build/logs/reproducible.log");
		const result = await run(process.execPath, [join(copy, "scripts/build.mjs")], { log, cwd: copy, env });
		if (!result.ok) throw new Failure(`the second build failed (${result.why})\n${tail(result.output, 40)}`);

		const first = contents(join(root, "pkg"));
		const second = contents(join(copy, "pkg"));
		const differing = [...new Set([...first.keys(), ...second.keys()])].filter(
			(path) => !first.get(path)?.equals(second.get(path) ?? Buffer.alloc(0)),
		);
		if (differing.length > 0) throw new Failure(`the two builds differ in ${differing.sort().join(", ")}`);
		console.log(`${first.size} files, equal in both builds`);
	} finally {
		rmSync(temporary, { recursive: true, force: true });
	}
});
