// The output schemas of the tools that a client has listed, and the results that are held against them.

import { McpError } from "../errors.js";
import { acquireRest } from "./core.js";
import { judge } from "./judge.js";

export class Outputs {
	/** By the tool's name. Another list is another map. @type {Map<string, unknown>} */
	#schemas = new Map();
	#isRequired;
	#report;

	/**
	 * @param {boolean} isRequired whether a result that cannot be checked is refused
	 * @param {(error: any) => void} report hears why one could not be
	 */
	constructor(isRequired, report) {
		this.#isRequired = isRequired;
		this.#report = report;
	}

	/** Tools may have changed: what was listed says nothing of them any more. */
	forget() {
		this.#schemas = new Map();
	}

	/**
	 * Learns from a list, or from one more page of it, unless it was overtaken by a change.
	 * @param {Promise<any>} listing
	 * @param {boolean} isMore
	 */
	async learn(listing, isMore) {
		const before = this.#schemas;
		const result = await listing;
		if (before !== this.#schemas) return result;
		const schemas = isMore ? before : new Map();
		// A list may hold anything.
		for (const tool of Array.isArray(result?.tools) ? result.tools : []) {
			if (tool?.outputSchema) schemas.set(tool.name, tool.outputSchema);
			else schemas.delete(tool?.name);
		}
		this.#schemas = schemas;
		return result;
	}

	/**
	 * @param {string} name of the tool
	 * @param {any} result
	 * @returns the result, or a promise of it
	 */
	check(name, result) {
		const schemas = this.#schemas;
		const schema = schemas.get(name);
		if (schema === undefined || result.isError === true || result.resultType === "input_required") return result;
		const { structuredContent } = result;
		if (structuredContent === undefined) {
			throw refuse(name, "expected structuredContent, for the tool has an outputSchema; there is none", result);
		}
		return this.#validate(schemas, name, schema, result);
	}

	/**
	 * @param {Map<string, unknown>} schemas
	 * @param {string} name
	 * @param {unknown} schema
	 * @param {any} result
	 */
	async #validate(schemas, name, schema, result) {
		let problem;
		try {
			problem = judge(await acquireRest("schema", "client"), false, schema, result.structuredContent);
		} catch (/** @type {any} */ error) {
			if (error?.code === "INVALID_DEFINITION") {
				// Said once, not with every call.
				schemas.delete(name);
				this.#report(new McpError(error.code, `the outputSchema of ${name} is ignored: ${error.message}`));
			} else if (this.#isRequired) throw error;
			else this.#report(error);
		}
		if (problem !== undefined) {
			throw refuse(name, `structuredContent does not fit its outputSchema: ${problem}`, result);
		}
		return result;
	}
}

/** @param {string} name @param {string} why @param {any} result goes along: whoever wants it all the same has it */
const refuse = (name, why, result) => Object.assign(new McpError("INVALID_RESULT", `${name}: ${why}`), { result });
