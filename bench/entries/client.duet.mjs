import { Client } from "mcp-duet/client";

/** @param {string} url */
export async function main(url) {
	const client = new Client({ url });
	const { tools } = await client.listTools();
	const { content } = await client.callTool(tools[0].name, { text: "hello" });
	document.body.append(JSON.stringify(content));
}
