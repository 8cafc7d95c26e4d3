//! Building what goes out: the frame around a request's parameters, and the headers that mirror it.

use super::event::{Header, Params};
use crate::protocol::envelope::Stamp;
use crate::protocol::json::{Raw, quote};
use crate::protocol::jsonrpc::Frame;
use crate::protocol::meta;
use crate::streamable_http::headers;
use std::borrow::Cow;

/// A frame, and what was put into its `_meta` that has to be known again.
pub(super) struct Built {
    pub(super) frame: Frame,
    /// The version that the envelope declares; the header repeats it.
    pub(super) version: Option<Cow<'static, str>>,
    /// The progress token, JSON.
    pub(super) token: Option<String>,
}

/// What a message is built of.
#[derive(Clone, Copy)]
pub(super) struct Parts<'a> {
    /// The request's id as JSON; `None` for a notification.
    pub(super) id: Option<&'a str>,
    pub(super) method: &'a str,
    /// Modern only.
    pub(super) stamp: Option<&'a Stamp>,
    /// The caller's `_meta`, a JSON object.
    pub(super) meta: Option<&'a str>,
    /// The level of the log messages that are wanted; said only with a stamp.
    pub(super) log_level: Option<&'static str>,
    /// Whether progress is wanted.
    pub(super) progress: bool,
    /// Members of `params` that we add: JSON text without braces, or empty.
    pub(super) extra: &'a str,
    pub(super) params: Params<'a>,
}

/// Builds the frame of a request or notification.
pub(super) fn build(parts: &Parts<'_>) -> Built {
    let mut out = String::with_capacity(96 + parts.stamp.map_or(0, |stamp| stamp.members().len()) + parts.extra.len());
    out.push_str("{\"jsonrpc\":\"2.0\"");
    if let Some(id) = parts.id {
        out.push_str(",\"id\":");
        out.push_str(id);
    }
    out.push_str(",\"method\":");
    out.push_str(&quote(parts.method));

    let user =
        parts.meta.and_then(|text| Raw::parse(text.as_bytes()).ok()).filter(|meta| meta.members().next().is_some());
    let user_token = user.and_then(|meta| meta.get(meta::PROGRESS_TOKEN));
    let own_token = parts.id.filter(|_| parts.progress && user_token.is_none());
    let mut version = parts.stamp.map(|stamp| Cow::Borrowed(stamp.version()));

    if parts.stamp.is_none()
        && user.is_none()
        && own_token.is_none()
        && parts.extra.is_empty()
        && parts.params == Params::None
    {
        return Built { frame: Frame { head: out, tail: "}" }, version, token: None };
    }
    out.push_str(",\"params\":{");
    let start = out.len();
    if parts.stamp.is_some() || user.is_some() || own_token.is_some() {
        out.push_str("\"_meta\":{");
        let inner = out.len();
        if let Some(stamp) = parts.stamp {
            stamp.push(&mut out, user);
            if let Some(level) = parts.log_level
                && user.is_none_or(|user| user.get(meta::LOG_LEVEL).is_none())
            {
                separate(&mut out, inner);
                for text in ["\"", meta::LOG_LEVEL, "\":\"", level, "\""] {
                    out.push_str(text);
                }
            }
        }
        if let Some(user) = user {
            separate(&mut out, inner);
            out.push_str(inside(user.as_text()));
            if let Some(text) = user.get_str(meta::PROTOCOL_VERSION).filter(|_| parts.stamp.is_some()) {
                version = Some(Cow::Owned(text.into_owned()));
            }
        }
        if let Some(token) = own_token {
            separate(&mut out, inner);
            out.push_str("\"progressToken\":");
            out.push_str(token);
        }
        out.push('}');
    }
    if !parts.extra.is_empty() {
        separate(&mut out, start);
        out.push_str(parts.extra);
    }
    match parts.params {
        Params::None => {}
        Params::Held => separate(&mut out, start),
        Params::Text(text) => {
            if !text.is_empty() {
                separate(&mut out, start);
            }
            out.push_str(text);
        }
    }
    let token = user_token.map(Raw::as_text).or(own_token).map(str::to_owned);
    Built { frame: Frame { head: out, tail: "}}" }, version, token }
}

fn separate(out: &mut String, start: usize) {
    if out.len() > start {
        out.push(',');
    }
}

/// The members of an object without its braces.
pub(super) fn inside(object: &str) -> &str {
    object.get(1..object.len().saturating_sub(1)).unwrap_or_default()
}

/// The headers of every POST.
pub(super) fn post_headers() -> Vec<Header> {
    vec![
        (Cow::Borrowed("Content-Type"), Cow::Borrowed(headers::JSON)),
        (Cow::Borrowed("Accept"), Cow::Borrowed(headers::ACCEPT_BOTH)),
    ]
}

/// A header whose value is safe as it is.
pub(super) fn header(name: &'static str, value: impl Into<Cow<'static, str>>) -> Header {
    (Cow::Borrowed(name), value.into())
}

/// A header whose value may be anything; encoded where it has to be.
pub(super) fn encoded(name: &'static str, value: &str) -> Header {
    (Cow::Borrowed(name), Cow::Owned(headers::encode_value(value).into_owned()))
}
