// What a server offers, as its author gave it: items with their handlers, in order, each of which can be
// switched off, changed and removed. The core reads the whole of it as one text, anew after a change.

import { checkMembers, FUNCTION, FUNCTIONS, refusal } from "./server-options.js";
import { withSchemas } from "./server-schema.js";
import { PROMPT, TEMPLATE } from "./server-ticket.js";

/**
 * A kind of item, by the name of its list in the definition.
 * @typedef {object} Kind
 * @property {string} what it is called in errors
 * @property {string} key the member that names it
 * @property {string} run the member that runs it
 * @property {"tools" | "resources" | "prompts"} capability which declares that its list changes
 */

/** @type {Record<string, Kind>} in the order in which the core numbers them */
export const KINDS = {
	tools: { what: "tool", key: "name", run: "handler", capability: "tools" },
	resources: { what: "resource", key: "uri", run: "read", capability: "resources" },
	resourceTemplates: { what: "resource template", key: "uriTemplate", run: "read", capability: "resources" },
	prompts: { what: "prompt", key: "name", run: "get", capability: "prompts" },
};

/** An item. */
class Item {
	/** What its author wrote. @type {any} */
	definition;
	/** As the core reads it. */
	text = "";
	/** @type {(...args: any[]) => any} */
	run = unset;
	enabled = true;
	removed = false;

	/** @param {Kind} kind @param {any} definition */
	constructor(kind, definition) {
		this.kind = kind;
		this.become(definition);
	}

	/** @returns {string} */
	get key() {
		return this.definition[this.kind.key];
	}

	/** @param {any} definition */
	become(definition) {
		const { what, key, run } = this.kind;
		const subject = `${what} "${definition?.[key]}"`;
		if (typeof definition?.[run] !== "function") throw refusal(`${subject}: needs ${run}, a function`);
		checkMembers(definition, `${subject}: `, { visible: FUNCTION, list: FUNCTION, complete: FUNCTIONS });
		const own = withSchemas(definition, subject, definition[run].bind(definition));
		this.text = textOf(own.definition);
		this.run = own.run;
		this.definition = definition;
	}
}

/** Items, their handlers, and what else a definition says. */
export class Registry {
	/** Counts the changes. */
	revision = 0;
	/** What runs methods and notifications of the server's own. @type {{ methods: any[], notifications: any[] }} */
	own = { methods: [], notifications: [] };
	/** The functions of the server itself. @type {any} */
	#server;
	#rest = "{}";
	/** @type {any} */
	#capabilities;
	/** @type {Record<string, Item[] | undefined>} */
	#items = {};
	/** Kinds of which a handle was given out: their lists may change. @type {Set<string>} */
	#changing = new Set();
	#changed;

	/** @param {(capability: string) => void} changed is told of each change */
	constructor(changed) {
		this.#changed = changed;
	}

