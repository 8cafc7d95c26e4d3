// One server: connected phase by phase, each within its budget; what fails is kept, never thrown.

import { McpError } from "../errors.js";
import { Client } from "./client.js";
import { METHOD_ELICITATION_CREATE } from "./constants.js";
import { decide, EXPAND } from "./toolset-core.js";
import { elicit } from "./toolset-elicitation.js";
import { hidden, presentable, redactor } from "./toolset-secrets.js";

/** How long each phase may take, in milliseconds, unless the entry or the caller says otherwise. */
export const DEFAULT_TIMEOUTS = { connectMs: 10_000, handshakeMs: 30_000, listMs: 30_000 };

/** The longest delay that a timer takes. */
const MAX_DELAY = 2 ** 31 - 1;

/** How long a server may take to go, in milliseconds; afterwards nobody waits for it. */
const CLOSE_MS = 5_000;

/** @typedef {import("../toolset.js").ToolsetOptions} Options */
/** @typedef {import("../toolset.js").Connection} Connection */
/** @typedef {import("../toolset.js").Spawned} Spawned */

/**
 * @typedef {object} Told what the toolset hears of a connection
 * @property {() => void} changed its list may have changed
 * @property {() => void} lost it was connected, and has failed since
 * @property {() => Promise<void>} left it was connected, and has been disconnected
 */

/**
 * @typedef {object} Inside what a connection consists of, apart from what it shows
 * @property {Client} [client]
 * @property {Spawned} [child]
 * @property {any[]} listed the items of its list of tools
 * @property {(text: string) => string} redact
 * @property {Told} told
 * @property {McpError} [ended] how its process ended, until another is started
 * @property {boolean} [over] whether none may be started any longer
 * @property {Promise<void>} [ending]
 */

/** @type {WeakMap<Connection, Inside>} */
export const insides = new WeakMap();

/** @param {Connection} connection @returns {Inside} */
export function insideOf(connection) {
	const inside = insides.get(connection);
	if (inside === undefined) throw new McpError("INVALID_ARGUMENT", "this is no connection of a toolset");
	return inside;
}

/**
 * The times that the caller names. A time that is none would be over at once.
 * @param {Options} options
 */
export function checkTimes({ timeouts, callTimeoutMs }) {
	for (const [name, ms] of Object.entries({ ...timeouts, callTimeoutMs })) {
		if (ms !== undefined && !(typeof ms === "number" && ms > 0))
			throw new McpError("INVALID_ARGUMENT", `${name} must be a number of milliseconds above 0, got ${ms}`);
	}
}

/**
 * How long each phase may take: as the server's entry says, else the caller, else as usual.
 * @param {any} entry
 * @param {Options} options
 * @returns {typeof DEFAULT_TIMEOUTS}
 */
export function budgetOf(entry, { timeouts }) {
	const named = Object.entries(DEFAULT_TIMEOUTS).map(([name, usual]) => {
		const phase = /** @type {"connectMs"} */ (name);
		return [name, Math.min(entry.timeouts?.[phase] ?? timeouts?.[phase] ?? usual, MAX_DELAY)];
	});
	return Object.fromEntries(named);
}

/**
 * Runs one phase: it ends after `ms`, or with the signal.
 * @template T
 * @param {string} phase
 * @param {number} ms
 * @param {AbortSignal | undefined} signal
 * @param {(signal: AbortSignal) => T | PromiseLike<T>} work
 * @returns {Promise<T>}
 */
async function within(phase, ms, signal, work) {
	signal?.throwIfAborted();
	const controller = new AbortController();
	const late = () => controller.abort(new McpError("TIMED_OUT", `${phase}: not done within ${ms} ms`));
	const timer = setTimeout(late, ms);
	const stop = () => controller.abort(signal?.reason);
	signal?.addEventListener("abort", stop, { once: true });
	try {
		return await new Promise((resolve, reject) => {
			controller.signal.addEventListener("abort", () => reject(controller.signal.reason), { once: true });
			Promise.resolve(work(controller.signal)).then(resolve, reject);
		});
	} finally {
		clearTimeout(timer);
		signal?.removeEventListener("abort", stop);
	}
}

/**
 * Connects to one server of a configuration.
 * @param {any} entry as `parseConfig` gives it, or `{ name, problem }`
 * @param {Options} options
 * @param {Told} told
 * @returns {Promise<Connection>}
 */
export async function open(entry, options, told) {
	/** @type {Inside} */
	const inside = { listed: [], redact: redactor([...Object.entries(entry.env ?? {}), ...hidden(entry)]), told };
	/** @type {Connection} */
	const connection = {
		name: entry.name,
		status: entry.disabled ? "disabled" : "failed",
		tools: [],
		transport: entry.transport,
		serverInfo: undefined,
		error: undefined,
		get exitCode() {
			return inside.child?.exitCode ?? null;
		},
	};
	insides.set(connection, inside);
	try {
		if (entry.problem !== undefined) throw new McpError("INVALID_ARGUMENT", entry.problem);
		if (entry.disabled) return connection;
		await start(connection, inside, entry, options);
		if (inside.ended) throw inside.ended;
		connection.status = "connected";
	} catch (error) {
		connection.error = presentable(error, inside.redact);
		await end(connection);
	}
	return connection;
}

/**
 * @param {Connection} connection
 * @param {Inside} inside
 * @param {any} entry
 * @param {Options} options
 */
