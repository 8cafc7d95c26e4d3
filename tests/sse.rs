//! Event streams: what an interpreter of the HTML standard makes of the bytes, at any split.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use mcp_duet::streamable_http::sse::{self, EventTooLarge, Parser};
use proptest::prelude::*;

/// Everything that the parser said: events as (name, data), or too large.
type Seen = Vec<Result<(String, String), EventTooLarge>>;

fn drain(parser: &mut Parser, seen: &mut Seen) {
    while let Some(event) = parser.next_event() {
        seen.push(event.map(|event| (event.name.to_owned(), event.text().into_owned())));
    }
}

fn parse_in_pieces<'a>(mut parser: Parser, pieces: impl IntoIterator<Item = &'a [u8]>) -> (Seen, Parser) {
    let mut seen = Vec::new();
    for piece in pieces {
        parser.push(piece);
        drain(&mut parser, &mut seen);
    }
    (seen, parser)
}

fn parse(stream: &[u8]) -> (Seen, Parser) {
    parse_in_pieces(Parser::new(), [stream])
}

fn message(data: &str) -> Result<(String, String), EventTooLarge> {
    Ok(("message".to_owned(), data.to_owned()))
}

#[test]
fn all_line_ends_give_the_same_events() {
    let lf = "event: message\ndata: {\"id\":1}\n\n: comment\nid: 7\ndata: two\ndata: lines\n\n";
    let expected = vec![message("{\"id\":1}"), message("two\nlines")];
    let mixed = "event: message\r\ndata: {\"id\":1}\n\r: comment\rid: 7\r\ndata: two\rdata: lines\n\r\n";
    for stream in [lf, &lf.replace('\n', "\r\n"), &lf.replace('\n', "\r"), mixed] {
        let (seen, parser) = parse(stream.as_bytes());
        assert_eq!(seen, expected, "{stream:?}");
        assert_eq!(parser.last_event_id(), Some("7"));
    }
}

#[test]
fn streams_are_interpreted_as_the_html_standard_says() {
    let rows: &[(&str, &[&str])] = &[
        ("data: {\"a\":\ndata: 1}\n\n", &["{\"a\":\n1}"]),
        ("data:{}\n\n", &["{}"]),
        ("data:  {}\n\n", &[" {}"]),
        ("data: \n\n", &[""]),
        ("data\n\n", &[""]),
        ("data\ndata\n\n", &["\n"]),
        ("data: a\ndata:\ndata: b\n\n", &["a\n\nb"]),
        ("id: 1\ndata: x\nevent: message\n\n", &["x"]),
        ("datax: 1\n\nDATA: 2\n\n data: 3\n\n", &[]),
        (": hi\n\n:\n\n", &[]),
        ("id: 7\n\n", &[]),
        ("\n\n\ndata: x\n\n\n\n", &["x"]),
        ("data: a:b: c\n\n", &["a:b: c"]),
        ("\u{FEFF}data: x\n\n", &["x"]),
        ("\u{FEFF}\u{FEFF}data: x\n\n", &[]),
        ("\ndata: \u{FEFF}x\n\n", &["\u{FEFF}x"]),
        ("data: x\n", &[]),
        ("data: x", &[]),
        ("data: \u{2028}x\u{85}\n\n", &["\u{2028}x\u{85}"]),
    ];
    for (stream, expected) in rows {
        let (seen, _) = parse(stream.as_bytes());
        let expected: Seen = expected.iter().map(|data| message(data)).collect();
        assert_eq!(seen, expected, "{stream:?}");
    }
}

#[test]
fn names_belong_to_their_event_alone() {
    let (seen, _) = parse(b"event: endpoint\ndata: /messages\n\ndata: x\n\nevent: lost\n\ndata: y\n\nevent: a\nevent: b\ndata: z\n\nevent:\ndata: v\n\n");
    let names: Vec<_> = seen.into_iter().map(|event| event.unwrap().0).collect();
    assert_eq!(names, ["endpoint", "message", "message", "b", "message"]);
}

#[test]
fn a_priming_event_has_empty_data_and_sets_id_and_retry() {
    let (seen, parser) = parse(b"id: 0\nretry: 3000\ndata: \n\nid: 1\ndata: {\"id\":1}\n\n");
    assert_eq!(seen, [message(""), message("{\"id\":1}")]);
    assert_eq!((parser.last_event_id(), parser.retry()), (Some("1"), Some(3000)));
}

