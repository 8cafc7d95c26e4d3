//! What depends on who calls: items that only some may see, scopes that a tool needs, resources that a
//! template lists.
//!
//! The application knows its callers and the core does not, so the core asks: [`Step::Consult`] names
//! what it has to know, and the message is handled once more with the answer in [`Channel::consulted`].

use super::WHOLE;
use super::call::Call;
use super::dispatch::Outcome;
use super::step::{Body, Reply, Step};
use crate::protocol::error::{ErrorObject, INTERNAL_ERROR, INVALID_REQUEST};
use crate::protocol::json::{Raw, Writer};
use crate::protocol::jsonrpc::RequestId;
use crate::protocol::method;
use crate::protocol::version::ProtocolVersion;

/// A kind of item, in the order of the lists.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum ItemKind {
    /// A tool.
    Tool,
    /// A resource.
    Resource,
    /// A resource template.
    Template,
    /// A prompt.
    Prompt,
}

impl ItemKind {
    pub(super) const ALL: [Self; 4] = [Self::Tool, Self::Resource, Self::Template, Self::Prompt];

    /// The kind whose list a method gives.
    pub(super) fn listed_by(method: &str) -> Self {
        match method {
            method::RESOURCES_LIST => Self::Resource,
            method::RESOURCES_TEMPLATES_LIST => Self::Template,
            method::PROMPTS_LIST => Self::Prompt,
            _ => Self::Tool,
        }
    }
}

/// An item: its kind and its index in the definition.
pub type Item = (ItemKind, usize);

/// What the core has to know of the caller before it can handle a message.
#[derive(Clone, Debug)]
pub struct Consult<'a> {
    /// The id of the request.
    pub id: RequestId<'a>,
    /// The protocol version that the request speaks.
    pub version: ProtocolVersion,
    /// `params._meta`
    pub meta: Option<Raw<'a>>,
    /// Which of these may the caller see?
    pub items: Vec<Item>,
    /// What do these resource templates list, by their index?
    pub lists: Vec<usize>,
}

/// What the application says of the caller.
#[derive(Clone, Debug, Default)]
pub struct Consulted<'a> {
    /// Those of [`Consult::items`] that the caller must not see.
    pub hidden: Vec<Item>,
    /// The scopes that the caller was granted.
    pub scopes: Vec<String>,
    /// The scopes that every request needs, which go into a challenge too.
    pub required: Vec<String>,
    /// Where the protected resource metadata is; empty if nowhere.
    pub resource_metadata: String,
    /// The resources of each template, arrays as the list shows them.
    pub listed: Vec<(usize, Raw<'a>)>,
}

impl<'a> Consulted<'a> {
    /// Reads `{ hidden?: [[kind, index]], scopes?, required?, resourceMetadata?, listed?: [[index, [resource]]] }`,
    /// kinds by their number.
    pub fn read(facts: Raw<'a>) -> Self {
        let strings = |name: &str| {
            let list = facts.get(name);
            list.unwrap_or(Raw::EMPTY_OBJECT).elements().filter_map(|text| Some(text.as_str()?.into_owned())).collect()
        };
        let pairs = |name: &str| {
            facts.get(name).unwrap_or(Raw::EMPTY_OBJECT).elements().filter_map(|pair| {
                let mut pair = pair.elements();
                Some((usize::try_from(pair.next()?.as_i64()?).ok()?, pair.next()?))
            })
        };
        let item =
            |(kind, index): (usize, Raw<'_>)| Some((*ItemKind::ALL.get(kind)?, usize::try_from(index.as_i64()?).ok()?));
        Self {
            hidden: pairs("hidden").filter_map(item).collect(),
            scopes: strings("scopes"),
            required: strings("required"),
            resource_metadata: facts.get_str("resourceMetadata").unwrap_or_default().into_owned(),
            listed: pairs("listed").collect(),
        }
    }
}

impl<'a> Call<'a, '_> {
    /// Whether the caller must not see an item.
    pub(super) fn hides(&self, kind: ItemKind, index: usize) -> bool {
        WHOLE && self.channel.consulted.is_some_and(|caller| caller.hidden.contains(&(kind, index)))
    }

