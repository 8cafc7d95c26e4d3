// One timer for all that the cores of all clients wait for. It goes on from call to call: to set it anew for each costs
// more than to be rung for nothing once in a while.

import { clock } from "./client-wire.js";

/** The delays of wait records that are none. */
export const FOREVER = 0xffffffff;
export const SAME = 0xfffffffe;

/** @type {Set<Timer>} */
const waiting = new Set();
/** An object with `unref` where a program waits for its timers. @type {any} */
let timer;
/** When it rings; 0 where it does not. */
let rings = 0;

/** @param {number} due @param {number} now */
function start(due, now) {
	clearTimeout(timer);
	rings = due;
	// A fraction too much would be too much for a timer.
	timer = setTimeout(ring, Math.round(due - now));
}

function stop() {
	clearTimeout(timer);
	rings = 0;
}

function ring() {
	rings = 0;
	const now = clock();
	for (const one of [...waiting]) {
		if (one.due <= now) {
			waiting.delete(one);
			one.ring();
		}
	}
	for (const { due } of waiting) if (rings === 0 || due < rings) start(due, now);
}

/** What one client waits for. */
export class Timer {
	due = 0;
	ring;

	/** @param {() => void} ring */
	constructor(ring) {
		this.ring = ring;
	}

	/** @param {number} delay as the wait record has it */
	set(delay) {
		if (delay === SAME) return;
		if (delay === FOREVER) {
			waiting.delete(this);
			if (waiting.size > 0) return;
			if (timer?.unref) timer.unref();
			else stop();
			return;
		}
		const now = clock();
		this.due = now + delay;
		waiting.add(this);
		if (rings > now && rings <= this.due) timer.ref?.();
		else start(this.due, now);
	}

	/** It waits for nothing any longer. */
	stop() {
		waiting.delete(this);
		if (waiting.size === 0) stop();
	}
}
