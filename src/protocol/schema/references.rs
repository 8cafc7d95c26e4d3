//! `$id`, `$anchor` and `$ref`: what a subschema is called, and which one a reference means.

use super::compile::{Builder, Item};
use super::dialect::{Dialect, Word};
use super::keywords::Keywords;
use super::rules::{DynamicAnchor, NodeId, Rule};
use super::uri::{decode, resolve};
use super::{MAX_IDENTIFIERS, SchemaError};
use crate::protocol::json::{Kind, Raw};
use std::borrow::Cow;

/// How a reference finds its target.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum RefKind {
    Static,
    /// `$dynamicRef`: the outermost anchor of that name in the dynamic scope.
    Dynamic,
    /// `$recursiveRef`: likewise, with `$recursiveAnchor` for a name.
    Recursive,
}

/// A reference whose target is not known yet.
#[derive(Debug)]
pub(super) struct Pending<'a> {
    /// The rule that is waiting for it.
    pub(super) rule: usize,
    pub(super) kind: RefKind,
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
    dynamic: bool,
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
    resources: Vec<Resource>,
    anchors: Vec<Anchor>,
    names: Vec<String>,
    /// In the order of the text.
    places: Vec<Place>,
}

impl References<'_> {
    pub(super) fn add_resource(&mut self, uri: &str, root: NodeId) -> Result<u32, SchemaError> {
        self.room()?;
        self.resources.push(Resource { uri: uri.to_owned(), root });
        Ok(self.resources.len() as u32 - 1)
    }

    fn room(&self) -> Result<(), SchemaError> {
        if self.resources.len() + self.anchors.len() >= MAX_IDENTIFIERS {
            return Err(SchemaError::TooLarge("MAX_IDENTIFIERS"));
        }
        Ok(())
    }

    fn add_anchor(&mut self, resource: u32, name: &str, node: NodeId, dynamic: bool) -> Result<(), SchemaError> {
        self.room()?;
        let name = self.name(name);
        self.anchors.push(Anchor { resource, name, node, dynamic });
        Ok(())
    }

    /// The number of a name.
    fn name(&mut self, name: &str) -> u32 {
        let known = self.names.iter().position(|known| known == name);
        known.unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        }) as u32
    }

    pub(super) fn add_place(&mut self, start: u32, node: NodeId, dialect: Dialect) {
        let at = self.places.partition_point(|place| place.start < start);
        self.places.insert(at, Place { start, node, dialect });
    }

    fn place(&self, start: u32) -> Option<Place> {
        let at = self.places.partition_point(|place| place.start < start);
        self.places.get(at).filter(|place| place.start == start).copied()
    }

    pub(super) fn dynamic(&self) -> Vec<DynamicAnchor> {
        let dynamic = self.anchors.iter().filter(|anchor| anchor.dynamic);
        dynamic
            .map(|anchor| DynamicAnchor { resource: anchor.resource, name: anchor.name, node: anchor.node })
            .collect()
    }
}

impl<'a> Builder<'a> {
    /// Notes what a subschema is called.
    pub(super) fn identify(
        &mut self,
        item: &Item<'a>,
        found: &Keywords<'a>,
        dialect: Dialect,
    ) -> Result<(), SchemaError> {
        let mut resource = self.program.node(item.id).map_or(0, |node| node.resource);
        let text = |word| found.get(word).and_then(Raw::as_str);
        if let Some(id) = text(Word::Id) {
            let (uri, fragment) = id.split_once('#').unwrap_or((&id, ""));
            if !uri.is_empty() {
                let base = self.references.resources.get(resource as usize).map_or("", |known| &known.uri);
                let uri = resolve(base, uri);
                resource = self.references.add_resource(&uri, item.id)?;
                if let Some(node) = self.program.nodes.get_mut(item.id as usize) {
                    node.resource = resource;
                }
            }
            if !fragment.is_empty() && dialect != Dialect::Draft2020 {
                self.references.add_anchor(resource, fragment, item.id, false)?;
            }
        }
        if let Some(name) = text(Word::Anchor) {
            self.references.add_anchor(resource, &name, item.id, false)?;
        }
        if let Some(name) = text(Word::DynamicAnchor) {
            self.references.add_anchor(resource, &name, item.id, true)?;
        }
        if found.flag(Word::RecursiveAnchor) {
            self.references.add_anchor(resource, "", item.id, true)?;
        }
        Ok(())
    }

