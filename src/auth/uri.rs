//! URLs as text. An identifier is compared and sent exactly as it was published, so nothing
//! here normalises; the parts are slices of the text.

use crate::protocol::percent;

/// An absolute URL with an authority, as its parts.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Url<'a> {
    /// Without the colon.
    pub scheme: &'a str,
    /// Host and port.
    pub authority: &'a str,
    /// Empty, or from its slash on.
    pub path: &'a str,
    /// Empty, or from its question mark on.
    pub query: &'a str,
    /// From the scheme to the end of the authority.
    pub origin: &'a str,
}

/// The parts of an absolute URL, its fragment left out. `None` for anything without
/// `://`, with a user's name in it, or with spaces or control characters.
pub fn split(text: &str) -> Option<Url<'_>> {
    if text.bytes().any(|byte| byte <= b' ' || byte == 0x7F || byte == b'\\') {
        return None;
    }
    let text = text.split('#').next().unwrap_or_default();
    let (scheme, rest) = text.split_once(':')?;
    let rest = rest.strip_prefix("//")?;
    let is_scheme = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
    if !scheme.bytes().next()?.is_ascii_alphabetic() || !scheme.bytes().all(is_scheme) {
        return None;
    }
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (authority, behind) = rest.split_at_checked(end)?;
    if authority.is_empty() || authority.contains('@') {
        return None;
    }
    let (path, query) = behind.split_at_checked(behind.find('?').unwrap_or(behind.len()))?;
    let origin = text.get(..scheme.len() + 3 + authority.len())?;
    Some(Url { scheme, authority, path, query, origin })
}

impl Url<'_> {
    /// The host without its port.
    pub fn host(&self) -> &str {
        if self.authority.starts_with('[') {
            return self.authority.get(..=self.authority.find(']').unwrap_or(0)).unwrap_or(self.authority);
        }
        self.authority.split(':').next().unwrap_or_default()
    }

    /// Whether the host is this machine.
    pub fn is_loopback(&self) -> bool {
        let host = self.host().to_ascii_lowercase();
        let is_v4 = host.strip_prefix("127.").is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit() || b == b'.'));
        host == "localhost" || host.ends_with(".localhost") || host == "[::1]" || is_v4
    }

    /// Whether secrets may be sent there: https, or this machine.
    pub fn is_secure(&self) -> bool {
        self.scheme.eq_ignore_ascii_case("https") || (self.scheme.eq_ignore_ascii_case("http") && self.is_loopback())
    }

    fn effective_authority(&self) -> String {
        let lower = self.authority.to_ascii_lowercase();
        let default = if self.scheme.eq_ignore_ascii_case("https") { ":443" } else { ":80" };
        lower.strip_suffix(default).map(str::to_owned).unwrap_or(lower)
    }

    /// Whether both are of one origin (scheme, host and port, RFC 6454).
    pub fn is_same_origin(&self, other: &Url<'_>) -> bool {
        self.scheme.eq_ignore_ascii_case(other.scheme) && self.effective_authority() == other.effective_authority()
    }
}

/// Whether secrets may be sent to that URL.
pub fn is_secure(text: &str) -> bool {
    split(text).is_some_and(|url| url.is_secure())
}

/// The path without a slash at its end.
fn trimmed(path: &str) -> &str {
    path.strip_suffix('/').unwrap_or(path)
}

/// Where a protected resource's metadata may be (RFC 9728 §3.1), in the order to try: what the
/// challenge names, the address with the resource's path, the one at the root.
pub fn resource_metadata_urls(server: &str, challenged: Option<&str>) -> Vec<String> {
    const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";
    let mut urls: Vec<String> = Vec::new();
    let mut add = |url: String| {
        if !urls.contains(&url) {
            urls.push(url);
        }
    };
    if let Some(named) = challenged.filter(|named| is_secure(named)) {
        add(named.to_owned());
    }
    if let Some(url) = split(server) {
        if !trimmed(url.path).is_empty() {
            add([url.origin, WELL_KNOWN, trimmed(url.path), url.query].concat());
        }
        add([url.origin, WELL_KNOWN].concat());
    }
    urls
}

/// Where an authorization server's metadata may be, in the order that the specification gives
/// (basic/authorization/authorization-server-discovery).
pub fn server_metadata_urls(issuer: &str) -> Vec<String> {
    const OAUTH: &str = "/.well-known/oauth-authorization-server";
    const OIDC: &str = "/.well-known/openid-configuration";
    let Some(url) = split(issuer) else { return Vec::new() };
    match trimmed(url.path) {
        "" => vec![[url.origin, OAUTH].concat(), [url.origin, OIDC].concat()],
        path => vec![
            [url.origin, OAUTH, path].concat(),
            [url.origin, OIDC, path].concat(),
            [url.origin, path, OIDC].concat(),
        ],
    }
}

/// Whether a published resource identifier speaks of the server at that address: one origin,
/// and the identifier's path is the address's or a folder above it.
pub fn covers(resource: &str, server: &str) -> bool {
    let (Some(of), Some(at)) = (split(resource), split(server)) else { return false };
    let folder = trimmed(of.path);
    !resource.contains('#')
        && of.is_same_origin(&at)
        && at.path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// What to call the server where it publishes no identifier: its address without a fragment, and without
/// the slash that URL parsers give an address without a path (basic/authorization, Canonical Server URI).
pub fn canonical(server: &str) -> &str {
    let text = server.split('#').next().unwrap_or_default();
    split(text).filter(|url| url.path == "/" && url.query.is_empty()).map_or(text, |url| url.origin)
}

/// Appends a value, percent-encoded for a query, a form or a Basic credential.
pub fn push_encoded(out: &mut String, value: &str) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    for byte in value.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push('%');
            for digit in [byte >> 4, byte & 15] {
                out.push(char::from(DIGITS.get(usize::from(digit)).copied().unwrap_or_default()));
            }
        }
    }
}

/// Pairs as `application/x-www-form-urlencoded`.
pub fn form(pairs: &[(&str, &str)]) -> String {
    let mut out = String::new();
    for (name, value) in pairs {
        if !out.is_empty() {
            out.push('&');
        }
        push_encoded(&mut out, name);
        out.push('=');
        push_encoded(&mut out, value);
    }
    out
}

/// The pairs of a form; a broken escape stays as it is, invalid UTF-8 becomes U+FFFD.
pub fn form_pairs(text: &str) -> Vec<(String, String)> {
    let parts = text.split('&').filter(|part| !part.is_empty());
    parts
        .map(|part| {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            (decoded(name), decoded(value))
        })
        .collect()
}

fn decoded(text: &str) -> String {
    let plain: Vec<u8> = text.bytes().map(|byte| if byte == b'+' { b' ' } else { byte }).collect();
    String::from_utf8_lossy(&percent::decode(&plain)).into_owned()
}
