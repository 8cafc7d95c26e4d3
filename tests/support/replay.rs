//! Replays a client transcript against the core: a scripted server, a clock that
//! jumps to the next deadline, and the application's actions one after the other.
//!
//! The format is described in `tests/client-transcripts/README.md`; the package's runner
//! (`tests/package/client-transcripts.test.mjs`) replays the same files.

use super::script::{ENDPOINT, bytes_of, chunk_of, contains, failure_value, parse, told_value};
use mcp_duet::client::{
    Call, Client, Event, Exchange, Failure, Head, Input, Options, Outbound, Output, Params, Payload, Read, Request,
    RequestOptions, Verb, list_member, merge_pages, redirect,
};
use mcp_duet::protocol::json::Raw;
use mcp_duet::protocol::method::{NameSource, name_source};
use serde_json::{Value, json};
use std::collections::{BTreeMap, VecDeque};

/// How the bytes of a stream are cut.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Cut {
    /// As the transcript has them.
    AsWritten,
    /// One byte at a time.
    Bytes,
    /// Everything at once.
    Whole,
}

/// Something that is about to reach the client.
enum Incoming {
    Head(u16, Value),
    Body,
    Chunk(Vec<u8>),
    Message(Vec<u8>),
    End,
    Failed(String),
}

struct Answer {
    exchange: Exchange,
    incoming: VecDeque<Incoming>,
    body: Vec<u8>,
    breaks: bool,
    read: Option<Read>,
    location: Option<String>,
}

struct World {
    name: String,
    client: Client,
    now: u64,
    script: VecDeque<Value>,
    asked: usize,
    answers: Vec<Answer>,
    cut: Cut,
    ends: BTreeMap<Call, Result<Value, Failure>>,
    pages: BTreeMap<Call, Vec<String>>,
    methods: BTreeMap<Call, String>,
    events: Vec<Value>,
    handlers: Value,
    connected: Option<Result<Value, Failure>>,
    closed: bool,
    /// Where POSTs go.
    endpoint: Option<String>,
    /// What has gone out for an exchange, to be sent elsewhere.
    sent: BTreeMap<Exchange, Outbound>,
    /// The exchange whose stream is open.
    open: Option<Exchange>,
    cancels: Vec<(usize, usize, Call)>,
    subscriptions: Vec<Call>,
}

/// Replays one transcript; panics with its name where something differs.
pub(crate) fn replay(transcript: &Value, cut: Cut) {
    let mut options = transcript.get("options").cloned().unwrap_or_else(|| json!({}));
    let handlers = transcript.get("handlers").cloned().unwrap_or_default();
    if let Some(handlers) = handlers.as_object() {
        options["handled"] = handlers.keys().cloned().collect();
    }
    options["endpoint"] = json!(ENDPOINT);
    let text = options.to_string();
    let options = Options::read(Raw::parse(text.as_bytes()).expect("JSON")).expect("options");
    let mut world = World {
        name: transcript["name"].as_str().expect("a name").to_owned(),
        client: Client::new(options),
        now: 1_000,
        script: transcript["server"].as_array().cloned().unwrap_or_default().into(),
        asked: 0,
        answers: Vec::new(),
        cut,
        ends: BTreeMap::new(),
        pages: BTreeMap::new(),
        methods: BTreeMap::new(),
        events: Vec::new(),
        handlers,
        connected: None,
        closed: false,
        cancels: Vec::new(),
        endpoint: None,
        sent: BTreeMap::new(),
        open: None,
        subscriptions: Vec::new(),
    };
    let mut together = Vec::new();
    for action in transcript["client"].as_array().expect("actions") {
        let waiting = world.start(action);
        if action["together"] == json!(true) {
            together.push((action, waiting));
            continue;
        }
        together.push((action, waiting));
        for (action, waiting) in together.drain(..) {
            world.finish(action, waiting);
        }
    }
    world.settle();
    let name = &world.name;
    assert!(world.script.is_empty(), "{name}: the client did not ask for {:?}", world.script);
    let expected = transcript["events"].as_array().cloned().unwrap_or_default();
    assert_eq!(json!(world.events), json!(expected), "{name}: events");
    if let Some(expected) = transcript.get("settled") {
        let era = world.client.era().map(|era| era.as_str());
        assert_eq!(json!(era), expected["era"], "{name}: era");
    }
}

