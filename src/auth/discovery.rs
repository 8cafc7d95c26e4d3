//! Metadata documents: of the protected resource (RFC 9728) and of the authorization server
//! (RFC 8414, OpenID Connect Discovery). Nothing in them is used before it was checked.

use super::failure::{Failure, Step};
use super::uri;
use crate::protocol::json::Raw;

/// A metadata document may be this long, in bytes: real ones have a few thousand.
pub const MAX_DOCUMENT_BYTES: usize = 256 * 1024;

/// What protected resource metadata says.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Resource {
    /// The identifier, verbatim; sent as `resource`.
    pub resource: String,
    /// The authorization server to use: the first one listed, unless another one is chosen.
    pub issuer: String,
    /// All that are listed, as far as secrets may be sent there.
    pub issuers: Vec<String>,
    /// `scopes_supported`, spaces in between.
    pub scopes: String,
}

/// Reads the metadata of the resource at `server`; `None`: this is no such document, try elsewhere.
///
/// # Errors
///
/// The document speaks of another resource, or names no authorization server.
pub fn resource(document: &[u8], server: &str) -> Result<Option<Resource>, Failure> {
    let Some(raw) = object(document) else { return Ok(None) };
    let Some(resource) = raw.get_str("resource") else { return Ok(None) };
    if !uri::covers(&resource, server) {
        let message = ["the metadata of ", server, " speaks of another resource: ", &resource];
        return Err(Failure::new(Step::Resource, &message));
    }
    let servers = raw.get("authorization_servers");
    let listed: Vec<_> = servers.into_iter().flat_map(Raw::elements).filter_map(Raw::as_str).collect();
    let Some(first) = listed.first() else {
        let message = ["the metadata of ", server, " lists no authorization server (authorization_servers)"];
        return Err(Failure::new(Step::Resource, &message));
    };
    let issuers: Vec<_> = listed.iter().filter(|url| uri::is_secure(url)).map(|url| url.to_string()).collect();
    let Some(issuer) = issuers.first().cloned() else {
        let message = ["the authorization server must be an https URL, got ", first];
        return Err(Failure::new(Step::Resource, &message));
    };
    Ok(Some(Resource { resource: resource.into_owned(), issuer, issuers, scopes: words(raw, "scopes_supported") }))
}

/// What authorization server metadata says.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Server {
    /// The issuer identifier, verbatim.
    pub issuer: String,
    /// Where the user is sent; not every grant needs it.
    pub authorization_endpoint: Option<String>,
    /// Where tokens come from.
    pub token_endpoint: String,
    /// Where clients register, if they may.
    pub registration_endpoint: Option<String>,
    /// `scopes_supported`, spaces in between.
    pub scopes: String,
    /// `token_endpoint_auth_methods_supported`, spaces in between; empty: not said.
    pub auth_methods: String,
    /// Whether `code_challenge_methods_supported` has `S256`.
    pub offers_s256: bool,
    /// `authorization_response_iss_parameter_supported`
    pub sends_issuer: bool,
    /// `client_id_metadata_document_supported`
    pub reads_metadata_documents: bool,
}

/// Reads the metadata of the issuer; `None`: this is no such document, try elsewhere.
///
/// # Errors
///
/// The document is another issuer's (compared exactly: a slash more is another one), lacks the
/// token endpoint, or an endpoint is neither https nor on this machine. None of these is a
/// reason to look elsewhere.
pub fn server(document: &[u8], issuer: &str) -> Result<Option<Server>, Failure> {
    let Some(raw) = object(document) else { return Ok(None) };
    let Some(said) = raw.get_str("issuer") else { return Ok(None) };
    if said != issuer {
        let message = ["the metadata must have the issuer ", issuer, " exactly, got ", &said];
        return Err(Failure::new(Step::Server, &message));
    }
    let endpoint = |name: &str| match raw.get_str(name) {
        Some(url) if !uri::is_secure(&url) => {
            let message = [name, " of ", issuer, " must be an https URL, got ", &url];
            Err(Failure::new(Step::Server, &message))
        }
        url => Ok(url.map(|url| url.into_owned())),
    };
    let Some(token_endpoint) = endpoint("token_endpoint")? else {
        return Err(Failure::new(Step::Server, &["the metadata of ", issuer, " has no token_endpoint"]));
    };
    Ok(Some(Server {
        issuer: issuer.to_owned(),
        authorization_endpoint: endpoint("authorization_endpoint")?,
        token_endpoint,
        registration_endpoint: endpoint("registration_endpoint")?,
        scopes: words(raw, "scopes_supported"),
        auth_methods: words(raw, "token_endpoint_auth_methods_supported"),
        offers_s256: list_has(raw, "code_challenge_methods_supported", "S256"),
        sends_issuer: is_true(raw, "authorization_response_iss_parameter_supported"),
        reads_metadata_documents: is_true(raw, "client_id_metadata_document_supported"),
    }))
}

/// The authorization server of a resource server from before protected resource metadata that
/// publishes no metadata either: default endpoints at its origin (2025-03-26,
/// basic/authorization, Fallbacks for Servers without Metadata Discovery).
pub fn default_server(origin: &str) -> Server {
    Server {
        issuer: origin.to_owned(),
        authorization_endpoint: Some([origin, "/authorize"].concat()),
        token_endpoint: [origin, "/token"].concat(),
        registration_endpoint: Some([origin, "/register"].concat()),
        // That revision has PKCE required of every server.
        offers_s256: true,
        ..Server::default()
    }
}

pub(super) fn object(document: &[u8]) -> Option<Raw<'_>> {
    Raw::parse(document).ok().filter(|raw| raw.is_object())
}

fn is_true(raw: Raw<'_>, name: &str) -> bool {
    raw.get(name).and_then(Raw::as_bool) == Some(true)
}

fn list_has(raw: Raw<'_>, name: &str, wanted: &str) -> bool {
    raw.get(name).is_some_and(|list| list.elements().filter_map(Raw::as_str).any(|value| value == wanted))
}

/// The strings of a list, spaces in between.
fn words(raw: Raw<'_>, name: &str) -> String {
    let mut out = String::new();
    for word in raw.get(name).into_iter().flat_map(Raw::elements).filter_map(Raw::as_str) {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(&word);
    }
    out
}
