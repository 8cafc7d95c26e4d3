// Values against JSON Schema, by themselves.

import { acquire } from "./core.js";
import { judge } from "./judge.js";

/**
 * @param {unknown} schema
 * @param {unknown} value
 */
export async function validate(schema, value) {
	return judge(await acquire("schema"), false, schema, value);
}
