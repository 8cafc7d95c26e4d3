//! Whatever comes in, in whatever order: nothing panics, and every call ends exactly once.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

use mcp_duet::client::negotiation::Mode;
use mcp_duet::client::{
    Call, Channel, Client, Event, Exchange, Head, Input, Options, Output, Params, Request, RequestOptions, ResultType,
    ServerRequest,
};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// One thing that the application, the peer or the clock does.
#[derive(Clone, Debug)]
enum Act {
    Connect,
    Begin { method: usize, held: bool, notify: bool, options: RequestOptions },
    Cancel(u32),
    Close,
    Head { exchange: u32, status: u16, content_type: usize, session: bool },
    Body(u32, Vec<u8>),
    Held { exchange: u32, asks: bool, cursor: Option<String> },
    Chunk(u32, Vec<u8>),
    Message(u32, Vec<u8>),
    End(u32),
    Failed(u32),
    Arguments(u32, Vec<u8>),
    Answer(u32),
    Refusal(u32),
    Time(u64),
}

const METHODS: [&str; 9] = [
    "tools/list",
    "tools/call",
    "resources/read",
    "prompts/list",
    "ping",
    "server/discover",
    "initialize",
    "x/y",
    "notifications/cancelled",
];
const TYPES: [Option<&str>; 6] = [
    Some("application/json"),
    Some("text/event-stream"),
    Some("Text/Event-Stream; charset=utf-8"),
    Some("text/html"),
    Some(""),
    None,
];

