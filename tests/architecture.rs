//! The layers of the crate and what each may know, read off its sources.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::fs;
use std::path::Path;

/// Each layer and the layers that it may name.
const LAYERS: [(&str, &[&str]); 9] = [
    ("protocol", &[]),
    ("streamable_http", &["protocol"]),
    ("stdio", &["protocol"]),
    ("auth", &["protocol", "streamable_http", "stdio"]),
    ("client", &["protocol", "streamable_http", "stdio", "auth"]),
    ("server", &["protocol", "streamable_http", "stdio"]),
    ("apps", &["protocol", "streamable_http", "stdio", "auth", "client"]),
    ("toolset", &["protocol", "streamable_http", "stdio", "auth", "client"]),
    ("js", &["protocol", "streamable_http", "stdio", "auth", "client", "server", "apps", "toolset"]),
];

/// Only `js` may name these.
const JAVASCRIPT: [&str; 4] = ["wasm_bindgen", "wasm_bindgen_futures", "js_sys", "web_sys"];

/// What makes a core read a clock, draw randomness, do I/O or print; not even `js` prints from Rust.
const PRINTING: [&str; 5] = ["println!", "print!", "eprintln!", "eprint!", "dbg!"];
const IMPURE: [&str; 15] = [
    "Instant",
    "SystemTime",
    "std::net",
    "std::fs",
    "std::env",
    "std::process",
    "std::thread",
    "std::io",
    "getrandom",
    "rand",
    "RandomState",
    "HashMap",
    "HashSet",
    "chrono",
    "tokio",
];

/// The most lines of a file, its unit tests not counted.
const MAX_LINES: usize = 450;

const VAGUE_NAMES: [&str; 6] = ["util", "utils", "helper", "helpers", "common", "misc"];

/// Rust code without comments and unit tests, the contents of its strings apart.
struct Code {
    /// Every string is empty here, every character literal a space.
    text: String,
    /// Line and contents of each string.
    strings: Vec<(usize, String)>,
}

fn read_code(source: &str) -> Code {
    let source = source.split("#[cfg(test)]\nmod ").next().unwrap();
    let (mut text, mut strings) = (String::new(), Vec::new());
    let mut rest = source;
    while let Some(next) = rest.chars().next() {
        let taken = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if let Some(length) = string_length(rest, text.chars().next_back()) {
            strings.push((text.matches('\n').count() + 1, rest[..length].to_owned()));
            text.push_str("\"\"");
            text.extend(rest[..length].chars().filter(|character| *character == '\n'));
            length
        } else if let Some(length) = character_length(rest) {
            text.push(' ');
            length
        } else {
            text.push(next);
            next.len_utf8()
        };
        if rest.starts_with("/*") {
            text.extend(rest[..taken].chars().filter(|character| *character == '\n'));
        }
        rest = &rest[taken..];
    }
    Code { text, strings }
}

/// The length of the string literal at the start of `rest`, prefix and quotes included.
fn string_length(rest: &str, before: Option<char>) -> Option<usize> {
    if before.is_some_and(is_identifier_part) {
        return None;
    }
    let unprefixed = rest.trim_start_matches(['b', 'c']);
    let prefix = rest.len() - unprefixed.len();
    if let Some(raw) = unprefixed.strip_prefix('r') {
        let hashes = raw.len() - raw.trim_start_matches('#').len();
        let body = raw[hashes..].strip_prefix('"')?;
        let end = format!("\"{}", "#".repeat(hashes));
        return Some(prefix + 1 + hashes + 1 + body.find(&end)? + end.len());
    }
    let body = unprefixed.strip_prefix('"')?;
    let mut escaped = false;
    let end = body.find(|character| {
        let is_end = character == '"' && !escaped;
        escaped = character == '\\' && !escaped;
        is_end
    })?;
    Some(prefix + 1 + end + 1)
}

/// The length of the character literal at the start of `rest`; a lifetime is none.
fn character_length(rest: &str) -> Option<usize> {
    let body = rest.strip_prefix('\'')?;
    if body.starts_with('\\') {
        return Some(1 + 2 + body[2..].find('\'')? + 1);
    }
    let length = body.chars().next()?.len_utf8();
    body[length..].starts_with('\'').then_some(1 + length + 1)
}

