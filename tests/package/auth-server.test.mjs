// A guarded server as its callers see it: the metadata's route, and each refusal with the challenge that goes with it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Server } from "mcp-duet";
import { protectedResource } from "mcp-duet/auth";
import { Legacy } from "./sessions-harness.mjs";

const resource = "https://rs.test/mcp";
const metadata = "https://rs.test/.well-known/oauth-protected-resource/mcp";
const issuer = "https://as.test";
const META = {
	"io.modelcontextprotocol/protocolVersion": "2026-07-28",
	"io.modelcontextprotocol/clientCapabilities": {},
};

/** What each token says. @type {Record<string, any>} */
const TOKENS = {
	reader: { audience: resource, scopes: "base files:read", sub: "ada" },
	writer: { audience: [resource, "https://other.test"], scopes: ["base", "files:read", "files:write"], sub: "ada" },
	stranger: { audience: resource, scopes: "base", sub: "eve" },
	low: { audience: resource, scopes: "files:read files:write" },
	nobodys: { scopes: "base files:read" },
	foreign: { audience: "https://rs.test/other", scopes: "base files:read" },
	prefix: { audience: "https://rs.test/mc", scopes: "base files:read" },
	old: { audience: resource, scopes: "base files:read", expiresAt: 1 },
};

/** @param {any} [more] @returns {(request: Request) => Promise<Response>} */
function guarded(more) {
	const server = new Server({
		name: "guarded",
		version: "1",
		tools: [
			{ name: "who", inputSchema: { type: "object" }, handler: (_args, ctx) => `${ctx.authInfo?.sub}` },
			{ name: "read", inputSchema: { type: "object" }, scopes: ["files:read"], handler: () => "read" },
			{
				name: "write",
				inputSchema: { type: "object" },
				scopes: ["files:read", "files:write"],
				handler: () => "written",
			},
		],
		...more,
	});
	const guard = protectedResource({
		resource,
		authorizationServers: [issuer],
		scopesSupported: ["base", "files:read", "files:write"],
		requiredScopes: ["base"],
		verify: (token) => TOKENS[token],
	});
	return (request) => guard(request, (authInfo) => server.fetch(request, { authInfo }));
}

/**
 * Calls a tool in either era.
 * @param {(request: Request) => Promise<Response>} fetch
 * @param {string | undefined} authorization
 * @param {string} name
 * @param {boolean} [modern]
 */
function call(fetch, authorization, name, modern = true) {
	const params = { name, ...(modern && { _meta: META }) };
	return fetch(
		new Request(resource, {
			method: "POST",
			body: JSON.stringify({ jsonrpc: "2.0", id: 7, method: "tools/call", params }),
			headers: {
				"content-type": "application/json",
				accept: "application/json, text/event-stream",
				"mcp-protocol-version": modern ? "2026-07-28" : "2025-11-25",
				...(modern && { "mcp-method": "tools/call", "mcp-name": name }),
				...(authorization !== undefined && { authorization }),
			},
		}),
	);
}

test("the metadata is read by anybody, by GET alone, at its own path alone", async () => {
	const fetch = guarded();
	const response = await fetch(new Request(metadata, { headers: { origin: "https://page.test" } }));
	assert.equal(response.status, 200);
	assert.equal(response.headers.get("content-type"), "application/json");
	assert.equal(response.headers.get("access-control-allow-origin"), "*");
	assert.deepEqual(await response.json(), {
		resource,
		authorization_servers: [issuer],
		scopes_supported: ["base", "files:read", "files:write"],
		bearer_methods_supported: ["header"],
	});
	const posted = await fetch(new Request(metadata, { method: "POST", body: "{}" }));
	assert.deepEqual([posted.status, posted.headers.get("allow")], [405, "GET"]);
	for (const path of ["/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/other"]) {
		assert.equal((await fetch(new Request(`https://rs.test${path}`))).status, 401, path);
	}
});

