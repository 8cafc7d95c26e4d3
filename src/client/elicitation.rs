//! What an answer to an elicitation may leave to the client: defaults of the form.
//!
//! Page: 2026-07-28, client/elicitation.

use crate::protocol::json::{Raw, Writer};

/// Whether the client has declared the mode that an elicitation asks for. Without a mode it is a form,
/// and `elicitation: {}` declares forms.
pub(super) fn is_declared(capabilities: &str, params: Option<Raw<'_>>) -> bool {
    let is_url = params.and_then(|params| params.get_str("mode")).as_deref() == Some("url");
    let Ok(capabilities) = Raw::parse(capabilities.as_bytes()) else { return false };
    let Some(declared) = capabilities.get_present("elicitation") else { return false };
    if is_url {
        declared.get_present("url").is_some()
    } else {
        declared.get_present("form").is_some() || declared.get_present("url").is_none()
    }
}

/// The application's answer; where it accepts, fields that it left out get the defaults of the form.
pub(super) fn with_defaults(params: Option<&str>, result: &str) -> String {
    fill(params, result).unwrap_or_else(|| result.to_owned())
}

fn fill(params: Option<&str>, result: &str) -> Option<String> {
    let params = Raw::parse(params?.as_bytes()).ok()?;
    let result = Raw::parse(result.as_bytes()).ok()?;
    if result.get_str("action")? != "accept" {
        return None;
    }
    let content = result.get("content");
    let properties = params.get("requestedSchema")?.get("properties")?;
    let is_missing = |name: &str| content.is_none_or(|content| content.get(name).is_none());
    let missing: Vec<_> = properties
        .members()
        .filter_map(|(key, field)| Some((key.name(), field.get("default")?)))
        .filter(|(name, _)| is_missing(name))
        .collect();
    if missing.is_empty() {
        return None;
    }
    let mut out = Writer::new();
    out.open_object();
    for (key, value) in result.members() {
        if !key.is("content") {
            out.name(&key.name()).value(value);
        }
    }
    out.name("content").open_object();
    for (key, value) in content.map(Raw::members).into_iter().flatten() {
        out.name(&key.name()).value(value);
    }
    for (name, value) in missing {
        out.name(&name).value(value);
    }
    out.close_object().close_object();
    Some(out.finish())
}
