// Curves as SVG: both axes logarithmic, so that what grows in proportion is a line at 45 degrees.

const WIDTH = 640;
const HEIGHT = 400;
const MARGIN = { left: 70, right: 20, top: 40, bottom: 50 };

/**
 * @typedef {object} Curve
 * @property {string} name
 * @property {string} axis what is counted
 * @property {{ size: number, microseconds: number }[]} points
 */

/** @param {number} value */
const power = (value) => (value >= 1e6 ? `${value / 1e6} M` : value >= 1e3 ? `${value / 1e3} k` : String(value));

/** @param {number} microseconds */
const duration = (microseconds) =>
	microseconds >= 1e6
		? `${microseconds / 1e6} s`
		: microseconds >= 1e3
			? `${microseconds / 1e3} ms`
			: `${microseconds} µs`;

/**
 * How steep a curve is between two neighbouring points: 1 grows in proportion.
 * @param {Curve} curve
 */
export const steepest = ({ points }) =>
	Math.max(
		...points.slice(1).map(({ size, microseconds }, index) => {
			const before = points[index];
			return Math.log(microseconds / before.microseconds) / Math.log(size / before.size);
		}),
	);

/** @param {Curve} curve */
export function plot({ name, axis, points }) {
	const decades = (/** @type {number[]} */ values) => ({
		from: Math.floor(Math.log10(Math.min(...values))),
		to: Math.max(Math.ceil(Math.log10(Math.max(...values))), Math.floor(Math.log10(Math.min(...values))) + 1),
	});
	const across = decades(points.map(({ size }) => size));
	const up = decades(points.map(({ microseconds }) => microseconds));
	/** @param {number} value */
	const x = (value) =>
		MARGIN.left +
		((Math.log10(value) - across.from) / (across.to - across.from)) * (WIDTH - MARGIN.left - MARGIN.right);
	/** @param {number} value */
	const y = (value) =>
		HEIGHT -
		MARGIN.bottom -
		((Math.log10(value) - up.from) / (up.to - up.from)) * (HEIGHT - MARGIN.top - MARGIN.bottom);
	/** @param {number} value */
	const at = (value) => value.toFixed(1);

	const grid = [];
	for (let exponent = across.from; exponent <= across.to; exponent++) {
		const position = at(x(10 ** exponent));
		grid.push(`<path class="grid" d="M${position} ${MARGIN.top}V${HEIGHT - MARGIN.bottom}"/>`);
		grid.push(
			`<text x="${position}" y="${HEIGHT - MARGIN.bottom + 18}" text-anchor="middle">${power(10 ** exponent)}</text>`,
		);
	}
	for (let exponent = up.from; exponent <= up.to; exponent++) {
		const position = y(10 ** exponent);
		grid.push(`<path class="grid" d="M${MARGIN.left} ${at(position)}H${WIDTH - MARGIN.right}"/>`);
		grid.push(
			`<text x="${MARGIN.left - 8}" y="${at(position + 4)}" text-anchor="end">${duration(10 ** exponent)}</text>`,
		);
	}
	const line = points.map(({ size, microseconds }) => `${at(x(size))},${at(y(microseconds))}`).join(" ");
	const dots = points.map(
		({ size, microseconds }) => `<circle cx="${at(x(size))}" cy="${at(y(microseconds))}" r="4"/>`,
	);
	return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${name}">
<style>
svg { background: #fff; font: 13px system-ui, sans-serif; fill: #1f2937; }
.grid { stroke: #d1d5db; fill: none; }
polyline { stroke: #1d4ed8; stroke-width: 2; fill: none; }
circle { fill: #1d4ed8; }
</style>
<text x="${MARGIN.left}" y="24" font-size="15">${name}</text>
${grid.join("\n")}
<polyline points="${line}"/>
${dots.join("\n")}
<text x="${WIDTH - MARGIN.right}" y="${HEIGHT - 10}" text-anchor="end">${axis}</text>
</svg>
`;
}
