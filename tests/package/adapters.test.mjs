// The server's fetch where web-standard handlers are served: Deno.serve, Bun.serve and Hono, over real sockets.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { test } from "node:test";
import { Hono } from "hono";
import * as duet from "mcp-duet";
import { environment } from "../../scripts/workspace.mjs";
import { project } from "./harness.mjs";

/** What each host serves; `SERVE` has it as text for other runtimes. @param {typeof import("mcp-duet").Server} Server */
function serverOf(Server) {
	let tell = (/** @type {string} */ _era) => {};
	const stopped = new Promise((resolve) => {
		tell = resolve;
	});
	const inputSchema = /** @type {const} */ ({ type: "object" });
	return new Server({
		name: "hosted",
		version: "1",
		legacy: "sessions",
		tools: [
			{
				name: "count",
				inputSchema,
				handler: async (_args, ctx) => {
					for (const step of [1, 2, 3]) {
						ctx.sendProgress(step, 3, `第${step}步`);
						await new Promise((resolve) => setTimeout(resolve));
					}
					return `${ctx.era} ${ctx.headers?.get("x-own")} ${ctx.authInfo?.sub}`;
				},
			},
			{
				name: "wait",
				inputSchema,
				handler: async (_args, ctx) => {
					ctx.sendProgress(1);
					await new Promise((resolve) => ctx.signal.addEventListener("abort", resolve, { once: true }));
					tell(ctx.era);
					return "late";
				},
			},
			{ name: "stopped", inputSchema, handler: async () => `${await stopped}` },
		],
	});
}

const SERVE = `import { Server } from "mcp-duet";
${serverOf}
const server = serverOf(Server);
const fetch = (request) => server.fetch(request, { authInfo: { sub: "me" } });
const place = { hostname: "127.0.0.1", port: 0 };
if (globalThis.Deno) Deno.serve({ ...place, onListen: ({ port }) => console.log(port) }, fetch);
else console.log(Bun.serve({ ...place, fetch }).port);
`;

/** @param {string} command @param {string[]} args @param {NodeJS.ProcessEnv} [env] */
async function started(command, args, env) {
	const cwd = project({ "serve.js": SERVE });
	const child = spawn(command, args, {
		cwd,
		env: { ...environment, NO_COLOR: "1", ...env },
		stdio: ["ignore", "pipe", "inherit"],
		timeout: 60_000,
		killSignal: "SIGKILL",
	});
	const ended = new Promise((resolve) => child.once("close", resolve));
	const failed = new Promise((_, reject) => {
		child.once("error", reject);
		child.once("exit", (code) => reject(new Error(`${command} ended with ${code}`)));
	});
	failed.catch(() => {});
	const stop = async () => {
		child.kill("SIGKILL");
		await ended;
	};
	const [port] = await Promise.race([
		(async () => {
			for await (const line of createInterface({ input: child.stdout })) return [line];
			return ["nothing"];
		})(),
		failed,
	]);
	return { url: `http://127.0.0.1:${port}/mcp`, stop };
}

/** @type {Record<string, () => Promise<{ url: string, stop: () => Promise<unknown> }>>} */
const hosts = {
	"Deno.serve": () =>
		started("deno", ["run", "--node-modules-dir=manual", "--cached-only", "--allow-all", "serve.js"], {
			DENO_NO_UPDATE_CHECK: "1",
			DENO_NO_PROMPT: "1",
		}),
	"Bun.serve": () => started("bun", ["serve.js"]),
	Hono: async () => {
		const server = serverOf(duet.Server);
		const app = new Hono();
		app.all("/mcp", (context) => server.fetch(context.req.raw, { authInfo: { sub: "me" } }));
		const http = createServer(async (incoming, outgoing) => {
			const gone = new AbortController();
			outgoing.once("close", () => gone.abort());
			const { method = "GET", headers } = incoming;
			const body = method === "POST" ? { body: /** @type {any} */ (Readable.toWeb(incoming)), duplex: "half" } : {};
			const init = /** @type {any} */ ({ method, headers, signal: gone.signal, ...body });
			const response = await app.fetch(new Request(`http://${headers.host}${incoming.url}`, init));
			outgoing.writeHead(response.status, Object.fromEntries(response.headers));
			if (response.body === null) outgoing.end();
			else
				Readable.fromWeb(/** @type {any} */ (response.body))
					.on("error", () => {})
					.pipe(outgoing);
		});
		await new Promise((resolve) => http.listen(0, "127.0.0.1", () => resolve(undefined)));
		const { port } = /** @type {import("node:net").AddressInfo} */ (http.address());
		const stop = async () => {
			http.closeAllConnections();
			await new Promise((resolve) => http.close(resolve));
		};
		return { url: `http://127.0.0.1:${port}/mcp`, stop };
	},
};

/** @param {any} result */
const textOf = ({ content }) => content[0].text;

for (const [name, start] of Object.entries(hosts)) {
	test(`behind ${name}, streams, sessions and cancellation work as anywhere`, { timeout: 90_000 }, async () => {
		const { url, stop } = await start();
		try {
			for (const versionNegotiation of /** @type {const} */ (["auto", "legacy"])) {
				const client = new duet.Client({ url, versionNegotiation, headers: { "x-own": "own" } });
				/** @type {unknown[]} */
				const seen = [];
				const onProgress = (/** @type {any} */ { message }) => seen.push(message);
				const era = versionNegotiation === "auto" ? "modern" : "legacy";
				assert.equal(textOf(await client.callTool("count", {}, { onProgress })), `${era} own me`);
				assert.deepEqual(seen, ["第1步", "第2步", "第3步"]);
				await client.close();
			}
			const client = new duet.Client({ url });
			const gone = new AbortController();
			const call = client.callTool("wait", {}, { signal: gone.signal, onProgress: () => gone.abort() });
			await assert.rejects(call);
			assert.equal(textOf(await client.callTool("stopped")), "modern");
			await client.close();
			assert.equal((await fetch(url, { method: "PUT" })).status, 405);
		} finally {
			await stop();
		}
	});
}
