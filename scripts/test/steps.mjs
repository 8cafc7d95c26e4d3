// Every check there is, in the order in which they start.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { ask, environment, root } from "../workspace.mjs";

/**
 * @typedef {object} Step
 * @property {string} name
 * @property {string} group what the command line chooses by
 * @property {string} command
 * @property {string[]} args
 * @property {NodeJS.ProcessEnv} [env]
 * @property {string[]} [needs] steps that must have passed
 * @property {string} [holds] a thing that only one step at a time can use
 * @property {number} [minutes] after which it is ended; 10 unless said
 */

export const groups = [
	"lint",
	"native",
	"schema",
	"build",
	"wasm",
	"package",
	"interop",
	"browser",
	"conformance",
	"long",
];

const WASM = ["--target", "wasm32-unknown-unknown"];

/** Each wasm that is shipped, and the feature `web` of the crate. */
const WASM_FEATURES = [
	[],
	["client"],
	["server"],
	["server-whole"],
	["client", "server"],
	["auth"],
	["apps"],
	["web"],
	["toolset"],
	["schema"],
];

/** @param {string[]} features */
const featureFlags = (features) =>
	features.length > 0 ? ["--no-default-features", "--features", features.join(",")] : [];

/**
 * Files of a folder under tests/ that match, sorted.
 * @param {string} folder
 * @param {RegExp} pattern
 */
const testFiles = (folder, pattern) =>
	existsSync(join(root, "tests", folder))
		? readdirSync(join(root, "tests", folder))
				.filter((name) => pattern.test(name))
				.sort()
				.map((name) => join("tests", folder, name))
		: [];

/**
 * @param {string} name
 * @param {string[]} files
 * @param {Partial<Step>} [more]
 * @returns {Step[]}
 */
const nodeTests = (name, files, more = {}) =>
	files.length === 0
		? []
		: [
				{
					name,
					group: name,
					command: process.execPath,
					args: ["--test", "--test-reporter=spec", "--test-timeout=300000", ...files],
					needs: ["build"],
					...more,
				},
			];

/** @returns {Step[]} */
function rustLints() {
	/** @param {string} name @param {string[]} args @param {Partial<Step>} [more] @returns {Step} */
	const clippy = (name, args, more = {}) => ({
		name,
		group: "lint",
		command: "cargo",
		args: ["clippy", "--locked", "--quiet", ...args, "--", "-D", "warnings"],
		holds: "cargo",
		...more,
	});
	return [
		{ name: "rustfmt", group: "lint", command: "cargo", args: ["fmt", "--check"] },
		{
			name: "rustfmt of the example",
			group: "lint",
			command: "cargo",
			args: ["fmt", "--check", "--manifest-path", "examples/reqwest/Cargo.toml"],
		},
		clippy("clippy", ["--all-targets"]),
		clippy("clippy client only", ["--no-default-features", "--features", "client"]),
		clippy("clippy server only", ["--no-default-features", "--features", "server"]),
		clippy("clippy whole server only", ["--no-default-features", "--features", "server-whole"]),
		...WASM_FEATURES.map((features) =>
			clippy(`clippy wasm ${features.join(" ") || "both"}`, [...WASM, ...featureFlags(features)]),
		),
		{
			name: "rustdoc",
			group: "lint",
			command: "cargo",
			args: ["doc", "--locked", "--quiet", "--no-deps"],
			env: { ...environment, RUSTDOCFLAGS: "-D warnings" },
			holds: "cargo",
		},
	];
}

/** @returns {Step[]} */
function wasmTests() {
	const names = readdirSync(join(root, "tests"))
		// The suite of schemas is no test of browsers; it runs in Node.js, with the native one.
		.filter((name) => /^wasm\w*\.rs$/.test(name) && name !== "wasm_schema.rs")
		.map((name) => basename(name, ".rs"));
	if (names.length === 0) return [];
	const driver = ask("which", ["chromedriver"]) ?? "chromedriver";
	return [
		{
			name: "wasm in Chromium",
			group: "wasm",
			command: process.execPath,
			args: [
				...[
					"scripts/test/wasm.mjs",
					"test",
					"--mode",
					"no-install",
					"--headless",
					"--chrome",
					"--chromedriver",
					driver,
					"--",
					"--locked",
				],
				...["--features", "web", ...names.flatMap((name) => ["--test", name])],
			],
			needs: ["build"],
			holds: "cargo",
		},
	];
}

