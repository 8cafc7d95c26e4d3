//! The toolset behind the mailbox: `pkg-template/lib/toolset-core.js` is the other half.
//!
//! All of it is cold, so one export does: JSON in, JSON out.

use super::mailbox;
use crate::protocol::json::Raw;
use crate::toolset::{config, elicitation, environment, naming, shape};
use wasm_bindgen::prelude::wasm_bindgen;

/// What is asked, and what the mailbox holds.
mod what {
    /// A configuration, JSON as editors write it.
    pub(super) const CONFIG: u32 = 0;
    /// `{"headers", "environment"}`; gives the headers.
    pub(super) const EXPAND: u32 = 1;
    /// The same; gives their shape.
    pub(super) const SHAPE_OF_HEADERS: u32 = 2;
    /// `[{"name", "tools"}]`
    pub(super) const NAMES: u32 = 3;
    /// A result of `tools/call`.
    pub(super) const RESULT: u32 = 4;
    /// `{"id", "params"}`
    pub(super) const QUESTION: u32 = 5;
    /// A host's answer.
    pub(super) const ANSWER: u32 = 6;
}

/// Posts the answer and what is wrong, one of which is empty.
#[wasm_bindgen(js_name = toolset)]
pub fn toolset(kind: u32, length: usize) {
    let answer = mailbox::take(length, |bytes| answer(kind, bytes));
    match answer {
        Ok(text) => mailbox::post(&[&text, ""], &[]),
        Err(reason) => mailbox::post(&["", &reason], &[]),
    }
}

fn answer(kind: u32, bytes: &[u8]) -> Result<String, String> {
    if kind == what::CONFIG {
        let text = String::from_utf8_lossy(bytes);
        return config::parse(&text).map(|list| config::write(&list)).map_err(|error| error.to_string());
    }
    let value = Raw::parse(bytes).map_err(|error| ["not JSON: ", &error.to_string()].concat())?;
    let part = |name| value.get(name).unwrap_or(Raw::EMPTY_OBJECT);
    match kind {
        what::EXPAND => environment::expand_headers(part("headers"), part("environment")),
        what::SHAPE_OF_HEADERS => Ok(environment::shape(part("headers"), part("environment"))),
        what::NAMES => {
            let names: Vec<_> = value.elements().map(|server| server.get_str("name").unwrap_or_default()).collect();
            let servers: Vec<_> = names
                .iter()
                .zip(value.elements())
                .map(|(name, server)| naming::Server { name, tools: server.get("tools").unwrap_or(Raw::NULL) })
                .collect();
            Ok(naming::write(&servers))
        }
        what::RESULT => Ok(shape::write(value)),
        what::QUESTION => elicitation::to_request(&value.get_str("id").unwrap_or_default(), part("params")),
        what::ANSWER => Ok(elicitation::to_result(value)),
        _ => Ok(String::new()),
    }
}
