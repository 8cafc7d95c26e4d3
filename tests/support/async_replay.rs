//! Replays a client transcript against the asynchronous client: the scripted server is behind
//! whatever transport the runner brings, and the application awaits one action after the other.

use super::script::{ENDPOINT, bytes_of, chunk_of, contains, failure_value, parse, told_value};
use mcp_duet::client::driver::{AsyncClient, CallFuture, Direction, Hooks};
use mcp_duet::client::{Failure, Options, RequestOptions};
use mcp_duet::protocol::json::Raw;
use serde_json::{Value, json};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Poll, Waker};

/// What the scripted server answers.
pub(crate) enum Reply {
    Silence,
    NetworkError(String),
    Messages(Vec<Vec<u8>>),
    Http { status: u16, headers: Vec<(String, String)>, chunks: Vec<Vec<u8>>, end: End, then: Then },
}

/// What comes over the stream that is open, and whether that ends then.
#[derive(Clone, Debug, Default)]
pub(crate) struct Then {
    pub(crate) chunks: Vec<Vec<u8>>,
    pub(crate) ends: bool,
}

/// How a body ends.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum End {
    Close,
    Open,
    Break,
}

/// The scripted server, and what the application heard.
pub(crate) struct Script {
    requests: VecDeque<Value>,
    asked: u64,
    events: Vec<Value>,
    /// The messages that the server got and said.
    got: Vec<Value>,
    said: Vec<Value>,
    /// The messages that went out and came in, as somebody who looks on saw them.
    observed: Vec<(Direction, Value)>,
    /// What differed: a panic inside a callback of JavaScript would be lost.
    faults: Vec<String>,
    waiting: Vec<Waker>,
}

pub(crate) type SharedScript = Rc<RefCell<Script>>;

impl Script {
    fn fault(&mut self, fault: String) {
        self.faults.push(fault);
    }

    /// The application hears of something.
    fn hear(&mut self, event: Value) {
        self.events.push(event);
        self.waiting.drain(..).for_each(Waker::wake);
    }

    /// The server gets a request.
    pub(crate) fn receive(&mut self, verb: &str, url: &str, headers: &[(String, String)], text: &str) -> Reply {
        self.asked += 1;
        self.waiting.drain(..).for_each(Waker::wake);
        let at = self.asked;
        let Some(next) = self.requests.pop_front() else {
            self.fault(format!("request {at} was not expected: {text}"));
            return Reply::Silence;
        };
        let expected = &next["expect"];
        if let Some(expected) = expected["verb"].as_str().filter(|expected| *expected != verb) {
            self.fault(format!("request {at}: expected {expected}, got {verb}"));
        }
        if let Some(expected) = expected["url"].as_str().filter(|expected| *expected != url) {
            self.fault(format!("request {at}: expected {expected}, got {url}"));
        }
        let body = if text.is_empty() { Value::Null } else { parse(text) };
        // Where it is redirected, it is the same message.
        if !body.is_null() && self.got.last() != Some(&body) {
            self.got.push(body.clone());
        }
        self.said.extend(messages_in(&next["answer"]));
        if let Some(expected) = expected.get("body").filter(|expected| !contains(&body, expected)) {
            self.fault(format!("request {at}: expected {expected}, got {text}"));
        }
        for (header, value) in expected["headers"].as_object().into_iter().flatten() {
            let sent = headers.iter().find(|(name, _)| name.eq_ignore_ascii_case(header));
            let sent = sent.map_or(Value::Null, |(_, value)| json!(value));
            if &sent != value {
                self.fault(format!("request {at}: header {header}: expected {value}, got {sent}"));
            }
        }
        reply_of(&next["answer"])
    }
}

