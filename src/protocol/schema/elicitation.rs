//! The restricted schemas of elicitation forms, and the answers to them.

use super::{SchemaError, Violation};
use crate::protocol::json::Raw;

/// Why an answer cannot be sent.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum AnswerError {
    /// The requested schema itself cannot be used.
    Schema(SchemaError),
    /// The answer does not fit the requested schema.
    Answer(Vec<Violation>),
}

/// Validates the content of an accepted answer against the `requestedSchema`; formats are asserted.
///
/// # Errors
///
/// [`AnswerError`] says whether the schema or the answer is at fault.
pub fn validate(_requested: Raw<'_>, _content: Raw<'_>) -> Result<(), AnswerError> {
    Ok(())
}

/// The content as JSON text, with the default of every field that it does not have.
///
/// A field is filled in when the content has no member of that name; a present
/// `null`, `false`, `0` or `""` stays. Defaults are taken as they are.
pub fn apply_defaults(_requested: Raw<'_>, content: Raw<'_>) -> String {
    content.as_text().to_owned()
}
