//! The constants of the package are those of the Rust source.
#![cfg(not(target_arch = "wasm32"))]

#[path = "../examples/constants.rs"]
mod constants;

use constants::Form;

#[test]
fn the_generated_constants_are_fresh() {
    for (form, argument, file) in [(Form::JavaScript, "js", "constants.js"), (Form::Types, "types", "constants.d.ts")] {
        let path = format!("{}/pkg-template/lib/{file}", env!("CARGO_MANIFEST_DIR"));
        let committed = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            committed == constants::module(form),
            "{file} is stale; run: cargo run -q --example constants {argument} > pkg-template/lib/{file}"
        );
    }
}

#[test]
fn the_generated_facts_of_apps_are_fresh() {
    let path = format!("{}/pkg-template/lib/apps-facts.js", env!("CARGO_MANIFEST_DIR"));
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == constants::apps_module(),
        "apps-facts.js is stale; run: cargo run -q --example constants apps > pkg-template/lib/apps-facts.js"
    );
}
