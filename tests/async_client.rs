//! The asynchronous client over transports that are closures, on a clock that jumps to the next timer.
#![cfg(not(target_arch = "wasm32"))]
#![cfg(all(feature = "client", feature = "server"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod support;

use mcp_duet::client::driver::{Answer, AsyncClient, Body, BoxFuture, Hooks, Outgoing, Piece};
use mcp_duet::client::{Channel, Code, Options, RequestOptions, Verb};
use mcp_duet::protocol::json::Raw;
use mcp_duet::protocol::jsonrpc::{Message, result_response};
use mcp_duet::protocol::version::Era;
use mcp_duet::server::{self, Server, Step};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::future::{Future, pending};
use std::pin::pin;
use std::rc::Rc;
use std::task::{Context, Waker};
use support::executor::World;

/// A body in pieces; sets a flag when it is let go.
struct Pieces {
    pieces: VecDeque<Vec<u8>>,
    endless: bool,
    let_go: Rc<Cell<bool>>,
}

impl Body for Pieces {
    fn next(&mut self) -> BoxFuture<'_, Piece> {
        let piece = self.pieces.pop_front();
        let endless = self.endless && piece.is_none();
        Box::pin(async move { if endless { pending().await } else { Ok(piece) } })
    }
}

impl Drop for Pieces {
    fn drop(&mut self) {
        self.let_go.set(true);
    }
}

fn stream(text: &str, size: usize, endless: bool, let_go: &Rc<Cell<bool>>) -> Answer {
    Answer::Http {
        status: 200,
        status_text: "OK".to_owned(),
        headers: vec![("Content-Type".to_owned(), "text/event-stream".to_owned())],
        body: Box::new(Pieces {
            pieces: text.as_bytes().chunks(size).map(<[u8]>::to_vec).collect(),
            endless,
            let_go: Rc::clone(let_go),
        }),
    }
}

/// A server of ours behind HTTP, as a transport.
fn served(definition: &str) -> impl Fn(Outgoing) -> BoxFuture<'static, Result<Answer, String>> + 'static {
    let server = Rc::new(Server::new(Raw::parse(definition.as_bytes()).unwrap()).unwrap());
    move |outgoing: Outgoing| -> BoxFuture<'static, Result<Answer, String>> {
        let server = Rc::clone(&server);
        Box::pin(async move {
            let headers: Vec<_> = outgoing.headers.iter().map(|(name, value)| (&**name, &**value)).collect();
            let channel = server::Channel { headers: Some(&headers), ..server::Channel::default() };
            let reply = match server.handle_message(outgoing.body.as_bytes(), &channel) {
                Step::Reply(reply) => reply,
                Step::Invoke(invocation) => {
                    let text = invocation.arguments().as_text().to_owned();
                    invocation.finish(server::Outcome::Text(text))
                }
                _ => return Ok(Answer::http(202, "", "")),
            };
            let status = reply.status;
            Ok(Answer::http(status, "application/json", reply.into_text()))
        })
    }
}

const WEATHER: &str = r#"{"name":"weather","version":"1","tools":[{"name":"größe","inputSchema":{"type":"object",
    "properties":{"city":{"type":"string","x-mcp-header":"City"}}}}],"resources":[{"uri":"file:///r","name":"r"}]}"#;

fn client(world: &World, transport: impl mcp_duet::client::driver::Transport + 'static) -> AsyncClient {
    AsyncClient::new(Options::default(), transport, world.clone(), Hooks::default())
}

/// The method and the id of what goes out.
fn asked(outgoing: &Outgoing) -> (String, String) {
    match Message::read(Raw::parse(outgoing.body.as_bytes()).unwrap()).unwrap() {
        Message::Request { id, method, .. } => (method.into_owned(), id.as_text().to_owned()),
        Message::Notification { method, .. } => (method.into_owned(), String::new()),
        _ => panic!("a request or a notification"),
    }
}

/// Answers the handshake of a modern server; gives everything else to `other`.
fn modern(
    other: impl Fn(String, String) -> BoxFuture<'static, Result<Answer, String>> + 'static,
) -> impl Fn(Outgoing) -> BoxFuture<'static, Result<Answer, String>> + 'static {
    move |outgoing| {
        let (method, id) = asked(&outgoing);
        if method == "server/discover" {
            let result = r#"{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{},"ttlMs":0,"cacheScope":"private"}"#;
            return Box::pin(async move { Ok(Answer::http(200, "application/json", result_response(&id, result))) });
        }
        other(method, id)
    }
}

