// The page leaves for the authorization server, and the one that the user comes back to goes on.

import { McpError } from "../errors.js";
import { AuthorizationError } from "./auth-error.js";

/** Where the tab keeps what the flow needs to go on, by its state. */
const RECORD = "mcp-duet redirect ";

/** What an authorization response carries. */
const RESPONSE = ["code", "state", "iss", "error", "error_description", "error_uri", "session_state"];

/**
 * `redirectUri` and `authorize` for an authorization code provider.
 * @param {{ redirectUri: string }} options
 */
export function redirect(options) {
	const { redirectUri } = options ?? {};
	if (typeof redirectUri !== "string" || !URL.canParse(redirectUri)) {
		throw new McpError("INVALID_ARGUMENT", `redirectUri must be the URL of a page, not ${redirectUri}`);
	}
	return {
		redirectUri,
		/**
		 * @param {string} url
		 * @param {{ resume: string, serverUrl: string }} context
		 * @returns {Promise<string>}
		 */
		async authorize(url, context) {
			sessionStorage.setItem(RECORD + new URL(url).searchParams.get("state"), JSON.stringify(context));
			location.assign(url);
			return new Promise((_, reject) => {
				// The browser kept the page while the user was away, and shows it again.
				addEventListener("pageshow", ({ persisted }) => {
					if (persisted)
						reject(new AuthorizationError("the user came back without an answer", { step: "authorization" }));
				});
			});
		},
	};
}

/**
 * What the page at `redirectUri` calls: takes the answer out of its address and goes on with it.
 * @param {{ finish: (url: string, callback: string, context: any) => Promise<void> }} auth
 * @param {{ fetch?: typeof fetch }} [options]
 * @returns {Promise<string | undefined>} the server's URL; nothing where the page was opened for another reason
 */
export async function finishRedirect(auth, options) {
	const { href } = location;
	const clean = new URL(href);
	const key = RECORD + clean.searchParams.get("state");
	const record = sessionStorage.getItem(key);
	if (record === null) return undefined;
	// Both are good once.
	sessionStorage.removeItem(key);
	for (const name of RESPONSE) clean.searchParams.delete(name);
	history.replaceState(history.state, "", clean);
	const { resume, serverUrl } = JSON.parse(record);
	await auth.finish(serverUrl, href, { resume, fetch: options?.fetch });
	return serverUrl;
}
