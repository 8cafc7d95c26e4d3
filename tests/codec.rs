//! Messages as peers really send them: what is odd is kept, and what is bad costs nothing else.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use mcp_duet::protocol::error::{self, ErrorObject};
use mcp_duet::protocol::json::Raw;
use mcp_duet::protocol::listing::{Fault, Strictness, sift};
use mcp_duet::protocol::result::{Output, is_input_required, structured_output};
use mcp_duet::protocol::schema::Schema;
use mcp_duet::protocol::version::Era;

fn raw(text: &str) -> Raw<'_> {
    Raw::parse(text.as_bytes()).unwrap()
}

#[test]
fn a_bad_tool_costs_no_other_tool() {
    // CD-02
    let long = "n".repeat(300);
    let good = [
        r#"{"name":"a","inputSchema":{"type":"object"}}"#.to_owned(),
        r#"{"name":"a","inputSchema":{"type":"object","properties":{}}}"#.to_owned(),
        r#"{"name":"","inputSchema":{"type":"object"}}"#.to_owned(),
        format!(r#"{{"name":"{long}","inputSchema":{{"type":"object"}}}}"#),
        r#"{"name":"查天气","inputSchema":{"type":"object","$schema":"https://x.test/own"}}"#.to_owned(),
        r#"{"name":"odd","title":5,"description":null,"annotations":[],"inputSchema":{"type":"object"}}"#.to_owned(),
    ];
    let no_schema = "expected inputSchema to be an object";
    let no_type = "expected inputSchema to have \"type\": \"object\"";
    let bad = [
        (r#"{"name":"b1"}"#, Some("b1"), no_schema),
        (r#"{"name":"b2","inputSchema":null}"#, Some("b2"), no_schema),
        (r#"{"name":"b3","inputSchema":true}"#, Some("b3"), no_schema),
        (r#"{"name":"b4","inputSchema":{"$schema":"x"}}"#, Some("b4"), no_type),
        (r#"{"name":"b5","inputSchema":{"anyOf":[{"type":"object"}]}}"#, Some("b5"), no_type),
        (r#"{"name":"b6","inputSchema":{"type":"string"}}"#, Some("b6"), no_type),
        (
            r#"{"name":"b7","inputSchema":{"type":"object","properties":[]}}"#,
            Some("b7"),
            "expected properties of inputSchema to be an object",
        ),
        (r#"{"inputSchema":{"type":"object"}}"#, None, "expected name to be a string"),
        (r#"{"name":7,"inputSchema":{"type":"object"}}"#, None, "expected name to be a string"),
        ("null", None, "expected an object"),
        ("[]", None, "expected an object"),
    ];
    // Good and bad ones by turns.
    let mut items = Vec::new();
    for (at, (item, ..)) in bad.iter().enumerate() {
        items.push((*item).to_owned());
        items.extend(good.get(at).cloned());
    }
    let list = format!("[{}]", items.join(","));
    let (kept, faults) = sift("tools", raw(&list), Strictness::Strict);
    assert_eq!(kept.iter().map(|item| item.as_text()).collect::<Vec<_>>(), good);
    let expected: Vec<_> = bad
        .iter()
        .map(|(item, name, reason)| Fault {
            index: items.iter().position(|own| own == item).unwrap(),
            name: name.map(str::to_owned),
            reason,
        })
        .collect();
    assert_eq!(faults, expected);

    let (kept, faults) = sift("tools", raw(&list), Strictness::Lenient);
    assert_eq!(kept.len(), good.len() + 2, "schemas without a type pass");
    assert!(faults.iter().all(|fault| !matches!(fault.name.as_deref(), Some("b4" | "b5"))));
}

#[test]
fn other_lists_are_sifted_by_what_they_cannot_do_without() {
    for (member, list, kept, reason) in [
        ("resources", r#"[{"uri":"a://b","name":"b"},{"name":"c"}]"#, 1, "expected uri to be a string"),
        ("resources", r#"[{"uri":"a://b"},{"uri":"a://c","name":""}]"#, 1, "expected name to be a string"),
        (
            "resourceTemplates",
            r#"[{"uriTemplate":"a://{b}","name":"b"},{"uri":"a","name":"b"}]"#,
            1,
            "expected uriTemplate to be a string",
        ),
        ("prompts", r#"[{"name":"a","arguments":5},{"title":"b"}]"#, 1, "expected name to be a string"),
    ] {
        let (good, bad) = sift(member, raw(list), Strictness::Strict);
        assert_eq!(good.len(), kept, "{list}");
        assert_eq!(bad.iter().map(|fault| fault.reason).collect::<Vec<_>>(), [reason], "{list}");
    }
    assert_eq!(sift("tools", raw("{}"), Strictness::Strict), (vec![], vec![]));
}

#[test]
fn a_failed_tool_is_never_held_against_its_output_schema() {
    // CD-05
    let schema = Schema::compile(raw(r#"{"type":"object","required":["success"]}"#)).unwrap();
    let asking = raw(r#"{"resultType":"input_required","requestState":"s"}"#);
    assert_eq!(structured_output(asking), Output::Unchecked);
    for row in raw(include_str!("tool-results.json")).elements() {
        let (result, expected) = (row.get("result").unwrap(), row.get_str("output").unwrap());
        let output = match structured_output(result) {
            Output::Unchecked => "unchecked",
            Output::Missing => "missing",
            Output::Structured(_) => "structured",
        };
        assert_eq!(output, expected, "{}", result.as_text());
    }
    // Present by its key, whatever its value.
    for value in ["null", "[]", "5", "0", "false", r#""""#, "{}", r#"{"success":1e400}"#] {
        let result = format!(r#"{{"content":[],"structuredContent":{value}}}"#);
        let output = structured_output(raw(&result));
        assert_eq!(output, Output::Structured(raw(value)), "{value}");
        let Output::Structured(output) = output else { return };
        assert_eq!(schema.validate(output).is_ok(), value.contains("success"), "{value}");
    }
}

#[test]
fn a_modern_server_sends_no_code_of_the_legacy_era() {
    for (code, modern) in [
        (error::RESOURCE_NOT_FOUND, error::INVALID_PARAMS),
        (error::URL_ELICITATION_REQUIRED, error::INTERNAL_ERROR),
        (error::INVALID_PARAMS, error::INVALID_PARAMS),
        (error::HEADER_MISMATCH, error::HEADER_MISMATCH),
        (-32000, -32000),
        (1, 1),
    ] {
        let object = ErrorObject::new(code, "m").with_data("{}".to_owned());
        assert_eq!(object.clone().in_era(Era::Legacy), object);
        assert_eq!(object.clone().in_era(Era::Modern), ErrorObject { code: modern, ..object });
    }
}

#[test]
fn only_the_word_itself_asks_for_input() {
    for (result, expected) in [
        (r#"{"resultType":"input_required"}"#, true),
        (r#"{"resultType":"input\u005frequired"}"#, true),
        (r#"{"resultType":"complete","resultType":"input_required"}"#, true),
        (r#"{"resultType":"complete"}"#, false),
        (r#"{"resultType":null}"#, false),
        (r#"{"resultType":["input_required"]}"#, false),
        (r#"{"result":{"resultType":"input_required"}}"#, false),
        ("[]", false),
    ] {
        assert_eq!(is_input_required(raw(result)), expected, "{result}");
    }
}
