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
    #[derive(Clone)]
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

thread_local! {
    /// The mailbox of this instance, over the exports that the build's glue would have.
    static MAILBOX: Mailbox = {
        let reserve = Closure::<dyn Fn(usize) -> usize>::new(mailbox::reserve).into_js_value();
        let table = Closure::<dyn Fn() -> usize>::new(mailbox::table).into_js_value();
        let wasm = object(&[("memory", wasm_bindgen::memory())]);
        Mailbox::new(&object(&[("wasm", wasm.into()), ("mailboxReserve", reserve), ("mailboxTable", table)]))
    };
}

impl Mailbox {
    fn open() -> Self {
        MAILBOX.with(Clone::clone)
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
            let [reply, challenge] = &mailbox.all_strings()[..] else { panic!("two strings") };
            assert_eq!(challenge, "", "of no scope");
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

/// What `input` is told of, as pkg-template/lib/client-pump.js has it.
const CONNECT: u32 = 0;
const CLOSE: u32 = 1;
const CANCEL: u32 = 2;
const HEAD: u32 = 3;
const RESULT: u32 = 4;
const BODY: u32 = 5;
const CHUNK: u32 = 6;
const END: u32 = 8;
const FAILED: u32 = 9;
const TIME: u32 = 13;

/// One record that a client posted: its kind, numbers and strings.
#[derive(Debug)]
struct Record {
    kind: u32,
    numbers: Vec<u32>,
    strings: Vec<String>,
}

/// The records in the mailbox, read by the table in src/js/client.rs.
fn records(mailbox: &Mailbox) -> Vec<Record> {
    let (numbers, strings) = (mailbox.all_numbers(), mailbox.all_strings());
    let (mut numbers, mut strings) = (numbers.into_iter(), strings.into_iter());
    let mut out = Vec::new();
    while let Some(kind) = numbers.next() {
        let count = match kind {
            1 => 5,
            9 | 14 => 0,
            6 | 10 => 3,
            4 | 5 | 11 => 2,
            _ => 1,
        };
        let own: Vec<u32> = numbers.by_ref().take(count).collect();
        assert_eq!(own.len(), count, "record {kind} is cut off");
        let texts = match kind {
            1 => 2 * own[4] as usize + 2,
            4 | 5 => usize::from(own[1] == 0),
            6 | 10 => 7,
            7 | 9 | 12 => 1,
            8 => 1 + own[0] as usize,
            11 => 1 + own[1] as usize,
            _ => 0,
        };
        out.push(Record { kind, numbers: own, strings: strings.by_ref().take(texts).collect() });
    }
    assert_eq!(strings.next().filter(|text| !text.is_empty()), None, "strings that belong to no record");
    out
}

/// A client and the mailbox that it is told through.
struct Client {
    core: ClientCore,
    mailbox: Mailbox,
}

impl Client {
    /// Tells of something; gives the records that are new.
    fn tell(&self, kind: u32, key: u32, number: i32, input: &JsValue, now: f64) -> Vec<Record> {
        let count = self.core.input(kind, key, number, self.mailbox.write(input), now);
        if count == 0 { Vec::new() } else { records(&self.mailbox) }
    }

    fn text(&self, kind: u32, key: u32, text: &str, now: f64) -> Vec<Record> {
        self.tell(kind, key, 0, &text.into(), now)
    }

    /// Tells of the head of an answer; gives how to read its body.
    fn head(&self, exchange: u32, content_type: &str) -> u32 {
        let facts = format!("{content_type}\0\0\0\0OK");
        self.core.input(HEAD, exchange, 200, self.mailbox.text(&facts), 2_001.0) & 255
    }

    /// Connected to a modern server.
    fn modern() -> Self {
        let mailbox = Mailbox::open();
        let core = ClientCore::new(mailbox.text("{}")).unwrap_or_else(|_| panic!("good options"));
        let client = Self { core, mailbox };
        let [wait, send] = &client.text(CONNECT, 0, "", 1_000.0)[..] else { panic!("two records") };
        assert_eq!((wait.kind, wait.numbers[0]), (3, 30_000));
        assert_eq!((send.kind, &send.numbers[..2]), (1, &[1, 1][..]), "exchange 1 by POST");
        assert!(send.strings.concat().contains("server/discover"));
        assert_eq!(client.head(1, "application/json"), 1, "read it as text");
        let result = r#"{"jsonrpc":"2.0","id":"discover-1","result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{}}}"#;
        let connected = client.text(BODY, 1, result, 1_002.0);
        let connected = connected.iter().find(|record| record.kind == 9).unwrap();
        assert!(connected.strings[0].contains(r#""era":"modern","protocolVersion":"2026-07-28""#));
        client
    }

    /// Begins `tools/call` whose parameters JavaScript keeps; gives its call and exchange.
    fn call(&self, timeout: f64) -> (u32, u32) {
        const NAME_HELD_AND_PROGRESS: u32 = 2 | 4 | 8;
        const POST_OF_HELD_PARAMETERS: u32 = 1 + 4;
        let input = self.mailbox.text("\0tools/call\0\0größe");
        let call = self.core.request(input, NAME_HELD_AND_PROGRESS, timeout, 0.0, 2_000.0);
        let records = records(&self.mailbox);
        let send = records.iter().find(|record| record.kind == 1).unwrap();
        assert_eq!((send.numbers[1], send.numbers[2]), (POST_OF_HELD_PARAMETERS, call));
        let mirrored = send.strings.iter().position(|text| text == "Mcp-Name").unwrap();
        assert_eq!(send.strings[mirrored + 1], "=?base64?Z3LDtsOfZQ==?=");
        (call, send.numbers[0])
    }
}

/// Whether there is a record of that kind that begins with that number.
fn has(records: &[Record], kind: u32, number: u32) -> bool {
    records.iter().any(|record| record.kind == kind && record.numbers.first() == Some(&number))
}

#[wasm_bindgen_test]
fn a_stream_in_pieces_is_handed_out_message_by_message_where_progress_is_wanted() {
    let client = Client::modern();
    let (call, exchange) = client.call(0.0);
    assert_eq!(client.head(exchange, "text/event-stream"), 5, "read it as a stream");
    let stream = "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":1,\"progress\":1,\"message\":\"北京\"}}\r\n\r\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"resultType\":\"complete\",\"content\":[]}}\r\n\r\n";
    let pieces = stream.as_bytes().chunks(5).map(Uint8Array::from);
    let seen = pieces.flat_map(|piece| client.tell(CHUNK, exchange, 0, &piece, 2_002.0));
    let seen: Vec<_> = seen.filter(|record| matches!(record.kind, 4 | 7 | 12)).collect();
    let [progress, result] = &seen[..] else { panic!("{seen:?}") };
    assert_eq!((progress.kind, progress.numbers[0]), (12, exchange));
    assert!(progress.strings[0].contains("北京"));
    assert_eq!((result.kind, result.numbers[0]), (12, exchange));
    assert!(result.strings[0].contains(r#""result":{"resultType":"complete","content":[]}"#));
    // What JavaScript cannot tell in fewer words comes back as it is.
    let records = client.text(BODY, exchange, &progress.strings[0], 2_002.0);
    let told = records.iter().find(|record| record.kind == 7).unwrap();
    assert_eq!(told.numbers[0], call);
    assert!(told.strings[0].contains("北京"));
    let records = client.text(BODY, exchange, &result.strings[0], 2_002.0);
    let result = records.iter().find(|record| record.kind == 4).unwrap();
    assert_eq!(result.numbers, [call, 0]);
    assert_eq!(result.strings, [r#"{"resultType":"complete","content":[]}"#]);
}

#[wasm_bindgen_test]
fn a_result_that_javascript_holds_ends_its_call_by_number() {
    let client = Client::modern();
    let (call, exchange) = client.call(0.0);
    assert_eq!(client.head(exchange, "application/json"), 3, "read it as a message");
    let records = client.text(RESULT, exchange, "", 2_002.0);
    let result = records.iter().find(|record| record.kind == 4).unwrap();
    assert_eq!(result.numbers, [call, exchange]);
}

#[wasm_bindgen_test]
fn a_deadline_that_passes_ends_the_call_and_its_exchange() {
    let client = Client::modern();
    let (call, exchange) = client.call(50.0);
    let early = client.text(TIME, 0, "", 2_049.0);
    assert!(has(&early, 3, 1) && !has(&early, 6, call), "it waits again: {early:?}");
    let records = client.text(TIME, 0, "", 2_050.0);
    assert!(has(&records, 2, exchange) && has(&records, 6, call), "{records:?}");
    let failed = records.iter().find(|record| record.kind == 6).unwrap();
    assert_eq!(failed.strings[0], "TIMED_OUT");
}

#[wasm_bindgen_test]
fn a_call_that_is_given_up_ends_its_exchange_and_what_comes_late_is_nothing() {
    let client = Client::modern();
    let (call, exchange) = client.call(0.0);
    assert!(has(&client.text(CANCEL, call, "", 2_001.0), 2, exchange));
    for (kind, key, text) in [
        (CHUNK, exchange, "data: {}\n\n"),
        (BODY, exchange, "{}"),
        (END, exchange, ""),
        (FAILED, exchange, "late"),
        (CANCEL, call, ""),
    ] {
        let records = client.text(kind, key, text, 2_002.0);
        assert!(records.is_empty(), "{kind}: {records:?}");
    }
}

#[wasm_bindgen_test]
fn closing_fails_what_is_open_and_says_so_last() {
    let client = Client::modern();
    let (call, exchange) = client.call(0.0);
    let records = client.text(CLOSE, 0, "", 2_001.0);
    assert!(has(&records, 2, exchange) && has(&records, 6, call), "{records:?}");
    let failed = records.iter().find(|record| record.kind == 6).unwrap();
    assert_eq!(failed.strings[0], "CLOSED");
    assert_eq!(records.last().map(|record| record.kind), Some(14));
}

#[wasm_bindgen_test]
fn many_cores_made_and_freed_leave_the_memory_as_it_was() {
    let pages = || {
        let memory: js_sys::WebAssembly::Memory = wasm_bindgen::memory().unchecked_into();
        Reflect::get(&memory.buffer(), &"byteLength".into()).unwrap().as_f64().unwrap()
    };
    let round = || {
        for _ in 0..500 {
            drop(server(&Mailbox::open()));
            Client::modern().call(0.0);
        }
    };
    round();
    let before = pages();
    round();
    assert_eq!(pages(), before);
}
