// requestState: what a handler's next run has to know, sealed so that the client can carry it but neither
// read nor change it nor use it for another call. AES-256-GCM of WebCrypto; whose call it is goes in as
// additional data, so a foreign state does not open.

import { ProtocolError } from "../errors.js";
import { INVALID_PARAMS } from "./constants.js";
import { COUNT, checkMembers, FUNCTION, refusal } from "./server-options.js";

/** What a sealed state begins with. */
const MARK = "duet1.";
const IV_BYTES = 12;
const KEY_BYTES = 32;
const DEFAULT_TTL_MS = 600_000;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * @typedef {object} StateOptions
 * @property {unknown} key 32 bytes or more, as bytes or text; or a list of them: the first one seals, all open
 * @property {number} [ttlMs]
 */

/** @param {Uint8Array} bytes @returns {Promise<CryptoKey>} */
async function importKey(bytes) {
	// A key may be of any length and alphabet; its digest is a key of AES-256.
	const digest = await crypto.subtle.digest("SHA-256", /** @type {BufferSource} */ (bytes));
	return crypto.subtle.importKey("raw", digest, "AES-GCM", false, ["encrypt", "decrypt"]);
}

/** Seals and opens states with the keys of one server. */
export class Seal {
	#keys;
	#ttlMs;

	/** @param {StateOptions} options */
	constructor(options) {
		checkMembers(options, "requestState.", { ttlMs: COUNT, principal: FUNCTION, bind: FUNCTION });
		const { key, ttlMs = DEFAULT_TTL_MS } = options;
		const keys = (Array.isArray(key) ? key : [key]).map((key) => (typeof key === "string" ? encoder.encode(key) : key));
		if (keys.length === 0 || !keys.every((key) => key instanceof Uint8Array && key.length >= KEY_BYTES))
			throw refusal(
				`requestState.key: must have at least ${KEY_BYTES} bytes, as bytes or text, or be a list of such keys`,
			);
		this.#keys = Promise.all(keys.map(importKey));
		// Looked at when a state is sealed or opened; until then nobody waits for it.
		this.#keys.catch(() => {});
		this.#ttlMs = ttlMs;
	}

	/**
	 * @param {unknown} content anything that is JSON
	 * @param {string} call what it is bound to
	 */
	async seal(content, call) {
		const [key] = await this.#keys;
		const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
		const text = encoder.encode(JSON.stringify({ until: Date.now() + this.#ttlMs, content }));
		const sealed = await crypto.subtle.encrypt(
			{ name: "AES-GCM", iv, additionalData: encoder.encode(call) },
			key,
			text,
		);
		const whole = new Uint8Array(IV_BYTES + sealed.byteLength);
		whole.set(iv);
		whole.set(new Uint8Array(sealed), IV_BYTES);
		return MARK + toBase64Url(whole);
	}

	/**
	 * @param {string} state
	 * @param {string} call
	 * @returns {Promise<any>} what was sealed
	 */
	async open(state, call) {
		const bytes = state.startsWith(MARK) ? fromBase64Url(state.slice(MARK.length)) : undefined;
		if (bytes === undefined || bytes.length <= IV_BYTES) throw refused("it was not made by this server");
		const additionalData = encoder.encode(call);
		for (const key of await this.#keys) {
			let text;
			try {
				const sealed = /** @type {BufferSource} */ (bytes.subarray(IV_BYTES));
				const iv = /** @type {BufferSource} */ (bytes.subarray(0, IV_BYTES));
				text = await crypto.subtle.decrypt({ name: "AES-GCM", iv, additionalData }, key, sealed);
			} catch {
				continue;
			}
			const { until, content } = JSON.parse(decoder.decode(text));
			if (Date.now() >= until) throw refused("it has expired");
			return content;
		}
		throw refused("it was changed, or belongs to another call");
	}
}

/**
 * Seals and opens states for handlers that ask by their own results.
 * @param {StateOptions & { bind?: (context: any) => unknown }} options
 */
export function createRequestStateCodec(options) {
	const seal = new Seal(options);
	const { bind = () => null } = options;
	const call = (/** @type {any} */ context) => `own ${JSON.stringify(bind(context) ?? null)}`;
	return {
		mint: (/** @type {unknown} */ payload, /** @type {any} */ context) => seal.seal(payload, call(context)),
		verify: (/** @type {string} */ state, /** @type {any} */ context) => seal.open(state, call(context)),
	};
}

/** @param {string} reason */
function refused(reason) {
	return new ProtocolError(INVALID_PARAMS, `Invalid params: requestState cannot be used: ${reason}`, {
		reason: "invalid_request_state",
	});
}

/** @param {Uint8Array} bytes */
function toBase64Url(bytes) {
	let binary = "";
	for (const byte of bytes) binary += String.fromCharCode(byte);
	return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** @param {string} text */
function fromBase64Url(text) {
	try {
		return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (character) =>
			character.charCodeAt(0),
		);
	} catch {
		return undefined;
	}
}