#[test]
fn a_client_and_a_server_of_ours_do_the_main_job() {
    let world = World::default();
    let client = client(&world, served(WEATHER));
    world.run(async {
        let connected = client.connect().await.unwrap();
        assert_eq!((connected.era, client.era()), (Era::Modern, Some(Era::Modern)));
        assert!(connected.server_info.unwrap().contains("weather"));
        assert!(client.list_tools().await.unwrap().contains("größe"));
        let result = client.call_tool("größe", r#"{"city":"北京"}"#).await.unwrap();
        assert!(result.contains("北京"), "{result}");
        assert!(client.read_resource("file:///r").await.unwrap().contains("file:///r"));
        let failure = client.call_tool("nobody", "{}").await.unwrap_err();
        assert_eq!((failure.code, failure.rpc.unwrap().code), (Code::Protocol, -32602));
        client.close().await;
        assert_eq!(client.list_tools().await.unwrap_err().code, Code::Closed);
    });
    assert_eq!(world.open_tasks(), 0);
}

#[test]
fn a_request_connects_by_itself_and_many_at_once_share_the_handshake() {
    let world = World::default();
    let discovers = Rc::new(Cell::new(0));
    let inner =
        served(&WEATHER.replace("\"version\":\"1\"", "\"version\":\"1\",\"supportedVersions\":[\"2025-06-18\"]"));
    let transport = {
        let discovers = Rc::clone(&discovers);
        move |outgoing: Outgoing| {
            discovers.set(discovers.get() + usize::from(asked(&outgoing).0 == "server/discover"));
            inner(outgoing)
        }
    };
    let client = client(&world, transport);
    let calls: Vec<_> = (0..5).map(|at| client.call_tool("größe", &format!(r#"{{"city":"{at}"}}"#))).collect();
    world.run(async {
        for (at, call) in calls.into_iter().enumerate() {
            assert!(call.await.unwrap().contains(&format!("\\\"{at}\\\"")));
        }
        assert_eq!(client.connected().unwrap().version, "2025-06-18");
    });
    assert_eq!(discovers.get(), 1);
}

#[test]
fn progress_is_told_before_the_result_at_any_split_of_the_stream() {
    for size in [1, 7, 10_000] {
        let world = World::default();
        let let_go = Rc::new(Cell::new(false));
        let transport = {
            let let_go = Rc::clone(&let_go);
            modern(move |_, id| {
                let text = format!(
                    ": hi\r\n\r\ndata: {{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{{\"progressToken\":{id},\"progress\":1,\"message\":\"北京\"}}}}\r\n\r\ndata: {}\r\n\r\n",
                    result_response(&id, r#"{"resultType":"complete","content":[]}"#)
                );
                let answer = stream(&text, size, true, &let_go);
                Box::pin(async move { Ok(answer) })
            })
        };
        let client = client(&world, transport);
        let heard = Rc::new(RefCell::new(Vec::new()));
        let hook = {
            let heard = Rc::clone(&heard);
            Rc::new(move |params: String| heard.borrow_mut().push(params))
        };
        let options = RequestOptions::default();
        let call = client.request_with("tools/call", Some(r#"{"name":"t","_meta":{"k":1}}"#), options, Some(hook));
        assert!(world.run(call).unwrap().contains("content"));
        assert_eq!(heard.borrow().len(), 1);
        assert!(heard.borrow()[0].contains("北京"));
        while world.jump() {
            world.settle();
        }
        assert!(let_go.get(), "a stream that goes on behind its response is let go");
        assert_eq!(world.open_tasks(), 0);
    }
}

#[test]
fn a_dropped_call_lets_its_stream_go() {
    let world = World::default();
    let let_go = Rc::new(Cell::new(false));
    let transport = {
        let let_go = Rc::clone(&let_go);
        modern(move |_, _| {
            let answer = stream("", 1, true, &let_go);
            Box::pin(async move { Ok(answer) })
        })
    };
    let client = client(&world, transport);
    world.run(client.connect()).unwrap();
    let call = client.call_tool("t", "{}");
    world.settle();
    assert!(!let_go.get());
    drop(call);
    world.settle();
    assert!(let_go.get());
    assert_eq!(world.open_tasks(), 0, "no timer and no exchange is left");
}

#[test]
fn a_silent_server_runs_into_the_timeout() {
    let world = World::default();
    let client = client(&world, modern(|_, _| Box::pin(pending())));
    world.run(client.connect()).unwrap();
    let options = RequestOptions { timeout: Some(500), ..RequestOptions::default() };
    let before = world.now.get();
    let failure = world.run(client.request_with("tools/call", Some(r#"{"name":"t"}"#), options, None)).unwrap_err();
    assert_eq!(failure.code, Code::TimedOut);
    assert_eq!(world.now.get() - before, 500);
    assert_eq!(world.open_tasks(), 0);
}

#[test]
fn a_timeout_beyond_the_longest_timer_is_waited_for_in_parts() {
    let world = World::default();
    let client = client(&world, modern(|_, _| Box::pin(pending())));
    world.run(client.connect()).unwrap();
    let long = 5_000_000_000;
    let options = RequestOptions { timeout: Some(long), ..RequestOptions::default() };
    let failure = world.run(client.request_with("tools/call", Some(r#"{"name":"t"}"#), options, None)).unwrap_err();
    assert_eq!(failure.code, Code::TimedOut);
    assert!(world.now.get() >= long);
    assert_eq!(world.longest.get(), 2_147_483_647);
}

#[test]
fn a_broken_connection_fails_the_call_and_not_the_client() {
    let world = World::default();
    let first = Cell::new(true);
    let transport = modern(move |_, id| {
        let broken = first.replace(false);
        Box::pin(async move {
            if broken {
                return Err("reset by peer".to_owned());
            }
            Ok(Answer::http(200, "application/json", result_response(&id, r#"{"resultType":"complete"}"#)))
        })
    });
    let client = client(&world, transport);
    let failure = world.run(client.call_tool("t", "{}")).unwrap_err();
    assert_eq!(failure.code, Code::Network);
    assert!(failure.message.contains("reset by peer"), "{failure}");
    assert!(world.run(client.call_tool("t", "{}")).is_ok());
}

#[test]
fn all_pages_of_a_list_come_as_one() {
    let world = World::default();
    let page = Cell::new(0);
    let transport = modern(move |_, id| {
        page.set(page.get() + 1);
        let cursor = if page.get() < 3 { format!(",\"nextCursor\":\"{}\"", page.get()) } else { String::new() };
        let result = format!(
            r#"{{"resultType":"complete","ttlMs":0,"cacheScope":"private","prompts":[{{"name":"p{}"}}]{cursor}}}"#,
            page.get()
        );
        Box::pin(async move { Ok(Answer::http(200, "application/json", result_response(&id, &result))) })
    });
    let result = world.run(client(&world, transport).list_prompts()).unwrap();
    assert!(
        result.contains(r#"[{"name":"p1"},{"name":"p2"},{"name":"p3"}]"#) && !result.contains("nextCursor"),
        "{result}"
    );
}

#[test]
fn parameters_that_are_no_object_are_refused_before_anything_is_sent() {
    let world = World::default();
    let client =
        client(&world, |_: Outgoing| -> BoxFuture<'static, Result<Answer, String>> { panic!("nothing is sent") });
    for params in ["", "[1]", "{", "null"] {
        let failure = world.run(client.request("tools/call", Some(params))).unwrap_err();
        assert_eq!(failure.code, Code::InvalidArgument, "{params}");
    }
}

#[test]
fn a_call_may_be_made_from_inside_a_hook() {
    let world = World::default();
    let transport = modern(|method, id| {
        let text = format!(
            "data: {{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{{\"level\":\"info\",\"data\":1}}}}\n\ndata: {}\n\n",
            result_response(&id, r#"{"resultType":"complete"}"#)
        );
        let body = if method == "tools/call" {
            text
        } else {
            format!("data: {}\n\n", result_response(&id, r#"{"resultType":"complete"}"#))
        };
        Box::pin(async move { Ok(Answer::http(200, "text/event-stream", body)) })
    });
    let slot: Rc<RefCell<Option<AsyncClient>>> = Rc::default();
    let inner = Rc::new(RefCell::new(Vec::new()));
    let hooks = {
        let (slot, inner) = (Rc::clone(&slot), Rc::clone(&inner));
        Hooks {
            notification: Some(Rc::new(move |_| {
                let client = slot.borrow().clone().unwrap();
                inner.borrow_mut().push(client.read_resource("file:///r"));
            })),
            ..Hooks::default()
        }
    };
    let client = AsyncClient::new(Options::default(), transport, world.clone(), hooks);
    slot.replace(Some(client.clone()));
    assert!(world.run(client.call_tool("t", "{}")).is_ok());
    let call = inner.borrow_mut().pop().unwrap();
    assert!(world.run(call).is_ok());
    slot.take();
}

#[test]
fn a_function_from_message_to_reply_is_a_transport() {
    let world = World::default();
    let server = Rc::new(Server::new(Raw::parse(WEATHER.as_bytes()).unwrap()).unwrap());
    let transport = move |outgoing: Outgoing| {
        assert_eq!((outgoing.verb, outgoing.headers.len()), (Verb::Message, 0));
        let reply = match server.handle_message(outgoing.body.as_bytes(), &server::Channel::default()) {
            Step::Reply(reply) => Some(reply.into_text()),
            Step::Invoke(invocation) => Some(invocation.finish(server::Outcome::Text("sunny".to_owned())).into_text()),
            _ => None,
        };
        async move { Ok(Answer::message(reply)) }
    };
    let options = Options { channel: Channel::LocalPipe, ..Options::default() };
    let client = AsyncClient::new(options, transport, world.clone(), Hooks::default());
    assert!(world.run(client.call_tool("größe", "{}")).unwrap().contains("sunny"));
    assert_eq!(client.era(), Some(Era::Modern));
}

#[test]
fn a_dropped_client_lets_everything_go() {
    let world = World::default();
    let let_go = Rc::new(Cell::new(false));
    let transport = {
        let let_go = Rc::clone(&let_go);
        move |_: Outgoing| {
            let answer = stream("", 1, true, &let_go);
            async move { Ok(answer) }
        }
    };
    let client = client(&world, transport);
    let connecting = client.connect();
    {
        let mut connecting = pin!(connecting);
        assert!(connecting.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        world.settle();
        assert!(world.open_tasks() > 0 && !let_go.get());
    }
    drop(client);
    world.settle();
    assert!(let_go.get());
    assert_eq!(world.open_tasks(), 0);
}
