//! Patterns, read into instructions.

use super::equal::sort;
use super::regex::{Class, Instruction, Program, Regex};
use super::regex_unicode::category;

/// How deep groups may nest: the reader goes one call deeper with each.
const MAX_GROUP_DEPTH: usize = 50;

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
enum Atom {
    Char(u32),
    Set(Vec<(u32, u32)>),
    Boundary(bool),
}

struct Parser<'p> {
    rest: &'p str,
    code: Vec<Instruction>,
    classes: Vec<Class>,
    room: usize,
    depth: usize,
}

pub(super) fn parse(pattern: &str, room: usize) -> Result<Regex, &'static str> {
    let mut parser = Parser { rest: pattern, code: Vec::new(), classes: Vec::new(), room, depth: 0 };
    let mut programs = Vec::new();
    // Behind a leading `^` a lookahead is one more pattern that the same text must match, or must not.
    if let Some(behind) = pattern.strip_prefix('^') {
        let mut rest = behind;
        while let Some(body) = rest.strip_prefix("(?=").or_else(|| rest.strip_prefix("(?!")) {
            let refuses = rest.starts_with("(?!");
            parser.rest = body;
            parser.emit(Instruction::Start)?;
            parser.alternatives()?;
            parser.close_group()?;
            parser.emit(Instruction::Match)?;
            programs.push(Program { code: std::mem::take(&mut parser.code), refuses });
            rest = parser.rest;
        }
        if !programs.is_empty() {
            parser.emit(Instruction::Start)?;
            parser.sequence()?;
            if parser.rest.starts_with('|') {
                return Err("a lookahead in one of several alternatives is not supported");
            }
        }
    }
    if programs.is_empty() {
        parser.alternatives()?;
    }
    if !parser.rest.is_empty() {
        return Err("a ')' too many");
    }
    parser.emit(Instruction::Match)?;
    programs.push(Program { code: parser.code, refuses: false });
    Ok(Regex { programs, classes: parser.classes })
}

