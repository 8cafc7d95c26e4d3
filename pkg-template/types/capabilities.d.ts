// What the peers can do, and the two ways to say so.

import type { CacheableResult, Implementation, JSONObject, RequestParams, Result } from "./base.js";

/** What a client can do. Not a closed set. */
export interface ClientCapabilities {
	/** Capabilities outside the specification. */
	experimental?: { [key: string]: JSONObject };
	/**
	 * The client has roots.
	 * @deprecated by SEP-2577 in 2026-07-28; still works.
	 */
	roots?: {
		/** Legacy: it says when they change. */
		listChanged?: boolean;
	};
	/**
	 * The client lets the server ask a model.
	 * @deprecated by SEP-2577 in 2026-07-28; still works.
	 */
	sampling?: {
		/** It honours `includeContext`. */
		context?: JSONObject;
		/** It honours `tools` and `toolChoice`. */
		tools?: JSONObject;
	};
	/** The client lets the server ask the person; an empty object means forms. Since 2025-06-18. */
	elicitation?: {
		form?: JSONObject;
		/** Since 2025-11-25. */
		url?: JSONObject;
	};
	/** 2025-11-25 only: the client runs requests as tasks. */
	tasks?: {
		list?: JSONObject;
		cancel?: JSONObject;
		requests?: { sampling?: { createMessage?: JSONObject }; elicitation?: { create?: JSONObject } };
	};
	/** Extensions by identifier, with their settings. */
	extensions?: { [key: string]: JSONObject };
}

/** What a server can do. Not a closed set. */
export interface ServerCapabilities {
	/** Capabilities outside the specification. */
	experimental?: { [key: string]: JSONObject };
	/**
	 * The server sends log messages.
	 * @deprecated by SEP-2577 in 2026-07-28; still works.
	 */
	logging?: JSONObject;
	/** The server completes arguments. Since 2025-03-26. */
	completions?: JSONObject;
	/** The server has prompts. */
	prompts?: {
		/** It says when their list changes. */
		listChanged?: boolean;
	};
	/** The server has resources. */
	resources?: {
		/** It says when a single one changes. */
		subscribe?: boolean;
		/** It says when their list changes. */
		listChanged?: boolean;
	};
	/** The server has tools. */
	tools?: {
		/** It says when their list changes. */
		listChanged?: boolean;
	};
	/** 2025-11-25 only: the server runs requests as tasks. */
	tasks?: {
		list?: JSONObject;
		cancel?: JSONObject;
		requests?: { tools?: { call?: JSONObject } };
	};
	/** Extensions by identifier, with their settings. */
	extensions?: { [key: string]: JSONObject };
}

/** Parameters of `initialize`, the legacy handshake. */
export interface InitializeRequestParams extends RequestParams {
	/** The newest version that the client wants. */
	protocolVersion: string;
	capabilities: ClientCapabilities;
	clientInfo: Implementation;
}

/** The result of `initialize`. */
export interface InitializeResult extends Result {
	/** The version that holds from here on. */
	protocolVersion: string;
	capabilities: ServerCapabilities;
	serverInfo: Implementation;
	/** How to use the server, for a model. */
	instructions?: string;
}

/** The result of `server/discover`, the modern way to learn about a server. */
export interface DiscoverResult extends CacheableResult {
	/** Every version that the server speaks. */
	supportedVersions: string[];
	capabilities: ServerCapabilities;
	/** How to use the server, for a model. */
	instructions?: string;
}
