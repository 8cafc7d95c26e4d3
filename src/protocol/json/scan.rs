//! The scanner: validates a value once, then steps over valid values.
//!
//! Neither recurses. Validation keeps one bit a level (object or array);
//! stepping over a value that is known to be valid needs only a counter.

use super::SyntaxError;
use super::block::{self, Block, escaped};
use super::ends::{Ends, LEVELS};

/// The first offset at or after `at` that is not JSON white space.
///
/// Mostly there is none: that is found out where it is asked.
#[inline(always)]
pub(super) fn skip_space(text: &[u8], at: usize) -> usize {
    if text.get(at).is_some_and(|byte| *byte <= b' ') { skip_spaces(text, at) } else { at }
}

#[inline(never)]
fn skip_spaces(text: &[u8], mut at: usize) -> usize {
    while let Some(b' ' | b'\n' | b'\r' | b'\t') = text.get(at) {
        at += 1;
    }
    at
}

/// Finds the start of the next member or element from `at`, which stands behind
/// an opening bracket or behind the previous item. `first` is the byte an item must begin with, 0 for any.
pub(super) fn next_item(text: &[u8], at: usize, first: u8) -> Option<usize> {
    let mut at = skip_space(text, at);
    if matches!(text.get(at), Some(b',')) {
        at = skip_space(text, at + 1);
    }
    match text.get(at)? {
        b'}' | b']' => None,
        byte if first != 0 && *byte != first => None,
        _ => Some(at),
    }
}

/// The end of the valid value that begins at `at`.
pub(super) fn skip_valid(text: &[u8], at: usize) -> usize {
    match text.get(at) {
        Some(b'"') => string_end(text, at),
        Some(b'{' | b'[') => {
            let mut depth = 0_usize;
            let mut at = at;
            while let Some(byte) = text.get(at) {
                match byte {
                    b'{' | b'[' => depth += 1,
                    b'}' | b']' => depth -= 1,
                    b'"' => {
                        at = string_end(text, at);
                        continue;
                    }
                    _ => {}
                }
                at += 1;
                if depth == 0 {
                    break;
                }
            }
            at
        }
        _ => scalar_end(text, at),
    }
}

fn scalar_end(text: &[u8], mut at: usize) -> usize {
    while let Some(byte) = text.get(at) {
        if matches!(byte, b',' | b'}' | b']' | b' ' | b'\n' | b'\r' | b'\t') {
            break;
        }
        at += 1;
    }
    at
}

fn string_end(text: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    let mut open = 0;
    while let Some(block) = Block::read(text, at) {
        let found = block.special(0);
        if open == 0 {
            // Most blocks have nothing, and most ends come before any backslash.
            let first = at + found.trailing_zeros() as usize;
            if found == 0 {
                at += block::LENGTH;
                continue;
            }
            if text.get(first) == Some(&b'"') {
                return first + 1;
            }
        }
        let ends = block.equal(b'"') & !escaped(block.equal(b'\\'), &mut open);
        if ends != 0 {
            return at + ends.trailing_zeros() as usize + 1;
        }
        at += block::LENGTH;
    }
    at -= open as usize;
    loop {
        match text.get(at) {
            Some(b'\\') => at += 2,
            Some(b'"') => return at + 1,
            Some(_) => at += 1,
            None => return text.len(),
        }
    }
}

/// Checks the value that begins at `at` and gives its end; keeps the ends of the long values in it.
pub(super) fn check_value(text: &[u8], at: usize, ends: &mut Ends) -> Result<usize, SyntaxError> {
    let end = check_syntax(text, at, ends);
    let seen = end.as_ref().map_or_else(|error| error.at, |end| *end);
    if ends.is_utf8 {
        return end;
    }
    // Strings have taken any bytes beyond ASCII: looked at together, they cost less.
    let seen = text.get(..seen).unwrap_or_default();
    let ascii = block::ascii_start(seen);
    match std::str::from_utf8(seen.get(ascii..).unwrap_or_default()) {
        Ok(_) => end,
        Err(error) => Err(SyntaxError { at: ascii + error.valid_up_to(), expected: "valid UTF-8" }),
    }
}