	/** Takes a definition in, but for what concerns this side alone. @param {any} definition */
	read(definition) {
		const { tools, resources, resourceTemplates, prompts, capabilities, methods, notifications, ...rest } = definition;
		this.#server = definition;
		this.#capabilities = capabilities;
		this.#rest = textOf({
			...rest,
			methods: namesOf("method", methods),
			notifications: namesOf("notification", notifications),
		});
		this.own = { methods: Object.values(methods ?? {}), notifications: Object.values(notifications ?? {}) };
		for (const [list, items] of Object.entries({ tools, resources, resourceTemplates, prompts })) {
			if (items === undefined || items === null) continue;
			if (!Array.isArray(items)) throw refusal(`${list}: must be an array`);
			this.#items[list] = items.map((item) => new Item(KINDS[list], item));
		}
	}

	/** The definition as the core reads it. */
	get text() {
		let text = this.#rest.slice(0, -1);
		for (const list of Object.keys(KINDS)) {
			const items = this.#items[list];
			if (items) text += `,"${list}":[${enabled(items).map((item) => item.text)}]`;
		}
		const capabilities = this.#declared();
		if (capabilities !== undefined) text += `,"capabilities":${textOf(capabilities)}`;
		return `${text.startsWith("{,") ? `{${text.slice(2)}` : text}}`;
	}

	/** What runs, by the core's numbers of kinds and items; it stays when an item changes. */
	get running() {
		const now = (/** @type {Item} */ { key, definition, run }) => ({ key, definition, run });
		return Object.keys(KINDS).map((list) => enabled(this.#items[list] ?? []).map(now));
	}

	/**
	 * Completes an argument: by the prompt or template that has it, else by the server.
	 * @param {import("./server-parts.js").Held["running"]} running
	 * @param {any} params
	 * @param {any} context
	 */
	complete(running, { ref, argument, context: given, ...rest }, context) {
		const [kind, key] = ref.type === "ref/prompt" ? [PROMPT, ref.name] : [TEMPLATE, ref.uri];
		const own = running[kind].find((item) => item.key === key)?.definition.complete ?? this.#server.complete;
		if (typeof own === "function") return own({ ref, argument, context: given, ...rest }, context);
		const one = own !== undefined && Object.hasOwn(own, argument.name) ? own[argument.name] : undefined;
		return one === undefined ? [] : one(argument.value, given?.arguments ?? {}, context);
	}

	/**
	 * Adds an item.
	 * @param {string} list
	 * @param {any} definition
	 * @param {(list: string, text: string) => void} check has the core look at it
	 */
	add(list, definition, check) {
		const kind = KINDS[list];
		const item = new Item(kind, definition);
		this.#free(list, item.key);
		check(list, item.text);
		this.#items[list] ??= [];
		this.#items[list].push(item);
		this.#change(kind);
		return this.#handle(list, item, check);
	}

	/**
	 * The handle of an item that is there.
	 * @param {string} list
	 * @param {string} key
	 * @param {(list: string, text: string) => void} check
	 */
	get(list, key, check) {
		const item = this.#find(list, key);
		if (item === undefined) return undefined;
		if (!this.#changing.has(KINDS[list].capability)) this.revision++;
		return this.#handle(list, item, check);
	}

	/** @param {string} list @param {Item} item @param {(list: string, text: string) => void} check */
	#handle(list, item, check) {
		const { kind } = item;
		this.#changing.add(kind.capability);
		const turn = (/** @type {boolean} */ on) => {
			if (item.removed || item.enabled === on) return;
			item.enabled = on;
			this.#change(kind);
		};
		return {
			get [kind.key]() {
				return item.key;
			},
			get enabled() {
				return item.enabled && !item.removed;
			},
			enable: () => turn(true),
			disable: () => turn(false),
			update: (/** @type {any} */ changes) => {
				if (item.removed) throw refusal(`${kind.what} "${item.key}": was removed`);
				const next = { ...item.definition, ...changes };
				const fresh = new Item(kind, next);
				if (fresh.key !== item.key) this.#free(list, fresh.key);
				check(list, fresh.text);
				item.become(next);
				this.#change(kind);
			},
			remove: () => {
				if (item.removed) return;
				item.removed = true;
				this.#items[list] = this.#items[list]?.filter((other) => other !== item);
				this.#change(kind);
			},
		};
	}

	/** @param {string} list @param {string} key */
	#find(list, key) {
		return this.#items[list]?.find((item) => item.key === key);
	}

	/** @param {string} list @param {string} key */
	#free(list, key) {
		if (this.#find(list, key))
			throw refusal(`${KINDS[list].what} "${key}": is registered already; update or remove that one`);
	}

	/** @param {Kind} kind */
	#change({ capability }) {
		this.#changing.add(capability);
		this.revision++;
		this.#changed(capability);
	}

	/** The capabilities that are declared beside what the items say by being there. */
	#declared() {
		const own = this.#capabilities;
		if (this.#changing.size === 0) return own;
		const out = { ...own };
		for (const capability of this.#changing) out[capability] = { listChanged: true, ...own?.[capability] };
		return out;
	}
}

/** @param {Item[]} items */
const enabled = (items) => items.filter((item) => item.enabled);

/** @param {any} value */
const textOf = (value) => JSON.stringify(value, withoutFunctions);

/** @param {string} key @param {unknown} value */
function withoutFunctions(key, value) {
	// The core has to know that there are these, not what they do.
	return typeof value === "function" ? key === "complete" || key === "visible" || key === "list" || undefined : value;
}

/** @param {string} what @param {any} handlers */
function namesOf(what, handlers) {
	for (const [name, handler] of Object.entries(handlers ?? {})) {
		if (typeof handler !== "function") throw refusal(`${what} "${name}": needs a handler, a function`);
	}
	return handlers && Object.keys(handlers);
}

const unset = () => {};
