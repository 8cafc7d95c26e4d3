//! Opening a connection: the probe, the handshake, and what the table says in between.

pub(super) use super::answer::{Answer, failure_of};
use super::envelope::{self, Built, Parts, encoded, header};
use super::error::HttpFailure;
use super::event::{Channel, Millis, Outbound, Params, Verb};
use super::negotiation::{self, Context, Mode, Outcome, Refusal, Verdict};
use super::pending::{Flight, Pending, Purpose};
use super::{Client, Code, Connected, Event, Exchange, Failure, Output, Session, State};
use crate::protocol::envelope::Stamp;
use crate::protocol::json::{Raw, quote};
use crate::protocol::version::{Era, ProtocolVersion};
use crate::protocol::{changes, meta, method};
use crate::streamable_http::headers;
use std::borrow::Cow;

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Step {
    Discover,
    Initialize,
    /// The stream of the deprecated HTTP+SSE transport is to say where `initialize` goes.
    Endpoint,
    /// `notifications/initialized` is out; requests follow once it has been delivered.
    Initialized,
}

/// A connection that is being opened.
pub(super) struct Opening {
    pub(super) step: Step,
    pub(super) exchange: Exchange,
    version: &'static str,
    corrected: bool,
    retries_left: u32,
    brief: bool,
    session_id: Option<String>,
    server_info: Option<String>,
    capabilities: Option<String>,
    instructions: Option<String>,
    /// What led to the guess that the server is legacy; told where that fails too.
    pub(super) suspicion: Option<Failure>,
    /// It rests on a stored verdict: where that is contradicted, the server is asked.
    assumed: bool,
}

impl Opening {
    pub(super) fn session(&self) -> Option<&str> {
        self.session_id.as_deref()
    }

    pub(super) fn to_session(&self) -> Session {
        let session_id = self.session_id.clone();
        Session { era: Era::Legacy, version: self.version, session_id, stamp: None, assumed: false }
    }
}

impl Client {
    /// Starts to connect.
    pub(super) fn open(&mut self, now: Millis) {
        let retries_left = self.options.probe_retries;
        let modern = negotiation::best_modern(&self.options.supported, self.options.mode);
        let legacy = negotiation::best_legacy(&self.options.supported);
        let (step, version) = match (self.options.mode, modern, legacy) {
            (Mode::Auto | Mode::Pin(_), Some(version), _) => (Step::Discover, version),
            (Mode::Auto | Mode::Legacy, _, Some(version)) => (Step::Initialize, version),
            _ => {
                let message = "supportedVersions leaves no version for this versionNegotiation";
                self.fail_opening(Failure::new(Code::InvalidArgument, message), now);
                return;
            }
        };
        self.open_at(step, version, retries_left, now);
    }

    /// Starts with `initialize`: the server is known to be legacy, or so a stored verdict says (`assumed`).
    pub(super) fn open_legacy(&mut self, version: &'static str, assumed: bool, now: Millis) {
        let step = if self.has_event_stream { Step::Endpoint } else { Step::Initialize };
        self.open_at(step, version, 0, now);
        if let State::Opening(opening) = &mut self.state {
            opening.assumed = assumed;
        }
    }

    fn open_at(&mut self, step: Step, version: &'static str, retries_left: u32, now: Millis) {
        self.stop_listening();
        self.stop_event_stream();
        self.state = State::Opening(Box::new(Opening {
            step,
            exchange: Exchange(0),
            version,
            corrected: false,
            retries_left,
            brief: false,
            session_id: None,
            server_info: None,
            capabilities: None,
            instructions: None,
            suspicion: None,
            assumed: false,
        }));
        match step {
            Step::Endpoint => self.open_event_stream(None, now),
            _ => self.send_step(now),
        }
    }

