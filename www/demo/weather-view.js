// The View of get_weather: the page that a host shows for a call of the tool. A server gives it out whole, for
// nothing else can be loaded where it runs.

import { viewScript } from "mcp-duet/apps/view-text";

const STYLE = `
:root { color-scheme: light dark; font: 15px/1.4 var(--font-sans, system-ui, sans-serif); }
body { margin: 0; padding: 16px; color: var(--color-text-primary, light-dark(#1f2a26, #e8ede9)); background: var(--color-background-primary, light-dark(#fbfaf6, #17201c)); }
header { display: flex; flex-wrap: wrap; gap: 8px 16px; align-items: baseline; }
h1 { margin: 0; font-size: 20px; flex: 1; overflow-wrap: anywhere; }
ol { display: flex; gap: 8px; margin: 16px 0; padding: 0; list-style: none; overflow-x: auto; }
li { flex: 1 0 84px; display: flex; flex-direction: column; align-items: center; padding: 12px 8px; border-radius: var(--border-radius-md, 10px); text-align: center; background: var(--color-background-secondary, light-dark(#efece3, #222d28)); }
li b { font-size: 22px; }
li i { width: 28px; margin: auto 0 4px; border-radius: 6px; }
small, #status { color: var(--color-text-secondary, light-dark(#5d6a64, #a5b1ab)); }
nav, .row { display: flex; flex-wrap: wrap; gap: 8px; }
input { flex: 1 1 140px; min-width: 0; }
input, button { font: inherit; padding: 6px 12px; color: inherit; background: transparent; border: 1px solid var(--color-border-primary, light-dark(#c9c4b5, #3d4a44)); border-radius: var(--border-radius-sm, 7px); }
button { cursor: pointer; }
#status { min-height: 1.4em; margin: 12px 0 0; }
`;

const BODY = `
<header><h1 id="city">Weather</h1><nav><button id="units" type="button">°F</button><button id="larger" type="button" hidden>Larger</button></nav></header>
<ol id="days" aria-label="Forecast"></ol>
<div class="row"><input id="other" aria-label="Another city" placeholder="Another city" maxlength="80"><button id="show" type="button">Show</button><button id="tell" type="button">Tell the model</button></div>
<p id="status" role="status">Waiting for the weather …</p>`;

/** Runs in the page, as text: it knows nothing of this module. */
function start() {
	const { View, followHostStyles } = globalThis.mcpDuetView;
	const byId = (/** @type {string} */ id) => /** @type {any} */ (document.getElementById(id));
	const app = new View({
		appInfo: { name: "duet-demo-weather", version: "1.0.0" },
		capabilities: { availableDisplayModes: ["inline", "fullscreen"] },
	});
	let shown = { city: "", unit: "°C", days: /** @type {any[]} */ ([]) };

	/** @param {string} text */
	const say = (text) => {
		byId("status").textContent = text;
	};

	/** @param {any} result */
	const show = ({ isError, structuredContent, content }) => {
		if (isError || !structuredContent) return say(content[0]?.text ?? "There is no weather.");
		shown = structuredContent;
		byId("city").textContent = shown.city;
		byId("units").textContent = shown.unit === "°C" ? "°F" : "°C";
		byId("days").replaceChildren(
			...shown.days.map(({ day, sky, temperature }) => {
				const item = document.createElement("li");
				const when = document.createElement("small");
				when.textContent = day === 0 ? "Today" : `In ${day} d`;
				const bar = document.createElement("i");
				const celsius = shown.unit === "°C" ? temperature : (temperature - 32) / 1.8;
				bar.style.height = `${16 + (celsius + 8) * 1.2}px`;
				bar.style.background = `hsl(${Math.round(210 - (celsius + 8) * 4.5)} 60% 50%)`;
				const degrees = document.createElement("b");
				degrees.textContent = `${temperature} ${shown.unit}`;
				item.append(when, bar, degrees, sky);
				return item;
			}),
		);
		say(`The weather in ${shown.city}, made up.`);
	};

	/** @param {any} args */
	const ask = async (args) => {
		say(`Asking for ${args.city} …`);
		show(await app.callServerTool("get_weather", args));
	};

	/** Shows what comes of it. @param {() => unknown} run */
	const attempt = async (run) => {
		try {
			await run();
		} catch (error) {
			say(/** @type {Error} */ (error).message);
		}
	};

	const units = () => (shown.unit === "°C" ? "celsius" : "fahrenheit");
	byId("units").onclick = () =>
		attempt(() =>
			ask({ city: shown.city, days: shown.days.length || 1, units: units() === "celsius" ? "fahrenheit" : "celsius" }),
		);
	// Not a form: not every sandbox lets one be submitted.
	const another = () => {
		const city = byId("other").value.trim();
		if (city) attempt(() => ask({ city, days: shown.days.length || 3, units: units() }));
	};
	byId("show").onclick = another;
	byId("other").onkeydown = (/** @type {KeyboardEvent} */ { key, isComposing }) => {
		if (key === "Enter" && !isComposing) another();
	};
	byId("tell").onclick = () =>
		attempt(async () => {
			await app.updateModelContext({ structuredContent: { shown } });
			say(`The model knows of ${shown.city} now.`);
		});
	byId("larger").onclick = () =>
		attempt(() => app.requestDisplayMode(app.hostContext.displayMode === "fullscreen" ? "inline" : "fullscreen"));

	app.on("toolInput", ({ arguments: args }) => say(`Asking for ${args?.city} …`));
	app.on("toolResult", show);
	app.on("toolCancelled", ({ reason }) => say(`Cancelled${reason ? `: ${reason}` : ""}.`));
	app.on("hostContext", ({ availableDisplayModes, displayMode }) => {
		byId("larger").hidden = !availableDisplayModes?.includes("fullscreen");
		byId("larger").textContent = displayMode === "fullscreen" ? "Smaller" : "Larger";
	});
	followHostStyles(app);
	attempt(() => app.connect());
}

export const weatherView = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Weather</title><style>${STYLE}</style></head>
<body>${BODY}
<script>${viewScript}</script>
<script>(${start})()</script>
</body></html>`;
