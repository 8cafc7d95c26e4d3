//! The asks of a handler's run: what is answered, what goes out, what the next run has to know.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use mcp_duet::protocol::json::Raw;
use mcp_duet::server::{Asked, Rounds, check_answer, check_ask};

const FORM: &str = r#"{"message":"name?","requestedSchema":{"type":"object","properties":{
    "name":{"type":"string","minLength":2},"size":{"type":"string","enum":["s","m"],"enumNames":["Small","Middle"]},
    "color":{"oneOf":[{"const":"r","title":"Red"},{"const":"g","title":"Green"}]},
    "tags":{"type":"array","items":{"anyOf":[{"const":"a","title":"A"}]}},
    "count":{"type":"integer","default":3},"mail":{"type":"string","format":"email"}},"required":["name"]}}"#;

fn raw(text: &str) -> Raw<'_> {
    Raw::parse(text.as_bytes()).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn elicit(rounds: &mut Rounds, key: Option<&str>) -> Asked {
    rounds.ask("elicitation/create", Some(raw(FORM)), key)
}

#[test]
fn asks_without_an_answer_go_out_together_and_their_answers_complete_the_next_run() {
    let mut first = Rounds::begin(None, None);
    assert_eq!(elicit(&mut first, Some("who")), Asked::Open(true));
    assert_eq!(first.ask("roots/list", None, None), Asked::Open(false));
    let requests = first.requests();
    assert_eq!(raw(&requests).get("ask-1").map(Raw::as_text), Some(r#"{"method":"roots/list"}"#));
    assert_eq!(raw(&requests).get("who").and_then(|who| who.get_str("method")).as_deref(), Some("elicitation/create"));
    assert_eq!(first.kept(), None);

    let responses = r#"{"ask-1":{"roots":[]},"who":{"action":"accept","content":{"name":"北京"}},"other":1}"#;
    let mut second = Rounds::begin(None, Some(raw(responses)));
    let filled = r#"{"action":"accept","content":{"name":"北京","count":3}}"#;
    assert_eq!(elicit(&mut second, Some("who")), Asked::Answered(filled.to_owned()));
    assert_eq!(second.ask("roots/list", None, None), Asked::Answered(r#"{"roots":[]}"#.to_owned()));
    assert_eq!(second.requests(), "{}");
    // What nobody asked for is not carried on.
    let kept = second.kept().expect("answers are kept");
    assert!(kept.contains("北京") && !kept.contains("other"));

    let mut third = Rounds::begin(Some(raw(&kept)), None);
    assert_eq!(elicit(&mut third, Some("who")), Asked::Answered(filled.to_owned()));
}

#[test]
fn a_run_is_the_same_after_it_has_been_text() {
    let mut run = Rounds::begin(None, Some(raw(r#"{"a":{"roots":[]}}"#)));
    run.ask("roots/list", None, Some("a"));
    run.ask("roots/list", None, None);
    run.record("once", "[1]");
    let text = run.to_text();
    let mut again = Rounds::read(raw(&text));
    assert_eq!(again.to_text(), text);
    assert_eq!(again.recall("once"), Some("[1]"));
    assert_eq!(again.recall("never"), None);
    assert_eq!(again.ask("roots/list", None, None), Asked::Open(false));
    assert!(again.requests().contains("ask-2"));
}

#[test]
fn a_key_stands_for_one_ask() {
    let mut run = Rounds::begin(None, None);
    assert_eq!(elicit(&mut run, Some("k")), Asked::Open(true));
    assert!(matches!(elicit(&mut run, Some("k")), Asked::Open(_)));
    assert!(matches!(run.ask("roots/list", None, Some("k")), Asked::Wrong(why) if why.contains("\"k\"")));
}

#[test]
fn an_answer_is_judged_by_what_was_asked() {
    let form = |content: &str| format!(r#"{{"action":"accept","content":{content}}}"#);
    let none = "none";
    for (method, answer, expected) in [
        ("elicitation/create", form(r#"{"name":"ab"}"#), r#"{"action":"accept","content":{"name":"ab","count":3}}"#),
        ("elicitation/create", form(r#"{"name":"ab","size":"m","color":"g","tags":["a"],"count":0}"#), ""),
        ("elicitation/create", form("{}"), "name"),
        ("elicitation/create", form(r#"{"name":"a"}"#), "/name"),
        ("elicitation/create", form(r#"{"name":"ab","size":"l"}"#), "/size"),
        ("elicitation/create", form(r#"{"name":"ab","color":"b"}"#), "/color"),
        ("elicitation/create", form(r#"{"name":"ab","tags":["b"]}"#), "/tags"),
        ("elicitation/create", form(r#"{"name":"ab","count":1.5}"#), "/count"),
        ("elicitation/create", form(r#"{"name":"ab","mail":"nobody"}"#), "/mail"),
        ("elicitation/create", form(r#"{"name":"ab","more":{}}"#), "/more"),
        ("elicitation/create", form("5"), "content must be an object"),
        ("elicitation/create", r#"{"action":"decline","content":5}"#.to_owned(), ""),
        ("elicitation/create", r#"{"action":"perhaps"}"#.to_owned(), none),
        ("elicitation/create", "5".to_owned(), none),
        ("roots/list", r#"{"roots":{}}"#.to_owned(), none),
        ("sampling/createMessage", r#"{"role":"assistant"}"#.to_owned(), none),
        ("sampling/createMessage", r#"{"role":"assistant","content":[]}"#.to_owned(), ""),
        ("com.example/other", "{}".to_owned(), none),
    ] {
        match check_answer(method, Some(raw(FORM)), raw(&answer)) {
            Ok(None) => assert_eq!(expected, none, "{answer}"),
            Ok(Some(filled)) if expected.is_empty() => assert!(filled.len() >= answer.len(), "{answer}"),
            Ok(Some(filled)) => assert_eq!(filled, expected, "{answer}"),
            Err(why) => assert!(!expected.is_empty() && why.contains(expected), "{answer}: {why}"),
        }
    }
    let url = r#"{"mode":"url","message":"go","url":"https://a.example"}"#;
    let accepted = r#"{"action":"accept"}"#;
    assert_eq!(check_answer("elicitation/create", Some(raw(url)), raw(accepted)), Ok(Some(accepted.to_owned())));
}

#[test]
fn an_ask_that_cannot_be_answered_is_refused_before_it_goes_out() {
    for (method, params, why) in [
        ("elicitation/create", "{}", "message"),
        ("elicitation/create", r#"{"message":"m"}"#, "requestedSchema"),
        ("elicitation/create", r#"{"message":"m","requestedSchema":{"type":"string"}}"#, "requestedSchema"),
        ("elicitation/create", r#"{"message":"m","requestedSchema":{"type":"object","required":5}}"#, "required"),
        ("elicitation/create", r#"{"message":"m","mode":"url"}"#, "url"),
        ("sampling/createMessage", "{}", "messages"),
    ] {
        let asked = Rounds::begin(None, None).ask(method, Some(raw(params)), None);
        assert!(matches!(&asked, Asked::Wrong(text) if text.contains(why)), "{params}: {asked:?}");
        assert!(matches!(check_ask(method, Some(raw(params)), None), Err(Err(text)) if text.contains(why)), "{params}");
    }
}

#[test]
fn a_client_lacks_what_it_did_not_declare() {
    let url = r#"{"mode":"url","message":"go","url":"https://a.example"}"#;
    let with_tools = r#"{"messages":[],"tools":[]}"#;
    for (method, params, capabilities, missing) in [
        ("elicitation/create", FORM, r#"{"elicitation":{}}"#, ""),
        ("elicitation/create", FORM, r#"{"elicitation":{"form":{},"url":{}}}"#, ""),
        ("elicitation/create", FORM, r#"{"elicitation":{"url":{}}}"#, r#"{"elicitation":{"form":{}}}"#),
        ("elicitation/create", FORM, "{}", r#"{"elicitation":{}}"#),
        ("elicitation/create", url, r#"{"elicitation":{}}"#, r#"{"elicitation":{"url":{}}}"#),
        ("sampling/createMessage", with_tools, r#"{"sampling":{}}"#, r#"{"sampling":{"tools":{}}}"#),
        ("roots/list", "{}", r#"{"elicitation":{}}"#, r#"{"roots":{}}"#),
    ] {
        let error = match check_ask(method, Some(raw(params)), Some(raw(capabilities))) {
            Ok(()) => String::new(),
            Err(Ok(error)) => {
                assert_eq!(error.code, -32021);
                error.data.unwrap_or_default()
            }
            Err(Err(wrong)) => panic!("{wrong}"),
        };
        let expected =
            if missing.is_empty() { String::new() } else { format!(r#"{{"requiredCapabilities":{missing}}}"#) };
        assert_eq!(error, expected, "{method} {capabilities}");
    }
    // Nothing is known of a client without a session: it is asked, and says no itself.
    assert!(check_ask("roots/list", None, None).is_ok());
}

#[test]
fn states_of_any_shape_begin_a_run_without_harm() {
    for kept in ["1", "[]", r#"{"answers":5,"once":[1]}"#, r#"{"answers":{"ask-1":5}}"#] {
        let mut run = Rounds::begin(Some(raw(kept)), Some(raw(kept)));
        assert_eq!(run.ask("roots/list", None, None), Asked::Open(true), "{kept}");
    }
}
