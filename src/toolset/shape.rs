//! A tool's result as what a model is shown.

use super::canonical;
use crate::protocol::json::{Raw, Writer};

/// What a piece of content is to whoever shows it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Beside {
    /// An image.
    Image,
    /// A link to a resource.
    Link,
    /// Anything else that is no text: sound, an embedded resource, what nobody knows yet.
    Other,
}

/// A result, taken apart.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Shaped {
    /// Whether the tool says that it failed; then the text is what it says.
    pub is_error: bool,
    /// What a model reads: of a failure the joined text, else the canonical JSON of `structuredContent`, else the text
    /// parts joined by line breaks.
    pub text: String,
    /// The pieces of content that are no text: what each is, and its place in `content`.
    pub beside: Vec<(Beside, usize)>,
}

/// Takes a result of `tools/call` apart.
pub fn shape(result: Raw<'_>) -> Shaped {
    let is_error = result.get("isError").and_then(Raw::as_bool) == Some(true);
    let (mut texts, mut beside) = (Vec::new(), Vec::new());
    for (index, piece) in result.get("content").into_iter().flat_map(Raw::elements).enumerate() {
        let kind = match piece.get_str("type").as_deref() {
            Some("text") => {
                texts.extend(piece.get_str("text"));
                continue;
            }
            Some("image") => Beside::Image,
            Some("resource_link") => Beside::Link,
            _ => Beside::Other,
        };
        beside.push((kind, index));
    }
    // Present by its key: null, 0 and false are values.
    let structured = result.get("structuredContent").map(canonical::write);
    let joined = texts.join("\n");
    let text = match structured {
        Some(structured) if !is_error || joined.is_empty() => structured,
        _ => joined,
    };
    Shaped { is_error, text, beside }
}

/// The same as JSON: `{"isError", "text", "images": [place…], "links": […], "others": […]}`.
pub fn write(result: Raw<'_>) -> String {
    let shaped = shape(result);
    let mut out = Writer::new();
    out.open_object().name("isError").raw(if shaped.is_error { "true" } else { "false" });
    out.name("text").string(&shaped.text);
    for (name, kind) in [("images", Beside::Image), ("links", Beside::Link), ("others", Beside::Other)] {
        out.name(name).open_array();
        for (_, index) in shaped.beside.iter().filter(|(other, _)| *other == kind) {
            out.raw(&index.to_string());
        }
        out.close_array();
    }
    out.close_object();
    out.finish()
}
