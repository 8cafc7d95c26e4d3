// Every entrance under libFuzzer for a second or so, on stable Rust: coverage comes from LLVM's own pass,
// and without a sanitizer nothing here needs nightly. A C++ compiler builds libFuzzer itself.

import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { environment, root } from "../workspace.mjs";

/** Seconds for each entrance; more finds more. */
const seconds = Number(process.env.FUZZ_SECONDS ?? 1);
const target = "x86_64-unknown-linux-gnu";
const folder = join(root, "target/fuzz");
const work = join(root, "build/fuzz");

const FLAGS = [
	"-Cpasses=sancov-module",
	"-Cllvm-args=-sanitizer-coverage-level=4",
	"-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
	"-Cllvm-args=-sanitizer-coverage-pc-table",
	"-Cllvm-args=-sanitizer-coverage-trace-compares",
	"--cfg",
	"fuzzing",
];

/**
 * @param {string} command
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} [env]
 */
function run(command, args, env = environment) {
	const { status, error, stderr } = spawnSync(command, args, { cwd: root, env, encoding: "utf8" });
	if (error) throw error;
	return { ok: status === 0, text: stderr };
}

const built = run(
	"cargo",
	["build", "--locked", "--release", "--manifest-path", "fuzz/Cargo.toml", "--target", target],
	{
		...environment,
		CARGO_TARGET_DIR: folder,
		// Half of the time is the build: little optimization is enough for a short run.
		CARGO_PROFILE_RELEASE_OPT_LEVEL: "1",
		CARGO_PROFILE_RELEASE_DEBUG: "0",
		CARGO_ENCODED_RUSTFLAGS: FLAGS.join("\x1f"),
	},
);
if (!built.ok) {
	console.error(built.text);
	process.exit(1);
}
let failed = 0;
for (const name of readdirSync(join(root, "fuzz/corpus")).sort()) {
	// What it finds stays out of the corpus that is kept.
	const found = join(work, name);
	rmSync(found, { recursive: true, force: true });
	mkdirSync(found, { recursive: true });
	const limits = [`-max_total_time=${seconds}`, "-timeout=10", "-rss_limit_mb=1024", `-artifact_prefix=${found}/`];
	const { ok, text } = run(join(folder, target, "release", name), [...limits, found, join(root, "fuzz/corpus", name)]);
	const executed = /#(\d+)\s+DONE\s+cov: (\d+)/.exec(text);
	if (!ok || executed === null) {
		failed++;
		console.error(`${name} failed; the input is in build/fuzz/${name}\n${text.slice(-4000)}`);
	} else console.log(`ok ${name}: ${executed[1]} inputs, ${executed[2]} edges`);
}
process.exit(failed > 0 ? 1 : 0);
