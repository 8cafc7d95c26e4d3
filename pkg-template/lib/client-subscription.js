// A subscription, as the application has it.

import { McpError } from "../errors.js";

/** Why a subscription is over that we have ended. */
const ENDED = Symbol("ended");

/**
 * @param {import("./client-pump.js").Pump} pump
 * @param {any} filter
 * @param {{ signal?: AbortSignal, onNotification?: (notification: any) => void, onRefresh?: () => void }} [options]
 * @returns {Promise<{ notifications: any, closed: Promise<"local" | "remote">, close: () => void }>}
 */
export function subscribe(pump, filter, { signal, onNotification, onRefresh } = {}) {
	if (typeof filter !== "object" || filter === null) {
		return Promise.reject(new McpError("INVALID_ARGUMENT", "the filter of a subscription must be an object"));
	}
	if (signal?.aborted) return Promise.reject(signal.reason);
	return new Promise((resolve, reject) => {
		const controller = new AbortController();
		const close = () => controller.abort(ENDED);
		const onAbort = () => {
			reject(signal?.reason);
			close();
		};
		signal?.addEventListener("abort", onAbort, { once: true });
		/** @type {Promise<"local" | "remote">} */
		const closed = new Promise((end, fail) => {
			/** @param {any} told what src/client/event.rs says of a subscription's progress */
			const onProgress = ({ acknowledged, method, params }) => {
				// It may begin at once, before there is anything to hand out.
				if (!acknowledged) pump.heard(method);
				if (acknowledged) queueMicrotask(() => resolve({ notifications: acknowledged, closed, close }));
				else if (method) onNotification?.({ method, params });
				else onRefresh?.();
			};
			const options = { signal: controller.signal, onProgress };
			pump
				.request({ method: "subscriptions/listen", filter, options })
				.finally(() => signal?.removeEventListener("abort", onAbort))
				.then(
					() => end("remote"),
					(error) => {
						reject(error);
						if (error === ENDED || error?.code === "CLOSED") end("local");
						else fail(error);
					},
				);
		});
		// Who does not look at it is not to be troubled.
		closed.catch(() => {});
	});
}

/** What goes with each of the `listChanged` handlers. */
const LISTS = {
	tools: ["toolsListChanged", "notifications/tools/list_changed"],
	prompts: ["promptsListChanged", "notifications/prompts/list_changed"],
	resources: ["resourcesListChanged", "notifications/resources/list_changed"],
};

/**
 * Calls the handlers whenever their list has changed, or may have.
 * @param {import("./client-pump.js").Pump} pump
 * @param {Record<string, () => void>} handlers
 */
export function watchLists(pump, handlers) {
	const watched = Object.entries(LISTS).filter(([name]) => handlers[name]);
	return subscribe(pump, Object.fromEntries(watched.map(([, [member]]) => [member, true])), {
		onNotification: ({ method }) => {
			for (const [name, [, changed]] of watched) if (method === changed) handlers[name]();
		},
		onRefresh: () => {
			for (const [name] of watched) handlers[name]();
		},
	});
}
