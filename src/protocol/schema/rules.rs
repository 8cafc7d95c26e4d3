//! The compiled form: flat lists, nothing nested in itself.

use super::dialect::Word;
use super::format::Test;
use super::regex::Regex;
use crate::protocol::json::{Kind, Raw};

/// A subschema, as its place in [`Program::nodes`].
pub(super) type NodeId = u32;

/// A part of [`Program::text`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    pub(super) start: u32,
    pub(super) end: u32,
}

/// Everything that validation needs.
#[derive(Clone, Debug, Default)]
pub(super) struct Program {
    /// The texts of the schema and of the documents that it refers to, one behind the other.
    pub(super) text: Vec<u8>,
    /// Where each of those texts begins.
    pub(super) documents: Vec<u32>,
    pub(super) nodes: Vec<Node>,
    pub(super) rules: Vec<Rule>,
    pub(super) objects: Vec<ObjectRules>,
    pub(super) arrays: Vec<ArrayRules>,
    pub(super) patterns: Vec<Regex>,
    pub(super) tests: Vec<Test>,
    /// What `$dynamicRef` and `$recursiveRef` may find in the dynamic scope.
    pub(super) dynamic: Vec<DynamicAnchor>,
}

/// One subschema.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    /// Where its text is.
    pub(super) span: Span,
    /// The schema resource (`$id`) that it belongs to.
    pub(super) resource: u32,
    /// The types that it admits, bits of [`types`].
    pub(super) types: u8,
    /// Whether one of the rules looks at what the others have left unevaluated.
    pub(super) unevaluated: bool,
    /// Its rules: `count` of them from `first`.
    pub(super) first: u32,
    pub(super) count: u32,
}

/// A `$dynamicAnchor`; `$recursiveAnchor: true` is one with the name `""`.
#[derive(Clone, Copy, Debug)]
pub(super) struct DynamicAnchor {
    pub(super) resource: u32,
    pub(super) name: u32,
    pub(super) node: NodeId,
}

/// What one keyword, or a group of keywords that share a loop, asks for.
///
/// What `a`, `b` and `c` hold:
///
/// | word | |
/// |---|---|
/// | `Properties`, `Items` | the place in [`Program::objects`] or [`Program::arrays`]; stands for the whole group |
/// | `Pattern`, `Format` | the place in [`Program::patterns`] or [`Program::tests`] |
/// | `AllOf`, `AnyOf`, `OneOf` | the first subschema; how many there are |
/// | `If` | the subschemas of `if`, `then` and `else`, [`NONE`] where there is none |
/// | `DynamicRef` | the target, the name to look for |
/// | others with a subschema | the subschema |
/// | others | where the keyword's value begins and ends |
#[derive(Clone, Copy, Debug)]
pub(super) struct Rule {
    pub(super) word: Word,
    pub(super) a: u32,
    pub(super) b: u32,
    pub(super) c: u32,
}

/// No subschema.
pub(super) const NONE: NodeId = NodeId::MAX;

/// The keywords that look at the members of an object.
#[derive(Clone, Debug)]
pub(super) struct ObjectRules {
    /// By length and bytes of the name, for binary search.
    pub(super) properties: Vec<Property>,
    /// How many of them are required.
    pub(super) required: u32,
    pub(super) patterns: Vec<(u32, NodeId)>,
    pub(super) additional: NodeId,
    pub(super) names: NodeId,
    pub(super) min: u64,
    pub(super) max: u64,
    pub(super) dependents: Vec<Dependent>,
}

/// A member that `properties` or `required` names.
#[derive(Clone, Debug)]
pub(super) struct Property {
    pub(super) name: Box<[u8]>,
    pub(super) schema: NodeId,
    /// Its number among the required ones, [`NONE`] if it is not.
    pub(super) required: u32,
}

/// What the presence of a member asks for: a subschema, or an array of names.
#[derive(Clone, Debug)]
pub(super) struct Dependent {
    pub(super) name: Box<[u8]>,
    pub(super) schema: NodeId,
    pub(super) names: Span,
}

