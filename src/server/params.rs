//! What a request's `params` have to say, read in one pass.

use crate::protocol::json::{Ends, Raw};
use crate::protocol::method;
use crate::streamable_http::classify::Claims;
use std::borrow::Cow;

/// The members of `params` that some method reads.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Params<'a> {
    pub(super) whole: Option<Raw<'a>>,
    pub(super) meta: Option<Raw<'a>>,
    pub(super) claims: Claims<'a>,
    pub(super) name: Option<Raw<'a>>,
    pub(super) uri: Option<Raw<'a>>,
    pub(super) arguments: Option<Raw<'a>>,
    pub(super) cursor: Option<Raw<'a>>,
    pub(super) level: Option<Raw<'a>>,
    pub(super) input_responses: Option<Raw<'a>>,
    pub(super) request_state: Option<Raw<'a>>,
    pub(super) version: Option<Raw<'a>>,
}

impl<'a> Params<'a> {
    /// One pass: looking up each by itself would step over the arguments again and again.
    pub(super) fn read(params: Option<Raw<'a>>, ends: &Ends) -> Self {
        let mut out = Self { whole: params, ..Self::default() };
        for (key, value) in params.unwrap_or(Raw::EMPTY_OBJECT).members_with(ends) {
            let slot = match &*key.bytes() {
                b"_meta" => &mut out.meta,
                b"name" => &mut out.name,
                b"uri" => &mut out.uri,
                b"arguments" => &mut out.arguments,
                b"cursor" => &mut out.cursor,
                b"level" => &mut out.level,
                b"inputResponses" => &mut out.input_responses,
                b"requestState" => &mut out.request_state,
                b"protocolVersion" => &mut out.version,
                _ => continue,
            };
            *slot = Some(value);
        }
        out.claims = Claims::read(out.meta);
        out
    }

    /// What the `Mcp-Name` header mirrors.
    pub(super) fn mirrored_name(&self, method: &str) -> Option<Cow<'a, str>> {
        match method::name_source(method)? {
            method::NameSource::Name => self.name?.as_str(),
            method::NameSource::Uri => self.uri?.as_str(),
        }
    }
}
