// The client's flows for the auth/* scenarios: a user who agrees at once, by following the redirect.

import { Client } from "mcp-duet";
import { authorizationCode, clientCredentials, enterpriseManaged, workloadIdentity } from "mcp-duet/auth";

const redirectUri = "http://localhost:3000/callback";

/** @param {string} url */
async function authorize(url) {
	const response = await fetch(url, { redirect: "manual" });
	const location = response.headers.get("location");
	if (!location) throw new Error(`the authorization endpoint answered ${response.status} without a redirect`);
	return location;
}

/** @param {Record<string, unknown>} [more] */
const asUser = (more) => authorizationCode({ redirectUri, authorize, clientName: "mcp-duet-conformance", ...more });

/**
 * The provider that a scenario is about.
 * @param {string} scenario
 * @param {any} context
 */
function provider(scenario, context) {
	const client = { clientId: context.client_id, clientSecret: context.client_secret };
	switch (scenario) {
		case "auth/basic-cimd":
			return asUser({ clientMetadataUrl: "https://conformance-test.local/client-metadata.json" });
		case "auth/pre-registration":
			return asUser({ client });
		case "auth/dpop":
		case "auth/dpop-nonce":
			return asUser({ dpop: true });
		case "auth/client-credentials-basic":
			return clientCredentials(client);
		case "auth/client-credentials-jwt":
			return clientCredentials({
				clientId: context.client_id,
				privateKey: context.private_key_pem,
				algorithm: context.signing_algorithm,
			});
		case "auth/enterprise-managed-authorization":
			return enterpriseManaged({
				...client,
				identityProvider: {
					clientId: context.idp_client_id,
					tokenEndpoint: context.idp_token_endpoint,
					subjectToken: context.idp_id_token,
				},
			});
		case "auth/wif-jwt-bearer":
			return workloadIdentity({ assertion: context.valid_jwt });
		default:
			return asUser();
	}
}

/** What must be refused, and how. @type {Record<string, ((error: any) => boolean) | undefined>} */
const refused = {
	"auth/resource-mismatch": ({ code, step }) => code === "AUTHORIZATION" && step === "resource",
	"auth/metadata-issuer-mismatch": ({ code, step }) => code === "AUTHORIZATION" && step === "server",
	"auth/scope-retry-limit": ({ code, status }) => code === "HTTP" && status === 403,
};
for (const name of ["iss-supported-missing", "iss-wrong-issuer", "iss-unexpected", "iss-normalized"]) {
	refused[`auth/${name}`] = ({ code, step }) => code === "AUTHORIZATION" && step === "authorization";
}

/**
 * @param {string} scenario
 * @param {string} url
 * @param {any} context
 */
export async function authorizing(scenario, url, context) {
	const expected = refused[scenario];
	try {
		await use(scenario, url, context);
	} catch (error) {
		if (expected?.(error)) return;
		throw error;
	}
	if (expected) throw new Error(`${scenario}: the client went on where it has to stop`);
}

/**
 * @param {string} scenario
 * @param {string} url
 * @param {any} context
 */
async function use(scenario, url, context) {
	const clientInfo = { name: "mcp-duet-conformance", version: "1.0.0" };
	const client = new Client({ url, clientInfo, auth: provider(scenario, context) });
	await client.connect();
	const { tools } = await client.listTools();
	await client.callTool(tools[0]?.name ?? "test-tool", {});
	await client.close();
}
