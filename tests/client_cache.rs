//! Results that are kept: whose, for how long, and what makes them invalid.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

use mcp_duet::client::{
    CacheMode, Caching, Call, Client, Event, Exchange, Head, Input, MAX_ENTRIES, MAX_TTL, Options, Output, Params,
    Payload, Request, RequestOptions, STORE_TIMEOUT,
};
use serde_json::{Value, json};

struct Talk {
    client: Client,
    now: u64,
    outputs: Vec<Output>,
}

impl Talk {
    fn new(caching: Caching) -> Self {
        Self::with(Options { caching, ..Options::default() })
    }

    fn with(options: Options) -> Self {
        let mut talk = Self { client: Client::new(options), now: 0, outputs: Vec::new() };
        talk.client.connect(0);
        talk.drain();
        let exchange = talk.sent().unwrap();
        let result = json!({ "supportedVersions": ["2026-07-28"], "capabilities": {} });
        talk.input(exchange, &json!({ "jsonrpc": "2.0", "id": "discover-1", "result": result }).to_string());
        talk
    }

    fn drain(&mut self) {
        loop {
            match self.client.poll_output() {
                Output::Wait { .. } => return,
                output => self.outputs.push(output),
            }
        }
    }

    /// The request that has just gone out.
    fn sent(&mut self) -> Option<Exchange> {
        self.outputs.drain(..).find_map(|output| match output {
            Output::Send(outbound) => Some(outbound.exchange),
            _ => None,
        })
    }

    fn input(&mut self, exchange: Exchange, body: &str) {
        let head = Head { status: 200, content_type: Some("application/json"), ..Head::default() };
        self.client.handle_input(Input::Head(exchange, head), self.now);
        self.client.handle_input(Input::Body(exchange, body.as_bytes()), self.now);
        self.drain();
    }

    fn ask(&mut self, method: &str, uri: Option<&str>, cache: CacheMode) -> Call {
        let params = uri.map(|uri| format!("\"uri\":{}", json!(uri)));
        let request = Request {
            method,
            params: params.as_deref().map_or(Params::None, Params::Text),
            meta: None,
            name: uri,
            options: RequestOptions { cache, walk: uri.is_none(), ..RequestOptions::default() },
        };
        let call = self.client.request(&request, self.now);
        self.drain();
        call
    }

    fn answer(&mut self, exchange: Exchange, call: Call, result: &Value) {
        // The client's ids count its requests, as its calls do not where one is answered from what is kept.
        let _ = call;
        let id = self.last_id(exchange);
        self.input(exchange, &json!({ "jsonrpc": "2.0", "id": id, "result": result }).to_string());
    }

    fn last_id(&self, exchange: Exchange) -> u32 {
        // The probe took the first exchange, and has an id of its own.
        exchange.0 - 1
    }

    fn result(&mut self) -> Option<Value> {
        self.outputs.drain(..).find_map(|output| match output {
            Output::Event(Event::Result(_, Payload::Text(text))) => Some(serde_json::from_str(&text).unwrap()),
            _ => None,
        })
    }

    /// Asks; answers with that where the request goes out. True if it did.
    fn get(&mut self, method: &str, uri: Option<&str>, result: &Value) -> bool {
        self.get_with(method, uri, CacheMode::Use, result)
    }

    fn get_with(&mut self, method: &str, uri: Option<&str>, cache: CacheMode, result: &Value) -> bool {
        let call = self.ask(method, uri, cache);
        let sent: Vec<_> = self.outputs.iter().filter(|output| matches!(output, Output::Send(_))).collect();
        assert!(sent.len() <= 1);
        if sent.is_empty() {
            assert!(self.result().is_some());
            return false;
        }
        let exchange = self.sent().unwrap();
        self.answer(exchange, call, result);
        assert!(self.result().is_some());
        true
    }

    fn notify(&mut self, method: &str, params: Value) {
        let call = self.ask("tools/call", None, CacheMode::Use);
        let exchange = self.sent().unwrap();
        let head = Head { status: 200, content_type: Some("text/event-stream"), ..Head::default() };
        self.client.handle_input(Input::Head(exchange, head), self.now);
        let message = json!({ "jsonrpc": "2.0", "method": method, "params": params });
        self.client.handle_input(Input::Chunk(exchange, format!("data: {message}\n\n").as_bytes()), self.now);
        self.client.cancel(call, None, self.now);
        self.drain();
        self.outputs.clear();
    }
}

fn tools(ttl: Value, scope: Value) -> Value {
    json!({ "resultType": "complete", "tools": [], "ttlMs": ttl, "cacheScope": scope })
}