/// The messages of an answer: objects, whatever they come in.
fn messages_in(answer: &Value) -> Vec<Value> {
    let lists = ["events", "messages", "then"].map(|name| answer[name].as_array().cloned().unwrap_or_default());
    let mut all: Vec<Value> = lists.concat();
    all.push(answer["body"].clone());
    all.into_iter()
        .flat_map(|one| one.as_array().cloned().unwrap_or_else(|| vec![one]))
        .filter_map(|one| one.as_str().map_or(Some(one.clone()), |text| serde_json::from_str(text).ok()))
        .collect()
}

/// A message as an event.
fn event_of(message: &Value) -> Vec<u8> {
    format!("data: {message}\n\n").into_bytes()
}

fn reply_of(answer: &Value) -> Reply {
    if let Some(message) = answer["networkError"].as_str() {
        return Reply::NetworkError(message.to_owned());
    }
    if answer["silence"] == json!(true) {
        return Reply::Silence;
    }
    if let Some(messages) = answer["messages"].as_array() {
        return Reply::Messages(messages.iter().map(bytes_of).collect());
    }
    let mut headers = answer.get("headers").cloned().unwrap_or_else(|| json!({}));
    let mut chunks: Vec<Vec<u8>> = Vec::new();
    if let Some(events) = answer["events"].as_array() {
        headers["content-type"] = json!("text/event-stream");
        chunks.extend(events.iter().map(event_of));
    }
    chunks.extend(answer["chunks"].as_array().into_iter().flatten().map(chunk_of));
    if let Some(body) = answer.get("body") {
        if headers.get("content-type").is_none() && !body.is_string() {
            headers["content-type"] = json!("application/json");
        }
        chunks.push(bytes_of(body));
    }
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    Reply::Http {
        status: u16::try_from(answer["status"].as_u64().unwrap_or(200)).expect("a status"),
        headers: headers
            .as_object()
            .expect("headers")
            .iter()
            .map(|(name, value)| (name.clone(), text(value)))
            .collect(),
        chunks,
        end: match answer["end"].as_str() {
            Some("open") => End::Open,
            Some("break") => End::Break,
            _ => End::Close,
        },
        then: Then {
            chunks: answer["then"].as_array().into_iter().flatten().map(event_of).collect(),
            ends: answer["thenEnd"] == json!(true),
        },
    }
}

/// What an action waits for.
type Waiting = Pin<Box<dyn Future<Output = Result<Value, Failure>>>>;

/// Replays one transcript; gives what differed. `connect` makes the client; `idle` waits for the
/// moment in which nothing comes any more by itself, or until the events that are expected have come.
pub(crate) async fn replay<F: Future<Output = ()>>(
    transcript: &Value,
    connect: impl FnOnce(Options, Hooks, SharedScript) -> AsyncClient,
    idle: impl Fn(Rc<dyn Fn() -> bool>) -> F,
) -> Vec<String> {
    let mut options = transcript.get("options").cloned().unwrap_or_else(|| json!({}));
    let handlers = transcript.get("handlers").cloned().unwrap_or_default();
    if let Some(handlers) = handlers.as_object() {
        options["handled"] = handlers.keys().cloned().collect();
    }
    options["endpoint"] = json!(ENDPOINT);
    let options = options.to_string();
    let options = Options::read(Raw::parse(options.as_bytes()).expect("JSON")).expect("options");
    let script = Rc::new(RefCell::new(Script {
        requests: transcript["server"].as_array().cloned().unwrap_or_default().into(),
        asked: 0,
        events: Vec::new(),
        got: Vec::new(),
        said: Vec::new(),
        observed: Vec::new(),
        faults: Vec::new(),
        waiting: Vec::new(),
    }));
    let client = connect(options, hooks(&script, handlers), Rc::clone(&script));
    let mut together = Vec::new();
    for action in transcript["client"].as_array().expect("actions") {
        let mut waiting = start(&client, &script, action);
        // Its request goes out before anything else happens.
        let outcome = poll_fn(|context| Poll::Ready(waiting.as_mut().poll(context))).await;
        together.push((action, waiting, outcome));
        if action["together"] == json!(true) {
            continue;
        }
        for (action, waiting, outcome) in together.drain(..) {
            let outcome = match outcome {
                Poll::Ready(outcome) => outcome,
                Poll::Pending => waiting.await,
            };
            judge(&script, action, outcome);
        }
    }
    let expected = transcript["events"].as_array().cloned().unwrap_or_default();
    let done = {
        let (script, events) = (Rc::clone(&script), expected.len());
        move || script.borrow().requests.is_empty() && script.borrow().events.len() >= events
    };
    idle(Rc::new(done)).await;
    let mut script = script.borrow_mut();
    if !script.requests.is_empty() {
        let fault = format!("the client did not ask for {:?}", script.requests);
        script.fault(fault);
    }
    if script.events != expected {
        let fault = format!("events: expected {expected:?}, got {:?}", script.events);
        script.fault(fault);
    }
    if let Some(settled) = transcript.get("settled") {
        let era = json!(client.era().map(|era| era.as_str()));
        if era != settled["era"] {
            script.fault(format!("expected {settled}, got {era}"));
        }
    }
    judge_observed(&mut script, transcript);
    std::mem::take(&mut script.faults)
}

