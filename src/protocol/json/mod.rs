//! JSON text as validated slices.
//!
//! [`Raw`] is exactly one valid JSON value, as a slice of the text that it came
//! in. Reading looks only at what is asked for; everything else stays as it is,
//! byte for byte: numbers beyond 2^53, key order, duplicate keys, escapes. Nesting
//! costs one bit a level and no recursion, so depth is bounded by the size of the
//! text alone. [`Writer`] builds JSON text.

mod block;
mod ends;
mod long;
mod number;
mod scan;
mod string;
mod write;

pub use ends::Ends;
pub use long::{Split, has_replacement, split};
pub use string::{quote, quote_onto, unquote};
pub use write::Writer;

use std::borrow::Cow;

/// Why a text is not JSON, and where.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct SyntaxError {
    /// The offset in bytes at which the text stops being JSON.
    pub at: usize,
    /// What was expected there.
    pub expected: &'static str,
}

impl std::fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("expected ")?;
        f.write_str(self.expected)?;
        f.write_str(" at byte ")?;
        f.write_str(&self.at.to_string())
    }
}

impl std::error::Error for SyntaxError {}

/// The six kinds of JSON values; `true` and `false` are one kind.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Kind {
    /// `null`
    Null,
    /// `true` or `false`
    Bool,
    /// A number of any size and precision.
    Number,
    /// A string.
    String,
    /// An array.
    Array,
    /// An object.
    Object,
}

impl Kind {
    /// Whether values of this kind hold other values.
    pub fn is_nested(self) -> bool {
        matches!(self, Self::Array | Self::Object)
    }
}

/// One valid JSON value, as the text that it came in, without surrounding space.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Raw<'a> {
    text: &'a [u8],
}

impl<'a> Raw<'a> {
    /// `null`
    pub const NULL: Self = Self { text: b"null" };

    /// An object without members.
    pub const EMPTY_OBJECT: Self = Self { text: b"{}" };

    /// Checks that `text` is one JSON value with nothing after it.
    ///
    /// # Errors
    ///
    /// [`SyntaxError`] names the place where the text stops being JSON; invalid
    /// UTF-8 inside a string counts as that.
    pub fn parse(text: &'a [u8]) -> Result<Self, SyntaxError> {
        Self::parse_with(text, &mut Ends::new())
    }

    /// [`Raw::parse`] that keeps where the long values end, for [`Raw::members_with`].
    ///
    /// # Errors
    ///
    /// As [`Raw::parse`].
    pub fn parse_with(text: &'a [u8], ends: &mut Ends) -> Result<Self, SyntaxError> {
        let start = scan::skip_space(text, 0);
        let end = scan::check_value(text, start, ends)?;
        let rest = scan::skip_space(text, end);
        if rest < text.len() {
            return Err(SyntaxError { at: rest, expected: "the end of the text" });
        }
        Ok(Self { text: text.get(start..end).unwrap_or_default() })
    }

    /// Takes a text that is known to be one valid value: it was cut out of one.
    pub(crate) fn from_valid(text: &'a [u8]) -> Self {
        Self { text }
    }

