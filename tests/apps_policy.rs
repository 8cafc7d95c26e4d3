//! What a View may load and use, what it declares, and what of a host's values it accepts.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

use mcp_duet::apps::policy::{self, Csp, MAX_SOURCES};
use mcp_duet::apps::shape::{Shape, fit};
use mcp_duet::apps::visibility::positions;
use mcp_duet::apps::{metadata, shapes};
use mcp_duet::protocol::json::Raw;
use serde_json::{Value, json};

fn with<T>(value: &Value, read: impl FnOnce(Raw<'_>) -> T) -> T {
    let text = value.to_string();
    read(Raw::parse(text.as_bytes()).unwrap())
}

#[test]
fn a_view_that_declares_nothing_gets_the_default_policy() {
    assert_eq!(
        Csp::read(None).policy(false),
        "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; \
         img-src 'self' data:; media-src 'self' data:; connect-src 'none'; frame-src 'none'; object-src 'none'; \
         base-uri 'self'; form-action 'none'"
    );
}

#[test]
fn what_a_view_declares_goes_into_the_directives_that_it_is_for() {
    let csp = json!({
        "connectDomains": ["https://api.example", "wss://live.example:8443"],
        "resourceDomains": ["https://*.cdn.example"],
        "frameDomains": ["https://www.example/embed"],
        "baseUriDomains": ["https://base.example"],
    });
    assert_eq!(
        with(&csp, |csp| Csp::read(Some(csp)).policy(true)),
        "default-src 'none'; script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval' https://*.cdn.example; \
         style-src 'self' 'unsafe-inline' https://*.cdn.example; img-src 'self' data: https://*.cdn.example; \
         media-src 'self' data: https://*.cdn.example; font-src 'self' https://*.cdn.example; \
         connect-src 'self' https://api.example wss://live.example:8443; frame-src https://www.example/embed; \
         object-src 'none'; base-uri https://base.example; form-action 'none'"
    );
    let empty = with(&json!({}), |csp| Csp::read(Some(csp)).policy(false));
    assert!(empty.contains("connect-src 'self';") && empty.contains("font-src 'self';"), "{empty}");
    assert!(empty.contains("frame-src 'none'; object-src 'none'; base-uri 'self'"), "{empty}");
}

#[test]
fn only_origins_are_sources() {
    for source in [
        "https://a.example",
        "http://localhost:3000",
        "http://127.0.0.1:*",
        "wss://a.example",
        "a.example",
        "*.a.example",
        "https://*.a.example/x/y.js",
        "https://a_b.example",
    ] {
        assert!(policy::is_source(source), "{source}");
    }
    for source in [
        "",
        "*",
        "https://*",
        "https:",
        "data:",
        "blob:",
        "'unsafe-eval'",
        "'self'",
        "unsafe-inline",
        "https://a.example; script-src *",
        "https://a.example, default-src *",
        "https://a.example\r\nX: y",
        "https://a.example x",
        "https://a.example/\"",
        "https://",
        "*.",
        "https://*.*.example",
        "https://a.*.example",
        "javascript://a.example",
        "https://a.example:x",
        "https://a.example:",
        "https://u@a.example",
        "https://a..example",
        "https://[::1]",
    ] {
        assert!(!policy::is_source(source), "{source}");
    }
}

#[test]
fn refused_sources_are_named_and_their_number_is_bounded() {
    let many: Vec<String> = (0..=MAX_SOURCES).map(|number| format!("https://a{number}.example")).collect();
    let csp =
        json!({ "connectDomains": many, "resourceDomains": ["'unsafe-eval'", 5], "frameDomains": "https://a.example" });
    let csp = with(&csp, |csp| Csp::read(Some(csp)));
    assert_eq!(csp.connect.len(), MAX_SOURCES);
    assert_eq!(csp.refused, [format!("\"{}\"", many.last().unwrap()), "\"'unsafe-eval'\"".to_owned(), "5".to_owned()]);
    assert!(csp.frame.is_empty() && csp.resource.is_empty());
}

#[test]
fn a_document_without_an_origin_gets_no_frames() {
    let csp = json!({ "frameDomains": ["https://a.example"], "connectDomains": ["https://b.example"] });
    let csp = with(&csp, |csp| Csp::read(Some(csp))).without_frames();
    assert!(csp.policy(false).contains("connect-src 'self' https://b.example; frame-src 'none';"));
    assert_eq!(csp.refused, ["https://a.example"]);
}

#[test]
fn permissions_become_an_allow_attribute() {
    let granted = ["camera".to_owned()];
    for (wanted, granted, expected) in [
        (json!({}), None, ""),
        (json!({ "camera": {}, "clipboardWrite": {}, "usb": {} }), None, "camera; clipboard-write"),
        (json!({ "geolocation": {}, "microphone": {} }), None, "microphone; geolocation"),
        (json!({ "camera": {}, "microphone": {} }), Some(&granted[..]), "camera"),
        (json!({ "camera": true }), None, ""),
    ] {
        assert_eq!(with(&wanted, |wanted| policy::allow(Some(wanted), granted)), expected, "{wanted}");
    }
    assert_eq!(policy::allow(None, None), "");
}

#[test]
fn the_sandbox_page_has_the_view_s_policy_and_names_its_hosts() {
    let headers =
        policy::sandbox_headers(br#"{"connectDomains":["https://a.example"]}"#, &["https://app.example"], false)
            .unwrap();
    let csp = &headers.iter().find(|(name, _)| *name == "content-security-policy").unwrap().1;
    assert!(csp.contains("connect-src 'self' https://a.example;"), "{csp}");
    assert!(csp.ends_with("; frame-ancestors https://app.example"), "{csp}");
    let headers = policy::sandbox_headers(b"", &[], false).unwrap();
    assert_eq!(headers[1].1, Csp::read(None).policy(false));
    assert!(policy::sandbox_headers(b"[1]", &[], false).is_err());
    assert!(policy::sandbox_headers(b"{", &[], false).is_err());
    assert!(policy::sandbox_headers(b"", &["*"], false).unwrap_err().contains("hosts must be origins"));
}

#[test]
fn a_tool_names_its_view_in_two_places() {
    for (meta, expected) in [
        (json!({}), Ok(None)),
        (json!({ "ui": { "resourceUri": "ui://a" } }), Ok(Some("ui://a"))),
        (json!({ "ui/resourceUri": "ui://b" }), Ok(Some("ui://b"))),
        (json!({ "ui": { "resourceUri": "ui://a" }, "ui/resourceUri": "ui://b" }), Ok(Some("ui://a"))),
        (json!({ "ui": { "visibility": ["app"] }, "ui/resourceUri": "ui://b" }), Ok(Some("ui://b"))),
        (json!({ "ui": { "resourceUri": "https://a" }, "ui/resourceUri": "ui://b" }), Err(())),
        (json!({ "ui": { "resourceUri": "" } }), Err(())),
        (json!({ "ui": { "resourceUri": 5 } }), Err(())),
        (json!({ "ui/resourceUri": "file:///a" }), Err(())),
    ] {
        let found = with(&json!({ "name": "t", "_meta": meta }), metadata::resource_uri);
        assert_eq!(found.as_ref().map(|uri| uri.as_deref()).map_err(|_| ()), expected, "{meta}");
    }
    assert_eq!(with(&json!({ "name": "t" }), metadata::resource_uri), Ok(None));
}

#[test]
fn a_tool_is_visible_to_both_unless_it_says_otherwise() {
    for (ui, model, app) in [
        (json!({}), true, true),
        (json!({ "visibility": null }), true, true),
        (json!({ "visibility": ["model", "app"] }), true, true),
        (json!({ "visibility": ["model"] }), true, false),
        (json!({ "visibility": ["app"] }), false, true),
        (json!({ "visibility": [] }), false, false),
        (json!({ "visibility": "app" }), false, false),
        (json!({ "visibility": ["apps"] }), false, false),
    ] {
        let tools = json!([{ "name": "t", "_meta": { "ui": ui } }]);
        assert_eq!(with(&tools, |tools| positions(tools, "model").len() == 1), model, "{ui}");
        assert_eq!(with(&tools, |tools| positions(tools, "app").len() == 1), app, "{ui}");
    }
    let tools =
        json!([{ "name": "a" }, { "name": "b", "_meta": { "ui": { "visibility": ["app"] } } }, { "name": "c" }]);
    assert_eq!(with(&tools, |tools| positions(tools, "model")), [0, 2]);
}

#[test]
fn the_document_is_what_has_the_media_type() {
    let item = |media_type: &str| json!({ "uri": "ui://a", "mimeType": media_type, "text": "" });
    let view = "text/html;profile=mcp-app";
    for (contents, tolerant, expected) in [
        (json!([item(view)]), false, Ok(0)),
        (json!([item("text/plain"), item("text/HTML; profile=mcp-app")]), false, Ok(1)),
        (json!([item("text/html")]), false, Err("text/html")),
        (json!([item("text/html")]), true, Ok(0)),
        (json!([item("text/html+mcp")]), true, Ok(0)),
        (json!([]), false, Err("nothing")),
        (json!("x"), false, Err("none")),
        (json!([{ "uri": "ui://a", "mimeType": view }]), false, Err("mcp-app")),
        (json!([{ "uri": "ui://a", "mimeType": view, "blob": "" }]), false, Ok(0)),
    ] {
        let result = json!({ "contents": contents });
        with(&result, |result| match (metadata::document(result, "ui://a", tolerant), expected) {
            (Ok(document), Ok(at)) => assert_eq!(document.at, at, "{contents}"),
            (Err(message), Err(part)) => assert!(message.contains(part) && message.contains("ui://a"), "{message}"),
            (found, _) => panic!("{contents}: {found:?}"),
        });
    }
}

#[test]
fn what_a_document_declares_is_with_its_contents_or_in_the_list() {
    let ui = json!({ "prefersBorder": true });
    let result = json!({ "contents": [{ "uri": "ui://a", "mimeType": "text/html;profile=mcp-app", "text": "", "_meta": { "ui": ui } }] });
    with(&result, |result| {
        let document = metadata::document(result, "ui://a", false).unwrap();
        assert_eq!(document.ui.unwrap().as_text(), ui.to_string());
    });
    let list = json!([{ "uri": "ui://b" }, { "uri": "ui://a", "_meta": { "ui": ui } }]);
    with(&list, |list| {
        assert_eq!(metadata::listed(list, "ui://a").unwrap().as_text(), ui.to_string());
        assert!(metadata::listed(list, "ui://b").is_none() && metadata::listed(list, "ui://c").is_none());
    });
}

#[test]
fn what_kills_the_handshake_of_a_real_view_is_left_out() {
    let tool = |more: Value| {
        let mut tool = json!({ "name": "t", "inputSchema": { "type": "object" } });
        for (name, value) in more.as_object().unwrap() {
            tool[name] = value.clone();
        }
        json!({ "toolInfo": { "tool": tool } })
    };
    for (context, expected, dropped) in [
        (json!({ "theme": null }), json!({}), "theme"),
        (json!({ "theme": "blue" }), json!({}), "theme"),
        (json!({ "platform": "fridge" }), json!({}), "platform"),
        (json!({ "displayMode": "window" }), json!({}), "displayMode"),
        (
            json!({ "availableDisplayModes": ["inline", "window"] }),
            json!({ "availableDisplayModes": ["inline"] }),
            "availableDisplayModes[1]",
        ),
        (
            json!({ "styles": { "variables": { "--font-sans": "x", "--mine": "y" } } }),
            json!({ "styles": { "variables": { "--font-sans": "x" } } }),
            "styles.variables.--mine",
        ),
        (
            json!({ "styles": { "variables": { "--font-sans": 5 }, "css": { "fonts": 5 } } }),
            json!({ "styles": { "variables": {}, "css": {} } }),
            "styles.css.fonts",
        ),
        (json!({ "safeAreaInsets": { "top": 1 } }), json!({}), "safeAreaInsets"),
        (
            json!({ "safeAreaInsets": { "top": 1, "right": 2, "bottom": 3, "left": null } }),
            json!({}),
            "safeAreaInsets.left",
        ),
        (
            json!({ "containerDimensions": { "width": null, "maxHeight": 4 } }),
            json!({ "containerDimensions": { "maxHeight": 4 } }),
            "containerDimensions.width",
        ),
        (
            json!({ "deviceCapabilities": { "touch": "yes" } }),
            json!({ "deviceCapabilities": {} }),
            "deviceCapabilities.touch",
        ),
        (json!({ "locale": 5 }), json!({}), "locale"),
        (json!({ "toolInfo": { "tool": { "name": "t" } } }), json!({}), "toolInfo.tool"),
        (
            json!({ "toolInfo": { "id": 1.5, "tool": { "name": "t", "inputSchema": { "type": "object" } } } }),
            tool(json!({})),
            "toolInfo.id",
        ),
        (tool(json!({ "title": null })), tool(json!({})), "toolInfo.tool.title"),
        (tool(json!({ "outputSchema": { "type": "array" } })), tool(json!({})), "toolInfo.tool.outputSchema.type"),
        (
            tool(json!({ "inputSchema": { "type": "object", "properties": { "a": true, "b": {} } } })),
            tool(json!({ "inputSchema": { "type": "object", "properties": { "b": {} } } })),
            "properties.a",
        ),
        (tool(json!({ "execution": { "taskSupport": "maybe" } })), tool(json!({ "execution": {} })), "taskSupport"),
        (tool(json!({ "annotations": { "readOnlyHint": "yes" } })), tool(json!({ "annotations": {} })), "readOnlyHint"),
    ] {
        let mut paths = Vec::new();
        let fitted = with(&context, |context| fit(context, &shapes::HOST_CONTEXT, "hostContext", &mut paths)).unwrap();
        assert_eq!(serde_json::from_str::<Value>(&fitted).unwrap(), expected, "{context}");
        assert!(
            paths.iter().any(|path| path.starts_with("hostContext.") && path.ends_with(dropped)),
            "{context}: {paths:?}"
        );
    }
    let fine = json!({ "theme": "dark", "containerDimensions": { "height": 1, "maxHeight": 2 }, "mine/own": null, "styles": { "x": 1 } });
    let mut paths = Vec::new();
    let fitted = with(&fine, |context| fit(context, &shapes::HOST_CONTEXT, "hostContext", &mut paths)).unwrap();
    assert_eq!((fitted, paths), (fine.to_string(), Vec::<String>::new()));
}

#[test]
fn what_kills_a_tool_result_is_left_out() {
    let text = json!({ "type": "text", "text": "a" });
    for (block, expected) in [
        (json!({ "type": "text" }), None),
        (json!({ "type": "text", "text": "a", "_meta": null, "annotations": null }), Some(text.clone())),
        (
            json!({ "type": "text", "text": "a", "annotations": { "lastModified": "yesterday" } }),
            Some(json!({ "type": "text", "text": "a", "annotations": {} })),
        ),
        (json!({ "type": "image", "data": "!!", "mimeType": "image/png" }), None),
        (
            json!({ "type": "image", "data": "QQ==", "mimeType": "image/png", "x": 1 }),
            Some(json!({ "type": "image", "data": "QQ==", "mimeType": "image/png", "x": 1 })),
        ),
        (json!({ "type": "audio", "data": "QQ==" }), None),
        (json!({ "type": "resource_link", "uri": "a:b" }), None),
        (
            json!({ "type": "resource_link", "uri": "a:b", "name": "b", "size": null }),
            Some(json!({ "type": "resource_link", "uri": "a:b", "name": "b" })),
        ),
        (json!({ "type": "resource", "resource": { "uri": "a:b" } }), None),
        (
            json!({ "type": "resource", "resource": { "uri": "a:b", "text": "" } }),
            Some(json!({ "type": "resource", "resource": { "uri": "a:b", "text": "" } })),
        ),
        (json!({ "type": "resource", "resource": { "uri": "a:b", "blob": "Q" } }), None),
        (json!({ "type": "tool_use", "id": "1", "name": "x", "input": {} }), None),
        (json!(5), None),
    ] {
        let result = json!({ "content": [text, block] });
        let mut paths = Vec::new();
        let fitted = with(&result, |result| fit(result, &shapes::CALL_TOOL_RESULT, "result", &mut paths)).unwrap();
        let content: Vec<Value> = [Some(text.clone()), expected].into_iter().flatten().collect();
        assert_eq!(serde_json::from_str::<Value>(&fitted).unwrap(), json!({ "content": content }), "{block}");
    }
}

#[test]
fn what_fits_keeps_its_text() {
    for (text, shape) in [
        (r#"{"a" : 1e400, "é":"é", "a":2}"#, Shape::Any),
        (r#"{"content":[ ],"structuredContent":{"n":12345678901234567890}}"#, shapes::CALL_TOOL_RESULT),
    ] {
        let mut paths = Vec::new();
        let fitted = fit(Raw::parse(text.as_bytes()).unwrap(), &shape, "", &mut paths).unwrap();
        assert_eq!(fitted, text.replace("[ ]", "[]"));
        assert!(paths.is_empty());
    }
}
