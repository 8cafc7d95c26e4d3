// Installs what the other commands need: `node scripts/setup.mjs [--tests]`.
// On a machine that has everything it only looks, which takes about a second.

import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ask, Failure, root, run, script, tail } from "./workspace.mjs";

const NODE = [20, 19];
const python = process.env.PYTHON ?? "python3";
const WASM = "wasm32-unknown-unknown";

/** @type {{ tool: string, crate: string, version: string, flags: string[], minutes: string }[]} */
const CARGO_TOOLS = [
	// The lock file in this release names a dependency that no longer resolves, hence no --locked.
	{
		tool: "wasm-bindgen",
		crate: "wasm-bindgen-cli",
		version: wasmBindgenVersion(),
		flags: [],
		minutes: "4 to 8 minutes",
	},
	{ tool: "wasm-pack", crate: "wasm-pack", version: "0.15.1", flags: ["--locked"], minutes: "2 to 4 minutes" },
];

/** The CLI must be exactly of the crate's version: Cargo.toml pins both. */
function wasmBindgenVersion() {
	const pin = /^wasm-bindgen = "=([\d.]+)"/m.exec(readFileSync(join(root, "Cargo.toml"), "utf8"));
	if (!pin) throw new Error("Cargo.toml: wasm-bindgen is not pinned with =");
	return pin[1];
}

/**
 * Runs one long step; says every 20 s that it still goes on.
 * @param {string} title
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv }} [options]
 */
async function step(title, command, args, options = {}) {
	const started = Date.now();
	console.log(`set-up: ${title} …`);
	let last = "";
	const timer = setInterval(() => {
		console.log(`set-up:   … ${Math.round((Date.now() - started) / 1000)} s ${last.trim().slice(0, 90)}`);
	}, 20_000);
	const log = join(root, ".tools/logs", `${title.replaceAll(/[^\w.]+/g, "-")}.log`);
	const result = await run(command, args, {
		...options,
		log,
		onLine: (line) => {
			if (line.trim()) last = line;
		},
	});
	clearInterval(timer);
	if (!result.ok) {
		throw new Failure(
			`set-up failed: ${title} (${result.why})\n  ${command} ${args.join(" ")}\n${tail(result.output, 25)}`,
		);
	}
	console.log(`set-up: ${title}: done in ${Math.round((Date.now() - started) / 1000)} s`);
}

function checkNode() {
	const [major, minor] = process.versions.node.split(".").map(Number);
	if (major < NODE[0] || (major === NODE[0] && minor < NODE[1])) {
		throw new Failure(`Node.js ${NODE.join(".")} or newer is needed; this is ${process.version}.`);
	}
}

async function rust() {
	if (ask("rustup", ["--version"]) === undefined) {
		throw new Failure("rustup is needed (with the stable Rust toolchain) and is not on PATH: see rustup.rs.");
	}
	const channel = /channel = "(.+)"/.exec(readFileSync(join(root, "rust-toolchain.toml"), "utf8"))?.[1] ?? "stable";
	if (ask("rustc", ["--version"]) === undefined) {
		await step(`Rust ${channel}`, "rustup", ["toolchain", "install", channel, "--profile", "minimal"]);
	}
	for (const [component, probe] of [
		["clippy", "clippy"],
		["rustfmt", "fmt"],
	]) {
		if (ask("cargo", [probe, "--version"]) === undefined) {
			await step(component, "rustup", ["component", "add", component, "--toolchain", channel]);
		}
	}
	const sysroot = ask("rustc", ["--print", "sysroot"]) ?? "";
	if (!existsSync(join(sysroot, "lib/rustlib", WASM, "lib"))) {
		await step(`Rust target ${WASM}`, "rustup", ["target", "add", WASM, "--toolchain", channel]);
	}
	// The wasm files are built with a standard library of their own.
	if (!existsSync(join(sysroot, "lib/rustlib/src/rust/library/Cargo.lock"))) {
		await step("rust-src", "rustup", ["component", "add", "rust-src", "--toolchain", channel]);
	}
	if (ask("cc", ["--version"]) === undefined) {
		throw new Failure("A C compiler (cc) is needed to link Rust programs; on Debian: apt-get install build-essential.");
	}
}

async function cargoTools() {
	for (const { tool, crate, version, flags, minutes } of CARGO_TOOLS) {
		if (ask(tool, ["--version"]) === `${tool} ${version}`) continue;
		await step(`${crate} ${version} (${minutes})`, "cargo", [
			...["install", crate, "--version", version, ...flags],
			...["--root", join(root, ".tools"), "--force"],
		]);
	}
}

