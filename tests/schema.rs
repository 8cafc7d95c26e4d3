//! JSON Schema: what each keyword admits, what a violation says, and every limit.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use mcp_duet::protocol::json::Raw;
use mcp_duet::protocol::schema::{
    MAX_DEPTH, MAX_IDENTIFIERS, MAX_PATTERN_SIZE, MAX_SCHEMA_BYTES, MAX_SUBSCHEMAS, MAX_VIOLATIONS, Options, Schema,
    SchemaError, Violation, describe, formats,
};

fn raw(text: &str) -> Raw<'_> {
    Raw::parse(text.as_bytes()).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn compile(schema: &str) -> Result<Schema, SchemaError> {
    Schema::compile(raw(schema))
}

fn validate(schema: &str, instance: &str) -> Result<(), Vec<Violation>> {
    compile(schema).unwrap_or_else(|error| panic!("{schema}: {error}")).validate(raw(instance))
}

fn holds(schema: &str, instance: &str) -> bool {
    let outcome = validate(schema, instance);
    assert!(outcome != Err(Vec::new()), "a failure without a violation: {schema} {instance}");
    outcome.is_ok()
}

/// `schema | instances that fit | instances that do not`, instances separated by spaces.
fn check(table: &[(&str, &str, &str)]) {
    for (schema, fitting, failing) in table {
        for instance in fitting.split_whitespace() {
            assert!(holds(schema, instance), "{instance} must fit {schema}");
        }
        for instance in failing.split_whitespace() {
            assert!(!holds(schema, instance), "{instance} must not fit {schema}");
        }
    }
}

