// A server's question as a host shows it, and the host's answer.

import { ANSWER, decide, QUESTION } from "./toolset-core.js";

let count = 0;

/** @param {any} params of `elicitation/create` */
export function elicitationToRequest(params) {
	return decide(QUESTION, { id: `elicitation-${++count}`, params });
}

/** @param {any} answer */
export function answerToElicitResult(answer) {
	return decide(ANSWER, answer ?? null);
}

/**
 * Asks the host. Whatever goes wrong there is no answer, and no answer cancels.
 * @param {(request: any) => any} ask
 * @param {any} params
 */
export async function elicit(ask, params) {
	const request = await elicitationToRequest(params);
	let answer;
	try {
		answer = await ask(request);
	} catch {
		answer = undefined;
	}
	// A visit has no content.
	return answerToElicitResult(request.mode === "url" && answer?.ok === true ? { ok: true } : answer);
}
