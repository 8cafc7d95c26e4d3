// Sessions of legacy clients over HTTP, loaded by servers that have them. The core decides on a session's text
// (src/server/session.rs); here are the stores, the streams that are open in this isolate, and the calls that run.

import { textsOf, told } from "./server-channel.js";
import { Connection, STREAM_HEADERS } from "./server-exchange.js";
import { ACCEPTS_STREAM, answer, httpOf, linesOf, posted, read, tooLarge } from "./server-http.js";
import { SessionExchange, sessionLine } from "./server-session-exchange.js";
import { MAX_STREAMS, Open } from "./server-session-open.js";
import { MemoryEvents, MemorySessions } from "./server-session-store.js";
import { eventText, Stream } from "./server-session-stream.js";
import { Turns } from "./server-session-turns.js";

/** @typedef {import("./server-parts.js").Held} Held */
/** @typedef {import("./server-parts.js").Options} Options */
/** @typedef {import("./server.js").Inside} Inside */
/** @typedef {import("./server-listen.js").ChangeEvent} ChangeEvent */

// How the core looks at a session, and what it says.
const PRESENT = 0;
const KEEP = 1;
const UNKNOWN = 0;
const RENEWED = 2;

// Which text of a session the core is asked for.
const CALL_STREAM = 2;
const GONE = 3;

// What a GET or DELETE request gets, beside 0 for a refusal.
const FRESH = 1;
const ENDED = 3;

/**
 * @param {Inside} inside
 * @param {Held} held
 * @param {Request} request
 * @param {Options} options
 * @param {import("./server-http.js").Admission} admission
 * @returns {Promise<Response>}
 */
export async function respondInSession(inside, held, request, options, admission) {
	const own = /** @type {NonNullable<Inside["sessions"]>} */ (inside.sessions);
	own.open ??= new Sessions(inside, held);
	/** @type {Sessions} */
	const sessions = own.open;
	const http = httpOf(held);
	const id = request.headers.get("mcp-session-id");
	const principal = JSON.stringify(inside.owner(options.authInfo) ?? null);
	const lines = linesOf(request.headers, http.messageNames);
	if (request.method !== "POST") return sessions.stream(held, request, id, principal, lines, admission.extra);
	const body = await read(request, http.maxBodyBytes);
	if (body === undefined) return tooLarge(held, request);
	const found = id === null ? undefined : sessions.find(held, id, principal);
	// With a store that answers at once nothing comes between looking at a session and using it.
	const text = found instanceof Promise ? await found : found;
	const streams = (admission.accepts & ACCEPTS_STREAM) !== 0;
	const exchange = new SessionExchange(sessions, request, options, streams, principal, lines, id, text);
	return answer(exchange, inside, held, exchange.lines, body, admission);
}

/** The sessions of one server, as far as this isolate has to do with them. */
export class Sessions {
	/** @type {Map<string, Open>} */
	#open = new Map();
	/** @type {import("./server-session-store.js").SessionStore} */
	#store;
	/** @type {import("./server-session-store.js").EventStore} */
	#events;
	#retryMs;
	#idleMs;
	#swept = Date.now();
	#turns = new Turns();
	/** Whether the store has answered later: something may then come between looking at a session and changing it. */
	#later = false;
	inside;

	/** @param {Inside} inside @param {Held} held */
	constructor(inside, held) {
		this.inside = inside;
		const { live, core } = held;
		const [idleMs, max, maxEvents, maxEventChars, retryMs] = live.call(() => {
			core.readSessions();
			return live.mailbox.numbers();
		});
		this.#retryMs = retryMs;
		this.#idleMs = idleMs;
		const { store, events } = /** @type {NonNullable<Inside["sessions"]>} */ (inside.sessions);
		this.#store = store ?? new MemorySessions(max, (id) => this.#end(id));
		this.#events = events ?? new MemoryEvents(maxEvents, maxEventChars);
	}

