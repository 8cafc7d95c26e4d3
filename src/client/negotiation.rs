//! Which era a server speaks: a table from what the opening brought to what to do next.
//!
//! Pages: 2026-07-28, basic/versioning; basic/transports/streamable-http and
//! basic/transports/stdio, "Backward Compatibility".

use super::event::Channel;
use crate::protocol::error::{
    HEADER_MISMATCH, MISSING_REQUIRED_CLIENT_CAPABILITY, UNSUPPORTED_PROTOCOL_VERSION, is_modern,
};
use crate::protocol::version::{Era, era_of};
use std::borrow::Cow;

/// What −32022 was before the final number; it counts only with a list that proves a modern server.
const UNSUPPORTED_VERSION_DRAFT: i64 = -32004;

/// How the era is settled.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Mode<'a> {
    /// Ask first; fall back where the answer says legacy.
    Auto,
    /// `initialize` at once, like a client that knows no negotiation.
    Legacy,
    /// That modern version or none.
    Pin(&'a str),
}

/// Where the opening stands.
#[derive(Clone, Copy, Debug)]
pub struct Context<'c, 'a> {
    /// How the era is settled.
    pub mode: Mode<'a>,
    /// The versions that we speak here, preferred first.
    pub ours: &'c [&'a str],
    /// What carries the messages.
    pub channel: Channel,
    /// Whether a failed request may be a refusal by the browser (CORS) rather than an outage.
    pub browser: bool,
    /// The version that `server/discover` was sent with.
    pub requested: &'a str,
    /// Whether that was already a correction.
    pub corrected: bool,
    /// How often a silent probe may still be sent again.
    pub retries_left: u32,
}

/// What `server/discover` brought.
#[derive(Clone, Copy, Debug)]
pub enum Outcome<'a> {
    /// A `DiscoverResult`: its `supportedVersions`.
    Discovered(&'a [Cow<'a, str>]),
    /// Some other result.
    UnrecognisedResult,
    /// A JSON-RPC error.
    Error {
        /// The HTTP status that it came with; `None` elsewhere.
        status: Option<u16>,
        /// Its code.
        code: i64,
        /// `data.supported`, where that is a list of strings.
        supported: Option<&'a [Cow<'a, str>]>,
    },
    /// An HTTP status that is not 2xx, and no JSON-RPC error.
    Status(u16),
    /// 2xx, but empty or no message; or the answer ended early.
    Unusable,
    /// Silence.
    TimedOut,
    /// No answer began: the network, or the browser.
    Unreachable,
    /// The pipe ended, or its other end failed.
    Ended,
}

/// Why no era comes of it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Refusal {
    /// The peer's own error, as it is.
    AsItIs,
    /// The HTTP answer: authorization, rate limits, outages; no evidence of an era.
    Http,
    /// The server refuses our versions.
    UnsupportedVersion,
    /// No version in common.
    NothingInCommon,
    /// The pinned version is not offered.
    PinNotOffered,
    /// The server is legacy and we speak no legacy version, or must not.
    LegacyServer,
    /// Silence.
    TimedOut,
    /// No answer began.
    Unreachable,
}

/// What to do next.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Verdict<'a> {
    /// The server speaks this modern version.
    Modern(&'a str),
    /// Ask once more, with this version: a correction.
    Correct(&'a str),
    /// Ask once more, unchanged: the answer may have been lost.
    Resend,
    /// `initialize` with this version.
    Initialize {
        /// The version to offer.
        version: &'a str,
        /// Whether this is a guess, not to be remembered for long.
        brief: bool,
    },
    /// Give up.
    Raise(Refusal),
}

/// Statuses with which legacy servers refuse a request that they do not know.
///
/// Kept in one place: the specification's compatibility matrix says `4xx`, and these are the ones
/// that speak about the request; the others speak about the person, the load or the network.
pub fn is_legacy_status(status: u16) -> bool {
    matches!(status, 400 | 404 | 405 | 406 | 415 | 422)
}

/// Whether a refused `initialize` may come from a server of the deprecated HTTP+SSE transport: a status with which
/// such a server answers a POST to where its stream is, and no error that only a newer server knows.
pub fn may_be_http_sse(status: u16, code: Option<i64>) -> bool {
    matches!(status, 400 | 404 | 405) && !code.is_some_and(is_modern)
}

/// Judges what `server/discover` brought.
pub fn judge<'a>(outcome: &Outcome<'_>, context: &Context<'_, 'a>) -> Verdict<'a> {
    match *outcome {
        Outcome::Discovered(supported) => discovered(supported, context),
        Outcome::UnrecognisedResult | Outcome::Unusable | Outcome::Ended => fall_back(context, false),
        Outcome::Error { status, code, supported } => refused(status, code, supported, context),
        Outcome::Status(status) if is_legacy_status(status) => fall_back(context, false),
        Outcome::Status(_) => Verdict::Raise(Refusal::Http),
        Outcome::TimedOut if context.retries_left > 0 => Verdict::Resend,
        Outcome::TimedOut => match context.channel {
            Channel::LocalPipe => fall_back(context, false),
            Channel::Http => Verdict::Raise(Refusal::TimedOut),
        },
        Outcome::Unreachable if context.browser && context.channel == Channel::Http => match fall_back(context, true) {
            Verdict::Raise(_) => Verdict::Raise(Refusal::Unreachable),
            verdict => verdict,
        },
        Outcome::Unreachable => Verdict::Raise(Refusal::Unreachable),
    }
}

