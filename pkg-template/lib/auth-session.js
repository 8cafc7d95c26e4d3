// The tokens for one server: puts them on requests, and gets others when they are refused.
// Whatever a session says to the network goes through the fetch that it is given.

import { AuthorizationError } from "./auth-error.js";
import { run } from "./auth-flow.js";
import { digest, random } from "./auth-keys.js";
import { acquire } from "./core.js";
import { isBrowser } from "./place.js";

/**
 * @typedef {object} Storage
 * @property {(key: string) => string | undefined | null | Promise<string | undefined | null>} get
 * @property {(key: string, value: string) => void | Promise<void>} set
 * @property {(key: string) => void | Promise<void>} delete
 * @property {(() => Iterable<string> | Promise<Iterable<string>>) | undefined} [keys]
 * @property {(<T>(key: string, work: () => Promise<T>) => Promise<T>) | undefined} [lock]
 * @property {((name: string, make: () => Promise<CryptoKeyPair>) => Promise<CryptoKeyPair>) | undefined} [keyPair]
 */

/**
 * @typedef {object} Grant how a provider gets its tokens
 * @property {Storage} storage
 * @property {boolean} dpop
 * @property {(url: string) => Promise<any>} setup what the core is to know
 * @property {() => Promise<Record<string, any>>} keys
 * @property {((url: string, context: { resume: string, serverUrl: string }) => Promise<string>) | undefined} authorize
 * @property {((issuers: string[]) => string | Promise<string>) | undefined} [choose]
 */

/** @typedef {<T>(work: Promise<T>) => Promise<T>} Hold waits for something that takes as long as it takes */

/** How often a request is sent again because others got newer tokens meanwhile. */
const MAX_SWAPS = 3;

const REPORT = 0;
const REPEAT = 2;

/** What servers say of a client that they have forgotten. */
const FORGOTTEN = ["invalid_client", "unauthorized_client"];

export class Session {
	#url;
	#grant;
	/** @type {any} */
	#tokens;
	#loaded = false;
	/** @type {Promise<void> | undefined} */
	#flight;
	/** The renewal ahead of the end that is under way. @type {Promise<void> | undefined} */
	#renewal;
	/** The access token that was to be renewed ahead last: each is tried once. */
	#tried = "";
	/** What began before the last of them keeps nothing. */
	#logouts = 0;
	/** Challenges for more scopes that the user refused. @type {Set<string>} */
	#denied = new Set();
	/** What the resource server wants repeated in proofs. */
	#nonce = "";

	/**
	 * @param {string} url of the server
	 * @param {Grant} grant
	 */
	constructor(url, grant) {
		this.#url = url;
		this.#grant = grant;
	}

