//! What the frame of a View may load, connect to and use.
//!
//! The content security policy belongs into a header of the sandbox page: every document that
//! the page makes inherits it, and a policy inside the View could only narrow it (2026-01-26,
//! "Sandbox proxy" and "Content Security Policy").

use super::shape::fit;
use super::shapes;
use crate::protocol::apps::PERMISSIONS;
use crate::protocol::json::{Raw, Writer};

/// The most sources of one list: what a View needs is a handful, and a header has an end.
pub const MAX_SOURCES: usize = 64;

/// What a View declared it needs; nothing, where it declared nothing.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Csp {
    /// Whether there was a declaration at all.
    pub is_declared: bool,
    /// `connectDomains`
    pub connect: Vec<String>,
    /// `resourceDomains`
    pub resource: Vec<String>,
    /// `frameDomains`
    pub frame: Vec<String>,
    /// `baseUriDomains`
    pub base_uri: Vec<String>,
    /// What was declared and is refused.
    pub refused: Vec<String>,
}

impl Csp {
    /// Reads `_meta.ui.csp`; sources that are not origins are refused.
    pub fn read(declared: Option<Raw<'_>>) -> Self {
        let mut csp = Self { is_declared: declared.is_some_and(Raw::is_object), ..Self::default() };
        let mut list = |name: &str| {
            let mut sources = Vec::new();
            for source in declared.and_then(|csp| csp.get(name)).into_iter().flat_map(Raw::elements) {
                let text = source.as_str().unwrap_or_default();
                if sources.len() < MAX_SOURCES && is_source(&text) {
                    sources.push(text.into_owned());
                } else {
                    csp.refused.push(crate::protocol::error::abridged(source.as_text()).to_owned());
                }
            }
            sources
        };
        let (connect, resource) = (list("connectDomains"), list("resourceDomains"));
        let (frame, base_uri) = (list("frameDomains"), list("baseUriDomains"));
        Self { connect, resource, frame, base_uri, ..csp }
    }

    /// The same without frames, for a document without an origin: the sandbox could not tell it from another one
    /// that its frame was led to.
    pub fn without_frames(mut self) -> Self {
        self.refused.append(&mut self.frame);
        self
    }

    /// The policy, as the value of a `Content-Security-Policy` header.
    ///
    /// `wasm` also lets scripts compile WebAssembly, which no declaration can ask for; a host chooses it.
    pub fn policy(&self, wasm: bool) -> String {
        let mut out = String::from("default-src 'none'");
        let mut directive = |name: &str, fixed: &str, sources: &[String]| {
            out.push_str("; ");
            out.push_str(name);
            if !fixed.is_empty() {
                out.push(' ');
                out.push_str(fixed);
            }
            for source in sources {
                out.push(' ');
                out.push_str(source);
            }
        };
        directive(
            "script-src",
            if wasm { "'self' 'unsafe-inline' 'wasm-unsafe-eval'" } else { "'self' 'unsafe-inline'" },
            &self.resource,
        );
        directive("style-src", "'self' 'unsafe-inline'", &self.resource);
        directive("img-src", "'self' data:", &self.resource);
        directive("media-src", "'self' data:", &self.resource);
        if self.is_declared {
            directive("font-src", "'self'", &self.resource);
        }
        directive("connect-src", if self.is_declared { "'self'" } else { "'none'" }, &self.connect);
        directive("frame-src", if self.frame.is_empty() { "'none'" } else { "" }, &self.frame);
        directive("object-src", "'none'", &[]);
        directive("base-uri", if self.base_uri.is_empty() { "'self'" } else { "" }, &self.base_uri);
        // Not covered by default-src: a form would be a way out.
        directive("form-action", "'none'", &[]);
        out
    }

    /// What is granted, as `hostCapabilities.sandbox.csp` has it.
    pub fn write(&self, out: &mut Writer) {
        out.open_object();
        for (name, sources) in [
            ("connectDomains", &self.connect),
            ("resourceDomains", &self.resource),
            ("frameDomains", &self.frame),
            ("baseUriDomains", &self.base_uri),
        ] {
            if !sources.is_empty() {
                out.name(name).open_array();
                for source in sources {
                    out.string(source);
                }
                out.close_array();
            }
        }
        out.close_object();
    }
}

