//! The JavaScript boundary: the only files that name `wasm_bindgen`, `js_sys` and `web_sys`.
//!
//! - [`error`]: failures as JavaScript Error classes
//! - [`mailbox`]: text, bytes and numbers over the boundary, without per-string conversions
//! - [`server`]: the server

pub mod error;
pub mod mailbox;
#[cfg(feature = "server")]
pub mod server;
