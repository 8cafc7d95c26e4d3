// A View in React, in StrictMode, which mounts everything twice.

import { useHostContext, useHostStyles, useToolCall, useView } from "mcp-duet/apps/react";
import { createElement, StrictMode, useState } from "react";
import { createRoot } from "react-dom/client";

/** @type {any} */
const page = globalThis;
page.renders = [];
page.created = 0;

function Forecast() {
	const [clicks, setClicks] = useState(0);
	const { app, isConnected, error } = useView({
		appInfo: { name: "react", version: "1.0.0" },
		onCreated: (app) => {
			page.created++;
			app.on("teardown", () => app.callServerTool("save"));
		},
	});
	const { input, result, cancelled } = useToolCall(app);
	const { theme } = useHostContext(app);
	useHostStyles(app);
	page.app = app;
	page.click = () => setClicks((clicks) => clicks + 1);
	const shown = { isConnected, theme, input, result, cancelled, clicks, error: error ? String(error) : undefined };
	return createElement("output", {}, JSON.stringify(shown));
}

const root = createRoot(document.getElementById("root"));
root.render(createElement(StrictMode, null, createElement(Forecast)));
page.unmount = () => root.unmount();
