// A View: the page of an MCP App, in the frame that its host gives it. No WebAssembly, which the policy of that
// frame forbids; what the host side knows in Rust, this side has generated (lib/apps-facts.js).

export { McpError, ProtocolError } from "../errors.js";
export { connectView, View } from "../lib/view.js";
export { applyFonts, applyStyleVariables, applyTheme, followHostStyles } from "../lib/view-style.js";