/**
 * Whether node_modules holds what the lock file says.
 * @param {string} folder
 */
function npmInstalled(folder) {
	try {
		const wanted = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8")).packages;
		const present = JSON.parse(readFileSync(join(folder, "node_modules/.package-lock.json"), "utf8")).packages;
		return Object.entries(wanted).every(
			([path, { version, optional }]) => path === "" || (present[path] ? present[path].version === version : optional),
		);
	} catch {
		return false;
	}
}

/** @param {string[]} folders */
async function npmPackages(folders) {
	for (const folder of folders) {
		if (npmInstalled(join(root, folder))) continue;
		// Scripts of a surrounding `npm run` must not leak their configuration into this one.
		await step(`npm packages of ${folder || "the project"}`, "npm", ["ci", "--no-fund", "--no-audit"], {
			cwd: join(root, folder),
		});
	}
}

/** Folders under tests/ with packages of their own. */
const testFolders = () =>
	readdirSync(join(root, "tests"))
		.map((name) => join("tests", name))
		.filter((folder) => existsSync(join(root, folder, "package-lock.json")));

/**
 * The major version that a program prints.
 * @param {string[]} names
 */
function major(names) {
	for (const name of names) {
		const found = /\b(\d+)\.\d+\.\d+/.exec(ask(name, ["--version"]) ?? "");
		if (found) return found[1];
	}
	return undefined;
}

/**
 * What the tests need from Debian, where it is not there already.
 * @type {{ what: string, names: string[], found: () => boolean, manual: string }[]}
 */
const DEBIAN = [
	{
		what: "Chromium and ChromeDriver",
		names: ["chromium", "chromium-driver"],
		found: () => {
			const chromium = major(["chromium"]);
			return chromium !== undefined && chromium === major(["chromedriver"]);
		},
		manual: "Install chromium and chromedriver of the same version, on PATH, and try again.",
	},
	{
		what: "Python 3.11 with pip, which brings the JSON Schema test suite and MCP servers",
		names: ["python3", "python3-pip"],
		found: () => ask(python, ["-m", "pip", "--version"]) !== undefined,
		manual: "Install python3 with pip, on PATH, and try again.",
	},
];

async function debianPackages() {
	const missing = DEBIAN.filter(({ found }) => !found());
	if (missing.length === 0) return;
	const whats = missing.map(({ what }) => what).join("; ");
	const manual = missing.map(({ manual }) => manual).join(" ");
	const names = missing.flatMap(({ names }) => names);
	if (ask("apt-get", ["--version"]) === undefined) {
		throw new Failure(`The tests need ${whats}, and there is no apt-get. ${manual}`);
	}
	const isRoot = process.getuid?.() === 0;
	if (!isRoot && ask("sudo", ["-n", "true"]) === undefined) {
		throw new Failure(`The tests need ${whats}: sudo apt-get install ${names.join(" ")}`);
	}
	const [command, prefix] = isRoot ? ["apt-get", []] : ["sudo", ["-n", "apt-get"]];
	const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
	await step("Debian's package lists", command, [...prefix, "update"], { env });
	await step(whats, command, [...prefix, "install", "-y", "--no-install-recommends", ...names], { env });
	for (const { what, found, manual } of missing) {
		if (!found()) throw new Failure(`${what}: installed, but not usable. ${manual}`);
	}
}

/**
 * MCP servers from PyPI, in a folder that only they see. No virtual environment: Debian's Python makes none without
 * one more package, and pip minds no folder of its own.
 */
async function pythonServers() {
	const folder = join(root, ".tools/python");
	const stamp = join(folder, "installed");
	const list = "tests/python/requirements.txt";
	// What is compiled belongs to one version.
	const wanted = `${ask(python, ["-c", "import sys; print(sys.version_info[:2])"])}\n${readFileSync(join(root, list), "utf8")}`;
	if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return;
	rmSync(folder, { recursive: true, force: true });
	await step("MCP servers from PyPI", python, [
		...["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile"],
		...["--no-deps", "--only-binary", ":all:", "--target", folder, "-r", list],
	]);
	writeFileSync(stamp, wanted);
}

/** @param {{ tests?: boolean }} [options] */
export async function setup({ tests = false } = {}) {
	checkNode();
	await rust();
	await cargoTools();
	if (tests) await debianPackages();
	// Both mostly wait for their registries.
	await Promise.all([npmPackages(tests ? ["", ...testFolders()] : [""]), tests && pythonServers()]);
}

if (process.argv[1] === import.meta.filename) {
	await script(async () => {
		await setup({ tests: process.argv.includes("--tests") });
		console.log("set-up: everything is there");
	});
}
