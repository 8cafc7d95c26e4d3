// Authorization through the package: a client, a protected server and an authorization server in one process.

import assert from "node:assert/strict";
import { createServer } from "node:net";
import { test } from "node:test";
import { Client, Server } from "mcp-duet";
import {
	AuthorizationError,
	authorizationCode,
	clientCredentials,
	enterpriseManaged,
	loopback,
	memoryStorage,
	popup,
	protectedResource,
	staticToken,
	workloadIdentity,
} from "mcp-duet/auth";
import { issuer, url, user, world } from "./auth-world.mjs";

test("a client logs in by itself, through its own fetch alone", async (t) => {
	const at = world();
	const { fetch: usual } = globalThis;
	t.after(() => {
		globalThis.fetch = usual;
	});
	globalThis.fetch = async () => {
		throw new Error("the global fetch was called");
	};
	const client = new Client({ url, fetch: at.fetch, auth: user(at) });
	assert.equal((await client.listTools()).tools.length, 1);
	assert.equal(at.redirects.length, 1);
	const { searchParams } = at.redirects[0];
	assert.equal(searchParams.get("resource"), url);
	assert.equal(searchParams.get("scope"), "read");
	assert.match(searchParams.get("code_challenge") ?? "", /^[\w-]{43}$/);
	await client.close();
});

test("nothing times out while the user is asked, and the time limit holds afterwards", async () => {
	const at = world();
	const authorize = async (/** @type {string} */ opened) => {
		await new Promise((resolve) => setTimeout(resolve, 600));
		return at.authorize(opened);
	};
	const client = new Client({ url, fetch: at.fetch, auth: user(at, { authorize }), timeoutMs: 300 });
	await client.listTools();
	await client.close();
	const deaf = new Client({
		url,
		fetch: (to, init) => (at.redirects.length > 1 && to === url ? new Promise(() => {}) : at.fetch(to, init)),
		auth: user(at, { authorize }),
		timeoutMs: 300,
	});
	await assert.rejects(deaf.listTools(), (/** @type {any} */ error) => error.code === "TIMED_OUT");
	await deaf.close();
});

test("calls that are refused at once share one refresh", async () => {
	const at = world();
	const auth = user(at);
	const client = new Client({ url, fetch: at.fetch, auth });
	await client.listTools();
	at.valid.clear();
	await Promise.all(Array.from({ length: 5 }, () => client.listTools()));
	assert.equal(at.redirects.length, 1, "nobody was asked again");
	assert.equal(at.count(`POST ${issuer}/token`), 2, "one code, one refresh");
	await client.close();
});

test("an issuer that hides S256 is refused, unless the application vouches for it", async () => {
	for (const [assumeS256, works] of /** @type {const} */ ([
		[undefined, false],
		[["https://other.test"], false],
		[[issuer], true],
	])) {
		const at = world();
		const fetch = async (/** @type {string} */ to, /** @type {RequestInit} */ init) => {
			const answer = await at.fetch(to, init);
			if (!to.includes("oauth-authorization-server")) return answer;
			return Response.json({ ...(await answer.json()), code_challenge_methods_supported: undefined });
		};
		const client = new Client({ url, fetch, auth: user(at, { assumeS256 }) });
		if (works) await client.listTools();
		else
			await assert.rejects(
				client.listTools(),
				/code_challenge_methods_supported in the metadata of https:\/\/as\.test/,
			);
		assert.equal(at.redirects.length, works ? 1 : 0);
		await client.close();
	}
});

test("a refresh that fails for a passing reason keeps the tokens", async () => {
	let status = 500;
	const at = world({ refresh: () => (status ? new Response("", { status }) : undefined) });
	const storage = memoryStorage();
	const client = new Client({ url, fetch: at.fetch, auth: user(at, { storage }) });
	await client.listTools();
	const before = await storage.get(`tokens ${url}`);
	at.valid.clear();
	for (status of [500, 429]) {
		await assert.rejects(client.listTools(), (/** @type {any} */ error) => error.status === status);
		assert.equal(await storage.get(`tokens ${url}`), before);
	}
	status = 0;
	await client.listTools();
	assert.equal(at.redirects.length, 1);
	await client.close();
});

