//! Header values, media types, mirrored parameters, and the check of headers against bodies.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use mcp_duet::protocol::error::HEADER_MISMATCH;
use mcp_duet::protocol::json::Raw;
use mcp_duet::streamable_http::check;
use mcp_duet::streamable_http::headers::{
    EVENT_STREAM, HeaderError, JSON, accepts, decode_value, encode_value, get, is_event_stream, is_json,
};
use mcp_duet::streamable_http::param_headers::{HeaderParam, MAX_SCHEMA_DEPTH, ParamKind, scan};
use proptest::prelude::*;

fn raw(text: &str) -> Raw<'_> {
    Raw::parse(text.as_bytes()).unwrap()
}

#[test]
fn values_are_encoded_where_a_header_would_change_them() {
    // CD-07, CD-08
    for (value, expected) in [
        ("us-west1", "us-west1"),
        ("Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="),
        (" padded ", "=?base64?IHBhZGRlZCA=?="),
        ("line1\nline2", "=?base64?bGluZTEKbGluZTI=?="),
        ("=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="),
        ("tööl_unicode", "=?base64?dMO2w7ZsX3VuaWNvZGU=?="),
        ("", ""),
        ("us west 1", "us west 1"),
        ("a\tb", "=?base64?YQli?="),
        ("R\r\nEvil: 1", "=?base64?Ug0KRXZpbDogMQ==?="),
        ("\u{7f}", "=?base64?fw==?="),
        ("\0", "=?base64?AA==?="),
        ("é", "=?base64?w6k=?="),
        ("🦀", "=?base64?8J+mgA==?="),
        ("=?base64?SGVsbG8=", "=?base64?SGVsbG8="),
        ("=?BASE64?SGVsbG8=?=", "=?BASE64?SGVsbG8=?="),
        ("=?base64?=", "=?base64?PT9iYXNlNjQ/PQ==?="),
        ("=?base64??=", "=?base64?PT9iYXNlNjQ/Pz0=?="),
    ] {
        assert_eq!(encode_value(value), expected);
        assert_eq!(decode_value(expected).as_deref(), Ok(value));
    }
}

#[test]
fn a_long_value_is_encoded_whole() {
    // CD-08: a long text must not be spread over the stack.
    let value = "界".repeat(20_000);
    let encoded = encode_value(&value);
    assert_eq!(encoded.len(), 80_000 + "=?base64??=".len());
    assert_eq!(decode_value(&encoded).as_deref(), Ok(&*value));
}

#[test]
fn values_are_decoded_strictly() {
    for (value, expected) in [
        (" foo\t", Ok("foo")),
        ("=?base64??=", Ok("")),
        ("SGVsbG8=", Ok("SGVsbG8=")),
        ("=?base64?SGVsbG8=", Ok("=?base64?SGVsbG8=")),
        ("=?base64?=", Ok("=?base64?=")),
        ("=?BASE64?SGVsbG8=?=", Ok("=?BASE64?SGVsbG8=?=")),
        ("a\tb", Ok("a\tb")),
        ("=?base64?SGVsbG8?=", Err(HeaderError::InvalidBase64)),
        ("=?base64?SGVs!!!bG8=?=", Err(HeaderError::InvalidBase64)),
        ("=?base64? SGVsbG8=?=", Err(HeaderError::InvalidBase64)),
        ("=?base64?_-8=?=", Err(HeaderError::InvalidBase64)),
        ("=?base64?/w==?=", Err(HeaderError::InvalidUtf8)),
        ("tööl", Err(HeaderError::InvalidCharacter)),
        ("a\nb", Err(HeaderError::InvalidCharacter)),
        ("\u{7f}", Err(HeaderError::InvalidCharacter)),
    ] {
        assert_eq!(decode_value(value).as_deref(), expected.as_ref().map(|value| *value), "{value:?}");
    }
}

