// What clients do with servers in these tests: everything that both have.

import assert from "node:assert/strict";

/** The text of a piece of content, or of a resource's contents. @param {any} piece */
export const textOf = (piece) => piece.text;

/**
 * Lists, calls, reads and gets whatever the SDK servers of this folder have.
 * @param {import("mcp-duet").Client} client
 * @param {{ progress: boolean }} expected
 */
export async function exercise(client, { progress }) {
	const { tools } = await client.listTools();
	assert.deepEqual(
		tools.map((tool) => tool.name),
		["查天气", "mirrored", "structured", "count", "wait", "ask", "fail"],
	);
	const weather = await client.callTool("查天气", { city: "北京" });
	assert.deepEqual(weather.content, [{ type: "text", text: "北京：晴" }]);
	// Long enough to come in many pieces, cut anywhere.
	const long = "北京".repeat(150_000);
	assert.equal(textOf((await client.callTool("查天气", { city: long })).content[0]), `${long}：晴`);
	const mirrored = await client.callTool("mirrored", { region: " 北京", level: 7 });
	assert.equal(textOf(mirrored.content[0]), " 北京 7");
	const structured = await client.callTool("structured");
	assert.deepEqual(structured.structuredContent, { 城市: "北京" });

	/** @type {[number, number | undefined, string | undefined][]} */
	const seen = [];
	const onProgress = (/** @type {import("mcp-duet").Progress} */ report) =>
		seen.push([report.progress, report.total, report.message]);
	const counted = await client.callTool("count", {}, { onProgress });
	assert.equal(textOf(counted.content[0]), "三");
	const expected = [1, 2, 3].map((step) => [step, 3, `第${step}步`]);
	assert.deepEqual(seen, progress ? expected : []);

	const failed = await client.callTool("fail");
	assert.equal(failed.isError, true);
	assert.match(textOf(failed.content[0]), /坏了/);

	const { resources } = await client.listResources();
	assert.deepEqual(
		resources.map((/** @type {{ name: string, uri: string }} */ { name, uri }) => [name, uri]),
		[["北京", "test://cities/beijing"]],
	);
	const read = await client.readResource("test://cities/beijing");
	assert.equal(textOf(read.contents[0]), "你好，北京");

	const { resourceTemplates } = await client.listResourceTemplates();
	assert.equal(resourceTemplates[0].uriTemplate, "test://weather/{city}");
	const weatherOf = await client.readResource("test://weather/%E5%8C%97%E4%BA%AC");
	assert.equal(textOf(weatherOf.contents[0]), "北京：晴");
	await assert.rejects(client.readResource("test://no/such/thing"), { code: "PROTOCOL" });

	const { prompts } = await client.listPrompts();
	assert.equal(prompts[0].name, "问候");
	const { completion } = await client.complete({
		ref: { type: "ref/prompt", name: "问候" },
		argument: { name: "city", value: "北" },
	});
	assert.deepEqual(completion.values, ["北京", "北海"]);
	const prompt = await client.getPrompt("问候", { city: "北京" });
	assert.equal(textOf(prompt.messages[0].content), "你好，北京");

	// Calls in flight at once keep their answers apart.
	const cities = Array.from({ length: 20 }, (_, index) => `城市${index}`);
	const answers = await Promise.all(cities.map((city) => client.callTool("查天气", { city })));
	assert.deepEqual(
		answers.map((answer) => textOf(answer.content[0])),
		cities.map((city) => `${city}：晴`),
	);
}

/**
 * The same from a client of the SDK, with our server.
 * @param {any} client
 * @param {(name: string, args?: any, options?: any) => Promise<any>} call
 * @param {import("./sdk-clients.mjs").Generation} generation
 * @param {{ inOneRead?: boolean }} [pipe] whether several messages may come at once
 */
export async function exerciseSdk(client, call, generation, { inOneRead = false } = {}) {
	const { tools } = await client.listTools();
	assert.deepEqual(
		tools.map((/** @type {{ name: string }} */ tool) => tool.name),
		["查天气", "region", "count", "wait", "ask", "fail", "structured"],
	);
	assert.deepEqual((await call("查天气", { city: "北京" })).content, [{ type: "text", text: "北京：晴" }]);
	const long = "北京".repeat(150_000);
	assert.equal((await call("查天气", { city: long })).content[0].text, `${long}：晴`);
	assert.equal((await call("region", { region: "北京 " })).content[0].text, "北京 ");
	assert.deepEqual((await call("structured")).structuredContent, { 城市: "北京" });

	/** @type {unknown[]} */
	const seen = [];
	assert.equal(
		(await call("count", {}, { onprogress: (/** @type {unknown} */ report) => seen.push(report) })).content[0].text,
		"三",
	);
	// The SDK forgets who wants to hear of a call with its response, and hears late of what came in the same read.
	const due = [1, 2, 3].map((step) => ({ progress: step, total: 3, message: `第${step}步` }));
	assert.deepEqual(seen, inOneRead ? due.slice(0, seen.length) : due);

	assert.equal((await call("ask")).content[0].text, "北京 东京 file:///根");

	const failed = await call("fail");
	assert.equal(failed.isError, true);
	assert.match(failed.content[0].text, /坏了/);
	const wrong = await call("查天气", { city: 7 });
	assert.equal(wrong.isError, true);
	await assert.rejects(call("没有"), { code: -32602 });

	const { resources } = await client.listResources();
	assert.deepEqual(
		resources.map((/** @type {{ name: string }} */ resource) => resource.name),
		["北京", "城市"],
	);
	for (const [uri, text] of [
		["test://cities/beijing", "你好，北京"],
		["test://城市/北京", "首都"],
		["test://weather/%E5%8C%97%E4%BA%AC", "北京：晴"],
	]) {
		assert.equal((await client.readResource({ uri })).contents[0].text, text, uri);
	}
	const { resourceTemplates } = await client.listResourceTemplates();
	assert.equal(resourceTemplates[0].uriTemplate, "test://weather/{city}");
	// The second generation shows its users the modern code in both eras.
	await assert.rejects(client.readResource({ uri: "test://no/such/thing" }), {
		code: generation === "1.32" ? -32002 : -32602,
	});

	const { prompts } = await client.listPrompts();
	assert.equal(prompts[0].name, "问候");
	for (const [ref, name] of [
		[{ type: "ref/prompt", name: "问候" }, "city"],
		[{ type: "ref/resource", uri: "test://weather/{city}" }, "city"],
	]) {
		const { completion } = await client.complete({ ref, argument: { name, value: "北" } });
		assert.deepEqual(completion.values, ["北京", "北海"]);
	}
	const prompt = await client.getPrompt({ name: "问候", arguments: { city: "北京" } });
	assert.equal(prompt.messages[0].content.text, "你好，北京");

	const cities = Array.from({ length: 20 }, (_, index) => `城市${index}`);
	const answers = await Promise.all(cities.map((city) => call("查天气", { city })));
	assert.deepEqual(
		answers.map((answer) => answer.content[0].text),
		cities.map((city) => `${city}：晴`),
	);
}
