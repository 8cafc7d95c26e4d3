//! The order of things between a host and one View.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

use mcp_duet::apps::host::{Limits, Phase};
use mcp_duet::apps::{Host, Options, Outcome, Output, Unanswered};
use mcp_duet::protocol::apps as facts;
use mcp_duet::protocol::error::ErrorObject;
use mcp_duet::protocol::json::Raw;
use serde_json::{Value, json};

fn options(more: Value) -> Options {
    let mut all = json!({
        "hostInfo": { "name": "test", "version": "1" },
        "handled": facts::HOST_ANSWERS,
        "logs": true,
        "serverCapabilities": { "tools": { "listChanged": true }, "resources": {} },
    });
    for (name, value) in more.as_object().unwrap() {
        all[name] = value.clone();
    }
    let text = all.to_string();
    Options::read(Raw::parse(text.as_bytes()).unwrap()).unwrap()
}

/// A host and what it wants done.
struct Bench {
    host: Host,
    now: u64,
}

impl Bench {
    fn new(more: Value) -> Self {
        Self { host: Host::new(options(more), 1_000), now: 1_000 }
    }

    /// A host whose View is initialized; what that took is not looked at.
    fn live(more: Value, capabilities: Value) -> Self {
        let mut bench = Self::new(more);
        bench.start(capabilities);
        bench
    }

    fn start(&mut self, capabilities: Value) {
        self.view(json!({ "method": "ui/notifications/sandbox-proxy-ready", "params": {} }));
        self.initialize(capabilities);
        self.view(json!({ "method": "ui/notifications/initialized" }));
    }

    fn initialize(&mut self, capabilities: Value) -> Vec<Output> {
        self.view(json!({ "id": 0, "method": "ui/initialize", "params": {
            "appInfo": { "name": "view", "version": "1" },
            "appCapabilities": capabilities,
            "protocolVersion": facts::PROTOCOL_VERSION,
        }}))
    }

    /// The View sends a message.
    fn view(&mut self, mut message: Value) -> Vec<Output> {
        message["jsonrpc"] = json!("2.0");
        self.host.receive(message.to_string().as_bytes(), self.now);
        self.taken()
    }

    fn ask(&mut self, id: u64, method: &str, params: Value) -> Vec<Output> {
        self.view(json!({ "id": id, "method": method, "params": params }))
    }

    fn does(&mut self, act: impl FnOnce(&mut Host)) -> Vec<Output> {
        act(&mut self.host);
        self.taken()
    }

    /// Without the wait for the sandbox, which every View begins with.
    fn taken(&mut self) -> Vec<Output> {
        let mut outputs = self.host.take_outputs();
        outputs.retain(|output| *output != Output::Wait(31_000) || self.host.phase() != Phase::Loading);
        outputs
    }
}

/// The messages among what is to be done, without their envelope's version.
fn posted(outputs: &[Output]) -> Vec<Value> {
    let messages = outputs.iter().filter_map(|output| match output {
        Output::Post(text) => {
            let mut message: Value = serde_json::from_str(text).unwrap();
            assert_eq!(message.as_object_mut().unwrap().remove("jsonrpc"), Some(json!("2.0")));
            for key in message.as_object().unwrap().keys() {
                assert!(["id", "method", "params", "result", "error"].contains(&&**key), "{key}");
            }
            Some(message)
        }
        _ => None,
    });
    messages.collect()
}

fn methods(outputs: &[Output]) -> Vec<String> {
    posted(outputs).iter().filter_map(|message| Some(message["method"].as_str()?.to_owned())).collect()
}

/// The code and message of the one error that was posted.
fn refusal(outputs: &[Output]) -> (i64, String) {
    let messages = posted(outputs);
    assert_eq!(messages.len(), 1, "{outputs:?}");
    (messages[0]["error"]["code"].as_i64().expect("an error"), messages[0]["error"]["message"].to_string())
}

fn warnings(outputs: &[Output]) -> Vec<&str> {
    outputs.iter().filter_map(|output| if let Output::Warning(text) = output { Some(&**text) } else { None }).collect()
}

