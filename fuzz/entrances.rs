//! Every way in for bytes of a peer, as a function that must not panic and whose promises are checked.
//!
//! `fuzz_targets/` runs them under libFuzzer (`cargo +nightly fuzz run <name>`), `tests/fuzz_smoke.rs`
//! for a bounded while on any toolchain.

#![allow(dead_code, unreachable_pub, clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use mcp_duet::client::{
    Call, Channel as Carrier, Client, Event, Exchange, Head, Input, Options, Output, Params, Request, RequestOptions,
};
use mcp_duet::protocol::changes;
use mcp_duet::protocol::json::{Raw, quote, unquote};
use mcp_duet::protocol::jsonrpc::{Message, RequestId, result_response};
use mcp_duet::protocol::model::{self, Wire};
use mcp_duet::protocol::schema::{Schema, elicitation};
use mcp_duet::protocol::uri_template::UriTemplate;
use mcp_duet::protocol::version::ProtocolVersion;
use mcp_duet::server::event_stream::Resumption;
use mcp_duet::server::{Channel, Outcome, Presented, Server, Session, Step};
use mcp_duet::stdio;
use mcp_duet::streamable_http::{check, classify, headers, param_headers, sse};
use mcp_duet::toolset::{canonical, config, shape};

/// An entrance for bytes.
pub type Entrance = fn(&[u8]);

/// All of them, by the name of their fuzz target and corpus.
pub const ALL: [(&str, Entrance); 13] = [
    ("json", json),
    ("jsonrpc", jsonrpc),
    ("sse", sse),
    ("stdio", stdio),
    ("header_values", header_values),
    ("schema_headers", schema_headers),
    ("uri_template", uri_template),
    ("changes", changes),
    ("model", model),
    ("schema", schema),
    ("server", server),
    ("client", client),
    ("toolset", toolset),
];

/// A JSON text: every value in it is JSON on its own and can be read in every way.
pub fn json(bytes: &[u8]) {
    let Ok(whole) = Raw::parse(bytes) else { return };
    let mut open = vec![whole];
    while let Some(value) = open.pop() {
        assert_eq!(Raw::parse(value.text()), Ok(value));
        let (start, end) = value.span_in(bytes);
        assert_eq!(&bytes[start..end], value.text());
        let _ = (value.as_bool(), value.as_f64(), value.as_i64(), value.get("a"));
        if let Some(text) = value.as_str() {
            assert_eq!(unquote(quote(&text).as_bytes()), text);
        }
        open.extend(value.elements());
        open.extend(value.members().map(|(key, value)| {
            assert!(key.is(&key.name()));
            value
        }));
    }
}

/// A message: its id comes back as it was.
pub fn jsonrpc(bytes: &[u8]) {
    let Ok(value) = Raw::parse(bytes) else { return };
    for message in value.elements().chain([value]).map(Message::read) {
        match message {
            Ok(Message::Request { id, .. } | Message::Result { id, .. }) => {
                let response = result_response(id.as_text(), "{}");
                let read = Message::read(Raw::parse(response.as_bytes()).unwrap());
                assert_eq!(read, Ok(Message::Result { id, result: Raw::parse(b"{}").unwrap() }));
                let canonical = id.canonical();
                assert_eq!(RequestId::read(Raw::parse(canonical.as_bytes()).unwrap()).unwrap().canonical(), canonical);
            }
            Ok(Message::Error { error, .. }) => assert!(Raw::parse(quote(&error.message).as_bytes()).is_ok()),
            Ok(Message::Notification { .. }) => {}
            Err(invalid) => assert!(!invalid.to_error().message.is_empty()),
        }
    }
}

/// An event stream: the first byte says how it is cut; the events are those of the stream in one piece.
pub fn sse(bytes: &[u8]) {
    let Some((size, stream)) = bytes.split_first() else { return };
    let read = |pieces: &mut dyn Iterator<Item = &[u8]>| {
        let (mut parser, mut events) = (sse::Parser::with_limit(64), Vec::new());
        for piece in pieces {
            parser.push(piece);
            while let Some(event) = parser.next_event() {
                events.push(event.map(|event| (event.name.to_owned(), event.data.to_owned())));
            }
        }
        (events, parser.last_event_id().map(str::to_owned), parser.retry())
    };
    let whole = read(&mut [stream].into_iter());
    let pieces = read(&mut stream.chunks(usize::from(*size).max(1)));
    assert_eq!(whole, pieces);
}

