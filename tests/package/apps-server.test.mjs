// Tools with Views, as a host of either era finds them.

import assert from "node:assert/strict";
import { test } from "node:test";
import { getToolUiResourceUri } from "@modelcontextprotocol/ext-apps/app-bridge";
import { getUiCapability } from "@modelcontextprotocol/ext-apps/server";
import { McpServer } from "@modelcontextprotocol/server";
import {
	APPS_EXTENSION,
	APPS_MIME_TYPE,
	appResource,
	appsExtension,
	appTool,
	registerAppResource,
	registerAppTool,
	supportsViews,
	uiCapability,
} from "mcp-duet/apps/server";
import { Server } from "mcp-duet/server";
import { z } from "zod";

const uri = "ui://forecast/view.html";
const html = "<!doctype html><title>北京</title>";
const ui = { csp: { connectDomains: ["https://api.example"] }, prefersBorder: true };
const inputSchema = /** @type {const} */ ({ type: "object", properties: { city: { type: "string" } } });

const definition = {
	name: "forecast",
	version: "1.0.0",
	capabilities: { extensions: appsExtension },
	tools: [
		appTool({
			name: "get_forecast",
			inputSchema,
			ui: { resourceUri: uri },
			handler: (/** @type {any} */ { city }) => ({ structuredContent: { city, sky: "clear" } }),
		}),
		appTool({
			name: "refresh",
			inputSchema,
			_meta: { "example.com/a": 1 },
			ui: { resourceUri: uri, visibility: ["app"] },
			visible: supportsViews,
			handler: (_, ctx) => String(uiCapability(ctx)?.mimeTypes),
		}),
	],
	resources: [appResource({ name: "view", uri, html, ui })],
};

/** @param {any} [extensions] */
const meta = (extensions) => ({
	"io.modelcontextprotocol/protocolVersion": "2026-07-28",
	"io.modelcontextprotocol/clientInfo": { name: "host", version: "1.0.0" },
	"io.modelcontextprotocol/clientCapabilities": extensions ? { extensions } : {},
});
const WITH_VIEWS = meta({ [APPS_EXTENSION]: { mimeTypes: [APPS_MIME_TYPE] } });

/**
 * @param {Server} server
 * @param {string} method
 * @param {any} params
 * @returns {Promise<any>}
 */
async function ask(server, method, params, _meta = WITH_VIEWS) {
	const message = { jsonrpc: "2.0", id: 1, method, params: _meta ? { ...params, _meta } : params };
	const reply = /** @type {any} */ (await server.handleMessage(message));
	return reply.result ?? reply.error;
}

test("tools name their View in both ways, and the server declares the extension", async () => {
	const server = new Server(definition);
	const { tools } = await ask(server, "tools/list", {});
	assert.deepEqual(
		tools.map((/** @type {any} */ tool) => tool._meta),
		[
			{ "ui/resourceUri": uri, ui: { resourceUri: uri } },
			{ "ui/resourceUri": uri, "example.com/a": 1, ui: { resourceUri: uri, visibility: ["app"] } },
		],
	);
	assert.equal(getToolUiResourceUri(tools[0]), uri);
	const { capabilities } = await ask(server, "server/discover", {});
	assert.deepEqual(capabilities.extensions, { "io.modelcontextprotocol/ui": {} });
});

test("the View has its type, and says what it needs in the list and at its contents", async () => {
	const server = new Server(definition);
	const { resources } = await ask(server, "resources/list", {});
	assert.deepEqual(resources, [{ name: "view", uri, mimeType: APPS_MIME_TYPE, _meta: { ui } }]);
	const { contents } = await ask(server, "resources/read", { uri });
	assert.deepEqual(contents, [{ uri, mimeType: APPS_MIME_TYPE, text: html, _meta: { ui } }]);
});

test("who shows no Views gets text, and not the tools that are for Views only", async () => {
	const server = new Server(definition);
	for (const _meta of [meta(), meta({ [APPS_EXTENSION]: { mimeTypes: ["text/html+other"] } })]) {
		const { tools } = await ask(server, "tools/list", {}, _meta);
		assert.deepEqual(
			tools.map((/** @type {any} */ { name }) => name),
			["get_forecast"],
		);
	}
	const called = await ask(server, "tools/call", { name: "get_forecast", arguments: { city: "Oslo" } }, meta());
	assert.deepEqual(called.content, [{ type: "text", text: '{"city":"Oslo","sky":"clear"}' }]);
	assert.deepEqual(called.structuredContent, { city: "Oslo", sky: "clear" });
});

test("the capability is read in either era", async () => {
	const server = new Server(definition);
	const modern = await ask(server, "tools/call", { name: "refresh", arguments: {} });
	assert.equal(modern.content[0].text, APPS_MIME_TYPE);
	const capabilities = { extensions: { [APPS_EXTENSION]: { mimeTypes: [APPS_MIME_TYPE] } } };
	assert.deepEqual(uiCapability(capabilities), getUiCapability(capabilities));
	assert.ok(supportsViews(capabilities));
	assert.ok(supportsViews({ extensions: { [APPS_EXTENSION]: {} } }));
	for (const without of [undefined, {}, { extensions: {} }, { extensions: { [APPS_EXTENSION]: { mimeTypes: [] } } }]) {
		assert.equal(supportsViews(/** @type {any} */ (without)), false);
	}
	// A legacy request without a session says nothing of its client.
	const legacy = await ask(server, "tools/list", {}, /** @type {any} */ (null));
	assert.deepEqual(
		legacy.tools.map((/** @type {any} */ { name }) => name),
		["get_forecast"],
	);
});

