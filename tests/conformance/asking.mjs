// The tools and the prompt of the fixture that ask the client: a person, its model, its roots.

/** @typedef {import("mcp-duet").RequestContext} Context */
/** @typedef {import("mcp-duet").ElicitRequestFormParams} Form */

/** @type {import("mcp-duet").ObjectSchema} */
const none = { type: "object" };
const said = (/** @type {unknown} */ value) => JSON.stringify(value);

/**
 * A form with one field.
 * @param {string} message
 * @param {string} field
 * @param {"string" | "boolean"} [type]
 * @returns {Form}
 */
const form = (message, field, type = "string") => ({
	message,
	requestedSchema: {
		type: "object",
		properties: { [field]: type === "string" ? { type } : { type } },
		required: [field],
	},
});

/** @param {string} question @returns {import("mcp-duet").CreateMessageRequestParams} */
const prompt = (question) => ({
	messages: [{ role: "user", content: { type: "text", text: question } }],
	maxTokens: 100,
});

const choice = (/** @type {string} */ value, /** @type {string} */ title) => ({ const: value, title });

/** Every way to offer a choice. @type {Form["requestedSchema"]} */
const ENUMS = {
	type: "object",
	properties: {
		untitledSingle: { type: "string", enum: ["option1", "option2", "option3"] },
		titledSingle: {
			type: "string",
			oneOf: [choice("value1", "First Option"), choice("value2", "Second Option"), choice("value3", "Third Option")],
		},
		legacyEnum: {
			type: "string",
			enum: ["opt1", "opt2", "opt3"],
			enumNames: ["Option One", "Option Two", "Option Three"],
		},
		untitledMulti: { type: "array", items: { type: "string", enum: ["option1", "option2", "option3"] } },
		titledMulti: {
			type: "array",
			items: {
				anyOf: [choice("value1", "First Choice"), choice("value2", "Second Choice"), choice("value3", "Third Choice")],
			},
		},
	},
};

/** A default of every type. @type {Form["requestedSchema"]} */
const DEFAULTS = {
	type: "object",
	properties: {
		name: { type: "string", default: "John Doe" },
		age: { type: "integer", default: 30 },
		score: { type: "number", default: 95.5 },
		status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
		verified: { type: "boolean", default: true },
	},
};

/** @type {Form["requestedSchema"]} */
const CONTACT = {
	type: "object",
	properties: {
		username: { type: "string", description: "User's response" },
		email: { type: "string", description: "User's email address" },
	},
	required: ["username", "email"],
};

/**
 * @param {string} name
 * @param {string} description
 * @param {import("mcp-duet").ToolDefinition["handler"]} handler
 * @param {import("mcp-duet").ObjectSchema} [inputSchema]
 * @returns {import("mcp-duet").ToolDefinition}
 */
const tool = (name, description, handler, inputSchema = none) => ({ name, description, inputSchema, handler });

/** @param {string} key @returns {import("mcp-duet").ObjectSchema} */
const textArgument = (key) => ({ type: "object", properties: { [key]: { type: "string" } }, required: [key] });

export const askingTools = [
	tool(
		"test_sampling",
		"Has the client's model answer",
		async (args, ctx) => `LLM response: ${said((await ctx.sample(prompt(args.prompt))).content)}`,
		textArgument("prompt"),
	),
	tool(
		"test_elicitation",
		"Asks the person",
		async (args, ctx) => {
			const { action, content } = await ctx.elicit({ message: args.message, requestedSchema: CONTACT });
			return `User response: action=${action}, content=${said(content)}`;
		},
		textArgument("message"),
	),
	tool("test_elicitation_sep1034_defaults", "Asks with a default of every type", async (_args, ctx) => {
		const { action, content } = await ctx.elicit({ message: "Please check the values", requestedSchema: DEFAULTS });
		return `Elicitation completed: action=${action}, content=${said(content)}`;
	}),
	tool("test_elicitation_sep1330_enums", "Asks with every kind of choice", async (_args, ctx) => {
		const { action, content } = await ctx.elicit({ message: "Please choose", requestedSchema: ENUMS });
		return `Elicitation completed: action=${action}, content=${said(content)}`;
	}),
	tool("test_missing_capability", "Cannot do without the client's model", async (_args, ctx) =>
		said((await ctx.sample(prompt("Reply with the single word: pong"))).content),
	),
	tool("test_input_required_result_elicitation", "Asks for a name", async (_args, ctx) => {
		const { content } = await ctx.elicit(form("What is your name?", "name"), { key: "user_name" });
		return `Hello, ${content?.name}!`;
	}),
	tool("test_input_required_result_sampling", "Asks the client's model", async (_args, ctx) => {
		const { content } = await ctx.sample(prompt("What is the capital of France?"), { key: "capital_question" });
		return said(content);
	}),
	tool("test_input_required_result_list_roots", "Asks for the roots", async (_args, ctx) => {
		const { roots } = await ctx.listRoots({ key: "client_roots" });
		return said(roots);
	}),
	tool("test_input_required_result_request_state", "Asks, and remembers what it did before", async (_args, ctx) => {
		const ticket = await ctx.once("ticket", () => crypto.randomUUID());
		await ctx.elicit(form("Please confirm", "ok", "boolean"), { key: "confirm" });
		return `state-ok: ${ticket}`;
	}),
	tool("test_input_required_result_tampered_state", "Asks, and remembers what it did before", async (_args, ctx) => {
		const ticket = await ctx.once("ticket", () => crypto.randomUUID());
		await ctx.elicit(form("Please confirm", "ok", "boolean"), { key: "confirm" });
		return `confirmed: ${ticket}`;
	}),
	tool("test_input_required_result_multiple_inputs", "Asks three things at once", async (_args, ctx) => {
		const ticket = await ctx.once("ticket", () => crypto.randomUUID());
		const [name, greeting, roots] = await Promise.all([
			ctx.elicit(form("What is your name?", "name"), { key: "user_name" }),
			ctx.sample(prompt("Generate a greeting"), { key: "greeting" }),
			ctx.listRoots({ key: "client_roots" }),
		]);
		return `${ticket}: ${said([name.content, greeting.content, roots.roots])}`;
	}),
	tool("test_input_required_result_multi_round", "Asks twice, one after the other", async (_args, ctx) => {
		const ticket = await ctx.once("ticket", () => crypto.randomUUID());
		const name = await ctx.elicit(form("What is your name?", "name"), { key: "step1" });
		const color = await ctx.elicit(form("What is your favorite color?", "color"), { key: "step2" });
		return `${ticket}: ${name.content?.name} likes ${color.content?.color}`;
	}),
	tool(
		"test_input_required_result_capabilities",
		"Asks for what the client can give, and nothing else",
		(_args, ctx) => {
			/** @type {import("mcp-duet").InputRequests} */
			const inputRequests = {};
			if (ctx.clientCapabilities?.sampling) {
				inputRequests.capital = { method: "sampling/createMessage", params: prompt("What is the capital of France?") };
			}
			if (ctx.clientCapabilities?.elicitation) {
				inputRequests.name = { method: "elicitation/create", params: form("What is your name?", "name") };
			}
			return { resultType: "input_required", inputRequests };
		},
	),
];

export const askingPrompts = [
	{
		name: "test_input_required_result_prompt",
		description: "A prompt that asks the person first",
		get: async (/** @type {unknown} */ _args, /** @type {Context} */ ctx) => {
			const { content } = await ctx.elicit(form("What context should the prompt use?", "context"), {
				key: "user_context",
			});
			return `Use this context: ${content?.context}`;
		},
	},
];
