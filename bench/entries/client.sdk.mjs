import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

/** @param {string} url */
export async function main(url) {
	const client = new Client({ name: "app", version: "1.0.0" }, { versionNegotiation: { mode: "auto" } });
	await client.connect(new StreamableHTTPClientTransport(new URL(url)));
	const { tools } = await client.listTools();
	const { content } = await client.callTool({ name: tools[0].name, arguments: { text: "hello" } });
	document.body.append(JSON.stringify(content));
}