test("a session's client is known by its initialize", async () => {
	const server = new Server({ ...definition, legacy: "sessions" });
	const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
	/** @param {any} message @param {Record<string, string>} [more] */
	const post = (message, more) =>
		server.fetch(
			new Request("http://127.0.0.1/mcp", {
				method: "POST",
				headers: { ...headers, ...more },
				body: JSON.stringify({ jsonrpc: "2.0", ...message }),
			}),
		);
	const opened = await post({
		id: 0,
		method: "initialize",
		params: {
			protocolVersion: "2025-11-25",
			clientInfo: { name: "host", version: "1.0.0" },
			capabilities: { extensions: { [APPS_EXTENSION]: { mimeTypes: [APPS_MIME_TYPE] } } },
		},
	});
	const session = {
		"mcp-session-id": String(opened.headers.get("mcp-session-id")),
		"mcp-protocol-version": "2025-11-25",
	};
	await post({ method: "notifications/initialized" }, session);
	const listed = await post({ id: 1, method: "tools/list" }, session);
	const text = await listed.text();
	assert.match(text, /"name":"refresh"/);
	server.close();
});

test("wrong definitions are refused by name", () => {
	const handler = () => "";
	for (const [tool, message] of /** @type {[any, RegExp][]} */ ([
		[{ ui: { resourceUri: "https://a.example/" } }, /tool "x": the URI of a View begins with ui:\/\//],
		[{ ui: { resourceUri: "" } }, /this one is ""/],
		[{ _meta: { "ui/resourceUri": "x" } }, /begins with ui:\/\//],
		[{ ui: { csp: {} } }, /belong to the View's resource/],
		[{ ui: { visibility: ["apps"] } }, /a list of model and app, not \["apps"\]/],
	])) {
		assert.throws(() => appTool({ name: "x", inputSchema, handler, ...tool }), { code: "INVALID_DEFINITION", message });
	}
	for (const [resource, message] of /** @type {[any, RegExp][]} */ ([
		[{ uri: "file:///view.html" }, /begins with ui:\/\//],
		[{ mimeType: "text/html" }, /the type of a View is/],
		[{ html: undefined }, /needs the HTML/],
	])) {
		assert.throws(() => appResource({ name: "x", uri, html, ...resource }), { code: "INVALID_DEFINITION", message });
	}
});

test("a View's source may be bytes, contents or a result, and what it says itself stays", async () => {
	for (const [given, wanted] of /** @type {[any, any][]} */ ([
		[new TextEncoder().encode(html), { text: html, _meta: { ui } }],
		[[{ uri, text: html, mimeType: APPS_MIME_TYPE }], { text: html, _meta: { ui } }],
		[{ contents: [{ uri, text: html, _meta: { ui: {}, a: 1 } }] }, { text: html, _meta: { ui: {}, a: 1 } }],
	])) {
		const { read } = appResource({ name: "x", uri, ui, html: () => given });
		const { contents } = /** @type {any} */ (await read(uri, /** @type {any} */ (undefined)));
		assert.deepEqual(contents, [{ uri, mimeType: APPS_MIME_TYPE, ...wanted }]);
	}
	assert.equal(appResource({ name: "x", uri, html })._meta, undefined);
});

test("structured output that a library's schema changes is left to the server, text included", async () => {
	const server = new Server({
		name: "guessing",
		version: "1.0.0",
		tools: [
			appTool({
				name: "guess",
				inputSchema: z.object({}),
				outputSchema: z.object({ sky: z.string().default("clear") }),
				handler: () => ({ structuredContent: {} }),
			}),
		],
	});
	const { structuredContent, content } = await ask(server, "tools/call", {
		name: "guess",
		arguments: {},
	});
	assert.deepEqual([structuredContent, content[0].text], [{ sky: "clear" }, '{"sky":"clear"}']);
});

test("they register at a running server, ours and the TypeScript SDK's", async () => {
	const server = new Server({ name: "empty", version: "1.0.0" });
	const config = { inputSchema, ui: { resourceUri: uri } };
	const tool = registerAppTool(server, "late", config, () => ({ structuredContent: { late: true } }));
	registerAppResource(server, "view", uri, { ui }, html);
	const { tools } = await ask(server, "tools/list", {});
	assert.equal(getToolUiResourceUri(tools[0]), uri);
	assert.deepEqual((await ask(server, "resources/read", { uri })).contents[0]._meta, { ui });
	const called = await ask(server, "tools/call", { name: "late", arguments: {} });
	assert.equal(called.content[0].text, '{"late":true}');
	tool.remove();
	assert.deepEqual((await ask(server, "tools/list", {})).tools, []);

	const theirs = new McpServer({ name: "theirs", version: "1.0.0" });
	const registered = registerAppTool(
		theirs,
		"late",
		{ ...config, inputSchema: /** @type {any} */ (undefined) },
		() => "",
	);
	assert.deepEqual(/** @type {any} */ (registered)._meta, { "ui/resourceUri": uri, ui: { resourceUri: uri } });
	const view = /** @type {any} */ (registerAppResource(theirs, "view", uri, { ui }, html));
	assert.deepEqual((await view.readCallback(new URL(uri))).contents[0].text, html);
});
