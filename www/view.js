// The View of a tool call (MCP Apps), in a sandbox on another origin than this page's.

import { h } from "./dom.js";
import { errorCard } from "./render.js";

/** The greatest height of a View in the list of results, in CSS pixels. */
const MAX_HEIGHT = 720;

/** What a client says that can show Views. */
export const capabilities = {
	extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } },
};

/** @param {any} tool */
const uriOf = ({ _meta }) => _meta?.ui?.resourceUri ?? _meta?.["ui/resourceUri"];

/**
 * Where the sandbox is: where the address of this page says, or on this machine's other name, which is another origin.
 * @returns {string | undefined}
 */
function sandbox() {
	const given = new URLSearchParams(location.search).get("sandbox");
	if (given) return given;
	const other = { "127.0.0.1": "localhost", localhost: "127.0.0.1" }[location.hostname];
	return other && `${location.protocol}//${other}:${location.port}/sandbox`;
}

/** Views whose frames may still be on the page. @type {Set<any>} */
const mounted = new Set();

/** Ends the Views whose frames have gone from the page. */
function tidy() {
	for (const app of mounted) {
		if (app.frame.isConnected) continue;
		mounted.delete(app);
		app.end();
	}
}

/**
 * The View of a call that has been answered, if its tool has one.
 * @param {any} client
 * @param {any} tool
 * @param {Record<string, unknown>} args
 * @param {any} result
 * @param {(text: string) => void} announce
 */
export function viewOf(client, tool, args, result, announce) {
	const uri = uriOf(tool);
	const at = sandbox();
	if (!uri || !at) return null;
	const note = h("p", { className: "muted" }, `Showing ${uri} …`);
	const shrink = h("button", { type: "button", className: "small", hidden: true }, "Leave full screen");
	const frame = h("div", { className: "view-frame" });
	const element = h("section", { className: "view", "aria-label": `View of ${tool.name}` }, shrink, frame, note);

	/** @param {string} text */
	const tell = (text) => {
		note.textContent = text;
		announce(text);
	};
	/** @param {string} mode */
	const lay = (mode) => {
		element.classList.toggle("fullscreen", mode === "fullscreen");
		shrink.hidden = mode !== "fullscreen";
	};

	const mount = async () => {
		const { mountApp, openInNewTab } = await import("/pkg/apps/host.web.js");
		tidy();
		const app = await mountApp({
			...{ client, tool, result, arguments: args, container: frame, sandbox: at, maxHeight: MAX_HEIGHT },
			hostInfo: { name: "mcp-duet-workbench", version: "1.0.0" },
			context: { availableDisplayModes: ["inline", "fullscreen"] },
			onOpenLink: (/** @type {string} */ url) => {
				if (!confirm(`The View wants to open ${url}`)) return false;
				openInNewTab(url);
			},
			onMessage: (/** @type {any} */ { content }) => tell(`The View says: ${content.map(textOf).join(" ")}`),
			onUpdateModelContext: (/** @type {any} */ update) =>
				tell(`A model would know from now on: ${JSON.stringify(update.structuredContent ?? update.content)}`),
			onRequestDisplayMode: lay,
			onLog: (/** @type {any} */ { level, data }) => tell(`${level}: ${JSON.stringify(data)}`),
			onError: (/** @type {unknown} */ error) => note.replaceChildren(errorCard(error)),
		});
		mounted.add(app);
		shrink.addEventListener("click", () => {
			lay("inline");
			app.updateContext({ displayMode: "inline" });
		});
		app.closed.then(() => {
			mounted.delete(app);
			element.remove();
		});
		await app.initialized;
		if (app.prefersBorder) element.classList.add("bordered");
		note.textContent = `${uri} of ${app.appInfo?.name ?? "an unnamed View"}`;
	};
	mount().catch((error) => element.replaceChildren(errorCard(error)));
	return element;
}

/** @param {any} block */
const textOf = (block) => block?.text ?? `(${block?.type})`;

// Results are dropped as new ones come, and when the connection ends.
new MutationObserver(tidy).observe(document.body, { childList: true, subtree: true });
