//! The members of a definition that are not items.

use super::items::{Subject, own};
use super::names::{check_extension_id, check_own_method};
use super::registry::LegacyMode;
use super::{CacheHint, ServerError, WHOLE};
use crate::protocol::json::{Kind, Raw};
use crate::protocol::method;
use crate::protocol::version::{Era, ProtocolVersion};

/// The largest request body, unless the definition says otherwise: 4 MiB, as the TypeScript SDK has it.
const MAX_BODY_BYTES: usize = 4 * 1024 * 1024;

/// How long a legacy client may take over an answer, unless the definition says otherwise: a person fills in a form in
/// ten minutes, and a client that has gone without a word must not hold a handler for good.
const ASK_TIMEOUT_MS: u32 = 10 * 60 * 1000;

pub(super) fn hints(definition: Raw<'_>) -> Result<Vec<(String, CacheHint)>, ServerError> {
    definition.get_present("cacheHints").map_or(Ok(Vec::new()), read_hints)
}

#[inline(never)]
fn read_hints(hints: Raw<'_>) -> Result<Vec<(String, CacheHint)>, ServerError> {
    let mut out = Vec::new();
    if !hints.is_object() {
        return Err(ServerError::new("cacheHints", "must be an object"));
    }
    for (key, value) in hints.members() {
        let method = key.name();
        let subject = Subject { what: "cache hint", key: &method };
        if !method::is_cacheable(&method) {
            return Err(subject.refuse("is not for a method whose results can be cached"));
        }
        let hint = CacheHint::read(value).map_err(|rule| subject.refuse(rule))?;
        out.push((method.into_owned(), hint));
    }
    Ok(out)
}

pub(super) fn legacy(definition: Raw<'_>) -> Result<LegacyMode, ServerError> {
    let Some(mode) = definition.get_present("legacy") else { return Ok(LegacyMode::Stateless) };
    match mode.as_str().as_deref() {
        Some("stateless") => Ok(LegacyMode::Stateless),
        Some("sessions") if !WHOLE => Err(ServerError::beyond("legacy")),
        Some("sessions") => Ok(LegacyMode::Sessions),
        Some("reject") => Ok(LegacyMode::Reject),
        _ => Err(ServerError::new("legacy", "must be \"stateless\", \"sessions\" or \"reject\"")),
    }
}

/// The limits of sessions; each is a positive number below 2³¹.
#[derive(Clone, Copy, Debug)]
pub struct SessionLimits {
    /// How long a session is kept after its last use, in milliseconds: half an hour, as web frameworks have it.
    pub idle_ms: u32,
    /// How many sessions are kept at once: 10 000 of them at their largest take 640 MB, at their usual size 5 MB.
    pub max_sessions: u32,
    /// How many events are kept for clients that come back.
    pub max_events: u32,
    /// How many characters of events are kept for clients that come back.
    pub max_event_chars: u32,
    /// After how many milliseconds a client should come back to a stream.
    pub retry_ms: u32,
}

/// The limits, unless the definition says otherwise.
const USUAL_SESSIONS: SessionLimits = SessionLimits {
    idle_ms: 30 * 60 * 1000,
    max_sessions: 10_000,
    max_events: 10_000,
    max_event_chars: 16 * 1024 * 1024,
    retry_ms: 1000,
};

pub(super) fn sessions(definition: Raw<'_>, legacy: LegacyMode) -> Result<SessionLimits, ServerError> {
    let Some(given) = definition.get_present("sessions") else { return Ok(USUAL_SESSIONS) };
    if !WHOLE {
        return Err(ServerError::beyond("sessions"));
    }
    if !given.is_object() {
        return Err(ServerError::new("sessions", "must be an object"));
    }
    if legacy != LegacyMode::Sessions {
        return Err(ServerError::new("sessions", "need legacy: \"sessions\""));
    }
    let number = |name: &str, usual: u32| positive(given.get_present(name), &["sessions.", name], usual);
    Ok(SessionLimits {
        idle_ms: number("idleMs", USUAL_SESSIONS.idle_ms)?,
        max_sessions: number("maxSessions", USUAL_SESSIONS.max_sessions)?,
        max_events: number("maxEvents", USUAL_SESSIONS.max_events)?,
        max_event_chars: number("maxEventChars", USUAL_SESSIONS.max_event_chars)?,
        retry_ms: number("retryMs", USUAL_SESSIONS.retry_ms)?,
    })
}

