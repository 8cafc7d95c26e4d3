//! Validation: the rules of a compiled schema against one instance.
//!
//! One call goes as deep as subschemas and instance do together, at most
//! [`MAX_DEPTH`]. A branch that may fail (`anyOf`, `not`, `if`, …) runs quietly:
//! it stops at the first failure and reports nothing.

use super::dialect::{KEYWORDS, Word};
use super::equal::{Steps, equal, find_twins, string_bytes};
use super::number::Decimal;
use super::regex::Scratch;
use super::rules::{NONE, Node, NodeId, Program, Rule, Span, types, types_of};
use super::{MAX_DEPTH, MAX_STEPS, MAX_VIOLATIONS, STEPS_PER_BYTE, Violation, WHOLE};
use crate::protocol::json::{Ends, Kind, Raw};

/// One step from an instance to its parts.
#[derive(Clone, Copy, Debug)]
pub(super) enum Part<'i> {
    /// A member's name, as text with its quotes.
    Member(&'i [u8]),
    Element(usize),
}

/// Which members or elements have been evaluated, by their number.
#[derive(Debug, Default)]
pub(super) struct Marks {
    first: u64,
    more: Vec<u64>,
}

impl Marks {
    pub(super) fn has(&self, at: usize) -> bool {
        let word = match at / 64 {
            0 => Some(&self.first),
            more => self.more.get(more - 1),
        };
        word.is_some_and(|word| word >> (at % 64) & 1 == 1)
    }

    pub(super) fn set(&mut self, at: usize) {
        let word = match at / 64 {
            0 => &mut self.first,
            more => {
                if self.more.len() < more {
                    self.more.resize(more, 0);
                }
                let Some(word) = self.more.get_mut(more - 1) else { return };
                word
            }
        };
        *word |= 1 << (at % 64);
    }

    fn merge(&mut self, other: &Self) {
        self.first |= other.first;
        if self.more.len() < other.more.len() {
            self.more.resize(other.more.len(), 0);
        }
        for (word, more) in self.more.iter_mut().zip(&other.more) {
            *word |= more;
        }
    }
}

/// One validation under way.
pub(super) struct Run<'p, 'i> {
    pub(super) program: &'p Program,
    /// Where long values of the instance end.
    pub(super) ends: &'p Ends,
    pub(super) steps: Steps,
    pub(super) path: Vec<Part<'i>>,
    pub(super) found: Vec<Violation>,
    /// How many branches that may fail surround what runs now.
    pub(super) quiet: u32,
    depth: usize,
    too_deep: bool,
    /// The schema resources entered, outermost first.
    scope: Vec<u32>,
    scratch: Scratch,
}

/// Validates an instance.
pub(super) fn validate(program: &Program, instance: Raw<'_>, ends: &Ends) -> Result<(), Vec<Violation>> {
    let bytes = instance.text().len() as u64;
    let mut run = Run {
        program,
        ends,
        steps: Steps(MAX_STEPS.saturating_add(bytes.saturating_mul(STEPS_PER_BYTE))),
        path: Vec::new(),
        found: Vec::new(),
        quiet: 0,
        depth: 0,
        too_deep: false,
        scope: Vec::new(),
        scratch: Scratch::default(),
    };
    let holds = run.apply(0, instance, None);
    if run.too_deep {
        return Err(vec![run.limit("validation goes deeper than MAX_DEPTH allows")]);
    }
    if run.steps.0 == 0 {
        return Err(vec![run.limit("validation takes more steps than MAX_STEPS allows")]);
    }
    if holds { Ok(()) } else { Err(run.found) }
}

impl<'p, 'i> Run<'p, 'i> {
    /// Whether to stop: nothing that comes can change the outcome.
    #[inline(never)]
    pub(super) fn is_over(&self) -> bool {
        self.quiet > 0 || self.found.len() >= MAX_VIOLATIONS || self.too_deep || self.steps.0 == 0
    }

