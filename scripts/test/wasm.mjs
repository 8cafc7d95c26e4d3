// The Rust tests in headless Chromium, with a real server of ours for those that want one. Its URL is compiled in.

import { serveFetch } from "../../tests/interop/http.mjs";
import { ourServer } from "../../tests/interop/our-server.mjs";
import { spawnOwned } from "../processes.mjs";
import { environment, Failure, root, script } from "../workspace.mjs";

await script(async () => {
	const server = ourServer({ allowedOrigins: ["*"] });
	const { url, stop } = await serveFetch((request) =>
		request.method === "POST" && new URL(request.url).pathname === "/moved"
			? new Response(null, { status: 307, headers: { location: "/mcp", "access-control-allow-origin": "*" } })
			: server.fetch(request),
	);
	try {
		const child = spawnOwned("wasm-pack", process.argv.slice(2), {
			cwd: root,
			env: { ...environment, MCP_DUET_TEST_SERVER: `${url}/mcp` },
			stdio: "inherit",
		});
		const status = await new Promise((resolve, reject) => {
			child.on("error", reject).on("close", (code, signal) => resolve(code ?? signal));
		});
		if (status !== 0) throw new Failure(`wasm-pack ended with ${status}`);
	} finally {
		await stop();
	}
});
