// What came back, shown: contents of every kind, and errors with their codes.

import { h, longText, pretty } from "./dom.js";

/** Types that an <img> or <audio> may be given; anything else is offered as a file. */
const SHOWN = /^(image|audio)\/[\w.+-]+$/;

/** @param {string} label @param {unknown} value @param {boolean} [open] */
export function fold(label, value, open = false) {
	return h("details", { className: "fold", open }, h("summary", {}, label), longText(pretty(value)));
}

/** @param {string | undefined} mimeType @param {string} data base64 @param {string} name */
function media(mimeType, data, name) {
	const type = mimeType ?? "application/octet-stream";
	const href = `data:${SHOWN.test(type) ? type : "application/octet-stream"};base64,${data}`;
	if (SHOWN.test(type) && type.startsWith("image/"))
		return h("img", { src: href, alt: `Image from the server: ${name}` });
	if (SHOWN.test(type)) return h("audio", { src: href, controls: true });
	const bytes = Math.floor((data.replace(/=+$/, "").length * 3) / 4);
	return h("a", { href, download: name.split("/").pop() || "content" }, `Save ${bytes} bytes of ${type}`);
}

/** @param {any} contents one entry of `contents`, or the resource in a content block */
function resource(contents) {
	const body =
		typeof contents?.blob === "string"
			? media(contents.mimeType, contents.blob, contents.uri ?? "content")
			: longText(String(contents?.text ?? ""));
	const caption = h(
		"figcaption",
		{},
		h("code", {}, String(contents?.uri ?? "")),
		" ",
		h("span", { className: "muted" }, contents?.mimeType ?? ""),
	);
	return h("figure", {}, caption, body);
}

/**
 * One content block.
 * @param {any} block
 * @param {(uri: string) => void} onRead called when the person follows a resource link
 */
function content(block, onRead) {
	switch (block?.type) {
		case "text":
			return longText(String(block.text), "text");
		case "image":
		case "audio":
			return media(block.mimeType, String(block.data), block.type);
		case "resource":
			return resource(block.resource);
		case "resource_link": {
			const button = h(
				"button",
				{ type: "button", className: "quiet small" },
				`Read ${block.title ?? block.name ?? block.uri}`,
			);
			button.addEventListener("click", () => onRead(block.uri));
			return h("p", {}, button, " ", h("span", { className: "muted" }, block.description ?? block.uri));
		}
		default:
			return longText(pretty(block));
	}
}

/** @param {any} result of tools/call @param {(uri: string) => void} onRead */
export function toolResult(result, onRead) {
	const blocks = Array.isArray(result?.content) ? result.content : [];
	return [
		result?.isError &&
			h("p", { className: "says" }, h("span", { className: "chip bad" }, "isError"), " The tool says that it failed:"),
		...blocks.map((/** @type {any} */ block) => content(block, onRead)),
		result?.structuredContent !== undefined && fold("Structured content", result.structuredContent),
		fold("The whole result", result),
	];
}

/** @param {any} result of resources/read */
export function readResult(result) {
	return [...(result?.contents ?? []).map(resource), fold("The whole result", result)];
}

/** @param {any} result of prompts/get @param {(uri: string) => void} onRead */
export function promptResult(result, onRead) {
	const messages = (result?.messages ?? []).map((/** @type {any} */ { role, content: block }) =>
		h("div", { className: "message" }, h("span", { className: "chip" }, role), content(block, onRead)),
	);
	return [result?.description && h("p", {}, result.description), ...messages, fold("The whole result", result)];
}

/**
 * An error of the package (or any other), with what a developer needs to look it up.
 * @param {any} error
 */
export function errorCard(error) {
	const facts = [
		["JSON-RPC error", error?.rpcCode ?? error?.rpcError?.code],
		["HTTP status", error?.status],
		["Caused by", error?.cause && String(error.cause.message ?? error.cause)],
	].filter(([, value]) => value !== undefined && value !== "");
	return h(
		"div",
		{ className: "failure" },
		h(
			"p",
			{ className: "says" },
			h("span", { className: "chip bad" }, String(error?.code ?? error?.name ?? "Error")),
			" ",
			String(error?.message ?? error),
		),
		facts.length > 0 &&
			h("dl", {}, ...facts.flatMap(([name, value]) => [h("dt", {}, String(name)), h("dd", {}, String(value))])),
		error?.body && fold("Body of the answer", String(error.body)),
		error?.data !== undefined && fold("Data of the error", error.data, true),
	);
}
