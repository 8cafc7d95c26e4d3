// The extension MCP Apps (io.modelcontextprotocol/ui, 2026-01-26 and what its draft adds).

import type { RequestId } from "./base.js";
import type { Tool } from "./server-features.js";

/** How a View can be shown. */
export type McpUiDisplayMode = "inline" | "fullscreen" | "pip";
/** The host's appearance. */
export type McpUiTheme = "light" | "dark";
/** Who may see or call a tool. */
export type McpUiToolVisibility = "model" | "app";

/** Domains that a View may reach beyond its own; what is not named is blocked. */
export interface McpUiResourceCsp {
	/** For `fetch`, WebSocket and the like. */
	connectDomains?: string[];
	/** For scripts, styles, images, fonts and media; `https://*.example.com` is possible. */
	resourceDomains?: string[];
	/** For frames within the View; none unless named. */
	frameDomains?: string[];
	/** For `<base>`; its own unless named. */
	baseUriDomains?: string[];
}

/** What a View may use if the host and its browser grant it. */
export interface McpUiResourcePermissions {
	camera?: object;
	microphone?: object;
	geolocation?: object;
	clipboardWrite?: object;
}

/** `_meta.ui` of a View's resource, in `resources/list` and at its contents. */
export interface UIResourceMeta {
	csp?: McpUiResourceCsp;
	permissions?: McpUiResourcePermissions;
	/** An origin of its own, in the format that the host prescribes. */
	domain?: string;
	/** Whether it wants a border around it; the host decides where it is not said. */
	prefersBorder?: boolean;
}

/** `_meta.ui` of a tool. */
export interface McpUiToolMeta {
	/** The View that shows the tool's calls: begins with `ui://`. */
	resourceUri?: string;
	/** @defaultValue ["model", "app"] */
	visibility?: McpUiToolVisibility[];
}

/** The settings of the extension in a client's capabilities. */
export interface McpUiClientCapabilities {
	/** Contains `text/html;profile=mcp-app` where Views are shown. */
	mimeTypes?: string[];
}

/** What a View can do. */
export interface McpUiAppCapabilities {
	experimental?: { [name: string]: object };
	/** It provides tools to the model. */
	tools?: { listChanged?: boolean };
	/** Every mode in which it can be shown. */
	availableDisplayModes?: McpUiDisplayMode[];
}

/** Kinds of content that a host takes. */
export interface McpUiSupportedContentBlockModalities {
	text?: object;
	image?: object;
	audio?: object;
	resource?: object;
	resourceLink?: object;
	structuredContent?: object;
}

/** What a host can do for a View. */
export interface McpUiHostCapabilities {
	experimental?: { [name: string]: object };
	openLinks?: object;
	downloadFile?: object;
	/** Calls to the server's tools are forwarded. */
	serverTools?: { listChanged?: boolean };
	/** Reads of the server's resources are forwarded. */
	serverResources?: { listChanged?: boolean };
	logging?: object;
	/** What of the resource's wishes was granted. */
	sandbox?: { permissions?: McpUiResourcePermissions; csp?: McpUiResourceCsp };
	updateModelContext?: McpUiSupportedContentBlockModalities;
	message?: McpUiSupportedContentBlockModalities;
	sampling?: { tools?: object };
}

/** Where and how a View is shown. */
export interface McpUiHostContext {
	/** The call that the View stands for. */
	toolInfo?: { id?: RequestId; tool: Tool };
	theme?: McpUiTheme;
	styles?: {
		/** CSS variables, each of which may be missing. */
		variables?: { [name: `--${string}`]: string | undefined };
		css?: {
			/** `@font-face` and `@import` rules. */
			fonts?: string;
		};
	};
	displayMode?: McpUiDisplayMode;
	availableDisplayModes?: McpUiDisplayMode[];
	/** Per axis: fixed, or at most, or without bound. */
	containerDimensions?: { height?: number; maxHeight?: number; width?: number; maxWidth?: number };
	/** BCP 47. */
	locale?: string;
	/** IANA. */
	timeZone?: string;
	userAgent?: string;
	platform?: "web" | "desktop" | "mobile";
	deviceCapabilities?: { touch?: boolean; hover?: boolean };
	/** In CSS pixels. */
	safeAreaInsets?: { top: number; right: number; bottom: number; left: number };
	[name: string]: unknown;
}

/** The arguments of the tool call, whole or as far as they have been written. */
export interface McpUiToolInput {
	arguments?: { [name: string]: unknown };
}

/** There will be no result. */
export interface McpUiToolCancelled {
	reason?: string;
}