test("tokens that somebody else renewed are taken from the storage", async () => {
	const at = world();
	const storage = memoryStorage();
	const first = new Client({ url, fetch: at.fetch, auth: user(at, { storage }) });
	const second = new Client({ url, fetch: at.fetch, auth: user(at, { storage }) });
	await first.listTools();
	await second.listTools();
	assert.equal(at.redirects.length, 1);
	at.valid.clear();
	await first.listTools();
	await second.listTools();
	assert.equal(at.count(`POST ${issuer}/token`), 2);
	await Promise.all([first.close(), second.close()]);
});

test("a call that needs more asks for the union of scopes", async () => {
	const at = world();
	const client = new Client({ url, fetch: at.fetch, auth: user(at) });
	await client.listTools();
	assert.deepEqual((await client.callTool("t")).content, [{ type: "text", text: "fine" }]);
	assert.deepEqual(
		at.redirects.map(({ searchParams }) => searchParams.get("scope")),
		["read", "read write"],
	);
	await client.close();
});

test("after a logout the user is asked again, and is still a client", async () => {
	const at = world();
	const auth = user(at);
	const client = new Client({ url, fetch: at.fetch, auth });
	await client.listTools();
	await auth.logout();
	await client.listTools();
	assert.equal(at.redirects.length, 2);
	assert.equal(at.count(`POST ${issuer}/register`), 1);
	await client.close();
});

for (const refusal of ["invalid_client", "unauthorized_client"]) {
	test(`a client that the server has forgotten registers once more: ${refusal}`, async () => {
		const at = world();
		const client = new Client({ url, fetch: at.fetch, auth: user(at) });
		await client.listTools();
		at.valid.clear();
		Object.assign(at.state, { forgotten: "registered-1", refusal });
		await client.listTools();
		assert.equal(at.count(`POST ${issuer}/register`), 2);
		assert.equal(at.redirects[1].searchParams.get("client_id"), "registered-2");
		await client.close();
	});
}

test("a registered client that the server refuses is not registered anew", async () => {
	const at = world();
	Object.assign(at.state, { forgotten: "mine", refusal: "unauthorized_client" });
	const client = new Client({ url, fetch: at.fetch, auth: user(at, { client: { clientId: "mine" } }) });
	await assert.rejects(client.listTools(), (/** @type {any} */ error) => error.error === "unauthorized_client");
	assert.deepEqual([at.redirects.length, at.count(`POST ${issuer}/register`)], [1, 0]);
	await client.close();
});

test("where the server refuses a client before the user can come back, the next attempt registers another", async () => {
	const at = world();
	const storage = memoryStorage();
	storage.set(`client ${issuer}`, JSON.stringify({ client_id: "purged", issuer }));
	const stuck = loopback({ open: (to) => void at.redirects.push(new URL(to)), port: await freePort(), timeoutMs: 1 });
	const first = new Client({ url, fetch: at.fetch, auth: authorizationCode({ ...stuck, storage }) });
	await assert.rejects(first.listTools(), (/** @type {any} */ error) => error.cause.code === "TIMED_OUT");
	const second = new Client({ url, fetch: at.fetch, auth: user(at, { storage }) });
	await second.listTools();
	assert.deepEqual(
		at.redirects.map(({ searchParams }) => searchParams.get("client_id")),
		["purged", "registered-1"],
	);
	await Promise.all([first.close(), second.close()]);
});