    /// Applies a subschema to a value; whether it holds. Notes in `marks` what it has evaluated.
    pub(super) fn apply(&mut self, id: NodeId, value: Raw<'i>, marks: Option<&mut Marks>) -> bool {
        let Some(node) = self.program.node(id) else { return false };
        if !self.steps.pay(0) {
            return false;
        }
        if node.types != types::ANY && !self.has_type(node, value) {
            return false;
        }
        if node.count == 0 {
            return true;
        }
        if self.depth >= MAX_DEPTH {
            self.too_deep = true;
            return false;
        }
        self.depth += 1;
        let entered = WHOLE && self.scope.last() != Some(&node.resource);
        if entered {
            self.scope.push(node.resource);
        }
        let holds = if WHOLE && node.unevaluated {
            self.apply_marked(node, value, marks)
        } else {
            self.apply_rules(node, value, marks)
        };
        if entered {
            self.scope.pop();
        }
        self.depth -= 1;
        holds
    }

    /// A subschema with `unevaluated…` sees what its own keywords have evaluated, not what those around it have.
    #[inline(never)]
    fn apply_marked(&mut self, node: &Node, value: Raw<'i>, marks: Option<&mut Marks>) -> bool {
        let mut own = Marks::default();
        let holds = self.apply_rules(node, value, Some(&mut own));
        if let Some(marks) = marks {
            marks.merge(&own);
        }
        holds
    }

    fn has_type(&mut self, node: &Node, value: Raw<'i>) -> bool {
        let mut own = types_of(value.kind());
        if value.kind() == Kind::Number && node.types & own != own {
            own = if Decimal::read(value.text()).is_integer() { types::INTEGER } else { types::FRACTION };
        }
        node.types & own != 0 || self.fail(node, "type", value)
    }

    fn apply_rules(&mut self, node: &Node, value: Raw<'i>, mut marks: Option<&mut Marks>) -> bool {
        let mut holds = true;
        let kind = value.kind();
        let program = self.program;
        for rule in program.rules(node) {
            let fine = match rule.word {
                Word::Properties => kind != Kind::Object || self.members(node, rule.a, value, marks.as_deref_mut()),
                Word::Items => kind != Kind::Array || self.elements(node, rule.a, value, marks.as_deref_mut()),
                Word::Ref if WHOLE => self.apply(rule.a, value, marks.as_deref_mut()),
                Word::DynamicRef if WHOLE => self.apply(self.dynamic_target(rule), value, marks.as_deref_mut()),
                Word::AllOf => {
                    let mut holds = true;
                    for id in rule.a..rule.a + rule.b {
                        holds &= self.apply(id, value, marks.as_deref_mut());
                        if !holds && self.is_over() {
                            break;
                        }
                    }
                    holds
                }
                Word::AnyOf | Word::OneOf => self.branches(node, *rule, value, marks.as_deref_mut()),
                Word::Not => !self.probe(rule.a, value, None) || self.fail(node, "not", value),
                Word::If if WHOLE => {
                    let branch = if self.probe(rule.a, value, marks.as_deref_mut()) { rule.b } else { rule.c };
                    branch == NONE || self.apply(branch, value, marks.as_deref_mut())
                }
                Word::UnevaluatedItems | Word::UnevaluatedProperties if WHOLE => {
                    self.unevaluated(node, *rule, value, marks.as_deref_mut())
                }
                _ => self.scalar(node, *rule, value),
            };
            holds &= fine;
            if !holds && self.is_over() {
                return false;
            }
        }
        holds
    }

    /// Applies a subschema that may fail.
    #[inline(never)]
    pub(super) fn probe(&mut self, id: NodeId, value: Raw<'i>, marks: Option<&mut Marks>) -> bool {
        self.quiet += 1;
        let mut own = Marks::default();
        let holds = self.apply(id, value, marks.is_some().then_some(&mut own));
        if let Some(marks) = marks.filter(|_| holds) {
            marks.merge(&own);
        }
        self.quiet -= 1;
        holds
    }

