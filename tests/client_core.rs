//! What a transcript cannot show: facts about the runtime, sizes, and the clock.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

use mcp_duet::client::negotiation::Mode;
use mcp_duet::client::{
    Client, Code, Event, Exchange, Head, Input, Options, Output, Params, Payload, Request, RequestOptions,
};

/// Everything that the client has to say until it waits.
fn drain(client: &mut Client) -> Vec<Output> {
    let mut all = Vec::new();
    loop {
        match client.poll_output() {
            Output::Wait { .. } => return all,
            output => all.push(output),
        }
    }
}

fn sent(outputs: &[Output]) -> Vec<(Exchange, String)> {
    outputs
        .iter()
        .filter_map(|output| match output {
            Output::Send(outbound) => Some((outbound.exchange, outbound.body.clone().wrap(""))),
            _ => None,
        })
        .collect()
}

fn answer(client: &mut Client, exchange: Exchange, body: &str) {
    let head = Head { status: 200, content_type: Some("application/json"), ..Head::default() };
    client.handle_input(Input::Head(exchange, head), 0);
    client.handle_input(Input::Body(exchange, body.as_bytes()), 0);
}

fn connected() -> Client {
    connected_as(Options::default())
}

/// A client with these options that is connected to a modern server.
fn connected_as(options: Options) -> Client {
    let mut client = Client::new(options);
    client.connect(0);
    let (exchange, _) = sent(&drain(&mut client))[0].clone();
    answer(
        &mut client,
        exchange,
        r#"{"jsonrpc":"2.0","id":"discover-1","result":{"supportedVersions":["2026-07-28"],"capabilities":{}}}"#,
    );
    drain(&mut client);
    client
}

fn request(method: &str) -> Request<'_> {
    Request { method, params: Params::None, meta: None, name: None, options: RequestOptions::default() }
}

#[test]
fn a_browser_that_refuses_the_first_request_tries_legacy_once_and_remembers_only_briefly() {
    // CN-10
    let mut client = Client::new(Options { browser: true, ..Options::default() });
    client.connect(0);
    let (probe, _) = sent(&drain(&mut client))[0].clone();
    client.handle_input(Input::Failed(probe, "Failed to fetch"), 0);
    let (handshake, text) = sent(&drain(&mut client))[0].clone();
    assert!(text.contains("\"initialize\"") && text.contains("\"id\":1,"), "{text}");
    answer(
        &mut client,
        handshake,
        r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{}}}"#,
    );
    let (notice, _) = sent(&drain(&mut client))[0].clone();
    client.handle_input(Input::Head(notice, Head { status: 202, ..Head::default() }), 0);
    let brief = drain(&mut client).into_iter().find_map(|output| match output {
        Output::Event(Event::Connected(connected)) => Some(connected.brief),
        _ => None,
    });
    assert_eq!(brief, Some(true));
}

#[test]
fn a_browser_that_refuses_both_is_told_which_headers_to_allow() {
    let mut client = Client::new(Options { browser: true, ..Options::default() });
    client.connect(0);
    let mut failed = None;
    for _ in 0..2 {
        let outputs = drain(&mut client);
        let (exchange, _) = sent(&outputs)[0].clone();
        client.handle_input(Input::Failed(exchange, "Failed to fetch"), 0);
    }
    for output in drain(&mut client) {
        if let Output::Event(Event::ConnectFailed(failure)) = output {
            failed = Some(failure);
        }
    }
    let failure = failed.expect("a failure");
    assert_eq!(failure.code, Code::Network);
    for header in ["mcp-protocol-version", "mcp-method", "mcp-name", "mcp-session-id"] {
        assert!(failure.message.contains(header), "{failure}");
    }
}

/// The message of the call that has failed.
fn failure_of(outputs: Vec<Output>) -> String {
    let failed = outputs.into_iter().find_map(|output| match output {
        Output::Event(Event::Failed(_, failure)) => Some(failure.message),
        _ => None,
    });
    failed.unwrap()
}

