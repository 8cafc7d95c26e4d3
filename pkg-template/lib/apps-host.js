// Puts Views on a page: `mountApp`, and what goes with it.

import { McpError } from "../errors.js";
import { linkOf } from "./apps-client.js";
import { HANDLERS, MountedApp, textOf } from "./apps-frame.js";
import { acquire } from "./core.js";

export { SANDBOX_PAGE, sandboxPage, sandboxResponse } from "./apps-sandbox.js";

/** What a client declares that can show Views, for its `capabilities`. */
export const APPS_CAPABILITIES = {
	extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } },
};

/** What the inner frame may do: with an origin, which its storage and its requests need, or without one. */
const SANDBOX = "allow-scripts allow-same-origin allow-forms";
const OPAQUE_SANDBOX = "allow-scripts allow-forms";

/** Texts of a resource up to this length are shown to the core; of longer ones it need only know that they are there. */
const SHOWN = 64;

/** What an application hears of. */
const LISTENERS = ["onSizeChanged", "onLog", "onRequestTeardown", "onToolsChanged", "onWarning", "onError"];

/** @param {string} message @returns {never} */
function wrong(message) {
	throw new McpError("INVALID_ARGUMENT", message);
}

/** The URI of a tool's View; `undefined` where it has none. @param {any} tool @returns {Promise<string | undefined>} */
export async function appUri(tool) {
	const live = await acquire("apps");
	live.call(() => live.glue.appsUri(live.mailbox.write(JSON.stringify(tool ?? null))));
	return live.mailbox.strings()[0] || undefined;
}

/** The tools that a model is to see. @template T @param {T[]} tools @returns {Promise<T[]>} */
export async function toolsForModel(tools) {
	const live = await acquire("apps");
	live.call(() => live.glue.appsModelTools(live.mailbox.write(JSON.stringify(tools))));
	return live.mailbox.numbers().map((at) => tools[at]);
}

/**
 * Tells every View of a client what its server has notified; others than of lists that changed do nothing.
 * @param {any} client
 * @param {{ method: string }} notification
 */
export function relayToApps(client, notification) {
	if (notification.method.endsWith("/list_changed")) linkOf(client).changed(notification.method);
}

/** Opens a link where it can neither reach this page nor see where it comes from. @param {string} url */
export function openInNewTab(url) {
	globalThis.open(url, "_blank", "noopener,noreferrer");
}

/** The text of a document that came as text or as base64. @param {any} item @returns {string} */
function documentText({ text, blob }) {
	if (typeof text === "string") return text;
	try {
		return new TextDecoder().decode(Uint8Array.from(atob(blob), (character) => character.charCodeAt(0)));
	} catch (cause) {
		throw new McpError("INVALID_RESULT", "expected the View's blob to be base64", { cause });
	}
}

/**
 * The View's document and what it declares.
 * @param {import("./apps-client.js").Link} link
 * @param {string} uri
 * @param {any} options
 */
async function readDocument(link, uri, { resource, olderSpellings = false, signal }) {
	const result = resource ?? (await link.request("resources/read", { uri }, { signal }));
	const live = await acquire("apps");
	const short = (/** @type {string} */ key, /** @type {unknown} */ value) =>
		(key === "text" || key === "blob") && typeof value === "string" ? value.slice(0, SHOWN) : value;
	const asked = JSON.stringify({ result, uri, tolerant: olderSpellings }, short);
	live.call(() => live.glue.appsDocument(live.mailbox.write(asked)));
	const [at] = live.mailbox.numbers();
	let [ui] = live.mailbox.strings();
	if (!ui && resource === undefined) {
		// A server may say it in its list instead; one that has no list says nothing.
		const resources = await link.list("resources/list", "resources").catch(() => []);
		live.call(() => live.glue.appsListed(live.mailbox.write(JSON.stringify({ resources, uri }))));
		[ui] = live.mailbox.strings();
	}
	return { html: documentText(result.contents[at]), ui: ui ? JSON.parse(ui) : {} };
}

/** The sandbox's address for this View. @param {any} options @param {string} host @param {any} details */
function sandboxUrl({ sandbox }, host, details) {
	const given = typeof sandbox === "function" ? sandbox(details) : sandbox;
	let url;
	try {
		url = new URL(given, globalThis.location?.href);
	} catch {
		return wrong(`sandbox must be the URL of the sandbox page, got ${given}`);
	}
	if (url.origin === host || url.origin === "null")
		return wrong(`the sandbox page must be on another origin than this page, got ${url.origin}`);
	url.searchParams.set("host", host);
	if (details.csp) url.searchParams.set("csp", JSON.stringify(details.csp));
	return url;
}

/** What can be told of this page without being asked. @param {any} options */
function ownContext({ context = {}, container, maxHeight }) {
	const view = container.ownerDocument.defaultView;
	const matches = (/** @type {string} */ query) => view.matchMedia(query).matches;
	return {
		theme: matches("(prefers-color-scheme: dark)") ? "dark" : "light",
		displayMode: "inline",
		availableDisplayModes: ["inline"],
		locale: view.navigator.language,
		timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
		platform: "web",
		deviceCapabilities: { touch: matches("(any-pointer: coarse)"), hover: matches("(any-hover: hover)") },
		containerDimensions: dimensions(container, maxHeight),
		...context,
	};
}

