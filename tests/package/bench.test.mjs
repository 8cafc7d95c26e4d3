// The benchmark compares what it says: everyone gives the same right answers, and its numbers say no more than they can.

import assert from "node:assert/strict";
import { test } from "node:test";
import { run } from "../../bench/child.mjs";
import { interval, median, verdict } from "../../bench/measure.mjs";
import { operations } from "../../bench/operations.mjs";
import { plot, steepest } from "../../bench/plot.mjs";

for (const adapter of /** @type {const} */ (["duet", "sdk", "floor"])) {
	test(`every operation is answered rightly by ${adapter}`, async () => {
		for (const { side, what, via, era } of operations) {
			const small = what.replace(/1m|5000/, "1000").replace(/10000/, "100");
			const task = { adapter, side, what: small, via, era, warmMs: 0, sampleMs: 0, samples: 1 };
			const [sample] = await run(task);
			assert.ok(sample.wall > 0, `${adapter} ${side} ${what} ${via} ${era}`);
		}
	});
}

test("an interval holds the median with 95 % or says that it cannot", () => {
	assert.deepEqual(interval([3, 1, 2]), { low: 1, high: 3, confidence: 0.75 });
	assert.deepEqual(interval([6, 1, 5, 2, 4, 3]), { low: 1, high: 6, confidence: 1 - 2 / 64 });
	const many = Array.from({ length: 20 }, (_, n) => n + 1);
	const { low, high, confidence } = interval(many);
	assert.deepEqual([low, high], [6, 15]);
	assert.ok(confidence > 0.95 && confidence < 0.96);
	assert.equal(median([4, 1, 3, 2]), 2.5);
});

test("a bound is missed only where the whole interval lies beyond it", () => {
	assert.equal(verdict([1.1, 1.2, 1.3, 1.1, 1.2, 1.3], 1.05), "missed");
	assert.equal(verdict([1.0, 1.2, 1.3, 1.1, 1.2, 1.3], 1.05), "open");
	assert.equal(verdict([1.0, 1.0, 1.04, 1.01, 1.02, 1.03], 1.05), "met");
});

test("a curve that grows in proportion has steepness one", () => {
	const points = [1, 10, 100].map((size) => ({ size, microseconds: 3 * size }));
	const curve = { name: "calls", axis: "calls", points };
	assert.ok(Math.abs(steepest(curve) - 1) < 1e-9);
	assert.match(plot(curve), /^<svg .*<polyline points="70\.0,.*<\/svg>\n$/s);
});
