//! Results that the server lets the client keep for a while. Modern only, and only where the application wants it.
//!
//! Page: 2026-07-28, server/utilities/caching.

use super::event::{CacheMode, Millis, Params};
use super::options::Caching;
use super::pending::Pending;
use super::{Call, Client, Event, Output};
use crate::protocol::json::{Raw, quote};
use crate::protocol::method;
use crate::protocol::version::Era;

/// How many results are kept; the oldest makes room. A page of a list is one, and nobody walks more at once.
pub const MAX_ENTRIES: usize = 100;

/// The longest time that a result is kept, whatever the server says: a day.
pub const MAX_TTL: Millis = 86_400_000;

/// What is kept.
#[derive(Default)]
pub(super) struct Cache {
    entries: Vec<Entry>,
    /// Counts what has made entries invalid: an answer to a request from before must not be kept.
    generation: u32,
    /// In whose name private results were got.
    context: String,
}

/// How long it may take to look up what is kept outside: by then a server has answered as a rule, so it is asked instead.
pub const STORE_TIMEOUT: Millis = 1_000;

struct Entry {
    method: String,
    /// What else tells it from others of its method.
    key: String,
    until: Millis,
    is_private: bool,
    text: String,
}

impl Client {
    /// In whose name requests go out from here on; private results of another are forgotten.
    pub fn set_authorization_context(&mut self, context: &str) {
        if self.cache.context != context {
            context.clone_into(&mut self.cache.context);
            self.forget_entries("", |entry| entry.is_private);
        }
    }

    /// What tells the call's result from others of its method; `None` where it is not to be kept.
    fn cache_key(&self, pending: &Pending) -> Option<String> {
        let is_plain = match pending.params.borrow() {
            Params::None | Params::Held => true,
            Params::Text(text) => pending.name.as_ref().is_some_and(|name| text == ["\"uri\":", &quote(name)].concat()),
        };
        let may_be = self.options.caching != Caching::None
            && self.era() == Some(Era::Modern)
            && method::is_cacheable(&pending.method)
            && pending.options.cache != CacheMode::Bypass
            && pending.meta.is_none()
            && pending.rounds == 0
            && is_plain;
        may_be.then(|| [pending.name.as_deref().unwrap_or_default(), "\0", &pending.extra].concat())
    }

    /// Whether the call's result is of interest as text.
    pub(super) fn may_keep(&self, call: Call) -> bool {
        self.calls.get(call).is_some_and(|pending| self.cache_key(pending).is_some())
    }

    /// Whether a result is there that is still fresh, or is being looked up. Notes when the request goes out otherwise.
    pub(super) fn is_kept(&mut self, call: Call, now: Millis) -> bool {
        let Some(pending) = self.calls.get(call) else { return false };
        let Some(key) = self.cache_key(pending) else { return false };
        let is_wanted = pending.options.cache == CacheMode::Use;
        let looks = is_wanted && self.options.stores && !pending.looked;
        let entries = &self.cache.entries;
        let entry =
            entries.iter().find(|entry| entry.method == pending.method && entry.key == key && now < entry.until);
        if let Some(entry) = entry.filter(|_| is_wanted) {
            let text = entry.text.clone();
            self.on_kept(call, text, now);
            return true;
        }
        let generation = self.cache.generation;
        let Some(pending) = self.calls.get_mut(call) else { return false };
        pending.generation = generation;
        pending.looked = looks;
        if looks {
            let deadline = now.saturating_add(STORE_TIMEOUT);
            pending.deadline = Some(deadline);
            let part = pending.extra.clone();
            self.arm(deadline);
            self.tell(Event::Lookup(call, part));
        }
        looks
    }

    /// What is kept outside for a call, if it still waits for that. Anything may have been put there.
    pub(super) fn on_looked_up(&mut self, call: Call, text: &str, now: Millis) {
        let Some(pending) = self.calls.get_mut(call).filter(|pending| pending.looked) else { return };
        pending.deadline = None;
        let result = Raw::parse(text.as_bytes()).ok().filter(|result| result.is_object());
        let Some(result) = result.filter(|_| pending.generation == self.cache.generation) else {
            return self.dispatch(call, now);
        };
        pending.looked = false;
        self.note_hints(call, result);
        let text = self.without_invalid_tools(call, result);
        self.on_kept(call, text, now);
    }

    /// Keeps a result if the server lets us, and nothing has made it invalid since it was asked for.
    pub(super) fn keep(&mut self, call: Call, result: Raw<'_>, text: &str, now: Millis) {
        let Some(pending) = self.calls.get(call) else { return };
        let ttl = result.get("ttlMs").and_then(Raw::as_i64).map_or(0, |ttl| Millis::try_from(ttl).unwrap_or_default());
        let is_private = result.get_str("cacheScope").is_none_or(|scope| scope != "public");
        if pending.generation != self.cache.generation || (is_private && self.options.caching == Caching::Public) {
            return;
        }
        let Some(key) = self.cache_key(pending) else { return };
        let ttl = ttl.min(MAX_TTL);
        if self.options.stores {
            if ttl > 0 || pending.options.cache == CacheMode::Refresh {
                let part = pending.extra.clone();
                self.tell(Event::Keep(call, part, text.to_owned(), ttl));
            }
            return;
        }
        let method = pending.method.clone();
        self.cache.entries.retain(|entry| entry.method != method || entry.key != key);
        if ttl > 0 {
            if self.cache.entries.len() >= MAX_ENTRIES {
                self.cache.entries.remove(0);
            }
            let until = now.saturating_add(ttl);
            self.cache.entries.push(Entry { method, key, until, is_private, text: text.to_owned() });
        }
    }

    /// A notification says that something has changed.
    pub(super) fn invalidate(&mut self, notification: &str, params: Option<Raw<'_>>) {
        let uri = params.and_then(|params| params.get_str("uri")).unwrap_or_default();
        self.forget_entries(&uri, |entry| match (notification, entry.method.as_str()) {
            (method::TOOLS_LIST_CHANGED, method::TOOLS_LIST)
            | (method::PROMPTS_LIST_CHANGED, method::PROMPTS_LIST)
            | (method::RESOURCES_LIST_CHANGED, method::RESOURCES_LIST | method::RESOURCES_TEMPLATES_LIST) => true,
            // What is inside of it has changed too, and what it is inside of.
            (method::RESOURCES_UPDATED, method::RESOURCES_READ) => {
                let own = entry.key.trim_end_matches('\0');
                own.starts_with(uri.as_ref()) || uri.starts_with(own)
            }
            _ => false,
        });
    }

    /// Nothing that is kept may be relied on any longer.
    pub(super) fn forget_results(&mut self) {
        self.forget_entries("", |_| true);
    }

    /// `uri` is that of the resource that it is about.
    fn forget_entries(&mut self, uri: &str, is_invalid: impl Fn(&Entry) -> bool) {
        self.cache.generation = self.cache.generation.wrapping_add(1);
        self.cache.entries.retain(|entry| !is_invalid(entry));
        for method in method::CACHEABLE.into_iter().filter(|_| self.options.stores) {
            let key = uri.to_owned();
            let entry = Entry { method: method.to_owned(), key, until: 0, is_private: false, text: String::new() };
            if is_invalid(&entry) {
                self.outputs.push_back(Output::Event(Event::Forget(entry.method, entry.key)));
            }
        }
    }
}
