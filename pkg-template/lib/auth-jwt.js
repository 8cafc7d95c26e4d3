// JSON Web Tokens on the resource server's side, loaded when a first one comes: access tokens
// (RFC 9068) and proofs of possession (RFC 9449), checked with WebCrypto.

import { McpError } from "../errors.js";
import { request } from "./auth-flow.js";
import { base64url, digest, parameters } from "./auth-keys.js";
import { acquire } from "./core.js";
import { isSecure } from "./place.js";

/** A token is some kB long; longer ones are not looked at. In characters. */
const MAX_TOKEN = 16 * 1024;
/** How long an issuer's keys are kept, in milliseconds: issuers announce new keys long before they use them. */
const KEYS_MS = 10 * 60_000;
/** How soon an unknown key may have the issuer asked again, in milliseconds: anybody can invent key ids. */
const RETRY_MS = 30_000;
/** How far clocks may be apart, in seconds. */
const SKEW_SECONDS = 60;
/** How long a proof is good, in seconds: it is made for one request. */
const PROOF_SECONDS = 300;
/** As many proofs are remembered; with more in five minutes, the oldest are forgotten. */
const MAX_PROOFS = 10_000;

const encoder = new TextEncoder();

/** @param {string} text in base64url */
function bytes(text) {
	const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
	return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

/**
 * The parts of a token, unchecked.
 * @param {string} token
 */
function read(token) {
	const parts = token.split(".");
	if (token.length > MAX_TOKEN || parts.length !== 3) return undefined;
	try {
		const [header, claims] = parts.slice(0, 2).map((part) => JSON.parse(new TextDecoder().decode(bytes(part))));
		if (Object(header) !== header || Object(claims) !== claims) return undefined;
		return { header, claims, input: `${parts[0]}.${parts[1]}`, signature: bytes(parts[2]) };
	} catch {
		return undefined;
	}
}

/**
 * Whether that key signed it. No key makes a signature of an algorithm that is not its own.
 * @param {NonNullable<ReturnType<typeof read>>} parsed
 * @param {any} jwk
 */
async function signed({ header, input, signature }, { kty, crv, x, y, n, e }) {
	try {
		const algorithm = parameters(header.alg);
		const key = await crypto.subtle.importKey("jwk", { kty, crv, x, y, n, e }, algorithm, false, ["verify"]);
		return await crypto.subtle.verify(algorithm, key, signature, encoder.encode(input));
	} catch {
		return false;
	}
}

/** @param {unknown} value */
const number = (value) => (typeof value === "number" && Number.isFinite(value) ? value : undefined);

/**
 * @param {{ issuer: string, jwksUri?: string, fetch?: typeof fetch }} options
 * @returns {(token: string) => Promise<any>}
 */
export function verifier({ issuer, jwksUri, fetch: own }) {
	const call = own ?? ((input, init) => globalThis.fetch(input, init));
	/** @type {any[]} */
	let keys = [];
	let fetched = Number.NEGATIVE_INFINITY;

	/** @param {string} url */
	const document = async (url) => {
		const { status, text } = await request(call, { method: "GET", url, headers: { accept: "application/json" } });
		try {
			if (status === 200) return JSON.parse(text.slice(text.indexOf("\0") + 1));
		} catch {
			// As good as none.
		}
		return undefined;
	};

	const find = async () => {
		if (jwksUri) return jwksUri;
		const live = await acquire("auth");
		live.call(() => live.glue.authServerUrls(live.mailbox.write(issuer)));
		for (const url of live.mailbox.strings()) {
			const metadata = await document(url);
			if (metadata?.issuer === issuer && typeof metadata.jwks_uri === "string") return metadata.jwks_uri;
		}
		throw new McpError("AUTHORIZATION", `${issuer} publishes no metadata with its issuer and a jwks_uri`);
	};

	const load = async () => {
		const url = await find();
		if (!isSecure(url)) {
			throw new McpError("AUTHORIZATION", `the keys of ${issuer} must be at an https URL, got ${url}`);
		}
		const found = (await document(url))?.keys;
		if (!Array.isArray(found)) throw new McpError("AUTHORIZATION", `there are no keys of ${issuer} at ${url}`);
		keys = found.filter((key) => Object(key) === key);
		fetched = Date.now();
	};

	return async (token) => {
		const parsed = read(token);
		if (!parsed) return undefined;
		const { header, claims } = parsed;
		// Other kinds of tokens of the same issuer are signed with the same keys.
		if (!/^((application\/)?at\+jwt|JWT)$/i.test(header.typ ?? "JWT") || header.crit !== undefined) return undefined;
		const now = Date.now() / 1000;
		const expiresAt = number(claims.exp) ?? 0;
		if (claims.iss !== issuer || expiresAt <= now || (number(claims.nbf) ?? 0) > now + SKEW_SECONDS) return undefined;
		const fits = (/** @type {any} */ key) =>
			(header.kid === undefined || key.kid === header.kid) &&
			(key.use ?? "sig") === "sig" &&
			(key.alg ?? header.alg) === header.alg;
		const age = Date.now() - fetched;
		if (age > KEYS_MS || (age > RETRY_MS && !keys.some(fits))) await load();
		for (const key of keys.filter(fits)) {
			if (await signed(parsed, key))
				return { ...claims, audience: claims.aud ?? [], scopes: scopes(claims), expiresAt };
		}
		return undefined;
	};
}

/** Some issuers write them as a list, some call it otherwise. @param {any} claims */
const scopes = ({ scope, scp }) => {
	const found = scope ?? scp;
	return typeof found === "string" || Array.isArray(found) ? found : [];
};

/**
 * Why a request's proof of possession does not hold; empty: it holds (RFC 9449 §4.3).
 * @param {Request} request
 * @param {{ url: string, token: string, bound: unknown, proofs: Map<string, number> }} expected
 */
export async function proven(request, { url, token, bound, proofs }) {
	const parsed = read(request.headers.get("dpop") ?? "");
	if (!parsed) return "the request must carry one DPoP proof";
	const { header, claims } = parsed;
	const { jwk } = header;
	if (header.typ !== "dpop+jwt" || Object(jwk) !== jwk || "d" in jwk) return "the DPoP proof must carry a public key";
	if (!(await signed(parsed, jwk))) return "the DPoP proof is not signed by its key";
	const htu = URL.canParse(claims.htu) ? new URL(claims.htu) : undefined;
	if (claims.htm !== request.method || !htu || htu.origin + htu.pathname !== url) {
		return "the DPoP proof is for another request";
	}
	const now = Date.now() / 1000;
	const age = now - (number(claims.iat) ?? 0);
	if (age > PROOF_SECONDS || age < -SKEW_SECONDS) return "the DPoP proof is not of now";
	if (claims.ath !== (await digest(token))) return "the DPoP proof is for another token";
	if (bound !== (await thumbprint(jwk))) return "the token is bound to another key";
	if (typeof claims.jti !== "string" || claims.jti.length > 256) return "the DPoP proof must have a jti";
	for (const [jti, ends] of proofs) {
		if (ends > now && proofs.size <= MAX_PROOFS) break;
		proofs.delete(jti);
	}
	if (proofs.has(claims.jti)) return "the DPoP proof was used before";
	proofs.set(claims.jti, now + PROOF_SECONDS + SKEW_SECONDS);
	return "";
}

/** The name of a public key (RFC 7638). @param {any} jwk */
async function thumbprint({ kty, crv, x, y, n, e }) {
	const required = kty === "RSA" ? { e, kty, n } : kty === "EC" ? { crv, kty, x, y } : { crv, kty, x };
	return base64url(new Uint8Array(await crypto.subtle.digest("SHA-256", encoder.encode(JSON.stringify(required)))));
}
