//! The items of a definition, one kind like the other: read, checked, and as their lists show them.

use super::index::Index;
use super::names::{check_tool_name, has_scheme, is_scope};
use super::tool::{Checked, Tool};
use super::{CacheHint, ServerError, options};
use crate::protocol::json::{Kind, Raw, Writer};
use crate::protocol::meta;
use crate::protocol::uri_template::UriTemplate;
use crate::streamable_http::param_headers;
use std::borrow::Cow;

pub(super) struct Resource {
    pub(super) mime_type: Option<String>,
    pub(super) hint: CacheHint,
}

pub(super) struct Template {
    pub(super) pattern: UriTemplate,
    pub(super) mime_type: Option<String>,
    pub(super) hint: CacheHint,
    /// Whether the application lists its resources.
    pub(super) lists: bool,
}

pub(super) struct Prompt {
    pub(super) name: String,
    pub(super) required: Vec<String>,
    /// `argsSchema`, if there is one that the application does not check itself.
    pub(super) schema: Option<Checked>,
}

/// One kind of item with its order and the way to find one.
pub(super) struct Items<T> {
    pub(super) items: Vec<T>,
    pub(super) list: Listing,
}

/// What the list of a kind of items needs.
#[derive(Default)]
pub(super) struct Listing {
    /// Whether the definition has that member at all; an empty list declares the capability too.
    pub(super) declared: bool,
    /// Each item as the list shows it.
    pub(super) texts: Vec<String>,
    /// Whether only some callers may see it.
    conditional: Vec<bool>,
    by_key: Index,
}

impl Listing {
    pub(super) fn is_conditional(&self, index: usize) -> bool {
        self.conditional.get(index) == Some(&true)
    }

    pub(super) fn has_conditional(&self) -> bool {
        self.conditional.contains(&true)
    }
}

impl<T> Items<T> {
    pub(super) fn find(&self, key: &str) -> Option<(usize, &T)> {
        let index = self.list.by_key.find(key)?;
        self.items.get(index).map(|item| (index, item))
    }
}

/// What an error is about.
pub(super) struct Subject<'a> {
    pub(super) what: &'a str,
    pub(super) key: &'a str,
}

impl Subject<'_> {
    pub(super) fn refuse(&self, rule: &str) -> ServerError {
        let mut subject = String::from(self.what);
        subject.push_str(" \"");
        subject.push_str(self.key);
        subject.push('"');
        ServerError::new(subject, rule)
    }
}

