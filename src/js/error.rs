//! Failures as the package's own JavaScript Error classes (`errors.js`).
//!
//! Every `Err` that leaves an export is built here: the facade takes anything else
//! that is thrown out of wasm for a trap and gives the instance up.

use js_sys::{JSON, Object, Reflect};
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

#[wasm_bindgen(module = "/src/js/errors.js")]
extern "C" {
    /// The base class: `code` and `message`.
    #[wasm_bindgen(extends = js_sys::Error)]
    pub type McpError;
    #[wasm_bindgen(constructor)]
    fn new(code: &str, message: &str) -> McpError;

    /// The peer's JSON-RPC error: `rpcCode`, `message`, `data`.
    #[wasm_bindgen(extends = McpError, extends = js_sys::Error)]
    pub type ProtocolError;
    #[wasm_bindgen(constructor)]
    fn new(rpc_code: f64, message: &str, data: &JsValue) -> ProtocolError;

    /// An HTTP failure: `status` and what came with it.
    #[wasm_bindgen(extends = McpError, extends = js_sys::Error)]
    pub type HttpError;
    #[wasm_bindgen(constructor)]
    fn new(message: &str, details: &Object) -> HttpError;
}

/// An error of our own making; `code` is one of the union in `errors.d.ts`.
pub fn mcp_error(code: &str, message: &str) -> JsValue {
    McpError::new(code, message).into()
}

/// A JSON-RPC error that the peer sent. Data that is not JSON is left out.
pub fn protocol_error(rpc_code: i64, message: &str, data_json: Option<&str>) -> JsValue {
    ProtocolError::new(rpc_code as f64, message, &parsed(data_json)).into()
}

/// What came with an HTTP failure.
#[derive(Clone, Copy, Debug, Default)]
pub struct HttpDetails<'a> {
    /// The status code.
    pub status: u16,
    /// The reason phrase, empty over HTTP/2.
    pub status_text: &'a str,
    /// The media type, as it was sent.
    pub content_type: Option<&'a str>,
    /// The body's text, cut to a limit.
    pub body: &'a str,
    /// `Retry-After`, in seconds.
    pub retry_after: Option<u32>,
    /// The JSON-RPC error object in the body, as JSON.
    pub rpc_error_json: Option<&'a str>,
}

/// An HTTP answer that carries no result.
pub fn http_error(message: &str, details: &HttpDetails<'_>) -> JsValue {
    let object = Object::new();
    let set = |name: &str, value: JsValue| {
        // Setting a member of a fresh plain object cannot fail.
        let _ = Reflect::set(&object, &name.into(), &value);
    };
    set("status", details.status.into());
    set("statusText", details.status_text.into());
    set("contentType", details.content_type.map_or(JsValue::UNDEFINED, Into::into));
    set("body", details.body.into());
    set("retryAfter", details.retry_after.map_or(JsValue::UNDEFINED, Into::into));
    set("rpcError", parsed(details.rpc_error_json));
    HttpError::new(message, &object).into()
}

fn parsed(json: Option<&str>) -> JsValue {
    json.and_then(|json| JSON::parse(json).ok()).unwrap_or(JsValue::UNDEFINED)
}
