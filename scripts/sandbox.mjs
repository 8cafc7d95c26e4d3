// The sandbox page of MCP Apps for the workbench: under the other name of this machine it is on another origin.

import { join } from "node:path";
import { pathToFileURL } from "node:url";

/**
 * What answers requests for `/sandbox`, for `serve`.
 * @param {string} pkg folder of the package
 * @returns {(url: URL, request: import("node:http").IncomingMessage) => Promise<import("./serve.mjs").Served | undefined>}
 */
export function sandboxOf(pkg) {
	return async (url, { headers }) => {
		if (url.pathname !== "/sandbox") return undefined;
		const { sandboxPage } = await import(pathToFileURL(join(pkg, "apps/host.node.js")).href);
		const port = headers.host?.split(":")[1] ?? "80";
		const hosts = ["127.0.0.1", "localhost"].map((name) => `http://${name}:${port}`);
		const page = await sandboxPage(url, { hosts });
		return { status: 200, headers: page.headers, body: page.html };
	};
}
