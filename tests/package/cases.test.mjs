// The cases from the field that tests/cases.json names: each is cited by a test that shows it.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

const tests = new URL("../", import.meta.url);

/** The text of everything in a folder that may hold tests. @param {URL} folder @returns {string[]} */
function texts(folder) {
	return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
		if (entry.isDirectory()) return entry.name === "node_modules" ? [] : texts(new URL(`${entry.name}/`, folder));
		const isTest = /\.(rs|mjs|json)$/.test(entry.name) && entry.name !== "cases.json";
		return isTest ? [readFileSync(new URL(entry.name, folder), "utf8")] : [];
	});
}

test("every case is cited by a test", () => {
	const cases = JSON.parse(readFileSync(new URL("cases.json", tests), "utf8"));
	assert.ok(Object.keys(cases).length >= 35);
	const all = texts(tests).join("\n");
	const cited = new Set(all.match(/\b[A-Z]{2}-\d\d\b/g));
	assert.deepEqual(
		Object.keys(cases).filter((id) => !cited.has(id)),
		[],
	);
});
