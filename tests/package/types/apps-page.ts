// The types of MCP Apps that need a page.

import { useHostContext, useHostStyles, useLast, useToolCall, useView } from "mcp-duet/apps/react";
import {
	connectView,
	followHostStyles,
	type McpUiDisplayMode,
	type McpUiHostContext,
	View,
	type ViewTool,
} from "mcp-duet/apps/view";
import type {} from "mcp-duet/apps/view.global.js";

const paint: ViewTool = { name: "paint", handler: ({ colour }, { signal }) => `${colour} ${signal.aborted}` };
const app = await connectView({
	appInfo: { name: "view", version: "1" },
	capabilities: { availableDisplayModes: ["inline", "pip"] },
	tools: [paint],
	autoResize: false,
	signal: AbortSignal.timeout(1_000),
});
const off: () => void = app.on("toolResult", ({ content, structuredContent }) => [content.length, structuredContent]);
off();
app.on("hostContext", (context: McpUiHostContext, changes) => [context.theme === "dark", changes.locale]);
app.on("teardown", async ({ reason }) => void (await app.callServerTool("save", { reason })));
// @ts-expect-error there is no such event
app.on("toolresult", () => {});
const city = app.last("toolInput")?.arguments?.city;
const mode: McpUiDisplayMode = await app.requestDisplayMode("pip");
// @ts-expect-error nor such a mode
await app.requestDisplayMode("huge");
await app.sendMessage("hi");
await app.sendMessage([{ type: "text", text: `${city} ${mode}` }]);
await app.updateModelContext({ structuredContent: { city } });
const { contents } = await app.readServerResource("a://b", { onProgress: ({ progress }) => console.log(progress) });
app.log("info", contents);
app.registerTool(paint).update({ description: "Paints" });
followHostStyles(app, document.body)();
new View({ appInfo: { name: "view", version: "1" }, hostOrigin: "https://host.example" }).close();
// @ts-expect-error a View says who it is
new View({});
const global: typeof connectView = mcpDuetView.connectView;
await global({ appInfo: { name: "view", version: "1" } });

export function Component(): string {
	const { app, isConnected, error } = useView({
		appInfo: { name: "view", version: "1" },
		onCreated: (app) => void app.on("close", (reason) => console.log(reason)),
	});
	useHostStyles(app);
	const { input, result } = useToolCall(app);
	const { theme } = useHostContext(app);
	return `${isConnected} ${error} ${input?.arguments} ${result?.isError} ${theme} ${useLast(app, "close")}`;
}
