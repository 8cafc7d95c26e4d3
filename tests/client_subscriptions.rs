//! Subscriptions whose streams take each other's place, and connections that come back.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

use mcp_duet::client::negotiation::Mode;
use mcp_duet::client::{
    Call, Channel, Client, Code, Event, Exchange, Head, Input, Options, Output, Params, Request, RequestOptions,
};
use mcp_duet::protocol::json::Raw;
use serde_json::{Value, json};

/// A client, and what it has said and not been asked about yet.
struct Talk {
    client: Client,
    now: u64,
    outputs: Vec<Output>,
}

impl Talk {
    fn new(options: Options) -> Self {
        Self { client: Client::new(options), now: 0, outputs: Vec::new() }
    }

    fn drain(&mut self) {
        loop {
            match self.client.poll_output() {
                Output::Wait { .. } => return,
                output => self.outputs.push(output),
            }
        }
    }

    fn input(&mut self, input: Input<'_>) {
        self.client.handle_input(input, self.now);
        self.drain();
    }

    /// What it has sent since it was last asked: method or verb, and the message.
    fn sent(&mut self) -> Vec<(Exchange, String, Value)> {
        let (sent, rest): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.outputs).into_iter().partition(|output| matches!(output, Output::Send(_)));
        self.outputs = rest;
        let read = |output| {
            let Output::Send(outbound) = output else { unreachable!() };
            let text = outbound.body.clone().wrap("");
            let message: Value = serde_json::from_str(&text).unwrap_or_default();
            let name = message["method"].as_str().map_or_else(|| format!("{:?}", outbound.verb), str::to_owned);
            (outbound.exchange, name, message)
        };
        sent.into_iter().map(read).collect()
    }

    /// The one thing that it has sent.
    fn sent_one(&mut self, method: &str) -> (Exchange, Value) {
        let mut sent = self.sent();
        assert_eq!(sent.len(), 1, "{sent:?}");
        let (exchange, name, message) = sent.remove(0);
        assert_eq!(name, method);
        (exchange, message)
    }

    fn aborted(&mut self) -> Vec<Exchange> {
        let mut aborted = Vec::new();
        self.outputs.retain(|output| {
            if let Output::Abort(exchange) = output {
                aborted.push(*exchange);
            }
            !matches!(output, Output::Abort(_))
        });
        aborted
    }

    /// What subscriptions were told, and how they ended.
    fn told(&mut self) -> Vec<(Call, String)> {
        let events = std::mem::take(&mut self.outputs).into_iter().filter_map(|output| match output {
            Output::Event(Event::Progress(call, text)) => {
                let told: Value = serde_json::from_str(&text).unwrap();
                let name = told
                    .get("acknowledged")
                    .map_or_else(|| told["method"].as_str().unwrap_or("refresh").to_owned(), Value::to_string);
                Some((call, name))
            }
            Output::Event(Event::Result(call, _)) => Some((call, "ended".to_owned())),
            Output::Event(Event::Failed(call, failure)) => Some((call, failure.code.as_str().to_owned())),
            _ => None,
        });
        events.collect()
    }

    fn stream(&mut self, exchange: Exchange) {
        let head = Head { status: 200, content_type: Some("text/event-stream"), ..Head::default() };
        self.input(Input::Head(exchange, head));
    }

    fn event(&mut self, exchange: Exchange, message: &Value) {
        self.input(Input::Chunk(exchange, format!("data: {message}\n\n").as_bytes()));
    }

    fn json(&mut self, exchange: Exchange, message: &Value) {
        let head =
            Head { status: 200, content_type: Some("application/json"), session_id: Some("s-1"), ..Head::default() };
        self.input(Input::Head(exchange, head));
        self.input(Input::Body(exchange, message.to_string().as_bytes()));
    }

    fn subscribe(&mut self, filter: &Value) -> Call {
        let text = filter.to_string();
        let call = self.client.subscribe(Raw::parse(text.as_bytes()).unwrap(), self.now);
        self.drain();
        call
    }

    /// Waits until the client wants to be woken, and wakes it.
    fn sleep(&mut self) {
        let Output::Wait { until: Some(until), .. } = self.client.poll_output() else { panic!("it waits for nothing") };
        self.now = until;
        self.input(Input::Time);
    }

    fn acknowledge(&mut self, exchange: Exchange, id: u32, filter: &Value) {
        self.stream(exchange);
        self.event(exchange, &acknowledgement(id, filter));
    }

    fn request(&mut self, method: &str) -> Call {
        let request =
            Request { method, params: Params::None, meta: None, name: None, options: RequestOptions::default() };
        let call = self.client.request(&request, self.now);
        self.drain();
        call
    }
}

