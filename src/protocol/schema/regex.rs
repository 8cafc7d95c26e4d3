//! Regular expressions, matched in time linear in the text.
//!
//! The dialect is ECMA-262's with the `u` flag, as JSON Schema recommends, and as
//! lenient as without it where a pattern has one meaning (`\_`, `{` as a
//! character). Not supported, and refused by name: lookbehind, lookahead anywhere
//! but right behind a leading `^`, back references, inline flags, and
//! `\p{…}` beyond the categories of [`super::regex_unicode`].
//!
//! A pattern becomes a list of instructions; matching walks the text once and
//! keeps the set of instructions at which the pattern may stand. So `(a+)+$`
//! costs no more than `a+$`.

use super::equal::Steps;
use super::regex_parse::parse;

/// A compiled pattern.
#[derive(Clone, Debug)]
pub(super) struct Regex {
    /// All of them must agree; more than one where a leading lookahead asks for it.
    pub(super) programs: Vec<Program>,
    pub(super) classes: Vec<Class>,
}

/// The instructions of one pattern.
#[derive(Clone, Debug, Default)]
pub(super) struct Program {
    pub(super) code: Vec<Instruction>,
    /// Whether a match is what must not be (`(?!…)`).
    pub(super) refuses: bool,
}

/// One instruction; offsets are relative, so that code can be copied.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Instruction {
    /// Takes this character.
    Char(u32),
    /// Takes a character of that class.
    Class(u32),
    /// Goes on at both the next instruction and this one.
    Split(i32),
    Jump(i32),
    /// Only at the start of the text.
    Start,
    /// Only at the end of the text.
    End,
    /// Only where a word begins or ends (`\b`), or only where none does (`\B`).
    Boundary(bool),
    Match,
}

/// A set of characters.
#[derive(Clone, Debug, Default)]
pub(super) struct Class {
    /// The ASCII part again, one bit each.
    pub(super) ascii: [u64; 2],
    /// Sorted, not touching, both ends included.
    pub(super) ranges: Vec<(u32, u32)>,
}

impl Class {
    fn has(&self, character: u32) -> bool {
        if character < 128 {
            let word = self.ascii.get((character >> 6) as usize).copied().unwrap_or_default();
            return word >> (character & 63) & 1 == 1;
        }
        self.is_in_ranges(character)
    }

    pub(super) fn is_in_ranges(&self, character: u32) -> bool {
        let at = self.ranges.partition_point(|(_, end)| *end < character);
        self.ranges.get(at).is_some_and(|(start, _)| *start <= character)
    }
}

/// Room for matching, kept from one match to the next.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    /// The instructions that wait for a character.
    waiting: Vec<u32>,
    /// Those to be followed up at the current position.
    next: Vec<u32>,
    /// The position at which each instruction was last followed up.
    seen: Vec<u32>,
}

impl Regex {
    /// Compiles a pattern to at most `room` instructions.
    ///
    /// # Errors
    ///
    /// What is wrong with the pattern, or not supported.
    pub(super) fn compile(pattern: &str, room: usize) -> Result<Self, &'static str> {
        parse(pattern, room)
    }

    /// The size of the pattern, as [`super::MAX_PATTERN_SIZE`] counts it.
    pub(super) fn size(&self) -> usize {
        let ranges: usize = self.classes.iter().map(|class| class.ranges.len()).sum();
        self.programs.iter().map(|program| program.code.len()).sum::<usize>() + ranges / 8
    }

    /// Whether the pattern matches anywhere in the text; when the steps are used up the answer means nothing.
    pub(super) fn is_match(&self, text: &str, scratch: &mut Scratch, steps: &mut Steps) -> bool {
        self.programs.iter().all(|program| self.finds(program, text, scratch, steps) != program.refuses)
    }

    fn finds(&self, program: &Program, text: &str, scratch: &mut Scratch, steps: &mut Steps) -> bool {
        let code = program.code.as_slice();
        let anchored = code.first() == Some(&Instruction::Start);
        let Scratch { waiting, next, seen } = scratch;
        waiting.clear();
        next.clear();
        seen.clear();
        seen.resize(code.len(), 0);
        let mut rest = text.chars();
        let mut before: Option<char> = None;
        let mut position = 0_u32;
        loop {
            position += 1;
            let behind = rest.next();
            if before.is_none() || !anchored {
                next.push(0);
            }
            // What follows without taking a character.
            while let Some(at) = next.pop() {
                let Some(mark) = seen.get_mut(at as usize) else { continue };
                if std::mem::replace(mark, position) == position {
                    continue;
                }
                let passes = match code.get(at as usize) {
                    Some(Instruction::Match) => return true,
                    Some(Instruction::Split(offset)) => {
                        next.push(at.wrapping_add_signed(*offset));
                        true
                    }
                    Some(Instruction::Jump(offset)) => {
                        next.push(at.wrapping_add_signed(*offset));
                        false
                    }
                    Some(Instruction::Start) => before.is_none(),
                    Some(Instruction::End) => behind.is_none(),
                    Some(Instruction::Boundary(wanted)) => (is_word(before) != is_word(behind)) == *wanted,
                    _ => {
                        waiting.push(at);
                        false
                    }
                };
                if passes {
                    next.push(at + 1);
                }
            }
            let Some(character) = behind else { return false };
            if (anchored && waiting.is_empty()) || !steps.pay(waiting.len() * 64) {
                return false;
            }
            let code_point = u32::from(character);
            for at in waiting.drain(..) {
                let taken = match code.get(at as usize) {
                    Some(Instruction::Char(wanted)) => *wanted == code_point,
                    Some(Instruction::Class(class)) => {
                        self.classes.get(*class as usize).is_some_and(|class| class.has(code_point))
                    }
                    _ => false,
                };
                if taken {
                    next.push(at + 1);
                }
            }
            before = behind;
        }
    }
}

fn is_word(character: Option<char>) -> bool {
    matches!(character, Some('a'..='z' | 'A'..='Z' | '0'..='9' | '_'))
}
