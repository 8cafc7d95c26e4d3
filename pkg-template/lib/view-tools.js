// Tools that a View provides to the model for as long as it is shown.

import { McpError, ProtocolError } from "../errors.js";
import { INVALID_PARAMS, LIST_CHANGED_INTERVAL_MS, MAX_VIEW_TOOLS } from "./apps-facts.js";
import { messageOf } from "./view-channel.js";

/** @typedef {{ definition: any, enabled: boolean }} Entry */

export class ViewTools {
	/** @type {Map<string, Entry>} */
	#tools = new Map();
	#changed;
	/** @type {any} */
	#pause;

	/** @param {() => void} changed tells the host */
	constructor(changed) {
		this.#changed = changed;
	}

	/** The host hears of many changes at once as of one. */
	#tell() {
		this.#pause ??= setTimeout(() => {
			this.#pause = undefined;
			this.#changed();
		}, LIST_CHANGED_INTERVAL_MS);
	}

	/** @param {any} definition */
	register(definition) {
		const { name, handler } = definition;
		const refuse = (/** @type {string} */ why) => new McpError("INVALID_DEFINITION", `tool "${name}": ${why}`);
		if (typeof name !== "string" || typeof handler !== "function") throw refuse("needs a name and a handler");
		if (this.#tools.has(name)) throw refuse("is registered");
		if (this.#tools.size >= MAX_VIEW_TOOLS) throw refuse(`more than ${MAX_VIEW_TOOLS} tools`);
		/** @type {Entry} */
		const entry = { definition, enabled: true };
		/** @param {Partial<Entry>} changes */
		const change = (changes) => {
			Object.assign(entry, changes);
			this.#tell();
		};
		this.#tools.set(name, entry);
		this.#tell();
		return {
			enable: () => change({ enabled: true }),
			disable: () => change({ enabled: false }),
			/** @param {any} changes */
			update: (changes) => change({ definition: { ...entry.definition, ...changes, name } }),
			remove: () => {
				if (this.#tools.get(name) === entry && this.#tools.delete(name)) this.#tell();
			},
		};
	}

	list() {
		const tools = [];
		for (const { definition, enabled } of this.#tools.values()) {
			const { handler, ...tool } = definition;
			if (enabled) tools.push({ inputSchema: { type: "object", properties: {} }, ...tool });
		}
		return { tools };
	}

	/**
	 * @param {any} params
	 * @param {{ requestId: string | number, signal: AbortSignal }} context
	 */
	async call({ name, arguments: args = {} }, context) {
		const tool = this.#tools.get(name);
		if (!tool?.enabled) throw new ProtocolError(INVALID_PARAMS, `Unknown tool: ${name}`);
		try {
			const output = await tool.definition.handler(args, context);
			if (typeof output === "string") return { content: [{ type: "text", text: output }] };
			return Array.isArray(output) ? { content: output } : { content: [], ...output };
		} catch (error) {
			return { content: [{ type: "text", text: messageOf(error) }], isError: true };
		}
	}
}
