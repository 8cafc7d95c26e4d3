//! JSON text as validated slices, with serde_json as the judge.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use mcp_duet::protocol::json::{
    Ends, Kind, Raw, SyntaxError, Writer, has_replacement, quote, quote_onto, split, unquote,
};
use proptest::prelude::*;
use serde_json::Value;
use serde_json::value::RawValue;

/// What serde_json says; unlike it we bound neither depth nor the range of numbers.
fn is_json(text: &[u8]) -> bool {
    std::str::from_utf8(text).is_ok_and(|text| serde_json::from_str::<&RawValue>(text).is_ok())
}

/// The value as our reader sees it.
fn to_value(raw: Raw<'_>) -> Value {
    match raw.kind() {
        Kind::Null => Value::Null,
        Kind::Bool => Value::Bool(raw.as_bool().unwrap()),
        Kind::Number => match raw.as_i64() {
            Some(integer) if !raw.as_text().contains(['.', 'e', 'E']) => integer.into(),
            _ => raw.as_f64().unwrap().into(),
        },
        Kind::String => Value::String(raw.as_str().unwrap().into_owned()),
        Kind::Array => raw.elements().map(to_value).collect(),
        Kind::Object => {
            Value::Object(raw.members().map(|(key, value)| (key.name().into_owned(), to_value(value))).collect())
        }
    }
}

/// Reads everything there is; nothing of it may panic.
fn read_all(raw: Raw<'_>) {
    let mut open = vec![raw];
    while let Some(raw) = open.pop() {
        assert_eq!(Raw::parse(raw.text()), Ok(raw), "a value is JSON on its own");
        let _ = (raw.as_text(), raw.as_str(), raw.as_bool(), raw.as_f64(), raw.as_i64(), raw.get("a"));
        open.extend(raw.elements());
        open.extend(raw.members().map(|(key, value)| {
            assert!(key.is(&key.name()));
            value
        }));
    }
}

#[test]
fn texts_are_accepted_and_refused_as_the_grammar_says() {
    for text in [
        "null",
        "true",
        "false",
        "0",
        "-0",
        "-0.0",
        "1e400",
        "-1E-400",
        "9007199254740993",
        "1.5e+3",
        "\"\"",
        "\"\\ud800\"",
        "\"\\u0000\\b\\f\\n\\r\\t\\/\\\\\\\"\"",
        "[]",
        "{}",
        " [ 1 , [ ] , { } ] ",
        "\t\r\n{ \"a\" : { \"b\" : [ ] } }\n",
        "{\"a\":1,\"a\":2}",
        "{\"__proto__\":{\"constructor\":1}}",
        "\"\u{7f}\u{2028}é界🦀\"",
        "{\"\":{\"\":\"\"}}",
    ] {
        assert!(Raw::parse(text.as_bytes()).is_ok(), "{text}");
        assert!(is_json(text.as_bytes()), "{text}");
    }
    for text in [
        "",
        " ",
        "nul",
        "nulll",
        "True",
        "01",
        "-",
        "-a",
        ".5",
        "5.",
        "1e",
        "1e+",
        "+1",
        "0x1",
        "Infinity",
        "NaN",
        "'a'",
        "\"",
        "\"\\\"",
        "\"\\x\"",
        "\"\\u12\"",
        "\"\\u12g4\"",
        "\"\n\"",
        "\"\0\"",
        "\"\u{1f}\"",
        "[",
        "]",
        "[1",
        "[1,",
        "[1,]",
        "[,1]",
        "[1 2]",
        "[1}",
        "{",
        "}",
        "{\"a\"",
        "{\"a\":",
        "{\"a\":}",
        "{\"a\":1",
        "{\"a\":1,",
        "{\"a\":1,}",
        "{,}",
        "{a:1}",
        "{1:1}",
        "{\"a\" 1}",
        "{\"a\":1]",
        "1 2",
        "{}{}",
        "[]]",
        "// c\n1",
        "\u{feff}1",
        "\u{a0}1",
        "\u{b}1",
        "1\0",
        "tru\0",
    ] {
        assert!(Raw::parse(text.as_bytes()).is_err(), "{text:?}");
        assert!(!is_json(text.as_bytes()), "{text:?}");
    }
}

