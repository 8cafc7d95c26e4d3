//! One request that is known to be well formed: from its method to what has to be done.

use super::caller::ItemKind;
use super::dispatch::{Outcome, bad_level};
use super::listen::Listen;
use super::params::Params;
use super::session::{Presented, Session};
use super::step::{Body, Channel, Reply, Step};
use super::tool::Checked;
use super::{Invocation, LogLevel, Server, Target, WHOLE};
use crate::protocol::changes;
use crate::protocol::error::{self, ErrorObject, INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND};
use crate::protocol::json::{Ends, Kind, Raw, quote};
use crate::protocol::jsonrpc::RequestId;
use crate::protocol::method;
use crate::protocol::version::{Era, ProtocolVersion};
use crate::streamable_http::check;
use std::borrow::Cow;

/// A request of either era that is known to be well formed.
pub(super) struct Call<'a, 'c> {
    pub(super) server: &'a Server,
    pub(super) id: RequestId<'a>,
    pub(super) version: ProtocolVersion,
    /// The revision that the peer is known to read at least.
    pub(super) reads: ProtocolVersion,
    pub(super) log_level: Option<LogLevel>,
    pub(super) method: &'c str,
    pub(super) params: Params<'a>,
    /// What the client can do; known of modern requests only.
    pub(super) capabilities: Option<Raw<'a>>,
    pub(super) channel: &'c Channel<'c>,
    /// Where the long values of the message end.
    pub(super) ends: &'c Ends,
    /// Its session, where it has one.
    pub(super) session: Option<&'c Session>,
}