pub(super) fn read_items<T>(
    definition: Raw<'_>,
    [member, what, key_name]: [&'static str; 3],
    read: impl Fn(&Subject<'_>, Raw<'_>, &str) -> Result<T, ServerError>,
) -> Result<Items<T>, ServerError> {
    let mut items = Vec::new();
    let list = read_list(definition, [member, what, key_name], &mut |subject, raw, key| {
        items.push(read(subject, raw, key)?);
        Ok(())
    })?;
    Ok(Items { items, list })
}

/// What is the same for every kind of item. What is not is called through a pointer, so that nobody compiles the kinds
/// that a server does not have.
fn read_list(
    definition: Raw<'_>,
    [member, what, key_name]: [&'static str; 3],
    read: &mut dyn FnMut(&Subject<'_>, Raw<'_>, &str) -> Result<(), ServerError>,
) -> Result<Listing, ServerError> {
    let mut out = Listing::default();
    let Some(list) = definition.get_present(member) else { return Ok(out) };
    if list.kind() != Kind::Array {
        return Err(ServerError::new(member, "must be an array"));
    }
    out.declared = true;
    for (index, raw) in list.elements().enumerate() {
        let at = |rule: &str| {
            let mut subject = String::from(member);
            subject.push('[');
            subject.push_str(&index.to_string());
            subject.push(']');
            ServerError::new(subject, rule)
        };
        if !raw.is_object() {
            return Err(at("must be an object"));
        }
        let Some(key) = raw.get_str(key_name) else {
            return Err(at(match key_name {
                "name" => "needs a name, a string",
                "uri" => "needs a uri, a string",
                _ => "needs a uriTemplate, a string",
            }));
        };
        let subject = Subject { what, key: &key };
        if !out.by_key.add(&key) {
            return Err(subject.refuse("is defined twice"));
        }
        check_meta(&subject, raw)?;
        check_kinds(raw, &|name| is_shown(member, name)).map_err(|rule| subject.refuse(&rule))?;
        read(&subject, raw, &key)?;
        out.texts.push(listed(member, raw));
        out.conditional.push(is_conditional(raw));
    }
    Ok(out)
}

/// Refuses members that go out as they are and would not be what clients expect of them.
pub(super) fn check_kinds(raw: Raw<'_>, is_shown: &dyn Fn(&str) -> bool) -> Result<(), String> {
    for &(name, kind, what) in &[
        ("title", Kind::String, " must be a string"),
        ("description", Kind::String, " must be a string"),
        ("websiteUrl", Kind::String, " must be a string"),
        ("mimeType", Kind::String, " must be a string"),
        ("size", Kind::Number, " must be a number"),
        ("annotations", Kind::Object, " must be an object"),
        ("required", Kind::Bool, " must be true or false"),
        ("icons", Kind::Array, " must be an array of { src }"),
    ] {
        let Some(value) = raw.get(name).filter(|_| is_shown(name)) else { continue };
        let has_sources = kind != Kind::Array || value.elements().all(|icon| icon.get_str("src").is_some());
        if value.kind() != kind || !has_sources {
            return Err([name, what].concat());
        }
    }
    Ok(())
}

/// Whether a member of an item stands in its list; the rest of a definition is between the server and its author.
fn is_shown(list: &str, name: &str) -> bool {
    match name {
        "name" | "title" | "description" | "icons" | "_meta" => true,
        "inputSchema" | "outputSchema" | "execution" => list == "tools",
        "annotations" => list != "prompts",
        "uri" | "size" => list == "resources",
        "uriTemplate" => list == "resourceTemplates",
        "mimeType" => list == "resources" || list == "resourceTemplates",
        "arguments" | "argsSchema" => list == "prompts",
        _ => false,
    }
}

/// An item as its list shows it.
pub(super) fn listed(member: &str, raw: Raw<'_>) -> String {
    let mut out = Writer::new();
    out.open_object();
    for (key, value) in raw.members() {
        let name = key.name();
        let shown = is_shown(member, &name);
        if shown && name == "argsSchema" {
            write_arguments(&mut out, value);
        } else if shown && name == "arguments" {
            out.name("arguments").open_array();
            for argument in value.elements() {
                out.open_object();
                for (key, value) in argument.members() {
                    let name = key.name();
                    if matches!(&*name, "name" | "title" | "description" | "required") {
                        out.name(&name).value(value);
                    }
                }
                out.close_object();
            }
            out.close_array();
        } else if shown {
            out.name(&name).value(value);
        }
    }
    out.close_object();
    out.finish()
}

/// The arguments of a prompt, from their schema.
fn write_arguments(out: &mut Writer, schema: Raw<'_>) {
    out.name("arguments").open_array();
    for (key, property) in schema.get("properties").unwrap_or(Raw::EMPTY_OBJECT).members() {
        let name = key.name();
        out.open_object().name("name").string(&name);
        for member in ["title", "description"] {
            if let Some(text) = property.get_str(member) {
                out.name(member).string(&text);
            }
        }
        if required_of(schema).any(|required| required == name) {
            out.name("required").raw("true");
        }
        out.close_object();
    }
    out.close_array();
}

fn required_of<'a>(schema: Raw<'a>) -> impl Iterator<Item = Cow<'a, str>> {
    schema.get("required").unwrap_or(Raw::EMPTY_OBJECT).elements().filter_map(Raw::as_str)
}

fn check_meta(subject: &Subject<'_>, raw: Raw<'_>) -> Result<(), ServerError> {
    let Some(meta) = raw.get("_meta") else { return Ok(()) };
    if !meta.is_object() {
        return Err(subject.refuse("_meta must be an object"));
    }
    for (key, _) in meta.members() {
        meta::check_key(&key.name()).map_err(|rule| subject.refuse(rule))?;
    }
    Ok(())
}

