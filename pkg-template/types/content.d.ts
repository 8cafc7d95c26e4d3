// Pieces of content in results, prompts and sampling.

import type { Annotations, BaseMetadata, Icons, MetaObject } from "./base.js";

/** Text. */
export interface TextContent {
	type: "text";
	text: string;
	annotations?: Annotations;
	_meta?: MetaObject;
}

/** An image. */
export interface ImageContent {
	type: "image";
	/** The bytes as base64. */
	data: string;
	mimeType: string;
	annotations?: Annotations;
	_meta?: MetaObject;
}

/** A sound. Since 2025-03-26. */
export interface AudioContent {
	type: "audio";
	/** The bytes as base64. */
	data: string;
	mimeType: string;
	annotations?: Annotations;
	_meta?: MetaObject;
}

/** Something that can be read with `resources/read`. */
export interface Resource extends BaseMetadata, Icons {
	uri: string;
	description?: string;
	mimeType?: string;
	annotations?: Annotations;
	/** The size in bytes, before any encoding. */
	size?: number;
	_meta?: MetaObject;
}

/** A resource named in content instead of being put there; it need not be in `resources/list`. Since 2025-06-18. */
export interface ResourceLink extends Resource {
	type: "resource_link";
}

/** What the contents of a resource have in common. */
export interface ResourceContents {
	uri: string;
	mimeType?: string;
	_meta?: MetaObject;
}

/** The contents of a resource that is text. */
export interface TextResourceContents extends ResourceContents {
	text: string;
}

/** The contents of a resource that is not text. */
export interface BlobResourceContents extends ResourceContents {
	/** The bytes as base64. */
	blob: string;
}

/** A resource put into content as a whole. */
export interface EmbeddedResource {
	type: "resource";
	resource: TextResourceContents | BlobResourceContents;
	annotations?: Annotations;
	_meta?: MetaObject;
}

/**
 * A piece of content in a tool's result or a prompt. A peer may send kinds that are not
 * listed here: keep a `default` branch.
 */
export type ContentBlock = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource;

/**
 * A model asks for a tool, in sampling. Since 2025-11-25.
 * @deprecated by SEP-2577 in 2026-07-28; still works.
 */
export interface ToolUseContent {
	type: "tool_use";
	/** Ties the tool's result to this use. */
	id: string;
	name: string;
	input: { [key: string]: unknown };
	_meta?: MetaObject;
}

/**
 * What the tool gave, in sampling. Since 2025-11-25.
 * @deprecated by SEP-2577 in 2026-07-28; still works.
 */
export interface ToolResultContent {
	type: "tool_result";
	/** The `id` of the {@link ToolUseContent}. */
	toolUseId: string;
	content: ContentBlock[];
	/** Any JSON value; in the legacy era an object. */
	structuredContent?: unknown;
	/** @defaultValue false */
	isError?: boolean;
	_meta?: MetaObject;
}

/**
 * A piece of content in sampling.
 * @deprecated by SEP-2577 in 2026-07-28; still works.
 */
export type SamplingMessageContentBlock =
	| TextContent
	| ImageContent
	| AudioContent
	| ToolUseContent
	| ToolResultContent;
