//! The values of keywords, checked and made into rules.

use super::compile::{Builder, Item};
use super::dialect::{Dialect, KEYWORDS, Shape, Word};
use super::equal::{sort, string_bytes};
use super::number::Decimal;
use super::regex::Regex;
use super::rules::{ArrayRules, Dependent, NodeId, ObjectRules, Property, Rule, types_named};
use super::{MAX_PATTERN_SIZE, SchemaError};
use crate::protocol::json::{Key, Kind, Raw};

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

    fn count(&self, word: Word) -> Option<u64> {
        Decimal::read(self.get(word)?.text()).as_count()
    }

    fn members(&self, word: Word) -> impl Iterator<Item = (Key<'a>, Raw<'a>)> + use<'a> {
        self.get(word).into_iter().flat_map(Raw::members)
    }
}

/// The subschemas of one schema object, on their way to the queue.
pub(super) struct Children<'c, 'a> {
    pub(super) parent: &'c Item<'a>,
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
    pub(super) fn child(&mut self, children: &mut Children<'_, 'a>, value: Raw<'a>) -> Result<NodeId, SchemaError> {
        let (document, depth) = (children.parent.document, children.parent.depth + 1);
        let item = self.node(Item { id: 0, value, document, dialect: children.dialect, depth }, children.resource)?;
        let id = item.id;
        children.items.push(item);
        Ok(id)
    }

    fn optional_child(
        &mut self,
        children: &mut Children<'_, 'a>,
        value: Option<Raw<'a>>,
    ) -> Result<Option<NodeId>, SchemaError> {
        value.map(|value| self.child(children, value)).transpose()
    }

    fn child_list(&mut self, children: &mut Children<'_, 'a>, value: Raw<'a>) -> Result<Vec<NodeId>, SchemaError> {
        let mut list = Vec::new();
        for element in value.elements() {
            list.push(self.child(children, element)?);
        }
        Ok(list)
    }

    fn pattern(&mut self, pattern: &str) -> Result<u32, SchemaError> {
        let room = MAX_PATTERN_SIZE - self.pattern_size;
        let regex = Regex::compile(pattern, room)
            .map_err(|reason| SchemaError::Pattern { pattern: pattern.to_owned(), reason })?;
        self.pattern_size += regex.size();
        self.program.patterns.push(regex);
        Ok(self.program.patterns.len() as u32 - 1)
    }

    /// The keywords that look at a value without its parts.
    pub(super) fn read_scalars(&mut self, document: usize, found: &Keywords<'a>) -> Result<(), SchemaError> {
        for word in [
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
            let span = self.span(document, value);
            let count = || Decimal::read(value.text()).as_count().unwrap_or_default();
            let text = || value.as_str().unwrap_or_default();
            let rule = match word {
                Word::Enum => Rule::Enum(span),
                Word::Const => Rule::Const(span),
                Word::Maximum => Rule::Maximum(span),
                Word::ExclusiveMaximum => Rule::ExclusiveMaximum(span),
                Word::Minimum => Rule::Minimum(span),
                Word::ExclusiveMinimum => Rule::ExclusiveMinimum(span),
                Word::MultipleOf => Rule::MultipleOf(span),
                Word::MaxLength => Rule::MaxLength(count()),
                Word::MinLength => Rule::MinLength(count()),
                Word::Pattern => Rule::Pattern(self.pattern(&text())?),
                _ => match self.options.formats.and_then(|formats| formats(&text())) {
                    Some(test) => Rule::Format(test),
                    None => continue,
                },
            };
            self.program.rules.push(rule);
        }
        Ok(())
    }

