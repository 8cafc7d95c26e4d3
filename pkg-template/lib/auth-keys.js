// Random values, digests and signatures by WebCrypto. Keys that are made here cannot be read out.

import { McpError } from "../errors.js";

/** The WebCrypto parameters of the JOSE algorithms. @type {Record<string, any>} */
const ALGORITHMS = {
	ES256: { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" },
	ES384: { name: "ECDSA", namedCurve: "P-384", hash: "SHA-384" },
	RS256: { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" },
	PS256: { name: "RSA-PSS", hash: "SHA-256", saltLength: 32 },
	EdDSA: { name: "Ed25519" },
};

const encoder = new TextEncoder();

/** @param {Uint8Array} bytes */
export function base64url(bytes) {
	let binary = "";
	for (const byte of bytes) binary += String.fromCharCode(byte);
	return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** @param {number} length in bytes */
export const random = (length) => base64url(crypto.getRandomValues(new Uint8Array(length)));

/** The base64url of a text's SHA-256. @param {string} text */
export const digest = async (text) =>
	base64url(new Uint8Array(await crypto.subtle.digest("SHA-256", encoder.encode(text))));

/** What WebCrypto calls it. @param {string} algorithm */
export function parameters(algorithm) {
	const found = ALGORITHMS[algorithm];
	if (found) return found;
	const known = Object.keys(ALGORITHMS).join(", ");
	throw new McpError("INVALID_ARGUMENT", `algorithm must be one of ${known}, not ${algorithm}`);
}

/**
 * A private key to sign with: a CryptoKey as it is, or the PEM of a PKCS #8 key.
 * @param {any} key
 * @param {string} algorithm
 * @returns {Promise<CryptoKey>}
 */
export async function signingKey(key, algorithm) {
	if (typeof key !== "string") return key;
	const body = key.replace(/-----[^-]+-----|\s/g, "");
	if (!key.includes("-----BEGIN PRIVATE KEY-----") || !/^[A-Za-z0-9+/]+=*$/.test(body)) {
		throw new McpError("INVALID_ARGUMENT", "privateKey must be a CryptoKey or the PEM of a PKCS #8 private key");
	}
	const bytes = Uint8Array.from(atob(body), (character) => character.charCodeAt(0));
	return crypto.subtle.importKey("pkcs8", bytes, parameters(algorithm), false, ["sign"]);
}

/**
 * The base64url of the text's signature.
 * @param {CryptoKey} key
 * @param {string} algorithm
 * @param {string} text
 */
export const sign = async (key, algorithm, text) =>
	base64url(new Uint8Array(await crypto.subtle.sign(parameters(algorithm), key, encoder.encode(text))));

/**
 * A key pair for proofs of possession, and its public half as a JSON Web Key.
 * @param {import("./auth-session.js").Storage} storage
 */
export async function proofKey({ keyPair = (_name, make) => make() }) {
	const pair = await keyPair("dpop", async () => {
		const made = crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, false, ["sign", "verify"]);
		return /** @type {CryptoKeyPair} */ (await made);
	});
	const { kty, crv, x, y } = await crypto.subtle.exportKey("jwk", pair.publicKey);
	return { key: pair.privateKey, jwk: { kty, crv, x, y } };
}
