// Many servers as one toolset: what it comes to, whatever the servers do.

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: headers are written so

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { inspect } from "node:util";
import { Server } from "mcp-duet/server";
import {
	answerToElicitResult,
	connect,
	connectAll,
	disconnect,
	disconnectAll,
	elicitationToRequest,
	headerShape,
	McpError,
	parseConfig,
	shapeResult,
	stderr,
} from "mcp-duet/toolset";
import { inMemoryPair, serveMessages } from "mcp-duet/transport";

const HEADER_SECRET = "hdr-secret-1234567890";
const ENV_SECRET = "env-secret-0987654321";

/** @param {string} name @param {string[]} tools */
const serverOf = (name, tools) =>
	new Server({
		name,
		version: "1.0.0",
		tools: tools.map((tool) => ({
			name: tool,
			description: `does ${tool}`,
			inputSchema: { type: "object" },
			handler: (/** @type {any} */ args) => `${name} ${tool} ${JSON.stringify(args)}`,
		})),
	});

/**
 * A `fetch` to servers by host.
 * @param {Record<string, (request: Request) => Response | Promise<Response>>} hosts
 */
const network = (hosts) => async (/** @type {string} */ url, /** @type {RequestInit} */ init) => {
	const request = new Request(url, init);
	const answer = hosts[new URL(url).host];
	if (!answer) throw new TypeError(`no route to ${url}`);
	return answer(request);
};

/**
 * A `spawn` of servers that live in this process.
 * @param {Record<string, Server | (() => never)>} programs
 */
function spawner(programs) {
	/** @type {Set<string>} */
	const closed = new Set();
	/** @type {import("mcp-duet/toolset").Spawn} */
	const spawn = async ({ command, env }) => {
		const program = programs[command];
		if (program === undefined) throw new Error(`${command}: not found`);
		const [ours, theirs] = inMemoryPair();
		let exitCode = /** @type {number | null} */ (null);
		if (typeof program === "function") {
			exitCode = 3;
			setTimeout(() => theirs.close(), 5);
		} else serveMessages(program, theirs);
		const close = ours.close.bind(ours);
		return Object.defineProperty(
			Object.assign(ours, {
				exitCode,
				stderr: () => [`${command} started`, `with ${JSON.stringify(env)}`],
				close: async () => {
					closed.add(command);
					await close();
				},
			}),
			"exitCode",
			{ get: () => exitCode },
		);
	};
	return { spawn, closed };
}

test("the shape of a result is the same as natively, byte for byte", async () => {
	const vectors = JSON.parse(readFileSync(new URL("../toolset/results.json", import.meta.url), "utf8"));
	for (const { name, result, text, isError, images, links, others } of vectors) {
		const content = JSON.parse(result).content ?? [];
		const pick = (/** @type {number[]} */ places) => places.map((place) => content[place]);
		const expected = { isError, text, images: pick(images), links: pick(links), others: pick(others) };
		assert.deepEqual(await shapeResult(result), expected, name);
		// An object has been through JSON.parse: all the same but integers beyond 2^53, and numbers that no double is.
		if (!/digits|no double/.test(name)) assert.deepEqual(await shapeResult(JSON.parse(result)), expected, name);
	}
});

test("a BigInt keeps its digits, and an image need not pass through the core", async () => {
	const image = { type: "image", data: "A".repeat(1000), mimeType: "image/png" };
	const result = /** @type {any} */ ({
		content: [image],
		structuredContent: { b: 12345678901234567890n, a: "1n", c: -1n },
	});
	const shaped = await shapeResult(result);
	assert.equal(shaped.text, '{"a":"1n","b":12345678901234567890,"c":-1}');
	assert.equal(shaped.images[0], image);
});

