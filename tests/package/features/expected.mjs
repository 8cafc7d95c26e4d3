// The program, and what it gives wherever it runs.

import { readFileSync } from "node:fs";

/** The program; `specifiers` replace its imports where bare ones mean nothing. @param {Record<string, string>} [specifiers] */
export function program(specifiers = {}) {
	const source = readFileSync(new URL("program.js", import.meta.url), "utf8");
	return source.replaceAll(/from "(mcp-duet[^"]*)"/g, (_, name) => `from ${JSON.stringify(specifiers[name] ?? name)}`);
}

/** @param {string} way @param {"modern" | "legacy"} era */
const expected = (way, era) => {
	const cannotTell = way === "fetch" && era === "legacy";
	return {
		era,
		version: era === "modern" ? "2026-07-28" : "2025-11-25",
		instructions: "说明",
		tools: ["sum", "count", "wait", "ask", "fail"],
		sum: { sum: 42 },
		wrong: true,
		counted: "三",
		progress: [1, 2, 3].map((progress) => ({ progress, total: 3, message: `第${progress}步` })),
		failed: "坏了",
		missing: ["PROTOCOL", -32602],
		note: "你好，北京",
		bytes: "AQL/",
		weather: "北京：晴",
		prompt: "你好，北京",
		values: ["北京", "北海"],
		asked: cannotTell ? null : "北京 东京 file:///根",
		manual: era === "modern" ? true : null,
		reason: "不用了",
		told: cannotTell ? null : "the server has heard of it",
		many: Array.from({ length: 20 }, (_, a) => 2 * a),
		late: ["TIMED_OUT", null],
		after: { sum: 5 },
		closed: ["CLOSED", null],
	};
};

/** What the program gives. */
export const FEATURES = Object.fromEntries(
	["fetch", "function", "pipe"].flatMap((way) => [
		[`${way} auto`, expected(way, "modern")],
		[`${way} legacy`, expected(way, "legacy")],
	]),
);
