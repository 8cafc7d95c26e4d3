//! The client's transcripts, replayed against the core; every stream also byte by byte and all at once.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod support;

use serde_json::Value;
use support::replay::{Cut, replay};

fn transcripts() -> Vec<(String, Value)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client-transcripts");
    let mut all = Vec::new();
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    for path in files.into_iter().filter(|path| path.extension().is_some_and(|extension| extension == "json")) {
        let text = std::fs::read_to_string(&path).unwrap();
        let list: Vec<Value> = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path:?}: {error}"));
        all.extend(list.into_iter().map(|one| (path.display().to_string(), one)));
    }
    all
}

/// Replays all of them and says which ones differ, not only the first.
fn replay_all(cut: Cut) {
    let all = transcripts();
    assert!(all.len() > 40, "the corpus is not there");
    let failed: Vec<_> = all
        .iter()
        .filter(|(_, transcript)| std::panic::catch_unwind(|| replay(transcript, cut)).is_err())
        .map(|(file, transcript)| format!("{file}: {}", transcript["name"]))
        .collect();
    assert!(failed.is_empty(), "these differ:\n{}", failed.join("\n"));
}

#[test]
fn every_transcript_is_replayed_as_it_is_written() {
    replay_all(Cut::AsWritten);
}

#[test]
fn every_transcript_is_the_same_one_byte_at_a_time() {
    replay_all(Cut::Bytes);
}

#[test]
fn every_transcript_is_the_same_all_at_once() {
    replay_all(Cut::Whole);
}
