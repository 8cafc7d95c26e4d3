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

/// What [`Parser::peek`] gives behind the end: no character.
const END: u32 = u32::MAX;

struct Parser {
    pattern: Vec<u32>,
    at: usize,
    code: Vec<Instruction>,
    classes: Vec<Class>,
    room: usize,
    depth: usize,
    /// The first thing that went wrong; then the rest of the pattern is passed over.
    error: Option<&'static str>,
}

/// Reads a pattern; see [`Regex::compile`].
pub(super) fn parse(pattern: &str, room: usize) -> Result<Regex, &'static str> {
    let mut parser = Parser {
        pattern: pattern.chars().map(u32::from).collect(),
        at: 0,
        code: Vec::new(),
        classes: Vec::new(),
        room,
        depth: 0,
        error: None,
    };
    let mut programs = Vec::new();
    // Behind a leading `^` a lookahead is one more pattern that the same text must match, or must not.
    if parser.eat("^") {
        loop {
            let refuses = parser.eat("(?!");
            if !refuses && !parser.eat("(?=") {
                break;
            }
            parser.emit(Instruction::Start);
            parser.alternatives();
            parser.close_group();
            parser.emit(Instruction::Match);
            programs.push(Program { code: std::mem::take(&mut parser.code), refuses });
        }
        if programs.is_empty() {
            parser.at = 0;
        } else {
            parser.emit(Instruction::Start);
            parser.sequence();
            if parser.eat("|") {
                parser.fail("a lookahead in one of several alternatives is not supported");
            }
        }
    }
    if programs.is_empty() {
        parser.alternatives();
    }
    if parser.peek() != END {
        parser.fail("a ')' too many");
    }
    parser.emit(Instruction::Match);
    programs.push(Program { code: parser.code, refuses: false });
    match parser.error {
        Some(reason) => Err(reason),
        None => Ok(Regex { programs, classes: parser.classes }),
    }
}

impl Parser {
    #[inline(never)]
    fn fail(&mut self, reason: &'static str) {
        self.error.get_or_insert(reason);
        self.at = self.pattern.len();
    }

    fn peek(&self) -> u32 {
        self.pattern.get(self.at).copied().unwrap_or(END)
    }

    fn next(&mut self) -> u32 {
        let first = self.peek();
        self.at += usize::from(first != END);
        first
    }

    /// Takes that text (of ASCII), if it comes next.
    #[inline(never)]
    fn eat(&mut self, text: &str) -> bool {
        let end = self.at + text.len();
        let comes =
            self.pattern.get(self.at..end).is_some_and(|next| next.iter().copied().eq(text.bytes().map(u32::from)));
        if comes {
            self.at = end;
        }
        comes
    }

    #[inline(never)]
    fn emit(&mut self, instruction: Instruction) {
        if self.room == 0 {
            return self.fail("too large (MAX_PATTERN_SIZE)");
        }
        self.room -= 1;
        self.code.push(instruction);
    }

    #[inline(never)]
    fn emit_set(&mut self, ranges: Vec<(u32, u32)>) {
        self.room = self.room.saturating_sub(ranges.len() / 8);
        let mut class = Class { ascii: [0; 2], ranges };
        for character in 0..128 {
            if class.is_in_ranges(character)
                && let Some(word) = class.ascii.get_mut((character >> 6) as usize)
            {
                *word |= 1 << (character & 63);
            }
        }
        self.classes.push(class);
        self.emit(Instruction::Class(self.classes.len() as u32 - 1));
    }

    fn close_group(&mut self) {
        if !self.eat(")") {
            self.fail("a group is not closed");
        }
    }

    /// `a|b|c`
    fn alternatives(&mut self) {
        self.depth += 1;
        if self.depth > MAX_GROUP_DEPTH {
            return self.fail("groups are nested too deeply (MAX_GROUP_DEPTH)");
        }
        let mut ends = Vec::new();
        loop {
            let start = self.code.len();
            self.sequence();
            if !self.eat("|") {
                break;
            }
            // The first way is this alternative, the second what comes behind its jump to the end.
            self.emit(Instruction::Jump(0));
            self.emit(Instruction::Jump(0));
            let length = self.code.len() - start;
            self.code.get_mut(start..).unwrap_or_default().rotate_right(1);
            if let Some(first) = self.code.get_mut(start) {
                *first = Instruction::Split(length as i32);
            }
            ends.push(self.code.len() - 1);
        }
        let length = self.code.len();
        for end in ends {
            if let Some(jump) = self.code.get_mut(end) {
                *jump = Instruction::Jump((length - end) as i32);
            }
        }
        self.depth -= 1;
    }

