//! The items of a list, judged one by one: a bad one never costs the others.
//!
//! Only what nobody can work with counts as bad. Names of odd length or alphabet, names that
//! come twice and optional members of the wrong type stay: they are the server's to mend, and
//! no reason to hide what works (2026-07-28, server/tools, "Data Types", "Tool Names").

use super::json::Raw;

/// An item that is left out, and why.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Fault {
    /// Its place in the list, from 0.
    pub index: usize,
    /// Its name, or its URI, where it has one.
    pub name: Option<String>,
    /// What was expected.
    pub reason: &'static str,
}

/// How exactly a tool's schema is looked at.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Strictness {
    /// As the specification demands: `inputSchema` has `"type": "object"`.
    #[default]
    Strict,
    /// A schema without a type at its root passes.
    Lenient,
}

/// Parts the items of a list's result into good and bad ones. `member` is where the result has them:
/// `tools`, `resources`, `resourceTemplates` or `prompts`.
pub fn sift<'a>(member: &str, items: Raw<'a>, strictness: Strictness) -> (Vec<Raw<'a>>, Vec<Fault>) {
    let (mut good, mut bad) = (Vec::new(), Vec::new());
    for (index, item) in items.elements().enumerate() {
        match fault(member, item, strictness) {
            None => good.push(item),
            Some(reason) => {
                let name = ["name", "uri", "uriTemplate"].iter().find_map(|member| item.get_str(member));
                bad.push(Fault { index, name: name.map(std::borrow::Cow::into_owned), reason });
            }
        }
    }
    (good, bad)
}

/// What is wrong with one item, if anything is.
pub fn fault(member: &str, item: Raw<'_>, strictness: Strictness) -> Option<&'static str> {
    if !item.is_object() {
        return Some("expected an object");
    }
    let is_missing = |name: &str| item.get_str(name).is_none();
    match member {
        "resources" if is_missing("uri") => return Some("expected uri to be a string"),
        "resourceTemplates" if is_missing("uriTemplate") => return Some("expected uriTemplate to be a string"),
        _ if is_missing("name") => return Some("expected name to be a string"),
        "tools" => {}
        _ => return None,
    }
    let Some(schema) = item.get("inputSchema").filter(|schema| schema.is_object()) else {
        return Some("expected inputSchema to be an object");
    };
    if schema.get("properties").is_some_and(|properties| !properties.is_object()) {
        return Some("expected properties of inputSchema to be an object");
    }
    match schema.get("type") {
        Some(kind) if kind.as_str().is_some_and(|kind| kind == "object") => None,
        None if strictness == Strictness::Lenient => None,
        _ => Some("expected inputSchema to have \"type\": \"object\""),
    }
}