/// For how long a legacy client may take over its answer to a handler, in milliseconds.
pub(super) fn ask_timeout(definition: Raw<'_>) -> Result<u32, ServerError> {
    positive(definition.get_present("askTimeoutMs"), &["askTimeoutMs"], ASK_TIMEOUT_MS)
}

fn positive(given: Option<Raw<'_>>, name: &[&str], usual: u32) -> Result<u32, ServerError> {
    let Some(value) = given else { return Ok(usual) };
    value
        .as_i64()
        .filter(|value| (1..=i64::from(i32::MAX)).contains(value))
        .and_then(|value| u32::try_from(value).ok())
        .ok_or_else(|| ServerError::new(name.concat(), "must be a positive whole number below 2147483648"))
}

pub(super) fn versions(definition: Raw<'_>, legacy: LegacyMode) -> Result<Vec<ProtocolVersion>, ServerError> {
    let mut versions = match definition.get_present("supportedVersions") {
        None => ProtocolVersion::ALL.to_vec(),
        Some(_) => named_versions(definition)?,
    };
    if legacy == LegacyMode::Reject {
        versions.retain(|version| version.era() == Era::Modern);
    }
    if versions.is_empty() {
        return Err(ServerError::new("supportedVersions", "leaves no version to serve"));
    }
    Ok(versions)
}

#[inline(never)]
fn named_versions(definition: Raw<'_>) -> Result<Vec<ProtocolVersion>, ServerError> {
    let mut versions = Vec::new();
    for text in strings(definition, "supportedVersions")? {
        match ProtocolVersion::parse(&text) {
            Some(version) if !versions.contains(&version) => versions.push(version),
            Some(_) => {}
            None => {
                let subject = Subject { what: "supported version", key: &text };
                return Err(subject.refuse("is not a version that this implementation speaks"));
            }
        }
    }
    Ok(versions)
}

pub(super) fn max_body(definition: Raw<'_>) -> Result<usize, ServerError> {
    let Some(limit) = definition.get_present("maxBodyBytes") else { return Ok(MAX_BODY_BYTES) };
    limit
        .as_i64()
        .filter(|limit| *limit > 0)
        .and_then(|limit| usize::try_from(limit).ok())
        .ok_or_else(|| ServerError::new("maxBodyBytes", "must be a positive whole number of bytes"))
}

pub(super) fn strings(definition: Raw<'_>, member: &'static str) -> Result<Vec<String>, ServerError> {
    definition.get_present(member).map_or(Ok(Vec::new()), |list| texts(member, list))
}

#[inline(never)]
fn texts(member: &str, list: Raw<'_>) -> Result<Vec<String>, ServerError> {
    let strings: Option<Vec<_>> = list.elements().map(|text| own(text.as_str())).collect();
    match strings.filter(|_| list.kind() == Kind::Array) {
        Some(strings) => Ok(strings),
        None => Err(ServerError::new(member, "must be an array of strings")),
    }
}

/// The methods that the application takes itself.
pub(super) fn methods(definition: Raw<'_>, member: &'static str) -> Result<Vec<String>, ServerError> {
    let names = strings(definition, member)?;
    for name in &names {
        let what = if member == "methods" { "method" } else { "notification" };
        check_own_method(name).map_err(|rule| Subject { what, key: name }.refuse(rule))?;
    }
    Ok(names)
}

/// Whether anything in the definition completes arguments: the server, a prompt or a resource template.
pub(super) fn completes(definition: Raw<'_>) -> bool {
    let completes = |raw: Raw<'_>| raw.get_present("complete").is_some();
    let one_of = |member| definition.get(member).is_some_and(|list| list.elements().any(completes));
    completes(definition) || one_of("prompts") || one_of("resourceTemplates")
}

/// Checks `capabilities`: what an author declares beside what the items declare by being there.
#[inline(never)]
pub(super) fn check_capabilities(capabilities: Raw<'_>) -> Result<(), ServerError> {
    if !capabilities.is_object() {
        return Err(ServerError::new("capabilities", "must be an object"));
    }
    for (key, value) in capabilities.members() {
        if !value.is_object() {
            return Err(Subject { what: "capability", key: &key.name() }.refuse("must be an object"));
        }
    }
    for (key, _) in capabilities.get("extensions").unwrap_or(Raw::EMPTY_OBJECT).members() {
        let id = key.name();
        check_extension_id(&id).map_err(|rule| Subject { what: "extension", key: &id }.refuse(rule))?;
    }
    Ok(())
}
