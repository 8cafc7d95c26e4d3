// Runs an edge worker in the real `workerd`, on a free port of the loopback interface.

import { access, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, posix, resolve } from "node:path";
import { end, ownedFolder, spawnOwned } from "./processes.mjs";

/** Every `import … from "x"`, `export … from "x"`, `import "x"` that starts a line or a statement. */
const STATIC_IMPORT = /(?:^|[\n;}])\s*(?:import|export)\b(?:[^"'`;()]*?\bfrom)?\s*["']([^"'\n]+)["']/g;
/** Every `import("x")` with a literal. */
const DYNAMIC_IMPORT = /\bimport\s*\(\s*["']([^"'\n]+)["']\s*\)/g;

/** Documentation, whose types may be imported from modules that the worker never loads. */
const DOCUMENTATION = /\/\*\*\s.*?\*\//gs;

/**
 * One module of a worker: its name in workerd, and where its bytes are.
 * @typedef {{ name: string, kind: "esModule" | "wasm" | "json" | "text", source: string | Uint8Array }} Module
 */

/** @param {string} path */
const readable = (path) =>
	access(path).then(
		() => true,
		() => false,
	);

/**
 * The file that an `exports` value names under workerd's conditions.
 * @param {unknown} target
 * @returns {string | undefined}
 */
function workerdTarget(target) {
	if (typeof target === "string") return target;
	if (!target || typeof target !== "object") return undefined;
	for (const [condition, inner] of Object.entries(target)) {
		if (["workerd", "worker", "import", "default"].includes(condition)) {
			const found = workerdTarget(inner);
			if (found) return found;
		}
	}
	return undefined;
}

/**
 * The modules that a worker reaches, for a workerd configuration. Relative specifiers are files
 * beside the importing one; bare ones are looked up in `packages` by their `exports`.
 * @param {string} main the worker's file
 * @param {Record<string, string>} packages package name to folder
 * @param {string} [source] text to use in place of the file's
 * @returns {Promise<Module[]>} the worker first
 */
export async function workerModules(main, packages, source) {
	/** @type {Map<string, Module>} */
	const modules = new Map();
	/** @type {Map<string, Record<string, unknown>>} */
	const exportsOf = new Map();
	const root = dirname(resolve(main));

	/** @param {string} specifier */
	async function packageEntry(specifier) {
		for (const [name, folder] of Object.entries(packages)) {
			if (specifier !== name && !specifier.startsWith(`${name}/`)) continue;
			let map = exportsOf.get(name);
			if (!map) {
				map = JSON.parse(await readFile(join(folder, "package.json"), "utf8")).exports ?? {};
				exportsOf.set(name, map ?? {});
			}
			const target = workerdTarget(map?.[`.${specifier.slice(name.length)}`]);
			if (!target) throw new Error(`${name} has no entry ${JSON.stringify(specifier)} for workerd`);
			return { name: posix.join("node_modules", name, target), file: join(folder, target) };
		}
		return undefined;
	}

	/**
	 * @param {string} name
	 * @param {string} file
	 * @param {string} [given]
	 */
	async function add(name, file, given) {
		if (modules.has(name)) return;
		if (name.endsWith(".wasm")) {
			modules.set(name, { name, kind: "wasm", source: await readFile(file) });
			return;
		}
		if (name.endsWith(".json") || name.endsWith(".txt")) {
			const kind = name.endsWith(".json") ? "json" : "text";
			modules.set(name, { name, kind, source: await readFile(file, "utf8") });
			return;
		}
		const text = given ?? (await readFile(file, "utf8"));
		/** @type {Module} */
		const module = { name, kind: "esModule", source: text };
		modules.set(name, module);
		const code = text.replaceAll(DOCUMENTATION, "");
		for (const [pattern, optional] of /** @type {const} */ ([
			[STATIC_IMPORT, false],
			[DYNAMIC_IMPORT, true],
		])) {
			for (const [, specifier] of code.matchAll(pattern)) {
				if (/^(node|cloudflare|workerd):/.test(specifier) || specifier.endsWith(".d.ts")) continue;
				if (specifier.startsWith(".")) {
					const target = join(dirname(file), specifier);
					if (optional && !(await readable(target))) continue;
					await add(posix.join(posix.dirname(name), specifier), target);
					continue;
				}
				const entry = await packageEntry(specifier);
				if (!entry) {
					if (optional) continue;
					throw new Error(`${name} imports ${JSON.stringify(specifier)}, which is in no given package`);
				}
				await add(entry.name, entry.file);
				// workerd reads a bare specifier as a path beside the importing module.
				const alias = posix.join(posix.dirname(name), specifier);
				if (!modules.has(alias)) {
					const path = posix.relative(posix.dirname(alias), entry.name);
					const relative = path.startsWith(".") ? path : `./${path}`;
					modules.set(alias, { name: alias, kind: "esModule", source: `export * from ${JSON.stringify(relative)};\n` });
				}
			}
		}
	}

	await add(posix.basename(main), join(root, posix.basename(main)), source);
	return [...modules.values()];
}

/** @param {string} text */
const quoted = (text) => JSON.stringify(text);

/**
 * @param {Module[]} modules
 * @param {{ env: Record<string, string>, flags: string[], date: string, sockets: number }} options
 */
function capnp(modules, { env, flags, date, sockets }) {
	const list = modules.map(({ name, kind }, index) => `(name = ${quoted(name)}, ${kind} = embed "m/${index}")`);
	const bindings = Object.entries(env).map(([name, text]) => `(name = ${quoted(name)}, text = ${quoted(text)})`);
	const open = Array.from(
		{ length: sockets },
		(_, n) => `(name = "http${n}", address = "127.0.0.1:0", http = (), service = "main")`,
	);
	return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "internet", network = (allow = ["local"]))
  ],
  sockets = [${open.join(", ")}]
);
const worker :Workerd.Worker = (
  modules = [${list.join(",\n    ")}],
  bindings = [${bindings.join(", ")}],
  compatibilityDate = ${quoted(date)},
  compatibilityFlags = [${flags.map(quoted).join(", ")}]
);
`;
}

/** The path of the `workerd` binary, or an error that says how to get it. */
async function binary() {
	try {
		return (await import("workerd")).default.default;
	} catch (cause) {
		throw new Error("workerd is not installed: run `npm run setup`", { cause });
	}
}

/**
 * A worker that answers at `url` until `stop()`.
 * @typedef {{ url: string, urls: string[], pid: number, output: () => string, stop: () => Promise<void>, [Symbol.asyncDispose]: () => Promise<void> }} RunningWorker
 */

/**
 * Starts a worker and resolves once it listens. It may reach loopback addresses and nothing else.
 * @param {object} options
 * @param {string} options.main the worker's file; what it imports is found from there
 * @param {string} [options.source] text to use in place of that file's; relative imports start at `main`
 * @param {Record<string, string>} [options.packages] package name to folder, e.g. `{ "mcp-duet": "pkg" }`
 * @param {Record<string, string>} [options.env] text bindings
 * @param {string[]} [options.flags] compatibility flags
 * @param {string} [options.date] compatibility date
 * @param {number} [options.sockets] how many ports, each its own origin; `urls` lists them
 * @param {number} [options.startMs] how long the start may take
 * @param {boolean} [options.echo] copies what workerd prints to this process's stderr
 * @returns {Promise<RunningWorker>}
 */
export async function startWorker({
	main,
	source,
	packages = {},
	env = {},
	flags = [],
	date = "2026-06-01",
	sockets = 1,
	startMs = 30_000,
	echo = false,
}) {
	const [program, modules] = await Promise.all([binary(), workerModules(main, packages, source)]);
	const { path: folder, remove } = await ownedFolder("mcp-duet-workerd-");
	await mkdir(join(folder, "m"));
	await Promise.all(modules.map((module, index) => writeFile(join(folder, "m", String(index)), module.source)));
	await writeFile(join(folder, "config.capnp"), capnp(modules, { env, flags, date, sockets }));

	const child = spawnOwned(program, ["serve", "--control-fd=3", join(folder, "config.capnp")], {
		stdio: ["ignore", "pipe", "pipe", "pipe"],
	});
	let output = "";
	for (const stream of [child.stdout, child.stderr]) {
		stream?.setEncoding("utf8").on("data", (/** @type {string} */ text) => {
			output = (output + text).slice(-65_536);
			if (echo) process.stderr.write(text);
		});
	}

	/** @type {Map<string, number>} */
	const ports = new Map();
	/** @type {NodeJS.Timeout | undefined} */
	let timer;
	try {
		await new Promise((ready, failed) => {
			timer = setTimeout(() => failed(new Error(`workerd did not listen within ${startMs} ms\n${output}`)), startMs);
			child.once("error", (cause) => failed(new Error(`workerd could not be started: ${cause.message}`, { cause })));
			child.once("close", (code) => failed(new Error(`workerd ended with status ${code}\n${output}`)));
			let told = "";
			/** @type {import("node:stream").Readable} */ (child.stdio[3]).setEncoding("utf8").on("data", (text) => {
				told += text;
				for (let at = told.indexOf("\n"); at >= 0; at = told.indexOf("\n")) {
					const event = JSON.parse(told.slice(0, at));
					told = told.slice(at + 1);
					if (event.event === "listen") ports.set(event.socket, event.port);
				}
				if (ports.size === sockets) ready(undefined);
			});
		});
	} catch (error) {
		await end(child);
		await remove();
		throw error;
	} finally {
		clearTimeout(timer);
	}

	const urls = Array.from({ length: sockets }, (_, n) => `http://127.0.0.1:${ports.get(`http${n}`)}`);
	const stop = async () => {
		await end(child);
		await remove();
	};
	return {
		url: urls[0],
		urls,
		pid: /** @type {number} */ (child.pid),
		output: () => output,
		stop,
		[Symbol.asyncDispose]: stop,
	};
}
