// What a handler asks a modern client. The core decides what is answered and what goes out; here a run is only
// kept between two asks, as text, and ended. src/js/rounds.rs is the other half.

import { McpError, ProtocolError } from "../errors.js";
import { INVALID_PARAMS } from "./constants.js";

/** @typedef {import("./core.js").Live} Live */

/** What a sealed state holds: what the core keeps of a run, or the handler's own state. @typedef {{ run?: unknown, own?: string }} Kept */

// What `round` is asked to do; src/js/rounds.rs has the same numbers.
const BEGIN = 0;
const ASK = 1;
const RECALL = 2;
const RECORD = 3;
const SUSPEND = 4;
const CHECK_ANSWER = 5;
const CHECK_ASK = 6;

// What it answers.
const OPEN_FIRST = 1;
const ANSWERED = 2;
const WRONG = 3;
const UNFIT = 4;
const MISSING = 5;

/**
 * @param {Live} live
 * @param {number} how
 * @param {string[]} parts JSON texts
 * @returns {{ code: number, strings: string[] }}
 */
function round(live, how, parts) {
	const { glue, mailbox } = live;
	return live.call(() => {
		const code = glue.round(mailbox.write(`[${parts.join(",")}]`), how);
		return { code, strings: mailbox.strings() };
	});
}

/** What came of an ask; throws what is wrong with it. @param {number} code @param {string} text */
function outcome(code, text) {
	if (code === WRONG) throw new McpError("INVALID_ARGUMENT", text);
	if (code === UNFIT) throw new ProtocolError(INVALID_PARAMS, text, { reason: "invalid_input_response" });
	if (code === MISSING) {
		const { code: rpcCode, message, data } = JSON.parse(text);
		throw new ProtocolError(rpcCode, message, data);
	}
	return text;
}

/**
 * Whether a client can be asked that.
 * @param {Live} live
 * @param {unknown} ask its method and params
 * @param {unknown} capabilities as far as they are known
 */
export function checkAsk(live, ask, capabilities) {
	const { code, strings } = round(live, CHECK_ASK, [JSON.stringify(ask), JSON.stringify(capabilities ?? null)]);
	outcome(code, strings[1]);
}

/**
 * What a client answered, with the defaults of a form.
 * @param {Live} live
 * @param {unknown} ask its method and params
 * @param {unknown} answer
 */
export function checkAnswer(live, ask, answer) {
	const { code, strings } = round(live, CHECK_ANSWER, [JSON.stringify(ask), JSON.stringify(answer ?? null)]);
	return JSON.parse(outcome(code, strings[1]));
}

/** What runs once gives; nothing travels as null. @param {() => any} run */
export const valueFrom = async (run) => (await run()) ?? null;

/** The asks of one run of a handler. */
export class Rounds {
	#live;
	#run;
	#suspend;

	/**
	 * @param {Live} live
	 * @param {unknown} kept of the last run
	 * @param {string} responses of this request, JSON
	 * @param {() => void} suspend ends the run, once all that is asked at once has been asked
	 */
	constructor(live, kept, responses, suspend) {
		this.#live = live;
		this.#suspend = suspend;
		this.#run = round(live, BEGIN, [JSON.stringify(kept ?? null), responses]).strings[0];
	}

	/**
	 * @param {string} method
	 * @param {unknown} params
	 * @param {string} [key] of the answer; the order of the asks without
	 * @returns {Promise<any>} never settles if there is no answer yet: the call ends, and nobody waits
	 */
	async ask(method, params, key) {
		const { code, strings } = round(this.#live, ASK, [this.#run, JSON.stringify({ method, params, key })]);
		this.#run = strings[0];
		if (code >= ANSWERED) return JSON.parse(outcome(code, strings[1]));
		if (code === OPEN_FIRST) setTimeout(this.#suspend);
		return new Promise(() => {});
	}

	/** @param {string} key @param {() => any} run */
	async once(key, run) {
		const name = JSON.stringify(key);
		const { code, strings } = round(this.#live, RECALL, [this.#run, name]);
		if (code === ANSWERED) return JSON.parse(strings[1]);
		const value = await valueFrom(run);
		this.#run = round(this.#live, RECORD, [this.#run, name, JSON.stringify(value)]).strings[0];
		return value;
	}

	/** What goes out with the end of the run, and what the next one has to know, if anything. */
	get ended() {
		const [requests, kept] = round(this.#live, SUSPEND, [this.#run]).strings;
		return { requests: JSON.parse(requests), kept: kept === "" ? undefined : JSON.parse(kept) };
	}
}
