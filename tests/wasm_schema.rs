//! The verdicts on the official JSON-Schema-Test-Suite and on made-up schemas are those of the native run.
//!
//! `npm run test:schema` runs this in Node.js; `SCHEMA_VERDICTS` is the folder with the native verdicts.
#![cfg(target_arch = "wasm32")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use js_sys::Reflect;
use mcp_duet::protocol::json::Raw;
use mcp_duet::protocol::schema::{Options, Schema, formats};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen_test::wasm_bindgen_test;

#[wasm_bindgen(module = "fs")]
extern "C" {
    #[wasm_bindgen(js_name = readFileSync)]
    fn read_file(path: &str, encoding: &str) -> String;
}

fn folder() -> String {
    let process = Reflect::get(&js_sys::global(), &"process".into()).unwrap();
    let env = Reflect::get(&process, &"env".into()).unwrap();
    Reflect::get(&env, &"SCHEMA_VERDICTS".into()).unwrap().as_string().expect("SCHEMA_VERDICTS is set")
}

fn compare(name: &str) {
    let text = read_file(&format!("{}/{name}.json", folder()), "utf8");
    let file = Raw::parse(text.as_bytes()).unwrap();
    let own: Vec<(String, String)> = file
        .get("documents")
        .unwrap()
        .elements()
        .map(|pair| {
            let mut pair = pair.elements().map(|text| text.as_str().unwrap().into_owned());
            (pair.next().unwrap(), pair.next().unwrap())
        })
        .collect();
    let documents: Vec<_> =
        own.iter().map(|(uri, text)| (uri.as_str(), Raw::parse(text.as_bytes()).unwrap())).collect();
    let mut count = 0;
    for group in file.get("groups").unwrap().elements() {
        let schema = group.get_str("schema").unwrap();
        let asserts = group.get("formats").and_then(Raw::as_bool) == Some(true);
        let options = Options { formats: asserts.then_some(formats), documents: &documents };
        let schema = Schema::compile_with(Raw::parse(schema.as_bytes()).unwrap(), &options);
        for case in group.get("cases").unwrap().elements() {
            let data = case.get_str("data").unwrap();
            let data = Raw::parse(data.as_bytes()).unwrap();
            let verdict = schema.as_ref().ok().map(|schema| schema.validate(data).is_ok());
            assert_eq!(verdict, case.get("verdict").and_then(Raw::as_bool), "{name}: {}", group.as_text());
            count += 1;
        }
    }
    assert!(count > 800, "{name}: only {count} cases");
}

#[wasm_bindgen_test]
fn the_official_suite_gets_the_native_verdicts() {
    ["draft2020-12", "draft2019-09", "draft7", "draft6"].into_iter().for_each(compare);
}

#[wasm_bindgen_test]
fn made_up_schemas_get_the_native_verdicts() {
    compare("made-up");
}
