// Brings the official JSON-Schema-Test-Suite, pinned by hash, and runs tests/schema_suite.rs on it; then the
// wasm must give the same verdicts, and Ajv too, but for what outside.mjs lists.
//
// The suite is in no npm package and no crate that is kept up to date, but in the source
// archive of Python's `jsonschema`. `SCHEMA_SUITE=folder` takes another copy of it.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { environment, root } from "../../scripts/workspace.mjs";
import { compare, make } from "./outside.mjs";

const folder = join(root, "build/schema-suite-4.26.0");
const python = process.env.PYTHON ?? "python3";

/**
 * @param {string} command
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} [env]
 */
function run(command, args, env = process.env) {
	const { status, error } = spawnSync(command, args, { cwd: root, env, stdio: "inherit" });
	if (error) console.error(`${command} cannot be run: ${error.message}`);
	if (status !== 0) process.exit(status ?? 1);
}

if (!existsSync(folder)) {
	const fresh = `${folder}.new`;
	rmSync(fresh, { recursive: true, force: true });
	mkdirSync(fresh, { recursive: true });
	const download = ["-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "--dest", fresh];
	const source = ["--no-binary", "jsonschema", "--require-hashes", "-r", "tests/schema-suite/requirements.txt"];
	run(python, [...download, ...source]);
	run(python, ["-m", "tarfile", "-e", join(fresh, "jsonschema-4.26.0.tar.gz"), fresh]);
	run(python, [
		...["-m", "zipfile", "-e"],
		join(fresh, "jsonschema_specifications-2025.9.1-py3-none-any.whl"),
		join(fresh, "specifications"),
	]);
	renameSync(fresh, folder);
}

const verdicts = join(root, "build/schema-verdicts");
mkdirSync(verdicts, { recursive: true });
make(verdicts);

const env = {
	SCHEMA_SUITE: join(folder, "jsonschema-4.26.0/json"),
	SCHEMA_METASCHEMAS: join(folder, "specifications/jsonschema_specifications/schemas"),
	...environment,
	SCHEMA_VERDICTS: verdicts,
};
const native = ["test", "--locked", "--test", "schema_suite", "--", "--ignored", "--show-output", "--test-threads=1"];
run("cargo", native, env);
// With the features of the tests in Chromium: wasm-pack builds all tests anyway.
const wasm = ["test", "--mode", "no-install", "--node", "--", "--locked", "--features", "web", "--test", "wasm_schema"];
run("wasm-pack", wasm, env);

const failures = compare(verdicts);
if (failures > 0) {
	console.error(`${failures} verdicts differ from Ajv's without a known reason`);
	process.exit(1);
}
