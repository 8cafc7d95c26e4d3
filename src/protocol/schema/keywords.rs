//! The values of keywords, checked and made into rules.

use super::compile::{Builder, Item, parts};
use super::dialect::{Dialect, KEYWORDS, Shape, Word};
use super::equal::{sort, string_bytes};
use super::number::Decimal;
use super::regex::Regex;
use super::rules::{ArrayRules, Dependent, NONE, NodeId, ObjectRules, Property, types_named};
use super::{MAX_PATTERN_SIZE, SchemaError, WHOLE};
use crate::protocol::json::{Kind, Raw};

/// The keywords that one schema object has, by [`Word`]; of duplicates the last, as `JSON.parse` has it.
#[derive(Debug)]
pub(super) struct Keywords<'a>(pub(super) [Option<Raw<'a>>; KEYWORDS.len()]);

impl Default for Keywords<'_> {
    fn default() -> Self {
        Self([None; KEYWORDS.len()])
    }
}

impl<'a> Keywords<'a> {
    pub(super) fn get(&self, word: Word) -> Option<Raw<'a>> {
        self.0.get(word as usize).copied().flatten()
    }

    pub(super) fn flag(&self, word: Word) -> bool {
        self.get(word).and_then(Raw::as_bool) == Some(true)
    }

    /// The value of a keyword that has parts; one without any where the keyword is missing.
    fn parts(&self, word: Word) -> Raw<'a> {
        self.get(word).unwrap_or_else(|| Raw::from_valid(b"null"))
    }

    #[inline(never)]
    fn count(&self, word: Word, absent: u64) -> u64 {
        self.get(word).and_then(|value| Decimal::read(value.text()).as_count()).unwrap_or(absent)
    }
}

/// The subschemas of one schema object, on their way to the queue.
pub(super) struct Children<'a> {
    pub(super) parent: Item<'a>,
    pub(super) dialect: Dialect,
    pub(super) resource: u32,
    pub(super) items: Vec<Item<'a>>,
}

/// The types that one element of `type` admits.
pub(super) fn type_bits(name: Raw<'_>) -> u8 {
    name.as_str().and_then(|name| types_named(&name)).unwrap_or_default()
}

fn are_names(value: Raw<'_>) -> bool {
    value.kind() == Kind::Array && value.elements().all(|name| name.kind() == Kind::String)
}

/// Whether a keyword's value has the shape that it must have; subschemas are looked at when their turn comes.
pub(super) fn fits(shape: Shape, value: Raw<'_>) -> bool {
    let kind = value.kind();
    match shape {
        Shape::Any | Shape::Schema | Shape::Items => true,
        Shape::Schemas => value.elements().next().is_some(),
        Shape::SchemaMap => kind == Kind::Object,
        Shape::Count => kind == Kind::Number && Decimal::read(value.text()).as_count().is_some(),
        Shape::Number => kind == Kind::Number,
        Shape::Divisor => kind == Kind::Number && Decimal::read(value.text()).is_divisor(),
        Shape::Flag => kind == Kind::Bool,
        Shape::Text => kind == Kind::String,
        Shape::Names => are_names(value),
        Shape::NamesMap => kind == Kind::Object && value.members().all(|(_, names)| are_names(names)),
        Shape::Dependencies => {
            kind == Kind::Object && value.members().all(|(_, value)| value.kind() != Kind::Array || are_names(value))
        }
        Shape::Type => {
            type_bits(value) != 0
                || (kind == Kind::Array
                    && value.elements().next().is_some()
                    && value.elements().all(|name| type_bits(name) != 0))
        }
        Shape::Array => kind == Kind::Array,
    }
}

impl<'a> Builder<'a> {
    #[inline(never)]
    fn child(&mut self, children: &mut Children<'a>, value: Raw<'a>) -> NodeId {
        let (document, depth) = (children.parent.document, children.parent.depth + 1);
        let item = self.node(Item { id: 0, value, document, dialect: children.dialect, depth }, children.resource);
        children.items.push(item);
        item.id
    }

    /// The subschema that a keyword has, [`NONE`] without it.
    #[inline(never)]
    fn keyword_child(&mut self, children: &mut Children<'a>, value: Option<Raw<'a>>) -> NodeId {
        value.map_or(NONE, |value| self.child(children, value))
    }

