//! The authorization request and the token requests.

use super::discovery::Server;
use super::failure::{Failure, Step};
use super::registration::Credentials;
use super::setup::Secrets;
use super::{scope, uri};
use crate::protocol::base64;

/// How a client authenticates at the token endpoint.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Method {
    /// `none`: a public client.
    None,
    /// `client_secret_basic`
    Basic,
    /// `client_secret_post`
    Post,
    /// `private_key_jwt` (RFC 7523)
    PrivateKeyJwt,
}

impl Method {
    /// The name in metadata.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Basic => "client_secret_basic",
            Self::Post => "client_secret_post",
            Self::PrivateKeyJwt => "private_key_jwt",
        }
    }

    /// The method of that name.
    pub fn parse(name: &str) -> Option<Self> {
        [Self::None, Self::Basic, Self::Post, Self::PrivateKeyJwt].into_iter().find(|method| method.as_str() == name)
    }
}

/// The method of a client: what it was registered with, or else what both sides can do.
pub fn method(credentials: &Credentials, server: &Server, has_key: bool) -> Method {
    // RFC 8414 has Basic as the default where the metadata says nothing.
    let offers = |method: Method| scope::contains(&server.auth_methods, method.as_str());
    let silent = server.auth_methods.is_empty();
    match credentials.method {
        Some(Method::None) | None if has_key => Method::PrivateKeyJwt,
        Some(Method::Basic | Method::Post) if credentials.client_secret.is_none() => Method::None,
        Some(method) => method,
        None if credentials.client_secret.is_none() => Method::None,
        None if silent || offers(Method::Basic) || !offers(Method::Post) => Method::Basic,
        None => Method::Post,
    }
}

/// The method to ask for when registering: a public client needs no secret to keep.
pub fn registered_method(server: &Server) -> Method {
    let offers = |method: &Method| scope::contains(&server.auth_methods, method.as_str());
    [Method::None, Method::Basic, Method::Post].into_iter().find(offers).unwrap_or(Method::None)
}

/// The URL to open for the user.
///
/// # Errors
///
/// The server has no authorization endpoint or does not offer S256; `assumes_s256` lets the
/// latter pass for an issuer whose owner is known to support it.
pub fn authorization_url(
    server: &Server,
    client_id: &str,
    redirect_uri: &str,
    resource: &str,
    scopes: &str,
    secrets: &Secrets,
    assumes_s256: bool,
) -> Result<String, Failure> {
    let Some(endpoint) = &server.authorization_endpoint else {
        let message = ["the metadata of ", &server.issuer, " has no authorization_endpoint"];
        return Err(Failure::new(Step::Server, &message));
    };
    if !server.offers_s256 && !assumes_s256 {
        let message = [
            "code_challenge_methods_supported in the metadata of ",
            &server.issuer,
            " must have S256; assumeS256 takes it for granted for an issuer that is known to support it",
        ];
        return Err(Failure::new(Step::Server, &message));
    }
    let mut pairs = vec![
        ("response_type", "code"),
        ("client_id", client_id),
        ("redirect_uri", redirect_uri),
        ("code_challenge", &secrets.challenge),
        ("code_challenge_method", "S256"),
        ("state", &secrets.state),
        ("resource", resource),
    ];
    if !scopes.is_empty() {
        pairs.push(("scope", scopes));
    }
    if scope::contains(scopes, scope::OFFLINE_ACCESS) {
        // OpenID Connect Core §11: without consent the server ignores the scope.
        pairs.push(("prompt", "consent"));
    }
    let endpoint = endpoint.split('#').next().unwrap_or_default();
    let joint = if endpoint.contains('?') { "&" } else { "?" };
    Ok([endpoint, joint, &uri::form(&pairs)].concat())
}

/// What a token request says besides who sends it.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Form {
    /// Names and values in order.
    pub pairs: Vec<(&'static str, String)>,
}

impl Form {
    /// A form for that grant.
    pub fn new(grant_type: &str) -> Self {
        Self { pairs: vec![("grant_type", grant_type.to_owned())] }
    }

    /// With one more pair, unless the value is empty.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: &str) -> Self {
        if !value.is_empty() {
            self.pairs.push((name, value.to_owned()));
        }
        self
    }
}

/// Exchanges a code (OAuth 2.1 §4.1.3).
pub fn code_form(code: &str, redirect_uri: &str, verifier: &str, resource: &str) -> Form {
    Form::new("authorization_code")
        .with("code", code)
        .with("redirect_uri", redirect_uri)
        .with("code_verifier", verifier)
        .with("resource", resource)
}

/// Refreshes (OAuth 2.1 §4.3.1); the scopes stay what they were.
pub fn refresh_form(refresh_token: &str, resource: &str) -> Form {
    Form::new("refresh_token").with("refresh_token", refresh_token).with("resource", resource)
}

/// A client on its own behalf (OAuth 2.1 §4.2).
pub fn client_credentials_form(scopes: &str, resource: &str) -> Form {
    Form::new("client_credentials").with("scope", scopes).with("resource", resource)
}

/// With an assertion of who asks (RFC 7523 §2.1).
pub fn jwt_bearer_form(assertion: &str, scopes: &str, resource: &str) -> Form {
    Form::new("urn:ietf:params:oauth:grant-type:jwt-bearer")
        .with("assertion", assertion)
        .with("scope", scopes)
        .with("resource", resource)
}

/// An identity provider's token for an assertion that the authorization server takes (RFC 8693,
/// Identity Assertion Authorization Grant).
pub fn exchange_form(subject: &str, subject_type: &str, audience: &str, resource: &str, scopes: &str) -> Form {
    Form::new("urn:ietf:params:oauth:grant-type:token-exchange")
        .with("requested_token_type", ID_JAG)
        .with("audience", audience)
        .with("resource", resource)
        .with("scope", scopes)
        .with("subject_token", subject)
        .with("subject_token_type", subject_type)
}

/// The token type of an identity assertion.
pub const ID_JAG: &str = "urn:ietf:params:oauth:token-type:id-jag";

/// The media type of a token request.
pub const FORM_TYPE: &str = "application/x-www-form-urlencoded";

/// Body and `Authorization` header of a token request of this client. `assertion` is the signed
/// assertion where the method is `private_key_jwt`.
pub fn authenticated(
    form: &Form,
    credentials: &Credentials,
    method: Method,
    assertion: Option<&str>,
) -> (String, Option<String>) {
    let mut pairs: Vec<(&str, &str)> = form.pairs.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let secret = credentials.client_secret.as_deref().unwrap_or_default();
    let mut header = None;
    match method {
        Method::Basic => {
            let mut text = String::new();
            uri::push_encoded(&mut text, &credentials.client_id);
            text.push(':');
            uri::push_encoded(&mut text, secret);
            header = Some(["Basic ", &base64::encode(text.as_bytes())].concat());
        }
        Method::None if credentials.client_id.is_empty() => {}
        Method::None => pairs.push(("client_id", &credentials.client_id)),
        Method::Post => pairs.extend([("client_id", credentials.client_id.as_str()), ("client_secret", secret)]),
        Method::PrivateKeyJwt => pairs.extend([
            ("client_id", credentials.client_id.as_str()),
            ("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"),
            ("client_assertion", assertion.unwrap_or_default()),
        ]),
    }
    (uri::form(&pairs), header)
}