async function start(connection, inside, entry, options) {
	const { signal } = options;
	const { connectMs, handshakeMs, listMs } = budgetOf(entry, options);
	const place = await within("connect", connectMs, signal, (signal) =>
		locate(connection, inside, entry, options, signal),
	);
	const client = new Client({ ...settings(inside, options, listMs), ...place });
	inside.client = client;
	await within("handshake", handshakeMs, signal, (signal) => client.connect({ signal }));
	connection.serverInfo = client.serverInfo;
	await relist(connection, listMs, signal);
}

/**
 * Where the server is, in a client's words; a command is started for that.
 * @param {Connection} connection
 * @param {Inside} inside
 * @param {any} entry
 * @param {Options} options
 * @param {AbortSignal} signal
 */
async function locate(connection, inside, entry, options, signal) {
	if (entry.transport === "stdio") {
		const { spawn } = options;
		if (spawn === undefined) {
			const message = `${entry.name} is a command, and commands run only where there are processes: give the spawn of "mcp-duet/node"`;
			throw new McpError("INVALID_ARGUMENT", message);
		}
		const { command, args, env, cwd } = entry;
		// Its standard error is kept for stderr(); it may hold what must not be printed.
		const child = await spawn({ command, args, env, cwd }, { signal, stderr: "ignore" });
		inside.child = child;
		// Too late: nobody waits for it any longer.
		if (signal.aborted) await child.close();
		return { transport: mortal(connection, inside, child) };
	}
	const environment = options.env ?? {};
	const headers = await decide(EXPAND, { headers: entry.headers, environment });
	inside.redact = redactor([...Object.entries(headers), ...hidden(entry)]);
	return { url: entry.url, headers, fetch: options.fetch, auth: options.auth?.(entry) };
}

/**
 * The process as a transport. While connecting it may be started anew, for a server that an unknown message ends; when
 * it ends later, the connection has failed.
 * @param {Connection} connection
 * @param {Inside} inside
 * @param {Spawned} child
 */
function mortal(connection, inside, child) {
	/** @type {any} */
	const inner = child;
	const alive = () => {
		if (inside.over) throw inside.ended;
		return inner;
	};
	/** @type {any} */
	const transport = {
		onmessage: undefined,
		onclose: undefined,
		start: async () => {
			await alive().start?.();
			inside.ended = undefined;
		},
		send: async (/** @type {any} */ message) => alive().send(message),
		close: async () => inner.close?.(),
	};
	transport.onstray = inner.onstray;
	inner.onmessage = (/** @type {any} */ message) => transport.onmessage?.(message);
	inner.onclose = (/** @type {unknown} */ why) => {
		if (inside.over) return;
		const reason = typeof why === "string" ? why : "the other end has closed the channel";
		inside.ended = new McpError("CONNECTION_LOST", inside.redact(reason));
		const fails = connection.status === "connected";
		if (fails) {
			inside.over = true;
			connection.status = "failed";
			connection.error = inside.ended;
		}
		// Calls that are under way hear of it as such, before the client is closed.
		transport.onclose?.(why);
		if (!fails) return;
		end(connection);
		inside.told.lost();
	};
	return transport;
}

/**
 * @param {Inside} inside
 * @param {Options} options
 * @param {number} timeoutMs
 */
function settings(inside, options, timeoutMs) {
	const { clientInfo, capabilities, onElicitation, handlers, onNotification, onToolsChanged } = options;
	/** @type {Record<string, (params: any) => any>} */
	const all = { ...handlers };
	if (onElicitation) all[METHOD_ELICITATION_CREATE] = (params) => elicit(onElicitation, params);
	return {
		clientInfo,
		capabilities: onElicitation ? { elicitation: { form: {}, url: {} }, ...capabilities } : capabilities,
		timeoutMs: Math.min(options.callTimeoutMs ?? timeoutMs, MAX_DELAY),
		handlers: Object.keys(all).length > 0 ? all : undefined,
		listChanged: onToolsChanged && { tools: inside.told.changed },
		onNotification,
		// Nothing of a server goes to the console.
		onError: () => {},
	};
}

/**
 * Asks for the server's tools.
 * @param {Connection} connection
 * @param {number} ms
 * @param {AbortSignal} [signal]
 */
export async function relist(connection, ms, signal) {
	const inside = insideOf(connection);
	const client = /** @type {Client} */ (inside.client);
	// A server that declares no tools is not asked for any.
	if (client.serverCapabilities !== undefined && client.serverCapabilities.tools === undefined) return;
	// The phase's own limit is to be the one that ends it.
	const { tools } = await within("list", ms, signal, (signal) => client.listTools({ signal, timeoutMs: 2 * ms }));
	inside.listed = Array.isArray(tools) ? tools : [];
}

/**
 * Ends a connection: bounded, and without throwing. Again does nothing.
 * @param {Connection} connection
 * @returns {Promise<void>}
 */
export function end(connection) {
	const inside = insideOf(connection);
	inside.ending ??= (async () => {
		const { client, child } = inside;
		/** @type {ReturnType<typeof setTimeout> | undefined} */
		let timer;
		const limit = new Promise((resolve) => {
			timer = setTimeout(resolve, CLOSE_MS);
		});
		const quiet = (/** @type {(() => any) | undefined} */ close) => (async () => close?.())().catch(() => {});
		await Promise.race([quiet(() => client?.close()).then(() => quiet(() => child?.close())), limit]);
		clearTimeout(timer);
	})();
	return inside.ending;
}
