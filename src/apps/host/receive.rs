//! What a View sends: its handshake, its notifications, its answers.

use super::super::number;
use super::super::shape::fit;
use super::super::shapes;
use super::{Host, Output, Phase};
use crate::protocol::apps;
use crate::protocol::error::{ErrorObject, INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST, abridged};
use crate::protocol::json::{Kind, Raw, Writer};
use crate::protocol::jsonrpc::{Message, error_response};
use crate::protocol::method;

/// The most pixels by which content may shrink without its frame following: a View that measures itself in
/// a frame of its own size can lose a pixel each time, for ever.
const IGNORED_SHRINKING_PX: u32 = 4;

/// Our sandbox page to its host: the View's frame shows another document, which is no longer listened to.
pub const SANDBOX_NAVIGATED: &str = "ui/notifications/sandbox-navigated";

/// The levels of `notifications/message`.
const LEVELS: [&str; 8] = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

impl Host {
    /// A message from the frame, as JSON. What is no JSON-RPC 2.0 is none of ours, and is ignored.
    pub fn receive(&mut self, message: &[u8], now: u64) {
        if self.phase == Phase::Closed {
            return;
        }
        let is_flood = self.is_flood(now);
        let Ok(raw) = Raw::parse(message) else { return };
        if raw.get_str("jsonrpc").as_deref() != Some("2.0") {
            return;
        }
        if message.len() > self.options.limits.message_bytes {
            return self.too_long(raw);
        }
        match Message::read(raw) {
            Ok(Message::Request { id, method, .. }) if is_flood => {
                self.refuse(id.as_text(), apps::DENIED, &["too many messages at once, refused ", abridged(&method)]);
            }
            Ok(Message::Notification { .. }) if is_flood => {}
            Ok(Message::Request { id, method, params }) => self.request(id.as_text(), &method, params),
            Ok(Message::Notification { method, params }) => self.notified(&method, params, now),
            Ok(Message::Result { id, result }) => self.answered(&id.canonical(), Ok(result)),
            Ok(Message::Error { id: Some(id), error }) => self.answered(&id.canonical(), Err(error)),
            Ok(Message::Error { id: None, error }) => {
                self.warn(&["the View could not read a message: ", abridged(&error.message)].concat());
            }
            Err(invalid) => {
                self.warn(&["dropped an invalid message of the View: ", invalid.reason].concat());
                if let Some(id) = invalid.id.filter(|_| raw.get("method").is_some()) {
                    self.post(error_response(Some(id.as_text()), &invalid.to_error()));
                }
            }
        }
    }

    /// Who waits for an answer hears at once that there will be none.
    fn too_long(&mut self, raw: Raw<'_>) {
        let reason = "dropped a message of the View that is longer than messageBytes";
        self.warn(reason);
        match Message::read(raw) {
            Ok(Message::Request { id, .. }) => self.refuse(id.as_text(), apps::DENIED, &[reason]),
            Ok(Message::Result { id, .. } | Message::Error { id: Some(id), .. }) => {
                self.answered(&id.canonical(), Err(ErrorObject::new(INTERNAL_ERROR, reason)));
            }
            _ => {}
        }
    }

    /// Counts the messages of each second.
    fn is_flood(&mut self, now: u64) -> bool {
        let (began, count) = self.counted;
        let count = if now >= began.saturating_add(1_000) || now < began { 0 } else { count };
        self.counted = (if count == 0 { now } else { began }, count.saturating_add(1));
        let most = self.options.limits.messages_per_second;
        if count == most {
            self.warn("the View sends more than messagesPerSecond; the rest of this second is refused");
        }
        count >= most
    }

    fn request(&mut self, id: &str, method: &str, params: Option<Raw<'_>>) {
        match method {
            method::PING => self.answer(id, "{}"),
            apps::INITIALIZE => self.initialize(id, params.unwrap_or(Raw::EMPTY_OBJECT)),
            _ if !self.was_live => {
                self.refuse(id, INVALID_REQUEST, &["expected ui/notifications/initialized before ", abridged(method)]);
            }
            _ => self.view_asks(id, method, params.unwrap_or(Raw::EMPTY_OBJECT)),
        }
    }

