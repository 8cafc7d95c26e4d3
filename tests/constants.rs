//! The constants of the package are those of the Rust source.

#[path = "../examples/constants.rs"]
mod constants;

#[test]
fn the_generated_constants_are_fresh() {
    let generated = constants::module();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/pkg-template/lib/constants.js");
    let committed = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        committed == generated,
        "constants.js is stale; run: cargo run -q --example constants > pkg-template/lib/constants.js"
    );
}
