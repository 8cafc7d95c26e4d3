// The main job, told as it happens: connect, list, call, read; the messages are those on the wire.

import { observedFetch } from "../www/traffic.js";

/** Members that are long and seldom what a reader looks for. */
const FOLDED = new Set(["_meta", "inputSchema", "outputSchema", "annotations", "capabilities", "blob"]);
const LONGEST_TEXT = 60;
const LONGEST_LINE = 220;

/**
 * A value on one line, with what is long left out as `…`.
 * @param {any} value
 * @param {string} [member] the name it stands under
 * @returns {string}
 */
export function brief(value, member = "") {
	if (typeof value === "string")
		return JSON.stringify(value.length > LONGEST_TEXT ? `${value.slice(0, LONGEST_TEXT)}…` : value);
	if (value === null || typeof value !== "object") return String(JSON.stringify(value));
	if (Array.isArray(value)) {
		const names = value.map((item) => item?.name).filter((name) => typeof name === "string");
		if (names.length > 1) return `[${names.join(", ")}]`;
		return `[${value.map((item) => brief(item)).join(",")}]`;
	}
	if (FOLDED.has(member)) return "{…}";
	return `{${Object.entries(value)
		.map(([name, inner]) => `${JSON.stringify(name)}:${brief(inner, name)}`)
		.join(",")}}`;
}

/** @param {string} text a JSON message, or whatever else came */
function line(text) {
	let shown = text;
	try {
		shown = brief(JSON.parse(text));
	} catch {}
	return shown.length > LONGEST_LINE ? `${shown.slice(0, LONGEST_LINE)}…` : shown;
}

/**
 * Runs the main job against a server, once in each era.
 * @param {any} Client the package's class
 * @param {string} url
 * @param {(text: string) => void} say
 */
export async function transcript(Client, url, say) {
	for (const [title, versionNegotiation] of [
		["A client that finds out the era", "auto"],
		["A legacy client", "legacy"],
	]) {
		say(`\n── ${title}`);
		const fetch = observedFetch(({ out, text, status }) =>
			say(out ? `  → ${line(text)}` : `  ← ${status}${text && ` ${line(text)}`}`),
		);
		const client = new Client({ url, versionNegotiation, fetch, clientInfo: { name: "duet-start", version: "1.0.0" } });
		await client.connect();
		const { name, version } = client.serverInfo;
		say(`connected: ${client.era} era, protocol ${client.protocolVersion}, ${name} ${version}`);
		const { tools } = await client.listTools();
		say(`tools: ${tools.map((/** @type {{ name: string }} */ tool) => tool.name).join(", ")}`);
		const weather = await client.callTool("get_weather", { city: "北京" });
		say(`get_weather in 北京: ${weather.content[0].text.split("\n").slice(1).join("; ")}`);
		/** @type {(string | undefined)[]} */
		const steps = [];
		await client.callTool(
			"count_down",
			{ from: 2, pauseMs: 20 },
			{ onProgress: (/** @type {{ message?: string }} */ { message }) => steps.push(message) },
		);
		say(`count_down reported: ${steps.join(", ")}`);
		const failed = await client.callTool("divide", { dividend: 1, divisor: 0 });
		say(`divide by zero: isError ${failed.isError}, "${failed.content[0].text}"`);
		const { contents } = await client.readResource("demo://cities/%E5%8C%97%E4%BA%AC");
		say(`the resource 北京 begins: ${contents[0].text.split("\n")[0]}`);
		await client.close();
	}
}
