//! Redirects: the method and the body stay what they are, and credentials stay with their origin.

use super::event::Head;
use super::{Client, Exchange};

/// How often one request is sent elsewhere. Real endpoints move once or twice.
pub const MAX_REDIRECTS: u32 = 5;

impl Client {
    /// Whether the answer sends the request elsewhere, and whether credentials go along.
    pub(super) fn follow(&mut self, exchange: Exchange, head: &Head<'_>) -> Option<bool> {
        let location = head.location?;
        let credentials = judge(head.status, self.options.endpoint.as_deref()?, location)?;
        let flight = self.exchanges.get_mut(exchange)?;
        flight.hops += 1;
        (flight.hops <= MAX_REDIRECTS).then_some(credentials)
    }
}

/// Whether a redirect is followed, and if so, whether credentials go along: to the same origin they do. An
/// endpoint that is asked securely is not asked otherwise. 303 asks for another method, which makes no sense here.
pub fn judge(status: u16, endpoint: &str, location: &str) -> Option<bool> {
    if !matches!(status, 301 | 302 | 307 | 308) {
        return None;
    }
    let (from, to) = (Origin::of(endpoint)?, Origin::of(location)?);
    let is_downgrade = from.is_secure && !to.is_secure;
    (!is_downgrade).then_some(from == to)
}

/// The URL that a reference names, seen from the endpoint; none where it leads to another origin.
pub fn resolve(endpoint: &str, reference: &str) -> Option<String> {
    let url = absolute(endpoint, reference)?;
    (Origin::of(&url)? == Origin::of(endpoint)?).then_some(url)
}

/// The URL that a reference names, seen from the endpoint.
///
/// Parsers of URLs pass over control characters and take a backslash for a slash: a reference with one is refused, for
/// it could lead elsewhere than it reads.
pub fn absolute(endpoint: &str, reference: &str) -> Option<String> {
    let is_odd = |byte: u8| byte <= b' ' || byte == b'\\' || byte == 0x7f;
    if reference.is_empty() || reference.bytes().any(is_odd) {
        return None;
    }
    Origin::of(endpoint)?;
    let (scheme, rest) = scheme_and_rest(endpoint)?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let path = rest.get(authority.len()..)?.split(['?', '#']).next()?;
    let base = [scheme, "://", authority].concat();
    let head = reference.split(['/', '?', '#']).next()?;
    let whole = if head.bytes().any(|byte| byte == b':') {
        reference.to_owned()
    } else if reference.starts_with("//") {
        [scheme, ":", reference].concat()
    } else if reference.starts_with('/') {
        [&base, reference].concat()
    } else if reference.starts_with('?') {
        [&base, path, reference].concat()
    } else {
        let folder = path.rfind('/').and_then(|at| path.get(..=at)).unwrap_or("/");
        [&base, folder, reference].concat()
    };
    Origin::of(&whole).is_some().then_some(whole)
}

/// What stands before and behind the first `://`. By bytes: searching for text would bring 3 kB of the standard library.
fn scheme_and_rest(url: &str) -> Option<(&str, &str)> {
    let at = url.as_bytes().windows(3).position(|bytes| bytes == b"://")?;
    Some((url.get(..at)?, url.get(at + 3..)?))
}

/// The origin of a URL of HTTP.
struct Origin<'a> {
    is_secure: bool,
    host: &'a str,
}

impl PartialEq for Origin<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.is_secure == other.is_secure && self.host.eq_ignore_ascii_case(other.host)
    }
}

impl<'a> Origin<'a> {
    fn of(url: &'a str) -> Option<Self> {
        let (scheme, rest) = scheme_and_rest(url)?;
        let is_secure = scheme.eq_ignore_ascii_case("https");
        if !is_secure && !scheme.eq_ignore_ascii_case("http") {
            return None;
        }
        let authority = rest.split(['/', '?', '#']).next()?;
        // Credentials in a URL belong to no origin.
        let host = authority.rsplit('@').next()?;
        let host = host.strip_suffix(if is_secure { ":443" } else { ":80" }).unwrap_or(host);
        (!host.is_empty()).then_some(Self { is_secure, host })
    }
}
