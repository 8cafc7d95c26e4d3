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
}

/// Decides about an answer of 401 or 403. `tokens` are those that the request carried,
/// `attempts` the authorizations that it led to so far.
pub fn react(status: u16, header: Option<&str>, tokens: Option<&Tokens>, attempts: u32) -> Reaction {
    let challenges = header.map(challenge::parse).unwrap_or_default();
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
