// The wasm from its text copy: base64 of gzip.

/**
 * @param {string} text
 * @returns {Promise<WebAssembly.Module>}
 */
export async function fromText(text) {
	const zipped = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
	// Reader and writer, because `new Response(stream)` makes Node load its whole fetch.
	const { readable, writable } = new DecompressionStream("gzip");
	const writer = writable.getWriter();
	// A failure to write also fails the reading below.
	writer.write(zipped).then(
		() => writer.close(),
		() => {},
	);
	const reader = readable.getReader();
	/** @type {Uint8Array[]} */
	const chunks = [];
	let length = 0;
	for (let step = await reader.read(); !step.done; step = await reader.read()) {
		chunks.push(step.value);
		length += step.value.length;
	}
	const bytes = new Uint8Array(length);
	let at = 0;
	for (const chunk of chunks) {
		bytes.set(chunk, at);
		at += chunk.length;
	}
	return WebAssembly.compile(bytes);
}
