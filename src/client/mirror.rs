//! Tools whose parameters are mirrored into headers; tools whose annotations are wrong are left out.
//!
//! Page: 2026-07-28, basic/transports/streamable-http, "Custom Headers from Tool Parameters".

use super::event::{Channel, Millis};
use super::opening::Answer;
use super::pending::{OwnedParams, Pending};
use super::{Call, Client, Code, Event, Failure, Own};
use crate::protocol::error::HEADER_MISMATCH;
use crate::protocol::json::{Raw, Writer};
use crate::protocol::method;
use crate::protocol::version::Era;
use crate::streamable_http::param_headers::{self, HeaderParam};

impl Client {
    /// What the tool mirrors.
    pub(super) fn mirrored_by(&self, name: &str) -> Option<&[HeaderParam]> {
        self.mirrored.iter().find(|(other, _)| other == name).map(|(_, params)| params.as_slice())
    }

    /// A tool call was refused for its headers: the tools are listed again, once, and the call goes out with what the
    /// list says now. True if so.
    pub(super) fn is_relisted(&mut self, call: Call, answer: &Answer<'_>, now: Millis) -> bool {
        let is_mismatch = matches!(answer, Answer::Error(error) if error.code == HEADER_MISMATCH);
        if !is_mismatch || !self.mirrors_parameters() {
            return false;
        }
        let Some(pending) = self.calls.get_mut(call) else { return false };
        if pending.method != method::TOOLS_CALL || pending.reissued {
            return false;
        }
        pending.reissued = true;
        pending.exchange = None;
        pending.deadline = None;
        self.request_own(method::TOOLS_LIST, "", Own::Tools(call), now);
        true
    }

    /// Whether this connection mirrors parameters: modern HTTP does.
    pub(super) fn mirrors_parameters(&self) -> bool {
        self.options.channel == Channel::Http && self.era() == Some(Era::Modern)
    }

    /// The text of a result; from a list of tools those are left out whose annotations break the rules.
    pub(super) fn without_invalid_tools(&mut self, call: Call, result: Raw<'_>) -> String {
        let is_list = self.calls.get(call).is_some_and(|call| call.method == method::TOOLS_LIST);
        if !is_list || !self.mirrors_parameters() {
            return result.as_text().to_owned();
        }
        // A single page says nothing of the tools on the others.
        let is_first = |call: &Pending| call.cursors.is_empty() && matches!(call.params, OwnedParams::None);
        if self.calls.get(call).is_some_and(is_first) {
            self.mirrored.clear();
        }
        let mut kept = Vec::new();
        let mut dropped = false;
        for tool in result.get("tools").map(Raw::elements).into_iter().flatten() {
            if self.note_tool(tool) {
                kept.push(tool);
            } else {
                dropped = true;
            }
        }
        if !dropped {
            return result.as_text().to_owned();
        }
        let mut out = Writer::new();
        out.open_object();
        for (key, value) in result.members() {
            if !key.is("tools") {
                out.name(&key.name()).value(value);
            }
        }
        out.name("tools").open_array();
        for tool in kept {
            out.value(tool);
        }
        out.close_array().close_object();
        out.finish()
    }

    /// Remembers what the tool mirrors; false if it has to be left out.
    fn note_tool(&mut self, tool: Raw<'_>) -> bool {
        let Some(name) = tool.get_str("name") else { return true };
        self.mirrored.retain(|(other, _)| *other != name);
        match tool.get("inputSchema").map(param_headers::scan) {
            Some(Ok(params)) if !params.is_empty() => self.mirrored.push((name.into_owned(), params)),
            Some(Ok(_)) | None => {}
            Some(Err(reason)) => {
                let message = ["the tool ", &name, " is left out of the list: ", &reason].concat();
                self.tell(Event::Diagnostic(Box::new(Failure::new(Code::InvalidDefinition, message))));
                return false;
            }
        }
        true
    }
}
