//! Building JSON text.

use super::{Key, Raw, string::push_quoted};

/// Builds one JSON text; puts the commas, knows nothing else.
///
/// Objects and arrays are opened and closed by the caller in matching pairs.
#[derive(Clone, Debug, Default)]
pub struct Writer {
    out: String,
}

impl Writer {
    /// An empty text.
    pub fn new() -> Self {
        Self::default()
    }

    /// A comma where one belongs before the next name or element.
    fn separate(&mut self) {
        if !matches!(self.out.as_bytes().last(), None | Some(b'{' | b'[' | b':')) {
            self.out.push(',');
        }
    }

    /// Opens an object, as a value.
    pub fn open_object(&mut self) -> &mut Self {
        self.separate();
        self.out.push('{');
        self
    }

    /// Closes an object.
    pub fn close_object(&mut self) -> &mut Self {
        self.out.push('}');
        self
    }

    /// Opens an array, as a value.
    pub fn open_array(&mut self) -> &mut Self {
        self.separate();
        self.out.push('[');
        self
    }

    /// Closes an array.
    pub fn close_array(&mut self) -> &mut Self {
        self.out.push(']');
        self
    }

    /// A member's name; its value comes next.
    pub fn name(&mut self, name: &str) -> &mut Self {
        self.separate();
        push_quoted(&mut self.out, name);
        self.out.push(':');
        self
    }

    /// A member's name as it was read; its value comes next.
    pub fn key(&mut self, key: Key<'_>) -> &mut Self {
        self.raw_name(std::str::from_utf8(key.quoted()).unwrap_or_default())
    }

    /// A member's name that is a JSON string already; its value comes next.
    pub fn raw_name(&mut self, quoted: &str) -> &mut Self {
        self.separate();
        self.out.push_str(quoted);
        self.out.push(':');
        self
    }

    /// A string, as a value.
    pub fn string(&mut self, value: &str) -> &mut Self {
        self.separate();
        push_quoted(&mut self.out, value);
        self
    }

    /// An integer, as a value.
    pub fn integer(&mut self, value: i64) -> &mut Self {
        self.separate();
        self.out.push_str(&value.to_string());
        self
    }

    /// A value that is JSON text already.
    pub fn raw(&mut self, json: &str) -> &mut Self {
        self.separate();
        self.out.push_str(json);
        self
    }

    /// A value as it was read.
    pub fn value(&mut self, value: Raw<'_>) -> &mut Self {
        self.raw(value.as_text())
    }

    /// The text so far.
    pub fn as_str(&self) -> &str {
        &self.out
    }

    /// The text.
    pub fn finish(self) -> String {
        self.out
    }
}
