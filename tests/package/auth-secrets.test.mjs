// What must not be seen: in errors, on the console, and in the storage of anybody who only looks at it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import { Client, Server } from "mcp-duet";
import {
	authorizationCode,
	clientCredentials,
	enterpriseManaged,
	memoryStorage,
	protectedResource,
	staticToken,
	workloadIdentity,
} from "mcp-duet/auth";
import { issuer, url, user, world } from "./auth-world.mjs";

/** Everything that an error shows: itself, its causes, its stack, and as JSON. @param {any} error @returns {string} */
function shown(error) {
	const own = Object.getOwnPropertyNames(error).map((name) => String(error[name]));
	const parts = [String(error), inspect(error, { showHidden: true, depth: 9 }), JSON.stringify(error), ...own];
	return [...parts, ...(error.cause instanceof Error ? [shown(error.cause)] : [])].join("\n");
}

/** Runs it and gives all that the console and the process's outputs were told. @param {() => Promise<void>} work */
async function console_(work) {
	/** @type {string[]} */
	const said = [];
	const names = /** @type {const} */ (["log", "info", "warn", "error", "debug"]);
	const usual = names.map((name) => console[name]);
	for (const name of names) console[name] = (...all) => void said.push(all.map((one) => inspect(one)).join(" "));
	const outputs = /** @type {const} */ (["stdout", "stderr"]).map((name) => process[name]);
	const writes = outputs.map((output) => output.write);
	outputs.forEach((output, at) => {
		output.write = (/** @type {any[]} */ ...all) => {
			said.push(typeof all[0] === "string" ? all[0] : Buffer.from(all[0]).toString("latin1"));
			// The test runner's own output goes on.
			return Reflect.apply(writes[at], output, all);
		};
	});
	try {
		await work();
	} finally {
		outputs.forEach((output, at) => {
			output.write = writes[at];
		});
		names.forEach((name, at) => {
			console[name] = usual[at];
		});
	}
	return said;
}

/** Every secret of these tests begins with this; the random ones of the flow are collected as they are sent. */
const PLANTED = /secret-/;

/**
 * The world, but from some point on one endpoint fails in a way of its own.
 * @param {(to: string, form: URLSearchParams) => Response | Error | undefined} fails
 */
function failing(fails) {
	const at = world();
	/** @type {Set<string>} */
	const drawn = new Set();
	const fetch = async (/** @type {string} */ to, /** @type {RequestInit} */ init) => {
		const form = new URLSearchParams(typeof init?.body === "string" && to !== url ? init.body : "");
		for (const name of ["code_verifier", "client_assertion", "assertion", "subject_token"]) {
			const value = form.get(name);
			if (value) drawn.add(value);
		}
		const answer = fails(to, form);
		if (answer instanceof Error) throw answer;
		return answer ?? at.fetch(to, init);
	};
	return { at, fetch, drawn };
}

const token = `${issuer}/token`;
const isToken = (/** @type {string} */ to) => to === token;

/** What goes wrong. @type {[string, (to: string, form: URLSearchParams) => Response | Error | undefined][]} */
const failures = [
	["no metadata", (to) => (to.includes("well-known") ? new Response("", { status: 404 }) : undefined)],
	["a network failure", (to) => (isToken(to) ? new TypeError(`fetch failed: ${to}`) : undefined)],
	[
		"a refusal that repeats what was sent",
		(to, form) =>
			isToken(to)
				? Response.json({ error: "invalid_grant", error_description: `not ${form}` }, { status: 400 })
				: undefined,
	],
	["an answer that is no JSON", (to) => (isToken(to) ? new Response("<html>", { status: 502 }) : undefined)],
	[
		"a token that no header can carry",
		(to) =>
			isToken(to) ? Response.json({ access_token: "secret-with a space", refresh_token: "secret-r" }) : undefined,
	],
	[
		"a kind of token that is not known",
		(to) => (isToken(to) ? Response.json({ access_token: "secret-a", token_type: "mac" }) : undefined),
	],
	["a server that refuses even a fresh token", (to) => (to === url ? new Response("", { status: 401 }) : undefined)],
];

/** @param {any} at @returns {[string, () => any][]} */
const providers = (at) => [
	["authorizationCode", () => user(at)],
	["a registered client", () => user(at, { client: { clientId: "c", clientSecret: "secret-of-client" } })],
	["authorizationCode with DPoP", () => user(at, { dpop: true })],
	["clientCredentials", () => clientCredentials({ clientId: "c", clientSecret: "secret-of-client" })],
	["workloadIdentity", () => workloadIdentity({ assertion: "secret-assertion" })],
	[
		"enterpriseManaged",
		() =>
			enterpriseManaged({
				clientId: "c",
				clientSecret: "secret-of-client",
				identityProvider: {
					tokenEndpoint: "https://idp.test/token",
					clientId: "i",
					clientSecret: "secret-of-idp",
					subjectToken: "secret-id-token",
				},
			}),
	],
];