test("a configuration is parsed from text and object, and what is wrong has its path", async () => {
	const config = {
		mcpServers: { b: { url: "https://b.test/mcp" }, a: { command: ["npx", "-y", "x"], env: { A: 1 } } },
	};
	const list = await parseConfig(config);
	assert.deepEqual(list, await parseConfig(`// comment\n${JSON.stringify(config)}`));
	assert.deepEqual(
		list.map(({ name, transport }) => [name, transport]),
		[
			["a", "stdio"],
			["b", "http"],
		],
	);
	const wrong = { servers: { a: { command: "x", env: { KEY: [ENV_SECRET] } } } };
	await assert.rejects(parseConfig(wrong), (error) => {
		assert.ok(error instanceof McpError);
		assert.equal(error.code, "INVALID_ARGUMENT");
		assert.equal(error.message, "servers.a.env.KEY: expected a string, got an array");
		return true;
	});
	await assert.rejects(parseConfig("{"), { code: "INVALID_ARGUMENT" });
	await assert.rejects(connectAll("{"), { code: "INVALID_ARGUMENT" });
});

/** A configuration with everything that can go wrong, and what it comes to. */
function mixed() {
	const weather = serverOf("weather", ["get", "set"]);
	const { spawn, closed } = spawner({
		good: serverOf("good", ["x.y", "x/y"]),
		crash: () => {
			throw new Error();
		},
	});
	const fetch = network({
		"weather.test": (request) =>
			request.headers.get("authorization") === `Bearer ${HEADER_SECRET}`
				? weather.fetch(request)
				: new Response(`who is ${request.headers.get("authorization")}?`, { status: 401 }),
		"echo.test": (request) => new Response(`no: ${request.headers.get("x-key")}`, { status: 400 }),
		"silent.test": () => new Promise(() => {}),
	});
	const config = {
		mcpServers: {
			weather: { url: "https://weather.test/mcp", headers: { Authorization: "Bearer ${TOKEN}" } },
			good: { command: "good", env: { KEY: ENV_SECRET } },
			crash: { command: "crash", env: { KEY: ENV_SECRET } },
			missing: { command: "missing" },
			broken: { url: "https://nowhere.test/mcp" },
			echo: { url: "https://echo.test/mcp", headers: { "X-Key": "${TOKEN}" } },
			silent: { url: "https://silent.test/mcp", timeouts: { handshakeMs: 50 } },
			unset: { url: "https://weather.test/mcp", headers: { Authorization: "Bearer ${GONE}" } },
			wrong: { url: "https://a.test", command: "x" },
			off: { command: "good", disabled: true },
		},
	};
	return { config, options: { spawn, fetch, env: { TOKEN: HEADER_SECRET } }, closed };
}

test("one server that fails costs no other", async () => {
	const { config, options, closed } = mixed();
	const toolset = await connectAll(config, options);
	assert.deepEqual(toolset.statuses, {
		broken: "failed",
		crash: "failed",
		echo: "failed",
		good: "connected",
		missing: "failed",
		off: "disabled",
		silent: "failed",
		unset: "failed",
		weather: "connected",
		wrong: "failed",
	});
	assert.deepEqual(
		toolset.tools.map(({ name, metadata }) => [name.replace(/_[a-z2-7]{6}$/, "_mark"), metadata.server, metadata.tool]),
		[
			["good_x_y", "good", "x.y"],
			["good_x_y_mark", "good", "x/y"],
			["weather_get", "weather", "get"],
			["weather_set", "weather", "set"],
		],
	);
	const said = Object.fromEntries(
		toolset.errors.map(({ server, error }) => [server, `${error.code} ${error.message}`]),
	);
	assert.deepEqual(Object.keys(said), ["broken", "crash", "echo", "missing", "silent", "unset", "wrong"]);
	assert.match(said.silent, /^TIMED_OUT handshake: not done within 50 ms/);
	assert.match(said.unset, /Authorization needs the variable GONE, which is not set/);
	assert.match(said.wrong, /mcpServers\.wrong: expected either url or command, got both/);
	assert.match(said.missing, /missing: not found/);
	const [crash] = toolset.connections.filter(({ name }) => name === "crash");
	assert.equal(crash.exitCode, 3);
	assert.equal(stderr(crash)[0], "crash started");
	const [, weather] = toolset.connections.filter(({ status }) => status === "connected");
	assert.equal(weather.serverInfo?.name, "weather");
	assert.deepEqual(stderr(weather), []);
	assert.equal(weather.exitCode, null);

	const [first] = toolset.tools;
	const shaped = await toolset.tools[2].handler({ city: "北京" });
	assert.equal(shaped.text, 'weather get {"city":"北京"}');
	assert.equal(shaped.isError, false);
	assert.equal(shaped.result.content.length, 1);
	assert.equal((await toolset.tools[1].handler()).text, "good x/y {}");

	await disconnectAll(toolset);
	await disconnectAll(toolset);
	assert.deepEqual([...closed].sort(), ["crash", "good"]);
	assert.equal(toolset.statuses.good, "disconnected");
	assert.deepEqual(toolset.tools, []);
	await assert.rejects(first.handler(), { code: "CLOSED" });
});

