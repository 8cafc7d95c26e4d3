//! The authorization response and the token response.

use super::discovery::object;
use super::failure::{Failure, Step};
use super::token::Tokens;
use super::uri;
use crate::protocol::json::Raw;

/// As much of a server's own words as goes into an error, in bytes.
const MAX_SAID_BYTES: usize = 300;

/// What was recorded before the user was sent away.
#[derive(Clone, Copy, Debug)]
pub struct Expected<'a> {
    /// The issuer of the validated metadata.
    pub issuer: &'a str,
    /// Whether the metadata says that responses carry `iss`.
    pub sends_issuer: bool,
    /// The `state` that was sent.
    pub state: &'a str,
}

/// Whether the issuer in a response is the recorded one: the four-row table of
/// basic/authorization, Authorization Response Validation (RFC 9207 §2.4). Compared as text.
pub fn accepts_issuer(advertised: bool, iss: Option<&str>, recorded: &str) -> bool {
    match iss {
        Some(iss) => iss == recorded,
        None => !advertised,
    }
}

/// The authorization code in the URL that the user came back with.
///
/// # Errors
///
/// A parameter given twice, another `state` or issuer than recorded (then nothing of the
/// response is shown), the server's refusal, or no code.
pub fn code(callback: &str, expected: &Expected<'_>) -> Result<String, Failure> {
    let failed = |message: &[&str]| Err(Failure::new(Step::Authorization, message));
    let without_fragment = callback.split('#').next().unwrap_or_default();
    let pairs = uri::form_pairs(without_fragment.split_once('?').map(|(_, query)| query).unwrap_or_default());
    for name in ["code", "state", "iss", "error"] {
        if pairs.iter().filter(|(key, _)| key == name).count() > 1 {
            return failed(&["the authorization response has ", name, " more than once"]);
        }
    }
    let get = |name: &str| pairs.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
    if get("state") != Some(expected.state) {
        return failed(&["the authorization response must carry the state that was sent"]);
    }
    if !accepts_issuer(expected.sends_issuer, get("iss"), expected.issuer) {
        return match get("iss") {
            Some(iss) => {
                failed(&["the authorization response must come from ", expected.issuer, " exactly, got ", said(iss)])
            }
            None => failed(&["the authorization response of ", expected.issuer, " must carry iss"]),
        };
    }
    if let Some(error) = get("error") {
        let why = get("error_description").unwrap_or_default();
        let (error, why) = (said(error), said(why));
        let joint = if why.is_empty() { "" } else { ": " };
        let message = [expected.issuer, " refused the authorization (", error, ")", joint, why];
        return Err(Failure { error: Some(error.to_owned()), ..Failure::new(Step::Authorization, &message) });
    }
    match get("code").filter(|code| !code.is_empty()) {
        Some(code) => Ok(code.to_owned()),
        None => failed(&["the authorization response of ", expected.issuer, " has no code"]),
    }
}

/// How long before its end a token is renewed, in milliseconds: longer than a request takes on
/// its way. Tokens of less than ten times that are renewed in the last tenth of their time.
const AHEAD_MS: u64 = 30_000;

/// The tokens in the answer of a token endpoint. `requested` are the scopes that were asked
/// for: they are what was granted unless the answer says otherwise.
///
/// # Errors
///
/// The server's refusal with its error code, or an answer without a usable token.
pub fn tokens(status: u16, answer: &[u8], issuer: &str, requested: &str, now: u64) -> Result<Tokens, Failure> {
    let raw = object(answer);
    if status != 200 {
        return Err(refused(Step::Token, issuer, status, raw));
    }
    let text = |name: &str| raw.and_then(|raw| raw.get_str(name)).map(|text| text.into_owned());
    let bad = |why: &str| Failure { status, ..Failure::new(Step::Token, &["the token answer of ", issuer, why]) };
    let Some(access_token) = text("access_token").filter(|token| !token.is_empty()) else {
        return Err(bad(" has no access_token"));
    };
    if !access_token.bytes().all(|byte| (0x21..0x7F).contains(&byte)) {
        return Err(bad(" has an access_token that no header can carry"));
    }
    let token_type = text("token_type").unwrap_or_else(|| "Bearer".to_owned());
    let is_dpop = token_type.eq_ignore_ascii_case("DPoP");
    if !is_dpop && !token_type.eq_ignore_ascii_case("Bearer") {
        return Err(bad(" has a token_type that is neither Bearer nor DPoP"));
    }
    let lifetime = raw.and_then(|raw| raw.get("expires_in")).and_then(seconds).filter(|seconds| *seconds > 0);
    let lifetime = lifetime.map(|seconds| seconds.saturating_mul(1000));
    Ok(Tokens {
        access_token,
        is_dpop,
        refresh_token: text("refresh_token").filter(|token| !token.is_empty()),
        expires_at: lifetime.map(|lifetime| now.saturating_add(lifetime)),
        renew_at: lifetime.map(|lifetime| now.saturating_add(lifetime - AHEAD_MS.min(lifetime / 10))),
        requested: requested.to_owned(),
        issuer: issuer.to_owned(),
        client_id: String::new(),
    })
}

/// A lifetime; some servers write it as a string.
fn seconds(value: Raw<'_>) -> Option<u64> {
    let number = value.as_i64().and_then(|number| u64::try_from(number).ok());
    number.or_else(|| value.as_str()?.parse().ok())
}

/// The assertion in the answer to a token exchange.
///
/// # Errors
///
/// The identity provider's refusal, or an answer without a token.
pub fn exchanged(status: u16, answer: &[u8], from: &str) -> Result<String, Failure> {
    let raw = object(answer);
    if status != 200 {
        return Err(refused(Step::Token, from, status, raw));
    }
    let token = raw.and_then(|raw| raw.get_str("access_token")).filter(|token| !token.is_empty());
    let missing =
        || Failure { status, ..Failure::new(Step::Token, &["the token exchange at ", from, " gave no token"]) };
    token.map(|token| token.into_owned()).ok_or_else(missing)
}

/// A refusal as OAuth has it (RFC 6749 §5.2), or whatever else came.
pub(super) fn refused(step: Step, from: &str, status: u16, raw: Option<Raw<'_>>) -> Failure {
    let text = |name: &str| raw.and_then(|raw| raw.get_str(name)).unwrap_or_default();
    let (error, why) = (text("error"), text("error_description"));
    let (error, why) = (said(&error), said(&why));
    let status_text = status.to_string();
    let what = if error.is_empty() { "no OAuth error" } else { error };
    let joint = if why.is_empty() { "" } else { ": " };
    let message = [from, " answered ", &status_text, " (", what, ")", joint, why];
    let error = Some(error.to_owned()).filter(|error| !error.is_empty());
    Failure { status, error, ..Failure::new(step, &message) }
}

fn said(text: &str) -> &str {
    text.get(..text.floor_char_boundary(MAX_SAID_BYTES)).unwrap_or(text)
}
