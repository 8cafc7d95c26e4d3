//! The corpus of transcripts, run natively: bytes in, bytes out.
//!
//! The package's tests run the same corpus through the wasm. `TRANSCRIPTS_WRITE=1` writes down what the
//! server answers now, for a person to read through.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod fixture;

use fixture::Fixture;
use std::path::PathBuf;

/// One exchange of a transcript.
struct Case {
    name: String,
    /// Why JavaScript objects cannot carry it, if they cannot.
    text_only: Option<String>,
    input: String,
    /// What comes back: notifications, then the reply.
    output: Vec<String>,
}

struct Transcript {
    path: PathBuf,
    title: String,
    server: String,
    cases: Vec<Case>,
}

fn read_all() -> Vec<Transcript> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/transcripts");
    let files = std::fs::read_dir(folder).expect("the corpus");
    let mut paths: Vec<_> = files.map(|file| file.expect("a file").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "txt"));
    paths.sort();
    paths.into_iter().map(read).collect()
}

fn read(path: PathBuf) -> Transcript {
    let text = std::fs::read_to_string(&path).expect("text");
    let mut out = Transcript { path, title: String::new(), server: String::new(), cases: Vec::new() };
    for line in text.lines() {
        let (mark, rest) = line.split_at(line.len().min(1));
        let rest = rest.strip_prefix(' ').unwrap_or(rest);
        match (mark, out.cases.last_mut()) {
            ("", _) => {}
            ("#", _) => out.title = rest.to_owned(),
            ("@", _) => out.server = rest.to_owned(),
            ("=", _) => out.cases.push(Case {
                name: rest.to_owned(),
                text_only: None,
                input: String::new(),
                output: Vec::new(),
            }),
            (">", Some(case)) => {
                if !case.input.is_empty() {
                    case.input.push('\n');
                }
                case.input.push_str(rest);
            }
            ("!", Some(case)) => case.text_only = Some(rest.to_owned()),
            ("<", Some(case)) => case.output.push(rest.to_owned()),
            _ => panic!("{}: {line}", out.path.display()),
        }
    }
    out
}

fn write(transcript: &Transcript) {
    let mut text = format!("# {}\n@ {}\n", transcript.title, transcript.server);
    for case in &transcript.cases {
        text.push_str(&format!("\n= {}\n", case.name));
        if let Some(reason) = &case.text_only {
            text.push_str(&format!("! {reason}\n"));
        }
        case.input.split('\n').for_each(|line| text.push_str(&format!("> {line}\n")));
        case.output.iter().for_each(|line| text.push_str(&format!("< {line}\n")));
    }
    std::fs::write(&transcript.path, text).expect("written");
}

#[test]
fn every_transcript_is_answered_as_it_is_written() {
    let update = std::env::var_os("TRANSCRIPTS_WRITE").is_some();
    let mut count = 0;
    for mut transcript in read_all() {
        let fixture = Fixture::new(&transcript.server);
        for case in &mut transcript.cases {
            let output = fixture.exchange(case.input.as_bytes());
            if update {
                case.output = output;
            } else {
                assert_eq!(output, case.output, "{}: {}", transcript.path.display(), case.name);
            }
            count += 1;
        }
        if update {
            write(&transcript);
        }
    }
    assert!(count > 200, "the corpus is there");
}