/** @param {HTMLElement} container @param {number} [maxHeight] */
const dimensions = ({ clientWidth }, maxHeight) => ({
	...(clientWidth > 0 && { width: clientWidth }),
	...(maxHeight !== undefined && { maxHeight }),
});

/** Tells the View what changes in what nobody has set. @param {MountedApp} app @param {any} options */
function follow(app, { context = {}, container, maxHeight, autoWidth }) {
	const view = container.ownerDocument.defaultView;
	const life = new AbortController();
	app.closed.then(() => life.abort());
	if (context.theme === undefined) {
		const dark = view.matchMedia("(prefers-color-scheme: dark)");
		const changed = () => app.updateContext({ theme: dark.matches ? "dark" : "light" });
		dark.addEventListener("change", changed, { signal: life.signal });
	}
	if (context.containerDimensions === undefined && !autoWidth) {
		const observer = new view.ResizeObserver(() =>
			app.updateContext({ containerDimensions: dimensions(container, maxHeight) }),
		);
		observer.observe(container);
		life.signal.addEventListener("abort", () => observer.disconnect());
	}
}

/** @param {any} options */
function check(options) {
	const { client, tool, container, sandbox } = options ?? {};
	if (typeof client?.request !== "function")
		wrong("client must be a client of the tool's server, with a request method");
	if (typeof tool?.name !== "string") wrong("tool must be a tool as the server lists it");
	if (typeof container?.append !== "function") wrong("container must be the element to put the View into");
	if (sandbox === undefined) wrong("sandbox must be the URL of the sandbox page, on another origin");
	const { isolation = "origin", context = {}, maxHeight = 1 } = options;
	for (const name of [...Object.values(HANDLERS), ...LISTENERS, "onToolCall"]) {
		if (options[name] !== undefined && typeof options[name] !== "function") wrong(`${name} must be a function`);
	}
	if (isolation !== "origin" && isolation !== "opaque")
		wrong(`isolation must be "origin" or "opaque", got ${isolation}`);
	if (Object(context) !== context || Array.isArray(context)) wrong("context must be an object");
	if (!(typeof maxHeight === "number" && maxHeight > 0)) wrong(`maxHeight must be a number above 0, got ${maxHeight}`);
}

/**
 * Shows the View of a tool call.
 * @param {any} options
 * @returns {Promise<MountedApp>}
 */
export async function mountApp(options) {
	check(options);
	const { client, tool, container, wasm = false, permissions, limits, hostInfo, capabilities, callId } = options;
	const uri = await appUri(tool);
	if (uri === undefined) return wrong(`the tool ${tool.name} has no View`);
	const link = linkOf(client);
	const [serverCapabilities, { html, ui }] = await Promise.all([link.capabilities(), readDocument(link, uri, options)]);
	options.signal?.throwIfAborted();
	const view = container.ownerDocument.defaultView;

	const live = await acquire("apps");
	const opaque = options.isolation === "opaque";
	const asked = JSON.stringify({ ui, granted: permissions, opaque });
	live.call(() => live.glue.appsFrame(live.mailbox.write(asked), wasm));
	const [policy, allow, sources, granted, ...refused] = live.mailbox.strings();
	const csp = sources ? JSON.parse(sources) : undefined;
	const url = sandboxUrl(options, view.location.origin, { uri, ui, csp, policy });
	const inner = opaque ? OPAQUE_SANDBOX : SANDBOX;
	const document = { html, sandbox: inner, csp, permissions: JSON.parse(granted), policy, allow };

	const frame = container.ownerDocument.createElement("iframe");
	frame.setAttribute("sandbox", SANDBOX);
	frame.allow = allow;
	frame.title = tool.title ?? tool.annotations?.title ?? tool.name;
	frame.referrerPolicy = "no-referrer";
	frame.style.cssText = "display:block;width:100%;border:0";

	const handled = Object.keys(HANDLERS).filter((method) => options[HANDLERS[method]]);
	const own = ownContext(options);
	const settings = {
		...{ hostInfo, capabilities, serverCapabilities, handled, limits, ui: { ...ui, csp }, granted: permissions },
		logs: options.onLog !== undefined,
		tolerant: options.olderSpellings === true,
		context: { toolInfo: { ...(callId !== undefined && { id: callId }), tool }, ...own },
	};
	const core = textOf(settings, "what the host says of itself");
	const host = live.call(() => new live.glue.AppsHost(live.mailbox.write(core), Date.now()));
	const app = new MountedApp({
		live,
		core: host,
		link,
		options: { ...options, ui },
		frame,
		origin: url.origin,
		document,
	});
	for (const source of refused) options.onWarning?.(`left out of the policy: ${source}`);

	// The listener is there before anything can speak.
	container.append(frame);
	frame.src = url.href;
	follow(app, options);
	try {
		if (options.arguments !== undefined) app.sendToolInput(options.arguments);
	} catch (error) {
		app.end();
		throw error;
	}
	if (options.result !== undefined) end(app, options);
	return app;
}

/** @param {MountedApp} app @param {any} options */
async function end(app, { result, onError }) {
	try {
		let settled;
		try {
			settled = await result;
		} catch (error) {
			return app.sendToolCancelled(error instanceof Error ? error.message : String(error));
		}
		app.sendToolResult(settled);
	} catch (error) {
		onError?.(error);
	}
}
