//! The requests of a View: checked, answered, asked of the application or forwarded to the server.

use super::super::shape::fit;
use super::super::visibility::Tools;
use super::super::{shapes, visibility};
use super::params::check;
use super::{Host, Outcome, Output};
use crate::protocol::apps::{self, DENIED};
use crate::protocol::error::{ErrorObject, INTERNAL_ERROR, INVALID_PARAMS, METHOD_NOT_FOUND, abridged};
use crate::protocol::json::{Kind, Raw, Writer};
use crate::protocol::jsonrpc::{RequestId, error_response, notification};
use crate::protocol::{meta, method};

/// A request of the View that is under way.
#[derive(Clone, Debug)]
pub(super) struct Request {
    call: u32,
    /// As the View wrote it.
    id: String,
    method: &'static str,
    /// The View's progress token, as JSON.
    token: Option<String>,
    /// The display mode that it asks for.
    mode: &'static str,
}

/// A tool call that waits for the server's list.
#[derive(Clone, Debug)]
pub(super) struct Waiting {
    call: u32,
    name: String,
    params: String,
    /// Whether a list that was asked for after the call has come already.
    is_last: bool,
}

impl Host {
    /// A request of an initialized View, apart from `ping` and `ui/initialize`.
    pub(super) fn view_asks(&mut self, id: &str, method: &str, params: Raw<'_>) {
        let known = apps::HOST_ANSWERS.iter().chain(&apps::HOST_FORWARDS).find(|known| **known == method);
        let forwards = known.is_some_and(|known| apps::HOST_FORWARDS.contains(known));
        let Some(method) = known.copied().filter(|method| self.serves(method, forwards)) else {
            return self.refuse(id, METHOD_NOT_FOUND, &["Method not found: ", abridged(method)]);
        };
        let checked = match check(method, params) {
            Ok(checked) => checked,
            Err(reason) => return self.refuse(id, INVALID_PARAMS, &["Invalid params for ", method, ": ", reason]),
        };
        if method == apps::REQUEST_DISPLAY_MODE {
            return self.display_mode(id, checked.mode);
        }
        if self.requests.len() >= self.options.limits.requests {
            return self.refuse(id, DENIED, &["too many requests at once, refused ", method]);
        }
        let token = params.get("_meta").and_then(|meta| meta.get(meta::PROGRESS_TOKEN)).and_then(RequestId::read);
        let token = token.map(|token| token.as_text().to_owned());
        let call = self.new_call();
        let progress = token.is_some();
        self.requests.push(Request { call, id: id.to_owned(), method, token, mode: "" });
        let params = checked.params;
        if method == method::TOOLS_CALL {
            self.waiting.push(Waiting { call, name: checked.name, params, is_last: false });
            self.let_through();
        } else if forwards {
            self.outputs.push(Output::Forward { call, method, params, progress });
        } else {
            self.outputs.push(Output::Ask { call, method, params });
        }
    }

    fn new_call(&mut self) -> u32 {
        self.last_call = self.last_call.wrapping_add(1).max(1);
        self.last_call
    }

    fn serves(&self, method: &str, forwards: bool) -> bool {
        if !forwards {
            return method == apps::REQUEST_DISPLAY_MODE || self.options.handles(method);
        }
        self.options.has_server(match method {
            method::TOOLS_CALL | method::TOOLS_LIST => "tools",
            method::PROMPTS_LIST => "prompts",
            _ => "resources",
        })
    }

    /// Answers with the mode in force, or asks the application for one that both sides have.
    fn display_mode(&mut self, id: &str, mode: &'static str) {
        let current = self.context.display_mode();
        let is_possible = self.context.offers(mode) && self.can_show(mode);
        if mode == current || !is_possible || !self.options.handles(apps::REQUEST_DISPLAY_MODE) {
            return self.answer_mode(id, current);
        }
        let call = self.new_call();
        let method = apps::REQUEST_DISPLAY_MODE;
        self.requests.push(Request { call, id: id.to_owned(), method, token: None, mode });
        self.outputs.push(Output::Ask { call, method, params: mode_object("mode", mode) });
    }

