// Modules that the tooling uses and that come without types.

declare module "workerd" {
	/** A CommonJS module's exports; its own default is the path of the program. */
	const exports: { default: string };
	export default exports;
}

declare module "autocannon" {
	/** The part of the load generator that the benchmark uses. */
	export default function autocannon(options: {
		url: string;
		method: "POST";
		headers: Record<string, string>;
		body: string;
		connections: number;
		duration: number;
	}): Promise<{
		requests: { average: number };
		latency: { p50: number; p99: number };
		errors: number;
		non2xx: number;
	}>;
}

declare module "oidc-provider" {
	const Provider: any;
	export default Provider;
}

declare module "react-dom/client" {
	export function createRoot(element: Element | null): { render(node: unknown): void; unmount(): void };
}
