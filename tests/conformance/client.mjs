// The client under test: one process a scenario, the server's URL is the last argument.

import { Client } from "mcp-duet";
import { authorizing } from "./authorizing.mjs";
import { FINISHED } from "./suite.mjs";

const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? "";
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? "{}");
const url = process.argv[2];

const clientInfo = { name: "mcp-duet-conformance", version: "1.0.0" };

/** @param {Record<string, unknown>} [options] */
const connected = async (options) => {
	const client = new Client({ url, clientInfo, ...options });
	await client.connect();
	return client;
};

/** @type {Record<string, () => Promise<void>>} */
const flows = {
	async initialize() {
		const client = await connected();
		await client.listTools();
		await client.close();
	},
	async tools_call() {
		const client = await connected();
		const { tools } = await client.listTools();
		for (const tool of tools) await client.callTool(tool.name, { a: 5, b: 3 });
		await client.close();
	},
	async "request-metadata"() {
		const client = await connected({ capabilities: { roots: {}, sampling: {}, elicitation: {} } });
		const { tools } = await client.listTools();
		for (const tool of tools) await client.callTool(tool.name, {});
		await client.close();
	},
	async "http-standard-headers"() {
		const client = await connected();
		for (const { name } of (await client.listTools()).tools) await client.callTool(name, {});
		for (const { uri } of (await client.listResources()).resources) await client.readResource(uri);
		for (const { name } of (await client.listPrompts()).prompts) await client.getPrompt(name);
		await client.close();
	},
	async "http-custom-headers"() {
		const client = await connected();
		await client.listTools();
		for (const call of context.toolCalls) await client.callTool(call.name, call.arguments);
		await client.close();
	},
	async "http-invalid-tool-headers"() {
		const client = await connected();
		for (const { name } of (await client.listTools()).tools) await client.callTool(name, { region: "us-west1" });
		await client.close();
	},
	async "elicitation-sep1034-client-defaults"() {
		const client = await connected({
			handlers: { "elicitation/create": () => ({ action: "accept", content: {} }) },
			timeoutMs: 10_000,
		});
		for (const { name } of (await client.listTools()).tools) await client.callTool(name);
		await client.close();
	},
	async "sse-retry"() {
		const client = await connected();
		await client.listTools();
		await client.callTool("test_reconnection");
		await client.close();
	},
	async "sep-2322-client-request-state"() {
		const client = await connected({
			handlers: { "elicitation/create": () => ({ action: "accept", content: { confirmed: true } }) },
		});
		for (const { name } of (await client.listTools()).tools) await client.callTool(name, {});
		await client.close();
	},
	async "json-schema-ref-no-deref"() {
		const client = await connected();
		await client.listTools();
		await client.close();
	},
	async "json-schema-2020-12-preservation"() {
		const client = await connected();
		const { tools } = await client.listTools();
		const schema = tools.find(
			(/** @type {{ name: string }} */ tool) => tool.name === "json_schema_2020_12_tool",
		)?.inputSchema;
		await client.callTool("json_schema_echo", { schema });
		await client.close();
	},
};

try {
	const flow = scenario.startsWith("auth/") ? () => authorizing(scenario, url, context) : flows[scenario];
	if (!flow) throw new Error(`the client fixture has no flow for ${scenario}`);
	await flow();
	console.log(FINISHED);
} catch (error) {
	console.error(/** @type {{ code?: string }} */ (error)?.code ?? "", error);
	process.exitCode = 1;
}
