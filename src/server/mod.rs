//! The pure server.
