//! The dialects and their keywords.

use super::SchemaError;
use super::uri::cut;
use crate::protocol::json::Raw;

/// A version of JSON Schema; each is one bit, for [`Keyword::dialects`].
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[repr(u8)]
pub(super) enum Dialect {
    Draft6 = 1,
    Draft7 = 2,
    Draft2019 = 4,
    Draft2020 = 8,
}

const URIS: [(&str, Dialect); 4] = [
    ("https://json-schema.org/draft/2020-12/schema", Dialect::Draft2020),
    ("https://json-schema.org/draft/2019-09/schema", Dialect::Draft2019),
    ("http://json-schema.org/draft-07/schema", Dialect::Draft7),
    ("http://json-schema.org/draft-06/schema", Dialect::Draft6),
];

impl Dialect {
    /// The dialect that `$schema` names; an empty fragment and the scheme make no difference.
    pub(super) fn read(uri: Raw<'_>) -> Result<Self, SchemaError> {
        let unsupported = |uri: &str| SchemaError::UnsupportedDialect(uri.to_owned());
        let text = uri.as_str().ok_or_else(|| unsupported(uri.as_text()))?;
        let rest = |uri: &'_ str| cut(uri, b':').map_or(0, |(scheme, _)| scheme.len());
        let wanted = text.strip_suffix('#').unwrap_or(&text);
        let is = |known: &str| {
            wanted.get(rest(wanted)..) == known.get(rest(known)..)
                && matches!(wanted.get(..rest(wanted)), Some("http" | "https"))
        };
        let known = URIS.iter().find(|(known, _)| is(known));
        known.map(|(_, dialect)| *dialect).ok_or_else(|| unsupported(&text))
    }

    /// Whether `$ref` makes everything beside it void.
    pub(super) fn ref_stands_alone(self) -> bool {
        matches!(self, Self::Draft6 | Self::Draft7)
    }
}

/// What the value of a keyword must be.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Shape {
    Any,
    Schema,
    Schemas,
    SchemaMap,
    /// One schema or an array of them.
    Items,
    Count,
    Number,
    Divisor,
    Flag,
    Text,
    Names,
    NamesMap,
    /// Names or a schema each.
    Dependencies,
    Type,
    Array,
}

impl Shape {
    pub(super) fn expected(self) -> &'static str {
        match self {
            Self::Any => "any value",
            Self::Schema => "a schema (an object or a boolean)",
            Self::Schemas => "an array of schemas, not empty",
            Self::SchemaMap => "an object of schemas",
            Self::Items => "a schema or an array of schemas",
            Self::Count => "an integer, 0 or more",
            Self::Number => "a number",
            Self::Divisor => "a number above 0 of at most 18 digits",
            Self::Flag => "a boolean",
            Self::Text => "a string",
            Self::Names => "an array of strings",
            Self::NamesMap => "an object of arrays of strings",
            Self::Dependencies => "an object of schemas or arrays of strings",
            Self::Type => "a type name or an array of them",
            Self::Array => "an array",
        }
    }
}

macro_rules! keywords {
    ($($id:ident $name:literal $shape:ident $dialects:expr;)*) => {
        /// The keywords that are understood; every other one is an annotation.
        #[derive(Clone, Copy, Debug, Eq, PartialEq)]
        #[repr(u8)]
        pub(super) enum Word { $($id),* }

        /// Every keyword, in the order of [`Word`].
        pub(super) const KEYWORDS: &[Keyword] = &[
            $(Keyword { name: $name, shape: Shape::$shape, dialects: $dialects }),*
        ];
    };
}

/// A keyword: its name, what it takes, where it is one.
pub(super) struct Keyword {
    pub(super) name: &'static str,
    pub(super) shape: Shape,
    dialects: u8,
}

const ALL: u8 = 15;
const FROM_7: u8 = 14;
const TO_2019: u8 = 7;
const FROM_2019: u8 = 12;
const ONLY_2019: u8 = 4;
const FROM_2020: u8 = 8;
/// Known to every build.
const BASIC: u8 = 16;

keywords! {
    Id "$id" Text ALL;
    Ref "$ref" Text ALL;
    Anchor "$anchor" Text FROM_2019;
    RecursiveRef "$recursiveRef" Text ONLY_2019;
    RecursiveAnchor "$recursiveAnchor" Flag ONLY_2019;
    DynamicRef "$dynamicRef" Text FROM_2020;
    DynamicAnchor "$dynamicAnchor" Text FROM_2020;
    Defs "$defs" SchemaMap FROM_2019;
    Definitions "definitions" SchemaMap ALL;
    Type "type" Type ALL | BASIC;
    Enum "enum" Array ALL | BASIC;
    Const "const" Any ALL | BASIC;
    MultipleOf "multipleOf" Divisor ALL;
    Maximum "maximum" Number ALL | BASIC;
    ExclusiveMaximum "exclusiveMaximum" Number ALL | BASIC;
    Minimum "minimum" Number ALL | BASIC;
    ExclusiveMinimum "exclusiveMinimum" Number ALL | BASIC;
    MaxLength "maxLength" Count ALL | BASIC;
    MinLength "minLength" Count ALL | BASIC;
    Pattern "pattern" Text ALL;
    Format "format" Text ALL | BASIC;
    MaxItems "maxItems" Count ALL | BASIC;
    MinItems "minItems" Count ALL | BASIC;
    UniqueItems "uniqueItems" Flag ALL;
    MaxProperties "maxProperties" Count ALL | BASIC;
    MinProperties "minProperties" Count ALL | BASIC;
    Required "required" Names ALL | BASIC;
    Properties "properties" SchemaMap ALL | BASIC;
    PatternProperties "patternProperties" SchemaMap ALL;
    AdditionalProperties "additionalProperties" Schema ALL | BASIC;
    PropertyNames "propertyNames" Schema ALL | BASIC;
    DependentRequired "dependentRequired" NamesMap FROM_2019;
    DependentSchemas "dependentSchemas" SchemaMap FROM_2019;
    Dependencies "dependencies" Dependencies ALL;
    PrefixItems "prefixItems" Schemas FROM_2020 | BASIC;
    Items "items" Items TO_2019 | BASIC;
    Items2020 "items" Schema FROM_2020 | BASIC;
    AdditionalItems "additionalItems" Schema TO_2019;
    Contains "contains" Schema ALL;
    MinContains "minContains" Count FROM_2019;
    MaxContains "maxContains" Count FROM_2019;
    AllOf "allOf" Schemas ALL | BASIC;
    AnyOf "anyOf" Schemas ALL | BASIC;
    OneOf "oneOf" Schemas ALL | BASIC;
    Not "not" Schema ALL | BASIC;
    If "if" Schema FROM_7;
    Then "then" Schema FROM_7;
    Else "else" Schema FROM_7;
    UnevaluatedItems "unevaluatedItems" Schema FROM_2019;
    UnevaluatedProperties "unevaluatedProperties" Schema FROM_2019;
    // No keyword: the schema `false`.
    Never "" Any 0;
}

impl Keyword {
    pub(super) fn is_in(&self, dialect: Dialect) -> bool {
        self.dialects & dialect as u8 != 0
    }

    /// Whether every build knows it.
    pub(super) fn is_basic(&self) -> bool {
        self.dialects & BASIC != 0
    }
}
