//! The exports of the two cores, driven as the package drives them: through the JavaScript half of the mailbox.
#![cfg(target_arch = "wasm32")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use js_sys::{Array, Object, Reflect, Uint8Array, Uint32Array};
use mcp_duet::js::client::ClientCore;
use mcp_duet::js::error::McpError;
use mcp_duet::js::mailbox;
use mcp_duet::js::server::ServerCore;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::{Closure, JsValue, wasm_bindgen};
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

#[wasm_bindgen(module = "/pkg-template/lib/mailbox.js")]
extern "C" {
    type Mailbox;
    #[wasm_bindgen(constructor)]
    fn new(glue: &Object) -> Mailbox;
    #[wasm_bindgen(method)]
    fn write(this: &Mailbox, input: &JsValue) -> usize;
    #[wasm_bindgen(method, js_name = writeBoth)]
    fn write_both(this: &Mailbox, text: &str, bytes: &Uint8Array) -> usize;
    #[wasm_bindgen(method)]
    fn strings(this: &Mailbox) -> Array;
    #[wasm_bindgen(method)]
    fn numbers(this: &Mailbox) -> Uint32Array;
}

impl Mailbox {
    /// The mailbox of this instance, over the exports that the build's glue would have.
    fn open() -> Self {
        let reserve = Closure::<dyn Fn(usize) -> usize>::new(mailbox::reserve).into_js_value();
        let table = Closure::<dyn Fn() -> usize>::new(mailbox::table).into_js_value();
        let wasm = object(&[("memory", wasm_bindgen::memory())]);
        Self::new(&object(&[("wasm", wasm.into()), ("mailboxReserve", reserve), ("mailboxTable", table)]))
    }

    fn text(&self, text: &str) -> usize {
        self.write(&text.into())
    }

    fn all_strings(&self) -> Vec<String> {
        self.strings().iter().map(|text| text.as_string().unwrap()).collect()
    }

    fn all_numbers(&self) -> Vec<u32> {
        self.numbers().to_vec()
    }
}

fn object(members: &[(&str, JsValue)]) -> Object {
    let object = Object::new();
    for (name, value) in members {
        Reflect::set(&object, &(*name).into(), value).unwrap();
    }
    object
}

const DEFINITION: &str = r#"{"name":"weather","version":"1","tools":[{"name":"größe","inputSchema":{"type":"object"}}],
    "resourceTemplates":[{"uriTemplate":"file:///{name}","name":"f"}]}"#;

const NOTHING: u32 = 0;
const REPLY: u32 = 1;
const CONSTANT: u32 = 2;
const INVOKE: u32 = 3;
const BATCH: u32 = 4;

fn server(mailbox: &Mailbox) -> ServerCore {
    ServerCore::new(mailbox.text(DEFINITION)).unwrap_or_else(|_| panic!("a good definition"))
}

