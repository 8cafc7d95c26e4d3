// The ready-made ways to get tokens: each is an object for a Client's `auth`.

import { McpError } from "../errors.js";
import { AuthorizationError } from "./auth-error.js";
import { digest, proofKey, random, sign, signingKey } from "./auth-keys.js";
import { Session } from "./auth-session.js";
import { acquire } from "./core.js";
import { isSecure } from "./place.js";

export { loopback } from "./auth-loopback.js";
export { finishPopup, popup } from "./auth-popup.js";
export { jwtVerifier, protectedResource } from "./auth-resource.js";
export { browserStorage } from "./auth-storage.js";
export { AuthorizationError };

/** @typedef {import("./auth-session.js").Storage} Storage */

/** A storage that is gone with the page or process. @returns {Storage} */
export function memoryStorage() {
	const entries = new Map();
	return {
		keys: () => [...entries.keys()],
		get: (key) => entries.get(key),
		set: (key, value) => void entries.set(key, value),
		delete: (key) => void entries.delete(key),
	};
}

/** @param {unknown} value @param {string} name */
function required(value, name) {
	if (typeof value === "string" && value !== "") return value;
	throw new McpError("INVALID_ARGUMENT", `${name} must be a text that is not empty`);
}

/** A value, or what a function gives when it is needed. @param {any} value */
const given = (value) => (typeof value === "function" ? value() : value);

/** @param {string[] | string | undefined} scope */
const scopeText = (scope) => (Array.isArray(scope) ? scope.join(" ") : (scope ?? ""));

/**
 * One object for a Client's `auth`: sends its requests with tokens.
 * @param {import("./auth-session.js").Grant} grant
 */
function provider(grant) {
	/** @type {Map<string, Session>} */
	const sessions = new Map();
	const session = (/** @type {string} */ url) => {
		let found = sessions.get(url);
		if (!found) {
			found = new Session(url, grant);
			sessions.set(url, found);
		}
		return found;
	};
	return {
		/** @param {typeof fetch} call @param {string} url @param {any} init @param {import("./auth-session.js").Hold} [hold] */
		fetch: (call, url, init, hold) => session(url).fetch(call, init, hold),
		/** @param {string | URL} url @param {string} callback @param {{ resume: string, fetch?: typeof fetch }} context */
		finish: (url, callback, { resume, fetch: call }) =>
			session(String(url)).resume(call ?? ((input, init) => globalThis.fetch(input, init)), resume, callback),
		/** @param {string | URL} [url] @param {{ registration?: boolean }} [options] */
		async logout(url, { registration } = {}) {
			const kept = url === undefined ? ((await grant.storage.keys?.()) ?? []) : [`tokens ${url}`];
			const urls = [...kept].filter((key) => key.startsWith("tokens ")).map((key) => key.slice(7));
			for (const one of new Set(url === undefined ? [...sessions.keys(), ...urls] : urls)) {
				await session(one).logout(registration);
			}
		},
	};
}

/**
 * The pieces that all grants share.
 * @param {any} options
 * @param {any} own
 */
function grant(options, own) {
	const { storage = memoryStorage(), scope, dpop = false, chooseAuthorizationServer: choose } = options;
	/** @type {Promise<any> | undefined} */
	let proving;
	const proof = () => {
		proving ??= prover(storage);
		return proving;
	};
	return {
		storage,
		dpop,
		choose,
		authorize: undefined,
		...own,
		/** @param {string} url */
		setup: async (url) => ({
			server_url: url,
			scope: scopeText(scope),
			chooses_server: choose !== undefined,
			dpop_key: dpop ? (await proof()).jwk : undefined,
			...(await own.setup()),
		}),
		keys: async () => ({ client: await own.key?.(), dpop: dpop ? await proof() : undefined }),
	};
}

/** Makes proofs with a key of its own. @param {Storage} storage */
async function prover(storage) {
	const { key, jwk } = await proofKey(storage);
	const text = JSON.stringify(jwk);
	return {
		key,
		jwk,
		/** @param {string} method @param {string} url @param {string} nonce @param {string} token */
		async proof(method, url, nonce, token) {
			const hash = await digest(token);
			const live = await acquire("auth");
			const { mailbox, glue } = live;
			const parts = [text, method, url, random(16), nonce, hash].join("\0");
			live.call(() => glue.authProof(mailbox.write(parts), Date.now()));
			const [input] = mailbox.strings();
			return `${input}.${await sign(key, "ES256", input)}`;
		},
	};
}

