//! JSON Schema validation.

pub mod elicitation;
mod error;

pub use error::{SchemaError, Violation, describe};

use super::json::Raw;

/// What [`Schema::compile_with`] can be told.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options<'a> {
    /// Whether `format` is an assertion; by default it is an annotation, as 2020-12 has it.
    pub assert_formats: bool,
    /// Documents that a `$ref` may name, by absolute URI. Nothing is ever fetched.
    pub documents: &'a [(&'a str, Raw<'a>)],
}

/// A compiled schema: owns everything that it needs, cheap to validate with.
#[derive(Clone, Debug)]
pub struct Schema {}

impl Schema {
    /// Compiles a schema. Cheap enough to be done on the first use and kept.
    ///
    /// # Errors
    ///
    /// [`SchemaError`] says what cannot be understood. A schema that is not
    /// understood says nothing about instances: list and call the tool all the same.
    pub fn compile(schema: Raw<'_>) -> Result<Self, SchemaError> {
        Self::compile_with(schema, &Options::default())
    }

    /// [`Schema::compile`] with options.
    ///
    /// # Errors
    ///
    /// As [`Schema::compile`].
    pub fn compile_with(_schema: Raw<'_>, _options: &Options<'_>) -> Result<Self, SchemaError> {
        Ok(Self {})
    }

    /// Validates an instance.
    ///
    /// # Errors
    ///
    /// What does not fit, at most [`MAX_VIOLATIONS`] of them, never an empty list.
    pub fn validate(&self, _instance: Raw<'_>) -> Result<(), Vec<Violation>> {
        Ok(())
    }
}

/// How many violations [`Schema::validate`] reports: enough to mend a form or a
/// model's call in one go, few enough for an error message.
pub const MAX_VIOLATIONS: usize = 8;
