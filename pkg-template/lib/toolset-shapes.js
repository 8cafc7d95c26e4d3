// The tools of a toolset in the shapes of common agent stacks. None of them is imported: these are plain objects.

import { McpError } from "../errors.js";

/** @typedef {import("../toolset.js").Tool} Tool */

/** For OpenAI's Responses API. @param {readonly Tool[]} tools */
export const openAITools = (tools) =>
	tools.map(({ name, description, parameters }) => ({
		type: /** @type {const} */ ("function"),
		name,
		description,
		parameters,
		// Strict mode takes no schema with optional members.
		strict: false,
	}));

/** For OpenAI's Chat Completions API. @param {readonly Tool[]} tools */
export const openAIChatTools = (tools) =>
	tools.map(({ name, description, parameters }) => ({
		type: /** @type {const} */ ("function"),
		function: { name, description, parameters },
	}));

/** For Anthropic's Messages API. @param {readonly Tool[]} tools */
export const anthropicTools = (tools) =>
	tools.map(({ name, description, parameters }) => ({ name, description, input_schema: parameters }));

/**
 * For the Vercel AI SDK.
 * @param {readonly Tool[]} tools
 * @param {{ jsonSchema: (schema: any) => any }} ai the package `ai`, or what is needed of it
 */
export function aiSdkTools(tools, ai) {
	const { jsonSchema } = ai ?? {};
	if (jsonSchema === undefined)
		throw new McpError("INVALID_ARGUMENT", 'aiSdkTools needs the package "ai" beside the tools');
	const entries = tools.map(({ name, description, parameters, handler }) => {
		/** @param {any} args @param {{ abortSignal?: AbortSignal }} context */
		const execute = async (args, context) => {
			const result = await handler(args, { signal: context?.abortSignal });
			if (result.isError) throw new Error(result.text);
			return result;
		};
		// The output itself or inside of an object, as the version of the SDK has it. What is beside the text stays with the application.
		/** @param {any} made */
		const toModelOutput = (made) => ({ type: /** @type {const} */ ("text"), value: (made.output ?? made).text });
		return [name, { description, inputSchema: jsonSchema(parameters), execute, toModelOutput }];
	});
	return Object.fromEntries(entries);
}