test("a log-in that is under way at a logout keeps nothing, and the next one is another", async () => {
	const at = world();
	const storage = memoryStorage();
	/** @type {((value?: unknown) => void)[]} */
	const agreeing = [];
	/** @type {(value?: unknown) => void} */
	let ask = () => {};
	const asked = new Promise((resolve) => {
		ask = resolve;
	});
	const authorize = async (/** @type {string} */ to) => {
		ask();
		if (agreeing.length === 0) await new Promise((resolve) => agreeing.push(resolve));
		return at.authorize(to);
	};
	const auth = user(at, { storage, authorize });
	const client = new Client({ url, fetch: at.fetch, auth });
	const before = client.listTools();
	await asked;
	await auth.logout();
	const other = new Client({ url, fetch: at.fetch, auth });
	await other.listTools();
	const kept = storage.get(`tokens ${url}`);
	agreeing[0]();
	await assert.rejects(before, (/** @type {any} */ error) => /logged out/.test(error.message));
	assert.equal(storage.get(`tokens ${url}`), kept);
	await auth.logout();
	assert.equal(storage.get(`tokens ${url}`), undefined);
	await Promise.all([client.close(), other.close()]);
});

test("a logout after a reload forgets every server's tokens, and the registration if that is asked", async () => {
	const at = world();
	const storage = memoryStorage();
	const client = new Client({ url, fetch: at.fetch, auth: user(at, { storage }) });
	await client.listTools();
	await client.close();
	storage.set("tokens https://other.test/mcp", '{"access_token":"other"}');
	await user(at, { storage }).logout();
	assert.deepEqual(await storage.keys?.(), [`client ${issuer}`]);
	const auth = user(at, { storage });
	const again = new Client({ url, fetch: at.fetch, auth });
	await again.listTools();
	await user(at, { storage }).logout(url, { registration: true });
	assert.deepEqual(await storage.keys?.(), []);
	await again.close();
});

test("a step-up that the user refused is not asked for again until a logout", async () => {
	const at = world();
	let denies = false;
	const authorize = (/** @type {string} */ to) => {
		const back = at.authorize(to);
		return denies ? back.replace("code=secret-code", "error=access_denied") : back;
	};
	const auth = user(at, { authorize });
	const client = new Client({ url, fetch: at.fetch, auth });
	await client.listTools();
	denies = true;
	await assert.rejects(client.callTool("t"), (/** @type {any} */ error) => error.error === "access_denied");
	await assert.rejects(client.callTool("t"), (/** @type {any} */ error) => error.status === 403);
	await client.listTools();
	assert.equal(at.redirects.length, 2);
	denies = false;
	await auth.logout();
	await client.callTool("t");
	await client.close();
});

test("a server that wants more whatever it is given is asked a few times only", async () => {
	const at = world();
	let count = 0;
	/** @type {(() => string)[]} */
	const scopes = [() => "write", () => `scope-${count++}`];
	for (const scope of scopes) {
		const before = at.redirects.length;
		const fetch = async (/** @type {string} */ to, /** @type {RequestInit} */ init) => {
			if (!String(init?.body).includes("tools/call")) return at.fetch(to, init);
			const challenge = `Bearer error="insufficient_scope", scope="${scope()}"`;
			return new Response("", { status: 403, headers: { "www-authenticate": challenge } });
		};
		const client = new Client({ url, fetch, auth: user(at) });
		await client.listTools();
		await assert.rejects(client.callTool("t"), (/** @type {any} */ error) => error.status === 403);
		const asked = at.redirects.length - before;
		assert.ok(asked >= 2 && asked <= 4, `${asked} redirects`);
		if (count === 0) {
			await assert.rejects(client.callTool("t"), (/** @type {any} */ error) => error.status === 403);
			assert.equal(at.redirects.length - before, asked, "what was granted is not asked for again");
		}
		await client.close();
	}
});

test("a flow whose page was left is finished by another provider", async () => {
	const at = world();
	const storage = memoryStorage();
	/** @type {string} */
	let record = "";
	const leaving = user(at, {
		storage,
		authorize: (/** @type {string} */ opened, /** @type {{ resume: string }} */ { resume }) => {
			record = resume;
			at.authorize(opened);
			throw new Error("the page is gone");
		},
	});
	const before = new Client({ url, fetch: at.fetch, auth: leaving });
	await assert.rejects(before.listTools());
	const auth = user(at, { storage });
	const state = at.redirects[0].searchParams.get("state");
	await assert.rejects(
		auth.finish(url, "https://app.test/cb?code=c&state=other", { resume: record, fetch: at.fetch }),
		AuthorizationError,
	);
	await auth.finish(url, `https://app.test/cb?code=c&state=${state}`, { resume: record, fetch: at.fetch });
	const client = new Client({ url, fetch: at.fetch, auth });
	await client.listTools();
	assert.equal(at.redirects.length, 1);
	await Promise.all([before.close(), client.close()]);
});

