//! The host of MCP Apps behind the mailbox: `pkg-template/lib/apps-frame.js` is the driver.
//!
//! What is to be done is one JSON array: `{"do": "post" | "load" | "forward" | "ask" | …, …}` with
//! the names of [`Output`]'s fields, messages and parameters as values in it.

use super::{error, mailbox};
use crate::apps::policy::{self, Csp};
use crate::apps::{Host, Options, Outcome, Output, Unanswered, metadata, visibility};
use crate::protocol::error::{ErrorObject, INTERNAL_ERROR};
use crate::protocol::json::{Raw, Writer};
use std::cell::RefCell;
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

/// The host of one View.
#[wasm_bindgen]
pub struct AppsHost {
    host: RefCell<Host>,
}

#[wasm_bindgen]
impl AppsHost {
    /// Begins, and posts what is to be done. The mailbox holds the options as JSON.
    ///
    /// # Errors
    ///
    /// `INVALID_ARGUMENT`
    #[wasm_bindgen(constructor)]
    pub fn new(length: usize, now: f64) -> Result<Self, JsValue> {
        let options = mailbox::take(length, |text| Options::read(Raw::parse(text).unwrap_or(Raw::NULL)));
        let mut host = Host::new(options.map_err(|reason| invalid(&reason))?, now as u64);
        post(&host.take_outputs());
        Ok(Self { host: RefCell::new(host) })
    }

    /// Takes in what has happened, and posts what is to be done. The mailbox holds, by kind: 1 a message, 2 partial
    /// arguments, 3 arguments, 4 a result, 5 the reason of a cancellation or nothing, 6 a partial context, 7 the
    /// method of a list that changed, 8 the server's tools or nothing, 9 the result of `call`, 10 nothing for a
    /// refusal of `call`, 11 the error of `call`, 12 the progress of `call`, 13 what the application asks the View
    /// as `call`: `{"method", "params", "timeoutMs", "progress"}`; and nothing for 14 an end of waiting for `call`,
    /// 15 the teardown, 16 the end, 17 the deadline.
    ///
    /// # Errors
    ///
    /// `INVALID_ARGUMENT` where the tool's data is out of order; nothing is posted then.
    pub fn handle(&self, kind: u32, call: u32, length: usize, now: f64) -> Result<(), JsValue> {
        let now = now as u64;
        let mut host = self.host.borrow_mut();
        let done = mailbox::take(length, |bytes| {
            let text = std::str::from_utf8(bytes).unwrap_or_default();
            match kind {
                1 => host.receive(bytes, now),
                2 => host.tool_input_partial(text),
                3 => return host.tool_input(text),
                4 => return host.tool_result(text),
                5 => return host.tool_cancelled(Some(text).filter(|text| !text.is_empty())),
                6 => host.update_context(text),
                7 => host.list_changed(text),
                8 => host.tools(Some(text).filter(|text| !text.is_empty())),
                9 => host.settle(call, &Outcome::Result(text.to_owned())),
                10 => host.settle(call, &Outcome::Denied),
                11 => host.settle(call, &read_error(bytes)),
                12 => host.progress(call, text),
                13 => return ask(&mut host, call, bytes, now),
                14 => host.cancel(call),
                15 => host.teardown(now),
                16 => host.close(),
                _ => host.handle_timeout(now),
            }
            Ok(())
        });
        done.map_err(invalid)?;
        post(&host.take_outputs());
        Ok(())
    }
}

fn invalid(message: &str) -> JsValue {
    error::mcp_error("INVALID_ARGUMENT", message)
}

fn read_error(bytes: &[u8]) -> Outcome {
    let error = Raw::parse(bytes).ok().and_then(ErrorObject::read);
    Outcome::Error(error.unwrap_or_else(|| ErrorObject::new(INTERNAL_ERROR, "")))
}

