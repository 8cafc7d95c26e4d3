//! One run of a handler that asks the client: what is answered, what goes out, what the next run has to know.
//!
//! In the modern era an ask has no request of its own. The run ends with all that it asks, and the handler runs
//! again from the top once the answers are there (2026-07-28, basic/patterns/mrtr). An answer is found again by its
//! key: the one that the handler gives, or the place in the order of the asks without one.

use crate::protocol::json::{Kind, Raw, Writer};
use crate::protocol::method;
use crate::protocol::schema::{Schema, elicitation};

/// Names and values, JSON text, in the order in which they came.
type Entries = Vec<(String, String)>;

/// What an ask comes to.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Asked {
    /// It is answered: the client's result, JSON text, with the defaults of a form filled in.
    Answered(String),
    /// It goes out with the end of the run; whether it is the first one that does.
    Open(bool),
    /// The ask itself is wrong.
    Wrong(String),
    /// The client's answer does not fit what was asked.
    Unfit(String),
}

/// The asks of one run of a handler.
#[derive(Clone, Debug, Default)]
pub struct Rounds {
    /// The answers of earlier rounds and of this one.
    answers: Entries,
    /// What ran once.
    once: Entries,
    /// The keys that this run has asked for, and what.
    asked: Entries,
    /// The answers that this run has come past: the next one comes past them again.
    used: Entries,
    /// How many asks had no key.
    unnamed: i64,
}

impl Rounds {
    /// A run, from what the last one [kept](Rounds::kept) and the `inputResponses` of its request.
    pub fn begin(kept: Option<Raw<'_>>, responses: Option<Raw<'_>>) -> Self {
        let part = |name: &str| entries(kept.and_then(|kept| kept.get(name)));
        let mut answers = part("answers");
        for (key, answer) in entries(responses) {
            put(&mut answers, &key, answer);
        }
        Self { answers, once: part("once"), ..Self::default() }
    }

    /// Asks for what a client answers to `method`; without a key it is the next one without.
    pub fn ask(&mut self, method: &str, params: Option<Raw<'_>>, key: Option<&str>) -> Asked {
        if let Err(wrong) = check_request(method, params) {
            return Asked::Wrong(wrong);
        }
        let mut own = String::from("ask-");
        if key.is_none() {
            self.unnamed += 1;
            own.push_str(&self.unnamed.to_string());
        }
        let key = key.unwrap_or(&own);
        let request = request_text(method, params);
        match find(&self.asked, key) {
            Some(earlier) if earlier != request => {
                return Asked::Wrong(joined(&["the key \"", key, "\" is used for two different asks"]));
            }
            Some(_) => {}
            None => self.asked.push((key.to_owned(), request)),
        }
        let answer = find(&self.answers, key).map(str::to_owned);
        if let Some(answer) = answer.as_ref().and_then(|answer| Raw::parse(answer.as_bytes()).ok()) {
            match check_answer(method, params, answer) {
                Ok(Some(filled)) => {
                    put(&mut self.used, key, answer.as_text().to_owned());
                    return Asked::Answered(filled);
                }
                // What is no answer at all counts as none: it is asked for again.
                Ok(None) => {}
                Err(reason) => {
                    return Asked::Unfit(joined(&[
                        "the answer to \"",
                        key,
                        "\" does not fit what was asked: ",
                        &reason,
                    ]));
                }
            }
        }
        Asked::Open(self.open().count() == 1)
    }

    /// What ran once under that key in this run or an earlier one, JSON text.
    pub fn recall(&self, key: &str) -> Option<&str> {
        find(&self.once, key)
    }

    /// Keeps what ran once.
    pub fn record(&mut self, key: &str, value: &str) {
        put(&mut self.once, key, value.to_owned());
    }

    /// What goes out with the end of the run: `inputRequests`.
    pub fn requests(&self) -> String {
        object(self.open())
    }

    /// What the next run has to know, an object; nothing if it needs no state.
    pub fn kept(&self) -> Option<String> {
        if self.used.is_empty() && self.once.is_empty() {
            return None;
        }
        let mut out = Writer::new();
        out.open_object().name("answers").raw(&object(self.used.iter())).name("once").raw(&object(self.once.iter()));
        out.close_object();
        Some(out.finish())
    }

    /// What was asked and is not answered.
    fn open(&self) -> impl Iterator<Item = &(String, String)> {
        self.asked.iter().filter(|(key, _)| find(&self.used, key).is_none())
    }

    /// The run as text, for a caller that keeps it between two asks.
    pub fn to_text(&self) -> String {
        let mut out = Writer::new();
        out.open_object();
        for (name, entries) in
            [("answers", &self.answers), ("once", &self.once), ("asked", &self.asked), ("used", &self.used)]
        {
            out.name(name).raw(&object(entries.iter()));
        }
        out.name("unnamed").integer(self.unnamed).close_object();
        out.finish()
    }

