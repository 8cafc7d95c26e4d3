//! A handler's whole result: checked, and stamped as its era demands.

use super::CacheHint;
use super::asks::{self, INPUT_REQUIRED};
use super::encoded::write_hint;
use super::invocation::{Invocation, Target, frame_of_structured};
use super::step::Reply;
use crate::protocol::error::INTERNAL_ERROR;
use crate::protocol::json::{Raw, Writer, quote};
use crate::protocol::jsonrpc::Frame;
use crate::protocol::meta;
use crate::protocol::version::Era;

impl<'a> Invocation<'a> {
    /// Checks the structured content of a tool's result against its schema.
    pub(super) fn check_output(&self, structured: Option<Raw<'_>>) -> Result<(), String> {
        let Some(tool) = self.tool() else { return Ok(()) };
        tool.check_output(structured).map_err(|reason| {
            let mut text = String::from("Invalid result of tool ");
            text.push_str(&tool.name);
            text.push_str(": ");
            text.push_str(&reason);
            text
        })
    }

    /// The result that a handler gave as a whole, with what the era demands.
    pub(super) fn whole(&self, text: &str) -> Result<String, Reply<'a>> {
        let result = Raw::parse(text.as_bytes()).ok().filter(|result| result.is_object());
        let result = result.ok_or_else(|| self.wrong("The handler's result is not a JSON object"))?;
        let mut shape = Shape::default();
        let mut rest = Writer::new();
        for (key, value) in result.members() {
            let name = key.name();
            match &*name {
                "_meta" => shape.meta = Some(value),
                "resultType" => shape.result_type = Some(value),
                "ttlMs" => shape.ttl = Some(value),
                "cacheScope" => shape.scope = Some(value),
                _ => {
                    shape.has_items |= *name == *self.items_name();
                    match &*name {
                        "structuredContent" => shape.structured = Some(value),
                        "isError" => shape.is_error = value.as_bool() == Some(true),
                        "inputRequests" => shape.input_requests = Some(value),
                        "requestState" => shape.request_state = Some(value),
                        _ => {}
                    }
                    rest.name(&name).value(value);
                }
            }
        }
        shape.has_structured = shape.structured.is_some();
        let frame = self.result_frame(&shape)?;
        let mut out = frame.head;
        if shape.needs_content_text(&self.target) {
            let block = frame_of_structured(&quote(shape.structured.map_or("null", Raw::as_text)));
            rest.raw(&block);
        }
        if rest.as_str().is_empty() {
            out.truncate(out.trim_end_matches(',').len());
        } else {
            out.push_str(rest.as_str());
        }
        out.push_str(frame.tail);
        Ok(out)
    }

    /// What a whole result has around the members that are the handler's own.
    ///
    /// # Errors
    ///
    /// The reply to send instead: what the result lacks, or what the client lacks for it.
    pub fn result_frame(&self, shape: &Shape<'_>) -> Result<Frame, Reply<'a>> {
        let kind = shape.result_type.map_or_else(|| Some("complete".into()), Raw::as_str);
        let (complete, asks) = (kind.as_deref() == Some("complete"), kind.as_deref() == Some(INPUT_REQUIRED));
        if !complete && !asks && (kind.is_none() || !self.server.encoded.extends()) {
            let text =
                "The handler's resultType must be \"complete\" or \"input_required\", or of a declared extension";
            return Err(self.wrong(text));
        }
        let is_own = matches!(self.target, Target::Method(_));
        if complete && !is_own && !shape.has_items && !shape.needs_content_text(&self.target) {
            let mut message = String::from("The handler returned an object without ");
            message.push_str(self.items_name());
            if matches!(self.target, Target::Tool(_)) {
                message.push_str(" or structuredContent");
            }
            return Err(self.wrong(&message));
        }
        if complete && !shape.is_error && self.checks_output() {
            self.check_output(shape.structured).map_err(|reason| self.wrong(&reason))?;
        }
        if asks {
            if self.era() == Era::Legacy || self.target == Target::Completion || is_own {
                return Err(self.wrong("The handler asks for input, which this request has no way for"));
            }
            asks::check(shape.input_requests, shape.request_state, self.capabilities).map_err(|error| {
                match error.code {
                    INTERNAL_ERROR => self.wrong(&error.message),
                    _ => Reply::error(Some(self.id), 400, error),
                }
            })?;
        }
        let mut out = Writer::new();
        out.open_object();
        let modern = self.era() == Era::Modern;
        if modern {
            out.name("resultType");
            match shape.result_type {
                Some(kind) => out.value(kind),
                None => out.string("complete"),
            };
            if let Some(hint) = self.hint().filter(|_| complete) {
                self.write_cache(&mut out, shape, hint);
            }
        }
        if modern || shape.meta.is_some() {
            out.name("_meta").open_object();
            let own = shape.meta.filter(|meta| meta.is_object());
            own.unwrap_or(Raw::EMPTY_OBJECT).members().for_each(|(key, value)| {
                out.name(&key.name()).value(value);
            });
            if modern && own.is_none_or(|meta| meta.get(meta::SERVER_INFO).is_none()) {
                out.name(meta::SERVER_INFO).raw(self.server.encoded.server_info());
            }
            out.close_object();
        }
        let mut head = out.finish();
        if head.len() > 1 {
            head.push(',');
        }
        Ok(Frame { head, tail: "}" })
    }

    fn write_cache(&self, out: &mut Writer, shape: &Shape<'_>, hint: CacheHint) {
        let ttl = shape.ttl.and_then(Raw::as_i64).and_then(|ttl| u64::try_from(ttl).ok());
        let registry = &self.server.registry;
        let is_conditional = match self.target {
            Target::Resource(index) => registry.resources.list.is_conditional(index),
            Target::Template(index, _) => registry.templates.list.is_conditional(index),
            _ => false,
        };
        let public = shape.scope.map_or(hint.public, |scope| scope.text() == br#""public""#) && !is_conditional;
        write_hint(out, CacheHint { ttl_ms: ttl.unwrap_or(hint.ttl_ms), public });
    }

    /// The caching hint of the item, where its results can be cached.
    pub(super) fn hint(&self) -> Option<CacheHint> {
        let registry = &self.server.registry;
        match &self.target {
            Target::Resource(index) => registry.resources.items.get(*index).map(|item| item.hint),
            Target::Template(index, _) => registry.templates.items.get(*index).map(|item| item.hint),
            _ => None,
        }
    }
}

/// What a handler's whole result has of the members that concern the protocol.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shape<'a> {
    /// `_meta`
    pub meta: Option<Raw<'a>>,
    /// `resultType`
    pub result_type: Option<Raw<'a>>,
    /// `ttlMs`
    pub ttl: Option<Raw<'a>>,
    /// `cacheScope`
    pub scope: Option<Raw<'a>>,
    /// `inputRequests`
    pub input_requests: Option<Raw<'a>>,
    /// `requestState`
    pub request_state: Option<Raw<'a>>,
    /// `structuredContent`, where the tool has a schema for it.
    pub structured: Option<Raw<'a>>,
    /// Whether it says that the tool failed.
    pub is_error: bool,
    /// Whether it has the array that results of this handler consist of.
    pub has_items: bool,
    /// Whether it has `structuredContent`.
    pub has_structured: bool,
}

impl Shape<'_> {
    /// Whether `content` has to be made from `structuredContent` (2026-07-28, server/tools, "Structured Content").
    pub fn needs_content_text(&self, target: &Target) -> bool {
        matches!(target, Target::Tool(_)) && self.has_structured && !self.has_items
    }
}
