// The three examples of README, as they stand there.

import { Client, handle_message, Server } from "mcp-duet";

export async function client(onProgress: () => void, signal: AbortSignal, timeoutMs: number) {
	const client = new Client({ url: "https://example.com/mcp" });
	await client.connect();
	await client.listTools();
	await client.callTool("get_weather", { city: "北京" }, { onProgress, signal, timeoutMs });
	await client.close();
}

const name = "weather";
const version = "1.0.0";
const instructions = "Ask for the weather of a city.";
const description = "The weather of a city";
const inputSchema = { type: "object" } as const;

export async function server(message: object) {
	const server = new Server({
		name,
		version,
		instructions,
		tools: [{ name, description, inputSchema, handler: (args, ctx) => "sunny" }],
		resources: [],
		prompts: [],
	});
	await server.handleMessage(message);
	await handle_message(server, message);
}

const worker = new Server({ name, version });
export default { fetch: (request: Request) => worker.fetch(request) };
