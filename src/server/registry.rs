//! What a server offers, read once from its definition and checked.

use super::caller::ItemKind;
use super::items::{
    Items, Listing, Prompt, Resource, Template, listed, read_items, read_prompt, read_resource, read_template,
    read_tool,
};
use super::origin::Allowed;
use super::tool::Tool;
use super::{CacheHint, ServerError, options, options::SessionLimits};
use crate::protocol::json::{Raw, Writer};
use crate::protocol::method;
use crate::protocol::version::ProtocolVersion;

/// How legacy clients are served.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum LegacyMode {
    /// Every request by itself, without sessions.
    Stateless,
    /// Over HTTP in sessions, which `initialize` opens; otherwise every request by itself.
    Sessions,
    /// Not at all.
    Reject,
}

pub(super) struct Registry {
    pub(super) tools: Items<Tool>,
    pub(super) resources: Items<Resource>,
    pub(super) templates: Items<Template>,
    pub(super) prompts: Items<Prompt>,
    /// Our versions, the preferred one first.
    pub(super) versions: Vec<ProtocolVersion>,
    pub(super) legacy: LegacyMode,
    pub(super) sessions: SessionLimits,
    pub(super) completes: bool,
    /// The requests that the application answers itself, beside those of the specification.
    pub(super) methods: Vec<String>,
    /// The notifications that the application takes itself.
    pub(super) notifications: Vec<String>,
    pub(super) max_body_bytes: usize,
    pub(super) ask_timeout_ms: u32,
    /// Who may talk to the server over HTTP.
    pub(super) allowed: Allowed,
    /// The name in `cacheHints` and its hint.
    pub(super) hints: Vec<(String, CacheHint)>,
}

impl Registry {
    pub(super) fn read(definition: Raw<'_>) -> Result<Self, ServerError> {
        let hints = options::hints(definition)?;
        let read_hint = hints
            .iter()
            .find(|(method, _)| method == method::RESOURCES_READ)
            .map_or_else(CacheHint::default, |(_, hint)| *hint);
        let legacy = options::legacy(definition)?;
        Ok(Self {
            tools: read_items(definition, ["tools", "tool", "name"], read_tool)?,
            resources: read_items(definition, ["resources", "resource", "uri"], |item, raw, uri| {
                read_resource(item, raw, uri, read_hint)
            })?,
            templates: read_items(
                definition,
                ["resourceTemplates", "resource template", "uriTemplate"],
                |item, raw, pattern| read_template(item, raw, pattern, read_hint),
            )?,
            prompts: read_items(definition, ["prompts", "prompt", "name"], read_prompt)?,
            versions: options::versions(definition, legacy)?,
            legacy,
            sessions: options::sessions(definition, legacy)?,
            completes: options::completes(definition),
            methods: options::methods(definition, "methods")?,
            notifications: options::methods(definition, "notifications")?,
            max_body_bytes: options::max_body(definition)?,
            ask_timeout_ms: options::ask_timeout(definition)?,
            allowed: Allowed::of(definition)?,
            hints,
        })
    }

    pub(super) fn hint(&self, method: &str) -> CacheHint {
        self.hints.iter().find(|(name, _)| name == method).map_or_else(CacheHint::default, |(_, hint)| *hint)
    }

    pub(super) fn list(&self, kind: ItemKind) -> &Listing {
        match kind {
            ItemKind::Tool => &self.tools.list,
            ItemKind::Resource => &self.resources.list,
            ItemKind::Template => &self.templates.list,
            ItemKind::Prompt => &self.prompts.list,
        }
    }

    /// The templates whose resources the application lists.
    pub(super) fn listing_templates(&self) -> impl Iterator<Item = usize> {
        let templates = self.templates.items.iter().enumerate();
        templates.filter(|(_, template)| template.lists).map(|(index, _)| index)
    }

    /// Whether a list differs from one caller, or one moment, to the next.
    pub(super) fn is_own(&self, kind: ItemKind) -> bool {
        self.list(kind).has_conditional() || (kind == ItemKind::Resource && self.listing_templates().next().is_some())
    }

    /// A resource that a template lists: what it leaves out, the template says.
    pub(super) fn listed_of_template(&self, template: usize, resource: Raw<'_>) -> String {
        let mut text = listed("resources", resource);
        let general = self.templates.list.texts.get(template).map_or("{}", String::as_str);
        for (key, value) in Raw::parse(general.as_bytes()).unwrap_or(Raw::EMPTY_OBJECT).members() {
            let name = key.name();
            if name != "uriTemplate" && resource.get(&name).is_none() {
                text.truncate(text.len().saturating_sub(1));
                text.push(',');
                text.push_str(Raw::from_valid(key.quoted()).as_text());
                text.push(':');
                text.push_str(value.as_text());
                text.push('}');
            }
        }
        text
    }

    /// Our versions as a JSON array.
    pub(super) fn versions_json(&self) -> String {
        let mut out = Writer::new();
        out.open_array();
        for version in &self.versions {
            out.string(version.as_str());
        }
        out.close_array();
        out.finish()
    }
}
