#![no_main]

#[path = "../entrances.rs"]
mod entrances;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| entrances::toolset(bytes));
