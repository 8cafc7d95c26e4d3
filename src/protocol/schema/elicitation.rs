//! The restricted schemas of elicitation forms, and the answers to them
//! (2026-07-28, client/elicitation, "Requested Schema").
//!
//! Both eras' forms are understood: `enum`, `oneOf` with `const` and `title`,
//! `items` with `enum` or `anyOf`, and the older `enum` with `enumNames`.

use super::format::form_formats;
use super::{Options, Schema, SchemaError, Violation};
use crate::protocol::json::{Kind, Raw};
use std::borrow::Cow;

/// Why an answer cannot be sent.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum AnswerError {
    /// The requested schema itself cannot be used.
    Schema(SchemaError),
    /// The answer does not fit the requested schema.
    Answer(Vec<Violation>),
}

impl std::fmt::Display for AnswerError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Schema(error) => error.fmt(f),
            Self::Answer(violations) => f.write_str(&super::describe(violations)),
        }
    }
}

impl std::error::Error for AnswerError {}

/// One of the values that a field offers.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Choice<'a> {
    /// What goes into the answer.
    pub value: Raw<'a>,
    /// What to show for it.
    pub title: Cow<'a, str>,
}

fn compile(schema: Raw<'_>) -> Result<Schema, SchemaError> {
    Schema::compile_with(schema, &Options { formats: Some(form_formats), ..Options::default() })
}

/// Validates the content of an accepted answer against the `requestedSchema`:
/// an object whose values are strings, numbers, booleans or arrays of strings.
/// The formats `email`, `uri`, `date` and `date-time` are asserted.
///
/// # Errors
///
/// [`AnswerError`] says whether the schema or the answer is at fault.
pub fn validate(requested: Raw<'_>, content: Raw<'_>) -> Result<(), AnswerError> {
    let schema = compile(requested).map_err(AnswerError::Schema)?;
    schema.validate(content).map_err(AnswerError::Answer)?;
    let fault = |name: &str, message: &str| {
        let mut instance_path = String::new();
        if !name.is_empty() {
            super::rules::push_token(&mut instance_path, name);
        }
        let violation = Violation { instance_path, schema_path: String::new(), message: message.to_owned() };
        Err(AnswerError::Answer(vec![violation]))
    };
    if !content.is_object() {
        return fault("", "expected an object with the fields of the form");
    }
    for (key, value) in content.members() {
        let fits = match value.kind() {
            Kind::Null | Kind::Object => false,
            Kind::Array => value.elements().all(|element| element.kind() == Kind::String),
            _ => true,
        };
        if !fits {
            return fault(&key.name(), "expected a string, a number, a boolean or an array of strings");
        }
    }
    Ok(())
}

/// The content as JSON text, with the default of every field that it does not have.
///
/// A field is filled in when the content has no member of that name; a present
/// `null`, `false`, `0` or `""` stays. A default that its own field would refuse
/// is left out.
pub fn apply_defaults(requested: Raw<'_>, content: Raw<'_>) -> String {
    let text = content.as_text();
    let Some(members) = text.strip_suffix('}') else { return text.to_owned() };
    // What is there stays as it is, to the byte.
    let mut out = members.to_owned();
    let mut is_first = content.members().next().is_none();
    for (key, field) in requested.get("properties").unwrap_or(Raw::EMPTY_OBJECT).members() {
        if let Some(default) = field.get("default")
            && content.get(&key.name()).is_none()
            && compile(field).is_ok_and(|schema| schema.validate(default).is_ok())
        {
            if !is_first {
                out.push(',');
            }
            is_first = false;
            out.push_str(Raw::from_valid(key.quoted()).as_text());
            out.push(':');
            out.push_str(default.as_text());
        }
    }
    out.push('}');
    out
}

/// The values that a field offers, with their titles; none for a field without a list of values.
///
/// Where a value has no title, its own text is the title.
pub fn choices<'a>(field: Raw<'a>) -> Vec<Choice<'a>> {
    // A field that takes several values describes them in `items`.
    let field = field.get("items").unwrap_or(field);
    if let Some(list) = field.get("oneOf").or_else(|| field.get("anyOf")) {
        let choice = |option: Raw<'a>| {
            let value = option.get("const")?;
            Some(Choice { value, title: title(option.get("title"), value) })
        };
        return list.elements().filter_map(choice).collect();
    }
    let mut names = field.get("enumNames").unwrap_or(Raw::EMPTY_OBJECT).elements();
    let values = field.get("enum").unwrap_or(Raw::EMPTY_OBJECT).elements();
    values.map(|value| Choice { value, title: title(names.next(), value) }).collect()
}

fn title<'a>(title: Option<Raw<'a>>, value: Raw<'a>) -> Cow<'a, str> {
    title.and_then(Raw::as_str).or_else(|| value.as_str()).unwrap_or(Cow::Borrowed(value.as_text()))
}
