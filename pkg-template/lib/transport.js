// Transports of messages, and a server at the end of one. No WebAssembly: the shapes are all that matters.

import { INTERNAL_ERROR, NOTIFICATION_CANCELLED } from "./constants.js";

/**
 * @typedef {object} Transport what the TypeScript SDK calls so
 * @property {() => Promise<void>} start
 * @property {(message: any, options?: any) => Promise<void>} send
 * @property {() => Promise<void>} close
 * @property {((message: any, extra?: any) => void) | undefined} [onmessage]
 * @property {(() => void) | undefined} [onclose]
 * @property {((error: Error) => void) | undefined} [onerror]
 */

/** One end of a pair. @implements {Transport} */
class InMemoryTransport {
	/** @type {((message: any, extra?: any) => void) | undefined} */
	onmessage;
	/** @type {(() => void) | undefined} */
	onclose;
	/** @type {((error: Error) => void) | undefined} */
	onerror;
	/** @type {InMemoryTransport | undefined} */
	other;
	/** @type {any[]} what came before anybody listened */
	#early = [];
	#started = false;

	async start() {
		this.#started = true;
		for (const message of this.#early.splice(0)) this.#deliver(message);
	}

	/** @param {any} message */
	async send(message) {
		const { other } = this;
		if (other === undefined) throw new Error("the other end has closed the channel");
		if (other.#started) other.#deliver(message);
		else other.#early.push(message);
	}

	async close() {
		const { other } = this;
		if (other === undefined) return;
		this.other = undefined;
		other.other = undefined;
		// Not in the midst of whatever the closing end is doing.
		queueMicrotask(() => {
			this.onclose?.();
			other.onclose?.();
		});
	}

	/** @param {any} message */
	#deliver(message) {
		queueMicrotask(() => this.onmessage?.(message));
	}
}

/** @returns {[InMemoryTransport, InMemoryTransport]} */
export function inMemoryPair() {
	const [one, other] = [new InMemoryTransport(), new InMemoryTransport()];
	one.other = other;
	other.other = one;
	return [one, other];
}

/**
 * Whether that is a message of ours: a port may carry others.
 * @param {any} data
 */
const isMessage = (data) => (Array.isArray(data) ? data[0] : data)?.jsonrpc === "2.0";

/**
 * @param {any} port
 * @returns {Transport}
 */
export function portTransport(port) {
	/** @type {(() => void)[]} */
	const undo = [];
	/** @param {string} event @param {(...args: any[]) => void} listener */
	const listen = (event, listener) => {
		// Workers of Node.js know no addEventListener.
		const isTarget = typeof port.addEventListener === "function";
		if (isTarget) port.addEventListener(event, listener);
		else port.on(event, listener);
		undo.push(() => (isTarget ? port.removeEventListener(event, listener) : port.off(event, listener)));
	};
	let isOpen = true;
	const end = () => {
		if (!isOpen) return;
		isOpen = false;
		for (const stop of undo.splice(0)) stop();
		transport.onclose?.();
	};
	/** @param {any} event */
	const failed = (event) => {
		const message = event?.message ?? "a message could not be read";
		transport.onerror?.(event instanceof Error ? event : new Error(message));
	};
	/** @type {Transport} */
	const transport = {
		onmessage: undefined,
		onclose: undefined,
		onerror: undefined,
		async start() {
			listen("message", (event) => {
				const data = event?.data ?? event;
				if (isMessage(data)) transport.onmessage?.(data);
			});
			listen("messageerror", failed);
			listen("error", failed);
			for (const name of ["close", "exit"]) listen(name, end);
			port.start?.();
		},
		async send(message) {
			if (!isOpen) throw new Error("the port is closed");
			port.postMessage(message);
		},
		async close() {
			if (!isOpen) return;
			end();
			// A worker's own scope would end the worker.
			if (port !== globalThis) port.close?.();
		},
	};
	return transport;
}

/** Why a handler's signal is aborted. @param {string} why */
const gone = (why) => new Error(why);

/**
 * @param {any} server
 * @param {Transport} transport
 * @param {{ authInfo?: unknown, env?: unknown, waitUntil?: (promise: Promise<unknown>) => void, onError?: (error: unknown) => void }} [options]
 */
export function serveMessages(server, transport, { onError, authInfo, ...options } = {}) {
	/** What is being answered, by id. @type {Map<unknown, AbortController>} */
	const running = new Map();
	/** @type {(value?: undefined) => void} */
	let ended = () => {};
	/** @type {Promise<void>} */
	const closed = new Promise((resolve) => {
		ended = resolve;
	});
	const report = (/** @type {unknown} */ error) => onError?.(error);
	const send = (/** @type {any} */ message) => {
		transport.send(message).catch(report);
	};
	const channel = server.channel(send);
	// While the core loads, messages wait in their order; a definition that is wrong is said to each of them.
	const ready = server.ready.catch(() => {});
	/** @param {any} message @param {any} extra */
	const answer = async (message, extra) => {
		const isRequest = message?.method !== undefined && message.id !== undefined;
		const controller = new AbortController();
		if (isRequest) running.set(message.id, controller);
		try {
			const { signal } = controller;
			const given = { ...options, authInfo: extra?.authInfo ?? authInfo, send, signal, channel };
			await ready;
			const reply = await server.handleMessage(message, given);
			if (reply !== null) send(reply);
		} catch (error) {
			report(error);
			const text = error instanceof Error ? error.message : "Internal error";
			if (isRequest) send({ jsonrpc: "2.0", id: message.id, error: { code: INTERNAL_ERROR, message: text } });
		} finally {
			if (isRequest && running.get(message.id) === controller) running.delete(message.id);
		}
	};
	transport.onmessage = (message, extra) => {
		if (message?.method === NOTIFICATION_CANCELLED) {
			const { requestId, reason } = message.params ?? {};
			running.get(requestId)?.abort(gone(reason ?? "the client has cancelled the request"));
		}
		answer(message, extra);
	};
	transport.onerror = report;
	transport.onclose = () => {
		channel.close();
		for (const controller of running.values()) controller.abort(gone("the client has gone"));
		ended();
	};
	transport.start().catch((error) => {
		report(error);
		ended();
	});
	return { closed, close: () => transport.close() };
}
