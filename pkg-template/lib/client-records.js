// What a core has posted, read in order.

import { failure } from "./client-errors.js";

export class Records {
	/** @type {number[]} */
	#numbers = [];
	/** @type {string[]} */
	#strings = [];
	#n = 0;
	#s = 0;

	/** @param {import("./mailbox.js").Mailbox} mailbox */
	read(mailbox) {
		this.#numbers = mailbox.numbers();
		this.#strings = mailbox.strings();
		this.#n = 0;
		this.#s = 0;
	}

	more() {
		return this.#n < this.#numbers.length;
	}

	number() {
		return this.#numbers[this.#n++];
	}

	text() {
		return this.#strings[this.#s++];
	}

	/** A value, if the next number says that there is one. */
	value() {
		return this.number() ? JSON.parse(this.text()) : undefined;
	}

	/**
	 * A result: that of the message that the core was told of, if the next number says so.
	 * @param {any} held
	 */
	result(held) {
		return this.number() ? held.result : JSON.parse(this.text());
	}

	/** @param {unknown} cause what is behind it */
	failure(cause) {
		const strings = this.#strings.slice(this.#s, this.#s + 7);
		this.#s += 7;
		return failure(this.number(), this.number() > 0, strings, cause);
	}
}
