//! The asks of a handler's run over the boundary; pkg-template/lib/server-rounds.js is the other half.
//!
//! The run itself stays in JavaScript between two calls, as text that it does not read.

use super::mailbox;
use crate::protocol::json::Raw;
use crate::protocol::json::Writer;
use crate::server::{Asked, Rounds, check_answer, check_ask};
use wasm_bindgen::prelude::wasm_bindgen;

// What `round` is asked to do.
const BEGIN: u32 = 0;
const ASK: u32 = 1;
const RECALL: u32 = 2;
const RECORD: u32 = 3;
const SUSPEND: u32 = 4;
const CHECK_ANSWER: u32 = 5;

// What it answers.
const OPEN: u32 = 0;
const OPEN_FIRST: u32 = 1;
const ANSWERED: u32 = 2;
const WRONG: u32 = 3;
const UNFIT: u32 = 4;
const MISSING: u32 = 5;

/// Does one thing about a run: the mailbox holds a JSON array of the run and what `how` is about. Posts the run, if it
/// changes, and behind it what came of it.
#[wasm_bindgen]
pub fn round(length: usize, how: u32) -> u32 {
    mailbox::take(length, |input| {
        let input = Raw::parse(input).unwrap_or(Raw::EMPTY_OBJECT);
        let mut parts = input.elements();
        let mut part = || parts.next().filter(|part| !part.is_null());
        if how == BEGIN {
            let (kept, responses) = (part(), part());
            mailbox::post(&[&Rounds::begin(kept, responses).to_text()], &[]);
            return OPEN;
        }
        let first = part().unwrap_or(Raw::EMPTY_OBJECT);
        let mut run = Rounds::read(first);
        let subject = part();
        let key = subject.and_then(Raw::as_str).unwrap_or_default();
        match how {
            ASK => {
                let text = |name| subject.and_then(|ask| ask.get_str(name));
                let params = subject.and_then(|ask| ask.get("params"));
                let asked = run.ask(&text("method").unwrap_or_default(), params, text("key").as_deref());
                post_asked(&run.to_text(), asked)
            }
            RECALL => match run.recall(&key) {
                Some(value) => {
                    mailbox::post(&["", value], &[]);
                    ANSWERED
                }
                None => OPEN,
            },
            RECORD => {
                run.record(&key, part().map_or("null", Raw::as_text));
                mailbox::post(&[&run.to_text()], &[]);
                OPEN
            }
            SUSPEND => {
                mailbox::post(&[&run.requests(), run.kept().as_deref().unwrap_or_default()], &[]);
                OPEN
            }
            // What a legacy client is asked, `{ method, params }`, with its answer or its capabilities.
            _ => {
                let method = first.get_str("method").unwrap_or_default();
                let params = first.get("params");
                if how == CHECK_ANSWER {
                    return post_asked("", answered(&method, params, subject.unwrap_or(Raw::EMPTY_OBJECT)));
                }
                match check_ask(&method, params, subject) {
                    Ok(()) => post_asked("", Asked::Open(false)),
                    Err(Ok(error)) => {
                        let mut out = Writer::new();
                        error.write(&mut out);
                        mailbox::post(&["", out.as_str()], &[]);
                        MISSING
                    }
                    Err(Err(wrong)) => post_asked("", Asked::Wrong(wrong)),
                }
            }
        }
    })
}

fn answered(method: &str, params: Option<Raw<'_>>, answer: Raw<'_>) -> Asked {
    match check_answer(method, params, answer) {
        Ok(Some(answer)) => Asked::Answered(answer),
        Ok(None) => Asked::Unfit(["the client's answer is none to ", method].concat()),
        Err(reason) => Asked::Unfit(["the client's answer does not fit what was asked: ", &reason].concat()),
    }
}

fn post_asked(run: &str, asked: Asked) -> u32 {
    let (code, text) = match asked {
        Asked::Open(first) => (if first { OPEN_FIRST } else { OPEN }, String::new()),
        Asked::Answered(answer) => (ANSWERED, answer),
        Asked::Wrong(text) => (WRONG, text),
        Asked::Unfit(text) => (UNFIT, text),
    };
    mailbox::post(&[run, &text], &[]);
    code
}
