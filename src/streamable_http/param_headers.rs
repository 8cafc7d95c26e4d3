//! `Mcp-Param-*`: which parameters of a tool are mirrored into headers, and what they say.
//!
//! Page: 2026-07-28, basic/transports/streamable-http, "Custom Headers from Tool Parameters".

use super::headers::PARAM_PREFIX;
use crate::protocol::error::abridged;
use crate::protocol::json::{Kind, Raw};
use std::borrow::Cow;

/// The annotation's name in a JSON schema.
const ANNOTATION: &str = "x-mcp-header";

/// How deep schemas may nest: beyond it the scan would cost the square of the schema's size.
/// Real tools stay below ten.
pub const MAX_SCHEMA_DEPTH: usize = 128;

/// The largest integer that a header may carry, 2^53 − 1: beyond it JavaScript rounds.
const MAX_SAFE_INTEGER: u64 = (1 << 53) - 1;

/// The declared type of a mirrored parameter.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum ParamKind {
    /// `string`
    String,
    /// `integer`: compared as a number.
    Integer,
    /// `boolean`
    Boolean,
}

/// A parameter that is mirrored into a header.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct HeaderParam {
    /// The full name of the header: `Mcp-Param-Region`.
    pub header: String,
    /// The names of the members that lead to the value in the arguments.
    pub path: Vec<String>,
    /// The declared type.
    pub kind: ParamKind,
}

/// The mirrored parameters of a tool's `inputSchema`.
///
/// # Errors
///
/// The reason for which the tool has to be left out: an annotation that breaks the rules of
/// "Schema Extension", anywhere in the schema.
pub fn scan(input_schema: Raw<'_>) -> Result<Vec<HeaderParam>, String> {
    if may_have_annotation(input_schema.text()) { walk(input_schema) } else { Ok(Vec::new()) }
}

#[inline(never)]
fn walk(input_schema: Raw<'_>) -> Result<Vec<HeaderParam>, String> {
    let mut found = Vec::new();
    let mut open = vec![Place { value: input_schema, role: Role::Schema, path: Some(Vec::new()), depth: 0 }];
    while let Some(place) = open.pop() {
        if place.depth > MAX_SCHEMA_DEPTH {
            return Err(reason("the schema", &["nests deeper than ", &MAX_SCHEMA_DEPTH.to_string(), " levels"]));
        }
        match place.role {
            Role::Schema => visit_schema(&place, &mut open, &mut found)?,
            Role::Schemas => visit_schemas(&place, &mut open),
        }
    }
    Ok(found)
}

/// A value in a schema that is still to be looked at.
struct Place<'a> {
    value: Raw<'a>,
    role: Role,
    /// The chain of `properties` that leads here; `None` where anything else is on the way.
    path: Option<Vec<String>>,
    depth: usize,
}

#[derive(Clone, Copy, Eq, PartialEq)]
enum Role {
    /// A schema, or a list of schemas; unknown keywords count too, since a `$ref` can point there.
    Schema,
    /// An object whose members are schemas under free names.
    Schemas,
}

/// Most schemas have no annotation and need no walk. An escape could hide the name.
fn may_have_annotation(text: &[u8]) -> bool {
    text.windows(ANNOTATION.len()).any(|window| window == ANNOTATION.as_bytes())
        || text.windows(2).any(|two| two == b"\\u")
}

fn visit_schema<'a>(place: &Place<'a>, open: &mut Vec<Place<'a>>, found: &mut Vec<HeaderParam>) -> Result<(), String> {
    let depth = place.depth + 1;
    for element in place.value.elements().filter(|element| element.kind().is_nested()) {
        open.push(Place { value: element, role: Role::Schema, path: None, depth });
    }
    for (key, value) in place.value.members() {
        if key.is(ANNOTATION) {
            let param = read_annotation(place, value)?;
            if found.iter().any(|other| other.header.eq_ignore_ascii_case(&param.header)) {
                return Err(reason(&param.path.join("."), &["repeats the header ", &param.header]));
            }
            // In order of their paths; there are few, and sorting would cost four kilobytes of code.
            let at = found.iter().position(|other| other.path > param.path).unwrap_or(found.len());
            found.insert(at, param);
            continue;
        }
        if !value.kind().is_nested() {
            continue;
        }
        let name = key.name();
        let (role, path) = match &*name {
            "const" | "enum" | "default" | "examples" => continue,
            "properties" => (Role::Schemas, place.path.clone()),
            "patternProperties" | "$defs" | "definitions" | "dependentSchemas" | "dependencies" => {
                (Role::Schemas, None)
            }
            _ => (Role::Schema, None),
        };
        open.push(Place { value, role, path, depth });
    }
    Ok(())
}

