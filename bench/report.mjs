// What was measured, as tables.

import { interval, median, verdict } from "./measure.mjs";
import { MESSAGE_MICROSECONDS } from "./operations.mjs";
import { steepest } from "./plot.mjs";

/** @param {number} value with three significant digits or all before the point */
function short(value) {
	if (value >= 100) return Math.round(value).toLocaleString("en").replaceAll(",", " ");
	return value.toPrecision(value >= 10 ? 3 : 2);
}

/** @param {string[]} head @param {string[][]} rows */
function table(head, rows) {
	const line = (/** @type {string[]} */ cells) => `| ${cells.join(" | ")} |`;
	return [line(head), `|${"---|".repeat(head.length)}`, ...rows.map(line)].join("\n");
}

/**
 * Ours through theirs, round by round.
 * @param {number[]} ours
 * @param {number[]} theirs
 */
const ratios = (ours, theirs) => ours.map((value, round) => value / theirs[round]);

/** @param {number[]} all */
function ratio(all) {
	if (all.length === 0) return "";
	const { low, high } = interval(all);
	return `${short(median(all))} (${short(low)}–${short(high)})`;
}

/** @param {number[]} all @param {number | undefined} goal */
const kept = (all, goal) => (goal === undefined ? "" : `≤ ${short(goal)}: ${verdict(all, goal)}`);

/** @param {any[]} rows */
function operationTable(rows) {
	return table(
		["operation", "ours µs", "SDK µs", "floor µs", "to the SDK", "goal", "to the floor", "goal"],
		rows.map(({ name, goal, cpu }) => {
			const toSdk = ratios(cpu.duet, cpu.sdk);
			const toFloor = ratios(cpu.duet, cpu.floor);
			return [
				name,
				...[cpu.duet, cpu.sdk, cpu.floor].map((all) => short(median(all))),
				...[ratio(toSdk), kept(toSdk, goal.sdk), ratio(toFloor), kept(toFloor, goal.floor)],
			];
		}),
	);
}

/** @param {any[]} rows @param {string} by */
const groups = (rows, by) => [...new Set(rows.map((row) => row[by]))];

/** @param {any[]} rows */
function startTable(rows) {
	return table(
		["cold start", "ours ms", "SDK ms", "floor ms", "to the SDK", "ours less the floor"],
		groups(rows, "runtime").map((runtime) => {
			const [duet, sdk, floor] = ["duet", "sdk", "floor"].map((adapter) =>
				rows.filter((row) => row.runtime === runtime && row.adapter === adapter).map(({ ms }) => ms),
			);
			const more = duet.map((ms, round) => ms - floor[round]);
			return [
				runtime,
				...[duet, sdk, floor].map((all) => short(median(all))),
				ratio(ratios(duet, sdk)),
				`${short(median(more))} ms`,
			];
		}),
	);
}

/** @param {any[]} rows */
function socketTable(rows) {
	const out = [];
	for (const connections of groups(rows, "connections")) {
		const of = (/** @type {string} */ server, /** @type {string} */ what) =>
			rows.filter((row) => row.connections === connections && row.server === server).map((row) => row[what]);
		for (const server of groups(rows, "server")) {
			const sdk = "sdk on Node";
			out.push([
				`${server}, ${connections} connection${connections === 1 ? "" : "s"}`,
				...["perSecond", "p50", "p99"].map((what) => short(median(of(server, what)))),
				ratio(ratios(of(server, "perSecond"), of(sdk, "perSecond"))),
				ratio(ratios(of(server, "p99"), of(sdk, "p99"))),
			]);
		}
	}
	return table(["server", "requests/s", "p50 ms", "p99 ms", "requests to the SDK on Node", "p99 to it"], out);
}

/** @param {any} measured what run.mjs puts together */
export function report({ machine, rounds, operations, start, page, memory, sizes, sockets, growth }) {
	const { confidence } = interval(Array.from({ length: rounds }, (_, n) => n));
	const parts = [
		`${machine.processor}, ${machine.cores} cores, Node ${machine.node}; ${rounds} rounds; CPU time; ratios are medians of the rounds', in brackets what holds the median with ${(confidence * 100).toFixed(0)} %.`,
	];
	if (operations.length > 0) {
		parts.push(operationTable(operations));
		const message = operations.find((/** @type {any} */ row) => row.name === "message, call 100 B");
		if (message) {
			const held = verdict(message.cpu.duet, MESSAGE_MICROSECONDS);
			parts.push(`message, call 100 B: at most ${MESSAGE_MICROSECONDS} µs: ${held}`);
		}
	}
	if (start.length + page.length > 0) parts.push(startTable([...start, ...page]));
	if (memory.length > 0) {
		parts.push(
			table(
				["memory over 100 000 calls", "package", "bytes a call", "resident MiB"],
				memory.map((/** @type {any} */ row) => [row.side, row.adapter, row.bytesPerCall.toFixed(1), short(row.rssMiB)]),
			),
		);
	}
	if (sizes.length > 0) {
		parts.push(
			table(
				["downloaded", "package", "raw kB", "gzip kB", "brotli kB"],
				sizes.map((/** @type {any} */ row) => [
					row.name,
					row.adapter,
					...[row.raw, row.gzip, row.brotli].map((bytes) => (bytes / 1000).toFixed(1)),
				]),
			),
		);
	}
	if (sockets.length > 0) parts.push(socketTable(sockets));
	if (growth.length > 0) {
		parts.push(
			table(
				["growth", "steepest (1: in proportion)", "from", "to"],
				growth.map((/** @type {import("./plot.mjs").Curve} */ curve) => {
					const first = curve.points[0];
					const last = /** @type {{ size: number, microseconds: number }} */ (curve.points.at(-1));
					return [
						curve.name,
						short(steepest(curve)),
						`${short(first.microseconds)} µs at ${first.size}`,
						`${short(last.microseconds)} µs at ${last.size}`,
					];
				}),
			),
		);
	}
	return parts.join("\n\n");
}
