//! A call of an application's handler, and how it ends.

use super::call::resource_not_found;
use super::step::Reply;
use super::tool::Tool;
use super::{LogLevel, Server};
use crate::protocol::base64;
use crate::protocol::error::{ErrorObject, INTERNAL_ERROR};
use crate::protocol::json::{Raw, Writer, quote};
use crate::protocol::jsonrpc::{Frame, RequestId, notification};
use crate::protocol::uri_template::Value;
use crate::protocol::version::{Era, ProtocolVersion};
use crate::protocol::{changes, meta, method};

/// Which handler is called.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Target {
    /// A tool, by its index in the definition.
    Tool(usize),
    /// A resource, by its index in the definition.
    Resource(usize),
    /// A resource template, by its index in the definition, with what the URI says for its variables.
    Template(usize, Vec<(String, Value)>),
    /// A prompt, by its index in the definition.
    Prompt(usize),
    /// The completion of an argument.
    Completion,
    /// A method of the application's own, by its index in the definition's `methods`.
    Method(usize),
}

/// How a handler ended.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Outcome {
    /// A text: one block of content, the resource's text, or the user's message of a prompt.
    Text(String),
    /// Bytes: the contents of a resource.
    Bytes(Vec<u8>),
    /// A JSON array: content blocks, resource contents, prompt messages, or completion values.
    Items(String),
    /// A JSON object: the whole result. What the era demands is added to it.
    Result(String),
    /// It failed: an `isError` result of a tool, an internal error of anything else.
    Failed(String),
    /// It answers with a JSON-RPC error.
    Error(ErrorObject),
    /// There is no resource of that URI.
    NotFound,
}

/// A call of an application's handler: everything that is needed to finish it.
#[derive(Clone, Debug)]
pub struct Invocation<'a> {
    pub(super) server: &'a Server,
    /// Which handler is called.
    pub target: Target,
    /// The id of the request.
    pub id: RequestId<'a>,
    /// The protocol version that the request speaks.
    pub version: ProtocolVersion,
    /// The revision that the peer is known to read at least: where nothing names the version of a legacy
    /// request, this one is the newest and `version` the one that is assumed.
    pub reads: ProtocolVersion,
    /// `params.arguments` of a tool or prompt, the URI of a resource, `params` of a completion or an own method.
    pub input: Option<Raw<'a>>,
    /// `params._meta`
    pub meta: Option<Raw<'a>>,
    /// The token of the progress notifications that the client wants.
    pub progress_token: Option<Raw<'a>>,
    /// The least severe log level that the client wants, if it wants log messages.
    pub log_level: Option<LogLevel>,
    /// `params.inputResponses`: what the client answered to an earlier `input_required` result.
    pub input_responses: Option<Raw<'a>>,
    /// `params.requestState`: what that result asked to have back. It comes from the client: not to be trusted unless sealed.
    pub request_state: Option<Raw<'a>>,
    /// What the client can do; unknown of a legacy request.
    pub capabilities: Option<Raw<'a>>,
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Server(")?;
        f.write_str(self.encoded.server_info())?;
        f.write_str(")")
    }
}

impl<'a> Invocation<'a> {
    /// The era of the request.
    pub fn era(&self) -> Era {
        self.version.era()
    }