/// Lines of a pipe: the first byte says how they are cut; the lines are those of the pipe in one piece.
pub fn stdio(bytes: &[u8]) {
    let Some((size, pipe)) = bytes.split_first() else { return };
    let read = |pieces: &mut dyn Iterator<Item = &[u8]>| {
        let (mut reader, mut lines) = (stdio::Reader::with_limit(64), Vec::new());
        for piece in pieces {
            reader.push(piece);
            while let Some(line) = reader.next_line() {
                lines.push(line.map(<[u8]>::to_owned));
            }
        }
        lines.extend(reader.finish().map(|line| line.map(<[u8]>::to_owned)));
        lines
    };
    let whole = read(&mut [pipe].into_iter());
    let pieces = read(&mut pipe.chunks(usize::from(*size).max(1)));
    assert_eq!(whole, pieces);
    assert!(whole.iter().flatten().all(|line| !line.is_empty() && !line.contains(&b'\n')));
}

/// A header's value, or a text to be sent as one: what is encoded is safe and decodes to itself.
pub fn header_values(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let encoded = headers::encode_value(&text);
    assert!(encoded.bytes().all(|byte| matches!(byte, b' '..=b'~')));
    assert_eq!(headers::decode_value(&encoded).as_deref(), Ok(&*text));
    if let Ok(decoded) = headers::decode_value(&text) {
        assert_eq!(headers::decode_value(&headers::encode_value(&decoded)).as_deref(), Ok(&*decoded));
    }
    let _ = (headers::is_json(&text), headers::is_event_stream(&text), headers::accepts(Some(&text), headers::JSON));
}

/// A tool's schema and the arguments of a call, one after the other: what the client mirrors, the server accepts.
pub fn schema_headers(bytes: &[u8]) {
    let middle = bytes.iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len());
    let (schema, arguments) = bytes.split_at(middle);
    let Ok(schema) = Raw::parse(schema) else { return };
    let Ok(params) = param_headers::scan(schema) else { return };
    let arguments = Raw::parse(arguments).ok();
    let mut sent = Vec::new();
    for param in &params {
        match param.text(arguments) {
            Ok(Some(text)) => sent.push((param.header.clone(), headers::encode_value(&text).into_owned())),
            Ok(None) => {}
            Err(_) => return,
        }
    }
    let sent: Vec<_> = sent.iter().map(|(name, value)| (&**name, &**value)).collect();
    assert_eq!(check::params(&sent, &params, arguments), Ok(()));
}

/// A URI template and a URI, one after the other.
pub fn uri_template(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (template, uri) = text.split_once('\n').unwrap_or((&text, ""));
    let Ok(template) = UriTemplate::parse(template) else { return };
    let Some(values) = template.match_uri(uri) else { return };
    let values: Vec<_> = values.iter().map(|(name, value)| (&**name, value.clone())).collect();
    assert!(template.expand(&values).is_ascii());
}

/// A result or parameters on the way to a peer of each revision: still JSON, and settled at once.
pub fn changes(bytes: &[u8]) {
    let Ok(value) = Raw::parse(bytes) else { return };
    for version in ProtocolVersion::ALL {
        for method in ["tools/list", "tools/call", "prompts/get", "initialize", "resources/read"] {
            if let Some(text) = changes::result_for(version, method, value) {
                let adapted = Raw::parse(text.as_bytes()).expect("still JSON");
                assert_eq!(changes::result_for(version, method, adapted), None);
            }
        }
        for method in ["sampling/createMessage", "elicitation/create", "completion/complete", "tools/call"] {
            if let Some(text) = changes::params_for(version, method, value) {
                let adapted = Raw::parse(text.as_bytes()).expect("still JSON");
                assert_eq!(changes::params_for(version, method, adapted), None);
            }
        }
    }
}

