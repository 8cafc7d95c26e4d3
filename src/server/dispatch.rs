//! From the bytes of a message to what has to be done about it.

use super::call::Call;
use super::params::Params;
use super::registry::LegacyMode;
use super::step::{Answer, Channel, Notice, Reply, Step};
use super::{LogLevel, Server, WHOLE};
use crate::protocol::changes::allows_batches;
use crate::protocol::error::{self, ErrorObject, INVALID_PARAMS, INVALID_REQUEST, UNSUPPORTED_PROTOCOL_VERSION};
use crate::protocol::json::{Ends, Kind, Raw, SyntaxError, Writer, quote};
use crate::protocol::jsonrpc::{Message, RequestId};
use crate::protocol::version::{Era, ProtocolVersion};
use crate::protocol::{meta, method};
use crate::streamable_http::check;
use crate::streamable_http::classify::{Envelope, Inbound, classify, classify_claims};
use crate::streamable_http::headers;

/// The most messages of one batch: enough for any real client, few enough to bound the work of one request.
const MAX_BATCH: usize = 100;

/// Either what comes next, or the refusal: its HTTP status and error.
pub(super) type Outcome<T> = Result<T, (u16, ErrorObject)>;

impl Server {
    /// Says what to do about one message, the bytes of its JSON text.
    ///
    /// The era is decided by the message's own shape and headers, never by an earlier one.
    pub fn handle_message<'a>(&'a self, message: &'a [u8], channel: &Channel<'_>) -> Step<'a> {
        self.handle_message_with(message, &mut Ends::new(), channel)
    }

    /// [`Server::handle_message`] that leaves behind where the long values end.
    pub fn handle_message_with<'a>(&'a self, message: &'a [u8], ends: &mut Ends, channel: &Channel<'_>) -> Step<'a> {
        match Raw::parse_with(message, ends) {
            Ok(value) => self.handle(value, ends, channel),
            Err(syntax) => Step::Reply(Reply::error(None, 400, parse_error(&syntax))),
        }
    }

    /// [`Server::handle_message`] for a message that is known to be JSON.
    pub fn handle_value<'a>(&'a self, value: Raw<'a>, channel: &Channel<'_>) -> Step<'a> {
        self.handle(value, &Ends::new(), channel)
    }

    fn handle<'a>(&'a self, value: Raw<'a>, ends: &Ends, channel: &Channel<'_>) -> Step<'a> {
        if value.kind() == Kind::Array && !channel.in_batch {
            return if WHOLE { self.batch(value, channel) } else { Step::Beyond };
        }
        let message = match Message::read_with(value, ends) {
            Ok(message) => message,
            Err(invalid) => return Step::Reply(Reply::error(invalid.id, 400, invalid.to_error())),
        };
        match message {
            Message::Request { id, .. } => match self.request(&message, id, ends, channel) {
                Ok(step) => step,
                Err((status, error)) => Step::Reply(Reply::error(Some(id), status, error)),
            },
            message => self.without_answer(message, channel),
        }
    }

    /// What to do about a notification or a response.
    #[inline(never)]
    fn without_answer<'a>(&'a self, message: Message<'a>, channel: &Channel<'_>) -> Step<'a> {
        match (self.one_way(&message, channel), channel.headers) {
            (Err((status, error)), Some(_)) => Step::Reply(Reply::error(None, status, error)),
            (Err(_), None) => Step::Nothing,
            (Ok(session), _) => match message {
                Message::Notification { method, params } if session && method == method::CANCELLED => {
                    let id = params.and_then(|params| params.get("requestId")).and_then(RequestId::read);
                    id.map_or(Step::Nothing, Step::Cancel)
                }
                Message::Result { id, result } => Step::Answer(Answer { id, result: Ok(result) }),
                Message::Error { id: Some(id), error } => Step::Answer(Answer { id, result: Err(error) }),
                Message::Notification { method, params } => {
                    let own = self.registry.notifications.iter().position(|name| *name == method);
                    own.map_or(Step::Nothing, |index| Step::Notice(Notice { index, params }))
                }
                _ => Step::Nothing,
            },
        }
    }

    fn classify<'a>(
        &self,
        channel: &Channel<'_>,
        classify: impl FnOnce(Option<&str>) -> Inbound<'a>,
    ) -> Outcome<Inbound<'a>> {
        let header = channel.headers.and_then(|headers| headers::get(headers, headers::PROTOCOL_VERSION));
        if !self.has_modern() {
            let version = header.and_then(ProtocolVersion::parse);
            return match (version, header) {
                (None, Some(header)) => Err(self.unsupported_header(header)),
                (version, _) => self.legacy(version).map(|()| Inbound::Legacy { version }),
            };
        }
        match classify(header) {
            Inbound::Rejected(rejection) => Err((rejection.status, rejection.error)),
            Inbound::Legacy { version } => self.legacy(version).map(|()| Inbound::Legacy { version }),
            inbound => Ok(inbound),
        }
    }

    fn has_modern(&self) -> bool {
        self.registry.versions.iter().any(|version| version.era() == Era::Modern)
    }

    fn serves_legacy(&self) -> bool {
        self.registry.legacy != LegacyMode::Reject
            && self.registry.versions.iter().any(|version| version.era() == Era::Legacy)
    }

    /// Whether the version of a legacy request's header is one that we serve.
    fn legacy(&self, version: Option<ProtocolVersion>) -> Outcome<()> {
        match version {
            Some(version) if self.serves_legacy() && !self.registry.versions.contains(&version) => {
                Err(self.unsupported_header(version.as_str()))
            }
            _ => Ok(()),
        }
    }

    #[inline(never)]
    fn unsupported_header(&self, header: &str) -> (u16, ErrorObject) {
        let mut text = String::from("Unsupported protocol version in the MCP-Protocol-Version header: ");
        text.push_str(&quote(header));
        text.push_str("; supported: ");
        text.push_str(&self.registry.versions_json());
        (400, ErrorObject::new(INVALID_REQUEST, text))
    }

    /// Checks a notification or a response; says whether it is part of a session.
    fn one_way(&self, message: &Message<'_>, channel: &Channel<'_>) -> Outcome<bool> {
        let inbound = self.classify(channel, |header| classify(message, header))?;
        if matches!(inbound, Inbound::Legacy { .. }) {
            return channel.session.usable(None).map(|session| session.is_some());
        }
        if let (Inbound::ModernNotification { version }, Message::Notification { method, .. }, Some(headers)) =
            (inbound, message, channel.headers)
        {
            check::notification(headers, version.as_deref(), method).map_err(|error| (400, error))?;
        }
        Ok(false)
    }

    #[inline(never)]
    fn batch<'a>(&'a self, value: Raw<'a>, channel: &Channel<'_>) -> Step<'a> {
        let agreed = match channel.session.usable(None) {
            Ok(session) => session.map(|session| session.version.as_str()),
            Err((status, error)) => return Step::Reply(Reply::error(None, status, error)),
        };
        let header = channel.headers.and_then(|headers| headers::get(headers, headers::PROTOCOL_VERSION));
        let speaks = header.or(agreed).is_none_or(|header| ProtocolVersion::parse(header).is_some_and(allows_batches));
        let elements: Vec<_> = value.elements().take(MAX_BATCH + 1).collect();
        let reason = if !speaks || !self.serves_legacy() || !self.registry.versions.iter().copied().any(allows_batches)
        {
            "Invalid request: expected one message, got a batch, which this version does not have"
        } else if elements.is_empty() {
            "Invalid request: a batch must hold at least one message"
        } else if elements.len() > MAX_BATCH {
            "Invalid request: a batch must hold at most 100 messages"
        } else {
            return Step::Batch(elements);
        };
        Step::Reply(Reply::error(None, 400, ErrorObject::new(INVALID_REQUEST, reason)))
    }

    fn request<'a>(
        &'a self,
        message: &Message<'a>,
        id: RequestId<'a>,
        ends: &Ends,
        channel: &Channel<'_>,
    ) -> Outcome<Step<'a>> {
        let Message::Request { method, params, .. } = message else { return Ok(Step::Nothing) };
        let params = Params::read(*params, ends);
        let inbound = self.classify(channel, |header| classify_claims(method, true, &params.claims, header))?;
        let mut session = None;
        let (version, reads, log_level) = match &inbound {
            Inbound::Modern(envelope) => {
                if channel.in_batch {
                    let text = "Invalid request: a message of this era cannot be part of a batch";
                    return Err((400, ErrorObject::new(INVALID_REQUEST, text)));
                }
                let version = self.modern(envelope, method, &params, channel)?;
                (version, version, self.log_level(envelope)?)
            }
            Inbound::Legacy { version } => {
                if !self.serves_legacy() {
                    return Err(self.without_legacy(method, &params));
                }
                session = channel.session.usable(Some(method))?;
                // Where nobody knows a level that was set, the server decides what to send.
                let level = session.and_then(|session| session.log_level).unwrap_or(LogLevel::Debug);
                let level = self.encoded.logs().then_some(level);
                let agreed = session.map(|session| session.version).or(*version);
                let version = agreed.unwrap_or_else(|| self.legacy_without_header());
                // HTTP says the version in every request, be it by saying nothing; elsewhere only a session knows it.
                let is_known = channel.headers.is_some() || session.is_some();
                let reads = if is_known { version } else { ProtocolVersion::LATEST_LEGACY };
                (version, reads, level)
            }
            Inbound::ModernNotification { .. } | Inbound::Rejected(_) => return Ok(Step::Nothing),
        };
        let capabilities = match &inbound {
            Inbound::Modern(envelope) => Some(envelope.capabilities),
            _ => None,
        };
        let call =
            Call { server: self, id, version, reads, log_level, method, params, capabilities, channel, ends, session };
        call.dispatch()
    }

    /// The version of a legacy request that names none: what the transport says, where we serve it.
    #[inline(never)]
    fn legacy_without_header(&self) -> ProtocolVersion {
        let legacy = self.registry.versions.iter().filter(|version| version.era() == Era::Legacy);
        let usual = legacy.clone().find(|version| **version == ProtocolVersion::WITHOUT_HEADER);
        usual.or_else(|| legacy.max()).copied().unwrap_or(ProtocolVersion::WITHOUT_HEADER)
    }

    /// What a server without legacy versions answers to a legacy request.
    #[inline(never)]
    fn without_legacy(&self, method: &str, params: &Params<'_>) -> (u16, ErrorObject) {
        if method == method::INITIALIZE {
            return self.unsupported(params.version);
        }
        let mut text = String::from("Invalid params: every request needs params._meta with ");
        text.push_str(meta::PROTOCOL_VERSION);
        text.push_str(" and ");
        text.push_str(meta::CLIENT_CAPABILITIES);
        text.push_str("; supported versions: ");
        text.push_str(&self.registry.versions_json());
        (400, ErrorObject::new(INVALID_PARAMS, text))
    }

    #[inline(never)]
    fn unsupported(&self, requested: Option<Raw<'_>>) -> (u16, ErrorObject) {
        let mut data = Writer::new();
        data.open_object().name("supported").raw(&self.registry.versions_json());
        // The schema wants a text, also where the client named none.
        data.name("requested").string(&requested.and_then(Raw::as_str).unwrap_or_default()).close_object();
        let mut text = String::from("Unsupported protocol version; supported: ");
        for (at, version) in self.registry.versions.iter().enumerate() {
            text.push_str(if at > 0 { ", " } else { "" });
            text.push_str(version.as_str());
        }
        (400, ErrorObject::new(UNSUPPORTED_PROTOCOL_VERSION, text).with_data(data.finish()))
    }

    /// The version of a modern request, once its headers agree with it and we serve it.
    fn modern(
        &self,
        envelope: &Envelope<'_>,
        method: &str,
        params: &Params<'_>,
        channel: &Channel<'_>,
    ) -> Outcome<ProtocolVersion> {
        let served = ProtocolVersion::parse(&envelope.version)
            .filter(|version| version.era() == Era::Modern && self.registry.versions.contains(version));
        if let Some(headers) = channel.headers {
            // A client that is told which versions there are mends its other headers with the next request.
            let agreed = headers::get(headers, headers::PROTOCOL_VERSION) == Some(&*envelope.version);
            if served.is_some() || !agreed {
                let name = params.mirrored_name(method);
                check::request_with_name(headers, &envelope.version, method, name.as_deref())
                    .map_err(|error| (400, error))?;
            }
        }
        served.ok_or_else(|| self.unsupported(envelope.meta.get(meta::PROTOCOL_VERSION)))
    }

    fn log_level(&self, envelope: &Envelope<'_>) -> Outcome<Option<LogLevel>> {
        let Some(level) = &envelope.log_level else { return Ok(None) };
        let level = LogLevel::parse(level).ok_or_else(|| (400, bad_level()))?;
        Ok(self.encoded.logs().then_some(level))
    }
}

#[inline(never)]
pub(super) fn bad_level() -> ErrorObject {
    let mut text = String::from("Invalid params: the log level must be one of ");
    for (at, level) in LogLevel::ALL.into_iter().enumerate() {
        text.push_str(if at > 0 { ", " } else { "" });
        text.push_str(level.as_str());
    }
    ErrorObject::new(INVALID_PARAMS, text)
}

/// The error for a text that is not JSON.
#[inline(never)]
pub(super) fn parse_error(syntax: &SyntaxError) -> ErrorObject {
    let mut text = String::from("Parse error: ");
    text.push_str(&syntax.to_string());
    ErrorObject::new(error::PARSE_ERROR, text)
}