    /// A run from [`Rounds::to_text`].
    pub fn read(text: Raw<'_>) -> Self {
        let part = |name: &str| entries(text.get(name));
        let unnamed = text.get("unnamed").and_then(Raw::as_i64).unwrap_or_default();
        Self { answers: part("answers"), once: part("once"), asked: part("asked"), used: part("used"), unnamed }
    }
}

/// Whether that can be asked at all; what is wrong with it otherwise.
pub(super) fn check_request(method: &str, params: Option<Raw<'_>>) -> Result<(), String> {
    let params = params.unwrap_or(Raw::EMPTY_OBJECT);
    match method {
        method::ELICITATION_CREATE => {
            if params.get_str("message").is_none() {
                return Err("elicit: message must be a string".to_owned());
            }
            if params.get_str("mode").as_deref() == Some("url") {
                return match params.get_str("url") {
                    Some(_) => Ok(()),
                    None => Err("elicit: url must be a string".to_owned()),
                };
            }
            let schema =
                params.get("requestedSchema").filter(|schema| schema.get_str("type").as_deref() == Some("object"));
            let schema = schema.ok_or("elicit: requestedSchema must be a JSON Schema with \"type\": \"object\"")?;
            Schema::compile(schema).map_err(|error| joined(&["elicit: requestedSchema: ", &error.to_string()]))?;
            Ok(())
        }
        method::SAMPLING_CREATE_MESSAGE if params.get("messages").is_none_or(|list| list.kind() != Kind::Array) => {
            Err("sample: messages must be an array".to_owned())
        }
        _ => Ok(()),
    }
}

/// A client's answer, with the defaults of a form filled in; `None` where it is no answer to that request at all.
///
/// # Errors
///
/// Why an accepted form does not fit its `requestedSchema`.
pub fn check_answer(method: &str, params: Option<Raw<'_>>, answer: Raw<'_>) -> Result<Option<String>, String> {
    let as_it_is = || Ok(Some(answer.as_text().to_owned()));
    match method {
        method::SAMPLING_CREATE_MESSAGE if answer.get_str("role").is_some() && answer.get("content").is_some() => {
            as_it_is()
        }
        method::ROOTS_LIST if answer.get("roots").is_some_and(|roots| roots.kind() == Kind::Array) => as_it_is(),
        method::ELICITATION_CREATE => match answer.get_str("action").as_deref() {
            Some("decline" | "cancel") => as_it_is(),
            Some("accept") => match params.and_then(|params| params.get("requestedSchema")) {
                Some(schema) => filled(schema, answer),
                None => as_it_is(),
            },
            _ => Ok(None),
        },
        _ => Ok(None),
    }
}

/// An accepted form with its defaults (SEP-1034), if it then fits.
fn filled(schema: Raw<'_>, answer: Raw<'_>) -> Result<Option<String>, String> {
    let content = answer.get_present("content").unwrap_or(Raw::EMPTY_OBJECT);
    if !content.is_object() {
        return Err("content must be an object".to_owned());
    }
    let content = elicitation::apply_defaults(schema, content);
    let whole = Raw::parse(content.as_bytes()).map_err(|error| error.to_string())?;
    elicitation::validate(schema, whole).map_err(|error| error.to_string())?;
    let mut out = Writer::new();
    out.open_object();
    for (key, value) in answer.members() {
        let name = key.name();
        if name != "content" {
            out.name(&name).value(value);
        }
    }
    out.name("content").raw(&content).close_object();
    Ok(Some(out.finish()))
}

fn request_text(method: &str, params: Option<Raw<'_>>) -> String {
    let mut out = Writer::new();
    out.open_object().name("method").string(method);
    if let Some(params) = params {
        out.name("params").value(params);
    }
    out.close_object();
    out.finish()
}

fn entries(object: Option<Raw<'_>>) -> Entries {
    let members = object.unwrap_or(Raw::EMPTY_OBJECT).members();
    members.map(|(key, value)| (key.name().into_owned(), value.as_text().to_owned())).collect()
}

fn object<'a>(entries: impl Iterator<Item = &'a (String, String)>) -> String {
    let mut out = Writer::new();
    out.open_object();
    for (key, value) in entries {
        out.name(key).raw(value);
    }
    out.close_object();
    out.finish()
}

fn find<'a>(entries: &'a Entries, key: &str) -> Option<&'a str> {
    entries.iter().find(|(own, _)| own == key).map(|(_, value)| value.as_str())
}

fn put(entries: &mut Entries, key: &str, value: String) {
    match entries.iter_mut().find(|(own, _)| own == key) {
        Some((_, old)) => *old = value,
        None => entries.push((key.to_owned(), value)),
    }
}

fn joined(parts: &[&str]) -> String {
    parts.concat()
}
