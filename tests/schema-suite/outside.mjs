// The verdicts compared with those of Ajv, which compiles schemas to JavaScript and shares no code or idea with ours.
//
// `make(folder)` makes up schemas and instances, `compare(folder)` looks at the verdicts on them and on the suite.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";

/** Where Ajv's verdict is another one, and why ours is right: the suite says so. @type {Record<string, string>} */
const EXCEPTIONS = {
	"dynamicRef.json": "Ajv resolves $dynamicRef by anchors of the same name only",
	"recursiveRef.json": "Ajv follows $recursiveRef without $recursiveAnchor",
	"ref.json": "Ajv does not resolve some relative, URN and root references, and looks at what is beside $ref in draft-07",
	"required.json": "Ajv finds members of Object.prototype",
	"properties.json": "Ajv finds members of Object.prototype",
	"unevaluatedItems.json": "Ajv does not see what contains, nested items and a lone if have evaluated",
	"unevaluatedProperties.json": "Ajv does not see what a lone if has evaluated, nor cyclic references",
	"vocabulary.json": "ours refuses an unknown dialect, Ajv takes it for the default one",
};

/** The same on made-up schemas, as a test of the schema's text. @type {[RegExp, string][]} */
const MADE_UP_EXCEPTIONS = [
	[/"unevaluated(Items|Properties)"/, "as in the suite: what an if, contains or nested items have evaluated"],
	[/"multipleOf":0\.\d/, "Ajv divides doubles, ours decimals"],
	[/"(x|y)":\{"\$ref":"#\/\$defs\/\1"\}/, "Ajv's stack overflows where a schema only refers to itself"],
];

/** A generator of numbers that its seed determines (SplitMix32). @param {number} seed */
function random(seed) {
	let state = seed;
	return (/** @type {number} */ below) => {
		state = (state + 0x9e3779b9) | 0;
		let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
		mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
		return ((mixed ^ (mixed >>> 15)) >>> 0) % below;
	};
}

/** @param {ReturnType<typeof random>} below */
function maker(below) {
	/** @template T @param {T[]} list @returns {T} */
	const one = (list) => list[below(list.length)];
	const name = () => one(["a", "b", "北", "a/b"]);
	/** @param {number} depth @returns {unknown} */
	const instance = (depth) => {
		const kind = below(depth > 2 ? 5 : 8);
		if (kind === 0) return null;
		if (kind === 1) return below(2) === 0;
		if (kind <= 3) return one([0, 1, -1, 2, 3, 2.5, 0.3, 1e3, 4]);
		if (kind === 4) return one(["", "a", "ab", "北京", "😀", "2020-01-01", "aaa"]);
		const length = below(4);
		if (kind === 5) return Array.from({ length }, () => instance(depth + 1));
		return Object.fromEntries(Array.from({ length }, () => [name(), instance(depth + 1)]));
	};
	/** @param {number} depth @returns {any} */
	const schema = (depth) => {
		if (below(12) === 0) return below(3) > 0;
		/** @type {Record<string, () => unknown>} */
		const leaf = {
			type: () => one(["object", "array", "string", "number", "integer", "boolean", "null", ["string", "null"]]),
			enum: () => [instance(1), instance(1), instance(1)].filter((value, at, all) => at === 0 || !same(value, all[0])),
			const: () => instance(1),
			minimum: () => below(4) - 1,
			exclusiveMaximum: () => below(4) + 0.5,
			multipleOf: () => one([1, 2, 0.1, 0.5]),
			minLength: () => below(3),
			maxLength: () => below(4),
			pattern: () => one(["^a", "b$", "^.{1,2}$", "\\p{L}", "[^a]", "a+"]),
			minItems: () => below(3),
			maxItems: () => below(4),
			uniqueItems: () => true,
			minProperties: () => below(3),
			maxProperties: () => below(4),
			required: () => [name()],
			dependentRequired: () => ({ a: ["b"] }),
		};
		/** @type {Record<string, () => unknown>} */
		const nested = {
			properties: () => ({ a: schema(depth + 1), [name()]: schema(depth + 1) }),
			patternProperties: () => ({ [one(["^a", "b", "."])]: schema(depth + 1) }),
			additionalProperties: () => schema(depth + 1),
			propertyNames: () => schema(depth + 1),
			dependentSchemas: () => ({ a: schema(depth + 1) }),
			prefixItems: () => [schema(depth + 1), schema(depth + 1)],
			items: () => schema(depth + 1),
			contains: () => schema(depth + 1),
			allOf: () => [schema(depth + 1), schema(depth + 1)],
			anyOf: () => [schema(depth + 1), schema(depth + 1)],
			oneOf: () => [schema(depth + 1), schema(depth + 1)],
			not: () => schema(depth + 1),
			if: () => schema(depth + 1),
			// biome-ignore lint/suspicious/noThenProperty: the keyword has that name
			then: () => schema(depth + 1),
			else: () => schema(depth + 1),
			unevaluatedProperties: () => schema(depth + 1),
			unevaluatedItems: () => schema(depth + 1),
			$ref: () => one(["#/$defs/x", "#/$defs/y"]),
		};
		/** @type {Record<string, unknown>} */
		const out = {};
		for (let count = below(3) + 1; count > 0; count--) {
			const table = depth < 3 && below(2) === 0 ? nested : leaf;
			const keyword = one(Object.keys(table));
			out[keyword] = table[keyword]();
		}
		if (depth === 0) out.$defs = { x: schema(2), y: schema(2) };
		return out;
	};
	return { instance, schema };
}