    /// The handshake; also of a View that starts again in its frame.
    fn initialize(&mut self, id: &str, params: Raw<'_>) {
        let wanted = |reason: &str| ["Invalid params for ui/initialize: ", reason].concat();
        let info = params.get("appInfo");
        let is_info = info.is_some_and(|info| info.get_str("name").is_some() && info.get_str("version").is_some());
        let capabilities = params.get("appCapabilities").filter(|capabilities| capabilities.is_object());
        let (Some(info), Some(capabilities)) = (info.filter(|_| is_info), capabilities) else {
            let reason =
                if is_info { "appCapabilities must be an object" } else { "appInfo must have name and version" };
            return self.refuse(id, INVALID_PARAMS, &[&wanted(reason)]);
        };
        if params.get_str("protocolVersion").is_none() {
            return self.refuse(id, INVALID_PARAMS, &[&wanted("protocolVersion must be a string")]);
        }
        if self.phase == Phase::Closing {
            return self.refuse(id, apps::DENIED, &["the View is about to be removed"]);
        }
        self.phase = Phase::Greeted;
        self.sent = None;
        self.is_partial_told = false;
        self.changed.clear();
        self.app_info = info.as_text().to_owned();
        self.app_capabilities = capabilities.as_text().to_owned();
        let modes = capabilities.get("availableDisplayModes").filter(|modes| modes.kind() == Kind::Array);
        self.modes = modes.map(|modes| modes.as_text().to_owned());
        self.has_tools = capabilities.get("tools").is_some_and(Raw::is_object);
        let mut dropped = Vec::new();
        let mut out = Writer::new();
        out.open_object().name("protocolVersion").string(apps::PROTOCOL_VERSION);
        out.name("hostInfo").raw(&self.options.write_host_info(&mut dropped));
        out.name("hostCapabilities").raw(&self.options.write_capabilities(&mut dropped));
        out.name("hostContext").raw(&self.context.write(None));
        out.close_object();
        self.warn_dropped(dropped);
        self.answer(id, out.as_str());
    }

    fn notified(&mut self, method: &str, params: Option<Raw<'_>>, now: u64) {
        let params = params.unwrap_or(Raw::EMPTY_OBJECT);
        let current = apps::OLDER_SPELLINGS.iter().find(|(older, _)| self.options.tolerant && *older == method);
        let method = current.map_or(method, |(_, current)| *current);
        match method {
            apps::SANDBOX_PROXY_READY => self.load(),
            SANDBOX_NAVIGATED => {
                self.warn("the View left its document, which ends it");
                self.close();
            }
            apps::INITIALIZED if self.phase == Phase::Greeted => self.initialized(),
            _ if !self.is_open() => {}
            apps::SIZE_CHANGED => self.resized(params),
            apps::REQUEST_TEARDOWN => self.outputs.push(Output::TeardownRequested),
            method::LOG_MESSAGE => self.log(params),
            method::TOOLS_LIST_CHANGED => self.tools_changed(now),
            method::CANCELLED => self.cancelled(params),
            method::PROGRESS => self.progressed(params, now),
            _ => {}
        }
    }

    /// The proxy is there: with its first document, or with another one because its frame was moved or loaded again.
    fn load(&mut self) {
        if self.phase == Phase::Closing {
            // The View that was told is gone.
            return self.close();
        }
        self.phase = Phase::Loading;
        self.silent_at = None;
        self.was_live = false;
        self.size = (None, None);
        self.drop_requests();
        self.fail_asked("the View was loaded again");
        self.outputs.push(Output::Load);
    }

    fn initialized(&mut self) {
        self.phase = Phase::Live;
        self.was_live = true;
        self.outputs.push(Output::Initialized {
            app_info: self.app_info.clone(),
            app_capabilities: self.app_capabilities.clone(),
        });
        self.tell_context();
        self.tell_tool_data();
    }

    fn resized(&mut self, params: Raw<'_>) {
        let most = self.options.limits.size_px;
        let axis = |name: &str| number::ceil(params.get(name)?).map(|size| size.min(most));
        let news = |new: Option<u32>, old: Option<u32>| {
            new.filter(|new| old.is_none_or(|old| *new > old || old - new > IGNORED_SHRINKING_PX))
        };
        let (width, height) = (news(axis("width"), self.size.0), news(axis("height"), self.size.1));
        if width.is_some() || height.is_some() {
            self.size = (width.or(self.size.0), height.or(self.size.1));
            self.outputs.push(Output::Size { width, height });
        }
    }

    fn log(&mut self, params: Raw<'_>) {
        let is_level = params.get_str("level").is_some_and(|level| LEVELS.contains(&&*level));
        if !is_level || params.get("data").is_none() {
            return self.warn("dropped a log message of the View without a level or data");
        }
        if self.options.logs {
            self.outputs.push(Output::Log(params.as_text().to_owned()));
        }
    }

    /// Lets through one such notification in a while.
    fn tools_changed(&mut self, now: u64) {
        let interval = u64::from(apps::LIST_CHANGED_INTERVAL_MS);
        let is_soon = self.tools_changed_at.is_some_and(|at| now >= at && now < at.saturating_add(interval));
        if self.has_tools && !is_soon {
            self.tools_changed_at = Some(now);
            self.outputs.push(Output::ToolsChanged);
        }
    }

    /// A progress notification as far as a View or an application can read it.
    pub(super) fn fit_progress(params: Raw<'_>) -> Option<Vec<(&'static str, String)>> {
        params.get("progress").filter(|progress| progress.kind() == Kind::Number)?;
        let mut dropped = Vec::new();
        let fitted = fit(params, &shapes::PROGRESS, "progress", &mut dropped)?;
        let fitted = Raw::parse(fitted.as_bytes()).ok()?;
        let names = ["progress", "total", "message"].into_iter();
        Some(names.filter_map(|name| Some((name, fitted.get(name)?.as_text().to_owned()))).collect())
    }
}
