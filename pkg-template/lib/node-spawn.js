// A server in a process of its own, as a transport of messages over its pipes.

import { spawn as start } from "node:child_process";
import { existsSync } from "node:fs";
import { McpError } from "../errors.js";
import { Lines, MAX_LINE_BYTES, toLine } from "./node-lines.js";

/** How long the exit status is waited for after the end of the output, in milliseconds. */
const STATUS_MS = 250;
/** How long each rung of the ladder of `close` takes, in milliseconds: the end of input, SIGTERM, SIGKILL. */
const GRACE_MS = 2_000;
/** As much of standard error is kept, in lines of at most so many characters: a stack trace and what led to it. */
const STDERR_LINES = 200;
const STDERR_CHARS = 2_000;
/** As much of a stray line goes into an error, in characters. */
const STRAY_CHARS = 120;

const isWindows = process.platform === "win32";

/** What a process needs to run at all, without what the parent was trusted with. */
const SAFE = isWindows
	? [
			...["APPDATA", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATH", "PATHEXT", "PROCESSOR_ARCHITECTURE"],
			...["PROGRAMDATA", "PROGRAMFILES", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP", "USERNAME", "USERPROFILE"],
		]
	: ["HOME", "LANG", "LC_ALL", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER"];

/** @param {any} entry */
function checked(entry) {
	const [command, ...more] = Array.isArray(entry?.command) ? entry.command : [entry?.command];
	const own = entry?.args ?? [];
	const args = Array.isArray(own) ? [...more, ...own] : [own];
	if (
		typeof command !== "string" ||
		command === "" ||
		!Array.isArray(own) ||
		args.some((one) => typeof one !== "string")
	) {
		throw new McpError(
			"INVALID_ARGUMENT",
			"command must be the program's name or a list that begins with it, args a list of texts",
		);
	}
	return { command, args };
}

/**
 * The environment of the process.
 * @param {Record<string, string> | undefined} own
 * @param {true | false | "safe"} inherit
 */
function environment(own, inherit) {
	const parent = Object.entries(process.env).filter(
		([name]) => inherit === true || (inherit === "safe" && SAFE.includes(isWindows ? name.toUpperCase() : name)),
	);
	return { ...Object.fromEntries(parent), ...own };
}

/** The last lines of a stream. */
class Ring {
	/** @type {string[]} */
	lines = [];
	#open = "";

	/** @param {string} text */
	push(text) {
		const lines = (this.#open + text).split(/\r?\n/);
		this.#open = (lines.pop() ?? "").slice(-STDERR_CHARS);
		this.lines.push(...lines.map((line) => line.slice(0, STDERR_CHARS)));
		this.lines.splice(0, Math.max(0, this.lines.length - STDERR_LINES));
	}

	all() {
		return this.#open === "" ? [...this.lines] : [...this.lines, this.#open];
	}
}

/** What must not outlive this process. @type {Set<Run>} */
const running = new Set();
const killAll = () => {
	for (const run of running) run.signal("SIGKILL");
};

/** One run of the program. */
class Run {
	child;
	/** @type {Promise<void>} after which there are an exit status or a signal */
	exited;
	#ended = false;

	/** @param {any} entry @param {any} options */
	constructor(entry, options) {
		const { command, args } = checked(entry);
		const child = start(isWindows ? quoted(command) : command, isWindows ? args.map(quoted) : args, {
			cwd: entry.cwd,
			env: environment(entry.env, options.inheritEnv ?? true),
			stdio: ["pipe", "pipe", "pipe"],
			// A group of its own, so that what it starts can be ended with it. Windows has no groups, but needs a
			// shell for npx and the like, which are scripts there.
			detached: !isWindows,
			shell: isWindows,
			windowsHide: true,
		});
		this.child = child;
		this.exited = new Promise((resolve) => {
			child.once("exit", () => resolve());
			child.once("error", () => resolve());
		});
		this.#hold();
		this.exited.then(() => this.#release());
		// What goes wrong with a write is seen by its callback.
		child.stdin.on("error", () => {});
	}

	/** What it runs ends with this process from here on. */
	#hold() {
		if (running.size === 0) process.on("exit", killAll);
		running.add(this);
	}

	#release() {
		running.delete(this);
		if (running.size === 0) process.off("exit", killAll);
	}

	/** Whether nothing runs any more. */
	get over() {
		return this.child.exitCode !== null || this.child.signalCode !== null || this.child.pid === undefined;
	}

	/** Sends a signal to the process and all that it has started. @param {NodeJS.Signals} signal */
	signal(signal) {
		const { pid } = this.child;
		if (pid === undefined) return false;
		try {
			if (!isWindows) return process.kill(-pid, signal);
			if (signal === "SIGKILL")
				start("taskkill", ["/pid", String(pid), "/T", "/F"], { stdio: "ignore", windowsHide: true });
			return true;
		} catch {
			// Nobody is left.
			return false;
		}
	}

	/** Whether it is over within that time. @param {number} ms */
	async within(ms) {
		/** @type {NodeJS.Timeout | undefined} */
		let timer;
		const late = new Promise((resolve) => {
			timer = setTimeout(resolve, ms);
		});
		await Promise.race([this.exited, late]);
		clearTimeout(timer);
		return this.over;
	}

	/** Ends it: politely, firmly, and what it has left behind. @param {number} graceMs */
	async end(graceMs) {
		if (this.#ended) return this.exited;
		this.#ended = true;
		this.child.stdin.end();
		if (!(await this.within(graceMs))) {
			this.signal("SIGTERM");
			if (!(await this.within(graceMs))) {
				this.signal("SIGKILL");
				await this.within(graceMs);
			}
		}
		this.leftovers();
		for (const stream of [this.child.stdout, this.child.stderr]) stream.destroy();
	}

	/** What it has started and not ended, after its own end. */
	leftovers() {
		if (!this.over || isWindows || !this.signal("SIGTERM")) return;
		this.#hold();
		const late = setTimeout(() => {
			this.signal("SIGKILL");
			this.#release();
		}, GRACE_MS);
		late.unref();
	}

	/** How it ended, as far as that is known. */
	get status() {
		const { exitCode, signalCode } = this.child;
		if (exitCode !== null) return `peer exited (status ${exitCode})`;
		if (signalCode !== null) return `peer exited (signal ${signalCode})`;
		return "peer closed its output (exit status unknown)";
	}
}

/** For the command line of Windows. @param {string} text */
const quoted = (text) => (/^[\w.:\\/=@-]+$/.test(text) ? text : `"${text.replaceAll('"', '""')}"`);

/**
 * @param {any} entry
 * @param {any} [options]
 */
export function spawn(entry, options = {}) {
	checked(entry);
	const { stderr: errors = "inherit", onError, onStderr, onNotification } = options;
	const { maxLineBytes = MAX_LINE_BYTES, graceMs = GRACE_MS } = options;
	const ring = new Ring();
	/** @type {Run | undefined} */
	let run;
	/** The one whose end has been told. @type {Run | undefined} */
	let told;
	/** @type {any} */
	const transport = {
		onmessage: undefined,
		onclose: undefined,
		onerror: undefined,
		onstray: (/** @type {any} */ response) => notify(response),
		start: begin,
		send,
		close,
		// Whoever uses it begins anew with its next message.
		restart: close,
		stderr: () => ring.all(),
		get exitCode() {
			return run?.child.exitCode ?? null;
		},
		get signalCode() {
			return run?.child.signalCode ?? null;
		},
		get pid() {
			return run?.child.pid;
		},
	};

	/** @param {string} message */
	const report = (message) => {
		const error = new McpError("INVALID_MESSAGE", message);
		transport.onerror?.(error);
		onError?.(error);
	};

	/** @param {any} message */
	const notify = (message) => {
		try {
			onNotification?.(message);
		} catch (error) {
			// The mistakes of the application end no pipe.
			onError?.(error);
		}
	};

	/** @param {string | undefined} line */
	const take = (line) => {
		if (line === undefined) return report(`the peer wrote a line of more than ${maxLineBytes} bytes; it was dropped`);
		let message;
		try {
			message = JSON.parse(line);
		} catch {
			return report(`the peer wrote a line that is no JSON: ${JSON.stringify(line.slice(0, STRAY_CHARS))}`);
		}
		if (Object(message) !== message) return report(`the peer wrote a line that is no message: ${JSON.stringify(line)}`);
		if (message.method !== undefined && message.id === undefined) notify(message);
		transport.onmessage?.(message);
	};

	async function begin() {
		if (run && !run.over) throw new McpError("CLOSED", "the process runs already");
		const own = new Run(entry, options);
		run = own;
		const { child } = own;
		child.stderr.setEncoding("utf8").on("data", (/** @type {string} */ text) => {
			ring.push(text);
			if (errors === "inherit") process.stderr.write(text);
			onStderr?.(text);
		});
		const lines = new Lines(maxLineBytes);
		child.stdout.on("data", (/** @type {Buffer} */ bytes) => {
			for (const line of lines.push(bytes)) take(line);
		});
		child.stdout.once("end", async () => {
			const last = lines.finish();
			if (last) take(last);
			await own.within(STATUS_MS);
			if (own.over) own.leftovers();
			lost(own, own.status);
		});
		own.exited.then(() => {
			if (child.stdout.readableEnded) return;
			// Something that it has started may hold the pipe open for ever.
			const late = setTimeout(() => {
				own.leftovers();
				lost(own, own.status);
			}, STATUS_MS);
			child.stdout.once("end", () => clearTimeout(late));
		});
		await new Promise((resolve, reject) => {
			child.once("spawn", resolve);
			child.once("error", (cause) => {
				const { cwd } = entry;
				const code = /** @type {any} */ (cause).code ?? cause.message;
				const why = cwd !== undefined && !existsSync(cwd) ? `there is no folder ${cwd}` : code;
				reject(new McpError("CONNECTION_LOST", `${checked(entry).command} could not be started (${why})`, { cause }));
			});
		});
	}

	/** @param {Run} own @param {string} why */
	function lost(own, why) {
		if (run !== own || told === own) return;
		told = own;
		transport.onclose?.(why);
	}
	/** @param {any} message */
	async function send(message) {
		const own = run;
		if (!own || own.child.stdin.destroyed || !own.child.stdin.writable) {
			throw new McpError("CONNECTION_LOST", own ? own.status : "the process has not been started");
		}
		await new Promise((resolve, reject) => {
			own.child.stdin.write(toLine(JSON.stringify(message)), (cause) => {
				if (!cause) return resolve(undefined);
				// The pipe breaks before the status is known.
				own.within(STATUS_MS).then(() => reject(new McpError("CONNECTION_LOST", own.status, { cause })));
			});
		});
	}

	async function close() {
		const own = run;
		if (!own) return;
		await own.end(graceMs);
		lost(own, own.status);
	}

	return transport;
}
