// Modules that the tooling uses and that come without types.

declare module "workerd" {
	/** The path of the program. */
	const path: string;
	export default path;
}
