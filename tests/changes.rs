//! What goes to a peer of an older revision, checked against that revision's schema.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

mod spec;

use mcp_duet::protocol::changes::{
    allows_batches, answer_for, inexpressible, inexpressible_answer, params_for, request_differs, result_for,
};
use mcp_duet::protocol::json::Raw;
use mcp_duet::protocol::version::ProtocolVersion;
use spec::{VERSIONS, revision};

#[derive(Clone, Copy)]
enum Side {
    Result,
    Params,
    Answer,
}
use Side::{Answer, Params, Result};

fn raw(text: &str) -> Raw<'_> {
    Raw::parse(text.as_bytes()).unwrap()
}

fn sent(side: Side, version: ProtocolVersion, method: &str, text: &str) -> String {
    let raw = Raw::parse(text.as_bytes()).unwrap();
    let adapted = match side {
        Result => result_for(version, method, raw),
        Params => params_for(version, method, raw),
        Answer => answer_for(version, method, raw),
    };
    if let Some(adapted) = &adapted {
        assert_ne!(adapted, text, "a copy was made though nothing changed");
        let again = Raw::parse(adapted.as_bytes()).unwrap();
        let settled = match side {
            Result => result_for(version, method, again),
            Params => params_for(version, method, again),
            Answer => answer_for(version, method, again),
        };
        assert_eq!(settled, None, "adapting twice changes it again: {adapted}");
    }
    adapted.unwrap_or_else(|| text.to_owned())
}

