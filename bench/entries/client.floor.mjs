import { headers, request } from "../fixtures.mjs";

/** @param {string} url */
export async function main(url) {
	/** @param {number} id @param {string} method @param {any} [params] */
	async function ask(id, method, params) {
		const body = JSON.stringify(request("modern", id, method, params));
		const response = await fetch(url, { method: "POST", headers: headers("modern", method, params?.name), body });
		return (await response.json()).result;
	}
	const { tools } = await ask(1, "tools/list");
	const { content } = await ask(2, "tools/call", { name: tools[0].name, arguments: { text: "hello" } });
	document.body.append(JSON.stringify(content));
}
