//! From the bytes of a message to what has to be done about it.

use super::encoded::LISTS;
use super::registry::LegacyMode;
use super::step::{Body, Channel, Reply, Step};
use super::{Invocation, LogLevel, Server, Target};
use crate::protocol::error::{
    self, ErrorObject, INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, UNSUPPORTED_PROTOCOL_VERSION,
};
use crate::protocol::json::{Kind, Raw, Writer, quote};
use crate::protocol::jsonrpc::{Message, RequestId};
use crate::protocol::version::{Era, ProtocolVersion};
use crate::protocol::{meta, method};
use crate::streamable_http::check;
use crate::streamable_http::classify::{Envelope, Inbound, classify};
use crate::streamable_http::headers;

/// The most messages of one batch: enough for any real client, few enough to bound the work of one request.
const MAX_BATCH: usize = 100;

/// Either what comes next, or the refusal: its HTTP status and error.
type Outcome<T> = Result<T, (u16, ErrorObject)>;

impl Server {
    /// Says what to do about one message, the bytes of its JSON text.
    ///
    /// The era is decided by the message's own shape and headers, never by an earlier one.
    pub fn handle_message<'a>(&'a self, message: &'a [u8], channel: &Channel<'_>) -> Step<'a> {
        match Raw::parse(message) {
            Ok(value) => self.handle_value(value, channel),
            Err(syntax) => {
                let mut text = String::from("Parse error: ");
                text.push_str(&syntax.to_string());
                Step::Reply(Reply::error(None, 400, ErrorObject::new(error::PARSE_ERROR, text)))
            }
        }
    }

    /// [`Server::handle_message`] for a message that is known to be JSON.
    pub fn handle_value<'a>(&'a self, value: Raw<'a>, channel: &Channel<'_>) -> Step<'a> {
        if value.kind() == Kind::Array && !channel.in_batch {
            return self.batch(value, channel);
        }
        let message = match Message::read(value) {
            Ok(message) => message,
            Err(invalid) => return Step::Reply(Reply::error(invalid.id, 400, invalid.to_error())),
        };
        match message {
            Message::Request { id, .. } => match self.request(&message, id, channel) {
                Ok(step) => step,
                Err((status, error)) => Step::Reply(Reply::error(Some(id), status, error)),
            },
            _ => match (self.one_way(&message, channel), channel.headers) {
                (Err((status, error)), Some(_)) => Step::Reply(Reply::error(None, status, error)),
                _ => Step::Nothing,
            },
        }
    }

    fn classify<'a>(&self, message: &Message<'a>, channel: &Channel<'_>) -> Outcome<Inbound<'a>> {
        let header = channel.headers.and_then(|headers| headers::get(headers, headers::PROTOCOL_VERSION));
        if !self.has_modern() {
            let version = header.and_then(ProtocolVersion::parse);
            return match (version, header) {
                (None, Some(header)) => Err(self.unsupported_header(header)),
                (version, _) => self.legacy(version).map(|()| Inbound::Legacy { version }),
            };
        }
        match classify(message, header) {
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

    fn unsupported_header(&self, header: &str) -> (u16, ErrorObject) {
        let mut text = String::from("Unsupported protocol version in the MCP-Protocol-Version header: ");
        text.push_str(&quote(header));
        text.push_str("; supported: ");
        text.push_str(&self.registry.versions_json());
        (400, ErrorObject::new(INVALID_REQUEST, text))
    }

    /// Checks a notification or a response; there is nothing to do about either.
    fn one_way(&self, message: &Message<'_>, channel: &Channel<'_>) -> Outcome<()> {
        let inbound = self.classify(message, channel)?;
        if let (Inbound::ModernNotification { version }, Message::Notification { method, .. }, Some(headers)) =
            (inbound, message, channel.headers)
        {
            check::notification(headers, version.as_deref(), method).map_err(|error| (400, error))?;
        }
        Ok(())
    }

    fn batch<'a>(&'a self, value: Raw<'a>, channel: &Channel<'_>) -> Step<'a> {
        let header = channel.headers.and_then(|headers| headers::get(headers, headers::PROTOCOL_VERSION));
        let speaks = header.is_none_or(|header| header == ProtocolVersion::V2025_03_26.as_str());
        let elements: Vec<_> = value.elements().take(MAX_BATCH + 1).collect();
        let reason =
            if !speaks || !self.serves_legacy() || !self.registry.versions.contains(&ProtocolVersion::V2025_03_26) {
                "Invalid request: expected one message; only protocol version 2025-03-26 has batches"
            } else if elements.is_empty() {
                "Invalid request: a batch must hold at least one message"
            } else if elements.len() > MAX_BATCH {
                "Invalid request: a batch must hold at most 100 messages"
            } else {
                return Step::Batch(elements);
            };
        Step::Reply(Reply::error(None, 400, ErrorObject::new(INVALID_REQUEST, reason)))
    }

    fn request<'a>(&'a self, message: &Message<'a>, id: RequestId<'a>, channel: &Channel<'_>) -> Outcome<Step<'a>> {
        let Message::Request { method, params, .. } = message else { return Ok(Step::Nothing) };
        let params = *params;
        let inbound = self.classify(message, channel)?;
        let (version, log_level) = match &inbound {
            Inbound::Modern(envelope) => {
                if channel.in_batch {
                    let text = "Invalid request: a message of this era cannot be part of a batch";
                    return Err((400, ErrorObject::new(INVALID_REQUEST, text)));
                }
                (self.modern(envelope, method, params, channel)?, self.log_level(envelope)?)
            }
            Inbound::Legacy { version } => {
                if !self.serves_legacy() {
                    return Err(self.without_legacy(method, params));
                }
                // Without a session nobody knows the level that was set: the server decides what to send.
                let level = self.encoded.logs().then_some(LogLevel::Debug);
                (version.unwrap_or_else(|| self.legacy_without_header()), level)
            }
            Inbound::ModernNotification { .. } | Inbound::Rejected(_) => return Ok(Step::Nothing),
        };
        let call = Call { server: self, id, version, log_level, method, params: Params::read(params), channel };
        call.dispatch()
    }

    /// The version of a legacy request that names none: what the transport says, where we serve it.
    fn legacy_without_header(&self) -> ProtocolVersion {
        let legacy = self.registry.versions.iter().filter(|version| version.era() == Era::Legacy);
        let usual = legacy.clone().find(|version| **version == ProtocolVersion::WITHOUT_HEADER);
        usual.or_else(|| legacy.max()).copied().unwrap_or(ProtocolVersion::WITHOUT_HEADER)
    }

    /// What a server without legacy versions answers to a legacy request.
    fn without_legacy(&self, method: &str, params: Option<Raw<'_>>) -> (u16, ErrorObject) {
        if method == method::INITIALIZE {
            let requested = params.and_then(|params| params.get("protocolVersion"));
            return self.unsupported(requested.filter(|version| version.kind() == Kind::String));
        }
        let mut text = String::from("Invalid params: every request needs params._meta with ");
        text.push_str(meta::PROTOCOL_VERSION);
        text.push_str(" and ");
        text.push_str(meta::CLIENT_CAPABILITIES);
        text.push_str("; supported versions: ");
        text.push_str(&self.registry.versions_json());
        (400, ErrorObject::new(INVALID_PARAMS, text))
    }

    fn unsupported(&self, requested: Option<Raw<'_>>) -> (u16, ErrorObject) {
        let mut data = Writer::new();
        data.open_object().name("supported").raw(&self.registry.versions_json());
        if let Some(requested) = requested {
            data.name("requested").value(requested);
        }
        data.close_object();
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
        params: Option<Raw<'_>>,
        channel: &Channel<'_>,
    ) -> Outcome<ProtocolVersion> {
        let served = ProtocolVersion::parse(&envelope.version)
            .filter(|version| version.era() == Era::Modern && self.registry.versions.contains(version));
        if let Some(headers) = channel.headers {
            // A client that is told which versions there are mends its other headers with the next request.
            let agreed = headers::get(headers, headers::PROTOCOL_VERSION) == Some(&*envelope.version);
            if served.is_some() || !agreed {
                check::request(headers, &envelope.version, method, params).map_err(|error| (400, error))?;
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

/// The members of `params` that some method reads.
#[derive(Clone, Copy, Debug, Default)]
struct Params<'a> {
    whole: Option<Raw<'a>>,
    meta: Option<Raw<'a>>,
    name: Option<Raw<'a>>,
    uri: Option<Raw<'a>>,
    arguments: Option<Raw<'a>>,
    cursor: Option<Raw<'a>>,
    level: Option<Raw<'a>>,
    version: Option<Raw<'a>>,
}

impl<'a> Params<'a> {
    /// One pass: looking up each by itself would step over the arguments again and again.
    fn read(params: Option<Raw<'a>>) -> Self {
        let mut out = Self { whole: params, ..Self::default() };
        for (key, value) in params.iter().flat_map(|params| params.members()) {
            let name = key.name();
            let slot = match &*name {
                "_meta" => &mut out.meta,
                "name" => &mut out.name,
                "uri" => &mut out.uri,
                "arguments" => &mut out.arguments,
                "cursor" => &mut out.cursor,
                "level" => &mut out.level,
                "protocolVersion" => &mut out.version,
                _ => continue,
            };
            *slot = Some(value);
        }
        out
    }
}

/// A request of either era that is known to be well formed.
struct Call<'a, 'c> {
    server: &'a Server,
    id: RequestId<'a>,
    version: ProtocolVersion,
    log_level: Option<LogLevel>,
    method: &'c str,
    params: Params<'a>,
    channel: &'c Channel<'c>,
}

impl<'a> Call<'a, '_> {
    fn dispatch(&self) -> Outcome<Step<'a>> {
        let registry = &self.server.registry;
        let encoded = &self.server.encoded;
        let era = self.version.era();
        if !method::is_request_in(self.method, era) {
            return Err(self.unknown_method());
        }
        match self.method {
            method::SERVER_DISCOVER => Ok(self.constant(encoded.discover())),
            method::INITIALIZE if self.channel.in_batch => {
                Err((400, ErrorObject::new(INVALID_REQUEST, "Invalid request: initialize cannot be part of a batch")))
            }
            method::INITIALIZE => {
                let requested = self.params.version.and_then(Raw::as_str).unwrap_or_default();
                encoded.initialize(&requested).map(|key| self.constant(key)).ok_or_else(|| self.unknown_method())
            }
            method::PING => Ok(self.constant(encoded.empty(era))),
            method::LOGGING_SET_LEVEL if encoded.logs() => {
                let level = self.params.level.and_then(Raw::as_str).unwrap_or_default();
                LogLevel::parse(&level).ok_or_else(|| (200, bad_level()))?;
                Ok(self.constant(encoded.empty(era)))
            }
            method::TOOLS_LIST if registry.tools.declared => self.list(),
            method::TOOLS_CALL if registry.tools.declared => self.call_tool(),
            method::RESOURCES_LIST | method::RESOURCES_TEMPLATES_LIST if self.has_resources() => self.list(),
            method::RESOURCES_READ if self.has_resources() => self.read_resource(),
            method::PROMPTS_LIST if registry.prompts.declared => self.list(),
            method::PROMPTS_GET if registry.prompts.declared => self.get_prompt(),
            method::COMPLETION_COMPLETE => self.complete(),
            _ => Err(self.unknown_method()),
        }
    }

    fn has_resources(&self) -> bool {
        self.server.registry.resources.declared || self.server.registry.templates.declared
    }

    fn unknown_method(&self) -> (u16, ErrorObject) {
        let mut text = String::from("Method not found: ");
        text.push_str(self.method);
        let status = if self.version.era() == Era::Modern { 404 } else { 200 };
        (status, ErrorObject::new(METHOD_NOT_FOUND, text))
    }

    fn constant(&self, key: usize) -> Step<'a> {
        Step::Reply(Reply {
            id: Some(self.id),
            status: 200,
            body: Body::Constant(key, self.server.encoded.constant(key)),
        })
    }

    fn result(&self, result: String) -> Step<'a> {
        Step::Reply(Reply { id: Some(self.id), status: 200, body: Body::Result(result) })
    }

    fn invoke(&self, target: Target, input: Option<Raw<'a>>) -> Step<'a> {
        let meta = self.params.meta.filter(|meta| meta.is_object());
        let streams = self.channel.streams;
        let token = meta.filter(|_| streams).and_then(|meta| meta.get(meta::PROGRESS_TOKEN));
        Step::Invoke(Invocation {
            server: self.server,
            target,
            id: self.id,
            version: self.version,
            input,
            meta,
            progress_token: token.filter(|token| matches!(token.kind(), Kind::String | Kind::Number)),
            log_level: self.log_level.filter(|_| streams),
        })
    }

    fn list(&self) -> Outcome<Step<'a>> {
        let cursor = match self.params.cursor.filter(|cursor| !cursor.is_null()) {
            None => None,
            Some(cursor) => Some(cursor.as_str().ok_or_else(|| invalid("params.cursor must be a string"))?),
        };
        let list = LISTS.iter().position(|name| *name == self.method).unwrap_or_default();
        let key = self.server.encoded.page(list, self.version.era(), cursor.as_deref());
        let key = key.ok_or_else(|| invalid("params.cursor is not one that this server gave out"))?;
        Ok(self.constant(key))
    }

    fn call_tool(&self) -> Outcome<Step<'a>> {
        let name = self.string(self.params.name, "params.name must be a string")?;
        let Some((index, tool)) = self.server.registry.tools.find(&name) else {
            return Err(unknown("Unknown tool: ", &name));
        };
        let arguments = self.arguments()?;
        if self.version.era() == Era::Modern
            && let Some(headers) = self.channel.headers
        {
            check::params(headers, &tool.headers, arguments).map_err(|error| (400, error))?;
        }
        if let Err(violations) = tool.check_arguments(arguments.unwrap_or(Raw::EMPTY_OBJECT)) {
            let mut text = String::from("Invalid arguments for tool ");
            text.push_str(&tool.name);
            text.push_str(": ");
            text.push_str(&violations);
            return Ok(self.result(self.server.tool_error(self.version.era(), &text)));
        }
        Ok(self.invoke(Target::Tool(index), arguments))
    }

    fn get_prompt(&self) -> Outcome<Step<'a>> {
        let name = self.string(self.params.name, "params.name must be a string")?;
        let Some((index, prompt)) = self.server.registry.prompts.find(&name) else {
            return Err(unknown("Unknown prompt: ", &name));
        };
        let arguments = self.arguments()?;
        let given = |name: &String| arguments.is_some_and(|arguments| arguments.get_present(name).is_some());
        if let Some(missing) = prompt.required.iter().find(|name| !given(name)) {
            let mut text = String::from("Invalid params: prompt ");
            text.push_str(&prompt.name);
            text.push_str(" needs the argument ");
            text.push_str(missing);
            return Err((200, ErrorObject::new(INVALID_PARAMS, text)));
        }
        for (key, value) in arguments.iter().flat_map(|arguments| arguments.members()) {
            if value.kind() != Kind::String {
                let mut text = String::from("params.arguments.");
                text.push_str(&key.name());
                text.push_str(" must be a string");
                return Err(invalid(&text));
            }
        }
        Ok(self.invoke(Target::Prompt(index), arguments))
    }

    fn read_resource(&self) -> Outcome<Step<'a>> {
        let uri = self.string(self.params.uri, "params.uri must be a string")?;
        let registry = &self.server.registry;
        if let Some((index, _)) = registry.resources.find(&uri) {
            return Ok(self.invoke(Target::Resource(index), self.params.uri));
        }
        for (index, template) in registry.templates.items.iter().enumerate() {
            if let Some(variables) = template.pattern.match_uri(&uri) {
                return Ok(self.invoke(Target::Template(index, variables), self.params.uri));
            }
        }
        Err((200, resource_not_found(self.version.era(), &quote(&uri))))
    }

    fn complete(&self) -> Outcome<Step<'a>> {
        let params = self.params.whole.unwrap_or(Raw::EMPTY_OBJECT);
        let reference = params.get("ref").filter(|reference| reference.is_object());
        let argument = params.get("argument").filter(|argument| argument.is_object());
        let (Some(reference), Some(argument)) = (reference, argument) else {
            return Err(invalid("params.ref and params.argument must be objects"));
        };
        if argument.get_str("name").is_none() || argument.get_str("value").is_none() {
            return Err(invalid("params.argument must have a name and a value, both strings"));
        }
        let registry = &self.server.registry;
        match reference.get_str("type").as_deref() {
            Some("ref/prompt") => {
                let name = self.string(reference.get("name"), "params.ref.name must be a string")?;
                registry.prompts.find(&name).ok_or_else(|| unknown("Unknown prompt: ", &name))?;
            }
            Some("ref/resource") => {
                let uri = self.string(reference.get("uri"), "params.ref.uri must be a string")?;
                let known = registry.templates.find(&uri).is_some() || registry.resources.find(&uri).is_some();
                if !known {
                    return Err((200, resource_not_found(self.version.era(), &quote(&uri))));
                }
            }
            _ => return Err(invalid("params.ref.type must be \"ref/prompt\" or \"ref/resource\"")),
        }
        if registry.completes {
            return Ok(self.invoke(Target::Completion, self.params.whole));
        }
        let mut out = self.server.encoded.constant(self.server.encoded.head_key(self.version.era(), None)).to_owned();
        out.push_str("\"completion\":{\"values\":[],\"hasMore\":false}}");
        Ok(self.result(out))
    }

    fn arguments(&self) -> Outcome<Option<Raw<'a>>> {
        match self.params.arguments {
            Some(arguments) if arguments.is_object() => Ok(Some(arguments)),
            Some(arguments) if !arguments.is_null() => Err(invalid("params.arguments must be an object")),
            _ => Ok(None),
        }
    }

    fn string<'v>(&self, value: Option<Raw<'v>>, expected: &str) -> Outcome<std::borrow::Cow<'v, str>> {
        value.and_then(Raw::as_str).ok_or_else(|| invalid(expected))
    }
}

fn invalid(reason: &str) -> (u16, ErrorObject) {
    let mut text = String::from("Invalid params: ");
    text.push_str(reason);
    (200, ErrorObject::new(INVALID_PARAMS, text))
}

fn unknown(what: &str, name: &str) -> (u16, ErrorObject) {
    let mut text = String::from(what);
    text.push_str(name);
    (200, ErrorObject::new(INVALID_PARAMS, text))
}

fn bad_level() -> ErrorObject {
    let mut text = String::from("Invalid params: the log level must be one of ");
    for (at, level) in LogLevel::ALL.into_iter().enumerate() {
        text.push_str(if at > 0 { ", " } else { "" });
        text.push_str(level.as_str());
    }
    ErrorObject::new(INVALID_PARAMS, text)
}

/// The error for a resource that does not exist; `uri` is a JSON string.
pub(super) fn resource_not_found(era: Era, uri: &str) -> ErrorObject {
    let code = if era == Era::Modern { INVALID_PARAMS } else { error::RESOURCE_NOT_FOUND };
    let mut data = String::from("{\"uri\":");
    data.push_str(uri);
    data.push('}');
    ErrorObject::new(code, "Resource not found").with_data(data)
}
