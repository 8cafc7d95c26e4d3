//! From the text of a schema to the compiled form: one pass without recursion, in the order of the text.

use super::dialect::{Dialect, KEYWORDS, Shape, Word};
use super::equal::sort;
use super::keywords::{Children, Keywords, fits, type_bits};
use super::references::{Pending, RefKind, References};
use super::rules::{Node, NodeId, Program, Rule, Span, pointer_to, types};
use super::{MAX_DEPTH, MAX_SCHEMA_BYTES, MAX_SUBSCHEMAS, Options, SchemaError};
use crate::protocol::json::{Kind, Raw};

/// A subschema that is still to be read.
pub(super) struct Item<'a> {
    pub(super) id: NodeId,
    pub(super) value: Raw<'a>,
    /// The number of its document.
    pub(super) document: usize,
    pub(super) dialect: Dialect,
    pub(super) depth: usize,
}

/// A schema on its way to a [`Program`].
pub(super) struct Builder<'a> {
    pub(super) options: &'a Options<'a>,
    pub(super) program: Program,
    /// The documents, with the place at which each begins in [`Program::text`].
    pub(super) documents: Vec<(Raw<'a>, u32)>,
    pub(super) queue: Vec<Item<'a>>,
    pub(super) references: References<'a>,
    size: usize,
    parts: usize,
    pub(super) pattern_size: usize,
}

/// Compiles a schema.
pub(super) fn compile(schema: Raw<'_>, options: &Options<'_>) -> Result<Program, SchemaError> {
    let mut builder = Builder {
        options,
        program: Program::default(),
        documents: Vec::new(),
        queue: Vec::new(),
        references: References::default(),
        size: 0,
        parts: 0,
        pattern_size: 0,
    };
    builder.add_document(schema, "", Dialect::Draft2020)?;
    loop {
        while let Some(item) = builder.queue.pop() {
            builder.read(&item)?;
        }
        match builder.references.pending.pop() {
            Some(pending) => builder.resolve(pending)?,
            None => break,
        }
    }
    let mut program = builder.program;
    for (document, start) in &builder.documents {
        program.text.extend_from_slice(document.text());
        program.documents.push(*start);
    }
    program.dynamic = builder.references.dynamic();
    Ok(program)
}

impl<'a> Builder<'a> {
    /// Takes in one more document, to be found under that URI.
    pub(super) fn add_document(&mut self, value: Raw<'a>, uri: &str, dialect: Dialect) -> Result<(), SchemaError> {
        let start = self.size;
        self.size += value.text().len();
        if self.size > MAX_SCHEMA_BYTES {
            return Err(SchemaError::TooLarge("MAX_SCHEMA_BYTES"));
        }
        let document = self.documents.len();
        self.documents.push((value, start as u32));
        let resource = self.references.add_resource(uri, self.program.nodes.len() as NodeId)?;
        let item = self.node(Item { id: 0, value, document, dialect, depth: 0 }, resource)?;
        self.queue.push(item);
        Ok(())
    }

