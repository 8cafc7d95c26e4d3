// The View as React hooks.

import { useCallback, useEffect, useState, useSyncExternalStore } from "react";
import { followHostStyles, View } from "./view.js";

/** Events that tell of the tool call; the beginning of another one ends them all. */
const TOOL_DATA = ["toolInputPartial", "toolInput", "toolResult", "toolCancelled"];

const NOTHING = {};
const stay = () => {};

/** @param {any} options */
export function useView(options) {
	// What comes with later renders is another object with the same in it.
	const [first] = useState(options);
	const [state, setState] = useState(/** @type {any} */ ({ app: undefined, isConnected: false, error: undefined }));
	useEffect(() => {
		const app = new View(first);
		first.onCreated?.(app);
		const off = app.on("close", () => setState({ app, isConnected: false, error: undefined }));
		app.connect().then(
			() => setState({ app, isConnected: true, error: undefined }),
			(error) => error?.code === "CLOSED" || setState({ app: undefined, isConnected: false, error }),
		);
		return () => {
			// What unmounts need not hear of it.
			off();
			app.close();
		};
	}, [first]);
	return state;
}

/**
 * @param {View | undefined} app
 * @param {string} name
 */
export function useLast(app, name) {
	const subscribe = useCallback(
		(/** @type {() => void} */ changed) => {
			if (!app) return stay;
			const stops = [...new Set([name, ...TOOL_DATA])].map((one) => app.on(/** @type {any} */ (one), changed));
			return () => {
				for (const stop of stops) stop();
			};
		},
		[app, name],
	);
	return useSyncExternalStore(
		subscribe,
		() => app?.last(/** @type {any} */ (name)),
		() => undefined,
	);
}

/** @param {View | undefined} app */
export function useToolCall(app) {
	return {
		inputPartial: useLast(app, "toolInputPartial"),
		input: useLast(app, "toolInput"),
		result: useLast(app, "toolResult"),
		cancelled: useLast(app, "toolCancelled"),
	};
}

/** @param {View | undefined} app */
export const useHostContext = (app) => useLast(app, "hostContext") ?? NOTHING;

/**
 * @param {View | undefined} app
 * @param {HTMLElement} [root]
 */
export function useHostStyles(app, root) {
	useEffect(() => (app ? followHostStyles(app, root) : undefined), [app, root]);
}
