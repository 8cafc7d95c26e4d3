/**
 * Buses that reach other isolates, for a {@link ServerDefinition.bus}: what one server tells its clients with `notify`,
 * those of the others hear too. No WebAssembly.
 *
 * @packageDocumentation
 */

import type { ChangeBus } from "./server.js";

export type { BusEvent, ChangeBus, ChangeEvent } from "./server.js";

/**
 * A bus over a `BroadcastChannel`: reaches the threads of one Node, Deno or Bun process, or the pages and workers of one
 * origin.
 *
 * @param name of the channel; `"mcp-duet"` unless set
 */
export function broadcastBus(name?: string): ChangeBus & {
	/** Ends it, and with it the subscriptions that are open. */
	close(): void;
};

/** What `durableObjectBus` needs of a binding. */
export interface HubNamespace {
	idFromName(name: string): any;
	get(id: any): { fetch(input: string, init?: any): Promise<any> };
}

/**
 * A bus over a Durable Object, which reaches every isolate of a Worker. The Worker exports {@link ChangeHub} and binds it.
 * `publish` rejects if the object cannot be reached.
 *
 * @param namespace the binding, or a function that gives it once there is one
 * @param name of the object; `"mcp-duet"` unless set
 */
export function durableObjectBus(namespace: HubNamespace | (() => HubNamespace), name?: string): ChangeBus;

/** The Durable Object behind {@link durableObjectBus}. It keeps nothing and hibernates while nothing happens. */
export class ChangeHub {
	constructor(state: any, env?: unknown);
	fetch(request: Request): Promise<Response>;
	webSocketClose(socket: any, code: number): void;
}