    /// The text of the value.
    pub fn text(self) -> &'a [u8] {
        self.text
    }

    /// The text of the value as `str`.
    pub fn as_text(self) -> &'a str {
        std::str::from_utf8(self.text).unwrap_or_default()
    }

    /// Where the value stands in `whole`, the text (or a part of it) that it was parsed from.
    pub fn span_in(self, whole: &[u8]) -> (usize, usize) {
        let start = (self.text.as_ptr() as usize).wrapping_sub(whole.as_ptr() as usize);
        (start, start.wrapping_add(self.text.len()))
    }

    /// The kind of the value.
    pub fn kind(self) -> Kind {
        match self.text.first() {
            Some(b'{') => Kind::Object,
            Some(b'[') => Kind::Array,
            Some(b'"') => Kind::String,
            Some(b't' | b'f') => Kind::Bool,
            Some(b'n') | None => Kind::Null,
            Some(_) => Kind::Number,
        }
    }

    /// Whether the value is an object.
    pub fn is_object(self) -> bool {
        self.kind() == Kind::Object
    }

    /// Whether the value is `null`.
    pub fn is_null(self) -> bool {
        self.kind() == Kind::Null
    }

    /// The members of an object in the order of the text, duplicates included; none for other kinds.
    pub fn members(self) -> Members<'a, 'static> {
        self.members_with(&ends::NONE)
    }

    /// [`Raw::members`] that does not walk over values whose ends are known.
    pub fn members_with(self, ends: &Ends) -> Members<'a, '_> {
        Members { rest: if self.is_object() { self.text } else { b"" }, at: 1, ends }
    }

    /// The elements of an array; none for other kinds.
    pub fn elements(self) -> Elements<'a> {
        Elements { rest: if self.kind() == Kind::Array { self.text } else { b"" }, at: 1 }
    }

    /// The member of that name; the last one where there are several, as `JSON.parse` has it.
    pub fn get(self, name: &str) -> Option<Self> {
        self.members().filter(|(key, _)| key.is(name)).last().map(|(_, value)| value)
    }

    /// Like [`Raw::get`], with an explicit `null` counted as absent.
    pub fn get_present(self, name: &str) -> Option<Self> {
        self.get(name).filter(|value| !value.is_null())
    }

    /// The string's value; `None` for other kinds. A lone surrogate becomes U+FFFD.
    pub fn as_str(self) -> Option<Cow<'a, str>> {
        (self.kind() == Kind::String).then(|| unquote(self.text))
    }

    /// The string member of that name.
    pub fn get_str(self, name: &str) -> Option<Cow<'a, str>> {
        self.get(name)?.as_str()
    }

    /// The value of a boolean.
    pub fn as_bool(self) -> Option<bool> {
        match self.text {
            b"true" => Some(true),
            b"false" => Some(false),
            _ => None,
        }
    }

    /// The value of a number as a double, rounded as `JSON.parse` rounds it.
    pub fn as_f64(self) -> Option<f64> {
        if self.kind() != Kind::Number {
            return None;
        }
        self.as_text().parse().ok()
    }

    /// The value of a number that is an integer in the range of `i64`; `2.0` and `2e0` are
    /// integers too. Exact: no double in between.
    pub fn as_i64(self) -> Option<i64> {
        if self.kind() != Kind::Number {
            return None;
        }
        number::integer(self.as_text())
    }
}

/// The name of an object's member, as the text with its quotes.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Key<'a> {
    quoted: &'a [u8],
}

impl<'a> Key<'a> {
    /// The text of the name, quotes and escapes included.
    pub fn quoted(self) -> &'a [u8] {
        self.quoted
    }

    /// The text of the name without its quotes, escapes as they are.
    pub fn inner(self) -> &'a str {
        let inner = self.quoted.get(1..self.quoted.len().saturating_sub(1)).unwrap_or_default();
        std::str::from_utf8(inner).unwrap_or_default()
    }

    /// The UTF-8 bytes of the name: what to compare with, for the text need not be checked again.
    pub fn bytes(self) -> Cow<'a, [u8]> {
        let inner = self.quoted.get(1..self.quoted.len().saturating_sub(1)).unwrap_or_default();
        if block::next_special(inner, 0, 0) < inner.len() {
            Cow::Owned(self.name().into_owned().into_bytes())
        } else {
            Cow::Borrowed(inner)
        }
    }

    /// The name.
    pub fn name(self) -> Cow<'a, str> {
        unquote(self.quoted)
    }

    /// Whether the name, after unescaping, is `name`.
    pub fn is(self, name: &str) -> bool {
        let inner = self.quoted.get(1..self.quoted.len().saturating_sub(1)).unwrap_or_default();
        inner == name.as_bytes() || (inner.contains(&b'\\') && self.name() == name)
    }
}

/// The members of an object.
#[derive(Clone, Debug)]
pub struct Members<'a, 'e> {
    rest: &'a [u8],
    at: usize,
    ends: &'e Ends,
}

impl<'a> Iterator for Members<'a, '_> {
    type Item = (Key<'a>, Raw<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let start = scan::next_item(self.rest, self.at, b'"')?;
        let end = scan::skip_valid(self.rest, start);
        let value = scan::skip_space(self.rest, scan::skip_space(self.rest, end) + 1);
        let known = self.ends.end_of(self.rest, value);
        self.at = known.unwrap_or_else(|| scan::skip_valid(self.rest, value));
        Some((Key { quoted: self.rest.get(start..end)? }, Raw { text: self.rest.get(value..self.at)? }))
    }
}

/// The elements of an array.
#[derive(Clone, Debug)]
pub struct Elements<'a> {
    rest: &'a [u8],
    at: usize,
}

impl<'a> Iterator for Elements<'a> {
    type Item = Raw<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        let start = scan::next_item(self.rest, self.at, 0)?;
        self.at = scan::skip_valid(self.rest, start);
        Some(Raw { text: self.rest.get(start..self.at)? })
    }
}
