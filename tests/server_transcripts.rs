//! The corpus of transcripts, run natively: bytes in, bytes out.
//!
//! The package's tests run the same corpus through the wasm. `TRANSCRIPTS_WRITE=1` writes down what the
//! server answers now, for a person to read through.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod fixture;
mod spec;

use fixture::Fixture;
use mcp_duet::protocol::json::{Kind, Raw};
use mcp_duet::protocol::version::{Era, ProtocolVersion};
use spec::sent::check_sent;
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

/// The messages of a line: one, or those of a batch.
fn messages(line: &str) -> Vec<Raw<'_>> {
    let Ok(value) = Raw::parse(line.as_bytes()) else { return Vec::new() };
    if value.kind() == Kind::Array { value.elements().collect() } else { vec![value] }
}

/// The revision that an answer belongs to: what the request names, what `initialize` agreed on, or the newest legacy one.
fn version_of(request: Option<Raw<'_>>, answer: Raw<'_>) -> ProtocolVersion {
    let meta = request.and_then(|request| request.get("params")?.get("_meta"));
    let named = meta.and_then(|meta| meta.get_str("io.modelcontextprotocol/protocolVersion"));
    let agreed = answer.get("result").and_then(|result| result.get_str("protocolVersion"));
    let version = named.or(agreed).and_then(|version| ProtocolVersion::parse(&version));
    version.unwrap_or(ProtocolVersion::LATEST_LEGACY)
}

#[test]
fn every_line_that_goes_out_fits_the_schema_of_its_revision() {
    let (mut legacy, mut modern) = (0, 0);
    for transcript in read_all() {
        for case in &transcript.cases {
            let requests = messages(&case.input);
            for line in &case.output {
                for answer in messages(line) {
                    let same_id =
                        |request: &&Raw<'_>| request.get("id").map(Raw::text) == answer.get("id").map(Raw::text);
                    let request = requests.iter().find(same_id).or_else(|| requests.first()).copied();
                    let method = request.and_then(|request| request.get_str("method")).unwrap_or_default();
                    let version = version_of(request.filter(|_| transcript.server != "legacy"), answer);
                    check_sent(version, &method, answer.as_text());
                    *if version.era() == Era::Modern { &mut modern } else { &mut legacy } += 1;
                }
            }
        }
    }
    assert!(legacy > 100 && modern > 100, "{legacy} and {modern} messages were looked at");
}
