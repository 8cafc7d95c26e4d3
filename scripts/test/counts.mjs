// How many tests a step's output says passed and failed.

/**
 * @param {string} output of cargo test, wasm-bindgen-test, node:test or the conformance run
 * @returns {{ ran: boolean, passed: number, failed: number, skipped: number, listed: number }} `listed`: scenarios that
 *   fail as the list in tests/conformance says; one that fails unlisted makes the run itself fail
 */
export function counts(output) {
	const total = { ran: false, passed: 0, failed: 0, skipped: 0, listed: 0 };
	/** @param {number} passed @param {number} failed @param {number} skipped */
	const add = (passed, failed, skipped) => {
		total.ran = true;
		total.passed += passed;
		total.failed += failed;
		total.skipped += skipped;
	};
	for (const line of output.split("\n")) {
		const cargo = /^test result: .*?(\d+) passed; (\d+) failed; (\d+) ignored/.exec(line);
		if (cargo) add(Number(cargo[1]), Number(cargo[2]), Number(cargo[3]));
		const conformance = /^conformance-\w+: (\d+) passed, (\d+) failed, (\d+) skipped/.exec(line);
		if (conformance) {
			add(Number(conformance[1]), 0, Number(conformance[3]));
			total.listed += Number(conformance[2]);
		}
		const node = /^(?:ℹ|#) (pass|fail|cancelled|skipped|todo) (\d+)$/.exec(line);
		if (node) {
			const n = Number(node[2]);
			if (node[1] === "pass") add(n, 0, 0);
			else if (node[1] === "fail" || node[1] === "cancelled") add(0, n, 0);
			else add(0, 0, n);
		}
	}
	return total;
}
