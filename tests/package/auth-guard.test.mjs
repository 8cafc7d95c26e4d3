// The resource server's side: JSON Web Tokens, and proofs that whoever shows one may.

import assert from "node:assert/strict";
import { createHash, generateKeyPairSync, sign } from "node:crypto";
import { test } from "node:test";
import { jwtVerifier, protectedResource } from "mcp-duet/auth";

const resource = "https://rs.test/mcp";
const issuer = "https://as.test";

const base64url = (/** @type {string | Buffer} */ text) => Buffer.from(text).toString("base64url");

/** A key that signs. @param {string} kid */
function signer(kid) {
	const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
	const { kty, crv, x, y } = publicKey.export({ format: "jwk" });
	const jwk = { kty, crv, x, y };
	/** @param {any} header @param {any} claims */
	const jwt = (header, claims) => {
		const input = [{ alg: "ES256", ...header }, claims].map((part) => base64url(JSON.stringify(part))).join(".");
		const signature = sign("sha256", Buffer.from(input), { key: privateKey, dsaEncoding: "ieee-p1363" });
		return `${input}.${base64url(signature)}`;
	};
	const jkt = base64url(createHash("sha256").update(JSON.stringify({ crv, kty, x, y })).digest());
	return { kid, jwk, jwt, jkt };
}

const now = () => Math.floor(Date.now() / 1000);
const claims = (/** @type {any} */ more = {}) => ({
	iss: issuer,
	aud: resource,
	sub: "ada",
	scope: "read write",
	exp: now() + 60,
	...more,
});

/** An issuer that publishes these keys. @param {ReturnType<typeof signer>[]} keys */
function published(keys) {
	/** @type {string[]} */
	const asked = [];
	const fetch = async (/** @type {any} */ to) => {
		asked.push(to);
		if (to === `${issuer}/.well-known/openid-configuration`) {
			return Response.json({ issuer, jwks_uri: `${issuer}/keys` });
		}
		if (to === `${issuer}/keys`) {
			return Response.json({ keys: keys.map(({ jwk, kid }) => ({ ...jwk, kid, use: "sig", alg: "ES256" })) });
		}
		return new Response("", { status: 404 });
	};
	return { fetch, asked };
}

test("a token is taken for what its issuer has signed, and for nothing else", async () => {
	const [ours, theirs] = [signer("one"), signer("one")];
	const { fetch, asked } = published([ours]);
	const verify = jwtVerifier({ issuer, fetch });
	const header = { typ: "at+jwt", kid: "one" };
	const good = ours.jwt(header, claims());
	const info = await verify(good);
	assert.deepEqual([info?.audience, info?.scopes, info?.sub], [resource, "read write", "ada"]);
	assert.equal(
		(await verify(ours.jwt({ kid: "one", typ: "JWT" }, claims({ scope: undefined, scp: ["a"] }))))?.scopes?.[0],
		"a",
	);
	const [head, body, signature] = good.split(".");
	for (const [why, token] of [
		["no token", "opaque"],
		["too long", `${"a".repeat(20_000)}.a.a`],
		["no JSON", "a.b.c"],
		["JSON that is no object", ["null", "1", "[]"].map(base64url).join(".")],
		["another's key", theirs.jwt(header, claims())],
		["an unknown key", ours.jwt({ ...header, kid: "two" }, claims())],
		["changed claims", [head, base64url(JSON.stringify(claims({ sub: "eve" }))), signature].join(".")],
		["no signature", [head, body, ""].join(".")],
		["alg none", [base64url(JSON.stringify({ alg: "none" })), body, ""].join(".")],
		["alg of a shared secret", [base64url(JSON.stringify({ ...header, alg: "HS256" })), body, signature].join(".")],
		["another issuer", ours.jwt(header, claims({ iss: `${issuer}/` }))],
		["no end", ours.jwt(header, claims({ exp: undefined }))],
		["an end that is no number", ours.jwt(header, claims({ exp: "never" }))],
		["not yet", ours.jwt(header, claims({ nbf: now() + 3600 }))],
		["another kind of token", ours.jwt({ ...header, typ: "dpop+jwt" }, claims())],
		["something critical that is not known", ours.jwt({ ...header, crit: ["x"] }, claims())],
	]) {
		assert.equal(await verify(token), undefined, why);
	}
	assert.equal(asked.filter((to) => to.endsWith("/keys")).length, 1, "the keys were asked for once");
});

