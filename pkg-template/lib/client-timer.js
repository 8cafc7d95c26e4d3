// One timer for all that a core waits for. It goes on from call to call: to set it anew for each costs more than to be
// rung for nothing once in a while.

export const FOREVER = 0xffffffff;
export const SAME = 0xfffffffe;

/**
 * All that a running timer holds on to: a client that nobody uses any longer goes before it rings.
 * @typedef {{ due: number, ring: (() => void) | undefined }} Alarm `due`: when it rings; 0 once it has, or if it never does
 */

/** @param {Alarm} alarm @param {number} delay */
const start = (alarm, delay) =>
	setTimeout(() => {
		alarm.due = 0;
		alarm.ring?.();
	}, delay);

export class Timer {
	/** @type {Alarm} */
	#alarm = { due: 0, ring: undefined };
	/** An object with `unref` where a program waits for its timers. @type {any} */
	#timer;
	#ring;

	/** @param {() => void} ring */
	constructor(ring) {
		this.#ring = ring;
	}

	/**
	 * Rings then, or before.
	 * @param {number} delay as the wait record has it
	 * @param {number} now
	 */
	set(delay, now) {
		if (delay === SAME) return;
		const alarm = this.#alarm;
		if (delay === FOREVER) {
			alarm.ring = undefined;
			if (this.#timer?.unref) this.#timer.unref();
			else this.stop();
			return;
		}
		alarm.ring = this.#ring;
		const due = now + delay;
		if (alarm.due > now && alarm.due <= due) {
			this.#timer.ref?.();
			return;
		}
		clearTimeout(this.#timer);
		alarm.due = due;
		this.#timer = start(alarm, delay);
	}

	stop() {
		clearTimeout(this.#timer);
		this.#alarm.due = 0;
		this.#alarm.ring = undefined;
	}
}