#[test]
fn a_call_that_a_browser_does_not_send_is_told_which_headers_to_allow_those_of_its_parameters_too() {
    // CT-25, CT-26
    for (browser, hints) in [(true, true), (false, false)] {
        let mut client = connected_as(Options { browser, ..Options::default() });
        client.request(&request("tools/list"), 0);
        let (list, _) = sent(&drain(&mut client))[0].clone();
        let region = r#"{"region":{"type":"string","x-mcp-header":"Region"}}"#;
        let schema = format!(r#"{{"type":"object","properties":{region}}}"#);
        let tools = format!(r#"{{"tools":[{{"name":"run_sql","inputSchema":{schema}}}],"resultType":"complete"}}"#);
        answer(&mut client, list, &format!(r#"{{"jsonrpc":"2.0","id":1,"result":{tools}}}"#));
        drain(&mut client);
        let params = Params::Text(r#""name":"run_sql","arguments":{"region":"eu"}"#);
        client.request(&Request { params, name: Some("run_sql"), ..request("tools/call") }, 0);
        let outputs = drain(&mut client);
        let headers = outputs.iter().find_map(|output| match output {
            Output::Send(outbound) => Some(outbound.headers.clone()),
            _ => None,
        });
        assert!(headers.unwrap().iter().any(|(name, value)| name == "Mcp-Param-Region" && value == "eu"));
        client.handle_input(Input::Failed(sent(&outputs)[0].0, "Failed to fetch"), 0);
        let message = failure_of(drain(&mut client));
        for header in ["content-type", "mcp-protocol-version", "mcp-method", "mcp-name", "Mcp-Param-Region"] {
            assert_eq!(message.contains(header), hints, "{header}: {message}");
        }
    }
}

#[test]
fn a_call_that_a_browser_may_not_have_sent_yet_says_so_when_its_time_is_over() {
    // CT-32
    for (browser, begins, hints) in [(true, false, true), (true, true, false), (false, false, false)] {
        let mut client = connected_as(Options { browser, ..Options::default() });
        client.request(&request("tools/list"), 0);
        let (list, _) = sent(&drain(&mut client))[0].clone();
        if begins {
            let content_type = Some("text/event-stream");
            client.handle_input(Input::Head(list, Head { status: 200, content_type, ..Head::default() }), 0);
            drain(&mut client);
        }
        client.handle_input(Input::Time, 30_000);
        let message = failure_of(drain(&mut client));
        assert_eq!(message.contains("six streams"), hints, "{browser} {begins}: {message}");
    }
}

/// A client that is connected to a legacy server without a session id; its request has been refused with that status.
fn refused_without_session(browser: bool, status: u16) -> String {
    let mut client = Client::new(Options { browser, mode: Mode::Legacy, ..Options::default() });
    client.connect(0);
    let (handshake, _) = sent(&drain(&mut client))[0].clone();
    let initialized = r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{}}}"#;
    answer(&mut client, handshake, initialized);
    let (notice, _) = sent(&drain(&mut client))[0].clone();
    client.handle_input(Input::Head(notice, Head { status: 202, ..Head::default() }), 0);
    drain(&mut client);
    client.request(&request("tools/list"), 0);
    let (exchange, _) = sent(&drain(&mut client))[0].clone();
    client.handle_input(Input::Head(exchange, Head { status, content_type: Some("text/plain"), ..Head::default() }), 0);
    client.handle_input(Input::Body(exchange, b"no session"), 0);
    failure_of(drain(&mut client))
}

#[test]
fn a_page_that_may_not_see_its_session_is_told_which_header_to_expose() {
    // CA-03
    for (browser, status, hints) in
        [(true, 400, true), (true, 404, true), (true, 403, false), (true, 500, false), (false, 400, false)]
    {
        let message = refused_without_session(browser, status);
        assert_eq!(message.contains("must expose mcp-session-id"), hints, "{browser} {status}: {message}");
    }
}

#[test]
fn a_large_message_of_a_stream_is_handed_out_and_taken_back() {
    let mut client = connected();
    let call = client.request(&request("tools/list"), 0);
    let (exchange, _) = sent(&drain(&mut client))[0].clone();
    let head = Head { status: 200, content_type: Some("text/event-stream"), ..Head::default() };
    client.handle_input(Input::Head(exchange, head), 0);
    let message = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"tools":[],"x":"{}"}}}}"#, "北".repeat(10_000));
    client.handle_input(Input::Chunk(exchange, format!("data: {message}\n\n").as_bytes()), 0);
    let text = drain(&mut client).into_iter().find_map(|output| match output {
        Output::Event(Event::Body(of, text)) if of == exchange => Some(text),
        _ => None,
    });
    assert_eq!(text.as_deref(), Some(message.as_str()));
    client.handle_input(Input::Body(exchange, message.as_bytes()), 0);
    let ended = drain(&mut client).into_iter().any(
        |output| matches!(output, Output::Event(Event::Result(of, Payload::Text(text))) if of == call && text.contains('北')),
    );
    assert!(ended, "the call has its result");
}