/** A port that was free a moment ago. @returns {Promise<number>} */
const freePort = () =>
	new Promise((resolve, reject) => {
		const server = createServer().once("error", reject);
		server.listen(0, "127.0.0.1", () => {
			const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
			server.close(() => resolve(port));
		});
	});

test("the user of a program comes back to this machine, and nobody else is taken for them", async () => {
	const at = world();
	const port = await freePort();
	/** @type {number[]} */
	const statuses = [];
	/** @type {Promise<void> | undefined} */
	let browsing;
	const browse = async (/** @type {string} */ opened) => {
		const { search } = new URL(at.authorize(opened));
		for (const path of ["/callback?code=c&state=guessed", `/other${search}`, `/callback${search}`]) {
			statuses.push((await fetch(`http://127.0.0.1:${port}${path}`)).status);
		}
	};
	const open = (/** @type {string} */ opened) => {
		browsing = browse(opened);
	};
	const client = new Client({ url, fetch: at.fetch, auth: authorizationCode({ ...loopback({ open, port }) }) });
	await client.listTools();
	await browsing;
	assert.deepEqual(statuses, [404, 404, 200]);
	assert.equal(at.redirects[0].searchParams.get("redirect_uri"), `http://127.0.0.1:${port}/callback`);
	await assert.rejects(fetch(`http://127.0.0.1:${port}/callback`), "the server is gone");
	await client.close();
	const late = new Client({
		url,
		fetch: world().fetch,
		auth: authorizationCode({ ...loopback({ open: () => {}, port, timeoutMs: 1 }) }),
	});
	await assert.rejects(late.listTools(), AuthorizationError);
	await late.close();
});

test("a refusal says which step failed and what the server said, and holds no secret", async () => {
	const at = world();
	const denied = (/** @type {string} */ opened) => {
		const state = new URL(opened).searchParams.get("state");
		return `https://app.test/cb?error=access_denied&error_description=not+today&state=${state}`;
	};
	const client = new Client({ url, fetch: at.fetch, auth: user(at, { authorize: denied }) });
	await assert.rejects(client.listTools(), (/** @type {any} */ error) => {
		assert.ok(error instanceof AuthorizationError);
		assert.equal(error.code, "AUTHORIZATION");
		assert.equal(error.step, "authorization");
		assert.equal(error.error, "access_denied");
		assert.match(error.message, /not today/);
		return true;
	});
	await client.close();
	const broken = world({ refresh: () => new Response("", { status: 503 }) });
	const second = new Client({ url, fetch: broken.fetch, auth: user(broken) });
	await second.listTools();
	broken.valid.clear();
	await assert.rejects(second.listTools(), (/** @type {any} */ error) => {
		assert.doesNotMatch(`${error.stack} ${JSON.stringify(error)}`, /secret-/);
		return true;
	});
	await second.close();
});

test("an application that cannot ask the user is told so, and the core lives on", async () => {
	const at = world();
	/** @type {any} */
	let answer = () => undefined;
	const auth = user(at, { authorize: (/** @type {string} */ opened) => answer(opened) });
	const client = new Client({ url, fetch: at.fetch, auth });
	for (const [next, expected] of /** @type {const} */ ([
		[() => undefined, /must give the URL/],
		[() => ({}), /must give the URL/],
		[() => Promise.reject(new Error("no window")), /no window/],
	])) {
		answer = next;
		await assert.rejects(client.listTools(), (/** @type {any} */ error) => {
			assert.equal(error.code, "AUTHORIZATION");
			assert.match(error.message, expected);
			return true;
		});
	}
	answer = at.authorize;
	await client.listTools();
	await client.close();
});

