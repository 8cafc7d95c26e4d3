// A small file server for the loopback interface: folders under paths, no caching, no listing.

import { readFile, realpath } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, resolve, sep } from "node:path";

/** @type {Record<string, string>} */
const TYPES = {
	".css": "text/css; charset=utf-8",
	".html": "text/html; charset=utf-8",
	".js": "text/javascript; charset=utf-8",
	".json": "application/json; charset=utf-8",
	".map": "application/json; charset=utf-8",
	".mjs": "text/javascript; charset=utf-8",
	".png": "image/png",
	".svg": "image/svg+xml",
	".txt": "text/plain; charset=utf-8",
	".wasm": "application/wasm",
};

/**
 * @typedef {object} Served
 * @property {number} status
 * @property {Record<string, string>} headers
 * @property {string | Uint8Array} body
 */

/**
 * @typedef {object} Options
 * @property {Record<string, string>} [folders] path prefix, ending in `/`, to folder; the longest that fits wins
 * @property {Record<string, string | Served>} [pages] exact path to what stands there; text is sent by the path's extension
 * @property {(url: URL) => Record<string, string>} [headers] more headers for an answer, e.g. a content security policy
 * @property {(url: URL, request: import("node:http").IncomingMessage) => Promise<Served | undefined> | Served | undefined} [answer] asked first
 * @property {number} [port] 0, the default, takes a free one
 */

/** @param {string} path @param {string | Uint8Array} body @returns {Served} */
const ok = (path, body) => ({
	status: 200,
	headers: { "content-type": TYPES[extname(path)] ?? "application/octet-stream" },
	body,
});

/** @param {string} path @param {Record<string, string>} folders */
async function fromFolder(path, folders) {
	const prefix = Object.keys(folders)
		.filter((one) => path.startsWith(one))
		.sort((a, b) => b.length - a.length)[0];
	if (prefix === undefined) return undefined;
	const root = resolve(folders[prefix]);
	const rest = path.slice(prefix.length);
	const wanted = join(root, rest === "" || rest.endsWith("/") ? `${rest}index.html` : rest);
	try {
		const file = await realpath(wanted);
		if (!file.startsWith((await realpath(root)) + sep)) return undefined;
		return ok(file, await readFile(file));
	} catch {
		return undefined;
	}
}

/**
 * Serves on 127.0.0.1.
 * @param {Options} options
 */
export async function serve({ folders = {}, pages = {}, headers, answer, port = 0 }) {
	const server = createServer(async (request, response) => {
		const url = new URL(request.url ?? "/", "http://127.0.0.1");
		/** @type {Served} */
		let served = { status: 404, headers: { "content-type": "text/plain" }, body: "Nothing is here.\n" };
		try {
			const path = decodeURIComponent(url.pathname);
			const page = Object.hasOwn(pages, path) ? pages[path] : undefined;
			const given =
				(await answer?.(url, request)) ??
				(typeof page === "string" ? ok(path.endsWith("/") ? "index.html" : path, page) : page);
			served = given ?? (await fromFolder(path, folders)) ?? served;
		} catch (error) {
			served = { ...served, status: 500, body: `${/** @type {Error} */ (error).message}\n` };
		}
		response.writeHead(served.status, {
			"cache-control": "no-store",
			"x-content-type-options": "nosniff",
			...served.headers,
			...headers?.(url),
		});
		response.end(request.method === "HEAD" ? undefined : served.body);
	});
	await new Promise((listening, failed) => {
		server.once("error", failed);
		server.listen(port, "127.0.0.1", () => listening(undefined));
	});
	const at = /** @type {import("node:net").AddressInfo} */ (server.address());
	const stop = async () => {
		const closed = new Promise((done) => server.close(() => done(undefined)));
		server.closeAllConnections();
		await closed;
	};
	return { url: `http://127.0.0.1:${at.port}`, stop, [Symbol.asyncDispose]: stop };
}
