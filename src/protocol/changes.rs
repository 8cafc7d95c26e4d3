//! What changed between the revisions, applied to what goes to a peer of one of them.
//!
//! The eras differ in how messages travel; inside an era the revisions differ in single
//! members and kinds of content, and those are the rows of two tables here. A peer of an
//! older revision must be able to read what it gets: a member that it cannot know is left
//! out, a kind of content that it cannot know becomes text.
//!
//! Not here: `_meta` and `extensions`, which are open in every revision and carry what
//! neither side of the protocol defines (the extensions of today are used on legacy connections too).

use super::json::{Kind, Raw, Writer};
use super::method;
use super::result;
use super::version::{Era, ProtocolVersion};

/// Whether messages may come in batches: in one revision only.
pub fn allows_batches(version: ProtocolVersion) -> bool {
    version == ProtocolVersion::V2025_03_26
}

/// A result as a peer of that revision can read it; `None` where it can read it as it is.
pub fn result_for(version: ProtocolVersion, method: &str, result: Raw<'_>) -> Option<String> {
    let shape = match method {
        method::INITIALIZE | method::SERVER_DISCOVER => Shape::Handshake,
        method::TOOLS_LIST => Shape::ListTools,
        method::TOOLS_CALL => Shape::ToolResult,
        method::RESOURCES_LIST => Shape::ListResources,
        method::RESOURCES_TEMPLATES_LIST => Shape::ListTemplates,
        method::PROMPTS_LIST => Shape::ListPrompts,
        method::PROMPTS_GET => Shape::PromptResult,
        _ => Shape::Result,
    };
    adapted(version, shape, result)
}

/// A client's answer to a question as a server of that revision can read it; `None` where it can read it as it is.
pub fn answer_for(version: ProtocolVersion, method: &str, result: Raw<'_>) -> Option<String> {
    let is_sampling = method == method::SAMPLING_CREATE_MESSAGE;
    adapted(version, if is_sampling { Shape::SamplingResult } else { Shape::Result }, result)
}

/// The parameters of a request or notification as a peer of that revision can read them; `None`
/// where it can read them as they are.
pub fn params_for(version: ProtocolVersion, method: &str, params: Raw<'_>) -> Option<String> {
    let shape = match method {
        method::INITIALIZE => Shape::Handshake,
        method::COMPLETION_COMPLETE => Shape::Complete,
        method::PROGRESS => Shape::Progress,
        method::SAMPLING_CREATE_MESSAGE => Shape::CreateMessage,
        method::ELICITATION_CREATE => Shape::Elicit,
        _ => Shape::Params,
    };
    adapted(version, shape, params)
}

/// Whether what a client sends with that method has members that the revision may lack: only then need
/// [`params_for`] see the parameters. The rest of what callers send is theirs to choose.
pub fn request_differs(version: ProtocolVersion, method: &str) -> bool {
    match method {
        method::COMPLETION_COMPLETE => version < V3,
        method::PROGRESS => version < V2,
        _ => false,
    }
}

