// Three origins: a page, an authorization server made of oidc-provider, and a guarded server of ours in workerd.

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import { installed } from "../../scripts/link.mjs";
import { serve } from "../../scripts/serve.mjs";
import { startWorker } from "../../scripts/workerd.mjs";
import { root } from "../../scripts/workspace.mjs";
import { startAuthorizationServer } from "./authorization-server.mjs";
import { openChromium, outcome } from "./chromium.mjs";

const WORKER = `import { Server } from "mcp-duet/server";
import { jwtVerifier, protectedResource } from "mcp-duet/auth";

const tool = (name, scopes, handler) => ({ name, inputSchema: { type: "object" }, scopes, handler });
const server = new Server({
	name: "guarded",
	version: "1",
	allowedOrigins: ["*"],
	tools: [
		tool("whoami", [], (args, ctx) => ctx.authInfo.sub),
		tool("change", ["write"], (args, ctx) => "changed by " + ctx.authInfo.sub),
	],
});
let guard;
export default {
	async fetch(request, env) {
		const resource = new URL("/mcp", request.url).href;
		guard ??= protectedResource({
			resource,
			requireDpop: env.DPOP === "yes",
			authorizationServers: [env.ISSUER],
			scopesSupported: ["read", "write"],
			requiredScopes: ["read"],
			verify: jwtVerifier({ issuer: env.ISSUER }),
		});
		let response = await guard(request, (authInfo) => server.fetch(request, { authInfo }));
		const hides = new URL(request.url).searchParams.get("hide");
		if (hides && response.status === 401) {
			response = new Response(null, response);
			response.headers.delete(hides);
		}
		console.log(request.method, request.url, response.status);
		return response;
	},
};`;

/** @type {Awaited<ReturnType<typeof openChromium>>} */
let chromium;
/** @type {Awaited<ReturnType<typeof startAuthorizationServer>>} */
let as;
/** @type {import("../../scripts/workerd.mjs").RunningWorker} */
let worker;
let seconds = 3600;
/** The page's origin; what is at "/" and "/callback" is up to each test. @type {Record<string, any>} */
const pages = {};
/** @type {Awaited<ReturnType<typeof serve>>} */
let site;
before(async () => {
	chromium = await openChromium();
	site = await serve({ folders: { "/pkg/": installed }, pages });
	const known = {
		client_id: "known",
		redirect_uris: [`${site.url}/callback`],
		grant_types: ["authorization_code", "refresh_token"],
		token_endpoint_auth_method: "none",
		application_type: "native",
	};
	as = await startAuthorizationServer({
		resource: () => `${worker.url}/mcp`,
		clients: [known],
		seconds: () => seconds,
	});
	worker = await startGuarded();
});
const startGuarded = (/** @type {Record<string, string>} */ env = {}) =>
	startWorker({
		main: join(root, "tests/browser/guarded.js"),
		source: WORKER,
		packages: { "mcp-duet": installed },
		env: { ISSUER: as.origin, ...env },
	});
after(async () => {
	await chromium?.close();
	await worker?.stop();
	await as?.stop();
	await site?.stop();
});
beforeEach(() => {
	seconds = 3600;
	as.asked.length = 0;
	as.forms.length = 0;
});

/** What every page of the test begins with. */
const begin = (/** @type {string} */ options = "") => `import { Client } from "/pkg/client.web.js";
import { authorizationCode, browserStorage, finishPopup, finishRedirect, popup, redirect } from "/pkg/auth.web.js";
const url = ${JSON.stringify(`${worker.url}/mcp`)};
const redirectUri = location.origin + "/callback";
const storage = browserStorage();
const shared = { storage, clientName: "A page", ${options} };
const call = async (auth, name) => {
	const client = new Client({ url, auth });
	try {
		return (await client.callTool(name)).content[0].text;
	} finally {
		await client.close();
	}
};
const told = (error) => ({ failed: [error.name, error.code, error.step, error.message] });
globalThis.settle = (work) => { globalThis.outcome = work.catch(told); };
`;

/** @param {string} script */
const page = (script) => ({
	status: 200,
	headers: { "content-type": "text/html" },
	body: `<!doctype html><link rel="icon" href="data:,"><title>A page</title><button id="go">Go</button><script type="module">${script}</script>`,
});

