//! Validation behind the mailbox: `pkg-template/lib/validator.js` is the other half.
//!
//! Nothing is kept between two calls: a schema is compiled in less time than any result takes to come.

use super::mailbox;
use crate::protocol::json::Raw;
use crate::protocol::schema::elicitation::{self, AnswerError};
use crate::protocol::schema::{Schema, describe};
use wasm_bindgen::prelude::wasm_bindgen;

/// What is posted first.
mod verdict {
    pub(super) const FITS: u32 = 0;
    /// The text says what does not fit.
    pub(super) const REFUSED: u32 = 1;
    /// The text says why the schema cannot be used.
    pub(super) const UNUSABLE: u32 = 2;
}

/// The mailbox holds a schema and a value, both JSON, a NUL between them. `is_form`: the schema is the
/// `requestedSchema` of an elicitation, the value the content of its answer.
#[wasm_bindgen(js_name = validate)]
pub fn validate(is_form: bool, length: usize) {
    let (verdict, text) = mailbox::take(length, |bytes| {
        let mut parts = bytes.splitn(2, |byte| *byte == 0);
        let (schema, value) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        let read = |bytes| Raw::parse(bytes).map_err(|error| ["not JSON: ", &error.to_string()].concat());
        match (read(schema), read(value)) {
            (Err(text), _) => (verdict::UNUSABLE, text),
            (_, Err(text)) => (verdict::REFUSED, text),
            (Ok(schema), Ok(value)) => judge(is_form, schema, value),
        }
    });
    mailbox::post(&[&text], &[verdict]);
}

fn judge(is_form: bool, schema: Raw<'_>, value: Raw<'_>) -> (u32, String) {
    let judged = if is_form {
        // What the form has a default for may be left out.
        let whole = elicitation::apply_defaults(schema, value);
        elicitation::validate(schema, Raw::parse(whole.as_bytes()).unwrap_or(value))
    } else {
        Schema::compile(schema)
            .map_err(AnswerError::Schema)
            .and_then(|schema| schema.validate(value).map_err(AnswerError::Answer))
    };
    match judged {
        Ok(()) => (verdict::FITS, String::new()),
        Err(AnswerError::Schema(error)) => (verdict::UNUSABLE, error.to_string()),
        Err(AnswerError::Answer(violations)) => (verdict::REFUSED, describe(&violations)),
    }
}
