//! What an application says about its host, and how much it puts up with.

use super::super::policy::{self, Csp};
use super::super::shape::fit;
use super::super::shapes;
use crate::protocol::apps;
use crate::protocol::json::{Kind, Raw, Writer};
use crate::protocol::method;

/// How much a host puts up with from one View.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Limits {
    /// The longest message in bytes of JSON: what a View's tool may give as its result, and an envelope.
    pub message_bytes: usize,
    /// Requests of the View that are answered at once; a page of widgets needs a few dozen.
    pub requests: usize,
    /// Messages in a second: a View that sends more is in a loop.
    pub messages_per_second: u32,
    /// How long the sandbox page may take to answer, in milliseconds: a page on a slow line needs seconds, and one that is
    /// not there, or may not be framed, never says so.
    pub load_ms: u64,
    /// How long a View may take to put its things away, in milliseconds: people wait for it.
    pub teardown_ms: u64,
    /// The largest width or height that is believed, in CSS pixels.
    pub size_px: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            message_bytes: apps::MAX_VIEW_TOOL_RESULT_BYTES as usize + 64 * 1024,
            requests: 100,
            messages_per_second: 1_000,
            load_ms: 30_000,
            teardown_ms: 2_000,
            size_px: apps::MAX_SIZE_PX,
        }
    }
}

/// What an application says about its host.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Options {
    /// Who the host is, an `Implementation` as JSON.
    pub host_info: String,
    /// The host context, as JSON.
    pub context: String,
    /// The requests of [`apps::HOST_ANSWERS`] that the application answers.
    pub handled: Vec<String>,
    /// Whether it takes the View's log.
    pub logs: bool,
    /// The server's capabilities as JSON; empty where they are not known.
    pub server_capabilities: String,
    /// More capabilities of the host, an object as JSON; empty for none.
    pub capabilities: String,
    /// What the View wants, `_meta.ui` as JSON; empty for nothing.
    pub ui: String,
    /// The permissions that are granted; `None` for all.
    pub granted: Option<Vec<String>>,
    /// Whether older spellings are understood.
    pub tolerant: bool,
    /// How much it puts up with.
    pub limits: Limits,
}

impl Options {
    /// Reads them from an object whose members are named as the fields, in camel case.
    ///
    /// # Errors
    ///
    /// A message where a member is not what it has to be.
    pub fn read(raw: Raw<'_>) -> Result<Self, String> {
        let object = |name: &str| match raw.get(name) {
            None => Ok(String::new()),
            Some(value) if value.is_object() => Ok(value.as_text().to_owned()),
            Some(_) => Err([name, " must be an object"].concat()),
        };
        let texts =
            |value: Raw<'_>| value.elements().filter_map(Raw::as_str).map(|text| text.into_owned()).collect::<Vec<_>>();
        let flag = |name: &str| raw.get(name).and_then(Raw::as_bool).unwrap_or(false);
        let limits = object("limits")?;
        let limits = Raw::parse(limits.as_bytes()).unwrap_or(Raw::NULL);
        let limit = |name: &str, usual: u64| match limits.get(name).map(Raw::as_i64) {
            None => Ok(usual),
            Some(Some(value @ 0..)) => Ok(value.unsigned_abs()),
            Some(_) => Err(["limits.", name, " must be a whole number from 0 on"].concat()),
        };
        let at_most = |value: u64| u32::try_from(value).unwrap_or(u32::MAX);
        let usual = Limits::default();
        let limits = Limits {
            message_bytes: usize::try_from(limit("messageBytes", usual.message_bytes as u64)?).unwrap_or(usize::MAX),
            requests: usize::try_from(limit("requests", usual.requests as u64)?).unwrap_or(usize::MAX),
            messages_per_second: at_most(limit("messagesPerSecond", u64::from(usual.messages_per_second))?),
            load_ms: limit("loadMs", usual.load_ms)?,
            teardown_ms: limit("teardownMs", usual.teardown_ms)?,
            size_px: at_most(limit("sizePx", u64::from(usual.size_px))?),
        };
        let info = raw.get("hostInfo");
        if info.is_some_and(|info| info.get_str("name").is_none() || info.get_str("version").is_none()) {
            return Err("hostInfo must have a name and a version".to_owned());
        }
        let granted = raw.get("granted");
        let is_permission =
            |one: Raw<'_>| apps::PERMISSIONS.iter().any(|(name, _)| one.as_str().as_deref() == Some(name));
        if granted.is_some_and(|list| list.kind() != Kind::Array || !list.elements().all(is_permission)) {
            return Err("permissions must be an array of camera, microphone, geolocation and clipboardWrite".to_owned());
        }
        Ok(Self {
            host_info: object("hostInfo")?,
            context: object("context")?,
            handled: raw.get("handled").map(texts).unwrap_or_default(),
            logs: flag("logs"),
            server_capabilities: object("serverCapabilities").unwrap_or_default(),
            capabilities: object("capabilities")?,
            ui: object("ui").unwrap_or_default(),
            granted: granted.map(texts),
            tolerant: flag("tolerant"),
            limits,
        })
    }

