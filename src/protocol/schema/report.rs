//! What a violation says: what was expected and what came.

use super::Violation;
use super::evaluate::{Part, Run};
use super::rules::{Node, push_token};
use crate::protocol::json::{Raw, unquote};

/// How much of a value a message shows, in bytes.
const SHOWN: usize = 60;
/// How much of a list of permitted values a message shows, in bytes.
const SHOWN_CHOICES: usize = 300;

/// How the expectation of a keyword reads, around the keyword's value.
const PHRASES: &[(&str, &str, &str)] = &[
    ("enum", "expected one of ", ""),
    ("const", "expected ", ""),
    ("maximum", "expected at most ", ""),
    ("exclusiveMaximum", "expected less than ", ""),
    ("minimum", "expected at least ", ""),
    ("exclusiveMinimum", "expected more than ", ""),
    ("multipleOf", "expected a multiple of ", ""),
    ("maxLength", "expected at most ", " characters"),
    ("minLength", "expected at least ", " characters"),
    ("pattern", "expected a match of the pattern ", ""),
    ("format", "expected the format ", ""),
    ("maxItems", "expected at most ", " items"),
    ("minItems", "expected at least ", " items"),
    ("maxProperties", "expected at most ", " properties"),
    ("minProperties", "expected at least ", " properties"),
    ("maxContains", "expected at most ", " items that fit \"contains\""),
];

/// How it reads where the keyword's value would not help.
const PLAIN: &[(&str, &str)] = &[
    ("additionalProperties", "property not allowed"),
    ("unevaluatedProperties", "property not allowed"),
    ("items", "item not allowed"),
    ("unevaluatedItems", "item not allowed"),
    ("contains", "too few items fit \"contains\""),
    ("anyOf", "fits none of the alternatives in \"anyOf\""),
    ("oneOf", "does not fit exactly one of the alternatives in \"oneOf\""),
    ("not", "fits what \"not\" forbids"),
    ("", "value not allowed"),
];

impl<'i> Run<'_, 'i> {
    /// Reports that a value does not do what a keyword asks for; always false.
    #[inline(never)]
    pub(super) fn fail(&mut self, node: &Node, keyword: &'static str, value: Raw<'i>) -> bool {
        if self.is_over() {
            return false;
        }
        let wanted = self.program.raw(node.span).get(keyword);
        let mut message = String::new();
        if keyword == "type" {
            message.push_str("expected ");
            for (index, name) in wanted.into_iter().flat_map(|wanted| wanted.elements().chain([wanted])).enumerate() {
                let Some(name) = name.as_str() else { continue };
                message.push_str(if index > 0 { " or " } else { "" });
                message.push_str(&name);
            }
        } else if let Some((_, before, behind)) = PHRASES.iter().find(|(known, ..)| *known == keyword) {
            message.push_str(before);
            push_shortened(&mut message, wanted.map_or("", Raw::as_text), SHOWN_CHOICES);
            message.push_str(behind);
        } else {
            let plain = PLAIN.iter().find(|(known, _)| *known == keyword);
            message.push_str(plain.map_or(keyword, |(_, plain)| plain));
        }
        message.push_str(", got ");
        push_shortened(&mut message, value.as_text(), SHOWN);
        self.report(node, keyword, message)
    }

    /// Reports that a member is missing; always false.
    #[inline(never)]
    pub(super) fn fail_member(&mut self, node: &Node, keyword: &'static str, name: Raw<'_>) -> bool {
        if self.is_over() {
            return false;
        }
        let mut message = String::from("missing required property ");
        push_shortened(&mut message, name.as_text(), SHOWN);
        self.report(node, keyword, message)
    }

    /// Reports that two elements are equal; always false.
    #[inline(never)]
    pub(super) fn fail_twins(&mut self, node: &Node, left: usize, right: usize) -> bool {
        if self.is_over() {
            return false;
        }
        let message = ["expected unique items, but ", &left.to_string(), " and ", &right.to_string(), " are equal"];
        self.report(node, "uniqueItems", message.concat())
    }

    /// The violation that stands for a limit.
    pub(super) fn limit(&self, message: &str) -> Violation {
        Violation { instance_path: String::new(), schema_path: String::new(), message: message.to_owned() }
    }

    fn report(&mut self, node: &Node, keyword: &str, message: String) -> bool {
        let mut instance_path = String::new();
        for part in &self.path {
            match part {
                Part::Member(quoted) => push_token(&mut instance_path, &unquote(quoted)),
                Part::Element(index) => push_token(&mut instance_path, &index.to_string()),
            }
        }
        let mut schema_path = self.program.pointer(node.span);
        if !keyword.is_empty() {
            push_token(&mut schema_path, keyword);
        }
        self.found.push(Violation { instance_path, schema_path, message });
        false
    }
}

/// Appends a text, cut short at a character where it is longer than `most` bytes.
fn push_shortened(out: &mut String, text: &str, most: usize) {
    if text.len() <= most {
        out.push_str(text);
        return;
    }
    let end = (0..=most).rev().find(|end| text.is_char_boundary(*end)).unwrap_or_default();
    out.push_str(text.get(..end).unwrap_or_default());
    out.push('…');
}
