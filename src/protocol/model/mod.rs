//! The messages of all five revisions as Rust types, for native programs and for tests.
//!
//! There is one type per concept, whatever the revision: a member that only some revisions
//! have is optional. Reading is tolerant and loses nothing:
//!
//! - an optional member that is `null` counts as absent;
//! - an optional member of the wrong type counts as absent too, and stays in `extra`;
//! - members that the specification does not name stay in `extra`;
//! - enumerations and kinds of content are open: what is unknown is kept as it came;
//! - free-form values ([`Json`]), numbers and ids keep their text.
//!
//! Only a missing or wrong member that a type cannot do without fails, with its path. Members
//! are written in the order of the type, then `extra`. A string that holds a lone surrogate
//! reads as U+FFFD, for Rust has no such strings.
//!
//! This is built on [`super::json`] instead of serde: serde's flattened and tagged forms pass every value
//! through a buffer that cannot hold `1e400`, `12345678901234567890`, duplicate keys or deep nesting.
//!
//! The WebAssembly package never uses these types; unreachable code is not in it.

#[macro_use]
mod forms;

mod basics;
mod call;
mod capabilities;
mod carried;
mod content;
mod elicitation;
mod message;
mod prompts;
mod resources;
mod sampling;
mod subscriptions;
mod tasks;
mod tools;

pub use basics::*;
pub use call::{Call, Notice};
pub use capabilities::*;
pub use carried::{Json, Map, Nullable, Number, Object, Token};
pub use content::*;
pub use elicitation::*;
pub use message::{ErrorObject, ErrorResponse, Message, Notification, Request, ResultResponse};
pub use prompts::*;
pub use resources::*;
pub use sampling::*;
pub use subscriptions::*;
pub use tasks::*;
pub use tools::*;

use super::json::{Key, Raw, Writer};
use std::fmt::{Display, Formatter};

/// Why a JSON value is not of a type.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ModelError {
    /// Where: names of members and places in arrays, joined by dots; empty for the value itself.
    pub path: String,
    /// What was expected there.
    pub expected: &'static str,
}

impl ModelError {
    fn new(expected: &'static str) -> Self {
        Self { path: String::new(), expected }
    }

    /// The same, seen from the value that has this one at `step`.
    fn at(mut self, step: &str) -> Self {
        if !self.path.is_empty() {
            self.path.insert(0, '.');
        }
        self.path.insert_str(0, step);
        self
    }
}

impl Display for ModelError {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.path.is_empty() { "the value" } else { &self.path })?;
        f.write_str(" does not fit the model: expected ")?;
        f.write_str(self.expected)
    }
}

impl std::error::Error for ModelError {}

/// A type with a form as JSON.
pub trait Wire: Sized {
    /// Reads the value.
    ///
    /// # Errors
    ///
    /// [`ModelError`] where a member that the type cannot do without is missing or wrong.
    fn read(value: Raw<'_>) -> Result<Self, ModelError>;

    /// Writes it as a value.
    fn write(&self, out: &mut Writer);

    /// Reads a JSON text.
    ///
    /// # Errors
    ///
    /// As [`Wire::read`]; also for a text that is not JSON.
    fn from_json(text: &str) -> Result<Self, ModelError> {
        Self::read(Raw::parse(text.as_bytes()).map_err(|_| ModelError::new("JSON"))?)
    }

    /// The JSON text.
    fn to_json(&self) -> String {
        let mut out = Writer::new();
        self.write(&mut out);
        out.finish()
    }
}

/// A type that is an object of named members.
trait Record: Sized {
    /// Reads the members, apart from the one named `tag`, which somebody else has read.
    fn read_members(value: Raw<'_>, tag: &str) -> Result<Self, ModelError>;

    /// Writes the members without the braces.
    fn write_members(&self, out: &mut Writer);
}

/// What can stand in a member of a record.
trait Member: Sized {
    /// Takes the member; what cannot be understood and may be missing goes to `extra`.
    fn take(member: Option<(Key<'_>, Raw<'_>)>, name: &str, extra: &mut Object) -> Result<Self, ModelError>;

    /// Writes name and value, if there is one.
    fn put(&self, name: &str, out: &mut Writer);
}

impl<T: Wire> Member for T {
    fn take(member: Option<(Key<'_>, Raw<'_>)>, name: &str, _: &mut Object) -> Result<Self, ModelError> {
        let (_, value) = member.ok_or_else(|| ModelError::new("this member").at(name))?;
        T::read(value).map_err(|error| error.at(name))
    }

    fn put(&self, name: &str, out: &mut Writer) {
        out.name(name);
        self.write(out);
    }
}

impl<T: Wire> Member for Option<T> {
    fn take(member: Option<(Key<'_>, Raw<'_>)>, _: &str, extra: &mut Object) -> Result<Self, ModelError> {
        let Some((key, value)) = member.filter(|(_, value)| !value.is_null()) else { return Ok(None) };
        let read = T::read(value).ok();
        if read.is_none() {
            extra.push_read(key, value);
        }
        Ok(read)
    }

    fn put(&self, name: &str, out: &mut Writer) {
        if let Some(value) = self {
            value.put(name, out);
        }
    }
}
