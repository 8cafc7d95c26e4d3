// The example in Rust with reqwest: a native client against servers of ours and of the TypeScript SDK.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { before, test } from "node:test";
import { environment, root } from "../../scripts/workspace.mjs";
import { serveFetch } from "./http.mjs";
import { handler } from "./our-server.mjs";
import { sdk1Server, sdk1SseServer, sdk2Server } from "./sdk-servers.mjs";

const cargo = [
	"--quiet",
	"--locked",
	"--manifest-path",
	"examples/reqwest/Cargo.toml",
	"--target-dir",
	"target/examples",
];

/**
 * What cargo's program prints.
 * @param {string[]} args
 * @returns {Promise<{ status: number | null, out: string, err: string }>}
 */
const run = (args) =>
	new Promise((resolve, reject) => {
		const child = spawn("cargo", args, { cwd: root, env: environment, stdio: ["ignore", "pipe", "pipe"] });
		let [out, err] = ["", ""];
		child.stdout.setEncoding("utf8").on("data", (text) => {
			out += text;
		});
		child.stderr.setEncoding("utf8").on("data", (text) => {
			err += text;
		});
		child.on("error", reject).on("close", (status) => resolve({ status, out, err }));
	});

before(
	async () => {
		const { status, err } = await run(["build", ...cargo]);
		assert.equal(status, 0, err);
	},
	{ timeout: 280_000 },
);

/** @type {[string, () => Promise<{ url: string, stop: () => Promise<void> }>, string][]} */
const servers = [
	["ours", async () => at(await serveFetch(handler()), "/mcp"), "modern 2026-07-28"],
	["ours, its legacy form", async () => at(await serveFetch(handler()), "/legacy"), "legacy 2025-11-25"],
	["ours behind a redirect", async () => at(await serveFetch(moved(handler())), "/old"), "modern 2026-07-28"],
	["SDK 1.32 with sessions", () => sdk1Server({ sessions: true }), "legacy 2025-11-25"],
	["SDK 1.32 over HTTP+SSE", sdk1SseServer, "legacy 2025-11-25"],
	["SDK 2.4", sdk2Server, "modern 2026-07-28"],
];

/** @param {{ url: string, stop: () => Promise<void> }} host @param {string} path */
const at = ({ url, stop }, path) => ({ url: url + path, stop });

/** @param {ReturnType<typeof handler>} handle @returns {(request: Request) => Response | Promise<Response>} */
const moved = (handle) => (request) =>
	new URL(request.url).pathname === "/old"
		? new Response(null, { status: 307, headers: { location: "/mcp" } })
		: handle(request);

for (const [name, start, connection] of servers) {
	test(`the native client works with ${name}`, { timeout: 60_000 }, async () => {
		const peer = await start();
		try {
			const { status, out, err } = await run(["run", ...cargo, "--", peer.url, "查天气", '{"city":"北京"}']);
			assert.equal(status, 0, err);
			const [era, tools, result] = out.split("\n");
			assert.equal(era, connection);
			assert.equal(JSON.parse(tools).tools[0].name, "查天气");
			assert.equal(JSON.parse(result).content[0].text, "北京：晴");
		} finally {
			await peer.stop();
		}
	});
}

test("a server that is not there is an error that says why", { timeout: 60_000 }, async () => {
	const { status, err } = await run(["run", ...cargo, "--", "http://127.0.0.1:1/mcp", "x"]);
	assert.notEqual(status, 0);
	assert.match(err, /NETWORK.*refused/is);
});
