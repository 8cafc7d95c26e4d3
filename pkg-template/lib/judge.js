// The call into the validator's wasm; src/js/schema.rs is the other half.

import { McpError } from "../errors.js";

const REFUSED = 1;
const UNUSABLE = 2;

/**
 * @param {import("./core.js").Live} live
 * @param {boolean} isForm
 * @param {unknown} schema
 * @param {unknown} value
 * @returns {string | undefined} what does not fit
 */
export function judge(live, isForm, schema, value) {
	const text = `${JSON.stringify(schema)}\0${JSON.stringify(value)}`;
	const [verdict, said] = live.call(() => {
		live.glue.validate(isForm, live.mailbox.write(text));
		return [live.mailbox.numbers()[0], live.mailbox.strings()[0]];
	});
	if (verdict === UNUSABLE) throw new McpError("INVALID_DEFINITION", `the schema cannot be used: ${said}`);
	return verdict === REFUSED ? said : undefined;
}
