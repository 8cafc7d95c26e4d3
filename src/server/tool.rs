//! A tool: its schemas and the headers that mirror its arguments.

use crate::protocol::json::Raw;
use crate::protocol::schema::{Schema, SchemaError, describe};
use crate::streamable_http::param_headers::HeaderParam;
use std::sync::OnceLock;

pub(super) struct Tool {
    pub(super) name: String,
    /// The JSON text of `inputSchema`.
    input_schema: String,
    pub(super) headers: Vec<HeaderParam>,
    /// The scopes that a caller needs.
    pub(super) scopes: Vec<String>,
    /// Compiled at the first call: a schema that cannot be used concerns nobody who does not call the tool.
    input: OnceLock<Result<Schema, SchemaError>>,
    /// The JSON text of `outputSchema`, if there is one.
    output_schema: Option<String>,
    output: OnceLock<Result<Schema, SchemaError>>,
}

impl Tool {
    pub(super) fn new(
        name: &str,
        input_schema: Raw<'_>,
        output_schema: Option<Raw<'_>>,
        headers: Vec<HeaderParam>,
        scopes: Vec<String>,
    ) -> Self {
        Self {
            name: name.to_owned(),
            input_schema: input_schema.as_text().to_owned(),
            headers,
            scopes,
            input: OnceLock::new(),
            output_schema: output_schema.map(|schema| schema.as_text().to_owned()),
            output: OnceLock::new(),
        }
    }

    /// Checks arguments against `inputSchema`; what does not fit comes back as one line of text.
    pub(super) fn check_arguments(&self, arguments: Raw<'_>) -> Result<(), String> {
        check("inputSchema", &self.input, &self.input_schema, arguments)
    }

    /// Whether results have to have `structuredContent`.
    pub(super) fn has_output_schema(&self) -> bool {
        self.output_schema.is_some()
    }

    /// Checks `structuredContent` against `outputSchema`, where there is one; what does not fit comes back as text.
    pub(super) fn check_output(&self, structured: Option<Raw<'_>>) -> Result<(), String> {
        let Some(schema) = &self.output_schema else { return Ok(()) };
        let structured =
            structured.ok_or_else(|| "the tool has an outputSchema, and no structuredContent".to_owned())?;
        check("outputSchema", &self.output, schema, structured)
    }
}

/// A dialect that is not known here says nothing about values; any other fault of a schema refuses them all.
fn check(
    name: &str,
    compiled: &OnceLock<Result<Schema, SchemaError>>,
    schema: &str,
    value: Raw<'_>,
) -> Result<(), String> {
    let compile = || Schema::compile(Raw::parse(schema.as_bytes()).unwrap_or(Raw::EMPTY_OBJECT));
    match compiled.get_or_init(compile) {
        Ok(schema) => schema.validate(value).map_err(|violations| describe(&violations)),
        Err(SchemaError::UnsupportedDialect(_)) => Ok(()),
        Err(error) => {
            let mut text = String::from("the tool's ");
            text.push_str(name);
            text.push_str(" cannot be used: ");
            text.push_str(&error.to_string());
            Err(text)
        }
    }
}
