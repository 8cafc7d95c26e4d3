// The calls into the toolset's wasm; src/js/toolset.rs is the other half.

import { McpError } from "../errors.js";
import { acquire } from "./core.js";

export const CONFIG = 0;
export const EXPAND = 1;
export const SHAPE_OF_HEADERS = 2;
export const NAMES = 3;
export const RESULT = 4;
export const QUESTION = 5;
export const ANSWER = 6;

/**
 * @param {number} what
 * @param {unknown} input JSON text, or what becomes one
 * @returns {Promise<any>}
 */
export async function decide(what, input) {
	// Nothing is null there, and refused as such.
	const text = typeof input === "string" ? input : (JSON.stringify(input) ?? "null");
	const live = await acquire("toolset");
	const [answer, problem] = live.call(() => {
		live.glue.toolset(what, live.mailbox.write(text));
		return live.mailbox.strings();
	});
	if (problem !== "") throw new McpError("INVALID_ARGUMENT", problem);
	return JSON.parse(answer);
}

/**
 * A value as JSON text. A BigInt keeps its digits.
 * @param {unknown} value
 */
export function exactText(value) {
	/** @type {string | undefined} a text that stands in no value */
	let mark;
	const text = JSON.stringify(value, (_, member) => {
		if (typeof member !== "bigint") return member;
		mark ??= crypto.randomUUID();
		return `${mark}${member}`;
	});
	return mark === undefined ? text : text.replaceAll(new RegExp(`"${mark}(-?\\d+)"`, "g"), "$1");
}
