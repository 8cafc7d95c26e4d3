// The type of `mcp-duet/wasm/*.wasm` where the platform imports it as a module: Workers, Deno.

declare const module: WebAssembly.Module;
export default module;