test("an issuer out of reach is no reason to call a token bad", async () => {
	const verify = jwtVerifier({ issuer, fetch: async () => new Response("", { status: 503 }) });
	const guard = protectedResource({ resource, authorizationServers: [issuer], verify });
	const token = signer("one").jwt({ kid: "one" }, claims());
	const request = new Request(resource, { method: "POST", headers: { authorization: `Bearer ${token}` } });
	await assert.rejects(
		guard(request, () => new Response()),
		/publishes no metadata/,
	);
});

test("a bound token passes once with each proof of its key, and never without", async () => {
	const [as, client, thief] = [signer("one"), signer(""), signer("")];
	const { fetch } = published([as]);
	const verify = jwtVerifier({ issuer, fetch });
	const guard = protectedResource({ resource, authorizationServers: [issuer], verify });
	const token = as.jwt({ kid: "one" }, claims({ cnf: { jkt: client.jkt } }));
	const ath = base64url(createHash("sha256").update(token).digest());
	let count = 0;
	/** @param {ReturnType<typeof signer>} of @param {any} [changed] @param {any} [header] */
	const proof = (of, changed, header) =>
		of.jwt(
			{ typ: "dpop+jwt", jwk: of.jwk, ...header },
			{ jti: `j${count++}`, htm: "POST", htu: resource, iat: now(), ath, ...changed },
		);
	/** @param {string} scheme @param {string} [dpop] */
	const ask = async (scheme, dpop) => {
		const headers = { authorization: `${scheme} ${token}`, ...(dpop && { dpop }) };
		const response = await guard(new Request(`${resource}?q=1`, { method: "POST", headers }), () => new Response("in"));
		return [response.status, response.headers.get("www-authenticate") ?? ""];
	};
	const good = proof(client);
	assert.deepEqual(await ask("DPoP", good), [200, ""]);
	for (const [why, scheme, given] of /** @type {[RegExp, string, string?][]} */ ([
		[/used before/, "DPoP", good],
		[/must be shown with a DPoP proof/, "Bearer"],
		[/must carry one DPoP proof/, "DPoP"],
		[/bound to another key/, "DPoP", proof(thief)],
		[/not signed by its key/, "DPoP", proof(thief, {}, { jwk: client.jwk })],
		[/another request/, "DPoP", proof(client, { htm: "GET" })],
		[/another request/, "DPoP", proof(client, { htu: "https://rs.test/other" })],
		[/another token/, "DPoP", proof(client, { ath: "x" })],
		[/not of now/, "DPoP", proof(client, { iat: now() - 3600 })],
		[/not of now/, "DPoP", proof(client, { iat: now() + 3600 })],
		[/have a jti/, "DPoP", proof(client, { jti: undefined })],
		[/carry a public key/, "DPoP", proof(client, {}, { typ: "JWT" })],
		[/carry a public key/, "DPoP", proof(client, {}, { jwk: { ...client.jwk, d: "secret" } })],
	])) {
		const [status, challenge] = await ask(scheme, given);
		assert.equal(status, 401);
		assert.match(String(challenge), why);
		assert.match(String(challenge), new RegExp(`^${scheme} error="invalid_token"`));
	}
});

test("a server that wants proofs says so, and takes no bearer token", async () => {
	const guard = protectedResource({
		resource,
		authorizationServers: [issuer],
		requireDpop: true,
		verify: () => ({ audience: resource }),
	});
	const next = () => new Response("in");
	const document = await guard(new Request("https://rs.test/.well-known/oauth-protected-resource/mcp"), next);
	assert.equal((await document.json()).dpop_bound_access_tokens_required, true);
	const bare = await guard(new Request(resource, { method: "POST" }), next);
	assert.match(bare.headers.get("www-authenticate") ?? "", /^DPoP resource_metadata=/);
	const headers = { authorization: "Bearer t" };
	assert.equal((await guard(new Request(resource, { method: "POST", headers }), next)).status, 401);
});
