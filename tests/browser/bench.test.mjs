// The benchmark's pages, each visited once: everyone gets the right answer, or the visit throws.

import assert from "node:assert/strict";
import { test } from "node:test";
import { visits } from "../../bench/page.mjs";

test("every package's page lists and calls in the benchmark", async () => {
	const rows = await visits(1, () => {});
	assert.deepEqual(rows.map(({ adapter }) => adapter).sort(), ["duet", "floor", "sdk"]);
	for (const { adapter, ms } of rows) assert.ok(ms > 0, adapter);
});