#[wasm_bindgen_test]
fn texts_of_any_width_and_bytes_cross_the_boundary_unchanged() {
    let mailbox = Mailbox::open();
    let core = server(&mailbox);
    for id in
        ["", "plain", "tööl", "北京", "🦀🦀", "\u{FEFF}a", "a\u{0}b", &"界".repeat(100_000), &"x".repeat(3_000_000)]
    {
        let quoted = mcp_duet::protocol::json::quote(id);
        let message = format!(r#"{{"jsonrpc":"2.0","id":{quoted},"method":"nobody/knows"}}"#);
        for input in [JsValue::from_str(&message), Uint8Array::from(message.as_bytes()).into()] {
            let units = input.as_string().map_or(0, |text| text.encode_utf16().count());
            assert_eq!(core.handle_message(mailbox.write(&input), units, 0), REPLY);
            let [reply] = &mailbox.all_strings()[..] else { panic!("one string") };
            assert!(reply.starts_with(&format!(r#"{{"jsonrpc":"2.0","id":{quoted},"error""#)), "{reply:.80}");
            assert_eq!(mailbox.all_numbers(), [200]);
        }
    }
}

#[wasm_bindgen_test]
fn several_strings_of_different_widths_come_apart_where_they_were_joined() {
    let mailbox = Mailbox::open();
    let core = server(&mailbox);
    let message =
        r#"{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"file:///%E5%8C%97%F0%9F%A6%80"}}"#;
    assert_eq!(core.handle_message(mailbox.text(message), message.len(), 0), INVOKE);
    let strings = mailbox.all_strings();
    assert!(strings[0].starts_with("\"contents\":[{\"uri\":\"file:///%E5"), "{}", strings[0]);
    assert_eq!(strings[3], r#"{"name":"北🦀"}"#);
    core.tool_frame();
    assert_eq!(mailbox.all_strings().len(), 3);
}

#[wasm_bindgen_test]
fn text_and_bytes_behind_it_arrive_together() {
    let mailbox = Mailbox::open();
    let core = server(&mailbox);
    core.read_headers();
    let names = mailbox.all_strings();
    for name in ["plain", "tööl🦀"] {
        let mut head = String::from("POST\nhttps://peer.test/");
        head.push_str(name);
        head.push_str(&"\n".repeat(names.len()));
        let body = br#"{"jsonrpc":"2.0","id":"\u5317","method":"ping"}"#;
        let length = mailbox.write_both(&head, &Uint8Array::from(&body[..]));
        assert_eq!(length, head.len());
        assert_eq!(core.handle_http(length + body.len(), length, 0), CONSTANT);
        let [status, _, start, end] = mailbox.all_numbers()[..] else { panic!("four numbers") };
        assert_eq!((status, &body[start as usize..end as usize]), (200, &br#""\u5317""#[..]));
    }
}

#[wasm_bindgen_test]
fn a_step_says_where_in_the_message_its_parts_are() {
    let mailbox = Mailbox::open();
    let core = server(&mailbox);
    let message = r#"{"jsonrpc":"2.0","id":"α🦀","method":"tools/call","params":{"name":"größe","arguments":{"city":"北京"},"_meta":{"progressToken":"ü"}}}"#;
    let units: Vec<u16> = message.encode_utf16().collect();
    for (input, in_units) in [(JsValue::from_str(message), true), (Uint8Array::from(message.as_bytes()).into(), false)]
    {
        let count = if in_units { units.len() } else { 0 };
        assert_eq!(core.handle_message(mailbox.write(&input), count, 1), INVOKE);
        let numbers = mailbox.all_numbers();
        let part = |at: usize| {
            let (start, end) = (numbers[at] as usize, numbers[at + 1] as usize);
            if in_units { String::from_utf16(&units[start..end]).unwrap() } else { message[start..end].to_owned() }
        };
        assert_eq!(numbers[..2], [0, 0], "the first tool");
        assert_eq!(part(5), "\"α🦀\"");
        assert_eq!(part(7), r#"{"city":"北京"}"#);
        assert_eq!(part(9), r#"{"progressToken":"ü"}"#);
        assert_eq!(part(11), "\"ü\"");
    }
}

#[wasm_bindgen_test]
fn each_kind_of_step_has_its_number() {
    let mailbox = Mailbox::open();
    let core = server(&mailbox);
    for (message, expected) in [
        (r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, NOTHING),
        (r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#, CONSTANT),
        (r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"größe"}}"#, INVOKE),
        (r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"nobody"}}"#, REPLY),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, BATCH),
        ("{", REPLY),
        ("", REPLY),
    ] {
        assert_eq!(core.handle_message(mailbox.text(message), 0, 0), expected, "{message}");
    }
    core.handle_message(mailbox.text(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#), 0, 0);
    let key = mailbox.all_numbers()[1] as usize;
    core.constant(key);
    assert!(mailbox.all_strings()[0].contains("größe"));
}

#[wasm_bindgen_test]
fn what_cannot_be_built_throws_an_error_of_the_package() {
    let mailbox = Mailbox::open();
    let code = |error: &JsValue| {
        assert!(error.is_instance_of::<McpError>() && error.is_instance_of::<js_sys::Error>());
        let get = |name: &str| Reflect::get(error, &name.into()).unwrap().as_string().unwrap();
        (get("code"), get("message"))
    };
    for (definition, complaint) in [
        ("{", "expected"),
        (r#"{"version":"1"}"#, "name"),
        (r#"{"name":"s","version":"1","tools":[{"name":"t","inputSchema":5}]}"#, "t"),
    ] {
        let error = ServerCore::new(mailbox.text(definition)).map(|_| ()).unwrap_err();
        let (code, message) = code(&error);
        assert!(code == "INVALID_DEFINITION" && message.contains(complaint), "{code} {message}");
    }
    let error = ClientCore::new(mailbox.text(r#"{"timeoutMs":-5}"#)).map(|_| ()).unwrap_err();
    let (code, message) = code(&error);
    assert!(code == "INVALID_ARGUMENT" && message.contains("timeoutMs"), "{code} {message}");
}

/// The records that a client posted, their numbers and strings apart.
#[derive(Default)]
struct Records {
    numbers: Vec<u32>,
    strings: Vec<String>,
}

impl Records {
    fn read(mailbox: &Mailbox, count: u32) -> Self {
        if count == 0 {
            Self::default()
        } else {
            Self { numbers: mailbox.all_numbers(), strings: mailbox.all_strings() }
        }
    }

    /// The body of the message that is to be sent: head and tail.
    fn sent(&self) -> String {
        let at = self.strings.len() - 2;
        self.strings[at..].concat()
    }
}

fn modern_client(mailbox: &Mailbox) -> ClientCore {
    let core = ClientCore::new(mailbox.text("{}")).unwrap_or_else(|_| panic!("good options"));
    let records = Records::read(mailbox, core.connect(1_000.0));
    // Wait, and send exchange 1 by POST.
    assert_eq!(records.numbers[..5], [3, 30_000, 1, 1, 1]);
    assert!(records.sent().contains("server/discover"));
    assert_eq!(core.head(1, 200, mailbox.text("application/json\0\0\0\0OK"), 1_001.0) & 255, 1, "read it as text");
    let result = r#"{"jsonrpc":"2.0","id":"discover-1","result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{}}}"#;
    let records = Records::read(mailbox, core.body(1, mailbox.text(result), 1_002.0));
    assert_eq!(records.numbers.last(), Some(&9), "connected");
    assert!(records.strings[0].contains(r#""era":"modern","protocolVersion":"2026-07-28""#));
    core
}

/// Begins `tools/call` whose parameters JavaScript keeps; gives its call and exchange.
fn call(mailbox: &Mailbox, core: &ClientCore, timeout: f64, now: f64) -> (u32, u32) {
    const NAME_HELD_AND_PROGRESS: u32 = 2 | 4 | 8;
    let call = core.request(mailbox.text("\0tools/call\0\0größe"), NAME_HELD_AND_PROGRESS, timeout, 0.0, now);
    let records = Records { numbers: mailbox.all_numbers(), strings: mailbox.all_strings() };
    let at = records.numbers.iter().position(|number| *number == 3).map_or(0, |_| 2);
    let [kind, exchange, verb, payload, ..] = records.numbers[at..] else { panic!("a message to send") };
    assert_eq!((kind, verb, payload), (1, 1, call));
    let mirrored = records.strings.iter().position(|text| text == "Mcp-Name").unwrap();
    assert_eq!(records.strings[mirrored + 1], "=?base64?Z3LDtsOfZQ==?=");
    (call, exchange)
}

#[wasm_bindgen_test]
fn a_stream_in_pieces_becomes_progress_and_a_result() {
    let mailbox = Mailbox::open();
    let core = modern_client(&mailbox);
    let (call, exchange) = call(&mailbox, &core, 0.0, 2_000.0);
    assert_eq!(
        core.head(exchange, 200, mailbox.text("text/event-stream\0\0\0\0"), 2_001.0) & 255,
        5,
        "read it as a stream"
    );
    let stream = "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":1,\"progress\":1,\"message\":\"北京\"}}\r\n\r\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"resultType\":\"complete\",\"content\":[]}}\r\n\r\n";
    let mut kinds = Vec::new();
    for piece in stream.as_bytes().chunks(5) {
        let count = core.chunk(exchange, mailbox.write(&Uint8Array::from(piece)), 2_002.0);
        let records = Records::read(&mailbox, count);
        if let Some(at) = records.numbers.iter().position(|number| matches!(number, 4 | 7)) {
            assert_eq!(records.numbers[at + 1], call);
            kinds.push((records.numbers[at], records.strings[0].clone()));
        }
    }
    assert_eq!(kinds.len(), 2);
    assert!(kinds[0].0 == 7 && kinds[0].1.contains("北京"), "{kinds:?}");
    assert_eq!(kinds[1], (4, r#"{"resultType":"complete","content":[]}"#.to_owned()));
}

#[wasm_bindgen_test]
fn a_result_that_javascript_holds_ends_its_call_by_number() {
    let mailbox = Mailbox::open();
    let core = modern_client(&mailbox);
    let (call, exchange) = call(&mailbox, &core, 0.0, 2_000.0);
    assert_eq!(
        core.head(exchange, 200, mailbox.text("application/json\0\0\0\0"), 2_001.0) & 255,
        3,
        "read it as a message"
    );
    let records = Records::read(&mailbox, core.result(exchange, false, false, 0, 2_002.0));
    let at = records.numbers.iter().position(|number| *number == 4).unwrap();
    assert_eq!(records.numbers[at..at + 3], [4, call, exchange]);
}

#[wasm_bindgen_test]
fn a_deadline_that_passes_ends_the_call_and_its_exchange() {
    let mailbox = Mailbox::open();
    let core = modern_client(&mailbox);
    let (call, exchange) = call(&mailbox, &core, 50.0, 2_000.0);
    assert_eq!(core.time(2_049.0) & 1, 1, "it waits again");
    let records = Records::read(&mailbox, core.time(2_050.0));
    assert!(records.numbers.windows(2).any(|record| record == [2, exchange]), "{:?}", records.numbers);
    assert!(records.numbers.windows(2).any(|record| record == [6, call]), "{:?}", records.numbers);
    assert_eq!(records.strings[0], "TIMED_OUT");
}

#[wasm_bindgen_test]
fn a_call_that_is_given_up_ends_its_exchange_and_what_comes_late_is_nothing() {
    let mailbox = Mailbox::open();
    let core = modern_client(&mailbox);
    let (call, exchange) = call(&mailbox, &core, 0.0, 2_000.0);
    let records = Records::read(&mailbox, core.cancel(call, 2_001.0));
    assert!(records.numbers.windows(2).any(|record| record == [2, exchange]));
    for count in [
        core.chunk(exchange, mailbox.text("data: {}\n\n"), 2_002.0),
        core.body(exchange, mailbox.text("{}"), 2_002.0),
        core.end(exchange, 2_002.0),
        core.failed(exchange, mailbox.text("late"), 2_002.0),
        core.cancel(call, 2_002.0),
    ] {
        assert_eq!(count, 0);
    }
}

#[wasm_bindgen_test]
fn closing_fails_what_is_open_and_says_so_last() {
    let mailbox = Mailbox::open();
    let core = modern_client(&mailbox);
    let (call, exchange) = call(&mailbox, &core, 0.0, 2_000.0);
    let records = Records::read(&mailbox, core.close(2_001.0));
    assert!(records.numbers.windows(2).any(|record| record == [2, exchange]));
    assert!(records.numbers.windows(2).any(|record| record == [6, call]));
    assert_eq!(records.numbers.last(), Some(&14));
    assert_eq!(records.strings[0], "CLOSED");
}

#[wasm_bindgen_test]
fn many_cores_made_and_freed_leave_the_memory_as_it_was() {
    let mailbox = Mailbox::open();
    let pages = || {
        let memory: js_sys::WebAssembly::Memory = wasm_bindgen::memory().unchecked_into();
        Reflect::get(&memory.buffer(), &"byteLength".into()).unwrap().as_f64().unwrap()
    };
    let round = || {
        for _ in 0..1_000 {
            drop(server(&mailbox));
            let client = modern_client(&mailbox);
            call(&mailbox, &client, 0.0, 2_000.0);
        }
    };
    round();
    let before = pages();
    round();
    assert_eq!(pages(), before);
}
