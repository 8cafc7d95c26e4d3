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
    let (is_secure, host) = origin(endpoint)?;
    let (is_other_secure, other_host) = origin(location)?;
    let is_downgrade = is_secure && !is_other_secure;
    (!is_downgrade).then_some((is_secure, host) == (is_other_secure, other_host))
}

/// Whether a normalised URL of HTTP is secure, and its host and port.
fn origin(url: &str) -> Option<(bool, &str)> {
    let secure = url.strip_prefix("https://");
    let rest = secure.or_else(|| url.strip_prefix("http://"))?;
    let authority = rest.split(['/', '?', '#']).next()?;
    // Credentials in a URL belong to no origin.
    let host = authority.rsplit('@').next()?;
    Some((secure.is_some(), host))
}
