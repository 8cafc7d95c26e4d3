//! The constant parts of answers, encoded once, when somebody first asks for them.
//!
//! Each has a key, the same in every server of the same definition, so that a caller on the other
//! side of a boundary can keep what it has decoded.

use super::caller::ItemKind;
use super::items::check_kinds;
use super::listen::Declared;
use super::options::check_capabilities;
use super::registry::{LegacyMode, Registry};
use super::{CacheHint, ServerError};
use crate::protocol::json::{Raw, Writer};
use crate::protocol::version::{Era, ProtocolVersion};
use crate::protocol::{changes, meta, method};
use std::sync::OnceLock;

/// The largest page, and the page where the definition names no size: all items at once up to here.
const MAX_PAGE: usize = 1000;

/// A list: its method and the member that holds it.
fn names_of(kind: ItemKind) -> (&'static str, &'static str) {
    match kind {
        ItemKind::Tool => (method::TOOLS_LIST, "tools"),
        ItemKind::Resource => (method::RESOURCES_LIST, "resources"),
        ItemKind::Template => (method::RESOURCES_TEMPLATES_LIST, "resourceTemplates"),
        ItemKind::Prompt => (method::PROMPTS_LIST, "prompts"),
    }
}

pub(super) struct Encoded {
    constants: Vec<Constant>,
    /// The key of the first page and how many there are, per list and era; none of a list that is different for each
    /// caller.
    lists: Vec<PerEra<(usize, usize)>>,
    page_size: usize,
    discover: usize,
    /// The keys of the `initialize` results, per legacy version of ours.
    initialize: Vec<(ProtocolVersion, usize)>,
    /// The results without members.
    empty: PerEra<usize>,
    /// The heads of results that are not cacheable.
    heads: PerEra<usize>,
    /// The heads of `resources/read` results of the modern era, per hint.
    read_heads: Vec<(CacheHint, usize)>,
    /// The server's name and version, for `_meta`.
    server_info: String,
    /// What the server can do, and how to use it: JSON both.
    capabilities: String,
    instructions: Option<String>,
    logging: bool,
    extends: bool,
    declared: Declared,
}

struct Constant {
    what: What,
    text: OnceLock<String>,
}

/// What a constant is.
#[derive(Clone, Copy)]
enum What {
    /// The start of a result.
    Head(Era, Option<CacheHint>),
    /// A result without members.
    Empty(Era),
    /// A page of a list.
    Page(ItemKind, Era, usize),
    Discover,
    Initialize(ProtocolVersion),
}

/// One of something for each era.
#[derive(Clone, Copy, Debug, Default)]
struct PerEra<T> {
    legacy: T,
    modern: T,
}

impl<T> PerEra<T> {
    fn of(&self, era: Era) -> &T {
        match era {
            Era::Legacy => &self.legacy,
            Era::Modern => &self.modern,
        }
    }
}

impl Encoded {
    pub(super) fn new(definition: Raw<'_>, registry: &Registry) -> Result<Self, ServerError> {
        let server_info = server_info(definition)?;
        let capabilities = capabilities(definition, registry)?;
        let instructions = match definition.get_present("instructions") {
            Some(text) if text.as_str().is_none() => {
                return Err(ServerError::new("instructions", "must be a string"));
            }
            text => text,
        };
        let page_size = match definition.get_present("pageSize") {
            None => MAX_PAGE,
            Some(size) => size
                .as_i64()
                .and_then(|size| usize::try_from(size).ok())
                .filter(|size| (1..=MAX_PAGE).contains(size))
                .ok_or_else(|| ServerError::new("pageSize", "must be a whole number from 1 to 1000"))?,
        };
        let own = definition.get("capabilities");
        let declares = |name| own.and_then(|own| own.get_present(name)).is_some();
        let mut out = Self {
            constants: Vec::new(),
            lists: Vec::new(),
            page_size,
            discover: 0,
            initialize: Vec::new(),
            empty: PerEra::default(),
            heads: PerEra::default(),
            read_heads: Vec::new(),
            server_info,
            capabilities,
            instructions: instructions.map(|text| text.as_text().to_owned()),
            declared: Declared::read(own),
            logging: declares("logging"),
            extends: declares("extensions"),
        };
        out.heads = out.both(|era| What::Head(era, None));
        out.empty = out.both(What::Empty);
        out.keep_read_heads(registry);
        for kind in ItemKind::ALL {
            let pages = out.keep_pages(kind, registry);
            out.lists.push(pages);
        }
        out.discover = out.keep(What::Discover);
        if registry.legacy != LegacyMode::Reject {
            for version in registry.versions.iter().filter(|version| version.era() == Era::Legacy) {
                let key = out.keep(What::Initialize(*version));
                out.initialize.push((*version, key));
            }
        }
        Ok(out)
    }

