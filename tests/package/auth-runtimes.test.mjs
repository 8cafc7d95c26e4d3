// Authorization in Node, Deno, Bun and workerd: a client with a key of its own against a guarded server.

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { startWorker } from "../../scripts/workerd.mjs";
import { installed, output, project } from "./harness.mjs";

const job = `import { Client } from "mcp-duet/client";
import { Server } from "mcp-duet/server";
import { clientCredentials, protectedResource } from "mcp-duet/auth";

const url = "https://rs.test/mcp";
const issuer = "https://as.test";
const tools = [{ name: "t", inputSchema: { type: "object" }, handler: (_args, ctx) => ctx.authInfo.user }];
const server = new Server({ name: "s", version: "1", tools });
const guard = protectedResource({
	resource: url,
	authorizationServers: [issuer],
	verify: (token) => (token === "issued" ? { audience: url, user: "u" } : undefined),
});
const metadata = { issuer, token_endpoint: issuer + "/token", token_endpoint_auth_methods_supported: ["private_key_jwt"] };

async function job() {
	const algorithm = { name: "ECDSA", namedCurve: "P-256" };
	const { privateKey, publicKey } = await crypto.subtle.generateKey(algorithm, false, ["sign", "verify"]);
	const decode = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (one) => one.charCodeAt(0));
	const call = async (at, init) => {
		const request = new Request(at, init);
		if (at === issuer + "/.well-known/oauth-authorization-server") return Response.json(metadata);
		if (at !== metadata.token_endpoint) return guard(request, (authInfo) => server.fetch(request, { authInfo }));
		const [header, claims, signature] = new URLSearchParams(await request.text()).get("client_assertion").split(".");
		const signed = new TextEncoder().encode(header + "." + claims);
		const good = await crypto.subtle.verify({ ...algorithm, hash: "SHA-256" }, publicKey, decode(signature), signed);
		return good ? Response.json({ access_token: "issued", token_type: "Bearer" }) : new Response("", { status: 400 });
	};
	const client = new Client({ url, fetch: call, auth: clientCredentials({ clientId: "c", privateKey }) });
	const { content } = await client.callTool("t");
	await client.close();
	return content[0].text;
}
`;
const print = `${job}console.log(await job());\n`;

for (const [runtime, args] of /** @type {[string, string[]][]} */ ([
	["node", ["main.js"]],
	["deno", ["run", "--node-modules-dir=manual", "--cached-only", "--no-prompt", "main.js"]],
	["bun", ["main.js"]],
])) {
	test(`in ${runtime}, a client signs for its token and calls a guarded server`, async () => {
		const cwd = project({ "main.js": print });
		const env = { DENO_NO_UPDATE_CHECK: "1", DENO_NO_PROMPT: "1" };
		assert.equal((await output(runtime, args, { cwd, env })).trim(), "u");
	});
}

test("in workerd, a client signs for its token and calls a guarded server", async () => {
	const cwd = project({ "worker.js": `${job}export default { fetch: async () => new Response(await job()) };` });
	const worker = await startWorker({ main: join(cwd, "worker.js"), packages: { "mcp-duet": installed() } });
	try {
		const response = await fetch(worker.url, { signal: AbortSignal.timeout(30_000) });
		assert.equal(await response.text(), "u");
	} finally {
		await worker.stop();
	}
});
