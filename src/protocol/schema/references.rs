//! `$id`, `$anchor` and `$ref`: what a subschema is called, and which one a reference means.

use super::compile::{Builder, Item};
use super::dialect::{Dialect, Word};
use super::keywords::Keywords;
use super::rules::{DynamicAnchor, NodeId};
use super::uri::{decode, find, resolve, split};
use super::{MAX_IDENTIFIERS, SchemaError};
use crate::protocol::json::{Kind, Raw};
use std::borrow::Cow;

/// A reference whose target is not known yet.
#[derive(Debug)]
pub(super) struct Pending<'a> {
    /// The rule that is waiting for it.
    pub(super) rule: usize,
    /// Which of `$ref`, `$dynamicRef` and `$recursiveRef` it is.
    pub(super) word: Word,
    pub(super) reference: Cow<'a, str>,
    pub(super) resource: u32,
    pub(super) dialect: Dialect,
}

#[derive(Debug)]
struct Resource {
    uri: String,
    root: NodeId,
}

#[derive(Debug)]
struct Anchor {
    resource: u32,
    name: u32,
    node: NodeId,
}

/// A subschema by its place in the text.
#[derive(Clone, Copy, Debug)]
struct Place {
    start: u32,
    node: NodeId,
    dialect: Dialect,
}

/// What references need to know while a schema is compiled.
#[derive(Debug, Default)]
pub(super) struct References<'a> {
    pub(super) pending: Vec<Pending<'a>>,
    pub(super) dynamic: Vec<DynamicAnchor>,
    resources: Vec<Resource>,
    anchors: Vec<Anchor>,
    names: Vec<String>,
    /// In the order of the text.
    places: Vec<Place>,
}

impl References<'_> {
    /// The number of a name.
    fn name(&mut self, name: &str) -> u32 {
        let known = self.names.iter().position(|known| known == name);
        known.unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        }) as u32
    }

    /// The first place at or behind that offset.
    fn place_at(&self, start: u32) -> usize {
        self.places.partition_point(|place| place.start < start)
    }

    pub(super) fn add_place(&mut self, start: u32, node: NodeId, dialect: Dialect) {
        self.places.insert(self.place_at(start), Place { start, node, dialect });
    }

    #[inline(never)]
    fn place(&self, start: u32) -> Option<Place> {
        self.places.get(self.place_at(start)).filter(|place| place.start == start).copied()
    }

    fn base(&self, resource: u32) -> &str {
        self.resources.get(resource as usize).map_or("", |resource| &resource.uri)
    }
}

impl<'a> Builder<'a> {
    fn count_identifier(&mut self) {
        if self.references.resources.len() + self.references.anchors.len() >= MAX_IDENTIFIERS {
            self.fail(SchemaError::TooLarge("MAX_IDENTIFIERS"));
        }
    }

    #[inline(never)]
    pub(super) fn add_resource(&mut self, uri: &str, root: NodeId) -> u32 {
        self.count_identifier();
        self.references.resources.push(Resource { uri: uri.to_owned(), root });
        self.references.resources.len() as u32 - 1
    }

    #[inline(never)]
    fn add_anchor(&mut self, resource: u32, name: &str, node: NodeId, dynamic: bool) {
        self.count_identifier();
        let name = self.references.name(name);
        self.references.anchors.push(Anchor { resource, name, node });
        if dynamic {
            self.references.dynamic.push(DynamicAnchor { resource, name, node });
        }
    }

    /// Notes what a subschema is called.
    pub(super) fn identify(&mut self, id: NodeId, found: &Keywords<'a>, dialect: Dialect) {
        let mut resource = self.program.node(id).map_or(0, |node| node.resource);
        for word in [Word::Id, Word::Anchor, Word::DynamicAnchor, Word::RecursiveAnchor] {
            let Some(value) = found.get(word) else { continue };
            let text = value.as_str().unwrap_or_default();
            if word != Word::Id {
                if word != Word::RecursiveAnchor || found.flag(word) {
                    self.add_anchor(resource, &text, id, word != Word::Anchor);
                }
                continue;
            }
            let (uri, fragment) = split(&text, find(&text, b"#"));
            if !uri.is_empty() {
                let uri = resolve(self.references.base(resource), uri);
                resource = self.add_resource(&uri, id);
                if let Some(node) = self.program.nodes.get_mut(id as usize) {
                    node.resource = resource;
                }
            }
            if fragment.len() > 1 && dialect != Dialect::Draft2020 {
                self.add_anchor(resource, fragment.get(1..).unwrap_or_default(), id, false);
            }
        }
    }

