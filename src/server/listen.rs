//! `subscriptions/listen`: which changes a client hears of, and what it is sent
//! (2026-07-28, basic/patterns/subscriptions).

use super::Server;
use super::step::Reply;
use crate::protocol::error::{ErrorObject, INTERNAL_ERROR};
use crate::protocol::json::{Kind, Raw, Writer};
use crate::protocol::jsonrpc::{RequestId, notification};
use crate::protocol::{meta, method};

/// The most resources of one subscription: each costs a comparison an event.
const MAX_RESOURCES: usize = 1000;

/// Something that changed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Change<'a> {
    /// The list of tools.
    Tools,
    /// The list of prompts.
    Prompts,
    /// The list of resources.
    Resources,
    /// The contents of the resource with that URI.
    Resource(&'a str),
}

/// Which changes of a kind a server declares that it tells of.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Declared {
    pub(super) tools: bool,
    pub(super) prompts: bool,
    pub(super) resources: bool,
    pub(super) subscribe: bool,
}

impl Declared {
    /// Reads `capabilities`.
    pub(super) fn read(own: Option<Raw<'_>>) -> Self {
        let says = |name: &str, flag: &str| {
            let declared = own.and_then(|own| own.get(name)).and_then(|declared| declared.get(flag));
            declared.and_then(Raw::as_bool) == Some(true)
        };
        Self {
            tools: says("tools", "listChanged"),
            prompts: says("prompts", "listChanged"),
            resources: says("resources", "listChanged"),
            subscribe: says("resources", "subscribe"),
        }
    }
}

/// A subscription: send [`Listen::acknowledged`] first, then what [`Listen::event`] gives, and
/// [`Listen::end`] when the server ends it.
#[derive(Clone, Debug)]
pub struct Listen<'a> {
    server: &'a Server,
    id: RequestId<'a>,
    tools: bool,
    prompts: bool,
    resources: bool,
    /// The URIs of the resources that the client wants to hear of.
    pub uris: Vec<String>,
}

impl<'a> Listen<'a> {
    /// Reads `params.notifications` and keeps what the server declares.
    pub(super) fn read(
        server: &'a Server,
        id: RequestId<'a>,
        wanted: Option<Raw<'_>>,
        declared: Declared,
    ) -> Result<Self, &'static str> {
        let Some(wanted) = wanted.filter(|wanted| wanted.is_object()) else {
            return Err("params.notifications must be an object");
        };
        let flag = |name: &str| match wanted.get_present(name).map(Raw::as_bool) {
            None => Ok(false),
            Some(flag) => flag.ok_or("a member of params.notifications that ends in ListChanged must be true or false"),
        };
        let mut uris = Vec::new();
        if let Some(list) = wanted.get_present("resourceSubscriptions") {
            let strings: Option<Vec<_>> = list.elements().map(Raw::as_str).collect();
            let strings = strings.filter(|_| list.kind() == Kind::Array);
            let strings = strings.ok_or("params.notifications.resourceSubscriptions must be an array of strings")?;
            if strings.len() > MAX_RESOURCES {
                return Err("params.notifications.resourceSubscriptions must have at most 1000 entries");
            }
            if declared.subscribe {
                uris.extend(strings.into_iter().map(|uri| uri.into_owned()));
            }
        }
        Ok(Self {
            server,
            id,
            tools: flag("toolsListChanged")? && declared.tools,
            prompts: flag("promptsListChanged")? && declared.prompts,
            resources: flag("resourcesListChanged")? && declared.resources,
            uris,
        })
    }

    /// Whether there is nothing that the client will ever hear: the subscription can end at once.
    pub fn is_empty(&self) -> bool {
        !(self.tools || self.prompts || self.resources) && self.uris.is_empty()
    }

    /// The text of the first message.
    pub fn acknowledged(&self) -> String {
        let mut out = self.params();
        out.name("notifications").open_object();
        for (name, there) in [
            ("toolsListChanged", self.tools),
            ("promptsListChanged", self.prompts),
            ("resourcesListChanged", self.resources),
        ] {
            if there {
                out.name(name).raw("true");
            }
        }
        if !self.uris.is_empty() {
            out.name("resourceSubscriptions").open_array();
            for uri in &self.uris {
                out.string(uri);
            }
            out.close_array();
        }
        out.close_object().close_object();
        notification(method::SUBSCRIPTIONS_ACKNOWLEDGED, Some(out.as_str()))
    }

    /// The text that tells of a change; `None` where the client did not ask for it.
    pub fn event(&self, change: Change<'_>) -> Option<String> {
        let (method, wanted) = match change {
            Change::Tools => (method::TOOLS_LIST_CHANGED, self.tools),
            Change::Prompts => (method::PROMPTS_LIST_CHANGED, self.prompts),
            Change::Resources => (method::RESOURCES_LIST_CHANGED, self.resources),
            Change::Resource(uri) => (method::RESOURCES_UPDATED, self.uris.iter().any(|own| own == uri)),
        };
        let mut out = self.params();
        if let Change::Resource(uri) = change {
            out.name("uri").string(uri);
        }
        out.close_object();
        wanted.then(|| notification(method, Some(out.as_str())))
    }

    /// The reply that ends the subscription.
    pub fn end(&self) -> Reply<'a> {
        let mut out = Writer::new();
        out.open_object().name("resultType").string("complete").name("_meta").open_object();
        out.name(meta::SUBSCRIPTION_ID).raw(self.id.as_text());
        out.name(meta::SERVER_INFO).raw(self.server.encoded.server_info());
        out.close_object().close_object();
        Reply::result(self.id, out.finish())
    }

    /// The reply where the caller has no room for another subscription.
    pub fn refuse(&self) -> Reply<'a> {
        let error = ErrorObject::new(INTERNAL_ERROR, "There are too many subscriptions; end one, or try again later");
        Reply::error(Some(self.id), 200, error)
    }

    /// The start of the params that each of its messages has.
    fn params(&self) -> Writer {
        let mut out = Writer::new();
        out.open_object().name("_meta").open_object();
        out.name(meta::SUBSCRIPTION_ID).raw(self.id.as_text()).close_object();
        out
    }
}