    #[inline(never)]
    fn branches(&mut self, node: &Node, rule: Rule, value: Raw<'i>, mut marks: Option<&mut Marks>) -> bool {
        let is_any = rule.word == Word::AnyOf;
        let keyword = if is_any { "anyOf" } else { "oneOf" };
        let mut count = 0;
        for id in rule.a..rule.a + rule.b {
            count += u32::from(self.probe(id, value, marks.as_deref_mut()));
            if is_any && count > 0 && marks.is_none() {
                return true;
            }
            if !is_any && count > 1 {
                return self.fail(node, keyword, value);
            }
        }
        count > 0 || self.fail_branches(node, keyword, rule, value)
    }

    /// No branch holds. Where one alone admits the value's type, what it finds says more.
    #[inline(never)]
    fn fail_branches(&mut self, node: &Node, keyword: &'static str, rule: Rule, value: Raw<'i>) -> bool {
        if self.is_over() {
            return false;
        }
        let own = types_of(value.kind());
        let mut fitting = NONE;
        for id in rule.a..rule.a + rule.b {
            if self.program.node(id).is_some_and(|node| node.types & own != 0) {
                fitting = if fitting == NONE { id } else { rule.a + rule.b };
            }
        }
        if fitting < rule.a + rule.b {
            self.apply(fitting, value, None);
            return false;
        }
        self.fail(node, keyword, value)
    }

    /// The outermost anchor of that name in the dynamic scope, or the static target.
    fn dynamic_target(&self, rule: &Rule) -> NodeId {
        for resource in &self.scope {
            for anchor in &self.program.dynamic {
                if anchor.resource == *resource && anchor.name == rule.b {
                    return anchor.node;
                }
            }
        }
        rule.a
    }

    #[inline(never)]
    fn scalar(&mut self, node: &Node, rule: Rule, value: Raw<'i>) -> bool {
        let program = self.program;
        let wanted = program.raw(Span { start: rule.a, end: rule.b });
        let kind = value.kind();
        let holds = match rule.word {
            Word::Never => false,
            Word::Const => equal(wanted, value, &mut self.steps),
            Word::Enum => wanted.elements().any(|one| equal(one, value, &mut self.steps)),
            Word::Pattern if WHOLE => kind != Kind::String || self.matches(rule.a, value.text()),
            Word::Format if WHOLE => {
                let test = program.tests.get(rule.a as usize);
                let text = value.as_str();
                text.zip(test).is_none_or(|(text, test)| self.steps.pay(text.len() * 8) && test(&text))
            }
            Word::MaxLength | Word::MinLength => {
                let limit = Decimal::read(wanted.text()).as_count().unwrap_or_default();
                let is_max = rule.word == Word::MaxLength;
                kind != Kind::String || {
                    let length = self.length(value);
                    if is_max { length <= limit } else { length >= limit }
                }
            }
            _ => {
                kind != Kind::Number || {
                    let (number, wanted) = (Decimal::read(value.text()), Decimal::read(wanted.text()));
                    let order = number.compare(wanted);
                    match rule.word {
                        Word::Maximum => order.is_le(),
                        Word::ExclusiveMaximum => order.is_lt(),
                        Word::Minimum => order.is_ge(),
                        Word::ExclusiveMinimum => order.is_gt(),
                        _ => WHOLE && number.is_multiple_of(wanted),
                    }
                }
            }
        };
        let keyword = KEYWORDS.get(rule.word as usize).map_or("", |keyword| keyword.name);
        holds || self.fail(node, keyword, value)
    }

    /// The number of a string's code points.
    #[inline(never)]
    fn length(&mut self, value: Raw<'i>) -> u64 {
        self.steps.pay(value.text().len());
        // All bytes that do not continue a character.
        string_bytes(value.text()).iter().filter(|byte| **byte & 0xC0 != 0x80).count() as u64
    }

    #[inline(never)]
    pub(super) fn matches(&mut self, pattern: u32, quoted: &[u8]) -> bool {
        let Some(regex) = self.program.patterns.get(pattern as usize) else { return false };
        let text = crate::protocol::json::unquote(quoted);
        regex.is_match(&text, &mut self.scratch, &mut self.steps)
    }

    pub(super) fn twins(&mut self, value: Raw<'i>) -> Option<(usize, usize)> {
        find_twins(value, &mut self.steps).unwrap_or_default()
    }
}