#[test]
fn progress_that_was_handed_out_starts_the_timeout_anew_when_it_is_told_of() {
    let mut client = connected();
    let options =
        RequestOptions { timeout: Some(100), progress: true, reset_on_progress: true, ..RequestOptions::default() };
    let call = client.request(&Request { options, ..request("tools/call") }, 0);
    let (exchange, _) = sent(&drain(&mut client))[0].clone();
    let head = Head { status: 200, content_type: Some("text/event-stream"), ..Head::default() };
    client.handle_input(Input::Head(exchange, head), 0);
    let message = r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}"#;
    client.handle_input(Input::Chunk(exchange, format!("data: {message}\n\n").as_bytes()), 0);
    let handed_out = drain(&mut client)
        .into_iter()
        .any(|output| matches!(output, Output::Event(Event::Body(of, text)) if of == exchange && text == message));
    assert!(handed_out, "small as it is");
    client.handle_input(Input::Progress(exchange), 90);
    client.handle_input(Input::Time, 150);
    assert!(drain(&mut client).is_empty(), "100 from 90 on");
    client.handle_input(Input::Time, 190);
    let ended = drain(&mut client)
        .into_iter()
        .any(|output| matches!(output, Output::Event(Event::Failed(of, failure)) if of == call && failure.code == Code::TimedOut));
    assert!(ended, "it comes to its end all the same");
}

