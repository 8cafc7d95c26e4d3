//! Calls a tool of an MCP server: `cargo run -- URL TOOL [ARGUMENTS]`.
//!
//! The client's core does no I/O. What it needs of the world is here: reqwest carries its messages, tokio has its
//! timers and tasks. Everything of one client runs on one thread, in a `LocalSet`.

use mcp_duet::client::driver::{Answer, AsyncClient, Body, BoxFuture, Hooks, Outgoing, Piece, Runtime, Transport};
use mcp_duet::client::{Options, Verb};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Method, Response, Url, redirect};
use std::error::Error;
use std::time::{Duration, Instant};

/// One endpoint.
struct Http {
    client: reqwest::Client,
    url: String,
    /// The application's own headers.
    own: HeaderMap,
}

impl Http {
    fn new(url: &str, own: HeaderMap) -> Result<Self, reqwest::Error> {
        // The core follows redirects: it keeps method and body, and knows where credentials belong.
        let client = reqwest::Client::builder().redirect(redirect::Policy::none()).build()?;
        Ok(Self { client, url: url.to_owned(), own })
    }
}

impl Transport for Http {
    fn send(&self, message: Outgoing) -> BoxFuture<'static, Result<Answer, String>> {
        let method = match message.verb {
            Verb::Get => Method::GET,
            Verb::Delete => Method::DELETE,
            Verb::Post | Verb::Message => Method::POST,
        };
        let mut headers = if message.credentials { self.own.clone() } else { HeaderMap::new() };
        for (name, value) in &message.headers {
            if let (Ok(name), Ok(value)) = (HeaderName::try_from(&**name), HeaderValue::try_from(&**value)) {
                headers.insert(name, value);
            }
        }
        let url = message.url.as_deref().unwrap_or(&self.url);
        let request = self.client.request(method, url).headers(headers).body(message.body);
        Box::pin(async move {
            let response = request.send().await.map_err(|error| said(&error))?;
            let header = |(name, value): (&HeaderName, &HeaderValue)| {
                Some((name.as_str().to_owned(), value.to_str().ok()?.to_owned()))
            };
            Ok(Answer::Http {
                status: response.status().as_u16(),
                status_text: response.status().canonical_reason().unwrap_or_default().to_owned(),
                headers: response.headers().iter().filter_map(header).collect(),
                body: Box::new(Chunks(response)),
            })
        })
    }
}

/// The body of an answer; dropping it closes its connection.
struct Chunks(Response);

impl Body for Chunks {
    fn next(&mut self) -> BoxFuture<'_, Piece> {
        Box::pin(async move {
            let chunk = self.0.chunk().await.map_err(|error| said(&error))?;
            Ok(chunk.map(|bytes| bytes.to_vec()))
        })
    }
}

/// What an error says, its causes included: reqwest's own message leaves them out.
fn said(error: &reqwest::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

/// The clock and the tasks of tokio.
struct Tokio(Instant);

impl Runtime for Tokio {
    fn now(&self) -> u64 {
        u64::try_from(self.0.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn sleep(&self, time: u64) -> BoxFuture<'static, ()> {
        Box::pin(tokio::time::sleep(Duration::from_millis(time)))
    }

    fn spawn(&self, task: BoxFuture<'static, ()>) {
        tokio::task::spawn_local(task);
    }
}

async fn call(url: &str, tool: &str, arguments: &str) -> Result<(), Box<dyn Error>> {
    let endpoint = Url::parse(url)?.to_string();
    let options = Options { endpoint: Some(endpoint.clone()), ..Options::default() };
    let hooks = Hooks {
        notification: Some(std::rc::Rc::new(|(method, params)| eprintln!("{method} {}", params.unwrap_or_default()))),
        ..Hooks::default()
    };
    let client = AsyncClient::new(options, Http::new(&endpoint, HeaderMap::new())?, Tokio(Instant::now()), hooks);
    let connected = client.connect().await?;
    println!("{} {}", connected.era.as_str(), connected.version);
    println!("{}", client.list_tools().await?);
    println!("{}", client.call_tool(tool, arguments).await?);
    client.close().await;
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let (Some(url), Some(tool)) = (words.next(), words.next()) else {
        return Err("usage: cargo run -- URL TOOL [ARGUMENTS]".into());
    };
    let arguments = words.next().unwrap_or_else(|| "{}".to_owned());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    tokio::task::LocalSet::new().block_on(&runtime, call(&url, &tool, &arguments))
}
