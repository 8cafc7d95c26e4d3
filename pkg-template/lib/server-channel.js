// A client whose messages come over a channel of its own, a pipe or a port: in the legacy era that is its session.

// Which text of a session the core is asked for.
const CHANGE = 0;
const LOG = 1;

/** After how many milliseconds a channel tries again to hear of a bus that has failed. */
const AGAIN_MS = 5_000;

const LISTS = /** @type {const} */ (["tools_list_changed", "prompts_list_changed", "resources_list_changed"]);

/**
 * Texts of a session; src/js/sessions.rs says which.
 * @param {import("./server-parts.js").Held} held
 * @param {string} session its text
 * @param {string} about
 * @param {number} how
 * @returns {string[]}
 */
export const textsOf = ({ live, core }, session, about, how) =>
	live.call(() => {
		core.sessionText(live.mailbox.write(`${session}\n${about}`), how);
		return live.mailbox.strings();
	});

/**
 * What the client of a session is told of an event, if it is told at all.
 * @param {import("./server-parts.js").Held} held
 * @param {string} session
 * @param {import("./server-listen.js").ChangeEvent} event
 * @returns {string | undefined}
 */
export function told(held, session, event) {
	const { type } = event;
	if (type === "log") return textsOf(held, session, JSON.stringify(event), LOG)[0];
	return textsOf(held, session, type === "resource_updated" ? `=${event.uri}` : type, CHANGE)[0];
}

export class Channel {
	/** The session's text, once `initialize` has opened it. */
	session = "";
	#inside;
	#send;
	#closed = false;
	/** @type {(() => void) | undefined} */
	#unsubscribe;
	/** @type {ReturnType<typeof setTimeout> | undefined} */
	#timer;

	/** @param {import("./server.js").Inside} inside @param {(message: any) => void} send */
	constructor(inside, send) {
		this.#inside = inside;
		this.#send = send;
	}

	/** Who the client has said it is. */
	get client() {
		return this.session === "" ? undefined : JSON.parse(this.session);
	}

	/** @param {string} session */
	keep(session) {
		const isNew = this.session === "";
		this.session = session;
		if (isNew) this.#follow();
	}

	/** From now on the client hears of changes. @param {readonly (typeof LISTS)[number][]} [missed] what it may have missed */
	async #follow(missed = []) {
		// A channel cannot be sent away to come back: it hears of everything once the bus works again.
		const again = () => {
			clearTimeout(this.#timer);
			this.#timer = setTimeout(() => {
				if (!this.#closed && !subscriptions.closed) this.#follow(LISTS).catch(() => {});
			}, AGAIN_MS);
			/** @type {any} */ (this.#timer).unref?.();
		};
		const { subscriptions } = this.#inside;
		try {
			this.#unsubscribe = await subscriptions.subscribe((event) => this.#tell(event), again);
		} catch {
			return again();
		}
		if (this.#closed) this.#unsubscribe();
		for (const type of missed) this.#tell({ type });
	}

	/** @param {import("./server-listen.js").ChangeEvent} event */
	#tell(event) {
		const { type } = event;
		const held = this.#inside.usable();
		if (this.#closed || held === undefined || type === "session_answer" || type === "session_ended") return;
		const text = told(held, this.session, event);
		if (text !== undefined) this.#send(JSON.parse(text));
	}

	/** The client has gone. */
	close() {
		this.#closed = true;
		clearTimeout(this.#timer);
		this.#unsubscribe?.();
	}
}
