// Tokens that many use at once: one renewal for all, under rotation, and ahead of their end.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "mcp-duet";
import { clientCredentials, memoryStorage } from "mcp-duet/auth";
import { issuer, url, user, world } from "./auth-world.mjs";

/** A storage whose users take turns, as the tabs of an origin do. */
function sharedStorage() {
	/** @type {Map<string, Promise<unknown>>} */
	const turns = new Map();
	const seen = { waited: 0 };
	return {
		...memoryStorage(),
		seen,
		/** @template T @param {string} key @param {() => Promise<T>} work @returns {Promise<T>} */
		lock(key, work) {
			const before = turns.get(key);
			if (before) seen.waited++;
			const turn = (before ?? Promise.resolve()).then(work, work);
			turns.set(key, turn);
			return turn;
		},
	};
}

/** An authorization server that ends a family of tokens when one of them is used twice. */
function rotating() {
	const at = world();
	const used = new Set();
	let stolen = 0;
	const { fetch } = at;
	at.fetch = async (to, init) => {
		const form = new URLSearchParams(to === `${issuer}/token` ? String(init?.body) : "");
		const token = form.get("refresh_token");
		if (token && used.has(token)) {
			stolen++;
			at.state.refreshTokens.clear();
		}
		used.add(token);
		// Others get their turn meanwhile.
		await new Promise((resolve) => setImmediate(resolve));
		return fetch(to, init);
	};
	return { at, reused: () => stolen };
}

test("twenty calls that are refused at once share one renewal of a rotating token", async () => {
	const { at, reused } = rotating();
	const client = new Client({ url, fetch: at.fetch, auth: user(at) });
	await client.listTools();
	for (const round of [1, 2, 3]) {
		at.valid.clear();
		await Promise.all(Array.from({ length: 20 }, () => client.listTools()));
		assert.equal(at.count(`POST ${issuer}/token`), 1 + round);
	}
	assert.deepEqual([reused(), at.redirects.length], [0, 1]);
	await client.close();
});

test("two pages with one storage and its lock renew once, and no token is used twice", async () => {
	const { at, reused } = rotating();
	const storage = sharedStorage();
	const clients = [0, 1].map(() => new Client({ url, fetch: at.fetch, auth: user(at, { storage }) }));
	await Promise.all(clients.map((client) => client.listTools()));
	assert.equal(at.redirects.length, 1, "one of them asked the user");
	for (const round of [1, 2, 3]) {
		at.valid.clear();
		await Promise.all(clients.flatMap((client) => Array.from({ length: 10 }, () => client.listTools())));
		assert.equal(at.count(`POST ${issuer}/token`), 1 + round);
	}
	assert.ok(storage.seen.waited > 0, "the lock was contended");
	assert.deepEqual([reused(), at.redirects.length], [0, 1]);
	await Promise.all(clients.map((client) => client.close()));
});

test("without the lock, the one that comes too late takes the other's tokens from the storage", async () => {
	const { at } = rotating();
	const storage = memoryStorage();
	const clients = [0, 1].map(() => new Client({ url, fetch: at.fetch, auth: user(at, { storage }) }));
	await clients[0].listTools();
	await clients[1].listTools();
	at.valid.clear();
	await clients[0].listTools();
	await Promise.all(Array.from({ length: 10 }, () => clients[1].listTools()));
	assert.equal(at.redirects.length, 1);
	await Promise.all(clients.map((client) => client.close()));
});

test("without the lock, two that refresh at once ask nobody: the one that is refused takes the other's tokens", async () => {
	const { at, reused } = rotating();
	const kept = memoryStorage();
	/** @type {() => void} */
	let store = () => {};
	const stored = new Promise((resolve) => {
		store = () => resolve(undefined);
	});
	const storage = {
		...kept,
		set(/** @type {string} */ key, /** @type {string} */ value) {
			kept.set(key, value);
			if (value.includes("secret-access-2")) store();
		},
	};
	/** @type {() => void} */
	let second = () => {};
	const both = new Promise((resolve) => {
		second = () => resolve(undefined);
	});
	let refreshes = 0;
	const fetch = async (/** @type {string} */ to, /** @type {RequestInit} */ init) => {
		if (String(init?.body).includes("grant_type=refresh_token")) {
			if (++refreshes === 1) await both;
			else {
				second();
				await stored;
			}
		}
		return at.fetch(to, init);
	};
	const clients = [0, 1].map(() => new Client({ url, fetch, auth: user(at, { storage }) }));
	await clients[0].listTools();
	await clients[1].listTools();
	at.valid.clear();
	await Promise.all(clients.map((client) => client.listTools()));
	assert.deepEqual([refreshes, reused(), at.redirects.length], [2, 1, 1]);
	await Promise.all(clients.map((client) => client.close()));
});

