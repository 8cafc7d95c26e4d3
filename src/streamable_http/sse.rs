//! Event streams: a parser for any split of the bytes, and a writer.
//!
//! Follows "Parsing an event stream" and "Interpreting an event stream" of the HTML standard
//! (§9.2.5, §9.2.6).

use super::line_end::line_end;
use std::borrow::Cow;

/// The default for the size of one event, in bytes.
///
/// An event is one message; 16 MiB hold a result with a large image or document in base64. Without
/// a limit a peer that never ends an event would fill the memory of the page.
pub const MAX_EVENT_BYTES: usize = 16 * 1024 * 1024;

/// A buffer beyond this many bytes is let go once it is empty: wasm memory never shrinks.
const KEPT_BYTES: usize = 64 * 1024;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// One event of a stream.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Event<'a> {
    /// Its name; `message` where the stream names none.
    pub name: &'a str,
    /// Its data, lines joined by LF, as it came: not checked to be UTF-8. May be empty.
    pub data: &'a [u8],
}

impl<'a> Event<'a> {
    /// The data as text; what is not UTF-8 becomes U+FFFD.
    pub fn text(self) -> Cow<'a, str> {
        // To look for what is wrong costs more than to see that nothing is.
        std::str::from_utf8(self.data).map_or_else(|_| String::from_utf8_lossy(self.data), Cow::Borrowed)
    }
}

/// An event was larger than the parser's limit and has been dropped; the stream goes on behind it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct EventTooLarge {
    /// The limit in bytes.
    pub limit: usize,
}

impl std::fmt::Display for EventTooLarge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an event of the stream is larger than ")?;
        f.write_str(&self.limit.to_string())?;
        f.write_str(" bytes")
    }
}

impl std::error::Error for EventTooLarge {}

/// Takes the bytes of an event stream in pieces of any size and gives its events.
///
/// Every byte is looked at once; an event whose data is one line is handed out where it lies.
#[derive(Clone, Debug)]
pub struct Parser {
    limit: usize,
    /// The data of the open event, then the bytes that are not yet interpreted.
    buffer: Vec<u8>,
    /// Where the data of the open event lies in `buffer`; `None` before its first `data` field.
    data: Option<(usize, usize)>,
    /// Where the line that is not yet complete begins.
    line: usize,
    /// How far that line has been searched for its end.
    scanned: usize,
    /// What the caller has been given and is done with: forgotten at the next call.
    handed_out: bool,
    /// A byte order mark may still come.
    at_start: bool,
    /// The last line ended in CR: a following LF belongs to it.
    after_cr: bool,
    /// The open event is too large: its lines are dropped up to its end.
    dropping: bool,
    name: String,
    /// The open event's id, where `has_id`.
    id: String,
    has_id: bool,
    last_event_id: Option<String>,
    retry: Option<u64>,
}

impl Default for Parser {
    fn default() -> Self {
        Self::new()
    }
}

impl Parser {
    /// A parser at the start of a stream, with the default limit.
    pub fn new() -> Self {
        Self::with_limit(MAX_EVENT_BYTES)
    }

    /// A parser that drops events of more than `max_event_bytes` bytes.
    pub fn with_limit(max_event_bytes: usize) -> Self {
        Self {
            limit: max_event_bytes,
            buffer: Vec::new(),
            data: None,
            line: 0,
            scanned: 0,
            handed_out: false,
            at_start: true,
            after_cr: false,
            dropping: false,
            name: String::new(),
            id: String::new(),
            has_id: false,
            last_event_id: None,
            retry: None,
        }
    }

    /// The id of the last complete event that had one: what resumption sends as `Last-Event-ID`.
    pub fn last_event_id(&self) -> Option<&str> {
        self.last_event_id.as_deref()
    }

    /// The last reconnection time that the stream gave, in milliseconds.
    pub fn retry(&self) -> Option<u64> {
        self.retry
    }

    /// Takes the next bytes of the stream. Take the events out before more bytes go in, or they pile up.
    pub fn push(&mut self, bytes: &[u8]) {
        self.forget_handed_out();
        // What is interpreted leaves; the open event's data and the open line move to the front once.
        let (start, end) = self.data.unwrap_or((self.line, self.line));
        if end < self.line {
            self.buffer.drain(end..self.line);
            self.scanned -= self.line - end;
            self.line = end;
        }
        if start > 0 {
            self.buffer.drain(..start);
            self.line -= start;
            self.scanned -= start;
            self.data = self.data.map(|(start, end)| (0, end - start));
        }
        if self.buffer.is_empty() && self.buffer.capacity() > KEPT_BYTES {
            self.buffer = Vec::new();
        }
        self.buffer.extend_from_slice(bytes);
    }