    /// The arguments of a tool or prompt, an object; empty where there are none.
    pub fn arguments(&self) -> Raw<'a> {
        self.input.filter(|input| input.is_object()).unwrap_or(Raw::EMPTY_OBJECT)
    }

    /// The URI of a resource as JSON text, with its quotes.
    fn uri(&self) -> &'a str {
        self.input.map_or("\"\"", Raw::as_text)
    }

    /// The text of `notifications/progress` with these `params` (an object: `progress`, `total?`,
    /// `message?`); `None` where the client asked for none.
    pub fn progress(&self, params: &str) -> Option<String> {
        let mut out = Writer::new();
        out.open_object().name(meta::PROGRESS_TOKEN).value(self.progress_token?);
        push_members(&mut out, params)?;
        out.close_object();
        Some(notification(method::PROGRESS, Some(&out.finish())))
    }

    /// The text of `notifications/message` with these `params` (an object: `data`, `logger?`);
    /// `None` where the client does not want that level.
    pub fn log(&self, level: LogLevel, params: &str) -> Option<String> {
        if level < self.log_level? {
            return None;
        }
        let mut out = Writer::new();
        out.open_object().name("level").string(level.as_str());
        push_members(&mut out, params)?;
        out.close_object();
        Some(notification(method::LOG_MESSAGE, Some(&out.finish())))
    }

    /// The text of a request to the client: how a handler asks in the legacy era. `id` is chosen by the
    /// caller, hard to guess where others could answer; the answer comes as [`Step::Answer`](super::Step::Answer).
    ///
    /// # Errors
    ///
    /// What the client's revision does not have, as a sentence for the handler; nothing is to be sent then.
    pub fn ask(&self, id: &str, method: &str, params: Option<Raw<'_>>) -> Result<String, String> {
        if let Some(lack) = changes::inexpressible(self.reads, method, params) {
            return Err(
                ["the client cannot be asked: protocol version ", self.reads.as_str(), " has no ", lack].concat()
            );
        }
        let mut out = Writer::new();
        out.open_object().name("jsonrpc").string("2.0").name("id").string(id).name("method").string(method);
        if let Some(params) = params {
            let adapted = changes::params_for(self.reads, method, params);
            out.name("params").raw(adapted.as_deref().unwrap_or(params.as_text()));
        }
        out.close_object();
        Ok(out.finish())
    }

    /// What ends the wait for an answer that did not come in time ([`Server::ask_timeout_ms`]): the notification that
    /// tells the client, and the reason, a sentence for the handler.
    pub fn withdraw(&self, id: &str, method: &str) -> (String, String) {
        let limit = self.server.ask_timeout_ms().to_string();
        let reason = ["the client did not answer ", method, " within ", &limit, " ms"].concat();
        let mut params = Writer::new();
        params.open_object().name("requestId").string(id).name("reason").string(&reason).close_object();
        (notification(method::CANCELLED, Some(params.as_str())), reason)
    }

    /// The key of the [constant](Server::constant) that a complete result begins with.
    pub fn head_key(&self) -> usize {
        self.server.encoded.head_key(self.era(), self.hint())
    }

    /// What a result whose payload is a text has around that text, quoted, inside of its own members.
    pub fn text_frame(&self) -> Frame {
        let (mime, open, tail) = match &self.target {
            Target::Tool(_) => return frame("\"content\":[{\"type\":\"text\",\"text\":", "}]"),
            Target::Prompt(_) => {
                return frame("\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":", "}}]");
            }
            Target::Completion => return frame("\"completion\":{\"values\":[", "]}"),
            Target::Method(_) => return frame("\"text\":", ""),
            Target::Resource(index) => {
                let item = self.server.registry.resources.items.get(*index);
                (item.and_then(|item| item.mime_type.as_deref()), "\"contents\":[{\"uri\":", "}]")
            }
            Target::Template(index, _) => {
                let item = self.server.registry.templates.items.get(*index);
                (item.and_then(|item| item.mime_type.as_deref()), "\"contents\":[{\"uri\":", "}]")
            }
        };
        let mut head = String::from(open);
        head.push_str(self.uri());
        if let Some(mime) = mime {
            head.push_str(",\"mimeType\":");
            head.push_str(&quote(mime));
        }
        head.push_str(",\"text\":");
        Frame { head, tail }
    }

    /// The name of the array that a result of this handler consists of.
    pub fn items_name(&self) -> &'static str {
        match self.target {
            Target::Tool(_) => "content",
            Target::Resource(_) | Target::Template(..) => "contents",
            Target::Prompt(_) => "messages",
            Target::Completion => "completion",
            Target::Method(_) => "items",
        }
    }

    /// What was asked for.
    fn method(&self) -> &'static str {
        match self.target {
            Target::Tool(_) => method::TOOLS_CALL,
            Target::Resource(_) | Target::Template(..) => method::RESOURCES_READ,
            Target::Prompt(_) => method::PROMPTS_GET,
            Target::Completion => method::COMPLETION_COMPLETE,
            Target::Method(_) => "",
        }
    }

    /// A result, or an object with its members, as the peer's revision can read it; `None` where it can read it as it is.
    pub fn readable(&self, result: &str) -> Option<String> {
        if self.reads.era() == Era::Modern {
            return None;
        }
        changes::result_for(self.reads, self.method(), Raw::parse(result.as_bytes()).ok()?)
    }

    /// Answers the request.
    pub fn finish(&self, outcome: Outcome) -> Reply<'a> {
        let head = || self.server.constant(self.head_key()).to_owned();
        let result = match outcome {
            Outcome::Text(_) | Outcome::Items(_) if self.checks_output() => {
                Err(self.wrong(&self.check_output(None).err().unwrap_or_default()))
            }
            Outcome::Text(_) | Outcome::Bytes(_) | Outcome::Items(_) if matches!(self.target, Target::Method(_)) => {
                Err(self.wrong("The handler must give an object"))
            }
            Outcome::Text(text) => {
                let mut out = head();
                out.push_str(&self.text_frame().wrap(&quote(&text)));
                out.push('}');
                Ok(out)
            }
            Outcome::Bytes(bytes) => {
                let mut out = head();
                let frame = self.text_frame();
                out.push_str(frame.head.strip_suffix("\"text\":").unwrap_or(&frame.head));
                out.push_str("\"blob\":\"");
                out.push_str(&base64::encode(&bytes));
                out.push('"');
                out.push_str(frame.tail);
                out.push('}');
                Ok(out)
            }
            Outcome::Items(values) if self.target == Target::Completion => {
                let mut out = head();
                out.push_str("\"completion\":");
                out.push_str(&completion(&values));
                out.push('}');
                Ok(out)
            }
            Outcome::Items(items) => {
                let mut out = head();
                out.push('"');
                out.push_str(self.items_name());
                out.push_str("\":");
                out.push_str(&items);
                out.push('}');
                Ok(self.readable(&out).unwrap_or(out))
            }
            Outcome::Result(text) => self.whole(&text).map(|out| self.readable(&out).unwrap_or(out)),
            Outcome::Failed(message) => Err(self.wrong(&message)),
            Outcome::Error(error) => return Reply::error(Some(self.id), 200, error.in_era(self.era())),
            Outcome::NotFound if self.input.is_some() => {
                return Reply::error(Some(self.id), 200, resource_not_found(self.era(), self.uri()));
            }
            Outcome::NotFound => Err(self.wrong("The handler returned nothing")),
        };
        match result {
            Ok(result) => Reply::result(self.id, result),
            Err(reply) => reply,
        }
    }

    /// A failure: a tool tells it to the model, anything else to the client.
    pub(super) fn wrong(&self, message: &str) -> Reply<'a> {
        if matches!(self.target, Target::Tool(_)) {
            Reply::result(self.id, self.server.tool_error(self.era(), message))
        } else {
            Reply::error(Some(self.id), 200, ErrorObject::new(INTERNAL_ERROR, message))
        }
    }

    /// Whether `structuredContent` is checked against a schema.
    pub fn checks_output(&self) -> bool {
        self.tool().is_some_and(Tool::has_output_schema)
    }

    pub(super) fn tool(&self) -> Option<&'a Tool> {
        match self.target {
            Target::Tool(index) => self.server.registry.tools.items.get(index),
            _ => None,
        }
    }
}

