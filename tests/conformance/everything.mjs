// The server under test, with the tools, resources and prompts that the suite asks for by name.

import { Server } from "mcp-duet";
import { askingPrompts, askingTools } from "./asking.mjs";

/** A PNG of one red pixel. */
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==";
/** A WAV file without samples. */
const SILENCE = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=";

/** @type {import("mcp-duet").ImageContent} */
const image = { type: "image", data: PIXEL, mimeType: "image/png" };
/** @type {import("mcp-duet").ObjectSchema} */
const none = { type: "object" };

const pause = (/** @type {number} */ ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** @type {import("mcp-duet").ToolDefinition[]} */
const tools = [
	{
		name: "test_simple_text",
		description: "Answers a line of text",
		inputSchema: none,
		handler: () => "This is a simple text response for testing.",
	},
	{
		name: "test_x_mcp_header",
		description: "Has arguments that are mirrored into HTTP headers",
		inputSchema: {
			type: "object",
			properties: {
				region: { type: "string", "x-mcp-header": "Region" },
				level: { type: "integer", "x-mcp-header": "Level" },
			},
		},
		handler: (/** @type {{ region?: string }} */ { region }) => `Region: ${region ?? "none"}`,
	},
	{
		name: "test_image_content",
		description: "Answers an image",
		inputSchema: none,
		handler: () => [image],
	},
	{
		name: "test_audio_content",
		description: "Answers audio",
		inputSchema: none,
		handler: () => [{ type: "audio", data: SILENCE, mimeType: "audio/wav" }],
	},
	{
		name: "test_embedded_resource",
		description: "Answers a resource",
		inputSchema: none,
		handler: () => [
			{
				type: "resource",
				resource: {
					uri: "test://embedded-resource",
					mimeType: "text/plain",
					text: "This is an embedded resource content.",
				},
			},
		],
	},
	{
		name: "test_multiple_content_types",
		description: "Answers text, an image and a resource",
		inputSchema: none,
		handler: () => [
			{ type: "text", text: "Multiple content types test:" },
			image,
			{
				type: "resource",
				resource: {
					uri: "test://mixed-content-resource",
					mimeType: "application/json",
					text: '{"test":"data","value":123}',
				},
			},
		],
	},
	{
		name: "test_error_handling",
		description: "Fails",
		inputSchema: none,
		handler: () => {
			throw new Error("This tool intentionally returns an error for testing");
		},
	},
	{
		name: "test_tool_with_logging",
		description: "Logs three lines while it works",
		inputSchema: none,
		handler: async (/** @type {unknown} */ _args, /** @type {any} */ ctx) => {
			ctx.log("info", "Tool execution started");
			await pause(50);
			ctx.log("info", "Tool processing data");
			await pause(50);
			ctx.log("info", "Tool execution completed");
			return "Tool with logging executed successfully";
		},
	},
	{
		name: "test_logging_tool",
		description: "Logs a line",
		inputSchema: none,
		handler: (/** @type {unknown} */ _args, /** @type {any} */ ctx) => {
			ctx.log("info", "A line that only those see who asked for it");
			return "Logged";
		},
	},
	{
		name: "test_tool_with_progress",
		description: "Reports progress while it works",
		inputSchema: none,
		handler: async (/** @type {unknown} */ _args, /** @type {any} */ ctx) => {
			for (const progress of [0, 50, 100]) {
				ctx.sendProgress(progress, 100, `Completed step ${progress} of 100`);
				await pause(50);
			}
			return "Done";
		},
	},
	{
		name: "test_streaming_elicitation",
		description: "Reports progress, and asks for nothing",
		inputSchema: none,
		handler: (/** @type {unknown} */ _args, /** @type {any} */ ctx) => {
			ctx.sendProgress(1);
			return "Done";
		},
	},
	{
		name: "test_reconnection",
		description: "Has a client of a session come back for the result",
		inputSchema: none,
		handler: async (/** @type {unknown} */ _args, /** @type {any} */ ctx) => {
			ctx.closeStream();
			await pause(100);
			return "Reconnection test completed";
		},
	},
	{
		name: "json_schema_2020_12_tool",
		description: "Tool with JSON Schema 2020-12 features",
		inputSchema: {
			$schema: "https://json-schema.org/draft/2020-12/schema",
			type: "object",
			$defs: {
				address: {
					$anchor: "addressDef",
					type: "object",
					properties: { street: { type: "string" }, city: { type: "string" } },
				},
			},
			properties: {
				name: { type: "string" },
				address: { $ref: "#/$defs/address" },
				contactMethod: { type: "string", enum: ["phone", "email"] },
				phone: { type: "string" },
				email: { type: "string" },
			},
			allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
			if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
			// biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
			then: { required: ["phone"] },
			else: { required: ["email"] },
			additionalProperties: false,
		},
		handler: (/** @type {{ name?: string }} */ { name }) => `Hello, ${name ?? "nobody"}`,
	},
];

const resources = [
	{
		uri: "test://static-text",
		name: "Static text",
		description: "A text that never changes",
		mimeType: "text/plain",
		read: () => "This is the content of the static text resource.",
	},
	{
		uri: "test://static-binary",
		name: "Static binary",
		description: "A picture that never changes",
		mimeType: "image/png",
		read: () => Uint8Array.from(atob(PIXEL), (char) => char.charCodeAt(0)),
	},
	{
		uri: "test://watched-resource",
		name: "Watched resource",
		description: "A text to subscribe to",
		mimeType: "text/plain",
		read: () => "Watched resource content",
	},
];

const resourceTemplates = [
	{
		uriTemplate: "test://template/{id}/data",
		name: "Template",
		description: "Data by id",
		mimeType: "application/json",
		read: (/** @type {string} */ _uri, /** @type {Record<string, string>} */ { id }) =>
			JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
	},
];

/**
 * @param {import("mcp-duet").ContentBlock} content
 * @returns {import("mcp-duet").PromptMessage}
 */
const user = (content) => ({ role: "user", content });
const text = (/** @type {string} */ line) => user({ type: "text", text: line });

/** @type {import("mcp-duet").PromptDefinition[]} */
const prompts = [
	{
		name: "test_simple_prompt",
		description: "A prompt without arguments",
		get: () => "This is a simple prompt for testing.",
	},
	{
		name: "test_prompt_with_arguments",
		description: "A prompt with two arguments",
		arguments: [
			{ name: "arg1", description: "First", required: true },
			{ name: "arg2", description: "Second", required: true },
		],
		get: (/** @type {{ arg1: string, arg2: string }} */ { arg1, arg2 }) =>
			`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`,
	},
	{
		name: "test_prompt_with_embedded_resource",
		description: "A prompt that holds a resource",
		arguments: [{ name: "resourceUri", description: "Which one", required: true }],
		get: (/** @type {{ resourceUri: string }} */ { resourceUri }) => [
			user({
				type: "resource",
				resource: { uri: resourceUri, mimeType: "text/plain", text: "Embedded resource content for testing." },
			}),
			text("Please process the embedded resource above."),
		],
	},
	{
		name: "test_prompt_with_image",
		description: "A prompt that holds an image",
		get: () => [user(image), text("Please analyze the image above.")],
	},
];

/** What the arguments of the prompts begin with. */
const PROPOSALS = ["test", "testing", "tested", "paris", "parma"];

/** What an input that the client is asked for needs to be remembered by; secret in a real server. */
const requestState = { key: "the key of a fixture, which keeps no secret" };

/**
 * @param {() => Server} server
 * @returns {import("mcp-duet").ToolDefinition[]}
 */
const changing = (server) => [
	{
		name: "test_trigger_tool_change",
		description: "Tells those who listen that the tools have changed",
		inputSchema: none,
		handler: () => {
			server().notify({ type: "tools_list_changed" });
			return "Told";
		},
	},
	{
		name: "test_trigger_prompt_change",
		description: "Tells those who listen that the prompts have changed",
		inputSchema: none,
		handler: () => {
			server().notify({ type: "prompts_list_changed" });
			return "Told";
		},
	},
];

/**
 * @param {Partial<import("mcp-duet").ServerDefinition>} [more]
 * @returns {Server}
 */
export function everything(more) {
	/** @type {Server} */
	const server = new Server({
		name: "everything",
		version: "1.0.0",
		instructions: "Exercises every feature of the package.",
		capabilities: {
			logging: {},
			tools: { listChanged: true },
			prompts: { listChanged: true },
			resources: { subscribe: true, listChanged: true },
		},
		tools: [...tools, ...askingTools, ...changing(() => server)],
		resources,
		resourceTemplates,
		prompts: [...prompts, ...askingPrompts],
		complete: ({ argument }) => PROPOSALS.filter((value) => value.startsWith(argument.value)),
		requestState,
		...more,
	});
	return server;
}
