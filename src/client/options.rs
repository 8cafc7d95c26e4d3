//! What a client is made with.

use super::MAX_RETRIES;
use super::event::{Channel, Millis};
use super::logging::level_of;
use super::negotiation::Mode;
use crate::protocol::json::{Raw, Writer};
use crate::protocol::method;
use crate::protocol::version::{Era, ProtocolVersion};
use std::borrow::Cow;

/// How long a request may take by default.
pub const TIMEOUT: Millis = 30_000;

/// How long a local pipe may stay silent before it counts as legacy. A process that has to start first
/// answers within it; a person does not wait much longer. (HTTP waits for the whole timeout: silence is no evidence there.)
pub const LOCAL_PROBE_TIMEOUT: Millis = 10_000;

/// How often a request is sent again where the application wants that without saying how often: a server that restarts
/// or a network that changes is back by then as a rule.
pub const RETRIES: u32 = 3;

/// Which results a client keeps that the server lets it keep.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Caching {
    /// None.
    #[default]
    None,
    /// Those that are the same for everybody: in whose name requests go out is not known.
    Public,
    /// All.
    Private,
}

/// What a client is made with.
#[derive(Clone, Debug)]
pub struct Options {
    /// `clientInfo`, a JSON object.
    pub client_info: String,
    /// The client's capabilities, a JSON object.
    pub capabilities: String,
    /// How the era is settled.
    pub mode: Mode<'static>,
    /// The versions to speak, preferred first.
    pub supported: Vec<&'static str>,
    /// What carries the messages.
    pub channel: Channel,
    /// The URL that requests go to, where redirects are to be followed.
    pub endpoint: Option<String>,
    /// Whether fetch may fail because the browser refuses (a page, a web worker or a service worker).
    pub browser: bool,
    /// Milliseconds that a request may take.
    pub timeout: Millis,
    /// Milliseconds that a probe may take.
    pub probe_timeout: Option<Millis>,
    /// How often a silent probe is sent again.
    pub probe_retries: u32,
    /// The requests of the server that the application answers, by method.
    pub handled: Vec<String>,
    /// Whether the application wants to hear what belongs to no request: opens the legacy stream for it.
    pub listens: bool,
    /// Whether the application is told of every message of the peer.
    pub observes: bool,
    /// Which results are kept.
    pub caching: Caching,
    /// Whether they are kept outside: [`Event::Lookup`](super::Event::Lookup) and its like say what is
    /// to be done there. The [asynchronous client](super::driver) keeps them in memory.
    pub stores: bool,
    /// Whether the [asynchronous client](super::driver) holds results against the `outputSchema` of tools that it has listed.
    pub validate_output: bool,
    /// How often a request is sent again whose answer was lost, where that does no harm; at most
    /// [`MAX_RETRIES`].
    pub retries: u32,
    /// The level of the log messages that are wanted, one of [`LOG_LEVELS`](super::LOG_LEVELS).
    pub log_level: Option<&'static str>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            client_info: concat!(r#"{"name":"mcp-duet","version":""#, env!("CARGO_PKG_VERSION"), r#""}"#).to_owned(),
            capabilities: "{}".to_owned(),
            mode: Mode::Auto,
            supported: ProtocolVersion::ALL.into_iter().map(ProtocolVersion::as_str).collect(),
            channel: Channel::Http,
            endpoint: None,
            browser: false,
            timeout: TIMEOUT,
            probe_timeout: None,
            probe_retries: 0,
            handled: Vec::new(),
            listens: false,
            observes: false,
            caching: Caching::None,
            stores: false,
            validate_output: true,
            retries: 0,
            log_level: None,
        }
    }
}