enum Waiting {
    Connect,
    Call(Call),
    Close,
}

impl World {
    fn start(&mut self, action: &Value) -> Waiting {
        let object = action.as_object().expect("an action");
        if object.contains_key("connect") {
            self.connected = None;
            match action.get("prior") {
                Some(prior) => {
                    let text = prior.to_string();
                    self.client.connect_with(Raw::parse(text.as_bytes()).expect("JSON"), self.now);
                }
                None => self.client.connect(self.now),
            }
            if self.client.era().is_some() {
                self.connected = Some(Ok(json!({})));
            }
            return Waiting::Connect;
        }
        if object.contains_key("close") {
            self.client.close(self.now);
            return Waiting::Close;
        }
        let aborts = |name: &str| action[name].as_u64().map(|count| count as usize);
        let abort = match (aborts("abortAfterRequests"), aborts("abortAfterEvents")) {
            (None, None) => None,
            (requests, events) => Some((requests.unwrap_or(0), events.unwrap_or(0))),
        };
        if let Some(filter) = action.get("subscribe") {
            let filter = filter.to_string();
            let call = self.client.subscribe(Raw::parse(filter.as_bytes()).expect("JSON"), self.now);
            self.subscriptions.push(call);
            self.cancels.extend(abort.map(|(requests, events)| (requests, events, call)));
            return Waiting::Call(call);
        }
        let method = action["call"].as_str().or_else(|| action["list"].as_str()).or_else(|| action["notify"].as_str());
        let method = method.expect("connect, close, call, list, notify or subscribe");
        let mut params = action.get("params").cloned().unwrap_or_default();
        let meta = params.as_object_mut().and_then(|params| params.remove("_meta")).map(|meta| meta.to_string());
        let name = name_source(method).and_then(|source| {
            params[match source {
                NameSource::Name => "name",
                NameSource::Uri => "uri",
            }]
            .as_str()
            .map(str::to_owned)
        });
        let text = if params.is_object() { params.to_string() } else { String::from("{}") };
        let inner = &text[1..text.len() - 1];
        let option = |name: &str| action["options"][name].as_u64();
        let request = Request {
            method,
            params: if params.is_object() { Params::Text(inner) } else { Params::None },
            meta: meta.as_deref(),
            name: name.as_deref(),
            options: RequestOptions {
                timeout: option("timeoutMs"),
                max_total: option("maxTotalTimeoutMs"),
                reset_on_progress: action["options"]["resetTimeoutOnProgress"] == json!(true),
                progress: action["options"]["progress"] == json!(true),
                walk: object.contains_key("list"),
                manual: action["options"]["manual"] == json!(true),
                no_retry: action["options"]["retry"] == json!(false),
                log_level: mcp_duet::client::LOG_LEVELS
                    .into_iter()
                    .find(|level| action["options"]["logLevel"] == json!(level)),
                ..RequestOptions::default()
            },
        };
        let call = if object.contains_key("notify") {
            self.client.notify(&request, self.now)
        } else {
            self.client.request(&request, self.now)
        };
        self.methods.insert(call, method.to_owned());
        self.cancels.extend(abort.map(|(requests, events)| (requests, events, call)));
        Waiting::Call(call)
    }