test("a page that may not see the refusal hears why nobody was asked, or else of the network", async (t) => {
	const usual = Object.getOwnPropertyDescriptor(globalThis, "navigator") ?? { value: undefined, configurable: true };
	t.after(() => Object.defineProperty(globalThis, "navigator", usual));
	Object.defineProperty(globalThis, "navigator", { value: { userAgent: "Mozilla/5.0" }, configurable: true });
	for (const [published, code, message] of /** @type {const} */ ([
		[true, "AUTHORIZATION", /no window/],
		[false, "NETWORK", /Failed to fetch/],
	])) {
		const at = world();
		const fetch = async (/** @type {string} */ to, /** @type {RequestInit} */ init) => {
			if (to === url || !published) throw new TypeError("Failed to fetch");
			return at.fetch(to, init);
		};
		const authorize = () => Promise.reject(new Error("no window"));
		const auth = user(at, { authorize, storage: memoryStorage() });
		const client = new Client({ url, fetch, auth, retry: false });
		await assert.rejects(client.listTools(), (/** @type {any} */ error) => {
			assert.equal(error.code, code);
			assert.match(`${error.message} ${error.cause?.message}`, message);
			return true;
		});
		await client.close();
	}
});

test("tokens that somebody has overwritten are not used, nor those that are bound to a key that is not here", async () => {
	const bound = '{"access_token":"a","token_type":"DPoP","issuer":"https://as.test"}';
	for (const stored of ["{ nonsense", "{}", '"x"', "null", "7", '{"access_token":7}', '{"access_token":"a"}', bound]) {
		const at = world();
		/** @type {(string | null)[]} */
		const sent = [];
		const fetch = async (/** @type {string} */ to, /** @type {any} */ init) => {
			if (to === url) sent.push(new Headers(init.headers).get("authorization"));
			return at.fetch(to, init);
		};
		const storage = memoryStorage();
		storage.set(`tokens ${url}`, stored);
		const client = new Client({ url, fetch, auth: user(at, { storage }) });
		await client.listTools();
		assert.equal(sent[0], null, stored);
		assert.equal(at.redirects.length, 1);
		await client.close();
	}
});

test("a token from elsewhere is sent as it is, and a client's secret as Basic", async () => {
	const at = world();
	at.valid.set("mine", "read");
	const client = new Client({ url, fetch: at.fetch, auth: staticToken(async () => "mine") });
	await client.listTools();
	await client.close();
	const own = new Client({ url, fetch: at.fetch, auth: clientCredentials({ clientId: "c", clientSecret: "s" }) });
	await own.listTools();
	assert.equal(at.redirects.length, 0);
	await own.close();
});

test("a token from elsewhere goes to https or this machine only, and nothing else is sent for one", async () => {
	/** @type {string[]} */
	const sent = [];
	const fetch = async (/** @type {any} */ to, /** @type {any} */ init) => {
		sent.push(`${to} ${new Headers(init.headers).get("authorization")}`);
		return new Response("", { status: 404 });
	};
	/** @param {string} to @param {any} token */
	const failure = async (to, token) => {
		const client = new Client({ url: to, fetch, auth: staticToken(token) });
		const error = await client.listTools().catch((/** @type {any} */ caught) => caught);
		await client.close();
		return error;
	};
	for (const to of ["http://rs.test/mcp", "http://localhost.rs.test/mcp", "http://127.rs.test/mcp"]) {
		const error = await failure(to, "secret");
		assert.deepEqual([error.code, error.step], ["AUTHORIZATION", "resource"], to);
		assert.match(error.message, /https URLs only/);
	}
	for (const [given] of [[undefined], [null], [""], ["a b"], ["a\nb"], [7]]) {
		const error = await failure(url, async () => given);
		assert.equal(error.code, "INVALID_ARGUMENT");
		assert.match(error.message, /^token must be/);
		assert.throws(() => staticToken(/** @type {any} */ (given)), /token must be/);
	}
	assert.equal(sent.length, 0);
	for (const to of ["http://localhost:1/", "http://127.0.0.1:1/", "http://[::1]:1/"]) await failure(to, "mine");
	assert.ok(sent.length >= 3);
	for (const line of sent) assert.match(line, / Bearer mine$/);
});

