// The demo server's resources and prompts.

import { appResource } from "mcp-duet/apps/server";
import { weatherOf } from "./tools.js";
import { weatherView } from "./weather-view.js";

/** Two overlapping discs, a PNG of 64 by 64. */
const DISCS =
	"iVBORw0KGgoAAAANSUhEUgAAAEAAAABAAgMAAADXB5lNAAAADFBMVEX08eovfW3ZjjIdPzpxepNsAAAAxElEQVR42sXTuw3DIBAGYLDkJr2X8BQewUUQZUYxo1BaNxojuAgJ3B0cSFYiWUro+HT38xAo9b+hjVkbMO+xtAVtyZTAdB2yRyPUnhHhfg6YKVJpXlM/gmZYL4ONh28gxgOcAJvAC9gSgICYwRWwCL7AA2EvZ0kQJGwIUCASOL6xBMAwIjwlWAZel7ZBoBBChSkDVNB41goqQZCgLRUwqAHgMigG9z3MBOUV3XC+n8PQrcqprsLcZlKPl3+m68gl/nd/+AUCLf/oqChkuAAAAABJRU5ErkJggg==";

const GUIDE = `# The demo server

* **Tools** answer at once, in steps, with a picture, or with an error.
* **Resources** are text, bytes, or made from a template.
* **Prompts** give messages to start a conversation with.

北京 is everywhere, so that text outside ASCII is never an afterthought.
`;

/** @param {string} city */
const forecast = (city) =>
	Array.from({ length: 3 }, (_, day) => weatherOf(city, day))
		.map(({ day, sky, celsius }) => `day ${day}: ${sky}, ${celsius} °C`)
		.join("\n");

export const resources = [
	{
		uri: "demo://guide",
		name: "guide",
		title: "Guide",
		description: "What this server has to offer",
		mimeType: "text/markdown",
		read: () => GUIDE,
	},
	{
		uri: "demo://cities/%E5%8C%97%E4%BA%AC",
		name: "北京",
		title: "北京 (Beijing)",
		description: "A text that is not ASCII",
		mimeType: "text/plain",
		read: () => "北京是中华人民共和国的首都。\nBeijing is the capital of China. 🏯\n",
	},
	{
		uri: "demo://discs.png",
		name: "discs.png",
		title: "Two discs",
		description: "A picture, as bytes",
		mimeType: "image/png",
		read: () => Uint8Array.from(atob(DISCS), (char) => char.charCodeAt(0)),
	},
	appResource({
		uri: "ui://duet-demo/weather.html",
		name: "weather view",
		title: "View of the weather",
		description: "The interface that hosts of MCP Apps show for get_weather",
		html: weatherView,
		ui: { prefersBorder: true },
	}),
];

export const resourceTemplates = [
	{
		uriTemplate: "demo://forecast/{city}",
		name: "forecast",
		title: "Forecast",
		description: "Three days of weather in any city",
		mimeType: "text/plain",
		/** @param {string} _uri @param {{ city: string }} variables */
		read: (_uri, { city }) => `${city}\n${forecast(city)}\n`,
	},
];

const CITIES = ["北京", "Berlin", "Bogotá", "Kraków", "Lagos", "Lima", "Reykjavík", "São Paulo", "上海"];

/**
 * Proposes cities for the arguments that are one.
 * @param {{ argument: { name: string, value: string } }} params
 */
export const complete = ({ argument: { name, value } }) =>
	name === "city" ? CITIES.filter((city) => city.toLowerCase().startsWith(value.toLowerCase())) : [];

/** @type {import("mcp-duet").PromptDefinition[]} */
export const prompts = [
	{
		name: "plan_trip",
		title: "Plan a trip",
		description: "Asks for a plan for some days in a city",
		arguments: [
			{ name: "city", description: "Where to go", required: true },
			{ name: "days", description: "How long to stay" },
		],
		/** @param {{ city: string, days?: string }} args */
		get: ({ city, days = "2" }) => [
			{
				role: "user",
				content: { type: "text", text: `Plan ${days} days in ${city}. The forecast says:\n${forecast(city)}` },
			},
		],
	},
];
