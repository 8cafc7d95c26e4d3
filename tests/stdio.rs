//! Line framing: one message a line, whatever the pipe does to the bytes.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use mcp_duet::stdio::{LineTooLong, Reader, on_one_line, to_line};
use proptest::prelude::*;

fn lines_of<'a>(mut reader: Reader, pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<Result<String, LineTooLong>> {
    let text = |line: &[u8]| String::from_utf8_lossy(line).into_owned();
    let mut seen = Vec::new();
    for piece in pieces {
        reader.push(piece);
        while let Some(line) = reader.next_line() {
            seen.push(line.map(text));
        }
    }
    seen.extend(reader.finish().map(|line| line.map(text)));
    seen
}

/// The same rows as for the npm package's splitter: bytes, and their lines with a limit of 20; null is one that is too long.
#[test]
fn lines_come_out_whatever_stands_around_them() {
    let rows: Vec<(String, Vec<Option<String>>)> = serde_json::from_str(include_str!("stdio-lines.json")).unwrap();
    for (bytes, expected) in rows {
        for size in [1, 2, 3, 1000] {
            let seen = lines_of(Reader::with_limit(20), bytes.as_bytes().chunks(size));
            let seen: Vec<_> = seen.into_iter().map(Result::ok).collect();
            assert_eq!(seen, expected, "{bytes:?} in pieces of {size}");
        }
    }
}

#[test]
fn a_large_message_comes_out_of_small_reads_whole() {
    let message = format!("{{\"text\":\"{}\"}}", "世".repeat(1_700_000));
    let stream = format!("{message}\n{{}}\n");
    let seen = lines_of(Reader::new(), stream.as_bytes().chunks(64 * 1024));
    assert!(seen == [Ok(message), Ok("{}".to_owned())]);
}

#[test]
fn too_long_a_line_is_reported_once_and_the_next_ones_come() {
    let stream = format!("{{}}\n{}\n[1]\n{}", "x".repeat(100), "y".repeat(100));
    let expected =
        [Ok("{}".to_owned()), Err(LineTooLong { limit: 20 }), Ok("[1]".to_owned()), Err(LineTooLong { limit: 20 })];
    for size in [1, 7, 64, 1000] {
        assert_eq!(lines_of(Reader::with_limit(20), stream.as_bytes().chunks(size)), expected, "in pieces of {size}");
    }
    assert_eq!(LineTooLong { limit: 20 }.to_string(), "a line is longer than 20 bytes");
    let exact = "z".repeat(20);
    assert_eq!(lines_of(Reader::with_limit(20), [exact.as_bytes()]), [Ok(exact.clone())]);
}

#[test]
fn a_message_becomes_exactly_one_line() {
    assert_eq!(to_line("{}"), "{}\n");
    assert_eq!(to_line("{\r\n  \"a\": \"\\n\u{2028}\"\n}"), "{    \"a\": \"\\n\u{2028}\" }\n");
    assert_eq!(on_one_line("[1,\n2]"), "[1, 2]");
}

proptest! {
    #[test]
    fn any_split_gives_the_same_lines(
        lines in prop::collection::vec("[a-z{}\r\u{FEFF}é\u{2028} ]{0,20}", 0..10),
        size in 1_usize..20,
        limit in 5_usize..40,
    ) {
        let stream = lines.join("\n");
        let whole = lines_of(Reader::with_limit(limit), [stream.as_bytes()]);
        prop_assert_eq!(lines_of(Reader::with_limit(limit), stream.as_bytes().chunks(size)), whole);
    }

    #[test]
    fn messages_survive_the_pipe(messages in prop::collection::vec("[a-z\"]{1,30}", 0..10), size in 1_usize..50) {
        let stream: String = messages.iter().map(|message| to_line(message)).collect();
        let seen = lines_of(Reader::new(), stream.as_bytes().chunks(size));
        prop_assert_eq!(seen, messages.into_iter().map(Ok).collect::<Vec<_>>());
    }
}
