export * from "./lib/transport.js";
