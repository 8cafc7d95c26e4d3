// A handler's call: run, run again with what the client answered, ended. Its arguments are parsed here, once.
// src/js/server.rs is the other half.

import { completed } from "./core.js";
import { cannot } from "./server-asks.js";
import { Context } from "./server-context.js";
import { INPUT_REQUIRED, Result } from "./server-result.js";
import { checkAnswer, checkAsk, Rounds, valueFrom } from "./server-rounds.js";
import { ASK, COMPLETION, METHOD, RESOURCE, TEMPLATE } from "./server-ticket.js";

/** @typedef {import("./server-parts.js").Answer} Answer */
/** @typedef {import("../errors.js").ProtocolError} ProtocolError */

/** A handler's call. */
export class Call extends Result {
	/** @type {import("./server-rounds.js").Kept | undefined} what an earlier run of the handler left */
	#kept;
	/** @type {Promise<Rounds> | undefined} */
	#rounds;
	/** What runs once, and has not failed. @type {Map<string, Promise<any>> | undefined} */
	#once;
	/** @type {((answer: Answer | Promise<Answer>) => void) | undefined} ends the call */
	#end;

	/** @returns {Answer | Promise<Answer>} */
	start() {
		return this.numbers[19] === 0 ? this.#run() : this.#resume();
	}

	/** Runs the handler again, with what its last run left. */
	async #resume() {
		const state = JSON.parse(this.span(18));
		const { seal } = this.inside;
		try {
			this.#kept = seal ? await seal.open(state, this.#identity) : { own: state };
		} catch (error) {
			return completed(() => this.protocolError(/** @type {ProtocolError} */ (error)));
		}
		return this.#run();
	}

	/** @returns {Answer | Promise<Answer>} */
	#run() {
		/** @type {any} */
		let value;
		try {
			value = this.#invoke();
			if (typeof value?.then !== "function") return this.settle(value);
		} catch (error) {
			return this.fail(error);
		}
		return new Promise((resolve, reject) => {
			// The handler cannot be stopped, but what it gives after the core has died is nobody's answer.
			const forget = this.held.live.onDeath(reject);
			const end = (/** @type {Answer | Promise<Answer>} */ answer) => {
				this.#end = undefined;
				forget();
				resolve(answer);
			};
			this.#end = end;
			const fail = (/** @type {unknown} */ error) => {
				try {
					end(this.fail(error));
				} catch (crash) {
					forget();
					reject(crash);
				}
			};
			value.then((/** @type {any} */ value) => {
				try {
					end(this.settle(value));
				} catch (error) {
					fail(error);
				}
			}, fail);
		});
	}

	/** What a sealed state is bound to: the handler, its input, and whose call it is. */
	get #identity() {
		const [kind, index] = this.numbers;
		const name = kind === RESOURCE ? null : this.held.running[kind][index].key;
		const whose = this.inside.principal(this.options.authInfo) ?? null;
		return JSON.stringify([kind, name, this.input() ?? null, whose]);
	}

	/** Ends a run that asks: with all that it asked at once. */
	#suspend() {
		const end = this.#end;
		// The handler may have ended without waiting for an answer.
		if (end === undefined) return;
		const { seal } = this.inside;
		const ask = async () => {
			const { requests, kept } = (await this.#asking).ended;
			if (kept !== undefined && seal === undefined) {
				const message = "A handler that asks again after an answer needs the server's option requestState: { key }";
				return completed(() => this.failed(message));
			}
			const requestState = await seal?.seal({ run: kept }, this.#identity);
			const result = { resultType: INPUT_REQUIRED, inputRequests: requests, requestState };
			return completed(() => this.whole(result, true));
		};
		end(ask().catch((error) => this.fail(error)));
	}

	/** @param {string} state */
	sealed(state) {
		return this.inside.seal?.seal({ own: state }, this.#identity);
	}

	/**
	 * Asks the client.
	 * @param {string} method
	 * @param {unknown} params
	 * @param {string} [key]
	 * @returns {Promise<any>}
	 */
	async ask(method, params, key) {
		if (this.numbers[0] >= COMPLETION) throw cannot("only tools, resources and prompts can ask");
		if (this.version.era === "modern") return (await this.#asking).ask(method, params, key);
		const { send, signal, session, onAsk } = this.options;
		if (send === undefined) throw cannot("the client cannot be asked: its request came without a stream");
		const { live } = await this.inside.whole();
		await this.held.live.complete();
		const asked = { method, params };
		checkAsk(live, asked, this.client?.capabilities);
		onAsk?.call(this.options);
		const answer = await this.inside.waiting.ask(
			(id) => {
				const { strings, status } = this.rare(ASK, JSON.stringify({ id, ...asked }), this.numbers[13]);
				const [text, refusal, withdrawal, late] = strings;
				if (refusal) throw cannot(refusal);
				send(text);
				return { withdraw: () => send(withdrawal), late, ms: status };
			},
			signal,
			session,
		);
		return checkAnswer(live, asked, answer);
	}

	/**
	 * @template T
	 * @param {string} key
	 * @param {() => T | Promise<T>} run
	 * @returns {Promise<T>}
	 */
	once(key, run) {
		this.#once ??= new Map();
		let running = this.#once.get(key);
		if (running === undefined) {
			running = this.version.era === "modern" ? this.#asking.then((rounds) => rounds.once(key, run)) : valueFrom(run);
			this.#once.set(key, running);
			// What failed has not happened.
			running.catch(() => this.#once?.delete(key));
		}
		return running;
	}

	get #asking() {
		this.#rounds ??= this.inside
			.whole()
			.then(({ live }) => new Rounds(live, this.#kept?.run, this.responsesText, () => this.#suspend()));
		return this.#rounds;
	}

	get requestState() {
		return this.#kept?.own;
	}

	/** @returns {any} */
	#invoke() {
		const [kind, index] = this.numbers;
		const { running, complete, methods } = this.held;
		const context = new Context(this);
		switch (kind) {
			case RESOURCE:
				return running[kind][index].run(this.input(), context);
			case TEMPLATE:
				return running[kind][index].run(this.input(), JSON.parse(this.text(3)), context);
			case COMPLETION:
				return complete(this.input(), context);
			case METHOD:
				return methods[index](this.input(), context);
			default:
				return running[kind][index].run(this.input() ?? {}, context);
		}
	}
}