/// A configuration, and a value in canonical form: what is in order stays as it is.
pub fn toolset(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Ok(list) = config::parse(&text) {
        let written = config::write(&list);
        let again = config::parse(&written).expect("what was written can be read");
        assert_eq!(again.len(), list.len());
        assert!(list.windows(2).all(|pair| pair[0].name < pair[1].name), "sorted, and every name once");
    }
    let Ok(value) = Raw::parse(bytes) else { return };
    let once = canonical::write(value);
    let read = Raw::parse(once.as_bytes()).expect("still JSON");
    assert_eq!(canonical::write(read), once);
    assert!(Raw::parse(shape::write(value).as_bytes()).is_ok());
}

/// A message as the typed model reads it: what it writes, it reads as the same.
pub fn model(bytes: &[u8]) {
    fn settles<T: Wire + PartialEq + std::fmt::Debug>(text: &str) {
        if let Ok(value) = T::from_json(text) {
            assert_eq!(T::from_json(&value.to_json()).as_ref(), Ok(&value));
        }
    }
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    settles::<model::Message>(text);
    settles::<model::CallToolResult>(text);
    settles::<model::ListToolsResult>(text);
    settles::<model::CreateMessageResult>(text);
    settles::<model::ElicitParams>(text);
}

/// A schema and an instance, one after the other: a verdict or a reason, in bounded time.
pub fn schema(bytes: &[u8]) {
    let middle = bytes.iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len());
    let (schema, instance) = bytes.split_at(middle);
    let (Ok(schema), Ok(instance)) = (Raw::parse(schema), Raw::parse(instance)) else { return };
    if let Ok(compiled) = Schema::compile(schema)
        && let Err(violations) = compiled.validate(instance)
    {
        assert!(!violations.is_empty());
    }
    let _ = elicitation::validate(schema, instance);
    assert!(Raw::parse(elicitation::apply_defaults(schema, instance).as_bytes()).is_ok());
    let _ = elicitation::choices(schema);
}

/// Everything that a server can do to a client, a line each: its first byte says what happens to the latest
/// exchange, the rest is what comes. Every call ends once, and closing ends all.
pub fn client(bytes: &[u8]) {
    let Some((first, script)) = bytes.split_first() else { return };
    let channel = if first % 2 == 1 { Carrier::LocalPipe } else { Carrier::Http };
    let mut client = Client::new(Options { channel, handled: vec!["roots/list".to_owned()], ..Options::default() });
    let mut world = ClientWorld { latest: Exchange(0), open: Vec::new(), request: None };
    for method in ["tools/list", "tools/call"] {
        let options =
            RequestOptions { progress: true, walk: true, reset_on_progress: true, ..RequestOptions::default() };
        let request = Request { method, params: Params::Text("\"name\":\"t\""), meta: None, name: Some("t"), options };
        world.open.push(client.request(&request, 0));
    }
    world.drain(&mut client);
    for (now, line) in (1_u64..).zip(script.split(|byte| *byte == b'\n')) {
        let Some((what, rest)) = line.split_first() else { continue };
        let text = String::from_utf8_lossy(rest);
        let exchange = world.latest;
        let head = |status, content_type| Head { status, content_type: Some(content_type), ..Head::default() };
        let input = match what {
            b'j' => Input::Head(exchange, head(200, "application/json")),
            b's' => Input::Head(exchange, head(200, "text/event-stream")),
            b'4' => Input::Head(exchange, head(400, "application/json")),
            b'h' => Input::Head(exchange, head(text.parse().unwrap_or(500), &text)),
            b'b' => Input::Body(exchange, rest),
            b'c' => Input::Chunk(exchange, rest),
            b'd' => {
                let event = [b"data: ", rest, b"\n\n"].concat();
                client.handle_input(Input::Chunk(exchange, &event), now);
                world.drain(&mut client);
                continue;
            }
            b'm' => Input::Message(exchange, rest),
            b'e' => Input::End(exchange),
            b'f' => Input::Failed(exchange, &text),
            b'a' if world.request.is_some() => Input::Answer(world.request.take().unwrap(), "{}"),
            b't' => Input::Time,
            _ => continue,
        };
        client.handle_input(input, if *what == b't' { now * 10_000 } else { now });
        world.drain(&mut client);
    }
    client.close(1 << 40);
    world.drain(&mut client);
    client.handle_input(Input::Time, 1 << 50);
    world.drain(&mut client);
    assert!(world.open.is_empty(), "calls that never ended: {:?}", world.open);
}

