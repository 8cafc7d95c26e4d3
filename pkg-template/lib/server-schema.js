// Schemas of other libraries: those that follow Standard Schema say themselves what their JSON Schema is, and
// validate themselves, so that a handler gets what they made of the value.

import { McpError, ProtocolError } from "../errors.js";
import { INVALID_PARAMS } from "./constants.js";

/** @typedef {(value: unknown) => any} Validate gives what the library made of a value, or a promise of it; throws what is wrong with it */

/** The members of a definition that hold schemas, and which side of the schema travels. @type {[string, "input" | "output"][]} */
const SCHEMAS = [
	["inputSchema", "input"],
	["outputSchema", "output"],
	["argsSchema", "input"],
];

/**
 * A definition with JSON Schemas in place of a library's own, and the handler behind their validation.
 * @param {any} definition
 * @param {string} subject what it is, for errors
 * @param {(...args: any[]) => any} run
 * @returns {{ definition: any, run: (...args: any[]) => any }}
 */
export function withSchemas(definition, subject, run) {
	/** @type {Record<string, Validate>} */
	const validates = {};
	let plain = definition;
	for (const [member, side] of SCHEMAS) {
		const schema = definition[member];
		const standard = schema?.["~standard"];
		if (standard === undefined) continue;
		plain = { ...plain, [member]: jsonOf(standard, side, `${subject}: ${member}`) };
		validates[member] = (value) => after(standard.validate(value), outputOf);
	}
	const validated = Object.keys(validates);
	if (validated.length === 0) return { definition, run };
	return { definition: { ...plain, validated }, run: validating(definition.name, validates, run) };
}

/**
 * @param {any} standard
 * @param {"input" | "output"} side
 * @param {string} subject
 */
function jsonOf({ vendor, jsonSchema }, side, subject) {
	const refuse = (/** @type {string} */ why, /** @type {any} */ cause = undefined) =>
		new McpError("INVALID_DEFINITION", `${subject}: ${why}`, { cause });
	if (typeof jsonSchema?.[side] !== "function") {
		throw refuse(
			`the schema of ${vendor} does not say its JSON Schema ("~standard".jsonSchema, of Standard JSON Schema): zod does since 4.2 and arktype since 2.1.28, valibot with toStandardJsonSchema of @valibot/to-json-schema; or give a JSON Schema`,
		);
	}
	try {
		// Arguments are always an object; a union of objects does not say so.
		return { type: "object", ...jsonSchema[side]({ target: "draft-2020-12" }) };
	} catch (error) {
		throw refuse(`${vendor} cannot say it as a JSON Schema: ${error instanceof Error ? error.message : error}`, error);
	}
}

/**
 * @param {string} name
 * @param {Record<string, Validate>} validates
 * @param {(...args: any[]) => any} run
 */
function validating(name, { inputSchema, argsSchema, outputSchema }, run) {
	const validate = inputSchema ?? argsSchema;
	const checked = (/** @type {any} */ result) =>
		outputSchema === undefined ? result : checkOutput(name, outputSchema, result);
	return (/** @type {unknown} */ args, /** @type {any} */ context) => {
		if (validate === undefined) return after(run(args, context), checked);
		const failed = (/** @type {unknown} */ error) => {
			if (!(error instanceof Unfit)) throw error;
			if (argsSchema === undefined) throw new Error(`Invalid arguments for tool ${name}: ${error.message}`);
			throw new ProtocolError(INVALID_PARAMS, `Invalid params: prompt ${name}: ${error.message}`);
		};
		let value;
		try {
			value = validate(args);
		} catch (error) {
			return failed(error);
		}
		if (typeof value?.then === "function") value = value.then(undefined, failed);
		return after(value, (value) => after(run(value, context), checked));
	};
}

/** @param {string} name @param {Validate} validate @param {any} result */
function checkOutput(name, validate, result) {
	if (result?.isError === true || (result?.resultType ?? "complete") !== "complete") return result;
	const refuse = (/** @type {string} */ why) => new Error(`Invalid result of tool ${name}: ${why}`);
	if (result?.structuredContent === undefined) throw refuse("the tool has an outputSchema, and no structuredContent");
	const unfit = (/** @type {any} */ error) => {
		throw error instanceof Unfit ? refuse(error.message) : error;
	};
	try {
		const value = validate(result.structuredContent);
		const whole = (/** @type {unknown} */ structuredContent) => ({ ...result, structuredContent });
		return typeof value?.then === "function" ? value.then(whole, unfit) : whole(value);
	} catch (error) {
		return unfit(error);
	}
}

/** What does not fit a schema, in its library's words. */
class Unfit extends Error {}

/** @param {{ value?: unknown, issues?: readonly { message: string, path?: readonly any[] }[] }} result */
function outputOf({ value, issues }) {
	if (issues === undefined) return value;
	const lines = issues.map(({ message, path = [] }) => {
		const steps = path.map((step) => `/${step?.key ?? step}`).join("");
		return steps === "" ? message : `${steps}: ${message}`;
	});
	throw new Unfit(lines.join("; "));
}

/**
 * Goes on at once where nothing has to be waited for.
 * @param {any} value
 * @param {(value: any) => any} next
 */
const after = (value, next) => (typeof value?.then === "function" ? value.then(next) : next(value));
