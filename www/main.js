// The workbench: one connection, what its server offers, and the messages between them.

import { byId, chips, h, longText, pretty } from "./dom.js";
import { showOffers } from "./offers.js";
import { errorCard } from "./render.js";
import { observedFetch } from "./traffic.js";
import { capabilities } from "./view.js";

/** Messages kept on the page; older ones are dropped. */
const KEPT_MESSAGES = 200;

const connectForm = byId("connect", "form");
const address = byId("address", "input");
const era = byId("era", "select");
const connectButton = byId("connect-button", "button");
const disconnectButton = byId("disconnect", "button");
const trafficList = byId("traffic-list", "ol");

/** @type {any} the client of the connection shown */
let client;
/** Counts connections, so that what comes late from an earlier one is left out. */
let generation = 0;
let messages = 0;

/** @param {string} text read out by screen readers */
export function announce(text) {
	byId("announce", "p").textContent = text;
}

/** @param {string} text */
function parsed(text) {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

/** @param {any} message */
function titleOf(message) {
	if (message?.method) return message.id === undefined ? message.method : `${message.method} #${message.id}`;
	if (message?.error) return `error ${message.error.code} #${message.id ?? "?"}`;
	return message?.id === undefined ? "text" : `result #${message.id}`;
}

/** @param {import("./traffic.js").Seen} seen */
function showMessage({ out, text, status }) {
	const message = parsed(text);
	const title = text ? titleOf(message) : "no body";
	const bytes = new TextEncoder().encode(text).length;
	const summary = h(
		"summary",
		{},
		h("span", { className: out ? "way out" : "way in", "aria-hidden": "true" }, out ? "↑" : "↓"),
		h("span", { className: "visually-hidden" }, out ? "sent: " : "received: "),
		h("code", {}, title),
		h("span", { className: "muted" }, status === undefined || out ? `${bytes} B` : `HTTP ${status}, ${bytes} B`),
	);
	trafficList.prepend(h("li", {}, h("details", {}, summary, longText(message === undefined ? text : pretty(message)))));
	while (trafficList.childElementCount > KEPT_MESSAGES) trafficList.lastElementChild?.remove();
	messages += 1;
	byId("traffic-count", "span").textContent = String(messages);
	byId("traffic", "details").hidden = false;
}

/** @param {any} connected */
function showServer(connected) {
	const info = connected.serverInfo ?? {};
	byId("server-name", "h2").textContent = info.title ?? info.name ?? "A server without a name";
	const facts = [
		`${connected.era} era`,
		`protocol ${connected.protocolVersion}`,
		info.name && `${info.name} ${info.version ?? ""}`.trim(),
	];
	byId("server-facts", "ul").replaceChildren(...chips(...facts, ...Object.keys(connected.serverCapabilities ?? {})));
	byId("server-facts", "ul").firstElementChild?.classList.add(connected.era);
	const instructions = byId("instructions", "p");
	instructions.textContent = connected.instructions ?? "";
	byId("server", "section").hidden = false;
	// What scrolls can be reached by keyboard.
	instructions.tabIndex = instructions.scrollHeight > instructions.clientHeight ? 0 : -1;
}

/**
 * One kind of thing that a server lists; an error takes the place of the list.
 * @param {any} connected
 * @param {string} capability
 * @param {() => Promise<any>} list
 * @param {string} member
 */
async function listed(connected, capability, list, member) {
	if (!connected.serverCapabilities?.[capability]) return { items: [] };
	try {
		return { items: (await list())[member] ?? [] };
	} catch (error) {
		return { items: [], error };
	}
}

/** @param {boolean} busy */
function setBusy(busy) {
	connectButton.disabled = busy;
	connectButton.textContent = busy ? "Connecting …" : client ? "Reconnect" : "Connect";
	disconnectButton.hidden = !client;
	byId("start", "p").hidden = busy || Boolean(client);
}

function forget() {
	generation += 1;
	const old = client;
	client = undefined;
	byId("server", "section").hidden = true;
	byId("work").hidden = true;
	byId("connection-error").replaceChildren();
	// A server that is gone cannot be told goodbye; the person has nothing to do about it.
	return old?.close().catch(() => {});
}

async function connect() {
	forget();
	const mine = generation;
	setBusy(true);
	announce("Connecting");
	try {
		const { Client } = await import("/pkg/client.web.js");
		/** @type {Record<string, import("mcp-duet").VersionNegotiation>} */
		const negotiations = { auto: "auto", legacy: "legacy", modern: { pin: "2026-07-28" } };
		const connected = new Client({
			url: new URL(address.value, location.href).href,
			clientInfo: { name: "mcp-duet-workbench", version: "1.0.0" },
			capabilities,
			versionNegotiation: negotiations[era.value],
			fetch: observedFetch((seen) => mine === generation && showMessage(seen)),
		});
		await connected.connect();
		const [tools, resources, templates, prompts] = await Promise.all([
			listed(connected, "tools", () => connected.listTools(), "tools"),
			listed(connected, "resources", () => connected.listResources(), "resources"),
			listed(connected, "resources", () => connected.listResourceTemplates(), "resourceTemplates"),
			listed(connected, "prompts", () => connected.listPrompts(), "prompts"),
		]);
		if (mine !== generation) return void connected.close().catch(() => {});
		client = connected;
		showServer(connected);
		showOffers(connected, { tools, resources, templates, prompts }, announce);
		byId("work").hidden = false;
		announce(
			`Connected to ${byId("server-name", "h2").textContent}: ${tools.items.length} tools, ${resources.items.length} resources, ${prompts.items.length} prompts`,
		);
	} catch (error) {
		if (mine !== generation) return;
		byId("connection-error").replaceChildren(h("div", { className: "card" }, errorCard(error)));
	} finally {
		if (mine === generation) setBusy(false);
	}
}

connectForm.addEventListener("submit", (event) => {
	event.preventDefault();
	connect();
});
disconnectButton.addEventListener("click", () => {
	forget();
	setBusy(false);
	announce("Disconnected");
	address.focus();
});
byId("clear-traffic", "button").addEventListener("click", () => {
	trafficList.replaceChildren();
	messages = 0;
	byId("traffic-count", "span").textContent = "0";
});

const parameters = new URLSearchParams(location.search);
address.value = parameters.get("server") ?? new URL("/mcp", location.href).href;
connectButton.focus();
