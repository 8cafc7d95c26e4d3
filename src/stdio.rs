//! How messages ride byte pipes: one message a line.
