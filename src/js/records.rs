//! The records that `client.rs` lists, as they are written.

use super::mailbox;
use crate::client::{Call, Connected, Event, Failure, Header, Outbound, Output, Payload, Verb};
use crate::protocol::json::Writer;

/// The count of headers that are those of the record before.
const SAME_HEADERS: u32 = u32::MAX;

pub(super) struct Records<'a> {
    pub(super) output: &'a mut mailbox::Output,
    /// Those that were posted last: as a rule the next are the same.
    pub(super) headers: &'a mut Vec<Header>,
}

impl Records<'_> {
    fn numbers(&mut self, numbers: impl IntoIterator<Item = u32>) {
        self.output.numbers.extend(numbers);
    }

    fn string(&mut self, text: &str) {
        self.output.string(text);
    }

    /// Writes a record; gives how many that is.
    pub(super) fn push(&mut self, output: Output) -> u32 {
        match output {
            Output::Send(outbound) => self.send(*outbound),
            Output::Endpoint(url) => {
                self.numbers([15]);
                self.string(url.as_deref().unwrap_or_default());
            }
            Output::Abort(exchange) => self.numbers([2, exchange.0]),
            Output::Mirror(call) => self.numbers([13, call.0]),
            Output::Event(event) => self.event(event),
            Output::Read(..) | Output::Wait { .. } => return 0,
        }
        1
    }

    fn send(&mut self, outbound: Outbound) {
        let verb = match outbound.verb {
            Verb::Message => 0,
            Verb::Post => 1,
            Verb::Get => 2,
            Verb::Delete => 3,
        } + 4 * u32::from(outbound.is_held);
        let call = outbound.call.map_or(0, |call| call.0);
        let is_new = *self.headers != outbound.headers;
        let count = if is_new { outbound.headers.len() as u32 } else { SAME_HEADERS };
        self.numbers([1, outbound.exchange.0, verb, call, outbound.id.unwrap_or(0), count]);
        if is_new {
            for (name, value) in &outbound.headers {
                self.string(name);
                self.string(value);
            }
            *self.headers = outbound.headers;
        }
        self.string(&outbound.body.head);
        self.string(outbound.body.tail);
    }

    fn event(&mut self, event: Event) {
        match event {
            Event::Connected(connected) => {
                self.numbers([9]);
                self.string(&connected_json(&connected));
            }
            Event::ConnectFailed(failure) => self.failure(6, 0, *failure),
            Event::Failed(call, failure) => self.failure(6, call.0, *failure),
            Event::Diagnostic(failure) => self.failure(10, 0, *failure),
            Event::Result(call, payload) => self.payload(4, call, payload),
            Event::Page(call, payload) => self.payload(5, call, payload),
            Event::Progress(call, params) => {
                self.numbers([7, call.0]);
                self.string(&params);
            }
            Event::Notification(method, params) => {
                self.numbers([8, u32::from(params.is_some())]);
                self.string(&method);
                if let Some(params) = params {
                    self.string(&params);
                }
            }
            Event::Request(request, method, params) => {
                self.numbers([11, request.0, u32::from(params.is_some())]);
                self.string(&method);
                if let Some(params) = params {
                    self.string(&params);
                }
            }
            Event::Body(exchange, text) => {
                self.numbers([12, exchange.0]);
                self.string(&text);
            }
            Event::Closed => self.numbers([14]),
            Event::Message(text) => {
                self.numbers([16]);
                self.string(&text);
            }
            Event::Lookup(call, part) => {
                self.numbers([18, call.0]);
                self.string(&part);
            }
            Event::Keep(call, part, text, ttl) => {
                self.numbers([19, call.0, ttl as u32]);
                self.string(&part);
                self.string(&text);
            }
            Event::Forget(method, uri) => {
                self.numbers([20]);
                self.string(&method);
                self.string(&uri);
            }
            Event::Disconnected(failure) => self.failure(17, 0, *failure),
        }
    }

    fn payload(&mut self, record: u32, call: Call, payload: Payload) {
        match payload {
            Payload::Held(exchange) => self.numbers([record, call.0, exchange.0]),
            Payload::Text(text) => {
                self.numbers([record, call.0, 0]);
                self.string(&text);
            }
        }
    }

    fn failure(&mut self, record: u32, call: u32, failure: Failure) {
        let http = failure.http.map(|http| *http).unwrap_or_default();
        self.numbers([record, call, u32::from(http.status), u32::from(failure.retryable)]);
        let mut error = String::new();
        if let Some(rpc) = &failure.rpc {
            let mut out = Writer::new();
            rpc.write(&mut out);
            error = out.finish();
        }
        for text in [
            failure.code.as_str(),
            &failure.message,
            &error,
            &http.status_text,
            http.content_type.as_deref().unwrap_or_default(),
            http.retry_after.as_deref().unwrap_or_default(),
            &http.body,
        ] {
            self.string(text);
        }
    }
}

fn connected_json(connected: &Connected) -> String {
    let mut out = Writer::new();
    out.open_object();
    out.name("era").string(connected.era.as_str());
    out.name("protocolVersion").string(connected.version);
    for (name, value) in [
        ("serverInfo", &connected.server_info),
        ("serverCapabilities", &connected.capabilities),
        ("instructions", &connected.instructions),
    ] {
        if let Some(value) = value {
            out.name(name).raw(value);
        }
    }
    if let Some(session) = &connected.session_id {
        out.name("sessionId").string(session);
    }
    if connected.brief {
        out.name("brief").raw("true");
    }
    out.close_object();
    out.finish()
}