pub(super) fn read_tool(subject: &Subject<'_>, raw: Raw<'_>, name: &str) -> Result<Tool, ServerError> {
    check_tool_name(name).map_err(|rule| subject.refuse(rule))?;
    let Some(schema) = raw.get("inputSchema").filter(|schema| schema.is_object()) else {
        return Err(subject.refuse(
            "inputSchema must be a JSON Schema object; {\"type\":\"object\"} is the one of a tool without arguments",
        ));
    };
    if schema.get_str("type").as_deref() != Some("object") {
        return Err(subject.refuse("inputSchema must have \"type\": \"object\" at its root"));
    }
    if raw.get("outputSchema").is_some_and(|schema| !schema.is_object()) {
        return Err(subject.refuse("outputSchema must be a JSON Schema object"));
    }
    let headers = param_headers::scan(schema).map_err(|reason| subject.refuse(&reason))?;
    let scopes = options::strings(raw, "scopes").map_err(|_| subject.refuse("scopes must be an array of strings"))?;
    if !scopes.iter().all(|scope| is_scope(scope)) {
        return Err(subject.refuse("a scope must be of printable ASCII without spaces, quotes and backslashes"));
    }
    let (input, output) = (Checked::read(raw, "inputSchema"), Checked::read(raw, "outputSchema"));
    Ok(Tool::new(name, input, output, headers, scopes))
}

pub(super) fn read_resource(
    subject: &Subject<'_>,
    raw: Raw<'_>,
    uri: &str,
    default: CacheHint,
) -> Result<Resource, ServerError> {
    if !has_scheme(uri) {
        return Err(subject.refuse("uri must be absolute, as in \"test://static-text\""));
    }
    need_name(subject, raw)?;
    Ok(Resource { mime_type: own(raw.get_str("mimeType")), hint: item_hint(subject, raw, default)? })
}

pub(super) fn read_template(
    subject: &Subject<'_>,
    raw: Raw<'_>,
    pattern: &str,
    default: CacheHint,
) -> Result<Template, ServerError> {
    need_name(subject, raw)?;
    let pattern = UriTemplate::parse(pattern).map_err(|error| subject.refuse(&error.to_string()))?;
    let lists = raw.get("list").and_then(Raw::as_bool) == Some(true);
    Ok(Template { pattern, mime_type: own(raw.get_str("mimeType")), hint: item_hint(subject, raw, default)?, lists })
}

pub(super) fn read_prompt(subject: &Subject<'_>, raw: Raw<'_>, name: &str) -> Result<Prompt, ServerError> {
    if name.is_empty() {
        return Err(subject.refuse("a prompt name must not be empty"));
    }
    let mut required = Vec::new();
    if let Some(schema) = raw.get_present("argsSchema") {
        if schema.get_str("type").as_deref() != Some("object") {
            return Err(subject.refuse("argsSchema must be a JSON Schema with \"type\": \"object\" at its root"));
        }
        if raw.get_present("arguments").is_some() {
            return Err(subject.refuse("has argsSchema and arguments, which say the same: expected one of them"));
        }
        required.extend(required_of(schema).map(Cow::into_owned));
    }
    if let Some(arguments) = raw.get_present("arguments") {
        if arguments.kind() != Kind::Array {
            return Err(subject.refuse("arguments must be an array of { name, description?, required? }"));
        }
        for argument in arguments.elements() {
            let Some(name) = argument.get_str("name") else {
                return Err(subject.refuse("each of its arguments needs a name, a string"));
            };
            check_kinds(argument, &|name| matches!(name, "title" | "description" | "required"))
                .map_err(|rule| subject.refuse(&["the argument ", &name, ": ", &rule].concat()))?;
            if argument.get("required").and_then(Raw::as_bool) == Some(true) {
                required.push(name.into_owned());
            }
        }
    }
    Ok(Prompt { name: name.to_owned(), required, schema: Checked::read(raw, "argsSchema") })
}

fn need_name(subject: &Subject<'_>, raw: Raw<'_>) -> Result<(), ServerError> {
    if raw.get_str("name").is_none() { Err(subject.refuse("needs a name, a string")) } else { Ok(()) }
}

pub(super) fn own(text: Option<Cow<'_, str>>) -> Option<String> {
    text.map(Cow::into_owned)
}

/// Whether only some callers may see an item.
fn is_conditional(raw: Raw<'_>) -> bool {
    raw.get("visible").and_then(Raw::as_bool) == Some(true)
}

/// What only some may see is never for a shared cache.
fn item_hint(subject: &Subject<'_>, raw: Raw<'_>, default: CacheHint) -> Result<CacheHint, ServerError> {
    let mut hint = match raw.get_present("cacheHint") {
        None => default,
        Some(hint) => CacheHint::read(hint).map_err(|rule| subject.refuse(rule))?,
    };
    hint.public &= !is_conditional(raw);
    Ok(hint)
}
