// The user agrees in a window of their own, and the page stays where it is.

import { McpError } from "../errors.js";
import { AuthorizationError, late } from "./auth-error.js";

/** How long a person may take, in milliseconds. */
const PERSON_MS = 5 * 60_000;

/** Where the window's last page tells the first one. A reference between them may not outlive the server's pages. */
const CHANNEL = "mcp-duet authorization";

/**
 * `redirectUri` and `authorize` for an authorization code provider.
 * @param {{ redirectUri: string, features?: string, timeoutMs?: number }} options
 */
export function popup(options) {
	const { redirectUri, features = "popup,width=520,height=720", timeoutMs = PERSON_MS } = options ?? {};
	if (typeof redirectUri !== "string" || !URL.canParse(redirectUri)) {
		throw new McpError("INVALID_ARGUMENT", `redirectUri must be the URL of a page, not ${redirectUri}`);
	}
	return {
		redirectUri,
		/** @param {string} url */
		async authorize(url) {
			const state = new URL(url).searchParams.get("state");
			const failed = (/** @type {string} */ message) => new AuthorizationError(message, { step: "authorization" });
			const channel = new BroadcastChannel(CHANNEL);
			/** @type {ReturnType<typeof setTimeout> | undefined} */
			let timer;
			try {
				return await new Promise((/** @type {(callback: string) => void} */ resolve, reject) => {
					channel.onmessage = ({ data }) => {
						if (typeof data !== "string" || !URL.canParse(data)) return;
						if (new URL(data).searchParams.get("state") === state) resolve(data);
					};
					timer = setTimeout(() => reject(late(timeoutMs)), timeoutMs);
					if (!globalThis.open(url, "_blank", features)) {
						reject(failed("the browser opens no window without a click: connect from a click's handler"));
					}
				});
			} finally {
				clearTimeout(timer);
				channel.close();
			}
		},
	};
}

/** What the page at `redirectUri` calls: hands its address over, takes the code out of it, and closes the window. */
export function finishPopup() {
	const channel = new BroadcastChannel(CHANNEL);
	channel.postMessage(location.href);
	channel.close();
	history.replaceState(null, "", location.pathname);
	globalThis.close();
}