/// Texts that get somewhere, ids and all; the numbers of exchanges and ids are small and meet often.
fn text() -> impl Strategy<Value = Vec<u8>> {
    let id = prop_oneof![
        (1..8_u32).prop_map(|id| id.to_string()),
        Just("\"discover-1\"".to_owned()),
        Just("null".to_owned())
    ];
    let body = prop_oneof![
        Just(r#""result":{"supportedVersions":["2026-07-28"],"capabilities":{}}"#.to_owned()),
        Just(r#""result":{"supportedVersions":["2025-11-25"]}"#.to_owned()),
        Just(r#""result":{"protocolVersion":"2025-06-18","capabilities":{}}"#.to_owned()),
        Just(r#""result":{"tools":[{"name":"t","inputSchema":{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}}],"nextCursor":"n"}"#.to_owned()),
        Just(r#""result":{"resultType":"input_required","requestState":"s"}"#.to_owned()),
        Just(
            r#""result":{"resultType":"input_required","inputRequests":{"a":{"method":"roots/list"},"b":{"method":"roots/list"}}}"#
                .to_owned()
        ),
        Just(r#""error":{"code":-32022,"message":"","data":{"supported":["2026-07-28"]}}"#.to_owned()),
        Just(r#""error":{"code":-32601,"message":"no"}"#.to_owned()),
        Just(r#""method":"ping""#.to_owned()),
        Just(r#""method":"roots/list","params":{}"#.to_owned()),
        Just(r#""method":"notifications/progress","params":{"progressToken":1,"progress":1}"#.to_owned()),
    ];
    let message = (id, body).prop_map(|(id, body)| format!(r#"{{"jsonrpc":"2.0","id":{id},{body}}}"#));
    prop_oneof![
        4 => message.clone().prop_map(String::into_bytes),
        4 => message.clone().prop_map(|message| format!("id: 1\ndata: {message}\r\n\r\n").into_bytes()),
        1 => message.prop_map(|message| format!("[{message}]").into_bytes()),
        1 => proptest::collection::vec(any::<u8>(), 0..40),
        1 => Just(b"data: \xff\n\n".to_vec()),
    ]
}

fn act() -> impl Strategy<Value = Act> {
    let key = || 0..9_u32;
    let options = (proptest::option::of(1..400_u64), proptest::option::of(1..400_u64), any::<[bool; 4]>()).prop_map(
        |(timeout, max_total, [reset_on_progress, progress, walk, manual])| RequestOptions {
            timeout,
            max_total,
            reset_on_progress,
            progress,
            walk,
            manual,
            ..RequestOptions::default()
        },
    );
    let status = prop_oneof![4 => Just(200_u16), 1 => Just(202), 1 => Just(400), 1 => Just(404), 1 => Just(500), 1 => any::<u16>()];
    prop_oneof![
        2 => Just(Act::Connect),
        8 => (0..METHODS.len(), any::<bool>(), any::<bool>(), options)
            .prop_map(|(method, held, notify, options)| Act::Begin { method, held, notify, options }),
        1 => key().prop_map(Act::Cancel),
        6 => (key(), status, 0..TYPES.len(), any::<bool>()).prop_map(|(exchange, status, content_type, session)| Act::Head {
            exchange,
            status,
            content_type,
            session,
        }),
        6 => (key(), text()).prop_map(|(exchange, text)| Act::Body(exchange, text)),
        2 => (key(), any::<bool>(), proptest::option::of("[ab]{0,1}"))
            .prop_map(|(exchange, asks, cursor)| Act::Held { exchange, asks, cursor }),
        4 => (key(), text()).prop_map(|(exchange, text)| Act::Chunk(exchange, text)),
        3 => (key(), text()).prop_map(|(exchange, text)| Act::Message(exchange, text)),
        2 => key().prop_map(Act::End),
        1 => key().prop_map(Act::Failed),
        1 => (key(), text()).prop_map(|(call, text)| Act::Arguments(call, text)),
        1 => key().prop_map(Act::Answer),
        1 => key().prop_map(Act::Refusal),
        2 => (0..500_u64).prop_map(Act::Time),
        1 => Just(Act::Close),
    ]
}

fn options() -> impl Strategy<Value = Options> {
    let mode = prop_oneof![4 => Just(Mode::Auto), 2 => Just(Mode::Legacy), 1 => Just(Mode::Pin("2026-07-28"))];
    let supported = prop_oneof![
        4 => Just(Options::default().supported),
        1 => Just(vec!["2026-07-28"]),
        1 => Just(vec!["2025-03-26"]),
    ];
    (mode, supported, any::<bool>(), any::<bool>(), 0..3_u32, any::<[bool; 2]>()).prop_map(
        |(mode, supported, pipe, browser, probe_retries, [handles, listens])| Options {
            listens,
            mode,
            supported,
            channel: if pipe { Channel::LocalPipe } else { Channel::Http },
            browser,
            probe_retries,
            timeout: 300,
            handled: if handles { vec!["roots/list".to_owned()] } else { Vec::new() },
            ..Options::default()
        },
    )
}

/// Who has begun, and how often each has ended.
#[derive(Default)]
struct Ledger {
    begun: Vec<Call>,
    ends: BTreeMap<Call, usize>,
    closed: usize,
}

impl Ledger {
    /// Takes what the client has to say until it waits.
    fn drain(&mut self, client: &mut Client) -> Option<u64> {
        for _ in 0..10_000 {
            match client.poll_output() {
                Output::Wait { until, .. } => return until,
                Output::Event(Event::Result(call, _) | Event::Failed(call, _)) => {
                    *self.ends.entry(call).or_default() += 1;
                }
                Output::Event(Event::Closed) => self.closed += 1,
                _ => {}
            }
        }
        panic!("the client never stops talking");
    }

    fn perform(&mut self, client: &mut Client, act: &Act, now: &mut u64) {
        match act {
            Act::Connect => client.connect(*now),
            Act::Begin { method, held, notify, options } => {
                let request = Request {
                    method: METHODS[*method],
                    params: if *held { Params::Held } else { Params::Text(r#""name":"t","arguments":{"a":"x"}"#) },
                    meta: Some(r#"{"a/b":1}"#),
                    name: Some("t"),
                    options: *options,
                };
                let call = if *notify { client.notify(&request, *now) } else { client.request(&request, *now) };
                self.begun.push(call);
            }
            Act::Cancel(call) => {
                let call = Call(*call);
                if self.begun.contains(&call) && !self.ends.contains_key(&call) {
                    self.ends.insert(call, 1);
                }
                client.cancel(call, None, *now);
            }
            Act::Close => client.close(*now),
            Act::Head { exchange, status, content_type, session } => {
                let head = Head {
                    status: *status,
                    content_type: TYPES[*content_type],
                    session_id: session.then_some("s"),
                    ..Head::default()
                };
                client.handle_input(Input::Head(Exchange(*exchange), head), *now);
            }
            Act::Body(exchange, text) => client.handle_input(Input::Body(Exchange(*exchange), text), *now),
            Act::Held { exchange, asks, cursor } => {
                let result_type = if *asks { ResultType::InputRequired } else { ResultType::Complete };
                let exchange = Exchange(*exchange);
                client.handle_input(Input::Result { exchange, result_type, next_cursor: cursor.as_deref() }, *now);
            }
            Act::Chunk(exchange, text) => client.handle_input(Input::Chunk(Exchange(*exchange), text), *now),
            Act::Message(exchange, text) => client.handle_input(Input::Message(Exchange(*exchange), text), *now),
            Act::End(exchange) => client.handle_input(Input::End(Exchange(*exchange)), *now),
            Act::Failed(exchange) => client.handle_input(Input::Failed(Exchange(*exchange), "gone"), *now),
            Act::Arguments(call, text) => client.handle_input(Input::Arguments(Call(*call), text), *now),
            Act::Answer(request) => client.handle_input(Input::Answer(ServerRequest(*request), "{}"), *now),
            Act::Refusal(request) => client.handle_input(Input::Refusal(ServerRequest(*request), -1, "no"), *now),
            Act::Time(millis) => {
                *now += millis;
                client.handle_input(Input::Time, *now);
            }
        }
    }

    fn check(&self) {
        for call in &self.begun {
            assert_eq!(self.ends.get(call), Some(&1), "{call:?} ends once");
        }
        assert_eq!(self.ends.len(), self.begun.len(), "only what has begun ends");
    }
}

/// Opens the connection as a well-behaved server does, so that what follows meets calls and not only probes.
fn open(client: &mut Client, ledger: &mut Ledger, now: u64) {
    client.connect(now);
    for _ in 0..6 {
        match client.poll_output() {
            Output::Send(outbound) => {
                let exchange = outbound.exchange;
                let text = outbound.body.head.as_str();
                let reply = if text.contains("server/discover") {
                    r#"{"jsonrpc":"2.0","id":"discover-1","result":{"supportedVersions":["2026-07-28"],"capabilities":{}}}"#
                } else if text.contains("\"initialize\"") {
                    r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{}}}"#
                } else {
                    ""
                };
                let head = Head { status: 200, content_type: TYPES[0], session_id: Some("s"), ..Head::default() };
                if outbound.headers.is_empty() {
                    client.handle_input(Input::Message(exchange, reply.as_bytes()), now);
                    client.handle_input(Input::End(exchange), now);
                } else {
                    client.handle_input(Input::Head(exchange, head), now);
                    client.handle_input(Input::Body(exchange, reply.as_bytes()), now);
                }
            }
            Output::Wait { .. } => break,
            _ => {}
        }
    }
    ledger.drain(client);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_call_ends_once_when_time_passes(options in options(), opened in any::<bool>(), acts in proptest::collection::vec(act(), 1..60)) {
        let mut client = Client::new(options);
        let mut ledger = Ledger::default();
        let mut now = 1_000;
        if opened {
            open(&mut client, &mut ledger, now);
        }
        for act in &acts {
            ledger.perform(&mut client, act, &mut now);
            ledger.drain(&mut client);
        }
        // Nothing more comes, but the application answers what it was asked: the deadlines end what is open.
        for question in 0..400 {
            client.handle_input(Input::Refusal(ServerRequest(question), -1, "no"), now);
            let Some(until) = ledger.drain(&mut client) else { break };
            now = now.max(until);
            client.handle_input(Input::Time, now);
        }
        prop_assert_eq!(ledger.drain(&mut client), None, "the client comes to rest");
        ledger.check();
    }

    #[test]
    fn closing_ends_everything_at_once(options in options(), opened in any::<bool>(), acts in proptest::collection::vec(act(), 1..60)) {
        let mut client = Client::new(options);
        let mut ledger = Ledger::default();
        let mut now = 1_000;
        if opened {
            open(&mut client, &mut ledger, now);
        }
        for act in &acts {
            ledger.perform(&mut client, act, &mut now);
            ledger.drain(&mut client);
        }
        client.close(now);
        ledger.drain(&mut client);
        ledger.check();
        for _ in 0..20 {
            let Some(until) = ledger.drain(&mut client) else { break };
            now = now.max(until);
            client.handle_input(Input::Time, now);
        }
        ledger.drain(&mut client);
        prop_assert_eq!(ledger.closed, 1, "and says so once");
    }
}
