// The host's look on the page: theme, CSS variables and fonts, each of which can go again.

const FONTS_ID = "mcp-host-fonts";

/** @type {WeakMap<HTMLElement, Set<string>>} what was set, so that it can be removed */
const applied = new WeakMap();

/**
 * @param {string | undefined} theme
 * @param {HTMLElement} [root]
 */
export function applyTheme(theme, root = document.documentElement) {
	if (theme) root.dataset.theme = theme;
	else delete root.dataset.theme;
	root.style.colorScheme = theme ?? "";
}

/**
 * @param {Record<string, string | undefined> | undefined} variables
 * @param {HTMLElement} [root]
 */
export function applyStyleVariables(variables = {}, root = document.documentElement) {
	for (const name of applied.get(root) ?? []) if (!variables[name]) root.style.removeProperty(name);
	const names = new Set();
	for (const [name, value] of Object.entries(variables)) {
		// Nothing but variables: a host does not restyle the page by its properties.
		if (!value || !name.startsWith("--")) continue;
		root.style.setProperty(name, value);
		names.add(name);
	}
	applied.set(root, names);
}

/** @param {string | undefined} css `@font-face` and `@import` rules */
export function applyFonts(css) {
	let style = document.getElementById(FONTS_ID);
	if (!css) return style?.remove();
	if (!style) {
		style = document.createElement("style");
		style.id = FONTS_ID;
		document.head.append(style);
	}
	// Setting the same again would load the fonts again.
	if (style.textContent !== css) style.textContent = css;
}

/**
 * @param {import("./view.js").View} view
 * @param {HTMLElement} [root]
 * @returns {() => void} what ends it and takes everything away
 */
export function followHostStyles(view, root) {
	/** @param {any} context */
	const apply = ({ theme, styles }) => {
		applyTheme(theme, root);
		applyStyleVariables(styles?.variables, root);
		applyFonts(styles?.css?.fonts);
	};
	const stop = view.on("hostContext", apply);
	return () => {
		stop();
		apply({});
	};
}
