/**
 * Authorization: providers for a client's `auth`, and what an MCP server publishes and checks.
 *
 * The WebAssembly behind it is loaded when a server first asks for an authorization.
 *
 * @packageDocumentation
 */

import type { ClientAuth, Fetch } from "./client.js";
import { McpError } from "./errors.js";

export type { ClientAuth, Fetch } from "./client.js";
export * from "./errors.js";
export * from "./init.js";

/** Where registrations and tokens are kept. Values are secrets. */
export interface AuthStorage {
	get(key: string): string | undefined | null | Promise<string | undefined | null>;
	set(key: string, value: string): void | Promise<void>;
	delete(key: string): void | Promise<void>;
	/** All keys that have a value: what {@link AuthProvider.logout} without a URL forgets after a restart. */
	keys?(): Iterable<string> | Promise<Iterable<string>>;
	/** Runs one authorization at a time for all that share the storage, `navigator.locks` for example. */
	lock?<T>(key: string, work: () => Promise<T>): Promise<T>;
	/**
	 * Gives the key pair that is kept under that name, or makes and keeps one. Without it a DPoP key lives as long as the
	 * provider, and the user is asked again after a restart: tokens are worth nothing without their key.
	 */
	keyPair?(name: string, make: () => Promise<CryptoKeyPair>): Promise<CryptoKeyPair>;
}

/** A provider that keeps tokens. */
export interface AuthProvider extends ClientAuth {
	/**
	 * Forgets the tokens for a server, or for all servers that this provider was used with or whose tokens its storage has
	 * (see {@link AuthStorage.keys}). A log-in that is under way comes to nothing, and step-ups that the user refused may be
	 * asked for again.
	 * @param options `registration` forgets the dynamic registration at their authorization server as well
	 */
	logout(url?: string | URL, options?: { registration?: boolean }): Promise<void>;
	/**
	 * Goes on where a redirect took the page away: `authorize` kept `resume`, went to the URL and
	 * gave a promise that never settles. The storage has to outlive the page.
	 * @param url of the MCP server
	 * @param callback the URL that the user came back with
	 * @param context `resume` is what `authorize` was given
	 */
	finish(url: string | URL, callback: string, context: { resume: string; fetch?: Fetch }): Promise<void>;
}

/** What all providers take. */
export interface GrantOptions {
	/** Scopes to ask for where the server's challenge names none. */
	scope?: string | string[];
	/** @defaultValue in pages {@link browserStorage}, elsewhere kept in memory */
	storage?: AuthStorage;
	/** Binds tokens to a key that cannot be read out (RFC 9449); where it lives is up to the storage. */
	dpop?: boolean;
	/**
	 * Chooses where a resource lists several authorization servers.
	 * @defaultValue the first one
	 */
	chooseAuthorizationServer?: (issuers: string[]) => string | Promise<string>;
}

/** How a client authenticates at the token endpoint. */
export type ClientAuthenticationMethod = "none" | "client_secret_basic" | "client_secret_post" | "private_key_jwt";

/** A client that is registered already. */
export interface RegisteredClient {
	clientId: string;
	clientSecret?: string;
	/** @defaultValue what the authorization server's metadata offers */
	method?: ClientAuthenticationMethod;
	/** A key that may sign, or the PEM of a PKCS #8 key: the client authenticates with `private_key_jwt`. */
	privateKey?: CryptoKey | string;
	/** @defaultValue "ES256" */
	algorithm?: "ES256" | "ES384" | "RS256" | "PS256" | "EdDSA";
	/** `kid` of the key. */
	keyId?: string;
	/**
	 * The authorization server that the client is registered at; any other one is refused.
	 * @defaultValue the one that its first tokens came from
	 */
	issuer?: string;
}

