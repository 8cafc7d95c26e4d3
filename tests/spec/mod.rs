//! The specification's schemas: validation, and messages made up from them.

#![allow(dead_code, unreachable_pub, reason = "each test takes this file as a module and uses its part")]
#![allow(clippy::panic, clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

pub mod sent;

use mcp_duet::protocol::json::{Kind, Raw, Writer, quote};
use mcp_duet::protocol::schema::Schema;
use mcp_duet::protocol::version::ProtocolVersion;
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// The oldest first.
pub const VERSIONS: [ProtocolVersion; 5] = [
    ProtocolVersion::V2024_11_05,
    ProtocolVersion::V2025_03_26,
    ProtocolVersion::V2025_06_18,
    ProtocolVersion::V2025_11_25,
    ProtocolVersion::V2026_07_28,
];

/// The examples of 2026-07-28, by type and name.
pub const EXAMPLES: &str = include_str!("examples.json");

/// One revision's schema.
#[derive(Clone, Copy)]
pub struct Revision {
    pub version: ProtocolVersion,
    root: Raw<'static>,
    definitions: &'static BTreeMap<String, Raw<'static>>,
}

pub fn revision(version: ProtocolVersion) -> Revision {
    static ALL: OnceLock<Vec<(Raw<'static>, BTreeMap<String, Raw<'static>>)>> = OnceLock::new();
    let all = ALL.get_or_init(|| VERSIONS.map(read).into());
    let at = VERSIONS.iter().position(|known| *known == version).unwrap();
    let (root, definitions) = &all[at];
    Revision { version, root: *root, definitions }
}

fn read(version: ProtocolVersion) -> (Raw<'static>, BTreeMap<String, Raw<'static>>) {
    let text = match version {
        ProtocolVersion::V2024_11_05 => include_str!("2024-11-05.json"),
        ProtocolVersion::V2025_03_26 => include_str!("2025-03-26.json"),
        ProtocolVersion::V2025_06_18 => include_str!("2025-06-18.json"),
        ProtocolVersion::V2025_11_25 => include_str!("2025-11-25.json"),
        ProtocolVersion::V2026_07_28 => include_str!("2026-07-28.json"),
    };
    let root = Raw::parse(text.as_bytes()).unwrap();
    let definitions = root.get("$defs").or_else(|| root.get("definitions")).unwrap();
    (root, definitions.members().map(|(key, value)| (key.name().into_owned(), value)).collect())
}

impl Revision {
    /// The names of the types.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        self.definitions.keys().map(String::as_str)
    }

    pub fn definition(self, name: &str) -> Option<Raw<'static>> {
        self.definitions.get(name).copied()
    }

    /// The validator of one type.
    pub fn schema(self, name: &str) -> Schema {
        let all = if self.root.get("$defs").is_some() { "$defs" } else { "definitions" };
        let mut out = Writer::new();
        out.open_object();
        out.name("$schema").value(self.root.get("$schema").unwrap());
        out.name("$ref").string(&format!("#/{all}/{name}"));
        out.name(all).open_object();
        // Only what the type refers to: compiling all takes long.
        let mut needed = vec![name.to_owned()];
        let mut at = 0;
        while let Some(name) = needed.get(at).cloned() {
            let definition = self.definition(&name).unwrap();
            out.name(&name).value(definition);
            for part in definition.as_text().split("\"$ref\":\"").skip(1) {
                let name = part.split('"').next().unwrap().rsplit('/').next().unwrap().to_owned();
                if !needed.contains(&name) {
                    needed.push(name);
                }
            }
            at += 1;
        }
        out.close_object().close_object();
        Schema::compile(Raw::parse(out.as_str().as_bytes()).unwrap()).unwrap()
    }

    /// The members that the type has, those of what it refers to included.
    pub fn properties(self, name: &str) -> Vec<(String, Raw<'static>)> {
        let mut out = Vec::new();
        if let Some(definition) = self.definition(name) {
            self.collect_properties(definition, &mut out);
        }
        out
    }

    fn collect_properties(self, schema: Raw<'static>, out: &mut Vec<(String, Raw<'static>)>) {
        if let Some(target) = self.target(schema) {
            self.collect_properties(target, out);
        }
        for part in schema.get("allOf").into_iter().flat_map(Raw::elements) {
            self.collect_properties(part, out);
        }
        for (key, property) in schema.get("properties").into_iter().flat_map(Raw::members) {
            // Of two, the later is the closer one.
            out.retain(|(name, _)| *name != key.name());
            out.push((key.name().into_owned(), property));
        }
    }

    fn target(self, schema: Raw<'_>) -> Option<Raw<'static>> {
        let reference = schema.get_str("$ref")?;
        self.definition(reference.rsplit('/').next()?)
    }

    /// Makes up a value of the type, another for each seed.
    pub fn make(self, name: &str, seed: u64) -> String {
        let mut maker = Maker { revision: self, random: Random(seed), extras: true };
        maker.make(self.definition(name).unwrap(), 0)
    }

    /// Makes up a value of that schema, without members that it does not name.
    pub fn make_plain(self, schema: Raw<'static>, seed: u64) -> String {
        Maker { revision: self, random: Random(seed), extras: false }.make(schema, 0)
    }
}

