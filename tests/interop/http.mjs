// Any fetch handler behind `node:http` on a free loopback port.

import { createServer } from "node:http";
import { Readable } from "node:stream";

/**
 * @param {(request: Request) => Response | Promise<Response>} handler
 * @returns {Promise<{ url: string, stop: () => Promise<void> }>} `url` has no path
 */
export async function serveFetch(handler) {
	const server = createServer(async (incoming, outgoing) => {
		const gone = new AbortController();
		outgoing.once("close", () => gone.abort());
		const headers = new Headers();
		for (let at = 0; at < incoming.rawHeaders.length; at += 2)
			headers.append(incoming.rawHeaders[at], incoming.rawHeaders[at + 1]);
		const method = incoming.method ?? "GET";
		const bodiless = method === "GET" || method === "HEAD";
		/** @type {Response} */
		let response;
		try {
			response = await handler(
				new Request(`http://${headers.get("host") ?? "localhost"}${incoming.url ?? "/"}`, {
					method,
					headers,
					signal: gone.signal,
					...(bodiless ? {} : { body: /** @type {ReadableStream} */ (Readable.toWeb(incoming)), duplex: "half" }),
				}),
			);
		} catch (error) {
			console.error(error);
			outgoing.writeHead(500).end();
			return;
		}
		outgoing.writeHead(response.status, Object.fromEntries(response.headers));
		outgoing.flushHeaders();
		if (!response.body) {
			outgoing.end();
			return;
		}
		const body = Readable.fromWeb(/** @type {import("node:stream/web").ReadableStream} */ (response.body));
		body.once("error", () => outgoing.destroy());
		outgoing.once("close", () => body.destroy());
		body.pipe(outgoing);
	});
	await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
	const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
	return {
		url: `http://127.0.0.1:${port}`,
		stop: () =>
			new Promise((resolve) => {
				server.close(() => resolve(undefined));
				server.closeAllConnections();
			}),
	};
}
