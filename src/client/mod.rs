//! The dual-era client as a state machine.
