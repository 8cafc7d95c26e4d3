//! The resource server's side: what it publishes and how it refuses (RFC 9728, RFC 6750 §3).

use super::{challenge, jwt, uri};
use crate::protocol::json::Writer;

/// The protected resource metadata of an MCP server. `requires_dpop`: it takes only tokens that
/// are bound to a key.
pub fn metadata(
    resource: &str,
    authorization_servers: &[&str],
    scopes_supported: &[&str],
    requires_dpop: bool,
) -> String {
    let mut out = Writer::new();
    out.open_object().name("resource").string(resource);
    list(&mut out, "authorization_servers", authorization_servers);
    if !scopes_supported.is_empty() {
        list(&mut out, "scopes_supported", scopes_supported);
    }
    list(&mut out, "bearer_methods_supported", &["header"]);
    if requires_dpop {
        out.name("dpop_bound_access_tokens_required").raw("true");
    }
    out.close_object();
    out.finish()
}

fn list(out: &mut Writer, name: &str, values: &[&str]) {
    out.name(name).open_array();
    for value in values {
        out.string(value);
    }
    out.close_array();
}

/// Where the metadata of a resource is published: the first place where a client looks unasked.
/// `None` for a resource to which no token may be sent: neither https nor on this machine.
pub fn metadata_url(resource: &str) -> Option<String> {
    uri::resource_metadata_urls(resource, None).into_iter().next().filter(|url| uri::is_secure(url))
}

/// How a token is presented: whoever has it may use it, or only who can also sign for it (RFC 9449).
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Scheme {
    /// `Bearer`
    #[default]
    Bearer,
    /// `DPoP`
    Dpop,
}

impl Scheme {
    /// The name of the authentication scheme.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Bearer => "Bearer",
            Self::Dpop => "DPoP",
        }
    }
}

/// A `WWW-Authenticate` value; empty parts are left out.
pub fn challenge(scheme: Scheme, resource_metadata: &str, scope: &str, error: &str, description: &str) -> String {
    let mut out = String::from(scheme.as_str());
    let mut joint = " ";
    for (name, value) in [
        ("error", error),
        ("error_description", description),
        ("scope", scope),
        ("resource_metadata", resource_metadata),
    ] {
        if value.is_empty() {
            continue;
        }
        out.push_str(joint);
        joint = ", ";
        out.push_str(name);
        out.push_str("=\"");
        // RFC 6750 §3: no quotes, no backslashes, printable ASCII.
        out.extend(value.chars().filter(|one| matches!(one, ' '..='~') && !matches!(one, '"' | '\\')));
        out.push('"');
    }
    out
}

/// The token of an `Authorization` header and how it is presented; `None` unless it is well formed.
pub fn presented(header: &str) -> Option<(Scheme, &str)> {
    let (name, token) = header.trim().split_once(' ')?;
    let token = token.trim();
    let scheme =
        [Scheme::Bearer, Scheme::Dpop].into_iter().find(|scheme| scheme.as_str().eq_ignore_ascii_case(name))?;
    (!token.is_empty() && token.bytes().all(challenge::is_token68)).then_some((scheme, token))
}

/// What a verified token says.
#[derive(Clone, Copy, Debug, Default)]
pub struct Verified<'a> {
    /// Whom it was issued for, spaces in between.
    pub audience: &'a str,
    /// What it allows, spaces in between.
    pub scopes: &'a str,
    /// When it ends, in seconds since 1970.
    pub expires_at: Option<i64>,
}

/// What a request carries.
#[derive(Clone, Copy, Debug)]
pub enum Presented<'a> {
    /// No token.
    Nothing,
    /// A token that must not pass; why, without a word of the token.
    Refused(&'a str),
    /// A verified token.
    Token(Verified<'a>),
}

/// Decides about a request to that resource: `None` lets it pass, otherwise it is refused with
/// a status and a `WWW-Authenticate` value of the scheme. `required` are the scopes that it needs,
/// `now` milliseconds since 1970. A token for another audience is refused (RFC 8707,
/// basic/authorization, Token Handling).
pub fn judge(
    resource: &str,
    scheme: Scheme,
    required: &str,
    presented: &Presented<'_>,
    now: u64,
) -> Option<(u16, String)> {
    let url = metadata_url(resource).unwrap_or_default();
    let refused = |status: u16, error: &str, why: &str| Some((status, challenge(scheme, &url, required, error, why)));
    let token = match presented {
        Presented::Nothing => return refused(401, "", ""),
        Presented::Refused(why) => return refused(401, "invalid_token", why),
        Presented::Token(token) => token,
    };
    if token.expires_at.is_some_and(|at| at <= jwt::seconds(now)) {
        return refused(401, "invalid_token", "the token has expired");
    }
    if !super::scope::contains(token.audience, resource) {
        return refused(401, "invalid_token", "the token was issued for another resource");
    }
    if !super::scope::includes(token.scopes, required) {
        return refused(403, "insufficient_scope", "");
    }
    None
}