impl Options {
    /// Reads the options of the JavaScript client, one JSON object.
    ///
    /// # Errors
    ///
    /// What was expected.
    pub fn read(value: Raw<'_>) -> Result<Self, String> {
        let mut options = Self::default();
        if let Some(info) = value.get_present("clientInfo") {
            if info.get_str("name").is_none() || info.get_str("version").is_none() {
                return invalid("clientInfo must be an object with a name and a version");
            }
            options.client_info = info.as_text().to_owned();
        }
        if let Some(capabilities) = value.get_present("capabilities") {
            if !capabilities.is_object() {
                return invalid("capabilities must be an object");
            }
            options.capabilities = capabilities.as_text().to_owned();
        }
        if let Some(list) = value.get_present("supportedVersions") {
            options.supported = list
                .elements()
                .map(known_version)
                .collect::<Option<Vec<_>>>()
                .filter(|list| !list.is_empty())
                .ok_or("supportedVersions must list protocol versions that we speak")?;
        }
        if let Some(mode) = value.get_present("versionNegotiation") {
            options.mode = match mode.as_str().as_deref() {
                Some("auto") => Mode::Auto,
                Some("legacy") => Mode::Legacy,
                _ => match mode.get("pin").and_then(known_version).and_then(ProtocolVersion::parse) {
                    Some(version) if version.era() == Era::Modern => Mode::Pin(version.as_str()),
                    _ => {
                        return invalid(
                            "versionNegotiation must be \"auto\", \"legacy\" or { pin } with a modern version",
                        );
                    }
                },
            };
        }
        if value.get("kind").and_then(Raw::as_str).as_deref() == Some("pipe") {
            options.channel = Channel::LocalPipe;
        }
        options.handled = value
            .get("handled")
            .map(Raw::elements)
            .into_iter()
            .flatten()
            .filter_map(Raw::as_str)
            .map(Cow::into_owned)
            .collect();
        options.declare_handled(value.get("capabilities"));
        options.endpoint = value.get_str("endpoint").map(Cow::into_owned);
        options.listens = value.get("listens").and_then(Raw::as_bool) == Some(true);
        options.observes = value.get("observes").and_then(Raw::as_bool) == Some(true);
        options.caching = match value.get_str("caching").as_deref() {
            Some("private") => Caching::Private,
            Some("public") => Caching::Public,
            _ => Caching::None,
        };
        options.stores = value.get("stores").and_then(Raw::as_bool) == Some(true);
        if let Some(level) = value.get_present("logLevel") {
            options.log_level = level.as_str().and_then(|level| level_of(&level));
            if options.log_level.is_none() {
                return invalid("logLevel must be a level of log messages, from debug to emergency");
            }
        }
        if let Some(retry) = value.get_present("retry") {
            options.retries = match (retry.as_bool(), retry.as_i64().map(u32::try_from)) {
                (Some(is_wanted), _) => {
                    if is_wanted {
                        RETRIES
                    } else {
                        0
                    }
                }
                (_, Some(Ok(times))) if times <= MAX_RETRIES => times,
                _ => return invalid("retry must be true, false or how often, at most 10"),
            };
        }
        options.browser = value.get("browser").and_then(Raw::as_bool) == Some(true);
        options.timeout = millis(value, "timeoutMs")?.unwrap_or(options.timeout);
        if let Some(probe) = value.get_present("probe") {
            options.probe_timeout = millis(probe, "timeoutMs")?;
            options.probe_retries = millis(probe, "maxRetries")?.unwrap_or(0).min(u64::from(u32::MAX)) as u32;
        }
        Ok(options)
    }

    /// Declares the capabilities that go with the handlers, where the application has not done so.
    fn declare_handled(&mut self, declared: Option<Raw<'_>>) {
        let missing: Vec<_> = [
            (method::ELICITATION_CREATE, "elicitation"),
            (method::SAMPLING_CREATE_MESSAGE, "sampling"),
            (method::ROOTS_LIST, "roots"),
        ]
        .into_iter()
        .filter(|(method, name)| self.handles(method) && declared.is_none_or(|declared| declared.get(name).is_none()))
        .collect();
        if missing.is_empty() {
            return;
        }
        let mut out = Writer::new();
        out.open_object();
        for (key, value) in declared.map(Raw::members).into_iter().flatten() {
            out.name(&key.name()).value(value);
        }
        for (_, name) in missing {
            out.name(name).raw("{}");
        }
        out.close_object();
        self.capabilities = out.finish();
    }

    /// Whether the application answers that request of the server.
    pub(super) fn handles(&self, method: &str) -> bool {
        self.handled.iter().any(|handled| handled == method)
    }

    /// Milliseconds that a probe may take on this channel.
    pub(super) fn probe_timeout(&self) -> Millis {
        self.probe_timeout.unwrap_or_else(|| match self.channel {
            Channel::Http => self.timeout,
            Channel::LocalPipe => self.timeout.min(LOCAL_PROBE_TIMEOUT),
        })
    }
}

fn invalid<T>(message: &str) -> Result<T, String> {
    Err(message.to_owned())
}

fn known_version(value: Raw<'_>) -> Option<&'static str> {
    Some(ProtocolVersion::parse(&value.as_str()?)?.as_str())
}

/// A number of milliseconds, or of times: an integer that is not negative.
fn millis(value: Raw<'_>, name: &str) -> Result<Option<Millis>, String> {
    let Some(value) = value.get_present(name) else { return Ok(None) };
    match value.as_i64().map(Millis::try_from) {
        Some(Ok(number)) => Ok(Some(number)),
        _ => invalid(&[name, " must be an integer that is not negative"].concat()),
    }
}
