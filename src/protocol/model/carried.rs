//! Values that are only carried: they keep their text.

use super::{Member, ModelError, Wire};
use crate::protocol::json::{Key, Kind, Raw, SyntaxError, Writer, quote, unquote};

/// Any JSON value, as its text.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Json(String);

impl Json {
    /// Checks and keeps a JSON text.
    ///
    /// # Errors
    ///
    /// [`SyntaxError`] where the text stops being JSON.
    pub fn parse(text: &str) -> Result<Self, SyntaxError> {
        Raw::parse(text.as_bytes()).map(Self::from)
    }

    /// The text.
    pub fn as_text(&self) -> &str {
        &self.0
    }

    /// The value, to look into.
    pub fn as_raw(&self) -> Raw<'_> {
        // The text was one value when it was taken.
        Raw::parse(self.0.as_bytes()).unwrap_or(Raw::NULL)
    }
}

impl From<Raw<'_>> for Json {
    fn from(value: Raw<'_>) -> Self {
        Self(value.as_text().to_owned())
    }
}

impl From<&str> for Json {
    /// The text as a JSON string.
    fn from(text: &str) -> Self {
        Self(quote(text))
    }
}

impl Default for Json {
    /// `null`
    fn default() -> Self {
        Self("null".to_owned())
    }
}

impl Wire for Json {
    fn read(value: Raw<'_>) -> Result<Self, ModelError> {
        Ok(Self::from(value))
    }

    fn write(&self, out: &mut Writer) {
        out.raw(&self.0);
    }
}

/// A member whose `null` means something: a missing one is `None`, `null` is a value like any other.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Nullable(pub Option<Json>);

impl Member for Nullable {
    fn take(member: Option<(Key<'_>, Raw<'_>)>, _: &str, _: &mut Object) -> Result<Self, ModelError> {
        Ok(Self(member.map(|(_, value)| Json::from(value))))
    }

    fn put(&self, name: &str, out: &mut Writer) {
        if let Some(value) = &self.0 {
            value.put(name, out);
        }
    }
}

/// A number of any size and precision.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Number(String);

impl Number {
    /// The text.
    pub fn as_text(&self) -> &str {
        &self.0
    }

    /// The value, rounded to a double.
    pub fn as_f64(&self) -> Option<f64> {
        self.0.parse().ok()
    }

    /// The value, if it is an integer that fits.
    pub fn as_i64(&self) -> Option<i64> {
        Raw::parse(self.0.as_bytes()).ok()?.as_i64()
    }
}

impl From<i64> for Number {
    fn from(value: i64) -> Self {
        Self(value.to_string())
    }
}

impl TryFrom<f64> for Number {
    type Error = ModelError;

    /// # Errors
    ///
    /// JSON has no infinities and no NaN.
    fn try_from(value: f64) -> Result<Self, ModelError> {
        if value.is_finite() { Ok(Self(value.to_string())) } else { Err(ModelError::new("a finite number")) }
    }
}

impl Default for Number {
    /// `0`
    fn default() -> Self {
        Self::from(0)
    }
}

impl Wire for Number {
    fn read(value: Raw<'_>) -> Result<Self, ModelError> {
        match value.kind() {
            Kind::Number => Ok(Self(value.as_text().to_owned())),
            _ => Err(ModelError::new("a number")),
        }
    }

    fn write(&self, out: &mut Writer) {
        out.raw(&self.0);
    }
}

/// A request's id or a progress token: a string or an integer, as its text.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct Token(String);

impl Token {
    /// The token as JSON text.
    pub fn as_text(&self) -> &str {
        &self.0
    }
}

impl From<i64> for Token {
    fn from(value: i64) -> Self {
        Self(value.to_string())
    }
}

impl From<&str> for Token {
    fn from(text: &str) -> Self {
        Self(quote(text))
    }
}

impl Default for Token {
    /// `0`
    fn default() -> Self {
        Self::from(0)
    }
}

impl Wire for Token {
    fn read(value: Raw<'_>) -> Result<Self, ModelError> {
        match crate::protocol::jsonrpc::RequestId::read(value) {
            Some(id) => Ok(Self(id.as_text().to_owned())),
            None => Err(ModelError::new("a string or an integer")),
        }
    }

    fn write(&self, out: &mut Writer) {
        out.raw(&self.0);
    }
}

/// Members by name, in their order. Keys keep their text; one that comes twice stays twice, and the last counts.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Map<T>(Vec<(String, T)>);

/// An object whose members are only carried.
pub type Object = Map<Json>;

impl<T> Default for Map<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Map<T> {
    /// The member of that name.
    pub fn get(&self, name: &str) -> Option<&T> {
        self.0.iter().rev().find(|(key, _)| unquote(key.as_bytes()) == name).map(|(_, value)| value)
    }

    /// Sets the member of that name.
    pub fn insert(&mut self, name: &str, value: T) {
        self.0.retain(|(key, _)| unquote(key.as_bytes()) != name);
        self.0.push((quote(name), value));
    }

    /// Names and values.
    pub fn iter(&self) -> impl Iterator<Item = (std::borrow::Cow<'_, str>, &T)> {
        self.0.iter().map(|(key, value)| (unquote(key.as_bytes()), value))
    }

    /// How many members there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Object {
    pub(super) fn push_read(&mut self, key: Key<'_>, value: Raw<'_>) {
        self.0.push((key_text(key), Json::from(value)));
    }

    pub(super) fn write_members(&self, out: &mut Writer) {
        for (key, value) in &self.0 {
            out.raw_name(key);
            value.write(out);
        }
    }
}

fn key_text(key: Key<'_>) -> String {
    String::from_utf8_lossy(key.quoted()).into_owned()
}

impl<T: Wire> Wire for Map<T> {
    fn read(value: Raw<'_>) -> Result<Self, ModelError> {
        if !value.is_object() {
            return Err(ModelError::new("an object"));
        }
        let read = |(key, member): (Key<'_>, Raw<'_>)| {
            T::read(member).map(|member| (key_text(key), member)).map_err(|error| error.at(&key.name()))
        };
        value.members().map(read).collect::<Result<_, _>>().map(Self)
    }

    fn write(&self, out: &mut Writer) {
        out.open_object();
        for (key, value) in &self.0 {
            out.raw_name(key);
            value.write(out);
        }
        out.close_object();
    }
}

impl Wire for String {
    fn read(value: Raw<'_>) -> Result<Self, ModelError> {
        value.as_str().map(std::borrow::Cow::into_owned).ok_or_else(|| ModelError::new("a string"))
    }

    fn write(&self, out: &mut Writer) {
        out.string(self);
    }
}

impl Wire for bool {
    fn read(value: Raw<'_>) -> Result<Self, ModelError> {
        value.as_bool().ok_or_else(|| ModelError::new("true or false"))
    }

    fn write(&self, out: &mut Writer) {
        out.raw(if *self { "true" } else { "false" });
    }
}

impl<T: Wire> Wire for Vec<T> {
    fn read(value: Raw<'_>) -> Result<Self, ModelError> {
        if value.kind() != Kind::Array {
            return Err(ModelError::new("an array"));
        }
        let read = |(at, element): (usize, Raw<'_>)| T::read(element).map_err(|error| error.at(&at.to_string()));
        value.elements().enumerate().map(read).collect()
    }

    fn write(&self, out: &mut Writer) {
        out.open_array();
        for element in self {
            element.write(out);
        }
        out.close_array();
    }
}
