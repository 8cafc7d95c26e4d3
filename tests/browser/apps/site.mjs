// Three origins on this machine: a page with a real host, the sandbox that it puts Views into, and one that is up to no good.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { installed } from "../../../scripts/link.mjs";
import { serve } from "../../../scripts/serve.mjs";
import { root } from "../../../scripts/workspace.mjs";

/** The policy that a View without declarations gets (2026-01-26, "Content Security Policy"), and what stops it from leaving. */
export const DEFAULT_CSP = [
	...["default-src 'none'", "script-src 'self' 'unsafe-inline'", "style-src 'self' 'unsafe-inline'"],
	...["img-src 'self' data:", "media-src 'self' data:", "connect-src 'none'", "object-src 'none'"],
	...["frame-src 'none'", "base-uri 'self'", "form-action 'none'"],
].join("; ");

/** What a View may be in: with an origin of its own that is none, or with the sandbox's. */
export const INNER = { opaque: "allow-scripts", "same origin": "allow-scripts allow-same-origin" };

/** The versions of ext-apps, and the packages they are installed as. */
export const HOSTS = { "2.0.4": "@modelcontextprotocol/ext-apps", "1.7.5": "ext-apps-1" };

const SANDBOX = `<!doctype html><style>html, body, iframe { margin: 0; border: 0; width: 100%; height: 100%; display: block }</style>
<body><script>
let inner;
addEventListener("message", ({ source, data }) => {
	if (source === parent && data?.method === "ui/notifications/sandbox-resource-ready") {
		inner = document.createElement("iframe");
		inner.setAttribute("sandbox", data.params.sandbox);
		inner.srcdoc = data.params.html;
		document.body.append(inner);
	} else if (source === parent) inner?.contentWindow.postMessage(data, "*");
	else if (source === inner?.contentWindow && !String(data?.method).startsWith("ui/notifications/sandbox-"))
		parent.postMessage(data, "*");
});
parent.postMessage({ jsonrpc: "2.0", method: "ui/notifications/sandbox-proxy-ready", params: {} }, "*");
</script>`;

/** Says it is the host's tool result to every frame that it can find. */
const EVIL = `<!doctype html><script>
const forged = { jsonrpc: "2.0", method: "ui/notifications/tool-result", params: { content: [], structuredContent: { forged: true } } };
const reach = (window) => { for (let at = 0; at < window.length; at++) { window[at].postMessage(forged, "*"); reach(window[at]); } };
reach(top);
top.postMessage("forged", "*");
</script>`;

/** @param {string} name a file beside this one @param {import("esbuild").BuildOptions} [options] */
export async function bundled(name, options) {
	const { outputFiles } = await build({
		entryPoints: [join(root, "tests/browser/apps", name)],
		...{ bundle: true, format: "esm", target: "es2022", logLevel: "error" },
		...options,
		write: false,
	});
	return outputFiles[0].text;
}

/** @param {Record<string, string>} [pages] more of them on the host's origin */
export async function openSites(pages = {}) {
	const scripts = await Promise.all(
		Object.entries(HOSTS).map(async ([version, name]) => [
			`/host-${version}.js`,
			await bundled("bridge.js", { alias: { "@modelcontextprotocol/ext-apps": name } }),
		]),
	);
	const html = Object.keys(HOSTS).map((version) => [
		`/host-${version}.html`,
		`<!doctype html><link rel="icon" href="data:,"><title>host</title><body><script type="module" src="/host-${version}.js"></script>`,
	]);
	const host = await serve({ pages: { ...Object.fromEntries([...scripts, ...html]), ...pages } });
	const sandbox = await serve({
		pages: { "/sandbox.html": SANDBOX },
		headers: () => ({ "content-security-policy": DEFAULT_CSP }),
	});
	const evil = await serve({ pages: { "/evil.html": EVIL } });
	return {
		host: host.url,
		// Another site, not only another port.
		sandbox: `${sandbox.url.replace("127.0.0.1", "localhost")}/sandbox.html`,
		evil: `${evil.url}/evil.html`,
		stop: () => Promise.all([host.stop(), sandbox.stop(), evil.stop()]),
	};
}

/** The View as the one script that a server inlines. */
export const viewScript = () => readFileSync(join(installed, "apps/view.global.js"), "utf8");

/**
 * A document with the View's script and another one after it.
 * @param {string} script
 * @param {{ style?: string, body?: string }} [around]
 */
export const documentOf = (script, { style = "", body = "" } = {}) =>
	`<!doctype html><meta charset="utf-8"><style>body { margin: 0 } ${style}</style><body>${body}<script>globalThis.g = globalThis</script><script>${viewScript()}</script><script>${script}</script>`;