    fn finish(&mut self, action: &Value, waiting: Waiting) {
        for _ in 0..100_000 {
            let wait = self.drain();
            let ended = match waiting {
                Waiting::Connect => self.connected.is_some(),
                Waiting::Call(call) => self.ends.contains_key(&call),
                Waiting::Close => self.closed,
            };
            if ended {
                break;
            }
            self.step(Some(wait));
        }
        let outcome = match waiting {
            Waiting::Connect => self.connected.clone(),
            Waiting::Call(call) => self.ends.get(&call).cloned(),
            Waiting::Close => self.closed.then(|| Ok(json!({}))),
        };
        let name = &self.name;
        let outcome = outcome.unwrap_or_else(|| panic!("{name}: {action} never ended"));
        match (outcome, action.get("result"), action.get("error")) {
            (Ok(value), Some(expected), None) => assert_eq!(&value, expected, "{name}: {action}"),
            (Err(failure), None, Some(expected)) => {
                let seen = failure_value(&failure);
                assert!(contains(&seen, expected), "{name}: {action}: expected {expected}, got {seen}");
            }
            (Ok(_), None, None) => {}
            (outcome, ..) => panic!("{name}: {action}: got {outcome:?}"),
        }
    }

    /// Lets everything come that can come without the clock.
    fn settle(&mut self) {
        for _ in 0..10_000 {
            self.drain();
            if !self.step(None) {
                return;
            }
        }
    }

    /// One thing happens; false if nothing can. The clock moves only where `wait` is given.
    fn step(&mut self, wait: Option<Option<u64>>) -> bool {
        let due = self
            .cancels
            .iter()
            .position(|(requests, events, _)| *requests <= self.asked && *events <= self.events.len());
        if let Some(at) = due {
            let (.., call) = self.cancels.remove(at);
            self.client.cancel(call, None, self.now);
            self.ends.entry(call).or_insert_with(|| Ok(json!("aborted")));
            return true;
        }
        let ready = self.answers.iter().position(|answer| !answer.incoming.is_empty());
        if let Some(at) = ready {
            self.feed(at);
            return true;
        }
        if let Some(Some(until)) = wait {
            self.now = self.now.max(until);
            self.client.handle_input(Input::Time, self.now);
            return true;
        }
        assert!(wait.is_none(), "{}: the client waits for nothing", self.name);
        false
    }

    fn feed(&mut self, at: usize) {
        let answer = &mut self.answers[at];
        let exchange = answer.exchange;
        let Some(incoming) = answer.incoming.pop_front() else { return };
        match incoming {
            Incoming::Head(status, headers) => {
                let get = |name: &str| {
                    headers.as_object()?.iter().find(|(key, _)| key.eq_ignore_ascii_case(name))?.1.as_str()
                };
                let location = get("location").and_then(|reference| redirect::absolute(ENDPOINT, reference));
                let head = Head {
                    status,
                    content_type: get("content-type"),
                    session_id: get("mcp-session-id"),
                    retry_after: get("retry-after"),
                    challenge: get("www-authenticate"),
                    status_text: None,
                    location: location.as_deref(),
                };
                self.client.handle_input(Input::Head(exchange, head), self.now);
            }
            Incoming::Body => {
                let Answer { body, read, breaks, .. } = &mut self.answers[at];
                let body = std::mem::take(body);
                match read {
                    Some(Read::Stream) => {
                        let end = if *breaks { Incoming::Failed("broken".to_owned()) } else { Incoming::End };
                        self.answers[at].incoming.push_back(end);
                    }
                    Some(Read::Discard) | None => {}
                    Some(_) if *breaks => self.client.handle_input(Input::Failed(exchange, "broken"), self.now),
                    Some(_) => self.client.handle_input(Input::Body(exchange, &body), self.now),
                }
            }
            Incoming::Chunk(bytes) => {
                if answer.read == Some(Read::Stream) {
                    self.client.handle_input(Input::Chunk(exchange, &bytes), self.now);
                } else {
                    answer.body.extend(bytes);
                }
            }
            Incoming::Message(bytes) => self.client.handle_input(Input::Message(exchange, &bytes), self.now),
            Incoming::End => self.client.handle_input(Input::End(exchange), self.now),
            Incoming::Failed(message) => self.client.handle_input(Input::Failed(exchange, &message), self.now),
        }
    }

