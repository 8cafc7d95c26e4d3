// Elements without markup in strings, so that nothing a server says is ever read as HTML.

/**
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, unknown>} [properties] properties; `data-*`, `aria-*` and `role` become attributes
 * @param {...(Node | string | null | undefined | false)} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function h(tag, properties = {}, ...children) {
	/** @type {any} */
	const element = document.createElement(tag);
	for (const [name, value] of Object.entries(properties)) {
		if (value === undefined) continue;
		if (/^(data-|aria-|role$|for$)/.test(name)) element.setAttribute(name, String(value));
		/** @type {any} */ else element[name] = value;
	}
	for (const child of children) if (child || child === "") element.append(child);
	return element;
}

/**
 * The element with this id, of the kind that the page's markup gives it.
 * @template {keyof HTMLElementTagNameMap} [K="div"]
 * @param {string} id
 * @param {K} [_tag]
 * @returns {HTMLElementTagNameMap[K]}
 */
export function byId(id, _tag) {
	return /** @type {any} */ (document.getElementById(id));
}

/** @param {...string} texts */
export const chips = (...texts) => texts.filter(Boolean).map((text) => h("li", { className: "chip" }, text));

/** @param {unknown} value */
export const pretty = (value) => JSON.stringify(value, undefined, 2);

/**
 * Text that may be long: it scrolls, by keyboard too.
 * @param {string} text
 * @param {string} [className]
 */
export const longText = (text, className = "") => h("pre", { tabIndex: 0, className }, text);
