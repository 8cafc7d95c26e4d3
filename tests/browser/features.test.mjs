// Every feature in a page, a web worker and a shared one of Chromium; tests/package/features.test.mjs has the other runtimes.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { installed } from "../../scripts/link.mjs";
import { serve } from "../../scripts/serve.mjs";
import { FEATURES, program } from "../package/features/expected.mjs";
import { assertQuiet, openChromium, outcome, pageOf } from "./chromium.mjs";

/** @type {Awaited<ReturnType<typeof openChromium>>} */
let chromium;
before(async () => {
	chromium = await openChromium();
});
after(() => chromium?.close());

const features = program({ "mcp-duet": "/pkg/index.web.js", "mcp-duet/transport": "/pkg/lib/transport.js" });

/** @param {Record<string, string>} pages */
async function visit(pages) {
	const site = await serve({ folders: { "/pkg/": installed }, pages });
	try {
		const opened = await chromium.open(`${site.url}/`);
		try {
			return { result: await outcome(opened), opened };
		} finally {
			await opened.close();
		}
	} finally {
		await site.stop();
	}
}

test("every feature works in a page", async () => {
	const { result, opened } = await visit(pageOf(features));
	assert.deepEqual(result, FEATURES);
	assertQuiet(opened);
});

/** @type {[string, string, string][]} */
const workers = [
	["a web worker", `const port = new Worker("/worker.js", { type: "module" });`, "const send = postMessage;"],
	[
		"a shared worker",
		`const { port } = new SharedWorker("/worker.js", { type: "module" });`,
		"const { promise, resolve } = Promise.withResolvers(); onconnect = ({ ports: [port] }) => resolve(port);\n" +
			"const send = async (data) => (await promise).postMessage(data);",
	],
];

for (const [name, open, send] of workers) {
	test(`every feature works in ${name}`, async () => {
		const { result, opened } = await visit({
			...pageOf(`export default () => new Promise((resolve, reject) => {
				${open}
				port.onmessage = ({ data }) => resolve(data);
				port.onerror = reject;
			});`),
			"/worker.js": `${send}
import("/features.js").then((module) => module.default()).then(send, (error) => send(String(error.stack)));`,
			"/features.js": features,
		});
		assert.deepEqual(result, FEATURES);
		assertQuiet(opened);
	});
}

test("a page calls a server in a worker over its port", async () => {
	const { result, opened } = await visit({
		...pageOf(`import { Client } from "/pkg/client.web.js";
import { portTransport } from "/pkg/lib/transport.js";
export default async () => {
	const found = [];
	for (const versionNegotiation of ["auto", "legacy"]) {
		const worker = new Worker("/worker.js", { type: "module" });
		const client = new Client({ transport: portTransport(worker), versionNegotiation });
		const { content } = await client.callTool("greet", { who: "北京" });
		found.push([client.era, content[0].text]);
		await client.close();
		worker.terminate();
	}
	return found;
};`),
		"/worker.js": `import { Server } from "/pkg/server.web.js";
import { portTransport, serveMessages } from "/pkg/lib/transport.js";
const handler = ({ who }) => "你好，" + who;
const tools = [{ name: "greet", inputSchema: { type: "object" }, handler }];
serveMessages(new Server({ name: "w", version: "1", tools }), portTransport(self));`,
	});
	assert.deepEqual(result, [
		["modern", "你好，北京"],
		["legacy", "你好，北京"],
	]);
	assertQuiet(opened);
});
