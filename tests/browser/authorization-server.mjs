// An OAuth authorization server on loopback, made of the library oidc-provider, whose user has to click.

import { generateKeyPairSync } from "node:crypto";
import { createServer } from "node:http";
import Provider from "oidc-provider";

const html = (/** @type {string} */ body) =>
	`<!doctype html><link rel="icon" href="data:,"><title>Agree?</title>${body}`;

/** A body, which is short. @param {import("node:http").IncomingMessage} request */
async function bodyOf(request) {
	let text = "";
	for await (const chunk of request) text += chunk;
	return text;
}

/**
 * Starts it. Access tokens are JSON Web Tokens for the resource, refresh tokens rotate, and a
 * refresh token that is used twice ends its whole family.
 * @param {object} options
 * @param {() => string} options.resource the only one that it knows
 * @param {any[]} [options.clients] those that are registered already
 * @param {() => number} [options.seconds] how long access tokens live
 * @param {any} [options.more] of the library's configuration
 */
export async function startAuthorizationServer({ resource, clients = [], seconds = () => 3600, more = {} }) {
	/** What was asked of it, `POST /token` for example. @type {string[]} */
	const asked = [];
	/** Everything that must not be seen anywhere: bodies and redirects have it in clear text. @type {Set<string>} */
	const secrets = new Set();
	/** Token requests, as forms. @type {URLSearchParams[]} */
	const forms = [];
	/** @type {(request: any, response: any) => void} */
	let handle = () => {};
	const http = createServer((request, response) => handle(request, response));
	await new Promise((listening) => http.listen(0, "127.0.0.1", () => listening(undefined)));
	const origin = `http://127.0.0.1:${/** @type {import("node:net").AddressInfo} */ (http.address()).port}`;
	const jwk = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ format: "jwk" });

	const provider = new Provider(origin, {
		clients,
		jwks: { keys: [{ ...jwk, kid: "one", use: "sig", alg: "ES256" }] },
		cookies: { keys: ["not a secret in a test"] },
		scopes: ["read", "write", "offline_access"],
		clientDefaults: { id_token_signed_response_alg: "ES256" },
		enabledJWA: { idTokenSigningAlgValues: ["ES256"] },
		features: {
			devInteractions: { enabled: false },
			registration: { enabled: true },
			dPoP: { enabled: true },
			clientCredentials: { enabled: true },
			resourceIndicators: {
				enabled: true,
				defaultResource: () => resource(),
				useGrantedResource: () => true,
				getResourceServerInfo: (/** @type {any} */ _ctx, /** @type {string} */ indicator) => {
					if (indicator !== resource()) throw new Error("another resource");
					return {
						scope: "read write",
						audience: indicator,
						accessTokenTTL: seconds(),
						accessTokenFormat: "jwt",
						jwt: { sign: { alg: "ES256" } },
					};
				},
			},
		},
		findAccount: (/** @type {any} */ _ctx, /** @type {string} */ id) => ({
			accountId: id,
			claims: () => ({ sub: id }),
		}),
		interactions: { url: (/** @type {any} */ _ctx, /** @type {any} */ { uid }) => `/interaction/${uid}` },
		clientBasedCORS: () => true,
		rotateRefreshToken: true,
		issueRefreshToken: () => true,
		pkce: { required: () => true },
		ttl: { Interaction: 600, Session: 600, Grant: 600, RefreshToken: 600 },
		renderError: (/** @type {any} */ ctx, /** @type {any} */ out) => {
			ctx.type = "html";
			ctx.body = html(`<p id="error">${out.error}: ${out.error_description}`);
		},
		...more,
	});

	/** The page on which the user agrees. @param {any} request @param {any} response */
	const interaction = async (request, response) => {
		const { prompt, params } = await provider.interactionDetails(request, response);
		if (request.method === "GET") {
			response.setHeader("content-type", "text/html");
			const action = new URL(request.url, origin).pathname;
			return response.end(
				html(
					`<form method="post" action="${action}"><button id="agree">${prompt.name} ${params.scope}</button></form>`,
				),
			);
		}
		await bodyOf(request);
		const grant = new provider.Grant({ accountId: "ada", clientId: params.client_id });
		grant.addOIDCScope(params.scope);
		grant.addResourceScope(resource(), params.scope);
		const result = { login: { accountId: "ada" }, consent: { grantId: await grant.save() } };
		return provider.interactionFinished(request, response, result);
	};

	const callback = provider.callback();
	handle = async (request, response) => {
		const { pathname } = new URL(request.url, origin);
		asked.push(`${request.method} ${pathname}`);
		if (pathname.startsWith("/interaction/")) return interaction(request, response);
		if (pathname === "/reg") {
			// The library lets pages register nowhere else than at its own origin.
			response.setHeader("access-control-allow-origin", "*");
			response.setHeader("access-control-allow-headers", "content-type");
			if (request.method === "OPTIONS") return response.writeHead(204).end();
		}
		if (pathname === "/token" && request.method === "POST") {
			const text = await bodyOf(request);
			const form = new URLSearchParams(text);
			forms.push(form);
			for (const name of ["code", "code_verifier", "refresh_token", "client_secret", "client_assertion"]) {
				const value = form.get(name);
				if (value) secrets.add(value);
			}
			request.body = text;
			const { end } = response;
			response.end = (/** @type {any[]} */ ...args) => {
				const said = JSON.parse(String(args[0] ?? "{}"));
				for (const name of ["access_token", "refresh_token"]) if (said[name]) secrets.add(said[name]);
				return end.apply(response, args);
			};
		}
		return callback(request, response);
	};

	const stop = async () => {
		const closed = new Promise((done) => http.close(() => done(undefined)));
		http.closeAllConnections();
		await closed;
	};
	return {
		origin,
		provider,
		asked,
		forms,
		secrets,
		count: (/** @type {string} */ what) => asked.filter((one) => one === what).length,
		stop,
	};
}
