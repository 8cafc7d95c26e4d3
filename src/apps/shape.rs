//! Values fitted to a shape: what does not fit is left out and named.
//!
//! A View's reader may refuse a whole message for one member that it does not know or cannot
//! read, so a host sends only what fits. A shape is a table; this file interprets it.

use super::number;
use crate::protocol::json::{Kind, Raw, Writer};

/// What a value must be.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    /// Anything.
    Any,
    /// A string.
    Text,
    /// A number.
    Number,
    /// A number from 0 to 1.
    Share,
    /// `true` or `false`.
    Flag,
    /// A string or an integer.
    Id,
    /// One of these strings.
    OneOf(&'static [&'static str]),
    /// Bytes as base64.
    Base64,
    /// A date and a time with its zone, RFC 3339.
    DateTime,
    /// An array of these; elements that do not fit are left out.
    List(&'static Self),
    /// An object of any names with these values.
    Map(&'static Self),
    /// An object of these names only, with these values.
    Names(&'static [&'static str], &'static Self),
    /// An object with these members; others pass.
    Object(&'static [Member]),
    /// The first of these that fits.
    Either(&'static [Self]),
}

/// A member of an object.
#[derive(Clone, Copy, Debug)]
pub struct Member {
    /// Its name.
    pub name: &'static str,
    /// What it must be.
    pub shape: Shape,
    /// Whether the object is nothing without it.
    pub required: bool,
}

/// A member that may be missing.
pub const fn may(name: &'static str, shape: Shape) -> Member {
    Member { name, shape, required: false }
}

/// A member that must be there.
pub const fn must(name: &'static str, shape: Shape) -> Member {
    Member { name, shape, required: true }
}

/// The value as far as it fits, as JSON text; `None` if nothing of it does.
///
/// The paths of what was left out, beginning with `path`, are added to `dropped`.
pub fn fit(value: Raw<'_>, shape: &Shape, path: &str, dropped: &mut Vec<String>) -> Option<String> {
    let fits = match shape {
        Shape::Any => true,
        Shape::Text => value.kind() == Kind::String,
        Shape::Number => value.kind() == Kind::Number,
        Shape::Share => number::is_share(value),
        Shape::Flag => value.kind() == Kind::Bool,
        Shape::Id => value.kind() == Kind::String || value.as_i64().is_some(),
        Shape::OneOf(texts) => value.as_str().is_some_and(|text| texts.contains(&&*text)),
        Shape::Base64 => value.as_str().is_some_and(|text| is_base64(text.as_bytes())),
        Shape::DateTime => value.as_str().is_some_and(|text| is_date_time(text.as_bytes())),
        Shape::List(element) => return fit_list(value, element, path, dropped),
        Shape::Map(_) | Shape::Names(..) | Shape::Object(_) => return fit_object(value, shape, path, dropped),
        Shape::Either(shapes) => return fit_either(value, shapes, path, dropped),
    };
    if fits {
        return Some(value.as_text().to_owned());
    }
    dropped.push(path.to_owned());
    None
}

fn fit_list(value: Raw<'_>, element: &Shape, path: &str, dropped: &mut Vec<String>) -> Option<String> {
    if value.kind() != Kind::Array {
        dropped.push(path.to_owned());
        return None;
    }
    let mut out = Writer::new();
    out.open_array();
    for (at, one) in value.elements().enumerate() {
        let path = [path, "[", &at.to_string(), "]"].concat();
        if let Some(text) = fit(one, element, &path, dropped) {
            out.raw(&text);
        }
    }
    out.close_array();
    Some(out.finish())
}

fn fit_object(value: Raw<'_>, shape: &Shape, path: &str, dropped: &mut Vec<String>) -> Option<String> {
    if !value.is_object() {
        dropped.push(path.to_owned());
        return None;
    }
    let required = if let Shape::Object(members) = shape { *members } else { &[] };
    if required.iter().any(|member| member.required && value.get(member.name).is_none()) {
        dropped.push(path.to_owned());
        return None;
    }
    let mut out = Writer::new();
    out.open_object();
    for (key, one) in value.members() {
        let name = key.name();
        let own = match shape {
            Shape::Map(shape) => Some((*shape, false)),
            Shape::Names(names, shape) => names.contains(&&*name).then_some((*shape, false)),
            Shape::Object(members) => {
                let member = members.iter().find(|member| member.name == name);
                Some(member.map_or((&Shape::Any, false), |member| (&member.shape, member.required)))
            }
            _ => None,
        };
        let path = [path, ".", &name].concat();
        let Some((shape, required)) = own else {
            dropped.push(path);
            continue;
        };
        match fit(one, shape, &path, dropped) {
            Some(text) => {
                out.key(key).raw(&text);
            }
            None if required => return None,
            None => {}
        }
    }
    out.close_object();
    Some(out.finish())
}

fn fit_either(value: Raw<'_>, shapes: &[Shape], path: &str, dropped: &mut Vec<String>) -> Option<String> {
    for shape in shapes {
        let mut own = Vec::new();
        if let Some(text) = fit(value, shape, path, &mut own) {
            dropped.append(&mut own);
            return Some(text);
        }
    }
    dropped.push(path.to_owned());
    None
}

/// Whether `atob` takes it, spaces apart.
fn is_base64(text: &[u8]) -> bool {
    let padding = text.iter().rev().take_while(|byte| **byte == b'=').count();
    let body = text.get(..text.len() - padding).unwrap_or_default();
    let is_whole = if padding > 0 { padding <= 2 && text.len().is_multiple_of(4) } else { body.len() % 4 != 1 };
    is_whole && body.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/'))
}

/// `2026-01-26T12:00:00.5Z`: digits where digits belong, a month and a day that exist in some year.
fn is_date_time(text: &[u8]) -> bool {
    const PATTERN: &[u8] = b"dddd-dd-ddTdd:dd:dd";
    let Some((head, tail)) = text.split_at_checked(PATTERN.len()) else { return false };
    let digits = |text: &[u8], pattern: &[u8]| {
        text.len() == pattern.len()
            && text.iter().zip(pattern).all(|(byte, wanted)| match wanted {
                b'd' => byte.is_ascii_digit(),
                _ => byte == wanted,
            })
    };
    let two =
        |at: usize| text.get(at..at + 2).map(|two| two.iter().fold(0, |sum, digit| sum * 10 + u32::from(digit - b'0')));
    if !digits(head, PATTERN) || !two(5).is_some_and(|month| (1..=12).contains(&month)) {
        return false;
    }
    let in_range = two(8).is_some_and(|day| (1..=31).contains(&day))
        && two(11).is_some_and(|hour| hour < 24)
        && two(14).is_some_and(|minute| minute < 60)
        && two(17).is_some_and(|second| second < 60);
    let zone = match tail.strip_prefix(b".") {
        Some(rest) => {
            let count = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
            if count == 0 {
                return false;
            }
            rest.get(count..).unwrap_or_default()
        }
        None => tail,
    };
    in_range && (zone == b"Z" || digits(zone, b"+dd:dd") || digits(zone, b"-dd:dd"))
}

#[cfg(test)]
mod tests {
    use super::{is_base64, is_date_time};

    #[test]
    fn base64_is_what_atob_takes() {
        for (text, expected) in [
            ("", true),
            ("QQ==", true),
            ("QQ", true),
            ("QUE=", true),
            ("Q", false),
            ("!!", false),
            ("QQ=", false),
            ("====", false),
        ] {
            assert_eq!(is_base64(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn a_time_has_a_date_and_a_zone() {
        for (text, expected) in [
            ("2026-01-26T12:00:00Z", true),
            ("2026-01-26T12:00:00.123+02:00", true),
            ("2026-01-26T12:00:00-05:30", true),
            ("2026-13-26T12:00:00Z", false),
            ("2026-01-26T24:00:00Z", false),
            ("2026-01-26T12:00:00", false),
            ("2026-01-26T12:00:00.Z", false),
            ("2026-01-26", false),
            ("yesterday", false),
            ("", false),
        ] {
            assert_eq!(is_date_time(text.as_bytes()), expected, "{text}");
        }
    }
}
