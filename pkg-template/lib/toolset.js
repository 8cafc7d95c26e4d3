// Many servers as one list of tools. What it comes to is decided in Rust and does not depend on who answered first.

import { McpError } from "../errors.js";
import { budgetOf, checkTimes, end, insideOf, insides, open, relist } from "./toolset-connection.js";
import { CONFIG, decide, exactText, NAMES, SHAPE_OF_HEADERS } from "./toolset-core.js";
import { shapeResult } from "./toolset-result.js";
import { presentable } from "./toolset-secrets.js";

export { DEFAULT_TIMEOUTS } from "./toolset-connection.js";
export { answerToElicitResult, elicitationToRequest } from "./toolset-elicitation.js";
export { shapeResult } from "./toolset-result.js";
export { aiSdkTools, anthropicTools, openAIChatTools, openAITools } from "./toolset-shapes.js";

/** @typedef {import("../toolset.js").ToolsetOptions} Options */
/** @typedef {import("../toolset.js").Connection} Connection */
/** @typedef {import("../toolset.js").Tool} Tool */

/** @param {unknown} config @returns {Promise<any[]>} */
const listed = (config) => decide(CONFIG, config);

/** @param {string | object} config */
export async function parseConfig(config) {
	const list = await listed(config);
	const wrong = list.find(({ problem }) => problem !== undefined);
	if (wrong) throw new McpError("INVALID_ARGUMENT", wrong.problem);
	return list;
}

/**
 * @param {Record<string, string>} headers
 * @param {Record<string, string | undefined>} [env]
 */
export function headerShape(headers, env = {}) {
	return decide(SHAPE_OF_HEADERS, { headers, environment: env });
}

/**
 * @param {any} server
 * @param {Options} [options]
 * @returns {Promise<Connection>}
 */
export async function connect(server, options = {}) {
	const toolset = await connectAll([server], options);
	return toolset.connections[0];
}

/**
 * @param {string | object} config
 * @param {Options} [options]
 * @returns {Promise<import("../toolset.js").Toolset>}
 */
export async function connectAll(config, options = {}) {
	checkTimes(options);
	const entries = await listed(config);
	/** @type {Toolset} */
	const toolset = new Toolset(options);
	toolset.connections = await Promise.all(
		entries.map((entry, index) => {
			const told = {
				changed: () => void toolset.changed(index, entry),
				lost: () => void toolset.lost(index, entry),
				left: () => toolset.left(),
			};
			return open(entry, options, told);
		}),
	);
	await toolset.rebuild();
	toolset.begin();
	return toolset;
}

/** The recent lines that a server has written to its standard error. @param {Connection} connection */
export function stderr(connection) {
	const { child, redact } = insideOf(connection);
	return (child?.stderr() ?? []).map(redact);
}

/** @param {Connection} connection */
export async function disconnect(connection) {
	const inside = insides.get(connection);
	if (inside === undefined) return;
	const was = connection.status;
	if (was === "connected") connection.status = "disconnected";
	await end(connection);
	if (was === "connected") await inside.told.left();
}

/** @param {{ connections: readonly Connection[] }} toolset */
export async function disconnectAll(toolset) {
	await Promise.all(toolset.connections.map(disconnect));
}

class Toolset {
	/** @type {Tool[]} */
	tools = [];
	/** @type {Connection[]} */
	connections = [];
	/** @type {{ server: string, error: McpError }[]} */
	errors = [];
	#options;
	/** @type {Map<number, "running" | "again">} */
	#relisting = new Map();
	/** What changed while others were still connecting. @type {Map<number, any> | undefined} */
	#early = new Map();

	/** @param {Options} options */
	constructor(options) {
		this.#options = options;
	}

	get statuses() {
		return Object.fromEntries(this.connections.map(({ name, status }) => [name, status]));
	}

	/** Names everything anew: another server's tool may have had a name first. Whether there are fewer tools than before. */
	async rebuild() {
		const servers = this.connections.map((connection) => {
			const tools = connection.status === "connected" ? insideOf(connection).listed : [];
			return { name: connection.name, tools };
		});
		const { tools, leftOut } = await decide(NAMES, exactText(servers));
		const had = this.tools.length;
		this.tools = tools.map((/** @type {any} */ named) => {
			const connection = this.connections[named.server];
			return toolOf(connection, servers[named.server].tools[named.tool], named);
		});
		this.errors = [];
		for (const [index, connection] of this.connections.entries()) {
			connection.tools = this.tools.filter(({ metadata }) => metadata.server === connection.name);
			if (connection.error) this.errors.push({ server: connection.name, error: connection.error });
			for (const { server, reason } of leftOut) {
				if (server === index) {
					this.errors.push({ server: connection.name, error: new McpError("INVALID_DEFINITION", reason) });
				}
			}
		}
		return this.tools.length < had;
	}

	/** All are there: what changed meanwhile is looked at. */
	begin() {
		const early = this.#early ?? new Map();
		this.#early = undefined;
		for (const [index, entry] of early) {
			if (this.connections[index].status === "connected") this.changed(index, entry);
			else this.lost(index, entry);
		}
	}

	/**
	 * A server that was connected is gone, and its tools with it.
	 * @param {number} index
	 * @param {any} entry
	 */
	async lost(index, entry) {
		if (this.#early) {
			this.#early.set(index, entry);
			return;
		}
		await this.rebuild();
		this.#options.onToolsChanged?.(this.tools);
	}

	/** A server has been disconnected: its tools go with it. Who disconnects all is told once. */
	async left() {
		if (await this.rebuild()) this.#options.onToolsChanged?.(this.tools);
	}

	/**
	 * A server's list may have changed. Asked again once at a time, and once more for what came meanwhile.
	 * @param {number} index
	 * @param {any} entry
	 */
	async changed(index, entry) {
		if (this.#early) {
			this.#early.set(index, entry);
			return;
		}
		const connection = this.connections[index];
		if (this.#relisting.has(index)) {
			this.#relisting.set(index, "again");
			return;
		}
		const { listMs } = budgetOf(entry, this.#options);
		do {
			this.#relisting.set(index, "running");
			try {
				await relist(connection, listMs);
				await this.rebuild();
			} catch {
				// The list as it was is better than none.
				continue;
			}
			if (connection.status === "connected") this.#options.onToolsChanged?.(this.tools);
		} while (this.#relisting.get(index) === "again" && connection.status === "connected");
		this.#relisting.delete(index);
	}
}

/**
 * @param {Connection} connection
 * @param {any} tool
 * @param {{ name: string, description: string, interface?: string }} named
 * @returns {Tool}
 */
function toolOf(connection, tool, named) {
	const { inputSchema, outputSchema, title, annotations } = tool;
	return {
		name: named.name,
		description: named.description,
		// Some providers insist on properties.
		parameters: "properties" in inputSchema ? inputSchema : { ...inputSchema, properties: {} },
		metadata: {
			server: connection.name,
			tool: tool.name,
			title,
			annotations,
			outputSchema,
			interface: named.interface,
		},
		async handler(args, options) {
			const { client, redact } = insideOf(connection);
			if (client === undefined || connection.status !== "connected") {
				const why = connection.error ? `: ${connection.error.message}` : "";
				throw new McpError("CLOSED", `the server ${connection.name} is not connected${why}`);
			}
			let result;
			try {
				result = await client.callTool(tool.name, args ?? {}, options);
			} catch (error) {
				throw options?.signal?.aborted ? error : presentable(error, redact);
			}
			return { ...(await shapeResult(result)), result };
		},
	};
}