/// The keywords that look at the elements of an array.
#[derive(Clone, Copy, Debug)]
pub(super) struct ArrayRules {
    /// The first subschema of the prefix, and how many there are.
    pub(super) prefix: (NodeId, u32),
    pub(super) rest: NodeId,
    pub(super) contains: NodeId,
    pub(super) min_contains: u64,
    pub(super) max_contains: u64,
    /// Whether what `contains` finds counts as evaluated.
    pub(super) contains_evaluates: bool,
    pub(super) min: u64,
    pub(super) max: u64,
    pub(super) unique: bool,
}

impl Program {
    pub(super) fn node(&self, id: NodeId) -> Option<&Node> {
        self.nodes.get(id as usize)
    }

    pub(super) fn rules(&self, node: &Node) -> &[Rule] {
        self.rules.get(node.first as usize..(node.first + node.count) as usize).unwrap_or_default()
    }

    /// Whether a subschema is `false`.
    pub(super) fn is_never(&self, id: NodeId) -> bool {
        let first = self.node(id).and_then(|node| self.rules(node).first());
        first.is_some_and(|rule| rule.word == Word::Never)
    }

    /// The value at that place in the schema.
    pub(super) fn raw(&self, span: Span) -> Raw<'_> {
        Raw::from_valid(self.text.get(span.start as usize..span.end as usize).unwrap_or_default())
    }

    /// JSON pointer to a subschema in its document.
    pub(super) fn pointer(&self, span: Span) -> String {
        let (mut start, mut end) = (0, self.text.len() as u32);
        for document in &self.documents {
            if *document <= span.start {
                start = *document;
            } else {
                end = end.min(*document);
            }
        }
        pointer_to(self.raw(Span { start, end }), (span.start - start) as usize)
    }
}

/// JSON pointer to the value that begins at that offset of the document.
pub(super) fn pointer_to(document: Raw<'_>, offset: usize) -> String {
    let mut out = String::new();
    let mut at = document;
    let holds = |value: Raw<'_>| {
        let (start, end) = value.span_in(document.text());
        start <= offset && offset < end
    };
    while at.span_in(document.text()).0 < offset {
        let outer = at;
        for (key, value) in outer.members() {
            if holds(value) {
                push_token(&mut out, &key.name());
                at = value;
            }
        }
        for (index, value) in outer.elements().enumerate() {
            if holds(value) {
                push_token(&mut out, &index.to_string());
                at = value;
            }
        }
        if at == outer {
            break;
        }
    }
    out
}

/// Appends one step to a JSON pointer.
pub(super) fn push_token(out: &mut String, token: &str) {
    out.push('/');
    for character in token.chars() {
        match character {
            '~' => out.push_str("~0"),
            '/' => out.push_str("~1"),
            other => out.push(other),
        }
    }
}

/// Sets of JSON Schema's types.
pub(super) mod types {
    pub(in super::super) const NULL: u8 = 1;
    pub(in super::super) const BOOLEAN: u8 = 2;
    pub(in super::super) const INTEGER: u8 = 4;
    pub(in super::super) const FRACTION: u8 = 8;
    pub(in super::super) const STRING: u8 = 16;
    pub(in super::super) const ARRAY: u8 = 32;
    pub(in super::super) const OBJECT: u8 = 64;
    pub(in super::super) const ANY: u8 = 127;
}

/// The types that a name stands for.
pub(super) fn types_named(name: &str) -> Option<u8> {
    Some(match name {
        "null" => types::NULL,
        "boolean" => types::BOOLEAN,
        "integer" => types::INTEGER,
        "number" => types::INTEGER | types::FRACTION,
        "string" => types::STRING,
        "array" => types::ARRAY,
        "object" => types::OBJECT,
        _ => return None,
    })
}

/// The type of a value; for a number both bits, as it takes a look to tell an integer.
pub(super) fn types_of(kind: Kind) -> u8 {
    match kind {
        Kind::Null => types::NULL,
        Kind::Bool => types::BOOLEAN,
        Kind::Number => types::INTEGER | types::FRACTION,
        Kind::String => types::STRING,
        Kind::Array => types::ARRAY,
        Kind::Object => types::OBJECT,
    }
}