test("who may not pass is told why, where the metadata is and which scopes are needed", async () => {
	const fetch = guarded();
	for (const [authorization, status, error, why] of /** @type {[string | undefined, number, string, string][]} */ ([
		[undefined, 401, "", ""],
		["", 401, "", ""],
		["Basic YTpi", 401, "", ""],
		["Bearer", 401, "", ""],
		["Bearer a b", 401, "", ""],
		["Bearer unknown", 401, "invalid_token", "the token is not valid"],
		["Bearer old", 401, "invalid_token", "the token has expired"],
		["Bearer nobodys", 401, "invalid_token", "the token was issued for another resource"],
		["Bearer foreign", 401, "invalid_token", "the token was issued for another resource"],
		["Bearer prefix", 401, "invalid_token", "the token was issued for another resource"],
		["Bearer low", 403, "insufficient_scope", ""],
	])) {
		for (const modern of [true, false]) {
			const response = await call(fetch, authorization, "who", modern);
			const parts = [
				error && `error="${error}"`,
				why && `error_description="${why}"`,
				'scope="base"',
				`resource_metadata="${metadata}"`,
			];
			assert.deepEqual(
				[response.status, response.headers.get("www-authenticate")],
				[status, `Bearer ${parts.filter(Boolean).join(", ")}`],
				`${authorization}`,
			);
			assert.equal(response.headers.get("access-control-expose-headers"), "WWW-Authenticate");
		}
	}
	for (const method of ["GET", "DELETE"]) assert.equal((await fetch(new Request(resource, { method }))).status, 401);
});

test("a tool that needs more than the token has is challenged for, and the others answer", async () => {
	const fetch = guarded();
	const outcome = async (/** @type {string} */ token, /** @type {string} */ name, /** @type {boolean} */ modern) => {
		const response = await call(fetch, `bearer ${token}`, name, modern);
		const { result, error } = await response.json();
		return [response.status, response.headers.get("www-authenticate"), result?.content[0].text ?? error.code];
	};
	const needs = (/** @type {string} */ scope) =>
		`Bearer error="insufficient_scope", scope="${scope}", resource_metadata="${metadata}"`;
	for (const modern of [true, false]) {
		assert.deepEqual(await outcome("stranger", "who", modern), [200, null, "eve"]);
		assert.deepEqual(await outcome("stranger", "read", modern), [403, needs("base files:read"), -32600]);
		assert.deepEqual(await outcome("reader", "read", modern), [200, null, "read"]);
		assert.deepEqual(await outcome("reader", "write", modern), [403, needs("base files:read files:write"), -32600]);
		assert.deepEqual(await outcome("writer", "write", modern), [200, null, "written"]);
	}
});

test("a page may ask beforehand without a token, and is told that it may send one", async () => {
	const response = await guarded({ allowedOrigins: ["https://page.test"] })(
		new Request(resource, {
			method: "OPTIONS",
			headers: {
				origin: "https://page.test",
				"access-control-request-method": "POST",
				"access-control-request-headers": "authorization, content-type",
			},
		}),
	);
	assert.equal(response.status, 204);
	assert.match(response.headers.get("access-control-allow-headers") ?? "", /authorization/i);
});

test("a session is its token's owner's, in every way that it is used", async () => {
	const fetch = guarded({ legacy: "sessions" });
	let token = "reader";
	const client = new Legacy((request) => {
		const headers = new Headers(request.headers);
		headers.set("authorization", `Bearer ${token}`);
		return fetch(new Request(resource, new Request(request, { headers })));
	});
	await client.open();
	// The same person with more scopes, and somebody else.
	token = "writer";
	assert.equal((await client.post("ping")).status, 200);
	token = "stranger";
	for (const response of [await client.post("ping"), await client.listen(), await client.end()]) {
		assert.equal(response.status, 404);
	}
	token = "old";
	assert.equal((await client.post("ping")).status, 401);
	token = "reader";
	assert.equal((await client.end()).status, 204);
});
