declare global {
	/** Everything of `mcp-duet/apps/view`, once the script has run. */
	var mcpDuetView: typeof import("./view.js");
}

export {};
