// The wasm-pack calls.

import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { ask, environment, Failure, root, run, tail } from "../workspace.mjs";
import { weights } from "./weights.mjs";

/** Memory limit in bytes: running out comes soon and harmlessly instead of at 4 GiB. */
const MAX_MEMORY = 1 << 30;
/** Shadow stack in bytes; the parsers bound their depth, and every instance starts with this much memory. */
const STACK = 256 * 1024;

/** rustc's flags: no path of this machine gets into the bytes. Of several mappings that fit, the last one wins. */
function flags() {
	const cargo = process.env.CARGO_HOME ?? join(homedir(), ".cargo");
	// One folder for each registry, named by its address.
	const sources = join(cargo, "registry/src");
	const registries = existsSync(sources) ? readdirSync(sources).map((name) => join(sources, name)) : [];
	const mappings = [
		[homedir(), "/home"],
		[join(ask("rustc", ["--print", "sysroot"]) ?? "", "lib/rustlib/src/rust"), "/rust"],
		[cargo, "/cargo"],
		...registries.map((folder) => [folder, "/crates"]),
		[root, "/mcp-duet"],
	];
	return [
		`-Clink-arg=--max-memory=${MAX_MEMORY}`,
		`-Clink-arg=-zstack-size=${STACK}`,
		...mappings.map(([from, to]) => `--remap-path-prefix=${from}=${to}`),
	];
}

/**
 * The standard library is compiled along, which only flags meant for nightly compilers can ask for: for size instead of
 * speed, and so that a panic ends the instance at once instead of formatting a message that nobody would read.
 */
const OWN_STD = {
	args: ["-Zbuild-std=std,panic_abort", "-Zbuild-std-features=optimize_for_size"],
	flags: ["-Zunstable-options", "-Cpanic=immediate-abort", "-Zlocation-detail=none", "-Zfmt-debug=none"],
	env: { RUSTC_BOOTSTRAP: "1" },
};

/** Where nobody downloads the bytes: a server's call takes three quarters of the time, and its start as long as before. */
const FAST = { CARGO_PROFILE_RELEASE_OPT_LEVEL: "3" };

/** For trying things out: seconds instead of minutes, and several times the bytes. In a folder of its own. */
const QUICK = {
	CARGO_TARGET_DIR: join(root, "target/quick"),
	CARGO_PROFILE_RELEASE_CODEGEN_UNITS: "16",
	CARGO_PROFILE_RELEASE_INCREMENTAL: "true",
	CARGO_PROFILE_RELEASE_LTO: "off",
	CARGO_PROFILE_RELEASE_OPT_LEVEL: "1",
};

/**
 * @param {import("./variants.mjs").Variant} variant
 * @param {string} out folder for the generated files
 * @param {{ quick?: boolean, fast?: boolean }} [how] quick: for development, not optimized; fast: for speed instead of size
 * @returns {Promise<{ glue: string, wasm: Uint8Array }>}
 */
export async function wasmPack({ name, features }, out, { quick = false, fast = false } = {}) {
	rmSync(out, { recursive: true, force: true });
	// RUSTFLAGS in the environment would replace the flags of .cargo/config.toml (simd128) silently.
	const { RUSTFLAGS, CARGO_ENCODED_RUSTFLAGS, CARGO_BUILD_RUSTFLAGS, ...env } = environment;
	const std = quick ? { args: [], flags: [], env: QUICK } : OWN_STD;
	const speed = fast ? FAST : {};
	const config = `target.wasm32-unknown-unknown.rustflags=${JSON.stringify([...flags(), ...std.flags])}`;
	const result = await run(
		"wasm-pack",
		[
			...["build", "--mode", "no-install", "--target", "web", "--release", "--no-pack"],
			...(quick ? ["--no-opt"] : []),
			...["--out-dir", out, "--out-name", name, root, "--", "--locked", "--config", config, ...std.args],
			...(features.length > 0 ? ["--no-default-features", "--features", features.join(",")] : []),
		],
		{
			log: join(root, "build/logs", `wasm-pack-${name}${fast ? "-fast" : ""}.log`),
			env: { ...env, ...std.env, ...speed },
		},
	);
	if (!result.ok) throw new Failure(`wasm-pack failed for ${name} (${result.why})\n${tail(result.output, 40)}`);
	if (!quick && result.output.includes("Skipping wasm-opt"))
		throw new Failure("wasm-opt is not on PATH: npm ci installs it");
	if (!quick) {
		// What rustc made, with the names that wasm-opt takes away.
		const target = env.CARGO_TARGET_DIR ?? join(root, "target");
		const named = readFileSync(join(target, "wasm32-unknown-unknown/release/mcp_duet.wasm"));
		writeFileSync(join(out, "weights.json"), JSON.stringify(weights(named)));
	}
	return { glue: readFileSync(join(out, `${name}.js`), "utf8"), wasm: readFileSync(join(out, `${name}_bg.wasm`)) };
}
