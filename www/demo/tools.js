// The demo server's tools: one of each kind that a client has to cope with.

import { appTool } from "mcp-duet/apps/server";

const SKIES = ["clear sky", "light clouds", "overcast", "drizzle", "rain", "thunderstorms", "fog", "snow"];

/**
 * The same city always has the same weather: nothing here is measured.
 * @param {string} city
 * @param {number} day
 */
export function weatherOf(city, day) {
	let seed = 2_166_136_261;
	for (const byte of new TextEncoder().encode(`${city.normalize("NFC")}/${day}`)) {
		seed = Math.imul(seed ^ byte, 16_777_619) >>> 0;
	}
	return { day, sky: SKIES[seed % SKIES.length], celsius: ((seed >>> 8) % 41) - 8 };
}

/** @param {AbortSignal | undefined} signal @param {number} ms */
function pause(ms, signal) {
	return new Promise((resolve, reject) => {
		signal?.throwIfAborted();
		const timer = setTimeout(resolve, ms);
		signal?.addEventListener(
			"abort",
			() => {
				clearTimeout(timer);
				reject(signal.reason);
			},
			{ once: true },
		);
	});
}

/** @param {string} text */
const escapeXml = (text) => text.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`);

/** @param {string} text */
const base64 = (text) => btoa(String.fromCharCode(...new TextEncoder().encode(text)));

/** @param {{ label: string, value: number }[]} bars */
function barsAsSvg(bars) {
	const highest = Math.max(1, ...bars.map(({ value }) => value));
	const rows = bars.map(({ label, value }, row) => {
		const y = row * 34 + 8;
		const width = Math.max(2, (Math.max(0, value) / highest) * 260);
		return `<text x="108" y="${y + 16}" text-anchor="end">${escapeXml(label)}</text>
