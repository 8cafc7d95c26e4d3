// Runs one authorization: does what the core wants and tells it what came. It decides
// nothing; src/js/auth.rs says what the records mean.

import { AuthorizationError } from "./auth-error.js";
import { sign } from "./auth-keys.js";
import { beginning } from "./body.js";
import { isBrowser } from "./place.js";

/** How long one request of the flow may take, in milliseconds: metadata and token endpoints answer at once. */
const REQUEST_MS = 15_000;
/** As much as the core reads of a body, in bytes, and one more. */
const BODY_BYTES = 256 * 1024 + 1;

const ANSWER = 1;
const UNREACHABLE = 2;
const LOADED = 3;
const STORED = 4;
const REDIRECTED = 5;
const SIGNED = 6;
const CHOSEN = 7;
/** How often a metadata address may lead on within its origin. */
const MAX_HOPS = 3;

/**
 * @typedef {object} World what a flow can reach
 * @property {typeof fetch} fetch
 * @property {(issuers: string[]) => Promise<string>} choose
 * @property {(key: string) => Promise<string | undefined | null>} load
 * @property {(key: string, value: string) => Promise<void>} store
 * @property {(url: string, resume: string) => Promise<string>} authorize
 * @property {Record<string, { key: CryptoKey } | undefined>} keys
 */

/**
 * @param {import("./core.js").Live} live
 * @param {{ setup: any, start?: any, resume?: string }} begin
 * @param {World} world
 * @param {string} [callback] with which a resumed flow goes on
 * @returns {Promise<any>} the tokens
 */
export async function run(live, begin, world, callback) {
	const { mailbox } = live;
	const flow = live.call(() => new live.glue.AuthFlow(mailbox.write(JSON.stringify(begin))));
	const told = (/** @type {number} */ kind, /** @type {string} */ text, status = 0) => {
		live.call(() => flow.handle(kind, status, mailbox.write(text), Date.now()));
		return JSON.parse(mailbox.strings()[0]);
	};
	try {
		let output = callback === undefined ? JSON.parse(mailbox.strings()[0]) : told(REDIRECTED, callback);
		for (;;) {
			switch (output.do) {
				case "request": {
					const { kind, text, status } = await request(world.fetch, output);
					output = told(kind, text, status);
					break;
				}
				case "choose":
					output = told(CHOSEN, await world.choose(output.issuers));
					break;
				case "load":
					output = told(LOADED, (await world.load(output.key)) ?? "");
					break;
				case "store":
					await world.store(output.key, output.value);
					output = told(STORED, "");
					break;
				case "redirect":
					output = told(REDIRECTED, await world.authorize(output.url, output.resume));
					break;
				case "sign": {
					const signer = world.keys[output.key];
					if (!signer) throw new AuthorizationError("there is no key to sign with", { step: "token" });
					output = told(SIGNED, await sign(signer.key, output.algorithm, output.input));
					break;
				}
				case "done":
					return output.tokens;
				default:
					throw new AuthorizationError(output.message, {
						step: output.step,
						error: output.error,
						status: output.status || undefined,
					});
			}
		}
	} finally {
		if (!live.dead) flow.free();
	}
}

/**
 * One request: no cookies, no redirect to another origin, bounded in time and size.
 * @param {typeof fetch} call
 * @param {{ method: string, url: string, headers: Record<string, string>, body?: string }} wanted
 */
export async function request(call, { method, url, headers, body }) {
	try {
		// A page cannot see where a redirect goes before it was followed; everywhere else nobody else is asked.
		const page = isBrowser();
		/** @type {RequestInit} */
		const init = {
			method,
			headers,
			body,
			signal: AbortSignal.timeout(REQUEST_MS),
			redirect: page && method === "GET" ? "follow" : "manual",
		};
		// Elsewhere there are no cookies, and some runtimes refuse the option.
		if (page) init.credentials = "omit";
		let response = await call(url, init);
		for (let hops = 0, at = url; ; hops++) {
			const moved = method === "GET" && response.status >= 300 && response.status < 400;
			const location = moved ? response.headers.get("location") : null;
			const to = location === null ? response.url || at : new URL(location, at).href;
			if (new URL(to).origin !== new URL(url).origin || (location !== null && hops >= MAX_HOPS)) {
				response.body?.cancel().catch(() => {});
				const text = hops >= MAX_HOPS ? "it redirects too often" : "it redirects to another origin";
				return { kind: UNREACHABLE, text, status: 0 };
			}
			if (location === null) break;
			response.body?.cancel().catch(() => {});
			at = to;
			response = await call(at, init);
		}
		const text = await beginning(response, BODY_BYTES);
		return { kind: ANSWER, text: `${response.headers.get("dpop-nonce") ?? ""}\0${text}`, status: response.status };
	} catch (error) {
		return { kind: UNREACHABLE, text: error instanceof Error ? error.message : String(error), status: 0 };
	}
}
