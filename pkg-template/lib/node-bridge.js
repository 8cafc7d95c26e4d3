// A server that offers what another one does: whoever speaks one era or transport reaches one that speaks another.

/** @param {any} error */
const isAbsent = (error) => error?.code === "PROTOCOL" || error?.code === "METHOD_NOT_IN_ERA";

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
	await client.connect();
	const { serverInfo, serverCapabilities = {}, instructions } = client;
	/** @template T @param {string} capability @param {() => Promise<T>} list @param {T} none @returns {Promise<T>} */
	const listed = async (capability, list, none) => {
		if (serverCapabilities[capability] === undefined) return none;
		return list().catch((error) => {
			if (isAbsent(error)) return none;
			throw error;
		});
	};
	const { tools } = await listed("tools", () => client.listTools(), { tools: [] });
	const { resources } = await listed("resources", () => client.listResources(), { resources: [] });
	const { resourceTemplates } = await listed("resources", () => client.listResourceTemplates(), {
		resourceTemplates: [],
	});
	const { prompts } = await listed("prompts", () => client.listPrompts(), { prompts: [] });

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
		...(serverCapabilities.completions ? { complete } : {}),
	};
}