/// Whether two JSON texts have the same value: members in any order, numbers and everything else by their text.
pub fn same(one: Raw<'_>, other: Raw<'_>) -> bool {
    if one.kind() != other.kind() {
        return false;
    }
    match one.kind() {
        Kind::Object => {
            one.members().count() == other.members().count()
                && one.members().all(|(key, value)| other.get(&key.name()).is_some_and(|own| same(value, own)))
        }
        Kind::Array => {
            one.elements().count() == other.elements().count()
                && one.elements().zip(other.elements()).all(|(one, other)| same(one, other))
        }
        Kind::String => one.as_str() == other.as_str(),
        _ => one.text() == other.text(),
    }
}

/// A sequence of numbers that a seed determines (SplitMix64).
pub struct Random(pub u64);

impl Random {
    /// A number below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        usize::try_from((mixed ^ (mixed >> 31)) % limit as u64).unwrap()
    }

    fn one<'a, T: ?Sized>(&mut self, of: &[&'a T]) -> &'a T {
        of[self.below(of.len())]
    }
}

struct Maker {
    revision: Revision,
    random: Random,
    /// Whether objects get members that the schema does not name.
    extras: bool,
}

/// Values that only text carries unharmed.
const AWKWARD: [&str; 8] =
    ["12345678901234567890", "-0.0", "1e400", r#""\ud800""#, r#"{"__proto__":1,"a":null}"#, "[[[]]]", "null", "0.10"];

impl Maker {
    fn make(&mut self, schema: Raw<'static>, depth: usize) -> String {
        if let Some(target) = self.revision.target(schema) {
            return self.make(target, depth);
        }
        if let Some(value) = schema.get("const") {
            return value.as_text().to_owned();
        }
        if let Some(values) = schema.get("enum") {
            return self.pick(values).as_text().to_owned();
        }
        if let Some(branches) = schema.get("anyOf") {
            let branch = self.pick(branches);
            return self.make(branch, depth);
        }
        let kind = match schema.get("type") {
            Some(kinds) if kinds.kind() == Kind::Array => self.pick(kinds).as_str(),
            kind => kind.and_then(Raw::as_str),
        };
        let is_object = schema.get("allOf").is_some() || schema.get("properties").is_some();
        match kind.as_deref().unwrap_or(if is_object { "object" } else { "" }) {
            "object" => self.object(schema, depth),
            "array" => self.array(schema, depth),
            "string" => self.string(schema),
            "integer" => self.random.one(&["0", "1", "42", "9007199254740993"]).to_owned(),
            "number" if schema.get("maximum").is_some() => self.random.one(&["0", "0.5", "1"]).to_owned(),
            "number" => self.random.one(&["0", "1", "0.25", "-3", "1e3"]).to_owned(),
            "boolean" => self.random.one(&["true", "false"]).to_owned(),
            "null" => "null".to_owned(),
            _ => self.random.one(&["1", "\"any\"", "{\"a\":[]}", "true", "[null]"]).to_owned(),
        }
    }

    fn pick(&mut self, of: Raw<'static>) -> Raw<'static> {
        let all: Vec<_> = of.elements().collect();
        all[self.random.below(all.len())]
    }

    fn string(&mut self, schema: Raw<'_>) -> String {
        match schema.get_str("format").as_deref() {
            Some("uri") => self.random.one(&["\"https://example.com/a?b#c\"", "\"file:///tmp/x\""]).to_owned(),
            Some("uri-template") => "\"file:///{path}\"".to_owned(),
            Some("byte") => "\"aGVsbG8=\"".to_owned(),
            _ => quote(self.random.one(&["", "a", "北京", "line\nbreak", "\u{7f}\u{0}", "😀 \"quoted\" \\"])),
        }
    }

    fn array(&mut self, schema: Raw<'static>, depth: usize) -> String {
        let count = if depth > 5 { 0 } else { self.random.below(3) };
        let items = schema.get("items");
        let elements: Vec<_> = (0..count).filter_map(|_| items).map(|items| self.make(items, depth + 1)).collect();
        format!("[{}]", elements.join(","))
    }

    fn object(&mut self, schema: Raw<'static>, depth: usize) -> String {
        let mut properties = Vec::new();
        self.revision.collect_properties(schema, &mut properties);
        let mut required = Vec::new();
        self.collect_required(schema, &mut required);
        let mut members: Vec<(String, String)> = Vec::new();
        for (name, property) in properties {
            let wanted = required.contains(&name) || (depth < 6 && self.random.below(2) == 0);
            if wanted {
                let value = self.make(property, depth + 1);
                members.push((name, value));
            }
        }
        let additional = schema.get("additionalProperties");
        if let Some(additional) = additional.filter(|additional| additional.is_object() && depth < 6) {
            for name in ["com.example/键", "b"].iter().take(self.random.below(3)) {
                let value = self.make(additional, depth + 1);
                members.push(((*name).to_owned(), value));
            }
        } else if self.extras && additional.is_none() && self.random.below(3) == 0 {
            let value = self.random.one(&AWKWARD).to_owned();
            members.push(("x-unknown".to_owned(), value));
        }
        let text: Vec<_> = members.iter().map(|(name, value)| format!("{}:{value}", quote(name))).collect();
        format!("{{{}}}", text.join(","))
    }

    fn collect_required(&self, schema: Raw<'static>, out: &mut Vec<String>) {
        if let Some(target) = self.revision.target(schema) {
            self.collect_required(target, out);
        }
        for part in schema.get("allOf").into_iter().flat_map(Raw::elements) {
            self.collect_required(part, out);
        }
        let names = schema.get("required").into_iter().flat_map(Raw::elements);
        out.extend(names.filter_map(Raw::as_str).map(std::borrow::Cow::into_owned));
    }
}
