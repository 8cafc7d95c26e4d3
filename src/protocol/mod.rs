//! What the messages of the protocol look like: no state, no I/O, no HTTP.
//!
//! - [`json`]: JSON text as validated slices; nothing is copied, nothing is lost
//! - [`jsonrpc`]: the JSON-RPC envelope of one message
//! - [`envelope`]: what every modern request says about its sender
//! - [`changes`]: what changed between the revisions
//! - [`version`]: protocol versions and the two eras
//! - [`method`]: every method name and the eras that define it
//! - [`meta`]: the reserved `_meta` keys
//! - [`result`]: the type of a result and the members that the protocol puts into it
//! - [`listing`]: the items of a list, judged one by one
//! - [`error`]: error codes and error objects
//! - [`model`]: the messages as Rust types
//! - [`schema`]: JSON Schema validation
//! - [`uri_template`]: URI templates, expanded and matched
//! - [`percent`]: the percent-encoding of URIs
//! - [`apps`]: the extension MCP Apps, between a View and its host
//! - [`base64`]: bytes as text, in header values and blobs

pub mod apps;
pub mod base64;
pub mod changes;
pub mod envelope;
pub mod error;
pub mod json;
pub mod jsonrpc;
pub mod listing;
pub mod meta;
pub mod method;
pub mod model;
pub mod percent;
pub mod result;
pub mod schema;
pub mod uri_template;
pub mod version;
