//! What the protocol itself puts into a result, beside what the method defines
//! (2026-07-28, basic/index, "ResultType"; server/utilities/caching).

use super::json::Raw;
use super::meta;
use std::borrow::Cow;

/// The member that says how to read a modern result.
pub const RESULT_TYPE: &str = "resultType";
/// The `resultType` of a result with its final content; also what a missing one means.
pub const COMPLETE: &str = "complete";
/// The `resultType` of a result that asks for input before the request is sent again.
pub const INPUT_REQUIRED: &str = "input_required";
/// How long a result may be reused, in milliseconds.
pub const TTL_MS: &str = "ttlMs";
/// Who may reuse a result: [`PUBLIC`] or [`PRIVATE`].
pub const CACHE_SCOPE: &str = "cacheScope";
/// Anybody may reuse the result.
pub const PUBLIC: &str = "public";
/// Only the same authorization context may reuse the result.
pub const PRIVATE: &str = "private";
/// The members that a server stamps on results; all others are the method's own.
pub const STAMP_MEMBERS: [&str; 4] = ["_meta", RESULT_TYPE, TTL_MS, CACHE_SCOPE];

/// Whether the result asks for input (2026-07-28, basic/patterns/mrtr).
pub fn is_input_required(result: Raw<'_>) -> bool {
    result.get_str(RESULT_TYPE).is_some_and(|text| text == INPUT_REQUIRED)
}

/// The protocol version that a request or notification states in itself, from its `params`:
/// in `_meta`, or as the parameter of `initialize`.
pub fn stated_version<'a>(method: &str, params: Option<Raw<'a>>) -> Option<Cow<'a, str>> {
    let params = params?;
    let in_meta = params.get("_meta").and_then(|meta| meta.get_str(meta::PROTOCOL_VERSION));
    in_meta.or_else(|| (method == super::method::INITIALIZE).then(|| params.get_str("protocolVersion")).flatten())
}

/// What there is to check of a tool's result when the tool has an output schema.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Output<'a> {
    /// Nothing: the tool failed and says how, or it asks for input first.
    Unchecked,
    /// The result has no `structuredContent`, though it should.
    Missing,
    /// This value, which may well be `null`, `0` or `false`.
    Structured(Raw<'a>),
}

/// What there is to check of that result of `tools/call` (2026-07-28, server/tools, "Output Schema").
pub fn structured_output(result: Raw<'_>) -> Output<'_> {
    let failed = result.get("isError").and_then(Raw::as_bool) == Some(true);
    if failed || is_input_required(result) {
        return Output::Unchecked;
    }
    result.get("structuredContent").map_or(Output::Missing, Output::Structured)
}