    fn answer_mode(&mut self, id: &str, mode: &str) {
        self.answer(id, &mode_object("mode", mode));
    }

    /// The server's tools, the `tools` of all pages as JSON; `None` where they could not be had.
    pub fn tools(&mut self, list: Option<&str>) {
        self.is_listing = false;
        let list = list.and_then(|list| Raw::parse(list.as_bytes()).ok()).filter(|list| list.kind() == Kind::Array);
        self.tools = list.map(Tools::read);
        if self.tools.is_none() {
            for waiting in std::mem::take(&mut self.waiting) {
                let message = "the server's list of tools could not be had, so the call cannot be judged";
                self.settle(waiting.call, &Outcome::Error(ErrorObject::new(INTERNAL_ERROR, message)));
            }
            return;
        }
        for waiting in &mut self.waiting {
            waiting.is_last = true;
        }
        self.let_through();
    }

    /// Forwards the calls that may go to the server, refuses those that may not, and keeps those that a newer
    /// list of tools has to decide.
    fn let_through(&mut self) {
        let mut kept = Vec::new();
        for waiting in std::mem::take(&mut self.waiting) {
            let Waiting { call, name, params, is_last } = waiting;
            match self.tools.as_ref().map(|tools| tools.may_call(&name)) {
                Some(Some(true)) => {
                    let progress = self.requests.iter().any(|request| request.call == call && request.token.is_some());
                    self.outputs.push(Output::Forward { call, method: method::TOOLS_CALL, params, progress });
                }
                Some(Some(false)) => self.refuse_call(call, &["the tool ", abridged(&name), " is not for Views"]),
                Some(None) if is_last => self.refuse_call(call, &["Unknown tool: ", abridged(&name)]),
                Some(None) | None => kept.push(Waiting { call, name, params, is_last }),
            }
        }
        self.waiting = kept;
        if !self.waiting.is_empty() && !self.is_listing {
            self.is_listing = true;
            self.outputs.push(Output::ListTools);
        }
    }

    fn refuse_call(&mut self, call: u32, message: &[&str]) {
        self.settle(call, &Outcome::Error(ErrorObject::new(INVALID_PARAMS, message.concat())));
    }

