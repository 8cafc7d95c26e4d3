//! The long text among an object's members, for a reader that takes it as it is sooner than as JSON.

use super::block::{self, Block};
use super::{Ends, Kind, Raw, string::unquote_bytes};
use std::borrow::Cow;

/// Strings of fewer bytes are read as fast as JSON.
const LONG: usize = 4096;

/// Of longer strings the copies would fill a small memory.
const LONGEST: usize = 4 << 20;

/// An object without its longest text.
#[derive(Debug)]
pub struct Split<'a> {
    /// The object's JSON up to that text.
    pub before: &'a str,
    /// The object's JSON behind it. With `""` in between it is JSON again.
    pub after: &'a str,
    /// The name of the member.
    pub name: Cow<'a, str>,
    /// The text, in UTF-8.
    pub text: Vec<u8>,
}

/// Takes the longest text out of an object; nothing where that is not worth it.
///
/// Assigned to the member of its name, the text gives the object as `JSON.parse` has it: of members of one name the last
/// one counts, and a text with a lone surrogate, which has no UTF-8, stays JSON. `replaced` says that lone surrogates may
/// have become U+FFFD already: then a text with one stays JSON too.
pub fn split<'a>(object: Raw<'a>, ends: &Ends, replaced: bool) -> Option<Split<'a>> {
    if object.text().len() < LONG {
        return None;
    }
    let mut longest: Option<(Cow<'a, [u8]>, Raw<'a>)> = None;
    let mut length = LONG;
    for (key, value) in object.members_with(ends) {
        let name = key.bytes();
        if longest.as_ref().is_some_and(|(other, _)| *other == name) {
            longest = None;
            length = LONG;
        }
        if value.kind() == Kind::String && (length..=LONGEST).contains(&value.text().len()) {
            length = value.text().len();
            longest = Some((name, value));
        }
    }
    let (name, value) = longest?;
    let (text, exact) = unquote_bytes(value.text());
    if !exact || (replaced && has_replacement(&text)) {
        return None;
    }
    let (start, end) = value.span_in(object.text());
    Some(Split {
        before: std::str::from_utf8(object.text().get(..start)?).ok()?,
        after: std::str::from_utf8(object.text().get(end..)?).ok()?,
        name: match name {
            Cow::Borrowed(name) => Cow::Borrowed(std::str::from_utf8(name).ok()?),
            Cow::Owned(name) => Cow::Owned(String::from_utf8(name).ok()?),
        },
        text,
    })
}

/// Whether U+FFFD is in a UTF-8 text: what an encoder puts in the place of a lone surrogate.
pub fn has_replacement(text: &[u8]) -> bool {
    let mut at = 0;
    while let Some(block) = Block::read(text, at) {
        let mut found = block.equal(0xEF);
        while found != 0 {
            if is_replacement(text, at + found.trailing_zeros() as usize) {
                return true;
            }
            found &= found - 1;
        }
        at += block::LENGTH;
    }
    (at..text.len()).any(|at| is_replacement(text, at))
}

fn is_replacement(text: &[u8], at: usize) -> bool {
    text.get(at..).is_some_and(|rest| rest.starts_with("\u{FFFD}".as_bytes()))
}