/**
 * Opens a page, and notes everything that it and the windows that it opens say, and their addresses.
 * @param {Record<string, any>} those
 */
async function visit(those) {
	Object.assign(pages, those);
	const opened = await chromium.open(`${site.url}/`);
	/** @type {string[]} */
	const seen = [];
	const watch = (/** @type {import("playwright-core").Page} */ one) => {
		one.on("console", (message) => seen.push(message.text()));
		one.on("pageerror", (error) => seen.push(`${error.stack}`));
		// The way back carries code and state, as OAuth has it; nothing else may.
		const note = (/** @type {string} */ at) => at.startsWith(`${site.url}/callback?`) || seen.push(at);
		one.on("framenavigated", (frame) => note(frame.url()));
		one.on("request", (request) => note(request.url()));
	};
	watch(opened.page);
	opened.page.context().on("page", watch);
	return { ...opened, seen };
}

/** Agrees, and comes back to the page's origin or closes the window. @param {import("playwright-core").Page} user */
async function agree(user) {
	await user.locator("#agree").click();
	if (user.isClosed()) return;
	const closed = user.waitForEvent("close").catch(() => {});
	const back = user.waitForURL((/** @type {URL} */ at) => at.origin !== as.origin).catch(() => {});
	await Promise.race([closed, back]);
}

/** No secret is in what was seen, whole or percent-encoded. @param {string[]} seen @param {Iterable<string>} secrets */
function assertNoSecrets(seen, secrets) {
	const all = seen.join("\n");
	for (const secret of secrets) {
		assert.ok(!all.includes(secret) && !all.includes(encodeURIComponent(secret)), "a secret was seen");
	}
}

/** A page that calls a tool for every click, with the provider made by that expression. @param {string} provider */
const caller = (provider) =>
	page(`${begin()}
const auth = ${provider};
globalThis.next = "whoami";
Object.assign(globalThis, { auth, call });
document.querySelector("#go").onclick = () => settle(call(auth, globalThis.next));
globalThis.again = (name) => settle(call(auth, name));`);

/** Clicks, agrees in the window that opens, and gives the outcome. @param {Awaited<ReturnType<typeof visit>>} opened */
async function clickAndAgree(opened, name = "whoami") {
	await opened.page.evaluate((name) => {
		Object.assign(globalThis, { next: name });
	}, name);
	const [user] = await Promise.all([opened.page.waitForEvent("popup"), opened.page.locator("#go").click()]);
	await agree(user);
	return outcome(opened);
}

/** Calls without a click. @param {Awaited<ReturnType<typeof visit>>} opened @param {string} name */
async function again(opened, name) {
	await opened.page.evaluate((name) => /** @type {any} */ (globalThis).again(name), name);
	return outcome(opened);
}

test("in a window: log in, be asked for more, renew after a reload, and log out", async (t) => {
	const opened = await visit({
		"/": caller("authorizationCode({ ...shared, ...popup({ redirectUri }) })"),
		"/callback": page(`${begin()}finishPopup();`),
	});
	t.after(opened.close);
	assert.equal(await clickAndAgree(opened), "ada");
	assert.deepEqual([as.count("POST /reg"), as.count("POST /token"), as.count("GET /auth")], [1, 1, 1]);
	assert.equal(as.forms[0].get("resource"), `${worker.url}/mcp`);

	assert.equal(await clickAndAgree(opened, "change"), "changed by ada");
	assert.deepEqual([as.count("POST /reg"), as.count("GET /auth")], [1, 2]);
	assert.equal(await again(opened, "whoami"), "ada");

	await opened.page.reload();
	assert.equal(await again(opened, "change"), "changed by ada");
	assert.equal(as.count("GET /auth"), 2);

	// As if it were too old.
	await opened.page.evaluate(() => {
		const key = Object.keys(sessionStorage).find((name) => name.includes("tokens")) ?? "";
		const tokens = JSON.parse(sessionStorage.getItem(key) ?? "");
		sessionStorage.setItem(key, JSON.stringify({ ...tokens, access_token: "old" }));
	});
	await opened.page.reload();
	assert.equal(await again(opened, "change"), "changed by ada");
	assert.equal(as.forms.at(-1)?.get("grant_type"), "refresh_token");
	assert.equal(as.count("GET /auth"), 2);

	await opened.page.evaluate(() => /** @type {any} */ (globalThis).auth.logout());
	assert.equal(await clickAndAgree(opened), "ada");
	assert.deepEqual([as.count("POST /reg"), as.count("GET /auth")], [1, 3]);
	assertNoSecrets([...opened.seen, worker.output()], as.secrets);
	assert.ok(as.secrets.size > 8, "there were secrets to be seen");
});

