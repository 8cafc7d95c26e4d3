//! The Model Context Protocol in both eras and both roles.
//!
//! ```text
//! protocol  <-  streamable_http, stdio  <-  auth  <-  client  <-  apps, toolset
//!                                       <-  server
//! all of them  <-  js                   (the only layer that knows JavaScript)
//! ```
//!
//! The core performs no I/O, reads no clock and draws no randomness: bytes, time
//! and random values come in as arguments, and what is to be done comes out as
//! values. `tests/architecture.rs` enforces the arrows.

pub mod protocol;

pub mod stdio;
pub mod streamable_http;

#[cfg(feature = "apps")]
pub mod apps;
#[cfg(feature = "auth")]
pub mod auth;
#[cfg(feature = "client")]
pub mod client;
#[cfg(feature = "server")]
pub mod server;
#[cfg(feature = "toolset")]
pub mod toolset;

#[cfg(target_arch = "wasm32")]
pub mod js;
