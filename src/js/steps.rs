//! Steps of the server as numbers, spans and texts; pkg-template/lib/server-step.js and server-call.js read them.

use super::mailbox;
use super::spans::Spans;
use crate::protocol::json::{Split, Writer, quote};
use crate::protocol::uri_template::Value;
use crate::protocol::version::{Era, ProtocolVersion};
use crate::server::{Body, Change, Consult, Invocation, Listen, Reply, Step, Target};

// What `handleMessage` returns; pkg-template/lib/server-step.js has the same numbers.
pub(super) const NOTHING: u32 = 0;
pub(super) const REPLY: u32 = 1;
const CONSTANT: u32 = 2;
const INVOKE: u32 = 3;
const BATCH: u32 = 4;
const ANSWER: u32 = 5;
const LISTEN: u32 = 6;
const CONSULT: u32 = 7;
const NOTICE: u32 = 8;
const SESSION: u32 = 9;
const CANCEL: u32 = 10;
const BEYOND: u32 = 11;

/// Stands for the kind of a handler where the application is asked about its caller.
const CALLER: u32 = 6;

/// Stands for a log level where no log messages are wanted.
const NO_LEVEL: u32 = 8;

// Which results of a handler `settle` has to see before they go out: none, those with structured content, all.
const READS_ALL: u32 = 0;
const READS_OBJECTS: u32 = 1;
const READS_LESS: u32 = 2;

/// Posts what JavaScript has to know of a step, and says which it is.
pub(super) fn post_step(step: Step<'_>, spans: &Spans<'_>) -> u32 {
    match step {
        Step::Nothing => NOTHING,
        Step::Beyond => {
            mailbox::post(&[], &[]);
            BEYOND
        }
        Step::Reply(reply) => post_reply(reply, spans),
        Step::Batch(elements) => {
            let numbers: Vec<u32> = elements.iter().flat_map(|element| spans.of(Some(*element))).collect();
            mailbox::post(&[], &numbers);
            BATCH
        }
        Step::Listen(listen) => {
            post_subscription(&listen);
            LISTEN
        }
        Step::Answer(answer) => {
            let id = answer.id.as_text();
            match answer.result {
                Ok(result) => mailbox::post(&[id, result.as_text()], &[1]),
                Err(error) => {
                    let mut out = Writer::new();
                    error.write(&mut out);
                    mailbox::post(&[id, out.as_str()], &[0]);
                }
            }
            ANSWER
        }
        Step::Session(reply, session) => {
            let status = u32::from(reply.status);
            mailbox::post(&[&reply.into_text(), &session.to_text()], &[status, u32::from(session.is_new())]);
            SESSION
        }
        Step::Cancel(id) => {
            mailbox::post(&[id.as_text()], &[]);
            CANCEL
        }
        Step::Invoke(invocation) => {
            post_invocation(&invocation, spans);
            INVOKE
        }
        Step::Consult(consult) => {
            post_consult(&consult, spans);
            CONSULT
        }
        Step::Notice(notice) => {
            let [start, end] = spans.of(notice.params);
            mailbox::post(&[], &[notice.index as u32, start, end]);
            NOTICE
        }
    }
}

fn post_reply(reply: Reply<'_>, spans: &Spans<'_>) -> u32 {
    let status = u32::from(reply.status);
    if let (Body::Constant(key, _), Some(id)) = (&reply.body, reply.id) {
        let [start, end] = spans.of_text(id.as_text().as_bytes());
        mailbox::post(&[], &[status, *key as u32, start, end]);
        return CONSTANT;
    }
    let challenge = reply.challenge.clone();
    mailbox::post(&[&reply.into_text(), challenge.as_deref().unwrap_or_default()], &[status]);
    REPLY
}

/// A consultation looks like an invocation as far as JavaScript tells its handler of the request; behind it stand how
/// many items it is about, the kind and index of each, and the templates that list.
#[inline(never)]
fn post_consult(consult: &Consult<'_>, spans: &Spans<'_>) {
    let mut numbers = vec![0; 20];
    let [id_start, id_end] = spans.of_text(consult.id.as_text().as_bytes());
    let [meta_start, meta_end] = spans.of(consult.meta);
    for (at, number) in [
        (0, CALLER),
        (2, index_of(consult.version)),
        (3, NO_LEVEL),
        (5, id_start),
        (6, id_end),
        (9, meta_start),
        (10, meta_end),
        (13, index_of(consult.version)),
    ] {
        if let Some(slot) = numbers.get_mut(at) {
            *slot = number;
        }
    }
    numbers.push(consult.items.len() as u32);
    numbers.extend(consult.items.iter().flat_map(|(kind, index)| [*kind as u32, *index as u32]));
    numbers.extend(consult.lists.iter().map(|index| *index as u32));
    mailbox::post(&[], &numbers);
}

