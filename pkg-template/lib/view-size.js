// How high the content of the page is, and when that changes.

import { MAX_SIZE_PX } from "./apps-facts.js";

/** How long changes are gathered before the page is measured, in milliseconds: measuring lays it out twice. */
const MEASURE_INTERVAL_MS = 50;

/** A length as a host can use it: whole, within bounds; undefined for what is none. @param {unknown} length */
export const pixels = (length) =>
	typeof length === "number" && Number.isFinite(length)
		? Math.min(Math.max(Math.ceil(length), 0), MAX_SIZE_PX)
		: undefined;

/** The height that the content has by itself, whatever the frame's is. */
function naturalHeight() {
	const html = document.documentElement;
	const { height } = html.style;
	html.style.height = "max-content";
	const natural = html.getBoundingClientRect().height;
	html.style.height = height;
	return Math.ceil(natural);
}

/**
 * Reports the size of the content now and whenever it changes.
 * @param {(size: { width: number, height: number }) => void} report
 * @returns {() => void} what ends it
 */
export function watchSize(report) {
	/** @type {number | undefined} */
	let sent;
	let lastFrame = 0;
	let lastExcess = 0;
	let isChanged = false;
	/** @type {any} */
	let timer;

	const measure = () => {
		timer = undefined;
		const height = naturalHeight();
		const frame = window.innerHeight;
		const excess = height - frame;
		// The host did as it was told and it is still too little, though nothing else has changed, or by as much as
		// before: the content is higher than any frame (100vh and a margin), and would grow for ever.
		const isFed = excess > 0 && frame === sent && frame !== lastFrame && (!isChanged || excess === lastExcess);
		const isSame = frame === lastFrame && excess === lastExcess;
		lastFrame = frame;
		lastExcess = excess;
		isChanged = false;
		// No height of its own, as a map that fills the frame: the host decides.
		if (height === 0 || height === sent) return;
		// What fits need not be said again; and what is as high as the frame (100vh) would shrink with its borders.
		if (sent !== undefined && (excess === 0 || isFed || isSame)) return;
		sent = height;
		report({ width: window.innerWidth, height });
	};
	// No animation frame: a frame out of sight has none.
	const soon = () => {
		timer ??= setTimeout(measure, MEASURE_INTERVAL_MS);
	};
	const changed = () => {
		isChanged = true;
		soon();
	};

	const sizes = new ResizeObserver(soon);
	sizes.observe(document.documentElement);
	if (document.body) sizes.observe(document.body);
	// Boxes that are as high as the frame do not change when their content does. Measuring changes the root itself.
	const changes = new MutationObserver((records) => {
		if (records.some(({ target }) => target !== document.documentElement)) changed();
	});
	const everything = { subtree: true, childList: true, characterData: true, attributes: true };
	changes.observe(document.documentElement, everything);
	const listening = new AbortController();
	const { signal } = listening;
	window.addEventListener("resize", soon, { signal });
	// Of images, too.
	window.addEventListener("load", changed, { signal, capture: true });
	measure();
	return () => {
		sizes.disconnect();
		changes.disconnect();
		listening.abort();
		clearTimeout(timer);
	};
}
