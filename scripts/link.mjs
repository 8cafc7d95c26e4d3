// Puts the packed package where the tests import "mcp-duet" from: what npm would install, not pkg/.

import { mkdirSync, readdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { ask, Failure, root } from "./workspace.mjs";

/** The unpacked tarball, also for those who serve or bundle it. */
export const installed = join(root, "build/installed/package");

/** Packs pkg/ and unpacks the tarball for tests/. Takes about a second. */
export function link() {
	const folder = join(root, "build/installed");
	const fresh = join(root, `build/installed.${process.pid}`);
	mkdirSync(fresh, { recursive: true });
	try {
		if (ask("npm", ["pack", "./pkg", "--pack-destination", fresh]) === undefined) {
			throw new Failure("npm pack ./pkg failed: is the package built? (npm run build)");
		}
		const [tarball] = readdirSync(fresh);
		if (ask("tar", ["-xzf", join(fresh, tarball), "-C", fresh]) === undefined)
			throw new Failure(`tar cannot unpack ${tarball}`);
		rmSync(folder, { recursive: true, force: true });
		renameSync(fresh, folder);
	} finally {
		rmSync(fresh, { recursive: true, force: true });
	}
	const modules = join(root, "tests/node_modules");
	mkdirSync(modules, { recursive: true });
	rmSync(join(modules, "mcp-duet"), { recursive: true, force: true });
	symlinkSync(installed, join(modules, "mcp-duet"), "dir");
}

if (process.argv[1] === import.meta.filename) link();
