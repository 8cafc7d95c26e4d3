// The resource server's side: the metadata route, and who may pass.

import { McpError } from "../errors.js";
import { acquire } from "./core.js";
import { isSecure } from "./place.js";

/** Pages of other origins may read what is public, and why they were refused. */
const OPEN = { "access-control-allow-origin": "*" };

/** @param {string | string[]} list */
const words = (list) => (Array.isArray(list) ? list.join(" ") : list);

/** Who reads along could give out keys, or see tokens. @param {string} name @param {unknown} url */
function secure(name, url) {
	if (typeof url === "string" && isSecure(url)) return;
	throw new McpError("INVALID_ARGUMENT", `${name} must be an https URL, or one of this machine, got ${url}`);
}

/**
 * Guards an MCP server.
 * @param {any} options
 */
export function protectedResource(options) {
	const { resource, authorizationServers, verify, requireDpop = false } = options ?? {};
	const { scopesSupported = [], requiredScopes = [] } = options ?? {};
	if (typeof verify !== "function") {
		throw new McpError("INVALID_ARGUMENT", "verify must be a function from a token to what it says, or to undefined");
	}
	if (!Array.isArray(authorizationServers) || authorizationServers.length === 0) {
		throw new McpError("INVALID_ARGUMENT", "authorizationServers must list at least one issuer");
	}
	secure("resource", resource);
	for (const issuer of authorizationServers) secure("authorizationServers", issuer);
	for (const [name, list] of Object.entries({ scopesSupported, requiredScopes })) {
		if (!Array.isArray(list)) throw new McpError("INVALID_ARGUMENT", `${name} must be a list of scopes`);
	}
	const required = requiredScopes.join(" ");
	/** @type {Promise<{ document: string, url: string, path: string }> | undefined} */
	let making;
	const metadata = async () => {
		const live = await acquire("auth");
		const parts = [resource, authorizationServers.join(" "), scopesSupported.join(" ")].join("\0");
		live.call(() => live.glue.authMetadata(live.mailbox.write(parts), requireDpop));
		const [document, url] = live.mailbox.strings();
		return { document, url, path: new URL(url).pathname };
	};
	/** Proofs of possession that were seen, each good once. @type {Map<string, number>} */
	const proofs = new Map();

	/**
	 * What a presented token says, or why it must not pass.
	 * @param {string} scheme
	 * @param {string} token
	 * @param {Request} request
	 */
	const inspect = async (scheme, token, request) => {
		const info = await verify(token, request);
		if (!info) return "the token is not valid";
		const bound = info.cnf?.jkt;
		if (scheme !== "DPoP") {
			// Whoever found it could use it.
			if (bound || requireDpop) return "the token must be shown with a DPoP proof";
			return info;
		}
		const { proven } = await import("./auth-jwt.js");
		const url = `${new URL(resource).origin}${new URL(request.url).pathname}`;
		const why = await proven(request, { url, token, bound, proofs });
		return why || info;
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
		live.call(() => glue.authPresented(mailbox.write(request.headers.get("authorization") ?? "")));
		const [scheme, token] = mailbox.strings();
		/** @type {any} */
		const info = token === "" ? "" : await inspect(scheme, token, request);
		const known = typeof info === "object";
		const { audience = [], scopes = [], expiresAt = "" } = known ? info : {};
		const facts = [
			resource,
			token === "" && requireDpop ? "DPoP" : scheme,
			required,
			known ? "token" : info,
			words(audience),
			words(scopes),
			expiresAt,
		].join("\0");
		live.call(() => glue.authJudge(mailbox.write(facts), Date.now()));
		const [status] = mailbox.numbers();
		// What a challenge for more scopes has to name, where a tool needs some.
		if (status === 0) return next({ token, ...info, requiredScopes, resourceMetadata: url });
		const [challenge] = mailbox.strings();
		const headers = { "www-authenticate": challenge, "access-control-expose-headers": "WWW-Authenticate", ...OPEN };
		return new Response(null, { status, headers });
	};
}

/**
 * Verifies access tokens that are JSON Web Tokens (RFC 9068), with the keys that their issuer publishes.
 * @param {any} options
 */
export function jwtVerifier(options) {
	const { issuer, jwksUri = issuer } = options ?? {};
	for (const [name, url] of Object.entries({ issuer, jwksUri })) secure(name, url);
	/** @type {((token: string) => Promise<any>) | undefined} */
	let verify;
	return async (/** @type {string} */ token) => {
		verify ??= (await import("./auth-jwt.js")).verifier(options);
		return verify(token);
	};
}
