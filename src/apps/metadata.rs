//! What tools and resources declare about their View, in `_meta` (2026-01-26, "UI resource format").

use crate::protocol::apps::{META_RESOURCE_URI, META_UI, MIME_TYPE, RESOURCE_URI, URI_PREFIX};
use crate::protocol::json::{Kind, Raw};

/// Media types of drafts and of other hosts, which a tolerant host shows too.
const OLDER_TYPES: [&str; 3] = ["text/html+mcp", "text/html", "text/html+skybridge"];

/// The URI of a tool's View; `None` where it has none.
///
/// The nested key counts before the older flat one, also where its value is wrong.
///
/// # Errors
///
/// A message where the value is not a `ui://` URI.
pub fn resource_uri(tool: Raw<'_>) -> Result<Option<String>, String> {
    let meta = tool.get("_meta");
    let nested = meta.and_then(|meta| meta.get(META_UI)).and_then(|ui| ui.get_present(RESOURCE_URI));
    let Some(value) = nested.or_else(|| meta.and_then(|meta| meta.get_present(META_RESOURCE_URI))) else {
        return Ok(None);
    };
    match value.as_str() {
        Some(uri) if uri.starts_with(URI_PREFIX) => Ok(Some(uri.into_owned())),
        _ => Err([
            "expected the tool's resourceUri to begin with ui://, got ",
            crate::protocol::error::abridged(value.as_text()),
        ]
        .concat()),
    }
}

/// The View among the contents of a `resources/read` result.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Document<'a> {
    /// Its position among the contents.
    pub at: usize,
    /// Its `_meta.ui`.
    pub ui: Option<Raw<'a>>,
}

/// Finds the View among the contents of a `resources/read` result. The texts themselves need not be there,
/// only whether there are any: `text` and `blob` may be anything.
///
/// # Errors
///
/// A message that says what was expected and what came.
pub fn document<'a>(result: Raw<'a>, uri: &str, tolerant: bool) -> Result<Document<'a>, String> {
    let contents = result.get("contents").filter(|contents| contents.kind() == Kind::Array);
    let contents = contents.ok_or_else(|| ["expected contents from ", uri, ", got none"].concat())?;
    let has_body = |item: Raw<'_>| item.get_present("text").is_some() || item.get_present("blob").is_some();
    let mut other = None;
    for (at, item) in contents.elements().enumerate() {
        let media_type = item.get_str("mimeType").unwrap_or_default();
        if is_view(&media_type, tolerant) && has_body(item) {
            // Some servers write `meta`.
            let meta = item.get("_meta").or_else(|| item.get("meta").filter(|_| tolerant));
            return Ok(Document { at, ui: meta.and_then(|meta| meta.get(META_UI)) });
        }
        other = Some(media_type);
    }
    let came = other.as_deref().unwrap_or("nothing");
    Err(["expected ", uri, " to be ", MIME_TYPE, ", got ", crate::protocol::error::abridged(came)].concat())
}

fn is_view(media_type: &str, tolerant: bool) -> bool {
    // Spaces and letter case carry no meaning in a media type.
    let plain: String = media_type.chars().filter(|character| !character.is_ascii_whitespace()).collect();
    plain.eq_ignore_ascii_case(MIME_TYPE)
        || (tolerant && OLDER_TYPES.iter().any(|older| plain.eq_ignore_ascii_case(older)))
}

/// `_meta.ui` of the entry with that URI in a list of resources.
pub fn listed<'a>(resources: Raw<'a>, uri: &str) -> Option<Raw<'a>> {
    let entry = resources.elements().find(|entry| entry.get_str("uri").is_some_and(|own| own == uri))?;
    entry.get("_meta")?.get(META_UI)
}