fn is_identifier_part(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// Where `word` stands on its own in the code, as line numbers.
fn lines_with(text: &str, word: &str) -> Vec<usize> {
    let starts = word.chars().next().is_some_and(is_identifier_part);
    let ends = word.chars().next_back().is_some_and(is_identifier_part);
    let hits = text.match_indices(word).filter(|(at, _)| {
        let before = text[..*at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        !(starts && before.is_some_and(is_identifier_part) || ends && after.is_some_and(is_identifier_part))
    });
    hits.map(|(at, _)| text[..at].matches('\n').count() + 1).collect()
}

/// The module that a file under `src` holds: `["protocol", "json"]` for `protocol/json/mod.rs`.
fn module_of(path: &str) -> Vec<&str> {
    let mut module: Vec<_> = path.trim_end_matches(".rs").split('/').collect();
    if matches!(module.last(), Some(&"mod" | &"lib")) {
        module.pop();
    }
    module
}

/// The modules at the root of the crate that the code names by `crate::` or by enough `super::`, with their lines.
fn named_roots(module: &[&str], text: &str) -> Vec<(usize, String)> {
    let mut roots = Vec::new();
    let to_root = "super::".repeat(module.len());
    for path in ["crate::", &to_root] {
        if path.is_empty() {
            continue;
        }
        for (at, _) in text.match_indices(path) {
            let before = text[..at].chars().next_back();
            if before.is_some_and(|before| is_identifier_part(before) || before == ':') {
                continue;
            }
            let line = text[..at].matches('\n').count() + 1;
            roots.extend(first_names(&text[at + path.len()..]).into_iter().map(|name| (line, name)));
        }
    }
    roots
}

/// The first name of a path, or of each path in a group: `{a::b, c}` gives `a` and `c`.
fn first_names(rest: &str) -> Vec<String> {
    let name = |text: &str| text.trim_start().chars().take_while(|character| is_identifier_part(*character)).collect();
    let Some(group) = rest.strip_prefix('{') else { return vec![name(rest)] };
    let (mut depth, mut start, mut names) = (1, 0, Vec::new());
    for (at, character) in group.char_indices() {
        match character {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 || (depth == 1 && character == ',') {
            names.push(name(&group[start..at]));
            start = at + 1;
        }
        if depth == 0 {
            break;
        }
    }
    names
}

/// Whether the text holds a protocol version: `20`, and a date around it.
fn has_version(text: &str) -> bool {
    text.as_bytes().windows(10).any(|window| {
        window.starts_with(b"20")
            && window
                .iter()
                .enumerate()
                .all(|(at, byte)| if matches!(at, 4 | 7) { *byte == b'-' } else { byte.is_ascii_digit() })
    })
}

/// Everything that is wrong with the file at `path` under `src`.
fn complaints(path: &str, source: &str) -> Vec<String> {
    let module = module_of(path);
    let code = read_code(source);
    let mut found = Vec::new();
    let mut complain = |line: usize, what: String| found.push(format!("src/{path}:{line}: {what}"));

    let layer = module.first().copied();
    let allowed = match layer {
        None => None,
        Some(layer) => match LAYERS.iter().find(|(name, _)| *name == layer) {
            Some((_, allowed)) => Some(*allowed),
            None => {
                complain(1, format!("{layer} is no layer"));
                Some(&[][..])
            }
        },
    };
    if let (Some(layer), Some(allowed)) = (layer, allowed) {
        for (line, root) in named_roots(&module, &code.text) {
            let is_layer = LAYERS.iter().any(|(name, _)| *name == root);
            if is_layer && root != layer && !allowed.contains(&&*root) {
                complain(line, format!("{layer} must not know {root}"));
            }
        }
    }
    if layer != Some("js") {
        for name in JAVASCRIPT.iter().chain(&IMPURE) {
            lines_with(&code.text, name)
                .into_iter()
                .for_each(|line| complain(line, format!("{name} has no place here")));
        }
    }
    for name in PRINTING {
        lines_with(&code.text, name).into_iter().for_each(|line| complain(line, format!("{name} prints")));
    }
    for (at, line) in code.text.lines().enumerate() {
        // Choosing a faster scan is no difference in behaviour.
        if layer.is_some() && line.contains("target_arch") && !line.contains("target_feature") {
            complain(at + 1, "only lib.rs tells targets apart".to_owned());
        }
    }
    if layer != Some("protocol") {
        for (line, string) in code.strings.iter().filter(|(_, string)| has_version(string)) {
            complain(*line, format!("the version in {string} belongs into protocol"));
        }
    }
    let lines = source.split("#[cfg(test)]\nmod ").next().unwrap().lines().count();
    if lines > MAX_LINES {
        complain(lines, format!("more than {MAX_LINES} lines"));
    }
    if let Some(name) = module.iter().find(|name| VAGUE_NAMES.contains(name)) {
        complain(1, format!("{name} says nothing"));
    }
    found
}

fn visit(directory: &Path, under: &str, each: &mut impl FnMut(&str, &str)) {
    let mut entries: Vec<_> = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for entry in entries {
        let name = entry.file_name().unwrap().to_str().unwrap();
        let path = if under.is_empty() { name.to_owned() } else { format!("{under}/{name}") };
        if entry.is_dir() {
            visit(&entry, &path, each);
        } else if path.ends_with(".rs") {
            each(&path, &fs::read_to_string(&entry).unwrap());
        }
    }
}

#[test]
fn the_sources_keep_to_their_layers() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let (mut seen, mut found) = (0, Vec::new());
    visit(&root, "", &mut |path, source| {
        seen += 1;
        found.extend(complaints(path, source));
    });
    assert!(seen > 20, "only {seen} files were found");
    assert!(found.is_empty(), "\n{}", found.join("\n"));
}

#[test]
fn every_test_says_on_which_target_it_runs() {
    // wasm-pack builds all of them, and the native ones need what wasm does not have.
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        let name = entry.file_name().unwrap().to_str().unwrap().to_owned();
        if name.ends_with(".rs") {
            let source = fs::read_to_string(&entry).unwrap();
            let native = source.contains("\n#![cfg(not(target_arch = \"wasm32\"))]\n");
            let wasm = source.contains("\n#![cfg(target_arch = \"wasm32\")]\n")
                || source.contains("\n#![cfg(all(target_arch = \"wasm32\", ");
            assert!(native != wasm && wasm == name.starts_with("wasm"), "tests/{name}");
        }
    }
}

#[test]
fn the_checker_finds_what_is_wrong() {
    let long = "fn f() {}\n".repeat(MAX_LINES + 1);
    for (path, source, complaint) in [
        ("protocol/json/mod.rs", "use crate::streamable_http::sse;", "1: protocol must not know streamable_http"),
        ("client/mod.rs", "fn f() {}\nuse crate::server::Server;", "2: client must not know server"),
        ("server/a.rs", "use crate::{protocol::json::{Raw, Kind}, client::X};", "server must not know client"),
        ("server/a.rs", "use super::super::client::X;", "server must not know client"),
        ("server/mod.rs", "pub use super::client;", "server must not know client"),
        ("stdio.rs", "fn f() { super::js::mailbox::take(); }", "stdio must not know js"),
        ("auth/mod.rs", "fn f() -> crate::client::X {}", "auth must not know client"),
        ("toolset/mod.rs", "use crate::apps;", "toolset must not know apps"),
        ("elsewhere.rs", "", "elsewhere is no layer"),
        ("client/mod.rs", "use wasm_bindgen::prelude::*;", "wasm_bindgen has no place here"),
        ("lib.rs", "pub type X = js_sys::Object;", "js_sys has no place here"),
        ("server/mod.rs", "let now = std::time::Instant::now();", "Instant has no place here"),
        ("server/mod.rs", "use std::collections::HashMap;", "HashMap has no place here"),
        ("client/mod.rs", "let x = rand::random();", "rand has no place here"),
        ("js/mod.rs", "\n\nprintln!(\"x\");", "3: println! prints"),
        ("client/mod.rs", "dbg!(x)", "dbg! prints"),
        ("server/mod.rs", "#[cfg(target_arch = \"wasm32\")]", "only lib.rs tells targets apart"),
        ("server/mod.rs", "\nconst V: &str = \"2025-11-25\";", "2: the version in"),
        ("client/mod.rs", "x == r#\"a 2026-07-28 b\"#", "the version in"),
        ("client/mod.rs", "const A: &str = \"\n\n\"; const V: &[u8] = b\"2024-11-05\";", "3: the version in"),
        ("client/mod.rs", &long, "more than 450 lines"),
        ("client/utils.rs", "", "utils says nothing"),
        ("client/common/x.rs", "", "common says nothing"),
    ] {
        let found = complaints(path, source);
        assert!(found.iter().any(|found| found.contains(complaint)), "{path} {source:?} gave {found:?}");
    }
}

#[test]
fn the_checker_passes_what_is_right() {
    let tests = format!("fn f() {{}}\n#[cfg(test)]\nmod tests {{ use crate::server; {} }}", "\n".repeat(MAX_LINES));
    for (path, source) in [
        ("lib.rs", "#[cfg(target_arch = \"wasm32\")]\npub mod js;"),
        ("client/mod.rs", "use crate::{protocol::json::Raw, streamable_http::{sse, headers}, auth};"),
        ("client/a/b.rs", "use super::super::server;\nuse crate::client::server;"),
        ("js/server.rs", "use crate::server::Server; use wasm_bindgen::prelude::wasm_bindgen;"),
        ("client/mod.rs", "/// See 2026-07-28, println!, crate::server\n/* wasm_bindgen */ // HashMap\nfn f() {}"),
        ("client/mod.rs", "fn f<'a>(x: &'a str) -> char { '\"' } // \"2025-11-25\"\nfn g() -> char { '\\'' }"),
        ("client/mod.rs", "const X: &str = \"println! crate::server wasm_bindgen 2025-1-1 // \\\" 12025\";"),
        ("client/mod.rs", "let operand = brand; my_println!(x);"),
        ("streamable_http/x.rs", "#[cfg(all(target_arch = \"wasm32\", target_feature = \"simd128\"))]"),
        ("protocol/version.rs", "const V: &str = \"2025-11-25\";"),
        ("client/mod.rs", &tests),
    ] {
        assert_eq!(complaints(path, source), Vec::<String>::new(), "{path} {source:?}");
    }
}