/// The end of the value that begins at `at`, if it is one apart from its encoding.
fn check_syntax(text: &[u8], at: usize, ends: &mut Ends) -> Result<usize, SyntaxError> {
    let mut nesting = Nesting::default();
    // Where the outer arrays and objects begin.
    let mut starts = [0; LEVELS + 1];
    let mut at = at;
    loop {
        let start = at;
        if let Some(outer) = starts.get_mut(nesting.depth) {
            *outer = start;
        }
        at = match text.get(at) {
            Some(b'{') => {
                at = skip_space(text, at + 1);
                if matches!(text.get(at), Some(b'}')) {
                    at + 1
                } else {
                    nesting.push(true);
                    at = check_key(text, at)?;
                    continue;
                }
            }
            Some(b'[') => {
                at = skip_space(text, at + 1);
                if matches!(text.get(at), Some(b']')) {
                    at + 1
                } else {
                    nesting.push(false);
                    continue;
                }
            }
            Some(b'"') => {
                at = check_string(text, at)?;
                if nesting.depth <= LEVELS {
                    ends.keep(text, start, at);
                }
                at
            }
            Some(b't') => check_word(text, at, b"true")?,
            Some(b'f') => check_word(text, at, b"false")?,
            Some(b'n') => check_word(text, at, b"null")?,
            Some(b'-' | b'0'..=b'9') => check_number(text, at)?,
            _ => return Err(SyntaxError { at, expected: "a JSON value" }),
        };
        // A value has ended: close what it closes, or go on to the next item.
        loop {
            let Some(in_object) = nesting.top() else { return Ok(at) };
            at = skip_space(text, at);
            match (text.get(at), in_object) {
                (Some(b','), true) => {
                    at = check_key(text, skip_space(text, at + 1))?;
                    break;
                }
                (Some(b','), false) => {
                    at = skip_space(text, at + 1);
                    break;
                }
                (Some(b'}'), true) | (Some(b']'), false) => {
                    nesting.pop();
                    at += 1;
                    if let Some(start) = starts.get(nesting.depth) {
                        ends.keep(text, *start, at);
                    }
                }
                (_, true) => return Err(SyntaxError { at, expected: "',' or '}'" }),
                (_, false) => return Err(SyntaxError { at, expected: "',' or ']'" }),
            }
        }
    }
}

/// Checks a member's name and colon; gives the start of its value.
fn check_key(text: &[u8], at: usize) -> Result<usize, SyntaxError> {
    if !matches!(text.get(at), Some(b'"')) {
        return Err(SyntaxError { at, expected: "a member name in double quotes" });
    }
    let at = skip_space(text, check_string(text, at)?);
    if !matches!(text.get(at), Some(b':')) {
        return Err(SyntaxError { at, expected: "':'" });
    }
    Ok(skip_space(text, at + 1))
}

fn check_word(text: &[u8], at: usize, word: &'static [u8]) -> Result<usize, SyntaxError> {
    if text.get(at..at + word.len()) == Some(word) {
        Ok(at + word.len())
    } else {
        Err(SyntaxError { at, expected: "a JSON value" })
    }
}

fn check_number(text: &[u8], start: usize) -> Result<usize, SyntaxError> {
    let mut at = start + usize::from(text.get(start) == Some(&b'-'));
    at = match text.get(at) {
        Some(b'0') => at + 1,
        _ => check_digits(text, at)?,
    };
    if text.get(at) == Some(&b'.') {
        at = check_digits(text, at + 1)?;
    }
    if let Some(b'e' | b'E') = text.get(at) {
        at += 1;
        if let Some(b'+' | b'-') = text.get(at) {
            at += 1;
        }
        at = check_digits(text, at)?;
    }
    Ok(at)
}