test("a user's client, and an enterprise's, may sign for itself", async () => {
	const pair = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-384" }, true, ["sign", "verify"]);
	const pkcs8 = Buffer.from(await crypto.subtle.exportKey("pkcs8", pair.privateKey)).toString("base64");
	const privateKey = `-----BEGIN PRIVATE KEY-----\n${pkcs8}\n-----END PRIVATE KEY-----\n`;
	const own = { clientId: "own", privateKey, algorithm: /** @type {const} */ ("ES384"), keyId: "k1" };
	const idp = "https://idp.test/token";
	const identityProvider = { tokenEndpoint: idp, clientId: "i", clientSecret: "secret-i", subjectToken: "id" };
	for (const [what, make] of /** @type {[string, (at: ReturnType<typeof world>) => any][]} */ ([
		["user", (at) => user(at, { client: own })],
		["enterprise", () => enterpriseManaged({ ...own, identityProvider })],
	])) {
		const at = world();
		/** @type {URLSearchParams[]} */
		const forms = [];
		const fetch = async (/** @type {string} */ to, /** @type {any} */ init) => {
			if (to === idp) return Response.json({ access_token: "assertion", token_type: "N_A" });
			if (to === `${issuer}/token`) forms.push(new URLSearchParams(init.body));
			return at.fetch(to, init);
		};
		const client = new Client({ url, fetch, auth: make(at) });
		await client.listTools();
		await client.close();
		const parts = (forms[0]?.get("client_assertion") ?? "").split(".");
		const [header, claims] = parts.slice(0, 2).map((part) => JSON.parse(Buffer.from(part, "base64url").toString()));
		assert.deepEqual([header.alg, header.kid, claims.iss, claims.aud], ["ES384", "k1", "own", issuer], what);
		const signed = Buffer.from(parts.slice(0, 2).join("."));
		const by = { name: "ECDSA", hash: "SHA-384" };
		assert.ok(await crypto.subtle.verify(by, pair.publicKey, Buffer.from(parts[2], "base64url"), signed), what);
	}
});

