//! How messages ride byte pipes: one message a line.
//!
//! Page: 2026-07-28, basic/transports/stdio.

use std::borrow::Cow;

/// The default for the size of one line, in bytes.
///
/// A line is one message; 16 MiB hold a result with a large image or document in base64. Without a
/// limit a peer that never ends a line would fill the memory.
pub const MAX_LINE_BYTES: usize = 16 * 1024 * 1024;

/// A buffer beyond this many bytes is let go once it is empty: wasm memory never shrinks.
const KEPT_BYTES: usize = 64 * 1024;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// A line was longer than the reader's limit and has been dropped; reading goes on behind it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct LineTooLong {
    /// The limit in bytes.
    pub limit: usize,
}

impl std::fmt::Display for LineTooLong {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a line is longer than ")?;
        f.write_str(&self.limit.to_string())?;
        f.write_str(" bytes")
    }
}

impl std::error::Error for LineTooLong {}

/// Takes the bytes of a pipe in pieces of any size and gives its lines.
///
/// Lines end in LF alone, so U+2028 inside a string never splits one; a CR before the LF and a byte
/// order mark at the start of a line are dropped, and lines of white space are skipped.
#[derive(Clone, Debug)]
pub struct Reader {
    limit: usize,
    buffer: Vec<u8>,
    /// Where the line that is not yet complete begins.
    line: usize,
    /// How far it has been searched for its end.
    scanned: usize,
    /// The open line is too long: its bytes are dropped.
    dropping: bool,
}

impl Default for Reader {
    fn default() -> Self {
        Self::new()
    }
}

impl Reader {
    /// A reader with the default limit.
    pub fn new() -> Self {
        Self::with_limit(MAX_LINE_BYTES)
    }

    /// A reader that drops lines of more than `max_line_bytes` bytes.
    pub fn with_limit(max_line_bytes: usize) -> Self {
        Self { limit: max_line_bytes, buffer: Vec::new(), line: 0, scanned: 0, dropping: false }
    }

    /// Takes the next bytes. Take the lines out before more bytes go in, or they pile up.
    pub fn push(&mut self, bytes: &[u8]) {
        if self.line > 0 {
            self.buffer.drain(..self.line);
            self.scanned -= self.line;
            self.line = 0;
        }
        if self.buffer.is_empty() && self.buffer.capacity() > KEPT_BYTES {
            self.buffer = Vec::new();
        }
        self.buffer.extend_from_slice(bytes);
    }

    /// The next complete line that is not blank, without its end; `None` when more bytes are needed.
    ///
    /// # Errors
    ///
    /// [`LineTooLong`], once for each such line, as soon as it shows.
    pub fn next_line(&mut self) -> Option<Result<&[u8], LineTooLong>> {
        loop {
            let rest = self.buffer.get(self.scanned..).unwrap_or_default();
            let found = rest.iter().position(|byte| *byte == b'\n');
            self.scanned += found.unwrap_or(rest.len());
            if !self.dropping && self.scanned - self.line > self.limit {
                self.dropping = true;
                return Some(Err(LineTooLong { limit: self.limit }));
            }
            if found.is_none() {
                if self.dropping {
                    self.line = self.scanned;
                }
                return None;
            }
            let line = (self.line, self.scanned);
            self.scanned += 1;
            self.line = self.scanned;
            if std::mem::take(&mut self.dropping) {
                continue;
            }
            let (start, end) = self.content(line);
            if start < end {
                return self.buffer.get(start..end).map(Ok);
            }
        }
    }

    /// What stands behind the last LF, at the end of the pipe: a last line without its end.
    ///
    /// # Errors
    ///
    /// [`LineTooLong`] as for [`Reader::next_line`].
    pub fn finish(&mut self) -> Option<Result<&[u8], LineTooLong>> {
        self.push(b"\n");
        self.next_line()
    }

    /// The line without byte order mark and CR; empty where it is blank.
    fn content(&self, (start, end): (usize, usize)) -> (usize, usize) {
        let line = self.buffer.get(start..end).unwrap_or_default();
        let start = if line.starts_with(BYTE_ORDER_MARK) { start + BYTE_ORDER_MARK.len() } else { start };
        let end = if line.ends_with(b"\r") { end - 1 } else { end };
        let content = self.buffer.get(start..end).unwrap_or_default();
        if content.trim_ascii().is_empty() { (start, start) } else { (start, end) }
    }
}

/// The message as one line with its end: line breaks between its tokens become spaces.
pub fn to_line(message: &str) -> String {
    let mut out = String::with_capacity(message.len() + 1);
    out.push_str(&on_one_line(message));
    out.push('\n');
    out
}

/// The JSON text without line breaks; inside strings JSON has none, so nothing of the message changes.
pub fn on_one_line(message: &str) -> Cow<'_, str> {
    if message.contains(['\n', '\r']) { Cow::Owned(message.replace(['\n', '\r'], " ")) } else { Cow::Borrowed(message) }
}
