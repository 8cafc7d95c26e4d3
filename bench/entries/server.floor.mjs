// The least worker, to see what the runtime itself costs.
export default {
	/** @param {Request} request */
	async fetch(request) {
		const { id, params } = await request.json();
		return Response.json({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text: params.arguments.text }] } });
	},
};