#[test]
fn an_id_counts_from_the_end_of_its_event_on() {
    for (stream, expected) in [
        ("id: 1\ndata: x\n\nid: 2\ndata: y\n", Some("1")),
        ("id: 7\n\n", Some("7")),
        ("id: 1\n\nid:\n\n", Some("")),
        ("id: 1\n\nid: a\0b\n\n", Some("1")),
        ("id: 1\n\ndata: x\n\n", Some("1")),
        ("data: x\n\n", None),
    ] {
        assert_eq!(parse(stream.as_bytes()).1.last_event_id(), expected, "{stream:?}");
    }
}

#[test]
fn a_retry_time_is_digits_alone() {
    for (stream, expected) in [
        ("retry: 500\n", Some(500)),
        ("retry: 1\nretry: 2\n", Some(2)),
        ("retry: -1\n", None),
        ("retry: 1.5\n", None),
        ("retry:\n", None),
        ("retry: 5 \n", None),
        ("retry: 99999999999999999999999\n", Some(u64::MAX)),
    ] {
        assert_eq!(parse(stream.as_bytes()).1.retry(), expected, "{stream:?}");
    }
}

#[test]
fn what_is_not_utf8_becomes_a_replacement_character() {
    let (seen, _) = parse(b"data: a\xE4\xB8\n\ndata: \xFF\n\ndata: ok\n\n");
    assert_eq!(seen, [message("a\u{FFFD}"), message("\u{FFFD}"), message("ok")]);
}

#[test]
fn a_character_may_be_split_anywhere() {
    let stream = "data: 世界 🦀 é\n\n".as_bytes();
    for at in 0..stream.len() {
        let (one, other) = stream.split_at(at);
        assert_eq!(parse_in_pieces(Parser::new(), [one, other]).0, [message("世界 🦀 é")], "split at {at}");
    }
}

#[test]
fn an_event_is_complete_as_soon_as_its_end_has_come() {
    for end in ["\n\n", "\r\r", "\r\n\r", "\n\r"] {
        let (seen, mut parser) = parse(format!("data: x{end}").as_bytes());
        assert_eq!(seen, [message("x")], "{end:?}");
        parser.push(b"\ndata: y\n\n");
        let mut seen = Vec::new();
        drain(&mut parser, &mut seen);
        assert_eq!(seen, [message("y")], "{end:?}");
    }
}

#[test]
fn too_large_an_event_is_reported_once_and_the_next_ones_come() {
    let limit = 32;
    let too_large = Err(EventTooLarge { limit });
    let long = "x".repeat(100);
    let rows = [
        (format!("data: {long}\n\ndata: ok\n\n"), vec![too_large.clone(), message("ok")]),
        (
            format!("data: a\n\ndata: {long}\ndata: {long}\n\ndata: ok\n\n"),
            vec![message("a"), too_large.clone(), message("ok")],
        ),
        (format!("{}\ndata: ok\n\n", "data: 123456\n".repeat(9)), vec![too_large.clone(), message("ok")]),
        (format!(": {long}\ndata: lost\n\ndata: ok\n\n"), vec![too_large.clone(), message("ok")]),
        (format!("event: {long}\n\n{long}\n\ndata: ok\n\n"), vec![too_large.clone(), too_large.clone(), message("ok")]),
        (format!("data: {}\n\n", "y".repeat(limit - 6)), vec![message(&"y".repeat(limit - 6))]),
        (format!("data: {}\n\n", "y".repeat(limit - 5)), vec![too_large.clone()]),
    ];
    for (stream, expected) in rows {
        for size in [1, 2, 3, 7, 1000] {
            let (seen, _) = parse_in_pieces(Parser::with_limit(limit), stream.as_bytes().chunks(size));
            assert_eq!(seen, expected, "{stream:?} in pieces of {size}");
        }
    }
    assert_eq!(EventTooLarge { limit }.to_string(), "an event of the stream is larger than 32 bytes");
}

#[test]
fn an_event_that_never_ends_is_reported_before_its_end() {
    let mut parser = Parser::with_limit(1000);
    let mut errors = 0;
    for _ in 0..10_000 {
        parser.push(b"data: and on and on and on");
        while let Some(event) = parser.next_event() {
            errors += usize::from(event.is_err());
        }
    }
    assert_eq!(errors, 1);
}

#[test]
fn ten_thousand_events_come_out_of_small_pieces_complete_and_in_order() {
    let mut stream = Vec::new();
    for at in 0..10_000 {
        let padding = "p".repeat(100 + at % 90);
        stream.extend_from_slice(
            format!("event: message\ndata: {{\"progress\":{at},\"x\":\"{padding}\"}}\n\n").as_bytes(),
        );
    }
    let (seen, _) = parse_in_pieces(Parser::new(), stream.chunks(2048));
    assert_eq!(seen.len(), 10_000);
    for (at, event) in seen.into_iter().enumerate() {
        assert!(event.unwrap().1.starts_with(&format!("{{\"progress\":{at},")));
    }
}