/** @param {unknown} left @param {unknown} right */
const same = (left, right) => JSON.stringify(left) === JSON.stringify(right);

/** @param {string} folder */
export function make(folder) {
	const { instance, schema } = maker(random(20260728));
	const groups = Array.from({ length: 3000 }, () => {
		const whole = schema(0);
		const cases = Array.from({ length: 4 }, () => ({ data: JSON.stringify(instance(0)) }));
		return { schema: JSON.stringify(whole === true || whole === false ? { not: !whole } : whole), cases };
	});
	writeFileSync(join(folder, "made-up.in.json"), JSON.stringify(groups));
}

/** @type {[string, any][]} */
const DIALECTS = [
	["draft2020-12", Ajv2020],
	["draft2019-09", Ajv2019],
	["draft7", Ajv],
	["made-up", Ajv2020],
];

/** @param {string} folder */
export function compare(folder) {
	let failures = 0;
	for (const [name, Validator] of DIALECTS) {
		const { documents, groups } = JSON.parse(readFileSync(join(folder, `${name}.json`), "utf8"));
		/** @type {Record<string, number>} */
		const excepted = {};
		let [count, skipped] = [0, 0];
		for (const { file = name, what = "", schema, cases } of groups) {
			if (file.startsWith("optional/")) continue;
			const verdict = outside(Validator, name, documents, JSON.parse(schema));
			for (const { data, verdict: own } of cases) {
				count++;
				const theirs = verdict(JSON.parse(data));
				if (theirs === own) continue;
				const reason = EXCEPTIONS[file] ?? MADE_UP_EXCEPTIONS.find(([pattern]) => pattern.test(schema))?.[1];
				if (reason === undefined) {
					failures++;
					console.error(`${name} ${file} ${what}: ours ${own}, Ajv's ${theirs}\n  ${schema}\n  ${data}`);
				} else {
					skipped++;
					excepted[reason] = (excepted[reason] ?? 0) + 1;
				}
			}
		}
		console.log(`${name}: ${count} verdicts compared with Ajv's, ${skipped} differ for a reason that is known`);
		for (const [reason, times] of Object.entries(excepted)) console.log(`  ${times} ${reason}`);
	}
	return failures;
}

/**
 * @param {any} Validator
 * @param {string} draft
 * @param {[string, string][]} documents
 * @param {unknown} schema
 * @returns {(data: unknown) => boolean | string}
 */
function outside(Validator, draft, documents, schema) {
	try {
		const ajv = new Validator({ strict: false, validateFormats: false, validateSchema: false, logger: false });
		for (const [uri, text] of documents) {
			if (/localhost:1234\/draft/.test(uri) ? uri.includes(`/${draft}/`) : uri.includes("localhost")) {
				ajv.addSchema(JSON.parse(text), uri);
			}
		}
		const validate = ajv.compile(schema);
		return (data) => {
			try {
				return validate(data);
			} catch (error) {
				return String(error);
			}
		};
	} catch (error) {
		return () => String(error);
	}
}
