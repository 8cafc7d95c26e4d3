//! The JavaScript boundary: the only files that name `wasm_bindgen`, `js_sys` and `web_sys`.
//!
//! - [`apps`]: the host of MCP Apps, in a wasm of its own
//! - [`auth`]: authorization, in a wasm of its own
//! - [`client`]: the client behind the mailbox
//! - [`error`]: failures as JavaScript Error classes
//! - `fetch`, `web_client`: a transport over fetch and an asynchronous client, for Rust front ends (feature `web`)
//! - [`mailbox`]: text, bytes and numbers over the boundary, without per-string conversions
//! - [`schema`]: validation against JSON Schema, in a wasm of its own
//! - [`server`]: the server
//! - [`toolset`]: many servers as one list of tools

#[cfg(feature = "apps")]
pub mod apps;
#[cfg(feature = "auth")]
pub mod auth;
#[cfg(feature = "client")]
pub mod client;
pub mod error;
#[cfg(feature = "web")]
pub mod fetch;
pub mod mailbox;
#[cfg(feature = "client")]
mod records;
#[cfg(feature = "server-whole")]
pub mod rounds;
#[cfg(feature = "schema")]
pub mod schema;
#[cfg(feature = "server")]
pub mod server;
#[cfg(feature = "server-whole")]
mod sessions;
#[cfg(feature = "server")]
mod spans;
#[cfg(feature = "server")]
mod steps;
#[cfg(feature = "toolset")]
pub mod toolset;
#[cfg(feature = "web")]
pub mod web_client;
