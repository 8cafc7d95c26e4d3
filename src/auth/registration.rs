//! Who the client is at an authorization server (basic/authorization/client-registration).

use super::discovery::{Server, object};
use super::failure::{Failure, Step};
use super::request::Method;
use super::uri;
use crate::protocol::json::{Raw, Writer};

/// A client's identity at one authorization server.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Credentials {
    /// `client_id`, verbatim.
    pub client_id: String,
    /// `client_secret`, where there is one.
    pub client_secret: Option<String>,
    /// How it authenticates at the token endpoint; unset: chosen by the server's metadata.
    pub method: Option<Method>,
    /// The issuer that it belongs to; unset: not yet bound.
    pub issuer: Option<String>,
    /// When the secret ends, in seconds since 1970; 0: never.
    pub secret_expires_at: i64,
}

impl Credentials {
    /// Reads credentials: of an application's options, of the storage, or of a registration response.
    pub fn read(raw: Raw<'_>) -> Option<Self> {
        let text = |name: &str| raw.get_str(name).map(|text| text.into_owned());
        Some(Self {
            client_id: text("client_id").filter(|id| !id.is_empty())?,
            client_secret: text("client_secret").filter(|secret| !secret.is_empty()),
            method: text("token_endpoint_auth_method").and_then(|name| Method::parse(&name)),
            issuer: text("issuer"),
            secret_expires_at: raw.get("client_secret_expires_at").and_then(Raw::as_i64).unwrap_or(0),
        })
    }

    /// The text to store.
    pub fn write(&self) -> String {
        let mut out = Writer::new();
        out.open_object().name("client_id").string(&self.client_id);
        let method = self.method.map(Method::as_str);
        for (name, value) in [
            ("client_secret", self.client_secret.as_deref()),
            ("token_endpoint_auth_method", method),
            ("issuer", self.issuer.as_deref()),
        ] {
            if let Some(value) = value {
                out.name(name).string(value);
            }
        }
        out.name("client_secret_expires_at").integer(self.secret_expires_at).close_object();
        out.finish()
    }

    /// Whether the secret can still be used.
    pub fn is_current(&self, now_seconds: i64) -> bool {
        self.secret_expires_at == 0 || self.secret_expires_at > now_seconds
    }
}

/// How to become a client of a server.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Choice {
    /// It is one.
    Known(Credentials),
    /// Register at that endpoint.
    Register(String),
}

/// What the client can be, before it knows the server.
#[derive(Clone, Copy, Debug)]
pub struct Candidates<'a> {
    /// What the application was given by the server's owner.
    pub registered: Option<&'a Credentials>,
    /// What an earlier registration at this issuer gave.
    pub stored: Option<&'a Credentials>,
    /// The https URL of the application's own metadata document.
    pub metadata_url: Option<&'a str>,
}

/// Chooses in the specification's order: pre-registered, metadata document, dynamic registration.
///
/// # Errors
///
/// The pre-registered client belongs to another issuer, or nothing is left but to ask the user.
pub fn choose(candidates: &Candidates<'_>, server: &Server, now_seconds: i64) -> Result<Choice, Failure> {
    let issuer = &server.issuer;
    if let Some(registered) = candidates.registered {
        return match &registered.issuer {
            Some(of) if of != issuer => Err(Failure::new(
                Step::Registration,
                &["the client ", &registered.client_id, " is registered at ", of, ", not at ", issuer],
            )),
            _ => Ok(Choice::Known(registered.clone())),
        };
    }
    if let Some(url) = candidates.metadata_url.filter(|_| server.reads_metadata_documents) {
        let credentials =
            Credentials { client_id: url.to_owned(), issuer: Some(issuer.clone()), ..Credentials::default() };
        return Ok(Choice::Known(credentials));
    }
    let is_usable =
        |stored: &&Credentials| stored.issuer.as_ref().is_none_or(|of| of == issuer) && stored.is_current(now_seconds);
    if let Some(stored) = candidates.stored.filter(is_usable) {
        return Ok(Choice::Known(stored.clone()));
    }
    match &server.registration_endpoint {
        Some(endpoint) => Ok(Choice::Register(endpoint.clone())),
        None => Err(Failure::new(
            Step::Registration,
            &[issuer, " registers no clients by itself: give the client_id that its owner gave you"],
        )),
    }
}

/// What a client says of itself when it registers.
#[derive(Clone, Copy, Debug)]
pub struct Description<'a> {
    /// `client_name`
    pub name: &'a str,
    /// `redirect_uris`
    pub redirect_uri: &'a str,
    /// `scope`; empty: left out.
    pub scope: &'a str,
    /// How it wants to authenticate.
    pub method: Method,
}

/// `application_type` by the redirect URI: loopback addresses and schemes of one's own are native.
pub fn application_type(redirect_uri: &str) -> &'static str {
    let is_web = |url: uri::Url<'_>| url.scheme.eq_ignore_ascii_case("https") && !url.is_loopback();
    if uri::split(redirect_uri).is_some_and(is_web) { "web" } else { "native" }
}

/// The body of a registration request (RFC 7591 §3.1).
pub fn body(description: &Description<'_>) -> String {
    let Description { name, redirect_uri, scope, method } = *description;
    let mut out = Writer::new();
    out.open_object().name("client_name").string(name);
    out.name("redirect_uris").open_array().string(redirect_uri).close_array();
    out.name("grant_types").open_array().string("authorization_code").string("refresh_token").close_array();
    out.name("response_types").open_array().string("code").close_array();
    out.name("token_endpoint_auth_method").string(method.as_str());
    out.name("application_type").string(application_type(redirect_uri));
    if !scope.is_empty() {
        out.name("scope").string(scope);
    }
    out.close_object();
    out.finish()
}

/// The credentials in the answer to a registration request; 201 is right, 200 is common.
///
/// # Errors
///
/// The server refused, with what it said, or gave no `client_id`.
pub fn response(status: u16, answer: &[u8], issuer: &str) -> Result<Credentials, Failure> {
    let raw = object(answer);
    if status != 200 && status != 201 {
        return Err(super::response::refused(Step::Registration, issuer, status, raw));
    }
    match raw.and_then(Credentials::read) {
        Some(credentials) => Ok(Credentials { issuer: Some(issuer.to_owned()), ..credentials }),
        None => Err(Failure {
            status,
            ..Failure::new(Step::Registration, &["the registration at ", issuer, " gave no client_id"])
        }),
    }
}
