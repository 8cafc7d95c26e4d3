//! The forms of elicitation: which answers fit, which defaults are filled in, what there is to choose.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use mcp_duet::protocol::json::Raw;
use mcp_duet::protocol::schema::elicitation::{AnswerError, apply_defaults, choices, validate};

fn raw(text: &str) -> Raw<'_> {
    Raw::parse(text.as_bytes()).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn form(fields: &str) -> String {
    format!(r#"{{"type":"object","properties":{{{fields}}}}}"#)
}

#[test]
fn every_kind_of_field_is_validated() {
    // CD-11: "42xyz" is no integer.
    let fields = r#"
        "name": {"type":"string","minLength":2,"maxLength":5},
        "mail": {"type":"string","format":"email"},
        "page": {"type":"string","format":"uri"},
        "day": {"type":"string","format":"date"},
        "moment": {"type":"string","format":"date-time"},
        "age": {"type":"integer","minimum":0,"maximum":150},
        "share": {"type":"number"},
        "agrees": {"type":"boolean"},
        "plain": {"type":"string","enum":["a","b"]},
        "named": {"type":"string","enum":["a","b"],"enumNames":["The a"]},
        "titled": {"oneOf":[{"const":"a","title":"A"},{"const":"b","title":"B"}]},
        "several": {"type":"array","minItems":1,"maxItems":2,"items":{"type":"string","enum":["a","b","c"]}},
        "severalTitled": {"type":"array","items":{"anyOf":[{"const":"a","title":"A"},{"const":"b","title":"B"}]}}
    "#;
    let requested = form(fields);
    for (answer, fits) in [
        (r#"{}"#, true),
        (r#"{"name":"北京市"}"#, true),
        (r#"{"name":"x"}"#, false),
        (r#"{"name":"xxxxxx"}"#, false),
        (r#"{"name":5}"#, false),
        (r#"{"mail":"a@b.example"}"#, true),
        (r#"{"mail":"a.b.example"}"#, false),
        (r#"{"page":"https://b.example/x?y#z"}"#, true),
        (r#"{"page":"/x"}"#, false),
        (r#"{"day":"2024-02-29"}"#, true),
        (r#"{"day":"2023-02-29"}"#, false),
        (r#"{"moment":"2024-02-29T23:59:60Z"}"#, true),
        (r#"{"moment":"2024-02-29"}"#, false),
        (r#"{"age":42}"#, true),
        (r#"{"age":42.0}"#, true),
        (r#"{"age":42.5}"#, false),
        (r#"{"age":"42xyz"}"#, false),
        (r#"{"age":"42"}"#, false),
        (r#"{"age":-1}"#, false),
        (r#"{"share":0.5}"#, true),
        (r#"{"agrees":false}"#, true),
        (r#"{"agrees":"false"}"#, false),
        (r#"{"plain":"b"}"#, true),
        (r#"{"plain":"c"}"#, false),
        (r#"{"named":"b"}"#, true),
        (r#"{"named":"The a"}"#, false),
        (r#"{"titled":"b"}"#, true),
        (r#"{"titled":"B"}"#, false),
        (r#"{"titled":null}"#, false),
        (r#"{"several":["a","c"]}"#, true),
        (r#"{"several":[]}"#, false),
        (r#"{"several":["a","b","c"]}"#, false),
        (r#"{"several":["d"]}"#, false),
        (r#"{"severalTitled":["a","b"]}"#, true),
        (r#"{"severalTitled":["A"]}"#, false),
        (r#"{"another":"field"}"#, true),
        (r#"{"another":null}"#, false),
        (r#"{"another":{"a":1}}"#, false),
        (r#"{"another":[1]}"#, false),
        (r#"[]"#, false),
        (r#"null"#, false),
    ] {
        let outcome = validate(raw(&requested), raw(answer));
        assert_eq!(outcome.is_ok(), fits, "{answer}: {outcome:?}");
    }
}

#[test]
fn a_missing_required_field_is_named() {
    let requested = r#"{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}"#;
    let error = validate(raw(requested), raw("{}")).unwrap_err();
    assert_eq!(error.to_string(), r#"missing required property "a""#);
}

#[test]
fn a_schema_that_cannot_be_used_is_told_from_an_answer_that_does_not_fit() {
    let error = validate(raw(r#"{"$schema":"https://x.test/custom"}"#), raw("{}")).unwrap_err();
    assert!(matches!(error, AnswerError::Schema(_)), "{error}");
    let error = validate(raw(&form(r#""a":{"type":"any"}"#)), raw("{}")).unwrap_err();
    assert!(matches!(error, AnswerError::Schema(_)), "{error}");
}

#[test]
fn defaults_fill_in_what_is_absent_and_nothing_else() {
    // CD-11: defaults that are falsy count.
    let requested = form(
        r#""s":{"type":"string","default":""},"n":{"type":"number","default":0},"b":{"type":"boolean","default":false},
           "e":{"type":"string","enum":["x","y"],"default":"y"},"t":{"oneOf":[{"const":"x","title":"X"}],"default":"x"},
           "m":{"type":"array","items":{"type":"string"},"default":[]},"none":{"type":"string"}"#,
    );
    for (content, expected) in [
        ("{}", r#"{"s":"","n":0,"b":false,"e":"y","t":"x","m":[]}"#),
        (
            r#"{"s":"given","n":1,"b":true,"e":"x","t":"x","m":["q"]}"#,
            r#"{"s":"given","n":1,"b":true,"e":"x","t":"x","m":["q"]}"#,
        ),
        (r#"{"b":null,"s":"","n":-0.0}"#, r#"{"b":null,"s":"","n":-0.0,"e":"y","t":"x","m":[]}"#),
        (r#"{ "\u0073":"escaped name" }"#, r#"{ "\u0073":"escaped name" ,"n":0,"b":false,"e":"y","t":"x","m":[]}"#),
        ("[]", "[]"),
        ("null", "null"),
    ] {
        let filled = apply_defaults(raw(&requested), raw(content));
        assert_eq!(filled, expected);
        raw(&filled);
    }
}

#[test]
fn a_default_that_its_field_would_refuse_is_left_out() {
    // CD-11
    let requested = form(
        r#""e":{"type":"string","enum":["x"],"default":"z"},"i":{"type":"integer","default":"1"},
           "d":{"type":"string","format":"date","default":"today"},"q":{"type":"what","default":"1"}"#,
    );
    assert_eq!(apply_defaults(raw(&requested), raw("{}")), "{}");
    assert_eq!(apply_defaults(raw(r#"{"properties":5}"#), raw("{}")), "{}");
    assert_eq!(apply_defaults(raw("null"), raw("{}")), "{}");
}

#[test]
fn choices_are_read_from_every_form() {
    // CD-11: every form of choices, the legacy one included.
    for (field, expected) in [
        (r#"{"enum":["a","b"]}"#, &[(r#""a""#, "a"), (r#""b""#, "b")][..]),
        (
            r#"{"enum":["a","b","c"],"enumNames":["The a","The b"]}"#,
            &[(r#""a""#, "The a"), (r#""b""#, "The b"), (r#""c""#, "c")],
        ),
        (r#"{"enum":["a"],"enumNames":["The a","Too many"]}"#, &[(r#""a""#, "The a")]),
        (
            r#"{"oneOf":[{"const":"a","title":"A"},{"const":"b"},{"title":"no value"}]}"#,
            &[(r#""a""#, "A"), (r#""b""#, "b")],
        ),
        (r#"{"type":"array","items":{"enum":["a"]}}"#, &[(r#""a""#, "a")]),
        (r#"{"type":"array","items":{"anyOf":[{"const":"a","title":"A"}]}}"#, &[(r#""a""#, "A")]),
        (r#"{"type":"string"}"#, &[]),
        ("null", &[]),
    ] {
        let found = choices(raw(field));
        let found: Vec<_> = found.iter().map(|choice| (choice.value.as_text(), &*choice.title)).collect();
        assert_eq!(found, expected, "{field}");
    }
}
