// One event stream of a session. It outlasts its connection: what is sent meanwhile is kept, and goes to the
// connection that the client comes back with.

import { Connection, eventOf } from "./server-exchange.js";

/**
 * What an event looks like.
 * @param {string} idHead
 * @param {number} number
 * @param {string} text
 */
export const eventText = (idHead, number, text) => `${idHead}${number}\n${eventOf(text)}`;

export class Stream {
	/** @type {Connection | undefined} */
	#connection;
	#number = 0;
	/** Whether a connection has begun. */
	opened = false;
	ended = false;
	/** Events that wait for the first connection, or for the end of a replay. @type {[number, string][] | undefined} */
	#waiting = [];
	#keep;
	#beat;

	/**
	 * @param {object} parts
	 * @param {string} parts.name
	 * @param {string} parts.idHead what the ids of its events begin with
	 * @param {string} parts.first the event that it begins with; nothing for clients that cannot read it
	 * @param {(event: import("./server-session-store.js").StreamEvent) => unknown} parts.keep
	 * @param {() => void} parts.beat is called now and then while a client is there
	 */
	constructor({ name, idHead, first, keep, beat }) {
		this.name = name;
		this.idHead = idHead;
		this.first = first;
		this.#keep = keep;
		this.#beat = beat;
	}

	get connected() {
		return this.#connection !== undefined;
	}

	get hasEvents() {
		return this.#number > 0;
	}

	/** Begins the first connection. */
	open() {
		this.opened = true;
		const connection = this.connect();
		if (this.first !== "") {
			this.#keep({ number: 0, text: "", last: false });
			connection.write(this.first);
		}
		this.resume(connection, 0);
		return connection.stream;
	}

	/** A connection for this stream's events; none go out on it before `resume`. */
	connect() {
		/** @type {Connection} */
		const connection = new Connection(() => {
			if (this.#connection === connection) this.#connection = undefined;
		}, this.#beat);
		return connection;
	}

	/** Lets events wait, because somebody reads those that were. */
	pause() {
		this.disconnect();
		this.#waiting ??= [];
	}

	/**
	 * Goes on after a pause.
	 * @param {Connection | undefined} connection
	 * @param {number} number of the last event that went out on it
	 */
	resume(connection, number) {
		this.#connection = connection?.gone ? undefined : connection;
		for (const [waiting, text] of this.#waiting ?? []) if (waiting > number) this.#write(waiting, text);
		this.#waiting = undefined;
		if (this.ended) this.disconnect();
	}

	/** @param {string} text @param {boolean} [last] */
	send(text, last = false) {
		if (this.ended) return;
		this.ended = last;
		const number = ++this.#number;
		this.#keep({ number, text, last });
		if (this.#waiting) this.#waiting.push([number, text]);
		else this.#write(number, text);
	}

	/** @param {number} number @param {string} text */
	#write(number, text) {
		this.#connection?.write(eventText(this.idHead, number, text));
	}

	/** Ends the connection; what is sent from now on waits for the client to come back. */
	disconnect() {
		this.#connection?.close();
		this.#connection = undefined;
	}

	/** The last event; without a text nothing that a client sees. @param {string | null} text */
	end(text) {
		if (this.ended) return;
		if (text !== null) this.send(text, true);
		else {
			this.ended = true;
			this.#keep({ number: ++this.#number, text: "", last: true });
		}
		if (this.#waiting === undefined) this.disconnect();
	}
}
