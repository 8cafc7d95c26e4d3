//! Legacy sessions over the boundary: what pkg-template/lib/server-session.js asks about a session's text.

use super::mailbox;
use super::server::post_response;
use super::steps::NOTHING;
use crate::protocol::json::Raw;
use crate::protocol::version::ProtocolVersion;
use crate::server::event_stream::{Resumption, gone, id_head, priming};
use crate::server::{Change, LogLevel, Presented, Server, Session};
use crate::streamable_http::headers::Headers;

// How a session is looked at.
const KEEP: u32 = 1;

// What looking at a session gives, beside NOTHING for one that cannot be used.
const KNOWN: u32 = 1;
const RENEWED: u32 = 2;

// Which text of a session.
const LOG: u32 = 1;
const CALL_STREAM: u32 = 2;
const GONE: u32 = 3;

// What opening a stream gives, beside NOTHING for a response.
const FRESH: u32 = 1;
const AFTER: u32 = 2;
const ENDED: u32 = 3;

/// A request's session as its line says.
pub(super) enum Owned {
    None,
    Missing,
    Unknown,
    Known(Session),
}

impl Owned {
    /// Reads nothing, `=` or `=` and the session's text.
    pub(super) fn read(line: &str) -> Self {
        let Some(text) = line.strip_prefix('=') else { return Self::Missing };
        session(text).map_or(Self::Unknown, Self::Known)
    }

    /// The session of a channel that is one client's own; `text` is empty before it has been opened.
    pub(super) fn of_channel(text: &str) -> Option<Session> {
        session(text)
    }

    pub(super) fn borrowed(&self) -> Presented<'_> {
        match self {
            Self::None => Presented::None,
            Self::Missing => Presented::Missing,
            Self::Unknown => Presented::Unknown,
            Self::Known(session) => Presented::Known(session),
        }
    }
}

fn session(text: &str) -> Option<Session> {
    Session::read(Raw::parse(text.as_bytes()).ok()?)
}

/// Whether a request may use its session; or, to keep a new one, gives it its owner. Posts the text to keep and for
/// how many milliseconds, where it has to be kept again.
pub(super) fn look(server: &Server, input: &str, now: u64, how: u32) -> u32 {
    let idle = server.sessions().map_or(0, |limits| u64::from(limits.idle_ms));
    let (principal, text) = input.split_once('\n').unwrap_or_default();
    let found = session(text).filter(|session| how == KEEP || session.is_for(principal, now));
    let Some(mut session) = found else { return NOTHING };
    if how == KEEP {
        session = session.owned(principal);
    }
    if !session.renew(now, idle) && how != KEEP {
        return KNOWN;
    }
    mailbox::post(&[&session.to_text()], &[u32::try_from(session.rest(now)).unwrap_or(u32::MAX)]);
    RENEWED
}

/// Posts the response of a refused request; or, for a stream, the name and number of the event after which it goes on
/// (or the new stream's name), what its ids begin with and, for a new one, the event that it begins with.
pub(super) fn open(server: &Server, headers: &Headers<'_>, session: Presented<'_>, ends: bool, name: &str) -> u32 {
    if ends {
        return match server.end_session(headers, session) {
            Ok(()) => ENDED,
            Err(response) => post_response(&response),
        };
    }
    let (session, resumption) = match server.open_stream(headers, session) {
        Ok(opened) => opened,
        Err(response) => return post_response(&response),
    };
    match resumption {
        Resumption::Fresh => {
            mailbox::post(&[name, "", &id_head(name), &first_event(server, session.version, name)], &[]);
            FRESH
        }
        Resumption::After { stream, number } => {
            mailbox::post(&[stream, &number.to_string(), &id_head(stream)], &[]);
            AFTER
        }
    }
}

/// Posts what a session's client is told of a change or a log message, if it is told at all; what the ids of a call's
/// stream begin with, and the event that it begins with; or the response to a client whose events are gone.
pub(super) fn text(server: &Server, input: &str, how: u32) {
    let (text, about) = input.split_once('\n').unwrap_or_default();
    let known = session(text);
    let told = match how {
        CALL_STREAM => {
            let version = known.map_or(ProtocolVersion::WITHOUT_HEADER, |session| session.version);
            mailbox::post(&[&id_head(about), &first_event(server, version, about)], &[]);
            return;
        }
        GONE => {
            post_response(&gone());
            return;
        }
        LOG => known.and_then(|session| {
            let value = Raw::parse(about.as_bytes()).ok()?;
            let level = LogLevel::parse(&value.get_str("level")?)?;
            server.session_log(&session, level, value.get("params")?)
        }),
        _ => known.and_then(|session| server.session_change(&session, change(about))),
    };
    mailbox::post(told.as_deref().as_slice(), &[]);
}

/// A change by its name, or that of a resource by its URI behind `=`.
fn change(about: &str) -> Change<'_> {
    match about {
        "tools_list_changed" => Change::Tools,
        "prompts_list_changed" => Change::Prompts,
        "resources_list_changed" => Change::Resources,
        other => Change::Resource(other.strip_prefix('=').unwrap_or_default()),
    }
}

fn first_event(server: &Server, version: ProtocolVersion, stream: &str) -> String {
    let retry = server.sessions().map_or(0, |limits| u64::from(limits.retry_ms));
    priming(version, stream, retry).unwrap_or_default()
}
