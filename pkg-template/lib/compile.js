// Bytes to a module, and what is said when that fails.

import { McpError } from "../errors.js";
import { fromText } from "./text.js";

/**
 * What a failure to compile or instantiate means.
 * @param {unknown} error
 */
export function loadFailure(error) {
	if (error instanceof McpError) return error;
	const said = error instanceof Error ? error.message : String(error);
	// Each engine has words of its own for a content security policy that is in the way.
	if (/unsafe-eval|Content Security Policy|\bCSP\b|disallowed by embedder/i.test(said)) {
		return new McpError(
			"WASM_FORBIDDEN",
			"WebAssembly is not allowed here: in a page or worker the Content Security Policy's script-src needs 'wasm-unsafe-eval'; " +
				"an edge platform needs the .wasm file as a module, which the package's workerd and edge-light conditions import",
			{ cause: error },
		);
	}
	return new McpError("CORE_NOT_LOADED", `the wasm of mcp-duet could not be loaded: ${said}`, { cause: error });
}

/**
 * @param {ArrayBuffer | ArrayBufferView} bytes
 * @param {string} from where they come from, for the message
 */
export async function compileBytes(bytes, from) {
	const view = ArrayBuffer.isView(bytes)
		? new Uint8Array(/** @type {ArrayBuffer} */ (bytes.buffer), bytes.byteOffset, bytes.byteLength)
		: new Uint8Array(bytes);
	// Single-page servers answer 200 and their index.html for a file that is missing.
	if (view[0] !== 0 || view[1] !== 0x61 || view[2] !== 0x73 || view[3] !== 0x6d) {
		const start = new TextDecoder().decode(view.subarray(0, 16)).replaceAll(/\s+/g, " ");
		throw new McpError(
			"CORE_NOT_LOADED",
			`expected a WebAssembly file from ${from}, got ${view.length} bytes that begin with ${JSON.stringify(start)}`,
		);
	}
	try {
		return await WebAssembly.compile(view);
	} catch (error) {
		throw loadFailure(error);
	}
}

/**
 * The module of a response, compiled while it comes where the server says what it is.
 * @param {Response} response
 * @param {string} from where it comes from, for the message
 */
export async function compileResponse(response, from) {
	if (response.headers.get("content-type") !== "application/wasm") {
		return compileBytes(await response.arrayBuffer(), from);
	}
	try {
		return await WebAssembly.compileStreaming(response);
	} catch (error) {
		throw loadFailure(error);
	}
}

/**
 * The module of the text copy; `why` is what went wrong with the file, if anything did.
 * @param {() => Promise<{ default: string }>} text
 * @param {unknown} [why]
 */
export async function fromTextOr(text, why) {
	let copy;
	try {
		copy = await text();
	} catch (error) {
		const reasons = [why, error]
			.filter((e) => e !== undefined)
			.map((e) => (e instanceof Error ? e.message : String(e)));
		throw new McpError(
			"CORE_NOT_LOADED",
			`the wasm of mcp-duet could not be loaded (${reasons.join("; ")}). ` +
				'Import "mcp-duet/inline" instead, or host the .wasm file yourself and call init(url) first',
			{ cause: why ?? error },
		);
	}
	return fromText(copy.default);
}
