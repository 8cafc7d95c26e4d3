//! The sets of characters in a pattern: classes and escapes.

use super::equal::sort;
use super::regex_parse::{END, Parser};
use super::regex_unicode::category;

const DIGITS: &[(u32, u32)] = &[(0x30, 0x39)];
const WORDS: &[(u32, u32)] = &[(0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)];
const LINE_ENDS: &[(u32, u32)] = &[(0x0A, 0x0A), (0x0D, 0x0D), (0x2028, 0x2029)];
const SPACES: &[(u32, u32)] = &[
    (0x09, 0x0D),
    (0x20, 0x20),
    (0xA0, 0xA0),
    (0x1680, 0x1680),
    (0x2000, 0x200A),
    (0x2028, 0x2029),
    (0x202F, 0x202F),
    (0x205F, 0x205F),
    (0x3000, 0x3000),
    (0xFEFF, 0xFEFF),
];

const LAST: u32 = 0x10_FFFF;

/// What an escape or a plain character means.
pub(super) enum Atom {
    Char(u32),
    Set(Vec<(u32, u32)>),
    Boundary(bool),
}

/// What `.` takes: everything but the ends of lines.
pub(super) fn any() -> Vec<(u32, u32)> {
    invert(LINE_ENDS)
}

impl Parser {
    /// `[…]`, behind the bracket.
    pub(super) fn class(&mut self) {
        let negated = self.eat("^");
        let mut ranges = Vec::new();
        while !self.eat("]") {
            if self.peek() == END {
                return self.fail("a class is not closed");
            }
            let first = self.class_atom();
            let hyphen = self.at;
            if !self.eat("-") || self.peek() == u32::from(b']') {
                self.at = hyphen;
                extend(&mut ranges, first);
                continue;
            }
            match (first, self.class_atom()) {
                (Atom::Char(start), Atom::Char(end)) => {
                    if start > end {
                        self.fail("a range in a class is out of order");
                    }
                    ranges.push((start, end));
                }
                // `[a-\d]`: the hyphen is a character where one side is a set.
                (first, second) => {
                    extend(&mut ranges, first);
                    extend(&mut ranges, Atom::Char(0x2D));
                    extend(&mut ranges, second);
                }
            }
        }
        normalise(&mut ranges);
        self.emit_set(if negated { invert(&ranges) } else { ranges });
    }

    fn class_atom(&mut self) -> Atom {
        if self.eat("\\") { self.escape(true) } else { Atom::Char(self.next()) }
    }

    /// An escape, behind the backslash.
    pub(super) fn escape(&mut self, in_class: bool) -> Atom {
        let character = self.next();
        let (set, negated) = match char::from_u32(character).unwrap_or_default() {
            'd' => (DIGITS, false),
            'D' => (DIGITS, true),
            'w' => (WORDS, false),
            'W' => (WORDS, true),
            's' => (SPACES, false),
            'S' => (SPACES, true),
            'b' if in_class => return Atom::Char(8),
            'b' => return Atom::Boundary(true),
            'B' if !in_class => return Atom::Boundary(false),
            't' => return Atom::Char(9),
            'n' => return Atom::Char(10),
            'v' => return Atom::Char(11),
            'f' => return Atom::Char(12),
            'r' => return Atom::Char(13),
            '0' if !(0x30..0x3A).contains(&self.peek()) => return Atom::Char(0),
            'c' => {
                let letter = self.next();
                if !char::from_u32(letter).is_some_and(|letter| letter.is_ascii_alphabetic()) {
                    self.fail("\\c without a letter");
                }
                return Atom::Char(letter % 32);
            }
            'x' => return Atom::Char(self.hex(2)),
            'u' => return Atom::Char(self.unicode()),
            'p' | 'P' => {
                let name = if self.eat("{") { self.name(b'}') } else { String::new() };
                let name = name.strip_prefix("General_Category=").or_else(|| name.strip_prefix("gc=")).unwrap_or(&name);
                let Some(ranges) = category(name) else {
                    self.fail("this \\p{…} is not supported");
                    return Atom::Char(0);
                };
                return Atom::Set(if character == u32::from(b'P') { invert(&ranges) } else { ranges });
            }
            '1'..='9' | 'k' => {
                self.fail("back references are not supported");
                return Atom::Char(0);
            }
            other => {
                if character == END || other.is_ascii_alphanumeric() {
                    self.fail("an escape that ECMA-262 does not have");
                }
                return Atom::Char(character);
            }
        };
        Atom::Set(if negated { invert(set) } else { set.to_vec() })
    }

    fn hex(&mut self, digits: usize) -> u32 {
        let mut value = 0_u32;
        for _ in 0..digits {
            let Some(digit) = char::from_u32(self.next()).and_then(|digit| digit.to_digit(16)) else {
                self.fail("hexadecimal digits expected in an escape");
                break;
            };
            value = value << 4 | digit;
        }
        value
    }

    /// `\u0041`, `\u{1F432}` or a pair of surrogates, behind the `u`.
    fn unicode(&mut self) -> u32 {
        if self.eat("{") {
            let mut value = 0_u32;
            while !self.eat("}") {
                value = value.saturating_mul(16).saturating_add(self.hex(1));
                if value > LAST {
                    self.fail("a code point beyond U+10FFFF");
                }
                if self.error.is_some() {
                    break;
                }
            }
            return value;
        }
        let high = self.hex(4);
        let behind = self.at;
        if let 0xD800..0xDC00 = high
            && self.eat("\\u")
        {
            if let low @ 0xDC00..0xE000 = self.hex(4) {
                return 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
            }
            self.at = behind;
        }
        high
    }
}

fn extend(ranges: &mut Vec<(u32, u32)>, atom: Atom) {
    match atom {
        Atom::Char(character) => ranges.push((character, character)),
        Atom::Set(set) => ranges.extend(set),
        Atom::Boundary(_) => {}
    }
}

/// Sorts ranges and joins those that touch.
#[inline(never)]
fn normalise(ranges: &mut Vec<(u32, u32)>) {
    sort(ranges, |left, right| left.0 < right.0);
    ranges.dedup_by(|later, earlier| {
        let joined = later.0 <= earlier.1.saturating_add(1);
        if joined {
            earlier.1 = earlier.1.max(later.1);
        }
        joined
    });
}

/// All characters outside normalised ranges.
#[inline(never)]
fn invert(ranges: &[(u32, u32)]) -> Vec<(u32, u32)> {
    let mut out = Vec::new();
    let mut next = 0;
    for (start, end) in ranges {
        if *start > next {
            out.push((next, start - 1));
        }
        next = end + 1;
    }
    if next <= LAST {
        out.push((next, LAST));
    }
    out
}
