// Where this runs, and where secrets may go.

/**
 * Pages, web workers and service workers, where a failed fetch may be the browser's refusal. Every browser says that it
 * is Mozilla, and no server runtime does.
 */
export const isBrowser = () => globalThis.navigator?.userAgent?.startsWith("Mozilla/") === true;

/** Whether secrets may be sent to that URL, and keys come from it: https, or this machine. @param {any} url */
export function isSecure(url) {
	if (!URL.canParse(url)) return false;
	const { protocol, hostname } = new URL(url);
	return protocol === "https:" || (protocol === "http:" && /^(.+\.)?localhost$|^127\.[\d.]+$|^\[::1\]$/.test(hostname));
}
