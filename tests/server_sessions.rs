//! Legacy sessions in the core: which requests may use one, what it remembers, and where a stream goes on.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use mcp_duet::protocol::json::Raw;
use mcp_duet::protocol::version::ProtocolVersion;
use mcp_duet::server::event_stream::{Resumption, priming};
use mcp_duet::server::http::{RequestHead, Response};
use mcp_duet::server::{Change, Channel, LogLevel, MAX_SESSION_BYTES, Presented, Server, Session, Step};

const IDLE: u64 = 1_000_000;

fn server(more: &str) -> Server {
    let definition = format!(
        r#"{{"name":"s","version":"1","legacy":"sessions","sessions":{{"idleMs":{IDLE}}},"tools":[{{"name":"echo","inputSchema":{{"type":"object"}}}}],
            "resources":[],"capabilities":{{"logging":{{}},"tools":{{"listChanged":true}},"resources":{{"subscribe":true}}}}{more}}}"#
    );
    Server::new(Raw::parse(definition.as_bytes()).expect("JSON")).expect("a definition")
}

const NONE: &[(&str, &str)] = &[];

fn channel<'a>(headers: &'a [(&'a str, &'a str)], session: Presented<'a>) -> Channel<'a> {
    Channel { streams: true, headers: Some(headers), session, ..Channel::default() }
}

/// The HTTP status of what comes of a message; 0 for a handler's call.
fn status(step: &Step<'_>) -> u16 {
    match step {
        Step::Reply(reply) | Step::Session(reply, _) => reply.status,
        Step::Invoke(_) => 0,
        Step::Batch(_) | Step::Listen(_) => 200,
        _ => 202,
    }
}

/// The session that `initialize` opens.
fn opened(server: &Server, version: &str) -> Session {
    let message = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"initialize","params":{{"protocolVersion":"{version}",
            "capabilities":{{"roots":
            {{}}}},"clientInfo":{{"name":"客","version":"1"}}}}}}"#
    );
    match server.handle_message(message.as_bytes(), &channel(NONE, Presented::Missing)) {
        Step::Session(_, session) => session,
        other => panic!("{other:?}"),
    }
}

/// The session after a request that changes it.
fn after(server: &Server, session: &Session, method: &str, params: &str) -> Session {
    let message = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#);
    match server.handle_message(message.as_bytes(), &channel(NONE, Presented::Known(session))) {
        Step::Session(_, session) => session,
        other => panic!("{method}: {other:?}"),
    }
}