    /// The step that asks about those of the items that depend on the caller; none where nothing does, or all is known.
    pub(super) fn consult(&self, items: &mut dyn Iterator<Item = Item>, lists: Vec<usize>) -> Option<Step<'a>> {
        if self.channel.consulted.is_some() {
            return None;
        }
        let registry = &self.server.registry;
        let mut asked: Vec<Item> = Vec::new();
        for (kind, index) in items {
            if registry.list(kind).is_conditional(index) {
                asked.push((kind, index));
            }
        }
        if asked.is_empty() && lists.is_empty() {
            return None;
        }
        if WHOLE { Some(self.ask_about(asked, lists)) } else { Some(Step::Beyond) }
    }

    pub(super) fn ask_about(&self, items: Vec<Item>, lists: Vec<usize>) -> Step<'a> {
        let meta = self.params.meta.filter(|meta| meta.is_object());
        Step::Consult(Consult { id: self.id, version: self.version, meta, items, lists })
    }

    /// The refusal of a caller who lacks scopes that a tool needs (2026-07-28, basic/authorization, "Scope
    /// Challenge Handling"): all that the call needs at once, and over HTTP with a challenge.
    pub(super) fn check_scopes(&self, needed: &[String]) -> Option<Step<'a>> {
        if needed.is_empty() {
            return None;
        }
        if !WHOLE {
            return Some(Step::Beyond);
        }
        let Some(caller) = self.channel.consulted else { return Some(self.ask_about(Vec::new(), Vec::new())) };
        if needed.iter().all(|scope| caller.scopes.contains(scope)) {
            return None;
        }
        let mut all: Vec<&str> = caller.required.iter().map(String::as_str).collect();
        for scope in needed {
            if !all.contains(&scope.as_str()) {
                all.push(scope);
            }
        }
        let mut scope = String::new();
        for (at, one) in all.iter().enumerate() {
            scope.push_str(if at > 0 { " " } else { "" });
            scope.push_str(one);
        }
        let mut text = String::from("Insufficient scope: this tool needs ");
        text.push_str(&scope);
        let mut data = Writer::new();
        data.open_object().name("requiredScopes").open_array();
        for scope in &all {
            data.string(scope);
        }
        data.close_array().close_object();
        let mut challenge = String::from("Bearer error=\"insufficient_scope\", scope=\"");
        challenge.push_str(&scope);
        if !caller.resource_metadata.is_empty() {
            challenge.push_str("\", resource_metadata=\"");
            challenge.push_str(&caller.resource_metadata);
        }
        challenge.push('"');
        let error = ErrorObject::new(INVALID_REQUEST, text).with_data(data.finish());
        let body = Body::Error(error);
        Some(Step::Reply(Reply { id: Some(self.id), body, status: 403, challenge: Some(challenge) }))
    }

    /// The page of a list that is different for each caller.
    pub(super) fn own_page(&self, kind: ItemKind, cursor: Option<&str>) -> Outcome<Option<String>> {
        let registry = &self.server.registry;
        let list = registry.list(kind);
        let is_shown = |(index, _): &(usize, &String)| !self.hides(kind, *index);
        let mut texts: Vec<String> =
            list.texts.iter().enumerate().filter(is_shown).map(|(_, text)| text.clone()).collect();
        let listed = self.channel.consulted.filter(|_| kind == ItemKind::Resource);
        let listed = listed.iter().flat_map(|caller| &caller.listed);
        for (template, resources) in listed.filter(|(index, _)| !self.hides(ItemKind::Template, *index)) {
            for resource in resources.elements() {
                let Some(uri) = resource.get_str("uri").filter(|_| resource.get_str("name").is_some()) else {
                    let text = "A resource template listed a resource without a uri or a name";
                    return Err((200, ErrorObject::new(INTERNAL_ERROR, text)));
                };
                if registry.resources.find(&uri).is_none() {
                    texts.push(registry.listed_of_template(*template, resource));
                }
            }
        }
        let mut hint = registry.hint(self.method);
        let mut templates = registry.listing_templates().filter(|_| kind == ItemKind::Resource);
        let has_hidden = templates.any(|index| registry.templates.list.is_conditional(index));
        hint.public &= !list.has_conditional() && !has_hidden;
        Ok(self.server.encoded.page_of(kind, self.version.era(), cursor, &texts, hint))
    }
}
