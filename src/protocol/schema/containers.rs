//! The keywords that look into objects and arrays: one loop over the parts for all of them.

use super::equal::string_bytes;
use super::evaluate::{Marks, Part, Run};
use super::rules::{ArrayRules, Dependent, Node, NodeId, ObjectRules};
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
    pub(super) fn members(
        &mut self,
        node: &Node,
        rules: &ObjectRules,
        value: Raw<'i>,
        mut marks: Option<&mut Marks>,
    ) -> bool {
        let mut holds = true;
        let mut count = 0;
        let mut required = rules.required;
        let mut present = Marks::default();
        for (index, (key, member)) in value.members().enumerate() {
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
                if let Some(number) = property.required
                    && !present.has(number as usize)
                {
                    present.set(number as usize);
                    required -= 1;
                }
                if let Some(id) = property.schema {
                    matched = true;
                    holds &= self.apply_to_part(id, part, member);
                }
            }
            for (pattern, id) in &rules.patterns {
                if self.matches(*pattern, key.quoted()) {
                    matched = true;
                    holds &= self.apply_to_part(*id, part, member);
                }
            }
            if let Some(id) = rules.additional
                && !matched
            {
                matched = true;
                holds &= self.apply_rest(node, "additionalProperties", id, part, member);
            }
            if let Some(id) = rules.names {
                holds &= self.apply_to_part(id, part, Raw::from_valid(key.quoted()));
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
        (rules.dependents.is_empty() || self.dependents(node, rules, value, marks)) && holds
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
        for (name, dependent) in &rules.dependents {
            if !self.steps.pay(value.text().len()) || !has_member(value, name) {
                continue;
            }
            match dependent {
                Dependent::Schema(id) => holds &= self.apply(*id, value, marks.as_deref_mut()),
                Dependent::Names(span) => {
                    for wanted in program.raw(*span).elements() {
                        if self.steps.pay(value.text().len()) && !has_member(value, &string_bytes(wanted.text())) {
                            holds = self.fail_member(node, "dependentRequired", wanted);
                        }
                    }
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
        let required = self.program.raw(node.span).get("required");
        for name in required.into_iter().flat_map(Raw::elements) {
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
    pub(super) fn elements(
        &mut self,
        node: &Node,
        rules: &ArrayRules,
        value: Raw<'i>,
        mut marks: Option<&mut Marks>,
    ) -> bool {
        let mut holds = true;
        let (mut count, mut contained) = (0, 0);
        for (index, element) in value.elements().enumerate() {
            if !self.steps.pay(element.text().len()) {
                return false;
            }
            count += 1;
            let part = Part::Element(index);
            let mut evaluated = false;
            if let Some(id) = rules.prefix.get(index) {
                evaluated = true;
                holds &= self.apply_to_part(*id, part, element);
            } else if let Some(id) = rules.rest {
                evaluated = true;
                holds &= self.apply_rest(node, "items", id, part, element);
            }
            if let Some(id) = rules.contains
                && self.probe(id, element, None)
            {
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
            (rules.contains.is_some() && contained < rules.min_contains, "contains"),
            (rules.contains.is_some() && contained > rules.max_contains, "maxContains"),
        ];
        for (fails, keyword) in checks {
            if fails {
                holds = self.fail(node, keyword, value);
            }
        }
        if rules.unique && (holds || !self.is_over()) {
            if let Some((left, right)) = self.twins(value) {
                holds = self.fail_twins(node, left, right);
            }
            holds &= self.steps.0 > 0;
        }
        holds
    }

    #[inline(never)]
    pub(super) fn unevaluated_items(
        &mut self,
        node: &Node,
        id: NodeId,
        value: Raw<'i>,
        mut marks: Option<&mut Marks>,
    ) -> bool {
        let mut holds = true;
        for (index, element) in value.elements().enumerate() {
            if !self.steps.pay(element.text().len()) {
                return false;
            }
            if marks.as_deref().is_some_and(|marks| marks.has(index)) {
                continue;
            }
            holds &= self.apply_rest(node, "unevaluatedItems", id, Part::Element(index), element);
            if let Some(marks) = marks.as_deref_mut() {
                marks.set(index);
            }
            if !holds && self.is_over() {
                return false;
            }
        }
        holds
    }

    #[inline(never)]
    pub(super) fn unevaluated_properties(
        &mut self,
        node: &Node,
        id: NodeId,
        value: Raw<'i>,
        mut marks: Option<&mut Marks>,
    ) -> bool {
        let mut holds = true;
        for (index, (key, member)) in value.members().enumerate() {
            if !self.steps.pay(member.text().len()) {
                return false;
            }
            if marks.as_deref().is_some_and(|marks| marks.has(index)) {
                continue;
            }
            holds &= self.apply_rest(node, "unevaluatedProperties", id, Part::Member(key.quoted()), member);
            if let Some(marks) = marks.as_deref_mut() {
                marks.set(index);
            }
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