    /// The constant of that key; `registry` is the one that these constants are of.
    pub(super) fn constant(&self, key: usize, registry: &Registry) -> &str {
        let Some(constant) = self.constants.get(key) else { return "" };
        constant.text.get_or_init(|| self.encode(constant.what, registry))
    }

    fn encode(&self, what: What, registry: &Registry) -> String {
        match what {
            What::Head(era, hint) => self.head(era, hint),
            What::Empty(era) => self.result(era, None, |_| {}),
            What::Page(kind, era, page) => {
                let hint = registry.hint(names_of(kind).0);
                self.page_text(kind, era, page, &registry.list(kind).texts, hint).unwrap_or_default()
            }
            What::Discover => self.result(Era::Modern, Some(registry.hint(method::SERVER_DISCOVER)), |out| {
                out.name("supportedVersions").raw(&registry.versions_json());
                out.name("capabilities").raw(&self.capabilities);
                self.write_instructions(out);
            }),
            What::Initialize(version) => {
                let mut text = Writer::new();
                text.open_object().name("protocolVersion").string(version.as_str());
                text.name("capabilities").raw(&self.capabilities).name("serverInfo").raw(&self.server_info);
                self.write_instructions(&mut text);
                text.close_object();
                let readable = changes::result_for(version, method::INITIALIZE, whole(text.as_str()));
                readable.unwrap_or_else(|| text.finish())
            }
        }
    }

    fn write_instructions(&self, out: &mut Writer) {
        if let Some(text) = &self.instructions {
            out.name("instructions").raw(text);
        }
    }

    pub(super) fn discover(&self) -> usize {
        self.discover
    }

    pub(super) fn empty(&self, era: Era) -> usize {
        *self.empty.of(era)
    }

    /// The `initialize` result for what a client asks for: that version if we serve it, else our latest legacy one.
    pub(super) fn initialize(&self, requested: &str) -> Option<(ProtocolVersion, usize)> {
        let latest = self.initialize.iter().max_by_key(|(version, _)| *version)?;
        let same = self.initialize.iter().find(|(version, _)| version.as_str() == requested);
        Some(*same.unwrap_or(latest))
    }

    /// The key of the page of a list that `cursor` names; the first one without. `None` for a cursor that is not ours.
    pub(super) fn page(&self, kind: ItemKind, era: Era, cursor: Option<&str>) -> Option<usize> {
        let (first, pages) = self.lists.get(kind as usize)?.of(era);
        page_number(cursor).filter(|page| page < pages).map(|page| first + page)
    }

    /// The page of a list of these items, as [`Encoded::page`] finds it.
    pub(super) fn page_of(
        &self,
        kind: ItemKind,
        era: Era,
        cursor: Option<&str>,
        items: &[String],
        hint: CacheHint,
    ) -> Option<String> {
        self.page_text(kind, era, page_number(cursor)?, items, hint)
    }

