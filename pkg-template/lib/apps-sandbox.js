// The sandbox page: stands between a host and a View, on an origin of its own, and hands messages on.

import { McpError } from "../errors.js";
import { acquire } from "./core.js";

/**
 * What the page does. It is text because it runs elsewhere: the build also writes it to `apps/sandbox.html`.
 *
 * The policy comes as a header where a server sends one, and again with the document, for servers that cannot;
 * what both say is the same, and a frame made afterwards inherits both. A frame that shows another document than
 * the View's is taken out, for whatever is in it would speak as the View.
 */
export const SANDBOX_PAGE = `<!doctype html>
<meta charset="utf-8">
<title>sandbox</title>
<style>
	html, body, iframe { display: block; width: 100%; height: 100%; margin: 0; border: 0; overflow: hidden; }
</style>
<body>
<script>
(() => {
	"use strict";
	const READY = "ui/notifications/sandbox-proxy-ready";
	const DOCUMENT = "ui/notifications/sandbox-resource-ready";
	const NAVIGATED = "ui/notifications/sandbox-navigated";
	const DEFAULT_POLICY =
		"default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
		"media-src 'self' data:; connect-src 'none'; frame-src 'none'; object-src 'none'; base-uri 'self'; form-action 'none'";
	const refuse = (why) => {
		document.body.textContent = why;
	};
	const host = new URLSearchParams(location.search).get("host");
	if (parent === window || !host) return refuse("This page holds a View for the page that frames it and names itself.");
	let reachable = false;
	try {
		reachable = parent.document !== undefined;
	} catch {
		// As it should be.
	}
	if (reachable) return refuse("This page has to be on another origin than the page that frames it.");

	let frame;
	let ownOrigin = location.origin;
	const isOurs = (data) =>
		typeof data === "object" && data !== null && typeof data.method === "string" && data.method.startsWith("ui/notifications/sandbox-");
	const tell = (method) => parent.postMessage({ jsonrpc: "2.0", method, params: {} }, host);

	const show = ({ html, sandbox = "allow-scripts allow-same-origin allow-forms", policy = DEFAULT_POLICY, allow = "" }) => {
		const meta = document.createElement("meta");
		meta.httpEquiv = "Content-Security-Policy";
		meta.content = policy;
		document.head.append(meta);
		const isOpaque = !sandbox.split(" ").includes("allow-same-origin");
		if (isOpaque) ownOrigin = "null";
		frame = document.createElement("iframe");
		frame.setAttribute("sandbox", sandbox);
		frame.allow = allow;
		if (isOpaque) frame.srcdoc = html;
		document.body.append(frame);
		let view;
		if (!isOpaque) {
			view = frame.contentDocument;
			view.open();
			view.write(html);
			view.close();
		}
		let loads = 0;
		frame.addEventListener("load", () => {
			loads++;
			if (isOpaque ? loads === 1 : frame.contentDocument === view) return;
			frame.remove();
			tell(NAVIGATED);
		});
	};

	addEventListener("message", ({ source, origin, data }) => {
		if (source === parent && origin === host) {
			if (data?.method === DOCUMENT && data.params) {
				if (!frame) show(data.params);
			} else if (!isOurs(data)) {
				frame?.contentWindow?.postMessage(data, ownOrigin === "null" ? "*" : ownOrigin);
			}
		} else if (frame?.contentWindow && origin === ownOrigin && (source === frame.contentWindow || source === window)) {
			// WebKit names this window as the source of what its frame sends.
			if (!isOurs(data)) parent.postMessage(data, host);
		}
	});

	// Again until there is a document: a host may begin to listen late.
	let left = 120;
	const announce = () => {
		if (frame || left-- === 0) return;
		tell(READY);
		setTimeout(announce, 250);
	};
	announce();
})();
</script>
`;

/**
 * Answers a request for the sandbox page, with the policy that its address asks for.
 * @param {Request | string | URL} request
 * @param {{ hosts?: string[], wasm?: boolean }} [options]
 */
export async function sandboxPage(request, { hosts = [], wasm = false } = {}) {
	const url = new URL(typeof request === "string" || request instanceof URL ? request : request.url);
	const declared = url.searchParams.get("csp") ?? "";
	if (!Array.isArray(hosts)) throw new McpError("INVALID_ARGUMENT", "hosts must be an array of origins");
	const live = await acquire("apps");
	live.call(() => live.glue.appsSandbox(live.mailbox.write([declared, ...hosts].join("\0")), wasm));
	const parts = live.mailbox.strings();
	/** @type {Record<string, string>} */
	const headers = {};
	for (let at = 0; at + 1 < parts.length; at += 2) headers[parts[at]] = parts[at + 1];
	return { html: SANDBOX_PAGE, headers };
}

/**
 * The same as a Response, for servers that have a `fetch` handler.
 * @param {Request} request
 * @param {{ hosts?: string[], wasm?: boolean }} [options]
 */
export async function sandboxResponse(request, options) {
	try {
		const { html, headers } = await sandboxPage(request, options);
		return new Response(html, { headers });
	} catch (error) {
		// What is wrong with the address is the asker's fault.
		if (!(error instanceof McpError) || error.code !== "INVALID_ARGUMENT") throw error;
		return new Response(error.message, { status: 400, headers: { "content-type": "text/plain; charset=utf-8" } });
	}
}
