//! Whatever a View and an application do, in whatever order: nothing panics, nothing is sent too early,
//! and every request ends once.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

use mcp_duet::apps::host::Phase;
use mcp_duet::apps::{Host, Options, Outcome, Output};
use mcp_duet::protocol::apps::{self as facts, ToolData};
use mcp_duet::protocol::error::ErrorObject;
use mcp_duet::protocol::json::Raw;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// One thing that the View, the application, the server or the clock does.
#[derive(Clone, Debug)]
enum Act {
    Message(String),
    Partial(usize),
    Input(usize),
    Result(usize),
    Cancelled,
    Context(usize),
    ListChanged(usize),
    Tools(usize),
    Settle(u32, usize),
    Progress(u32),
    Ask(u32, bool),
    Cancel(u32),
    Teardown,
    Close,
    Time(u64),
}

const VALUES: [&str; 8] = [
    "{}",
    r#"{"a":1}"#,
    "[]",
    "null",
    "{",
    r#"{"content":[{"type":"text","text":"x"},{"type":"y"}],"structuredContent":[1]}"#,
    r#"{"theme":"dark","displayMode":"fullscreen","availableDisplayModes":["inline","fullscreen"]}"#,
    r#"{"theme":5,"safeAreaInsets":{"top":1}}"#,
];
const LISTS: [&str; 3] = [r#"[{"name":"a"}]"#, r#"[{"name":"a","_meta":{"ui":{"visibility":["model"]}}}]"#, "{}"];

fn message() -> impl Strategy<Value = String> {
    let id = prop_oneof![
        Just("0"),
        Just("1"),
        Just("\"x\""),
        Just("\"host-1\""),
        Just("\"host-2\""),
        Just("null"),
        Just("1.5")
    ];
    let methods: Vec<&'static str> = facts::HOST_ANSWERS
        .into_iter()
        .chain(facts::HOST_FORWARDS)
        .chain(facts::VIEW_NOTIFIES)
        .chain([facts::SANDBOX_PROXY_READY, facts::RESOURCE_TEARDOWN, "x/y"])
        .collect();
    let params = prop_oneof![
        Just(r#"{"appInfo":{"name":"v","version":"1"},"appCapabilities":{"tools":{}},"protocolVersion":"1"}"#),
        Just(
            r#"{"appInfo":{"name":"v","version":"1"},"appCapabilities":{"availableDisplayModes":["inline"]},"protocolVersion":"1"}"#
        ),
        Just(
            r#"{"name":"a","uri":"a:b","url":"https://a.example","role":"user","content":[],"contents":[],"mode":"fullscreen","_meta":{"progressToken":1}}"#
        ),
        Just(r#"{"requestId":0,"progressToken":"host-2","progress":1,"level":"info","data":1,"width":3,"height":4}"#),
        Just("{}"),
        Just("null"),
        Just("[1]"),
    ];
    let request = (id.clone(), proptest::sample::select(methods), params.clone(), any::<bool>()).prop_map(
        |(id, method, params, is_request)| {
            let id = if is_request { format!("\"id\":{id},") } else { String::new() };
            format!(r#"{{"jsonrpc":"2.0",{id}"method":"{method}","params":{params}}}"#)
        },
    );
    let answer = (id, prop_oneof![Just("result"), Just("error")], params)
        .prop_map(|(id, member, value)| format!(r#"{{"jsonrpc":"2.0","id":{id},"{member}":{value}}}"#));
    let initialize = Just(
        r#"{"jsonrpc":"2.0","id":0,"method":"ui/initialize","params":{"appInfo":{"name":"v","version":"1"},"appCapabilities":{"tools":{}},"protocolVersion":"1"}}"#
            .to_owned(),
    );
    let initialized = Just(r#"{"jsonrpc":"2.0","method":"ui/notifications/initialized"}"#.to_owned());
    prop_oneof![8 => request, 2 => answer, 3 => initialize, 3 => initialized, 1 => ".{0,20}"]
}

fn act() -> impl Strategy<Value = Act> {
    let value = || 0..VALUES.len();
    prop_oneof![
        12 => message().prop_map(Act::Message),
        2 => value().prop_map(Act::Partial),
        2 => value().prop_map(Act::Input),
        2 => value().prop_map(Act::Result),
        1 => Just(Act::Cancelled),
        2 => value().prop_map(Act::Context),
        1 => (0..4_usize).prop_map(Act::ListChanged),
        2 => (0..4_usize).prop_map(Act::Tools),
        4 => (1..12_u32, 0..VALUES.len() + 2).prop_map(|(call, what)| Act::Settle(call, what)),
        1 => (1..12_u32).prop_map(Act::Progress),
        2 => (1..5_u32, any::<bool>()).prop_map(|(call, list)| Act::Ask(call, list)),
        1 => (1..5_u32).prop_map(Act::Cancel),
        1 => Just(Act::Teardown),
        1 => Just(Act::Close),
        1 => (0..40_000_u64).prop_map(Act::Time),
    ]
}

/// What must hold of everything that a host does.
#[derive(Default)]
struct Watch {
    greeted: bool,
    live: bool,
    closed: bool,
    last: Option<ToolData>,
    /// Ids of the View's requests and how often each may still be answered.
    unanswered: BTreeMap<String, i64>,
    /// What was asked or forwarded and has not been settled.
    open: Vec<u32>,
    asked: BTreeMap<u32, i64>,
}

impl Watch {
    fn heard(&mut self, text: &str) {
        let Ok(message) = serde_json::from_str::<Value>(text) else { return };
        let method = message["method"].as_str().unwrap_or_default();
        if message.get("id").is_some() && message.get("method").is_some() {
            *self.unanswered.entry(message["id"].to_string()).or_default() += 1;
        }
        if message.get("id").is_some() || message["params"].is_array() {
            return;
        }
        if method == facts::SANDBOX_PROXY_READY {
            (self.greeted, self.live) = (false, false);
        } else if method == facts::INITIALIZED && self.greeted {
            (self.greeted, self.live) = (false, true);
        }
    }

    fn done(&mut self, outputs: Vec<Output>) {
        for output in outputs {
            assert!(
                !self.closed || matches!(output, Output::Answered { .. } | Output::Warning(_)),
                "{output:?} after the end"
            );
            match output {
                Output::Post(text) => self.posted(&serde_json::from_str(&text).unwrap()),
                Output::Forward { call, params, method, .. } => {
                    assert!(facts::HOST_FORWARDS.contains(&method));
                    assert!(Raw::parse(params.as_bytes()).unwrap().is_object());
                    self.open.push(call);
                }
                Output::Ask { call, method, .. } => {
                    assert!(facts::HOST_ANSWERS.contains(&method));
                    self.open.push(call);
                }
                Output::Cancel(call) => {
                    let at = self.open.iter().position(|open| *open == call).expect("only what is open is cancelled");
                    self.open.remove(at);
                }
                Output::Answered { call, .. } => {
                    *self.asked.get_mut(&call).expect("was asked") -= 1;
                    assert!(self.asked[&call] >= 0, "{call} ends once");
                }
                Output::Closed => self.closed = true,
                _ => {}
            }
        }
    }

    fn posted(&mut self, message: &Value) {
        assert_eq!(message["jsonrpc"], "2.0");
        let Some(method) = message["method"].as_str() else {
            let id = message["id"].to_string();
            let left = self.unanswered.get_mut(&id).unwrap_or_else(|| panic!("{message} answers nothing"));
            *left -= 1;
            assert!(*left >= 0, "{message} is one answer too many");
            if message["result"].get("hostContext").is_some() {
                (self.greeted, self.live, self.last) = (true, false, None);
            }
            return;
        };
        // Answers apart, everything waits for the View: what belongs to its own or the application's requests comes after it was live.
        if ![facts::RESOURCE_TEARDOWN, "tools/list", "tools/call", "notifications/cancelled", "notifications/progress"]
            .contains(&method)
        {
            assert!(self.live, "{method} before the View is initialized");
        }
        if let Some(kind) = ToolData::ALL.into_iter().find(|kind| kind.method() == method) {
            assert!(kind.may_follow(self.last), "{kind:?} after {:?}", self.last);
            self.last = Some(kind);
        }
    }
}

proptest! {
    #[test]
    fn nothing_breaks_the_order(acts in proptest::collection::vec(act(), 1..60)) {
        let options = json!({ "handled": facts::HOST_ANSWERS, "context": { "availableDisplayModes": ["fullscreen"] }, "logs": true }).to_string();
        let mut host = Host::new(Options::read(Raw::parse(options.as_bytes()).unwrap()).unwrap(), 0);
        let mut watch = Watch::default();
        let mut now = 0;
        watch.done(host.take_outputs());
        for act in acts {
            match act {
                Act::Message(text) => {
                    watch.heard(&text);
                    host.receive(text.as_bytes(), now);
                }
                Act::Partial(value) => host.tool_input_partial(VALUES[value]),
                Act::Input(value) => drop(host.tool_input(VALUES[value])),
                Act::Result(value) => drop(host.tool_result(VALUES[value])),
                Act::Cancelled => drop(host.tool_cancelled(None)),
                Act::Context(value) => host.update_context(VALUES[value]),
                Act::ListChanged(list) => host.list_changed(facts::LISTS_CHANGED.get(list).unwrap_or(&"x/y")),
                Act::Tools(list) => host.tools(LISTS.get(list).copied()),
                Act::Settle(call, what) => {
                    watch.open.retain(|open| *open != call);
                    let outcome = match VALUES.get(what) {
                        Some(value) => Outcome::Result((*value).to_owned()),
                        None if what == VALUES.len() => Outcome::Denied,
                        None => Outcome::Error(ErrorObject::new(-32603, "no")),
                    };
                    // A call that waits for the list of tools has not been given to anybody to settle.
                    host.settle(call, &outcome);
                }
                Act::Progress(call) => host.progress(call, r#"{"progress":1}"#),
                Act::Ask(call, list) => {
                    *watch.asked.entry(call).or_default() += 1;
                    host.ask(call, if list { "tools/list" } else { "tools/call" }, r#"{"name":"a"}"#, None, true, now);
                }
                Act::Cancel(call) => host.cancel(call),
                Act::Teardown => host.teardown(now),
                Act::Close => host.close(),
                Act::Time(later) => {
                    now += later;
                    host.handle_timeout(now);
                }
            }
            watch.done(host.take_outputs());
            prop_assert_eq!(watch.closed, host.phase() == Phase::Closed);
        }
        host.close();
        watch.done(host.take_outputs());
        prop_assert!(watch.open.is_empty(), "{:?} is still open", watch.open);
    }
}
