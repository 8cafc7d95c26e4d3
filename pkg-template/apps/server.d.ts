/**
 * The server's side of MCP Apps: tools that have a View, and the resources that Views are. Works on the definitions of
 * this package's `Server`, and with every server whose `registerTool` and `registerResource` take the same.
 *
 * @packageDocumentation
 */

import type { ObjectSchema } from "../schema.js";
import type { CallerContext, RequestContext, ResourceDefinition, ResourceOutput, ToolDefinition } from "../server.js";
import type { McpUiClientCapabilities, McpUiToolMeta, UIResourceMeta } from "../types/apps.js";
import type { ClientCapabilities } from "../types.js";

export { McpError } from "../errors.js";
export type * from "../types/apps.js";

/** The extension's name in `capabilities.extensions`. */
export const APPS_EXTENSION: "io.modelcontextprotocol/ui";
/** The type of a resource that is a View. */
export const APPS_MIME_TYPE: "text/html;profile=mcp-app";

/**
 * For the server's capabilities.
 *
 * @example
 * ```js
 * new Server({ capabilities: { extensions: appsExtension }, … });
 * ```
 */
export const appsExtension: { "io.modelcontextprotocol/ui": { [setting: string]: never } };

/** What a tool says of its View. */
export interface AppToolMeta {
	/** Becomes `_meta.ui`; the View's URI also becomes `_meta["ui/resourceUri"]`, for older hosts. */
	ui?: McpUiToolMeta;
}

/** A View's HTML, or what gives it: an HTML5 document, whole. */
export type ViewSource = string | ((uri: string, ctx: RequestContext) => ResourceOutput | PromiseLike<ResourceOutput>);

/** A View as a resource. */
export interface AppResourceDefinition extends Omit<ResourceDefinition, "read" | "mimeType"> {
	/** Begins with `ui://`. */
	uri: string;
	html: ViewSource;
	/** What the View needs of its host; said in the list and at the contents. */
	ui?: UIResourceMeta;
}

/**
 * A tool with a View, for the `tools` of a server's definition. A result that has structured content but no text gets
 * its JSON as text, for those who see no View.
 *
 * @throws {@link McpError} `INVALID_DEFINITION`: the URI does not begin with `ui://`, the visibility is none, or `csp`
 * and `permissions` stand here and not at the resource
 */
export function appTool<const Schema = ObjectSchema>(
	definition: ToolDefinition<Schema> & AppToolMeta,
): ToolDefinition<any>;

/**
 * A View, for the `resources` of a server's definition.
 *
 * @throws {@link McpError} `INVALID_DEFINITION`: the URI does not begin with `ui://`
 */
export function appResource(definition: AppResourceDefinition): ResourceDefinition;

/** Registers a tool with a View at a running server; see {@link appTool}. @returns what `registerTool` gives */
export function registerAppTool<const Schema, Result>(
	server: { registerTool(name: string, config: any, handler: any): Result },
	name: string,
	config: Omit<ToolDefinition<Schema>, "name" | "handler"> & AppToolMeta,
	handler: ToolDefinition<Schema>["handler"],
): Result;

/** Registers a View at a running server; see {@link appResource}. @returns what `registerResource` gives */
export function registerAppResource<Server extends { registerResource(...values: any[]): any }>(
	server: Server,
	name: string,
	uri: string,
	config: Omit<AppResourceDefinition, "name" | "uri" | "html">,
	html: ViewSource,
): ReturnType<Server["registerResource"]>;

/**
 * What the client says of the extension: with each modern request, or in the `initialize` of a legacy session. A
 * legacy request without a session says nothing.
 *
 * @param context what a handler is given, or capabilities
 */
export function uiCapability(
	context: RequestContext | CallerContext | ClientCapabilities | undefined,
): McpUiClientCapabilities | undefined;

/**
 * Whether the client shows Views. It also fits as a tool's `visible`: the tool is then offered to nobody else.
 *
 * @param context what a handler is given, or capabilities
 */
export function supportsViews(context: RequestContext | CallerContext | ClientCapabilities | undefined): boolean;