    /// The subschemas of an array or object: they have numbers in a row.
    #[inline(never)]
    fn child_row(&mut self, children: &mut Children<'a>, value: Raw<'a>) -> (NodeId, u32) {
        let first = self.program.nodes.len() as NodeId;
        for value in parts(value) {
            self.child(children, value);
        }
        (first, self.program.nodes.len() as NodeId - first)
    }

    #[inline(never)]
    fn pattern(&mut self, pattern: &str) -> u32 {
        match Regex::compile(pattern, MAX_PATTERN_SIZE - self.pattern_size) {
            Ok(regex) => {
                self.pattern_size += regex.size();
                self.program.patterns.push(regex);
            }
            Err(reason) => self.fail(SchemaError::Pattern { pattern: pattern.to_owned(), reason }),
        }
        (self.program.patterns.len() as u32).saturating_sub(1)
    }

    /// The keywords that look at a value without its parts.
    pub(super) fn read_scalars(&mut self, children: &mut Children<'a>, found: &Keywords<'a>) {
        for &word in &[
            Word::Enum,
            Word::Const,
            Word::Maximum,
            Word::ExclusiveMaximum,
            Word::Minimum,
            Word::ExclusiveMinimum,
            Word::MultipleOf,
            Word::MaxLength,
            Word::MinLength,
            Word::Pattern,
            Word::Format,
        ] {
            let Some(value) = found.get(word) else { continue };
            let span = self.span(children.parent.document, value);
            let text = || value.as_str().unwrap_or_default();
            let a = match word {
                Word::Pattern if WHOLE => self.pattern(&text()),
                Word::Format => match self.options.formats.and_then(|formats| formats(&text())) {
                    Some(test) => {
                        self.program.tests.push(test);
                        self.program.tests.len() as u32 - 1
                    }
                    None => continue,
                },
                _ => span.start,
            };
            self.rule(word, a, span.end, 0);
        }
    }

    /// The keywords that look at an object's members.
    pub(super) fn read_members(&mut self, children: &mut Children<'a>, found: &Keywords<'a>) {
        let mut rules = ObjectRules {
            properties: Vec::new(),
            required: 0,
            patterns: Vec::new(),
            additional: self.keyword_child(children, found.get(Word::AdditionalProperties)),
            names: self.keyword_child(children, found.get(Word::PropertyNames)),
            min: found.count(Word::MinProperties, 0),
            max: found.count(Word::MaxProperties, u64::MAX),
            dependents: Vec::new(),
        };
        for (key, value) in found.parts(Word::Properties).members() {
            let schema = self.child(children, value);
            rules.properties.push(Property { name: name(key.quoted()), schema, required: NONE });
        }
        for required in found.parts(Word::Required).elements() {
            self.part();
            rules.properties.push(Property { name: name(required.text()), schema: NONE, required: 0 });
        }
        merge(&mut rules);
        if WHOLE {
            self.read_rare_members(children, found, &mut rules);
        }
        let idle = rules.properties.is_empty()
            && rules.patterns.is_empty()
            && rules.dependents.is_empty()
            && rules.additional.min(rules.names) == NONE
            && (rules.min, rules.max) == (0, u64::MAX);
        if !idle {
            self.rule(Word::Properties, self.program.objects.len() as u32, 0, 0);
            self.program.objects.push(rules);
        }
    }

    fn read_rare_members(&mut self, children: &mut Children<'a>, found: &Keywords<'a>, rules: &mut ObjectRules) {
        for (key, value) in found.parts(Word::PatternProperties).members() {
            let child = self.child(children, value);
            rules.patterns.push((self.pattern(&key.name()), child));
        }
        for word in [Word::DependentRequired, Word::DependentSchemas, Word::Dependencies] {
            for (key, value) in found.parts(word).members() {
                let is_list = value.kind() == Kind::Array;
                let schema = self.keyword_child(children, Some(value).filter(|_| !is_list));
                self.part();
                let names = self.span(children.parent.document, value);
                rules.dependents.push(Dependent { name: name(key.quoted()), schema, names });
            }
        }
    }