    /// The next complete event; `None` when more bytes are needed.
    ///
    /// # Errors
    ///
    /// [`EventTooLarge`], once for each such event, as soon as it shows.
    pub fn next_event(&mut self) -> Option<Result<Event<'_>, EventTooLarge>> {
        self.forget_handed_out();
        if self.at_start && !self.skip_byte_order_mark() {
            return None;
        }
        loop {
            if self.after_cr {
                match self.buffer.get(self.line) {
                    Some(b'\n') => self.start_line(self.line + 1),
                    Some(_) => {}
                    None => return None,
                }
                self.after_cr = false;
            }
            let end = line_end(&self.buffer, self.scanned);
            self.scanned = end;
            if self.exceeds_limit(end) {
                self.dropping = true;
                self.data = None;
                return Some(Err(EventTooLarge { limit: self.limit }));
            }
            let Some(byte) = self.buffer.get(end) else {
                if self.dropping {
                    // Nothing of the line is needed but whether it is empty.
                    self.line = self.line.max(end.saturating_sub(1));
                }
                return None;
            };
            self.after_cr = *byte == b'\r';
            let line = (self.line, end);
            self.start_line(end + 1);
            if line.0 < line.1 {
                self.interpret(line);
            } else if let Some((start, end)) = self.dispatch() {
                self.data = Some((start, end));
                self.handed_out = true;
                let name = if self.name.is_empty() { "message" } else { &self.name };
                return Some(Ok(Event { name, data: self.buffer.get(start..end).unwrap_or_default() }));
            }
        }
    }

    fn start_line(&mut self, at: usize) {
        self.line = at;
        self.scanned = at;
    }

    fn forget_handed_out(&mut self) {
        if self.handed_out {
            self.handed_out = false;
            self.data = None;
            self.name.clear();
        }
    }

    /// Whether the open event with its open line, which ends at `end` or later, is over the limit.
    fn exceeds_limit(&self, end: usize) -> bool {
        let data = self.data.map_or(0, |(start, end)| end - start);
        !self.dropping && data + (end - self.line) > self.limit
    }

    /// Skips the mark at the start of the stream; false while it is not yet known whether there is one.
    fn skip_byte_order_mark(&mut self) -> bool {
        if self.buffer.starts_with(BYTE_ORDER_MARK) {
            self.start_line(BYTE_ORDER_MARK.len());
        } else if BYTE_ORDER_MARK.starts_with(&self.buffer) {
            return false;
        }
        self.at_start = false;
        true
    }

    /// Ends the open event; gives where its data lies if it had any.
    fn dispatch(&mut self) -> Option<(usize, usize)> {
        if std::mem::take(&mut self.has_id) {
            // Each takes the other's memory.
            std::mem::swap(&mut self.id, self.last_event_id.get_or_insert_default());
        }
        self.dropping = false;
        let data = self.data.take();
        if data.is_none() {
            self.name.clear();
        }
        data
    }

    /// Interprets one line that is not empty.
    fn interpret(&mut self, (start, end): (usize, usize)) {
        if self.dropping {
            return;
        }
        let line = self.buffer.get(start..end).unwrap_or_default();
        let colon = line.iter().take(LONGEST_FIELD + 1).position(|byte| *byte == b':');
        let field = line.get(..colon.unwrap_or(line.len())).unwrap_or_default();
        let mut value = colon.map_or(end, |colon| start + colon + 1);
        if colon.is_some() && self.buffer.get(value) == Some(&b' ') {
            value += 1;
        }
        match field {
            b"data" => self.append_data(value, end),
            b"event" => {
                self.name.clear();
                let text = String::from_utf8_lossy(self.buffer.get(value..end).unwrap_or_default());
                self.name.push_str(&text);
            }
            b"id" => {
                let text = self.buffer.get(value..end).unwrap_or_default();
                if !text.contains(&0) {
                    self.id.clear();
                    self.id.push_str(&String::from_utf8_lossy(text));
                    self.has_id = true;
                }
            }
            b"retry" => {
                let text = self.buffer.get(value..end).unwrap_or_default();
                if !text.is_empty() && text.iter().all(u8::is_ascii_digit) {
                    let add = |time: u64, digit: &u8| time.saturating_mul(10).saturating_add(u64::from(digit - b'0'));
                    self.retry = Some(text.iter().fold(0, add));
                }
            }
            _ => {}
        }
    }

    /// Adds a line of data: the first stays where it is, the next ones move up behind it.
    fn append_data(&mut self, start: usize, end: usize) {
        let Some((data_start, data_end)) = self.data else {
            self.data = Some((start, end));
            return;
        };
        // The name of the field stood between the two, so there is room for the LF.
        if let Some(byte) = self.buffer.get_mut(data_end) {
            *byte = b'\n';
        }
        self.buffer.copy_within(start..end, data_end + 1);
        self.data = Some((data_start, data_end + 1 + (end - start)));
    }
}

/// The length of the longest field name that means anything: `event`, `retry`.
const LONGEST_FIELD: usize = 5;

/// What precedes the data of an event that is one message; its text must have no line breaks.
pub const MESSAGE_HEAD: &str = "event: message\ndata: ";
/// What follows it.
pub const MESSAGE_TAIL: &str = "\n\n";
/// A comment, which keeps a quiet connection open.
pub const KEEP_ALIVE: &str = ":\n\n";

/// Appends an event; line breaks in `data` make several `data` lines.
///
/// A line break in `id` or `name` would be another field: they are cut there.
pub fn write_event(out: &mut String, name: Option<&str>, id: Option<&str>, data: &str) {
    for (field, value) in [("event: ", name), ("id: ", id)] {
        if let Some(value) = value {
            out.push_str(field);
            out.push_str(value.split(['\n', '\r']).next().unwrap_or_default());
            out.push('\n');
        }
    }
    let mut rest = data;
    loop {
        let at = line_end(rest.as_bytes(), 0);
        let (line, tail) = rest.split_at_checked(at).unwrap_or((rest, ""));
        out.push_str("data: ");
        out.push_str(line);
        out.push('\n');
        if tail.is_empty() {
            break;
        }
        rest = tail.strip_prefix("\r\n").or_else(|| tail.get(1..)).unwrap_or_default();
    }
    out.push('\n');
}
