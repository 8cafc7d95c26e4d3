// From a tool's schema to the type of its handler's arguments.

/** A JSON Schema for an object, as `inputSchema` takes it. */
export interface ObjectSchema {
	readonly type: "object";
	readonly properties?: { readonly [name: string]: unknown };
	readonly required?: readonly string[];
	readonly [keyword: string]: unknown;
}

/**
 * A schema of a library that follows [Standard Schema](https://standardschema.dev/) and can say its JSON Schema, as
 * zod 4.2, arktype 2.1.28 and valibot's `toStandardJsonSchema` do. It validates itself, and a handler gets its output.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
	readonly "~standard": {
		readonly version: 1;
		readonly vendor: string;
		readonly validate: (value: unknown, ...rest: any[]) => StandardResult<Output> | Promise<StandardResult<Output>>;
		readonly types?: { readonly input: Input; readonly output: Output } | undefined;
		/** Without it the schema is refused: whoever lists a tool has to know its JSON Schema. */
		readonly jsonSchema?: {
			readonly input: (options: any) => Record<string, unknown>;
			readonly output: (options: any) => Record<string, unknown>;
		};
	};
}

/** What a schema's validation gives. */
export type StandardResult<Output> =
	| { readonly value: Output; readonly issues?: undefined }
	| { readonly issues: readonly { readonly message: string; readonly path?: readonly unknown[] | undefined }[] };

/** Arguments about which nothing is known. */
export interface AnyArguments {
	[name: string]: any;
}

/** The arguments that a handler gets under this schema. */
export type ArgumentsOf<Schema> = Schema extends { readonly "~standard": { readonly types?: infer Types } }
	? NonNullable<Types> extends { readonly output: infer Output }
		? Output
		: AnyArguments
	: Schema extends { readonly type: "object" }
		? FromSchema<Schema>
		: AnyArguments;

/** The arguments that a prompt gets: texts, unless a schema says more. */
export type PromptArgumentsOf<Schema> = Schema extends { readonly "~standard": unknown } | { readonly type: "object" }
	? ArgumentsOf<Schema>
	: { [name: string]: string };

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
