//! Strings: quoting and unquoting.

use std::borrow::Cow;

/// The value of a valid JSON string with its quotes; a lone surrogate becomes U+FFFD.
pub fn unquote(quoted: &[u8]) -> Cow<'_, str> {
    let inner = quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default();
    if !inner.contains(&b'\\') {
        return Cow::Borrowed(std::str::from_utf8(inner).unwrap_or_default());
    }
    let mut out = Vec::with_capacity(inner.len());
    let mut at = 0;
    while let Some(byte) = inner.get(at) {
        if *byte != b'\\' {
            out.push(*byte);
            at += 1;
            continue;
        }
        let escape = inner.get(at + 1).copied().unwrap_or_default();
        at += 2;
        match escape {
            b'b' => out.push(8),
            b'f' => out.push(12),
            b'n' => out.push(b'\n'),
            b'r' => out.push(b'\r'),
            b't' => out.push(b'\t'),
            b'u' => {
                let (character, used) = unicode_escape(inner.get(at..).unwrap_or_default());
                out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                at += used;
            }
            other => out.push(other),
        }
    }
    Cow::Owned(String::from_utf8(out).unwrap_or_default())
}

/// The character of the four digits behind `\u`, and how many bytes it took; a pair of surrogates is one character.
fn unicode_escape(rest: &[u8]) -> (char, usize) {
    let unit = hex(rest);
    if let 0xD800..0xDC00 = unit
        && rest.get(4..6) == Some(b"\\u")
        && let low @ 0xDC00..0xE000 = hex(rest.get(6..).unwrap_or_default())
    {
        let code = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
        return (char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER), 10);
    }
    (char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER), 4)
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
    for (at, byte) in value.bytes().enumerate() {
        if !matches!(byte, b'"' | b'\\' | 0..0x20) {
            continue;
        }
        out.push_str(value.get(start..at).unwrap_or_default());
        start = at + 1;
        match byte {
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            control => {
                out.push_str("\\u00");
                for digit in [control >> 4, control & 15] {
                    out.push(char::from(if digit < 10 { b'0' + digit } else { b'a' - 10 + digit }));
                }
            }
        }
    }
    out.push_str(value.get(start..).unwrap_or_default());
    out.push('"');
}
