//! The client's transcripts, replayed against the asynchronous client.
#![cfg(not(target_arch = "wasm32"))]
#![cfg(feature = "client")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod support;

use mcp_duet::client::Verb;
use mcp_duet::client::driver::{Answer, AsyncClient, Body, BoxFuture, Outgoing, Piece};
use std::collections::VecDeque;
use std::future::pending;
use support::async_replay::{End, Reply, SharedScript, replay};
use support::executor::World;

struct Scripted(VecDeque<Vec<u8>>, End);

impl Body for Scripted {
    fn next(&mut self) -> BoxFuture<'_, Piece> {
        let piece = self.0.pop_front();
        let end = self.1;
        Box::pin(async move {
            match (piece, end) {
                (None, End::Open) => pending().await,
                (None, End::Break) => Err("broken".to_owned()),
                (piece, _) => Ok(piece),
            }
        })
    }
}

/// The scripted server gets the request at once, before its answer is waited for.
fn serve(script: &SharedScript, outgoing: &Outgoing) -> BoxFuture<'static, Result<Answer, String>> {
    let verb = match outgoing.verb {
        Verb::Message => "MESSAGE",
        Verb::Post => "POST",
        Verb::Get => "GET",
        Verb::Delete => "DELETE",
    };
    let headers: Vec<_> =
        outgoing.headers.iter().map(|(name, value)| (name.clone().into_owned(), value.clone().into_owned())).collect();
    let reply = script.borrow_mut().receive(verb, &headers, &outgoing.body);
    Box::pin(async move {
        match reply {
            Reply::Silence => pending().await,
            Reply::NetworkError(message) => Err(message),
            Reply::Messages(messages) => Ok(Answer::Messages(Box::new(Scripted(messages.into(), End::Close)))),
            Reply::Http { status, headers, chunks, end } => Ok(Answer::Http {
                status,
                status_text: String::new(),
                headers,
                body: Box::new(Scripted(chunks.into(), end)),
            }),
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
                let transport = move |outgoing: Outgoing| serve(&script, &outgoing);
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