test("the outcome does not depend on who answers first", async () => {
	const outcomes = [];
	for (const slow of ["a.test", "b.test"]) {
		const servers = { "a.test": serverOf("a", ["x", "y"]), "b.test": serverOf("b", ["y", "x"]) };
		const fetch = network(
			Object.fromEntries(
				Object.entries(servers).map(([host, server]) => [
					host,
					async (/** @type {Request} */ request) => {
						if (host === slow) await new Promise((resolve) => setTimeout(resolve, 20));
						return server.fetch(request);
					},
				]),
			),
		);
		// Two names that are one once they are sanitized.
		const config = { "s 1": { url: "https://b.test" }, "s.1": { url: "https://a.test" } };
		const toolset = await connectAll(config, { fetch });
		outcomes.push(toolset.tools.map(({ name, metadata }) => [name, metadata.server, metadata.tool]));
		await disconnectAll(toolset);
	}
	assert.deepEqual(outcomes[0], outcomes[1]);
	assert.equal(new Set(outcomes[0].map(([name]) => name)).size, 4);
});

test("planted secrets reach no output", async (context) => {
	/** @type {unknown[]} */
	const printed = [];
	for (const method of /** @type {const} */ (["log", "warn", "error", "info", "debug"])) {
		context.mock.method(console, method, (/** @type {unknown[]} */ ...args) => printed.push(args));
	}
	const { config, options } = mixed();
	const toolset = await connectAll(config, options);
	/** @type {unknown[]} */
	const seen = [printed, toolset.statuses, toolset.tools, toolset.connections, toolset.errors];
	for (const { error } of toolset.errors) seen.push({ ...error }, error.message, error.stack, String(error.cause));
	for (const connection of toolset.connections) seen.push(stderr(connection), Object.values(connection));
	seen.push(await headerShape(config.mcpServers.weather.headers, options.env));
	const text = [
		...seen,
		...seen.map((value) => JSON.stringify(value)),
		...toolset.errors.map(({ error }) => error.stack),
	]
		.map((value) => (typeof value === "string" ? value : inspect(value, { depth: 8, showHidden: true, getters: true })))
		.join("\n");
	assert.ok(text.includes("[redacted]"), "the servers do give their secrets away");
	for (const secret of [HEADER_SECRET, ENV_SECRET]) assert.equal(text.includes(secret), false, secret);
	await disconnectAll(toolset);
});