    /// What came of a call that was forwarded or asked; of one that nobody waits for, nothing.
    pub fn settle(&mut self, call: u32, outcome: &Outcome) {
        let Some(at) = self.requests.iter().position(|request| request.call == call) else { return };
        let Request { id, method, mode, .. } = self.requests.swap_remove(at);
        if method == apps::REQUEST_DISPLAY_MODE {
            return self.settle_mode(&id, mode, outcome);
        }
        match outcome {
            Outcome::Result(result) => self.settle_result(&id, method, result),
            Outcome::Denied if matches!(method, apps::OPEN_LINK | apps::MESSAGE | apps::DOWNLOAD_FILE) => {
                self.answer(&id, r#"{"isError":true}"#);
            }
            Outcome::Denied => self.refuse(&id, DENIED, &["the host refused ", method]),
            Outcome::Error(error) => self.post(error_response(Some(&id), error)),
        }
    }

    fn settle_result(&mut self, id: &str, method: &'static str, result: &str) {
        let Ok(raw) = Raw::parse(result.as_bytes()) else { return self.fail(id, "the host has no result") };
        if raw.get_str("resultType").is_some_and(|kind| kind != "complete") {
            return self.fail(id, "the server wants to ask the user, which this host does not let it do here");
        }
        let shape = match method {
            apps::OPEN_LINK | apps::MESSAGE | apps::DOWNLOAD_FILE | apps::UPDATE_MODEL_CONTEXT => {
                return self.answer(id, "{}");
            }
            method::TOOLS_CALL => &shapes::CALL_TOOL_RESULT,
            method::RESOURCES_READ => &shapes::READ_RESOURCE_RESULT,
            _ => &shapes::RESULT,
        };
        let Some(fitted) = self.fit(raw, shape, method) else {
            return self.fail(id, "the server's result is not what the method promises");
        };
        let fitted = Raw::parse(fitted.as_bytes()).unwrap_or(Raw::EMPTY_OBJECT);
        let mut out = Writer::new();
        out.open_object();
        if method == method::TOOLS_CALL && fitted.get("content").is_none() {
            out.name("content").open_array().close_array();
        }
        for (key, value) in fitted.members() {
            match &*key.bytes() {
                // The channel has no era.
                b"resultType" => {}
                b"tools" if method == method::TOOLS_LIST => {
                    out.name("tools").open_array();
                    let visible = visibility::positions(value, "app");
                    let mut dropped = Vec::new();
                    for (at, tool) in value.elements().enumerate() {
                        if visible.iter().any(|position| *position as usize == at)
                            && let Some(tool) = fit(tool, &shapes::TOOL, "tools", &mut dropped)
                        {
                            out.raw(&tool);
                        }
                    }
                    out.close_array();
                    self.warn_dropped(dropped);
                }
                _ => {
                    out.key(key).value(value);
                }
            }
        }
        out.close_object();
        self.answer(id, out.as_str());
    }

    /// The mode that is in force now: what the application says, if the View can be shown so.
    fn settle_mode(&mut self, id: &str, asked: &'static str, outcome: &Outcome) {
        let current = self.context.display_mode();
        let said = match outcome {
            Outcome::Result(result) => {
                let result = Raw::parse(result.as_bytes()).unwrap_or(Raw::NULL);
                let mode = result.get_str("mode");
                mode.map_or(asked, |mode| apps::DISPLAY_MODES.into_iter().find(|own| *own == mode).unwrap_or(current))
            }
            Outcome::Denied | Outcome::Error(_) => current,
        };
        let mode = if self.can_show(said) { said } else { current };
        self.answer_mode(id, mode);
        if mode != current {
            // Views take the mode from the context, not from the answer.
            self.update_context(&mode_object("displayMode", mode));
        }
    }

    /// How far a call has got: `progress`, `total` and `message` as JSON.
    pub fn progress(&mut self, call: u32, params: &str) {
        let token = self.requests.iter().find(|request| request.call == call).and_then(|request| request.token.clone());
        let params = Raw::parse(params.as_bytes()).ok().and_then(Self::fit_progress);
        if let (Some(token), Some(params)) = (token, params) {
            let mut out = Writer::new();
            out.open_object().name(meta::PROGRESS_TOKEN).raw(&token);
            for (name, value) in params {
                out.name(name).raw(&value);
            }
            out.close_object();
            self.post(notification(method::PROGRESS, Some(out.as_str())));
        }
    }

    /// The View no longer waits for a request of its own, and gets no answer to it.
    pub(super) fn cancelled(&mut self, params: Raw<'_>) {
        let Some(id) = params.get("requestId").and_then(RequestId::read) else { return };
        let is_it = |request: &Request| {
            let own = Raw::parse(request.id.as_bytes()).ok().and_then(RequestId::read);
            own.is_some_and(|own| own.canonical() == id.canonical())
        };
        let (gone, kept) = std::mem::take(&mut self.requests).into_iter().partition(is_it);
        self.requests = kept;
        self.cancel_all(gone);
    }

    /// Nobody waits for any request.
    pub(super) fn drop_requests(&mut self) {
        let gone = std::mem::take(&mut self.requests);
        self.cancel_all(gone);
    }

    fn cancel_all(&mut self, gone: Vec<Request>) {
        for request in gone {
            // One that waits has not left.
            let waited = self.waiting.iter().position(|waiting| waiting.call == request.call);
            match waited {
                Some(at) => drop(self.waiting.remove(at)),
                None => self.outputs.push(Output::Cancel(request.call)),
            }
        }
    }
}

fn mode_object(name: &str, mode: &str) -> String {
    let mut out = Writer::new();
    out.open_object().name(name).string(mode).close_object();
    out.finish()
}
