// Reading a body that may have any length.

/**
 * The beginning of a body: at most `limit` bytes and what came in one piece with them. The rest is not fetched.
 * @param {Response} response
 * @param {number} limit bytes
 */
export async function beginning(response, limit) {
	const reader = response.body?.getReader();
	if (reader === undefined) return "";
	const decoder = new TextDecoder();
	let out = "";
	for (let size = 0; size < limit; ) {
		const { value, done } = await reader.read();
		if (done) return out + decoder.decode();
		size += value.length;
		out += decoder.decode(value, { stream: true });
	}
	reader.cancel().catch(() => {});
	return out;
}
