// The messages as they cross the wire: a `fetch` that looks on.

/** @typedef {{ out: boolean, text: string, status?: number }} Seen */

/** @param {unknown} body */
function textOf(body) {
	if (typeof body === "string") return body;
	if (body instanceof Uint8Array || body instanceof ArrayBuffer) return new TextDecoder().decode(body);
	return "";
}

/** @param {string} event one event of a stream, without its blank line */
function dataOf(event) {
	const lines = event.split(/\r\n|\r|\n/).filter((line) => line.startsWith("data:"));
	return lines.map((line) => line.slice(5).replace(/^ /, "")).join("\n");
}

/**
 * A stream that hands its bytes on and its events to `seen`.
 * @param {(text: string) => void} seen
 */
function tap(seen) {
	const decoder = new TextDecoder();
	let rest = "";
	const take = () => {
		const events = rest.split(/\r\n\r\n|\n\n|\r\r/);
		rest = events.pop() ?? "";
		for (const event of events) {
			const data = dataOf(event);
			if (data) seen(data);
		}
	};
	return new TransformStream({
		transform(chunk, controller) {
			controller.enqueue(chunk);
			rest += decoder.decode(chunk, { stream: true });
			take();
		},
	});
}

/**
 * @param {(message: Seen) => void} onMessage
 * @returns {typeof globalThis.fetch}
 */
export function observedFetch(onMessage) {
	return async (input, init) => {
		const text = input instanceof Request ? await input.clone().text() : textOf(init?.body);
		if (text) onMessage({ out: true, text });
		const response = await fetch(input, init);
		const { status } = response;
		if (response.body && response.headers.get("content-type")?.startsWith("text/event-stream")) {
			const body = response.body.pipeThrough(tap((data) => onMessage({ out: false, text: data, status })));
			Object.defineProperty(response, "body", { value: body });
		} else {
			// Waiting keeps the order: the answer is seen before anyone acts on it.
			const answer = await response.clone().text();
			onMessage({ out: false, text: answer, status });
		}
		return response;
	};
}
