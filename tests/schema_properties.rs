//! JSON Schema: generated and damaged schemas and instances never panic, and never contradict themselves.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use mcp_duet::protocol::json::Raw;
use mcp_duet::protocol::schema::elicitation::{apply_defaults, choices, validate};
use mcp_duet::protocol::schema::{MAX_VIOLATIONS, Options, Schema, formats};
use proptest::prelude::*;
use serde_json::{Value, json};

const KEYWORDS: &[&str] = &[
    "$ref",
    "$id",
    "$anchor",
    "$dynamicRef",
    "$dynamicAnchor",
    "$defs",
    "$schema",
    "type",
    "enum",
    "const",
    "minimum",
    "maximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "format",
    "minItems",
    "maxItems",
    "uniqueItems",
    "required",
    "properties",
    "patternProperties",
    "additionalProperties",
    "propertyNames",
    "dependentRequired",
    "dependentSchemas",
    "dependencies",
    "prefixItems",
    "items",
    "contains",
    "minContains",
    "maxContains",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "then",
    "else",
    "unevaluatedItems",
    "unevaluatedProperties",
];

fn instance() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-5_i64..5).prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[abé🐲]{0,4}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 20, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[abc]{1,2}", inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// Schemas of which many are valid.
fn schema() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        any::<bool>().prop_map(Value::from),
        prop::sample::select(vec!["string", "integer", "number", "object", "array", "null", "boolean"])
            .prop_map(|name| json!({ "type": name })),
        instance().prop_map(|value| json!({ "const": value })),
        (0_u32..3).prop_map(
            |count| json!({ "minLength": count, "minItems": count, "minProperties": count, "minimum": count })
        ),
        prop::sample::select(vec!["#", "#/$defs/a", "#/properties/a", "#here"]).prop_map(|uri| json!({ "$ref": uri })),
        prop::sample::select(vec!["^a", "b+$", "[^a]"]).prop_map(|pattern| json!({ "pattern": pattern })),
        Just(json!({ "uniqueItems": true, "required": ["a"] })),
    ];
    leaf.prop_recursive(4, 30, 3, |inner| {
        let list = prop::collection::vec(inner.clone(), 1..3);
        let map = prop::collection::btree_map("[abc]{1,2}", inner.clone(), 0..3);
        prop_oneof![
            (prop::sample::select(vec!["allOf", "anyOf", "oneOf", "prefixItems"]), list)
                .prop_map(|(name, list)| json!({ name: list })),
            (prop::sample::select(vec!["properties", "patternProperties", "dependentSchemas", "$defs"]), map)
                .prop_map(|(name, map)| json!({ name: map })),
            (
                prop::sample::select(vec![
                    "not",
                    "if",
                    "items",
                    "contains",
                    "additionalProperties",
                    "propertyNames",
                    "unevaluatedItems",
                    "unevaluatedProperties"
                ]),
                inner.clone()
            )
                .prop_map(|(name, schema)| json!({ name: schema })),
            (inner.clone(), inner).prop_map(|(mut left, right)| {
                if let (Some(left), Some(right)) = (left.as_object_mut(), right.as_object()) {
                    left.extend(right.clone());
                }
                left
            }),
        ]
    })
}

/// Keywords with values of any kind.
fn wild_schema() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![instance(), "[#/$a-c:.~0-9]{0,6}".prop_map(Value::from)];
    leaf.prop_recursive(4, 40, 4, |inner| {
        let entry = (prop::sample::select(KEYWORDS), inner.clone());
        prop_oneof![
            prop::collection::vec(entry, 1..5).prop_map(|entries| Value::Object(
                entries.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
            )),
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
        ]
    })
}

fn verdict(schema: &Value, instance: &Value) -> Option<bool> {
    let (schema, instance) = (schema.to_string(), instance.to_string());
    let schema = Schema::compile(Raw::parse(schema.as_bytes()).unwrap()).ok()?;
    match schema.validate(Raw::parse(instance.as_bytes()).unwrap()) {
        Ok(()) => Some(true),
        Err(violations) => {
            assert!((1..=MAX_VIOLATIONS).contains(&violations.len()));
            // A limit decides nothing.
            (!violations[0].message.contains("MAX_")).then_some(false)
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn a_negated_schema_gives_the_opposite_verdict(schema in schema(), instance in instance()) {
        // A reference inside would mean another place.
        if !schema.to_string().contains("$ref") && let Some(verdict_plain) = verdict(&schema, &instance) {
            prop_assert_eq!(verdict(&json!({ "not": schema }), &instance), Some(!verdict_plain));
            prop_assert_eq!(verdict(&json!({ "allOf": [schema] }), &instance), Some(verdict_plain));
            prop_assert_eq!(verdict(&json!({ "anyOf": [schema, false] }), &instance), Some(verdict_plain));
            prop_assert_eq!(verdict(&json!({ "oneOf": [schema, false] }), &instance), Some(verdict_plain));
            prop_assert_eq!(verdict(&json!({ "items": schema }), &json!([instance])), Some(verdict_plain));
            prop_assert_eq!(verdict(&json!({ "properties": { "p": schema } }), &json!({ "p": instance })), Some(verdict_plain));
            prop_assert_eq!(verdict(&json!({ "$defs": { "d": schema }, "$ref": "#/$defs/d" }), &instance), Some(verdict_plain));
        }
    }

    #[test]
    fn every_value_equals_itself_and_only_itself(left in instance(), right in instance()) {
        prop_assert_eq!(verdict(&json!({ "const": left }), &left), Some(true));
        prop_assert_eq!(verdict(&json!({ "uniqueItems": true }), &json!([left, left])), Some(false));
        let equal = verdict(&json!({ "const": left }), &right);
        prop_assert_eq!(verdict(&json!({ "enum": [right] }), &left), equal);
        prop_assert_eq!(verdict(&json!({ "uniqueItems": true }), &json!([left, right])), equal.map(|equal| !equal));
    }

    #[test]
    fn wild_schemas_never_panic(schema in wild_schema(), instance in instance()) {
        let (schema, instance) = (schema.to_string(), instance.to_string());
        let (schema, instance) = (Raw::parse(schema.as_bytes()).unwrap(), Raw::parse(instance.as_bytes()).unwrap());
        let options = Options { formats: Some(formats), ..Options::default() };
        if let Ok(compiled) = Schema::compile_with(schema, &options) {
            let _ = compiled.validate(instance);
        }
        let _ = validate(schema, instance);
        let _ = choices(schema);
        let filled = apply_defaults(schema, instance);
        prop_assert!(Raw::parse(filled.as_bytes()).is_ok(), "{}", filled);
    }

    #[test]
    fn numbers_compare_as_numbers(left in any::<i64>(), right in any::<i64>(), scale in 0_usize..4) {
        // The same number of decimal places on both sides, written out.
        let places = "0".repeat(scale);
        let schema = format!(r#"{{"minimum":{left}.{places}0,"multipleOf":0.5}}"#);
        let instance = format!("{right}{places}e-{scale}");
        let (schema, instance) = (Raw::parse(schema.as_bytes()).unwrap(), Raw::parse(instance.as_bytes()).unwrap());
        prop_assert_eq!(Schema::compile(schema).unwrap().validate(instance).is_ok(), right >= left);
    }
}
