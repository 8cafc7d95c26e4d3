//! What a handler may ask the client in place of a result (2026-07-28, basic/patterns/mrtr).

use super::rounds::check_request;
use crate::protocol::error::{ErrorObject, INTERNAL_ERROR, MISSING_REQUIRED_CLIENT_CAPABILITY};
use crate::protocol::json::{Kind, Raw, Writer};
use crate::protocol::method;

/// The `resultType` of a result that asks.
pub(super) const INPUT_REQUIRED: &str = "input_required";

/// Checks a result that asks: that it asks something, what a client can be asked, and that this one can.
pub(super) fn check(
    requests: Option<Raw<'_>>,
    state: Option<Raw<'_>>,
    capabilities: Option<Raw<'_>>,
) -> Result<(), ErrorObject> {
    let wrong = |reason: &str| Err(ErrorObject::new(INTERNAL_ERROR, reason));
    if state.is_some_and(|state| state.kind() != Kind::String) {
        return wrong("The handler's requestState is not a string");
    }
    if requests.is_some_and(|requests| !requests.is_object()) {
        return wrong("The handler's inputRequests are not an object");
    }
    let mut entries = requests.unwrap_or(Raw::EMPTY_OBJECT).members().map(|(_, entry)| entry).peekable();
    if entries.peek().is_none() && state.is_none() {
        return wrong("The handler's input_required result has neither inputRequests nor requestState");
    }
    let mut missing = Missing::default();
    for entry in entries {
        if missing.read(&entry.get_str("method").unwrap_or_default(), entry.get("params"), capabilities).is_none() {
            return wrong(
                "The handler's inputRequests may hold elicitation/create, sampling/createMessage and roots/list",
            );
        }
    }
    missing.refuse()
}

/// Whether a client with these capabilities can be asked that; any client, where they are not known.
///
/// # Errors
///
/// The capabilities that it lacks (−32021), or what is wrong with the ask itself.
pub fn check_ask(
    method: &str,
    params: Option<Raw<'_>>,
    capabilities: Option<Raw<'_>>,
) -> Result<(), Result<ErrorObject, String>> {
    check_request(method, params).map_err(Err)?;
    let mut missing = Missing::default();
    if capabilities.is_some() {
        missing.read(method, params, capabilities);
    }
    missing.refuse().map_err(Ok)
}

/// The capabilities that the client would have had to declare.
#[derive(Default)]
struct Missing {
    found: Vec<(&'static str, Option<&'static str>)>,
}

impl Missing {
    /// Notes what an ask needs and the client has not; `None` for what cannot be asked.
    fn read(&mut self, method: &str, params: Option<Raw<'_>>, capabilities: Option<Raw<'_>>) -> Option<()> {
        match method {
            method::ELICITATION_CREATE => {
                let by_url = params.and_then(|params| params.get_str("mode")).as_deref() == Some("url");
                let declared = capabilities.and_then(|capabilities| capabilities.get("elicitation"));
                // A declaration without modes is one of forms.
                let by_url_alone = declared.is_some_and(|own| own.get("url").is_some() && own.get("form").is_none());
                let part = if by_url { Some("url") } else { by_url_alone.then_some("form") };
                self.need(capabilities, "elicitation", part);
            }
            method::SAMPLING_CREATE_MESSAGE => {
                let with_tools = params.is_some_and(|params| params.get_present("tools").is_some());
                self.need(capabilities, "sampling", with_tools.then_some("tools"));
            }
            method::ROOTS_LIST => self.need(capabilities, "roots", None),
            _ => return None,
        }
        Some(())
    }

    fn need(&mut self, capabilities: Option<Raw<'_>>, name: &'static str, part: Option<&'static str>) {
        let declared = capabilities.and_then(|capabilities| capabilities.get(name)).filter(|value| value.is_object());
        let there = declared.is_some_and(|declared| part.is_none_or(|part| declared.get(part).is_some()));
        if !there && !self.found.contains(&(name, part)) {
            self.found.push((name, part));
        }
    }

    fn refuse(self) -> Result<(), ErrorObject> {
        if self.found.is_empty() {
            return Ok(());
        }
        let mut text = String::from("The client did not declare what this request needs:");
        let mut data = Writer::new();
        data.open_object().name("requiredCapabilities").open_object();
        for (at, (name, part)) in self.found.iter().enumerate() {
            text.push_str(if at > 0 { ", " } else { " " });
            text.push_str(name);
            // A name stands once: with its part, where any entry needs that.
            if part.is_none() && self.found.iter().any(|(other, part)| other == name && part.is_some()) {
                continue;
            }
            data.name(name).open_object();
            if let Some(part) = part {
                text.push('.');
                text.push_str(part);
                data.name(part).raw("{}");
            }
            data.close_object();
        }
        data.close_object().close_object();
        Err(ErrorObject::new(MISSING_REQUIRED_CLIENT_CAPABILITY, text).with_data(data.finish()))
    }
}