proptest! {
    #[test]
    fn any_value_survives_the_header(value in any::<String>()) {
        let encoded = encode_value(&value);
        prop_assert!(encoded.bytes().all(|byte| matches!(byte, b' '..=b'~')));
        prop_assert_eq!(encoded.trim(), &*encoded);
        prop_assert_eq!(decode_value(&encoded).unwrap(), &*value);
    }

    #[test]
    fn no_header_text_makes_the_rules_panic(value in any::<String>()) {
        let _ = decode_value(&value);
        let _ = decode_value(&format!("=?base64?{value}?="));
        let _ = (is_json(&value), is_event_stream(&value), accepts(Some(&value), JSON));
    }
}

#[test]
fn media_types_are_told_apart_whatever_their_spelling() {
    for (content_type, json, event_stream) in [
        ("application/json", true, false),
        ("application/json; charset=utf-8", true, false),
        ("Application/JSON", true, false),
        ("application/json;charset=\"UTF-8\"", true, false),
        (" application/json ", true, false),
        ("application/json ;x=y", true, false),
        ("text/event-stream; charset=utf-8", false, true),
        ("Text/Event-Stream", false, true),
        ("text/plain", false, false),
        ("text/plain; application/json", false, false),
        ("application/json-seq", false, false),
        ("application/json, text/plain", false, false),
        ("text/html", false, false),
        ("", false, false),
    ] {
        assert_eq!((is_json(content_type), is_event_stream(content_type)), (json, event_stream), "{content_type:?}");
    }
}

#[test]
fn accept_is_decided_by_the_most_specific_range() {
    for (accept, json, event_stream) in [
        (None, true, true),
        (Some(""), true, true),
        (Some("*/*"), true, true),
        (Some("application/json, text/event-stream"), true, true),
        (Some("application/*, text/event-stream"), true, true),
        (Some("application/json"), true, false),
        (Some("APPLICATION/JSON;q=0.1"), true, false),
        (Some("text/*"), false, true),
        (Some("application/json;q=0, */*"), false, true),
        (Some("*/*;q=0, application/json"), true, false),
        (Some("text/event-stream; q=0.000, application/json"), true, false),
        (Some("text/event-stream;q=0.001"), false, true),
        (Some("application/json, application/json;q=0, text/html"), true, false),
        (Some("text/html"), false, false),
    ] {
        assert_eq!((accepts(accept, JSON), accepts(accept, EVENT_STREAM)), (json, event_stream), "{accept:?}");
    }
}

#[test]
fn header_names_have_no_case() {
    let headers = [("mcp-method", " tools/list "), ("MCP-METHOD", "second")];
    assert_eq!(get(&headers, "Mcp-Method"), Some("tools/list"));
    assert_eq!(get(&headers, "Mcp-Name"), None);
}

fn param(header: &str, path: &[&str], kind: ParamKind) -> HeaderParam {
    HeaderParam { header: header.to_owned(), path: path.iter().map(|name| (*name).to_owned()).collect(), kind }
}

#[test]
fn annotations_are_found_along_chains_of_properties() {
    let schema = r#"{"type":"object","properties":{
        "region":{"type":"string","x-mcp-header":"Region"},
        "query":{"type":"string"},
        "limit":{"x-mcp-header":"Limit","type":["null","integer"],"default":{"x-mcp-header":"no"}},
        "a":{"type":"object","properties":{"b":{"type":"boolean","x-mcp-header":"Deep"},"properties":{"type":"object","properties":{"x":{"type":"string","x-mcp-header":"x!#$%&'*+-.^_`|~0"}}}}},
        "x-mcp-header":{"type":"string"}},
        "examples":[{"x-mcp-header":""}],"const":{"x-mcp-header":1}}"#;
    let found = scan(raw(schema)).unwrap();
    assert_eq!(
        found,
        [
            param("Mcp-Param-Deep", &["a", "b"], ParamKind::Boolean),
            param("Mcp-Param-x!#$%&'*+-.^_`|~0", &["a", "properties", "x"], ParamKind::String),
            param("Mcp-Param-Limit", &["limit"], ParamKind::Integer),
            param("Mcp-Param-Region", &["region"], ParamKind::String),
        ]
    );
    for none in
        [r#"{"type":"object"}"#, "{}", "true", "null", "[]", r#"{"properties":{"x-mcp-header":{"type":"string"}}}"#]
    {
        assert_eq!(scan(raw(none)), Ok(Vec::new()), "{none}");
    }
}

