// The tools of a toolset in the hands of the real agent stacks: nothing but their networks and models is made up.

import assert from "node:assert/strict";
import { test } from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import { generateText, jsonSchema, stepCountIs } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { Server } from "mcp-duet/server";
import { aiSdkTools, anthropicTools, connectAll, disconnectAll, openAIChatTools, openAITools } from "mcp-duet/toolset";
import OpenAI from "openai";

const server = new Server({
	name: "weather",
	version: "1.0.0",
	tools: [
		{
			name: "get.weather",
			description: "Tells the weather",
			inputSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
			handler: (/** @type {any} */ { city }) => `${city}: sunny`,
		},
		{
			name: "fail",
			inputSchema: { type: "object" },
			handler: () => {
				throw new Error("no such city");
			},
		},
	],
});

const toolset = () =>
	connectAll(
		{ weather: { url: "https://weather.test/mcp" } },
		{ fetch: (url, init) => server.fetch(new Request(url, init)) },
	);

/**
 * A network that remembers what was sent and answers the same each time.
 * @param {unknown} answer
 */
function network(answer) {
	/** @type {any[]} */
	const sent = [];
	/** @param {any} _url @param {any} init */
	const fetch = async (_url, init) => {
		sent.push(JSON.parse(String(init.body)));
		return Response.json(answer);
	};
	return { sent, fetch };
}

const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };

test("OpenAI's client sends the definitions, and its answer names a tool that is there", async () => {
	const tools = await toolset();
	const call = { id: "c", type: "function", function: { name: "weather_get_weather", arguments: '{"city":"北京"}' } };
	const message = { role: "assistant", content: null, tool_calls: [call] };
	const { sent, fetch } = network({ id: "1", object: "chat.completion", choices: [{ index: 0, message }] });
	const openai = new OpenAI({ apiKey: "none", fetch });
	const completion = await openai.chat.completions.create({
		model: "m",
		messages: [{ role: "user", content: "?" }],
		tools: openAIChatTools(tools.tools),
	});
	assert.deepEqual(sent[0].tools, [
		{
			type: "function",
			function: { name: "weather_get_weather", description: "Tells the weather", parameters: schema },
		},
		{
			type: "function",
			function: { name: "weather_fail", description: "", parameters: { type: "object", properties: {} } },
		},
	]);
	const [asked] = completion.choices[0].message.tool_calls ?? [];
	assert.ok(asked.type === "function");
	const tool = tools.tools.find(({ name }) => name === asked.function.name);
	assert.equal((await tool?.handler(JSON.parse(asked.function.arguments)))?.text, "北京: sunny");

	const responses = network({ id: "2", object: "response", output: [] });
	await new OpenAI({ apiKey: "none", fetch: responses.fetch }).responses.create({
		model: "m",
		input: "?",
		tools: openAITools(tools.tools),
	});
	assert.deepEqual(responses.sent[0].tools[0], {
		type: "function",
		name: "weather_get_weather",
		description: "Tells the weather",
		parameters: schema,
		strict: false,
	});
	await disconnectAll(tools);
});

test("Anthropic's client sends the definitions", async () => {
	const tools = await toolset();
	const use = { type: "tool_use", id: "u", name: "weather_get_weather", input: { city: "北京" } };
	const { sent, fetch } = network({ id: "1", type: "message", role: "assistant", content: [use] });
	const anthropic = new Anthropic({ apiKey: "none", fetch });
	const message = await anthropic.messages.create({
		model: "m",
		max_tokens: 10,
		messages: [{ role: "user", content: "?" }],
		tools: anthropicTools(tools.tools),
	});
	assert.deepEqual(sent[0].tools[0], {
		name: "weather_get_weather",
		description: "Tells the weather",
		input_schema: schema,
	});
	const [asked] = message.content;
	assert.ok(asked.type === "tool_use");
	const tool = tools.tools.find(({ name }) => name === asked.name);
	assert.equal((await tool?.handler(/** @type {any} */ (asked.input)))?.text, "北京: sunny");
	await disconnectAll(tools);
});

test("the Vercel AI SDK calls the tools itself and shows the model their text", async () => {
	const tools = await toolset();
	/** @type {any[]} */
	const prompts = [];
	const calls = [
		{ type: "tool-call", toolCallId: "1", toolName: "weather_get_weather", input: '{"city":"北京"}' },
		{ type: "tool-call", toolCallId: "2", toolName: "weather_fail", input: "{}" },
	];
	const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
	const model = new MockLanguageModelV4({
		doGenerate: async (/** @type {any} */ { prompt, tools }) => {
			prompts.push({ prompt, tools });
			const isFirst = prompts.length === 1;
			return /** @type {any} */ ({
				content: isFirst ? calls : [{ type: "text", text: "done" }],
				finishReason: { unified: isFirst ? "tool-calls" : "stop", raw: undefined },
				usage,
				warnings: [],
			});
		},
	});
	const { text } = await generateText({
		model,
		prompt: "?",
		tools: aiSdkTools(tools.tools, { jsonSchema }),
		stopWhen: stepCountIs(2),
	});
	assert.equal(text, "done");
	assert.deepEqual(prompts[0].tools[0].inputSchema, schema);
	const results = prompts[1].prompt.at(-1).content.map((/** @type {any} */ { toolName, output }) => [toolName, output]);
	assert.deepEqual(results[0], ["weather_get_weather", { type: "text", value: "北京: sunny" }]);
	assert.equal(results[1][0], "weather_fail");
	assert.equal(results[1][1].type, "error-text");
	assert.match(results[1][1].value, /no such city/);
	await disconnectAll(tools);
});