impl<'a> Call<'a, '_> {
    pub(super) fn dispatch(&self) -> Outcome<Step<'a>> {
        let registry = &self.server.registry;
        let encoded = &self.server.encoded;
        let era = self.version.era();
        if !method::is_request_in(self.method, era) {
            return self.own_method();
        }
        match self.method {
            method::SERVER_DISCOVER => Ok(self.constant(encoded.discover())),
            method::INITIALIZE if self.channel.in_batch => {
                Err((400, ErrorObject::new(INVALID_REQUEST, "Invalid request: initialize cannot be part of a batch")))
            }
            method::INITIALIZE => {
                let requested = self.params.version.and_then(Raw::as_str).unwrap_or_default();
                let (version, key) = encoded.initialize(&requested).ok_or_else(|| self.unknown_method())?;
                match self.channel.session {
                    _ if !WHOLE => Ok(self.constant(key)),
                    Presented::None => Ok(self.constant(key)),
                    _ => Ok(Step::Session(self.constant_reply(key), Session::open(version, self.params.whole)?)),
                }
            }
            method::PING => Ok(self.constant(encoded.empty(era))),
            method::LOGGING_SET_LEVEL if encoded.logs() => {
                let level = self.params.level.and_then(Raw::as_str).unwrap_or_default();
                let level = LogLevel::parse(&level).ok_or_else(|| (200, bad_level()))?;
                let reply = self.constant_reply(encoded.empty(era));
                Ok(match self.session {
                    Some(session) => Step::Session(reply, session.with_level(level)),
                    None => Step::Reply(reply),
                })
            }
            method::RESOURCES_SUBSCRIBE | method::RESOURCES_UNSUBSCRIBE if encoded.declared().subscribe => {
                let uri = self.string(self.params.uri, "params.uri must be a string")?;
                let reply = self.constant_reply(encoded.empty(era));
                Ok(match self.session {
                    Some(session) => {
                        Step::Session(reply, session.watching(&uri, self.method == method::RESOURCES_SUBSCRIBE)?)
                    }
                    None => Step::Reply(reply),
                })
            }
            method::SUBSCRIPTIONS_LISTEN => self.listen(),
            method::TOOLS_LIST if registry.tools.list.declared => self.list(),
            method::TOOLS_CALL if registry.tools.list.declared => self.call_tool(),
            method::RESOURCES_LIST | method::RESOURCES_TEMPLATES_LIST if self.has_resources() => self.list(),
            method::RESOURCES_READ if self.has_resources() => self.read_resource(),
            method::PROMPTS_LIST if registry.prompts.list.declared => self.list(),
            method::PROMPTS_GET if registry.prompts.list.declared => self.get_prompt(),
            method::COMPLETION_COMPLETE if WHOLE => self.complete(),
            method::COMPLETION_COMPLETE => Ok(Step::Beyond),
            _ => Err(self.unknown_method()),
        }
    }

    #[inline(never)]
    fn listen(&self) -> Outcome<Step<'a>> {
        if !self.channel.streams {
            let text = "Invalid request: subscriptions/listen needs a stream to send its notifications on, and this request has none";
            return Err((400, ErrorObject::new(INVALID_REQUEST, text)));
        }
        let wanted = self.params.whole.and_then(|params| params.get("notifications"));
        let listen = Listen::read(self.server, self.id, wanted, self.server.encoded.declared()).map_err(invalid)?;
        Ok(Step::Listen(listen))
    }

    fn has_resources(&self) -> bool {
        self.server.registry.resources.list.declared || self.server.registry.templates.list.declared
    }

    /// A method that the specification does not have may be one of the application's own.
    #[inline(never)]
    fn own_method(&self) -> Outcome<Step<'a>> {
        match self.server.registry.methods.iter().position(|name| name == self.method) {
            Some(index) => self.invoke(Target::Method(index), self.params.whole),
            None => Err(self.unknown_method()),
        }
    }

    #[inline(never)]
    fn unknown_method(&self) -> (u16, ErrorObject) {
        let mut text = String::from("Method not found: ");
        text.push_str(self.method);
        let status = if self.version.era() == Era::Modern { 404 } else { 200 };
        (status, ErrorObject::new(METHOD_NOT_FOUND, text))
    }

    fn constant(&self, key: usize) -> Step<'a> {
        Step::Reply(self.constant_reply(key))
    }

    fn constant_reply(&self, key: usize) -> Reply<'a> {
        let body = Body::Constant(key, self.server.constant(key));
        Reply { id: Some(self.id), status: 200, body, challenge: None }
    }

    fn result(&self, result: String) -> Step<'a> {
        Step::Reply(Reply::result(self.id, result))
    }

    fn invoke(&self, target: Target, input: Option<Raw<'a>>) -> Outcome<Step<'a>> {
        let modern = self.version.era() == Era::Modern;
        let answers = self.params.input_responses.filter(|answers| modern && !answers.is_null());
        if answers.is_some_and(|answers| !answers.is_object()) {
            return Err(invalid("params.inputResponses must be an object"));
        }
        let state = self.params.request_state.filter(|state| modern && !state.is_null());
        if state.is_some_and(|state| state.kind() != Kind::String) {
            return Err(invalid("params.requestState must be a string"));
        }
        let meta = self.params.meta.filter(|meta| meta.is_object());
        let streams = self.channel.streams;
        let token = self.params.claims.progress_token.filter(|_| streams);
        Ok(Step::Invoke(Invocation {
            server: self.server,
            target,
            id: self.id,
            version: self.version,
            reads: self.reads,
            input,
            meta,
            progress_token: token.filter(|token| matches!(token.kind(), Kind::String | Kind::Number)),
            log_level: self.log_level.filter(|_| streams),
            input_responses: answers,
            request_state: state,
            capabilities: self.capabilities,
        }))
    }

    #[inline(never)]
    fn list(&self) -> Outcome<Step<'a>> {
        let cursor = match self.params.cursor.filter(|cursor| !cursor.is_null()) {
            None => None,
            Some(cursor) => Some(cursor.as_str().ok_or_else(|| invalid("params.cursor must be a string"))?),
        };
        let kind = ItemKind::listed_by(self.method);
        let foreign = || invalid("params.cursor is not one that this server gave out");
        if self.server.registry.is_own(kind) {
            if !WHOLE {
                return Ok(Step::Beyond);
            }
            if let Some(step) = self.consult_about_list(kind) {
                return Ok(step);
            }
            let page = self.own_page(kind, cursor.as_deref())?.ok_or_else(foreign)?;
            return Ok(self.result(self.readable(&page).unwrap_or(page)));
        }
        let key = self.server.encoded.page(kind, self.version.era(), cursor.as_deref()).ok_or_else(foreign)?;
        match self.readable(self.server.constant(key)) {
            Some(readable) => Ok(self.result(readable)),
            None => Ok(self.constant(key)),
        }
    }

    #[inline(never)]
    fn consult_about_list(&self, kind: ItemKind) -> Option<Step<'a>> {
        let registry = &self.server.registry;
        let all = (0..registry.list(kind).texts.len()).map(|index| (kind, index));
        let lists: Vec<usize> = registry.listing_templates().filter(|_| kind == ItemKind::Resource).collect();
        // What a hidden template lists is hidden too.
        let templates = lists.iter().map(|index| (ItemKind::Template, *index));
        self.consult(&mut all.chain(templates), lists.clone())
    }

    /// A list as an older peer can read it, where that differs.
    fn readable(&self, list: &str) -> Option<String> {
        if self.reads >= ProtocolVersion::LATEST_LEGACY {
            return None;
        }
        changes::result_for(self.reads, self.method, Raw::parse(list.as_bytes()).ok()?)
    }

    #[inline(never)]
    fn call_tool(&self) -> Outcome<Step<'a>> {
        let name = self.string(self.params.name, "params.name must be a string")?;
        let found = self.server.registry.tools.find(&name).filter(|(index, _)| !self.hides(ItemKind::Tool, *index));
        let (index, tool) = found.ok_or_else(|| unknown("Unknown tool: ", &name))?;
        let step = self.consult(&mut std::iter::once((ItemKind::Tool, index)), Vec::new());
        if let Some(step) = step.or_else(|| self.check_scopes(&tool.scopes)) {
            return Ok(step);
        }
        if tool.is_beyond() {
            return Ok(Step::Beyond);
        }
        let arguments = self.arguments()?;
        if self.version.era() == Era::Modern
            && let Some(headers) = self.channel.headers
        {
            check::params(headers, &tool.headers, arguments).map_err(|error| (400, error))?;
        }
        if let Err(violations) = tool.check_arguments(arguments.unwrap_or(Raw::EMPTY_OBJECT), self.ends) {
            let mut text = String::from("Invalid arguments for tool ");
            text.push_str(&tool.name);
            text.push_str(": ");
            text.push_str(&violations);
            return Ok(self.result(self.server.tool_error(self.version.era(), &text)));
        }
        self.invoke(Target::Tool(index), arguments)
    }

    #[inline(never)]
    fn get_prompt(&self) -> Outcome<Step<'a>> {
        let name = self.string(self.params.name, "params.name must be a string")?;
        let found = self.server.registry.prompts.find(&name).filter(|(index, _)| !self.hides(ItemKind::Prompt, *index));
        let (index, prompt) = found.ok_or_else(|| unknown("Unknown prompt: ", &name))?;
        if let Some(step) = self.consult(&mut std::iter::once((ItemKind::Prompt, index)), Vec::new()) {
            return Ok(step);
        }
        if prompt.schema.as_ref().is_some_and(Checked::is_beyond) {
            return Ok(Step::Beyond);
        }
        let arguments = self.arguments()?;
        let given = |name: &String| arguments.is_some_and(|arguments| arguments.get_present(name).is_some());
        if let Some(missing) = prompt.required.iter().find(|name| !given(name)) {
            let mut text = String::from("Invalid params: prompt ");
            text.push_str(&prompt.name);
            text.push_str(" needs the argument ");
            text.push_str(missing);
            return Err((200, ErrorObject::new(INVALID_PARAMS, text)));
        }
        for (key, value) in arguments.unwrap_or(Raw::EMPTY_OBJECT).members() {
            if value.kind() != Kind::String {
                let mut text = String::from("params.arguments.");
                text.push_str(&key.name());
                text.push_str(" must be a string");
                return Err(invalid(&text));
            }
        }
        if let Some(schema) = &prompt.schema
            && let Err(violations) = schema.check(arguments.unwrap_or(Raw::EMPTY_OBJECT), self.ends)
        {
            let mut text = String::from("prompt ");
            text.push_str(&prompt.name);
            text.push_str(": ");
            text.push_str(&violations);
            return Err(invalid(&text));
        }
        self.invoke(Target::Prompt(index), arguments)
    }

    #[inline(never)]
    fn read_resource(&self) -> Outcome<Step<'a>> {
        let uri = self.string(self.params.uri, "params.uri must be a string")?;
        let registry = &self.server.registry;
        let one = registry.resources.find(&uri).map(|(index, _)| index);
        // Where what fits first is hidden, the next one may answer: all that fit are asked about at once.
        let fits = |index: &usize| {
            let template = registry.templates.items.get(*index);
            template.is_some_and(|template| WHOLE && template.pattern.match_uri(&uri).is_some())
        };
        let conditional = |index: &usize| registry.list(ItemKind::Template).is_conditional(*index);
        let templates = (0..registry.templates.items.len()).filter(conditional).filter(fits);
        let items = one.map(|index| (ItemKind::Resource, index)).into_iter();
        if let Some(step) =
            self.consult(&mut items.chain(templates.map(|index| (ItemKind::Template, index))), Vec::new())
        {
            return Ok(step);
        }
        if let Some(index) = one.filter(|index| !self.hides(ItemKind::Resource, *index)) {
            return self.invoke(Target::Resource(index), self.params.uri);
        }
        if !WHOLE && !registry.templates.items.is_empty() {
            return Ok(Step::Beyond);
        }
        for (index, template) in registry.templates.items.iter().enumerate() {
            if WHOLE
                && !self.hides(ItemKind::Template, index)
                && let Some(variables) = template.pattern.match_uri(&uri)
            {
                return self.invoke(Target::Template(index, variables), self.params.uri);
            }
        }
        Err((200, resource_not_found(self.version.era(), &quote(&uri))))
    }

    #[inline(never)]
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
                let found = registry.prompts.find(&name).map(|(index, _)| (ItemKind::Prompt, index));
                let found = found.filter(|(kind, index)| !self.hides(*kind, *index));
                let item = found.ok_or_else(|| unknown("Unknown prompt: ", &name))?;
                if let Some(step) = self.consult(&mut std::iter::once(item), Vec::new()) {
                    return Ok(step);
                }
            }
            Some("ref/resource") => {
                let uri = self.string(reference.get("uri"), "params.ref.uri must be a string")?;
                let template = registry.templates.find(&uri).map(|(index, _)| (ItemKind::Template, index));
                let found = template.or_else(|| Some((ItemKind::Resource, registry.resources.find(&uri)?.0)));
                let Some(item) = found.filter(|(kind, index)| !self.hides(*kind, *index)) else {
                    return Err((200, resource_not_found(self.version.era(), &quote(&uri))));
                };
                if let Some(step) = self.consult(&mut std::iter::once(item), Vec::new()) {
                    return Ok(step);
                }
            }
            _ => return Err(invalid("params.ref.type must be \"ref/prompt\" or \"ref/resource\"")),
        }
        if registry.completes {
            return self.invoke(Target::Completion, self.params.whole);
        }
        let mut out = self.server.constant(self.server.encoded.head_key(self.version.era(), None)).to_owned();
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

    fn string<'v>(&self, value: Option<Raw<'v>>, expected: &str) -> Outcome<Cow<'v, str>> {
        value.and_then(Raw::as_str).ok_or_else(|| invalid(expected))
    }
}

#[inline(never)]
fn invalid(reason: &str) -> (u16, ErrorObject) {
    let mut text = String::from("Invalid params: ");
    text.push_str(reason);
    (200, ErrorObject::new(INVALID_PARAMS, text))
}

#[inline(never)]
fn unknown(what: &str, name: &str) -> (u16, ErrorObject) {
    let mut text = String::from(what);
    text.push_str(name);
    (200, ErrorObject::new(INVALID_PARAMS, text))
}

/// The error for a resource that does not exist; `uri` is a JSON string.
#[inline(never)]
pub(super) fn resource_not_found(era: Era, uri: &str) -> ErrorObject {
    let code = if era == Era::Modern { INVALID_PARAMS } else { error::RESOURCE_NOT_FOUND };
    let mut data = String::from("{\"uri\":");
    data.push_str(uri);
    data.push('}');
    ErrorObject::new(code, "Resource not found").with_data(data)
}
