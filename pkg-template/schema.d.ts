// From a tool's schema to the type of its handler's arguments.

/** A JSON Schema for an object, as `inputSchema` takes it. */
export interface ObjectSchema {
	readonly type: "object";
	readonly properties?: { readonly [name: string]: unknown };
	readonly required?: readonly string[];
	readonly [keyword: string]: unknown;
}

/** Arguments about which nothing is known. */
export interface AnyArguments {
	[name: string]: any;
}

/** The arguments that a handler gets under this schema. */
export type ArgumentsOf<Schema> = Schema extends { readonly type: "object" } ? FromSchema<Schema> : AnyArguments;

/**
 * The type that a JSON Schema written as a literal describes: `type`, `properties`,
 * `required`, `items`, `enum`, `const`, `anyOf`, `oneOf`. Other keywords do not narrow it.
 */
export type FromSchema<Schema> = Schema extends { readonly const: infer Value }
	? Value
	: Schema extends { readonly enum: readonly (infer Value)[] }
		? Value
		: Schema extends { readonly anyOf: readonly (infer Branch)[] }
			? FromSchema<Branch>
			: Schema extends { readonly oneOf: readonly (infer Branch)[] }
				? FromSchema<Branch>
				: Schema extends { readonly type: readonly (infer Type)[] }
					? FromType<Type, Schema>
					: Schema extends { readonly type: infer Type }
						? FromType<Type, Schema>
						: unknown;

type FromType<Type, Schema> = Type extends "string"
	? string
	: Type extends "number" | "integer"
		? number
		: Type extends "boolean"
			? boolean
			: Type extends "null"
				? null
				: Type extends "array"
					? Schema extends { readonly items: infer Items }
						? FromSchema<Items>[]
						: unknown[]
					: Type extends "object"
						? FromProperties<Schema>
						: unknown;

type FromProperties<Schema> = Schema extends { readonly properties: infer Properties }
	? string extends keyof Properties
		? AnyArguments
		: Flat<
				{
					-readonly [Name in keyof Properties as Name extends Required<Schema> ? Name : never]: FromSchema<
						Properties[Name]
					>;
				} & {
					-readonly [Name in keyof Properties as Name extends Required<Schema> ? never : Name]?: FromSchema<
						Properties[Name]
					>;
				}
			>
	: AnyArguments;

type Required<Schema> = Schema extends { readonly required: readonly (infer Name)[] } ? Name : never;

type Flat<Type> = { [Name in keyof Type]: Type[Name] };
