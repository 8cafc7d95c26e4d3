// What one isolate has open of a legacy session: its streams, and the calls that run.

/** The most GET streams of one session: one is enough for all messages, a second one while a client reconnects. */
export const MAX_STREAMS = 8;

/** What this isolate has open of one session. */
export class Open {
	/** When it was last used. */
	used = Date.now();

	/** Those that a client may come back to, by name. @type {Map<string, import("./server-session-stream.js").Stream>} */
	streams = new Map();
	/** Those that belong to no request, and what ends their subscriptions. @type {Map<import("./server-session-stream.js").Stream, () => unknown>} */
	own = new Map();
	/** The calls that run, by the JSON text of their ids. @type {Map<string, { cancel: (reason: unknown) => void }>} */
	calls = new Map();

	/** Where a message goes that belongs to no request: to one stream, if possible one that somebody reads. */
	get target() {
		const streams = [...this.own.keys()];
		return streams.findLast((stream) => stream.connected) ?? streams.at(-1);
	}

	/** Whether nothing of it goes on without the client coming back. */
	get isLeft() {
		return this.calls.size === 0 && [...this.streams.values()].every((stream) => !stream.connected);
	}

	end() {
		for (const call of this.calls.values()) call.cancel(new Error("the session has ended"));
		for (const [stream, unsubscribe] of this.own) {
			unsubscribe();
			stream.end(null);
		}
		for (const stream of this.streams.values()) stream.end(null);
		this.own.clear();
	}
}
