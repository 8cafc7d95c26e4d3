// Handlers' arguments follow the schemas of libraries.

import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import { type PromptDefinition, Server, type StandardSchema, type ToolDefinition } from "mcp-duet/server";
import * as v from "valibot";
import { z } from "zod";

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const is = <T extends true>(proof?: T) => proof;

const server = new Server({
	name: "a",
	version: "1",
	tools: [
		{
			name: "zod",
			inputSchema: z.object({
				city: z.string(),
				days: z.coerce.number().default(1),
				"x-y": z.enum(["a", "b"]).optional(),
			}),
			outputSchema: z.object({ a: z.string() }),
			handler: (args, ctx) => {
				is<Same<typeof args, { city: string; days: number; "x-y"?: "a" | "b" | undefined }>>();
				return { structuredContent: { a: args.city + ctx.era } };
			},
		},
		{
			name: "valibot",
			inputSchema: toStandardJsonSchema(v.object({ city: v.string(), days: v.optional(v.number()) })),
			handler: (args) => {
				is<Same<typeof args, { city: string; days?: number | undefined }>>();
				return args.city;
			},
		},
		{
			name: "arktype",
			inputSchema: type({ city: "string", "days?": "string.numeric.parse" }),
			handler: (args) => {
				is<Same<typeof args, { city: string; days?: number }>>();
				return args.city;
			},
		},
		{
			name: "plain",
			inputSchema: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
			handler: ({ n }) => {
				is<Same<typeof n, number>>();
				return n.toFixed();
			},
		},
	],
	prompts: [
		{
			name: "zod",
			argsSchema: z.object({ days: z.coerce.number() }),
			get: (args) => {
				is<Same<typeof args, { days: number }>>();
				return "";
			},
		},
		{
			name: "plain",
			get: (args) => {
				is<Same<typeof args, { [name: string]: string }>>();
				return "";
			},
		},
		{
			name: "json",
			argsSchema: { type: "object", properties: { tone: { enum: ["dry", "wet"] } }, required: ["tone"] },
			get: ({ tone }) => {
				is<Same<typeof tone, "dry" | "wet">>();
				return "";
			},
		},
	],
});

const tool = server.registerTool("late", { inputSchema: z.object({ a: z.number() }) }, ({ a }) => a.toFixed());
tool.update({ description: "later", handler: ({ a }) => `${a}` });
const plain = server.registerTool(
	"plain-late",
	{ inputSchema: { type: "object", properties: { a: { type: "boolean" } }, required: ["a"] } },
	({ a }) => {
		is<Same<typeof a, boolean>>();
		return "";
	},
);
plain.update({ title: "x", scopes: ["a"], visible: (ctx) => ctx.authInfo?.ok });
server.registerPrompt("late", { argsSchema: type({ a: "string" }) }, ({ a }) => a.trim());
server.registerPrompt("late-plain", { arguments: [{ name: "a" }] }, ({ a }) => a ?? "");
server.tool("zod")?.disable();

// @ts-expect-error a tool has a schema
server.registerTool("none", { description: "" }, () => "");
// @ts-expect-error of an object
server.registerTool("none", { inputSchema: { type: "string" } }, () => "");
// @ts-expect-error not in the schema
server.registerTool("none", { inputSchema: z.object({ a: z.number() }) }, ({ b }) => b);

export const schema: StandardSchema<{ a: string }, { a: number }> = z.object({ a: z.string().transform(Number) });
export const definition: ToolDefinition<typeof schema> = {
	name: "t",
	inputSchema: schema,
	handler: ({ a }) => a.toFixed(),
};
export const prompt: PromptDefinition = { name: "p", get: () => "" };

// Nothing is sent while a caller is looked at; a method of the server's own may.
plain.update({
	// @ts-expect-error
	visible: (ctx) => ctx.log("info", 1) === undefined,
});
new Server({
	name: "own",
	version: "1",
	methods: { "a/b": (_params, ctx) => ({ sent: ctx.sendProgress(1) }) },
	resourceTemplates: [
		{
			name: "t",
			uriTemplate: "a://{b}",
			read: () => "",
			list: (ctx) => {
				// @ts-expect-error
				ctx.sendProgress(1);
				return [];
			},
		},
	],
});