/**
 * A token from elsewhere.
 * @param {string | (() => string | Promise<string>)} token
 */
export function staticToken(token) {
	const checked = (/** @type {unknown} */ value) => {
		if (/^[!-~]+$/.test(required(value, "token"))) return value;
		throw new McpError("INVALID_ARGUMENT", "token must be of characters that a header can carry, without spaces");
	};
	if (typeof token !== "function") checked(token);
	return {
		/** @param {typeof fetch} call @param {string} url @param {any} init */
		async fetch(call, url, init) {
			if (!isSecure(url)) {
				throw new AuthorizationError(`tokens are sent to https URLs only, got ${url}`, { step: "resource" });
			}
			const authorization = `Bearer ${checked(await given(token))}`;
			return call(url, { ...init, headers: { ...init.headers, authorization } });
		},
		async logout() {},
	};
}

/**
 * A user agrees in a browser.
 * @param {any} options
 */
export function authorizationCode(options) {
	const { redirectUri, authorize, client, clientMetadataUrl, clientName = "mcp-duet", assumeS256 = [] } = options;
	required(redirectUri, "redirectUri");
	if (typeof authorize !== "function") {
		throw new McpError(
			"INVALID_ARGUMENT",
			"authorize must be a function from a URL to the URL that the user came back to",
		);
	}
	return provider(
		grant(options, {
			authorize,
			setup: async () => ({
				grant: "authorization_code",
				redirect_uri: redirectUri,
				client_name: clientName,
				metadata_url: clientMetadataUrl,
				assumed_s256: assumeS256,
				registered: client && registered(client),
			}),
		}),
	);
}

/** @param {any} client */
const registered = ({ clientId, clientSecret, method, issuer }) => ({
	client_id: required(clientId, "clientId"),
	client_secret: clientSecret,
	token_endpoint_auth_method: method,
	issuer,
});

/**
 * The client acts on its own behalf, with a secret or a key.
 * @param {any} options
 */
export function clientCredentials(options) {
	const { privateKey, algorithm = "ES256", keyId } = options;
	const client = registered(options);
	if (privateKey === undefined) required(options.clientSecret, "clientSecret, or else privateKey,");
	/** @type {Promise<CryptoKey> | undefined} */
	let importing;
	return provider(
		grant(options, {
			async key() {
				if (privateKey === undefined) return undefined;
				importing ??= signingKey(privateKey, algorithm);
				return { key: await importing };
			},
			setup: async () => ({
				grant: "client_credentials",
				registered: client,
				key_algorithm: privateKey === undefined ? "" : algorithm,
				key_id: keyId,
			}),
		}),
	);
}

/**
 * A workload shows an assertion that its platform signed.
 * @param {any} options
 */
export function workloadIdentity(options) {
	const { assertion, clientId } = options;
	return provider(
		grant(options, {
			setup: async () => ({
				grant: "jwt_bearer",
				assertion: required(await given(assertion), "assertion"),
				registered: clientId && registered(options),
			}),
		}),
	);
}

/**
 * An enterprise's identity provider vouches for the user.
 * @param {any} options
 */
export function enterpriseManaged(options) {
	const { identityProvider } = options;
	const client = registered(options);
	return provider(
		grant(options, {
			setup: async () => {
				const {
					tokenEndpoint,
					subjectToken,
					subjectTokenType = "urn:ietf:params:oauth:token-type:id_token",
				} = identityProvider;
				return {
					grant: "identity_assertion",
					registered: client,
					identity_provider: {
						...registered(identityProvider),
						token_endpoint: required(tokenEndpoint, "identityProvider.tokenEndpoint"),
						subject_token: required(await given(subjectToken), "identityProvider.subjectToken"),
						subject_token_type: subjectTokenType,
					},
				};
			},
		}),
	);
}
