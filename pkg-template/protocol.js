export * from "./lib/protocol.js";