fn acknowledgement(id: u32, filter: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged", "params": {
        "_meta": { "io.modelcontextprotocol/subscriptionId": id }, "notifications": filter } })
}

fn capabilities() -> Value {
    json!({ "tools": { "listChanged": true }, "prompts": { "listChanged": true }, "resources": { "subscribe": true } })
}

fn modern() -> Talk {
    let mut talk = Talk::new(Options::default());
    talk.client.connect(0);
    talk.drain();
    let (exchange, _) = talk.sent_one("server/discover");
    let result = json!({ "supportedVersions": ["2026-07-28"], "capabilities": capabilities() });
    talk.json(exchange, &json!({ "jsonrpc": "2.0", "id": "discover-1", "result": result }));
    talk
}

/// Shakes hands as a legacy server; what is sent in the end is left to be asked for.
fn shake_hands(talk: &mut Talk) {
    let (exchange, message) = talk.sent_one("initialize");
    let result = json!({ "protocolVersion": "2025-11-25", "capabilities": capabilities() });
    talk.json(exchange, &json!({ "jsonrpc": "2.0", "id": message["id"], "result": result }));
    let (exchange, _) = talk.sent_one("notifications/initialized");
    talk.input(Input::Head(exchange, Head { status: 202, ..Head::default() }));
}

fn legacy(channel: Channel) -> Talk {
    let mut talk = Talk::new(Options { mode: Mode::Legacy, channel, ..Options::default() });
    talk.client.connect(0);
    talk.drain();
    talk
}

