// A tool's result as what a model is shown.

import { McpError } from "../errors.js";
import { decide, exactText, RESULT } from "./toolset-core.js";

/** @typedef {import("../toolset.js").ShapedResult} ShapedResult */

/**
 * @param {any} result an object, or JSON text, which keeps the digits of big integers
 * @returns {Promise<ShapedResult>}
 */
export async function shapeResult(result) {
	const isText = typeof result === "string";
	if (!isText && Object(result) !== result)
		throw new McpError("INVALID_ARGUMENT", `shapeResult takes a result of tools/call, got ${result}`);
	const { isError, text, images, links, others } = await decide(RESULT, isText ? result : exactText(brief(result)));
	const content = (isText ? JSON.parse(result) : result).content ?? [];
	/** @param {number[]} places */
	const pick = (places) => places.map((place) => content[place]);
	return { isError, text, images: pick(images), links: pick(links), others: pick(others) };
}

/**
 * What the core looks at: images and sounds stay here.
 * @param {any} result
 */
function brief(result) {
	const { isError, content } = result;
	const pieces = Array.isArray(content)
		? content.map((piece) => (piece?.type === "text" ? { type: "text", text: piece.text } : { type: piece?.type }))
		: undefined;
	// Present by its key, not by its value.
	return "structuredContent" in result
		? { isError, content: pieces, structuredContent: result.structuredContent }
		: { isError, content: pieces };
}