    /// Finds the target of a reference, or makes it readable and leaves the reference for later.
    pub(super) fn resolve(&mut self, pending: Pending<'a>) -> Result<(), SchemaError> {
        let base = self.references.resources.get(pending.resource as usize).map_or("", |resource| &resource.uri);
        let full = resolve(base, &pending.reference);
        let (uri, fragment) = full.split_once('#').unwrap_or((&full, ""));
        let fragment = decode(fragment);
        let known = |resource: &Resource| resource.uri == uri;
        let Some(resource) = self.references.resources.iter().position(known) else {
            let document = self.options.documents.iter().find(|(known, _)| known.trim_end_matches('#') == uri);
            let Some((_, document)) = document else { return Err(SchemaError::RemoteReference(full)) };
            self.add_document(*document, uri, pending.dialect)?;
            self.references.pending.push(pending);
            return Ok(());
        };
        let root = self.references.resources.get(resource).map_or(0, |resource| resource.root);
        let name = match pending.kind {
            RefKind::Recursive => "",
            _ => &fragment,
        };
        let name = self.references.name(name);
        // The root's own `$id` may have made a resource of its own of it.
        let own = self.program.node(root).map_or(0, |node| node.resource);
        let mut anchors = self.references.anchors.iter();
        let anchor = anchors.find(|anchor| {
            anchor.name == name
                && (anchor.resource == own || anchor.resource as usize == resource)
                && (pending.kind != RefKind::Recursive || anchor.node == root)
        });
        let target = match anchor {
            Some(anchor) if pending.kind == RefKind::Recursive || !fragment.is_empty() => Some(anchor.node),
            _ if fragment.is_empty() => Some(root),
            _ if fragment.starts_with('/') => self.follow(root, &fragment, pending.dialect)?,
            _ => None,
        };
        let dynamic = pending.kind != RefKind::Static && anchor_is_dynamic(&self.references, target, name);
        let Some(target) = target else { return Err(SchemaError::UnresolvedReference(full)) };
        if let Some(rule) = self.program.rules.get_mut(pending.rule) {
            *rule = if dynamic { Rule::DynamicRef(target, name) } else { Rule::Ref(target) };
        }
        Ok(())
    }

    /// The subschema at a JSON pointer; one in an unexpected place is taken in now.
    fn follow(&mut self, root: NodeId, pointer: &str, dialect: Dialect) -> Result<Option<NodeId>, SchemaError> {
        let Some(node) = self.program.node(root) else { return Ok(None) };
        let (start, end, mut resource) = (node.span.start, node.span.end, node.resource);
        let Some(document) = self.documents.iter().rposition(|(_, base)| *base <= start) else { return Ok(None) };
        let Some((whole, base)) = self.documents.get(document).copied() else { return Ok(None) };
        let text = whole.text().get((start - base) as usize..(end - base) as usize);
        let mut value = Raw::from_valid(text.unwrap_or_default());
        let mut place = self.references.place(start);
        let mut dialect = place.map_or(dialect, |place| place.dialect);
        let mut depth = 0;
        for token in pointer.split('/').skip(1) {
            let token = token.replace("~1", "/").replace("~0", "~");
            let next = match value.kind() {
                Kind::Array => token.parse().ok().and_then(|index| value.elements().nth(index)),
                _ => value.get(&token),
            };
            let Some(next) = next else { return Ok(None) };
            value = next;
            depth += 1;
            place = self.references.place(self.span(document, value).start);
            if let Some(place) = place {
                dialect = place.dialect;
                resource = self.program.node(place.node).map_or(resource, |node| node.resource);
            }
        }
        if let Some(place) = place {
            return Ok(Some(place.node));
        }
        let item = self.node(Item { id: 0, value, document, dialect, depth }, resource)?;
        let id = item.id;
        // Noted at once, so that a second reference to the same place finds it.
        while let Some(item) = self.queue.pop() {
            self.read(&item)?;
        }
        self.read(&item)?;
        Ok(Some(id))
    }
}

fn anchor_is_dynamic(references: &References<'_>, target: Option<NodeId>, name: u32) -> bool {
    references.anchors.iter().any(|anchor| anchor.dynamic && anchor.name == name && Some(anchor.node) == target)
}
