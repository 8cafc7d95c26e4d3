// What a server must not see in an output: the values of its headers and variables.

import { HttpError, McpError, ProtocolError } from "../errors.js";

/** Shorter values are words, numbers and flags as a rule: taken out only where their name says that they are secret. */
const MIN_LENGTH = 8;
/** And these at no time: they hide nothing, and would be taken out of every text. */
const MIN_SECRET_LENGTH = 3;
const SECRET_NAMES = /auth|cookie|cred|key|pass|pin|pwd|secret|session|sign|token/i;
/** Words before a secret, which are none. */
const SCHEMES = /^(basic|bearer|digest|dpop|negotiate|token)$/i;
const INSTEAD = "[redacted]";

/** Matches a short value where it stands by itself, not within another word. @param {string} value */
function byItself(value) {
	const escaped = value.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
	const before = /^[\p{L}\p{N}]/u.test(value) ? "(?<![\\p{L}\\p{N}])" : "";
	const behind = /[\p{L}\p{N}]$/u.test(value) ? "(?![\\p{L}\\p{N}])" : "";
	return new RegExp(before + escaped + behind, "gu");
}

/** @param {string} text @returns {[string, string]} */
function split(text) {
	const at = text.indexOf("=");
	return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}

/** @param {string} text */
function decode(text) {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}

/**
 * What an entry's address and arguments hide: user, password and query; arguments behind a name that is secret.
 * @param {{ url?: string, args?: string[] }} entry
 * @returns {[string, string][]}
 */
export function hidden({ url, args = [] }) {
	/** @type {[string, string][]} */
	const pairs = [];
	if (url !== undefined && URL.canParse(url)) {
		const { username, password, search, searchParams } = new URL(url);
		pairs.push(...searchParams);
		// As it is written, too, and as it is meant.
		for (const pair of search.slice(1).split("&")) pairs.push(split(pair));
		const typed = /^[^/]*\/\/([^/?#]*)@/.exec(url)?.[1] ?? "";
		for (const part of [username, password, ...typed.split(":")]) {
			pairs.push(["password", part], ["password", decode(part)]);
		}
	}
	for (const [at, arg] of args.entries()) {
		const before = args[at - 1] ?? "";
		const [name, value] = arg.includes("=") || !/^-[^=]+$/.test(before) ? split(arg) : [before, arg];
		if (value !== "" && !value.startsWith("-") && SECRET_NAMES.test(name)) pairs.push([name, value]);
	}
	return pairs;
}

/**
 * Takes values out of texts: those of 8 characters and more wherever they stand, shorter ones of a secret name as words.
 * @param {Iterable<[string, unknown]>} values headers or variables, each behind its name
 */
export function redactor(values) {
	/** @type {Set<string>} */
	const secrets = new Set();
	for (const [name, value] of values) {
		if (typeof value !== "string") continue;
		const shortest = SECRET_NAMES.test(name) ? MIN_SECRET_LENGTH : MIN_LENGTH;
		// "Bearer x" is found whole and by its parts.
		for (const part of [value, ...value.split(/\s+/)]) {
			if (part.length >= shortest && !SCHEMES.test(part)) secrets.add(part);
		}
	}
	const patterns = [...secrets]
		.sort((one, other) => other.length - one.length)
		.map((secret) => (secret.length < MIN_LENGTH ? byItself(secret) : secret));
	/** @param {string} text */
	const redact = (text) =>
		patterns.reduce((/** @type {string} */ rest, secret) => rest.replaceAll(secret, INSTEAD), text);
	return redact;
}

/**
 * The error as it may be shown: its kind and its message, not what the server sent along.
 * @param {any} error
 * @param {(text: string) => string} redact
 * @returns {McpError}
 */
export function presentable(error, redact) {
	const message = redact(error instanceof Error ? error.message : String(error));
	if (error instanceof HttpError) {
		const { status, statusText, contentType, retryAfter } = error;
		return new HttpError(message, { status, statusText: redact(statusText), contentType, retryAfter });
	}
	if (error instanceof ProtocolError) return new ProtocolError(error.rpcCode, message);
	return new McpError(error instanceof McpError ? error.code : "CONNECTION_LOST", message);
}
