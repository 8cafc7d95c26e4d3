// The resource server's side: the metadata route, and who may pass.

import { McpError } from "../errors.js";
import { acquire } from "./core.js";

/** Pages of other origins may read what is public, and why they were refused. */
const OPEN = { "access-control-allow-origin": "*" };

/**
 * Guards an MCP server.
 * @param {any} options
 */
export function protectedResource(options) {
	const { resource, authorizationServers, scopesSupported = [], requiredScopes = [], verify } = options;
	if (typeof verify !== "function") {
		throw new McpError("INVALID_ARGUMENT", "verify must be a function from a token to what it says, or to undefined");
	}
	if (!Array.isArray(authorizationServers) || authorizationServers.length === 0) {
		throw new McpError("INVALID_ARGUMENT", "authorizationServers must list at least one issuer");
	}
	const required = requiredScopes.join(" ");
	/** @type {Promise<{ document: string, url: string, path: string }> | undefined} */
	let making;
	const metadata = async () => {
		const live = await acquire("auth");
		const parts = [resource, authorizationServers.join(" "), scopesSupported.join(" ")].join("\0");
		live.call(() => live.glue.authMetadata(live.mailbox.write(parts)));
		const [document, url] = live.mailbox.strings();
		if (url === "") throw new McpError("INVALID_ARGUMENT", `resource must be an https URL, got ${resource}`);
		return { document, url, path: new URL(url).pathname };
	};

	/**
	 * Answers what is not for the server, and hands it the rest.
	 * @param {Request} request
	 * @param {(authInfo: any) => Response | Promise<Response>} next
	 * @returns {Promise<Response>}
	 */
	return async (request, next) => {
		// A failure to load is not kept.
		making ??= metadata().catch((error) => {
			making = undefined;
			throw error;
		});
		const { document, url, path } = await making;
		if (request.method === "OPTIONS") return next(undefined);
		if (new URL(request.url).pathname === path) {
			if (request.method !== "GET") return new Response(null, { status: 405, headers: { allow: "GET", ...OPEN } });
			return new Response(document, { headers: { "content-type": "application/json", ...OPEN } });
		}
		const live = await acquire("auth");
		const { mailbox, glue } = live;
		live.call(() => glue.authBearer(mailbox.write(request.headers.get("authorization") ?? "")));
		const [token] = mailbox.strings();
		/** @type {any} */
		const info = token === "" ? undefined : await verify(token, request);
		const presented = token === "" ? "" : info ? "token" : "unverified";
		const { audience = [], scopes = [], expiresAt = "" } = info ?? {};
		const words = (/** @type {string | string[]} */ list) => (Array.isArray(list) ? list.join(" ") : list);
		const facts = [resource, required, presented, words(audience), words(scopes), expiresAt].join("\0");
		live.call(() => glue.authJudge(mailbox.write(facts), Date.now()));
		const [status] = mailbox.numbers();
		// What a challenge for more scopes has to name, where a tool needs some.
		if (status === 0) return next({ token, ...info, requiredScopes, resourceMetadata: url });
		const [challenge] = mailbox.strings();
		const headers = { "www-authenticate": challenge, "access-control-expose-headers": "WWW-Authenticate", ...OPEN };
		return new Response(null, { status, headers });
	};
}