test("what cannot work is said at once", () => {
	const asking = { redirectUri: "https://app.test/cb", authorize: () => "" };
	const secret = { clientId: "c", clientSecret: "s" };
	const identityProvider = { tokenEndpoint: "https://idp.test/token", clientId: "i", subjectToken: "t" };
	/** @type {[RegExp, (options: any) => unknown, any?][]} */
	const cases = [
		[/^redirectUri must be/, authorizationCode],
		[/^authorize must be/, authorizationCode, { redirectUri: "https://app.test/cb" }],
		[/^redirectUri must be/, authorizationCode, { ...asking, redirectUri: "/cb" }],
		[/^redirectUri must be/, authorizationCode, { ...asking, redirectUri: "http://app.test/cb" }],
		[/^clientMetadataUrl must be/, authorizationCode, { ...asking, clientMetadataUrl: "http://app.test/c" }],
		[/^clientMetadataUrl must be/, authorizationCode, { ...asking, clientMetadataUrl: "c" }],
		[/^assumeS256 must be a list/, authorizationCode, { ...asking, assumeS256: issuer }],
		[/^clientName must be/, authorizationCode, { ...asking, clientName: 7 }],
		[/^scope must be/, authorizationCode, { ...asking, scope: 7 }],
		[/^scope must be/, authorizationCode, { ...asking, scope: ["a", 7] }],
		[/^storage must have delete/, authorizationCode, { ...asking, storage: { get() {}, set() {} } }],
		[/^clientId must be/, authorizationCode, { ...asking, client: {} }],
		[
			/^method must be one of none, .* not bogus$/,
			authorizationCode,
			{ ...asking, client: { ...secret, method: "bogus" } },
		],
		[/needs a privateKey/, authorizationCode, { ...asking, client: { ...secret, method: "private_key_jwt" } }],
		[/^issuer must be/, authorizationCode, { ...asking, client: { ...secret, issuer: "" } }],
		[
			/^algorithm must be one of/,
			authorizationCode,
			{ ...asking, client: { clientId: "c", privateKey: "", algorithm: "HS256" } },
		],
		[/^clientSecret, or else privateKey,/, clientCredentials],
		[/^clientSecret, or else privateKey,/, clientCredentials, { clientId: "c" }],
		[/^clientId must be/, clientCredentials, { clientSecret: "s" }],
		[/^algorithm must be one of/, clientCredentials, { clientId: "c", privateKey: "", algorithm: "none" }],
		[/^assertion must be/, workloadIdentity],
		[/^assertion must be/, workloadIdentity, { assertion: 7 }],
		[/^identityProvider.tokenEndpoint must be/, enterpriseManaged],
		[/^identityProvider.tokenEndpoint must be/, enterpriseManaged, secret],
		[
			/^identityProvider.tokenEndpoint must be/,
			enterpriseManaged,
			{ ...secret, identityProvider: { ...identityProvider, tokenEndpoint: "http://idp.test" } },
		],
		[
			/^identityProvider.subjectToken must be/,
			enterpriseManaged,
			{ ...secret, identityProvider: { ...identityProvider, subjectToken: undefined } },
		],
		[/^clientId must be/, enterpriseManaged, { identityProvider }],
		[/^open must be/, loopback],
		[/^redirectUri must be/, popup],
		[/^verify must be/, protectedResource],
		[
			/^scopesSupported must be a list/,
			protectedResource,
			{ resource: url, authorizationServers: [issuer], verify() {}, scopesSupported: "read" },
		],
		[
			/^requiredScopes must be a list/,
			protectedResource,
			{ resource: url, authorizationServers: [issuer], verify() {}, requiredScopes: "read" },
		],
		[/^auth must be/, (options) => new Client(options), { url, auth: {} }],
	];
	for (const [message, make, options] of cases) {
		assert.throws(
			() => make(options),
			(/** @type {any} */ error) => {
				assert.match(error.message, message);
				assert.equal(error.code, "INVALID_ARGUMENT");
				return true;
			},
		);
	}
	authorizationCode({ ...asking, redirectUri: "com.example.app:/cb", scope: ["a", "b"], assumeS256: [issuer] });
});

test("a guarded server publishes its metadata, and takes only tokens that are meant for it", async () => {
	/** @type {any} */
	let seen;
	const server = new Server({
		name: "guarded",
		version: "1",
		tools: [
			{
				name: "t",
				inputSchema: { type: "object" },
				handler: (_args, ctx) => {
					seen = ctx.authInfo;
					return "fine";
				},
			},
		],
	});
	const guard = protectedResource({
		resource: url,
		authorizationServers: [issuer],
		requiredScopes: ["read"],
		verify: (token) => ({ good: { audience: url, scopes: "read", user: "u" }, other: { audience: "x" } })[token],
	});
	/** @param {string} at @param {RequestInit} [init] */
	const fetch = (at, init) => {
		const request = new Request(at, init);
		return guard(request, (authInfo) => server.fetch(request, { authInfo }));
	};
	const document = await (await fetch("https://rs.test/.well-known/oauth-protected-resource/mcp")).json();
	assert.deepEqual([document.resource, document.authorization_servers], [url, [issuer]]);
	for (const [token, expected] of [
		[undefined, /^Bearer scope="read"/],
		["bad", /error="invalid_token"/],
		["other", /another resource/],
	]) {
		const headers = token ? { authorization: `Bearer ${token}` } : undefined;
		const response = await fetch(url, { method: "POST", body: "{}", headers });
		assert.equal(response.status, 401);
		assert.match(response.headers.get("www-authenticate") ?? "", /** @type {RegExp} */ (expected));
	}
	const client = new Client({ url, fetch, auth: staticToken("good") });
	await client.callTool("t");
	assert.deepEqual([seen.user, seen.token], ["u", "good"]);
	await client.close();
});
