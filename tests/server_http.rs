//! The HTTP ladder of the server, as a table: what is answered before a body is read, and the status of what is answered after it.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use mcp_duet::protocol::json::Raw;
use mcp_duet::server::http::{Admission, RequestHead, Response};
use mcp_duet::server::{Body, Presented, Server, Step};

fn server(more: &str) -> Server {
    let definition = format!(
        r#"{{"name":"s","version":"1","tools":[{{"name":"echo","inputSchema":{{"type":"object","properties":{{
            "region":{{"type":"string","x-mcp-header":"Region"}},"n":{{"type":"integer","x-mcp-header":"N"}}}}}}}},
            {{"name":"tööl_unicode","inputSchema":{{"type":"object"}}}}],"prompts":[{{"name":"p"}}]{more}}}"#
    );
    Server::new(Raw::parse(definition.as_bytes()).expect("JSON")).expect("a definition")
}

const LOCAL: &str = "http://localhost:3000/mcp";

fn admit(server: &Server, method: &str, url: &str, headers: &[(&str, &str)]) -> Result<Admission, Response> {
    server.admit(&RequestHead { method, url, headers })
}

/// The status of the refusal; 0 for an admission.
fn status(result: &Result<Admission, Response>) -> u16 {
    result.as_ref().err().map_or(0, |response| response.status)
}

fn header<'a>(response: &'a Response, name: &str) -> Option<&'a str> {
    response.headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
}

const JSON: (&str, &str) = ("content-type", "application/json");
const BOTH: (&str, &str) = ("accept", "application/json, text/event-stream");

#[test]
fn only_post_is_a_message_and_the_answer_says_so() {
    let server = server("");
    for method in ["GET", "DELETE", "PUT", "PATCH", "HEAD", "post", "TRACE"] {
        let response = admit(&server, method, LOCAL, &[JSON, BOTH]).expect_err(method);
        assert_eq!(response.status, 405, "{method}");
        assert_eq!(header(&response, "allow"), Some("POST, OPTIONS"));
    }
    assert!(admit(&server, "POST", LOCAL, &[JSON, BOTH]).is_ok());
}

#[test]
fn every_legal_spelling_of_json_is_json() {
    let server = server("");
    for (content_type, expected) in [
        ("application/json", 0),
        ("application/json; charset=utf-8", 0),
        ("Application/JSON", 0),
        ("application/json;charset=\"UTF-8\"", 0),
        (" application/json ", 0),
        ("text/plain", 415),
        ("application/jsonp", 415),
        ("application/vnd.api+json", 415),
        ("multipart/form-data; boundary=application/json", 415),
        ("", 415),
    ] {
        let result = admit(&server, "POST", LOCAL, &[("Content-Type", content_type), BOTH]);
        assert_eq!(status(&result), expected, "{content_type}");
    }
    assert_eq!(status(&admit(&server, "POST", LOCAL, &[BOTH])), 415);
}

#[test]
fn accept_says_which_forms_of_an_answer_the_client_takes() {
    let server = server("");
    for (accept, expected) in [
        (Some("application/json, text/event-stream"), Some((true, true))),
        (Some("*/*"), Some((true, true))),
        (Some("application/*, text/event-stream"), Some((true, true))),
        (Some("application/json"), Some((true, false))),
        (Some("text/event-stream"), Some((false, true))),
        (Some("text/event-stream, application/json;q=0"), Some((false, true))),
        (Some(""), Some((true, true))),
        (None, Some((true, true))),
        (Some("text/html"), None),
        (Some("*/*;q=0"), None),
    ] {
        let mut headers = vec![JSON];
        headers.extend(accept.map(|accept| ("accept", accept)));
        let result = admit(&server, "POST", LOCAL, &headers);
        assert_eq!(result.as_ref().ok().map(|admission| (admission.json, admission.stream)), expected, "{accept:?}");
        assert!(result.is_ok() || status(&result) == 406);
    }
}

