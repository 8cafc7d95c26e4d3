//! What a host asks of a View: to put its things away, and for the tools that it provides.

use super::super::shapes;
use super::{Host, Output, Phase, Unanswered};
use crate::protocol::apps;
use crate::protocol::error::{ErrorObject, METHOD_NOT_FOUND};
use crate::protocol::json::{Raw, Writer, quote};
use crate::protocol::jsonrpc::{RequestId, notification};
use crate::protocol::{meta, method};

/// The application's number of what the host asks for itself.
const OWN: u32 = 0;

/// A request that the View has not answered.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    /// The id in its canonical spelling; its progress token, too.
    id: String,
    /// The application's number.
    call: u32,
    method: &'static str,
    /// When it is given up, and how long each sign of progress puts that off; `None` for never.
    until: Option<(u64, u64)>,
}

impl Host {
    /// Asks the View for its tools (`tools/list`) or calls one (`tools/call`); the answer comes as
    /// [`Output::Answered`] with `call`, a number of the application's other than 0. `params` is an object as
    /// JSON; without `timeout_ms` it waits for the usual time.
    pub fn ask(
        &mut self,
        call: u32,
        method: &str,
        params: &str,
        timeout_ms: Option<u64>,
        wants_progress: bool,
        now: u64,
    ) {
        let known = [method::TOOLS_LIST, method::TOOLS_CALL].into_iter().find(|known| *known == method);
        let none = |message: &str| Unanswered::Error(ErrorObject::new(METHOD_NOT_FOUND, message));
        let reason = match (self.phase, known) {
            (Phase::Live, Some(method)) if self.has_tools => {
                let patience = timeout_ms.unwrap_or_else(|| u64::from(apps::VIEW_TOOL_TIMEOUT_MS));
                let until = Some((now.saturating_add(patience), patience));
                return self.ask_view(call, method, params, wants_progress, until);
            }
            (Phase::Live, Some(_)) => none("the View provides no tools"),
            (Phase::Live, None) => none("a View answers tools/list and tools/call"),
            (Phase::Loading | Phase::Greeted, _) => Unanswered::Closed("the View is not initialized"),
            (Phase::Closing | Phase::Closed, _) => Unanswered::Closed("the View is closed"),
        };
        self.outputs.push(Output::Answered { call, answer: Err(reason) });
    }

    /// The View is to put its things away.
    pub(super) fn ask_to_close(&mut self) {
        self.ask_view(OWN, apps::RESOURCE_TEARDOWN, "{}", false, None);
    }

    fn ask_view(
        &mut self,
        call: u32,
        method: &'static str,
        params: &str,
        wants_progress: bool,
        until: Option<(u64, u64)>,
    ) {
        self.last_id = self.last_id.wrapping_add(1);
        let id = quote(&["host-", &self.last_id.to_string()].concat());
        let params =
            Raw::parse(params.as_bytes()).ok().filter(|params| params.is_object()).unwrap_or(Raw::EMPTY_OBJECT);
        let mut out = Writer::new();
        out.open_object().name("jsonrpc").string("2.0").name("id").raw(&id).name("method").string(method);
        out.name("params").open_object();
        for (key, value) in params.members().filter(|(key, _)| !key.is("_meta")) {
            out.key(key).value(value);
        }
        if wants_progress {
            out.name("_meta").open_object().name(meta::PROGRESS_TOKEN).raw(&id).close_object();
        }
        out.close_object().close_object();
        self.asked.push(Asked { id, call, method, until });
        self.post(out.finish());
    }

    /// The application no longer waits for what it asked.
    pub fn cancel(&mut self, call: u32) {
        if let Some(at) = self.asked.iter().position(|asked| asked.call == call && call != OWN) {
            let asked = self.asked.swap_remove(at);
            self.tell_cancelled(&asked.id);
        }
    }

    fn tell_cancelled(&mut self, id: &str) {
        self.post(notification(method::CANCELLED, Some(&["{\"requestId\":", id, "}"].concat())));
    }

    /// The View answers. Of what is not expected, nothing.
    pub(super) fn answered(&mut self, id: &str, answer: Result<Raw<'_>, ErrorObject>) {
        let Some(at) = self.asked.iter().position(|asked| asked.id == id) else { return };
        let Asked { call, method, .. } = self.asked.swap_remove(at);
        if call == OWN {
            // Whatever it says: one without a handler answers that it has none.
            return self.close();
        }
        let answer = answer.map_err(Unanswered::Error).map(|result| {
            let shape = if method == method::TOOLS_CALL { &shapes::CALL_TOOL_RESULT } else { &shapes::RESULT };
            let result = self.fit(result, shape, method).map(|result| first_tools(method, result));
            result.unwrap_or_else(|| "{}".to_owned())
        });
        self.outputs.push(Output::Answered { call, answer });
    }

    /// How far what was asked has got; puts its deadline off.
    pub(super) fn progressed(&mut self, params: Raw<'_>, now: u64) {
        let token =
            params.get(meta::PROGRESS_TOKEN).and_then(RequestId::read).map(|token| token.canonical().into_owned());
        let Some(asked) = self.asked.iter_mut().find(|asked| Some(&asked.id) == token.as_ref()) else { return };
        let (call, Some(members)) = (asked.call, Self::fit_progress(params)) else { return };
        if let Some((until, patience)) = &mut asked.until {
            *until = now.saturating_add(*patience);
        }
        let mut out = Writer::new();
        out.open_object();
        for (name, value) in members {
            out.name(name).raw(&value);
        }
        out.close_object();
        self.outputs.push(Output::Progress { call, params: out.finish() });
    }

    /// Gives up what was asked and is late.
    pub(super) fn time_out_asked(&mut self, now: u64) {
        let is_late = |asked: &Asked| asked.until.is_some_and(|(until, _)| now >= until);
        let (late, kept) = std::mem::take(&mut self.asked).into_iter().partition(is_late);
        self.asked = kept;
        let late: Vec<Asked> = late;
        for asked in late {
            self.tell_cancelled(&asked.id);
            self.outputs.push(Output::Answered { call: asked.call, answer: Err(Unanswered::TimedOut) });
        }
    }

    pub(super) fn asked_deadline(&self) -> Option<u64> {
        self.asked.iter().filter_map(|asked| asked.until.map(|(until, _)| until)).min()
    }

    /// Nothing that was asked will be answered.
    pub(super) fn fail_asked(&mut self, reason: &'static str) {
        for asked in std::mem::take(&mut self.asked) {
            if asked.call != OWN {
                self.outputs.push(Output::Answered { call: asked.call, answer: Err(Unanswered::Closed(reason)) });
            }
        }
    }
}

/// A list of tools without those beyond the limit.
fn first_tools(method: &str, result: String) -> String {
    let most = apps::MAX_VIEW_TOOLS as usize;
    let Ok(raw) = Raw::parse(result.as_bytes()) else { return result };
    if method != method::TOOLS_LIST || raw.get("tools").is_none_or(|tools| tools.elements().count() <= most) {
        return result;
    }
    let mut out = Writer::new();
    out.open_object();
    for (key, value) in raw.members() {
        if key.is("tools") {
            out.key(key).open_array();
            for tool in value.elements().take(most) {
                out.value(tool);
            }
            out.close_array();
        } else {
            out.key(key).value(value);
        }
    }
    out.close_object();
    out.finish()
}
