// Buses that reach other isolates: what one server tells its clients, those of the others hear too.

/** @typedef {import("./server-listen.js").ChangeEvent} ChangeEvent */

/** What other programs send on the same channel is not for us. @param {any} event @returns {event is ChangeEvent} */
const isEvent = (event) => typeof event?.type === "string";

/**
 * A bus over a BroadcastChannel.
 * @param {string} [name]
 */
export function broadcastBus(name = "mcp-duet") {
	/** @type {Set<(event: ChangeEvent) => void>} */
	const listeners = new Set();
	/** @type {Set<() => void>} */
	const losing = new Set();
	const deliver = (/** @type {unknown} */ event) => {
		if (!isEvent(event)) return;
		for (const listener of listeners) {
			try {
				listener(event);
			} catch {
				// The others hear of it all the same.
			}
		}
	};
	const channel = new BroadcastChannel(name);
	channel.onmessage = (/** @type {MessageEvent} */ { data }) => deliver(data);
	// In Node a channel that listens would keep the process alive.
	/** @type {any} */ (channel).unref?.();
	return {
		/** @param {ChangeEvent} event */
		publish(event) {
			channel.postMessage(event);
			// A channel does not hear itself.
			deliver(event);
		},
		/** @param {(event: ChangeEvent) => void} listener @param {() => void} [lost] */
		subscribe(listener, lost = () => {}) {
			listeners.add(listener);
			losing.add(lost);
			return () => {
				listeners.delete(listener);
				losing.delete(lost);
			};
		},
		close() {
			channel.close();
			for (const lost of [...losing]) lost();
			listeners.clear();
			losing.clear();
		},
	};
}

/** The address does not matter: a stub leads to its object alone. */
const HUB = "https://hub.invalid/";

/**
 * A bus over a Durable Object of the class `ChangeHub`.
 * @param {any} namespace the binding, or a function that gives it
 * @param {string} [name] of the object
 */
export function durableObjectBus(namespace, name = "mcp-duet") {
	// Looked up anew each time: a stub is I/O of the request that made it.
	const hub = () => {
		const found = typeof namespace === "function" ? namespace() : namespace;
		return found.get(found.idFromName(name));
	};
	return {
		/** @param {ChangeEvent} event */
		async publish(event) {
			const response = await hub().fetch(HUB, { method: "POST", body: JSON.stringify(event) });
			if (!response.ok) throw new Error(`the hub took no event: expected status 204, got ${response.status}`);
		},
		/** @param {(event: ChangeEvent) => void} listener @param {() => void} [lost] */
		async subscribe(listener, lost = () => {}) {
			const { webSocket: socket, status } = await hub().fetch(HUB, { headers: { upgrade: "websocket" } });
			if (!socket) throw new Error(`the hub opened no WebSocket: expected status 101, got ${status}`);
			let over = false;
			const end = () => {
				if (over) return;
				over = true;
				lost();
			};
			socket.addEventListener("message", (/** @type {MessageEvent} */ { data }) => {
				const event = JSON.parse(data);
				if (!over && isEvent(event)) listener(event);
			});
			socket.addEventListener("close", end);
			socket.addEventListener("error", end);
			socket.accept();
			return () => {
				over = true;
				try {
					socket.close(1000);
				} catch {
					// Another request ends it: the socket goes with the request that it belongs to.
				}
			};
		},
	};
}

/** The Durable Object behind `durableObjectBus`: it hands each event to every socket, and sleeps in between. */
export class ChangeHub {
	#state;

	/** @param {any} state */
	constructor(state) {
		this.#state = state;
	}

	/** @param {Request} request */
	async fetch(request) {
		if (request.headers.get("upgrade") === "websocket") {
			const { 0: near, 1: far } = new /** @type {any} */ (globalThis).WebSocketPair();
			this.#state.acceptWebSocket(far);
			return new Response(null, /** @type {any} */ ({ status: 101, webSocket: near }));
		}
		const event = await request.text();
		for (const socket of this.#state.getWebSockets()) {
			try {
				socket.send(event);
			} catch {
				// That one has just gone; the others have not.
			}
		}
		return new Response(null, { status: 204 });
	}

	/** @param {any} socket @param {number} code */
	webSocketClose(socket, code) {
		socket.close(code === 1005 || code === 1006 ? 1000 : code);
	}
}
