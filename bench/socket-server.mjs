// One package's server on node:http, through the same bridge for everyone; prints its port, ends with its stdin.
//   node bench/socket-server.mjs '{"adapter":"duet"}'

import { createServer } from "node:http";
import { tools } from "./fixtures.mjs";

const { adapter } = JSON.parse(process.argv[2]);
const { server } = await import(`./adapters/${adapter}.mjs`);
const target = await server({ tools: tools(10), era: "modern" });

const listener = createServer(async (incoming, outgoing) => {
	const chunks = [];
	for await (const chunk of incoming) chunks.push(chunk);
	const request = new Request(`http://${incoming.headers.host}${incoming.url}`, {
		method: incoming.method,
		headers: /** @type {Record<string, string>} */ (incoming.headers),
		body: Buffer.concat(chunks),
	});
	const response = await target.fetch(request);
	outgoing.writeHead(response.status, Object.fromEntries(response.headers));
	outgoing.end(Buffer.from(await response.arrayBuffer()));
});
listener.listen(0, "127.0.0.1", () => {
	const address = listener.address();
	if (address && typeof address === "object") console.log(address.port);
});
process.stdin.resume().once("end", () => process.exit(0));
