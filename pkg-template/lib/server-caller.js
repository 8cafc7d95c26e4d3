// What the core has to know of a caller before it can handle a message: which items the caller may see, which
// scopes it was granted, and what templates list for it.

import { Call } from "./server-call.js";
import { Context } from "./server-context.js";
import { TEMPLATE } from "./server-ticket.js";

/** @typedef {import("./server-parts.js").Answer} Answer */
/** @typedef {import("./server-parts.js").Held} Held */
/** @typedef {import("./server-parts.js").Options} Options */

/** Where the items begin that a consultation is about; before it stands what an invocation has. */
const ITEMS = 20;

/**
 * Asks the server's author about the caller, and has the core handle the message once more.
 * @param {import("./server.js").Inside} inside
 * @param {Held} held
 * @param {string | Uint8Array} message
 * @param {Options} options
 * @param {number[]} numbers
 * @param {() => Answer | Promise<Answer>} again
 * @returns {Promise<Answer>}
 */
export async function consult(inside, held, message, options, numbers, again) {
	const call = new Call(inside, held, message, options, numbers, undefined);
	const context = new Context(call);
	try {
		const end = ITEMS + 1 + 2 * numbers[ITEMS];
		const asked = [];
		for (let at = ITEMS + 1; at < end; at += 2) asked.push([numbers[at], numbers[at + 1]]);
		const [seen, listed] = await Promise.all([
			Promise.all(asked.map(async ([kind, index]) => held.running[kind][index].definition.visible(context))),
			Promise.all(
				numbers.slice(end).map(async (index) => {
					const list = await held.running[TEMPLATE][index].definition.list(context);
					return [index, Array.isArray(list) ? list : list?.resources];
				}),
			),
		]);
		const { scopes, requiredScopes, resourceMetadata } = /** @type {any} */ (options.authInfo ?? {});
		const facts = JSON.stringify({
			hidden: asked.filter((_, at) => seen[at] !== true),
			scopes: wordsOf(scopes),
			required: wordsOf(requiredScopes),
			resourceMetadata,
			listed,
		});
		const { live, core } = held;
		// What stands between this and the message would be taken for its caller's: nothing does.
		live.call(() => core.consulted(live.mailbox.write(facts)));
	} catch (error) {
		return call.fail(error);
	}
	return again();
}

/** Scopes as a list, or as OAuth writes them. @param {unknown} scopes */
const wordsOf = (scopes) => (typeof scopes === "string" ? scopes.split(" ").filter(Boolean) : scopes);
