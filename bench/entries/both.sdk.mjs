export { main } from "./client.sdk.mjs";
export { default } from "./server.sdk.mjs";