/** Options of {@link authorizationCode}. */
export interface AuthorizationCodeOptions extends GrantOptions {
	/** Where the user comes back to: https, this machine, or a scheme of the application's own. */
	redirectUri: string;
	/**
	 * Opens the URL for the user, and resolves with the URL that the user came back with. Where nobody comes back, it should
	 * reject with an `McpError` of the code `TIMED_OUT`: the server may know a dynamically registered client no more and have
	 * shown the user an error, so that the next attempt registers anew.
	 * @param context `resume` is secret, and for {@link AuthProvider.finish}, as is the MCP server's URL
	 */
	authorize: (url: string, context: { resume: string; serverUrl: string }) => string | Promise<string>;
	/** A client that is registered already. */
	client?: RegisteredClient;
	/** The https URL of the application's client ID metadata document. */
	clientMetadataUrl?: string;
	/** The application's name, for dynamic registration. */
	clientName?: string;
	/** Issuers that support PKCE with S256 without saying so in their metadata; the specification has others refused. */
	assumeS256?: string[];
}

/** A user agrees in a browser: authorization code with PKCE. */
export function authorizationCode(options: AuthorizationCodeOptions): AuthProvider;

/** Options of {@link loopback}. */
export interface LoopbackOptions {
	/** Shows the URL to the user, in a browser. */
	open: (url: string) => unknown;
	/**
	 * Of this machine; the same every time, because it is part of what is registered.
	 * @defaultValue 33418
	 */
	port?: number;
	/** @defaultValue "/callback" */
	path?: string;
	/**
	 * How long the user may take, in milliseconds.
	 * @defaultValue 300 000
	 */
	timeoutMs?: number;
}

/**
 * For programs: the user comes back to a server on this machine that runs for as long as it is needed.
 *
 * @example
 * ```ts
 * const auth = authorizationCode({ ...loopback({ open: (url) => console.log(`Please open ${url}`) }) });
 * ```
 */
export function loopback(options: LoopbackOptions): {
	redirectUri: string;
	authorize: (url: string) => Promise<string>;
};

/** Options of {@link popup}. */
export interface PopupOptions {
	/** A page of this origin that calls {@link finishPopup}. */
	redirectUri: string;
	/** Of the window, as `window.open` takes them. */
	features?: string;
	/**
	 * How long the user may take, in milliseconds.
	 * @defaultValue 300 000
	 */
	timeoutMs?: number;
}

/** For pages: the user agrees in a window of their own. Browsers open one only in answer to a click. */
export function popup(options: PopupOptions): {
	redirectUri: string;
	authorize: (url: string) => Promise<string>;
};

/**
 * For pages: the page itself goes to the authorization server, and the one that the user comes back to calls
 * {@link finishRedirect}. What is needed to go on is in `sessionStorage` meanwhile.
 */
export function redirect(options: {
	/** A page of this origin. */
	redirectUri: string;
}): {
	redirectUri: string;
	authorize: (url: string, context: { resume: string; serverUrl: string }) => Promise<string>;
};

/**
 * What the page at `redirectUri` calls before it uses a client: takes the answer out of its address, and gets the tokens.
 * @param auth a provider with the options of the one that left the page
 * @returns the MCP server's URL; `undefined` where the page was opened for another reason
 * @throws {@link AuthorizationError}
 */
export function finishRedirect(auth: AuthProvider, options?: { fetch?: Fetch }): Promise<string | undefined>;

/** What the page at `redirectUri` calls: hands its address over and closes the window. */
export function finishPopup(): void;

/**
 * A page's storage, and the usual one there: registrations stay in `localStorage`, tokens in `sessionStorage`, DPoP keys in IndexedDB, where no
 * script can read them out. With `shared`, tokens are in IndexedDB too and the tabs of an origin share one log-in; Web Locks
 * see to it that one of them renews at a time.
 */
export function browserStorage(options?: { shared?: boolean }): AuthStorage;

/** Options of {@link clientCredentials}: a secret or a key. */
export interface ClientCredentialsOptions extends GrantOptions, RegisteredClient {}

/** The client acts on its own behalf. */
export function clientCredentials(options: ClientCredentialsOptions): AuthProvider;

/** Options of {@link workloadIdentity}. */
export interface WorkloadIdentityOptions extends GrantOptions {
	/** A JWT that the workload's platform signed for the authorization server. */
	assertion: string | (() => string | Promise<string>);
	clientId?: string;
	clientSecret?: string;
}

