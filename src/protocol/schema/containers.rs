//! The keywords that look into objects and arrays: one loop over the parts for all of them.

use super::WHOLE;
use super::dialect::Word;
use super::equal::string_bytes;
use super::evaluate::{Marks, Part, Run};
use super::rules::{NONE, Node, NodeId, ObjectRules, Rule};
use crate::protocol::json::{Key, Raw};

impl<'i> Run<'_, 'i> {
    /// Applies a subschema to a part of the value.
    fn apply_to_part(&mut self, id: NodeId, part: Part<'i>, value: Raw<'i>) -> bool {
        self.path.push(part);
        let holds = self.apply(id, value, None);
        self.path.pop();
        holds
    }

    #[inline(never)]
    pub(super) fn members(&mut self, node: &Node, rules: u32, value: Raw<'i>, mut marks: Option<&mut Marks>) -> bool {
        let Some(rules) = self.program.objects.get(rules as usize) else { return false };
        let mut holds = true;
        let mut count = 0;
        let mut required = rules.required;
        let mut present = Marks::default();
        // Only the members of the instance itself are among them.
        let members = if self.path.is_empty() { value.members_with(self.ends) } else { value.members() };
        for (index, (key, member)) in members.enumerate() {
            if !self.steps.pay(member.text().len()) {
                return false;
            }
            count += 1;
            let part = Part::Member(key.quoted());
            let mut matched = false;
            let name = string_bytes(key.quoted());
            let found = rules
                .properties
                .binary_search_by(|property| (property.name.len(), &*property.name).cmp(&(name.len(), &*name)));
            if let Some(property) = found.ok().and_then(|at| rules.properties.get(at)) {
                if property.required != NONE && !present.has(property.required as usize) {
                    present.set(property.required as usize);
                    required -= 1;
                }
                if property.schema != NONE {
                    matched = true;
                    holds &= self.apply_to_part(property.schema, part, member);
                }
            }
            for (pattern, id) in &rules.patterns {
                if WHOLE && self.matches(*pattern, key.quoted()) {
                    matched = true;
                    holds &= self.apply_to_part(*id, part, member);
                }
            }
            if rules.additional != NONE && !matched {
                matched = true;
                holds &= self.apply_rest(node, "additionalProperties", rules.additional, part, member);
            }
            if rules.names != NONE {
                holds &= self.apply_to_part(rules.names, part, Raw::from_valid(key.quoted()));
            }
            if matched && let Some(marks) = marks.as_deref_mut() {
                marks.set(index);
            }
            if !holds && self.is_over() {
                return false;
            }
        }
        if required > 0 {
            holds = self.fail_missing(node, value);
        }
        if count < rules.min {
            holds = self.fail(node, "minProperties", value);
        }
        if count > rules.max {
            holds = self.fail(node, "maxProperties", value);
        }
        (!WHOLE || rules.dependents.is_empty() || self.dependents(node, rules, value, marks)) && holds
    }

    /// A subschema for what no other one took: where it is `false`, the part itself is what is wrong.
    fn apply_rest(&mut self, node: &Node, keyword: &'static str, id: NodeId, part: Part<'i>, value: Raw<'i>) -> bool {
        if !self.program.is_never(id) {
            return self.apply_to_part(id, part, value);
        }
        self.path.push(part);
        let holds = self.fail(node, keyword, value);
        self.path.pop();
        holds
    }

    fn dependents(&mut self, node: &Node, rules: &ObjectRules, value: Raw<'i>, mut marks: Option<&mut Marks>) -> bool {
        let mut holds = true;
        let program = self.program;
        for dependent in &rules.dependents {
            if !self.steps.pay(value.text().len()) || !has_member(value, &dependent.name) {
                continue;
            }
            if dependent.schema != NONE {
                holds &= self.apply(dependent.schema, value, marks.as_deref_mut());
                continue;
            }
            for wanted in program.raw(dependent.names).elements() {
                if self.steps.pay(value.text().len()) && !has_member(value, &string_bytes(wanted.text())) {
                    holds = self.fail_member(node, "dependentRequired", wanted);
                }
            }
            if !holds && self.is_over() {
                return false;
            }
        }
        holds
    }

    /// Reports every required member that is missing.
    #[inline(never)]
    fn fail_missing(&mut self, node: &Node, value: Raw<'i>) -> bool {
        let Some(required) = self.program.raw(node.span).get("required") else { return false };
        for name in required.elements() {
            if self.is_over() {
                break;
            }
            if !has_member(value, &string_bytes(name.text())) {
                self.fail_member(node, "required", name);
            }
        }
        false
    }

    #[inline(never)]
    pub(super) fn elements(&mut self, node: &Node, rules: u32, value: Raw<'i>, mut marks: Option<&mut Marks>) -> bool {
        let Some(rules) = self.program.arrays.get(rules as usize) else { return false };
        let mut holds = true;
        let (mut count, mut contained) = (0, 0);
        for (index, element) in value.elements().enumerate() {
            if !self.steps.pay(element.text().len()) {
                return false;
            }
            count += 1;
            let part = Part::Element(index);
            let mut evaluated = false;
            if index < rules.prefix.1 as usize {
                evaluated = true;
                holds &= self.apply_to_part(rules.prefix.0 + index as u32, part, element);
            } else if rules.rest != NONE {
                evaluated = true;
                holds &= self.apply_rest(node, "items", rules.rest, part, element);
            }
            if WHOLE && rules.contains != NONE && self.probe(rules.contains, element, None) {
                contained += 1;
                evaluated |= rules.contains_evaluates;
            }
            if evaluated && let Some(marks) = marks.as_deref_mut() {
                marks.set(index);
            }
            if !holds && self.is_over() {
                return false;
            }
        }
        let checks = [
            (count < rules.min, "minItems"),
            (count > rules.max, "maxItems"),
            (WHOLE && rules.contains != NONE && contained < rules.min_contains, "contains"),
            (WHOLE && rules.contains != NONE && contained > rules.max_contains, "maxContains"),
        ];
        for (fails, keyword) in checks {
            if fails {
                holds = self.fail(node, keyword, value);
            }
        }
        if WHOLE && rules.unique && (holds || !self.is_over()) {
            if let Some((left, right)) = self.twins(value) {
                holds = self.fail_twins(node, left, right);
            }
            holds &= self.steps.0 > 0;
        }
        holds
    }

    /// `unevaluatedItems` and `unevaluatedProperties`.
    #[inline(never)]
    pub(super) fn unevaluated(
        &mut self,
        node: &Node,
        rule: Rule,
        value: Raw<'i>,
        mut marks: Option<&mut Marks>,
    ) -> bool {
        let mut holds = true;
        let (mut members, mut elements) = (value.members(), value.elements());
        let keyword = if rule.word == Word::UnevaluatedItems {
            members = Raw::from_valid(b"{}").members();
            "unevaluatedItems"
        } else {
            elements = Raw::from_valid(b"[]").elements();
            "unevaluatedProperties"
        };
        for index in 0.. {
            let next = elements.next().map(|element| (Part::Element(index), element));
            let next = next.or_else(|| members.next().map(|(key, member)| (Part::Member(key.quoted()), member)));
            let Some((part, value)) = next else { break };
            if !self.steps.pay(value.text().len()) {
                return false;
            }
            if let Some(marks) = marks.as_deref_mut() {
                if marks.has(index) {
                    continue;
                }
                marks.set(index);
            }
            holds &= self.apply_rest(node, keyword, rule.a, part, value);
            if !holds && self.is_over() {
                return false;
            }
        }
        holds
    }
}

fn has_member(object: Raw<'_>, name: &[u8]) -> bool {
    object.members().any(|(key, _): (Key<'_>, _)| *string_bytes(key.quoted()) == *name)
}