fn ask(host: &mut Host, call: u32, bytes: &[u8], now: u64) -> Result<(), &'static str> {
    let raw = Raw::parse(bytes).unwrap_or(Raw::NULL);
    let method = raw.get_str("method").unwrap_or_default();
    let params = raw.get("params").unwrap_or(Raw::EMPTY_OBJECT).as_text();
    let timeout_ms = match raw.get("timeoutMs").map(Raw::as_i64) {
        None => None,
        Some(Some(timeout @ 1..)) => Some(timeout.unsigned_abs()),
        Some(_) => return Err("timeoutMs must be a whole number above 0"),
    };
    let progress = raw.get("progress").and_then(Raw::as_bool).unwrap_or_default();
    host.ask(call, &method, params, timeout_ms, progress, now);
    Ok(())
}

/// Posts the URI of a tool's View, empty where it has none. The mailbox holds the tool.
///
/// # Errors
///
/// `INVALID_DEFINITION`
#[wasm_bindgen(js_name = appsUri)]
pub fn uri(length: usize) -> Result<(), JsValue> {
    let uri = mailbox::take(length, |tool| metadata::resource_uri(Raw::parse(tool).unwrap_or(Raw::NULL)));
    let uri = uri.map_err(|message| error::mcp_error("INVALID_DEFINITION", &message))?;
    mailbox::post(&[&uri.unwrap_or_default()], &[]);
    Ok(())
}

/// Posts the position of the View among the contents of a result, and its `_meta.ui` or nothing. The mailbox holds
/// `{"result", "uri", "tolerant"}`.
///
/// # Errors
///
/// `INVALID_RESULT`
#[wasm_bindgen(js_name = appsDocument)]
pub fn document(length: usize) -> Result<(), JsValue> {
    let found = mailbox::take(length, |text| {
        let raw = Raw::parse(text).unwrap_or(Raw::NULL);
        let tolerant = raw.get("tolerant").and_then(Raw::as_bool).unwrap_or_default();
        let result = raw.get("result").unwrap_or(Raw::NULL);
        let document = metadata::document(result, &raw.get_str("uri").unwrap_or_default(), tolerant)?;
        Ok((document.at, document.ui.map(|ui| ui.as_text().to_owned()).unwrap_or_default()))
    });
    let (at, ui): (usize, String) = found.map_err(|message: String| error::mcp_error("INVALID_RESULT", &message))?;
    mailbox::post(&[&ui], &[at as u32]);
    Ok(())
}

/// Posts `_meta.ui` of the entry of a list of resources, or nothing. The mailbox holds `{"resources", "uri"}`.
#[wasm_bindgen(js_name = appsListed)]
pub fn listed(length: usize) {
    let ui = mailbox::take(length, |text| {
        let raw = Raw::parse(text).unwrap_or(Raw::NULL);
        let uri = raw.get_str("uri").unwrap_or_default();
        let ui = metadata::listed(raw.get("resources").unwrap_or(Raw::NULL), &uri);
        ui.map(|ui| ui.as_text().to_owned()).unwrap_or_default()
    });
    mailbox::post(&[&ui], &[]);
}

/// Posts what a View's frame is made with: the policy, the `allow` attribute, the sources and permissions that are
/// granted as JSON, and each source that is refused. The mailbox holds
/// `{"ui", "granted", "opaque"}`.
#[wasm_bindgen(js_name = appsFrame)]
pub fn frame(length: usize, wasm: bool) {
    let parts = mailbox::take(length, |text| {
        let raw = Raw::parse(text).unwrap_or(Raw::NULL);
        let granted = raw
            .get_present("granted")
            .map(|list| list.elements().filter_map(Raw::as_str).map(|name| name.into_owned()).collect::<Vec<_>>());
        let ui = raw.get_present("ui");
        let (mut csp, wanted) = (Csp::read(ui.and_then(|ui| ui.get("csp"))), ui.and_then(|ui| ui.get("permissions")));
        if raw.get("opaque").and_then(Raw::as_bool) == Some(true) {
            csp = csp.without_frames();
        }
        let (mut sources, mut permissions) = (Writer::new(), Writer::new());
        if csp.is_declared {
            csp.write(&mut sources);
        }
        policy::write_permissions(&mut permissions, wanted, granted.as_deref());
        let mut parts =
            vec![csp.policy(wasm), policy::allow(wanted, granted.as_deref()), sources.finish(), permissions.finish()];
        parts.extend(csp.refused);
        parts
    });
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    mailbox::post(&parts, &[]);
}