#[test]
fn annotations_that_break_the_rules_are_refused_with_the_reason() {
    // CD-07: an annotation must not become a header injection.
    let property = |schema: &str| format!(r#"{{"type":"object","properties":{{"p":{schema}}}}}"#);
    let name = |name: &str| property(&format!(r#"{{"type":"string","x-mcp-header":{name}}}"#));
    let typed = |declared: &str| property(&format!(r#"{{"type":{declared},"x-mcp-header":"P"}}"#));
    let nested = |keyword: &str| format!(r#"{{"type":"object",{keyword}}}"#);
    let annotated = r#"{"type":"string","x-mcp-header":"P"}"#;
    for (schema, reason) in [
        (name(r#""""#), "p must be an HTTP token, not \"\""),
        (name(r#""a b""#), "p must be an HTTP token, not \"a b\""),
        (name(r#""X:""#), "HTTP token"),
        (name(r#""R\r\nEvil: 1""#), "HTTP token"),
        (name(r#""é""#), "HTTP token"),
        (name(r#""a\tb""#), "HTTP token"),
        (name("5"), "p must be a string, not 5"),
        (name("null"), "must be a string, not null"),
        (typed(r#""number""#), "needs the type string, integer or boolean, not \"number\""),
        (typed(r#""object""#), "not \"object\""),
        (typed(r#""array""#), "not \"array\""),
        (typed(r#""null""#), "not \"null\""),
        (typed("null"), "not null"),
        (typed(r#"["string","integer"]"#), "not [\"string\",\"integer\"]"),
        (typed(r#"["null"]"#), "not [\"null\"]"),
        (property(r#"{"x-mcp-header":"P"}"#), "not no type"),
        (
            r#"{"properties":{"a":{"type":"string","x-mcp-header":"Region"},"b":{"type":"string","x-mcp-header":"region"}}}"#.to_owned(),
            "repeats the header Mcp-Param-",
        ),
        (r#"{"type":"string","x-mcp-header":"P"}"#.to_owned(), "not on a property"),
        (property(&format!(r#"{{"type":"array","items":{annotated}}}"#)), "not on a property"),
        (property(&format!(r#"{{"oneOf":[{annotated}]}}"#)), "not on a property"),
        (nested(&format!(r#""allOf":[{{"properties":{{"p":{annotated}}}}}]"#)), "not on a property"),
        (nested(&format!(r#""if":{{"properties":{{"p":{annotated}}}}}"#)), "not on a property"),
        (nested(&format!(r##""$defs":{{"P":{annotated}}},"properties":{{"p":{{"$ref":"#/$defs/P"}}}}"##)), "not on a property"),
        (nested(&format!(r#""patternProperties":{{".":{annotated}}}"#)), "not on a property"),
        (nested(&format!(r#""additionalProperties":{annotated}"#)), "not on a property"),
        (nested(&format!(r#""not":{{"properties":{{"p":{annotated}}}}}"#)), "not on a property"),
        (nested(&format!(r#""x-unknown":{{"deep":[{annotated}]}}"#)), "not on a property"),
        (property(r#"{"type":"array","items":{"type":"string","x-mcp\u002dheader":"P"}}"#), "not on a property"),
    ] {
        let error = scan(raw(&schema)).expect_err(&schema);
        assert!(error.contains(reason) && error.starts_with("x-mcp-header: "), "{schema} gave {error}");
    }
}

#[test]
fn a_schema_may_nest_as_deep_as_its_bound_says() {
    let nest = |depth: usize| {
        // Each step is two levels: the keyword and the property.
        let steps = depth / 2;
        format!(
            "{}{}{}",
            r#"{"properties":{"p":"#.repeat(steps),
            r#"{"type":"string","x-mcp-header":"P"}"#,
            "}}".repeat(steps)
        )
    };
    assert_eq!(scan(raw(&nest(MAX_SCHEMA_DEPTH))).unwrap().len(), 1);
    assert!(scan(raw(&nest(MAX_SCHEMA_DEPTH + 2))).unwrap_err().contains("deeper than 128"));
    let abyss = format!(r#"{}{{"x-mcp-header":1}}{}"#, "[".repeat(100_000), "]".repeat(100_000));
    assert!(scan(raw(&abyss)).is_err());
}

#[test]
fn header_texts_are_taken_from_the_path_of_the_annotation() {
    // CD-07: absent and null send no header; an integer that is not exact is refused.
    let string = param("Mcp-Param-P", &["p"], ParamKind::String);
    let integer = param("Mcp-Param-P", &["p"], ParamKind::Integer);
    let boolean = param("Mcp-Param-P", &["p"], ParamKind::Boolean);
    let deep = param("Mcp-Param-P", &["a", "p"], ParamKind::String);
    let text = |param: &HeaderParam, arguments: &str| {
        param.text(Some(raw(arguments))).map(|text| text.map(|text| text.into_owned()))
    };
    let some = |text: &str| Ok(Some(text.to_owned()));
    for (param, arguments, expected) in [
        (&string, r#"{"p":"Zürich"}"#, some("Zürich")),
        (&string, r#"{"p":""}"#, some("")),
        (&string, r#"{"p":"x","p":"y"}"#, some("y")),
        (&string, r#"{"p":"a\u006e\n"}"#, some("an\n")),
        (&string, r#"{"p":null}"#, Ok(None)),
        (&string, "{}", Ok(None)),
        (&string, r#"{"p":{"x":1}}"#, Ok(None)),
        (&string, r#"{"p":1e400}"#, some("1e400")),
        (&integer, r#"{"p":42}"#, some("42")),
        (&integer, r#"{"p":-7}"#, some("-7")),
        (&integer, r#"{"p":42.0}"#, some("42")),
        (&integer, r#"{"p":4.2e1}"#, some("42")),
        (&integer, r#"{"p":-0.0}"#, some("0")),
        (&integer, r#"{"p":9007199254740991}"#, some("9007199254740991")),
        (&boolean, r#"{"p":true}"#, some("true")),
        (&boolean, r#"{"p":false}"#, some("false")),
        (&deep, r#"{"a":{"p":"x"}}"#, some("x")),
        (&deep, r#"{"a":{"P":"x"},"p":"y"}"#, Ok(None)),
        (&deep, r#"{"a":"p"}"#, Ok(None)),
    ] {
        assert_eq!(text(param, arguments), expected, "{arguments}");
    }
    assert_eq!(string.text(None), Ok(None));
    for unsafe_integer in ["9007199254740992", "-9007199254740992", "1e400", "1.5", "9007199254740991.5"] {
        let error = text(&integer, &format!(r#"{{"p":{unsafe_integer}}}"#)).unwrap_err();
        assert!(error.contains("argument p") && error.ends_with(unsafe_integer), "{error}");
    }
}

const CALL: &str = r#"{"name":"größe","arguments":{"region":"Hello","limit":42,"on":true}}"#;

#[test]
fn true_headers_pass() {
    for (method, params, headers) in [
        ("tools/list", "{}", vec![("mcp-protocol-version", "2026-07-28"), ("MCP-METHOD", "tools/list")]),
        (
            "tools/call",
            CALL,
            vec![
                ("MCP-Protocol-Version", "2026-07-28"),
                ("Mcp-Method", " tools/call"),
                ("mcp-name", " =?base64?Z3LDtsOfZQ==?=  "),
            ],
        ),
        (
            "resources/read",
            r#"{"uri":"file:///a%20b"}"#,
            vec![
                ("MCP-Protocol-Version", "2026-07-28"),
                ("Mcp-Method", "resources/read"),
                ("Mcp-Name", "file:///a%20b"),
            ],
        ),
        // Without a name in the body the answer is an error of the parameters, not of the headers.
        ("tools/call", "{}", vec![("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "tools/call")]),
        (
            "tools/list",
            "{}",
            vec![("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "tools/list"), ("Mcp-Name", "stray")],
        ),
    ] {
        assert_eq!(check::request(&headers, "2026-07-28", method, Some(raw(params))), Ok(()), "{headers:?}");
    }
}

#[test]
fn false_headers_are_refused_with_what_they_say_and_what_was_expected() {
    let version = ("MCP-Protocol-Version", "2026-07-28");
    let method = ("Mcp-Method", "tools/call");
    let name = ("Mcp-Name", "=?base64?Z3LDtsOfZQ==?=");
    for (headers, message) in [
        (vec![method, name], "the MCP-Protocol-Version header is missing"),
        (
            vec![("MCP-Protocol-Version", "2025-11-25"), method, name],
            "MCP-Protocol-Version header value '2025-11-25' does not match body value '2026-07-28'",
        ),
        (vec![version, name], "the Mcp-Method header is missing"),
        (
            vec![version, ("Mcp-Method", "TOOLS/CALL"), name],
            "Mcp-Method header value 'TOOLS/CALL' does not match body value 'tools/call'",
        ),
        (vec![version, ("Mcp-Method", "=?base64?dG9vbHMvY2FsbA==?="), name], "Mcp-Method header value"),
        (vec![version, method], "the Mcp-Name header is missing"),
        (vec![version, method, ("Mcp-Name", "GRÖSSE")], "Mcp-Name header value contains characters"),
        (
            vec![version, method, ("Mcp-Name", "other")],
            "Mcp-Name header value 'other' does not match body value 'größe'",
        ),
        (vec![version, method, ("Mcp-Name", "=?BASE64?Z3LDtsOfZQ==?=")], "does not match"),
        (vec![version, method, ("Mcp-Name", "=?base64?Z3LDtsOfZQ?=")], "is marked as base64 but"),
        (vec![version, method, ("Mcp-Name", "=?base64?/w==?=")], "not UTF-8"),
        (vec![version, method, name, ("MCP-NAME", "=?base64?Z3LDtsOfZQ==?=")], "Mcp-Name header must come once"),
        (vec![version, method, ("Mcp-Name", "=?base64?Z3LDtsOfZQ==?=, other")], "does not match"),
    ] {
        let error = check::request(&headers, "2026-07-28", "tools/call", Some(raw(CALL))).expect_err(message);
        assert_eq!(error.code, HEADER_MISMATCH);
        assert!(error.message.starts_with("Header mismatch: ") && error.message.contains(message), "{}", error.message);
    }
}

#[test]
fn a_notification_needs_no_headers_but_must_not_contradict_them() {
    let cases = [
        (vec![], None, true),
        (vec![("Mcp-Method", "notifications/x"), ("MCP-Protocol-Version", "2026-07-28")], None, true),
        (vec![("MCP-Protocol-Version", "2026-07-28")], Some("2026-07-28"), true),
        (vec![("Mcp-Method", "tools/call")], None, false),
        (vec![("MCP-Protocol-Version", "2025-11-25")], Some("2026-07-28"), false),
    ];
    for (headers, version, passes) in cases {
        assert_eq!(check::notification(&headers, version, "notifications/x").is_ok(), passes, "{headers:?}");
    }
}

#[test]
fn mirrored_arguments_are_compared_after_decoding() {
    let params = [
        param("Mcp-Param-Region", &["region"], ParamKind::String),
        param("Mcp-Param-Limit", &["limit"], ParamKind::Integer),
        param("Mcp-Param-On", &["on"], ParamKind::Boolean),
    ];
    let full = r#"{"region":"Hello","limit":42,"on":true}"#;
    let ok = |region: &'static str, limit: &'static str, on: &'static str| {
        vec![("mcp-param-region", region), ("MCP-PARAM-LIMIT", limit), ("Mcp-Param-On", on)]
    };
    for (arguments, headers, complaint) in [
        (full, ok("Hello", "42", "true"), None),
        (full, ok(" =?base64?SGVsbG8=?=", "42.0", "true"), None),
        (full, ok("Hello", "4.2e1", "true"), None),
        (
            full,
            ok("hello", "42", "true"),
            Some("Mcp-Param-Region header value 'hello' does not match body value 'Hello'"),
        ),
        (full, ok("Hello", "43", "true"), Some("Mcp-Param-Limit header value '43' does not match body value '42'")),
        (full, ok("Hello", "", "true"), Some("Mcp-Param-Limit")),
        (full, ok("Hello", "042", "true"), Some("Mcp-Param-Limit")),
        (full, ok("Hello", "42", "True"), Some("Mcp-Param-On header value 'True' does not match body value 'true'")),
        (full, ok("=?base64?SGVsbG8?=", "42", "true"), Some("is marked as base64")),
        (full, ok("SGVsbG8=", "42", "true"), Some("does not match")),
        (
            full,
            vec![("Mcp-Param-Limit", "42"), ("Mcp-Param-On", "true")],
            Some("the Mcp-Param-Region header is missing"),
        ),
        ("{}", vec![], None),
        (r#"{"region":null}"#, vec![], None),
        (r#"{"region":{"x":1}}"#, vec![], None),
        (
            r#"{"region":null}"#,
            vec![("Mcp-Param-Region", "x")],
            Some("Mcp-Param-Region header value 'x' has no value in the body"),
        ),
        ("{}", vec![("Mcp-Param-Region", "")], Some("has no value in the body")),
        (r#"{"region":""}"#, vec![("Mcp-Param-Region", "")], None),
        (r#"{"limit":9007199254740993}"#, vec![("Mcp-Param-Limit", "9007199254740993")], None),
        (r#"{"limit":9007199254740993}"#, vec![("Mcp-Param-Limit", "9007199254740992")], Some("does not match")),
        (r#"{"limit":"x"}"#, vec![("Mcp-Param-Limit", "x")], None),
        ("{}", vec![("Mcp-Param-Unknown", "é")], None),
    ] {
        let verdict = check::params(&headers, &params, Some(raw(arguments)));
        match (verdict, complaint) {
            (Ok(()), None) => {}
            (Err(error), Some(complaint)) => {
                assert_eq!(error.code, HEADER_MISMATCH);
                assert!(error.message.contains(complaint), "{}", error.message);
            }
            (verdict, _) => panic!("{arguments} with {headers:?} gave {verdict:?}"),
        }
    }
}

proptest! {
    #[test]
    fn what_the_client_mirrors_the_server_accepts(text in any::<String>(), number in -9_007_199_254_740_991_i64..=9_007_199_254_740_991) {
        let params = [param("Mcp-Param-T", &["t"], ParamKind::String), param("Mcp-Param-N", &["n"], ParamKind::Integer)];
        let arguments = format!("{{\"t\":{},\"n\":{number}}}", mcp_duet::protocol::json::quote(&text));
        let arguments = Some(raw(&arguments));
        let values: Vec<_> = params.iter().map(|param| param.text(arguments).unwrap().unwrap()).collect();
        let encoded: Vec<_> = values.iter().map(|value| encode_value(value)).collect();
        let headers = [("Mcp-Param-T", &*encoded[0]), ("Mcp-Param-N", &*encoded[1])];
        prop_assert_eq!(check::params(&headers, &params, arguments), Ok(()));
    }
}
