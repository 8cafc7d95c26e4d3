// A protected server and an authorization server in one process, for the tests of mcp-duet/auth.

import { Server } from "mcp-duet";
import { authorizationCode } from "mcp-duet/auth";

export const url = "https://rs.test/mcp";
export const issuer = "https://as.test";

/**
 * Both servers behind one fetch, with what was asked of them.
 * @param {{ refresh?: (form: URLSearchParams) => Response | undefined, scope?: string, lifetime?: number }} [options]
 */
export function world({ refresh, scope = "read", lifetime } = {}) {
	const server = new Server({
		name: "protected",
		version: "1",
		tools: [{ name: "t", inputSchema: { type: "object" }, handler: () => "fine" }],
	});
	const state = {
		/** @type {Map<string, string>} tokens and their scopes */
		valid: new Map(),
		/** @type {string[]} */
		log: [],
		/** @type {URL[]} */
		redirects: [],
		refreshTokens: new Set(),
		issued: 0,
		clients: 0,
		/** A client that the authorization server knows no more. */
		forgotten: "",
		/** What it says of such a one. */
		refusal: "invalid_client",
	};
	const json = (/** @type {unknown} */ value, status = 200) => Response.json(value, { status });
	/** @param {string} granted */
	const issue = (granted) => {
		const number = ++state.issued;
		state.valid.set(`secret-access-${number}`, granted);
		state.refreshTokens.add(`secret-refresh-${number}`);
		return json({
			access_token: `secret-access-${number}`,
			token_type: "Bearer",
			refresh_token: `secret-refresh-${number}`,
			scope: granted,
			expires_in: lifetime,
		});
	};
	let asked = "";
	let refused = 0;
	/** @param {string} at @param {RequestInit} init */
	const fetch = async (at, init = {}) => {
		const request = new Request(at, init);
		state.log.push(`${request.method} ${at}`);
		const body = request.method === "POST" ? await request.clone().text() : "";
		switch (at) {
			case url: {
				const token = request.headers.get("authorization")?.replace(/^Bearer /, "") ?? "";
				const granted = state.valid.get(token);
				if (granted === undefined) {
					refused++;
					return new Response("", { status: 401, headers: { "www-authenticate": `Bearer scope="${scope}"` } });
				}
				if (body.includes("tools/call") && !granted.includes("write")) {
					const challenge = 'Bearer error="insufficient_scope", scope="write"';
					return new Response("", { status: 403, headers: { "www-authenticate": challenge } });
				}
				return server.fetch(request);
			}
			case "https://rs.test/.well-known/oauth-protected-resource/mcp":
				return json({ resource: url, authorization_servers: [issuer] });
			case `${issuer}/.well-known/oauth-authorization-server`:
				return json({
					issuer,
					authorization_endpoint: `${issuer}/authorize`,
					token_endpoint: `${issuer}/token`,
					registration_endpoint: `${issuer}/register`,
					code_challenge_methods_supported: ["S256"],
				});
			case `${issuer}/register`:
				return json({ client_id: `registered-${++state.clients}` }, 201);
			case `${issuer}/token`: {
				const form = new URLSearchParams(body);
				if (form.get("client_id") === state.forgotten) return json({ error: state.refusal }, 401);
				if (form.get("grant_type") !== "refresh_token") return issue(asked || scope);
				const answer = refresh?.(form);
				if (answer) return answer;
				const token = form.get("refresh_token");
				if (!state.refreshTokens.delete(token)) return json({ error: "invalid_grant" }, 400);
				return issue(asked || scope);
			}
			default:
				return new Response("", { status: 404 });
		}
	};
	/** @param {string} opened */
	const authorize = (opened) => {
		const to = new URL(opened);
		state.redirects.push(to);
		asked = to.searchParams.get("scope") ?? "";
		return `https://app.test/cb?code=secret-code&state=${to.searchParams.get("state")}`;
	};
	const count = (/** @type {string} */ line) => state.log.filter((entry) => entry === line).length;
	return { ...state, state, fetch, authorize, count, refused: () => refused };
}

/** @param {ReturnType<typeof world>} at @param {any} [more] */
export const user = (at, more) =>
	authorizationCode({ redirectUri: "https://app.test/cb", authorize: at.authorize, ...more });
