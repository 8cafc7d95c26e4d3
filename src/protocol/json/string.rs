//! Strings: quoting and unquoting.

use super::block::next_special;
use std::borrow::Cow;

/// The value of a valid JSON string with its quotes; a lone surrogate becomes U+FFFD.
pub fn unquote(quoted: &[u8]) -> Cow<'_, str> {
    let inner = inner(quoted);
    if !inner.contains(&b'\\') {
        return Cow::Borrowed(std::str::from_utf8(inner).unwrap_or_default());
    }
    Cow::Owned(String::from_utf8(unquote_bytes(quoted).0).unwrap_or_default())
}

fn inner(quoted: &[u8]) -> &[u8] {
    quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default()
}

/// The value of a valid JSON string with its quotes, and whether it is exact: a lone surrogate becomes U+FFFD.
pub(super) fn unquote_bytes(quoted: &[u8]) -> (Vec<u8>, bool) {
    let inner = inner(quoted);
    let mut out = Vec::with_capacity(inner.len());
    let mut exact = true;
    let mut at = 0;
    loop {
        // Only a backslash: quotes stand behind one.
        let end = next_special(inner, at, 0);
        out.extend_from_slice(inner.get(at..end).unwrap_or_default());
        let Some(escape) = inner.get(end + 1) else { return (out, exact) };
        at = end + 2;
        match escape {
            b'b' => out.push(8),
            b'f' => out.push(12),
            b'n' => out.push(b'\n'),
            b'r' => out.push(b'\r'),
            b't' => out.push(b'\t'),
            b'u' => {
                let (character, used) = unicode_escape(inner.get(at..).unwrap_or_default());
                exact &= character.is_some();
                let character = character.unwrap_or(char::REPLACEMENT_CHARACTER);
                out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                at += used;
            }
            other => out.push(*other),
        }
    }
}

/// The character of the four digits behind `\u`, and how many bytes it took; a pair of surrogates is one character, a
/// lone one none.
fn unicode_escape(rest: &[u8]) -> (Option<char>, usize) {
    let unit = hex(rest);
    if let 0xD800..0xDC00 = unit
        && rest.get(4..6) == Some(b"\\u")
        && let low @ 0xDC00..0xE000 = hex(rest.get(6..).unwrap_or_default())
    {
        let code = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
        return (char::from_u32(code), 10);
    }
    (char::from_u32(unit), 4)
}

fn hex(digits: &[u8]) -> u32 {
    let digits = digits.get(..4).unwrap_or_default();
    digits.iter().fold(0, |value, digit| value * 16 + (*digit as char).to_digit(16).unwrap_or(0))
}

/// The JSON string of `value`, with quotes.
pub fn quote(value: &str) -> String {
    let mut out = String::with_capacity(value.len() + 2);
    push_quoted(&mut out, value);
    out
}

pub(super) fn push_quoted(out: &mut String, value: &str) {
    out.push('"');
    let mut start = 0;
    while let end = next_special(value.as_bytes(), start, 0x20)
        && let Some(byte) = value.as_bytes().get(end)
    {
        out.push_str(value.get(start..end).unwrap_or_default());
        let (escape, length) = escape(*byte);
        out.push_str(std::str::from_utf8(escape.get(..length).unwrap_or_default()).unwrap_or_default());
        start = end + 1;
    }
    out.push_str(value.get(start..).unwrap_or_default());
    out.push('"');
}

/// Appends the JSON string of a UTF-8 text, with quotes.
pub fn quote_onto(out: &mut Vec<u8>, value: &[u8]) {
    out.reserve(value.len() + value.len() / 8);
    out.push(b'"');
    let mut start = 0;
    while let end = next_special(value, start, 0x20)
        && let Some(byte) = value.get(end)
    {
        out.extend_from_slice(value.get(start..end).unwrap_or_default());
        let (escape, length) = escape(*byte);
        out.extend_from_slice(escape.get(..length).unwrap_or_default());
        start = end + 1;
    }
    out.extend_from_slice(value.get(start..).unwrap_or_default());
    out.push(b'"');
}

/// The escape of a byte that needs one, and its length.
fn escape(byte: u8) -> ([u8; 6], usize) {
    let short = match byte {
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        8 => b'b',
        12 => b'f',
        0..0x20 => b'u',
        _ => byte,
    };
    let low = byte & 15;
    let digit = if low < 10 { b'0' + low } else { b'a' - 10 + low };
    ([b'\\', short, b'0', b'0', b'0' + (byte >> 4), digit], if short == b'u' { 6 } else { 2 })
}