test("short values are taken out where their name says that they are secret, as words", async () => {
	const env = {
		...{ API_KEY: "abc", PIN: "0815", db_password: "a.b+c", SECRET: "$x!", TOKEN: "Bearer 北京市" },
		...{ LOG_LEVEL: "info", PORT: "3000", MODE_KEY: "7x", LONG: "planted-secret" },
	};
	const { spawn } = spawner({ program: serverOf("program", []) });
	const connection = await connect(
		{ command: "program", env },
		{
			spawn: async (program, options) => {
				const child = await spawn(program, options);
				const lines = [
					...["key abc, not abcd or cab", "pin 0815; 108150", "(a.b+c) but aXbbc", "cash$x!", "Bearer 北京市: 北京市!"],
					...["info at 3000, mode 7x", "xplanted-secretx"],
				];
				return Object.assign(child, { stderr: () => lines });
			},
		},
	);
	assert.deepEqual(stderr(connection), [
		...["key [redacted], not abcd or cab", "pin [redacted]; 108150", "([redacted]) but aXbbc", "cash[redacted]"],
		...["[redacted]: [redacted]!", "info at 3000, mode 7x", "x[redacted]x"],
	]);
	await disconnect(connection);
});

test("the shape of headers says which there are and nothing of their values", async () => {
	const headers = { A: "${TOKEN}", B: "plain", C: "${GONE}", D: "${GONE:-d}" };
	assert.deepEqual(await headerShape(headers, { TOKEN: HEADER_SECRET }), {
		A: "expanded",
		B: "plain",
		C: "unset",
		D: "expanded",
	});
});

test("a command in a place without processes fails with a clear error", async () => {
	const connection = await connect({ command: "npx", args: ["-y", "server-x"] });
	assert.equal(connection.name, "server-x");
	assert.equal(connection.status, "failed");
	assert.equal(connection.transport, "stdio");
	assert.match(connection.error?.message ?? "", /give the spawn of "mcp-duet\/node"/);
	await disconnect(connection);
});

for (const version of /** @type {const} */ (["2026-07-28", "2025-11-25"])) {
	test(`what a server of ${version} asks is asked of the host; a host that throws cancels`, async () => {
		const asking = new Server({
			name: "asking",
			version: "1.0.0",
			supportedVersions: [version],
			tools: [
				{
					name: "ask",
					inputSchema: { type: "object" },
					handler: async (_args, ctx) => {
						/** @type {any} */
						const answer = await ctx.elicit({
							message: "Which city?",
							requestedSchema: { type: "object", properties: { city: { type: "string" } } },
						});
						return `${answer.action} ${answer.content?.city ?? ""}`;
					},
				},
			],
		});
		const { spawn } = spawner({ asking });
		/** @type {[any, string][]} */
		const table = [
			[() => ({ ok: true, data: { city: "北京" } }), "accept 北京"],
			[() => ({ ok: false, reason: "declined" }), "decline "],
			[() => ({ ok: false, reason: "expired" }), "cancel "],
			[() => undefined, "cancel "],
			[
				() => {
					throw new Error("the host is gone");
				},
				"cancel ",
			],
		];
		const ids = new Set();
		for (const [answer, expected] of table) {
			const toolset = await connectAll(
				{ a: { command: "asking" } },
				{
					spawn,
					onElicitation: (request) => {
						ids.add(request.id);
						assert.equal(request.mode, "form");
						assert.equal(request.message, "Which city?");
						return answer(request);
					},
				},
			);
			assert.equal((await toolset.tools[0].handler({})).text, expected);
			await disconnectAll(toolset);
		}
		assert.equal(ids.size, table.length);
		// Without a host nothing is declared, and the tool is told so.
		const toolset = await connectAll({ a: { command: "asking" } }, { spawn });
		const refusal = await toolset.tools[0].handler({}).then(
			({ isError, text }) => (isError ? text : ""),
			(error) => error.message,
		);
		assert.match(refusal, /elicitation/);
		await disconnectAll(toolset);
	});
}