    /// Gives a subschema its number.
    pub(super) fn node(&mut self, mut item: Item<'a>, resource: u32) -> Result<Item<'a>, SchemaError> {
        if item.depth > MAX_DEPTH {
            return Err(SchemaError::TooLarge("MAX_DEPTH"));
        }
        self.part()?;
        item.id = self.program.nodes.len() as NodeId;
        let span = self.span(item.document, item.value);
        self.program.nodes.push(Node { span, resource, types: types::ANY, unevaluated: false, first: 0, count: 0 });
        Ok(item)
    }

    /// Counts one more thing that the schema consists of.
    pub(super) fn part(&mut self) -> Result<(), SchemaError> {
        self.parts += 1;
        if self.parts > MAX_SUBSCHEMAS { Err(SchemaError::TooLarge("MAX_SUBSCHEMAS")) } else { Ok(()) }
    }

    pub(super) fn span(&self, document: usize, value: Raw<'a>) -> Span {
        let Some((whole, base)) = self.documents.get(document) else { return Span { start: 0, end: 0 } };
        let (start, end) = value.span_in(whole.text());
        Span { start: base + start as u32, end: base + end as u32 }
    }

    fn invalid(&self, document: usize, value: Raw<'a>, expected: &'static str) -> SchemaError {
        let whole = self.documents.get(document).map_or(value, |(whole, _)| *whole);
        let schema_path = pointer_to(whole, value.span_in(whole.text()).0);
        SchemaError::InvalidKeyword { schema_path, expected }
    }

    /// Reads one subschema: its rules go to the program, its subschemas to the queue.
    pub(super) fn read(&mut self, item: &Item<'a>) -> Result<(), SchemaError> {
        let first = self.program.rules.len() as u32;
        match (item.value.kind(), item.value.as_bool()) {
            (_, Some(true)) => {}
            (_, Some(false)) => self.program.rules.push(Rule::Never),
            (Kind::Object, _) => return self.read_object(item, first),
            _ => return Err(self.invalid(item.document, item.value, Shape::Schema.expected())),
        }
        self.references.add_place(self.span(item.document, item.value).start, item.id, item.dialect);
        self.finish(item.id, first, types::ANY, false);
        Ok(())
    }

    fn finish(&mut self, id: NodeId, first: u32, types: u8, unevaluated: bool) {
        let count = self.program.rules.len() as u32 - first;
        if let Some(node) = self.program.nodes.get_mut(id as usize) {
            (node.first, node.count, node.types, node.unevaluated) = (first, count, types, unevaluated);
        }
    }

    fn read_object(&mut self, item: &Item<'a>, first: u32) -> Result<(), SchemaError> {
        let mut found = Keywords::default();
        let mut dialect_uri = None;
        for (key, value) in item.value.members() {
            let name = key.name();
            if name == "$schema" {
                dialect_uri = Some(value);
            }
            for (slot, keyword) in found.0.iter_mut().zip(KEYWORDS) {
                if keyword.name == name {
                    *slot = Some(value);
                }
            }
        }
        let mut dialect = item.dialect;
        if let Some(uri) = dialect_uri
            && (item.depth == 0 || found.get(Word::Id).is_some())
        {
            dialect = Dialect::read(uri)?;
        }
        let alone = dialect.ref_stands_alone() && found.get(Word::Ref).is_some();
        for (at, (slot, keyword)) in found.0.iter_mut().zip(KEYWORDS).enumerate() {
            let kept = at == Word::Ref as usize || at == Word::Definitions as usize;
            if !keyword.is_in(dialect) || (alone && !kept) {
                *slot = None;
            }
            if let Some(value) = slot
                && !fits(keyword.shape, *value)
            {
                return Err(self.invalid(item.document, *value, keyword.shape.expected()));
            }
        }
        self.references.add_place(self.span(item.document, item.value).start, item.id, dialect);
        self.identify(item, &found, dialect)?;
        let resource = self.program.node(item.id).map_or(0, |node| node.resource);
        let mut children = Children { parent: item, dialect, resource, items: Vec::new() };

        let mut types = types::ANY;
        if let Some(value) = found.get(Word::Type) {
            types = value.elements().chain([value]).fold(0, |types, name| types | type_bits(name));
        }
        self.read_scalars(item.document, &found)?;
        self.read_members(item.document, &found, &mut children)?;
        self.read_elements(&found, &mut children)?;
        self.read_applicators(&found, &mut children)?;
        for (word, kind) in [
            (Word::Ref, RefKind::Static),
            (Word::DynamicRef, RefKind::Dynamic),
            (Word::RecursiveRef, RefKind::Recursive),
        ] {
            if let Some(reference) = found.get(word).and_then(Raw::as_str) {
                let rule = self.program.rules.len();
                self.program.rules.push(Rule::Ref(0));
                self.references.pending.push(Pending { rule, kind, reference, resource, dialect });
            }
        }
        // Last, as they look at what all the others have evaluated.
        let mut unevaluated = false;
        for word in [Word::UnevaluatedItems, Word::UnevaluatedProperties] {
            if let Some(value) = found.get(word) {
                unevaluated = true;
                let id = self.child(&mut children, value)?;
                self.program.rules.push(match word {
                    Word::UnevaluatedItems => Rule::UnevaluatedItems(id),
                    _ => Rule::UnevaluatedProperties(id),
                });
            }
        }
        for word in [Word::Defs, Word::Definitions] {
            for (_, value) in found.get(word).iter().flat_map(|value| value.members()) {
                self.child(&mut children, value)?;
            }
        }
        self.finish(item.id, first, types, unevaluated);
        // The queue gives the last one first: so subschemas come in the order of the text.
        sort(&mut children.items, |left, right| left.value.text().as_ptr() > right.value.text().as_ptr());
        self.queue.append(&mut children.items);
        Ok(())
    }
}
