//! The HTTP side as plain data: what is refused before the body is read, and what goes around an answer.

use super::origin::Origin;
use super::registry::{LegacyMode, Registry};
use super::session::Presented;
use super::step::{Channel, Step};
use super::{Server, WHOLE, dispatch::parse_error};
use crate::protocol::error::{ErrorObject, INVALID_REQUEST};
use crate::protocol::json::Raw;
use crate::protocol::jsonrpc::{Message, error_response};
use crate::protocol::method;
use crate::streamable_http::check;
use crate::streamable_http::classify::{Inbound, classify};
use crate::streamable_http::headers::{self, Headers};
use crate::streamable_http::param_headers::is_token_byte;

/// What a client may send, beside what `fetch` always allows and the `Mcp-*` headers.
const ALLOWED_HEADERS: &str = "content-type, accept, authorization, dpop, last-event-id, mcp-session-id";

/// What a page may read of a response, beside what `fetch` always shows.
const EXPOSED_HEADERS: &str = "WWW-Authenticate, Retry-After, Mcp-Session-Id, MCP-Protocol-Version";

/// For how many seconds a browser may remember a preflight: what Chromium caps it to.
const PREFLIGHT_SECONDS: &str = "7200";

/// The request headers that decide whether a body is read, in lower case, beside `content-length`.
pub const HEAD_HEADERS: [&str; 5] = ["content-type", "accept", "origin", "host", "access-control-request-headers"];

/// The request headers that are checked against a message, in lower case, apart from the mirrored parameters.
const MESSAGE_HEADERS: [&str; 3] = ["mcp-protocol-version", "mcp-method", "mcp-name"];

/// An HTTP request without its body.
#[derive(Clone, Copy, Debug)]
pub struct RequestHead<'a> {
    /// `POST`
    pub method: &'a str,
    /// The absolute URL that was asked for.
    pub url: &'a str,
    /// Its headers; [`HEAD_HEADERS`] and `content-length` are enough.
    pub headers: &'a Headers<'a>,
}

/// A request whose body may be read.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Admission {
    /// Whether the client takes one JSON message as the answer.
    pub json: bool,
    /// Whether the client takes an event stream as the answer.
    pub stream: bool,
    /// Headers that every response to it has to have.
    pub headers: ResponseHeaders,
}

/// Header names and values of a response.
pub type ResponseHeaders = Vec<(&'static str, String)>;

/// A whole response.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Response {
    /// The status code.
    pub status: u16,
    /// Its headers.
    pub headers: ResponseHeaders,
    /// Its body: JSON, or empty.
    pub body: String,
}

impl Server {
    /// Checks the headers of a modern request against its body, for those who bring their own web layer;
    /// other messages pass.
    ///
    /// # Errors
    ///
    /// The error to answer with, at status 400: `HeaderMismatch` (−32020), or that the body is no message.
    pub fn check_headers(&self, headers: &Headers<'_>, message: &[u8]) -> Result<(), ErrorObject> {
        let value = Raw::parse(message).map_err(|syntax| parse_error(&syntax))?;
        let message = Message::read(value).map_err(|invalid| invalid.to_error())?;
        let header = headers::get(headers, headers::PROTOCOL_VERSION);
        match (classify(&message, header), &message) {
            (Inbound::Modern(envelope), Message::Request { method, params, .. }) => {
                check::request(headers, &envelope.version, method, *params)?;
                if method != method::TOOLS_CALL {
                    return Ok(());
                }
                let name = params.and_then(|params| params.get_str("name")).unwrap_or_default();
                let arguments = params.and_then(|params| params.get("arguments"));
                self.registry
                    .tools
                    .find(&name)
                    .map_or(Ok(()), |(_, tool)| check::params(headers, &tool.headers, arguments))
            }
            (Inbound::ModernNotification { version }, Message::Notification { method, .. }) => {
                check::notification(headers, version.as_deref(), method)
            }
            (Inbound::Rejected(rejection), _) => Err(rejection.error),
            _ => Ok(()),
        }
    }

    /// The names, in lower case, of the request headers that are checked against a message.
    pub fn message_headers(&self) -> &[String] {
        &self.message_headers
    }