/// Where each type that the revisions differ in is sent: the type, the message, and what is around the value there.
const PLACES: &[(&str, Side, &str, &str, &str)] = &[
    ("Implementation", Result, "initialize", r#"{"serverInfo":"#, "}"),
    ("Implementation", Params, "initialize", r#"{"clientInfo":"#, "}"),
    ("ServerCapabilities", Result, "initialize", r#"{"capabilities":"#, "}"),
    ("ClientCapabilities", Params, "initialize", r#"{"capabilities":"#, "}"),
    ("Tool", Result, "tools/list", r#"{"tools":["#, "]}"),
    ("Prompt", Result, "prompts/list", r#"{"prompts":["#, "]}"),
    ("PromptArgument", Result, "prompts/list", r#"{"prompts":[{"name":"a","arguments":["#, "]}]}"),
    ("Resource", Result, "resources/list", r#"{"resources":["#, "]}"),
    ("ResourceTemplate", Result, "resources/templates/list", r#"{"resourceTemplates":["#, "]}"),
    ("ResourceLink", Result, "tools/call", r#"{"content":["#, "]}"),
    ("TextContent", Result, "tools/call", r#"{"content":["#, "]}"),
    ("Annotations", Result, "tools/call", r#"{"content":[{"type":"text","text":"","annotations":"#, "}]}"),
    ("Annotations", Result, "resources/list", r#"{"resources":[{"annotations":"#, "}]}"),
    ("CallToolResult", Result, "tools/call", "", ""),
    ("GetPromptResult", Result, "prompts/get", "", ""),
    ("ReadResourceResult", Result, "resources/read", "", ""),
    ("ListToolsResult", Result, "tools/list", "", ""),
    ("ListPromptsResult", Result, "prompts/list", "", ""),
    ("ListResourcesResult", Result, "resources/list", "", ""),
    ("ListResourceTemplatesResult", Result, "resources/templates/list", "", ""),
    ("CompleteResult", Result, "completion/complete", "", ""),
    ("CompleteRequestParams", Params, "completion/complete", "", ""),
    ("PromptReference", Params, "completion/complete", r#"{"ref":"#, "}"),
    ("CallToolRequestParams", Params, "tools/call", "", ""),
    ("GetPromptRequestParams", Params, "prompts/get", "", ""),
    ("ReadResourceRequestParams", Params, "resources/read", "", ""),
    ("CreateMessageRequestParams", Params, "sampling/createMessage", "", ""),
    ("ElicitRequestFormParams", Params, "elicitation/create", "", ""),
    ("ElicitRequestURLParams", Params, "elicitation/create", "", ""),
    ("ProgressNotificationParams", Params, "notifications/progress", "", ""),
    ("StringSchema", Params, "elicitation/create", r#"{"requestedSchema":{"properties":{"a":"#, "}}}"),
    ("NumberSchema", Params, "elicitation/create", r#"{"requestedSchema":{"properties":{"a":"#, "}}}"),
    ("BooleanSchema", Params, "elicitation/create", r#"{"requestedSchema":{"properties":{"a":"#, "}}}"),
];

/// Older revisions write the parameters into the request's own type.
fn properties(version: ProtocolVersion, name: &str) -> Option<Vec<(String, Raw<'static>)>> {
    let revision = revision(version);
    if revision.definition(name).is_some() {
        return Some(revision.properties(name));
    }
    let request = match name {
        "ElicitRequestFormParams" => "ElicitRequest",
        "ElicitRequestURLParams" => return None,
        other => other.strip_suffix("Params")?,
    };
    let params = revision.definition(request)?.get("properties")?.get("params")?.get("properties")?;
    Some(params.members().map(|(key, property)| (key.name().into_owned(), property)).collect())
}

#[test]
fn a_member_is_sent_to_the_revisions_that_have_it_and_to_no_other() {
    let mut differences = 0;
    for (name, side, method, before, after) in PLACES {
        for with in VERSIONS {
            for (member, schema) in properties(with, name).unwrap_or_default() {
                // Open in every revision; see the module's documentation.
                if member == "_meta" || member == "extensions" {
                    continue;
                }
                for to in VERSIONS {
                    let Some(known) = properties(to, name) else { continue };
                    let is_known = known.iter().any(|(own, _)| *own == member);
                    let value = match member.as_str() {
                        "outputSchema" => r#"{"type":"object"}"#.to_owned(),
                        "structuredContent" => "{}".to_owned(),
                        _ => revision(with).make_plain(schema, 1),
                    };
                    let kind = match *name {
                        "TextContent" => r#""type":"text","#,
                        "ResourceLink" => r#""type":"resource_link","#,
                        "BooleanSchema" => r#""type":"boolean","#,
                        _ => "",
                    };
                    if member == "type" {
                        continue;
                    }
                    let object = format!(r#"{before}{{{kind}"{member}":{value}}}{after}"#);
                    let text = sent(*side, to, method, &object);
                    let is_sent = text.contains(&format!(r#""{member}":"#));
                    assert_eq!(is_sent, is_known, "{name}.{member} of {with} to {to}: {object} became {text}");
                    differences += usize::from(!is_known);
                }
            }
        }
    }
    assert!(differences > 100, "the revisions differ in more than {differences} places");
}

#[test]
fn messages_of_the_newest_revisions_are_valid_for_every_older_one() {
    let messages = [
        ("CallToolResult", Result, "tools/call"),
        ("GetPromptResult", Result, "prompts/get"),
        ("ReadResourceResult", Result, "resources/read"),
        ("ListToolsResult", Result, "tools/list"),
        ("ListPromptsResult", Result, "prompts/list"),
        ("ListResourcesResult", Result, "resources/list"),
        ("ListResourceTemplatesResult", Result, "resources/templates/list"),
        ("CompleteResult", Result, "completion/complete"),
        ("InitializeResult", Result, "initialize"),
    ];
    for from in [ProtocolVersion::V2025_11_25, ProtocolVersion::V2026_07_28] {
        for (name, side, method) in messages {
            if revision(from).definition(name).is_none() {
                continue;
            }
            for to in VERSIONS.into_iter().filter(|to| *to < ProtocolVersion::V2026_07_28) {
                let schema = revision(to).schema(name);
                for seed in 0..20 {
                    let made = revision(from).make(name, seed);
                    let text = sent(side, to, method, &made);
                    if let Err(violations) = schema.validate(Raw::parse(text.as_bytes()).unwrap()) {
                        panic!("{name} of {from} is not valid for {to}: {violations:?}\nmade {made}\nsent {text}");
                    }
                }
            }
        }
    }
}

#[test]
fn questions_to_a_client_are_valid_for_every_older_revision() {
    for (name, method, oldest) in [
        ("CreateMessageRequest", "sampling/createMessage", ProtocolVersion::V2025_03_26),
        ("ElicitRequest", "elicitation/create", ProtocolVersion::V2025_06_18),
    ] {
        for to in VERSIONS.into_iter().filter(|to| (oldest..ProtocolVersion::V2026_07_28).contains(to)) {
            let schema = revision(to).schema(name);
            let mut valid = 0;
            for seed in 0..300 {
                let made = revision(ProtocolVersion::V2025_11_25).make(name, seed);
                // Tools inside sampling, forms with many choices and visits to a URL have no older form.
                let lacks = ["\"url\"", "tool_use", "tool_result", "\"array\""];
                if to < ProtocolVersion::V2025_11_25 && lacks.iter().any(|word| made.contains(word)) {
                    continue;
                }
                let request = Raw::parse(made.as_bytes()).unwrap();
                let params = sent(Params, to, method, request.get("params").unwrap().as_text());
                let text = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#);
                if let Err(violations) = schema.validate(Raw::parse(text.as_bytes()).unwrap()) {
                    panic!("{name} is not valid for {to}: {violations:?}\nmade {made}\nsent {text}");
                }
                valid += 1;
            }
            assert!(valid > 30, "{name} for {to}: only {valid} were checked");
        }
    }
}

#[test]
fn content_that_a_revision_cannot_know_becomes_text() {
    let audio =
        r#"{"type":"audio","data":"AA==","mimeType":"audio/wav","annotations":{"priority":1,"lastModified":"x"}}"#;
    let link = r#"{"type":"resource_link","name":"main","title":"Main file","uri":"file:///main.rs","icons":[]}"#;
    let result = format!(r#"{{"content":[{audio},{link},{{"type":"hologram","x":1e400}}]}}"#);
    for (version, expected) in [
        (
            ProtocolVersion::V2024_11_05,
            concat!(
                r#"{"content":[{"type":"text","text":"[audio, audio/wav: not part of protocol version 2024-11-05]","#,
                r#""annotations":{"priority":1}},{"type":"text","text":"Main file: file:///main.rs"},"#,
                r#"{"type":"hologram","x":1e400}]}"#
            ),
        ),
        (
            ProtocolVersion::V2025_03_26,
            concat!(
                r#"{"content":[{"type":"audio","data":"AA==","mimeType":"audio/wav","annotations":{"priority":1}},"#,
                r#"{"type":"text","text":"Main file: file:///main.rs"},{"type":"hologram","x":1e400}]}"#
            ),
        ),
    ] {
        assert_eq!(sent(Result, version, "tools/call", &result), expected);
        let prompt = format!(r#"{{"messages":[{{"role":"user","content":{audio}}}]}}"#);
        let text = sent(Result, version, "prompts/get", &prompt);
        assert_eq!(text.contains(r#""type":"text""#), version == ProtocolVersion::V2024_11_05);
    }
    assert_eq!(sent(Result, ProtocolVersion::V2026_07_28, "tools/call", &result), result);
}

#[test]
fn structured_content_and_output_schemas_that_are_no_objects_stay_in_the_modern_era() {
    for value in ["null", "[]", "5", "0", "false", r#""s""#, "{}"] {
        let result = format!(r#"{{"content":[],"structuredContent":{value}}}"#);
        for version in VERSIONS {
            let text = sent(Result, version, "tools/call", &result);
            let fits =
                version >= ProtocolVersion::V2026_07_28 || (version >= ProtocolVersion::V2025_06_18 && value == "{}");
            assert_eq!(text.contains("structuredContent"), fits, "{value} to {version}");
        }
    }
    for (schema, is_object) in [(r#"{"type":"object"}"#, true), (r#"{"type":"array"}"#, false), ("{}", false)] {
        let list = format!(r#"{{"tools":[{{"name":"a","inputSchema":{{"type":"object"}},"outputSchema":{schema}}}]}}"#);
        let text = sent(Result, ProtocolVersion::V2025_11_25, "tools/list", &list);
        assert_eq!(text.contains("outputSchema"), is_object, "{schema}");
        assert_eq!(sent(Result, ProtocolVersion::V2026_07_28, "tools/list", &list), list);
    }
}

#[test]
fn a_form_keeps_its_choices_titles_and_boolean_defaults_in_2025_06_18() {
    let form = concat!(
        r#"{"mode":"form","message":"m","requestedSchema":{"type":"object","properties":{"#,
        r#""c":{"type":"string","oneOf":[{"const":"r","title":"Red"},{"const":"g","title":"Green"}],"default":"r"},"#,
        r#""n":{"type":"integer","default":0},"b":{"type":"boolean","default":false},"default":{"type":"string"}}}}"#
    );
    assert_eq!(
        sent(Params, ProtocolVersion::V2025_06_18, "elicitation/create", form),
        concat!(
            r#"{"message":"m","requestedSchema":{"type":"object","properties":{"#,
            r#""c":{"type":"string","enum":["r","g"],"enumNames":["Red","Green"]},"#,
            r#""n":{"type":"integer"},"b":{"type":"boolean","default":false},"default":{"type":"string"}}}}"#
        )
    );
    assert_eq!(sent(Params, ProtocolVersion::V2025_11_25, "elicitation/create", form), form);
}

#[test]
fn several_pieces_of_content_become_several_messages_where_a_message_has_one() {
    let params = concat!(
        r#"{"messages":[{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]},"#,
        r#"{"role":"assistant","content":{"type":"text","text":"c"}}],"maxTokens":1,"tools":[]}"#
    );
    assert_eq!(
        sent(Params, ProtocolVersion::V2025_06_18, "sampling/createMessage", params),
        concat!(
            r#"{"messages":[{"role":"user","content":{"type":"text","text":"a"}},"#,
            r#"{"role":"user","content":{"type":"text","text":"b"}},"#,
            r#"{"role":"assistant","content":{"type":"text","text":"c"}}],"maxTokens":1}"#
        )
    );
}

#[test]
fn a_clients_answer_is_what_the_servers_revision_has_or_is_named() {
    use ProtocolVersion as P;
    let (list, one) = (
        r#"{"role":"assistant","model":"m","content":[CONTENT]}"#,
        r#"{"role":"assistant","model":"m","content":CONTENT}"#,
    );
    let (text, audio) = (r#"{"type":"text","text":"a"}"#, r#"{"type":"audio","data":"AA==","mimeType":"audio/wav"}"#);
    let with = |form: &str, content: &str| form.replace("CONTENT", content);
    for (version, is_list) in [(P::V2024_11_05, false), (P::V2025_06_18, false), (P::V2025_11_25, true)] {
        let answer = sent(Answer, version, "sampling/createMessage", &with(list, text));
        assert_eq!(answer, with(if is_list { list } else { one }, text), "{version}");
        let several = with(list, &[text, text].join(","));
        let is_named = |text: &str| inexpressible_answer(version, "sampling/createMessage", raw(text)).is_some();
        assert_eq!(is_named(&several), !is_list, "{version}");
        assert_eq!(
            is_named(&with(list, r#"{"type":"tool_use","id":"1","name":"t","input":{}}"#)),
            !is_list,
            "{version}"
        );
        assert!(!is_named(&with(list, text)) && !is_named(&with(one, text)) && !is_named("{}"), "{version}");
    }
    let old = sent(Answer, P::V2024_11_05, "sampling/createMessage", &with(one, audio));
    assert!(old.contains("[audio, audio/wav") && !old.contains(r#""type":"audio""#), "{old}");
    let stamped = r#"{"resultType":"complete","roots":[]}"#;
    assert_eq!(sent(Answer, P::V2025_11_25, "roots/list", stamped), r#"{"roots":[]}"#);
}

#[test]
fn what_is_not_what_belongs_there_is_left_alone_however_deep_it_goes() {
    let deep = "[".repeat(100_000) + &"]".repeat(100_000);
    for value in ["5", "null", r#""text""#, "[5,null]", &deep] {
        for text in [format!(r#"{{"content":{value}}}"#), format!(r#"{{"messages":{value}}}"#), value.to_owned()] {
            for method in ["tools/call", "prompts/get", "tools/list"] {
                assert_eq!(sent(Result, ProtocolVersion::V2024_11_05, method, &text), text);
            }
            assert_eq!(sent(Params, ProtocolVersion::V2024_11_05, "sampling/createMessage", &text), text);
        }
    }
}

#[test]
fn members_that_nobody_knows_stay_as_they_are() {
    let result = r#"{ "content":[], "x" : 1e400, "__proto__":{"a":-0.0}, "\u0078":12345678901234567890, "isError":null,"title":1}"#;
    for version in VERSIONS {
        assert_eq!(sent(Result, version, "tools/call", result), result, "{version}");
    }
}

#[test]
fn only_2025_03_26_has_batches() {
    let having: Vec<_> = VERSIONS.into_iter().filter(|version| allows_batches(*version)).collect();
    assert_eq!(having, [ProtocolVersion::V2025_03_26]);
}

#[test]
fn a_question_that_a_revision_cannot_express_is_named_and_no_other() {
    let many = r#"{"message":"m","requestedSchema":{"properties":{"a":{"type":"string"},"b":{"type":"array"}}}}"#;
    let form = r#"{"mode":"form","message":"m","requestedSchema":{"properties":{"type":{"type":"string","default":"array"}}}}"#;
    let url = r#"{"mode":"url","message":"m","url":"https://a.test"}"#;
    let tools = r#"{"messages":[],"tools":[{"name":"t"}]}"#;
    let no_tools = r#"{"messages":[{"role":"user","content":{"type":"text","text":"tool_use"}}],"tools":[]}"#;
    let used = r#"{"messages":[{"role":"user","content":[{"type":"text"},{"type":"tool_result"}]}]}"#;
    let (v2, v3, v4) = (ProtocolVersion::V2025_03_26, ProtocolVersion::V2025_06_18, ProtocolVersion::V2025_11_25);
    for (version, method, params, lack) in [
        (v2, "elicitation/create", form, Some("elicitation")),
        (v3, "elicitation/create", form, None),
        (v3, "elicitation/create", many, Some("form fields with several choices")),
        (v4, "elicitation/create", many, None),
        (v3, "elicitation/create", url, Some("elicitation by URL")),
        (v4, "elicitation/create", url, None),
        (v3, "sampling/createMessage", tools, Some("tools inside sampling")),
        (v3, "sampling/createMessage", used, Some("tools inside sampling")),
        (v2, "sampling/createMessage", no_tools, None),
        (v4, "sampling/createMessage", tools, None),
        (v2, "roots/list", "{}", None),
        (v3, "elicitation/create", "[5]", None),
    ] {
        assert_eq!(inexpressible(version, method, Some(raw(params))), lack, "{version} {method} {params}");
    }
    assert_eq!(inexpressible(ProtocolVersion::V2026_07_28, "elicitation/create", Some(raw(url))), None);
    assert_eq!(inexpressible(v3, "roots/list", None), None);
}

#[test]
fn parameters_need_a_look_only_where_a_revision_lacks_some() {
    for version in VERSIONS {
        let has = |method: &str| request_differs(version, method);
        assert_eq!(has("completion/complete"), version < ProtocolVersion::V2025_06_18);
        assert_eq!(has("notifications/progress"), version < ProtocolVersion::V2025_03_26);
        assert!(!has("tools/call") && !has("tools/list"), "they go out as they are");
    }
}