    fn page_text(&self, kind: ItemKind, era: Era, page: usize, items: &[String], hint: CacheHint) -> Option<String> {
        let rest = items.get(page.checked_mul(self.page_size)?..).filter(|rest| page == 0 || !rest.is_empty())?;
        let (shown, later) = rest.split_at(rest.len().min(self.page_size));
        let (method, member) = names_of(kind);
        let text = self.result(era, Some(hint), |out| {
            out.name(member).open_array();
            shown.iter().for_each(|item| {
                out.raw(item);
            });
            out.close_array();
            if !later.is_empty() {
                let mut cursor = String::from(CURSOR);
                cursor.push_str(&(page + 1).to_string());
                out.name("nextCursor").string(&cursor);
            }
        });
        // What an older peer cannot read is taken out when one asks.
        let version = if era == Era::Legacy { ProtocolVersion::LATEST_LEGACY } else { ProtocolVersion::LATEST };
        Some(changes::result_for(version, method, whole(&text)).unwrap_or(text))
    }

    /// The key of the start of a result, up to its own members.
    pub(super) fn head_key(&self, era: Era, hint: Option<CacheHint>) -> usize {
        let plain = self.heads.of(era);
        match hint {
            Some(hint) if era == Era::Modern => {
                self.read_heads.iter().find(|(own, _)| *own == hint).map_or(*plain, |(_, key)| *key)
            }
            _ => *plain,
        }
    }

    pub(super) fn server_info(&self) -> &str {
        &self.server_info
    }

    /// Whether the server declares `logging`.
    pub(super) fn logs(&self) -> bool {
        self.logging
    }

    /// Whether the server declares extensions, which may have kinds of results of their own.
    pub(super) fn extends(&self) -> bool {
        self.extends
    }

    /// The changes that the server declares to tell of.
    pub(super) fn declared(&self) -> Declared {
        self.declared
    }

    fn keep(&mut self, what: What) -> usize {
        self.constants.push(Constant { what, text: OnceLock::new() });
        self.constants.len() - 1
    }

    fn keep_read_heads(&mut self, registry: &Registry) {
        let own = registry.resources.items.iter().map(|item| item.hint);
        let hints = own.chain(registry.templates.items.iter().map(|item| item.hint));
        for hint in hints {
            if self.read_heads.iter().any(|(own, _)| *own == hint) {
                continue;
            }
            let key = self.keep(What::Head(Era::Modern, Some(hint)));
            self.read_heads.push((hint, key));
        }
    }

    fn keep_pages(&mut self, kind: ItemKind, registry: &Registry) -> PerEra<(usize, usize)> {
        if registry.is_own(kind) {
            return PerEra::default();
        }
        // A list without items has a page too.
        let pages = registry.list(kind).texts.len().div_ceil(self.page_size).max(1);
        let mut keep = |era| {
            let first = self.constants.len();
            for page in 0..pages {
                self.keep(What::Page(kind, era, page));
            }
            (first, pages)
        };
        PerEra { legacy: keep(Era::Legacy), modern: keep(Era::Modern) }
    }

    fn both(&mut self, what: impl Fn(Era) -> What) -> PerEra<usize> {
        PerEra { legacy: self.keep(what(Era::Legacy)), modern: self.keep(what(Era::Modern)) }
    }

    /// The start of a result: an object that still lacks its own members and its end.
    fn head(&self, era: Era, hint: Option<CacheHint>) -> String {
        let mut out = self.stamped(era, hint);
        if era == Era::Modern {
            out.push(',');
        }
        out
    }

    fn stamped(&self, era: Era, hint: Option<CacheHint>) -> String {
        let mut out = Writer::new();
        out.open_object();
        if era == Era::Modern {
            out.name("resultType").string("complete");
            if let Some(hint) = hint {
                write_hint(&mut out, hint);
            }
            out.name("_meta").open_object().name(meta::SERVER_INFO).raw(&self.server_info).close_object();
        }
        out.finish()
    }