    /// Does what the client asks for; gives when it wants to be woken.
    fn drain(&mut self) -> Option<u64> {
        loop {
            match self.client.poll_output() {
                Output::Wait { until, .. } => return until,
                Output::Send(outbound) => self.receive(&outbound, None),
                Output::Read(exchange, Read::Follow { credentials }) => {
                    let mut outbound = self.sent.get(&exchange).expect("something that was sent").clone();
                    if !credentials {
                        outbound.headers.retain(|(name, _)| !name.eq_ignore_ascii_case("mcp-session-id"));
                    }
                    let at = self.answers.iter().position(|answer| answer.exchange == exchange).expect("an answer");
                    let location = self.answers.remove(at).location.expect("a location");
                    self.receive(&outbound, Some(location));
                }
                Output::Read(exchange, read) => {
                    if let Some(answer) = self.answers.iter_mut().find(|answer| answer.exchange == exchange) {
                        answer.read = Some(read);
                    }
                }
                Output::Endpoint(url) => self.endpoint = url,
                Output::Abort(exchange) => self.answers.retain(|answer| answer.exchange != exchange),
                Output::Mirror(_) => panic!("{}: the parameters are in the request", self.name),
                Output::Event(event) => self.hear(event),
            }
        }
    }

    fn hear(&mut self, event: Event) {
        match event {
            Event::Connected(connected) => {
                self.connected =
                    Some(Ok(json!({ "era": connected.era.as_str(), "protocolVersion": connected.version })));
            }
            Event::ConnectFailed(failure) => self.connected = Some(Err(*failure)),
            Event::Page(call, Payload::Text(text)) => self.pages.entry(call).or_default().push(text),
            Event::Result(call, Payload::Text(text)) => {
                let mut pages = self.pages.remove(&call).unwrap_or_default();
                let text = if pages.is_empty() {
                    text
                } else {
                    pages.push(text);
                    let member = list_member(&self.methods[&call]).expect("a list");
                    merge_pages(member, &pages.iter().map(String::as_str).collect::<Vec<_>>())
                };
                self.end(call, Ok(serde_json::from_str(&text).expect("JSON")));
            }
            Event::Failed(call, failure) => self.end(call, Err(*failure)),
            Event::Progress(call, told) if self.subscriptions.contains(&call) => self.events.push(told_value(&told)),
            Event::Progress(_, params) => self.events.push(json!(["progress", parse(&params)])),
            Event::Notification(method, params) => {
                self.events.push(json!(["notification", method, params.map(|params| parse(&params))]));
            }
            Event::Message(_) | Event::Disconnected(_) => {}
            Event::Lookup(..) | Event::Keep(..) | Event::Forget(..) => {}
            Event::Diagnostic(failure) => self.events.push(json!(["diagnostic", failure.code.as_str()])),
            Event::Request(request, method, params) => {
                self.events.push(json!(["request", method, params.map(|params| parse(&params))]));
                let answer = self.handlers[&method].clone();
                if let Some(error) = answer.get("throw") {
                    let message = error.as_str().expect("a message");
                    self.client.handle_input(Input::Refusal(request, -32603, message), self.now);
                } else {
                    self.client.handle_input(Input::Answer(request, &answer.to_string()), self.now);
                }
            }
            Event::Body(exchange, text) => {
                self.client.handle_input(Input::Body(exchange, text.as_bytes()), self.now);
            }
            Event::Closed => self.closed = true,
            Event::Page(..) | Event::Result(..) => panic!("{}: nothing is held here", self.name),
        }
    }

    fn end(&mut self, call: Call, outcome: Result<Value, Failure>) {
        let name = &self.name;
        assert!(self.ends.insert(call, outcome).is_none(), "{name}: a call ended twice");
    }

