// The runner's own judgement; the suite itself is not started here.

import assert from "node:assert/strict";
import { test } from "node:test";
import { compare } from "./expectations.mjs";
import { FINISHED, judge } from "./suite.mjs";

const check = (/** @type {string} */ id, /** @type {string} */ status) => ({ id, status });
const said = `a line\n${FINISHED}\n`;
const outcome = (/** @type {import("./suite.mjs").Check[]} */ checks, output = said) =>
	judge("x", "2026-07-28", checks, output, "").outcome;

test("a scenario passes when something was checked and nothing was wrong", () => {
	assert.equal(outcome([check("a", "SUCCESS"), check("b", "INFO"), check("c", "SKIPPED")]), "passed");
});

test("a failure fails, and so does a warning", () => {
	assert.equal(outcome([check("a", "SUCCESS"), check("b", "FAILURE")]), "failed");
	assert.equal(outcome([check("a", "SUCCESS"), check("b", "WARNING")]), "failed");
});

test("a client that did not reach its end fails whatever was checked", () => {
	assert.equal(outcome([check("a", "SUCCESS")], ""), "failed");
});

test("a scenario whose own checks are all skipped is skipped, and one without any fails", () => {
	assert.equal(outcome([check("wire-schema-valid", "SUCCESS"), check("a", "SKIPPED")]), "skipped");
	assert.equal(outcome([check("a", "INFO")]), "skipped");
	assert.equal(outcome([check("wire-schema-valid", "SUCCESS")]), "failed");
	assert.equal(outcome([]), "failed");
});

const result = (/** @type {string} */ scenario, /** @type {"passed" | "failed" | "skipped"} */ outcome) => ({
	scenario,
	revision: "2026-07-28",
	outcome,
	checks: 1,
	skippedChecks: 0,
	why: "",
});

test("listed outcomes are expected, others are not", () => {
	const list = { failed: { "client 2026-07-28 a": "no a yet" }, skipped: { "client 2026-07-28 b": "no b yet" } };
	const good = compare("client", [result("a", "failed"), result("b", "skipped"), result("c", "passed")], list, true);
	assert.deepEqual([good.unexpected.length, good.stale, good.counts], [0, [], { passed: 1, failed: 1, skipped: 1 }]);
	const bad = compare("client", [result("a", "failed"), result("b", "failed"), result("c", "skipped")], list, true);
	assert.deepEqual(
		bad.unexpected.map((verdict) => verdict.result.scenario),
		["b", "c"],
	);
});

test("an entry that came out otherwise or does not exist is stale, those of the other side are left alone", () => {
	const list = {
		failed: { "client 2026-07-28 a": "no a yet", "client 2026-07-28 gone": "no", "server 2026-07-28 a": "no" },
		skipped: {},
	};
	assert.equal(compare("client", [result("a", "passed")], list, true).stale.length, 2);
	assert.equal(compare("client", [result("a", "passed")], list, false).stale.length, 1);
});