#[test]
fn an_event_over_the_limit_fails_its_call_and_no_other() {
    let mut client = connected();
    let call = client.request(&request("tools/list"), 0);
    let other = client.request(&request("prompts/list"), 0);
    let exchanges = sent(&drain(&mut client));
    let head = Head { status: 200, content_type: Some("text/event-stream"), ..Head::default() };
    client.handle_input(Input::Head(exchanges[0].0, head), 0);
    let piece = vec![b'a'; 1 << 20];
    client.handle_input(Input::Chunk(exchanges[0].0, b"data: "), 0);
    let mut failed = None;
    for _ in 0..20 {
        client.handle_input(Input::Chunk(exchanges[0].0, &piece), 0);
        for output in drain(&mut client) {
            if let Output::Event(Event::Failed(of, failure)) = output {
                assert!(failed.replace((of, failure.code)).is_none(), "it fails once");
            }
        }
    }
    assert_eq!(failed, Some((call, Code::TooLarge)));
    answer(&mut client, exchanges[1].0, r#"{"jsonrpc":"2.0","id":2,"result":{"prompts":[]}}"#);
    let ended = drain(&mut client)
        .into_iter()
        .any(|output| matches!(output, Output::Event(Event::Result(of, _)) if of == other));
    assert!(ended, "the other call has its result");
}

#[test]
fn a_client_that_waits_for_nothing_asks_for_no_timer() {
    let mut client = connected();
    client.request(&request("tools/list"), 5_000);
    let (exchange, _) = sent(&drain(&mut client))[0].clone();
    assert!(matches!(client.poll_output(), Output::Wait { until: Some(35_000), .. }));
    answer(&mut client, exchange, r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}"#);
    drain(&mut client);
    assert!(matches!(client.poll_output(), Output::Wait { until: None, .. }));
}

/// A client that has agreed on an old version, and the answers so far.
fn connected_to(version: &str) -> Client {
    let mut client = Client::new(Options { mode: Mode::Legacy, ..Options::default() });
    client.connect(0);
    let (exchange, _) = sent(&drain(&mut client))[0].clone();
    let result = format!(r#"{{"protocolVersion":"{version}","capabilities":{{}}}}"#);
    answer(&mut client, exchange, &format!(r#"{{"jsonrpc":"2.0","id":1,"result":{result}}}"#));
    let (notice, _) = sent(&drain(&mut client))[0].clone();
    client.handle_input(Input::Head(notice, Head { status: 202, ..Head::default() }), 0);
    drain(&mut client);
    client
}

#[test]
fn a_server_of_an_old_revision_gets_only_the_parameters_that_it_has() {
    let params =
        r#""ref":{"type":"ref/prompt","name":"p","title":"P"},"argument":{"name":"a","value":""},"context":{}"#;
    for (version, is_whole) in [("2025-11-25", true), ("2025-06-18", true), ("2025-03-26", false)] {
        let expected = if is_whole {
            params
        } else {
            r#""ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":""}"#
        };
        let mut client = connected_to(version);
        client.request(&Request { params: Params::Text(params), ..request("completion/complete") }, 0);
        let (_, text) = sent(&drain(&mut client))[0].clone();
        assert!(text.ends_with(&[r#""params":{"#, expected, "}}"].concat()), "{version}: {text}");

        // The driver holds them: the core asks for them where it has to look, and only there.
        let call = client.request(&Request { params: Params::Held, ..request("completion/complete") }, 0);
        let outputs = drain(&mut client);
        let asks = outputs.iter().any(|output| matches!(output, Output::Mirror(of) if *of == call));
        assert_eq!(asks, !is_whole, "{version}: {outputs:?}");
        if asks {
            client.handle_input(Input::Arguments(call, ["{", params, "}"].concat().as_bytes()), 0);
            let (_, text) = sent(&drain(&mut client))[0].clone();
            assert!(text.ends_with(&[r#""params":{"#, expected, "}}"].concat()), "{version}: {text}");
        }
    }
}

fn failed(outputs: &[Output]) -> Option<Code> {
    outputs.iter().find_map(|output| match output {
        Output::Event(Event::Failed(_, failure)) => Some(failure.code),
        _ => None,
    })
}

#[test]
fn a_step_of_the_opening_goes_out_again_when_what_carried_it_is_gone_and_what_comes_for_the_first_is_ignored() {
    let mut client = Client::new(Options::default());
    client.request(&request("tools/list"), 0);
    let (first, probe) = sent(&drain(&mut client))[0].clone();
    // Later than the first attempt was allowed to take: the second has its own time.
    client.handle_input(Input::Orphaned(first), 1_000_000);
    let (second, again) = sent(&drain(&mut client))[0].clone();
    assert_eq!(probe.replace("discover-1", "discover-2"), again);
    client.handle_input(Input::Time, 1_000_001);
    client.handle_input(Input::Failed(first, "gone"), 1_000_001);
    client.handle_input(Input::Orphaned(first), 1_000_001);
    assert!(drain(&mut client).is_empty());
    answer(
        &mut client,
        second,
        r#"{"jsonrpc":"2.0","id":"discover-2","result":{"supportedVersions":["2026-07-28"],"capabilities":{}}}"#,
    );
    let (_, list) = sent(&drain(&mut client))[0].clone();
    assert!(list.contains("tools/list"), "{list}");
}

#[test]
fn a_call_whose_carrier_is_gone_fails_once_as_lost() {
    let mut client = connected();
    client.request(&request("tools/call"), 0);
    let (exchange, _) = sent(&drain(&mut client))[0].clone();
    client.handle_input(Input::Orphaned(exchange), 0);
    assert_eq!(failed(&drain(&mut client)), Some(Code::ConnectionLost));
    client.handle_input(Input::Orphaned(exchange), 0);
    assert!(drain(&mut client).is_empty());
}