impl Parser<'_> {
    fn take(&mut self, wanted: char) -> bool {
        let taken = self.rest.strip_prefix(wanted);
        self.rest = taken.unwrap_or(self.rest);
        taken.is_some()
    }

    fn next(&mut self) -> Option<char> {
        let mut characters = self.rest.chars();
        let first = characters.next();
        self.rest = characters.as_str();
        first
    }

    fn emit(&mut self, instruction: Instruction) -> Result<(), &'static str> {
        self.room = self.room.checked_sub(1).ok_or("too large (MAX_PATTERN_SIZE)")?;
        self.code.push(instruction);
        Ok(())
    }

    fn emit_set(&mut self, ranges: Vec<(u32, u32)>) -> Result<(), &'static str> {
        self.room = self.room.checked_sub(ranges.len() / 8).ok_or("too large (MAX_PATTERN_SIZE)")?;
        let mut class = Class { ascii: [0; 2], ranges };
        for character in 0..128_u32 {
            if class.ranges.iter().any(|(start, end)| (*start..=*end).contains(&character))
                && let Some(word) = class.ascii.get_mut((character >> 6) as usize)
            {
                *word |= 1 << (character & 63);
            }
        }
        self.classes.push(class);
        self.emit(Instruction::Class(self.classes.len() as u32 - 1))
    }

    fn close_group(&mut self) -> Result<(), &'static str> {
        if self.take(')') { Ok(()) } else { Err("a group is not closed") }
    }

    /// `a|b|c`
    fn alternatives(&mut self) -> Result<(), &'static str> {
        self.depth += 1;
        if self.depth > MAX_GROUP_DEPTH {
            return Err("groups are nested too deeply (MAX_GROUP_DEPTH)");
        }
        let mut ends = Vec::new();
        loop {
            let start = self.code.len();
            self.sequence()?;
            if !self.take('|') {
                break;
            }
            // The first way is this alternative, the second what comes behind its jump to the end.
            self.emit(Instruction::Jump(0))?;
            ends.push(self.code.len() - 1);
            self.emit(Instruction::Jump(0))?;
            let length = self.code.len() - start;
            self.code.get_mut(start..).unwrap_or_default().rotate_right(1);
            if let Some(first) = self.code.get_mut(start) {
                *first = Instruction::Split(length as i32);
            }
            if let Some(end) = ends.last_mut() {
                *end += 1;
            }
        }
        let length = self.code.len();
        for end in ends {
            if let Some(jump) = self.code.get_mut(end) {
                *jump = Instruction::Jump((length - end) as i32);
            }
        }
        self.depth -= 1;
        Ok(())
    }

    /// Everything up to `|`, `)` or the end.
    fn sequence(&mut self) -> Result<(), &'static str> {
        while !self.rest.is_empty() && !self.rest.starts_with(['|', ')']) {
            let start = self.code.len();
            let repeatable = self.term()?;
            let Some((least, most)) = self.quantifier()? else { continue };
            if !repeatable {
                return Err("nothing to repeat before a quantifier");
            }
            self.take('?');
            self.repeat(start, least, most)?;
        }
        Ok(())
    }

    /// One character, class, group or assertion; whether it can be repeated.
    fn term(&mut self) -> Result<bool, &'static str> {
        match self.next().unwrap_or_default() {
            '^' => self.emit(Instruction::Start).map(|()| false),
            '$' => self.emit(Instruction::End).map(|()| false),
            '*' | '+' | '?' => Err("nothing to repeat before a quantifier"),
            '.' => self.emit_set(invert(LINE_ENDS)).map(|()| true),
            '[' => self.class().map(|()| true),
            '(' => {
                if let Some(rest) = self.rest.strip_prefix('?') {
                    self.rest = group_start(rest)?;
                }
                self.alternatives()?;
                self.close_group().map(|()| true)
            }
            '\\' => match self.escape(false)? {
                Atom::Boundary(wanted) => self.emit(Instruction::Boundary(wanted)).map(|()| false),
                Atom::Char(character) => self.emit(Instruction::Char(character)).map(|()| true),
                Atom::Set(ranges) => self.emit_set(ranges).map(|()| true),
            },
            other => self.emit(Instruction::Char(other.into())).map(|()| true),
        }
    }

    /// The least and the most times; `u32::MAX` for no end.
    fn quantifier(&mut self) -> Result<Option<(u32, u32)>, &'static str> {
        let simple = match self.rest.chars().next() {
            Some('*') => (0, u32::MAX),
            Some('+') => (1, u32::MAX),
            Some('?') => (0, 1),
            Some('{') => return self.counted(),
            _ => return Ok(None),
        };
        self.next();
        Ok(Some(simple))
    }

    /// `{2}`, `{2,}` or `{2,5}`; any other brace is a character.
    fn counted(&mut self) -> Result<Option<(u32, u32)>, &'static str> {
        let Some((inner, behind)) = self.rest.get(1..).and_then(|rest| rest.split_once('}')) else { return Ok(None) };
        let (least, most) = inner.split_once(',').unwrap_or((inner, inner));
        let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if least.is_empty() || !is_number(least) || !is_number(most) {
            return Ok(None);
        }
        let number = |text: &str| {
            text.bytes().fold(0_u32, |value, digit| value.saturating_mul(10).saturating_add(u32::from(digit - b'0')))
        };
        self.rest = behind;
        let least = number(least);
        let most = if most.is_empty() { u32::MAX } else { number(most) };
        if least > most {
            return Err("the numbers of a quantifier are out of order");
        }
        Ok(Some((least, most)))
    }

    /// Repeats the code from `start` on.
    fn repeat(&mut self, start: usize, least: u32, most: u32) -> Result<(), &'static str> {
        let body = self.code.split_off(start);
        let length = body.len() as i32;
        // What was paid for the body is paid again for every copy.
        for _ in 0..least {
            self.copy(&body)?;
        }
        if most == u32::MAX {
            if least > 0 {
                self.emit(Instruction::Split(-length))?;
            } else {
                self.emit(Instruction::Split(length + 2))?;
                self.copy(&body)?;
                self.emit(Instruction::Jump(-(length + 1)))?;
            }
            return Ok(());
        }
        for left in (1..=most - least).rev() {
            let to_end = i64::from(length + 1) * i64::from(left);
            self.emit(Instruction::Split(i32::try_from(to_end).map_err(|_| "too large (MAX_PATTERN_SIZE)")?))?;
            self.copy(&body)?;
        }
        Ok(())
    }

    fn copy(&mut self, body: &[Instruction]) -> Result<(), &'static str> {
        body.iter().try_for_each(|instruction| self.emit(*instruction))
    }

    /// `[…]`, behind the bracket.
    fn class(&mut self) -> Result<(), &'static str> {
        let negated = self.take('^');
        let mut ranges = Vec::new();
        while !self.take(']') {
            let first = self.class_atom()?;
            let is_range = self.rest.starts_with('-') && !self.rest.starts_with("-]");
            match first {
                Atom::Char(start) if is_range => {
                    self.take('-');
                    match self.class_atom()? {
                        Atom::Char(end) if start <= end => ranges.push((start, end)),
                        Atom::Char(_) => return Err("a range in a class is out of order"),
                        // `[a-\d]`: the hyphen is a character where one side is a set.
                        Atom::Set(set) => {
                            ranges.extend([(start, start), (0x2D, 0x2D)]);
                            ranges.extend(set);
                        }
                        Atom::Boundary(_) => return Err("\\B in a class"),
                    }
                }
                Atom::Char(character) => ranges.push((character, character)),
                Atom::Set(set) => ranges.extend(set),
                Atom::Boundary(_) => return Err("\\B in a class"),
            }
        }
        normalise(&mut ranges);
        self.emit_set(if negated { invert(&ranges) } else { ranges })
    }

    fn class_atom(&mut self) -> Result<Atom, &'static str> {
        match self.next() {
            Some('\\') => self.escape(true),
            Some(other) => Ok(Atom::Char(other.into())),
            None => Err("a class is not closed"),
        }
    }

    /// An escape, behind the backslash.
    fn escape(&mut self, in_class: bool) -> Result<Atom, &'static str> {
        let Some(character) = self.next() else { return Err("a backslash at the end") };
        Ok(match character {
            'd' => Atom::Set(DIGITS.to_vec()),
            'D' => Atom::Set(invert(DIGITS)),
            'w' => Atom::Set(WORDS.to_vec()),
            'W' => Atom::Set(invert(WORDS)),
            's' => Atom::Set(SPACES.to_vec()),
            'S' => Atom::Set(invert(SPACES)),
            'b' if in_class => Atom::Char(8),
            'b' => Atom::Boundary(true),
            'B' => Atom::Boundary(false),
            't' => Atom::Char(9),
            'n' => Atom::Char(10),
            'v' => Atom::Char(11),
            'f' => Atom::Char(12),
            'r' => Atom::Char(13),
            '0' if !self.rest.starts_with(|next: char| next.is_ascii_digit()) => Atom::Char(0),
            'c' => match self.next() {
                Some(letter) if letter.is_ascii_alphabetic() => Atom::Char(u32::from(letter) % 32),
                _ => return Err("\\c without a letter"),
            },
            'x' => Atom::Char(self.hex(2)?),
            'u' => Atom::Char(self.unicode()?),
            'p' | 'P' => {
                let name = self.rest.strip_prefix('{').and_then(|rest| rest.split_once('}'));
                let Some((name, rest)) = name else { return Err("\\p without {…}") };
                self.rest = rest;
                let name = name.trim_start_matches("General_Category=").trim_start_matches("gc=");
                let ranges = category(name).ok_or("this \\p{…} is not supported")?;
                Atom::Set(if character == 'P' { invert(&ranges) } else { ranges })
            }
            '1'..='9' | 'k' => return Err("back references are not supported"),
            other if other.is_ascii_alphanumeric() => return Err("an escape that ECMA-262 does not have"),
            other => Atom::Char(other.into()),
        })
    }

    fn hex(&mut self, digits: usize) -> Result<u32, &'static str> {
        let text = self.rest.get(..digits).unwrap_or_default();
        let value = u32::from_str_radix(text, 16).ok().filter(|_| text.bytes().all(|byte| byte.is_ascii_hexdigit()));
        self.rest = self.rest.get(digits..).unwrap_or_default();
        value.ok_or("hexadecimal digits expected in an escape")
    }

    /// `\u0041`, `\u{1F432}` or a pair of surrogates, behind the `u`.
    fn unicode(&mut self) -> Result<u32, &'static str> {
        if let Some(rest) = self.rest.strip_prefix('{') {
            let digits = rest.find('}').unwrap_or_default();
            self.rest = rest;
            let value = self.hex(digits)?;
            self.take('}');
            return if value <= LAST { Ok(value) } else { Err("a code point beyond U+10FFFF") };
        }
        let high = self.hex(4)?;
        if let 0xD800..0xDC00 = high
            && let Some(rest) = self.rest.strip_prefix("\\u")
        {
            let whole = std::mem::replace(&mut self.rest, rest);
            if let Ok(low @ 0xDC00..0xE000) = self.hex(4) {
                return Ok(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00));
            }
            self.rest = whole;
        }
        Ok(high)
    }
}

/// What follows `(?`: the text behind the head of a group that is supported.
fn group_start(rest: &str) -> Result<&str, &'static str> {
    if let Some(rest) = rest.strip_prefix(':') {
        return Ok(rest);
    }
    if rest.starts_with(['=', '!']) || rest.starts_with("<=") || rest.starts_with("<!") {
        return Err("lookaround is not supported, but for lookahead right behind a leading ^");
    }
    match rest.strip_prefix('<').and_then(|rest| rest.split_once('>')) {
        Some((name, rest)) if !name.is_empty() => Ok(rest),
        _ => Err("flags and other extensions of groups are not supported"),
    }
}

/// Sorts ranges and joins those that touch.
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
