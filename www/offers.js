// What the server offers: the list, the thing chosen from it, and what calling it gave.

import { byId, chips, h } from "./dom.js";
import { FieldError, formFor } from "./form.js";
import { errorCard, promptResult, readResult, toolResult } from "./render.js";
import { viewOf } from "./view.js";

/** How long a call from this page may take; a person can cancel it sooner. */
const CALL_MS = 300_000;
/** Results kept on the page; older ones are dropped. */
const KEPT_RESULTS = 30;

/** @typedef {{ items: any[], error?: unknown }} Listed */
/** @typedef {{ tools: Listed, resources: Listed, templates: Listed, prompts: Listed }} Offers */
/** @typedef {{ signal: AbortSignal, onProgress: (progress: any) => void }} Running */
/** @typedef {{ name: string, verb: string, args?: Record<string, unknown>, run: (running: Running) => Promise<any>, show: (result: any) => (Node | string | false | null | undefined)[] }} Action */

/** @param {any} item */
const titleOf = (item) => item.title ?? item.annotations?.title ?? item.name ?? item.uri ?? item.uriTemplate;

/** @param {string} template a URI template; its variables, in order */
const variablesOf = (template) =>
	[...template.matchAll(/\{[+#./;?&]?([^}]*)\}/g)].flatMap(([, names]) =>
		names.split(",").map((name) => name.replace(/\*$|:\d+$/, "")),
	);

/**
 * Fills the simple expressions of a URI template; reserved ones keep their reserved characters.
 * @param {string} template
 * @param {Record<string, unknown>} values
 */
const expand = (template, values) =>
	template.replace(/\{([+#./;?&]?)([^}]*)\}/g, (_, operator, names) => {
		const keys = String(names)
			.split(",")
			.map((name) => name.replace(/\*$|:\d+$/, ""));
		const given = keys.filter((key) => values[key] !== undefined && values[key] !== "");
		if (given.length === 0) return "";
		const escaped = operator === "+" || operator === "#" ? encodeURI : encodeURIComponent;
		const named = operator === "?" || operator === "&" || operator === ";";
		const parts = given.map((key) => (named ? `${key}=${escaped(String(values[key]))}` : escaped(String(values[key]))));
		const separator = { "?": "&", "&": "&", ";": ";", "/": "/", ".": "." }[String(operator)] ?? ",";
		return `${operator === "+" ? "" : operator}${parts.join(separator)}`;
	});

/** @param {any} annotations */
const hints = (annotations) =>
	[
		annotations?.readOnlyHint && "read-only",
		annotations?.destructiveHint && "destructive",
		annotations?.idempotentHint && "idempotent",
		annotations?.openWorldHint && "open world",
	].filter(Boolean);

/**
 * Runs an action and puts a card with its outcome on top of the results.
 * @param {Action} action
 * @param {(text: string) => void} announce
 */
async function perform({ name, verb, args, run, show }, announce) {
	const controller = new AbortController();
	const cancel = h("button", { type: "button", className: "quiet small" }, "Cancel");
	cancel.addEventListener("click", () => controller.abort(new DOMException("Cancelled on the page", "AbortError")));
	const bar = h("progress", { "aria-label": `Progress of ${name}` });
	const note = h("span", { className: "muted" });
	const waiting = h("div", { className: "waiting" }, bar, note, cancel);
	const took = h("span", { className: "muted" });
	const body = h("div", { className: "result-body" }, waiting);
	const card = h(
		"article",
		{ className: "card result", "aria-label": `${verb} ${name}` },
		h("h3", {}, h("code", {}, name), " ", took),
		args && h("p", { className: "asked muted" }, h("code", {}, JSON.stringify(args))),
		body,
	);
	const list = byId("result-list");
	list.prepend(card);
	while (list.childElementCount > KEPT_RESULTS) list.lastElementChild?.remove();
	byId("results", "section").hidden = false;

	const start = performance.now();
	const elapsed = () => `${Math.max(1, Math.round(performance.now() - start))} ms`;
	/** @param {any} progress */
	const onProgress = ({ progress, total, message }) => {
		if (total) bar.max = total;
		if (total) bar.value = progress;
		note.textContent = [total ? `${progress} of ${total}` : progress, message]
			.filter((part) => part !== undefined)
			.join(": ");
	};
	try {
		const result = await run({ signal: controller.signal, onProgress });
		took.textContent = elapsed();
		card.classList.add(result?.isError ? "failed" : "done");
		body.replaceChildren(h("div", {}, ...present(show(result))));
		announce(result?.isError ? `${name} reports an error` : `${name} answered`);
	} catch (error) {
		took.textContent = elapsed();
		card.classList.add("failed");
		body.replaceChildren(errorCard(error));
		announce(`${name} failed: ${/** @type {any} */ (error)?.message ?? error}`);
	}
}

/** @param {(Node | string | false | null | undefined)[]} nodes */
const present = (nodes) => /** @type {(Node | string)[]} */ (nodes.filter(Boolean));

/**
 * @param {any} client
 * @param {Offers} offers
 * @param {(text: string) => void} announce
 */
export function showOffers(client, offers, announce) {
	const detail = byId("detail", "section");
	const nav = byId("offers", "nav");

	/** @param {string} uri */
	const read = (uri) =>
		perform(
			{
				name: uri,
				verb: "Reading",
				run: ({ signal }) => client.readResource(uri, { signal, timeoutMs: CALL_MS }),
				show: readResult,
			},
			announce,
		);

	/**
	 * What proposes values for the arguments of a prompt or the variables of a template, if the server does.
	 * @param {any} ref
	 * @returns {import("./form.js").Suggest | undefined}
	 */
	const suggestFor = (ref) =>
		client.serverCapabilities?.completions &&
		(async (name, value, signal) => {
			const { completion } = await client.complete({ ref, argument: { name, value } }, { signal });
			return completion.values;
		});

	/**
	 * @param {any} item
	 * @param {string} kind
	 * @param {string} verb the button's word
	 * @param {any} schema of the arguments
	 * @param {(args: Record<string, any>) => void} act
	 * @param {import("./form.js").Suggest} [suggest]
	 */
	function showDetail(item, kind, verb, schema, act, suggest) {
		const form = formFor(schema, suggest);
		const element = h(
			"form",
			{},
			form.element,
			h("p", { className: "actions" }, h("button", { type: "submit" }, verb)),
		);
		element.addEventListener("submit", (event) => {
			event.preventDefault();
			try {
				act(form.read());
			} catch (error) {
				if (!(error instanceof FieldError)) throw error;
				announce(error.message);
			}
		});
		const id = item.uri ?? item.uriTemplate ?? item.name;
		const heading = h("h2", { tabIndex: -1, id: "detail-title" }, titleOf(item));
		detail.replaceChildren(
			heading,
			h("p", { className: "identity" }, h("span", { className: "muted" }, kind), " ", h("code", {}, id)),
			h("p", {}, item.description ?? ""),
			h("ul", { className: "chips", "aria-label": "Hints" }, ...chips(item.mimeType, ...hints(item.annotations))),
			element,
		);
		detail.setAttribute("aria-labelledby", "detail-title");
		return heading;
	}

	/** @param {any} tool */
	const openTool = (tool) =>
		showDetail(tool, "tool", `Call ${tool.name}`, tool.inputSchema ?? {}, (args) =>
			perform(
				{
					name: tool.name,
					verb: "Calling",
					args,
					run: (running) => client.callTool(tool.name, args, { ...running, timeoutMs: CALL_MS }),
					show: (result) => [viewOf(client, tool, args, result, announce), ...toolResult(result, read)],
				},
				announce,
			),
		);

	/** @param {any} resource */
	const openResource = (resource) => showDetail(resource, "resource", "Read it", {}, () => read(resource.uri));

	/** @param {any} template */
	const openTemplate = (template) => {
		const names = variablesOf(template.uriTemplate);
		const properties = Object.fromEntries(
			names.map((name) => [name, { type: "string", description: "Part of the address" }]),
		);
		const schema = { properties, required: names };
		const suggest = suggestFor({ type: "ref/resource", uri: template.uriTemplate });
		/** @param {Record<string, any>} args */
		const act = (args) => read(expand(template.uriTemplate, args));
		return showDetail(template, "resource template", "Read it", schema, act, suggest);
	};

	/** @param {any} prompt */
	const openPrompt = (prompt) => {
		const list = prompt.arguments ?? [];
		const properties = Object.fromEntries(
			list.map((/** @type {any} */ one) => [
				one.name,
				{ type: "string", title: one.title, description: one.description },
			]),
		);
		const required = list.filter((/** @type {any} */ one) => one.required).map((/** @type {any} */ one) => one.name);
		const suggest = suggestFor({ type: "ref/prompt", name: prompt.name });
		/** @param {Record<string, any>} args */
		const act = (args) =>
			perform(
				{
					name: prompt.name,
					verb: "Getting",
					args,
					run: ({ signal }) => client.getPrompt(prompt.name, args, { signal, timeoutMs: CALL_MS }),
					show: (result) => promptResult(result, read),
				},
				announce,
			);
		return showDetail(prompt, "prompt", "Get it", { properties, required }, act, suggest);
	};

	/** @type {HTMLButtonElement[]} */
	const buttons = [];
	/**
	 * @param {string} title
	 * @param {Listed} listed
	 * @param {(item: any) => HTMLElement} open
	 */
	function group(title, { items, error }, open) {
		if (items.length === 0 && !error) return null;
		const entries = items.map((item) => {
			const label = titleOf(item);
			const sub = item.uri ?? item.uriTemplate ?? item.name;
			const button = h("button", { type: "button" }, label, sub !== label && h("small", {}, sub));
			button.addEventListener("click", () => {
				for (const other of buttons) other.removeAttribute("aria-current");
				button.setAttribute("aria-current", "true");
				const heading = open(item);
				heading.focus({ preventScroll: true });
				// On a narrow screen the detail lies below the list.
				heading.scrollIntoView({ block: matchMedia("(max-width: 52rem)").matches ? "start" : "nearest" });
			});
			buttons.push(button);
			return h("li", {}, button);
		});
		return h(
			"section",
			{},
			h("h2", {}, title, " ", h("span", { className: "chip" }, String(items.length))),
			error ? errorCard(error) : null,
			h("ul", {}, ...entries),
		);
	}

	const groups = [
		group("Tools", offers.tools, openTool),
		group("Resources", offers.resources, openResource),
		group("Templates", offers.templates, openTemplate),
		group("Prompts", offers.prompts, openPrompt),
	];
	nav.replaceChildren(...present(groups));
	const [first] = buttons;
	if (!first) {
		detail.replaceChildren(h("p", { className: "muted" }, "This server offers no tools, resources or prompts."));
		return;
	}
	first.setAttribute("aria-current", "true");
	const opened = [
		[offers.tools, openTool],
		[offers.resources, openResource],
		[offers.templates, openTemplate],
		[offers.prompts, openPrompt],
	].find(([listed]) => /** @type {Listed} */ (listed).items.length > 0);
	if (opened) /** @type {any} */ (opened[1])(/** @type {Listed} */ (opened[0]).items[0]);
}

byId("clear-results", "button").addEventListener("click", () => {
	byId("result-list").replaceChildren();
	byId("results", "section").hidden = true;
	byId("offers", "nav").querySelector("button")?.focus();
});
