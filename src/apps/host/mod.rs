//! The order of things between a host and one View (2026-01-26, "Lifecycle").
//!
//! ```text
//! sandbox ready -> the document -> ui/initialize -> its result -> initialized
//!               -> partial input* -> input -> result | cancelled -> … -> teardown
//! ```
//!
//! Nothing but answers goes to a View before it is initialized; what the application says earlier is
//! kept. A View that initializes again, in the same frame or in a new one, is told everything again.
//! After every input the outputs are to be taken and carried out, in their order.

mod ask;
mod options;
mod output;
mod params;
mod receive;
mod requests;

pub use options::{Limits, Options};
pub use output::{Outcome, Output, Unanswered};
pub use receive::SANDBOX_NAVIGATED;

use super::context::{HostContext, contains};
use super::shape::fit;
use super::shapes;
use super::visibility::Tools;
use crate::protocol::apps::{self, ToolData};
use crate::protocol::error::{ErrorObject, INTERNAL_ERROR, abridged};
use crate::protocol::json::{Raw, Writer};
use crate::protocol::jsonrpc::{error_response, notification, result_response};
use ask::Asked;
use requests::Request;

/// How far a View has come.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Phase {
    /// Its frame has not asked for its document yet, or its document has not spoken yet.
    #[default]
    Loading,
    /// It has been answered, and has not said that it is initialized.
    Greeted,
    /// Both sides speak.
    Live,
    /// It has been told that it is about to be removed.
    Closing,
    /// It is gone.
    Closed,
}

/// The host of one View.
#[derive(Debug, Default)]
pub struct Host {
    options: Options,
    phase: Phase,
    /// Whether the document in the frame has ever been initialized: another one in it may start while it works.
    was_live: bool,
    context: HostContext,
    /// The members of the context that have changed since the View was told.
    changed: Vec<String>,
    input: Option<String>,
    partial: Option<String>,
    is_partial_told: bool,
    end: Option<(ToolData, String)>,
    /// The last of the tool's data that the application gave, and that the View was sent.
    given: Option<ToolData>,
    sent: Option<ToolData>,
    /// `appCapabilities.availableDisplayModes`, an array as JSON text.
    modes: Option<String>,
    /// `appInfo` and `appCapabilities`, as JSON.
    app_info: String,
    app_capabilities: String,
    has_tools: bool,
    tools: Option<Tools>,
    /// What waits for the list of tools.
    waiting: Vec<requests::Waiting>,
    is_listing: bool,
    requests: Vec<Request>,
    last_call: u32,
    asked: Vec<Asked>,
    last_id: u32,
    size: (Option<u32>, Option<u32>),
    /// When the second began in which messages are counted, and how many there were.
    counted: (u64, u32),
    tools_changed_at: Option<u64>,
    /// When its sandbox is given up, until that has answered.
    silent_at: Option<u64>,
    closes_at: u64,
    outputs: Vec<Output>,
}

impl Host {
    /// A host of a View that is not there yet, whose sandbox has begun to load.
    pub fn new(options: Options, now: u64) -> Self {
        let silent_at = Some(now.saturating_add(options.limits.load_ms));
        let mut host = Self { options, silent_at, ..Self::default() };
        let mut dropped = Vec::new();
        if let Ok(partial) = Raw::parse(host.options.context.as_bytes()) {
            host.context.merge(partial, &mut dropped);
        }
        host.warn_dropped(dropped);
        let mode = host.context.display_mode();
        if mode != "inline" {
            host.outputs.push(Output::DisplayMode(mode));
        }
        host
    }

    /// How far the View has come.
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// What is to be done, in this order. Ends with the deadline at which [`Host::handle_timeout`] is to be called,
    /// if there is one.
    #[must_use = "what is not carried out is lost"]
    pub fn take_outputs(&mut self) -> Vec<Output> {
        if let Some(at) = self.deadline() {
            self.outputs.push(Output::Wait(at));
        }
        std::mem::take(&mut self.outputs)
    }

    /// The arguments as far as they have been written, an object as JSON. Only the newest is kept for a View that
    /// is not initialized; after the input it is ignored.
    pub fn tool_input_partial(&mut self, arguments: &str) {
        if ToolData::InputPartial.may_follow(self.given) && self.take_arguments(ToolData::InputPartial, arguments) {
            self.tell_tool_data();
        }
    }

