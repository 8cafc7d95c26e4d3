//! How messages ride HTTP: plain data in, plain data out, no I/O.