/// Whoever looks on sees what goes out, and of what comes in at least that of which the application hears.
fn judge_observed(script: &mut Script, transcript: &Value) {
    let seen = std::mem::take(&mut script.observed);
    let one_way = |way| {
        let mut messages: Vec<_> = seen.iter().filter(|(to, _)| *to == way).map(|(_, message)| message).collect();
        messages.dedup();
        messages
    };
    let (out, incoming) = (one_way(Direction::Out), one_way(Direction::In));
    if !out.iter().copied().eq(&script.got) {
        script.faults.push(format!("observed going out: {out:?}, but the server got {:?}", script.got));
    }
    // Chunks cut messages anywhere, and a text may be a stream.
    let mut answers = transcript["server"].as_array().into_iter().flatten().map(|step| &step["answer"]);
    let is_cut = answers.any(|answer| answer.get("chunks").is_some() || answer["body"].is_string());
    for message in incoming.iter().filter(|message| !is_cut && !script.said.contains(message)) {
        script.faults.push(format!("observed coming in, but nobody said it: {message}"));
    }
    for event in transcript["events"].as_array().into_iter().flatten() {
        let is_message = matches!(event[0].as_str(), Some("notification" | "request" | "told"));
        // What a result asks for is no message of its own.
        let is_known =
            |message: &&Value| message["method"] == event[1] || message["result"]["inputRequests"].is_object();
        if is_message && !incoming.iter().any(is_known) {
            script.faults.push(format!("not observed: {event}"));
        }
    }
    for action in transcript["client"].as_array().into_iter().flatten() {
        let result = action
            .get("result")
            .filter(|_| action.get("call").is_some())
            .filter(|result| result.as_object().is_some_and(|members| !members.is_empty()));
        if let Some(result) = result
            && !incoming.iter().any(|message| message["result"] == *result)
        {
            script.faults.push(format!("not observed: the result {result}"));
        }
    }
}

fn hooks(script: &SharedScript, handlers: Value) -> Hooks {
    let hear = |script: &SharedScript| {
        let script = Rc::clone(script);
        move |event: Value| script.borrow_mut().hear(event)
    };
    let (notification, diagnostic, request) = (hear(script), hear(script), hear(script));
    let value = |params: Option<String>| params.map(|params| parse(&params));
    let looking = Rc::clone(script);
    Hooks {
        message: Some(Rc::new(move |(direction, text)| looking.borrow_mut().observed.push((direction, parse(&text))))),
        disconnected: None,
        notification: Some(Rc::new(move |(method, params)| {
            notification(json!(["notification", method, value(params)]));
        })),
        error: Some(Rc::new(move |failure: Failure| diagnostic(json!(["diagnostic", failure.code.as_str()])))),
        request: Some(Rc::new(move |method, params| {
            request(json!(["request", method, value(params)]));
            let answer = match handlers[&method].get("throw") {
                Some(message) => Err((-32603, message.as_str().expect("a message").to_owned())),
                None => Ok(handlers[&method].to_string()),
            };
            Box::pin(async move { answer })
        })),
    }
}

