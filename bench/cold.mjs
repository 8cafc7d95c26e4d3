// Cold start: one bundle of a server with one tool, imported by a fresh process, to its first answered call.
//   node --expose-gc bench/cold.mjs '{"file":"/…/bundle.mjs"}'

import { ADDRESS, question } from "./fixtures.mjs";

const { file } = JSON.parse(process.argv[2]);
const { headers, body, right } = question("echo:100", "modern");
const request = () => new Request(ADDRESS, { method: "POST", headers, body });
// What Node loads on the first use of fetch and streams is not the package's.
const stream = new ReadableStream({
	start(controller) {
		controller.enqueue(new TextEncoder().encode("x"));
		controller.close();
	},
});
new TextDecoder().decode(await new Response(stream).bytes());
await request().clone().text();
new AbortController();

const start = performance.now();
const { default: worker } = await import(file);
const imported = performance.now();
const answer = await (await worker.fetch(request())).text();
const answered = performance.now();
if (!right(answer)) throw new Error(`a wrong first answer: ${answer}`);
console.log(JSON.stringify({ importMs: imported - start, answerMs: answered - start }));
process.exit(0);
