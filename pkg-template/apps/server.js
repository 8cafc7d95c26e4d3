// The server's side of MCP Apps: what a tool and its View say about each other. Pure additions to definitions, so
// that they fit any server that registers tools and resources as this package's does.

import { McpError } from "../errors.js";
import { EXTENSION, META_RESOURCE_URI, META_UI, MIME_TYPE, URI_PREFIX, VISIBILITY } from "../lib/apps-facts.js";

export { EXTENSION as APPS_EXTENSION, MIME_TYPE as APPS_MIME_TYPE } from "../lib/apps-facts.js";
export { McpError };

/** What a server says of itself in `capabilities.extensions`. */
export const appsExtension = { [EXTENSION]: {} };

/** @param {string} what @param {string} why */
const refuse = (what, why) => new McpError("INVALID_DEFINITION", `${what}: ${why}`);

/**
 * @param {unknown} uri
 * @param {string} what
 */
function checkUri(uri, what) {
	if (typeof uri !== "string" || !uri.startsWith(URI_PREFIX))
		throw refuse(what, `the URI of a View begins with ${URI_PREFIX}, and this one is ${JSON.stringify(uri)}`);
}

/**
 * The tool's `_meta`, with both ways to name its View.
 * @param {string} name
 * @param {any} config
 */
function toolMeta(name, { ui, _meta }) {
	const what = `tool "${name}"`;
	const own = { ..._meta?.[META_UI], ...ui };
	if (own.csp || own.permissions) throw refuse(what, "csp and permissions belong to the View's resource");
	const { visibility } = own;
	if (visibility !== undefined && !(Array.isArray(visibility) && visibility.every((one) => VISIBILITY.includes(one))))
		throw refuse(what, `visibility is a list of ${VISIBILITY.join(" and ")}, not ${JSON.stringify(visibility)}`);
	const uri = own.resourceUri ?? _meta?.[META_RESOURCE_URI];
	if (uri === undefined) return { ..._meta, [META_UI]: own };
	checkUri(uri, what);
	return { [META_RESOURCE_URI]: uri, ..._meta, [META_UI]: { ...own, resourceUri: uri } };
}

/** A result that only a View could show gets text for those who have none. @param {any} output */
function withText(output) {
	if (output?.structuredContent === undefined || output.content?.length > 0) return output;
	return { ...output, content: [{ type: "text", text: JSON.stringify(output.structuredContent) }] };
}

/**
 * @param {any} config
 * @param {(...values: any[]) => any} handler
 */
function answering({ outputSchema }, handler) {
	// What a library's schema makes of the output, only the server knows; it also adds the text.
	if (outputSchema?.["~standard"] || typeof handler !== "function") return handler;
	return async (/** @type {any[]} */ ...values) => withText(await handler(...values));
}

/** @param {any} definition */
export function appTool({ ui, ...definition }) {
	const { name, handler, _meta } = definition;
	return { ...definition, _meta: toolMeta(name, { ui, _meta }), handler: answering(definition, handler) };
}

/**
 * @param {any} server
 * @param {string} name
 * @param {any} config
 * @param {(...values: any[]) => any} handler
 */
export function registerAppTool(server, name, { ui, ...config }, handler) {
	const { _meta } = config;
	return server.registerTool(name, { ...config, _meta: toolMeta(name, { ui, _meta }) }, answering(config, handler));
}

/**
 * The resource's members apart from what reads it, and what does.
 * @param {string} uri
 * @param {any} config
 * @param {unknown} html text, or what gives it
 */
function view(uri, { ui, mimeType = MIME_TYPE, _meta, ...config }, html) {
	const what = `resource ${uri}`;
	checkUri(uri, what);
	if (mimeType !== MIME_TYPE) throw refuse(what, `the type of a View is ${MIME_TYPE}, not ${mimeType}`);
	if (typeof html !== "string" && typeof html !== "function")
		throw refuse(what, "needs the HTML, or a function for it");
	const own = ui ?? _meta?.[META_UI];
	/** Hosts look at the contents first, then at the list: it says the same at both. @param {any} item */
	const complete = (item) => {
		const meta = { ...(own && { [META_UI]: own }), ...item._meta };
		return { uri, mimeType, ...item, ...(Object.keys(meta).length > 0 && { _meta: meta }) };
	};
	/** @param {unknown} asked @param {any[]} more */
	const read = async (asked, ...more) => {
		const output = typeof html === "function" ? await html(String(asked), ...more) : html;
		if (typeof output === "string") return { contents: [complete({ text: output })] };
		if (output instanceof Uint8Array) return { contents: [complete({ text: new TextDecoder().decode(output) })] };
		if (Array.isArray(output)) return { contents: output.map(complete) };
		return Array.isArray(output?.contents) ? { ...output, contents: output.contents.map(complete) } : output;
	};
	const listed = own ? { ...config, mimeType, _meta: { ..._meta, [META_UI]: own } } : { ...config, mimeType, _meta };
	return { listed, read };
}

/** @param {any} definition */
export function appResource({ uri, html, ...definition }) {
	const { listed, read } = view(uri, definition, html);
	return { ...listed, uri, read };
}

/**
 * @param {any} server
 * @param {string} name
 * @param {string} uri
 * @param {any} config
 * @param {unknown} html
 */
export function registerAppResource(server, name, uri, config, html) {
	const { listed, read } = view(uri, config, html);
	return server.registerResource(name, uri, listed, read);
}

/**
 * What a client says of the extension: in `initialize` in the legacy era, with each request in the modern one.
 * @param {any} context a handler's, or capabilities
 */
export function uiCapability(context) {
	const capabilities = context?.clientCapabilities ?? context;
	return capabilities?.extensions?.[EXTENSION];
}

/** @param {any} context a handler's, or capabilities */
export function supportsViews(context) {
	const capability = uiCapability(context);
	// Required by the specification, and left out by some hosts.
	const { mimeTypes = [MIME_TYPE] } = capability ?? { mimeTypes: [] };
	return Array.isArray(mimeTypes) && mimeTypes.includes(MIME_TYPE);
}