fn check_digits(text: &[u8], start: usize) -> Result<usize, SyntaxError> {
    let mut at = start;
    while let Some(b'0'..=b'9') = text.get(at) {
        at += 1;
    }
    if at == start { Err(SyntaxError { at, expected: "a digit" }) } else { Ok(at) }
}

fn check_string(text: &[u8], start: usize) -> Result<usize, SyntaxError> {
    const CONTROL: &str = "control characters to be escaped";
    let mut at = start + 1;
    let mut open = 0;
    while let Some(block) = Block::read(text, at) {
        let found = block.special(0x20);
        if open == 0 {
            let first = at + found.trailing_zeros() as usize;
            if found == 0 {
                at += block::LENGTH;
                continue;
            }
            if text.get(first) == Some(&b'"') {
                return Ok(first + 1);
            }
        }
        let (quotes, backslashes) = (block.equal(b'"'), block.equal(b'\\'));
        let escaped = escaped(backslashes, &mut open);
        let ends = quotes & !escaped;
        let inside = ends.wrapping_sub(1) & !ends;
        // Most escapes are of these three: only the others are looked at one by one.
        let usual = quotes | backslashes | block.equal(b'n');
        let mut odd = (block.below(0x20) | (escaped & !usual)) & inside;
        while odd != 0 {
            let place = at + odd.trailing_zeros() as usize;
            if escaped >> odd.trailing_zeros() & 1 == 0 {
                return Err(SyntaxError { at: place, expected: CONTROL });
            }
            check_escape(text, place - 1)?;
            odd &= odd - 1;
        }
        if ends != 0 {
            return Ok(at + ends.trailing_zeros() as usize + 1);
        }
        at += block::LENGTH;
    }
    at -= open as usize;
    loop {
        match text.get(at) {
            Some(b'"') => return Ok(at + 1),
            Some(b'\\') => at = check_escape(text, at)?,
            Some(0..0x20) => return Err(SyntaxError { at, expected: CONTROL }),
            Some(_) => at += 1,
            None => return Err(SyntaxError { at: text.len(), expected: "the end of the string" }),
        }
    }
}

fn check_escape(text: &[u8], at: usize) -> Result<usize, SyntaxError> {
    match text.get(at + 1) {
        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Ok(at + 2),
        Some(b'u') => match text.get(at + 2..at + 6) {
            Some(digits) if digits.iter().all(u8::is_ascii_hexdigit) => Ok(at + 6),
            _ => Err(SyntaxError { at, expected: "four hexadecimal digits after \\u" }),
        },
        _ => Err(SyntaxError { at, expected: "a known escape" }),
    }
}

/// A stack of bits: true for an object, false for an array. The outer 64 levels need no memory of their own.
#[derive(Default)]
struct Nesting {
    outer: u64,
    inner: Vec<u64>,
    depth: usize,
}

impl Nesting {
    fn word(&mut self) -> Option<&mut u64> {
        match (self.depth / 64).checked_sub(1) {
            None => Some(&mut self.outer),
            Some(word) => self.inner.get_mut(word),
        }
    }

    fn push(&mut self, object: bool) {
        if self.depth.is_multiple_of(64) && self.depth / 64 > self.inner.len() {
            self.inner.push(0);
        }
        let bit = self.depth % 64;
        if let Some(word) = self.word() {
            *word = (*word & !(1 << bit)) | (u64::from(object) << bit);
        }
        self.depth += 1;
    }

    fn pop(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    fn top(&self) -> Option<bool> {
        let last = self.depth.checked_sub(1)?;
        let word = match (last / 64).checked_sub(1) {
            None => self.outer,
            Some(word) => *self.inner.get(word)?,
        };
        Some(word >> (last % 64) & 1 == 1)
    }
}
