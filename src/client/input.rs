//! Results that ask for input: the application answers, and the request goes out again with the answers.
//!
//! Page: 2026-07-28, basic/patterns/mrtr. Legacy servers ask with requests of their own; the application
//! answers both in the same way.

use super::elicitation;
use super::event::{Millis, ServerRequest};
use super::pending::{Later, OwnedParams, Pending};
use super::{Call, Client, Code, Event, Failure, State};
use crate::protocol::error::INTERNAL_ERROR;
use crate::protocol::json::{Raw, Writer, quote};
use crate::protocol::version::ProtocolVersion;
use crate::protocol::{changes, method};

/// How often one call may be asked for input. A person answers a handful of times; a server that goes on is broken.
pub const MAX_ROUNDS: usize = 10;

/// How long to wait before a request goes out again that was asked for nothing: the server only wants to be asked later.
const PAUSE: Millis = 250;

/// A question to the application, and where its answer goes.
pub(super) struct Asked {
    pub(super) to: To,
    pub(super) method: String,
    pub(super) params: Option<String>,
}

/// Where an answer goes.
pub(super) enum To {
    /// Back to the server, as the response to the request with this id (JSON).
    Server(String),
    /// Into the next round of a call, under this name.
    Round(Call, String),
}

impl Client {
    /// Asks the application.
    pub(super) fn ask(&mut self, to: To, method: &str, params: Option<Raw<'_>>) {
        self.last_server_request = self.last_server_request.wrapping_add(1);
        let request = ServerRequest(self.last_server_request);
        let params = params.map(|params| params.as_text().to_owned());
        self.server_requests.insert(request, Asked { to, method: method.to_owned(), params: params.clone() });
        self.tell(Event::Request(request, method.to_owned(), params));
    }

    /// A call's result asks for input.
    pub(super) fn on_input_required(&mut self, call: Call, result: Raw<'_>, now: Millis) {
        let state = result.get("requestState");
        let requests = result.get("inputRequests");
        if let Err(reason) = self.check_requests(state, requests) {
            self.fail_input(call, &reason);
            return;
        }
        let Some(pending) = self.calls.get_mut(call) else { return };
        pending.rounds += 1;
        if pending.rounds > MAX_ROUNDS {
            self.fail_input(call, "the server asked for input more than ten times");
            return;
        }
        strip(pending);
        pending.state = state.map(|state| state.as_text().to_owned());
        pending.exchange = None;
        pending.deadline = None;
        let Some(requests) = requests.filter(|requests| requests.members().next().is_some()) else {
            pending.extra = extra(pending);
            let at = now.saturating_add(PAUSE);
            pending.later = Some((at, Later::Retry));
            self.arm(at);
            return;
        };
        pending.inputs = requests.members().map(|(key, _)| (key.name().into_owned(), None)).collect();
        for (key, request) in requests.members() {
            let method = request.get_str("method").unwrap_or_default();
            self.ask(To::Round(call, key.name().into_owned()), &method, request.get("params"));
        }
    }

    /// What the result asks for must be something that the application can give, before anybody is asked anything.
    fn check_requests(&self, state: Option<Raw<'_>>, requests: Option<Raw<'_>>) -> Result<(), String> {
        if state.is_some_and(|state| state.as_str().is_none()) {
            return Err("requestState must be a string".to_owned());
        }
        let Some(requests) = requests else {
            return if state.is_some() {
                Ok(())
            } else {
                Err("neither inputRequests nor requestState is there".to_owned())
            };
        };
        if !requests.is_object() {
            return Err("inputRequests must be an object".to_owned());
        }
        if state.is_none() && requests.members().next().is_none() {
            return Err("inputRequests is empty, and there is no requestState".to_owned());
        }
        for (key, request) in requests.members() {
            let method = request.get_str("method").unwrap_or_default();
            let is_known = matches!(
                method.as_ref(),
                method::ELICITATION_CREATE | method::SAMPLING_CREATE_MESSAGE | method::ROOTS_LIST
            );
            if !is_known || !self.options.handles(&method) {
                return Err(
                    ["the input ", &key.name(), " asks for ", &method, ", for which there is no handler"].concat()
                );
            }
            if method == method::ELICITATION_CREATE
                && !elicitation::is_declared(&self.options.capabilities, request.get("params"))
            {
                return Err(
                    ["the input ", &key.name(), " asks for a mode of elicitation that was not declared"].concat()
                );
            }
        }
        Ok(())
    }