fn discovered<'a>(supported: &[Cow<'_, str>], context: &Context<'_, 'a>) -> Verdict<'a> {
    if contains(supported, context.requested) {
        return Verdict::Modern(context.requested);
    }
    match common(supported, context, Era::Modern) {
        Some(_) if context.corrected => Verdict::Raise(Refusal::UnsupportedVersion),
        Some(version) => Verdict::Correct(version),
        None => legacy_in_common(supported, context, Refusal::NothingInCommon),
    }
}

fn refused<'a>(
    status: Option<u16>,
    code: i64,
    supported: Option<&[Cow<'_, str>]>,
    context: &Context<'_, 'a>,
) -> Verdict<'a> {
    if status.is_some_and(|status| matches!(status, 401 | 403 | 407 | 408 | 429 | 500..)) {
        return Verdict::Raise(Refusal::Http);
    }
    let supported = supported.unwrap_or_default();
    match code {
        HEADER_MISMATCH | MISSING_REQUIRED_CLIENT_CAPABILITY => Verdict::Raise(Refusal::AsItIs),
        UNSUPPORTED_PROTOCOL_VERSION => corrected(supported, context),
        UNSUPPORTED_VERSION_DRAFT if supported.iter().any(|version| era_of(version) == Some(Era::Modern)) => {
            corrected(supported, context)
        }
        _ if status.is_none_or(|status| is_legacy_status(status) || matches!(status, 200..=299)) => {
            fall_back(context, false)
        }
        _ => Verdict::Raise(Refusal::Http),
    }
}

fn corrected<'a>(supported: &[Cow<'_, str>], context: &Context<'_, 'a>) -> Verdict<'a> {
    if context.corrected {
        return Verdict::Raise(Refusal::UnsupportedVersion);
    }
    match common(supported, context, Era::Modern) {
        Some(version) => Verdict::Correct(version),
        None => legacy_in_common(supported, context, Refusal::UnsupportedVersion),
    }
}

fn legacy_in_common<'a>(supported: &[Cow<'_, str>], context: &Context<'_, 'a>, otherwise: Refusal) -> Verdict<'a> {
    if let Mode::Pin(_) = context.mode {
        return Verdict::Raise(Refusal::PinNotOffered);
    }
    match common(supported, context, Era::Legacy) {
        Some(version) => Verdict::Initialize { version, brief: false },
        None => Verdict::Raise(otherwise),
    }
}

/// The best version of that era that both sides speak; under a pin, only the pinned one.
fn common<'a>(supported: &[Cow<'_, str>], context: &Context<'_, 'a>, era: Era) -> Option<&'a str> {
    context.ours.iter().copied().find(|version| {
        era_of(version) == Some(era)
            && contains(supported, version)
            && !matches!(context.mode, Mode::Pin(pin) if pin != *version)
    })
}

fn contains(supported: &[Cow<'_, str>], version: &str) -> bool {
    supported.iter().any(|other| other == version)
}

/// The server says nothing about versions, so it is legacy: offer the best legacy version that we have.
fn fall_back<'a>(context: &Context<'_, 'a>, brief: bool) -> Verdict<'a> {
    if let Mode::Pin(_) = context.mode {
        return Verdict::Raise(Refusal::LegacyServer);
    }
    match best_legacy(context.ours) {
        Some(version) => Verdict::Initialize { version, brief },
        None => Verdict::Raise(Refusal::LegacyServer),
    }
}

/// The legacy version to offer where the server has said nothing.
pub fn best_legacy<'a>(ours: &[&'a str]) -> Option<&'a str> {
    ours.iter().copied().find(|version| era_of(version) == Some(Era::Legacy))
}

/// The modern version to open with.
pub fn best_modern<'a>(ours: &[&'a str], mode: Mode<'a>) -> Option<&'a str> {
    match mode {
        Mode::Pin(version) => Some(version),
        _ => ours.iter().copied().find(|version| era_of(version) == Some(Era::Modern)),
    }
}

/// The version that an `initialize` result settles on: one of our legacy versions, or none.
pub fn settle<'a>(answered: Option<&str>, ours: &[&'a str]) -> Option<&'a str> {
    ours.iter().copied().find(|version| era_of(version) == Some(Era::Legacy) && Some(*version) == answered)
}