    /// The scripted server gets a request.
    fn receive(&mut self, outbound: &Outbound, url: Option<String>) {
        self.sent.insert(outbound.exchange, outbound.clone());
        let name = &self.name;
        self.asked += 1;
        let text = outbound.body.clone().wrap("");
        let body: Value = if text.is_empty() { Value::Null } else { parse(&text) };
        let next = self.script.pop_front();
        let next = next.unwrap_or_else(|| panic!("{name}: request {} was not expected: {text}", self.asked));
        let verb = match outbound.verb {
            Verb::Message => "MESSAGE",
            Verb::Post => "POST",
            Verb::Get => "GET",
            Verb::Delete => "DELETE",
        };
        let expected = &next["expect"];
        if let Some(expected) = expected["verb"].as_str() {
            assert_eq!(verb, expected, "{name}: request {}", self.asked);
        }
        if let Some(expected) = expected["url"].as_str() {
            let own = self.endpoint.as_deref().filter(|_| outbound.verb == Verb::Post);
            assert_eq!(url.as_deref().or(own).unwrap_or(ENDPOINT), expected, "{name}: request {}", self.asked);
        }
        if let Some(expected) = expected.get("body") {
            assert!(contains(&body, expected), "{name}: request {}: expected {expected}, got {text}", self.asked);
        }
        for (header, value) in expected["headers"].as_object().into_iter().flatten() {
            let sent = outbound.headers.iter().find(|(name, _)| name.eq_ignore_ascii_case(header));
            let sent = sent.map_or(Value::Null, |(_, value)| json!(value));
            assert_eq!(&sent, value, "{name}: request {}: header {header}", self.asked);
        }
        let answer = self.answer_of(outbound.exchange, &next["answer"]);
        self.answers.push(answer);
        if next["answer"]["end"] == json!("open") {
            self.open = Some(outbound.exchange);
        }
        let then = &next["answer"]["then"];
        let open = self.answers.iter_mut().find(|answer| Some(answer.exchange) == self.open);
        if let (Some(open), Some(events)) = (open, then.as_array()) {
            for event in events {
                let bytes = format!("data: {event}\n\n").into_bytes();
                open.incoming.extend(match self.cut {
                    Cut::Bytes => bytes.into_iter().map(|byte| Incoming::Chunk(vec![byte])).collect::<Vec<_>>(),
                    _ => vec![Incoming::Chunk(bytes)],
                });
            }
            if next["answer"]["thenEnd"] == json!(true) {
                open.incoming.push_back(Incoming::Body);
            }
        }
    }

    fn answer_of(&self, exchange: Exchange, answer: &Value) -> Answer {
        let mut incoming = VecDeque::new();
        let ends = answer["end"].as_str().unwrap_or("close");
        let location = answer["headers"]["location"].as_str();
        let location = location.and_then(|reference| redirect::absolute(ENDPOINT, reference));
        if let Some(message) = answer["networkError"].as_str() {
            incoming.push_back(Incoming::Failed(message.to_owned()));
        } else if answer["silence"] == json!(true) {
        } else if let Some(messages) = answer["messages"].as_array() {
            incoming.extend(messages.iter().map(|message| Incoming::Message(bytes_of(message))));
            incoming.push_back(Incoming::End);
        } else {
            let status = answer["status"].as_u64().unwrap_or(200) as u16;
            let mut headers = answer.get("headers").cloned().unwrap_or_else(|| json!({}));
            let mut chunks: Vec<Vec<u8>> = Vec::new();
            if let Some(events) = answer["events"].as_array() {
                headers["content-type"] = json!("text/event-stream");
                chunks.extend(events.iter().map(|event| format!("data: {event}\n\n").into_bytes()));
            }
            if let Some(list) = answer["chunks"].as_array() {
                chunks.extend(list.iter().map(chunk_of));
            }
            if let Some(body) = answer.get("body") {
                if headers.get("content-type").is_none() && !body.is_string() {
                    headers["content-type"] = json!("application/json");
                }
                chunks.push(bytes_of(body));
            }
            incoming.push_back(Incoming::Head(status, headers));
            let whole: Vec<u8> = chunks.concat();
            incoming.extend(match self.cut {
                Cut::AsWritten => chunks.into_iter().map(Incoming::Chunk).collect::<Vec<_>>(),
                Cut::Bytes => whole.iter().map(|byte| Incoming::Chunk(vec![*byte])).collect(),
                Cut::Whole => vec![Incoming::Chunk(whole)],
            });
            if ends != "open" {
                incoming.push_back(Incoming::Body);
            }
        }
        Answer { exchange, incoming, body: Vec::new(), breaks: ends == "break", read: None, location }
    }
}
