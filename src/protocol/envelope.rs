//! What every modern request says about its sender (2026-07-28, basic/index, "`_meta`").

use super::json::{Raw, Writer, quote};
use super::meta;

/// The members that every modern request's `_meta` has, encoded once: protocol version, client info, capabilities.
#[derive(Clone, Debug)]
pub struct Stamp {
    members: String,
    version: &'static str,
}

impl Stamp {
    /// `client_info` and `capabilities` are JSON objects.
    pub fn new(version: &'static str, client_info: &str, capabilities: &str) -> Self {
        let mut members = String::with_capacity(192 + client_info.len() + capabilities.len());
        push_member(&mut members, meta::PROTOCOL_VERSION, &quote(version));
        push_member(&mut members, meta::CLIENT_INFO, client_info);
        push_member(&mut members, meta::CLIENT_CAPABILITIES, capabilities);
        Self { members, version }
    }

    /// The protocol version that it states.
    pub fn version(&self) -> &'static str {
        self.version
    }

    /// Its members without braces, so that `_meta` can be completed.
    pub fn members(&self) -> &str {
        &self.members
    }

    /// Appends its members to an object in the making, without those that the caller's `_meta` sets: keys of
    /// the caller are kept.
    pub fn push(&self, out: &mut String, user: Option<Raw<'_>>) {
        let taken = |key: &str| user.is_some_and(|user| user.get(key).is_some());
        if !(taken(meta::PROTOCOL_VERSION) || taken(meta::CLIENT_INFO) || taken(meta::CLIENT_CAPABILITIES)) {
            out.push_str(&self.members);
            return;
        }
        let text = ["{", &self.members, "}"].concat();
        let Ok(own) = Raw::parse(text.as_bytes()) else { return };
        for (key, value) in own.members() {
            let name = key.name();
            if !taken(&name) {
                push_member(out, &name, value.as_text());
            }
        }
    }
}

fn push_member(out: &mut String, key: &str, value: &str) {
    if !matches!(out.as_bytes().last(), None | Some(b'{')) {
        out.push(',');
    }
    out.push('"');
    out.push_str(key);
    out.push_str("\":");
    out.push_str(value);
}

/// The text of a modern request. `id` is JSON, `params` an object; what its `_meta` has already is kept.
pub fn request(id: &str, method: &str, params: Option<Raw<'_>>, stamp: &Stamp) -> String {
    let user = params.and_then(|params| params.get("_meta")).filter(|meta| meta.is_object());
    let mut own = String::from("{");
    stamp.push(&mut own, user);
    for (key, value) in user.unwrap_or(Raw::EMPTY_OBJECT).members() {
        push_member(&mut own, key.inner(), value.as_text());
    }
    own.push('}');
    let mut out = Writer::new();
    out.open_object().name("jsonrpc").string("2.0").name("id").raw(id).name("method").string(method);
    out.name("params").open_object().name("_meta").raw(&own);
    for (key, value) in params.unwrap_or(Raw::EMPTY_OBJECT).members() {
        if !key.is("_meta") {
            out.key(key).value(value);
        }
    }
    out.close_object().close_object();
    out.finish()
}
