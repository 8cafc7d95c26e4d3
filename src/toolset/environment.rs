//! `${VAR}` and `${VAR:-default}` in the headers of remote servers.
//!
//! What comes out is secret: nothing here puts an expanded value into an error.

use crate::protocol::json::{Raw, Writer};

/// A header's value, expanded; whether that changed it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Expanded {
    /// The value.
    pub value: String,
    /// Whether it differs from what the configuration says.
    pub changed: bool,
}

/// Expands the variables of a value. `${env:VAR}`, as editors write it, is `${VAR}`. The default is for a variable
/// that is not set or empty. A `$` without a brace, and a brace that is never closed, stay.
///
/// # Errors
///
/// What is wrong, as the end of a sentence about the header: a variable that is not set, or a line break in the result.
pub fn expand<'a>(value: &str, lookup: impl Fn(&str) -> Option<std::borrow::Cow<'a, str>>) -> Result<Expanded, String> {
    let mut out = String::with_capacity(value.len());
    let mut rest = value;
    while let Some((before, inner)) = opening(rest) {
        let Some((reference, after)) = inner.split_once('}') else { break };
        out.push_str(before);
        rest = after;
        // A name has no colon but the one of `env:`.
        let reference = reference.strip_prefix("env:").unwrap_or(reference);
        let (name, default) = match reference.split_once(':') {
            Some((name, default)) if default.starts_with('-') => (name, default.get(1..)),
            _ => (reference, None),
        };
        match (lookup(name), default) {
            (Some(found), Some(default)) if found.is_empty() => out.push_str(default),
            (Some(found), _) => out.push_str(&found),
            (None, Some(default)) => out.push_str(default),
            (None, None) => return Err(["needs the variable ", name, ", which is not set"].concat()),
        }
    }
    out.push_str(rest);
    if out.contains(['\r', '\n', '\0']) {
        return Err("has a line break in its value".to_owned());
    }
    let changed = out != value;
    Ok(Expanded { value: out, changed })
}

/// What stands before the next `${`, and what behind it.
fn opening(text: &str) -> Option<(&str, &str)> {
    let at = text.as_bytes().windows(2).position(|pair| pair == b"${")?;
    Some((text.get(..at)?, text.get(at + 2..)?))
}

/// All headers of a server, expanded: an object of texts. `headers` and `environment` are objects of texts.
///
/// # Errors
///
/// A sentence that names the header and what it needs.
pub fn expand_headers(headers: Raw<'_>, environment: Raw<'_>) -> Result<String, String> {
    let mut out = Writer::new();
    out.open_object();
    for (key, value) in headers.members() {
        let expanded = expand(&value.as_str().unwrap_or_default(), |name| environment.get_str(name))
            .map_err(|reason| ["the header ", &key.name(), " ", &reason].concat())?;
        out.key(key).string(&expanded.value);
    }
    out.close_object();
    Ok(out.finish())
}

/// Which headers there are, and whether expansion changes them: `{"Authorization": "expanded", "X-Team": "plain"}`;
/// `"unset"` where a variable is missing. Nothing of their values, not even how long they are.
pub fn shape(headers: Raw<'_>, environment: Raw<'_>) -> String {
    let mut out = Writer::new();
    out.open_object();
    for (key, value) in headers.members() {
        let expanded = expand(&value.as_str().unwrap_or_default(), |name| environment.get_str(name));
        out.key(key).string(match expanded {
            Ok(Expanded { changed: true, .. }) => "expanded",
            Ok(_) => "plain",
            Err(_) => "unset",
        });
    }
    out.close_object();
    out.finish()
}
