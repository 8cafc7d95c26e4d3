//! JSON Web Tokens up to the signature: client assertions (RFC 7523) and DPoP proofs (RFC 9449).

use super::uri;
use crate::protocol::base64;
use crate::protocol::json::Writer;

/// How long a client assertion is good, in seconds: it is used at once.
const ASSERTION_SECONDS: i64 = 300;

/// Base64url without padding (RFC 7515).
pub fn base64url(bytes: &[u8]) -> String {
    let text = base64::encode(bytes);
    let keep = |digit: char| match digit {
        '+' => Some('-'),
        '/' => Some('_'),
        '=' => None,
        other => Some(other),
    };
    text.chars().filter_map(keep).collect()
}

/// The seconds of a time in milliseconds.
pub(super) fn seconds(now: u64) -> i64 {
    i64::try_from(now / 1000).unwrap_or(i64::MAX)
}

fn signing_input(header: &str, claims: &str) -> String {
    [&base64url(header.as_bytes()), ".", &base64url(claims.as_bytes())].concat()
}

/// The signing input of a client assertion: issued by the client, about itself, for the issuer.
pub fn client_assertion(algorithm: &str, key_id: &str, client_id: &str, audience: &str, jti: &str, now: u64) -> String {
    let seconds = seconds(now);
    let mut header = Writer::new();
    header.open_object().name("alg").string(algorithm).name("typ").string("JWT");
    if !key_id.is_empty() {
        header.name("kid").string(key_id);
    }
    header.close_object();
    let mut claims = Writer::new();
    claims.open_object();
    for (name, value) in [("iss", client_id), ("sub", client_id), ("aud", audience), ("jti", jti)] {
        claims.name(name).string(value);
    }
    claims.name("iat").integer(seconds).name("exp").integer(seconds.saturating_add(ASSERTION_SECONDS)).close_object();
    signing_input(header.as_str(), claims.as_str())
}

/// What a DPoP proof speaks of.
#[derive(Clone, Copy, Debug)]
pub struct Proof<'a> {
    /// The public key, a JSON Web Key of the algorithm ES256.
    pub jwk: &'a str,
    /// The HTTP method.
    pub method: &'a str,
    /// The URL; query and fragment are left out.
    pub url: &'a str,
    /// Unique for every proof.
    pub jti: &'a str,
    /// What the server asked to be repeated; empty: nothing.
    pub nonce: &'a str,
    /// The base64url of the access token's SHA-256; empty: no token is sent.
    pub token_hash: &'a str,
}

/// The signing input of a DPoP proof.
pub fn dpop_proof(proof: &Proof<'_>, now: u64) -> String {
    let mut header = Writer::new();
    header.open_object().name("typ").string("dpop+jwt").name("alg").string("ES256");
    header.name("jwk").raw(proof.jwk).close_object();
    let target = uri::split(proof.url).map(|url| [url.origin, url.path].concat());
    let mut claims = Writer::new();
    claims.open_object().name("jti").string(proof.jti).name("htm").string(proof.method);
    claims.name("htu").string(target.as_deref().unwrap_or(proof.url));
    claims.name("iat").integer(seconds(now));
    for (name, value) in [("ath", proof.token_hash), ("nonce", proof.nonce)] {
        if !value.is_empty() {
            claims.name(name).string(value);
        }
    }
    claims.close_object();
    signing_input(header.as_str(), claims.as_str())
}