#[test]
fn a_view_gets_its_document_its_handshake_and_then_what_was_kept_for_it() {
    let mut bench = Bench::new(json!({ "context": { "theme": "light" } }));
    assert!(bench.does(|host| host.tool_input_partial(r#"{"a":1}"#)).is_empty());
    assert!(bench.does(|host| host.tool_input(r#"{"a":12}"#).unwrap()).is_empty());
    assert!(bench.does(|host| host.tool_result(r#"{"content":[]}"#).unwrap()).is_empty());
    assert_eq!(bench.view(json!({ "method": "ui/notifications/sandbox-proxy-ready" })), [Output::Load]);
    assert!(bench.does(|host| host.update_context(r#"{"theme":"dark"}"#)).is_empty());
    let greeting = posted(&bench.initialize(json!({})));
    assert_eq!(greeting.len(), 1);
    assert_eq!(greeting[0]["id"], 0);
    let result = &greeting[0]["result"];
    assert_eq!(result["protocolVersion"], facts::PROTOCOL_VERSION);
    assert_eq!(result["hostInfo"], json!({ "name": "test", "version": "1" }));
    assert_eq!(result["hostContext"], json!({ "theme": "dark" }));
    assert_eq!(result["hostCapabilities"]["serverTools"], json!({ "listChanged": true }));
    assert_eq!(result["hostCapabilities"]["sandbox"], json!({ "permissions": {}, "csp": {} }));
    assert!(bench.does(|host| host.update_context(r#"{"locale":"de"}"#)).is_empty(), "before it is initialized");

    let outputs = bench.view(json!({ "method": "ui/notifications/initialized" }));
    assert!(matches!(&outputs[0], Output::Initialized { app_info, .. } if app_info.contains("view")));
    assert_eq!(
        posted(&outputs),
        [
            json!({ "method": "ui/notifications/host-context-changed", "params": { "locale": "de" } }),
            json!({ "method": "ui/notifications/tool-input", "params": { "arguments": { "a": 12 } } }),
            json!({ "method": "ui/notifications/tool-result", "params": { "content": [] } }),
        ]
    );
    assert!(bench.view(json!({ "method": "ui/notifications/initialized" })).is_empty(), "said twice");
}

#[test]
fn tool_data_keeps_its_order() {
    let mut bench = Bench::live(json!({}), json!({}));
    assert_eq!(methods(&bench.does(|host| host.tool_input_partial("{}"))), ["ui/notifications/tool-input-partial"]);
    assert_eq!(methods(&bench.does(|host| host.tool_input_partial("{}"))), ["ui/notifications/tool-input-partial"]);
    assert_eq!(methods(&bench.does(|host| host.tool_input("{}").unwrap())), ["ui/notifications/tool-input"]);
    assert!(bench.does(|host| host.tool_input_partial("{}")).is_empty(), "partial input ends with the input");
    assert!(bench.host.tool_input("{}").is_err());
    assert_eq!(
        methods(&bench.does(|host| host.tool_cancelled(Some("stopped")).unwrap())),
        ["ui/notifications/tool-cancelled"]
    );
    assert!(bench.host.tool_result("{}").is_err());
    assert!(bench.host.tool_cancelled(None).is_err());
    assert!(bench.host.tool_input("{}").is_err());
}

#[test]
fn a_result_without_input_is_preceded_by_an_empty_one() {
    let mut bench = Bench::live(json!({}), json!({}));
    let outputs = bench.does(|host| host.tool_result("{}").unwrap());
    assert_eq!(methods(&outputs), ["ui/notifications/tool-input", "ui/notifications/tool-result"]);
    assert_eq!(posted(&outputs)[0]["params"], json!({ "arguments": {} }));
}

#[test]
fn a_view_that_starts_again_is_told_everything_again() {
    let mut bench = Bench::live(json!({}), json!({}));
    bench.does(|host| host.tool_input(r#"{"a":1}"#).unwrap());
    // Another document of the same frame: the first one works on meanwhile.
    assert_eq!(posted(&bench.initialize(json!({}))).len(), 1);
    assert_eq!(methods(&bench.does(|host| host.tool_result("{}").unwrap())), [""; 0]);
    assert_eq!(posted(&bench.ask(1, "ping", json!({})))[0]["result"], json!({}));
    assert!(matches!(bench.ask(2, "ui/open-link", json!({ "url": "https://a.example" }))[0], Output::Ask { .. }));
    let outputs = bench.view(json!({ "method": "ui/notifications/initialized" }));
    assert_eq!(methods(&outputs), ["ui/notifications/tool-input", "ui/notifications/tool-result"]);
}

#[test]
fn a_moved_frame_gets_its_document_again_and_nobody_waits_for_the_old_one() {
    let mut bench = Bench::live(json!({}), json!({ "tools": {} }));
    bench.does(|host| host.tool_input(r#"{"a":1}"#).unwrap());
    let Output::Ask { call, .. } = bench.ask(7, "ui/open-link", json!({ "url": "https://a.example" }))[0] else {
        panic!("not asked")
    };
    bench.does(|host| host.ask(5, "tools/list", "{}", None, false, 0));
    let outputs = bench.view(json!({ "method": "ui/notifications/sandbox-proxy-ready" }));
    assert_eq!(outputs[0], Output::Cancel(call));
    assert!(matches!(&outputs[1], Output::Answered { call: 5, answer: Err(Unanswered::Closed(_)) }));
    assert_eq!(outputs[2], Output::Load);
    assert!(bench.does(|host| host.settle(call, &Outcome::Result("{}".to_owned()))).is_empty());
    assert_eq!(refusal(&bench.ask(8, "tools/list", json!({}))).0, -32600, "the new document has to greet first");
    bench.initialize(json!({}));
    let outputs = bench.view(json!({ "method": "ui/notifications/initialized" }));
    assert_eq!(methods(&outputs), ["ui/notifications/tool-input"]);
}

#[test]
fn before_it_is_initialized_a_view_may_ping_and_initialize() {
    let mut bench = Bench::new(json!({}));
    bench.view(json!({ "method": "ui/notifications/sandbox-proxy-ready" }));
    assert_eq!(posted(&bench.ask(1, "ping", json!({})))[0]["result"], json!({}));
    for method in ["tools/call", "ui/open-link", "x/y"] {
        let (code, message) = refusal(&bench.ask(2, method, json!({ "name": "a" })));
        assert_eq!(code, -32600);
        assert!(message.contains("ui/notifications/initialized") && message.contains(method), "{message}");
    }
    for method in ["ui/notifications/size-changed", "notifications/message", "ui/notifications/request-teardown"] {
        assert!(bench.view(json!({ "method": method, "params": { "height": 5 } })).is_empty(), "{method}");
    }
}

#[test]
fn a_handshake_needs_three_members_and_any_version() {
    let whole =
        json!({ "appInfo": { "name": "a", "version": "1" }, "appCapabilities": {}, "protocolVersion": "2025-06-18" });
    for name in ["appInfo", "appCapabilities", "protocolVersion"] {
        let mut bench = Bench::new(json!({}));
        let mut params = whole.clone();
        params.as_object_mut().unwrap().remove(name);
        let (code, message) = refusal(&bench.ask(0, "ui/initialize", params));
        assert_eq!(code, -32602);
        assert!(message.contains("Invalid params for ui/initialize") && message.contains(name), "{message}");
    }
    let mut bench = Bench::new(json!({}));
    assert_eq!(posted(&bench.ask(0, "ui/initialize", whole))[0]["result"]["protocolVersion"], facts::PROTOCOL_VERSION);
}

#[test]
fn visibility_decides_which_tools_a_view_may_call() {
    let tools = json!([
        { "name": "both" },
        { "name": "model", "_meta": { "ui": { "visibility": ["model"] } } },
        { "name": "app", "_meta": { "ui": { "visibility": ["app"] } } },
        { "name": "none", "_meta": { "ui": { "visibility": [] } } },
        { "name": "twice" },
        { "name": "twice", "_meta": { "ui": { "visibility": ["model"] } } },
    ])
    .to_string();
    for (name, expected) in [
        ("both", None),
        ("app", None),
        ("model", Some("not for Views")),
        ("none", Some("not for Views")),
        ("twice", Some("not for Views")),
        ("other", Some("Unknown tool")),
    ] {
        let mut bench = Bench::live(json!({}), json!({}));
        let params = json!({ "name": name, "arguments": { "a": 1 }, "_meta": { "progressToken": 4, "x/y": 1 } });
        assert_eq!(bench.ask(3, "tools/call", params), [Output::ListTools], "nothing is known yet");
        let outputs = bench.does(|host| host.tools(Some(&tools)));
        match expected {
            None => {
                let [Output::Forward { method: "tools/call", params, progress: true, .. }] = &*outputs else {
                    panic!("{name}: {outputs:?}")
                };
                let expected = json!({ "name": name, "arguments": { "a": 1 }, "_meta": { "x/y": 1 } });
                assert_eq!(serde_json::from_str::<Value>(params).unwrap(), expected);
            }
            Some(reason) => {
                let (code, message) = refusal(&outputs);
                assert_eq!(code, -32602);
                assert!(message.contains(reason), "{name}: {message}");
            }
        }
    }
}

#[test]
fn the_list_of_tools_is_asked_for_again_when_it_may_have_changed() {
    let mut bench = Bench::live(json!({}), json!({}));
    bench.ask(1, "tools/call", json!({ "name": "a" }));
    assert_eq!(bench.ask(2, "tools/call", json!({ "name": "b" })), [], "one list for both");
    let outputs = bench.does(|host| host.tools(Some(r#"[{"name":"a"}]"#)));
    assert!(matches!(outputs[0], Output::Forward { call: 1, .. }));
    assert!(matches!(bench.ask(3, "tools/call", json!({ "name": "a" }))[0], Output::Forward { call: 3, .. }));
    // A tool that is new since then.
    assert_eq!(bench.ask(4, "tools/call", json!({ "name": "new" })), [Output::ListTools]);
    let outputs = bench.does(|host| host.tools(Some(r#"[{"name":"a"},{"name":"new"}]"#)));
    assert!(matches!(outputs[0], Output::Forward { call: 4, .. }));
    bench.does(|host| host.list_changed("notifications/tools/list_changed"));
    assert_eq!(bench.ask(5, "tools/call", json!({ "name": "a" })), [Output::ListTools]);
    assert_eq!(refusal(&bench.does(|host| host.tools(None))).0, -32603);
}

#[test]
fn ui_methods_and_unknown_ones_are_never_forwarded() {
    let mut bench = Bench::live(json!({ "handled": [] }), json!({}));
    for method in [
        "ui/open-link",
        "ui/message",
        "ui/update-model-context",
        "ui/download-file",
        "sampling/createMessage",
        "ui/other",
        "initialize",
        "server/discover",
        "prompts/list",
        "prompts/get",
        "completion/complete",
        "x/y",
        "ui/resource-teardown",
    ] {
        assert_eq!(refusal(&bench.ask(1, method, json!({ "url": "https://a.example" }))).0, -32601, "{method}");
    }
    for method in ["resources/read", "resources/list", "resources/templates/list", "tools/list"] {
        let outputs = bench.ask(1, method, json!({ "uri": "a:b" }));
        assert!(matches!(&outputs[..], [Output::Forward { .. }]), "{method}: {outputs:?}");
    }
}

#[test]
fn what_a_view_asks_of_the_application_is_checked_first() {
    let block = json!({ "type": "text", "text": "hi" });
    let link = json!({ "type": "resource_link", "uri": "file:///a/b.txt", "name": "b" });
    for (method, params, passes) in [
        ("ui/open-link", json!({ "url": "https://a.example/x?y#z" }), true),
        ("ui/open-link", json!({ "url": "HTTP://a.example" }), true),
        ("ui/open-link", json!({ "url": "javascript:alert(1)" }), false),
        ("ui/open-link", json!({ "url": "data:text/html,x" }), false),
        ("ui/open-link", json!({ "url": "file:///etc/passwd" }), false),
        ("ui/open-link", json!({ "url": "https://a.example/ b" }), false),
        ("ui/open-link", json!({ "url": "//a.example" }), false),
        ("ui/open-link", json!({ "url": 5 }), false),
        ("ui/open-link", json!({}), false),
        ("ui/message", json!({ "role": "user", "content": [block] }), true),
        ("ui/message", json!({ "role": "user", "content": block }), true),
        ("ui/message", json!({ "role": "assistant", "content": [block] }), false),
        ("ui/message", json!({ "role": "user", "content": "hi" }), false),
        ("ui/message", json!({ "role": "user", "content": [{ "type": "video" }] }), false),
        ("ui/message", json!({ "role": "user" }), false),
        ("ui/update-model-context", json!({ "content": [block], "structuredContent": { "a": 1 } }), true),
        ("ui/update-model-context", json!({}), true),
        ("ui/update-model-context", json!({ "structuredContent": [1] }), false),
        ("ui/update-model-context", json!({ "content": [1] }), false),
        ("ui/download-file", json!({ "contents": [link] }), true),
        ("ui/download-file", json!({ "contents": [block] }), false),
        ("ui/download-file", json!({}), false),
        ("ui/request-display-mode", json!({ "mode": "window" }), false),
        ("resources/read", json!({ "uri": "ui://a/b" }), true),
        ("resources/read", json!({}), false),
        ("tools/call", json!({ "name": "" }), false),
        ("tools/call", json!({ "name": "a", "arguments": [] }), false),
    ] {
        let mut bench = Bench::live(json!({}), json!({}));
        let outputs = bench.ask(1, method, params.clone());
        if passes {
            assert!(
                matches!(&outputs[..], [Output::Ask { .. } | Output::Forward { .. }]),
                "{method} {params}: {outputs:?}"
            );
        } else {
            let (code, message) = refusal(&outputs);
            assert_eq!(code, -32602, "{method} {params}");
            assert!(message.contains(&["Invalid params for ", method].concat()), "{message}");
        }
    }
}

#[test]
fn one_content_block_is_passed_on_as_an_array() {
    let mut bench = Bench::live(json!({}), json!({}));
    let outputs = bench.ask(1, "ui/message", json!({ "role": "user", "content": { "type": "text", "text": "hi" } }));
    let [Output::Ask { method: "ui/message", params, .. }] = &outputs[..] else { panic!("{outputs:?}") };
    let expected = json!({ "role": "user", "content": [{ "type": "text", "text": "hi" }] });
    assert_eq!(serde_json::from_str::<Value>(params).unwrap(), expected);
}

#[test]
fn files_to_save_have_names() {
    for (uri, name) in [
        ("file:///a/b/report.pdf", "report.pdf"),
        ("ui://server/exports/data%20%C3%A9.csv?x=/y#z", "data \u{e9}.csv"),
        ("https://a.example", "download"),
        ("https://a.example/", "download"),
        ("file:///a/..", "download"),
        ("file:///a/%2e%2e%2f%2e%2e%2fetc%2fpasswd", "etcpasswd"),
        ("file:///a/.bashrc", "bashrc"),
        ("urn:x:report.txt", "report.txt"),
        ("file:///gpj.%E2%80%AEexe", "gpj.exe"),
        ("file:///%zz%", "%zz%"),
        ("file:///a%00b%0A.txt", "ab.txt"),
        ("", "download"),
    ] {
        let mut bench = Bench::live(json!({}), json!({}));
        let link = json!({ "type": "resource_link", "uri": uri, "name": "n" });
        let outputs = bench.ask(1, "ui/download-file", json!({ "contents": [link], "names": ["mine"] }));
        let [Output::Ask { params, .. }] = &outputs[..] else { panic!("{outputs:?}") };
        assert_eq!(
            serde_json::from_str::<Value>(params).unwrap(),
            json!({ "contents": [link], "names": [name] }),
            "{uri}"
        );
    }
    let long = mcp_duet::apps::download::file_name(&["file:///", &"\u{e9}".repeat(500)].concat());
    assert_eq!(long.len(), 200);
}

#[test]
fn a_view_that_left_its_document_is_over() {
    let mut bench = Bench::live(json!({}), json!({}));
    let outputs = bench.view(json!({ "method": "ui/notifications/sandbox-navigated" }));
    assert_eq!((warnings(&outputs).len(), outputs.last()), (1, Some(&Output::Closed)));
    assert!(bench.does(|host| host.tool_input("{}").unwrap()).is_empty());
}

#[test]
fn the_application_s_answers_become_what_the_method_promises() {
    let failed = Outcome::Error(ErrorObject::new(-32603, "no").with_data("[1]".to_owned()));
    let done = || Outcome::Result(r#"{"secret":"the conversation"}"#.to_owned());
    let link = json!({ "contents": [{ "type": "resource_link", "uri": "a:b", "name": "b" }] });
    for (method, params, outcome, expected) in [
        ("ui/open-link", json!({ "url": "https://a.example" }), done(), json!({ "result": {} })),
        (
            "ui/open-link",
            json!({ "url": "https://a.example" }),
            Outcome::Denied,
            json!({ "result": { "isError": true } }),
        ),
        ("ui/download-file", link.clone(), done(), json!({ "result": {} })),
        ("ui/download-file", link, Outcome::Denied, json!({ "result": { "isError": true } })),
        ("ui/message", json!({ "role": "user", "content": [] }), done(), json!({ "result": {} })),
        (
            "ui/message",
            json!({ "role": "user", "content": [] }),
            Outcome::Denied,
            json!({ "result": { "isError": true } }),
        ),
        ("ui/update-model-context", json!({}), done(), json!({ "result": {} })),
        (
            "ui/update-model-context",
            json!({}),
            Outcome::Denied,
            json!({ "error": { "code": -32000, "message": "the host refused ui/update-model-context" } }),
        ),
        (
            "ui/update-model-context",
            json!({}),
            failed,
            json!({ "error": { "code": -32603, "message": "no", "data": [1] } }),
        ),
    ] {
        let mut bench = Bench::live(json!({}), json!({}));
        bench.ask(9, method, params);
        let mut answer = posted(&bench.does(|host| host.settle(1, &outcome)));
        assert_eq!(answer[0].as_object_mut().unwrap().remove("id"), Some(json!(9)));
        assert_eq!(answer, [expected], "{method}");
        assert!(bench.does(|host| host.settle(1, &outcome)).is_empty(), "once");
    }
}

#[test]
fn a_server_s_result_is_what_a_view_accepts() {
    for (result, expected, is_whole) in [
        (
            json!({ "content": [], "resultType": "complete", "_meta": { "a/b": 1 } }),
            json!({ "content": [], "_meta": { "a/b": 1 } }),
            true,
        ),
        (json!({ "structuredContent": { "a": 1 } }), json!({ "content": [], "structuredContent": { "a": 1 } }), true),
        (json!({ "content": [], "structuredContent": [1] }), json!({ "content": [] }), false),
        (json!({ "content": null, "isError": true, "_meta": null }), json!({ "content": [], "isError": true }), false),
        (
            json!({ "content": [{ "type": "video" }, { "type": "text", "text": "a", "annotations": { "priority": 7, "audience": ["user", "model"] } }] }),
            json!({ "content": [{ "type": "text", "text": "a", "annotations": { "audience": ["user"] } }] }),
            false,
        ),
    ] {
        let mut bench = Bench::live(json!({}), json!({}));
        bench.ask(1, "tools/call", json!({ "name": "a" }));
        bench.does(|host| host.tools(Some(r#"[{"name":"a"}]"#)));
        let outputs = bench.does(|host| host.settle(1, &Outcome::Result(result.to_string())));
        assert_eq!(posted(&outputs), [json!({ "id": 1, "result": expected })]);
        assert_eq!(warnings(&outputs).is_empty(), is_whole, "{result}: {outputs:?}");
    }
}

#[test]
fn a_server_that_wants_to_ask_is_an_error() {
    let mut bench = Bench::live(json!({}), json!({}));
    bench.ask(1, "resources/read", json!({ "uri": "a:b" }));
    let outcome = Outcome::Result(r#"{"resultType":"input_required"}"#.to_owned());
    assert_eq!(refusal(&bench.does(|host| host.settle(1, &outcome))).0, -32603);
}

#[test]
fn a_view_lists_the_tools_that_it_may_call() {
    let mut bench = Bench::live(json!({}), json!({}));
    bench.ask(1, "tools/list", json!({}));
    let schema = json!({ "type": "object" });
    let result = json!({ "tools": [
        { "name": "a", "inputSchema": schema },
        { "name": "b", "inputSchema": schema, "_meta": { "ui": { "visibility": ["model"] } } },
    ], "nextCursor": "x" });
    let outputs = bench.does(|host| host.settle(1, &Outcome::Result(result.to_string())));
    let expected = json!({ "tools": [{ "name": "a", "inputSchema": schema }], "nextCursor": "x" });
    assert_eq!(posted(&outputs)[0]["result"], expected);
}

#[test]
fn progress_is_told_under_the_view_s_own_token() {
    for token in [json!(0), json!("t\u{e9}")] {
        let mut bench = Bench::live(json!({}), json!({}));
        bench.ask(1, "resources/read", json!({ "uri": "a:b", "_meta": { "progressToken": token } }));
        let outputs = bench.does(|host| host.progress(1, r#"{"progress":1,"total":2,"message":"half","x":1}"#));
        let params = json!({ "progressToken": token, "progress": 1, "total": 2, "message": "half" });
        assert_eq!(posted(&outputs), [json!({ "method": "notifications/progress", "params": params })]);
        assert!(bench.does(|host| host.progress(1, r#"{"progress":"1"}"#)).is_empty());
        bench.does(|host| host.settle(1, &Outcome::Result(r#"{"contents":[]}"#.to_owned())));
        assert!(bench.does(|host| host.progress(1, r#"{"progress":2}"#)).is_empty(), "after the end");
    }
}

#[test]
fn what_a_view_cancels_is_cancelled_and_not_answered() {
    let mut bench = Bench::live(json!({}), json!({}));
    bench.ask(4, "resources/read", json!({ "uri": "a:b" }));
    let cancel = json!({ "method": "notifications/cancelled", "params": { "requestId": 4, "reason": "no" } });
    assert_eq!(bench.view(cancel.clone()), [Output::Cancel(1)]);
    assert!(bench.view(cancel).is_empty());
    assert!(bench.does(|host| host.settle(1, &Outcome::Denied)).is_empty());
    // One that waits for the list of tools never leaves.
    bench.ask(5, "tools/call", json!({ "name": "a" }));
    assert!(bench.view(json!({ "method": "notifications/cancelled", "params": { "requestId": 5 } })).is_empty());
    assert!(bench.does(|host| host.tools(Some(r#"[{"name":"a"}]"#))).is_empty());
}

#[test]
fn a_display_mode_needs_both_sides() {
    let offered = json!({ "context": { "displayMode": "inline", "availableDisplayModes": ["inline", "fullscreen"] } });
    for (capabilities, mode, asks) in [
        (json!({}), "fullscreen", true),
        (json!({ "availableDisplayModes": ["inline", "fullscreen"] }), "fullscreen", true),
        (json!({ "availableDisplayModes": ["inline"] }), "fullscreen", false),
        (json!({}), "pip", false),
        (json!({}), "inline", false),
    ] {
        let mut bench = Bench::live(offered.clone(), capabilities);
        let outputs = bench.ask(1, "ui/request-display-mode", json!({ "mode": mode }));
        if !asks {
            assert_eq!(posted(&outputs), [json!({ "id": 1, "result": { "mode": "inline" } })], "{mode}");
            continue;
        }
        assert_eq!(
            outputs,
            [Output::Ask { call: 1, method: "ui/request-display-mode", params: json!({ "mode": mode }).to_string() }]
        );
        let outputs = bench.does(|host| host.settle(1, &Outcome::Result("{}".to_owned())));
        assert_eq!(
            posted(&outputs),
            [
                json!({ "id": 1, "result": { "mode": "fullscreen" } }),
                json!({ "method": "ui/notifications/host-context-changed", "params": { "displayMode": "fullscreen" } }),
            ]
        );
        assert!(outputs.contains(&Output::DisplayMode("fullscreen")));
    }
    let mut bench = Bench::live(offered.clone(), json!({}));
    bench.ask(1, "ui/request-display-mode", json!({ "mode": "fullscreen" }));
    let outputs = bench.does(|host| host.settle(1, &Outcome::Denied));
    assert_eq!(posted(&outputs), [json!({ "id": 1, "result": { "mode": "inline" } })]);

    let mut bench = Bench::live(offered, json!({ "availableDisplayModes": ["inline"] }));
    let outputs = bench.does(|host| host.update_context(r#"{"displayMode":"fullscreen","theme":"dark"}"#));
    let params = json!({ "theme": "dark" });
    assert_eq!(posted(&outputs), [json!({ "method": "ui/notifications/host-context-changed", "params": params })]);
    assert_eq!(warnings(&outputs), ["the View does not support the display mode fullscreen"]);
}

#[test]
fn of_the_context_a_view_is_told_what_differs() {
    let mut bench = Bench::live(json!({ "context": { "theme": "dark", "x/y": 1 } }), json!({}));
    assert!(bench.does(|host| host.update_context(r#"{"theme":"dark"}"#)).is_empty());
    let outputs = bench.does(|host| host.update_context(r#"{"theme":"light","x/y":1,"locale":"fr"}"#));
    assert_eq!(posted(&outputs)[0]["params"], json!({ "theme": "light", "locale": "fr" }));
    let outputs = bench.does(|host| host.update_context(r#"{"theme":null,"platform":"fridge"}"#));
    assert!(posted(&outputs).is_empty());
    assert_eq!(warnings(&outputs).len(), 2);
}

#[test]
fn a_view_has_a_bounded_time_to_put_its_things_away() {
    let ask = |bench: &mut Bench| {
        let outputs = bench.does(|host| host.teardown(5_000));
        assert_eq!(posted(&outputs), [json!({ "id": "host-1", "method": "ui/resource-teardown", "params": {} })]);
        assert_eq!(outputs.last(), Some(&Output::Wait(7_000)));
        assert_eq!(bench.host.phase(), Phase::Closing);
    };
    for answer in [
        json!({ "result": {} }),
        json!({ "result": { "a": 1 } }),
        json!({ "error": { "code": -32601, "message": "" } }),
    ] {
        let mut bench = Bench::live(json!({}), json!({}));
        ask(&mut bench);
        // It may still save.
        assert!(matches!(&bench.ask(3, "resources/read", json!({ "uri": "a:b" }))[0], Output::Forward { .. }));
        let mut answer = answer;
        answer["id"] = json!("host-1");
        assert_eq!(bench.view(answer), [Output::Cancel(1), Output::Closed]);
        assert!(bench.view(json!({ "id": 1, "method": "ping" })).is_empty());
    }
    let mut bench = Bench::live(json!({}), json!({}));
    ask(&mut bench);
    assert_eq!(bench.does(|host| host.handle_timeout(6_999)), [Output::Wait(7_000)]);
    assert_eq!(bench.does(|host| host.handle_timeout(7_000)), [Output::Closed]);
    assert!(bench.does(|host| host.teardown(7_000)).is_empty());

    let mut bench = Bench::new(json!({}));
    bench.initialize(json!({}));
    assert_eq!(bench.does(|host| host.teardown(0)), [Output::Closed], "nothing is sent before it is initialized");
}

#[test]
fn sizes_are_whole_finite_bounded_and_new() {
    let mut bench = Bench::live(json!({ "limits": { "sizePx": 5_000 } }), json!({}));
    for (params, expected) in [
        (json!({ "width": 400, "height": 120.2 }), Some((Some(400), Some(121)))),
        (json!({ "width": 400, "height": 121 }), None),
        (json!({ "height": 118 }), None),
        (json!({ "height": 116 }), Some((None, Some(116)))),
        (json!({ "height": 117 }), Some((None, Some(117)))),
        (json!({ "height": -1 }), None),
        (json!({ "height": "9" }), None),
        (json!({ "height": null }), None),
        (json!({ "height": 1e300 }), Some((None, Some(5_000)))),
        (json!({ "height": 1e301 }), None),
        (json!({}), None),
    ] {
        let outputs = bench.view(json!({ "method": "ui/notifications/size-changed", "params": params }));
        let expected: Vec<_> = expected.into_iter().map(|(width, height)| Output::Size { width, height }).collect();
        assert_eq!(outputs, expected, "{params}");
    }
}

#[test]
fn a_log_needs_a_level() {
    let mut bench = Bench::live(json!({}), json!({}));
    let params = json!({ "level": "info", "data": null });
    assert_eq!(
        bench.view(json!({ "method": "notifications/message", "params": params })),
        [Output::Log(params.to_string())]
    );
    for params in [json!({ "level": "loud", "data": 1 }), json!({ "level": "info" })] {
        assert_eq!(warnings(&bench.view(json!({ "method": "notifications/message", "params": params }))).len(), 1);
    }
}

#[test]
fn the_tools_of_a_view_are_listed_called_and_given_up() {
    let mut bench = Bench::live(json!({}), json!({ "tools": { "listChanged": true } }));
    let outputs = bench.does(|host| host.ask(3, "tools/call", r#"{"name":"a","arguments":{}}"#, None, true, 1_000));
    let params = json!({ "name": "a", "arguments": {}, "_meta": { "progressToken": "host-1" } });
    assert_eq!(posted(&outputs), [json!({ "id": "host-1", "method": "tools/call", "params": params })]);
    assert_eq!(outputs.last(), Some(&Output::Wait(31_000)));
    bench.now = 20_000;
    let outputs = bench
        .view(json!({ "method": "notifications/progress", "params": { "progressToken": "host-1", "progress": 1 } }));
    assert_eq!(outputs, [Output::Progress { call: 3, params: r#"{"progress":1}"#.to_owned() }, Output::Wait(50_000)]);
    let outputs = bench.view(json!({ "id": "host-1", "result": { "content": [] } }));
    assert_eq!(outputs, [Output::Answered { call: 3, answer: Ok(r#"{"content":[]}"#.to_owned()) }]);

    let outputs = bench.does(|host| host.ask(4, "tools/list", "{}", Some(500), false, 0));
    assert_eq!(outputs.last(), Some(&Output::Wait(500)));
    let outputs = bench.does(|host| host.handle_timeout(500));
    assert_eq!(posted(&outputs), [json!({ "method": "notifications/cancelled", "params": { "requestId": "host-2" } })]);
    assert!(matches!(&outputs[1], Output::Answered { call: 4, answer: Err(Unanswered::TimedOut) }));
    assert!(bench.view(json!({ "id": "host-2", "result": {} })).is_empty(), "too late");

    bench.does(|host| host.ask(5, "tools/list", "{}", None, false, 0));
    let tools: Vec<Value> = (0..60).map(|number| json!({ "name": number.to_string() })).collect();
    let outputs = bench.view(json!({ "id": "host-3", "result": { "tools": tools } }));
    let [Output::Answered { answer: Ok(result), .. }] = &outputs[..] else { panic!("{outputs:?}") };
    assert_eq!(serde_json::from_str::<Value>(result).unwrap()["tools"].as_array().unwrap().len(), 50);

    let changed = json!({ "method": "notifications/tools/list_changed" });
    assert_eq!(bench.view(changed.clone()), [Output::ToolsChanged]);
    assert!(bench.view(changed.clone()).is_empty(), "at once again");
    bench.now += 100;
    assert_eq!(bench.view(changed), [Output::ToolsChanged]);

    for code in [-32000, -32001] {
        bench.does(|host| host.ask(9, "tools/list", "{}", None, false, 0));
        let id = ["host-4", "host-5"][usize::from(code == -32001)];
        let outputs = bench.view(json!({ "id": id, "error": { "code": code, "message": "mine" } }));
        let own = Err(Unanswered::Error(ErrorObject::new(code, "mine")));
        assert_eq!(outputs, [Output::Answered { call: 9, answer: own }], "the View's own code");
    }

    bench.does(|host| host.ask(6, "tools/list", "{}", None, false, 0));
    let outputs = bench.does(|host| host.cancel(6));
    assert_eq!(methods(&outputs), ["notifications/cancelled"]);
    bench.does(|host| host.ask(7, "tools/list", "{}", None, false, 0));
    let outputs = bench.does(Host::close);
    assert!(matches!(&outputs[0], Output::Answered { call: 7, answer: Err(Unanswered::Closed(_)) }));
    let outputs = bench.does(|host| host.ask(8, "tools/list", "{}", None, false, 0));
    assert!(matches!(&outputs[0], Output::Answered { call: 8, answer: Err(_) }));
}

#[test]
fn a_view_without_tools_is_not_asked_for_any() {
    let mut bench = Bench::live(json!({}), json!({}));
    let outputs = bench.does(|host| host.ask(1, "tools/list", "{}", None, false, 0));
    assert!(matches!(
        &outputs[..],
        [Output::Answered { answer: Err(Unanswered::Error(ErrorObject { code: -32601, .. })), .. }]
    ));
}

#[test]
fn lists_that_changed_are_told_when_there_are_such() {
    let mut bench = Bench::live(json!({}), json!({}));
    let mut told = |method: &str| methods(&bench.does(|host| host.list_changed(method)));
    assert_eq!(told("notifications/tools/list_changed"), ["notifications/tools/list_changed"]);
    assert_eq!(told("notifications/resources/list_changed"), ["notifications/resources/list_changed"]);
    assert_eq!(told("notifications/prompts/list_changed"), [""; 0], "the server has none");
    assert_eq!(told("notifications/message"), [""; 0]);
}

#[test]
fn what_comes_is_limited() {
    let defaults = Limits::default();
    assert_eq!((defaults.requests, defaults.messages_per_second, defaults.teardown_ms), (100, 1_000, 2_000));
    let limits = json!({ "limits": { "messageBytes": 400, "requests": 2, "messagesPerSecond": 8 } });
    let mut bench = Bench::live(limits, json!({}));
    bench.now += 1_000;
    let outputs = bench.ask(1, "resources/read", json!({ "uri": "a".repeat(400) }));
    assert_eq!(warnings(&outputs), ["dropped a message of the View that is longer than messageBytes"]);
    for id in [1, 2] {
        assert!(matches!(bench.ask(id, "resources/read", json!({ "uri": "a:b" }))[0], Output::Forward { .. }));
    }
    let (code, message) = refusal(&bench.ask(3, "resources/read", json!({ "uri": "a:b" })));
    assert_eq!((code, message.contains("too many requests")), (-32000, true));
    for _ in 0..4 {
        assert_eq!(posted(&bench.ask(4, "ping", json!({})))[0]["result"], json!({}));
    }
    let outputs = bench.ask(5, "ping", json!({}));
    assert_eq!((warnings(&outputs).len(), posted(&outputs)[0]["error"]["code"].as_i64()), (1, Some(-32000)));
    assert!(bench.view(json!({ "method": "ui/notifications/size-changed", "params": { "height": 1 } })).is_empty());
    bench.now += 1_000;
    assert_eq!(posted(&bench.ask(6, "ping", json!({})))[0]["result"], json!({}));
}

#[test]
fn limits_are_whole_numbers_and_the_usual_ones_where_there_are_none() {
    let usual = Limits::default();
    for (own, expected) in [
        (json!({}), usual),
        (json!({ "sizePx": 1e12 as u64 }), Limits { size_px: u32::MAX, ..usual }),
        (json!({ "teardownMs": 0, "requests": 5.0 }), Limits { teardown_ms: 0, requests: 5, ..usual }),
    ] {
        assert_eq!(options(json!({ "limits": own })).limits, expected, "{own}");
    }
}

#[test]
fn what_is_no_message_of_a_view_is_ignored_and_what_is_malformed_is_refused() {
    let mut bench = Bench::live(json!({}), json!({}));
    for text in
        ["", "nonsense", "null", "[]", r#"{"type":"webpackHotUpdate"}"#, r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#]
    {
        bench.host.receive(text.as_bytes(), 0);
        assert!(bench.host.take_outputs().is_empty(), "{text}");
    }
    for (message, code) in [
        (json!({ "id": 1, "method": 5 }), Some(-32600)),
        (json!({ "id": 1, "method": "ping", "params": [] }), Some(-32600)),
        (json!({ "id": null, "method": "ping" }), None),
        (json!({ "id": 1.5, "method": "ping" }), None),
        (json!({ "id": 1 }), None),
    ] {
        let outputs = bench.view(message.clone());
        assert_eq!(warnings(&outputs).len(), 1, "{message}");
        assert_eq!(posted(&outputs).first().and_then(|answer| answer["error"]["code"].as_i64()), code, "{message}");
    }
    assert_eq!(posted(&bench.view(json!({ "id": 0, "method": "ping", "params": null })))[0]["id"], 0);
}

#[test]
fn older_spellings_are_understood_on_demand() {
    let older = json!({ "method": "ui/notifications/size-change", "params": { "height": 9 } });
    assert!(Bench::live(json!({}), json!({})).view(older.clone()).is_empty());
    let outputs = Bench::live(json!({ "tolerant": true }), json!({})).view(older);
    assert_eq!(outputs, [Output::Size { width: None, height: Some(9) }]);
}

#[test]
fn the_capabilities_say_what_the_application_handles_and_the_sandbox_grants() {
    let mut bench = Bench::new(json!({
        "handled": ["ui/open-link", "sampling/createMessage"],
        "logs": false,
        "serverCapabilities": { "prompts": {} },
        "capabilities": { "sampling": { "tools": {} }, "experimental": { "a": true }, "x": 1 },
        "ui": { "csp": { "connectDomains": ["https://a.example", "*"] }, "permissions": { "camera": {}, "geolocation": {} } },
        "granted": ["camera"],
    }));
    let outputs = bench.initialize(json!({}));
    assert_eq!(warnings(&outputs), ["left out what a View would refuse: capabilities.experimental.a"]);
    assert_eq!(
        posted(&outputs)[0]["result"]["hostCapabilities"],
        json!({
            "openLinks": {},
            "sandbox": { "permissions": { "camera": {} }, "csp": { "connectDomains": ["https://a.example"] } },
            "sampling": { "tools": {} },
            "experimental": {},
            "x": 1,
        })
    );
}

#[test]
fn options_that_are_not_what_they_have_to_be_are_refused_by_name() {
    for (text, expected) in [
        (r#"{"hostInfo":{"name":"a"}}"#, "hostInfo"),
        (r#"{"hostInfo":"a"}"#, "hostInfo"),
        (r#"{"capabilities":[]}"#, "capabilities"),
        (r#"{"context":null}"#, "context"),
        (r#"{"limits":5}"#, "limits must"),
        (r#"{"limits":{"teardownMs":"5s"}}"#, "limits.teardownMs"),
        (r#"{"limits":{"requests":-1}}"#, "limits.requests"),
        (r#"{"limits":{"messagesPerSecond":1.5}}"#, "limits.messagesPerSecond"),
        (r#"{"limits":{"messagesPerSecond":18446744073709551615}}"#, "limits.messagesPerSecond"),
        (r#"{"limits":{"messageBytes":null}}"#, "limits.messageBytes"),
        (r#"{"limits":{"sizePx":true}}"#, "limits.sizePx"),
        (r#"{"granted":"camera"}"#, "permissions"),
        (r#"{"granted":null}"#, "permissions"),
        (r#"{"granted":["camera","clipboard-write"]}"#, "permissions"),
    ] {
        let reason = Options::read(Raw::parse(text.as_bytes()).unwrap()).unwrap_err();
        assert!(reason.contains(expected), "{text}: {reason}");
    }
    assert_eq!(options(json!({ "granted": ["camera"] })).granted, Some(vec!["camera".to_owned()]));
}

#[test]
fn a_host_begins_in_the_display_mode_that_its_context_names_if_there_is_such_a_one() {
    for (mode, expected) in [("fullscreen", Some("fullscreen")), ("inline", None), ("theatre", None)] {
        let outputs = Bench::new(json!({ "context": { "displayMode": mode } })).host.take_outputs();
        let modes =
            outputs.iter().find_map(|output| if let Output::DisplayMode(mode) = output { Some(*mode) } else { None });
        assert_eq!(modes, expected, "{mode}");
    }
}

#[test]
fn a_sandbox_that_never_answers_is_given_up_and_one_that_has_answered_is_not() {
    let mut host = Host::new(options(json!({})), 5_000);
    assert_eq!(host.take_outputs(), [Output::Wait(35_000)]);
    host.handle_timeout(34_999);
    assert_eq!(host.take_outputs(), [Output::Wait(35_000)]);
    host.handle_timeout(35_000);
    assert_eq!(host.take_outputs(), [Output::Silent, Output::Closed]);

    let mut host = Host::new(options(json!({ "limits": { "loadMs": 7 } })), 5_000);
    host.receive(br#"{"jsonrpc":"2.0","method":"ui/notifications/sandbox-proxy-ready"}"#, 5_006);
    host.handle_timeout(5_007);
    assert_eq!(host.take_outputs(), [Output::Load]);

    let mut host = Host::new(options(json!({})), 0);
    host.close();
    assert_eq!(host.take_outputs(), [Output::Closed]);
}

#[test]
fn who_waits_for_a_message_that_is_too_long_hears_of_it_at_once() {
    let mut bench = Bench::live(json!({ "limits": { "messageBytes": 200 } }), json!({ "tools": {} }));
    let long = "x".repeat(200);
    let outputs = bench.ask(4, "ui/message", json!({ "role": "user", "content": [{ "type": "text", "text": long }] }));
    assert_eq!(warnings(&outputs).len(), 1);
    let (code, message) = refusal(&outputs);
    assert_eq!(code, facts::DENIED);
    assert!(message.contains("messageBytes"), "{message}");
    bench.does(|host| host.ask(1, "tools/call", "{}", None, false, 0));
    let outputs = bench.view(json!({ "id": "host-1", "result": { "content": [{ "type": "text", "text": long }] } }));
    assert!(matches!(&outputs[1], Output::Answered { call: 1, answer: Err(Unanswered::Error(_)) }), "{outputs:?}");
    assert_eq!(bench.view(json!({ "method": "x", "params": { "long": long } })).len(), 1, "only a warning");
}