/// Whether the text is an origin, with `*.` for its subdomains, and perhaps a path: nothing that ends
/// a directive or a policy, no keyword, and no pattern for everything.
pub fn is_source(text: &str) -> bool {
    let rest = match text.split_once(':') {
        Some(("https" | "http" | "wss" | "ws", rest)) => match rest.strip_prefix("//") {
            Some(rest) => rest,
            None => return false,
        },
        _ => text,
    };
    let (authority, path) = rest.split_at_checked(rest.find('/').unwrap_or(rest.len())).unwrap_or((rest, ""));
    let (host, port) = authority.split_once(':').unwrap_or((authority, "443"));
    let host = host.strip_prefix("*.").unwrap_or(host);
    let is_port =
        port == "*" || (!port.is_empty() && port.len() <= 5 && port.bytes().all(|byte| byte.is_ascii_digit()));
    // A host without a dot is a keyword, a scheme or this machine.
    let is_host = (host.as_bytes().contains(&b'.') || host == "localhost")
        && host.split('.').all(|label| {
            !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
        });
    is_host && is_port && path.bytes().all(|byte| byte.is_ascii_graphic() && !b";,'\"\\<>`".contains(&byte))
}

/// The frame's `allow` attribute for what a View wants and the host grants.
///
/// `wanted` is `_meta.ui.permissions`; `granted`, names of permissions, `None` for all.
pub fn allow(wanted: Option<Raw<'_>>, granted: Option<&[String]>) -> String {
    let mut out = String::new();
    for (name, token) in PERMISSIONS {
        if has_permission(wanted, granted, name) {
            if !out.is_empty() {
                out.push_str("; ");
            }
            out.push_str(token);
        }
    }
    out
}

fn has_permission(wanted: Option<Raw<'_>>, granted: Option<&[String]>, name: &str) -> bool {
    wanted.and_then(|wanted| wanted.get(name)).is_some_and(Raw::is_object)
        && granted.is_none_or(|granted| granted.iter().any(|one| one == name))
}

/// What is granted, as `hostCapabilities.sandbox.permissions` has it.
pub fn write_permissions(out: &mut Writer, wanted: Option<Raw<'_>>, granted: Option<&[String]>) {
    out.open_object();
    for (name, _) in PERMISSIONS {
        if has_permission(wanted, granted, name) {
            out.name(name).open_object().close_object();
        }
    }
    out.close_object();
}

/// The headers of the sandbox page: the policy of one View, and which hosts may frame it.
///
/// `declared` is the View's `_meta.ui.csp` as JSON, empty for none. `hosts` are origins; without any the
/// page can be framed by everyone.
///
/// # Errors
///
/// A message where `declared` is not an object, or a host is not an origin.
pub fn sandbox_headers(declared: &[u8], hosts: &[&str], wasm: bool) -> Result<Vec<(&'static str, String)>, String> {
    let declared = match declared {
        b"" => None,
        text => Some(Raw::parse(text).ok().filter(|csp| csp.is_object()).ok_or("csp must be a JSON object")?),
    };
    let mut dropped = Vec::new();
    let fitted = declared.and_then(|csp| fit(csp, &shapes::CSP, "csp", &mut dropped));
    let fitted = fitted.as_deref().and_then(|text| Raw::parse(text.as_bytes()).ok());
    let mut policy = Csp::read(fitted).policy(wasm);
    if !hosts.is_empty() {
        policy.push_str("; frame-ancestors");
        for host in hosts {
            if !is_source(host) {
                return Err(["hosts must be origins such as https://app.example, got ", host].concat());
            }
            policy.push(' ');
            policy.push_str(host);
        }
    }
    Ok(vec![
        ("content-type", "text/html; charset=utf-8".to_owned()),
        ("content-security-policy", policy),
        ("x-content-type-options", "nosniff".to_owned()),
        ("referrer-policy", "no-referrer".to_owned()),
    ])
}
