//! From the text of a schema to the compiled form: one pass without recursion, in the order of the text.

use super::dialect::{Dialect, KEYWORDS, Shape, Word};
use super::equal::sort;
use super::keywords::{Children, Keywords, fits, type_bits};
use super::references::{Pending, References};
use super::rules::{Node, NodeId, Program, Rule, Span, pointer_to, types};
use super::{MAX_DEPTH, MAX_SCHEMA_BYTES, MAX_SUBSCHEMAS, Options, SchemaError, WHOLE};
use crate::protocol::json::{Kind, Raw};

/// A subschema that is still to be read.
#[derive(Clone, Copy, Debug)]
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
    /// The first thing that went wrong; what is built after it is of no use.
    pub(super) error: Option<SchemaError>,
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
        error: None,
        size: 0,
        parts: 0,
        pattern_size: 0,
    };
    builder.add_document(schema, "", Dialect::Draft2020);
    loop {
        if let Some(error) = builder.error {
            return Err(error);
        }
        if let Some(item) = builder.queue.pop() {
            builder.read(item);
        } else if WHOLE && let Some(pending) = builder.references.pending.pop() {
            builder.resolve(pending);
        } else {
            break;
        }
    }
    let mut program = builder.program;
    for (document, start) in &builder.documents {
        program.text.extend_from_slice(document.text());
        program.documents.push(*start);
    }
    program.dynamic = builder.references.dynamic;
    Ok(program)
}

impl<'a> Builder<'a> {
    #[inline(never)]
    pub(super) fn fail(&mut self, error: SchemaError) {
        self.error.get_or_insert(error);
    }

    /// Takes in one more document, to be found under that URI.
    pub(super) fn add_document(&mut self, value: Raw<'a>, uri: &str, dialect: Dialect) {
        let start = self.size;
        self.size += value.text().len();
        if self.size > MAX_SCHEMA_BYTES {
            return self.fail(SchemaError::TooLarge("MAX_SCHEMA_BYTES"));
        }
        let document = self.documents.len();
        self.documents.push((value, start as u32));
        let resource = if WHOLE { self.add_resource(uri, self.program.nodes.len() as NodeId) } else { 0 };
        let item = self.node(Item { id: 0, value, document, dialect, depth: 0 }, resource);
        self.queue.push(item);
    }

    /// Gives a subschema its number.
    pub(super) fn node(&mut self, mut item: Item<'a>, resource: u32) -> Item<'a> {
        if item.depth > MAX_DEPTH {
            self.fail(SchemaError::TooLarge("MAX_DEPTH"));
        }
        self.part();
        item.id = self.program.nodes.len() as NodeId;
        let span = self.span(item.document, item.value);
        self.program.nodes.push(Node { span, resource, types: types::ANY, unevaluated: false, first: 0, count: 0 });
        item
    }

    /// Counts one more thing that the schema consists of.
    #[inline(never)]
    pub(super) fn part(&mut self) {
        self.parts += 1;
        if self.parts > MAX_SUBSCHEMAS {
            self.fail(SchemaError::TooLarge("MAX_SUBSCHEMAS"));
        }
    }

    #[inline(never)]
    pub(super) fn span(&self, document: usize, value: Raw<'a>) -> Span {
        let Some((whole, base)) = self.documents.get(document) else { return Span { start: 0, end: 0 } };
        let (start, end) = value.span_in(whole.text());
        Span { start: base + start as u32, end: base + end as u32 }
    }

    #[inline(never)]
    fn invalid(&mut self, document: usize, value: Raw<'a>, shape: Shape) {
        if !WHOLE {
            return self.fail(SchemaError::Beyond);
        }
        let whole = self.documents.get(document).map_or(value, |(whole, _)| *whole);
        let schema_path = pointer_to(whole, value.span_in(whole.text()).0);
        self.fail(SchemaError::InvalidKeyword { schema_path, expected: shape.expected() });
    }

    #[inline(never)]
    pub(super) fn rule(&mut self, word: Word, a: u32, b: u32, c: u32) {
        self.program.rules.push(Rule { word, a, b, c });
    }

    /// Reads one subschema: its rules go to the program, its subschemas to the queue.
    pub(super) fn read(&mut self, item: Item<'a>) {
        let first = self.program.rules.len() as u32;
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
            match Dialect::read(uri) {
                Ok(known) => dialect = known,
                Err(error) => return self.fail(error),
            }
        }
        let alone = dialect.ref_stands_alone() && found.get(Word::Ref).is_some();
        for (at, (slot, keyword)) in found.0.iter_mut().zip(KEYWORDS).enumerate() {
            let kept = at == Word::Ref as usize || at == Word::Definitions as usize;
            if !keyword.is_in(dialect) || (alone && !kept) {
                *slot = None;
            }
            if !WHOLE && slot.is_some() && !keyword.is_basic() {
                return self.fail(SchemaError::Beyond);
            }
            if let Some(value) = slot
                && !fits(keyword.shape, *value)
            {
                return self.invalid(item.document, *value, keyword.shape);
            }
        }
        if WHOLE {
            let place = self.span(item.document, item.value).start;
            self.references.add_place(place, item.id, dialect);
        }
        let mut types = types::ANY;
        let mut unevaluated = false;
        if item.value.is_object() {
            if WHOLE {
                self.identify(item.id, &found, dialect);
            }
            let resource = self.program.node(item.id).map_or(0, |node| node.resource);
            let mut children = Children { dialect, resource, parent: item, items: Vec::new() };
            if let Some(value) = found.get(Word::Type) {
                types = value.elements().fold(type_bits(value), |types, name| types | type_bits(name));
            }
            self.read_scalars(&mut children, &found);
            self.read_members(&mut children, &found);
            self.read_elements(&mut children, &found);
            self.read_applicators(&mut children, &found);
            unevaluated =
                WHOLE && found.get(Word::UnevaluatedItems).or_else(|| found.get(Word::UnevaluatedProperties)).is_some();
            // The queue gives the last one first: so subschemas come in the order of the text.
            sort(&mut children.items, |left, right| left.value.text().as_ptr() > right.value.text().as_ptr());
            self.queue.append(&mut children.items);
        } else {
            match item.value.as_bool() {
                Some(true) => {}
                Some(false) => self.rule(Word::Never, 0, 0, 0),
                None => self.invalid(item.document, item.value, Shape::Schema),
            }
        }
        let count = self.program.rules.len() as u32 - first;
        if let Some(node) = self.program.nodes.get_mut(item.id as usize) {
            (node.first, node.count, node.types, node.unevaluated) = (first, count, types, unevaluated);
        }
    }

    /// Leaves a reference to be resolved when all of the schema has been read.
    pub(super) fn refer(&mut self, word: Word, value: Raw<'a>, resource: u32, dialect: Dialect) {
        let rule = self.program.rules.len();
        self.rule(word, 0, 0, 0);
        let reference = value.as_str().unwrap_or_default();
        self.references.pending.push(Pending { rule, word, reference, resource, dialect });
    }
}

/// What an array or an object of subschemas consists of.
pub(super) fn parts(value: Raw<'_>) -> impl Iterator<Item = Raw<'_>> {
    debug_assert!(matches!(value.kind(), Kind::Array | Kind::Object | Kind::Null));
    let mut members = value.members();
    let mut elements = value.elements();
    std::iter::from_fn(move || elements.next().or_else(|| members.next().map(|(_, value)| value)))
}
