//! The JavaScript boundary: the only files that name `wasm_bindgen`, `js_sys` and `web_sys`.
//!
//! - [`mailbox`]: text, bytes and numbers over the boundary, without per-string conversions

pub mod mailbox;
