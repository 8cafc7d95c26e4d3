// The checks that npm test and its long campaigns run.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { propertyTests, steps } from "../../scripts/test/steps.mjs";

test("the long campaign has every native test that states properties, and no other", async () => {
	const folder = new URL("../", import.meta.url);
	const stating = readdirSync(folder).filter(
		(name) =>
			name.endsWith(".rs") && /^\s*(proptest::)?proptest! \{/m.test(readFileSync(new URL(name, folder), "utf8")),
	);
	const names = stating.map((name) => name.slice(0, -3)).sort();
	assert.ok(names.length >= 11, names.join());
	assert.deepEqual(propertyTests().sort(), names);
	const { args } = (await steps()).find(({ name }) => name === "properties") ?? { args: [] };
	for (const name of names) assert.ok(args.join(" ").includes(`--test ${name}`), name);
});