/// What a question to a client needs that the revision does not have, in words; `None` where it can be asked.
///
/// A visit to a URL or a field with several choices has no older form: leaving members out would ask
/// something else. The handler that asks is told so.
pub fn inexpressible(version: ProtocolVersion, method: &str, params: Option<Raw<'_>>) -> Option<&'static str> {
    let params = params.unwrap_or(Raw::EMPTY_OBJECT);
    match method {
        method::ELICITATION_CREATE if version < V3 => Some("elicitation"),
        method::SAMPLING_CREATE_MESSAGE | method::ELICITATION_CREATE if version >= V4 => None,
        method::ELICITATION_CREATE if params.get_str("mode").is_some_and(|mode| mode == "url") => {
            Some("elicitation by URL")
        }
        method::ELICITATION_CREATE => {
            let fields = params.get("requestedSchema").and_then(|form| form.get("properties"));
            let mut fields = fields.unwrap_or(Raw::EMPTY_OBJECT).members();
            let is_list = |field: Raw<'_>| field.get_str("type").is_some_and(|kind| kind == "array");
            fields.any(|(_, field)| is_list(field)).then_some("form fields with several choices")
        }
        method::SAMPLING_CREATE_MESSAGE => {
            let has_tools = params.get("tools").is_some_and(|tools| tools.elements().next().is_some());
            let messages = params.get("messages").unwrap_or(Raw::EMPTY_OBJECT).elements();
            (has_tools || messages.into_iter().any(uses_tools)).then_some("tools inside sampling")
        }
        _ => None,
    }
}

/// Whether a client's answer has what the revision does not have, in words: several pieces of content, or a call of a tool.
pub fn inexpressible_answer(version: ProtocolVersion, method: &str, result: Raw<'_>) -> Option<&'static str> {
    if method != method::SAMPLING_CREATE_MESSAGE || version >= V4 {
        return None;
    }
    let content = result.get("content")?;
    let is_one = content.kind() != Kind::Array || has_one(content);
    (!is_one || uses_tools(result)).then_some("several pieces of content or tools inside sampling")
}

/// Whether it is an array of one element.
fn has_one(value: Raw<'_>) -> bool {
    value.kind() == Kind::Array && value.elements().count() == 1
}

/// Whether a message of sampling holds the use of a tool or its result.
fn uses_tools(message: Raw<'_>) -> bool {
    let is_use = |piece: Raw<'_>| matches!(piece.get_str("type").as_deref(), Some("tool_use" | "tool_result"));
    message.get("content").is_some_and(|content| is_use(content) || content.elements().any(is_use))
}

fn adapted(version: ProtocolVersion, shape: Shape, value: Raw<'_>) -> Option<String> {
    let mut copy = Copy { version, out: Writer::new(), changed: false };
    copy.value(shape, value);
    copy.changed.then(|| copy.out.finish())
}

/// What an object is, as far as the revisions differ in it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Shape {
    /// A result without differences of its own.
    Result,
    /// Parameters without differences of their own.
    Params,
    /// Parameters and results of `initialize` and `server/discover`.
    Handshake,
    Implementation,
    Capabilities,
    ListTools,
    Tool,
    ToolResult,
    ListResources,
    Resource,
    ListTemplates,
    Template,
    ListPrompts,
    Prompt,
    PromptArgument,
    PromptResult,
    PromptMessage,
    Content,
    Annotations,
    Complete,
    PromptReference,
    Progress,
    CreateMessage,
    SamplingMessage,
    /// What a client answers.
    SamplingResult,
    Elicit,
    Form,
    Fields,
}

const V2: ProtocolVersion = ProtocolVersion::V2025_03_26;
const V3: ProtocolVersion = ProtocolVersion::V2025_06_18;
const V4: ProtocolVersion = ProtocolVersion::V2025_11_25;
const V5: ProtocolVersion = ProtocolVersion::V2026_07_28;

/// Members that not every revision has: where, which, since when and until when.
const MEMBERS: [(Shape, &str, ProtocolVersion, ProtocolVersion); 37] = [
    (Shape::Implementation, "title", V3, V5),
    (Shape::Implementation, "description", V4, V5),
    (Shape::Implementation, "icons", V4, V5),
    (Shape::Implementation, "websiteUrl", V4, V5),
    (Shape::Capabilities, "completions", V2, V5),
    (Shape::Capabilities, "elicitation", V3, V5),
    (Shape::Capabilities, "tasks", V4, V4),
    (Shape::Tool, "annotations", V2, V5),
    (Shape::Tool, "title", V3, V5),
    (Shape::Tool, "outputSchema", V3, V5),
    (Shape::Tool, "icons", V4, V5),
    (Shape::Tool, "execution", V4, V4),
    (Shape::ToolResult, "structuredContent", V3, V5),
    (Shape::Resource, "title", V3, V5),
    (Shape::Resource, "icons", V4, V5),
    (Shape::Template, "title", V3, V5),
    (Shape::Template, "icons", V4, V5),
    (Shape::Prompt, "title", V3, V5),
    (Shape::Prompt, "icons", V4, V5),
    (Shape::PromptArgument, "title", V3, V5),
    (Shape::PromptReference, "title", V3, V5),
    (Shape::Annotations, "lastModified", V3, V5),
    (Shape::Complete, "context", V3, V5),
    (Shape::Progress, "message", V2, V5),
    (Shape::CreateMessage, "tools", V4, V5),
    (Shape::CreateMessage, "toolChoice", V4, V5),
    (Shape::CreateMessage, "task", V4, V4),
    (Shape::Elicit, "mode", V4, V5),
    (Shape::Elicit, "elicitationId", V4, V4),
    (Shape::Elicit, "task", V4, V4),
    (Shape::Params, "task", V4, V4),
    (Shape::Params, "inputResponses", V5, V5),
    (Shape::Params, "requestState", V5, V5),
    (Shape::Result, result::RESULT_TYPE, V5, V5),
    (Shape::Result, result::TTL_MS, V5, V5),
    (Shape::Result, result::CACHE_SCOPE, V5, V5),
    (Shape::Content, "icons", V4, V5),
];

/// Where differing objects are inside others; in an array there, every element is one.
const INNER: [(Shape, &str, Shape); 21] = [
    (Shape::Handshake, "serverInfo", Shape::Implementation),
    (Shape::Handshake, "clientInfo", Shape::Implementation),
    (Shape::Handshake, "capabilities", Shape::Capabilities),
    (Shape::ListTools, "tools", Shape::Tool),
    (Shape::ListResources, "resources", Shape::Resource),
    (Shape::ListTemplates, "resourceTemplates", Shape::Template),
    (Shape::ListPrompts, "prompts", Shape::Prompt),
    (Shape::Prompt, "arguments", Shape::PromptArgument),
    (Shape::ToolResult, "content", Shape::Content),
    (Shape::PromptResult, "messages", Shape::PromptMessage),
    (Shape::PromptMessage, "content", Shape::Content),
    (Shape::Content, "annotations", Shape::Annotations),
    (Shape::Resource, "annotations", Shape::Annotations),
    (Shape::Template, "annotations", Shape::Annotations),
    (Shape::Complete, "ref", Shape::PromptReference),
    (Shape::CreateMessage, "messages", Shape::SamplingMessage),
    (Shape::CreateMessage, "tools", Shape::Tool),
    (Shape::SamplingMessage, "content", Shape::Content),
    (Shape::SamplingResult, "content", Shape::Content),
    (Shape::Elicit, "requestedSchema", Shape::Form),
    (Shape::Form, "properties", Shape::Fields),
];

impl Shape {
    /// What the object is as well.
    fn base(self) -> Self {
        match self {
            Self::ListTools
            | Self::ToolResult
            | Self::ListResources
            | Self::ListTemplates
            | Self::ListPrompts
            | Self::PromptResult
            | Self::SamplingResult => Self::Result,
            Self::Complete | Self::CreateMessage | Self::Elicit | Self::Progress => Self::Params,
            other => other,
        }
    }

    fn inner(self, name: &str) -> Option<Self> {
        INNER.iter().find(|(shape, member, _)| *shape == self && *member == name).map(|(_, _, inner)| *inner)
    }
}

/// A copy in the making.
struct Copy {
    version: ProtocolVersion,
    out: Writer,
    /// Whether it differs from what it is a copy of.
    changed: bool,
}

impl Copy {
    fn value(&mut self, shape: Shape, value: Raw<'_>) {
        match value.kind() {
            Kind::Object => match shape {
                Shape::Content if !self.knows_content(value) => self.content_as_text(value),
                Shape::Fields => self.fields(value),
                _ => self.object(shape, value),
            },
            Kind::Array => {
                self.out.open_array();
                for element in value.elements() {
                    match shape {
                        Shape::SamplingMessage if element.is_object() => self.sampling_message(element),
                        _ if element.is_object() => self.value(shape, element),
                        // Not what belongs here; nothing in it is followed, however deep it goes.
                        _ => {
                            self.out.value(element);
                        }
                    }
                }
                self.out.close_array();
            }
            _ => {
                self.out.value(value);
            }
        }
    }

    fn object(&mut self, shape: Shape, value: Raw<'_>) {
        self.out.open_object();
        for (key, member) in value.members() {
            let name = key.name();
            if !self.has(shape, &name, member) {
                self.changed = true;
                continue;
            }
            self.out.key(key);
            match shape.inner(&name) {
                // A list since 2025-11-25, one piece before; several have no older form.
                Some(inner) if shape == Shape::SamplingResult && self.version < V4 && has_one(member) => {
                    self.changed = true;
                    member.elements().for_each(|piece| self.value(inner, piece));
                }
                Some(inner) => self.value(inner, member),
                None => {
                    self.out.value(member);
                }
            }
        }
        self.out.close_object();
    }

    /// Whether the revision has that member with that value.
    fn has(&self, shape: Shape, name: &str, value: Raw<'_>) -> bool {
        let known = MEMBERS
            .iter()
            .filter(|(of, member, ..)| *member == name && (*of == shape || *of == shape.base()))
            .all(|(_, _, since, until)| (*since..=*until).contains(&self.version));
        let fits = self.version.era() == Era::Modern
            || match (shape, name) {
                // Any JSON value, and any schema, since 2026-07-28; objects only before.
                (Shape::ToolResult, "structuredContent") => value.is_object(),
                (Shape::Tool, "outputSchema") => value.get_str("type").is_some_and(|text| text == "object"),
                _ => true,
            };
        known && fits
    }

    fn knows_content(&self, content: Raw<'_>) -> bool {
        match content.get_str("type").as_deref() {
            Some("audio") => self.version >= V2,
            Some("resource_link") => self.version >= V3,
            _ => true,
        }
    }

    /// Content that the peer cannot know, as text that says what it is.
    fn content_as_text(&mut self, content: Raw<'_>) {
        self.changed = true;
        let mut text = String::new();
        if content.get_str("type").is_some_and(|kind| kind == "audio") {
            text.push_str("[audio");
            if let Some(media_type) = content.get_str("mimeType") {
                text.push_str(", ");
                text.push_str(&media_type);
            }
            text.push_str(": not part of protocol version ");
            text.push_str(self.version.as_str());
            text.push(']');
        } else {
            let name = content.get_str("title").or_else(|| content.get_str("name"));
            text.push_str(name.as_deref().unwrap_or("resource"));
            text.push_str(": ");
            text.push_str(content.get_str("uri").as_deref().unwrap_or_default());
        }
        self.out.open_object().name("type").string("text").name("text").string(&text);
        if let Some(annotations) = content.get("annotations") {
            self.out.name("annotations");
            self.value(Shape::Annotations, annotations);
        }
        self.out.close_object();
    }

    /// A message with several pieces of content as several messages, where a message has one.
    fn sampling_message(&mut self, message: Raw<'_>) {
        let content = message.get("content").filter(|content| content.kind() == Kind::Array);
        let Some(content) = content.filter(|_| self.version < V4) else {
            return self.value(Shape::SamplingMessage, message);
        };
        self.changed = true;
        for piece in content.elements() {
            self.out.open_object();
            for (key, member) in message.members() {
                self.out.key(key);
                if key.is("content") {
                    self.value(Shape::Content, piece);
                } else {
                    self.out.value(member);
                }
            }
            self.out.close_object();
        }
    }

    /// The fields of a form.
    fn fields(&mut self, fields: Raw<'_>) {
        self.out.open_object();
        for (key, field) in fields.members() {
            self.out.key(key);
            if self.version < V4 && field.is_object() {
                self.field(field);
            } else {
                self.out.value(field);
            }
        }
        self.out.close_object();
    }

    /// A field as 2025-06-18 has it: a default only for booleans, titles of choices in `enumNames`.
    fn field(&mut self, field: Raw<'_>) {
        let is_boolean = field.get_str("type").is_some_and(|text| text == "boolean");
        self.out.open_object();
        for (key, member) in field.members() {
            if key.is("default") && !is_boolean {
                self.changed = true;
            } else if key.is("oneOf") {
                self.changed = true;
                for (name, part) in [("enum", "const"), ("enumNames", "title")] {
                    self.out.name(name).open_array();
                    for choice in member.elements() {
                        if let Some(value) = choice.get(part) {
                            self.out.value(value);
                        }
                    }
                    self.out.close_array();
                }
            } else {
                self.out.key(key).value(member);
            }
        }
        self.out.close_object();
    }
}