test("by leaving the page: a registered client logs in, and the page that it comes back to goes on", async (t) => {
	const opened = await visit({
		"/": page(`${begin()}
const auth = authorizationCode({ client: { clientId: "known" }, ...redirect({ redirectUri }) });
document.querySelector("#go").onclick = () => settle(call(auth, "whoami"));`),
		"/callback": page(`${begin()}
const auth = authorizationCode({ client: { clientId: "known" }, redirectUri, authorize: () => { throw new Error("asked twice"); } });
globalThis.auth = auth;
const back = location.href;
const key = Object.keys(sessionStorage).find((name) => name.includes("redirect"));
const record = sessionStorage.getItem(key);
const finished = async () => {
	const of = await finishRedirect(auth);
	if (of !== url) throw new Error("finished for " + of);
	return call(auth, "whoami");
};
settle(finished());
globalThis.again = () => {
	if (sessionStorage.getItem(key) !== null) throw new Error("the record is still there");
	sessionStorage.setItem(key, record);
	history.replaceState(null, "", back);
	settle(finished());
};
globalThis.reopened = () => settle(finishRedirect(auth).then((of) => of === undefined ? "nothing to finish" : of));`),
	});
	t.after(opened.close);
	await opened.page.locator("#go").click();
	await agree(opened.page);
	assert.equal(await outcome(opened), "ada");
	assert.deepEqual([as.count("POST /reg"), as.count("POST /token"), as.count("GET /auth")], [0, 1, 1]);

	// A code is good once; what the server says of it is told without it.
	await opened.page.evaluate(() => /** @type {any} */ (globalThis).again());
	const { failed } = await outcome(opened);
	assert.deepEqual(failed.slice(0, 3), ["AuthorizationError", "AUTHORIZATION", "token"]);
	assert.match(failed[3], /invalid_grant/);
	assert.equal(opened.page.url(), `${site.url}/callback`);
	await opened.page.evaluate(() => /** @type {any} */ (globalThis).reopened());
	assert.equal(await outcome(opened), "nothing to finish");
	// The registration stays, the tokens go with the tab; a provider of another page can log out.
	await opened.page.reload();
	const keys = () => opened.page.evaluate(() => Object.keys({ ...localStorage, ...sessionStorage }));
	assert.ok((await keys()).some((key) => key.includes("tokens")));
	await opened.page.evaluate(() => /** @type {any} */ (globalThis).auth.logout());
	assert.deepEqual(await keys(), []);
	assertNoSecrets([...opened.seen, failed[3], worker.output()], as.secrets);
});

for (const [hides, what] of /** @type {const} */ ([
	["access-control-expose-headers", "the challenge"],
	["access-control-allow-origin", "the whole answer"],
])) {
	test(`a page that may not see ${what} finds the authorization server all the same`, async (t) => {
		const opened = await visit({
			"/": page(`${begin()}
const auth = authorizationCode({ ...shared, ...popup({ redirectUri }) });
document.querySelector("#go").onclick = () => settle((async () => {
	const client = new Client({ url: url + "?hide=${hides}", auth });
	return (await client.callTool("whoami")).content[0].text;
})());`),
			"/callback": page(`${begin()}finishPopup();`),
		});
		t.after(opened.close);
		assert.equal(await clickAndAgree(opened), "ada");
	});
}