	get #key() {
		return `tokens ${this.#url}`;
	}

	/** The tokens as they are stored: another page or process may have newer ones. */
	async #load() {
		const since = this.#logouts;
		const { storage, dpop } = this.#grant;
		const text = await storage.get(this.#key);
		if (since !== this.#logouts) return;
		this.#loaded = true;
		this.#tokens = undefined;
		try {
			const found = JSON.parse(text ?? "");
			// Without its key a bound token is worth nothing.
			const fits = found.token_type === "Bearer" || (dpop && found.token_type === "DPoP");
			if (fits && typeof found.access_token === "string") this.#tokens = found;
		} catch {
			// What somebody else has written there is worth nothing.
		}
	}

	/** @param {boolean} [registration] whether to forget the client as well */
	async logout(registration) {
		const { storage } = this.#grant;
		if (registration) {
			if (!this.#tokens) await this.#load();
			const issuer = this.#tokens?.issuer;
			await storage.delete(issuer ? `client ${issuer}` : this.#client);
		}
		this.#logouts++;
		this.#tokens = undefined;
		this.#loaded = true;
		this.#flight = undefined;
		this.#denied.clear();
		await storage.delete(this.#key);
	}

	/**
	 * Sends a request with what it needs, and once more when it was refused for want of it.
	 * @param {typeof fetch} call
	 * @param {any} init
	 * @param {Hold} [hold]
	 * @returns {Promise<Response>}
	 */
	async fetch(call, init, hold = (work) => work) {
		let attempts = 0;
		let swaps = 0;
		let repeated = false;
		if (!this.#loaded) await this.#load();
		for (;;) {
			// What is under way is waited for: without it the request would be refused.
			if (this.#flight && !this.#tokens) await hold(this.#flight);
			if (this.#due()) await hold(this.#renew(call));
			const tokens = this.#tokens;
			/** @type {Response} */
			let response;
			try {
				response = await call(this.#url, { ...init, headers: await this.#headers(tokens, init) });
			} catch (error) {
				// A page may not be allowed to see that it was refused; then only the metadata can tell.
				if (tokens || attempts++ > 0 || !isBrowser() || init.signal?.aborted) throw error;
				await hold(this.#authorize(call, "", tokens)).catch((failed) => {
					throw failed?.step === "resource" ? error : failed;
				});
				continue;
			}
			const nonce = response.headers.get("dpop-nonce");
			if (nonce) this.#nonce = nonce;
			if (response.status !== 401 && response.status !== 403) return response;
			const challenge = response.headers.get("www-authenticate") ?? "";
			const live = await acquire("auth");
			const held = tokens ? JSON.stringify(tokens) : "";
			const reaction = live.call(() => {
				const length = live.mailbox.write(`${held}\0${challenge}`);
				return live.glue.authReact(response.status, length, attempts, nonce !== null && !repeated);
			});
			if (reaction === REPORT || this.#denied.has(challenge)) return response;
			response.body?.cancel().catch(() => {});
			if (reaction === REPEAT) {
				repeated = true;
				continue;
			}
			if (this.#renewal) await hold(this.#renewal);
			if (!this.#flight) await this.#load();
			if (this.#tokens && this.#tokens.access_token !== tokens?.access_token && swaps++ < MAX_SWAPS) continue;
			attempts++;
			await hold(this.#authorize(call, challenge, tokens)).catch((error) => {
				if (response.status === 403 && error?.error === "access_denied") this.#denied.add(challenge);
				throw error;
			});
		}
	}

	/** Whether the tokens should be renewed, and nobody has to be asked for that. */
	#due() {
		const { renew_at, refresh_token, access_token } = this.#tokens ?? {};
		const can = (refresh_token || !this.#grant.authorize) && access_token !== this.#tried;
		return renew_at <= Date.now() && can && !this.#flight;
	}

	/** Renews ahead of the end. Nobody is asked, and a failure is nobody's: while the token is good, it is used. @param {typeof fetch} call */
	#renew(call) {
		this.#tried = this.#tokens.access_token;
		this.#renewal = this.#authorize(call, "", this.#tokens, true)
			.catch(() => {})
			.finally(() => {
				this.#renewal = undefined;
			});
		return this.#renewal;
	}

	/**
	 * One flow at a time: who comes later gets what the first one gets.
	 * @param {typeof fetch} call
	 * @param {string} challenge
	 * @param {any} used
	 * @param {boolean} [silent] whether it fails where the user would have to be asked
	 */
	#authorize(call, challenge, used, silent) {
		if (this.#flight) return this.#flight;
		const since = this.#logouts;
		const flight = this.#locked(async () => {
			await this.#load();
			this.#still(since);
			// Another page was faster.
			if (this.#tokens && this.#tokens.access_token !== used?.access_token) return;
			await this.#run(call, challenge, since, silent);
		}).finally(() => {
			if (this.#flight === flight) this.#flight = undefined;
		});
		this.#flight = flight;
		return flight;
	}

	/** @param {number} since */
	#still(since) {
		if (since === this.#logouts) return;
		throw new AuthorizationError("the user logged out meanwhile", { step: "authorization" });
	}

	/** @param {() => Promise<void>} work */
	#locked(work) {
		const { storage } = this.#grant;
		return storage.lock ? storage.lock(this.#key, work) : work();
	}

	/**
	 * @param {typeof fetch} call
	 * @param {string} challenge
	 * @param {number} since
	 * @param {boolean} [silent]
	 */
	async #run(call, challenge, since, silent) {
		const start = async (/** @type {any} */ tokens) => {
			const verifier = random(32);
			const code_challenge = await digest(verifier);
			return {
				challenge: challenge || undefined,
				tokens,
				verifier,
				code_challenge,
				state: random(16),
				jti: random(16),
			};
		};
		const setup = await this.#grant.setup(this.#url);
		const flow = async (/** @type {any} */ tokens) => {
			const begin = { setup, start: await start(tokens) };
			await this.#keep(await run(await acquire("auth"), begin, await this.#world(call, silent)), since);
		};
		try {
			await flow(this.#tokens);
		} catch (thrown) {
			const error = /** @type {any} */ (thrown);
			const told = FORGOTTEN.includes(error?.error);
			// A server that shows such a client an error page sends nobody back.
			const hidden = error?.cause?.code === "TIMED_OUT" && !this.#tokens;
			if (setup.registered || !(told || hidden) || !(await this.#grant.storage.get(this.#client))) throw error;
			// What it knew is worth nothing any more.
			await this.#grant.storage.delete(this.#client);
			if (hidden) throw error;
			await flow(this.#tokens && { ...this.#tokens, refresh_token: undefined });
		}
	}

	/**
	 * Ends a flow whose page was left for the authorization server.
	 * @param {typeof fetch} call
	 * @param {string} resume
	 * @param {string} callback
	 */
	async resume(call, resume, callback) {
		const since = this.#logouts;
		const setup = await this.#grant.setup(this.#url);
		await this.#keep(await run(await acquire("auth"), { setup, resume }, await this.#world(call), callback), since);
	}

	/** Where the registration is kept that was asked about last. */
	#client = "";

	/**
	 * @param {typeof fetch} call
	 * @param {boolean} [silent]
	 * @returns {Promise<import("./auth-flow.js").World>}
	 */
	async #world(call, silent) {
		const { storage, authorize, keys } = this.#grant;
		return {
			fetch: call,
			choose: async (issuers) => (await this.#grant.choose?.(issuers)) ?? "",
			load: async (key) => {
				if (key !== this.#key) this.#client = key;
				return storage.get(key);
			},
			store: async (key, value) => storage.set(key, value),
			authorize: async (url, resume) => {
				const failed = (/** @type {string} */ message, /** @type {unknown} */ cause) =>
					new AuthorizationError(message, { step: "authorization", cause });
				if (silent) throw failed("the user would have to be asked", undefined);
				/** @type {unknown} */
				let callback;
				try {
					callback = await authorize?.(url, { resume, serverUrl: this.#url });
				} catch (error) {
					if (error instanceof AuthorizationError) throw error;
					throw failed(`the user was not asked: ${error instanceof Error ? error.message : error}`, error);
				}
				if (typeof callback === "string") return callback;
				throw failed("authorize must give the URL that the user came back to", undefined);
			},
			keys: await keys(),
		};
	}

	/** @param {any} tokens @param {number} since */
	async #keep(tokens, since) {
		this.#still(since);
		this.#tokens = tokens;
		this.#loaded = true;
		await this.#grant.storage.set(this.#key, JSON.stringify(tokens));
	}

	/**
	 * @param {any} tokens
	 * @param {any} init
	 */
	async #headers(tokens, init) {
		/** @type {Record<string, string>} */
		const headers = { ...init.headers };
		if (!tokens) return headers;
		headers.authorization = `${tokens.token_type} ${tokens.access_token}`;
		if (tokens.token_type === "DPoP") {
			const { dpop } = await this.#grant.keys();
			headers.dpop = await dpop.proof(init.method ?? "GET", this.#url, this.#nonce, tokens.access_token);
		}
		return headers;
	}
}