/// The calls of a client that have not ended, and the exchange that was begun last.
struct ClientWorld {
    latest: Exchange,
    open: Vec<Call>,
    request: Option<mcp_duet::client::ServerRequest>,
}

impl ClientWorld {
    fn drain(&mut self, client: &mut Client) {
        for _ in 0..10_000 {
            match client.poll_output() {
                Output::Wait { .. } => return,
                Output::Send(outbound) => {
                    self.latest = outbound.exchange;
                    let body = outbound.body.wrap("");
                    assert!(body.is_empty() || Message::read(Raw::parse(body.as_bytes()).unwrap()).is_ok(), "{body}");
                }
                Output::Event(Event::Result(call, _) | Event::Failed(call, _)) => {
                    let at = self.open.iter().position(|open| *open == call);
                    self.open.swap_remove(at.expect("a call ends once"));
                }
                Output::Event(Event::Request(request, ..)) => self.request = Some(request),
                Output::Event(Event::Body(exchange, text)) => {
                    client.handle_input(Input::Body(exchange, text.as_bytes()), 0)
                }
                _ => {}
            }
        }
        panic!("the client asks for ever");
    }
}

/// A message for a server, over HTTP with the version that it names where the first byte is odd, in a session where it is
/// divisible by four: each answer is a message, and a session that it changes is read back.
pub fn server(bytes: &[u8]) {
    const DEFINITION: &str = r#"{"name":"s","version":"1","legacy":"sessions","capabilities":{"resources":{"subscribe":true}},"tools":[{"name":"t","inputSchema":{"type":"object",
        "properties":{"a":{"type":"string","x-mcp-header":"A"},"n":{"type":"integer"}},"required":["a"]}}],
        "resources":[{"uri":"file:///r","name":"r"}],"resourceTemplates":[{"uriTemplate":"file:///{+path}","name":"p"}],
        "prompts":[{"name":"p","arguments":[{"name":"x","required":true}]}]}"#;
    let Some((first, message)) = bytes.split_first() else { return };
    let server = Server::new(Raw::parse(DEFINITION.as_bytes()).unwrap()).unwrap();
    let sent =
        [("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "tools/call"), ("Mcp-Name", "t"), ("Mcp-Param-A", "x")];
    const SESSION: &str = r#"{"protocolVersion":"2025-03-26","principal":null,"clientInfo":{},"capabilities":{},
        "subscriptions":[],"until":1}"#;
    let session = Session::read(Raw::parse(SESSION.as_bytes()).unwrap()).unwrap();
    let presented = if first % 4 == 0 { Presented::Known(&session) } else { Presented::None };
    let channel =
        Channel { streams: true, headers: (first % 2 == 1).then_some(&sent), session: presented, ..Channel::default() };
    let answer = |step: Step<'_>| {
        let text = match step {
            Step::Reply(reply) => reply.into_text(),
            Step::Invoke(invocation) => invocation.finish(Outcome::Text("x".to_owned())).into_text(),
            Step::Session(reply, session) => {
                let text = session.to_text();
                assert_eq!(Session::read(Raw::parse(text.as_bytes()).unwrap()), Some(session));
                reply.into_text()
            }
            _ => return,
        };
        let answer = Message::read(Raw::parse(text.as_bytes()).unwrap());
        assert!(matches!(answer, Ok(Message::Result { .. } | Message::Error { .. })), "{text}");
    };
    match server.handle_message(message, &channel) {
        Step::Batch(elements) => {
            let channel = Channel { in_batch: true, ..channel };
            elements.into_iter().for_each(|element| answer(server.handle_value(element, &channel)));
        }
        step => answer(step),
    }
    if let Ok(text) = std::str::from_utf8(message) {
        let _ = Resumption::read(Some(text));
    }
    if let Ok(value) = Raw::parse(message) {
        let _ = Session::read(value);
    }
    if let Ok(value) = Raw::parse(message)
        && let Ok(message) = Message::read(value)
    {
        let _ = classify::classify(&message, None);
    }
}
