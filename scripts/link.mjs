// Puts the packed package where tests and benchmarks import "mcp-duet" from: what npm would install, not pkg/.

import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { ask, Failure, root } from "./workspace.mjs";

/** The unpacked tarball, also for those who serve or bundle it. */
export const installed = join(root, "build/installed/package");

const names = ["tests", "bench"].map((folder) => join(root, folder, "node_modules/mcp-duet"));

/** Whether there is something at those places. */
export const linked = () => names.every((name) => existsSync(join(name, "package.json")));

/** The tarball itself. */
export const tarball = () => {
	const found = readdirSync(join(root, "build/installed")).find((file) => file.endsWith(".tgz"));
	if (found === undefined) throw new Failure("there is no tarball: npm run build");
	return join(root, "build/installed", found);
};

/** Packs pkg/ and unpacks the tarball. Takes about a second. */
export function link() {
	const folder = join(root, "build/installed");
	const fresh = join(root, `build/installed.${process.pid}`);
	mkdirSync(fresh, { recursive: true });
	try {
		if (ask("npm", ["pack", "./pkg", "--pack-destination", fresh]) === undefined) {
			throw new Failure("npm pack ./pkg failed: is the package built? (npm run build)");
		}
		const [packed] = readdirSync(fresh);
		if (ask("tar", ["-xzf", join(fresh, packed), "-C", fresh]) === undefined)
			throw new Failure(`tar cannot unpack ${packed}`);
		rmSync(folder, { recursive: true, force: true });
		renameSync(fresh, folder);
	} finally {
		rmSync(fresh, { recursive: true, force: true });
	}
	for (const name of names) {
		mkdirSync(dirname(name), { recursive: true });
		rmSync(name, { recursive: true, force: true });
		symlinkSync(installed, name, "dir");
	}
}