    /// A whole result.
    fn result(&self, era: Era, hint: Option<CacheHint>, members: impl FnOnce(&mut Writer)) -> String {
        let mut out = Writer::new();
        out.raw(&self.stamped(era, hint));
        members(&mut out);
        out.close_object();
        out.finish()
    }
}

/// The page that a cursor names, the first one without; `None` for a cursor that is not ours.
fn page_number(cursor: Option<&str>) -> Option<usize> {
    match cursor {
        None => Some(0),
        Some(cursor) => {
            let digits = cursor.strip_prefix(CURSOR).filter(|digits| !digits.starts_with(['0', '+']))?;
            digits.parse().ok()
        }
    }
}

/// A text of our own as a value.
fn whole(text: &str) -> Raw<'_> {
    Raw::parse(text.as_bytes()).unwrap_or(Raw::EMPTY_OBJECT)
}

/// What our cursors begin with; behind it stands the number of the page.
const CURSOR: &str = "page-";

pub(super) fn write_hint(out: &mut Writer, hint: CacheHint) {
    let ttl = i64::try_from(hint.ttl_ms).unwrap_or(i64::MAX);
    out.name("ttlMs").integer(ttl).name("cacheScope").string(if hint.public { "public" } else { "private" });
}

fn server_info(definition: Raw<'_>) -> Result<String, ServerError> {
    let mut out = Writer::new();
    out.open_object();
    for &name in &["name", "version"] {
        let Some(value) = definition.get(name).filter(|value| value.as_str().is_some()) else {
            return Err(ServerError::new(name, "is required and must be a string"));
        };
        out.name(name).value(value);
    }
    let shown = ["title", "description", "websiteUrl", "icons"];
    check_kinds(definition, &|name| shown.contains(&name))
        .map_err(|rule| ServerError::new("a server's definition", &rule))?;
    for &name in &shown {
        if let Some(value) = definition.get_present(name) {
            out.name(name).value(value);
        }
    }
    out.close_object();
    Ok(out.finish())
}

/// The declared capabilities: what is there by its items, and what the author adds.
fn capabilities(definition: Raw<'_>, registry: &Registry) -> Result<String, ServerError> {
    let changes = Declared::read(definition.get("capabilities"));
    let mut out = Writer::new();
    out.open_object();
    let computed = [
        ("tools", registry.tools.list.declared),
        ("resources", registry.resources.list.declared || registry.templates.list.declared),
        ("prompts", registry.prompts.list.declared),
        ("completions", registry.completes),
    ];
    for &(name, there) in &computed {
        if there {
            let changed = match name {
                "tools" => changes.tools,
                "prompts" => changes.prompts,
                "resources" => changes.resources,
                _ => false,
            };
            out.name(name).open_object();
            if changed {
                out.name("listChanged").raw("true");
            }
            if name == "resources" && changes.subscribe {
                out.name("subscribe").raw("true");
            }
            out.close_object();
        }
    }
    if let Some(own) = definition.get_present("capabilities") {
        check_capabilities(own)?;
        write_others(&mut out, own, &computed);
    }
    out.close_object();
    Ok(out.finish())
}

#[inline(never)]
fn write_others(out: &mut Writer, own: Raw<'_>, computed: &[(&str, bool)]) {
    for (key, value) in own.members() {
        let name = key.name();
        if !computed.iter().any(|(computed, _)| *computed == name) {
            out.name(&name).value(value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::page_number;

    #[test]
    fn a_cursor_is_as_it_was_given_out_or_none_of_ours() {
        for (cursor, page) in [(None, Some(0)), (Some("page-1"), Some(1)), (Some("page-20"), Some(20))] {
            assert_eq!(page_number(cursor), page, "{cursor:?}");
        }
        for cursor in [
            "",
            "page-",
            "page-0",
            "page-01",
            "page-+1",
            "page--1",
            "page-1 ",
            "page-1x",
            "1",
            "page-99999999999999999999",
        ] {
            assert_eq!(page_number(Some(cursor)), None, "{cursor:?}");
        }
    }
}