    /// The arguments, an object as JSON.
    ///
    /// # Errors
    ///
    /// A message where they have been given, or the call has ended.
    pub fn tool_input(&mut self, arguments: &str) -> Result<(), &'static str> {
        if !ToolData::Input.may_follow(self.given) {
            return Err("a View gets the input of its tool call once, and before the call's end");
        }
        self.take_arguments(ToolData::Input, arguments);
        self.tell_tool_data();
        Ok(())
    }

    /// Whether they are an object; input counts as given in any case.
    fn take_arguments(&mut self, kind: ToolData, arguments: &str) -> bool {
        let is_object = Raw::parse(arguments.as_bytes()).is_ok_and(Raw::is_object);
        if !is_object {
            self.warn("expected the tool's arguments to be an object");
        }
        let text = if is_object { arguments.to_owned() } else { "{}".to_owned() };
        match kind {
            ToolData::InputPartial if !is_object => return false,
            ToolData::InputPartial => {
                self.partial = Some(text);
                self.is_partial_told = false;
            }
            _ => self.input = Some(text),
        }
        self.given = Some(kind);
        is_object
    }

    /// The result, a `CallToolResult` as JSON. A View whose input was not given gets an empty one first.
    ///
    /// # Errors
    ///
    /// A message where the call has ended.
    pub fn tool_result(&mut self, result: &str) -> Result<(), &'static str> {
        if self.end.is_some() {
            return Err("a tool call has one end, a result or a cancellation");
        }
        let fitted = match Raw::parse(result.as_bytes()) {
            Ok(result) => self.fit(result, &shapes::CALL_TOOL_RESULT, "result"),
            Err(_) => None,
        };
        let Some(fitted) = fitted.map(|fitted| without_era(&fitted)) else {
            return Err("a tool's result must be an object");
        };
        if self.input.is_none() {
            self.input = Some("{}".to_owned());
        }
        self.end_with(ToolData::Result, fitted);
        Ok(())
    }

    /// There will be no result.
    ///
    /// # Errors
    ///
    /// A message where the call has ended.
    pub fn tool_cancelled(&mut self, reason: Option<&str>) -> Result<(), &'static str> {
        if self.end.is_some() {
            return Err("a tool call has one end, a result or a cancellation");
        }
        let mut out = Writer::new();
        out.open_object();
        if let Some(reason) = reason {
            out.name("reason").string(reason);
        }
        out.close_object();
        self.end_with(ToolData::Cancelled, out.finish());
        Ok(())
    }

    fn end_with(&mut self, kind: ToolData, params: String) {
        self.end = Some((kind, params));
        self.given = Some(kind);
        self.tell_tool_data();
    }

    /// Changes members of the host context; a View is told what differs, once it is initialized.
    pub fn update_context(&mut self, partial: &str) {
        let Some(partial) = Raw::parse(partial.as_bytes()).ok().filter(|_| self.phase != Phase::Closed) else { return };
        let mut dropped = Vec::new();
        let before = self.context.clone();
        let mut changed = self.context.merge(partial, &mut dropped);
        self.warn_dropped(dropped);
        let mode = self.context.display_mode();
        if changed.iter().any(|name| name == "displayMode") && !self.can_show(mode) {
            self.warn(&["the View does not support the display mode ", mode].concat());
            self.context.restore("displayMode", &before);
            changed.retain(|name| name != "displayMode");
        }
        if changed.iter().any(|name| name == "displayMode") {
            self.outputs.push(Output::DisplayMode(mode));
        }
        for name in changed {
            // The tool is told with the handshake and does not change.
            if name != "toolInfo" && !self.changed.contains(&name) {
                self.changed.push(name);
            }
        }
        self.tell_context();
    }

    /// One of the server's lists has changed: `notifications/tools/list_changed` and the like.
    pub fn list_changed(&mut self, method: &str) {
        if method == crate::protocol::method::TOOLS_LIST_CHANGED {
            self.tools = None;
        }
        if self.is_open() && apps::LISTS_CHANGED.contains(&method) && self.options.has_server_list(method) {
            self.post(notification(method, None));
        }
    }

    /// Begins to close: the View is told, and answers or has had its time.
    pub fn teardown(&mut self, now: u64) {
        match self.phase {
            Phase::Live => {
                self.phase = Phase::Closing;
                self.closes_at = now.saturating_add(self.options.limits.teardown_ms);
                self.ask_to_close();
            }
            Phase::Closing | Phase::Closed => {}
            // Nothing may be sent before it is initialized.
            Phase::Loading | Phase::Greeted => self.close(),
        }
    }

    /// The frame is gone, or the application is: ends without a word.
    pub fn close(&mut self) {
        if self.phase == Phase::Closed {
            return;
        }
        self.phase = Phase::Closed;
        self.silent_at = None;
        self.drop_requests();
        self.fail_asked("the View is closed");
        self.outputs.push(Output::Closed);
    }

    /// To be called when the deadline has come.
    pub fn handle_timeout(&mut self, now: u64) {
        if self.silent_at.is_some_and(|at| now >= at) {
            self.outputs.push(Output::Silent);
            self.close();
        }
        if self.phase == Phase::Closing && now >= self.closes_at {
            self.close();
        }
        self.time_out_asked(now);
    }

    fn deadline(&self) -> Option<u64> {
        let closing = (self.phase == Phase::Closing).then_some(self.closes_at);
        closing.into_iter().chain(self.silent_at).chain(self.asked_deadline()).min()
    }

    /// Whether notifications may go to the View.
    fn is_open(&self) -> bool {
        matches!(self.phase, Phase::Live | Phase::Closing)
    }

    /// Whether the View can be shown in that mode: what it says, or any if it says nothing.
    fn can_show(&self, mode: &str) -> bool {
        self.modes.as_deref().is_none_or(|modes| contains(modes, mode))
    }

    fn post(&mut self, message: String) {
        self.outputs.push(Output::Post(message));
    }

    fn warn(&mut self, message: &str) {
        self.outputs.push(Output::Warning(message.to_owned()));
    }

    fn warn_dropped(&mut self, dropped: Vec<String>) {
        for path in dropped {
            self.warn(&["left out what a View would refuse: ", abridged(&path)].concat());
        }
    }

    fn fit(&mut self, value: Raw<'_>, shape: &super::shape::Shape, path: &str) -> Option<String> {
        let mut dropped = Vec::new();
        let fitted = fit(value, shape, path, &mut dropped);
        self.warn_dropped(dropped);
        fitted
    }

    fn answer(&mut self, id: &str, result: &str) {
        self.post(result_response(id, result));
    }

    fn refuse(&mut self, id: &str, code: i64, message: &[&str]) {
        self.post(error_response(Some(id), &ErrorObject::new(code, message.concat())));
    }

    fn fail(&mut self, id: &str, message: &str) {
        self.refuse(id, INTERNAL_ERROR, &[message]);
    }

    fn tell_context(&mut self) {
        if self.is_open() && !self.changed.is_empty() {
            let changed = std::mem::take(&mut self.changed);
            let params = self.context.write(Some(&changed));
            self.post(notification(apps::HOST_CONTEXT_CHANGED, Some(&params)));
        }
    }

    /// Sends what the View has not been sent of its tool's data.
    fn tell_tool_data(&mut self) {
        if !self.is_open() {
            return;
        }
        let wrapped = |arguments: &str| ["{\"arguments\":", arguments, "}"].concat();
        let untold = self.partial.clone().filter(|_| !self.is_partial_told && self.input.is_none());
        if let Some(partial) = untold.filter(|_| ToolData::InputPartial.may_follow(self.sent)) {
            self.is_partial_told = true;
            self.tell(ToolData::InputPartial, &wrapped(&partial));
        }
        if let Some(input) = self.input.clone().filter(|_| ToolData::Input.may_follow(self.sent)) {
            self.tell(ToolData::Input, &wrapped(&input));
        }
        if let Some((kind, params)) = self.end.clone().filter(|(kind, _)| kind.may_follow(self.sent)) {
            self.tell(kind, &params);
        }
    }

    fn tell(&mut self, kind: ToolData, params: &str) {
        self.sent = Some(kind);
        self.post(notification(kind.method(), Some(params)));
    }
}

/// A result as it goes to a View: the channel has no era, so no `resultType`.
fn without_era(result: &str) -> String {
    let mut out = Writer::new();
    out.open_object();
    for (key, value) in Raw::parse(result.as_bytes()).unwrap_or(Raw::NULL).members() {
        if !key.is("resultType") {
            out.key(key).value(value);
        }
    }
    out.close_object();
    out.finish()
}
