// A form for a JSON Schema object: a field for each property, JSON for what has no field of its own.

import { h, pretty } from "./dom.js";

/** @typedef {{ type?: string | string[], enum?: unknown[], const?: unknown, oneOf?: Schema[], title?: string, description?: string, default?: unknown, examples?: unknown[], minimum?: number, maximum?: number, minLength?: number, maxLength?: number, format?: string, properties?: Record<string, Schema>, required?: string[] }} Schema */
/** @typedef {{ value: unknown, label: string }} Choice */
/** @typedef {(name: string, value: string, signal: AbortSignal) => Promise<string[]>} Suggest */
/** @typedef {HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement} Control */

let forms = 0;

/** @param {Schema} schema @returns {Choice[] | undefined} */
function choicesOf(schema) {
	if (Array.isArray(schema.enum))
		return schema.enum.map((value) => ({ value, label: typeof value === "string" ? value : pretty(value) }));
	if ("const" in schema) return [{ value: schema.const, label: String(schema.const) }];
	if (schema.oneOf?.length && schema.oneOf.every((one) => one && "const" in one)) {
		return schema.oneOf.map((one) => ({ value: one.const, label: one.title ?? String(one.const) }));
	}
	if (schema.type === "boolean") return [true, false].map((value) => ({ value, label: value ? "yes" : "no" }));
	return undefined;
}

/** The one type other than null, or "json". @param {Schema} schema */
function typeOf(schema) {
	const types = [schema.type ?? []].flat().filter((type) => type !== "null");
	return types.length === 1 && ["string", "number", "integer"].includes(types[0]) ? types[0] : "json";
}

/** @param {Schema} schema */
function rangeOf({ minimum, maximum }) {
	if (minimum !== undefined && maximum !== undefined) return `${minimum} to ${maximum}`;
	if (minimum !== undefined) return `${minimum} or more`;
	return maximum === undefined ? "" : `at most ${maximum}`;
}

/** @param {string} name @param {Schema} schema */
const isLong = (name, schema) =>
	(schema.maxLength ?? 0) > 500 || /^(text|body|content|prompt|code|markdown)$/i.test(name);

/**
 * @param {string} name
 * @param {Schema} schema
 * @param {boolean} required
 * @param {string} id
 * @returns {{ control: Control, kind: string, read: () => unknown }}
 */
function controlFor(name, schema, required, id) {
	const given = schema.default ?? schema.const;
	const choices = choicesOf(schema);
	if (choices) {
		const start = choices.findIndex(({ value }) => JSON.stringify(value) === JSON.stringify(given));
		const options = choices.map(({ label }, index) => h("option", { value: String(index) }, label));
		const control = h(
			"select",
			{ id, required },
			!(required && start >= 0) && h("option", { value: "" }, required ? "Choose …" : "(left out)"),
			...options,
		);
		control.value = start >= 0 ? String(start) : "";
		return {
			control,
			kind: "choice",
			read: () => (control.value === "" ? undefined : choices[Number(control.value)].value),
		};
	}
	const type = typeOf(schema);
	const example = schema.examples?.[0];
	if (type === "integer" || type === "number") {
		const control = h("input", {
			id,
			type: "number",
			required,
			step: type === "integer" ? "1" : "any",
			value: given ?? "",
		});
		if (schema.minimum !== undefined) control.min = String(schema.minimum);
		if (schema.maximum !== undefined) control.max = String(schema.maximum);
		return { control, kind: type, read: () => (control.value === "" ? undefined : Number(control.value)) };
	}
	if (type === "string") {
		const shared = {
			id,
			value: given ?? "",
			placeholder: example === undefined ? "" : `e.g. ${example}`,
			spellcheck: false,
			required: required && (schema.minLength ?? 0) > 0,
		};
		const control = isLong(name, schema)
			? h("textarea", { ...shared, rows: 3 })
			: h("input", { ...shared, type: "text", autocomplete: "off" });
		return { control, kind: "text", read: () => (control.value === "" && !required ? undefined : control.value) };
	}
	const start = given ?? (required ? example : undefined);
	const control = h("textarea", {
		id,
		required,
		rows: 5,
		spellcheck: false,
		className: "code",
		value: start === undefined ? "" : pretty(start),
	});
	return { control, kind: "JSON", read: () => readJson(control, !required) };
}

