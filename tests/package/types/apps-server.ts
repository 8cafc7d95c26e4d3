// The server's side of MCP Apps, for workers as well as for pages.

import {
	appResource,
	appsExtension,
	appTool,
	type McpUiToolMeta,
	registerAppResource,
	registerAppTool,
	supportsViews,
	uiCapability,
} from "mcp-duet/apps/server";
import { viewScript } from "mcp-duet/apps/view-text";
import { type RegisteredTool, Server } from "mcp-duet/server";

const uri = "ui://weather/view.html";
const ui: McpUiToolMeta = { resourceUri: uri, visibility: ["app"] };

const server = new Server({
	name: "weather",
	version: "1",
	capabilities: { extensions: appsExtension },
	tools: [
		appTool({
			name: "get_weather",
			inputSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
			ui,
			visible: supportsViews,
			handler: ({ city }, ctx) => {
				const text: string = city;
				return { structuredContent: { text, can: uiCapability(ctx)?.mimeTypes } };
			},
		}),
		{ name: "plain", inputSchema: { type: "object" }, handler: () => "" },
	],
	resources: [
		appResource({ name: "view", uri, html: `<script>${viewScript}</script>`, ui: { csp: { connectDomains: [] } } }),
		appResource({ name: "made", uri, html: async (uri, ctx) => `${uri} ${ctx.era}`, ui: { prefersBorder: false } }),
	],
});
const tool: RegisteredTool<any> = registerAppTool(server, "late", { inputSchema: { type: "object" }, ui }, () => "");
registerAppResource(server, "late view", uri, { title: "Late" }, () => new Uint8Array()).remove();
tool.remove();

appTool({
	name: "x",
	inputSchema: { type: "object" },
	// @ts-expect-error csp belongs to the resource
	ui: { csp: {} },
	handler: () => "",
});
// @ts-expect-error a View has HTML
appResource({ name: "x", uri });