    /// The keywords that look at an object's members.
    pub(super) fn read_members(
        &mut self,
        document: usize,
        found: &Keywords<'a>,
        children: &mut Children<'_, 'a>,
    ) -> Result<(), SchemaError> {
        let mut rules = ObjectRules {
            min: found.count(Word::MinProperties).unwrap_or_default(),
            max: found.count(Word::MaxProperties).unwrap_or(u64::MAX),
            ..ObjectRules::default()
        };
        for (key, value) in found.members(Word::Properties) {
            let schema = Some(self.child(children, value)?);
            rules.properties.push(Property { name: name(key.quoted()), schema, required: None });
        }
        for required in found.get(Word::Required).into_iter().flat_map(Raw::elements) {
            self.part()?;
            rules.properties.push(Property { name: name(required.text()), schema: None, required: Some(0) });
        }
        merge(&mut rules);
        for (key, value) in found.members(Word::PatternProperties) {
            let child = self.child(children, value)?;
            rules.patterns.push((self.pattern(&key.name())?, child));
        }
        rules.additional = self.optional_child(children, found.get(Word::AdditionalProperties))?;
        rules.names = self.optional_child(children, found.get(Word::PropertyNames))?;
        for word in [Word::DependentRequired, Word::DependentSchemas, Word::Dependencies] {
            for (key, value) in found.members(word) {
                self.part()?;
                let dependent = if value.kind() == Kind::Array {
                    Dependent::Names(self.span(document, value))
                } else {
                    Dependent::Schema(self.child(children, value)?)
                };
                rules.dependents.push((name(key.quoted()), dependent));
            }
        }
        let idle = rules.properties.is_empty()
            && rules.patterns.is_empty()
            && rules.dependents.is_empty()
            && rules.additional.or(rules.names).is_none()
            && (rules.min, rules.max) == (0, u64::MAX);
        if !idle {
            self.program.rules.push(Rule::Object(Box::new(rules)));
        }
        Ok(())
    }

    /// The keywords that look at an array's elements.
    pub(super) fn read_elements(
        &mut self,
        found: &Keywords<'a>,
        children: &mut Children<'_, 'a>,
    ) -> Result<(), SchemaError> {
        let mut rules = ArrayRules {
            min: found.count(Word::MinItems).unwrap_or_default(),
            max: found.count(Word::MaxItems).unwrap_or(u64::MAX),
            unique: found.flag(Word::UniqueItems),
            min_contains: found.count(Word::MinContains).unwrap_or(1),
            max_contains: found.count(Word::MaxContains).unwrap_or(u64::MAX),
            contains_evaluates: children.dialect == Dialect::Draft2020,
            ..ArrayRules::default()
        };
        // Up to 2019-09 an array in `items` is what `prefixItems` is now, and `additionalItems` what `items` is.
        let mut prefix = found.get(Word::PrefixItems);
        let mut rest = found.get(Word::Items2020);
        if let Some(items) = found.get(Word::Items) {
            if items.kind() == Kind::Array {
                prefix = Some(items);
                rest = found.get(Word::AdditionalItems);
            } else {
                rest = Some(items);
            }
        }
        if let Some(prefix) = prefix {
            rules.prefix = self.child_list(children, prefix)?;
        }
        rules.rest = self.optional_child(children, rest)?;
        rules.contains = self.optional_child(children, found.get(Word::Contains))?;
        let idle = rules.prefix.is_empty()
            && rules.rest.or(rules.contains).is_none()
            && (rules.min, rules.max, rules.unique) == (0, u64::MAX, false);
        if !idle {
            self.program.rules.push(Rule::Array(Box::new(rules)));
        }
        Ok(())
    }

    /// The keywords that apply subschemas to the value itself.
    pub(super) fn read_applicators(
        &mut self,
        found: &Keywords<'a>,
        children: &mut Children<'_, 'a>,
    ) -> Result<(), SchemaError> {
        for word in [Word::AllOf, Word::AnyOf, Word::OneOf] {
            if let Some(value) = found.get(word) {
                let list = self.child_list(children, value)?;
                self.program.rules.push(match word {
                    Word::AllOf => Rule::AllOf(list),
                    Word::AnyOf => Rule::AnyOf(list),
                    _ => Rule::OneOf(list),
                });
            }
        }
        if let Some(value) = found.get(Word::Not) {
            let child = self.child(children, value)?;
            self.program.rules.push(Rule::Not(child));
        }
        let condition = self.optional_child(children, found.get(Word::If))?;
        let then = self.optional_child(children, found.get(Word::Then))?;
        let otherwise = self.optional_child(children, found.get(Word::Else))?;
        if let Some(condition) = condition {
            self.program.rules.push(Rule::If(condition, then, otherwise));
        }
        Ok(())
    }
}

fn name(quoted: &[u8]) -> Box<[u8]> {
    string_bytes(quoted).into()
}

/// Sorts the members' names and makes one of what `properties` and `required` say about a name.
fn merge(rules: &mut ObjectRules) {
    sort(&mut rules.properties, |left, right| (left.name.len(), &left.name) < (right.name.len(), &right.name));
    let mut required = 0;
    rules.properties.dedup_by(|later, earlier| {
        let same = later.name == earlier.name;
        if same {
            earlier.schema = later.schema.max(earlier.schema);
            earlier.required = later.required.or(earlier.required);
        }
        same
    });
    for property in &mut rules.properties {
        if let Some(number) = &mut property.required {
            *number = required;
            required += 1;
        }
    }
    rules.required = required;
}