/// Posts the positions of the tools that a model is to see. The mailbox holds the tools.
#[wasm_bindgen(js_name = appsModelTools)]
pub fn model_tools(length: usize) {
    let positions =
        mailbox::take(length, |tools| visibility::positions(Raw::parse(tools).unwrap_or(Raw::NULL), "model"));
    mailbox::post(&[], &positions);
}

/// Posts the names and values of the sandbox page's headers. The mailbox holds the declared sources as JSON or
/// nothing, and the hosts' origins, with NULs in between.
///
/// # Errors
///
/// `INVALID_ARGUMENT`
#[wasm_bindgen(js_name = appsSandbox)]
pub fn sandbox(length: usize, wasm: bool) -> Result<(), JsValue> {
    let headers = mailbox::take(length, |bytes| {
        let text = String::from_utf8_lossy(bytes);
        let mut parts = text.split('\0');
        let declared = parts.next().unwrap_or_default().to_owned();
        let hosts: Vec<&str> = parts.filter(|host| !host.is_empty()).collect();
        policy::sandbox_headers(declared.as_bytes(), &hosts, wasm)
    });
    let headers = headers.map_err(|message| invalid(&message))?;
    let parts: Vec<&str> = headers.iter().flat_map(|(name, value)| [*name, value.as_str()]).collect();
    mailbox::post(&parts, &[]);
    Ok(())
}

fn post(outputs: &[Output]) {
    let mut out = Writer::new();
    out.open_array();
    for output in outputs {
        write(&mut out, output);
    }
    out.close_array();
    mailbox::post(&[out.as_str()], &[]);
}

fn write(out: &mut Writer, output: &Output) {
    out.open_object().name("do");
    match output {
        Output::Post(message) => out.string("post").name("message").raw(message),
        Output::Load => out.string("load"),
        Output::Forward { call, method, params, progress } => {
            out.string("forward").name("call").integer(i64::from(*call)).name("method").string(method);
            out.name("params").raw(params).name("progress").raw(if *progress { "true" } else { "false" })
        }
        Output::Ask { call, method, params } => {
            out.string("ask").name("call").integer(i64::from(*call)).name("method").string(method);
            out.name("params").raw(params)
        }
        Output::Cancel(call) => out.string("cancel").name("call").integer(i64::from(*call)),
        Output::ListTools => out.string("listTools"),
        Output::Initialized { app_info, app_capabilities } => {
            out.string("initialized").name("appInfo").raw(app_info).name("appCapabilities").raw(app_capabilities)
        }
        Output::Size { width, height } => {
            out.string("size");
            for (name, axis) in [("width", width), ("height", height)] {
                if let Some(axis) = axis {
                    out.name(name).integer(i64::from(*axis));
                }
            }
            &mut *out
        }
        Output::DisplayMode(mode) => out.string("displayMode").name("mode").string(mode),
        Output::Log(params) => out.string("log").name("params").raw(params),
        Output::TeardownRequested => out.string("teardownRequested"),
        Output::ToolsChanged => out.string("toolsChanged"),
        Output::Answered { call, answer } => {
            out.string("answered").name("call").integer(i64::from(*call));
            match answer {
                Ok(result) => out.name("result").raw(result),
                Err(Unanswered::Error(error)) => {
                    error.write(out.name("error"));
                    &mut *out
                }
                Err(Unanswered::Closed(message)) => out.name("failed").string("CLOSED").name("message").string(message),
                Err(Unanswered::TimedOut) => {
                    out.name("failed").string("TIMED_OUT").name("message").string("the View did not answer in time")
                }
            }
        }
        Output::Progress { call, params } => {
            out.string("progress").name("call").integer(i64::from(*call)).name("params").raw(params)
        }
        Output::Warning(message) => out.string("warning").name("message").string(message),
        Output::Wait(at) => out.string("wait").name("at").integer(*at as i64),
        Output::Silent => out.string("silent"),
        Output::Closed => out.string("closed"),
    };
    out.close_object();
}
