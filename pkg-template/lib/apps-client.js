// A client as a host of MCP Apps needs it: requests, what the server can do, its tools. Works with
// everything that has `request`: this package's Client, the official SDK's, one's own.

/**
 * @typedef {object} Call
 * @property {AbortSignal} [signal]
 * @property {(progress: any) => void} [onProgress]
 * @property {"refresh"} [cacheMode]
 */

/** The most pages of a list: a server that has more is in a loop. */
const MAX_PAGES = 100;

/** The lists of a server that can change. */
const LISTS = ["tools", "resources", "prompts"];

/** What the official SDK checks results with, either generation of it: everything passes. */
const ANYTHING = {
	/** @param {unknown} data */
	safeParse: (data) => ({ success: true, data }),
	"~standard": {
		version: 1,
		vendor: "mcp-duet",
		/** @param {unknown} value */
		validate: (value) => ({ value }),
	},
};

/** @type {WeakMap<object, Link>} */
const links = new WeakMap();

/** The one link of a client. @param {any} client @returns {Link} */
export function linkOf(client) {
	let link = links.get(client);
	if (!link) {
		link = new Link(client);
		links.set(client, link);
	}
	return link;
}

export class Link {
	#client;
	#isSdk;
	/** @type {Promise<any[]> | undefined} */
	#listing;
	/** What is told of the server's lists. @type {Set<(method: string) => void>} */
	#listeners = new Set();

	/** @param {any} client */
	constructor(client) {
		this.#client = client;
		this.#isSdk = typeof client.setNotificationHandler === "function";
	}

	/**
	 * @param {string} method
	 * @param {any} params
	 * @param {Call} [call]
	 * @returns {Promise<any>}
	 */
	request(method, params, { signal, onProgress, cacheMode } = {}) {
		const common = { signal, resetTimeoutOnProgress: onProgress !== undefined };
		if (this.#isSdk)
			return this.#client.request({ method, params }, ANYTHING, {
				...common,
				...(onProgress && { onprogress: onProgress }),
			});
		return this.#client.request(method, params, { ...common, onProgress, cacheMode, manual: false });
	}

	/** What the server can do; `undefined` where that is not known. @returns {Promise<any>} */
	async capabilities() {
		if (this.#isSdk) return this.#client.getServerCapabilities?.();
		await this.#client.connect?.();
		return this.#client.serverCapabilities;
	}

	/**
	 * A list, every page of it.
	 * @param {string} method
	 * @param {string} member
	 * @param {Call} [call]
	 * @returns {Promise<any[]>}
	 */
	async list(method, member, call) {
		const all = [];
		let cursor;
		for (let page = 0; page < MAX_PAGES; page++) {
			const result = await this.request(method, cursor === undefined ? {} : { cursor }, call);
			all.push(...(Array.isArray(result?.[member]) ? result[member] : []));
			cursor = result?.nextCursor;
			if (typeof cursor !== "string") break;
		}
		return all;
	}

	/** The server's tools, never from a cache: they decide what a View may call. Who asks meanwhile gets the same list. */
	tools() {
		if (this.#listing) return this.#listing;
		const listing = this.list("tools/list", "tools", { cacheMode: "refresh" }).finally(() => {
			if (this.#listing === listing) this.#listing = undefined;
		});
		this.#listing = listing;
		return listing;
	}

	/**
	 * Tells of the server's lists, whatever is relayed and what the client itself can hear: in the modern era a server
	 * tells of them only who has subscribed.
	 * @param {(method: string) => void} listener
	 * @param {AbortSignal} signal ends it
	 */
	async watch(listener, signal) {
		this.#listeners.add(listener);
		signal.addEventListener("abort", () => this.#listeners.delete(listener));
		const has = (await this.capabilities()) ?? {};
		const lists = LISTS.filter((name) => has[name]?.listChanged);
		const client = this.#client;
		if (signal.aborted || lists.length === 0 || !client.era || !client.subscribe) return;
		const tell = (/** @type {string} */ method) => {
			this.#listing = undefined;
			listener(method);
		};
		const filter = Object.fromEntries(lists.map((name) => [`${name}ListChanged`, true]));
		const { closed } = await client.subscribe(filter, {
			signal,
			onNotification: (/** @type {any} */ { method }) => tell(method),
			onRefresh: () => {
				for (const name of lists) tell(`notifications/${name}/list_changed`);
			},
		});
		await closed;
	}

	/** @param {string} method a notification of the server */
	changed(method) {
		// What is under way may be the list of before.
		this.#listing = undefined;
		for (const listener of [...this.#listeners]) listener(method);
	}
}
