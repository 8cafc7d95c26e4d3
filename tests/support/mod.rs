//! What several of the client's tests share.
#![allow(dead_code, reason = "each test uses its part")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

pub(crate) mod pair;
pub(crate) mod replay;