#[test]
fn what_is_written_is_read_back() {
    for (name, data, expected) in [
        (None, "{}", ("message", "{}")),
        (Some("message"), "", ("message", "")),
        (Some("endpoint"), "a\nb\r\nc\rd\n", ("endpoint", "a\nb\nc\nd\n")),
        (Some("x\ndata: evil"), " padded", ("x", " padded")),
        (None, "\n", ("message", "\n")),
    ] {
        let mut out = String::new();
        sse::write_event(&mut out, name, Some("5\r\ndata: evil"), data);
        let (seen, parser) = parse(out.as_bytes());
        assert_eq!(seen, [Ok((expected.0.to_owned(), expected.1.to_owned()))], "{out:?}");
        assert_eq!(parser.last_event_id(), Some("5"));
    }
    let spliced = [sse::KEEP_ALIVE, sse::MESSAGE_HEAD, "{\"id\":1}", sse::MESSAGE_TAIL].concat();
    assert_eq!(parse(spliced.as_bytes()).0, [message("{\"id\":1}")]);
}

/// The standard's algorithm as it is written there, over the whole stream at once: the oracle.
fn interpret_plainly(stream: &[u8]) -> (Vec<(String, String)>, Option<String>, Option<u64>) {
    let text = String::from_utf8_lossy(stream.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(stream)).into_owned();
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let Some((complete, _)) = text.rsplit_once('\n') else { return (Vec::new(), None, None) };
    let (mut events, mut last_id, mut retry) = (Vec::new(), None, None);
    let (mut data, mut name, mut id) = (String::new(), String::new(), None);
    for line in complete.split('\n') {
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "" if line.is_empty() => {
                last_id = id.clone().or(last_id);
                if let Some(data) = data.strip_suffix('\n') {
                    let name = if name.is_empty() { "message" } else { &name };
                    events.push((name.to_owned(), data.to_owned()));
                }
                data.clear();
                name.clear();
            }
            "data" => data.extend([value, "\n"]),
            "event" => name = value.to_owned(),
            "id" if !value.contains('\0') => id = Some(value.to_owned()),
            "retry" if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) => {
                retry = Some(value.parse().unwrap_or(u64::MAX));
            }
            _ => {}
        }
    }
    (events, last_id, retry)
}

/// Streams made of what matters to the grammar, with noise between.
fn stream() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        prop::sample::select(
            [
                "data", "data:", "data: ", "event: ", "id: ", "retry: 7", ":", "\n", "\r", "\r\n", "\n\n", "\u{FEFF}",
                "é", "界", "\0", " "
            ]
            .map(|text| text.as_bytes().to_vec())
            .to_vec()
        ),
        prop::collection::vec(any::<u8>(), 0..12),
        "[a-z]{0,40}".prop_map(String::into_bytes),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_split_gives_what_the_standard_says(stream in stream(), cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8)) {
        let mut cuts: Vec<_> = cuts.iter().map(|cut| cut.index(stream.len() + 1)).collect();
        cuts.extend([0, stream.len()]);
        cuts.sort_unstable();
        let pieces = cuts.windows(2).map(|cut| &stream[cut[0]..cut[1]]);
        let (seen, parser) = parse_in_pieces(Parser::new(), pieces);
        let seen: Vec<_> = seen.into_iter().map(Result::unwrap).collect();
        let (events, last_id, retry) = interpret_plainly(&stream);
        prop_assert_eq!(seen, events);
        prop_assert_eq!(parser.last_event_id(), last_id.as_deref());
        prop_assert_eq!(parser.retry(), retry);
    }

    #[test]
    fn any_split_gives_the_same_events_under_a_limit(stream in stream(), size in 1_usize..9) {
        let whole = parse_in_pieces(Parser::with_limit(12), [&*stream]).0;
        let pieces = parse_in_pieces(Parser::with_limit(12), stream.chunks(size)).0;
        prop_assert_eq!(pieces, whole);
    }

    #[test]
    fn any_text_written_comes_back_with_its_line_ends_made_equal(data in "[a-z \r\n:é]{0,30}") {
        let mut out = String::new();
        sse::write_event(&mut out, None, None, &data);
        prop_assert_eq!(parse(out.as_bytes()).0, [message(&data.replace("\r\n", "\n").replace('\r', "\n"))]);
    }
}