	/**
	 * The text of a session that a request may use; keeps it alive.
	 * @param {Held} held
	 * @param {string} id
	 * @param {string} principal
	 * @returns {string | undefined | Promise<string | undefined>}
	 */
	find(held, id, principal) {
		const found = this.#store.get(id);
		const look = (/** @type {string | undefined | null} */ text) =>
			text ? this.#look(held, principal, text, PRESENT) : undefined;
		if (found instanceof Promise) {
			this.#later = true;
			return found.then((text) => {
				const looked = look(text);
				if (looked?.restMs === undefined) return looked?.text;
				return this.#turns.take(id, async () => {
					const again = look(await this.#store.get(id));
					if (again?.restMs !== undefined) await this.#store.set(id, again.text, again.restMs);
					return again?.text;
				});
			});
		}
		const looked = look(found);
		return looked?.restMs === undefined ? looked?.text : this.#set(id, looked.text, looked.restMs);
	}

	/**
	 * Keeps a session that is new or has changed.
	 * @param {Held} held
	 * @param {string} id
	 * @param {string} principal
	 * @param {string} text
	 * @returns {string | Promise<string>} its text as it is kept
	 */
	keep(held, id, principal, text) {
		const looked = /** @type {{ text: string, restMs: number }} */ (this.#look(held, principal, text, KEEP));
		return this.#set(id, looked.text, looked.restMs);
	}

	/** @param {string} id @param {string} text @param {number} restMs @returns {string | Promise<string>} the text */
	#set(id, text, restMs) {
		const kept = this.#store.set(id, text, restMs);
		if (!(kept instanceof Promise)) return text;
		this.#later = true;
		return kept.then(() => text);
	}

	/**
	 * Has a request change its session when it is its turn, with the text that is kept by then; nothing where that needs
	 * no turns.
	 * @template T
	 * @param {Held} held
	 * @param {string} id
	 * @param {string} principal
	 * @param {(text: string | undefined) => T | Promise<T>} change
	 * @returns {Promise<T> | undefined}
	 */
	inTurn(held, id, principal, change) {
		if (!this.#later) return undefined;
		return this.#turns.take(id, async () => {
			const text = await this.#store.get(id);
			return change(text ? this.#look(held, principal, text, PRESENT)?.text : undefined);
		});
	}

	/**
	 * @param {Held} held
	 * @param {string} principal
	 * @param {string} text
	 * @param {number} how
	 * @returns {{ text: string, restMs: number | undefined } | undefined} with a time where it has to be kept
	 */
	#look({ live, core }, principal, text, how) {
		return live.call(() => {
			const { mailbox } = live;
			const looked = core.session(mailbox.write(`${principal}\n${text}`), Date.now(), how);
			if (looked === UNKNOWN) return undefined;
			if (looked !== RENEWED) return { text, restMs: undefined };
			return { text: mailbox.strings()[0], restMs: mailbox.numbers()[0] };
		});
	}

	/** @param {string} id */
	opened(id) {
		let open = this.#open.get(id);
		if (open === undefined) {
			this.#sweep();
			open = new Open();
			this.#open.set(id, open);
		}
		open.used = Date.now();
		return open;
	}

	/** Lets go of what clients have left open that do not come back: not every store says when a session has ended. */
	#sweep() {
		const now = Date.now();
		if (now - this.#swept < this.#idleMs) return;
		this.#swept = now;
		for (const [id, open] of this.#open) if (open.isLeft && now - open.used >= this.#idleMs) this.#end(id);
	}

	/** @param {string} id */
	has(id) {
		return this.#open.get(id);
	}

	/** Forgets what is open of a session once nothing is. @param {string} id */
	release(id) {
		const open = this.#open.get(id);
		if (open && open.calls.size + open.streams.size + open.own.size === 0) this.#open.delete(id);
	}

	/** Ends what is open of a session here. @param {string} id */
	#end(id) {
		const open = this.#open.get(id);
		this.#open.delete(id);
		open?.end();
		const forgotten = this.#events.forget(id);
		if (forgotten instanceof Promise) forgotten.catch(ignore);
	}

	/** Ends what is open of every session. */
	close() {
		for (const open of this.#open.values()) open.end();
		this.#open.clear();
	}

	/**
	 * A stream for the messages of a call; a client may come back to it.
	 * @param {Held} held
	 * @param {string} id
	 * @param {string} text the session's
	 */
	callStream(held, id, text) {
		const name = nameOf();
		const [idHead, first] = textsOf(held, text, name, CALL_STREAM);
		return this.#stream(id, name, idHead, first);
	}

	/** @param {string} id @param {string} name @param {string} idHead @param {string} first */
	#stream(id, name, idHead, first) {
		const stream = new Stream({
			name,
			idHead,
			first,
			keep: (event) => {
				// What a store loses cannot be resumed; the client that is there gets it all the same.
				const kept = this.#events.append(id, name, event);
				if (kept instanceof Promise) kept.catch(ignore);
			},
			beat: () => this.#touch(id),
		});
		this.opened(id).streams.set(name, stream);
		return stream;
	}

	/** Who reads a stream uses its session. @param {string} id */
	async #touch(id) {
		try {
			const held = this.inside.usable();
			const text = await this.#store.get(id);
			if (held && text) await this.find(held, id, JSON.stringify(JSON.parse(text).principal));
		} catch {
			// The next request, or the next beat, will.
		}
	}

	/**
	 * Answers GET, which opens a stream or goes on with one, and DELETE, which ends the session.
	 * @param {Held} held
	 * @param {Request} request
	 * @param {string | null} id
	 * @param {string} principal
	 * @param {string} headerLines
	 * @param {Record<string, string> | undefined} extra
	 * @returns {Promise<Response>}
	 */
	async stream(held, request, id, principal, headerLines, extra) {
		const text = id === null ? undefined : await this.find(held, id, principal);
		const { live, core } = held;
		const { mailbox } = live;
		const name = nameOf();
		const last = request.headers.get("last-event-id");
		const lines = `${headerLines}${sessionLine(id, text)}\n${last === null ? "" : `=${last}`}\n${name}`;
		const [verdict, parts] = live.call(() => {
			const verdict = core.openStream(mailbox.write(lines), request.method === "DELETE");
			return [verdict, verdict === 0 ? posted(mailbox) : verdict === ENDED ? [] : mailbox.strings()];
		});
		if (parts instanceof Response) return withHeaders(parts, extra);
		const known = /** @type {string} */ (id);
		if (verdict === ENDED) {
			await this.#turns.take(known, async () => this.#store.delete(known));
			this.#end(known);
			await this.inside.subscriptions.publish({ type: "session_ended", session: known });
			return new Response(null, { status: 204, headers: extra });
		}
		const headers = { ...STREAM_HEADERS, ...extra };
		if (verdict === FRESH) {
			const [, , idHead, first] = parts;
			const stream = this.#stream(known, name, idHead, first);
			const body = stream.open();
			await this.#follow(known, stream);
			return new Response(body, { headers });
		}
		const [stream, number, idHead] = parts;
		const body = await this.#resume(known, stream, Number(number), idHead);
		if (body === undefined) return withHeaders(this.#gone(held), extra);
		return new Response(body, { headers });
	}

	/** @param {Held} held */
	#gone({ live, core }) {
		return live.call(() => {
			core.sessionText(live.mailbox.write("\n"), GONE);
			return posted(live.mailbox);
		});
	}

	/**
	 * Has a stream that belongs to no request tell of changes.
	 * @param {string} id
	 * @param {Stream} stream
	 */
	async #follow(id, stream) {
		const open = this.opened(id);
		// A client that opens a new one does not come back to those that it has left.
		for (const [left, unsubscribe] of open.own) {
			if (left.connected && open.own.size < MAX_STREAMS) continue;
			unsubscribe();
			left.end(null);
			open.own.delete(left);
			open.streams.delete(left.name);
		}
		const lost = () => stream.disconnect();
		open.own.set(stream, () => {});
		let unsubscribe;
		try {
			unsubscribe = await this.inside.subscriptions.subscribe((event) => this.#tell(id, stream, event), lost);
		} catch (error) {
			open.own.delete(stream);
			open.streams.delete(stream.name);
			stream.end(null);
			throw error;
		}
		if (open.own.has(stream)) open.own.set(stream, unsubscribe);
		else unsubscribe();
	}

	/**
	 * @param {string} id
	 * @param {Stream} stream
	 * @param {ChangeEvent} event
	 */
	async #tell(id, stream, event) {
		if (event.type === "session_ended") {
			if (event.session === id) this.#end(id);
			return;
		}
		if (event.type === "session_answer" || this.#open.get(id)?.target !== stream) return;
		try {
			const found = this.#store.get(id);
			const session = found instanceof Promise ? await found : found;
			const held = this.inside.usable();
			if (!session || !held) return this.#end(id);
			const text = told(held, session, event);
			if (text !== undefined) stream.send(text);
		} catch {
			// A client that comes back asks for what may have changed.
			stream.disconnect();
		}
	}

	/**
	 * Goes on with a stream behind an event; nothing where that event is not there any more.
	 * @param {string} id
	 * @param {string} name
	 * @param {number} number
	 * @param {string} idHead
	 */
	async #resume(id, name, number, idHead) {
		const live = this.#open.get(id)?.streams.get(name);
		live?.pause();
		const found = this.#events.after(id, name, number);
		const later = found instanceof Promise ? await found : found;
		if (!later) {
			live?.resume(undefined, 0);
			return undefined;
		}
		const connection = live?.connect() ?? new Connection(ignore);
		for (const { number, text } of later) if (text !== "") connection.write(eventText(idHead, number, text));
		const last = later.at(-1);
		if (last?.last) connection.close();
		else if (live) live.resume(connection, last?.number ?? number);
		else {
			// It goes on somewhere else: what is there by then, the client gets when it comes back.
			connection.write(`retry: ${this.#retryMs}\n\n`);
			connection.close();
		}
		return connection.stream;
	}
}

/** A name for a stream, which no other of its session has. */
const nameOf = () => crypto.randomUUID().replaceAll("-", "");

/** @param {Response} response @param {Record<string, string> | undefined} extra */
function withHeaders(response, extra) {
	for (const [name, value] of Object.entries(extra ?? {})) response.headers.set(name, value);
	return response;
}

const ignore = () => {};
