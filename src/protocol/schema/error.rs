//! What is wrong: with a schema, or with an instance.

use std::fmt;

/// Why a schema cannot be used for validation.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum SchemaError {
    /// `$schema` names a dialect that is not known here.
    UnsupportedDialect(String),
    /// A reference leads out of the schema; nothing is ever fetched.
    RemoteReference(String),
    /// A reference names something that the schema does not have.
    UnresolvedReference(String),
    /// A keyword has a value that it cannot have.
    InvalidKeyword {
        /// JSON pointer to the keyword in the schema.
        schema_path: String,
        /// What the keyword's value must be.
        expected: &'static str,
    },
    /// A regular expression is not valid, or uses what is not supported.
    Pattern {
        /// The expression.
        pattern: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A limit is exceeded; the text names it.
    TooLarge(&'static str),
    /// The build lacks the feature `schema`, without which it neither uses this schema nor says what is wrong with it.
    Beyond,
}

impl fmt::Display for SchemaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (what, which, why) = match self {
            Self::UnsupportedDialect(uri) => ("dialect not supported: ", uri.as_str(), ""),
            Self::RemoteReference(uri) => ("reference to another document, which is never fetched: ", uri.as_str(), ""),
            Self::UnresolvedReference(uri) => ("reference to nothing in the schema: ", uri.as_str(), ""),
            Self::InvalidKeyword { schema_path, expected } => ("invalid value of ", schema_path.as_str(), *expected),
            Self::Pattern { pattern, reason } => ("cannot use the pattern ", pattern.as_str(), *reason),
            Self::TooLarge(limit) => ("schema too large: ", *limit, ""),
            Self::Beyond => ("needs the feature schema, which this build lacks", "", ""),
        };
        f.write_str(what)?;
        f.write_str(which)?;
        if !why.is_empty() {
            f.write_str(if matches!(self, Self::InvalidKeyword { .. }) { ": expected " } else { ": " })?;
            f.write_str(why)?;
        }
        Ok(())
    }
}

impl std::error::Error for SchemaError {}

/// One way in which an instance does not fit a schema.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Violation {
    /// JSON pointer into the instance, empty for the whole of it.
    pub instance_path: String,
    /// JSON pointer into the schema, to the keyword that failed.
    pub schema_path: String,
    /// What was expected and what came.
    pub message: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.instance_path.is_empty() {
            f.write_str(&self.instance_path)?;
            f.write_str(": ")?;
        }
        f.write_str(&self.message)
    }
}

/// The violations as one line of text, for an error message.
pub fn describe(violations: &[Violation]) -> String {
    let mut out = String::new();
    for violation in violations {
        if !out.is_empty() {
            out.push_str("; ");
        }
        if !violation.instance_path.is_empty() {
            out.push_str(&violation.instance_path);
            out.push_str(": ");
        }
        out.push_str(&violation.message);
    }
    out
}