    /// Sends the message of the step that the opening stands at.
    pub(super) fn send_step(&mut self, now: Millis) {
        let exchange = self.next_exchange();
        let verb = self.verb();
        let State::Opening(opening) = &mut self.state else { return };
        opening.exchange = exchange;
        let (step, version) = (opening.step, opening.version);
        let session_id = opening.session_id.clone();
        let mut list = envelope::post_headers();
        let (id, frame, timeout) = match step {
            Step::Discover => {
                self.last_probe = self.last_probe.wrapping_add(1);
                let id = ["\"discover-", &self.last_probe.to_string(), "\""].concat();
                let stamp = Stamp::new(version, &self.options.client_info, &self.options.capabilities);
                let Built { frame, version, .. } =
                    self.step_frame(Some(&id), method::SERVER_DISCOVER, Some(&stamp), "");
                list.extend(version.map(|version| header(headers::PROTOCOL_VERSION, version)));
                list.push(encoded(headers::METHOD, method::SERVER_DISCOVER));
                (id, frame, self.options.probe_timeout())
            }
            Step::Initialize | Step::Endpoint => {
                self.last_id = 0;
                let id = self.next_id().to_string();
                let params = [
                    "\"protocolVersion\":",
                    &quote(version),
                    ",\"capabilities\":",
                    &self.options.capabilities,
                    ",\"clientInfo\":",
                    &self.options.client_info,
                ]
                .concat();
                let whole = ["{", &params, "}"].concat();
                let older = ProtocolVersion::parse(version)
                    .zip(Raw::parse(whole.as_bytes()).ok())
                    .and_then(|(version, whole)| changes::params_for(version, method::INITIALIZE, whole));
                let params = older.as_deref().map_or(params.as_str(), envelope::inside);
                let frame = self.step_frame(Some(&id), method::INITIALIZE, None, params).frame;
                (id, frame, self.options.timeout)
            }
            Step::Initialized => {
                list.push(header(headers::PROTOCOL_VERSION, version));
                list.extend(session_id.map(|session| header(headers::SESSION_ID, session)));
                let frame = self.step_frame(None, method::INITIALIZED, None, "").frame;
                (String::new(), frame, self.options.timeout)
            }
        };
        let mut flight = Flight::new(Purpose::Opening, id);
        let deadline = now.saturating_add(timeout);
        flight.deadline = Some(deadline);
        self.arm(deadline);
        self.exchanges.insert(exchange, flight);
        let list = if verb == Verb::Post { list } else { Vec::new() };
        self.outputs.push_back(Output::Send(Box::new(Outbound {
            exchange,
            verb,
            headers: list,
            body: frame,
            call: None,
            is_held: false,
            id: None,
        })));
    }

    fn step_frame(&self, id: Option<&str>, method: &str, stamp: Option<&Stamp>, params: &str) -> Built {
        let params = if params.is_empty() { Params::None } else { Params::Text(params) };
        envelope::build(&Parts { id, method, stamp, meta: None, log_level: None, progress: false, extra: "", params })
    }

    /// The session id of the answer to `initialize`.
    pub(super) fn note_session(&mut self, exchange: Exchange, session_id: Option<&str>) {
        if let State::Opening(opening) = &mut self.state
            && opening.exchange == exchange
            && opening.step == Step::Initialize
        {
            opening.session_id = session_id.filter(|id| !id.is_empty()).map(str::to_owned);
        }
    }

    /// Whether the exchange carries a notification, whose answer has no content.
    pub(super) fn is_initialized_notice(&self, exchange: Exchange) -> bool {
        matches!(&self.state, State::Opening(opening) if opening.exchange == exchange && opening.step == Step::Initialized)
    }

    /// `notifications/initialized` was delivered, or was not: the connection stands either way.
    pub(super) fn on_initialized(&mut self, now: Millis) {
        let State::Opening(opening) = &mut self.state else { return };
        let connected = Connected {
            era: Era::Legacy,
            version: opening.version,
            brief: opening.brief,
            server_info: opening.server_info.take(),
            capabilities: opening.capabilities.take(),
            instructions: opening.instructions.take(),
            session_id: opening.session_id.clone(),
        };
        let session = opening.to_session();
        self.establish(session, connected, now);
    }

