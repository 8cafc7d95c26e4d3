// How a test learns what happens inside a handler.

/** Tells a test how far the tool `wait` has got. */
export class Watch {
	/** @type {() => void} */
	start = () => {};
	/** @type {() => void} */
	cancel = () => {};
	started = new Promise((resolve) => {
		this.start = () => resolve(undefined);
	});
	cancelled = new Promise((resolve) => {
		this.cancel = () => resolve(undefined);
	});
}