#[test]
fn a_syntax_error_says_where_and_what_was_expected() {
    for (text, at, expected) in [
        (&b"{\"a\":1,}"[..], 7, "a member name in double quotes"),
        (b"{\"a\" 1}", 5, "':'"),
        (b"[1 2]", 3, "',' or ']'"),
        (b"{\"a\":1 2}", 7, "',' or '}'"),
        (b"{} x", 3, "the end of the text"),
        (b"", 0, "a JSON value"),
        (b"\"abc", 4, "the end of the string"),
        (b"\"a\nb\"", 2, "control characters to be escaped"),
        (b"\"a\xE4\xB8\"", 2, "valid UTF-8"),
        (b"\"ok\xC3\xA9\xFF\"", 5, "valid UTF-8"),
        (b"\xFF", 0, "a JSON value"),
        (b"\"\\u00\"", 1, "four hexadecimal digits after \\u"),
    ] {
        assert_eq!(Raw::parse(text), Err(SyntaxError { at, expected }), "{:?}", String::from_utf8_lossy(text));
    }
    assert_eq!(Raw::parse(b"{").unwrap_err().to_string(), "expected a member name in double quotes at byte 1");
}

#[test]
fn nesting_is_bounded_by_the_text_alone() {
    const DEPTH: usize = 100_000;
    let arrays = "[".repeat(DEPTH) + &"]".repeat(DEPTH);
    let objects = "{\"a\":".repeat(DEPTH) + "1" + &"}".repeat(DEPTH);
    let mixed = "[{\"a\":".repeat(DEPTH) + "1" + &"}]".repeat(DEPTH);
    for text in [&arrays, &objects, &mixed] {
        let raw = Raw::parse(text.as_bytes()).unwrap();
        assert_eq!(raw.text().len(), text.len());
        assert_eq!(raw.elements().count() + raw.members().count(), 1);
    }
    assert!(Raw::parse("[".repeat(DEPTH).as_bytes()).is_err());
    assert!(Raw::parse(mixed.replacen('}', "]", 1).as_bytes()).is_err(), "brackets must match at every depth");
}

