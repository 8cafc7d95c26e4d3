export * from "./lib/node.js";
