// Child processes and temporary folders that never outlive this process.

import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** @type {Set<import("node:child_process").ChildProcess>} */
const children = new Set();
/** @type {Set<string>} */
const folders = new Set();
let watching = false;

function killAll() {
	for (const child of children) child.kill("SIGKILL");
	for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}

function watch() {
	if (watching) return;
	watching = true;
	process.on("exit", killAll);
	for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) {
		process.on(signal, () => {
			killAll();
			// Whoever else handles the signal decides when to end.
			if (process.listenerCount(signal) > 1) return;
			process.removeAllListeners(signal);
			process.kill(process.pid, signal);
		});
	}
}

/**
 * Like `spawn`, but the child is killed when this process ends, by whatever signal it can hear.
 * @param {string} command
 * @param {string[]} args
 * @param {import("node:child_process").SpawnOptions} [options]
 */
export function spawnOwned(command, args, options = {}) {
	watch();
	const child = spawn(command, args, options);
	children.add(child);
	const forget = () => children.delete(child);
	child.once("exit", forget);
	child.once("error", forget);
	return child;
}

/**
 * A new temporary folder, and the function that removes it.
 * @param {string} prefix
 */
export async function ownedFolder(prefix) {
	watch();
	const path = await mkdtemp(join(tmpdir(), prefix));
	folders.add(path);
	const remove = async () => {
		await rm(path, { recursive: true, force: true });
		folders.delete(path);
	};
	return { path, remove };
}

/**
 * Ends a child politely, then firmly. Resolves when it is gone.
 * @param {import("node:child_process").ChildProcess} child
 * @param {number} [graceMs] how long SIGTERM may take before SIGKILL follows
 */
export async function end(child, graceMs = 2_000) {
	if (child.exitCode !== null || child.signalCode !== null) return;
	const gone = new Promise((resolve) => child.once("exit", resolve));
	child.kill("SIGTERM");
	const timer = setTimeout(() => child.kill("SIGKILL"), graceMs);
	await gone;
	clearTimeout(timer);
}
