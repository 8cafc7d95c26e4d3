// Exchanges over a transport of messages: a pipe, a port, a pair. All of them share one channel, and
// responses find theirs by id.

/** @typedef {import("./client-wire.js").Exchange} Exchange */
/** @typedef {import("./client-wire.js").Wire} Wire */

/** The transports that have been started. They may outlive a channel, whose core has died. @type {WeakMap<object, Promise<unknown>>} */
const started = new WeakMap();

export class Channel {
	#transport;
	#wire;

	/**
	 * @param {Wire} wire
	 * @param {any} transport with `send`, and where there are any, `start` and `close`
	 */
	constructor(wire, transport) {
		this.#wire = wire;
		this.#transport = transport;
		transport.onmessage = (/** @type {any} */ message) => this.#receive(message);
		// Some know why.
		transport.onclose = (/** @type {any} */ why) =>
			this.#lost(typeof why === "string" ? why : "the other end has closed the channel");
	}

	/** Lets go of the transport. */
	async close() {
		const transport = this.#transport;
		transport.onmessage = undefined;
		transport.onclose = undefined;
		started.delete(transport);
		await transport.close?.();
	}

	/**
	 * @param {Exchange} exchange
	 * @param {string} text
	 */
	async send(exchange, text) {
		const wire = this.#wire;
		const message = JSON.parse(text);
		const isRequest = message.id !== undefined && message.method !== undefined;
		if (isRequest) exchange.key = message.id;
		try {
			await this.#start();
			if (exchange.done) return;
			await this.#transport.send(message);
			// What wants no response is delivered.
			if (!isRequest) wire.end(exchange);
		} catch (error) {
			wire.failed(exchange, error);
		}
	}

	async #start() {
		const transport = this.#transport;
		let starting = started.get(transport);
		if (starting === undefined) {
			starting = Promise.resolve(transport.start?.());
			started.set(transport, starting);
			// One that could not be started may be tried again.
			starting.catch(() => started.delete(transport));
		}
		await starting;
	}

	/** @param {any} message an object, or JSON text */
	#receive(message) {
		const wire = this.#wire;
		if (typeof message === "string") {
			wire.incoming(wire.none, message);
			return;
		}
		const exchange = message?.method === undefined ? this.#asker(message?.id) : undefined;
		if (exchange === undefined) {
			if (message?.method === undefined) this.#transport.onstray?.(message);
			wire.incoming(wire.none, JSON.stringify(message) ?? "undefined");
			return;
		}
		// A transport of the TypeScript SDK that speaks HTTP has to say in its headers what was agreed on.
		const version = exchange.id === 0 ? message.result?.protocolVersion : undefined;
		if (typeof version === "string") this.#transport.setProtocolVersion?.(version);
		wire.forget(exchange);
		if (!wire.result(exchange, message)) wire.incoming(exchange, JSON.stringify(message));
	}

	/** The exchange whose request has that id. @param {any} id */
	#asker(id) {
		if (id === undefined) return undefined;
		// Few are open at once, and as a rule the oldest is answered first.
		for (const exchange of this.#wire.exchanges.values()) if (exchange.key === id) return exchange;
		return undefined;
	}

	/** @param {string} message */
	#lost(message) {
		started.delete(this.#transport);
		this.#wire.lost(message);
	}
}