/** Only where libFuzzer can be built. @returns {Step[]} */
function libFuzzer() {
	if (process.platform !== "linux" || process.arch !== "x64" || ask("which", ["c++"]) === undefined) return [];
	const args = ["scripts/test/fuzz.mjs"];
	return [{ name: "libFuzzer", group: "long", command: process.execPath, args, holds: "cargo" }];
}

/** The native tests that state properties. @returns {string[]} */
export function propertyTests() {
	const folder = join(root, "tests");
	const names = readdirSync(folder).filter((name) => name.endsWith(".rs"));
	return names
		.filter((name) => readFileSync(join(folder, name), "utf8").includes("proptest! {"))
		.map((name) => name.slice(0, -3));
}

/** More inputs for what finds its own: too long for every run. @returns {Step[]} */
function campaigns() {
	/** @param {string} name @param {string[]} tests @param {NodeJS.ProcessEnv} env @returns {Step} */
	const campaign = (name, tests, env) => ({
		name,
		group: "long",
		command: "cargo",
		args: ["test", "--locked", "--release", "--quiet", ...tests.flatMap((test) => ["--test", test])],
		env: { ...environment, ...env },
		holds: "cargo",
		minutes: 20,
	});
	return [
		campaign("fuzz entrances", ["fuzz_smoke"], { FUZZ_RUNS: "100000" }),
		...libFuzzer(),
		campaign("properties", propertyTests(), { PROPTEST_CASES: "10000" }),
	];
}

/** @returns {Promise<Step[]>} */
export async function steps() {
	return [
		{ name: "build", group: "build", command: process.execPath, args: ["scripts/build.mjs"], holds: "cargo" },
		{ name: "biome", group: "lint", command: "biome", args: ["ci", "--colors=off", "--error-on-warnings", "."] },
		{ name: "licences", group: "lint", command: process.execPath, args: ["scripts/test/licences.mjs"] },
		{ name: "types", group: "lint", command: "tsc", args: ["-p", ".", "--pretty", "false"] },
		{ name: "cargo test", group: "native", command: "cargo", args: ["test", "--locked", "--quiet"], holds: "cargo" },
		{
			name: "JSON Schema test suite",
			group: "schema",
			command: process.execPath,
			args: ["tests/schema-suite/run.mjs"],
			holds: "cargo",
		},
		...nodeTests("package", testFiles("package", /\.test\.mjs$/), { minutes: 15 }),
		...rustLints(),
		...wasmTests(),
		{
			name: "reqwest example",
			group: "interop",
			command: "cargo",
			args: [
				"build",
				"--locked",
				...["--manifest-path", "examples/reqwest/Cargo.toml", "--target-dir", "target/examples"],
			],
			holds: "cargo",
		},
		...nodeTests("interop", testFiles("interop", /\.test\.mjs$/), { needs: ["build", "reqwest example"] }),
		...nodeTests("browser", testFiles("browser", /\.test\.mjs$/)),
		...nodeTests("conformance runner", testFiles("conformance", /\.test\.mjs$/), { group: "conformance" }),
		...[["client"], ["server"], ["server", "--at", "workerd"]].map(([side, ...place]) => ({
			name: `conformance ${side}${place.length > 0 ? " in workerd" : ""}`,
			group: "conformance",
			command: process.execPath,
			args: ["tests/conformance/run.mjs", side, ...place],
			needs: ["build"],
			minutes: 20,
		})),
		{
			name: "reproducible build",
			group: "build",
			command: process.execPath,
			args: ["scripts/test/reproducible.mjs"],
			needs: ["build"],
			holds: "cargo",
		},
		...campaigns(),
	];
}
