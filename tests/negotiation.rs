//! Which era a server speaks: every row of the table, with where it comes from.
#![cfg(not(target_arch = "wasm32"))]

use mcp_duet::client::Channel::{Http, LocalPipe};
use mcp_duet::client::negotiation::{
    Context, Mode, Outcome, Refusal, Verdict, best_legacy, best_modern, judge, may_be_http_sse, settle,
};
use std::borrow::Cow;

/// Two modern versions, so that a correction has somewhere to go; the second one is hypothetical.
const OURS: [&str; 4] = ["2027-01-01", "2026-07-28", "2025-11-25", "2025-06-18"];
const MODERN_ONLY: [&str; 2] = ["2027-01-01", "2026-07-28"];

struct Row<'a> {
    source: &'static str,
    outcome: Given<'a>,
    context: Context<'static, 'static>,
    verdict: Verdict<'static>,
}

/// An outcome that owns nothing, so that rows are one line each.
#[derive(Clone, Copy, Debug)]
enum Given<'a> {
    Discovered(&'a [&'a str]),
    Unrecognised,
    Error(Option<u16>, i64, Option<&'a [&'a str]>),
    Status(u16),
    Unusable,
    TimedOut,
    Unreachable,
    Ended,
}

fn verdict_of(given: Given<'_>, context: &Context<'_, 'static>) -> Verdict<'static> {
    let owned =
        |list: &[&str]| -> Vec<Cow<'static, str>> { list.iter().map(|text| Cow::Owned(text.to_string())).collect() };
    match given {
        Given::Discovered(list) => judge(&Outcome::Discovered(&owned(list)), context),
        Given::Unrecognised => judge(&Outcome::UnrecognisedResult, context),
        Given::Error(status, code, list) => {
            let list = list.map(owned);
            judge(&Outcome::Error { status, code, supported: list.as_deref() }, context)
        }
        Given::Status(status) => judge(&Outcome::Status(status), context),
        Given::Unusable => judge(&Outcome::Unusable, context),
        Given::TimedOut => judge(&Outcome::TimedOut, context),
        Given::Unreachable => judge(&Outcome::Unreachable, context),
        Given::Ended => judge(&Outcome::Ended, context),
    }
}

const AUTO: Context<'static, 'static> = Context {
    mode: Mode::Auto,
    ours: &OURS,
    channel: Http,
    browser: false,
    requested: "2027-01-01",
    corrected: false,
    retries_left: 0,
};
const PIPE: Context<'static, 'static> = Context { channel: LocalPipe, ..AUTO };
const CORRECTED: Context<'static, 'static> = Context { corrected: true, ..AUTO };
const PINNED: Context<'static, 'static> = Context { mode: Mode::Pin("2026-07-28"), requested: "2026-07-28", ..AUTO };
const STRICT: Context<'static, 'static> = Context { ours: &MODERN_ONLY, ..AUTO };
const PAGE: Context<'static, 'static> = Context { browser: true, ..AUTO };

const LEGACY: Verdict<'static> = Verdict::Initialize { version: "2025-11-25", brief: false };
const fn legacy(version: &'static str) -> Verdict<'static> {
    Verdict::Initialize { version, brief: false }
}
const fn raise(refusal: Refusal) -> Verdict<'static> {
    Verdict::Raise(refusal)
}

macro_rules! rows {
    ($($source:literal: $outcome:expr, $context:expr => $verdict:expr;)*) => {
        [$(Row { source: $source, outcome: $outcome, context: $context, verdict: $verdict }),*]
    };
}

#[test]
fn every_row_of_the_table_holds() {
    use Given::*;
    let rows = rows! {
        "versioning, Protocol Version Negotiation": Discovered(&["2027-01-01"]), AUTO => Verdict::Modern("2027-01-01");
        "versioning: the version in use, whatever else is offered": Discovered(&["2025-11-25", "2027-01-01"]), PIPE => Verdict::Modern("2027-01-01");
        "another modern version that both know": Discovered(&["2026-07-28"]), AUTO => Verdict::Correct("2026-07-28");
        "the correction happens once": Discovered(&["2026-07-28"]), CORRECTED => raise(Refusal::UnsupportedVersion);
        "only legacy versions in common: the best of them": Discovered(&["2025-06-18"]), AUTO => legacy("2025-06-18");
        "nothing in common": Discovered(&["1900-01-01", "draft"]), AUTO => raise(Refusal::NothingInCommon);
        "an empty list": Discovered(&[]), AUTO => raise(Refusal::NothingInCommon);
        "an unrecognised result": Unrecognised, AUTO => LEGACY;

        "-32022 with a list": Error(Some(400), -32022, Some(&["2026-07-28"])), AUTO => Verdict::Correct("2026-07-28");
        "-32022 on a pipe": Error(None, -32022, Some(&["2026-07-28"])), PIPE => Verdict::Correct("2026-07-28");
        "-32022 repeating the refused version: one retry": Error(Some(400), -32022, Some(&["2027-01-01"])), AUTO => Verdict::Correct("2027-01-01");
        "a second -32022": Error(Some(400), -32022, Some(&["2027-01-01"])), CORRECTED => raise(Refusal::UnsupportedVersion);
        "-32022 with legacy versions only": Error(Some(400), -32022, Some(&["2025-06-18", "2025-11-25"])), AUTO => LEGACY;
        "-32022 with an old one only": Error(Some(400), -32022, Some(&["2025-06-18"])), AUTO => legacy("2025-06-18");
        "-32022 with nothing mutual": Error(Some(400), -32022, Some(&["2099-01-01"])), AUTO => raise(Refusal::UnsupportedVersion);
        "-32022 with an empty list": Error(Some(400), -32022, Some(&[])), AUTO => raise(Refusal::UnsupportedVersion);
        "-32022 without a list": Error(Some(400), -32022, None), AUTO => raise(Refusal::UnsupportedVersion);
        "CN-07: -32004 with a modern list": Error(Some(400), -32004, Some(&["2026-07-28"])), AUTO => Verdict::Correct("2026-07-28");
        "CN-07: -32004 without": Error(Some(400), -32004, None), AUTO => LEGACY;
        "CN-07: -32004 with legacy versions": Error(Some(400), -32004, Some(&["2025-11-25"])), AUTO => LEGACY;
        "CN-07: -32001 (session not found)": Error(Some(400), -32001, None), AUTO => LEGACY;

        "CN-05: -32020 is raised": Error(Some(400), -32020, None), AUTO => raise(Refusal::AsItIs);
        "CN-05: -32021 is raised": Error(Some(400), -32021, None), AUTO => raise(Refusal::AsItIs);
        "CN-05: on a pipe too": Error(None, -32021, None), PIPE => raise(Refusal::AsItIs);

        "CN-01: TypeScript servers": Error(None, -32601, None), PIPE => LEGACY;
        "CN-01: Python servers": Error(None, -32602, None), PIPE => LEGACY;
        "CN-01": Error(None, -32600, None), PIPE => LEGACY;
        "CN-01: free text": Error(None, -32000, None), PIPE => LEGACY;
        "CN-01: code 0": Error(None, 0, None), PIPE => LEGACY;
        "CN-01: an exit": Ended, PIPE => LEGACY;
        "CN-01: silence": TimedOut, PIPE => LEGACY;
        "streamable-http, Backward Compatibility: 400 with another error": Error(Some(400), -32000, None), AUTO => LEGACY;
        "an error in a 200": Error(Some(200), -32601, None), AUTO => LEGACY;

        "CN-03: rejected requests": Status(400), AUTO => LEGACY;
        "CN-03: 404": Status(404), AUTO => LEGACY;
        "CN-03: 405": Status(405), AUTO => LEGACY;
        "CN-03: 406": Status(406), AUTO => LEGACY;
        "CN-03: 415": Status(415), AUTO => LEGACY;
        "CN-03: 422": Status(422), AUTO => LEGACY;
        "CN-02: authorization": Status(401), AUTO => raise(Refusal::Http);
        "CN-02: forbidden": Status(403), AUTO => raise(Refusal::Http);
        "CN-02: a proxy": Status(407), AUTO => raise(Refusal::Http);
        "CN-02: whatever the body says": Error(Some(401), -32001, None), AUTO => raise(Refusal::Http);
        "CN-02: even a modern error": Error(Some(403), -32022, Some(&["2026-07-28"])), AUTO => raise(Refusal::Http);
        "CN-03: 408": Status(408), AUTO => raise(Refusal::Http);
        "CN-03: 429": Status(429), AUTO => raise(Refusal::Http);
        "CN-03: 500": Status(500), AUTO => raise(Refusal::Http);
        "CN-03: a gateway": Status(502), AUTO => raise(Refusal::Http);
        "CN-03: 503 with an error body": Error(Some(503), -32603, None), AUTO => raise(Refusal::Http);
        "a redirect that nobody followed": Status(302), AUTO => raise(Refusal::Http);
        "a status that says nothing": Status(418), AUTO => raise(Refusal::Http);
        "the same with an error body": Error(Some(410), -32000, None), AUTO => raise(Refusal::Http);
        "an empty 2xx": Unusable, AUTO => LEGACY;
        "a stream that ends without a response": Ended, AUTO => LEGACY;
        "silence over HTTP is an outage": TimedOut, AUTO => raise(Refusal::TimedOut);
        "a probe may be sent again after silence": TimedOut, Context { retries_left: 1, ..AUTO } => Verdict::Resend;
        "on a pipe too": TimedOut, Context { retries_left: 2, ..PIPE } => Verdict::Resend;
        "a correction is no such retry": TimedOut, Context { retries_left: 1, ..CORRECTED } => Verdict::Resend;
        "CN-10: the network": Unreachable, AUTO => raise(Refusal::Unreachable);
        "CN-10: a browser may have refused": Unreachable, PAGE => Verdict::Initialize { version: "2025-11-25", brief: true };
        "CN-10: only over HTTP": Unreachable, Context { channel: LocalPipe, ..PAGE } => raise(Refusal::Unreachable);
        "CN-10: not without legacy versions": Unreachable, Context { ours: &MODERN_ONLY, ..PAGE } => raise(Refusal::Unreachable);

        "a pin that is offered": Discovered(&["2026-07-28", "2027-01-01"]), PINNED => Verdict::Modern("2026-07-28");
        "a pin that is not offered": Discovered(&["2027-01-01"]), PINNED => raise(Refusal::PinNotOffered);
        "a pin never falls back": Error(Some(400), -32000, None), PINNED => raise(Refusal::LegacyServer);
        "nor for legacy versions": Discovered(&["2025-11-25"]), PINNED => raise(Refusal::PinNotOffered);
        "nor after -32022": Error(Some(400), -32022, Some(&["2025-11-25"])), PINNED => raise(Refusal::PinNotOffered);
        "a refused pin that is listed all the same": Error(Some(400), -32022, Some(&["2026-07-28"])), PINNED => Verdict::Correct("2026-07-28");
        "nor after a status": Status(404), PINNED => raise(Refusal::LegacyServer);
        "nor after silence on a pipe": TimedOut, Context { channel: LocalPipe, ..PINNED } => raise(Refusal::LegacyServer);

        "without legacy versions there is no fallback": Status(400), STRICT => raise(Refusal::LegacyServer);
        "versioning, matrix, Modern - Legacy": Error(None, -32601, None), Context { channel: LocalPipe, ..STRICT } => raise(Refusal::LegacyServer);
        "nor by the server's offer": Discovered(&["2025-11-25"]), STRICT => raise(Refusal::NothingInCommon);
    };
    for row in rows {
        assert_eq!(verdict_of(row.outcome, &row.context), row.verdict, "{}: {:?}", row.source, row.outcome);
    }
}

#[test]
fn a_verdict_never_leaves_what_the_options_allow() {
    let errors = [-32700, -32603, -32602, -32601, -32600, -32042, -32022, -32021, -32020, -32004, -32001, -32000, 0, 7];
    let lists: [&[&str]; 5] = [&[], &["2027-01-01"], &["2026-07-28", "2025-11-25"], &["2025-06-18"], &["x"]];
    let mut outcomes = vec![Given::Unrecognised, Given::Unusable, Given::TimedOut, Given::Unreachable, Given::Ended];
    outcomes.extend((100..600).map(Given::Status));
    outcomes.extend(lists.map(Given::Discovered));
    for code in errors {
        for list in lists {
            for status in [None, Some(200), Some(400), Some(401), Some(404), Some(500)] {
                outcomes.push(Given::Error(status, code, Some(list)));
            }
        }
    }
    for outcome in outcomes {
        for base in [AUTO, PIPE, CORRECTED, PINNED, STRICT, PAGE] {
            match verdict_of(outcome, &base) {
                Verdict::Modern(version) => {
                    assert!(base.ours.contains(&version));
                    assert!(
                        matches!(outcome, Given::Discovered(_)),
                        "only a DiscoverResult proves a version: {outcome:?}"
                    );
                }
                Verdict::Correct(version) => {
                    assert!(!base.corrected, "a correction never loops: {outcome:?}");
                    assert!(MODERN_ONLY.contains(&version));
                }
                Verdict::Initialize { version, .. } => {
                    assert!(!matches!(base.mode, Mode::Pin(_)), "a pin never falls back: {outcome:?}");
                    assert!(base.ours.contains(&version) && !MODERN_ONLY.contains(&version));
                }
                Verdict::Resend => assert!(base.retries_left > 0),
                Verdict::Raise(_) => {}
            }
        }
    }
}

#[test]
fn the_opening_offers_what_the_options_prefer() {
    assert_eq!(best_modern(&OURS, Mode::Auto), Some("2027-01-01"));
    assert_eq!(best_modern(&["2025-06-18"], Mode::Auto), None);
    assert_eq!(best_modern(&OURS, Mode::Pin("2026-07-28")), Some("2026-07-28"));
    assert_eq!(best_legacy(&OURS), Some("2025-11-25"));
    assert_eq!(best_legacy(&["2025-06-18", "2025-11-25"]), Some("2025-06-18"));
    assert_eq!(best_legacy(&MODERN_ONLY), None);
}

#[test]
fn initialize_settles_on_one_of_our_legacy_versions_or_on_none() {
    // CN-08
    for (answered, settled) in [
        (Some("2025-11-25"), Some("2025-11-25")),
        (Some("2025-06-18"), Some("2025-06-18")),
        (Some("2024-11-05"), None),
        (Some("1999-01-01"), None),
        (Some("2026-07-28"), None),
        (Some("draft"), None),
        (None, None),
    ] {
        assert_eq!(settle(answered, &OURS), settled, "{answered:?}");
    }
}

#[test]
fn a_refused_initialize_may_come_from_a_server_of_the_deprecated_transport() {
    // 2025-11-25 transports, Backwards Compatibility
    for (status, code, may_be) in [
        (400, None, true),
        (404, None, true),
        (405, None, true),
        (400, Some(-32000), true),
        (404, Some(-32601), true),
        (400, Some(-32022), false),
        (400, Some(-32020), false),
        (401, None, false),
        (403, None, false),
        (406, None, false),
        (415, None, false),
        (429, None, false),
        (500, None, false),
        (501, None, false),
        (200, None, false),
    ] {
        assert_eq!(may_be_http_sse(status, code), may_be, "{status} {code:?}");
    }
}
