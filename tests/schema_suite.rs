//! The official JSON-Schema-Test-Suite; `npm run test:schema` brings it and runs this.
//!
//! `SCHEMA_SUITE` is the folder that holds the suite's `tests` and `remotes`, `SCHEMA_METASCHEMAS`
//! one with the metaschemas. The verdicts go into the folder `SCHEMA_VERDICTS`, for the wasm
//! (`tests/wasm_schema.rs`) and an outside validator (`tests/schema-suite/outside.mjs`) to be compared with;
//! that folder also holds the schemas that the latter has made up.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use mcp_duet::protocol::json::Raw;
use mcp_duet::protocol::schema::{Options, Schema, formats};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Groups of cases that do not all pass: file, start of the description, and why that is right.
const EXCEPTIONS: &[(&str, &str, &str)] = &[
    ("vocabulary.json", "schema that uses custom metaschema", "an unknown dialect is refused, never guessed at"),
    ("vocabulary.json", "ignore unrecognized optional vocabulary", "an unknown dialect is refused, never guessed at"),
    ("optional/format-assertion.json", "schema that uses custom metaschema", "an unknown dialect is refused"),
    ("optional/format/ecmascript-regex.json", "ECMA 262 named groups", "no back references in linear time"),
    ("optional/format/ecmascript-regex.json", "ECMA 262 lookbehind", "lookbehind is not supported"),
    ("optional/format/hostname.json", "validation of A-label", "punycode is not decoded"),
];

/// Files of `optional` that are not run: what they test stays an annotation.
const ANNOTATIONS: &[&str] = &[
    "optional/content.json",
    "optional/format/idn-email.json",
    "optional/format/idn-hostname.json",
    "optional/format/iri-reference.json",
    "optional/format/iri.json",
    "optional/format/relative-json-pointer.json",
    "optional/format/uri-template.json",
];

fn json_files(folder: &Path) -> Vec<PathBuf> {
    let mut out = files(folder);
    out.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    out
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut out = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
            let path = entry.expect("a folder's entry").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                out.push(path);
            }
        }
    }
    out.sort();
    out
}

struct Suite {
    root: PathBuf,
    documents: Vec<(String, String)>,
}

impl Suite {
    fn open() -> Self {
        let root = PathBuf::from(std::env::var("SCHEMA_SUITE").expect("SCHEMA_SUITE names the suite's folder"));
        let metaschemas =
            std::env::var("SCHEMA_METASCHEMAS").expect("SCHEMA_METASCHEMAS names the metaschemas' folder");
        let remotes = root.join("remotes");
        let mut documents: Vec<(String, String)> = json_files(&remotes)
            .iter()
            .map(|path| {
                let name = path.strip_prefix(&remotes).expect("below remotes").to_string_lossy().replace('\\', "/");
                (format!("http://localhost:1234/{name}"), fs::read_to_string(path).expect("a text"))
            })
            .collect();
        for path in files(Path::new(&metaschemas)) {
            let text = fs::read_to_string(path).expect("a text");
            let value: Value = serde_json::from_str(&text).expect("JSON");
            if let Some(id) = value["$id"].as_str() {
                documents.push((id.to_owned(), text));
            }
        }
        Self { root, documents }
    }

    /// Writes what was asked and what came out, if a folder for that is named.
    fn record(&self, name: &str, groups: Vec<Value>) {
        let Ok(folder) = std::env::var("SCHEMA_VERDICTS") else { return };
        let documents = json!(self.documents);
        let text = json!({ "documents": documents, "groups": groups }).to_string();
        fs::write(Path::new(&folder).join(name), text).expect("the verdicts are written");
    }

