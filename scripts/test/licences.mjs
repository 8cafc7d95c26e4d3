// The crates that the project builds with come from a registry, not from a git repository, under licences that it may use.

import { ask, Failure, script } from "../workspace.mjs";

const ALLOWED = new Set(["MIT", "Apache-2.0", "Unicode-3.0", "Unlicense", "Zlib"]);

/** Whether a licence expression can be met: one alternative of each part. @param {string} expression */
const met = (expression) =>
	expression.split(" AND ").every((part) =>
		part
			.replaceAll(/[()]/g, "")
			.split(/ OR |\//)
			.some((licence) => ALLOWED.has(licence.trim())),
	);

await script(async () => {
	/** @type {{ name: string, version: string, license: string | null, source: string | null }[]} */
	const packages = ["Cargo.toml", "examples/reqwest/Cargo.toml"].flatMap((manifest) => {
		const text = ask("cargo", ["metadata", "--format-version", "1", "--locked", "--manifest-path", manifest]);
		if (text === undefined) throw new Failure(`cargo metadata --locked failed for ${manifest}`);
		return JSON.parse(text).packages;
	});
	const wrong = packages
		.filter(({ license, source }) => !met(license ?? "") || (source !== null && !source.startsWith("registry+")))
		.map(
			({ name, version, license, source }) => `${name} ${version}: ${license ?? "no licence"}, ${source ?? "local"}`,
		);
	if (wrong.length > 0) throw new Failure(wrong.join("\n"));
	console.log(`${packages.length} packages`);
});
