// Modules that the tooling uses and that come without types.

declare module "workerd" {
	/** A CommonJS module's exports; its own default is the path of the program. */
	const exports: { default: string };
	export default exports;
}
