//! The host context: theme, styles, locale, sizes (2026-01-26, "Host context").

use super::shape::fit;
use super::shapes;
use crate::protocol::apps::DISPLAY_MODES;
use crate::protocol::json::{Raw, Writer};

/// The members of the host context, each as JSON text.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct HostContext {
    members: Vec<(String, String)>,
}

impl HostContext {
    /// Takes in a partial context: each member replaces the one of its name. Gives the names of those that differ
    /// from before; what a View would refuse is left out and added to `dropped`.
    pub fn merge(&mut self, partial: Raw<'_>, dropped: &mut Vec<String>) -> Vec<String> {
        let mut changed = Vec::new();
        let Some(fitted) = fit(partial, &shapes::HOST_CONTEXT, "hostContext", dropped) else { return changed };
        let Ok(fitted) = Raw::parse(fitted.as_bytes()) else { return changed };
        for (key, value) in fitted.members() {
            let (name, text) = (key.name(), value.as_text());
            match self.members.iter_mut().find(|(own, _)| *own == name) {
                Some((_, own)) if own == text => continue,
                Some((_, own)) => text.clone_into(own),
                None => self.members.push((name.clone().into_owned(), text.to_owned())),
            }
            changed.push(name.into_owned());
        }
        changed
    }

    /// The member of that name, as JSON text.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.members.iter().find(|(own, _)| own == name).map(|(_, text)| text.as_str())
    }

    /// Makes a member again what it was in `before`.
    pub(super) fn restore(&mut self, name: &str, before: &Self) {
        self.members.retain(|(own, _)| own != name);
        self.members.extend(before.get(name).map(|text| (name.to_owned(), text.to_owned())));
    }

    /// The display mode in force: `inline` unless it says otherwise.
    pub fn display_mode(&self) -> &'static str {
        let current = self.get("displayMode");
        DISPLAY_MODES.into_iter().find(|mode| current.is_some_and(|text| is_quoted(text, mode))).unwrap_or("inline")
    }

    /// Whether the host offers a display mode: the current one always, others where `availableDisplayModes` has them.
    pub fn offers(&self, mode: &str) -> bool {
        self.display_mode() == mode || self.get("availableDisplayModes").is_some_and(|list| contains(list, mode))
    }

    /// The members of these names, or all of them, as an object.
    pub fn write(&self, only: Option<&[String]>) -> String {
        let mut out = Writer::new();
        out.open_object();
        for (name, text) in &self.members {
            if only.is_none_or(|only| only.contains(name)) {
                out.name(name).raw(text);
            }
        }
        out.close_object();
        out.finish()
    }
}

fn is_quoted(text: &str, plain: &str) -> bool {
    text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) == Some(plain)
}

/// Whether a JSON array holds that string.
pub(super) fn contains(list: &str, wanted: &str) -> bool {
    let list = Raw::parse(list.as_bytes()).unwrap_or(Raw::NULL);
    list.elements().any(|one| one.as_str().is_some_and(|one| one == wanted))
}