fn visit_schemas<'a>(place: &Place<'a>, open: &mut Vec<Place<'a>>) {
    for (key, value) in place.value.members().filter(|(_, value)| value.kind().is_nested()) {
        let path = place.path.clone().map(|mut path| {
            path.push(key.name().into_owned());
            path
        });
        open.push(Place { value, role: Role::Schema, path, depth: place.depth + 1 });
    }
}

fn read_annotation(place: &Place<'_>, value: Raw<'_>) -> Result<HeaderParam, String> {
    let Some(path) = place.path.as_ref().filter(|path| !path.is_empty()) else {
        return Err(reason("an annotation", &["is not on a property that a chain of \"properties\" leads to"]));
    };
    let place_name = path.join(".");
    let Some(name) = value.as_str() else {
        return Err(reason(&place_name, &["must be a string, not ", abridged(value.as_text())]));
    };
    if name.is_empty() || !name.bytes().all(is_token_byte) {
        return Err(reason(&place_name, &["must be an HTTP token, not ", abridged(value.as_text())]));
    }
    let kind = place.value.get("type").map_or(Err("no type"), read_kind);
    match kind {
        Ok(kind) => {
            let mut header = String::from(PARAM_PREFIX);
            header.push_str(&name);
            Ok(HeaderParam { header, path: path.clone(), kind })
        }
        Err(found) => Err(reason(&place_name, &["needs the type string, integer or boolean, not ", found])),
    }
}

/// The declared type; a union with `null` counts as its other member.
fn read_kind(declared: Raw<'_>) -> Result<ParamKind, &str> {
    let one = |value: Raw<'_>| match value.text() {
        br#""string""# => Some(ParamKind::String),
        br#""integer""# => Some(ParamKind::Integer),
        br#""boolean""# => Some(ParamKind::Boolean),
        _ => None,
    };
    let kind = if declared.kind() == Kind::Array {
        let mut named = declared.elements().filter(|element| element.text() != br#""null""#);
        named.next().filter(|_| named.next().is_none()).and_then(one)
    } else {
        one(declared)
    };
    kind.ok_or_else(|| abridged(declared.as_text()))
}

/// `tchar` of RFC 9110 §5.6.2.
pub(crate) fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

fn reason(place: &str, rest: &[&str]) -> String {
    let mut out = String::from(ANNOTATION);
    out.push_str(": ");
    out.push_str(place);
    out.push(' ');
    for part in rest {
        out.push_str(part);
    }
    out
}

impl HeaderParam {
    /// The argument that the header mirrors; `None` where it is absent or `null`.
    pub fn argument<'a>(&self, arguments: Option<Raw<'a>>) -> Option<Raw<'a>> {
        let value = self.path.iter().try_fold(arguments?, |value, name| value.get(name));
        value.filter(|value| !value.is_null())
    }

    /// The text that the header carries, not yet encoded; `None` where there is no header to send.
    ///
    /// An object or array has no text: it does not fit the schema, and the server says so better.
    ///
    /// # Errors
    ///
    /// An integer beyond 2^53 − 1, which a header must not carry.
    pub fn text<'a>(&self, arguments: Option<Raw<'a>>) -> Result<Option<Cow<'a, str>>, String> {
        let Some(value) = self.argument(arguments) else { return Ok(None) };
        match value.kind() {
            Kind::String => Ok(value.as_str()),
            Kind::Bool => Ok(Some(Cow::Borrowed(value.as_text()))),
            Kind::Number => match value.as_i64() {
                Some(integer) if integer.unsigned_abs() <= MAX_SAFE_INTEGER => {
                    Ok(Some(Cow::Owned(integer.to_string())))
                }
                _ if self.kind != ParamKind::Integer => Ok(Some(Cow::Borrowed(value.as_text()))),
                _ => {
                    let mut message = String::from("the argument ");
                    message.push_str(&self.path.join("."));
                    message.push_str(
                        " is mirrored into a header and must be an integer within \u{b1}(2^53 \u{2212} 1), not ",
                    );
                    message.push_str(abridged(value.as_text()));
                    Err(message)
                }
            },
            Kind::Null | Kind::Array | Kind::Object => Ok(None),
        }
    }

    /// Whether a decoded header value says the same as the argument.
    pub fn matches(&self, argument: Raw<'_>, header: &str) -> bool {
        match argument.kind() {
            Kind::String => argument.as_str().is_some_and(|text| text == header),
            Kind::Number => argument.as_text() == header || same_integer(argument, header),
            Kind::Bool => argument.as_text() == header,
            Kind::Null | Kind::Array | Kind::Object => false,
        }
    }
}

/// Whether both are the same integer, however it is spelled (`42`, `42.0`, `4.2e1`).
fn same_integer(argument: Raw<'_>, header: &str) -> bool {
    let Ok(header) = Raw::parse(header.as_bytes()) else { return false };
    matches!((argument.as_i64(), header.as_i64()), (Some(one), Some(other)) if one == other)
}