fn index_of(wanted: ProtocolVersion) -> u32 {
    ProtocolVersion::ALL.iter().position(|version| *version == wanted).unwrap_or_default() as u32
}

/// Every text of a subscription, so that an event needs no call: the first one, the last one, the refusal of
/// one too many, the events, what goes around the URI of an updated resource, and the URIs.
#[inline(never)]
fn post_subscription(listen: &Listen<'_>) {
    let event = |change| listen.event(change).unwrap_or_default();
    let first = listen.uris.first().map(|uri| (event(Change::Resource(uri)), quote(uri)));
    // Behind the URI, the last member of `params`, two objects end.
    let updated = first.as_ref().and_then(|(text, uri)| {
        let behind = text.len().checked_sub(2)?;
        Some((text.get(..behind.checked_sub(uri.len())?)?, text.get(behind..)?))
    });
    let updated = updated.unwrap_or_default();
    let mut uris = Writer::new();
    uris.open_array();
    for uri in &listen.uris {
        uris.string(uri);
    }
    uris.close_array();
    mailbox::post(
        &[
            &listen.acknowledged(),
            &listen.end().into_text(),
            &listen.refuse().into_text(),
            &event(Change::Tools),
            &event(Change::Prompts),
            &event(Change::Resources),
            updated.0,
            updated.1,
            uris.as_str(),
        ],
        &[u32::from(listen.is_empty())],
    );
}

fn post_invocation(invocation: &Invocation<'_>, spans: &Spans<'_>) {
    let (kind, index, variables) = match &invocation.target {
        Target::Tool(index) => (0, *index, None),
        Target::Resource(index) => (1, *index, None),
        Target::Template(index, variables) => (2, *index, Some(variables)),
        Target::Prompt(index) => (3, *index, None),
        Target::Completion => (4, 0, None),
        Target::Method(index) => (5, *index, None),
    };
    let [id_start, id_end] = spans.of_text(invocation.id.as_text().as_bytes());
    let [input_start, input_end] = spans.of(invocation.input);
    let [meta_start, meta_end] = spans.of(invocation.meta);
    let [token_start, token_end] = spans.of(invocation.progress_token);
    let [answers_start, answers_end] = spans.of(invocation.input_responses);
    let [state_start, state_end] = spans.of(invocation.request_state);
    let numbers = [
        kind,
        index as u32,
        index_of(invocation.version),
        invocation.log_level.map_or(NO_LEVEL, |level| level as u32),
        invocation.head_key() as u32,
        id_start,
        id_end,
        input_start,
        input_end,
        meta_start,
        meta_end,
        token_start,
        token_end,
        index_of(invocation.reads),
        match invocation.reads {
            version if version.era() == Era::Modern => READS_ALL,
            ProtocolVersion::LATEST_LEGACY => READS_OBJECTS,
            _ => READS_LESS,
        },
        u32::from(invocation.checks_output()),
        answers_start,
        answers_end,
        state_start,
        state_end,
    ];
    let long = invocation.input.filter(|_| kind == 0).and_then(|input| spans.split(input));
    match (kind, long) {
        (0, None) => mailbox::post(&[], &numbers),
        (0, Some(split)) => post_split(split, spans, &numbers),
        _ => post_framed(invocation, variables, &numbers),
    }
}

#[inline(never)]
fn post_split(split: Split<'_>, spans: &Spans<'_>, numbers: &[u32]) {
    let numbers = [numbers, &[split.text.as_ptr() as u32, split.text.len() as u32]].concat();
    mailbox::post(&[split.before, split.after, &split.name], &numbers);
    if let Some(long) = spans.long {
        long.replace(split.text);
    }
}

#[inline(never)]
fn post_framed(invocation: &Invocation<'_>, variables: Option<&Vec<(String, Value)>>, numbers: &[u32]) {
    let frame = invocation.text_frame();
    let variables = variables.map(|variables| variables_json(variables)).unwrap_or_default();
    mailbox::post(&[&frame.head, frame.tail, invocation.items_name(), &variables], numbers);
}

fn variables_json(variables: &[(String, Value)]) -> String {
    let mut out = Writer::new();
    out.open_object();
    for (name, value) in variables {
        out.name(name);
        match value {
            Value::Text(text) => {
                out.string(text);
            }
            Value::List(list) => {
                out.open_array();
                list.iter().for_each(|text| {
                    out.string(text);
                });
                out.close_array();
            }
            Value::Map(map) => {
                out.open_object();
                map.iter().for_each(|(name, text)| {
                    out.name(name).string(text);
                });
                out.close_object();
            }
        }
    }
    out.close_object();
    out.finish()
}
