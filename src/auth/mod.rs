//! Authorization: OAuth 2.1 for clients, as a state machine over plain HTTP requests.
//!
//! Nothing here does I/O. [`Flow`] says what it wants next (a request, a redirect, a
//! signature, a stored registration) and is told what came of it; the rest are functions
//! from values to values, one file for each question that the specification's pages under
//! `basic/authorization` ask:
//!
//! - [`challenge`]: what a `WWW-Authenticate` header says
//! - [`uri`]: URLs as they were written, well-known addresses, form encoding
//! - [`discovery`]: protected resource metadata and authorization server metadata
//! - [`scope`]: which scopes to ask for
//! - [`registration`]: who the client is at an authorization server
//! - [`request`]: the authorization request and the token requests
//! - [`response`]: the authorization response and the token response
//! - [`jwt`]: client assertions and DPoP proofs, up to the signature
//! - [`reaction`]: whether a refused request is worth an authorization
//! - [`protection`]: the resource server's side: challenges and metadata documents

pub mod challenge;
pub mod discovery;
mod failure;
mod flow;
pub mod jwt;
pub mod protection;
pub mod reaction;
pub mod registration;
pub mod request;
pub mod response;
pub mod scope;
mod setup;
mod token;
pub mod uri;

pub use failure::{Failure, Step};
pub use flow::{Answer, Flow, Input, Output, SigningKey};
pub use setup::{Grant, Secrets, Setup, Start};
pub use token::Tokens;
