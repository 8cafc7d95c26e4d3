// What has happened to a View. Who listens late hears of it too: a host says most of it once.

import {
	PROMPTS_LIST_CHANGED,
	RESOURCES_LIST_CHANGED,
	TOOLS_LIST_CHANGED,
	UI_HOST_CONTEXT_CHANGED,
	UI_TOOL_CANCELLED,
	UI_TOOL_INPUT,
	UI_TOOL_INPUT_PARTIAL,
	UI_TOOL_RESULT,
} from "./apps-facts.js";
import { tell, wrong } from "./view-channel.js";

/** The host's notifications that are events. */
const EVENTS = new Map([
	[UI_HOST_CONTEXT_CHANGED, "hostContext"],
	[UI_TOOL_INPUT_PARTIAL, "toolInputPartial"],
	[UI_TOOL_INPUT, "toolInput"],
	[UI_TOOL_RESULT, "toolResult"],
	[UI_TOOL_CANCELLED, "toolCancelled"],
	[TOOLS_LIST_CHANGED, "toolsChanged"],
	[RESOURCES_LIST_CHANGED, "resourcesChanged"],
	[PROMPTS_LIST_CHANGED, "promptsChanged"],
]);

/** All events, in the order in which those who listen late are told. */
const NAMES = [...EVENTS.values(), "teardown", "close"];
/** Those that tell of the one tool call. */
const TOOL_DATA = NAMES.slice(1, 5);

/** @typedef {(...values: any[]) => any} Listener */

export class Events {
	/** @type {Map<string, Set<Listener>>} */
	#listeners = new Map(NAMES.map((name) => [name, new Set()]));
	/** @type {Map<string, any[]>} what an event last came with */
	#kept = new Map();
	/** @type {[string, Listener][]} who has not heard what was kept */
	#late = [];

	/** The first value that an event last came with. @param {string} name */
	last(name) {
		return this.#kept.get(name)?.[0];
	}

	/**
	 * A notification of the host's.
	 * @param {string} method
	 * @param {any} params
	 */
	notified(method, params) {
		const name = EVENTS.get(method);
		if (name === undefined) return;
		if (!TOOL_DATA.includes(name)) {
			this.emit(name, params);
			return;
		}
		const kept = this.#kept;
		// Input after the end of a call begins another one.
		if (name.startsWith("toolInput") && (kept.has("toolResult") || kept.has("toolCancelled")))
			for (const old of TOOL_DATA) kept.delete(old);
		if (name !== "toolInputPartial") kept.delete("toolInputPartial");
		if (name === "toolResult" && !Array.isArray(params.content)) params = { ...params, content: [] };
		this.keep(name, params);
	}

	/**
	 * Tells it now, and later those who come late.
	 * @param {string} name
	 * @param {any[]} values
	 */
	keep(name, ...values) {
		this.#kept.set(name, values);
		this.emit(name, ...values);
	}

	/**
	 * @param {string} name
	 * @param {any[]} values
	 * @returns {any[]} what the listeners gave
	 */
	emit(name, ...values) {
		return [...(this.#listeners.get(name) ?? [])].map((listener) => tell(listener, values));
	}

	/**
	 * @param {string} name
	 * @param {Listener} listener
	 * @returns {() => void} what ends it
	 */
	on(name, listener) {
		const listeners = this.#listeners.get(name);
		if (!listeners) throw wrong(`no event "${name}"`);
		listeners.add(listener);
		// Later, so that those who come one after the other are told in the order in which it happened.
		if (this.#kept.has(name) && this.#late.push([name, listener]) === 1) queueMicrotask(() => this.#catchUp());
		return () => void listeners.delete(listener);
	}

	#catchUp() {
		const late = this.#late.splice(0);
		for (const name of NAMES) {
			for (const [wanted, listener] of late) {
				const values = this.#kept.get(name);
				if (wanted === name && values && this.#listeners.get(name)?.has(listener)) tell(listener, values);
			}
		}
	}
}
