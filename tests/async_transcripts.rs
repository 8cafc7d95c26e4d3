//! The client's transcripts, replayed against the asynchronous client.
#![cfg(not(target_arch = "wasm32"))]
#![cfg(feature = "client")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod support;

use mcp_duet::client::Verb;
use mcp_duet::client::driver::{Answer, AsyncClient, Body, BoxFuture, Outgoing, Piece};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::future::{pending, poll_fn};
use std::rc::Rc;
use std::task::{Poll, Waker};
use support::async_replay::{End, Reply, SharedScript, Then, replay};
use support::executor::World;
use support::script::ENDPOINT;

/// A body: what is left of it, how it ends, and who waits for more.
struct Scripted {
    chunks: VecDeque<Vec<u8>>,
    end: End,
    waker: Option<Waker>,
}

type Shared = Rc<RefCell<Scripted>>;

fn scripted(chunks: impl Into<VecDeque<Vec<u8>>>, end: End) -> Shared {
    Rc::new(RefCell::new(Scripted { chunks: chunks.into(), end, waker: None }))
}

struct Reader(Shared);

impl Body for Reader {
    fn next(&mut self) -> BoxFuture<'_, Piece> {
        Box::pin(poll_fn(move |context| {
            let mut body = self.0.borrow_mut();
            match (body.chunks.pop_front(), body.end) {
                (None, End::Open) => {
                    body.waker = Some(context.waker().clone());
                    Poll::Pending
                }
                (None, End::Break) => Poll::Ready(Err("broken".to_owned())),
                (piece, _) => Poll::Ready(Ok(piece)),
            }
        }))
    }
}

/// More comes over the stream that is open.
fn say(open: &RefCell<Option<Shared>>, then: Then) {
    if let Some(open) = &*open.borrow() {
        let mut body = open.borrow_mut();
        body.chunks.extend(then.chunks);
        if then.ends {
            body.end = End::Close;
        }
        if let Some(waker) = body.waker.take() {
            waker.wake();
        }
    }
}

/// The scripted server gets the request at once, before its answer is waited for.
fn serve(
    script: &SharedScript,
    open: &Rc<RefCell<Option<Shared>>>,
    outgoing: &Outgoing,
) -> BoxFuture<'static, Result<Answer, String>> {
    let verb = match outgoing.verb {
        Verb::Message => "MESSAGE",
        Verb::Post => "POST",
        Verb::Get => "GET",
        Verb::Delete => "DELETE",
    };
    let headers: Vec<_> =
        outgoing.headers.iter().map(|(name, value)| (name.clone().into_owned(), value.clone().into_owned())).collect();
    let reply =
        script.borrow_mut().receive(verb, outgoing.url.as_deref().unwrap_or(ENDPOINT), &headers, &outgoing.body);
    let open = Rc::clone(open);
    Box::pin(async move {
        match reply {
            Reply::Silence => pending().await,
            Reply::NetworkError(message) => Err(message),
            Reply::Messages(messages) => Ok(Answer::Messages(Box::new(Reader(scripted(messages, End::Close))))),
            Reply::Http { status, headers, chunks, end, then } => {
                say(&open, then);
                let body = scripted(chunks, end);
                if end == End::Open {
                    open.replace(Some(Rc::clone(&body)));
                }
                Ok(Answer::Http { status, status_text: String::new(), headers, body: Box::new(Reader(body)) })
            }
        }
    })
}

#[test]
fn every_transcript_is_the_same_through_the_asynchronous_client() {
    let mut faults = Vec::new();
    let transcripts = support::script::transcripts();
    let folder = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client-transcripts")).unwrap();
    let files = folder.filter(|entry| entry.as_ref().unwrap().path().extension().is_some_and(|end| end == "json"));
    assert_eq!(files.count(), support::script::FILES.len(), "a file of the corpus is not in the list");
    for transcript in transcripts {
        let world = World::default();
        let runtime = world.clone();
        let found = world.run(replay(
            &transcript,
            move |options, hooks, script| {
                let open = Rc::default();
                let transport = move |outgoing: Outgoing| serve(&script, &open, &outgoing);
                AsyncClient::new(options, transport, runtime, hooks)
            },
            |_| {
                let world = world.clone();
                async move { while world.settle() {} }
            },
        ));
        faults.extend(found.into_iter().map(|fault| format!("{}: {fault}", transcript["name"])));
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}
