//! The parameters of a View's requests: checked, and as they are passed on.

use super::super::download::file_name;
use super::super::shape::{Shape, fit};
use super::super::shapes;
use crate::protocol::apps;
use crate::protocol::json::{Kind, Raw, Writer};
use crate::protocol::{meta, method};

/// Parameters as they are passed on.
pub(super) struct Checked {
    pub(super) params: String,
    /// The tool's name.
    pub(super) name: String,
    /// The display mode.
    pub(super) mode: &'static str,
}

/// Checks the parameters of a View's request; the progress token stays out, for it is the View's own.
pub(super) fn check(method: &str, params: Raw<'_>) -> Result<Checked, &'static str> {
    let mut checked = Checked { params: String::new(), name: String::new(), mode: "" };
    let text = |name: &str| params.get_str(name).filter(|text| !text.is_empty());
    let object_or_nothing = |name: &str| params.get_present(name).is_none_or(Raw::is_object);
    match method {
        method::TOOLS_CALL => {
            checked.name = text("name").ok_or("name must be a string")?.into_owned();
            if !object_or_nothing("arguments") {
                return Err("arguments must be an object");
            }
        }
        method::RESOURCES_READ => {
            text("uri").ok_or("uri must be a string")?;
        }
        apps::OPEN_LINK => {
            let url = text("url").ok_or("url must be a string")?;
            if !is_web_link(&url) {
                return Err("url must begin with https:// or http://");
            }
        }
        apps::REQUEST_DISPLAY_MODE => {
            let mode = text("mode").and_then(|mode| apps::DISPLAY_MODES.into_iter().find(|own| *own == mode));
            checked.mode = mode.ok_or("mode must be inline, fullscreen or pip")?;
        }
        apps::UPDATE_MODEL_CONTEXT => {
            if params.get_present("content").is_some() {
                return rewritten(checked, params, "content", &shapes::CONTENT);
            }
            if !object_or_nothing("structuredContent") {
                return Err("structuredContent must be an object");
            }
        }
        apps::MESSAGE => {
            if text("role").as_deref() != Some("user") {
                return Err("role must be \"user\"");
            }
            return rewritten(checked, params, "content", &shapes::CONTENT);
        }
        apps::DOWNLOAD_FILE => {
            checked = rewritten(checked, params, "contents", &shapes::DOWNLOAD)?;
            checked.params = with_names(&checked.params);
            return Ok(checked);
        }
        _ => {}
    }
    checked.params = copied(params, None);
    Ok(checked)
}

/// The parameters with the member `name`, an array of content, in which everything fits.
fn rewritten(mut checked: Checked, params: Raw<'_>, name: &str, shape: &Shape) -> Result<Checked, &'static str> {
    let content = params.get(name).ok_or("expected content")?;
    // The specification's text shows one block where its types have an array.
    let single = content.is_object().then(|| ["[", content.as_text(), "]"].concat());
    let list = single.as_deref().map_or(Ok(content), |text| Raw::parse(text.as_bytes())).unwrap_or(content);
    if list.kind() != Kind::Array {
        return Err("content must be an array");
    }
    let mut dropped = Vec::new();
    let mut out = Writer::new();
    out.open_array();
    for block in list.elements() {
        let fitted = fit(block, shape, "content", &mut dropped).ok_or("content must be an array of content blocks")?;
        out.raw(&fitted);
    }
    out.close_array();
    checked.params = copied(params, Some((name, out.as_str())));
    Ok(checked)
}

/// The same parameters with `names`: what to call each of the files.
fn with_names(params: &str) -> String {
    let params = Raw::parse(params.as_bytes()).unwrap_or(Raw::EMPTY_OBJECT);
    let mut out = Writer::new();
    out.open_object();
    for (key, value) in params.members().filter(|(key, _)| !key.is("names")) {
        out.key(key).value(value);
    }
    out.name("names").open_array();
    for file in params.get("contents").into_iter().flat_map(Raw::elements) {
        let uri = file.get("resource").unwrap_or(file).get_str("uri");
        out.string(&file_name(&uri.unwrap_or_default()));
    }
    out.close_array().close_object();
    out.finish()
}

/// The members, one of them replaced, the progress token left out.
fn copied(params: Raw<'_>, replaced: Option<(&str, &str)>) -> String {
    let mut out = Writer::new();
    out.open_object();
    for (key, value) in params.members() {
        match replaced {
            Some((name, text)) if key.is(name) => {
                out.key(key).raw(text);
            }
            _ if key.is("_meta") => {
                let mut rest = value.members().filter(|(key, _)| !key.is(meta::PROGRESS_TOKEN)).peekable();
                if rest.peek().is_some() {
                    out.key(key).open_object();
                    for (key, value) in rest {
                        out.key(key).value(value);
                    }
                    out.close_object();
                }
            }
            // Peers write null for what they leave out.
            _ if value.is_null() => {}
            _ => {
                out.key(key).value(value);
            }
        }
    }
    out.close_object();
    out.finish()
}

/// Whether it leads into the web: neither into a script, a file nor another program.
fn is_web_link(url: &str) -> bool {
    let starts = |scheme: &str| url.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme));
    (starts("https://") || starts("http://")) && !url.bytes().any(|byte| byte <= b' ' || byte == 0x7F || byte == b'\\')
}
