//! What several of the client's tests share.
#![allow(dead_code, reason = "each test uses its part")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

pub(crate) mod async_replay;
#[cfg(not(target_arch = "wasm32"))]
pub(crate) mod executor;
#[cfg(not(target_arch = "wasm32"))]
pub(crate) mod pair;
pub(crate) mod replay;
pub(crate) mod script;