test("tabs that share a storage log in once and renew one at a time", async (t) => {
	const opened = await visit({
		"/": caller(
			"authorizationCode({ ...shared, storage: browserStorage({ shared: true }), ...popup({ redirectUri }) })",
		),
		"/callback": page(`${begin()}finishPopup();`),
	});
	t.after(opened.close);
	assert.equal(await clickAndAgree(opened), "ada");
	const other = await opened.page.context().newPage();
	await other.goto(`${site.url}/`);
	const tabs = [opened.page, other];
	assert.equal(await again({ ...opened, page: other }, "whoami"), "ada");
	assert.equal(as.count("GET /auth"), 1);

	// Both find that it is time to renew, at once and more than once.
	await other.evaluate(async (key) => {
		const done = (/** @type {IDBRequest<any>} */ request) =>
			new Promise((resolve, reject) => {
				request.onsuccess = () => resolve(request.result);
				request.onerror = () => reject(request.error);
			});
		const database = await done(indexedDB.open("mcp-duet"));
		const store = database.transaction("kept", "readwrite").objectStore("kept");
		const tokens = JSON.parse(await done(store.get(key)));
		await done(store.put(JSON.stringify({ ...tokens, access_token: "old" }), key));
		database.close();
	}, `tokens ${worker.url}/mcp`);
	await Promise.all(tabs.map((tab) => tab.reload()));
	const calls = await Promise.all(
		tabs.map(async (tab) => {
			await tab.evaluate(() => {
				const { auth, call } = /** @type {any} */ (globalThis);
				Object.assign(globalThis, { outcome: Promise.all([1, 2, 3, 4, 5].map(() => call(auth, "whoami"))) });
			});
			return outcome({ ...opened, page: tab });
		}),
	);
	assert.deepEqual(calls, [Array(5).fill("ada"), Array(5).fill("ada")]);
	assert.deepEqual(
		as.forms.map((form) => form.get("grant_type")),
		["authorization_code", "refresh_token"],
	);

	// A tab that has called nobody yet logs out of every server.
	await other.reload();
	const kept = await other.evaluate(async () => {
		const done = (/** @type {IDBRequest<any>} */ request) =>
			new Promise((resolve, reject) => {
				request.onsuccess = () => resolve(request.result);
				request.onerror = () => reject(request.error);
			});
		const keys = async () => {
			const database = await done(indexedDB.open("mcp-duet"));
			const found = await done(database.transaction("kept").objectStore("kept").getAllKeys());
			database.close();
			return found;
		};
		const before = await keys();
		await /** @type {any} */ (globalThis).auth.logout();
		return [before, await keys()];
	});
	assert.deepEqual(kept, [[`tokens ${worker.url}/mcp`], []]);
});

test("a key that no script can read out outlives the page, and the tokens that are bound to it with it", async (t) => {
	const [guarded, usual] = [await startGuarded({ DPOP: "yes" }), worker];
	worker = guarded;
	t.after(async () => {
		worker = usual;
		await guarded.stop();
	});
	const opened = await visit({
		"/": caller("authorizationCode({ ...shared, dpop: true, ...popup({ redirectUri }) })"),
		"/callback": page(`${begin()}finishPopup();`),
	});
	t.after(opened.close);
	assert.equal(await clickAndAgree(opened), "ada");
	await opened.page.reload();
	assert.equal(await again(opened, "whoami"), "ada");
	assert.deepEqual([as.count("GET /auth"), as.count("POST /token")], [1, 1]);
	const readable = await opened.page.evaluate(async () => {
		const database = await new Promise((resolve) => {
			const opening = indexedDB.open("mcp-duet", 1);
			opening.onsuccess = () => resolve(opening.result);
		});
		const pair = await new Promise((resolve) => {
			const getting = database.transaction("kept").objectStore("kept").get("dpop");
			getting.onsuccess = () => resolve(getting.result);
		});
		return pair.privateKey.extractable;
	});
	assert.equal(readable, false);

	// Without its key a token is worth nothing; the user is asked again.
	await opened.page.evaluate(() => indexedDB.deleteDatabase("mcp-duet"));
	await opened.page.reload();
	assert.equal(await clickAndAgree(opened), "ada");
	assert.equal(as.count("GET /auth"), 2);
	assertNoSecrets([...opened.seen, guarded.output()], as.secrets);
});