    /// Finds the target of a reference, or makes it readable and leaves the reference for later.
    pub(super) fn resolve(&mut self, pending: Pending<'a>) {
        let full = resolve(self.references.base(pending.resource), &pending.reference);
        let (uri, fragment) = split(&full, find(&full, b"#"));
        let Some(resource) = self.references.resources.iter().position(|resource| resource.uri == uri) else {
            let is_it = |known: &str| known.strip_suffix('#').unwrap_or(known) == uri;
            let Some((_, document)) = self.options.documents.iter().find(|(known, _)| is_it(known)) else {
                return self.fail(SchemaError::RemoteReference(full));
            };
            self.add_document(*document, uri, pending.dialect);
            self.references.pending.push(pending);
            return;
        };
        let root = self.references.resources.get(resource).map_or(0, |resource| resource.root);
        // The root's own `$id` may have made a resource of its own of it.
        let own = self.program.node(root).map_or(0, |node| node.resource);
        let fragment = decode(fragment.get(1..).unwrap_or_default());
        let name = self.references.names.iter().position(|name| *name == fragment).map(|name| name as u32);
        let is_recursive = pending.word == Word::RecursiveRef;
        let anchor = self.references.anchors.iter().find(|anchor| {
            Some(anchor.name) == name
                && (anchor.resource == own || anchor.resource as usize == resource)
                && (!is_recursive || anchor.node == root)
        });
        let target = match anchor {
            Some(anchor) if is_recursive || !fragment.is_empty() => Some(anchor.node),
            _ if fragment.is_empty() => Some(root),
            _ if fragment.starts_with('/') => self.follow(root, &fragment, pending.dialect),
            _ => None,
        };
        let Some(target) = target else { return self.fail(SchemaError::UnresolvedReference(full)) };
        let is_dynamic = pending.word != Word::Ref
            && self.references.dynamic.iter().any(|anchor| Some(anchor.name) == name && anchor.node == target);
        if let Some(rule) = self.program.rules.get_mut(pending.rule) {
            rule.word = if is_dynamic { Word::DynamicRef } else { Word::Ref };
            (rule.a, rule.b) = (target, name.unwrap_or_default());
        }
    }

    /// The subschema at a JSON pointer; one in an unexpected place is taken in now.
    fn follow(&mut self, root: NodeId, pointer: &str, dialect: Dialect) -> Option<NodeId> {
        let node = self.program.node(root)?;
        let (start, end, mut resource) = (node.span.start, node.span.end, node.resource);
        let document = self.documents.iter().rposition(|(_, base)| *base <= start)?;
        let (whole, base) = self.documents.get(document).copied()?;
        let mut value = Raw::from_valid(whole.text().get((start - base) as usize..(end - base) as usize)?);
        let mut place = self.references.place(start);
        let mut dialect = place.map_or(dialect, |place| place.dialect);
        let mut depth = 0;
        let mut rest = pointer;
        while let Some(behind) = rest.strip_prefix('/') {
            let (token, behind) = split(behind, find(behind, b"/"));
            rest = behind;
            let token = unescape(token);
            value = match value.kind() {
                Kind::Array => value.elements().nth(index(&token)?)?,
                _ => value.get(&token)?,
            };
            depth += 1;
            place = self.references.place(self.span(document, value).start);
            if let Some(place) = place {
                dialect = place.dialect;
                resource = self.program.node(place.node).map_or(resource, |node| node.resource);
            }
        }
        if let Some(place) = place {
            return Some(place.node);
        }
        let item = self.node(Item { id: 0, value, document, dialect, depth }, resource);
        // Read at once, so that a second reference to the same place finds it.
        self.read(item);
        Some(item.id)
    }
}

/// A token of a JSON pointer without its escapes.
fn unescape(token: &str) -> String {
    let mut out = String::new();
    let mut rest = token;
    loop {
        let (plain, behind) = split(rest, find(rest, b"~"));
        out.push_str(plain);
        rest = behind;
        if let Some(behind) = rest.strip_prefix("~1") {
            out.push('/');
            rest = behind;
        } else if let Some(behind) = rest.strip_prefix("~0").or_else(|| rest.strip_prefix('~')) {
            out.push('~');
            rest = behind;
        } else {
            return out;
        }
    }
}

/// An array's index in a JSON pointer: digits without a leading zero.
fn index(token: &str) -> Option<usize> {
    let is_index = !token.is_empty() && token.len() < 8 && (token == "0" || !token.starts_with('0'));
    token
        .bytes()
        .try_fold(0, |value, digit| digit.is_ascii_digit().then(|| value * 10 + usize::from(digit - b'0')))
        .filter(|_| is_index)
}