impl Server {
    /// An invocation as [`Server::handle_message`] gave it, from what a caller kept of it.
    pub fn invocation<'a>(
        &'a self,
        target: Target,
        id: RequestId<'a>,
        version: ProtocolVersion,
        input: Option<Raw<'a>>,
        progress_token: Option<Raw<'a>>,
        log_level: Option<LogLevel>,
    ) -> Invocation<'a> {
        Invocation {
            server: self,
            target,
            id,
            version,
            reads: version,
            input,
            meta: None,
            progress_token,
            log_level,
            input_responses: None,
            request_state: None,
            capabilities: None,
        }
    }

    /// The result that tells the model what went wrong.
    pub(super) fn tool_error(&self, era: Era, message: &str) -> String {
        let mut out = self.constant(self.encoded.head_key(era, None)).to_owned();
        out.push_str("\"content\":[{\"type\":\"text\",\"text\":");
        out.push_str(&quote(message));
        out.push_str("}],\"isError\":true}");
        out
    }
}

/// The most values of one completion (2026-07-28, server/utilities/completion, "Completion Results").
const MAX_VALUES: usize = 100;

/// A completion of these values: a JSON array, of which the client gets the first ones.
fn completion(values: &str) -> String {
    let mut out = Writer::new();
    out.open_object().name("values");
    let list = Raw::parse(values.as_bytes()).unwrap_or(Raw::EMPTY_OBJECT);
    let count = list.elements().count();
    out.open_array();
    for value in list.elements().take(MAX_VALUES) {
        out.value(value);
    }
    out.close_array();
    if count > MAX_VALUES {
        out.name("total").integer(i64::try_from(count).unwrap_or(i64::MAX)).name("hasMore").raw("true");
    }
    out.close_object();
    out.finish()
}

fn frame(head: &str, tail: &'static str) -> Frame {
    Frame { head: head.to_owned(), tail }
}

pub(super) fn frame_of_structured(quoted: &str) -> String {
    let mut out = String::from("\"content\":[{\"type\":\"text\",\"text\":");
    out.push_str(quoted);
    out.push_str("}]");
    out
}

/// Adds the members of an object that is given as text.
fn push_members(out: &mut Writer, object: &str) -> Option<()> {
    let object = Raw::parse(object.as_bytes()).ok().filter(|object| object.is_object())?;
    for (key, value) in object.members() {
        out.name(&key.name()).value(value);
    }
    Some(())
}