    /// The keywords that look at an array's elements.
    pub(super) fn read_elements(&mut self, children: &mut Children<'a>, found: &Keywords<'a>) {
        // Up to 2019-09 an array in `items` is what `prefixItems` is now, and `additionalItems` what `items` is.
        let mut prefix = found.get(Word::PrefixItems);
        let mut rest = found.get(Word::Items2020).or_else(|| found.get(Word::Items));
        if let Some(items) = found.get(Word::Items)
            && items.kind() == Kind::Array
        {
            prefix = Some(items);
            rest = found.get(Word::AdditionalItems);
        }
        let rules = ArrayRules {
            prefix: prefix.map_or((0, 0), |prefix| self.child_row(children, prefix)),
            rest: self.keyword_child(children, rest),
            contains: if WHOLE { self.keyword_child(children, found.get(Word::Contains)) } else { NONE },
            min_contains: found.count(Word::MinContains, 1),
            max_contains: found.count(Word::MaxContains, u64::MAX),
            contains_evaluates: children.dialect == Dialect::Draft2020,
            min: found.count(Word::MinItems, 0),
            max: found.count(Word::MaxItems, u64::MAX),
            unique: WHOLE && found.flag(Word::UniqueItems),
        };
        let idle = rules.prefix.1 == 0
            && rules.rest.min(rules.contains) == NONE
            && (rules.min, rules.max, rules.unique) == (0, u64::MAX, false);
        if !idle {
            self.rule(Word::Items, self.program.arrays.len() as u32, 0, 0);
            self.program.arrays.push(rules);
        }
    }

    /// The keywords that apply subschemas to the value itself, and those that only hold subschemas.
    pub(super) fn read_applicators(&mut self, children: &mut Children<'a>, found: &Keywords<'a>) {
        // What looks at what the others have evaluated comes last.
        for &word in &[
            Word::AllOf,
            Word::AnyOf,
            Word::OneOf,
            Word::Not,
            Word::If,
            Word::Then,
            Word::Else,
            Word::Ref,
            Word::DynamicRef,
            Word::RecursiveRef,
            Word::UnevaluatedItems,
            Word::UnevaluatedProperties,
            Word::Defs,
            Word::Definitions,
        ] {
            let Some(value) = found.get(word) else { continue };
            match word {
                // A basic one holds one subschema or a row of them.
                Word::Not => {
                    let a = self.child(children, value);
                    self.rule(word, a, NONE, NONE);
                }
                Word::AllOf | Word::AnyOf | Word::OneOf => {
                    let (first, count) = self.child_row(children, value);
                    self.rule(word, first, count, 0);
                }
                _ if !WHOLE => {}
                Word::Ref | Word::DynamicRef | Word::RecursiveRef => {
                    self.refer(word, value, children.resource, children.dialect);
                }
                Word::Defs | Word::Definitions => {
                    self.child_row(children, value);
                }
                // Without an `if` they do nothing, but references may lead there.
                Word::Then | Word::Else => {
                    if found.get(Word::If).is_none() {
                        self.child(children, value);
                    }
                }
                _ => {
                    let a = self.child(children, value);
                    let (mut b, mut c) = (NONE, NONE);
                    if word == Word::If {
                        b = self.keyword_child(children, found.get(Word::Then));
                        c = self.keyword_child(children, found.get(Word::Else));
                    }
                    self.rule(word, a, b, c);
                }
            }
        }
    }
}

#[inline(never)]
fn name(quoted: &[u8]) -> Box<[u8]> {
    string_bytes(quoted).into()
}

/// Sorts the members' names and makes one of what `properties` and `required` say about a name.
fn merge(rules: &mut ObjectRules) {
    sort(&mut rules.properties, |left, right| (left.name.len(), &left.name) < (right.name.len(), &right.name));
    // `NONE` is the largest number of all.
    rules.properties.dedup_by(|later, earlier| {
        let same = later.name == earlier.name;
        if same {
            // Of several members with that name the last counts, as `JSON.parse` has it.
            if earlier.schema == NONE || (later.schema != NONE && later.schema > earlier.schema) {
                earlier.schema = later.schema;
            }
            earlier.required = later.required.min(earlier.required);
        }
        same
    });
    for property in &mut rules.properties {
        if property.required != NONE {
            property.required = rules.required;
            rules.required += 1;
        }
    }
}
