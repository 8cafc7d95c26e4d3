//! What an authorization starts from.

use super::discovery::object;
use super::registration::Credentials;
use super::token::Tokens;
use crate::protocol::json::Raw;

/// How the client gets its tokens.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Grant {
    /// A user agrees in a browser.
    AuthorizationCode,
    /// The client acts on its own behalf.
    ClientCredentials,
    /// A workload shows an assertion that somebody else signed (RFC 7523 §2.1).
    JwtBearer {
        /// The assertion.
        assertion: String,
    },
    /// An enterprise's identity provider vouches for the user: token exchange, then jwt-bearer.
    IdentityAssertion {
        /// The identity provider's token endpoint.
        token_endpoint: String,
        /// The client at the identity provider.
        client: Credentials,
        /// What the user signed in with.
        subject_token: String,
        /// Its type, a URN.
        subject_token_type: String,
    },
}

/// The application's side of it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Setup {
    /// The MCP server's address as it was given.
    pub server_url: String,
    /// How tokens are got.
    pub grant: Grant,
    /// A client that is registered already.
    pub registered: Option<Credentials>,
    /// The https URL of the client's metadata document.
    pub metadata_url: Option<String>,
    /// The client's name, for registrations.
    pub client_name: String,
    /// Where the user comes back to, verbatim.
    pub redirect_uri: String,
    /// Scopes to ask for where the challenge names none.
    pub scope: String,
    /// Issuers that support S256 without saying so.
    pub assumed_s256: Vec<String>,
    /// Whether the application chooses where a resource lists several authorization servers.
    pub chooses_server: bool,
    /// The algorithm of the client's key; empty: it has none.
    pub key_algorithm: String,
    /// `kid` of that key; may be empty.
    pub key_id: String,
    /// The public key of DPoP proofs, a JSON Web Key; empty: no DPoP.
    pub dpop_key: String,
}

impl Setup {
    /// Reads the setup that the driver wrote, one JSON object with this structure's names.
    pub fn read(text: &[u8]) -> Option<Self> {
        let raw = object(text)?;
        let text = |name: &str| owned(raw, name);
        let grant = match text("grant").as_str() {
            "client_credentials" => Grant::ClientCredentials,
            "jwt_bearer" => Grant::JwtBearer { assertion: text("assertion") },
            "identity_assertion" => {
                let provider = raw.get("identity_provider")?;
                Grant::IdentityAssertion {
                    token_endpoint: owned(provider, "token_endpoint"),
                    client: Credentials::read(provider)?,
                    subject_token: owned(provider, "subject_token"),
                    subject_token_type: owned(provider, "subject_token_type"),
                }
            }
            _ => Grant::AuthorizationCode,
        };
        let assumed = raw.get("assumed_s256").into_iter().flat_map(Raw::elements).filter_map(Raw::as_str);
        Some(Self {
            server_url: text("server_url"),
            grant,
            registered: raw.get("registered").and_then(Credentials::read),
            metadata_url: Some(text("metadata_url")).filter(|url| !url.is_empty()),
            client_name: text("client_name"),
            redirect_uri: text("redirect_uri"),
            scope: text("scope"),
            assumed_s256: assumed.map(|issuer| issuer.into_owned()).collect(),
            chooses_server: raw.get("chooses_server").and_then(Raw::as_bool) == Some(true),
            key_algorithm: text("key_algorithm"),
            key_id: text("key_id"),
            dpop_key: raw.get("dpop_key").filter(|key| key.is_object()).map_or("", Raw::as_text).to_owned(),
        })
    }
}

/// Random values for one flow, drawn by the driver. Base64url of at least 32 bytes for the
/// verifier and 16 for the others.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Secrets {
    /// `state`
    pub state: String,
    /// `code_verifier` (RFC 7636)
    pub verifier: String,
    /// Base64url of the verifier's SHA-256.
    pub challenge: String,
    /// What the identifiers of this flow's assertions and proofs begin with.
    pub jti: String,
}

/// What set one flow off.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Start {
    /// The value of `WWW-Authenticate`, where it came and could be read.
    pub challenge: Option<String>,
    /// What the client has.
    pub tokens: Option<Tokens>,
    /// Random values.
    pub secrets: Secrets,
}

impl Start {
    /// Reads what the driver wrote: one JSON object with this structure's names.
    pub fn read(text: &[u8]) -> Option<Self> {
        let raw = object(text)?;
        let text = |name: &str| owned(raw, name);
        Some(Self {
            challenge: raw.get_str("challenge").map(|text| text.into_owned()),
            tokens: raw.get("tokens").and_then(Tokens::read),
            secrets: Secrets {
                state: text("state"),
                verifier: text("verifier"),
                challenge: text("code_challenge"),
                jti: text("jti"),
            },
        })
    }
}

fn owned(raw: Raw<'_>, name: &str) -> String {
    raw.get_str(name).unwrap_or_default().into_owned()
}
