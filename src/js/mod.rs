//! The JavaScript boundary: the only files that name `wasm_bindgen`, `js_sys` and `web_sys`.
//!
//! - [`client`]: the client behind the mailbox
//! - [`error`]: failures as JavaScript Error classes
//! - [`mailbox`]: text, bytes and numbers over the boundary, without per-string conversions
//! - [`server`]: the server

#[cfg(feature = "client")]
pub mod client;
pub mod error;
pub mod mailbox;
#[cfg(feature = "server")]
pub mod server;
