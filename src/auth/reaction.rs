//! What to do about a refused request.

use super::token::Tokens;
use super::{challenge, scope};

/// How often one request may lead to an authorization: the user must not be asked for ever
/// (basic/authorization, Step-Up Authorization Flow: "no more than a few times").
pub const MAX_ATTEMPTS: u32 = 3;

/// What to do.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Reaction {
    /// The refusal is the caller's answer.
    Report,
    /// Authorize, then send the request again.
    Authorize,
    /// Send the request again, with the nonce that came.
    Repeat,
}

/// Decides about an answer of 401 or 403. `tokens` are those that the request carried,
/// `attempts` the authorizations that it led to so far; `has_nonce` says that the answer has the first
/// `DPoP-Nonce` to come back for it (RFC 9449 §9).
pub fn react(status: u16, header: Option<&str>, tokens: Option<&Tokens>, attempts: u32, has_nonce: bool) -> Reaction {
    let challenges = header.map(challenge::parse).unwrap_or_default();
    if has_nonce
        && tokens.is_some_and(|tokens| tokens.is_dpop)
        && challenges.iter().any(|challenge| challenge.get("error") == Some("use_dpop_nonce"))
    {
        return Reaction::Repeat;
    }
    let challenge = challenge::oauth(&challenges);
    let get = |name: &str| challenge.and_then(|challenge| challenge.get(name));
    let is_worth_it = match status {
        // A fresh token that is refused as well will not get better.
        401 => attempts == 0,
        // Scopes that were asked for already are not granted by asking again.
        403 if get("error") == Some("insufficient_scope") => {
            let requested = tokens.map_or("", |tokens| &tokens.requested);
            attempts < MAX_ATTEMPTS && !scope::includes(requested, get("scope").unwrap_or_default())
        }
        _ => false,
    };
    if is_worth_it { Reaction::Authorize } else { Reaction::Report }
}
