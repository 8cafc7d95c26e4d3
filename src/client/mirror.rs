//! Tools whose parameters are mirrored into headers; tools whose annotations are wrong are left out.
//!
//! Page: 2026-07-28, basic/transports/streamable-http, "Custom Headers from Tool Parameters".

use super::event::Channel;
use super::{Call, Client, Code, Event, Failure};
use crate::protocol::json::{Raw, Writer};
use crate::protocol::method;
use crate::protocol::version::Era;
use crate::streamable_http::param_headers::{self, HeaderParam};

impl Client {
    /// What the tool mirrors.
    pub(super) fn mirrored_by(&self, name: &str) -> Option<&[HeaderParam]> {
        self.mirrored.iter().find(|(other, _)| other == name).map(|(_, params)| params.as_slice())
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
