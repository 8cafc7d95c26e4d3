// Keeps I/O in the request that it belongs to, where a runtime insists on that. In an edge worker, what a request
// has begun (fetches, streams, timers) may be touched by no other request and ends with it, without a word; and a
// request that waits for nothing of its own counts as hung. So every call takes a seat: a loop in the request that
// made it, which does the call's work there, beats, and lets time pass for all. One that beats no longer is gone.

import { clock, ignore, ORPHANED, TIME } from "./client-wire.js";

/** Milliseconds between two beats. */
const BEAT = 250;

/**
 * How many rounds of beats a seat may miss. They are counted, for a request that computes keeps all others from
 * beating, however long it takes.
 */
const MISSED = 4;

/**
 * @typedef {object} Seat
 * @property {boolean} taken whether its call is still waited for
 * @property {(() => void)[]} work what is to be done in its request
 * @property {() => void} ring wakes it
 * @property {number} round of its last beat
 * @property {boolean} buried
 * @property {(seat: Seat) => void} forget gives up its call, from the request of the seat given
 * @property {() => void} fail tells the caller, in its own request
 */

class RequestSeats {
	#wire;
	/** @type {Set<Seat>} */
	#all = new Set();
	#round = 0;
	/** When the last round began. */
	#begun = 0;
	/** When the core wants to hear that time has passed. */
	due = Number.POSITIVE_INFINITY;

	/** @param {import("./client-wire.js").Wire} wire */
	constructor(wire) {
		this.#wire = wire;
	}

	/**
	 * A seat in the request that is running now.
	 * @param {{ forget: (seat: Seat) => void, fail: () => void }} call
	 */
	sit({ forget, fail }) {
		/** @type {Seat} */
		const seat = { taken: true, work: [], ring: ignore, round: 0, buried: false, forget, fail };
		if (this.#all.size > 0 && clock() - this.#begun > BEAT * MISSED) {
			// Nobody has beaten for long: whatever the connection was doing goes out again. Those that are there beat again.
			for (const other of this.#all) {
				other.ring = ignore;
				this.#take(other, seat);
			}
		}
		this.#serve(seat);
		return seat;
	}

	/** @param {Seat} seat */
	leave(seat) {
		seat.taken = false;
		seat.ring();
	}

	/** Any seat, but rather that one. @param {Seat | undefined} seat */
	any(seat) {
		return seat && this.#all.has(seat) ? seat : [...this.#all].find(({ ring }) => ring !== ignore);
	}

	/**
	 * Runs `work` in the seat's request: at once, if that is the one that is running.
	 * @param {Seat | undefined} seat
	 * @param {() => void} work
	 */
	perform(seat, work) {
		if (seat === undefined || seat === this.#wire.seat) {
			work();
		} else {
			seat.work.push(work);
			seat.ring();
		}
	}

	/** @param {Seat} seat */
	async #serve(seat) {
		const wire = this.#wire;
		this.#all.add(seat);
		do {
			this.#beat(seat);
			if (wire.now() >= this.due) {
				this.due = Number.POSITIVE_INFINITY;
				wire.tell(TIME, 0, 0, "", seat);
			}
			for (let work = seat.work.shift(); work; work = seat.work.shift()) work();
			/** @type {ReturnType<typeof setTimeout> | undefined} */
			let timer;
			await new Promise((/** @type {(value?: unknown) => void} */ ring) => {
				seat.ring = ring;
				timer = setTimeout(ring, Math.max(0, Math.min(BEAT, this.due - wire.now())));
			});
			clearTimeout(timer);
			if (seat.buried) return seat.fail();
		} while (seat.taken || seat.work.length > 0 || this.#exchanges(seat).length > 0);
		this.#all.delete(seat);
	}

	/** @param {Seat} seat */
	#beat(seat) {
		const now = clock();
		if (now - this.#begun >= BEAT) {
			this.#begun = now;
			this.#round++;
		}
		seat.round = this.#round;
		for (const other of this.#all) {
			if (this.#round - other.round <= MISSED) continue;
			this.#all.delete(other);
			other.buried = true;
			other.ring = ignore;
			this.#take(other, seat);
			other.forget(seat);
		}
	}

	/** @param {Seat} seat */
	#exchanges = (seat) => [...this.#wire.exchanges.values()].filter((exchange) => exchange.seat === seat);

	/**
	 * What the connection waits for in a request that is gone goes out again from another.
	 * @param {Seat} gone
	 * @param {Seat} seat
	 */
	#take(gone, seat) {
		for (const exchange of this.#exchanges(gone)) {
			this.#wire.unhold(exchange);
			if (exchange.call) continue;
			this.#wire.forget(exchange);
			this.#wire.tell(ORPHANED, exchange.number, 0, "", seat);
		}
	}
}

/** @typedef {RequestSeats} Seating */

/** Only where requests keep their I/O apart. */
export const Seats = globalThis.navigator?.userAgent === "Cloudflare-Workers" ? RequestSeats : undefined;