    /// Whether the application answers that request.
    pub(super) fn handles(&self, method: &str) -> bool {
        self.handled.iter().any(|own| own == method)
    }

    /// Whether the server has what a method is about. One whose capabilities are not known has everything.
    pub(super) fn has_server(&self, capability: &str) -> bool {
        match Raw::parse(self.server_capabilities.as_bytes()) {
            Ok(capabilities) => capabilities.get(capability).is_some_and(Raw::is_object),
            Err(_) => true,
        }
    }

    /// Whether that notification is about a list that the server has.
    pub(super) fn has_server_list(&self, notification: &str) -> bool {
        self.has_server(match notification {
            method::TOOLS_LIST_CHANGED => "tools",
            method::PROMPTS_LIST_CHANGED => "prompts",
            _ => "resources",
        })
    }

    /// `hostInfo`, as far as a View accepts it.
    pub(super) fn write_host_info(&self, dropped: &mut Vec<String>) -> String {
        let own = Raw::parse(self.host_info.as_bytes()).ok();
        let fitted = own.and_then(|own| fit(own, &shapes::IMPLEMENTATION, "hostInfo", dropped));
        fitted.unwrap_or_else(|| ["{\"name\":\"mcp-duet\",\"version\":\"", env!("CARGO_PKG_VERSION"), "\"}"].concat())
    }

    /// `hostCapabilities`: what the application handles, what the server has, what the sandbox grants.
    pub(super) fn write_capabilities(&self, dropped: &mut Vec<String>) -> String {
        const MODALITIES: &str =
            r#"{"text":{},"image":{},"audio":{},"resource":{},"resourceLink":{},"structuredContent":{}}"#;
        let own = Raw::parse(self.capabilities.as_bytes()).ok();
        let own = own.and_then(|own| fit(own, &shapes::HOST_CAPABILITIES, "capabilities", dropped));
        let own = own.as_deref().and_then(|text| Raw::parse(text.as_bytes()).ok()).unwrap_or(Raw::EMPTY_OBJECT);
        let mut out = Writer::new();
        out.open_object();
        let mut add = |name: &str, present: bool, value: &str| {
            if present && own.get(name).is_none() {
                out.name(name).raw(value);
            }
        };
        add("openLinks", self.handles(apps::OPEN_LINK), "{}");
        add("downloadFile", self.handles(apps::DOWNLOAD_FILE), "{}");
        add("message", self.handles(apps::MESSAGE), MODALITIES);
        add("updateModelContext", self.handles(apps::UPDATE_MODEL_CONTEXT), MODALITIES);
        add("sampling", self.handles(method::SAMPLING_CREATE_MESSAGE), "{}");
        add("logging", self.logs, "{}");
        for (name, capability) in [("serverTools", "tools"), ("serverResources", "resources")] {
            add(
                name,
                self.has_server(capability),
                if self.lists_change(capability) { "{\"listChanged\":true}" } else { "{}" },
            );
        }
        add("sandbox", true, &self.write_sandbox());
        for (key, value) in own.members() {
            out.key(key).value(value);
        }
        out.close_object();
        out.finish()
    }

    fn lists_change(&self, capability: &str) -> bool {
        let capabilities = Raw::parse(self.server_capabilities.as_bytes()).unwrap_or(Raw::NULL);
        let member = capabilities.get(capability).and_then(|own| own.get("listChanged"));
        member.and_then(Raw::as_bool) == Some(true)
    }

    /// What the sandbox grants.
    fn write_sandbox(&self) -> String {
        let ui = Raw::parse(self.ui.as_bytes()).unwrap_or(Raw::NULL);
        let mut out = Writer::new();
        out.open_object().name("permissions");
        policy::write_permissions(&mut out, ui.get("permissions"), self.granted.as_deref());
        out.name("csp");
        Csp::read(ui.get("csp")).write(&mut out);
        out.close_object();
        out.finish()
    }
}
