//! What only servers of the feature `server-whole` are asked: sessions, whose text pkg-template/lib/server-session.js
//! keeps, clients with a channel of their own, and the facts about a caller.

use super::mailbox;
use super::server::{ServerCore, post_response, session, text_of};
use super::steps::NOTHING;
use crate::protocol::json::Raw;
use crate::protocol::version::ProtocolVersion;
use crate::server::event_stream::{Resumption, gone, id_head, priming};
use crate::server::{Change, LogLevel, Presented, Server};
use crate::streamable_http::headers::Headers;
use wasm_bindgen::prelude::wasm_bindgen;

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

#[wasm_bindgen]
impl ServerCore {
    /// [`ServerCore::handle_message`] for bytes that came over a channel of one client: `head` bytes of its session's text,
    /// none before there is one, then the message.
    #[wasm_bindgen(js_name = handleInChannel)]
    pub fn handle_in_channel(&self, length: usize, head: usize, flags: u32) -> u32 {
        mailbox::take(length, |input| {
            let (text, message) = input.split_at_checked(head).unwrap_or_default();
            let session = session(text_of(text));
            let presented = session.as_ref().map_or(Presented::Unopened, Presented::Known);
            self.with_channel(flags, None, presented, |channel| self.post_message(message, 0, flags, channel))
        })
    }

    /// Keeps what the application says of its caller, JSON text, for the next message: the one that asked for it.
    pub fn consulted(&self, length: usize) {
        mailbox::take(length, |facts| {
            self.consulted.replace(text_of(facts).to_owned());
        });
    }

    /// The limits of sessions, in the order of `SessionLimits`; no numbers where there are none.
    #[wasm_bindgen(js_name = readSessions)]
    pub fn read_sessions(&self) {
        let numbers = self.server.sessions().map(|limits| {
            [limits.idle_ms, limits.max_sessions, limits.max_events, limits.max_event_chars, limits.retry_ms]
        });
        mailbox::post(&[], numbers.as_ref().map_or(&[][..], |numbers| &numbers[..]));
    }

    /// Looks at a session at `now`, in milliseconds: the mailbox holds a principal as JSON, a line break and the
    /// session's text. Posts the text to keep, where it has to be kept again, and for how long.
    pub fn session(&self, length: usize, now: f64, how: u32) -> u32 {
        mailbox::take(length, |input| look(&self.server, text_of(input), now as u64, how))
    }

    /// What a GET or DELETE request of a session gets: the mailbox holds the lines of the message's headers, of the
    /// session and of `Last-Event-ID`, then the name for a new stream.
    #[wasm_bindgen(js_name = openStream)]
    pub fn open_stream(&self, length: usize, ends: bool) -> u32 {
        mailbox::take(length, |lines| {
            let lines = text_of(lines);
            let (headers, presented) = (self.message_headers(lines), self.presented(lines));
            let mut behind = lines.split('\n').skip(self.server.message_headers().len() + 1);
            let last = behind.next().and_then(|line| line.strip_prefix('='));
            let headers: Vec<_> = headers.into_iter().chain(last.map(|last| ("last-event-id", last))).collect();
            open(&self.server, &headers, presented.borrowed(), ends, behind.next().unwrap_or_default())
        })
    }

    /// Posts a text of a session: the mailbox holds the session's text, a line break, and what `how` is about.
    #[wasm_bindgen(js_name = sessionText)]
    pub fn session_text(&self, length: usize, how: u32) {
        mailbox::take(length, |input| text(&self.server, text_of(input), how));
    }
}

/// Whether a request may use its session; or, to keep a new one, gives it its owner. Posts the text to keep and for
/// how many milliseconds, where it has to be kept again.
fn look(server: &Server, input: &str, now: u64, how: u32) -> u32 {
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
fn open(server: &Server, headers: &Headers<'_>, session: Presented<'_>, ends: bool, name: &str) -> u32 {
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
fn text(server: &Server, input: &str, how: u32) {
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
