//! Our client against our server, both eras: the compatibility matrix of 2026-07-28, basic/versioning, cell by cell.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

mod support;

use mcp_duet::client::negotiation::Mode;
use mcp_duet::client::{Channel, Code, Options};
use mcp_duet::protocol::version::Era;
use support::pair::Pair;

const LEGACY: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
const MODERN: [&str; 1] = ["2026-07-28"];

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Kind {
    Modern,
    DualEra,
    Legacy,
}
use Kind::{DualEra, Legacy, Modern};

fn server(kind: Kind) -> String {
    let extra = match kind {
        Modern => r#""supportedVersions": ["2026-07-28"], "legacy": "reject","#,
        DualEra => "",
        Legacy => r#""supportedVersions": ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"],"#,
    };
    [
        r#"{"name": "pair", "version": "1", "#,
        extra,
        r#""instructions": "北京", "tools": [{"name": "回声", "inputSchema": {"type": "object"}}],
            "resources": [{"uri": "note://一", "name": "one"}]}"#,
    ]
    .concat()
}

fn client(kind: Kind, channel: Channel) -> Options {
    let options = Options { channel, ..Options::default() };
    match kind {
        Modern => Options { supported: MODERN.to_vec(), ..options },
        DualEra => options,
        Legacy => Options { supported: LEGACY.to_vec(), mode: Mode::Legacy, ..options },
    }
}

/// What a cell says: the era that works, or how it fails.
#[derive(Clone, Copy, Debug)]
enum Cell {
    Works(Era),
    Fails(Code),
}
use Cell::{Fails, Works};

#[test]
fn every_cell_of_the_compatibility_matrix_comes_out_as_the_specification_says() {
    let cells = [
        (Modern, Modern, Works(Era::Modern), Works(Era::Modern)),
        (Modern, DualEra, Works(Era::Modern), Works(Era::Modern)),
        (Modern, Legacy, Fails(Code::EraUnsettled), Fails(Code::EraUnsettled)),
        (DualEra, Modern, Works(Era::Modern), Works(Era::Modern)),
        (DualEra, DualEra, Works(Era::Modern), Works(Era::Modern)),
        (DualEra, Legacy, Works(Era::Legacy), Works(Era::Legacy)),
        (Legacy, Modern, Fails(Code::Protocol), Fails(Code::Protocol)),
        (Legacy, DualEra, Works(Era::Legacy), Works(Era::Legacy)),
        (Legacy, Legacy, Works(Era::Legacy), Works(Era::Legacy)),
    ];
    for (ours, theirs, over_http, over_pipe) in cells {
        for (channel, cell) in [(Channel::Http, over_http), (Channel::LocalPipe, over_pipe)] {
            let place = format!("client {ours:?}, server {theirs:?}, {channel:?}");
            let mut pair = Pair::new(&server(theirs), client(ours, channel));
            match (pair.connect(), cell) {
                (Ok(connected), Works(era)) => {
                    assert_eq!(connected.era, era, "{place}");
                    assert_eq!(connected.instructions.as_deref(), Some("\"北京\""), "{place}");
                    assert!(connected.server_info.unwrap_or_default().contains("pair"), "{place}");
                    works(&mut pair, &place);
                }
                (Err(failure), Fails(code)) => {
                    assert_eq!(failure.code, code, "{place}: {failure}");
                    if (ours, theirs) == (Legacy, Modern) {
                        let error = failure.rpc.expect("the server's own error");
                        let said = [error.message.as_str(), error.data.as_deref().unwrap_or_default()].concat();
                        assert!(said.contains("2026-07-28"), "{place}: it names the versions: {said}");
                    }
                }
                (outcome, _) => panic!("{place}: expected {cell:?}, got {outcome:?}"),
            }
        }
    }
}

fn works(pair: &mut Pair, place: &str) {
    let tools = pair.call("tools/list", "{}").unwrap_or_else(|failure| panic!("{place}: {failure}"));
    assert!(tools.contains("回声"), "{place}: {tools}");
    let result = pair.call("tools/call", r#"{"name": "回声", "arguments": {"城": "北京"}}"#);
    let result = result.unwrap_or_else(|failure| panic!("{place}: {failure}"));
    assert!(result.contains("北京"), "{place}: {result}");
    let result = pair.call("resources/read", r#"{"uri": "note://一"}"#);
    let result = result.unwrap_or_else(|failure| panic!("{place}: {failure}"));
    assert!(result.contains("note://一"), "{place}: {result}");
    let failure = pair.call("tools/call", r#"{"name": "nobody"}"#).expect_err("an unknown tool");
    assert_eq!((failure.code, failure.rpc.map(|rpc| rpc.code)), (Code::Protocol, Some(-32602)), "{place}");
    pair.close();
    let failure = pair.call("tools/list", "{}").expect_err("a closed client");
    assert_eq!(failure.code, Code::Closed, "{place}");
}

#[test]
fn a_pinned_client_works_with_modern_servers_and_no_others() {
    for channel in [Channel::Http, Channel::LocalPipe] {
        for (theirs, works) in [(Modern, true), (DualEra, true), (Legacy, false)] {
            let options = Options { mode: Mode::Pin("2026-07-28"), channel, ..Options::default() };
            let mut pair = Pair::new(&server(theirs), options);
            let outcome = pair.connect();
            assert_eq!(outcome.is_ok(), works, "{theirs:?} {channel:?}: {outcome:?}");
            assert!(!pair.asked.contains(&"initialize".to_owned()), "a pin never falls back");
        }
    }
}

#[test]
fn every_legacy_version_works_by_itself() {
    for version in LEGACY {
        for channel in [Channel::Http, Channel::LocalPipe] {
            let options = Options { supported: vec![version], channel, ..Options::default() };
            let mut pair = Pair::new(&server(DualEra), options);
            assert_eq!(pair.connect().expect("a connection").version, version);
            works(&mut pair, version);
        }
    }
}

#[test]
fn the_opening_asks_for_no_more_than_it_needs() {
    let asked = |ours, theirs| {
        let mut pair = Pair::new(&server(theirs), client(ours, Channel::Http));
        pair.connect().expect("a connection");
        pair.asked
    };
    assert_eq!(asked(DualEra, DualEra), ["server/discover"]);
    assert_eq!(asked(DualEra, Legacy), ["server/discover", "initialize", "notifications/initialized"]);
    assert_eq!(asked(Legacy, DualEra), ["initialize", "notifications/initialized"]);
}