    /// Says whether a request's body is worth reading.
    ///
    /// # Errors
    ///
    /// The response to send instead: 204 to a preflight, 403, 405, 406, 413, 415.
    pub fn admit(&self, head: &RequestHead<'_>) -> Result<Admission, Response> {
        let header = |name: &str| headers::get(head.headers, name);
        let origin = header("origin");
        let mut admission = Admission::default();
        match self.registry.allowed.check(head.url, header("host"), origin) {
            Ok(Origin::Own) => {}
            Ok(Origin::Other) => admission.headers = self.cross_origin(origin.unwrap_or_default()),
            Err(what) => {
                let mut text = String::from(what);
                text.push_str(" is not allowed to use the server");
                return Err(refusal(403, &text, ResponseHeaders::new()));
            }
        }
        let refuse = |status, text: &str, headers: ResponseHeaders| Err(refusal(status, text, headers));
        match head.method {
            "POST" => {}
            "OPTIONS" => return Err(self.preflight(header("access-control-request-headers"), admission.headers)),
            "DELETE" if self.has_sessions() => {
                admission.json = true;
                return Ok(admission);
            }
            "GET" if self.has_sessions() => {
                admission.stream = headers::accepts(header("accept"), headers::EVENT_STREAM);
                if admission.stream {
                    return Ok(admission);
                }
                return refuse(406, "Not acceptable: expected Accept to allow text/event-stream", admission.headers);
            }
            _ => {
                admission.headers.push(("Allow", self.methods().to_owned()));
                let mut text = String::from("Method not allowed: expected one of ");
                text.push_str(self.methods());
                return refuse(405, &text, admission.headers);
            }
        }
        if !header("content-type").is_some_and(headers::is_json) {
            return refuse(415, "Unsupported media type: expected Content-Type: application/json", admission.headers);
        }
        let accept = header("accept");
        admission.json = headers::accepts(accept, headers::JSON);
        admission.stream = headers::accepts(accept, headers::EVENT_STREAM);
        if !admission.json && !admission.stream {
            let text = "Not acceptable: expected Accept to allow application/json or text/event-stream";
            return refuse(406, text, admission.headers);
        }
        if header("content-length").and_then(|length| length.parse().ok()) > Some(self.registry.max_body_bytes) {
            return Err(self.too_large(admission.headers));
        }
        Ok(admission)
    }

    /// The response to a body that is larger than [`Server::max_body_bytes`], with the headers of its [`Admission`].
    pub fn too_large(&self, headers: ResponseHeaders) -> Response {
        let mut text = String::from("Body too large: expected at most ");
        text.push_str(&self.registry.max_body_bytes.to_string());
        text.push_str(" bytes");
        refusal(413, &text, headers)
    }

    /// Handles the message that an admitted request carries; the status of a reply is in [`Reply::status`](super::Reply::status),
    /// that of [`Step::Nothing`] is 202. `session` is the one that its `Mcp-Session-Id` names, where there are sessions.
    pub fn handle_http<'a>(
        &'a self,
        headers: &Headers<'_>,
        admission: &Admission,
        session: Presented<'_>,
        body: &'a [u8],
    ) -> Step<'a> {
        let channel = Channel { streams: admission.stream, headers: Some(headers), session, ..Channel::default() };
        self.handle_message(body, &channel)
    }

    fn has_sessions(&self) -> bool {
        WHOLE && self.registry.legacy == LegacyMode::Sessions
    }

    /// The methods of HTTP that the server has.
    fn methods(&self) -> &'static str {
        if self.has_sessions() { "GET, POST, DELETE, OPTIONS" } else { "POST, OPTIONS" }
    }

    fn preflight(&self, requested: Option<&str>, mut headers: ResponseHeaders) -> Response {
        if headers.is_empty() {
            headers.push(("Allow", self.methods().to_owned()));
            return Response { status: 204, headers, body: String::new() };
        }
        let mut allowed = [ALLOWED_HEADERS, &self.registry.allowed.sent].concat();
        let known: Vec<_> = self.message_headers.iter().collect();
        let mirrored = known.iter().map(|name| name.as_str());
        // What the page asks for may be of a version or a tool that is not known here.
        let asked = requested.into_iter().flat_map(|names| names.split(',')).map(str::trim).filter(|name| is_mcp(name));
        for name in mirrored.chain(asked.filter(|name| !known.iter().any(|known| known.eq_ignore_ascii_case(name)))) {
            allowed.push_str(", ");
            allowed.push_str(name);
        }
        headers.push(("Access-Control-Allow-Methods", self.methods().to_owned()));
        headers.push(("Access-Control-Allow-Headers", allowed));
        headers.push(("Access-Control-Max-Age", PREFLIGHT_SECONDS.to_owned()));
        Response { status: 204, headers, body: String::new() }
    }

    /// The headers that let a page of another origin read the response.
    fn cross_origin(&self, origin: &str) -> ResponseHeaders {
        vec![
            ("Access-Control-Allow-Origin", origin.to_owned()),
            ("Access-Control-Expose-Headers", [EXPOSED_HEADERS, &self.registry.allowed.read].concat()),
            ("Vary", "Origin, Access-Control-Request-Headers".to_owned()),
        ]
    }
}

pub(super) fn header_names(registry: &Registry) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for name in &MESSAGE_HEADERS {
        names.push((*name).to_owned());
    }
    for tool in &registry.tools.items {
        for param in &tool.headers {
            let name = param.header.to_ascii_lowercase();
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names
}

pub(super) fn refusal(status: u16, text: &str, mut headers: ResponseHeaders) -> Response {
    headers.push(("Content-Type", headers::JSON.to_owned()));
    Response { status, headers, body: error_response(None, &ErrorObject::new(INVALID_REQUEST, text)) }
}

/// Whether a requested header is one of the protocol: `Mcp-` and a token.
fn is_mcp(name: &str) -> bool {
    name.get(..4).is_some_and(|prefix| prefix.eq_ignore_ascii_case("mcp-")) && name.bytes().all(is_token_byte)
}
