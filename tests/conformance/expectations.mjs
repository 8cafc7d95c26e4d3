// Results against the one list of what does not work yet.

/** @typedef {import("./suite.mjs").Result} Result */
/** @typedef {import("./suite.mjs").Side} Side */
/**
 * Keys are `side revision scenario`, values the reason.
 * @typedef {{ failed: Record<string, string>, skipped: Record<string, string> }} Expectations
 */
/** @typedef {{ result: Result, expected: boolean, reason: string }} Verdict */

/**
 * @param {Side} side
 * @param {Result} result
 */
export const keyOf = (side, result) => `${side} ${result.revision} ${result.scenario}`;

/**
 * What is as the list says, what is not, and which entries no longer hold. Only entries of the
 * side are looked at, and of those only the ones that were run or do not exist at all.
 * @param {Side} side
 * @param {Result[]} results
 * @param {Expectations} list
 * @param {boolean} complete whether everything of the side was run
 */
export function compare(side, results, list, complete) {
	const verdicts = results.map((result) => {
		const entries = result.outcome === "passed" ? undefined : list[result.outcome];
		const reason = entries?.[keyOf(side, result)];
		return { result, expected: result.outcome === "passed" || reason !== undefined, reason: reason ?? "" };
	});
	const outcomes = new Map(results.map((result) => [keyOf(side, result), result.outcome]));
	const stale = [];
	for (const outcome of /** @type {const} */ (["failed", "skipped"])) {
		for (const key of Object.keys(list[outcome])) {
			if (!key.startsWith(`${side} `)) continue;
			const came = outcomes.get(key);
			if (came === undefined ? complete : came !== outcome)
				stale.push(`${key}: listed as ${outcome}, ${came ?? "not in the suite"}`);
		}
	}
	const count = (/** @type {string} */ outcome) => results.filter((result) => result.outcome === outcome).length;
	return {
		verdicts,
		stale,
		unexpected: verdicts.filter((verdict) => !verdict.expected),
		counts: { passed: count("passed"), failed: count("failed"), skipped: count("skipped") },
	};
}