    fn fail_input(&mut self, call: Call, reason: &str) {
        let method = self.calls.get(call).map(|call| call.method.clone()).unwrap_or_default();
        let message = [&method, ": the result asks for input, but ", reason].concat();
        self.fail_call(call, Failure::new(Code::InvalidResult, message));
    }

    /// The application's answer, or its refusal.
    pub(super) fn on_answer(&mut self, request: ServerRequest, answer: Result<&str, (i64, &str)>, now: Millis) {
        let Some(asked) = self.server_requests.remove(request) else { return };
        let filled;
        let answer = match answer {
            Ok(result) if asked.method == method::ELICITATION_CREATE => {
                filled = elicitation::with_defaults(asked.params.as_deref(), result);
                Ok(filled.as_str())
            }
            answer => answer,
        };
        match (asked.to, answer) {
            (To::Server(id), Ok(result)) => self.send_result(&id, &asked.method, result, now),
            (To::Server(id), answer) => self.send_answer(&id, answer, now),
            (To::Round(call, name), Ok(result)) => self.on_input(call, &name, result, now),
            (To::Round(call, _), Err((_, message))) => {
                self.forget_questions(call);
                self.fail_call(call, Failure::new(Code::HandlerFailed, message));
            }
        }
    }

    /// Sends the application's answer to a legacy server, as the server's revision has it.
    fn send_result(&mut self, id: &str, method: &str, text: &str, now: Millis) {
        let State::Ready(session) = &self.state else { return };
        let version = ProtocolVersion::parse(session.version);
        let Some((version, result)) = version.zip(Raw::parse(text.as_bytes()).ok()) else {
            return self.send_answer(id, Ok(text), now);
        };
        if let Some(what) = changes::inexpressible_answer(version, method, result) {
            let message = ["protocol version ", version.as_str(), " does not have ", what].concat();
            return self.send_answer(id, Err((INTERNAL_ERROR, &message)), now);
        }
        let older = changes::answer_for(version, method, result);
        self.send_answer(id, Ok(older.as_deref().unwrap_or(text)), now);
    }

    fn on_input(&mut self, call: Call, name: &str, result: &str, now: Millis) {
        let Some(pending) = self.calls.get_mut(call) else { return };
        for (key, input) in &mut pending.inputs {
            if key == name {
                *input = Some(result.to_owned());
            }
        }
        if pending.inputs.iter().all(|(_, input)| input.is_some()) {
            pending.extra = extra(pending);
            pending.inputs.clear();
            self.dispatch(call, now);
        }
    }

    /// Nobody waits for the answers to what a call asked any longer.
    pub(super) fn forget_questions(&mut self, call: Call) {
        let open: Vec<_> = self
            .server_requests
            .iter()
            .filter(|(_, asked)| matches!(asked.to, To::Round(other, _) if other == call))
            .map(|(key, _)| key)
            .collect();
        for key in open {
            self.server_requests.remove(key);
        }
    }
}

/// What the next round adds to the parameters: this round's answers and state, and nothing of an earlier one.
fn extra(pending: &mut Pending) -> String {
    let mut out = Writer::new();
    if !pending.inputs.is_empty() {
        out.name("inputResponses").open_object();
        for (name, input) in &pending.inputs {
            out.name(name).raw(input.as_deref().unwrap_or("{}"));
        }
        out.close_object();
    }
    if let Some(state) = pending.state.take() {
        out.name("requestState").raw(&state);
    }
    out.finish()
}

/// The caller's own parameters lose what a round adds.
fn strip(pending: &mut Pending) {
    let OwnedParams::Text(text) = &mut pending.params else { return };
    let whole = ["{", text, "}"].concat();
    let Ok(raw) = Raw::parse(whole.as_bytes()) else { return };
    let is_added = |key: &str| key == "inputResponses" || key == "requestState";
    if !raw.members().any(|(key, _)| is_added(&key.name())) {
        return;
    }
    let mut kept = String::new();
    for (key, value) in raw.members() {
        let name = key.name();
        if !is_added(&name) {
            if !kept.is_empty() {
                kept.push(',');
            }
            kept.push_str(&quote(&name));
            kept.push(':');
            kept.push_str(value.as_text());
        }
    }
    *text = kept;
}
