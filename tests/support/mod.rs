//! What several of the client's tests share.

pub(crate) mod replay;