    fn run(&self, draft: &str, dialect: &str) {
        let documents: Vec<(&str, Raw<'_>)> = self
            .documents
            .iter()
            .map(|(uri, text)| (uri.as_str(), Raw::parse(text.as_bytes()).expect("JSON")))
            .collect();
        let folder = self.root.join("tests").join(draft);
        let mut failures = Vec::new();
        let mut excepted: BTreeMap<usize, usize> = BTreeMap::new();
        let (mut required, mut optional) = (0, 0);
        let mut recorded = Vec::new();
        for path in json_files(&folder) {
            let file = path.strip_prefix(&folder).expect("below the draft").to_string_lossy().replace('\\', "/");
            let is_optional = file.starts_with("optional/");
            if ANNOTATIONS.contains(&file.as_str()) {
                continue;
            }
            let assert_formats = file.starts_with("optional/format/");
            let options = Options { formats: assert_formats.then_some(formats), documents: &documents };
            let groups: Vec<Value> = serde_json::from_str(&fs::read_to_string(&path).expect("a text")).expect("JSON");
            for mut group in groups {
                let description = group["description"].as_str().unwrap_or_default().to_owned();
                // The default dialect is 2020-12: others are named.
                if let Some(schema) = group["schema"].as_object_mut()
                    && !schema.contains_key("$schema")
                {
                    schema.insert("$schema".into(), dialect.into());
                }
                let text = group["schema"].to_string();
                let schema = Schema::compile_with(Raw::parse(text.as_bytes()).expect("JSON"), &options);
                let mut cases = Vec::new();
                for test in group["tests"].as_array().expect("tests") {
                    let what = format!("{draft}/{file}: {description}: {}", test["description"]);
                    let data = test["data"].to_string();
                    let outcome = match &schema {
                        Ok(schema) => match schema.validate(Raw::parse(data.as_bytes()).expect("JSON")) {
                            Ok(()) => Ok(true),
                            Err(violations) => {
                                assert!(!violations.is_empty(), "{what}");
                                Ok(false)
                            }
                        },
                        Err(error) => Err(error.to_string()),
                    };
                    cases.push(json!({
                        "what": test["description"],
                        "data": data,
                        "expected": test["valid"],
                        "verdict": outcome.as_ref().ok(),
                    }));
                    *if is_optional { &mut optional } else { &mut required } += 1;
                    let passes = outcome == Ok(test["valid"] == Value::Bool(true));
                    let exception =
                        EXCEPTIONS.iter().position(|(name, start, _)| *name == file && description.starts_with(start));
                    match exception {
                        Some(number) => *excepted.entry(number).or_default() += usize::from(!passes),
                        None if passes => {}
                        None => failures.push(format!("{what}: {outcome:?}")),
                    }
                }
                recorded.push(json!({
                    "file": file, "what": description, "schema": text, "formats": assert_formats, "cases": cases,
                }));
            }
        }
        self.record(&format!("{draft}.json"), recorded);
        println!(
            "{draft}: {required} required and {optional} optional cases, {} failed, {} excepted",
            failures.len(),
            excepted.values().sum::<usize>()
        );
        assert!(required > 800, "{draft}: the suite is not there");
        assert!(failures.is_empty(), "{} cases fail:\n{}", failures.len(), failures.join("\n"));
        let idle: Vec<_> = excepted.iter().filter(|(_, count)| **count == 0).map(|(at, _)| EXCEPTIONS[*at]).collect();
        assert!(idle.is_empty(), "exceptions that pass: {idle:?}");
    }
}

#[test]
#[ignore = "needs the suite"]
fn every_case_of_2020_12_passes() {
    Suite::open().run("draft2020-12", "https://json-schema.org/draft/2020-12/schema");
}

#[test]
#[ignore = "needs the suite"]
fn every_case_of_2019_09_passes() {
    Suite::open().run("draft2019-09", "https://json-schema.org/draft/2019-09/schema");
}

#[test]
#[ignore = "needs the suite"]
fn every_case_of_draft_07_passes() {
    Suite::open().run("draft7", "http://json-schema.org/draft-07/schema#");
}

#[test]
#[ignore = "needs the suite"]
fn every_case_of_draft_06_passes() {
    Suite::open().run("draft6", "http://json-schema.org/draft-06/schema#");
}

#[test]
#[ignore = "needs made-up schemas"]
fn made_up_schemas_get_a_verdict() {
    let folder = std::env::var("SCHEMA_VERDICTS").expect("SCHEMA_VERDICTS names the folder of the verdicts");
    let text = fs::read_to_string(Path::new(&folder).join("made-up.in.json")).expect("made-up schemas");
    let mut groups: Vec<Value> = serde_json::from_str(&text).expect("JSON");
    let mut verdicts = [0, 0];
    for group in &mut groups {
        let schema = group["schema"].as_str().expect("a text").to_owned();
        let schema = Schema::compile(Raw::parse(schema.as_bytes()).expect("JSON"));
        for case in group["cases"].as_array_mut().expect("cases") {
            let data = case["data"].as_str().expect("a text").to_owned();
            let verdict =
                schema.as_ref().ok().map(|schema| schema.validate(Raw::parse(data.as_bytes()).unwrap()).is_ok());
            verdicts[usize::from(verdict == Some(true))] += 1;
            case["verdict"] = json!(verdict);
        }
    }
    assert!(verdicts.iter().all(|count| *count > 1000), "both verdicts come often: {verdicts:?}");
    Suite { root: PathBuf::new(), documents: Vec::new() }.record("made-up.json", groups);
}
