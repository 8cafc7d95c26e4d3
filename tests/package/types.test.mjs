// The types of the packed package: programs that use them compile, and they tell the truth about what is exported.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const folder = join(here, "types");
const tsc = join(here, "../../node_modules/typescript/bin/tsc");

/**
 * Compiles programs against the installed package, outside of this repository's own configuration.
 * @param {string[]} files
 * @param {Record<string, string>} options
 */
function compile(files, options) {
	const all = { noEmit: "true", strict: "true", target: "es2022", types: "", ...options };
	const args = Object.entries(all).flatMap(([name, value]) => [`--${name}`, value]);
	const { status, stdout, error } = spawnSync(
		process.execPath,
		[tsc, "--ignoreConfig", "--pretty", "false", ...args, ...files],
		{ encoding: "utf8", timeout: 120_000 },
	);
	assert.ifError(error);
	assert.equal(status, 0, stdout);
}

const programs = readdirSync(folder)
	.filter((name) => name !== "sdk.ts")
	.map((name) => join(folder, name));

for (const resolution of ["nodenext", "bundler"]) {
	for (const lib of ["dom", "webworker"]) {
		test(`programs compile with ${resolution} resolution and the ${lib} library, every declaration checked`, () => {
			compile(programs, {
				module: resolution === "bundler" ? "esnext" : "nodenext",
				moduleResolution: resolution,
				lib: `es2022,${lib}`,
				skipLibCheck: "false",
				exactOptionalPropertyTypes: "true",
				noUncheckedIndexedAccess: "true",
			});
		});
	}
}

test("messages of ours and of the TypeScript SDK can take each other's place", () => {
	compile([join(folder, "sdk.ts")], {
		module: "nodenext",
		moduleResolution: "nodenext",
		lib: "es2022,dom",
		skipLibCheck: "true",
	});
});

for (const entry of ["mcp-duet", "mcp-duet/client", "mcp-duet/server", "mcp-duet/protocol", "mcp-duet/inline"]) {
	test(`the types of ${entry} declare exactly the values that it exports`, async () => {
		const names = Object.keys(await import(entry));
		const temporary = mkdtempSync(join(here, "exports-"));
		try {
			const program = join(temporary, "exports.mts");
			writeFileSync(
				program,
				`import * as api from ${JSON.stringify(entry)};
export const names: { [Name in keyof typeof api]: true } = { ${names.map((name) => `${name}: true`).join(", ")} };
`,
			);
			compile([program], { module: "nodenext", moduleResolution: "nodenext", lib: "es2022,dom" });
		} finally {
			rmSync(temporary, { recursive: true });
		}
	});
}