/** A workload shows an assertion of its platform (RFC 7523). */
export function workloadIdentity(options: WorkloadIdentityOptions): AuthProvider;

/** Options of {@link enterpriseManaged}. */
export interface EnterpriseManagedOptions extends GrantOptions, RegisteredClient {
	identityProvider: {
		tokenEndpoint: string;
		/** What the user signed in with. */
		subjectToken: string | (() => string | Promise<string>);
		/** @defaultValue "urn:ietf:params:oauth:token-type:id_token" */
		subjectTokenType?: string;
		clientId: string;
		clientSecret?: string;
	};
}

/** An enterprise's identity provider vouches for the user: token exchange, then a JWT bearer grant. */
export function enterpriseManaged(options: EnterpriseManagedOptions): AuthProvider;

/** A token from elsewhere, sent to https URLs and to this machine only. */
export function staticToken(token: string | (() => string | Promise<string>)): ClientAuth & {
	logout(): Promise<void>;
};

/** A storage that is gone with the page or process. */
export function memoryStorage(): AuthStorage;

/** There is no authorization. Holds no token, code or secret. */
export class AuthorizationError extends McpError {
	constructor(message: string, details: { step: string; error?: string; status?: number; cause?: unknown });
	readonly code: "AUTHORIZATION";
	/** What failed. */
	readonly step: "resource" | "server" | "registration" | "authorization" | "token";
	/** The OAuth error code that the server gave. */
	readonly error: string | undefined;
	/** The HTTP status that it came with. */
	readonly status: number | undefined;
}

/** What a verified token says. */
export interface TokenInfo {
	/** Whom it was issued for; the guarded resource has to be among them. */
	audience: string | string[];
	/** What it allows. */
	scopes?: string | string[];
	/** When it ends, in seconds since 1970. */
	expiresAt?: number;
	/** The key that it is bound to: then it has to come with a DPoP proof. */
	cnf?: { jkt?: string };
	[other: string]: unknown;
}

/** Options of {@link protectedResource}. */
export interface ProtectedResourceOptions {
	/** The MCP server's URL as its clients know it: https, or of this machine. */
	resource: string;
	/** The issuers whose tokens it takes: https, or of this machine. */
	authorizationServers: string[];
	scopesSupported?: string[];
	/** What every request needs; `scopes` of a tool says what it needs besides. */
	requiredScopes?: string[];
	/** Takes only tokens that are bound to a key and shown with a proof of it (RFC 9449). */
	requireDpop?: boolean;
	/**
	 * Checks a token's signature or asks its issuer; `undefined` for one that is not valid. {@link jwtVerifier} makes one.
	 * Where it throws, so does the guard: a token is not bad because its issuer is out of reach.
	 */
	verify: (token: string, request: Request) => TokenInfo | undefined | Promise<TokenInfo | undefined>;
}

/** Options of {@link jwtVerifier}. */
export interface JwtVerifierOptions {
	/** Exactly as the tokens have it; https, or of this machine. */
	issuer: string;
	/**
	 * https, or of this machine.
	 * @defaultValue what the issuer's metadata says
	 */
	jwksUri?: string;
	/** @defaultValue the global one */
	fetch?: Fetch;
}

/**
 * A `verify` for access tokens that are JSON Web Tokens (RFC 9068): checks signature, issuer, end and beginning with the keys
 * that the issuer publishes; they are kept for ten minutes. The token's claims are in what it gives. Whom it was issued for is
 * the guard's question.
 */
export function jwtVerifier(options: JwtVerifierOptions): (token: string) => Promise<TokenInfo | undefined>;

/**
 * Guards an MCP server: serves its metadata, refuses requests without a token for it, and
 * hands the others on.
 *
 * @example
 * ```ts
 * const guard = protectedResource({ resource, authorizationServers, verify });
 * export default { fetch: (request) => guard(request, (authInfo) => server.fetch(request, { authInfo })) };
 * ```
 */
export function protectedResource(
	options: ProtectedResourceOptions,
): (
	request: Request,
	next: (authInfo: (TokenInfo & { token: string }) | undefined) => Response | Promise<Response>,
) => Promise<Response>;