#[test]
fn a_body_that_says_it_is_too_large_is_not_read() {
    let server = server(r#","maxBodyBytes":100"#);
    for (length, expected) in [("100", 0), ("101", 413), ("0", 0), ("nonsense", 0), ("99999999999999999999999", 0)] {
        let result = admit(&server, "POST", LOCAL, &[JSON, BOTH, ("content-length", length)]);
        assert_eq!(status(&result), expected, "{length}");
    }
    assert_eq!(server.max_body_bytes(), 100);
    assert_eq!(self::server("").max_body_bytes(), 4 * 1024 * 1024);
}

#[test]
fn host_and_origin_are_checked_against_dns_rebinding() {
    let plain = server("");
    for (url, host, origin, expected) in [
        (LOCAL, None, None, 0),
        (LOCAL, Some("localhost:3000"), None, 0),
        (LOCAL, Some("localhost:3000"), Some("http://localhost:3000"), 0),
        (LOCAL, Some("localhost:3000"), Some("http://localhost:5173"), 0),
        (LOCAL, Some("localhost:3000"), Some("http://127.0.0.1:1"), 0),
        (LOCAL, Some("evil.example.com"), Some("http://evil.example.com"), 403),
        (LOCAL, Some("evil.example.com"), None, 403),
        (LOCAL, Some("localhost:3000"), Some("http://evil.example.com"), 403),
        (LOCAL, Some("localhost:3000"), Some("null"), 403),
        (LOCAL, Some("localhost:3000"), Some("http://localhost.evil.example.com"), 403),
        // A server that makes its URL from the Host header.
        ("http://evil.example.com/mcp", Some("evil.example.com"), Some("http://evil.example.com"), 403),
        ("http://evil.example.com/mcp", None, Some("http://localhost:3000"), 403),
        // A name that a certificate proves, and an address that needs no proof.
        ("https://example.com/mcp", Some("example.com"), Some("https://example.com"), 0),
        ("https://example.com/mcp", Some("example.com"), Some("http://example.com"), 403),
        ("https://example.com/mcp", Some("example.com"), Some("https://example.com:8443"), 403),
        ("https://example.com/mcp", Some("example.com"), Some("https://other.example.com"), 403),
        ("http://192.168.1.5:8787/mcp", Some("192.168.1.5:8787"), Some("http://192.168.1.5:8787"), 0),
        // Without an Origin no page is behind it.
        ("http://example.com/mcp", Some("example.com"), None, 0),
    ] {
        let mut headers = vec![JSON, BOTH];
        headers.extend(host.map(|host| ("host", host)));
        headers.extend(origin.map(|origin| ("origin", origin)));
        let result = admit(&plain, "POST", url, &headers);
        assert_eq!(status(&result), expected, "{url} {host:?} {origin:?}");
    }
}

#[test]
fn other_origins_and_hosts_are_allowed_by_name() {
    let server = server(r#","allowedOrigins":["https://app.example.com"],"allowedHosts":["tools.lan:8787"]"#);
    for (url, host, origin, expected) in [
        ("http://tools.lan:8787/mcp", "tools.lan:8787", "https://app.example.com", 0),
        ("http://tools.lan:8787/mcp", "tools.lan:8787", "http://tools.lan:8787", 0),
        ("http://tools.lan:8787/mcp", "tools.lan:8787", "https://app.example.com.evil.com", 403),
        ("http://tools.lan/mcp", "tools.lan", "https://app.example.com", 403),
        (LOCAL, "localhost:3000", "https://app.example.com", 403),
    ] {
        let headers = [JSON, BOTH, ("host", host), ("origin", origin)];
        assert_eq!(status(&admit(&server, "POST", url, &headers)), expected, "{url} {origin}");
    }
    let any = self::server(r#","allowedOrigins":["*"]"#);
    let headers = [JSON, BOTH, ("origin", "https://anything.example")];
    assert_eq!(status(&admit(&any, "POST", "https://example.com/", &headers)), 0);
}

#[test]
fn a_page_of_an_allowed_origin_can_read_every_response() {
    let server = server(r#","allowedOrigins":["https://app.example.com"]"#);
    let origin = ("origin", "https://app.example.com");
    let admission = admit(&server, "POST", "https://example.com/mcp", &[JSON, BOTH, origin]).expect("admitted");
    let names: Vec<_> = admission.headers.iter().map(|(name, _)| *name).collect();
    assert!(names.contains(&"Access-Control-Allow-Origin") && names.contains(&"Vary"));
    for headers in [vec![origin], vec![JSON, ("accept", "text/html"), origin]] {
        let refused = admit(&server, "POST", "https://example.com/mcp", &headers).expect_err("refused");
        assert_eq!(header(&refused, "access-control-allow-origin"), Some("https://app.example.com"));
        let exposed = "WWW-Authenticate, Retry-After, Mcp-Session-Id, MCP-Protocol-Version";
        assert_eq!(header(&refused, "access-control-expose-headers"), Some(exposed));
    }
    let large = server.too_large(admission.headers);
    assert_eq!((large.status, header(&large, "access-control-allow-origin")), (413, Some("https://app.example.com")));
    let get = admit(&server, "GET", "https://example.com/mcp", &[origin]).expect_err("refused");
    assert_eq!((get.status, header(&get, "access-control-allow-origin")), (405, Some("https://app.example.com")));
}

#[test]
fn a_preflight_names_the_headers_of_the_protocol_and_of_the_tools() {
    let server = server(r#","allowedOrigins":["https://app.example.com"]"#);
    let asked = "authorization, content-type, mcp-method, Mcp-Param-Other, x-evil, mcp-bad header";
    let headers = [
        ("origin", "https://app.example.com"),
        ("access-control-request-method", "POST"),
        ("access-control-request-headers", asked),
    ];
    let response = admit(&server, "OPTIONS", "https://example.com/mcp", &headers).expect_err("a response");
    assert_eq!(response.status, 204);
    assert_eq!(response.body, "");
    let allowed = header(&response, "access-control-allow-headers").unwrap_or_default().to_ascii_lowercase();
    let allowed: Vec<_> = allowed.split(", ").collect();
    for name in [
        "authorization",
        "content-type",
        "accept",
        "mcp-protocol-version",
        "mcp-method",
        "mcp-name",
        "mcp-session-id",
        "last-event-id",
        "mcp-param-region",
        "mcp-param-n",
        "mcp-param-other",
    ] {
        assert_eq!(allowed.iter().filter(|other| **other == name).count(), 1, "{name} in {allowed:?}");
    }
    assert!(!allowed.contains(&"x-evil") && !allowed.contains(&"mcp-bad header"));
    assert_eq!(header(&response, "access-control-allow-methods"), Some("POST, OPTIONS"));
    assert_eq!(header(&response, "access-control-allow-credentials"), None);

    let foreign = admit(&server, "OPTIONS", "https://example.com/mcp", &[("origin", "https://evil.example")]);
    assert_eq!(status(&foreign), 403);
    let own = admit(&server, "OPTIONS", "https://example.com/mcp", &[]).expect_err("a response");
    assert_eq!((own.status, header(&own, "allow")), (204, Some("POST, OPTIONS")));
}

#[test]
fn an_author_adds_headers_that_pages_may_send_and_read() {
    let more = r#","allowedOrigins":["https://app.example.com"],"allowedHeaders":["X-Tenant","x-trace"],
        "exposedHeaders":["X-Request-Id"]"#;
    let origin = ("origin", "https://app.example.com");
    let preflight = admit(&server(more), "OPTIONS", LOCAL, &[origin]).expect_err("a response");
    let allowed = header(&preflight, "access-control-allow-headers").unwrap_or_default();
    assert!(allowed.contains("dpop") && allowed.contains(", X-Tenant, x-trace, "), "{allowed}");
    for response in [preflight, admit(&server(more), "POST", LOCAL, &[origin]).expect_err("a response")] {
        let exposed = header(&response, "access-control-expose-headers");
        assert!(exposed.is_some_and(|names| names.ends_with(", MCP-Protocol-Version, X-Request-Id")), "{exposed:?}");
    }
}

const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;

/// The status and, of an error, the code with which a message is answered over HTTP.
fn answer(server: &Server, headers: &[(&str, &str)], message: &str) -> (u16, i64) {
    let admission = Admission { json: true, stream: true, ..Admission::default() };
    match server.handle_http(headers, &admission, Presented::default(), message.as_bytes()) {
        Step::Reply(reply) => match reply.body {
            Body::Error(error) => (reply.status, error.code),
            Body::Constant(..) | Body::Result(_) => (reply.status, 0),
        },
        Step::Invoke(_) => (200, 1),
        Step::Batch(elements) => (200, elements.len() as i64),
        Step::Listen(_) => (200, 2),
        _ => (202, 0),
    }
}

fn request(method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{{params}}}}}"#)
}

const MODERN: (&str, &str) = ("MCP-Protocol-Version", "2026-07-28");

#[test]
fn a_modern_request_is_answered_with_the_status_of_its_error() {
    let server = server("");
    let list = ("Mcp-Method", "tools/list");
    for (headers, message, expected) in [
        (vec![MODERN, list], request("tools/list", META), (200, 0)),
        (vec![MODERN, list], request("tools/list", ""), (400, -32602)),
        (vec![MODERN, list], r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#.to_owned(), (400, -32602)),
        (vec![MODERN], request("initialize", ""), (404, -32601)),
        (vec![list], request("tools/list", META), (400, -32020)),
        (vec![MODERN], request("tools/list", META), (400, -32020)),
        (vec![MODERN, ("Mcp-Method", "TOOLS/LIST")], request("tools/list", META), (400, -32020)),
        (vec![MODERN, ("Mcp-Method", "prompts/list")], request("tools/list", META), (400, -32020)),
        (
            vec![("MCP-PROTOCOL-VERSION", "2026-07-28"), ("MCP-METHOD", " tools/list ")],
            request("tools/list", META),
            (200, 0),
        ),
        (vec![MODERN, ("Mcp-Method", "nope")], request("nope", META), (404, -32601)),
        (vec![MODERN, ("Mcp-Method", "ping")], request("ping", META), (404, -32601)),
        (vec![MODERN, ("Mcp-Method", "resources/list")], request("resources/list", META), (404, -32601)),
        (
            vec![MODERN, ("Mcp-Method", "tools/list")],
            request("tools/list", &format!(r#"{META},"cursor":"x""#)),
            (200, -32602),
        ),
    ] {
        assert_eq!(answer(&server, &headers, &message), expected, "{headers:?} {message}");
    }
}

#[test]
fn versions_are_judged_before_the_other_headers() {
    let server = server("");
    let unknown = META.replace("2026-07-28", "v999.0.0");
    for (headers, meta, expected) in [
        (vec![("mcp-protocol-version", "v999.0.0")], &*unknown, (400, -32022)),
        (vec![MODERN], &*unknown, (400, -32020)),
        (vec![("mcp-protocol-version", "2025-11-25")], META, (400, -32020)),
        (vec![], &*unknown, (400, -32020)),
    ] {
        assert_eq!(answer(&server, &headers, &request("tools/list", meta)), expected, "{headers:?} {meta}");
    }
}

#[test]
fn names_in_headers_are_decoded_before_they_are_compared() {
    let server = server("");
    let call = request("tools/call", &format!(r#""name":"tööl_unicode","arguments":{{}},{META}"#));
    for (names, expected) in [
        (vec!["=?base64?dMO2w7ZsX3VuaWNvZGU=?="], (200, 1)),
        (vec![" =?base64?dMO2w7ZsX3VuaWNvZGU=?= "], (200, 1)),
        (vec!["tööl_unicode"], (400, -32020)),
        (vec!["=?BASE64?dMO2w7ZsX3VuaWNvZGU=?="], (400, -32020)),
        (vec!["=?base64?dMO2w7ZsX3VuaWNvZGU?="], (400, -32020)),
        (vec!["=?base64?/w==?="], (400, -32020)),
        (vec![], (400, -32020)),
        (vec!["=?base64?dMO2w7ZsX3VuaWNvZGU=?=", "=?base64?dMO2w7ZsX3VuaWNvZGU=?="], (400, -32020)),
    ] {
        let mut headers = vec![MODERN, ("mcp-method", "tools/call")];
        headers.extend(names.iter().map(|name| ("mcp-name", *name)));
        assert_eq!(answer(&server, &headers, &call), expected, "{names:?}");
    }
}

#[test]
fn mirrored_parameters_are_compared_with_the_arguments() {
    let server = server("");
    let base = [MODERN, ("mcp-method", "tools/call"), ("mcp-name", "echo")];
    for (headers, arguments, expected) in [
        (vec![("mcp-param-region", "eu")], r#"{"region":"eu"}"#, (200, 1)),
        (vec![("MCP-PARAM-REGION", "=?base64?5YyX5Lqs?=")], r#"{"region":"北京"}"#, (200, 1)),
        (vec![("mcp-param-n", "42.0")], r#"{"n":42}"#, (200, 1)),
        // No header is expected for it; that it does not fit the schema is the tool's result.
        (vec![], r#"{"region":null}"#, (200, 0)),
        (vec![], "{}", (200, 1)),
        (vec![], r#"{"region":"eu"}"#, (400, -32020)),
        (vec![("mcp-param-region", "us")], r#"{"region":"eu"}"#, (400, -32020)),
        (vec![("mcp-param-region", "eu")], "{}", (400, -32020)),
        (vec![("mcp-param-unknown", "x")], "{}", (200, 1)),
    ] {
        let headers: Vec<_> = base.into_iter().chain(headers).collect();
        let message = request("tools/call", &format!(r#""name":"echo","arguments":{arguments},{META}"#));
        assert_eq!(answer(&server, &headers, &message), expected, "{headers:?} {arguments}");
        let checked = server.check_headers(&headers, message.as_bytes());
        assert_eq!(checked.err().map_or(0, |error| error.code), if expected.0 == 400 { -32020 } else { 0 });
    }
}

#[test]
fn legacy_requests_need_no_session_and_no_headers_of_the_other_era() {
    let server = server("");
    for (headers, expected) in [
        (vec![], (200, 0)),
        (vec![("mcp-protocol-version", "2025-06-18")], (200, 0)),
        (vec![("mcp-session-id", "from-another-isolate")], (200, 0)),
        (vec![("mcp-method", "nonsense"), ("mcp-name", "nonsense"), ("mcp-param-region", "x")], (200, 0)),
        (vec![("mcp-protocol-version", "1999-01-01")], (400, -32600)),
        (vec![("mcp-protocol-version", "nonsense")], (400, -32600)),
    ] {
        assert_eq!(answer(&server, &headers, &request("tools/list", "")), expected, "{headers:?}");
    }
    let narrow = self::server(r#","supportedVersions":["2026-07-28","2025-11-25"]"#);
    assert_eq!(answer(&narrow, &[("mcp-protocol-version", "2025-06-18")], &request("tools/list", "")).0, 400);
    let legacy = self::server(r#","supportedVersions":["2025-11-25"]"#);
    assert_eq!(answer(&legacy, &[MODERN, ("mcp-method", "tools/list")], &request("tools/list", META)), (400, -32600));
}

#[test]
fn notifications_are_accepted_without_a_body_and_what_is_no_message_is_refused() {
    let server = server("");
    let notification = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    for (headers, message, expected) in [
        (vec![], notification, (202, 0)),
        (vec![MODERN], notification, (202, 0)),
        (vec![MODERN, ("mcp-method", "notifications/cancelled")], notification, (400, -32020)),
        (vec![], r#"{"jsonrpc":"2.0","method":"tools/call"}"#, (202, 0)),
        (vec![], r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, (202, 0)),
        (vec![MODERN], r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, (400, -32600)),
        (vec![], "{", (400, -32700)),
        (vec![], "", (400, -32700)),
        (vec![], "\u{feff}{}", (400, -32700)),
        (vec![], "[]", (400, -32600)),
        (vec![], r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, (400, -32600)),
        (vec![], r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, (200, 1)),
        (vec![("mcp-protocol-version", "2025-06-18")], r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, (400, -32600)),
        (vec![MODERN], r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, (400, -32600)),
    ] {
        assert_eq!(answer(&server, &headers, message), expected, "{headers:?} {message}");
    }
}

#[test]
fn a_batch_has_a_limit() {
    let server = server("");
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    for (count, expected) in [(100, (200, 100)), (101, (400, -32600))] {
        let message = format!("[{}]", vec![ping; count].join(","));
        assert_eq!(answer(&server, &[], &message), expected, "{count}");
    }
}

#[test]
fn a_server_of_modern_versions_only_says_so_to_legacy_clients() {
    let server = server(r#","legacy":"reject""#);
    assert_eq!(answer(&server, &[], &request("initialize", r#""protocolVersion":"2025-06-18""#)), (400, -32022));
    assert_eq!(answer(&server, &[], &request("tools/list", "")), (400, -32602));
    assert_eq!(answer(&server, &[("mcp-protocol-version", "2025-06-18")], &request("tools/list", "")), (400, -32602));
    assert_eq!(answer(&server, &[], r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#), (202, 0));
}

#[test]
fn two_isolates_serve_both_eras_in_turn_without_anything_in_common() {
    let isolates = [server(""), server("")];
    let session = ("mcp-session-id", "minted-by-nobody");
    let legacy = ("mcp-protocol-version", "2025-06-18");
    let modern = vec![MODERN, ("mcp-method", "tools/list")];
    let steps = [
        (vec![], request("initialize", r#""protocolVersion":"2025-06-18","capabilities":{}"#)),
        (vec![legacy], r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#.to_owned()),
        (modern.clone(), request("tools/list", META)),
        (vec![legacy, session], request("tools/list", "")),
        (modern, request("tools/list", META)),
        (vec![], request("tools/list", "")),
    ];
    for first in 0..isolates.len() {
        for (at, (headers, message)) in steps.iter().enumerate() {
            let (status, code) = answer(&isolates[(first + at) % 2], headers, message);
            assert!(status < 300 && code == 0, "{message}: {status} {code}");
        }
    }
}