#[test]
fn a_result_is_kept_as_long_as_the_server_says_and_no_longer() {
    for (ttl, kept) in [
        (json!(60_000), 60_000),
        (json!(3_000_000_000_u64), MAX_TTL),
        (json!(1e15), MAX_TTL),
        (json!(0), 0),
        (json!(-1), 0),
        (json!(0.5), 0),
        (json!("60000"), 0),
        (Value::Null, 0),
    ] {
        let mut talk = Talk::new(Caching::Private);
        let result = tools(ttl.clone(), json!("private"));
        assert!(talk.get("tools/list", None, &result));
        if kept > 0 {
            talk.now = kept - 1;
            assert!(!talk.get("tools/list", None, &result), "{ttl}");
        }
        talk.now = kept;
        assert!(talk.get("tools/list", None, &result), "{ttl}");
    }
}

#[test]
fn what_is_not_cacheable_or_not_asked_for_is_not_kept() {
    let result = tools(json!(60_000), json!("public"));
    let mut none = Talk::new(Caching::None);
    for _ in 0..2 {
        assert!(none.get("tools/list", None, &result));
    }
    let mut talk = Talk::new(Caching::Private);
    for _ in 0..2 {
        assert!(talk.get("completion/complete", None, &result));
        assert!(talk.get_with("tools/list", None, CacheMode::Bypass, &result));
    }
    assert!(talk.get("tools/list", None, &result));
    assert!(!talk.get("tools/list", None, &result));
    assert!(talk.get_with("tools/list", None, CacheMode::Refresh, &tools(json!(0), json!("public"))));
    assert!(talk.get("tools/list", None, &result), "what came last counts");
}

#[test]
fn results_are_told_apart_by_what_was_asked() {
    let mut talk = Talk::new(Caching::Private);
    let read = json!({ "contents": [], "ttlMs": 1_000, "cacheScope": "private" });
    assert!(talk.get("resources/read", Some("test://北京"), &read));
    assert!(talk.get("resources/read", Some("test://上海"), &read));
    assert!(!talk.get("resources/read", Some("test://北京"), &read));
    assert!(talk.get("resources/list", None, &json!({ "resources": [], "ttlMs": 1_000 })));
    assert!(!talk.get("resources/list", None, &read));
}

#[test]
fn private_results_belong_to_whoever_got_them() {
    // CH-01
    let mut talk = Talk::new(Caching::Private);
    talk.client.set_authorization_context("Ada");
    for scope in [json!("private"), Value::Null, json!("shared"), json!(5)] {
        assert!(talk.get_with("tools/list", None, CacheMode::Refresh, &tools(json!(9_000), scope.clone())));
        assert!(!talk.get("tools/list", None, &Value::Null));
        talk.client.set_authorization_context("Ada");
        assert!(!talk.get("tools/list", None, &Value::Null), "the same as before");
        talk.client.set_authorization_context("Bob");
        assert!(talk.get("tools/list", None, &tools(json!(0), json!("private"))), "{scope}");
        talk.client.set_authorization_context("Ada");
        assert!(talk.get("tools/list", None, &tools(json!(0), json!("private"))), "and not kept for later");
    }
    assert!(talk.get("tools/list", None, &tools(json!(9_000), json!("public"))));
    talk.client.set_authorization_context("Bob");
    assert!(!talk.get("tools/list", None, &Value::Null));

    let mut talk = Talk::new(Caching::Public);
    assert!(talk.get("tools/list", None, &tools(json!(9_000), json!("private"))));
    assert!(talk.get("tools/list", None, &tools(json!(9_000), json!("public"))), "nobody says whose it is");
    assert!(!talk.get("tools/list", None, &Value::Null));
}

#[test]
fn an_answer_from_before_a_change_is_not_kept() {
    let mut talk = Talk::new(Caching::Private);
    let result = tools(json!(9_000), json!("public"));
    let early = talk.ask("tools/list", None, CacheMode::Use);
    let exchange = talk.sent().unwrap();
    let client = &mut talk.client;
    client.set_authorization_context("Bob");
    talk.answer(exchange, early, &result);
    assert!(talk.result().is_some());
    assert!(talk.get("tools/list", None, &result));
}

#[test]
fn notifications_make_invalid_what_they_are_about() {
    for (method, params, dropped) in [
        ("notifications/tools/list_changed", json!({}), vec!["tools/list"]),
        ("notifications/prompts/list_changed", json!({}), vec!["prompts/list"]),
        ("notifications/resources/list_changed", json!({}), vec!["resources/list", "resources/templates/list"]),
        ("notifications/resources/updated", json!({ "uri": "file:///a/b" }), vec!["file:///a", "file:///a/b/c"]),
        ("notifications/message", json!({}), vec![]),
    ] {
        let mut talk = Talk::new(Caching::Private);
        let lists = ["tools/list", "prompts/list", "resources/list", "resources/templates/list"];
        let uris = ["file:///a", "file:///a/b/c", "file:///c"];
        let result = json!({ "ttlMs": 9_000 });
        for list in lists {
            talk.get(list, None, &result);
        }
        for uri in uris {
            talk.get("resources/read", Some(uri), &result);
        }
        talk.notify(method, params);
        for list in lists {
            assert_eq!(talk.get(list, None, &result), dropped.contains(&list), "{method}: {list}");
        }
        for uri in uris {
            assert_eq!(talk.get("resources/read", Some(uri), &result), dropped.contains(&uri), "{method}: {uri}");
        }
    }
}

