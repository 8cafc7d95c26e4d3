//! Many servers as one list of tools, for an agent or a chat front end.
//!
//! - [`config`]: which servers there are, in the shapes that editors and agents write
//! - [`environment`]: `${VAR}` in headers
//! - [`naming`]: the tools of all servers under names that model providers take
//! - [`shape`]: a tool's result as what a model is shown
//! - [`canonical`]: one text for one JSON value
//! - [`elicitation`]: a server's question as a host shows it, and the answer
//!
//! Connecting is the driver's; nothing here depends on who answered first.

pub mod canonical;
pub mod config;
mod double;
pub mod elicitation;
mod entry;
pub mod environment;
mod jsonc;
pub mod naming;
mod order;
pub mod shape;
