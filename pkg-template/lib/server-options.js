// What a definition may hold that never reaches the core: functions, and objects with methods.

import { McpError } from "../errors.js";

/** @param {string} message */
export const refusal = (message) => new McpError("INVALID_DEFINITION", message);

export const FUNCTION = "a function";
export const FUNCTIONS = "a function, or an object of functions";
export const COUNT = "a whole number, 0 or more";

/** @param {unknown} value */
const isFunction = (value) => typeof value === "function";
/** @param {unknown} value @returns {boolean} */
const isObject = (value) => typeof value === "object" && value !== null;

/**
 * What fits, beside an object with methods: their names with spaces.
 * @type {Record<string, ((value: any) => boolean) | undefined>}
 */
const FITS = {
	[FUNCTION]: isFunction,
	[FUNCTIONS]: (value) => isFunction(value) || (isObject(value) && Object.values(value).every(isFunction)),
	[COUNT]: (value) => Number.isSafeInteger(value) && value >= 0,
};

/**
 * Checks members that may be left out.
 * @param {any} given
 * @param {string} of how an error names their owner, with what comes between
 * @param {Record<string, string>} members with what each has to be
 */
export function checkMembers(given, of, members) {
	if (!isObject(given)) throw refusal(`${of.slice(0, -1)}: must be an object`);
	for (const [name, what] of Object.entries(members)) {
		const value = given[name];
		const fits = FITS[what];
		if (value === undefined || fits?.(value)) continue;
		const methods = what.split(" ");
		if (!fits && methods.every((method) => isFunction(value?.[method]))) continue;
		throw refusal(`${of}${name}: must be ${fits ? what : `an object with the methods ${methods.join(", ")}`}`);
	}
}
