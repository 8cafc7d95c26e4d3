// Samples and what can be said about them.

/**
 * @typedef {object} Sample
 * @property {number} cpu microseconds of CPU time an operation, V8's helper threads included
 * @property {number} wall microseconds an operation
 */

/**
 * Runs an operation over and over, first unmeasured, then for some samples of a fixed time.
 * @param {() => unknown} operation
 * @param {{ warmMs?: number, sampleMs?: number, samples?: number }} [options]
 * @returns {Promise<Sample[]>}
 */
export async function sample(operation, { warmMs = 800, sampleMs = 200, samples = 3 } = {}) {
	/** @param {number} ms */
	const during = async (ms) => {
		const cpu = process.cpuUsage();
		const start = performance.now();
		let count = 0;
		let wall = 0;
		do {
			await operation();
			count++;
			wall = performance.now() - start;
		} while (wall < ms || count < 2);
		const { user, system } = process.cpuUsage(cpu);
		return { cpu: (user + system) / count, wall: (wall * 1000) / count };
	};
	await during(warmMs);
	const out = [];
	for (let n = 0; n < samples; n++) {
		globalThis.gc?.();
		out.push(await during(sampleMs));
	}
	return out;
}

/** @param {number[]} values */
export function median(values) {
	const sorted = [...values].sort((a, b) => a - b);
	const middle = sorted.length >> 1;
	return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * The narrowest interval between two of the values, as far from the lowest as from the highest, that holds
 * the true median with at least 95 %: by counting alone, whatever the distribution. Of fewer than six
 * values not even all of them reach that; then it is all of them, and `confidence` says how much it is.
 * @param {number[]} values
 * @returns {{ low: number, high: number, confidence: number }}
 */
export function interval(values) {
	const sorted = [...values].sort((a, b) => a - b);
	const n = sorted.length;
	/** The probability that `k` of `n` values or fewer lie below the median. @param {number} k */
	const tail = (k) => {
		let term = 0.5 ** n;
		let sum = 0;
		for (let i = 0; i <= k; i++) {
			sum += term;
			term = (term * (n - i)) / (i + 1);
		}
		return sum;
	};
	let cut = 0;
	while (2 * (cut + 1) < n && 1 - 2 * tail(cut + 1) >= 0.95) cut++;
	return { low: sorted[cut], high: sorted[n - 1 - cut], confidence: 1 - 2 * tail(cut) };
}

/**
 * Whether ratios that came out round by round keep to a bound. Missed only if the interval lies wholly beyond.
 * @param {number[]} ratios
 * @param {number} atMost
 * @returns {"met" | "open" | "missed"} open: the interval holds the bound
 */
export function verdict(ratios, atMost) {
	const { low, high } = interval(ratios);
	return low > atMost ? "missed" : high <= atMost ? "met" : "open";
}
