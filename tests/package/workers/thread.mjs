// A server in a thread of its own, which says what it hears.

import { parentPort, workerData } from "node:worker_threads";
import { Server } from "mcp-duet";
import { broadcastBus } from "mcp-duet/bus";

const port = /** @type {import("node:worker_threads").MessagePort} */ (parentPort);
const bus = broadcastBus(workerData);
bus.publish("no event");
const server = new Server({ name: "far", version: "1", bus });
server.notify({ type: "prompts_list_changed" });
server.notify({ type: "tools_list_changed" });
bus.subscribe(
	() => port.postMessage("heard"),
	() => {},
);
port.postMessage("told");
// Stays until it is ended.
port.on("message", () => {});