<rect x="120" y="${y}" width="${width}" height="22" rx="5" fill="#2f7d6d"/>
<text x="${128 + width}" y="${y + 16}">${value}</text>`;
	});
	const height = bars.length * 34 + 12;
	return `<svg xmlns="http://www.w3.org/2000/svg" width="440" height="${height}" viewBox="0 0 440 ${height}" font-family="sans-serif" font-size="14"><rect width="440" height="${height}" rx="10" fill="#f4f1ea"/>${rows.join("")}</svg>`;
}

/** @type {import("mcp-duet").ToolDefinition[]} */
export const tools = [
	appTool({
		name: "get_weather",
		ui: { resourceUri: "ui://duet-demo/weather.html" },
		title: "Weather",
		description: "The weather in a city for the next days, as reliable as any made-up forecast.",
		inputSchema: {
			type: "object",
			properties: {
				city: {
					type: "string",
					minLength: 1,
					maxLength: 80,
					description: "Name of the city, in any script",
					examples: ["北京"],
					"x-mcp-header": "City",
				},
				days: { type: "integer", minimum: 1, maximum: 7, default: 1, description: "How many days" },
				units: {
					type: "string",
					enum: ["celsius", "fahrenheit"],
					default: "celsius",
					description: "Unit of the temperatures",
				},
			},
			required: ["city"],
		},
		outputSchema: {
			type: "object",
			properties: {
				city: { type: "string" },
				unit: { type: "string" },
				days: {
					type: "array",
					items: {
						type: "object",
						properties: { day: { type: "integer" }, sky: { type: "string" }, temperature: { type: "number" } },
						required: ["day", "sky", "temperature"],
					},
				},
			},
			required: ["city", "unit", "days"],
		},
		annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
		/** @param {{ city: string, days?: number, units?: string }} args */
		handler({ city, days = 1, units = "celsius" }) {
			const list = Array.from({ length: days }, (_, day) => {
				const { sky, celsius } = weatherOf(city, day);
				return { day, sky, temperature: units === "celsius" ? celsius : Math.round(celsius * 1.8 + 32) };
			});
			const unit = units === "celsius" ? "°C" : "°F";
			const lines = list.map(
				({ day, sky, temperature }) => `${day === 0 ? "Today" : `In ${day} d`}: ${sky}, ${temperature} ${unit}`,
			);
			return {
				content: [{ type: "text", text: `${city}\n${lines.join("\n")}` }],
				structuredContent: { city, unit, days: list },
			};
		},
	}),
	{
		name: "greet_北京",
		title: "Greeting from 北京",
		description: "Greets a person. Its name shows that names outside ASCII arrive whole.",
		inputSchema: {
			type: "object",
			properties: { person: { type: "string", description: "Who is greeted" } },
			required: ["person"],
		},
		/** @param {{ person: string }} args */
		handler: ({ person }) => `你好，${person}！欢迎来到北京。`,
	},
	{
		name: "measure_text",
		title: "Measure a text",
		description: "Counts characters, words, lines and UTF-8 bytes.",
		inputSchema: {
			type: "object",
			properties: {
				text: { type: "string", maxLength: 100_000, description: "The text to measure" },
				trim: { type: "boolean", description: "Leave out white space at both ends" },
			},
			required: ["text"],
		},
		annotations: { readOnlyHint: true },
		/** @param {{ text: string, trim?: boolean }} args */
		handler({ text, trim = false }) {
			const measured = trim ? text.trim() : text;
			const words = measured.split(/\s+/u).filter(Boolean).length;
			const bytes = new TextEncoder().encode(measured).length;
			return `${[...measured].length} characters, ${words} words, ${measured.split("\n").length} lines, ${bytes} bytes`;
		},
	},
	{
		name: "count_down",
		title: "Count down",
		description: "Counts down and reports progress on the way; it can be cancelled.",
		inputSchema: {
			type: "object",
			properties: {
				from: { type: "integer", minimum: 1, maximum: 50, default: 5, description: "Where to start" },
				pauseMs: {
					type: "integer",
					minimum: 0,
					maximum: 2_000,
					default: 300,
					description: "Pause before each step, in milliseconds",
				},
			},
		},
		/**
		 * @param {{ from?: number, pauseMs?: number }} args
		 * @param {any} ctx
		 */
		async handler({ from = 5, pauseMs = 300 }, ctx) {
			for (let step = 1; step <= from; step += 1) {
				await pause(pauseMs, ctx.signal);
				ctx.sendProgress(step, from, step === from ? "lift-off" : `${from - step} to go`);
			}
			ctx.log("info", { countedFrom: from });
			return `Counted down from ${from}.`;
		},
	},
	{
		name: "draw_bars",
		title: "Draw a bar chart",
		description: "Draws numbers as bars: an image as result, and a list of objects as argument.",
		inputSchema: {
			type: "object",
			properties: {
				bars: {
					type: "array",
					minItems: 1,
					maxItems: 12,
					description: "What to draw",
					items: {
						type: "object",
						properties: { label: { type: "string", maxLength: 20 }, value: { type: "number" } },
						required: ["label", "value"],
					},
					examples: [
						[
							{ label: "北京", value: 21.9 },
							{ label: "Lagos", value: 16.5 },
							{ label: "Reykjavík", value: 0.1 },
						],
					],
				},
			},
			required: ["bars"],
		},
		annotations: { readOnlyHint: true },
		/** @param {{ bars: { label: string, value: number }[] }} args */
		handler: ({ bars }) => [
			{ type: "text", text: `${bars.length} bars` },
			{ type: "image", mimeType: "image/svg+xml", data: base64(barsAsSvg(bars)) },
		],
	},
	{
		name: "divide",
		title: "Divide",
		description: "Divides two numbers, and fails when the second is zero.",
		inputSchema: {
			type: "object",
			properties: {
				dividend: { type: "number", default: 1, description: "What is divided" },
				divisor: { type: "number", default: 0, description: "By what" },
			},
			required: ["dividend", "divisor"],
		},
		annotations: { readOnlyHint: true },
		/** @param {{ dividend: number, divisor: number }} args */
		handler({ dividend, divisor }) {
			if (divisor === 0) throw new Error(`Cannot divide ${dividend} by zero`);
			return String(dividend / divisor);
		},
	},
];