    /// Everything up to `|`, `)` or the end.
    fn sequence(&mut self) {
        while ![END, u32::from(b'|'), u32::from(b')')].contains(&self.peek()) {
            let start = self.code.len();
            let repeatable = self.term();
            if let Some((least, most)) = self.quantifier() {
                self.eat("?");
                if !repeatable {
                    self.fail("nothing to repeat before a quantifier");
                }
                self.repeat(start, least, most);
            }
        }
    }

    /// One character, class, group or assertion; whether it can be repeated.
    fn term(&mut self) -> bool {
        let first = self.next();
        match char::from_u32(first).unwrap_or_default() {
            '^' => {
                self.emit(Instruction::Start);
                return false;
            }
            '$' => {
                self.emit(Instruction::End);
                return false;
            }
            '*' | '+' | '?' => self.fail("nothing to repeat before a quantifier"),
            '.' => self.emit_set(invert(LINE_ENDS)),
            '[' => self.class(),
            '(' => {
                if self.eat("?") {
                    self.group_head();
                }
                self.alternatives();
                self.close_group();
            }
            '\\' => match self.escape(false) {
                Atom::Boundary(wanted) => {
                    self.emit(Instruction::Boundary(wanted));
                    return false;
                }
                Atom::Char(character) => self.emit(Instruction::Char(character)),
                Atom::Set(ranges) => self.emit_set(ranges),
            },
            _ => self.emit(Instruction::Char(first)),
        }
        true
    }

    /// What follows `(?`: the head of a group.
    fn group_head(&mut self) {
        if self.eat(":") {
            return;
        }
        if self.eat("=") || self.eat("!") || self.eat("<=") || self.eat("<!") {
            return self.fail("lookaround is not supported, but for lookahead right behind a leading ^");
        }
        if !self.eat("<") || self.name(b'>').is_empty() {
            self.fail("flags and other extensions of groups are not supported");
        }
    }

    /// The text up to that character, which is taken too; empty where it does not come.
    fn name(&mut self, end: u8) -> String {
        let rest = self.pattern.get(self.at..).unwrap_or_default();
        let Some(length) = rest.iter().position(|character| *character == u32::from(end)) else { return String::new() };
        self.at += length + 1;
        rest.iter().take(length).filter_map(|character| char::from_u32(*character)).collect()
    }

    /// The least and the most times; `u32::MAX` for no end.
    fn quantifier(&mut self) -> Option<(u32, u32)> {
        let start = self.at;
        let simple = match char::from_u32(self.next())? {
            '*' => (0, u32::MAX),
            '+' => (1, u32::MAX),
            '?' => (0, 1),
            '{' => {
                // `{2}`, `{2,}` or `{2,5}`; any other brace is a character.
                if let Some(least) = self.number() {
                    let mut most = Some(least);
                    if self.eat(",") {
                        most = self.number();
                    }
                    if self.eat("}") {
                        let most = most.unwrap_or(u32::MAX);
                        if least > most {
                            self.fail("the numbers of a quantifier are out of order");
                        }
                        return Some((least, most));
                    }
                }
                self.at = start;
                return None;
            }
            _ => {
                self.at = start;
                return None;
            }
        };
        Some(simple)
    }

    fn number(&mut self) -> Option<u32> {
        let mut value = None;
        while let Some(digit) = char::from_u32(self.peek()).and_then(|digit| digit.to_digit(10)) {
            value = Some(value.unwrap_or(0_u32).saturating_mul(10).saturating_add(digit));
            self.at += 1;
        }
        value
    }

    /// Repeats the code from `start` on.
    fn repeat(&mut self, start: usize, least: u32, most: u32) {
        let body = self.code.split_off(start);
        let length = body.len() as i32;
        let copies = if most == u32::MAX { least.max(1) } else { most };
        // No body, no end to the copies that fit in the room.
        if body.is_empty() || self.error.is_some() {
            return;
        }
        for copy in 0..copies {
            if copy >= least {
                // Up to the end, or past the jump back.
                let to_end = if most == u32::MAX {
                    length + 2
                } else {
                    (i64::from(length + 1) * i64::from(copies - copy)).min(i64::from(i32::MAX)) as i32
                };
                self.emit(Instruction::Split(to_end));
            }
            // What was paid for the body is paid again for every copy.
            for instruction in &body {
                self.emit(*instruction);
            }
            if self.error.is_some() {
                return;
            }
        }
        if most == u32::MAX {
            self.emit(if least > 0 { Instruction::Split(-length) } else { Instruction::Jump(-(length + 1)) });
        }
    }

    /// `[…]`, behind the bracket.
    fn class(&mut self) {
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
    fn escape(&mut self, in_class: bool) -> Atom {
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
