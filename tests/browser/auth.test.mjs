// A page whose server wants a user: the popup and the redirect, with an authorization server on loopback.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { installed } from "../../scripts/link.mjs";
import { serve } from "../../scripts/serve.mjs";
import { assertQuiet, openChromium, outcome, pageOf } from "./chromium.mjs";

/** @type {Awaited<ReturnType<typeof openChromium>>} */
let chromium;
before(async () => {
	chromium = await openChromium();
});
after(() => chromium?.close());

/** The guarded server lives in the page; everything else of the flow goes over the network. */
const world = `import { Client, Server } from "/pkg/index.web.js";
import { authorizationCode, browserStorage, popup, protectedResource } from "/pkg/auth.web.js";
const url = location.origin + "/mcp";
const tools = [{ name: "t", inputSchema: { type: "object" }, handler: (args, ctx) => ctx.authInfo.user }];
const server = new Server({ name: "s", version: "1", tools });
const guard = protectedResource({
	resource: url,
	authorizationServers: [location.origin],
	verify: (token) => (token === "issued" ? { audience: url, user: "u" } : undefined),
});
const call = (at, init) =>
	at === url || at.includes("oauth-protected-resource")
		? guard(new Request(at, init), (authInfo) => server.fetch(new Request(at, init), { authInfo }))
		: fetch(at, init);
const redirectUri = location.origin + "/callback";
const storage = browserStorage();
async function use(auth) {
	const client = new Client({ url, fetch: call, auth });
	const { content } = await client.callTool("t");
	await client.close();
	return content[0].text;
}
`;

const html = (/** @type {string} */ script) => ({
	status: 200,
	headers: { "content-type": "text/html" },
	body: `<!doctype html><link rel="icon" href="data:,"><script type="module">${script}</script>`,
});

const json = (/** @type {unknown} */ value) => ({
	status: 200,
	headers: { "content-type": "application/json" },
	body: JSON.stringify(value),
});

/**
 * Serves the pages and the authorization server.
 * @param {Record<string, any>} pages
 */
async function site(pages) {
	/** @type {string[]} */
	const asked = [];
	let origin = "";
	const served = await serve({
		folders: { "/pkg/": installed },
		pages,
		answer: (url) => {
			asked.push(url.pathname);
			switch (url.pathname) {
				case "/.well-known/oauth-authorization-server":
					return json({
						issuer: origin,
						authorization_endpoint: `${origin}/authorize`,
						token_endpoint: `${origin}/token`,
						registration_endpoint: `${origin}/register`,
						code_challenge_methods_supported: ["S256"],
						authorization_response_iss_parameter_supported: true,
					});
				case "/register":
					return json({ client_id: "registered" });
				case "/authorize": {
					const { searchParams } = url;
					const query = new URLSearchParams({ code: "c", state: searchParams.get("state") ?? "", iss: origin });
					const location = `${searchParams.get("redirect_uri")}?${query}`;
					return { status: 302, headers: { location }, body: "" };
				}
				case "/token":
					return json({ access_token: "issued", token_type: "Bearer" });
				default:
					return undefined;
			}
		},
	});
	origin = served.url;
	return { ...served, asked };
}

test("the user agrees in a window, and the page stays where it is", async () => {
	const { url, stop, asked } = await site({
		...pageOf(`${world}export default () => use(authorizationCode({ ...popup({ redirectUri }), storage }));`),
		"/callback": html('import { finishPopup } from "/pkg/auth.web.js"; finishPopup();'),
	});
	try {
		const opened = await chromium.open(`${url}/`);
		try {
			assert.equal(await outcome(opened), "u");
			assert.equal(asked.filter((path) => path === "/authorize").length, 1);
			assert.equal(asked.filter((path) => path === "/pkg/wasm/auth_bg.wasm").length >= 1, true);
			assertQuiet(opened);
		} finally {
			await opened.close();
		}
	} finally {
		await stop();
	}
});

test("a worker that may not see that it was refused asks the metadata, as a page does", async () => {
	const worker = `${world}import { clientCredentials } from "/pkg/auth.web.js";
const hidden = async (at, init) => {
	const answer = await call(at, init);
	if (answer.status === 401) throw new TypeError("Failed to fetch");
	return answer;
};
const auth = clientCredentials({ clientId: "c", clientSecret: "s" });
const client = new Client({ url, fetch: hidden, auth });
const done = client.callTool("t").then(({ content }) => content[0].text);
done.then(postMessage, (error) => postMessage(String(error)));`.replace("const storage = browserStorage();", "");
	const { url, stop } = await site({
		...pageOf(`const worker = new Worker("/worker.js", { type: "module" });
const told = new Promise((resolve) => { worker.onmessage = ({ data }) => resolve(data); });
export default () => told;`),
		"/worker.js": { status: 200, headers: { "content-type": "text/javascript" }, body: worker },
	});
	try {
		const opened = await chromium.open(`${url}/`);
		try {
			assert.equal(await outcome(opened), "u");
			assertQuiet(opened);
		} finally {
			await opened.close();
		}
	} finally {
		await stop();
	}
});

test("the page goes to the authorization server and goes on when it comes back", async () => {
	const leaving = `authorizationCode({
		redirectUri,
		storage,
		authorize: (to, { resume }) => {
			sessionStorage.setItem("resume", resume);
			location.assign(to);
			return new Promise(() => {});
		},
	})`;
	const back = `${world}
const auth = ${leaving};
const resume = sessionStorage.getItem("resume");
globalThis.outcome = auth.finish(url, location.href, { resume, fetch: call }).then(() => use(auth));`;
	const { url, stop, asked } = await site({
		"/": html(`${world}use(${leaving});`).body,
		"/callback": html(back),
	});
	try {
		const opened = await chromium.open(`${url}/`);
		try {
			await opened.page.waitForURL(/\/callback\?/);
			assert.equal(await outcome(opened), "u");
			assert.equal(asked.filter((path) => path === "/authorize").length, 1);
			assertQuiet(opened);
		} finally {
			await opened.close();
		}
	} finally {
		await stop();
	}
});
