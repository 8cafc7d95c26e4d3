// Memory after many calls: what the heap holds after full collections, at a tenth and at the end.
//   node --expose-gc bench/memory.mjs '{"adapter":"duet","side":"server","calls":100000}'

import { setImmediate } from "node:timers/promises";
import { prepare } from "./child.mjs";

const { adapter, side, calls } = JSON.parse(process.argv[2]);
const server = side === "server";
const { operation } = await prepare({
	adapter,
	side,
	what: server ? "echo:100" : "text:100",
	via: server ? "fetch" : "json",
	era: "modern",
});

async function held() {
	for (let n = 0; n < 6; n++) {
		globalThis.gc?.();
		await setImmediate();
	}
	const { heapUsed, arrayBuffers, external, rss } = process.memoryUsage();
	return { heap: heapUsed, outside: arrayBuffers + external, rss };
}

const tenth = Math.floor(calls / 10);
let early = await held();
for (let n = 1; n <= calls; n++) {
	await operation();
	if (n === tenth) early = await held();
	if (n % 500 === 0) await setImmediate();
}
const late = await held();
const bytes = late.heap + late.outside - early.heap - early.outside;
console.log(JSON.stringify({ bytesPerCall: bytes / (calls - tenth), rssMiB: late.rss / 1_048_576 }));
process.exit(0);