    pub(super) fn establish(&mut self, session: Session, connected: Connected, now: Millis) {
        self.state = State::Ready(Box::new(session));
        self.connection = self.connection.wrapping_add(1);
        self.renew_subscriptions(connected.capabilities.as_deref());
        let logging = connected.capabilities.clone().filter(|_| self.era() == Some(Era::Legacy));
        self.listen();
        self.tell(Event::Connected(Box::new(connected)));
        let waiting = self.calls.keys();
        self.set_log_level(logging.as_deref(), now);
        for call in waiting {
            if self.calls.get(call).is_some_and(Pending::waits_for_connection) {
                self.dispatch(call, now);
            }
        }
        self.settle_subscriptions(now);
    }

    /// A step of the opening has its answer; its exchange is over.
    pub(super) fn on_opening_answer(
        &mut self,
        exchange: Exchange,
        answer: Answer<'_>,
        http: Option<HttpFailure>,
        now: Millis,
    ) {
        let State::Opening(opening) = &self.state else { return };
        if opening.exchange != exchange {
            return;
        }
        match opening.step {
            Step::Discover => self.on_discover(answer, http, now),
            Step::Initialize | Step::Endpoint => self.on_initialize(answer, http, now),
            Step::Initialized => self.on_initialized(now),
        }
    }

    fn on_discover(&mut self, answer: Answer<'_>, http: Option<HttpFailure>, now: Millis) {
        let status = http.as_ref().map(|http| http.status);
        let (versions, code) = match &answer {
            Answer::Result(result) => (strings(result.get("supportedVersions")), 0),
            Answer::Error(error) => {
                let data = error.data.as_deref().and_then(|data| Raw::parse(data.as_bytes()).ok());
                (strings(data.and_then(|data| data.get("supported"))), error.code)
            }
            _ => (None, 0),
        };
        let outcome = match &answer {
            Answer::Result(_) => match &versions {
                Some(versions) => Outcome::Discovered(versions),
                None => Outcome::UnrecognisedResult,
            },
            Answer::Error(_) => Outcome::Error { status, code, supported: versions.as_deref() },
            Answer::Status => Outcome::Status(status.unwrap_or_default()),
            Answer::Unusable(_) | Answer::TooLarge(_) => Outcome::Unusable,
            Answer::TimedOut => Outcome::TimedOut,
            Answer::Unreachable(_) => Outcome::Unreachable,
            Answer::Ended(_) => Outcome::Ended,
        };
        let State::Opening(opening) = &mut self.state else { return };
        let context = Context {
            mode: self.options.mode,
            ours: &self.options.supported,
            channel: self.options.channel,
            browser: self.options.browser,
            requested: opening.version,
            corrected: opening.corrected,
            retries_left: opening.retries_left,
        };
        // The versions of the context live as long as the program, so the verdict's do.
        match negotiation::judge(&outcome, &context) {
            Verdict::Modern(version) => {
                if let Answer::Result(result) = answer {
                    self.go_modern(version, result, now);
                }
            }
            Verdict::Correct(version) => {
                opening.version = version;
                opening.corrected = true;
                self.send_step(now);
            }
            Verdict::Resend => {
                opening.retries_left = opening.retries_left.saturating_sub(1);
                self.send_step(now);
            }
            Verdict::Initialize { version, brief } => {
                opening.step = Step::Initialize;
                opening.version = version;
                opening.brief = brief;
                if brief && let Answer::Unreachable(message) = answer {
                    opening.suspicion = Some(Failure::new(Code::Network, message));
                }
                self.send_step(now);
            }
            Verdict::Raise(refusal) => {
                let failure = self.refusal(refusal, answer, http);
                self.fail_opening(failure, now);
            }
        }
    }

    fn go_modern(&mut self, version: &'static str, result: Raw<'_>, now: Millis) {
        let stamp = Stamp::new(version, &self.options.client_info, &self.options.capabilities);
        let info = result.get("_meta").and_then(|meta| meta.get_present(meta::SERVER_INFO));
        let connected = Connected {
            era: Era::Modern,
            version,
            brief: false,
            // Before the key in `_meta` there was a member; some servers still send that.
            server_info: info.or_else(|| result.get_present("serverInfo")).map(owned),
            capabilities: result.get_present("capabilities").map(owned),
            instructions: result.get_present("instructions").map(owned),
            session_id: None,
        };
        let session = Session { era: Era::Modern, version, session_id: None, stamp: Some(stamp), assumed: false };
        self.establish(session, connected, now);
    }

