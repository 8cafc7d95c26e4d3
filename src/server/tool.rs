//! A tool: its schemas and the headers that mirror its arguments.

use crate::protocol::json::{Ends, Raw};
use crate::protocol::schema::{self, Schema, SchemaError, describe};
use crate::streamable_http::param_headers::HeaderParam;
use std::sync::OnceLock;

/// A schema that values are checked against.
pub(super) struct Checked {
    /// The member of the definition that holds it.
    name: &'static str,
    /// Its JSON text.
    schema: String,
    /// Compiled at the first value: a schema that cannot be used concerns nobody who does not use the item.
    compiled: OnceLock<Result<Schema, SchemaError>>,
}

pub(super) struct Tool {
    pub(super) name: String,
    /// `inputSchema`, unless the application checks that itself.
    input: Option<Checked>,
    pub(super) headers: Vec<HeaderParam>,
    /// The scopes that a caller needs.
    pub(super) scopes: Vec<String>,
    /// `outputSchema`, if there is one that the application does not check itself.
    output: Option<Checked>,
}

impl Tool {
    pub(super) fn new(
        name: &str,
        input: Option<Checked>,
        output: Option<Checked>,
        headers: Vec<HeaderParam>,
        scopes: Vec<String>,
    ) -> Self {
        Self { name: name.to_owned(), input, headers, scopes, output }
    }

    /// Whether one of its schemas is [beyond](Checked::is_beyond) this build.
    pub(super) fn is_beyond(&self) -> bool {
        [&self.input, &self.output].into_iter().flatten().any(Checked::is_beyond)
    }

    /// Checks arguments against `inputSchema`; what does not fit comes back as one line of text.
    pub(super) fn check_arguments(&self, arguments: Raw<'_>, ends: &Ends) -> Result<(), String> {
        self.input.as_ref().map_or(Ok(()), |input| input.check(arguments, ends))
    }

    /// Whether results have to have `structuredContent` that fits a schema.
    pub(super) fn has_output_schema(&self) -> bool {
        self.output.is_some()
    }

    /// Checks `structuredContent` against `outputSchema`, where there is one; what does not fit comes back as text.
    pub(super) fn check_output(&self, structured: Option<Raw<'_>>) -> Result<(), String> {
        let Some(output) = &self.output else { return Ok(()) };
        let structured =
            structured.ok_or_else(|| "the tool has an outputSchema, and no structuredContent".to_owned())?;
        output.check(structured, &Ends::new())
    }
}

impl Checked {
    /// The schema in a member of an item; `None` where there is none, or `validated` says that the application
    /// checks it itself.
    pub(super) fn read(item: Raw<'_>, name: &'static str) -> Option<Self> {
        let own = item.get("validated").unwrap_or(Raw::EMPTY_OBJECT).elements();
        if own.filter_map(Raw::as_str).any(|own| own == name) {
            return None;
        }
        let schema = item.get(name)?.as_text().to_owned();
        Some(Self { name, schema, compiled: OnceLock::new() })
    }

    fn compiled(&self) -> &Result<Schema, SchemaError> {
        let compile = || Schema::compile(Raw::parse(self.schema.as_bytes()).unwrap_or(Raw::EMPTY_OBJECT));
        self.compiled.get_or_init(compile)
    }

    /// Whether only a build with the feature `schema` can use the schema, or say what is wrong with it.
    pub(super) fn is_beyond(&self) -> bool {
        !schema::WHOLE && self.compiled().is_err()
    }

    /// A dialect that is not known here says nothing about values; any other fault of a schema refuses them all.
    pub(super) fn check(&self, value: Raw<'_>, ends: &Ends) -> Result<(), String> {
        match self.compiled() {
            Ok(schema) => schema.validate_with(value, ends).map_err(|violations| describe(&violations)),
            // Whoever asks first whether it is beyond comes here with one that is not.
            Err(_) if !schema::WHOLE => Ok(()),
            Err(SchemaError::UnsupportedDialect(_)) => Ok(()),
            Err(error) => {
                let mut text = String::from("its ");
                text.push_str(self.name);
                text.push_str(" cannot be used: ");
                text.push_str(&error.to_string());
                Err(text)
            }
        }
    }
}