#[test]
fn the_last_of_several_members_of_a_name_counts_and_all_are_seen() {
    let raw = Raw::parse(br#"{"a":1,"b":2,"a":3,"\u0061":4}"#).unwrap();
    assert_eq!(raw.get("a").unwrap().as_i64(), Some(4));
    let seen: Vec<_> = raw.members().map(|(key, value)| (key.quoted(), value.text())).collect();
    assert_eq!(seen, [(&b"\"a\""[..], &b"1"[..]), (b"\"b\"", b"2"), (b"\"a\"", b"3"), (b"\"\\u0061\"", b"4")]);
}

#[test]
fn members_are_found_under_any_name() {
    let raw = Raw::parse(br#"{"__proto__":1,"constructor":2,"":3,"a\"b":4,"\u00e9":5,"n":null}"#).unwrap();
    for (name, expected) in [("__proto__", 1), ("constructor", 2), ("", 3), ("a\"b", 4), ("é", 5)] {
        assert_eq!(raw.get(name).and_then(Raw::as_i64), Some(expected), "{name}");
    }
    assert!(raw.get("a").is_none() && raw.get("n").unwrap().is_null() && raw.get_present("n").is_none());
    for other in ["[1]", "\"a\"", "null", "1"] {
        let other = Raw::parse(other.as_bytes()).unwrap();
        assert!(other.get("a").is_none() && other.members().next().is_none());
    }
    assert!(raw.elements().next().is_none());
}

#[test]
fn a_surrogate_without_its_pair_becomes_a_replacement_character_only_when_it_is_read() {
    for (quoted, expected) in [
        (r#""\ud83e\udd80""#, "🦀"),
        (r#""\uD83E\uDD80!""#, "🦀!"),
        (r#""\ud83e""#, "\u{FFFD}"),
        (r#""\udd80\ud83e""#, "\u{FFFD}\u{FFFD}"),
        (r#""\ud83ex""#, "\u{FFFD}x"),
        (r#""\ud83e\n""#, "\u{FFFD}\n"),
        (r#""\ud83e\u0041""#, "\u{FFFD}A"),
        (r#""\ud83eabdd80""#, "\u{FFFD}abdd80"),
        (r#""\ud83e\ud83e\udd80""#, "\u{FFFD}🦀"),
    ] {
        let raw = Raw::parse(quoted.as_bytes()).unwrap();
        assert_eq!(raw.as_str().unwrap(), expected, "{quoted}");
        assert_eq!(raw.as_text(), quoted);
    }
}

#[test]
fn integers_are_exact_however_they_are_spelled() {
    for (text, expected) in [
        ("0", Some(0)),
        ("-0", Some(0)),
        ("-0.0", Some(0)),
        ("0e999999999999", Some(0)),
        ("42", Some(42)),
        ("42.0", Some(42)),
        ("4.2e1", Some(42)),
        ("420e-1", Some(42)),
        ("42000E-3", Some(42)),
        ("-1.50e2", Some(-150)),
        ("9007199254740993", Some(9_007_199_254_740_993)),
        ("9007199254740993.0", Some(9_007_199_254_740_993)),
        ("9223372036854775807", Some(i64::MAX)),
        ("-9223372036854775808", Some(i64::MIN)),
        ("-9223372036854775808.0", Some(i64::MIN)),
        ("-92233720368547758080e-1", Some(i64::MIN)),
        ("9223372036854775808", None),
        ("1e18", Some(1_000_000_000_000_000_000)),
        ("1e19", None),
        ("1e400", None),
        ("1e99999999999", None),
        ("1e-99999999999", None),
        ("1.5", None),
        ("0.1", None),
        ("1e-1", None),
        ("9007199254740991.5", None),
        ("\"1\"", None),
        ("true", None),
        ("[1]", None),
    ] {
        assert_eq!(Raw::parse(text.as_bytes()).unwrap().as_i64(), expected, "{text}");
    }
}

#[test]
fn doubles_are_rounded_as_javascript_rounds_them() {
    for (text, expected) in [
        ("9007199254740993", 9_007_199_254_740_992.0),
        ("1e400", f64::INFINITY),
        ("-1e400", f64::NEG_INFINITY),
        ("1e-400", 0.0),
        ("0.1", 0.1),
        ("5e-324", 5e-324),
    ] {
        assert_eq!(Raw::parse(text.as_bytes()).unwrap().as_f64(), Some(expected), "{text}");
    }
    assert!(Raw::parse(b"-0.0").unwrap().as_f64().unwrap().is_sign_negative());
    assert_eq!(Raw::parse(b"\"1\"").unwrap().as_f64(), None);
}

#[test]
fn a_value_knows_where_it_stands() {
    let text = br#" {"a": [10, {"b":"x"}] } "#;
    let raw = Raw::parse(text).unwrap();
    assert_eq!(raw.span_in(text), (1, text.len() - 1));
    let inner = raw.get("a").unwrap().elements().nth(1).unwrap();
    let (start, end) = inner.span_in(text);
    assert_eq!(&text[start..end], br#"{"b":"x"}"#);
}

#[test]
fn the_writer_puts_commas_where_they_belong() {
    let mut out = Writer::new();
    out.open_object().name("a\"").integer(i64::MIN).name("b").open_array();
    out.string("x\n").raw("1e400").open_object().close_object().open_array().close_array().integer(0);
    out.close_array().name("c").value(Raw::parse(b" {\"d\" : null} ").unwrap()).close_object();
    assert_eq!(out.as_str(), r#"{"a\"":-9223372036854775808,"b":["x\n",1e400,{},[],0],"c":{"d" : null}}"#);
}

/// JSON values of every kind.
fn value() -> impl Strategy<Value = Value> {
    let text = || prop_oneof!["[a-z\"\\\\/\u{0}-\u{1f}é界🦀\u{2028}]{0,12}", any::<String>()];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        // Few enough digits that every reader agrees on the last bit.
        any::<i32>().prop_map(|number| Value::from(f64::from(number) / 1024.0)),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 64, 8, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(Value::from),
            prop::collection::vec((text(), inner), 0..8)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// One change to a text: bytes at a place are replaced by others.
fn mutate(mut text: Vec<u8>, at: prop::sample::Index, taken: usize, put: &[u8]) -> Vec<u8> {
    let at = at.index(text.len() + 1);
    let end = (at + taken).min(text.len());
    text.splice(at..end, put.iter().copied());
    text
}

fn noise() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        prop::collection::vec(prop::sample::select(b"{}[]:,\"\\ntfu0123.-+eE \n".to_vec()), 0..6),
        prop::collection::vec(any::<u8>(), 0..3),
    ]
}

#[test]
fn bytes_that_are_not_utf8_are_found_wherever_they_are_unless_the_text_is_known_to_be() {
    for length in 0..40 {
        let text = ["[\"", &"x".repeat(length)].concat().into_bytes();
        for wrong in [&b"\xff\"]"[..], b"\xc3\"]", b"\xe6\xbc\"]", b"\xed\xa0\x80\"]", b"\xff\"] "] {
            let whole = [&text, wrong].concat();
            let error = SyntaxError { at: text.len(), expected: "valid UTF-8" };
            assert_eq!(Raw::parse(&whole), Err(error), "{length}");
            assert!(Raw::parse_with(&whole, &mut Ends::of_utf8()).is_ok(), "{length}");
        }
        let whole = [&text, "\u{e9}漢\u{1F600}\"]".as_bytes()].concat();
        assert!(Raw::parse(&whole).is_ok(), "{length}");
    }
}

/// The object that a split one stands for.
fn joined(object: &str, replaced: bool) -> Option<Value> {
    let mut ends = Ends::new();
    let raw = Raw::parse_with(object.as_bytes(), &mut ends).unwrap();
    let split = split(raw, &ends, replaced)?;
    let mut whole: Value = serde_json::from_str(&[split.before, "\"\"", split.after].concat()).unwrap();
    whole[&*split.name] = String::from_utf8(split.text).unwrap().into();
    Some(whole)
}

#[test]
fn a_long_text_is_taken_out_of_an_object_where_that_changes_nothing() {
    let long = |start: &str| format!("{start}{}", "x".repeat(5000));
    let (a, b) = (long("\\n\\u00e9\\\"\\ud83d\\ude00"), long("b"));
    for object in [
        format!(r#"{{"a":"{a}"}}"#),
        format!(r#"{{"b":1,"a":"{a}","c":"{b}y","d":[1,2]}}"#),
        format!(r#"{{"a":1,"a":"{a}"}}"#),
        format!(r#"{{"a":"{a}","a":"{b}"}}"#),
        format!(r#"{{"\u0061":"{a}","é":"{b}xxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}}"#),
        format!(r#"{{"a":"{a}\ufffd"}}"#),
    ] {
        let wanted: Value = serde_json::from_str(&object).unwrap();
        assert!(joined(&object, false) == Some(wanted), "{}", &object[..object.len().min(40)]);
    }
    let replaced = format!("{{\"a\":\"{b}\u{FFFD}\"}}");
    assert!(joined(&replaced, false).is_some());
    for (object, replaced) in [
        ("{}".to_owned(), false),
        (format!(r#"{{"a":["{a}"]}}"#), false),
        (format!(r#"{{"a":"{}"}}"#, "x".repeat(4000)), false),
        (format!(r#"{{"a":"{}"}}"#, "x".repeat(5 << 20)), false),
        // What counts is short.
        (format!(r#"{{"a":"{a}","\u0061":1}}"#), false),
        (format!(r#"{{"a":"{a}","c":"{b}","a":null}}"#), false),
        (format!(r#"{{"a":"{a}\ud83d"}}"#), false),
        (format!(r#"{{"a":"{a}\ude00\ud83d"}}"#), false),
        (replaced, true),
    ] {
        assert!(joined(&object, replaced).is_none(), "{}", &object[..object.len().min(40)]);
    }
}

proptest! {
    #[test]
    fn values_are_read_as_serde_json_reads_them(value in value(), pretty in any::<bool>()) {
        let text = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) }.unwrap();
        let raw = Raw::parse(text.as_bytes()).unwrap();
        prop_assert_eq!(to_value(raw), value);
        read_all(raw);
    }

    #[test]
    fn random_bytes_are_json_where_serde_json_says_so(text in prop::collection::vec(any::<u8>(), 0..64)) {
        prop_assert_eq!(Raw::parse(&text).is_ok(), is_json(&text));
    }

    #[test]
    fn random_tokens_are_json_where_serde_json_says_so(
        tokens in prop::collection::vec(prop::sample::select(vec!["{", "}", "[", "]", ":", ",", "\"a\"", "\"", "\\", "1", "-", "0", ".", "e", "true", "null", " ", "é", "\\u12", "\n"]), 0..24)
    ) {
        let text = tokens.concat();
        let parsed = Raw::parse(text.as_bytes());
        prop_assert_eq!(parsed.is_ok(), is_json(text.as_bytes()), "{}", text);
        parsed.into_iter().for_each(read_all);
    }

    #[test]
    fn mutated_json_is_json_where_serde_json_says_so(
        value in value(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), 0_usize..4, noise()), 1..4),
    ) {
        let text = changes.into_iter().fold(serde_json::to_vec(&value).unwrap(), |text, (at, taken, put)| mutate(text, at, taken, &put));
        let parsed = Raw::parse(&text);
        prop_assert_eq!(parsed.is_ok(), is_json(&text), "{}", String::from_utf8_lossy(&text));
        parsed.into_iter().for_each(read_all);
    }

    #[test]
    fn strings_of_many_escapes_are_json_where_serde_json_says_so(
        parts in prop::collection::vec(
            prop::sample::select(vec!["\\", "\\\\", "\\\"", "\"", "\\u00e9", "\\u00g9", "n", "/", "\\/", "é", "\u{1}", "abcdefgh", "seventeen letters"]),
            0..24,
        ),
    ) {
        let text = format!("[\"{}\", 1]", parts.concat());
        let parsed = Raw::parse(text.as_bytes());
        prop_assert_eq!(parsed.is_ok(), is_json(text.as_bytes()), "{}", text);
        parsed.into_iter().for_each(read_all);
    }

    #[test]
    fn members_are_the_same_where_ends_are_known(value in value(), lengths in prop::collection::vec(0_usize..600, 12)) {
        // Texts of many lengths, three levels deep, with others between them.
        let mut lengths = lengths.into_iter();
        let mut inner = || format!("{{\"text\":{:?},\"more\":{value},\"a\":1}}", "x".repeat(lengths.next().unwrap_or_default()));
        let whole = format!("{{\"a\":{},\"b\":{{\"c\":{},\"d\":[{}],\"e\":{}}},\"f\":{}}}", inner(), inner(), inner(), inner(), inner());
        let mut ends = Ends::new();
        let raw = Raw::parse_with(whole.as_bytes(), &mut ends).unwrap();
        let mut open = vec![raw];
        while let Some(raw) = open.pop() {
            prop_assert!(raw.members().eq(raw.members_with(&ends)));
            open.extend(raw.members().map(|(_, value)| value));
        }
    }

    #[test]
    fn strings_survive_quoting(text in any::<String>()) {
        let quoted = quote(&text);
        let mut bytes = b"[".to_vec();
        quote_onto(&mut bytes, text.as_bytes());
        prop_assert_eq!(bytes, ["[", &quoted].concat().into_bytes());
        prop_assert_eq!(unquote(quoted.as_bytes()), &*text);
        prop_assert_eq!(serde_json::from_str::<String>(&quoted).unwrap(), text);
    }

    #[test]
    fn a_replacement_character_is_found_wherever_it_is(text in "[aé漢\u{FFFC}\u{FFFE}\u{FFFD}]{0,40}") {
        prop_assert_eq!(has_replacement(text.as_bytes()), text.contains('\u{FFFD}'));
    }

    #[test]
    fn escaped_strings_are_unquoted_as_serde_json_does(text in any::<String>()) {
        let escaped: String = text.encode_utf16().map(|unit| format!("\\u{unit:04X}")).collect();
        let quoted = format!("\"{escaped}\"");
        prop_assert_eq!(unquote(quoted.as_bytes()), text);
    }

    #[test]
    fn integers_shifted_by_an_exponent_stay_what_they_are(value in any::<i64>(), shift in 0_usize..6) {
        let text = format!("{value}{}e-{shift}", "0".repeat(shift));
        prop_assert_eq!(Raw::parse(text.as_bytes()).unwrap().as_i64(), Some(value), "{}", text);
    }
}
