/**
 * The View as React hooks. React is an optional peer of the package: 18 or newer.
 *
 * @packageDocumentation
 */

import type { McpUiHostContext, McpUiToolCancelled, McpUiToolInput } from "../types/apps.js";
import type { CallToolResult } from "../types.js";
import type { View, ViewEvents, ViewOptions } from "./view.js";

/** What there is of the View. */
export interface ViewState {
	/** The View, once it has shaken hands; also after its end. */
	app: View | undefined;
	isConnected: boolean;
	/** Why there is none. */
	error: unknown;
}

/**
 * Connects when the component mounts and closes when it unmounts. A mount that is taken back at once, as StrictMode
 * does it, sends nothing.
 *
 * @param options those of the first render count
 */
export function useView(
	options: ViewOptions & {
		/** Called before anything is sent, to listen to what only happens once, like `teardown`. */
		onCreated?(app: View): void;
	},
): ViewState;

/** What an event last came with; renders when that changes. */
export function useLast<
	Name extends "hostContext" | "toolInputPartial" | "toolInput" | "toolResult" | "toolCancelled" | "close",
>(app: View | undefined, name: Name): ViewEvents[Name][0] | undefined;

/** What is known of the tool call that the View stands for. */
export function useToolCall(app: View | undefined): {
	inputPartial: McpUiToolInput | undefined;
	input: McpUiToolInput | undefined;
	result: CallToolResult | undefined;
	cancelled: McpUiToolCancelled | undefined;
};

/** The host's context, an empty one before the handshake. */
export function useHostContext(app: View | undefined): McpUiHostContext;

/** Keeps theme, variables and fonts as the host has them, until it unmounts. */
export function useHostStyles(app: View | undefined, root?: HTMLElement): void;
