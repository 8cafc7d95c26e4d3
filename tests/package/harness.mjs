// Projects that have installed the packed tarball, and programs run in them.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { tarball } from "../../scripts/link.mjs";
import { ask, environment, root } from "../../scripts/workspace.mjs";

const work = join(root, "build/package-tests");

/** A folder in whose node_modules npm has installed the tarball; made once for each tarball. */
function base() {
	const packed = tarball();
	const name = createHash("sha256").update(readFileSync(packed)).digest("hex").slice(0, 16);
	const folder = join(work, name);
	if (existsSync(folder)) return folder;
	const fresh = join(work, `${name}.${process.pid}`);
	mkdirSync(fresh, { recursive: true });
	writeFileSync(join(fresh, "package.json"), '{ "private": true }\n');
	const flags = ["--offline", "--no-audit", "--no-fund", "--no-package-lock"];
	const installed = ask("npm", ["install", "--prefix", fresh, ...flags, packed]);
	assert.notEqual(installed, undefined, "npm install of the tarball failed");
	try {
		renameSync(fresh, folder);
	} catch (error) {
		// Another test process was faster.
		rmSync(fresh, { recursive: true });
		if (!existsSync(folder)) throw error;
	}
	return folder;
}

/** The installed package. */
export const installed = () => join(base(), "node_modules/mcp-duet");

let count = 0;
/** @type {string[]} */
const projects = [];
process.on("exit", () => {
	for (const folder of projects) rmSync(folder, { recursive: true, force: true });
});

/**
 * A project with these files, beside which mcp-duet is installed.
 * @param {Record<string, string>} files
 * @returns {string} its folder
 */
export function project(files) {
	const folder = join(base(), `project-${process.pid}-${count++}`);
	projects.push(folder);
	// Without a configuration of their own, bundlers would take the workspace's, whose paths are not the project's.
	const own = { "package.json": '{ "type": "module" }\n', "tsconfig.json": "{}\n" };
	for (const [path, content] of Object.entries({ ...own, ...files })) {
		mkdirSync(dirname(join(folder, path)), { recursive: true });
		writeFileSync(join(folder, path), content);
	}
	return folder;
}

/**
 * What a program prints; it must succeed and say nothing on standard error.
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd: string, env?: NodeJS.ProcessEnv, stderr?: RegExp }} options
 * @returns {Promise<string>}
 */
export async function output(command, args, { cwd, env, stderr = /^$/ }) {
	const child = spawn(command, args, {
		cwd,
		env: { ...environment, NO_COLOR: "1", ...env },
		stdio: ["ignore", "pipe", "pipe"],
		timeout: 120_000,
		killSignal: "SIGKILL",
	});
	let out = "";
	let err = "";
	child.stdout.setEncoding("utf8").on("data", (text) => {
		out += text;
	});
	child.stderr.setEncoding("utf8").on("data", (text) => {
		err += text;
	});
	const status = await new Promise((resolve, reject) => {
		child.on("error", reject).on("close", (code, signal) => resolve(code ?? signal));
	});
	assert.equal(status, 0, `${command} ${args.join(" ")} ended with ${status}\n${out}\n${err}`);
	assert.match(err.trim(), stderr, `${command} ${args.join(" ")} said something on standard error`);
	return out.trim();
}

/** What the main job gives wherever it runs. */
export const DONE = {
	era: "modern",
	tools: ["weather"],
	text: "北京: sunny",
	resource: "hello 北京",
};

/**
 * The main job: a client and a server of one program, without a constructor or a call that says "load".
 * Defines `job()`.
 * @param {{ from?: string, client?: string, server?: string }} [entries] the import specifiers
 */
export const job = ({ from = "mcp-duet", client = from, server = from } = {}) => `
import { Client } from ${JSON.stringify(client)};
import { Server } from ${JSON.stringify(server)};
${jobBody}`;

/** The same without the imports. */
export const jobBody = `
const server = new Server({
	name: "job",
	version: "1.0.0",
	tools: [{
		name: "weather",
		description: "tells the weather",
		inputSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
		handler: async ({ city }) => city + ": sunny",
	}],
	resources: [{ uri: "note://one", name: "one", read: () => "hello 北京" }],
});
async function job() {
	const client = new Client({ transport: (message, { signal, onMessage }) => server.handleMessage(message, { signal, send: onMessage }) });
	await client.connect();
	const { tools } = await client.listTools();
	const { content } = await client.callTool("weather", { city: "北京" });
	const { contents } = await client.readResource("note://one");
	await client.close();
	return { era: client.era, tools: tools.map((tool) => tool.name), text: content[0].text, resource: contents[0].text };
}
`;
