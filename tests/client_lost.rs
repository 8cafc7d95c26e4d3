//! A channel that exchanges share, and that breaks: a pipe, a port, a socket.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

use mcp_duet::client::{
    Channel, Client, Code, Event, Exchange, Input, Options, Output, Params, Request, RequestOptions,
};

const INITIALIZED: &str = r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{}}}"#;
const REFUSED: &str = r#"{"jsonrpc":"2.0","id":"discover-1","error":{"code":-32601,"message":"no"}}"#;
const DISCOVERED: &str =
    r#"{"jsonrpc":"2.0","id":"discover-1","result":{"supportedVersions":["2026-07-28"],"capabilities":{}}}"#;

fn drain(client: &mut Client) -> (Vec<(Exchange, String)>, Vec<Event>) {
    let (mut sent, mut events) = (Vec::new(), Vec::new());
    loop {
        match client.poll_output() {
            Output::Wait { .. } => return (sent, events),
            Output::Send(outbound) => sent.push((outbound.exchange, outbound.body.wrap(""))),
            Output::Event(event) => events.push(event),
            _ => {}
        }
    }
}

fn pipe() -> Client {
    Client::new(Options { channel: Channel::LocalPipe, ..Options::default() })
}

fn say(client: &mut Client, text: &str) {
    client.handle_input(Input::Message(Exchange(0), text.as_bytes()), 0);
}

fn request(method: &str) -> Request<'_> {
    Request { method, params: Params::None, meta: None, name: None, options: RequestOptions::default() }
}

/// Answers the handshake of a legacy server, from the `initialize` that is out.
fn shake_hands(client: &mut Client) -> Vec<(Exchange, String)> {
    say(client, INITIALIZED);
    let (sent, _) = drain(client);
    assert!(sent[0].1.contains("notifications/initialized"), "{}", sent[0].1);
    client.handle_input(Input::End(sent[0].0), 0);
    drain(client).0
}

fn failures(events: &[Event]) -> Vec<Code> {
    let failure = |event: &Event| match event {
        Event::Failed(_, failure) => Some(failure.code),
        _ => None,
    };
    events.iter().filter_map(failure).collect()
}

#[test]
fn a_lost_legacy_channel_fails_what_was_open_and_the_next_request_shakes_hands_again() {
    let mut client = pipe();
    client.connect(0);
    drain(&mut client);
    say(&mut client, REFUSED);
    let (sent, _) = drain(&mut client);
    assert!(sent[0].1.contains("2025-11-25"), "{}", sent[0].1);
    shake_hands(&mut client);
    client.request(&request("tools/list"), 0);
    client.request(&request("prompts/list"), 0);
    drain(&mut client);
    client.handle_input(Input::Lost("the program has ended"), 0);
    let (sent, events) = drain(&mut client);
    assert!(sent.is_empty(), "{sent:?}");
    assert_eq!(failures(&events), [Code::ConnectionLost, Code::ConnectionLost]);

    client.request(&request("tools/list"), 0);
    let (sent, _) = drain(&mut client);
    assert_eq!(sent.len(), 1);
    assert!(
        sent[0].1.contains("\"initialize\"") && sent[0].1.contains("2025-06-18"),
        "the known version: {}",
        sent[0].1
    );
    let sent = shake_hands(&mut client);
    assert!(sent[0].1.contains("tools/list"), "{}", sent[0].1);
    say(&mut client, r#"{"jsonrpc":"2.0","id":2,"result":{"tools":[]}}"#);
    assert!(drain(&mut client).1.iter().any(|event| matches!(event, Event::Result(..))));
}

#[test]
fn a_server_that_is_modern_after_the_loss_is_found_out() {
    let mut client = pipe();
    client.connect(0);
    drain(&mut client);
    say(&mut client, REFUSED);
    drain(&mut client);
    shake_hands(&mut client);
    client.handle_input(Input::Lost("gone"), 0);
    client.connect(0);
    drain(&mut client);
    say(&mut client, r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"modern only"}}"#);
    let (sent, _) = drain(&mut client);
    assert!(sent[0].1.contains("server/discover"), "{}", sent[0].1);
}

#[test]
fn a_lost_modern_channel_needs_no_handshake() {
    let mut client = pipe();
    client.connect(0);
    drain(&mut client);
    say(&mut client, DISCOVERED);
    client.request(&request("tools/list"), 0);
    drain(&mut client);
    client.handle_input(Input::Lost("gone"), 0);
    let (sent, events) = drain(&mut client);
    assert!(sent.is_empty(), "nothing goes out again by itself: {sent:?}");
    assert_eq!(failures(&events), [Code::ConnectionLost]);
    client.request(&request("tools/list"), 0);
    let (sent, _) = drain(&mut client);
    assert!(sent[0].1.contains("\"tools/list\""), "{}", sent[0].1);
}

#[test]
fn a_channel_that_is_lost_over_the_probe_is_a_legacy_server_once() {
    let mut client = pipe();
    client.connect(0);
    drain(&mut client);
    client.handle_input(Input::Lost("the program has ended"), 0);
    let (sent, _) = drain(&mut client);
    assert!(sent[0].1.contains("\"initialize\""), "{}", sent[0].1);
    client.handle_input(Input::Lost("the program has ended"), 0);
    let (sent, events) = drain(&mut client);
    assert!(sent.is_empty(), "{sent:?}");
    assert!(matches!(&events[0], Event::ConnectFailed(failure) if failure.message.contains("has ended")));
}

#[test]
fn a_loss_while_nothing_is_open_is_no_failure() {
    let mut client = pipe();
    client.handle_input(Input::Lost("gone"), 0);
    let (sent, events) = drain(&mut client);
    assert!(sent.is_empty() && events.is_empty(), "{sent:?} {events:?}");
}
