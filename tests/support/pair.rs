//! Our client against our server, in memory: every request goes through the server's own HTTP rules, or over a pipe.

use mcp_duet::client::{
    Call, Channel, Client, Connected, Event, Failure, Head, Input, Options, Outbound, Output, Params, Payload, Request,
    RequestOptions, Verb,
};
use mcp_duet::protocol::json::Raw;
use mcp_duet::protocol::method::{NameSource, name_source};
use mcp_duet::server::http::RequestHead;
use mcp_duet::server::{self, Outcome, Presented, Server, Step};
use std::collections::BTreeMap;

/// A client and its server.
pub(crate) struct Pair {
    pub(crate) client: Client,
    server: Server,
    channel: Channel,
    now: u64,
    pub(crate) connected: Option<Result<Connected, Failure>>,
    pub(crate) ends: BTreeMap<Call, Result<String, Failure>>,
    /// The methods that the server was asked, in order.
    pub(crate) asked: Vec<String>,
    closed: bool,
}

impl Pair {
    pub(crate) fn new(definition: &str, options: Options) -> Self {
        let raw = Raw::parse(definition.as_bytes()).expect("JSON");
        Self {
            channel: options.channel,
            client: Client::new(options),
            server: Server::new(raw).expect("a definition"),
            now: 0,
            connected: None,
            ends: BTreeMap::new(),
            asked: Vec::new(),
            closed: false,
        }
    }

    pub(crate) fn connect(&mut self) -> Result<Connected, Failure> {
        self.client.connect(self.now);
        self.run();
        self.connected.clone().expect("connecting ends")
    }

    pub(crate) fn call(&mut self, method: &str, params: &str) -> Result<String, Failure> {
        let raw = Raw::parse(params.as_bytes()).expect("JSON");
        let name = name_source(method).and_then(|source| {
            raw.get_str(match source {
                NameSource::Name => "name",
                NameSource::Uri => "uri",
            })
        });
        let inner = &params[1..params.len() - 1];
        let request = Request {
            method,
            params: Params::Text(inner),
            meta: None,
            name: name.as_deref(),
            options: RequestOptions::default(),
        };
        let call = self.client.request(&request, self.now);
        self.run();
        self.ends.remove(&call).expect("a call ends")
    }

    pub(crate) fn close(&mut self) {
        self.client.close(self.now);
        self.run();
        assert!(self.closed, "closing ends");
    }

    /// Runs until nothing is left to do but to wait; deadlines are let pass.
    fn run(&mut self) {
        for _ in 0..10_000 {
            match self.client.poll_output() {
                Output::Endpoint(_) => {}
                Output::Send(outbound) => self.carry(&outbound),
                Output::Event(event) => self.hear(event),
                Output::Wait { until: Some(until), .. } => {
                    self.now = self.now.max(until);
                    self.client.handle_input(Input::Time, self.now);
                }
                Output::Wait { until: None, .. } => return,
                Output::Read(..) | Output::Abort(_) | Output::Mirror(_) => {}
            }
        }
        panic!("the client never comes to rest");
    }

    fn hear(&mut self, event: Event) {
        match event {
            Event::Connected(connected) => self.connected = Some(Ok(*connected)),
            Event::ConnectFailed(failure) => self.connected = Some(Err(*failure)),
            Event::Result(call, Payload::Text(text)) => {
                assert!(self.ends.insert(call, Ok(text)).is_none(), "a call ends once");
            }
            Event::Failed(call, failure) => {
                assert!(self.ends.insert(call, Err(*failure)).is_none(), "a call ends once");
            }
            Event::Closed => self.closed = true,
            _ => {}
        }
    }

    fn carry(&mut self, outbound: &Outbound) {
        let exchange = outbound.exchange;
        let body = outbound.body.clone().wrap("");
        if let Ok(raw) = Raw::parse(body.as_bytes())
            && let Some(method) = raw.get_str("method")
        {
            self.asked.push(method.into_owned());
        }
        if self.channel == Channel::LocalPipe {
            let reply = answer(&self.server, self.server.handle_message(body.as_bytes(), &server::Channel::default()));
            if let Some((_, text)) = reply {
                self.client.handle_input(Input::Message(exchange, text.as_bytes()), self.now);
            }
            self.client.handle_input(Input::End(exchange), self.now);
            return;
        }
        let headers: Vec<(&str, &str)> =
            outbound.headers.iter().map(|(name, value)| (name.as_ref(), value.as_ref())).collect();
        let method = match outbound.verb {
            Verb::Message | Verb::Post => "POST",
            Verb::Get => "GET",
            Verb::Delete => "DELETE",
        };
        let head = RequestHead { method, url: "http://127.0.0.1/mcp", headers: &headers };
        let (status, text) = match self.server.admit(&head) {
            Err(response) => (response.status, response.body.clone()),
            Ok(admission) => {
                let step = self.server.handle_http(&headers, &admission, Presented::default(), body.as_bytes());
                answer(&self.server, step).unwrap_or((202, String::new()))
            }
        };
        let content_type = (!text.is_empty()).then_some("application/json");
        let head = Head { status, content_type, ..Head::default() };
        self.client.handle_input(Input::Head(exchange, head), self.now);
        self.client.handle_input(Input::Body(exchange, text.as_bytes()), self.now);
    }
}

/// Runs what the step asks for: every handler says what it was given.
fn answer(server: &Server, step: Step<'_>) -> Option<(u16, String)> {
    match step {
        Step::Reply(reply) => Some((reply.status, reply.into_text())),
        Step::Invoke(invocation) => {
            let said = invocation.arguments().as_text().to_owned();
            let reply = invocation.finish(Outcome::Text(said));
            Some((reply.status, reply.into_text()))
        }
        Step::Batch(messages) => {
            let channel = server::Channel { in_batch: true, ..server::Channel::default() };
            let replies: Vec<_> = messages
                .into_iter()
                .filter_map(|message| answer(server, server.handle_message(message.text(), &channel)))
                .map(|(_, text)| text)
                .collect();
            (!replies.is_empty()).then(|| (200, format!("[{}]", replies.join(","))))
        }
        _ => None,
    }
}