#[test]
fn initialize_opens_a_session_and_everything_else_needs_one() {
    let server = server("");
    let session = opened(&server, "2025-11-25");
    assert!(session.is_new());
    let initialize = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}"#;
    for (message, missing, unknown, known) in [
        (initialize, 200, 200, 200),
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, 400, 404, 200),
        (r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}"#, 400, 404, 0),
        (r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, 400, 404, 202),
        (r#"{"jsonrpc":"2.0","id":"x","result":{}}"#, 400, 404, 202),
        (r#"{"jsonrpc":"2.0","id":"x","error":{"code":1,"message":"m"}}"#, 400, 404, 202),
        // A message that is not one stays so.
        ("{", 400, 400, 400),
        (r#"{"jsonrpc":"2.0","id":1}"#, 400, 400, 400),
    ] {
        for (presented, expected) in
            [(Presented::Missing, missing), (Presented::Unknown, unknown), (Presented::Known(&session), known)]
        {
            let step = server.handle_message(message.as_bytes(), &channel(NONE, presented));
            assert_eq!(status(&step), expected, "{message} {presented:?}");
        }
    }
}

#[test]
fn a_modern_request_has_no_part_in_sessions() {
    let server = server("");
    let message = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{
        "io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#;
    let headers: &[_] = &[("mcp-protocol-version", "2026-07-28"), ("mcp-method", "tools/list")];
    for presented in [Presented::Missing, Presented::Unknown] {
        assert_eq!(status(&server.handle_message(message.as_bytes(), &channel(headers, presented))), 200);
    }
}

#[test]
fn a_request_speaks_the_version_of_its_session() {
    let server = server("");
    let call = br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}"#;
    for (asked, agreed) in [
        ("2025-11-25", ProtocolVersion::V2025_11_25),
        ("2025-06-18", ProtocolVersion::V2025_06_18),
        ("9999-01-01", ProtocolVersion::LATEST_LEGACY),
    ] {
        let session = opened(&server, asked);
        assert_eq!(session.version, agreed);
        match server.handle_message(call, &channel(NONE, Presented::Known(&session))) {
            Step::Invoke(invocation) => assert_eq!((invocation.version, invocation.reads), (agreed, agreed)),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn batches_belong_to_the_session_of_their_version() {
    let server = server("");
    let batch = br#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#;
    for (version, expected) in [("2025-03-26", 200), ("2025-06-18", 400), ("2025-11-25", 400)] {
        let session = opened(&server, version);
        let step = server.handle_message(batch, &channel(NONE, Presented::Known(&session)));
        assert_eq!(status(&step), expected, "{version}");
    }
    assert_eq!(status(&server.handle_message(batch, &channel(NONE, Presented::Missing))), 400);
    assert_eq!(status(&server.handle_message(batch, &channel(NONE, Presented::Unknown))), 404);
}

#[test]
fn a_session_is_its_owners_and_ends_when_it_is_not_used() {
    let server = server("");
    let mut session = opened(&server, "2025-11-25").owned(r#""me""#);
    assert!(session.renew(5_000, IDLE), "a new one has to be kept");
    assert!(!session.is_new());
    let until = 5_000 + IDLE + IDLE / 8;
    for (principal, now, expected) in [
        (r#""me""#, 5_000, true),
        (r#""me""#, until - 1, true),
        (r#""me""#, until, false),
        (r#""you""#, 5_000, false),
        ("null", 5_000, false),
    ] {
        assert_eq!(session.is_for(principal, now), expected, "{principal} {now}");
    }
    assert_eq!(session.rest(6_000), until - 6_000);
    assert!(!session.renew(5_001, IDLE), "not every use is written");
    assert!(session.renew(5_001 + IDLE / 8, IDLE));
    assert!(session.is_for(r#""me""#, until + 1));
}

#[test]
fn what_is_kept_of_a_session_is_read_back() {
    let server = server("");
    let session = opened(&server, "2025-06-18").owned(r#"{"sub":"我"}"#);
    let session = after(&server, &session, "logging/setLevel", r#"{"level":"warning"}"#);
    let session = after(&server, &session, "resources/subscribe", r#"{"uri":"test://北京"}"#);
    let text = session.to_text();
    assert!(!text.contains('\n'), "it can stand on a line: {text}");
    let read = Session::read(Raw::parse(text.as_bytes()).expect("JSON")).expect("a session");
    assert_eq!(read, session);
    assert_eq!(read.log_level, Some(LogLevel::Warning));
    for broken in ["{}", "[]", "null", r#"{"protocolVersion":"2025-06-18"}"#] {
        assert_eq!(Session::read(Raw::parse(broken.as_bytes()).expect("JSON")), None, "{broken}");
    }
}

#[test]
fn a_session_is_told_of_what_it_asked_for_and_the_server_declares() {
    let server = server("");
    let plain = opened(&server, "2025-11-25");
    let watching = after(&server, &plain, "resources/subscribe", r#"{"uri":"test://a"}"#);
    let watching = after(&server, &watching, "resources/subscribe", r#"{"uri":"test://a"}"#);
    let left = after(&server, &watching, "resources/unsubscribe", r#"{"uri":"test://a"}"#);
    let tools = r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#;
    let updated = r#"{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"test://a"}}"#;
    for (session, change, expected) in [
        (&plain, Change::Tools, Some(tools)),
        (&plain, Change::Prompts, None),
        (&plain, Change::Resources, None),
        (&plain, Change::Resource("test://a"), None),
        (&watching, Change::Resource("test://a"), Some(updated)),
        (&watching, Change::Resource("test://b"), None),
        (&left, Change::Resource("test://a"), None),
    ] {
        assert_eq!(server.session_change(session, change).as_deref(), expected, "{change:?}");
    }
}

#[test]
fn log_messages_without_a_request_keep_to_the_sessions_level() {
    let server = server("");
    let params = Raw::parse(br#"{"logger":"l","data":1}"#).expect("JSON");
    let plain = opened(&server, "2025-11-25");
    let error = after(&server, &plain, "logging/setLevel", r#"{"level":"error"}"#);
    for (session, level, expected) in
        [(&plain, LogLevel::Debug, true), (&error, LogLevel::Warning, false), (&error, LogLevel::Error, true)]
    {
        let text = server.session_log(session, level, params);
        assert_eq!(text.is_some(), expected, "{level:?}");
        if let Some(text) = text {
            assert!(text.contains(r#""params":{"level":"#) && text.contains(r#""logger":"l","data":1"#), "{text}");
        }
    }
}

#[test]
fn a_session_has_a_largest_size() {
    let server = server("");
    let long = "x".repeat(MAX_SESSION_BYTES);
    let initialize = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"initialize","params":{{"protocolVersion":"2025-11-25","clientInfo":{{"name":"{long}"}}}}}}"#
    );
    assert!(matches!(server.handle_message(initialize.as_bytes(), &channel(NONE, Presented::Missing)), Step::Reply(_)));
    let mut session = opened(&server, "2025-11-25");
    for count in 0.. {
        let message = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{{"uri":"test://{count}/{}"}}}}"#,
            "x".repeat(1000)
        );
        match server.handle_message(message.as_bytes(), &channel(NONE, Presented::Known(&session))) {
            Step::Session(_, next) => session = next,
            Step::Reply(reply) => {
                assert!(reply.into_text().contains("at most 65536 bytes"));
                assert!((60..70).contains(&count), "{count}");
                return;
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_cancellation_names_its_request_in_a_session_only() {
    let server = server("");
    let session = opened(&server, "2025-11-25");
    for (message, expected) in [
        (r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}"#, Some("7")),
        (r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"七"}}"#, Some("\"七\"")),
        (r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}"#, None),
        (r#"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#, None),
        (r#"{"jsonrpc":"2.0","method":"notifications/other","params":{"requestId":7}}"#, None),
    ] {
        let id = match server.handle_message(message.as_bytes(), &channel(NONE, Presented::Known(&session))) {
            Step::Cancel(id) => Some(id.as_text()),
            Step::Nothing => None,
            other => panic!("{other:?}"),
        };
        assert_eq!(id, expected, "{message}");
        let step = server.handle_message(message.as_bytes(), &channel(NONE, Presented::None));
        assert!(matches!(step, Step::Nothing), "without a session nobody knows whose request that is");
    }
}

#[test]
fn a_server_with_sessions_has_get_and_delete_and_others_have_not() {
    let with = server("");
    let definition = br#"{"name":"s","version":"1"}"#;
    let without = Server::new(Raw::parse(definition).expect("JSON")).expect("a definition");
    let both: &[_] = &[("accept", "text/event-stream")];
    let json: &[_] = &[("accept", "application/json")];
    for (method, headers, expected, elsewhere) in [
        ("GET", both, 0, 405),
        ("GET", json, 406, 405),
        ("DELETE", NONE, 0, 405),
        ("PUT", both, 405, 405),
        ("OPTIONS", NONE, 204, 204),
    ] {
        let head = RequestHead { method, url: "http://localhost/mcp", headers };
        let status = |server: &Server| server.admit(&head).err().map_or(0, |response| response.status);
        assert_eq!((status(&with), status(&without)), (expected, elsewhere), "{method}");
    }
    let with = server(r#","allowedOrigins":["https://app.example.com"]"#);
    let origin: &[_] = &[("origin", "https://app.example.com")];
    let head = RequestHead { method: "OPTIONS", url: "http://localhost/mcp", headers: origin };
    let preflight = with.admit(&head).expect_err("a response").headers;
    let methods = preflight.iter().find(|(name, _)| *name == "Access-Control-Allow-Methods");
    assert_eq!(methods.map(|(_, value)| &**value), Some("GET, POST, DELETE, OPTIONS"));
    let head = RequestHead { method: "PUT", url: "http://localhost/mcp", headers: NONE };
    let allow = |server: &Server| server.admit(&head).expect_err("refused").headers.swap_remove(0).1;
    assert_eq!(allow(&with), "GET, POST, DELETE, OPTIONS");
    assert_eq!(allow(&without), "POST, OPTIONS");
}

#[test]
fn a_get_request_gets_a_new_stream_or_the_rest_of_one() {
    let server = server(r#","supportedVersions":["2026-07-28","2025-11-25"]"#);
    let session = opened(&server, "2025-11-25");
    let known = Presented::Known(&session);
    let after = |stream, number| Ok(Resumption::After { stream, number });
    type Row<'a> = (&'a [(&'a str, &'a str)], Presented<'a>, Result<Resumption<'a>, u16>);
    let cases: [Row<'_>; 16] = [
        (&[], known, Ok(Resumption::Fresh)),
        (&[], Presented::Missing, Err(400)),
        (&[], Presented::Unknown, Err(404)),
        (&[], Presented::None, Err(405)),
        (&[("mcp-protocol-version", "2025-11-25")], known, Ok(Resumption::Fresh)),
        (&[("mcp-protocol-version", "2025-06-18")], known, Err(400)),
        (&[("mcp-protocol-version", "nonsense")], known, Err(400)),
        (&[("mcp-protocol-version", "2026-07-28")], known, Err(405)),
        (&[("last-event-id", "abc-0")], known, after("abc", 0)),
        (&[("Last-Event-ID", "a1-18446744073709551615")], known, after("a1", u64::MAX)),
        (&[("last-event-id", "a1-18446744073709551616")], known, Err(400)),
        (&[("last-event-id", "abc-007")], known, Err(400)),
        (&[("last-event-id", "abc-+7")], known, Err(400)),
        (&[("last-event-id", "abc")], known, Err(400)),
        (&[("last-event-id", "-1")], known, Err(400)),
        (&[("last-event-id", "")], known, Err(400)),
    ];
    for (headers, presented, expected) in cases {
        let opened = server.open_stream(headers, presented);
        let opened = opened.map(|(_, resumption)| resumption).map_err(|response: Response| response.status);
        assert_eq!(opened, expected, "{headers:?} {presented:?}");
    }
    let long = format!("{}-1", "a".repeat(65));
    assert_eq!(Resumption::read(Some(&long)), None);
    assert!(server.end_session(NONE, known).is_ok());
    assert_eq!(server.end_session(NONE, Presented::Unknown).expect_err("refused").status, 404);
}

#[test]
fn only_clients_that_can_read_it_get_an_event_without_data() {
    for (version, expected) in [
        (ProtocolVersion::V2024_11_05, None),
        (ProtocolVersion::V2025_03_26, None),
        (ProtocolVersion::V2025_06_18, None),
        (ProtocolVersion::V2025_11_25, Some("id: abc-0\nretry: 1000\ndata: \n\n")),
    ] {
        assert_eq!(priming(version, "abc", 1000).as_deref(), expected, "{version}");
    }
}

#[test]
fn a_channel_of_ones_own_needs_no_session_and_opens_one_with_initialize() {
    // With sessions over HTTP and without: a pipe is one client's in either case.
    for more in ["", r#","legacy":"stateless""#] {
        let definition = format!(r#"{{"name":"s","version":"1","capabilities":{{"logging":{{}}}}{more}}}"#);
        let server = Server::new(Raw::parse(definition.as_bytes()).expect("JSON")).expect("a definition");
        let own = Channel { streams: true, session: Presented::Unopened, ..Channel::default() };
        let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
        assert!(matches!(server.handle_message(ping.as_bytes(), &own), Step::Reply(_)), "answered by itself");
        let initialize = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26"}}"#;
        let Step::Session(reply, session) = server.handle_message(initialize.as_bytes(), &own) else {
            panic!("a session")
        };
        assert_eq!(reply.status, 200);
        assert_eq!(session.version.as_str(), "2025-03-26");
        let opened = Channel { streams: true, session: Presented::Known(&session), ..Channel::default() };
        let level = r#"{"jsonrpc":"2.0","id":2,"method":"logging/setLevel","params":{"level":"error"}}"#;
        let Step::Session(_, session) = server.handle_message(level.as_bytes(), &opened) else { panic!("a level") };
        assert_eq!(session.log_level, Some(LogLevel::Error));
        let cancelled = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}"#;
        assert!(matches!(server.handle_message(cancelled.as_bytes(), &opened), Step::Cancel(_)));
    }
}
