//! Patterns, read into instructions.

use super::regex::{Class, Instruction, Program, Regex};
use super::regex_class::{Atom, any};

/// How deep groups may nest: the reader goes one call deeper with each.
const MAX_GROUP_DEPTH: usize = 50;

/// What [`Parser::peek`] gives behind the end: no character.
pub(super) const END: u32 = u32::MAX;

pub(super) struct Parser {
    pub(super) pattern: Vec<u32>,
    pub(super) at: usize,
    code: Vec<Instruction>,
    classes: Vec<Class>,
    room: usize,
    depth: usize,
    /// The first thing that went wrong; then the rest of the pattern is passed over.
    pub(super) error: Option<&'static str>,
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
    pub(super) fn fail(&mut self, reason: &'static str) {
        self.error.get_or_insert(reason);
        self.at = self.pattern.len();
    }

    #[inline(never)]
    pub(super) fn peek(&self) -> u32 {
        self.pattern.get(self.at).copied().unwrap_or(END)
    }

    #[inline(never)]
    pub(super) fn next(&mut self) -> u32 {
        let first = self.peek();
        self.at += usize::from(first != END);
        first
    }

    /// Takes that text (of ASCII), if it comes next.
    #[inline(never)]
    pub(super) fn eat(&mut self, text: &str) -> bool {
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
    pub(super) fn emit_set(&mut self, ranges: Vec<(u32, u32)>) {
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

    #[inline(never)]
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
            '.' => self.emit_set(any()),
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
    pub(super) fn name(&mut self, end: u8) -> String {
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
}
