//! MCP Apps, the host's side (`io.modelcontextprotocol/ui`, specification 2026-01-26 and draft).
//!
//! A [`Host`] stands between one View and the application that shows it. Nothing here knows
//! frames, pages or clients: messages come in as JSON text, and what is to be posted, asked or
//! forwarded comes out as values.
//!
//! - [`host`]: the order of things between a host and one View
//! - [`context`]: the host context, and what changes in it
//! - [`download`]: names for files that a View wants saved
//! - [`metadata`]: what tools and resources declare about their View
//! - [`policy`]: content security policy, permissions and the sandbox's headers
//! - [`shape`], [`shapes`]: what a View built on the common library accepts; anything else stays out
//! - [`visibility`]: which tools a model sees and which a View may call
//!
//! The facts that the View shares (names, values, limits) are in `protocol::apps`.

pub mod context;
pub mod download;
pub mod host;
pub mod metadata;
mod number;
pub mod policy;
pub mod shape;
pub mod shapes;
pub mod visibility;

pub use host::{Host, Options, Outcome, Output, Unanswered};
