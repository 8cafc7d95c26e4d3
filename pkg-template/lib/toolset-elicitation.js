// A server's question as a host shows it, and the host's answer.

import { acquireRest } from "./core.js";
import { judge } from "./judge.js";
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

/** How often a form is shown. People mend one at the second try; a program that did not never will. */
export const MAX_TRIES = 3;

/**
 * Asks the host, again where its answer does not fit the form. Whatever else goes wrong there is no answer, and no
 * answer cancels.
 * @param {(request: any) => any} ask
 * @param {any} params
 */
export async function elicit(ask, params) {
	const request = await elicitationToRequest(params);
	let problem;
	for (let tries = 0; tries < MAX_TRIES; tries++) {
		let answer;
		try {
			answer = await ask(problem === undefined ? request : { ...request, problem });
		} catch {
			answer = undefined;
		}
		if (answer?.ok !== true) return answerToElicitResult(answer);
		// A visit has no content.
		if (request.mode === "url") return answerToElicitResult({ ok: true });
		problem = await misfit(request.schema, answer.data ?? {});
		if (problem === undefined) return answerToElicitResult(answer);
	}
	return answerToElicitResult(undefined);
}

/** What of the data does not fit the form. @param {unknown} schema @param {unknown} data */
async function misfit(schema, data) {
	try {
		return judge(await acquireRest("schema", "client"), true, schema, data);
	} catch {
		// Without a validator, or a schema that can be used, the server has to judge.
		return undefined;
	}
}
