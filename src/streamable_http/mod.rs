//! How messages ride HTTP: plain data in, plain data out, no I/O.
//!
//! - [`headers`]: names, value encoding, media types
//! - [`param_headers`]: tool parameters that are mirrored into headers
//! - [`check`]: whether the headers of a modern request say what its body says
//! - [`classify`]: the era of an inbound message, by its own shape
//! - [`sse`]: event streams, reading and writing
//!
//! Page: 2026-07-28, basic/transports/streamable-http.

pub mod check;
pub mod classify;
pub mod headers;
mod line_end;
pub mod param_headers;
pub mod sse;