test("an answer that does not fit the form is not sent: the host is asked again, with what is wrong, and not for ever", async () => {
	/** @type {import("mcp-duet").ElicitRequestFormParams["requestedSchema"]} */
	const requestedSchema = {
		type: "object",
		properties: { age: { type: "integer" }, unit: { type: "string", default: "years" } },
		required: ["age", "unit"],
	};
	/** @type {any} */
	const asking = new Server({
		...{ name: "asking", version: "1" },
		tools: [
			{
				...{ name: "ask", inputSchema: { type: "object" } },
				handler: async (_, ctx) => {
					const { action, content } = await ctx.elicit({ message: "How old?", requestedSchema });
					return JSON.stringify({ action, content });
				},
			},
		],
	});
	/** @type {[any[], any][]} */
	const table = [
		[["42xyz", 42], { action: "accept", content: { age: 42, unit: "years" } }],
		[["42xyz", undefined, 4.5], { action: "cancel" }],
	];
	for (const [ages, expected] of table) {
		/** @type {any[]} */
		const requests = [];
		const toolset = await connectAll(
			{ a: { command: "asking" } },
			{
				spawn: spawner({ asking }).spawn,
				onElicitation: (request) => ({ ok: true, data: { age: ages[requests.push(request) - 1] } }),
			},
		);
		assert.deepEqual(JSON.parse((await toolset.tools[0].handler({})).text), expected);
		await disconnectAll(toolset);
		assert.equal(requests.length, ages.length);
		assert.deepEqual([requests[0].problem, new Set(requests.map(({ id }) => id)).size], [undefined, 1]);
		assert.match(requests[1].problem, /^\/age: expected integer, got "42xyz"$/);
	}
});

test("questions and answers can be translated by themselves", async () => {
	const form = { message: "m", requestedSchema: { type: /** @type {const} */ ("object"), properties: {} } };
	const [one, other] = await Promise.all([elicitationToRequest(form), elicitationToRequest(form)]);
	assert.notEqual(one.id, other.id);
	assert.deepEqual(await answerToElicitResult({ ok: true, data: { a: 1 } }), { action: "accept", content: { a: 1 } });
	assert.deepEqual(await answerToElicitResult(undefined), { action: "cancel" });
	const evil = { mode: /** @type {const} */ ("url"), message: "m", url: "javascript:alert(1)" };
	await assert.rejects(elicitationToRequest(evil), { code: "INVALID_ARGUMENT" });
});