for (const [what, fails] of failures) {
	test(`no error holds a secret: ${what}`, async () => {
		for (const [name] of providers(undefined)) {
			const { at, fetch, drawn } = failing(fails);
			const auth = providers(at).find(([one]) => one === name)?.[1]();
			const client = new Client({ url, fetch, auth });
			/** @type {any} */
			let caught;
			const said = await console_(async () => {
				await assert.rejects(client.listTools(), (error) => {
					caught = error;
					return true;
				});
				await client.close();
			});
			const all = [shown(caught), inspect(auth, { showHidden: true, depth: 9 }), ...said].join("\n");
			assert.doesNotMatch(all, PLANTED, `${name}: ${what}`);
			for (const one of drawn) assert.ok(!all.includes(one), `${name}: ${what}`);
			assert.ok(
				at.state.log.every((line) => !PLANTED.test(line)),
				"a URL has a secret",
			);
		}
	});
}

test("a token from elsewhere is in no error of the server that refuses it", async () => {
	const at = world();
	const client = new Client({ url, fetch: at.fetch, auth: staticToken("secret-static") });
	await assert.rejects(client.listTools(), (error) => {
		assert.doesNotMatch(shown(error), PLANTED);
		return true;
	});
	await client.close();
});

test("a guard tells nothing of the token that it refuses", async () => {
	const server = new Server({ name: "s", version: "1" });
	const guard = protectedResource({
		resource: url,
		authorizationServers: [issuer],
		verify: (given) => (given.includes("other") ? { audience: "https://other.test" } : undefined),
	});
	for (const given of ["secret-bad", "secret-other", "secret bad token"]) {
		const request = new Request(url, { method: "POST", body: "{}", headers: { authorization: `Bearer ${given}` } });
		const response = await guard(request, () => server.fetch(request));
		const all = [...response.headers].flat().join("\n") + (await response.text());
		assert.equal(response.status, 401);
		assert.doesNotMatch(all, PLANTED);
	}
});

/** @param {(to: string, init: any) => Response | Promise<Response> | undefined} own */
function odd(own) {
	const at = world();
	const fetch = async (/** @type {string} */ to, /** @type {any} */ init) => own(to, init) ?? at.fetch(to, init);
	return { at, fetch };
}

const metadata = `${issuer}/.well-known/oauth-authorization-server`;

test("metadata of any length is read up to a limit only", async () => {
	let pulled = 0;
	const { at, fetch } = odd((to) => {
		if (to !== metadata) return undefined;
		const chunk = new Uint8Array(64 * 1024).fill(0x20);
		return new Response(
			new ReadableStream({
				pull(controller) {
					pulled++;
					controller.enqueue(chunk);
				},
			}),
		);
	});
	const client = new Client({ url, fetch, auth: user(at) });
	await assert.rejects(client.listTools(), (/** @type {any} */ error) => error.step === "server");
	assert.ok(pulled < 10, `${pulled} pieces of 64 kB were read`);
	await client.close();
});

test("requests for metadata carry neither tokens nor the application's headers, and can time out", async () => {
	/** @type {any[]} */
	const inits = [];
	const { at, fetch } = odd((to, init) => {
		if (to.includes("well-known")) inits.push(init);
		return undefined;
	});
	const client = new Client({ url, fetch, auth: user(at), headers: { cookie: "secret-cookie" } });
	await client.listTools();
	assert.ok(inits.length >= 2);
	for (const init of inits) {
		assert.deepEqual(Object.keys(init.headers), ["accept"]);
		assert.ok(init.signal instanceof AbortSignal);
		assert.equal(init.redirect, "manual");
	}
	await client.close();
});

test("metadata may move within its origin, not to another one", async () => {
	for (const [location, works] of /** @type {const} */ ([
		["/moved", true],
		["https://evil.test/moved", false],
		["http://as.test/moved", false],
		["/.well-known/oauth-authorization-server", false],
	])) {
		/** @type {string[]} */
		const asked = [];
		const { at, fetch } = odd((to, init) => {
			asked.push(to);
			if (to === metadata) return new Response(null, { status: 307, headers: { location } });
			return to === `${issuer}/moved` ? at.fetch(metadata, init) : undefined;
		});
		const client = new Client({ url, fetch, auth: user(at) });
		if (works) await client.listTools();
		else await assert.rejects(client.listTools(), (/** @type {any} */ error) => error.step === "server");
		assert.ok(!asked.some((to) => to.startsWith("https://evil.test") || to.startsWith("http://")), location);
		await client.close();
	}
});

test("the application chooses among several authorization servers", async () => {
	const { at, fetch } = odd((to) =>
		to.includes("oauth-protected-resource")
			? Response.json({ resource: url, authorization_servers: ["https://first.test", issuer] })
			: undefined,
	);
	/** @type {string[][]} */
	const offered = [];
	const chooseAuthorizationServer = async (/** @type {string[]} */ issuers) => {
		offered.push(issuers);
		return issuers[1];
	};
	const client = new Client({ url, fetch, auth: user(at, { chooseAuthorizationServer }) });
	await client.listTools();
	assert.deepEqual(offered, [["https://first.test", issuer]]);
	await client.close();
	const storage = memoryStorage();
	const first = new Client({
		url,
		fetch,
		auth: authorizationCode({ redirectUri: "https://app.test/cb", authorize: at.authorize, storage }),
	});
	await assert.rejects(first.listTools(), /first\.test/);
	await first.close();
});

test("what these tests listen to is all that a process can say", async () => {
	const said = await console_(async () => {
		console.error("by the console");
		process.stderr.write("");
		process.stdout.write(new Uint8Array());
	});
	assert.equal(said.length, 3);
});