    fn on_initialize(&mut self, answer: Answer<'_>, http: Option<HttpFailure>, now: Millis) {
        let State::Opening(opening) = &mut self.state else { return };
        if let Answer::Result(result) = answer {
            let answered = result.get("protocolVersion");
            let Some(version) = negotiation::settle(answered.and_then(Raw::as_str).as_deref(), &self.options.supported)
            else {
                let message = [
                    "initialize offered ",
                    opening.version,
                    ", and the server answered ",
                    answered.map_or("no version", Raw::as_text),
                    ", which is none of our legacy versions",
                ]
                .concat();
                self.abandon_session(now);
                self.fail_opening(Failure::new(Code::UnsupportedProtocolVersion, message), now);
                return;
            };
            opening.version = version;
            opening.server_info = result.get_present("serverInfo").map(owned);
            opening.capabilities = result.get_present("capabilities").map(owned);
            opening.instructions = result.get_present("instructions").map(owned);
            opening.step = Step::Initialized;
            self.send_step(now);
            return;
        }
        if opening.assumed {
            self.open(now);
            return;
        }
        let suspicion = opening.suspicion.take();
        let may_be_older = self.may_be_http_sse(&answer, http.as_ref());
        let mut failure = failure_of(method::INITIALIZE, answer, http);
        if let Some(first) = suspicion {
            failure.message = [
                &first.message,
                "; initialize, which needs fewer headers, failed too: ",
                &failure.message,
                &self.cors_hint(None),
                ", and expose mcp-session-id",
            ]
            .concat();
        }
        if may_be_older {
            self.open_event_stream(Some(failure), now);
        } else {
            self.fail_opening(failure, now);
        }
    }

    /// Ends the session of a handshake that we do not go on with.
    fn abandon_session(&mut self, now: Millis) {
        if let State::Opening(opening) = &self.state
            && opening.session_id.is_some()
        {
            let session = opening.to_session();
            self.terminate(&session, now);
        }
    }

    fn refusal(&self, refusal: Refusal, answer: Answer<'_>, http: Option<HttpFailure>) -> Failure {
        let ours = || self.options.supported.join(", ");
        let (code, message) = match refusal {
            Refusal::AsItIs | Refusal::Http | Refusal::TimedOut | Refusal::Unreachable => {
                return failure_of(method::SERVER_DISCOVER, answer, http);
            }
            Refusal::UnsupportedVersion => {
                (Code::UnsupportedProtocolVersion, ["the server supports none of our versions: ", &ours()].concat())
            }
            Refusal::NothingInCommon => {
                (Code::EraUnsettled, ["the server offers none of our versions: ", &ours()].concat())
            }
            Refusal::PinNotOffered => (Code::EraUnsettled, "the server does not offer the pinned version".to_owned()),
            Refusal::LegacyServer => (
                Code::EraUnsettled,
                "the server does not answer server/discover as a modern server does, and no legacy version may be used"
                    .to_owned(),
            ),
        };
        let rpc = if let Answer::Error(error) = answer { Some(error) } else { None };
        Failure::new(code, message).with_rpc(rpc).with_http(http.filter(|http| !matches!(http.status, 200..=299)))
    }

    /// The connection could not be made: nobody waits for it any longer.
    pub(super) fn fail_opening(&mut self, failure: Failure, now: Millis) {
        self.stop_event_stream();
        self.state = State::Idle;
        self.tell(Event::ConnectFailed(Box::new(failure.clone())));
        self.fail_all(&failure);
        self.interrupt_subscriptions(&failure, now);
    }

    /// Whether a failed exchange means that the other end is gone, rather than the network.
    pub(super) fn is_pipe(&self) -> bool {
        self.options.channel == Channel::LocalPipe
    }
}

fn owned(value: Raw<'_>) -> String {
    value.as_text().to_owned()
}

/// The elements of a list of strings; `None` if it is none.
fn strings(value: Option<Raw<'_>>) -> Option<Vec<Cow<'_, str>>> {
    let value = value.filter(|value| value.text().first() == Some(&b'['))?;
    value.elements().map(Raw::as_str).collect()
}