test("when a server's list changes, the tools are those of the new list", async () => {
	const names = ["one"];
	/** @type {(message: any) => void} */
	let send = () => {};
	/** @type {import("mcp-duet/toolset").Spawn} */
	const spawn = () => {
		const [ours, theirs] = inMemoryPair();
		theirs.onmessage = ({ id, method }) => {
			const results = /** @type {Record<string, any>} */ ({
				initialize: { protocolVersion: "2025-11-25", capabilities: { tools: { listChanged: true } } },
				"tools/list": { tools: [...names.map((name) => ({ name, inputSchema: { type: "object" } })), null] },
			});
			if (id === undefined) return;
			const result = results[method];
			const error = { code: -32601, message: "no such method" };
			theirs.send(result ? { jsonrpc: "2.0", id, result } : { jsonrpc: "2.0", id, error });
		};
		send = (message) => theirs.send(message);
		theirs.start();
		return Object.assign(ours, { exitCode: null, stderr: () => [] });
	};
	/** @type {(names: string[]) => void} */
	let told = () => {};
	const next = () => new Promise((resolve) => (told = resolve));
	const toolset = await connectAll(
		{ s: { command: "x" } },
		{ spawn, onToolsChanged: (tools) => told(tools.map(({ name }) => name)) },
	);
	assert.deepEqual(
		toolset.tools.map(({ name }) => name),
		["s_one"],
	);
	assert.match(toolset.errors[0].error.message, /is left out: expected an object/);
	names.push("two");
	const changed = next();
	send({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
	assert.deepEqual(await changed, ["s_one", "s_two"]);
	assert.equal(toolset.tools.length, 2);
	assert.equal(toolset.connections[0].tools.length, 2);
	await disconnectAll(toolset);
});

test("who stops waiting gets what there is", async () => {
	const fetch = network({ "silent.test": () => new Promise(() => {}), "a.test": (r) => serverOf("a", ["x"]).fetch(r) });
	const controller = new AbortController();
	const config = { silent: { url: "https://silent.test" }, a: { url: "https://a.test" } };
	const connecting = connectAll(config, { fetch, signal: controller.signal, timeouts: { handshakeMs: 60_000 } });
	setTimeout(() => controller.abort(new Error("enough")), 100);
	const toolset = await connecting;
	assert.equal(toolset.statuses.silent, "failed");
	assert.equal(toolset.connections[1].error?.message, "enough");
	await disconnectAll(toolset);
});

test("tools that are for interfaces only reach no model", async () => {
	const tool = (/** @type {string} */ name, /** @type {any} */ visibility) => ({
		...{ name, inputSchema: { type: /** @type {const} */ ("object") }, handler: () => "" },
		_meta: { ui: { resourceUri: "ui://x/y", visibility } },
	});
	const server = new Server({
		...{ name: "views", version: "1" },
		tools: [tool("both", undefined), tool("model", ["model"]), tool("app", ["app"]), tool("none", [])],
	});
	const toolset = await connectAll(
		{ views: { url: "https://views.test" } },
		{ fetch: network({ "views.test": (request) => server.fetch(request) }) },
	);
	assert.deepEqual(
		toolset.tools.map(({ name }) => name),
		["views_both", "views_model"],
	);
	assert.deepEqual(toolset.errors, []);
	await disconnectAll(toolset);
});

test("a server that is disconnected takes its tools along, and the application is told of what is left", async () => {
	const servers = { "a.test": serverOf("a", ["x"]), "b.test": serverOf("b", ["y"]), "c.test": serverOf("c", ["z"]) };
	const hosts = Object.entries(servers).map(([host, server]) => [
		host,
		(/** @type {Request} */ request) => server.fetch(request),
	]);
	/** @type {string[][]} */
	const told = [];
	const toolset = await connectAll(Object.fromEntries(hosts.map(([host]) => [host, { url: `https://${host}` }])), {
		fetch: network(Object.fromEntries(hosts)),
		onToolsChanged: (tools) => told.push(tools.map(({ metadata }) => metadata.tool)),
	});
	await disconnect(toolset.connections[1]);
	await disconnect(toolset.connections[1]);
	assert.deepEqual(told, [["x", "z"]]);
	assert.deepEqual(toolset.connections[1].tools, []);
	await disconnectAll(toolset);
	assert.deepEqual(told, [["x", "z"], []]);
	assert.deepEqual(toolset.tools, []);
});

test("a time that is not given is the usual one, and one that is no time is refused", async () => {
	const { spawn } = spawner({ a: serverOf("a", ["x"]) });
	const entry = { command: "a" };
	const unset = { connectMs: undefined, handshakeMs: undefined, listMs: undefined };
	for (const timeouts of [unset, { connectMs: Number.POSITIVE_INFINITY, handshakeMs: 2 ** 40, listMs: 1e12 }]) {
		const connection = await connect(
			{ ...entry, timeouts: timeouts === unset ? undefined : { connectMs: 2 ** 40 } },
			{ spawn, timeouts, callTimeoutMs: timeouts.listMs },
		);
		assert.equal(connection.error, undefined);
		assert.equal((await connection.tools[0].handler()).isError, false);
		await disconnect(connection);
	}
	for (const options of [
		{ timeouts: { connectMs: "5s" } },
		{ timeouts: { handshakeMs: 0 } },
		{ timeouts: { listMs: Number.NaN } },
		{ callTimeoutMs: "1" },
	]) {
		const refused = connectAll({ a: entry }, /** @type {any} */ ({ spawn, ...options }));
		await assert.rejects(refused, { code: "INVALID_ARGUMENT", message: /Ms must be a number of milliseconds above 0/ });
	}
});

test("each phase has its own time, and a call has the caller's", async () => {
	const never = new Promise(() => {});
	const silent = async () => ({ send: async () => {}, close: async () => {}, stderr: () => [], exitCode: null });
	const server = serverOf("slow", ["x"]);
	/** Answers all but one method. @param {string} method */
	const without = (method) => async (/** @type {Request} */ request) =>
		JSON.parse(await request.clone().text()).method === method ? /** @type {any} */ (never) : server.fetch(request);
	const fetch = network({ "list.test": without("tools/list"), "call.test": without("tools/call") });
	for (const [server, options, phase] of /** @type {[any, any, string][]} */ ([
		[{ command: "a" }, { spawn: () => never, timeouts: { connectMs: 20 } }, "connect"],
		[{ command: "a" }, { spawn: silent, timeouts: { handshakeMs: 20 } }, "handshake"],
		[{ url: "https://list.test" }, { fetch, timeouts: { listMs: 20 } }, "list"],
	])) {
		const { status, error } = await connect(server, options);
		assert.equal(status, "failed");
		assert.match(String(error?.message), new RegExp(`^${phase}: not done within 20 ms`));
	}
	const connection = await connect({ url: "https://call.test" }, { fetch, callTimeoutMs: 20 });
	await assert.rejects(connection.tools[0].handler(), { code: "TIMED_OUT" });
	await disconnect(connection);
});

test("ending a connection is bounded and never throws, whatever its process does", async (context) => {
	for (const close of [
		() => new Promise(() => {}),
		() => {
			throw new Error("no");
		},
	]) {
		const { spawn } = spawner({ a: serverOf("a", []) });
		const connection = await connect(
			{ command: "a" },
			{
				spawn: async (entry, options) => Object.assign(await spawn(entry, options), { close }),
			},
		);
		context.mock.timers.enable({ apis: ["setTimeout"] });
		const ended = disconnect(connection);
		await null;
		context.mock.timers.tick(5_000);
		await ended;
		context.mock.timers.reset();
		assert.equal(connection.status, "disconnected");
	}
	await disconnect(/** @type {any} */ ({ status: "connected" }));
	await disconnectAll(/** @type {any} */ ({ connections: [{}] }));
});

test("what is missing is said, not stumbled over", async () => {
	for (const wrong of [undefined, null, 5]) {
		const refused = { code: "INVALID_ARGUMENT" };
		await assert.rejects(parseConfig(/** @type {any} */ (wrong)), {
			...refused,
			message: /expected an object with servers/,
		});
		await assert.rejects(connectAll(/** @type {any} */ (wrong)), refused);
		await assert.rejects(shapeResult(/** @type {any} */ (wrong)), {
			...refused,
			message: /takes a result of tools\/call/,
		});
	}
	const { aiSdkTools } = await import("mcp-duet/toolset");
	assert.throws(() => aiSdkTools([], /** @type {any} */ (undefined)), {
		code: "INVALID_ARGUMENT",
		message: /package "ai"/,
	});
});

test("nothing of an address's user and query, nor a secret argument, is in an error or a line of a server", async () => {
	const config = {
		remote: { url: "https://user-planted:pass%20planted@a.test/mcp?api_key=key-planted&k=%71uery-planted" },
		local: {
			command: "a",
			args: ["--token=token-planted", "--password", "word-planted", "--folder", "/shown/planted"],
		},
	};
	const { spawn } = spawner({ a: serverOf("a", []) });
	const toolset = await connectAll(config, {
		fetch: async (url) => {
			throw new TypeError(`cannot reach ${url}, ${decodeURIComponent(String(url))}`);
		},
		spawn: async (entry, options) =>
			Object.assign(await spawn(entry, options), { stderr: () => [entry.args?.join(" ") ?? ""] }),
	});
	const [{ error }] = toolset.errors;
	const [local] = toolset.connections;
	const text = inspect([error, String(error.stack), stderr(local)], { depth: 5 });
	assert.match(text, /a\.test/);
	assert.match(text, /shown\/planted/);
	assert.doesNotMatch(text, /(user|pass|key|query|71uery|token|word)[- %20]*planted/);
	await disconnectAll(toolset);
});
