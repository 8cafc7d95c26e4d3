//! One text for one JSON value (RFC 8785), whatever spelling it came in.
//!
//! One thing differs from that RFC: an integer keeps its digits where a double would lose some. Of two members with one
//! name the last one counts, as in `JSON.parse`.

use super::double::{nearest, shortest};
use super::order::order;
use crate::protocol::json::{Kind, Raw};

/// How deep values are put in order; what lies deeper stays as it was written.
pub const MAX_DEPTH: usize = 256;

/// The largest integer that a double holds together with all its neighbours: 2^53 − 1.
const MAX_SAFE_DIGITS: &str = "9007199254740991";

/// The value's canonical text.
pub fn write(value: Raw<'_>) -> String {
    let mut out = String::with_capacity(value.text().len());
    push(&mut out, value, 0);
    out
}

fn push(out: &mut String, value: Raw<'_>, depth: usize) {
    match value.kind() {
        Kind::String => push_string(out, &units(value.text())),
        Kind::Number => push_number(out, value),
        Kind::Array | Kind::Object if depth >= MAX_DEPTH => out.push_str(value.as_text()),
        Kind::Array => {
            out.push('[');
            for (index, element) in value.elements().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                push(out, element, depth + 1);
            }
            out.push(']');
        }
        Kind::Object => push_object(out, value, depth),
        Kind::Null | Kind::Bool => out.push_str(value.as_text()),
    }
}

fn push_object(out: &mut String, value: Raw<'_>, depth: usize) {
    // In the order of UTF-16 units; of equal names the last one stays.
    let members: Vec<(Vec<u16>, Raw<'_>)> =
        value.members().map(|(key, member)| (units(key.quoted()), member)).collect();
    let name = |place: usize| members.get(place).map(|(name, _)| name);
    let mut places = order(members.len(), &|one, other| name(one) < name(other)).into_iter().peekable();
    let mut is_first = true;
    out.push('{');
    while let Some(place) = places.next() {
        let Some((own, member)) = members.get(place) else { continue };
        if places.peek().is_some_and(|next| name(*next) == Some(own)) {
            continue;
        }
        if !is_first {
            out.push(',');
        }
        is_first = false;
        push_string(out, own);
        out.push(':');
        push(out, *member, depth + 1);
    }
    out.push('}');
}

/// The UTF-16 units of a JSON string: unlike `str`, they can hold a lone surrogate.
fn units(quoted: &[u8]) -> Vec<u16> {
    let text = std::str::from_utf8(quoted).unwrap_or_default();
    let mut out = Vec::with_capacity(text.len());
    let mut characters = text.get(1..text.len().saturating_sub(1)).unwrap_or_default().chars();
    let mut buffer = [0; 2];
    while let Some(character) = characters.next() {
        if character != '\\' {
            out.extend_from_slice(character.encode_utf16(&mut buffer));
            continue;
        }
        out.push(match characters.next() {
            Some('b') => 0x08,
            Some('f') => 0x0C,
            Some('n') => 0x0A,
            Some('r') => 0x0D,
            Some('t') => 0x09,
            Some('u') => (0..4).fold(0, |unit, _| {
                let digit = characters.next().and_then(|digit| digit.to_digit(16)).unwrap_or_default();
                unit * 16 + digit as u16
            }),
            Some(other) => other as u16,
            None => 0,
        });
    }
    out
}

fn push_string(out: &mut String, units: &[u16]) {
    out.push('"');
    for decoded in char::decode_utf16(units.iter().copied()) {
        match decoded {
            Ok('"') => out.push_str("\\\""),
            Ok('\\') => out.push_str("\\\\"),
            Ok('\u{8}') => out.push_str("\\b"),
            Ok('\u{c}') => out.push_str("\\f"),
            Ok('\n') => out.push_str("\\n"),
            Ok('\r') => out.push_str("\\r"),
            Ok('\t') => out.push_str("\\t"),
            Ok(control) if control < ' ' => push_escape(out, control as u16),
            Ok(character) => out.push(character),
            Err(lone) => push_escape(out, lone.unpaired_surrogate()),
        }
    }
    out.push('"');
}

fn push_escape(out: &mut String, unit: u16) {
    out.push_str("\\u");
    for shift in [12, 8, 4, 0] {
        out.extend(char::from_digit(u32::from(unit >> shift) & 15, 16));
    }
}

fn push_number(out: &mut String, value: Raw<'_>) {
    let text = value.as_text();
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_integer = digits.bytes().all(|byte| byte.is_ascii_digit());
    let is_beyond = (digits.len(), digits) > (MAX_SAFE_DIGITS.len(), MAX_SAFE_DIGITS);
    if is_integer && is_beyond {
        out.push_str(text);
        return;
    }
    match nearest(digits) {
        Some(0.0) => out.push('0'),
        Some(number) => {
            if digits.len() < text.len() {
                out.push('-');
            }
            push_double(out, number);
        }
        // Beyond all doubles.
        None => out.push_str(text),
    }
}

/// A double above zero as ECMAScript writes it (`Number::toString`).
fn push_double(out: &mut String, number: f64) {
    // Where the point stands, counted from before the first digit.
    let (digits, point) = shortest(number);
    let count = digits.len() as i32;
    let zeros = |out: &mut String, count: i32| (0..count).for_each(|_| out.push('0'));
    if (count..=21).contains(&point) {
        out.push_str(&digits);
        zeros(out, point - count);
    } else if (1..=21).contains(&point) {
        let (whole, part) = digits.split_at_checked(point as usize).unwrap_or((&digits, ""));
        out.push_str(whole);
        out.push('.');
        out.push_str(part);
    } else if (-5..=0).contains(&point) {
        out.push_str("0.");
        zeros(out, -point);
        out.push_str(&digits);
    } else {
        let (first, rest) = digits.split_at_checked(1).unwrap_or((&digits, ""));
        out.push_str(first);
        if !rest.is_empty() {
            out.push('.');
            out.push_str(rest);
        }
        out.push_str(if point < 1 { "e-" } else { "e+" });
        out.push_str(&(point - 1).unsigned_abs().to_string());
    }
}