/** Lets all tokens of a storage look as if their time to be renewed had come. @param {any} storage */
async function age(storage) {
	const tokens = JSON.parse(await storage.get(`tokens ${url}`));
	assert.ok(tokens.renew_at > Date.now() && tokens.renew_at < tokens.expires_at);
	await storage.set(`tokens ${url}`, JSON.stringify({ ...tokens, renew_at: Date.now() - 1 }));
}

test("a token is renewed ahead of its end, once, and a failure of that fails no call", async () => {
	const storage = memoryStorage();
	let offline = false;
	const at = world({ lifetime: 3600, refresh: () => (offline ? new Response("", { status: 503 }) : undefined) });
	const first = new Client({ url, fetch: at.fetch, auth: user(at, { storage }) });
	await first.listTools();
	await age(storage);
	const second = new Client({ url, fetch: at.fetch, auth: user(at, { storage }) });
	const answers = at.refused();
	await Promise.all(Array.from({ length: 5 }, () => second.listTools()));
	assert.equal(at.count(`POST ${issuer}/token`), 2);
	assert.equal(at.refused(), answers, "no request was refused on the way");
	await age(storage);
	offline = true;
	const third = new Client({ url, fetch: at.fetch, auth: user(at, { storage }) });
	await third.listTools();
	assert.equal(at.redirects.length, 1);
	await Promise.all([first.close(), second.close(), third.close()]);
});

test("a renewal ahead of the end asks nobody, is tried once, and leaves a good token in use", async () => {
	const storage = memoryStorage();
	const refusal = () => Response.json({ error: "invalid_grant" }, { status: 400 });
	const at = world({ lifetime: 3600, refresh: refusal });
	const client = new Client({ url, fetch: at.fetch, auth: user(at, { storage }) });
	await client.listTools();
	await age(storage);
	const again = new Client({ url, fetch: at.fetch, auth: user(at, { storage }) });
	for (let round = 0; round < 3; round++) await Promise.all([again.listTools(), again.listTools()]);
	assert.deepEqual([at.redirects.length, at.count(`POST ${issuer}/token`)], [1, 2]);
	// Now it is not good any more.
	at.valid.clear();
	await again.listTools();
	assert.equal(at.redirects.length, 2);
	await Promise.all([client.close(), again.close()]);
});

test("a call that is refused during a renewal ahead of the end is not failed by it", async () => {
	const storage = memoryStorage();
	/** @type {(value?: unknown) => void} */
	let refuse = () => {};
	const refused = new Promise((resolve) => {
		refuse = resolve;
	});
	const at = world({ lifetime: 3600, refresh: () => Response.json({ error: "invalid_grant" }, { status: 400 }) });
	const fetch = async (/** @type {string} */ to, /** @type {RequestInit} */ init) => {
		if (String(init?.body).includes("grant_type=refresh_token")) await refused;
		const answer = await at.fetch(to, init);
		if (answer.status === 401) setImmediate(refuse);
		return answer;
	};
	const first = new Client({ url, fetch, auth: user(at, { storage }) });
	await first.listTools();
	await age(storage);
	const client = new Client({ url, fetch, auth: user(at, { storage }) });
	at.valid.clear();
	// The first one waits for the renewal; the others send the old token meanwhile.
	await Promise.all([1, 2, 3].map(() => client.listTools()));
	assert.equal(at.redirects.length, 2);
	await Promise.all([first.close(), client.close()]);
});

test("a client on its own behalf gets its next token ahead of time as well", async () => {
	const storage = memoryStorage();
	const at = world({ lifetime: 3600 });
	const auth = () => clientCredentials({ clientId: "c", clientSecret: "s", storage });
	const first = new Client({ url, fetch: at.fetch, auth: auth() });
	await first.listTools();
	await age(storage);
	const second = new Client({ url, fetch: at.fetch, auth: auth() });
	const answers = at.refused();
	await second.listTools();
	assert.deepEqual([at.count(`POST ${issuer}/token`), at.refused()], [2, answers]);
	await Promise.all([first.close(), second.close()]);
});
