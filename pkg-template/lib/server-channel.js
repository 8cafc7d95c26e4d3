// A client whose messages come over a channel of its own, a pipe or a port: in the legacy era that is its session.

// Which text of a session the core is asked for.
const CHANGE = 0;
const LOG = 1;

export class Channel {
	/** The session's text, once `initialize` has opened it. */
	session = "";
	#inside;
	#send;
	#closed = false;
	/** @type {(() => unknown) | undefined} */
	#unsubscribe;

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

	/** From now on the client hears of changes. */
	async #follow() {
		const { bus } = this.#inside.subscriptions;
		const subscribed = bus.subscribe(
			(event) => this.#tell(event),
			() => {},
		);
		this.#unsubscribe = typeof subscribed === "function" ? subscribed : await subscribed;
		if (this.#closed) this.#unsubscribe();
	}

	/** @param {import("./server-listen.js").ChangeEvent} event */
	#tell(event) {
		const { type } = event;
		const held = this.#inside.usable();
		if (held === undefined || type === "session_answer" || type === "session_ended") return;
		const about = type === "log" ? JSON.stringify(event) : type === "resource_updated" ? `=${event.uri}` : type;
		const { live, core } = held;
		const [text] = live.call(() => {
			core.sessionText(live.mailbox.write(`${this.session}\n${about}`), type === "log" ? LOG : CHANGE);
			return live.mailbox.strings();
		});
		if (text !== undefined) this.#send(JSON.parse(text));
	}

	/** The client has gone. */
	close() {
		this.#closed = true;
		this.#unsubscribe?.();
	}
}
