/** What {@link init} takes: a URL, the bytes, a compiled module, or a response whose body is the file. */
export type InitInput = string | URL | Response | ArrayBuffer | ArrayBufferView<ArrayBuffer> | WebAssembly.Module;

/**
 * Loads the WebAssembly now, and from there, for those who host it elsewhere. Nobody else
 * needs to call it: it is loaded by itself on the first use.
 *
 * @param source where it is, instead of beside the entry; ignored where an edge worker brings a server's files along
 * @throws {@link McpError} `CORE_NOT_LOADED`, `WASM_FORBIDDEN`
 */
export function init(source?: InitInput | Promise<InitInput>): Promise<void>;