/**
 * Offers what the server proposes while the person types.
 * @param {HTMLInputElement} control
 * @param {(value: string, signal: AbortSignal) => Promise<string[]>} suggest
 */
function withSuggestions(control, suggest) {
	const list = h("datalist", { id: `${control.id}-list` });
	control.setAttribute("list", list.id);
	/** @type {AbortController | undefined} */
	let asking;
	control.addEventListener("input", async () => {
		asking?.abort();
		asking = new AbortController();
		const { signal } = asking;
		try {
			const values = await suggest(control.value, signal);
			if (!signal.aborted) list.replaceChildren(...values.map((value) => h("option", { value })));
		} catch {
			// Nothing is lost without proposals; the messages below the page show what went wrong.
		}
	});
	return list;
}

/** Thrown where a field does not hold what it should; the field itself says why. */
export class FieldError extends Error {}

/** @param {HTMLTextAreaElement} control @param {boolean} mayBeEmpty */
function readJson(control, mayBeEmpty) {
	if (mayBeEmpty && control.value.trim() === "") return undefined;
	try {
		return JSON.parse(control.value);
	} catch (error) {
		const reason = `Not JSON: ${/** @type {Error} */ (error).message}`;
		control.setCustomValidity(reason);
		control.addEventListener("input", () => control.setCustomValidity(""), { once: true });
		control.reportValidity();
		throw new FieldError(reason);
	}
}

/**
 * @param {Schema} schema of an object
 * @param {Suggest} [suggest] proposes values for the text fields
 * @returns {{ element: HTMLElement, read: () => Record<string, unknown> }} `read` throws a FieldError, after showing it
 */
export function formFor(schema, suggest) {
	forms += 1;
	const prefix = `argument-${forms}`;
	const required = new Set(schema.required ?? []);
	const names = Object.keys(schema.properties ?? {});
	const fields = names.map((name, index) => {
		const property = schema.properties?.[name];
		const inner = property && typeof property === "object" ? property : {};
		const id = `${prefix}-${index}`;
		const made = controlFor(name, inner, required.has(name), id);
		const range = rangeOf(inner);
		const hint = [inner.title, inner.description].filter(Boolean).join(": ") + (range && ` (${range})`);
		made.control.setAttribute("aria-describedby", `${id}-hint`);
		const proposals =
			suggest && made.kind === "text" && made.control instanceof HTMLInputElement
				? withSuggestions(made.control, (value, signal) => suggest(name, value, signal))
				: undefined;
		const mark = required.has(name) ? "required" : "optional";
		const label = h(
			"label",
			{ for: id },
			h("code", {}, name),
			" ",
			h(
				"span",
				{ className: "muted" },
				made.kind === "choice" || made.kind === "text" ? mark : `${made.kind}, ${mark}`,
			),
		);
		return {
			name,
			...made,
			row: h(
				"div",
				{ className: "field" },
				label,
				made.control,
				proposals,
				h("p", { className: "hint", id: `${id}-hint` }, hint),
			),
		};
	});

	const readFields = () => {
		/** @type {[string, unknown][]} */
		const entries = fields.map(({ name, read }) => [name, read()]);
		return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
	};

	const whole = h("textarea", { id: `${prefix}-whole`, rows: 8, spellcheck: false, className: "code" });
	const wholeRow = h(
		"div",
		{ className: "field", hidden: true },
		h("label", { for: whole.id }, "Arguments as JSON"),
		whole,
	);
	const rows = h("div", { className: "fields" }, ...fields.map(({ row }) => row));
	if (fields.length === 0) rows.append(h("p", { className: "muted" }, "It takes no arguments."));
	const asJson = h("input", { type: "checkbox", id: `${prefix}-json` });
	const toggle = h("label", { className: "toggle", for: asJson.id }, asJson, " Write the arguments as JSON");
	/** @param {boolean} on */
	const show = (on) => {
		rows.hidden = on;
		wholeRow.hidden = !on;
		// Hidden fields must not hold up the form with what they lack.
		for (const { control } of fields) control.disabled = on;
	};
	asJson.addEventListener("change", () => {
		if (asJson.checked) {
			try {
				whole.value = pretty(readFields());
			} catch {
				asJson.checked = false;
				return;
			}
		}
		show(asJson.checked);
	});

	return {
		element: h("div", {}, rows, wholeRow, toggle),
		read: () => (asJson.checked ? /** @type {any} */ (readJson(whole, true) ?? {}) : readFields()),
	};
}