#[test]
fn a_wider_subscription_takes_the_narrower_ones_place_and_the_last_one_out_ends_it() {
    let mut talk = modern();
    let tools = json!({ "toolsListChanged": true });
    let prompts = json!({ "promptsListChanged": true });
    let both = json!({ "toolsListChanged": true, "promptsListChanged": true });
    let first = talk.subscribe(&tools);
    let (narrow, message) = talk.sent_one("subscriptions/listen");
    assert_eq!(message["params"]["notifications"], tools);
    talk.acknowledge(narrow, 1, &tools);
    assert_eq!(talk.told(), [(first, tools.to_string())]);

    let second = talk.subscribe(&prompts);
    let (wide, message) = talk.sent_one("subscriptions/listen");
    assert_eq!(message["params"]["notifications"], both);
    assert_eq!(talk.aborted(), [narrow]);
    assert_eq!(talk.told(), []);
    // Between the two, the lists may have changed.
    talk.acknowledge(wide, 2, &both);
    assert_eq!(talk.told(), [(first, "refresh".to_owned()), (second, prompts.to_string())]);
    for what in ["prompts", "tools"] {
        let params = json!({ "_meta": { "io.modelcontextprotocol/subscriptionId": 2 } });
        let method = format!("notifications/{what}/list_changed");
        talk.event(wide, &json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }
    let heard = |call: Call, what: &str| (call, format!("notifications/{what}/list_changed"));
    assert_eq!(talk.told(), [heard(second, "prompts"), heard(first, "tools")]);

    // One that is covered takes nothing; the last one out closes the stream.
    let third = talk.subscribe(&tools);
    assert!(talk.sent().is_empty());
    assert_eq!(talk.told(), [(third, tools.to_string())]);
    for call in [first, second] {
        talk.client.cancel(call, None, talk.now);
        talk.drain();
        assert!(talk.aborted().is_empty());
    }
    talk.client.cancel(third, None, talk.now);
    talk.drain();
    assert_eq!(talk.aborted(), [wide]);
    assert!(matches!(talk.client.poll_output(), Output::Wait { until: None, .. }), "nothing is left behind");
}

#[test]
fn a_wider_subscription_that_is_refused_gives_the_narrower_one_its_place_back() {
    let mut talk = modern();
    let first = talk.subscribe(&json!({ "toolsListChanged": true }));
    let (narrow, _) = talk.sent_one("subscriptions/listen");
    talk.acknowledge(narrow, 1, &json!({ "toolsListChanged": true }));
    talk.told();
    let second = talk.subscribe(&json!({ "promptsListChanged": true }));
    let (wide, _) = talk.sent_one("subscriptions/listen");
    let error = json!({ "code": -32603, "message": "too many" });
    talk.json(wide, &json!({ "jsonrpc": "2.0", "id": 2, "error": error }));
    assert_eq!(talk.aborted(), [narrow]);
    assert_eq!(talk.told(), [(second, "PROTOCOL".to_owned())]);
    talk.sleep();
    let (again, message) = talk.sent_one("subscriptions/listen");
    assert_eq!(message["params"]["notifications"], json!({ "toolsListChanged": true }));
    talk.acknowledge(again, 3, &json!({ "toolsListChanged": true }));
    assert_eq!(talk.told(), [(first, "refresh".to_owned())]);
}

#[test]
fn a_subscription_may_be_silent_for_ever_but_not_before_it_has_begun() {
    let mut talk = modern();
    let filter = json!({ "toolsListChanged": true });
    let silent = talk.subscribe(&filter);
    let (exchange, _) = talk.sent_one("subscriptions/listen");
    talk.stream(exchange);
    talk.sleep();
    assert_eq!(talk.aborted(), [exchange]);
    assert_eq!(talk.told(), [(silent, "TIMED_OUT".to_owned())]);

    talk.subscribe(&filter);
    let (exchange, message) = talk.sent_one("subscriptions/listen");
    talk.acknowledge(exchange, message["id"].as_u64().unwrap() as u32, &filter);
    talk.now += 1_000_000_000;
    talk.input(Input::Time);
    assert!(talk.aborted().is_empty());
    assert!(matches!(talk.client.poll_output(), Output::Wait { until: None, .. }));
}

#[test]
fn attempts_to_listen_again_come_later_and_later_and_begin_anew_after_one_that_worked() {
    let mut talk = modern();
    let filter = json!({ "toolsListChanged": true });
    let call = talk.subscribe(&filter);
    let (mut exchange, _) = talk.sent_one("subscriptions/listen");
    talk.acknowledge(exchange, 1, &filter);
    talk.told();
    let mut waits = Vec::new();
    for round in 0..9 {
        talk.input(Input::Failed(exchange, "gone"));
        let before = talk.now;
        talk.sleep();
        waits.push(talk.now - before);
        let (next, message) = talk.sent_one("subscriptions/listen");
        exchange = next;
        if round == 6 {
            talk.acknowledge(exchange, message["id"].as_u64().unwrap() as u32, &filter);
            assert_eq!(talk.told(), [(call, "refresh".to_owned())]);
        }
    }
    assert_eq!(waits, [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 1_000, 2_000]);
    assert_eq!(talk.told(), []);
    talk.client.close(talk.now);
    talk.drain();
    assert_eq!(talk.told(), [(call, "CLOSED".to_owned())]);
}

#[test]
fn a_new_legacy_session_is_subscribed_to_again_and_says_that_changes_may_have_been_missed() {
    let mut talk = legacy(Channel::Http);
    let filter = json!({ "resourceSubscriptions": ["file:///北京", "file:///b"] });
    shake_hands(&mut talk);
    let call = talk.subscribe(&filter);
    for round in 0..2 {
        let sent = talk.sent();
        let names: Vec<_> = sent.iter().map(|(_, name, _)| name.as_str()).collect();
        assert_eq!(names, ["Get", "resources/subscribe", "resources/subscribe"], "round {round}");
        talk.input(Input::Head(sent[0].0, Head { status: 405, ..Head::default() }));
        for (exchange, _, message) in &sent[1..] {
            assert_eq!(talk.told(), []);
            talk.json(*exchange, &json!({ "jsonrpc": "2.0", "id": message["id"], "result": {} }));
        }
        let expected = if round == 0 { filter.to_string() } else { "refresh".to_owned() };
        assert_eq!(talk.told(), [(call, expected)]);
        if round == 0 {
            talk.request("tools/list");
            let (exchange, _) = talk.sent_one("tools/list");
            talk.input(Input::Head(exchange, Head { status: 404, ..Head::default() }));
            talk.input(Input::Body(exchange, b"no such session"));
            let (exchange, message) = talk.sent_one("initialize");
            let result = json!({ "protocolVersion": "2025-11-25", "capabilities": capabilities() });
            talk.json(exchange, &json!({ "jsonrpc": "2.0", "id": message["id"], "result": result }));
            let (exchange, _) = talk.sent_one("notifications/initialized");
            talk.input(Input::Head(exchange, Head { status: 202, ..Head::default() }));
            let (list, rest): (Vec<_>, Vec<_>) = std::mem::take(&mut talk.outputs)
                .into_iter()
                .partition(|output| matches!(output, Output::Send(sent) if sent.body.head.contains("tools/list")));
            assert_eq!(list.len(), 1, "and the list is asked for again");
            talk.outputs = rest;
        }
    }
}

#[test]
fn a_pipe_that_comes_back_is_subscribed_to_again_without_anybody_asking() {
    let mut talk = legacy(Channel::LocalPipe);
    let tell = |talk: &mut Talk, exchange, message: Value| {
        talk.input(Input::Message(exchange, message.to_string().as_bytes()));
    };
    let shake = |talk: &mut Talk| {
        let (exchange, message) = talk.sent_one("initialize");
        let result = json!({ "protocolVersion": "2025-11-25", "capabilities": capabilities() });
        tell(talk, exchange, json!({ "jsonrpc": "2.0", "id": message["id"], "result": result }));
        let (exchange, _) = talk.sent_one("notifications/initialized");
        talk.input(Input::End(exchange));
    };
    shake(&mut talk);
    let call = talk.subscribe(&json!({ "resourceSubscriptions": ["file:///a"], "toolsListChanged": true }));
    let (exchange, message) = talk.sent_one("resources/subscribe");
    tell(&mut talk, exchange, json!({ "jsonrpc": "2.0", "id": message["id"], "result": {} }));
    talk.told();
    talk.input(Input::Lost("the process has ended"));
    assert!(talk.sent().is_empty());
    talk.sleep();
    shake(&mut talk);
    let (exchange, message) = talk.sent_one("resources/subscribe");
    tell(&mut talk, exchange, json!({ "jsonrpc": "2.0", "id": message["id"], "result": {} }));
    assert_eq!(talk.told(), [(call, "refresh".to_owned())]);
}

#[test]
fn the_stream_of_a_legacy_server_that_comes_back_without_a_place_to_go_on_may_have_missed_something() {
    for (id, expected) in [("", vec!["refresh".to_owned()]), ("id: 7\n", vec![])] {
        let mut talk = legacy(Channel::Http);
        shake_hands(&mut talk);
        let call = talk.subscribe(&json!({ "toolsListChanged": true }));
        let (stream, _) = talk.sent_one("Get");
        talk.stream(stream);
        let text =
            format!("{id}data: {}\n\n", json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed" }));
        talk.input(Input::Chunk(stream, text.as_bytes()));
        assert_eq!(talk.told().len(), 2);
        talk.input(Input::End(stream));
        talk.sleep();
        let (stream, _) = talk.sent_one("Get");
        talk.stream(stream);
        assert_eq!(talk.told(), expected.into_iter().map(|told| (call, told)).collect::<Vec<_>>());
        talk.client.cancel(call, None, talk.now);
        talk.drain();
        assert_eq!(talk.aborted(), [stream], "nobody listens any longer");
    }
}

#[test]
fn a_subscription_connects_and_fails_with_what_keeps_it_from_that() {
    let mut talk = Talk::new(Options::default());
    let call = talk.subscribe(&json!({ "toolsListChanged": true }));
    let (exchange, _) = talk.sent_one("server/discover");
    talk.input(Input::Failed(exchange, "refused"));
    assert_eq!(talk.told(), [(call, Code::Network.as_str().to_owned())]);
    assert!(matches!(talk.client.poll_output(), Output::Wait { until: None, .. }));
}

#[test]
fn a_call_that_is_still_under_way_does_not_go_out_twice_when_the_session_is_made_anew() {
    let mut talk = legacy(Channel::Http);
    shake_hands(&mut talk);
    talk.request("tools/list");
    let (lost, _) = talk.sent_one("tools/list");
    talk.request("tools/call");
    let (slow, message) = talk.sent_one("tools/call");
    talk.input(Input::Head(lost, Head { status: 404, ..Head::default() }));
    talk.input(Input::Body(lost, b"no such session"));
    shake_hands(&mut talk);
    let (again, _) = talk.sent_one("tools/list");
    assert_ne!(again, lost);
    talk.json(slow, &json!({ "jsonrpc": "2.0", "id": message["id"], "result": { "content": [] } }));
    assert_eq!(talk.told().len(), 1, "it ends with what it was answered");
    assert!(talk.sent().is_empty());
}
