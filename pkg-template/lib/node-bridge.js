// A server that offers what another one does: whoever speaks one era or transport reaches one that speaks another.

/**
 * A list of a server, empty where it has none.
 * @param {any} client that is connected
 * @param {string} capability
 * @param {string} method of the client
 * @param {string} member
 * @returns {Promise<any[]>}
 */
async function listed(client, capability, method, member) {
	if (client.serverCapabilities?.[capability] === undefined) return [];
	try {
		return (await client[method]())[member];
	} catch (error) {
		// Not every server with resources has templates, nor every era. What else fails has not been had.
		const { code, rpcCode } = /** @type {any} */ (error);
		if (rpcCode === -32601 || code === "METHOD_NOT_IN_ERA") return [];
		throw error;
	}
}

/**
 * All that a server offers.
 * @param {any} client
 * @returns {Promise<Record<"tools" | "resources" | "resourceTemplates" | "prompts", any[]>>}
 */
export async function everything(client) {
	await client.connect();
	return {
		tools: await listed(client, "tools", "listTools", "tools"),
		resources: await listed(client, "resources", "listResources", "resources"),
		resourceTemplates: await listed(client, "resources", "listResourceTemplates", "resourceTemplates"),
		prompts: await listed(client, "prompts", "listPrompts", "prompts"),
	};
}

/**
 * What a server must not repeat as its own: the wire's part of a result, which the bridge's server says itself.
 * @param {any} result
 */
const bare = ({ resultType, ttlMs, cacheScope, ...rest }) => rest;

/**
 * The definition of a server in front of that client's.
 * @param {any} client
 * @returns {Promise<any>} for `new Server`
 */
export async function mirror(client) {
	const { tools, resources, resourceTemplates, prompts } = await everything(client);
	const { serverInfo, serverCapabilities, instructions } = client;

	/** @param {any} ctx */
	const options = (ctx) => ({
		signal: ctx.signal,
		onProgress: (/** @type {any} */ { progress, total, message }) => ctx.sendProgress?.(progress, total, message),
	});
	const read = async (/** @type {string} */ uri, /** @type {any} */ ctx) =>
		bare(await client.readResource(uri, options(ctx)));
	const complete = async (/** @type {any} */ params, /** @type {any} */ ctx) =>
		bare(await client.complete(params, { signal: ctx.signal }));
	return {
		name: serverInfo?.name ?? "unknown",
		version: serverInfo?.version ?? "0",
		title: serverInfo?.title,
		instructions,
		tools: tools.map((/** @type {any} */ { outputSchema, ...tool }) => ({
			...tool,
			// The other server answers for its own schema; what it gives goes through as it is.
			handler: async (/** @type {any} */ args, /** @type {any} */ ctx) =>
				bare(await client.callTool(tool.name, args, options(ctx))),
		})),
		resources: resources.map((/** @type {any} */ resource) => ({
			...resource,
			read: (/** @type {string} */ uri, /** @type {any} */ ctx) => read(uri, ctx),
		})),
		resourceTemplates: resourceTemplates.map((/** @type {any} */ template) => ({
			...template,
			read: (/** @type {string} */ uri, /** @type {any} */ _variables, /** @type {any} */ ctx) => read(uri, ctx),
		})),
		prompts: prompts.map((/** @type {any} */ prompt) => ({
			...prompt,
			get: async (/** @type {any} */ args, /** @type {any} */ ctx) =>
				bare(await client.getPrompt(prompt.name, args, { signal: ctx.signal })),
		})),
		...(serverCapabilities?.completions ? { complete } : {}),
	};
}
