// The ready-made ways to get tokens: each is an object for a Client's `auth`.

import { McpError } from "../errors.js";
import { AuthorizationError } from "./auth-error.js";
import { digest, parameters, proofKey, random, sign, signingKey } from "./auth-keys.js";
import { Session } from "./auth-session.js";
import { browserStorage } from "./auth-storage.js";
import { acquire } from "./core.js";
import { isBrowser, isSecure } from "./place.js";

export { loopback } from "./auth-loopback.js";
export { finishPopup, popup } from "./auth-popup.js";
export { finishRedirect, redirect } from "./auth-redirect.js";
export { jwtVerifier, protectedResource } from "./auth-resource.js";
export { AuthorizationError, browserStorage };

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

/** A page's own, where there is one; a frame may be forbidden to have it. */
function usualStorage() {
	try {
		if (isBrowser() && globalThis.sessionStorage) return browserStorage();
	} catch {
		// Then what is kept is gone with the page.
	}
	return memoryStorage();
}

/** @param {string} message */
const invalid = (message) => new McpError("INVALID_ARGUMENT", message);

/** @param {unknown} value @param {string} name */
function required(value, name) {
	if (typeof value === "string" && value !== "") return value;
	throw invalid(`${name} must be a text that is not empty`);
}

/** @param {any} value @param {string} name @returns {string[]} */
function texts(value, name) {
	if (Array.isArray(value) && value.every((one) => typeof one === "string")) return value;
	throw invalid(`${name} must be a list of texts`);
}

/** A value, or what a function gives when it is needed. @param {any} value */
const given = (value) => (typeof value === "function" ? value() : value);

/** What there is later can be checked later only. @param {unknown} value @param {string} name */
const promised = (value, name) => typeof value === "function" || required(value, name);

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
 * @param {{ client?: any, authorize?: any, setup: () => Promise<any> }} own
 */
function grant(options, { client, authorize, setup }) {
	const { storage = usualStorage(), scope = "", dpop = false, chooseAuthorizationServer: choose } = options;
	for (const name of ["get", "set", "delete"]) {
		if (typeof storage?.[name] !== "function") throw invalid(`storage must have ${name}()`);
	}
	const facts = {
		scope: typeof scope === "string" ? scope : texts(scope, "scope").join(" "),
		chooses_server: choose !== undefined,
		registered: client && registered(client),
		key_algorithm: "",
		key_id: client?.keyId,
	};
	const { privateKey, algorithm = "ES256" } = client ?? {};
	if (privateKey !== undefined) {
		parameters(algorithm);
		facts.key_algorithm = algorithm;
	}
	/** @type {Promise<CryptoKey> | undefined} */
	let importing;
	const signing = async () => {
		importing ??= signingKey(privateKey, algorithm);
		return { key: await importing };
	};
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
		authorize,
		/** @param {string} url */
		setup: async (url) => ({
			server_url: url,
			dpop_key: dpop ? (await proof()).jwk : undefined,
			...facts,
			...(await setup()),
		}),
		keys: async () => ({
			client: facts.key_algorithm ? await signing() : undefined,
			dpop: dpop ? await proof() : undefined,
		}),
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
		throw invalid("token must be of characters that a header can carry, without spaces");
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
	const { redirectUri, authorize, client, clientMetadataUrl, clientName = "mcp-duet", assumeS256 = [] } = options ?? {};
	// A scheme of one's own leads to a program of this machine.
	if (!URL.canParse(redirectUri) || (/^http:/i.test(redirectUri) && !isSecure(redirectUri))) {
		throw invalid(`redirectUri must be an https URL, or one of this machine, got ${redirectUri}`);
	}
	if (typeof authorize !== "function") {
		throw invalid("authorize must be a function from a URL to the URL that the user came back to");
	}
	if (clientMetadataUrl !== undefined && !(URL.canParse(clientMetadataUrl) && /^https:/i.test(clientMetadataUrl))) {
		throw invalid(`clientMetadataUrl must be an https URL, got ${clientMetadataUrl}`);
	}
	const facts = {
		grant: "authorization_code",
		redirect_uri: redirectUri,
		client_name: required(clientName, "clientName"),
		metadata_url: clientMetadataUrl,
		assumed_s256: texts(assumeS256, "assumeS256"),
	};
	return provider(grant(options, { authorize, client, setup: async () => facts }));
}

const METHODS = ["none", "client_secret_basic", "client_secret_post", "private_key_jwt"];

/** @param {any} client */
function registered({ clientId, clientSecret, method, issuer, privateKey }) {
	if (method !== undefined && !METHODS.includes(method)) {
		throw invalid(`method must be one of ${METHODS.join(", ")}, not ${method}`);
	}
	if (method === "private_key_jwt" && privateKey === undefined) throw invalid("private_key_jwt needs a privateKey");
	return {
		client_id: required(clientId, "clientId"),
		client_secret: clientSecret === undefined ? undefined : required(clientSecret, "clientSecret"),
		token_endpoint_auth_method: method,
		issuer: issuer === undefined ? undefined : required(issuer, "issuer"),
	};
}

/**
 * The client acts on its own behalf, with a secret or a key.
 * @param {any} options
 */
export function clientCredentials(options) {
	const { privateKey, clientSecret } = options ?? {};
	if (privateKey === undefined) required(clientSecret, "clientSecret, or else privateKey,");
	return provider(grant(options, { client: options, setup: async () => ({ grant: "client_credentials" }) }));
}

/**
 * A workload shows an assertion that its platform signed.
 * @param {any} options
 */
export function workloadIdentity(options) {
	const { assertion, clientId } = options ?? {};
	promised(assertion, "assertion");
	return provider(
		grant(options, {
			client: clientId === undefined ? undefined : options,
			setup: async () => ({ grant: "jwt_bearer", assertion: required(await given(assertion), "assertion") }),
		}),
	);
}

/**
 * An enterprise's identity provider vouches for the user.
 * @param {any} options
 */
export function enterpriseManaged(options) {
	const { identityProvider } = options ?? {};
	const { tokenEndpoint, subjectToken, subjectTokenType } = identityProvider ?? {};
	const name = "identityProvider.subjectToken";
	if (!isSecure(tokenEndpoint)) {
		throw invalid(`identityProvider.tokenEndpoint must be an https URL, got ${tokenEndpoint}`);
	}
	promised(subjectToken, name);
	const identity = {
		...registered(identityProvider),
		token_endpoint: tokenEndpoint,
		subject_token_type: subjectTokenType ?? "urn:ietf:params:oauth:token-type:id_token",
	};
	return provider(
		grant(options, {
			client: options,
			setup: async () => ({
				grant: "identity_assertion",
				identity_provider: { ...identity, subject_token: required(await given(subjectToken), name) },
			}),
		}),
	);
}