#[test]
fn no_more_than_the_limit_is_kept_and_the_oldest_goes_first() {
    let mut talk = Talk::new(Caching::Private);
    let result = json!({ "contents": [], "ttlMs": 9_000 });
    let uri = |number: usize| format!("test://{number:04}");
    for number in 0..=MAX_ENTRIES {
        assert!(talk.get("resources/read", Some(&uri(number)), &result));
    }
    assert!(!talk.get("resources/read", Some(&uri(1)), &result));
    assert!(!talk.get("resources/read", Some(&uri(MAX_ENTRIES)), &result));
    assert!(talk.get("resources/read", Some(&uri(0)), &result));
}

/// What is to be done where results are kept outside.
fn store_events(talk: &mut Talk) -> Vec<String> {
    let told = talk.outputs.drain(..).filter_map(|output| match output {
        Output::Event(Event::Lookup(call, part)) => Some(format!("look up {} {part}", call.0)),
        Output::Event(Event::Keep(call, part, _, ttl)) => Some(format!("keep {} {part} {ttl}", call.0)),
        Output::Event(Event::Forget(method, uri)) => Some(format!("forget {method} {uri}")),
        _ => None,
    });
    told.collect()
}

fn with_store() -> Talk {
    Talk::with(Options { caching: Caching::Private, stores: true, ..Options::default() })
}

#[test]
fn what_is_kept_outside_is_looked_up_first_and_the_server_asked_where_nothing_is() {
    let mut talk = with_store();
    talk.outputs.clear();
    let call = talk.ask("tools/list", None, CacheMode::Use);
    assert!(!talk.outputs.iter().any(|output| matches!(output, Output::Send(_))));
    assert_eq!(store_events(&mut talk), ["look up 1 "]);
    talk.client.handle_input(Input::Kept(call, ""), 0);
    talk.drain();
    let exchange = talk.sent().unwrap();
    let mut page = tools(json!(5_000), json!("private"));
    page["nextCursor"] = json!("2");
    talk.answer(exchange, call, &page);
    assert_eq!(store_events(&mut talk), ["keep 1  5000", r#"look up 1 "cursor":"2""#]);
    talk.client.handle_input(Input::Kept(call, r#"{"tools":[],"ours":1}"#), 0);
    talk.drain();
    assert_eq!(talk.result(), Some(json!({ "tools": [], "ours": 1 })));
    // Nobody waits for it any longer.
    talk.client.handle_input(Input::Kept(call, "{}"), 0);
    talk.drain();
    assert!(talk.outputs.is_empty());
}

#[test]
fn a_lookup_that_takes_too_long_or_was_overtaken_by_a_change_is_not_waited_for() {
    let mut talk = with_store();
    let call = talk.ask("tools/list", None, CacheMode::Use);
    talk.outputs.clear();
    talk.client.handle_input(Input::Time, STORE_TIMEOUT);
    talk.drain();
    assert!(talk.sent().is_some());
    talk.client.handle_input(Input::Kept(call, r#"{"late":1}"#), STORE_TIMEOUT);
    talk.drain();
    assert!(talk.result().is_none());

    for other_user in [false, true] {
        let mut talk = with_store();
        let call = talk.ask("tools/list", None, CacheMode::Use);
        talk.outputs.clear();
        if other_user {
            talk.client.set_authorization_context("Bob");
        } else {
            talk.notify("notifications/tools/list_changed", json!({}));
        }
        talk.client.handle_input(Input::Kept(call, r#"{"old":1}"#), 0);
        talk.drain();
        assert!(talk.sent().is_some(), "{other_user}");
    }
}

#[test]
fn what_changes_is_forgotten_outside_too() {
    let updated = json!({ "uri": "a:b" });
    for (method, params, expected) in [
        ("notifications/tools/list_changed", json!({}), &["forget tools/list "][..]),
        ("notifications/prompts/list_changed", json!({}), &["forget prompts/list "]),
        (
            "notifications/resources/list_changed",
            json!({}),
            &["forget resources/list ", "forget resources/templates/list "],
        ),
        ("notifications/resources/updated", updated, &["forget resources/read a:b"]),
        ("notifications/message", json!({}), &[]),
    ] {
        let mut talk = with_store();
        talk.ask("tools/call", None, CacheMode::Use);
        let exchange = talk.sent().unwrap();
        let head = Head { status: 200, content_type: Some("text/event-stream"), ..Head::default() };
        talk.client.handle_input(Input::Head(exchange, head), 0);
        let message = json!({ "jsonrpc": "2.0", "method": method, "params": params });
        talk.client.handle_input(Input::Chunk(exchange, format!("data: {message}\n\n").as_bytes()), 0);
        talk.drain();
        assert_eq!(store_events(&mut talk), expected, "{method}");
    }
}
