// Where things are, and how a command is run.

import { spawn, spawnSync } from "node:child_process";
import { createWriteStream, mkdirSync, readFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/**
 * Tools of the project's own come first, then those of npm.
 * @type {NodeJS.ProcessEnv}
 */
export const environment = {
	...process.env,
	PATH: [join(root, ".tools/bin"), join(root, "node_modules/.bin"), process.env.PATH].join(delimiter),
};

/** A failure whose message is all that a person needs to read. */
export class Failure extends Error {}

/**
 * What a command prints, or `undefined` when it cannot be run or fails.
 * @param {string} command
 * @param {string[]} args
 */
export function ask(command, args) {
	const answer = spawnSync(command, args, { cwd: root, env: environment, encoding: "utf8" });
	return answer.status === 0 ? answer.stdout.trim() : undefined;
}

/**
 * Runs a command with its output in a log file; `onLine` sees each line as it comes.
 * @param {string} command
 * @param {string[]} args
 * @param {{ log: string, cwd?: string, env?: NodeJS.ProcessEnv, onLine?: (line: string) => void, timeoutMs?: number }} options
 * @returns {Promise<{ ok: boolean, why: string, output: string }>}
 */
export function run(command, args, { log, cwd = root, env = environment, onLine, timeoutMs }) {
	mkdirSync(dirname(log), { recursive: true });
	const file = createWriteStream(log);
	return new Promise((resolve) => {
		// A group of its own, so that a timeout also ends what the command started.
		const child = spawn(command, args, {
			cwd,
			env,
			stdio: ["ignore", "pipe", "pipe"],
			detached: timeoutMs !== undefined,
		});
		let late = false;
		const timer =
			timeoutMs === undefined
				? undefined
				: setTimeout(() => {
						late = true;
						try {
							process.kill(-(child.pid ?? 0), "SIGKILL");
						} catch {}
					}, timeoutMs);
		let rest = "";
		/** @param {string} text */
		const take = (text) => {
			file.write(text);
			const lines = (rest + text).split("\n");
			rest = lines.pop() ?? "";
			if (onLine) for (const line of lines) onLine(line);
		};
		child.stdout.setEncoding("utf8").on("data", take);
		child.stderr.setEncoding("utf8").on("data", take);
		/** @param {boolean} ok @param {string} why */
		const end = (ok, why) => {
			clearTimeout(timer);
			if (rest && onLine) onLine(rest);
			file.end(() => resolve({ ok, why, output: readFileSync(log, "utf8") }));
		};
		child.on("error", (error) => end(false, `${command} cannot be started: ${error.message}`));
		child.on("close", (status, signal) => {
			if (late) end(false, `took longer than ${(timeoutMs ?? 0) / 1000} s`);
			else end(status === 0, status === 0 ? "" : `exit ${status ?? signal}`);
		});
	});
}

/**
 * The last lines of a long output.
 * @param {string} text
 * @param {number} count
 */
export const tail = (text, count) => text.trimEnd().split("\n").slice(-count).join("\n");

/**
 * Runs a script's main function; a Failure is printed without a stack.
 * @param {() => Promise<unknown>} main
 */
export async function script(main) {
	try {
		await main();
	} catch (error) {
		console.error(error instanceof Failure ? `\n${error.message}` : error);
		process.exitCode = 1;
	}
}
