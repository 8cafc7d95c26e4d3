// The page of a real host: `AppBridge` of ext-apps, and what it and the View said to each other.

import { AppBridge, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge";

/**
 * @typedef {object} Mount
 * @property {string} [sandbox] address of the sandbox proxy; without one the View is in a frame of this page
 * @property {string} html
 * @property {string} inner the View's `sandbox`
 * @property {any} [context]
 * @property {any} [capabilities]
 * @property {number} [delayMs] how much too late the host listens
 */

/** @type {any} */
const page = globalThis;
// What tests evaluate here calls it so.
page.g = page;

/** Everything that was said, in order; `view` says who. @type {{ view: boolean, message: any }[]} */
page.trace = [];
/** What the View asked for. @type {any[]} */
page.asked = [];
/** What the handlers answer, by method. @type {Record<string, (params: any, extra: any) => any>} */
page.answers = {};

const HANDLERS = {
	onmessage: "ui/message",
	onopenlink: "ui/open-link",
	ondownloadfile: "ui/download-file",
	onrequestdisplaymode: "ui/request-display-mode",
	onupdatemodelcontext: "ui/update-model-context",
	oncalltool: "tools/call",
	oncreatesamplingmessage: "sampling/createMessage",
	onlistresources: "resources/list",
	onreadresource: "resources/read",
};

/** @param {Mount} options */
page.mount = async ({ sandbox, html, inner, context = {}, capabilities = {}, delayMs }) => {
	const frame = document.createElement("iframe");
	frame.style.cssText = "border: 0; width: 400px; height: 150px";
	document.body.append(frame);
	const { contentWindow } = frame;
	if (!contentWindow) throw new Error("the frame has no window");
	addEventListener("message", ({ source, data }) => {
		if (source === contentWindow) page.trace.push({ view: true, message: data });
	});
	if (!sandbox) frame.setAttribute("sandbox", inner);
	if (delayMs) {
		frame.srcdoc = html;
		await new Promise((resolve) => setTimeout(resolve, delayMs));
	}
	/** @type {any} */
	const bridge = new AppBridge(null, { name: "real host", version: "1.0.0" }, capabilities, { hostContext: context });
	for (const [handler, method] of Object.entries(HANDLERS)) {
		const answer = async (/** @type {any} */ params, /** @type {any} */ extra) => {
			page.asked.push({ method, params });
			return (await page.answers[method]?.(params, extra)) ?? {};
		};
		bridge[handler] = answer;
	}
	bridge.onsizechange = ({ height } = /** @type {any} */ ({})) => {
		if (height !== undefined) frame.style.height = `${height}px`;
	};
	const initialized = new Promise((resolve) => {
		bridge.oninitialized = resolve;
	});
	bridge.onsandboxready = () => bridge.sendSandboxResourceReady({ html, sandbox: inner });
	const transport = new PostMessageTransport(contentWindow, contentWindow);
	const send = transport.send.bind(transport);
	transport.send = (message, options) => {
		page.trace.push({ view: false, message });
		return send(message, options);
	};
	await bridge.connect(transport);
	if (sandbox) frame.src = sandbox;
	else if (!delayMs) frame.srcdoc = html;
	page.bridge = bridge;
	page.frame = frame;
	page.initialized = initialized;
};
