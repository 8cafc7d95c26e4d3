//! Event streams of a session: the ids of their events, and where a client that was cut off goes on.
//!
//! An id is the stream's name, `-` and the event's number, so it leads back to its stream and nothing else.
//! Page: 2025-11-25, basic/transports, "Resumability and Redelivery".

use super::Server;
use super::http::{Response, ResponseHeaders, refusal};
use super::session::{Presented, Session};
use crate::protocol::version::{Era, ProtocolVersion, era_of};
use crate::streamable_http::headers::{self, Headers};

/// The longest name of a stream that is read from a request.
const MAX_NAME: usize = 64;

/// The oldest revision whose clients read an event without data: it tells them where to go on before anything was sent.
const PRIMED_FROM: ProtocolVersion = ProtocolVersion::LATEST_LEGACY;

/// Which events a GET request asks for.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Resumption<'a> {
    /// A new stream, for what belongs to no request.
    Fresh,
    /// Those of a stream that come after this one.
    After {
        /// The stream's name.
        stream: &'a str,
        /// The number of the last event that the client has.
        number: u64,
    },
}

impl<'a> Resumption<'a> {
    /// Reads `Last-Event-ID`; `None` where it is none of ours.
    pub fn read(last_event_id: Option<&'a str>) -> Option<Self> {
        let Some(id) = last_event_id else { return Some(Self::Fresh) };
        let (stream, number) = id.rsplit_once('-')?;
        let named = !stream.is_empty() && stream.len() <= MAX_NAME && stream.bytes().all(|b| b.is_ascii_alphanumeric());
        // A number has one spelling.
        let number: u64 = number.parse().ok().filter(|value: &u64| value.to_string() == number)?;
        named.then_some(Self::After { stream, number })
    }
}

/// What stands before the number in the `id` line of each event of a stream.
pub fn id_head(stream: &str) -> String {
    let mut out = String::from("id: ");
    out.push_str(stream);
    out.push('-');
    out
}

/// The event that a stream begins with: it has an id and no data, and says after how many milliseconds to come
/// back. `None` for clients that would take it for a message.
pub fn priming(version: ProtocolVersion, stream: &str, retry_ms: u64) -> Option<String> {
    if version < PRIMED_FROM {
        return None;
    }
    let mut out = id_head(stream);
    out.push_str("0\nretry: ");
    out.push_str(&retry_ms.to_string());
    out.push_str("\ndata: \n\n");
    Some(out)
}

impl Server {
    /// Says what a GET request gets: its session's messages from where on.
    ///
    /// # Errors
    ///
    /// The response to send instead: 400, 404, 405.
    pub fn open_stream<'r, 's>(
        &self,
        headers: &'r Headers<'r>,
        session: Presented<'s>,
    ) -> Result<(&'s Session, Resumption<'r>), Response> {
        let session = self.session_of(headers, session)?;
        let Some(resumption) = Resumption::read(headers::get(headers, headers::LAST_EVENT_ID)) else {
            return Err(gone());
        };
        Ok((session, resumption))
    }

    /// Says whether a DELETE request may end its session.
    ///
    /// # Errors
    ///
    /// The response to send instead: 400, 404, 405.
    pub fn end_session(&self, headers: &Headers<'_>, session: Presented<'_>) -> Result<(), Response> {
        self.session_of(headers, session).map(|_| ())
    }

    fn session_of<'s>(&self, headers: &Headers<'_>, session: Presented<'s>) -> Result<&'s Session, Response> {
        let refuse = |status, text: &str| Err(refusal(status, text, ResponseHeaders::new()));
        if let Some(header) = headers::get(headers, headers::PROTOCOL_VERSION) {
            if era_of(header) == Some(Era::Modern) {
                let allow = vec![("Allow", "POST, OPTIONS".to_owned())];
                return Err(refusal(405, "Method not allowed: this version of the protocol has POST only", allow));
            }
            if !ProtocolVersion::parse(header).is_some_and(|version| self.registry.versions.contains(&version)) {
                return refuse(400, "Unsupported protocol version in the MCP-Protocol-Version header");
            }
        }
        match session.usable(None) {
            Ok(Some(session)) => Ok(session),
            Ok(None) => refuse(405, "Method not allowed: there are no sessions here"),
            Err((status, error)) => refuse(status, &error.message),
        }
    }
}

/// The answer to a client that wants to go on from an event that nobody has any more.
pub fn gone() -> Response {
    let text = "Last-Event-ID is not the id of an event that is still there; send the request again";
    refusal(400, text, ResponseHeaders::new())
}
