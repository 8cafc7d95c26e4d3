//! JSON Schema validation: 2020-12, 2019-09, draft-07 and draft-06.

mod compile;
mod containers;
mod dialect;
pub mod elicitation;
mod equal;
mod error;
mod evaluate;
mod format;
mod keywords;
mod number;
mod references;
mod regex;
mod regex_class;
mod regex_parse;
mod regex_unicode;
mod report;
mod rules;
mod uri;

pub use error::{SchemaError, Violation, describe};
pub use format::{Test as FormatTest, formats};

use super::json::{Ends, Raw};

/// The longest text of a schema with the documents that it refers to, in bytes:
/// far beyond any tool's, and small enough to be compiled within a call.
pub const MAX_SCHEMA_BYTES: usize = 1 << 20;

/// How many subschemas and names in `required` and the like a schema may have:
/// room for an `anyOf` of ten thousand branches, a few MB of memory at most.
pub const MAX_SUBSCHEMAS: usize = 20_000;

/// How many `$id`s and anchors a schema may have: they are searched one by one.
pub const MAX_IDENTIFIERS: usize = 1_000;

/// How many instructions the patterns of one schema may have together: a
/// repetition such as `{1,2000}` costs one or two for each time.
pub const MAX_PATTERN_SIZE: usize = 50_000;

/// How deep subschemas may nest, and how deep validation may go through
/// subschemas, references and the instance together: a level takes some hundred
/// bytes of a stack that is 256 KiB small in wasm.
pub const MAX_DEPTH: usize = 512;

/// How many steps a validation may take, beside [`STEPS_PER_BYTE`]: a step is one
/// subschema applied, one member, element or character visited. It bounds the
/// time that a schema can cost to well under a second.
pub const MAX_STEPS: u64 = 1_000_000;

/// The steps that each byte of the instance adds, so that a large instance of an
/// ordinary schema always passes.
pub const STEPS_PER_BYTE: u64 = 16;

/// How many violations [`Schema::validate`] reports: enough to mend a form or a
/// model's call in one go, few enough for an error message.
pub const MAX_VIOLATIONS: usize = 8;

/// Whether this build knows all of JSON Schema. One without the feature `schema` knows the keywords that most tools use
/// ([`dialect::Keyword::is_basic`]) and leaves every other schema to one that does ([`SchemaError::Beyond`]).
pub(crate) const WHOLE: bool = cfg!(feature = "schema");

/// What [`Schema::compile_with`] can be told.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options<'a> {
    /// The tests for `format`, for example [`formats`]; by default it is an annotation, as 2020-12 has it.
    pub formats: Option<fn(&str) -> Option<FormatTest>>,
    /// Documents that a `$ref` may name, by absolute URI. Nothing is ever fetched.
    pub documents: &'a [(&'a str, Raw<'a>)],
}

/// A compiled schema: owns everything that it needs, cheap to validate with.
#[derive(Clone, Debug)]
pub struct Schema {
    program: rules::Program,
}

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
    pub fn compile_with(schema: Raw<'_>, options: &Options<'_>) -> Result<Self, SchemaError> {
        Ok(Self { program: compile::compile(schema, options)? })
    }

    /// Validates an instance.
    ///
    /// # Errors
    ///
    /// What does not fit, at most [`MAX_VIOLATIONS`] of them, never an empty list.
    /// A validation that hits a limit fails with one violation that names it.
    pub fn validate(&self, instance: Raw<'_>) -> Result<(), Vec<Violation>> {
        self.validate_with(instance, &Ends::new())
    }

    /// [`Schema::validate`] that does not walk over values whose ends are known.
    ///
    /// # Errors
    ///
    /// As [`Schema::validate`].
    pub fn validate_with(&self, instance: Raw<'_>, ends: &Ends) -> Result<(), Vec<Violation>> {
        evaluate::validate(&self.program, instance, ends)
    }
}