fn start(client: &AsyncClient, script: &SharedScript, action: &Value) -> Waiting {
    let client = client.clone();
    let object = action.as_object().expect("an action");
    if object.contains_key("connect") {
        let prior = action.get("prior").map(Value::to_string);
        return Box::pin(async move {
            let connected = client.connect_with(prior.as_deref()).await?;
            Ok(json!({ "era": connected.era.as_str(), "protocolVersion": connected.version }))
        });
    }
    if object.contains_key("close") {
        return Box::pin(async move {
            client.close().await;
            Ok(json!({}))
        });
    }
    let abort = (action["abortAfterRequests"].as_u64(), action["abortAfterEvents"].as_u64());
    if let Some(filter) = action.get("subscribe") {
        let heard = Rc::clone(script);
        let told = Rc::new(move |told: String| heard.borrow_mut().hear(told_value(&told)));
        return Box::pin(until_asked(client.subscribe(&filter.to_string(), told), abort, Rc::clone(script)));
    }
    let params = action.get("params").map(Value::to_string);
    if let Some(method) = action["notify"].as_str().map(str::to_owned) {
        return Box::pin(async move {
            client.notify(&method, params.as_deref()).await?;
            Ok(json!({}))
        });
    }
    let method =
        action["call"].as_str().or_else(|| action["list"].as_str()).expect("connect, close, call, list or notify");
    let option = |name: &str| action["options"][name].as_u64();
    let is = |name: &str| action["options"][name] == json!(true);
    let options = RequestOptions {
        timeout: option("timeoutMs"),
        max_total: option("maxTotalTimeoutMs"),
        reset_on_progress: is("resetTimeoutOnProgress"),
        progress: is("progress"),
        walk: object.contains_key("list"),
        manual: is("manual"),
        no_retry: action["options"]["retry"] == json!(false),
        log_level: mcp_duet::client::LOG_LEVELS.into_iter().find(|level| action["options"]["logLevel"] == json!(level)),
        ..RequestOptions::default()
    };
    let heard = Rc::clone(script);
    let progress = move |params: String| heard.borrow_mut().hear(json!(["progress", parse(&params)]));
    let call = client.request_with(method, params.as_deref(), options, is("progress").then(|| Rc::new(progress) as _));
    Box::pin(until_asked(call, abort, Rc::clone(script)))
}

/// The call, given up once the server has got so many requests, and the application has heard so much.
async fn until_asked(
    call: CallFuture,
    (requests, events): (Option<u64>, Option<u64>),
    script: SharedScript,
) -> Result<Value, Failure> {
    let mut call = Some(call);
    poll_fn(move |context| {
        let is_due = {
            let script = script.borrow();
            script.asked >= requests.unwrap_or(0) && script.events.len() as u64 >= events.unwrap_or(0)
        };
        if is_due && (requests.is_some() || events.is_some()) {
            call = None;
            return Poll::Ready(Ok(json!("aborted")));
        }
        script.borrow_mut().waiting.push(context.waker().clone());
        let call = call.as_mut().expect("a call that is not over");
        Pin::new(call).poll(context).map(|outcome| outcome.map(|text| parse(&text)))
    })
    .await
}

fn judge(script: &SharedScript, action: &Value, outcome: Result<Value, Failure>) {
    let seen = match (outcome, action.get("result"), action.get("error")) {
        (Ok(value), Some(expected), None) if &value == expected => return,
        (Ok(_), None, None) => return,
        (Ok(value), ..) => value,
        (Err(failure), None, Some(expected)) if contains(&failure_value(&failure), expected) => return,
        (Err(failure), ..) => failure_value(&failure),
    };
    script.borrow_mut().fault(format!("{action}: got {seen}"));
}
