import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, test } from "node:test";
import { ownedFolder } from "../../scripts/processes.mjs";
import { startWorker, workerModules } from "../../scripts/workerd.mjs";

const { path: folder, remove } = await ownedFolder("mcp-duet-test-");
const main = join(folder, "worker.js");
after(remove);

test("a worker in workerd imports a package's entry, its wasm and its text bindings", async () => {
	await mkdir(join(folder, "pkg/wasm"), { recursive: true });
	await writeFile(
		join(folder, "pkg/package.json"),
		JSON.stringify({
			exports: { "./server": { types: "./x.d.ts", workerd: "./server.workerd.js", default: "./x.js" } },
		}),
	);
	await writeFile(
		join(folder, "pkg/server.workerd.js"),
		'import module from "./wasm/x.wasm";\nexport const wasm = module;\n',
	);
	await writeFile(join(folder, "pkg/wasm/x.wasm"), Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0));
	const source = `import { wasm } from "demo/server";
		export default { fetch: (request, env) => new Response(env.CITY + " " + (wasm instanceof WebAssembly.Module)) };`;
	const worker = await startWorker({
		main,
		source,
		packages: { demo: join(folder, "pkg") },
		env: { CITY: '北京 "\n' },
		sockets: 2,
	});
	try {
		assert.equal(worker.urls.length, 2);
		for (const url of worker.urls) assert.equal(await (await fetch(url)).text(), '北京 "\n true');
	} finally {
		await worker.stop();
	}
	await assert.rejects(fetch(worker.url), "a stopped worker no longer listens");
});

test("a worker that does not compile is reported with workerd's own words", async () => {
	await assert.rejects(startWorker({ main, source: "syntax error" }), /workerd ended with status 1.*SyntaxError/s);
});

test("an import that no given package has is named", async () => {
	await assert.rejects(startWorker({ main, source: 'import "nowhere";' }), /imports "nowhere"/);
});

test("a module that only a type names is not given to workerd", async () => {
	await writeFile(join(folder, "used.js"), "export const used = true;\n");
	await writeFile(join(folder, "typed.js"), "export const typed = true;\n");
	const source = `/** @typedef {import("./typed.js").Typed} Typed */
		export default { fetch: async () => new Response(String((await import("./used.js")).used)) };`;
	const names = (await workerModules(main, {}, source)).map(({ name }) => name);
	assert.deepEqual(names, ["worker.js", "used.js"]);
});