#[test]
fn every_keyword_of_2020_12_admits_and_refuses() {
    check(&[
        ("true", r#"1 null {} [] "x""#, ""),
        ("false", "", r#"1 null {} [] "x""#),
        ("{}", "1 null {} []", ""),
        (r#"{"type":"integer"}"#, "1 -1 1.0 1e2 9007199254740993 1e400", r#"1.5 "1" true null [] {}"#),
        (r#"{"type":"number"}"#, "1 1.5 -0", r#""1" true null"#),
        (r#"{"type":["string","null"]}"#, r#""" null"#, "0 [] {} false"),
        (r#"{"type":"boolean"}"#, "true false", r#"0 "true" null"#),
        (
            r#"{"enum":[1,"a",null,[1],{"a":1}]}"#,
            r#"1 1.0 "a" "\u0061" null [1.0] {"a":1}"#,
            r#"2 "b" [1,1] {"a":2} {}"#,
        ),
        (r#"{"enum":[]}"#, "", "1 null"),
        (r#"{"const":{"a":[1,{"b":2}]}}"#, r#"{"a":[1,{"b":2.0}]}"#, r#"{"a":[{"b":2},1]}"#),
        (r#"{"const":null}"#, "null", r#"0 false """#),
        (r#"{"const":9007199254740993}"#, "9007199254740993", "9007199254740992"),
        (r#"{"multipleOf":0.01}"#, r#"0.07 4.35 -1 "x""#, "0.075"),
        (r#"{"minimum":1,"maximum":2}"#, r#"1 2 1.5 "x""#, "0.999 2.001"),
        (r#"{"exclusiveMinimum":1,"exclusiveMaximum":2}"#, "1.5 1.0000001", "1 2 1.0"),
        (r#"{"maximum":9007199254740992}"#, "9007199254740992", "9007199254740993"),
        (
            r#"{"minLength":2,"maxLength":3}"#,
            r#""ab" "北京" "🐲🐲" "\ud83d\udc32x" "\u0061b" 5"#,
            r#""a" "abcd" "🐲" """#,
        ),
        (r#"{"pattern":"^a+$"}"#, r#""a" "aa" 5"#, r#""" "ba" "ab""#),
        (r#"{"pattern":"b"}"#, r#""abc""#, r#""ac""#),
        (r#"{"minItems":1,"maxItems":2}"#, "[1] [1,2] {}", "[] [1,2,3]"),
        (
            r#"{"uniqueItems":true}"#,
            "[] [1,2] [1,true] [[1],[2]] 5",
            r#"[1,1.0] [{"a":1,"b":2},{"b":2,"a":1}] ["a","\u0061"]"#,
        ),
        (r#"{"uniqueItems":false}"#, "[1,1]", ""),
        (
            r#"{"prefixItems":[{"type":"string"},{"type":"number"}]}"#,
            r#"[] ["a"] ["a",1] ["a",1,null] {}"#,
            r#"[1] ["a","b"]"#,
        ),
        (r#"{"prefixItems":[true],"items":{"type":"number"}}"#, r#"["a",1,2]"#, r#"["a","b"] [1,2,"c"]"#),
        (r#"{"items":false}"#, "[]", "[1]"),
        (r#"{"contains":{"const":1}}"#, "[1] [2,1] {}", "[] [2]"),
        (r#"{"contains":{"const":1},"minContains":0}"#, "[] [2]", ""),
        (r#"{"contains":{"const":1},"minContains":2,"maxContains":3}"#, "[1,1] [1,1,1]", "[1] [1,1,1,1]"),
        (r#"{"minProperties":1,"maxProperties":2}"#, r#"{"a":1} {"a":1,"b":2} []"#, r#"{} {"a":1,"b":2,"c":3}"#),
        (r#"{"required":["a","b"]}"#, r#"{"a":1,"b":null} {"\u0061":1,"b":2} []"#, r#"{} {"a":1} {"b":1}"#),
        (
            r#"{"properties":{"a":{"type":"string"},"__proto__":{"type":"number"}}}"#,
            r#"{} {"a":"x"} {"b":1} {"__proto__":1}"#,
            r#"{"a":1} {"__proto__":"x"}"#,
        ),
        (r#"{"patternProperties":{"^x":{"type":"number"}}}"#, r#"{"x":1} {"y":"a"}"#, r#"{"x1":"a"}"#),
        (
            r#"{"properties":{"a":true},"patternProperties":{"^x":true},"additionalProperties":false}"#,
            r#"{"a":1,"x9":2} {}"#,
            r#"{"b":1}"#,
        ),
        (r#"{"additionalProperties":{"type":"number"}}"#, r#"{"a":1}"#, r#"{"a":"x"}"#),
        (r#"{"propertyNames":{"maxLength":2}}"#, r#"{"ab":1}"#, r#"{"abc":1}"#),
        (r#"{"dependentRequired":{"a":["b"]}}"#, r#"{} {"b":1} {"a":1,"b":1}"#, r#"{"a":1}"#),
        (r#"{"dependentSchemas":{"a":{"required":["b"]}}}"#, r#"{} {"a":1,"b":1}"#, r#"{"a":1}"#),
        (r#"{"dependencies":{"a":["b"],"c":{"required":["d"]}}}"#, r#"{} {"a":1,"b":1}"#, r#"{"a":1} {"c":1}"#),
        (r#"{"allOf":[{"minimum":1},{"maximum":2}]}"#, "1 2", "0 3"),
        (r#"{"anyOf":[{"const":1},{"const":2}]}"#, "1 2", "3"),
        (r#"{"oneOf":[{"minimum":1},{"maximum":2}]}"#, "0 3", "1 2"),
        (r#"{"not":{"type":"string"}}"#, "1", r#""a""#),
        (r#"{"if":{"const":1},"then":false,"else":{"minimum":3}}"#, "3", "1 2"),
        (r#"{"then":false,"else":false}"#, "1", ""),
        (r#"{"prefixItems":[true],"unevaluatedItems":false}"#, "[] [1]", "[1,2]"),
        (r#"{"contains":{"const":1},"unevaluatedItems":{"type":"string"}}"#, r#"[1,"a",1]"#, "[1,2]"),
        (r#"{"allOf":[{"properties":{"a":true}}],"unevaluatedProperties":false}"#, r#"{"a":1} {}"#, r#"{"b":1}"#),
        (
            r#"{"anyOf":[{"required":["a"],"properties":{"a":true}},true],"unevaluatedProperties":false}"#,
            r#"{"a":1}"#,
            r#"{"b":1}"#,
        ),
        (r##"{"$defs":{"a/b":{"type":"string"}},"$ref":"#/$defs/a~1b"}"##, r#""x""#, "1"),
        (r##"{"$defs":{"x":{"$anchor":"here","type":"string"}},"$ref":"#here"}"##, r#""x""#, "1"),
        (
            r##"{"$id":"https://x.test/root","$defs":{"x":{"$id":"leaf","type":"string"}},"$ref":"leaf"}"##,
            r#""x""#,
            "1",
        ),
        (
            r##"{"properties":{"next":{"$ref":"#"}},"additionalProperties":false}"##,
            r#"{"next":{"next":{}}}"#,
            r#"{"next":{"other":1}}"#,
        ),
        (r#"{"format":"email","default":5,"title":7,"x-unknown":[]}"#, r#""none" 5"#, ""),
    ]);
}

#[test]
fn older_dialects_keep_their_own_keywords() {
    // CD-10
    for (schema, fitting, failing) in [
        (r#""items":[{"type":"string"}],"additionalItems":{"type":"number"}"#, r#"["a",1]"#, r#"["a","b"]"#),
        (r#""items":{"type":"string"},"additionalItems":false"#, r#"["a","b"]"#, "[1]"),
        (
            r##""definitions":{"a":{"type":"string"}},"properties":{"x":{"$ref":"#/definitions/a","type":"number"}}"##,
            r#"{"x":"a"}"#,
            r#"{"x":1}"#,
        ),
        (r#""dependencies":{"a":["b"]}"#, "{}", r#"{"a":1}"#),
        (
            r#""prefixItems":[false],"unevaluatedProperties":false,"dependentRequired":{"a":["b"]}"#,
            r#"[1] {"a":1}"#,
            "",
        ),
        (r#""contains":{"const":1},"minContains":0"#, "[1]", "[]"),
        (r#""if":{"const":1},"then":false"#, "2", "1"),
        (
            r##""definitions":{"a":{"$id":"#here","type":"string"}},"properties":{"x":{"$ref":"#here"}}"##,
            r#"{"x":"a"}"#,
            r#"{"x":1}"#,
        ),
    ] {
        for uri in [
            "http://json-schema.org/draft-07/schema#",
            "http://json-schema.org/draft-07/schema",
            "https://json-schema.org/draft-07/schema#",
        ] {
            let schema = format!(r#"{{"$schema":"{uri}",{schema}}}"#);
            check(&[(&schema, fitting, failing)]);
        }
    }
    check(&[
        (
            r#"{"$schema":"https://json-schema.org/draft/2019-09/schema","items":[true],"unevaluatedItems":false}"#,
            "[1]",
            "[1,2]",
        ),
        (r#"{"$schema":"https://json-schema.org/draft/2019-09/schema","prefixItems":[false]}"#, "[1]", ""),
        (
            r##"{"$schema":"https://json-schema.org/draft/2019-09/schema","$recursiveAnchor":true,"properties":{"a":{"$recursiveRef":"#"}},"additionalProperties":false}"##,
            r#"{"a":{"a":{}}}"#,
            r#"{"a":{"b":1}}"#,
        ),
        (r#"{"$schema":"http://json-schema.org/draft-06/schema#","if":true,"then":false}"#, "1", ""),
        (r#"{"$schema":"https://json-schema.org/draft/2020-12/schema","items":{"type":"string"}}"#, r#"["a"]"#, "[1]"),
    ]);
}

#[test]
fn an_unknown_dialect_is_refused_by_name() {
    // CD-10: never validated as another dialect.
    for (uri, named) in [
        (r#""https://x.test/custom""#, "https://x.test/custom"),
        (r#""http://json-schema.org/draft-04/schema#""#, "http://json-schema.org/draft-04/schema#"),
        (r#""http://json-schema.org/draft-07/schema#x""#, "http://json-schema.org/draft-07/schema#x"),
        (r#""""#, ""),
        ("5", "5"),
        ("null", "null"),
    ] {
        let error = compile(&format!(r#"{{"$schema":{uri}}}"#)).unwrap_err();
        assert_eq!(error, SchemaError::UnsupportedDialect(named.to_owned()));
        assert_eq!(error.to_string(), format!("dialect not supported: {named}"));
    }
}

#[test]
fn references_out_of_the_schema_are_never_followed() {
    // CD-10
    for (reference, expected) in [
        ("https://169.254.0.1/s", SchemaError::RemoteReference("https://169.254.0.1/s".into())),
        ("other.json#/a", SchemaError::RemoteReference("other.json#/a".into())),
        ("file:///etc/passwd", SchemaError::RemoteReference("file:///etc/passwd".into())),
        (
            "https://json-schema.org/draft/2020-12/schema",
            SchemaError::RemoteReference("https://json-schema.org/draft/2020-12/schema".into()),
        ),
        ("#/$defs/none", SchemaError::UnresolvedReference("#/$defs/none".into())),
        ("#none", SchemaError::UnresolvedReference("#none".into())),
        ("#/required/01", SchemaError::UnresolvedReference("#/required/01".into())),
    ] {
        for keyword in ["$ref", "$dynamicRef"] {
            let schema = format!(r#"{{"required":["a","b"],"properties":{{"a":{{"{keyword}":"{reference}"}}}}}}"#);
            assert_eq!(compile(&schema).unwrap_err(), expected);
        }
    }
}

#[test]
fn documents_given_along_can_be_referred_to() {
    let document = raw(r##"{"$defs":{"a":{"type":"string"}},"$ref":"#/$defs/a"}"##);
    let options = Options { documents: &[("https://x.test/a.json", document)], ..Options::default() };
    let schema = raw(r#"{"$id":"https://x.test/b.json","properties":{"p":{"$ref":"a.json"}}}"#);
    let schema = Schema::compile_with(schema, &options).unwrap();
    assert_eq!(schema.validate(raw(r#"{"p":"x"}"#)), Ok(()));
    let violations = schema.validate(raw(r#"{"p":1}"#)).unwrap_err();
    assert_eq!((violations[0].schema_path.as_str(), violations.len()), ("/$defs/a/type", 1));
}

#[test]
fn an_invalid_keyword_is_named_with_its_place() {
    for (schema, path) in [
        (r#"5"#, ""),
        (r#"{"properties":{"a":7}}"#, "/properties/a"),
        (r#"{"properties":[]}"#, "/properties"),
        (r#"{"properties":{"a":{"minLength":"3"}}}"#, "/properties/a/minLength"),
        (r#"{"minLength":-1}"#, "/minLength"),
        (r#"{"maxItems":1.5}"#, "/maxItems"),
        (r#"{"required":true}"#, "/required"),
        (r#"{"required":[1]}"#, "/required"),
        (r#"{"type":"any"}"#, "/type"),
        (r#"{"type":[]}"#, "/type"),
        (r#"{"type":["string",5]}"#, "/type"),
        (r#"{"enum":5}"#, "/enum"),
        (r#"{"multipleOf":0}"#, "/multipleOf"),
        (r#"{"multipleOf":-2}"#, "/multipleOf"),
        (r#"{"multipleOf":1.0000000000000000001}"#, "/multipleOf"),
        (r#"{"minimum":"1"}"#, "/minimum"),
        (r#"{"exclusiveMinimum":true}"#, "/exclusiveMinimum"),
        (r#"{"pattern":5}"#, "/pattern"),
        (r#"{"anyOf":[]}"#, "/anyOf"),
        (r#"{"anyOf":[{},5]}"#, "/anyOf/1"),
        (r#"{"allOf":{}}"#, "/allOf"),
        (r#"{"items":[{}]}"#, "/items"),
        (r#"{"uniqueItems":1}"#, "/uniqueItems"),
        (r#"{"$ref":5}"#, "/$ref"),
        (r#"{"dependentRequired":{"a":[1]}}"#, "/dependentRequired"),
    ] {
        match compile(schema).unwrap_err() {
            SchemaError::InvalidKeyword { schema_path, expected } => {
                assert_eq!(schema_path, path, "{schema}");
                assert!(!expected.is_empty());
            }
            other => panic!("{schema}: {other}"),
        }
    }
    let error = compile(r#"{"properties":{"a/b":{"minLength":"3"}}}"#).unwrap_err();
    assert_eq!(error.to_string(), "invalid value of /properties/a~1b/minLength: expected an integer, 0 or more");
}

#[test]
fn a_violation_says_where_what_was_expected_and_what_came() {
    let schema = r#"{"type":"object","required":["name","tags"],"additionalProperties":false,"properties":{
        "name":{"type":"string","minLength":2},"age":{"type":"integer","minimum":0},
        "unit":{"enum":["C","F"]},"tags":{"type":"array","items":{"type":["string","null"]},"uniqueItems":true},
        "choice":{"anyOf":[{"type":"integer","minimum":5},{"type":"null"}]},"a/b~c":{"const":1}}}"#;
    for (instance, expected) in [
        (r#"5"#, ": /type: expected object, got 5"),
        (r#"{"tags":[]}"#, r#": /required: missing required property "name""#),
        (r#"{"name":"x","tags":[]}"#, r#"/name: /properties/name/minLength: expected at least 2 characters, got "x""#),
        (r#"{"name":"xx","tags":[1]}"#, "/tags/0: /properties/tags/items/type: expected string or null, got 1"),
        (
            r#"{"name":"xx","tags":["a","a"]}"#,
            "/tags: /properties/tags/uniqueItems: expected unique items, but 0 and 1 are equal",
        ),
        (r#"{"name":"xx","tags":[],"age":-1}"#, "/age: /properties/age/minimum: expected at least 0, got -1"),
        (
            r#"{"name":"xx","tags":[],"unit":"K"}"#,
            r#"/unit: /properties/unit/enum: expected one of ["C","F"], got "K""#,
        ),
        (r#"{"name":"xx","tags":[],"more":1}"#, "/more: /additionalProperties: property not allowed, got 1"),
        (
            r#"{"name":"xx","tags":[],"choice":1}"#,
            "/choice: /properties/choice/anyOf/0/minimum: expected at least 5, got 1",
        ),
        (
            r#"{"name":"xx","tags":[],"choice":"a"}"#,
            r#"/choice: /properties/choice/anyOf: fits none of the alternatives in "anyOf", got "a""#,
        ),
        (r#"{"name":"xx","tags":[],"a/b~c":2}"#, "/a~1b~0c: /properties/a~1b~0c/const: expected 1, got 2"),
    ] {
        let violations = validate(schema, instance).unwrap_err();
        let said: Vec<_> = violations
            .iter()
            .map(|one| format!("{}: {}: {}", one.instance_path, one.schema_path, one.message))
            .collect();
        assert_eq!(said, [expected], "{instance}");
    }
    let violations = validate(schema, r#"{"name":1,"age":"x"}"#).unwrap_err();
    assert_eq!(
        describe(&violations),
        r#"/name: expected string, got 1; /age: expected integer, got "x"; missing required property "tags""#
    );
}

#[test]
fn a_long_value_is_shortened_at_a_character() {
    let instance = format!("\"{}\"", "北".repeat(100));
    let violations = validate(r#"{"type":"number"}"#, &instance).unwrap_err();
    assert!(violations[0].message.len() < 100 && violations[0].message.ends_with('…'), "{}", violations[0].message);
}

#[test]
fn violations_are_counted_and_no_more_than_that() {
    let instance = format!("[{}]", vec!["1"; 100].join(","));
    let violations = validate(r#"{"items":{"type":"string"}}"#, &instance).unwrap_err();
    assert_eq!(violations.len(), MAX_VIOLATIONS);
}

#[test]
fn duplicate_names_are_all_validated() {
    assert!(!holds(r#"{"properties":{"a":{"type":"string"}}}"#, r#"{"a":1,"a":"x"}"#));
    assert!(!holds(r#"{"properties":{"a":{"type":"string"}}}"#, r#"{"a":"x","a":1}"#));
    // In a schema the last one counts.
    assert!(holds(r#"{"type":"string","type":"number"}"#, "1"));
    assert!(holds(r#"{"properties":{"a":{"type":"string"},"a":{"type":"number"}}}"#, r#"{"a":1}"#));
}

#[test]
fn formats_are_asserted_only_on_demand() {
    let schema = raw(r#"{"format":"date"}"#);
    assert!(Schema::compile(schema).unwrap().validate(raw(r#""today""#)).is_ok());
    let asserting = Options { formats: Some(formats), ..Options::default() };
    let violations = Schema::compile_with(schema, &asserting).unwrap().validate(raw(r#""today""#)).unwrap_err();
    assert_eq!(violations[0].message, r#"expected the format "date", got "today""#);
    let unknown = Schema::compile_with(raw(r#"{"format":"color"}"#), &asserting).unwrap();
    assert!(unknown.validate(raw(r#""x""#)).is_ok());
}

// Limits.

fn nested(levels: usize) -> (String, String) {
    let schema = format!("{}true{}", r#"{"properties":{"a":"#.repeat(levels), "}}".repeat(levels));
    let instance = format!("{}1{}", r#"{"a":"#.repeat(levels), "}".repeat(levels));
    (schema, instance)
}

#[test]
fn five_hundred_levels_are_fine_and_more_than_max_depth_is_refused() {
    // CD-10
    let (schema, instance) = nested(500);
    assert!(holds(&schema, &instance));
    let (schema, _) = nested(MAX_DEPTH + 1);
    assert_eq!(compile(&schema).unwrap_err(), SchemaError::TooLarge("MAX_DEPTH"));
    let (schema, _) = nested(100_000);
    assert!(compile(&schema).is_err());
}

#[test]
fn a_deep_instance_of_a_recursive_schema_stops_at_max_depth() {
    let schema = r##"{"properties":{"a":{"$ref":"#"}}}"##;
    let (_, instance) = nested(200);
    assert!(holds(schema, &instance));
    let (_, instance) = nested(20_000);
    let violations = validate(schema, &instance).unwrap_err();
    assert_eq!((violations.len(), violations[0].message.contains("MAX_DEPTH")), (1, true));
    // Where nothing looks inside, depth costs nothing.
    assert!(holds(r#"{"type":"object"}"#, &instance));
}

#[test]
fn a_schema_that_only_refers_to_itself_ends() {
    // CD-10
    for schema in [
        r##"{"$ref":"#"}"##,
        r##"{"$defs":{"A":{"$ref":"#/$defs/B"},"B":{"$ref":"#/$defs/A"}},"$ref":"#/$defs/A"}"##,
        r##"{"anyOf":[{"$ref":"#"},{"$ref":"#"}]}"##,
        r##"{"not":{"$ref":"#"}}"##,
        r##"{"$dynamicAnchor":"x","allOf":[{"$dynamicRef":"#x"},{"$dynamicRef":"#x"}]}"##,
        r##"{"if":{"$ref":"#"},"then":{"$ref":"#"},"else":{"$ref":"#"}}"##,
    ] {
        let violations = validate(schema, "1").unwrap_err();
        assert!(violations[0].message.contains("MAX_DEPTH"), "{schema}: {violations:?}");
    }
}

#[test]
fn ten_thousand_branches_are_fine_and_more_than_max_subschemas_are_refused() {
    // CD-10
    let branches = |count: usize| {
        let branches: Vec<_> = (0..count).map(|value| format!(r#"{{"const":{value}}}"#)).collect();
        format!(r#"{{"anyOf":[{}]}}"#, branches.join(","))
    };
    let schema = branches(10_000);
    assert!(holds(&schema, "9999"));
    assert!(!holds(&schema, "10000"));
    assert_eq!(compile(&branches(MAX_SUBSCHEMAS)).unwrap_err(), SchemaError::TooLarge("MAX_SUBSCHEMAS"));
    let names = vec![r#""a""#; MAX_SUBSCHEMAS].join(",");
    assert_eq!(compile(&format!(r#"{{"required":[{names}]}}"#)).unwrap_err(), SchemaError::TooLarge("MAX_SUBSCHEMAS"));
}

#[test]
fn the_text_of_a_schema_is_bounded() {
    let schema = |bytes: usize| format!(r#"{{"description":"{}"}}"#, "x".repeat(bytes - 18));
    assert!(compile(&schema(MAX_SCHEMA_BYTES)).is_ok());
    assert_eq!(compile(&schema(MAX_SCHEMA_BYTES + 1)).unwrap_err(), SchemaError::TooLarge("MAX_SCHEMA_BYTES"));
}

#[test]
fn identifiers_are_bounded() {
    let schema = |count: usize| {
        let anchors: Vec<_> = (0..count).map(|number| format!(r#""d{number}":{{"$anchor":"a{number}"}}"#)).collect();
        format!(r#"{{"$defs":{{{}}}}}"#, anchors.join(","))
    };
    // The document itself is one.
    assert!(compile(&schema(MAX_IDENTIFIERS - 1)).is_ok());
    assert_eq!(compile(&schema(MAX_IDENTIFIERS)).unwrap_err(), SchemaError::TooLarge("MAX_IDENTIFIERS"));
}

#[test]
fn patterns_are_bounded_together() {
    assert!(holds(r#"{"pattern":"^.{1,2000}$"}"#, &format!("\"{}\"", "x".repeat(2000))));
    assert!(!holds(r#"{"pattern":"^.{1,2000}$"}"#, &format!("\"{}\"", "x".repeat(2001))));
    for pattern in ["(a{1000}){1000}", "a{4000000000}", "(?:){4000000000}b{99999}", "((a{100}){100}){100}"] {
        let error = compile(&format!(r#"{{"pattern":"{pattern}"}}"#)).unwrap_err();
        assert!(error.to_string().contains("MAX_PATTERN_SIZE"), "{error}");
    }
    let half = MAX_PATTERN_SIZE / 2;
    let twice = format!(r#"{{"allOf":[{{"pattern":"a{{{half}}}"}},{{"pattern":"b{{{half}}}"}}]}}"#);
    assert!(compile(&twice).unwrap_err().to_string().contains("MAX_PATTERN_SIZE"));
    let deep = format!(r#"{{"pattern":"{}a{}"}}"#, "(".repeat(60), ")".repeat(60));
    assert!(compile(&deep).unwrap_err().to_string().contains("MAX_GROUP_DEPTH"));
    let deep = format!(r#"{{"pattern":"{}"}}"#, "(".repeat(100_000));
    assert!(compile(&deep).is_err());
}

#[test]
fn what_takes_too_many_steps_is_stopped() {
    // Every element tries every branch.
    let branches: Vec<_> = (0..10_000).map(|value| format!(r#"{{"const":{value}}}"#)).collect();
    let schema = format!(r#"{{"items":{{"anyOf":[{}]}}}}"#, branches.join(","));
    let instance = format!("[{}]", vec!["9999"; 10_000].join(","));
    let violations = validate(&schema, &instance).unwrap_err();
    assert_eq!(violations.len(), 1);
    assert!(violations[0].message.contains("MAX_STEPS"), "{violations:?}");
    // A schema that doubles the work with every level.
    let doubling: Vec<_> = (0..40)
        .map(|level| {
            format!(
                r##""d{level}":{{"allOf":[{{"$ref":"#/$defs/d{}"}},{{"$ref":"#/$defs/d{}"}}]}}"##,
                level + 1,
                level + 1
            )
        })
        .collect();
    let schema = format!(r##"{{"$defs":{{{},"d40":true}},"$ref":"#/$defs/d0"}}"##, doubling.join(","));
    assert!(validate(&schema, "1").unwrap_err()[0].message.contains("MAX_STEPS"));
    // A stop inside `not` does not turn into a pass.
    let inverted = schema.replace(r##""$ref":"#/$defs/d0""##, r##""not":{"$ref":"#/$defs/d0"}"##);
    assert!(validate(&inverted, "1").is_err());
}

#[test]
fn an_ordinary_schema_validates_a_large_instance_within_its_steps() {
    let items: Vec<_> = (0..10_000).map(|id| format!(r#"{{"id":{id},"name":"n{id}"}}"#)).collect();
    let instance = format!("[{}]", items.join(","));
    let schema = r#"{"uniqueItems":true,"items":{"type":"object","required":["id"],"properties":{"id":{"type":"integer"},"name":{"pattern":"^n\\d+$"}}}}"#;
    assert_eq!(validate(schema, &instance), Ok(()));
}
