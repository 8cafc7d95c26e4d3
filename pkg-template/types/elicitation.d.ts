// Asking the person (2026-07-28, client/elicitation).

import type { RequestParams } from "./base.js";
import type { TaskMetadata } from "./tasks.js";

/** Asks the person to fill in a form. Since 2025-06-18. */
export interface ElicitRequestFormParams extends RequestParams {
	/** @defaultValue "form" */
	mode?: "form";
	/** What is asked, for the person. */
	message: string;
	/** The fields: a flat object of simple types. */
	requestedSchema: {
		$schema?: string;
		type: "object";
		properties: { [key: string]: PrimitiveSchemaDefinition };
		required?: string[];
	};
	/** 2025-11-25 only. */
	task?: TaskMetadata;
}

/** Asks the person to visit a URL. Since 2025-11-25. */
export interface ElicitRequestURLParams extends RequestParams {
	mode: "url";
	/** Why, for the person. */
	message: string;
	/** Only `http:` and `https:` are to be opened, and only when the person agrees. */
	url: string;
	/** 2025-11-25 only, and required there. */
	elicitationId?: string;
	/** 2025-11-25 only. */
	task?: TaskMetadata;
}

/** Parameters of `elicitation/create`. */
export type ElicitRequestParams = ElicitRequestFormParams | ElicitRequestURLParams;

/** What the person did. */
export interface ElicitResult {
	/** `"accept"`: filled in or agreed; `"decline"`: said no; `"cancel"`: went away. */
	action: "accept" | "decline" | "cancel";
	/** The fields, after `accept` of a form. */
	content?: { [key: string]: string | number | boolean | string[] };
	[key: string]: unknown;
}

/** One field of a form. */
export type PrimitiveSchemaDefinition = StringSchema | NumberSchema | BooleanSchema | EnumSchema;

/** A text. */
export interface StringSchema {
	type: "string";
	title?: string;
	description?: string;
	minLength?: number;
	maxLength?: number;
	format?: "email" | "uri" | "date" | "date-time";
	/** Since 2025-11-25. */
	default?: string;
}

/** A number. */
export interface NumberSchema {
	type: "number" | "integer";
	title?: string;
	description?: string;
	minimum?: number;
	maximum?: number;
	/** Since 2025-11-25. */
	default?: number;
}

/** Yes or no. */
export interface BooleanSchema {
	type: "boolean";
	title?: string;
	description?: string;
	default?: boolean;
}

/** One of several values. */
export interface UntitledSingleSelectEnumSchema {
	type: "string";
	title?: string;
	description?: string;
	enum: string[];
	default?: string;
}

/** One of several values that have titles. Since 2025-11-25. */
export interface TitledSingleSelectEnumSchema {
	type: "string";
	title?: string;
	description?: string;
	oneOf: { const: string; title: string }[];
	default?: string;
}

/** One choice. */
export type SingleSelectEnumSchema = UntitledSingleSelectEnumSchema | TitledSingleSelectEnumSchema;

/** Some of several values. Since 2025-11-25. */
export interface UntitledMultiSelectEnumSchema {
	type: "array";
	title?: string;
	description?: string;
	minItems?: number;
	maxItems?: number;
	items: { type: "string"; enum: string[] };
	default?: string[];
}

/** Some of several values that have titles. Since 2025-11-25. */
export interface TitledMultiSelectEnumSchema {
	type: "array";
	title?: string;
	description?: string;
	minItems?: number;
	maxItems?: number;
	items: { anyOf: { const: string; title: string }[] };
	default?: string[];
}

/** Many choices. */
export type MultiSelectEnumSchema = UntitledMultiSelectEnumSchema | TitledMultiSelectEnumSchema;

/**
 * One of several values, with titles in the way of 2025-06-18.
 * @deprecated by SEP-1330 in 2025-11-25: use {@link TitledSingleSelectEnumSchema}.
 */
export interface LegacyTitledEnumSchema {
	type: "string";
	title?: string;
	description?: string;
	enum: string[];
	enumNames?: string[];
	default?: string;
}

/** A choice. */
export type EnumSchema = SingleSelectEnumSchema | MultiSelectEnumSchema | LegacyTitledEnumSchema;
