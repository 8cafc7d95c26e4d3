//! Which pages may talk to a server: the check of `Host` and `Origin` against DNS rebinding.
//!
//! A page that has its own name resolve to this machine is "same origin" with whatever listens here, so
//! equality of origins proves something only where the name is proven too: over https, or where the
//! host is an address and no name at all. Page: 2026-07-28, basic/transports/streamable-http, "Security & Endpoint".

use super::items::Subject;
use super::{ServerError, options};
use crate::protocol::json::Raw;
use crate::streamable_http::param_headers::is_token_byte;

/// Who may talk to the server, beside its own origin and loopback.
#[derive(Clone, Debug, Default)]
pub(super) struct Allowed {
    /// Origins as browsers write them, or `*`.
    pub(super) origins: Vec<String>,
    /// Hosts with their port, if any; empty where every host is one of ours.
    pub(super) hosts: Vec<String>,
    /// The headers that pages may send beside those of the protocol, each behind a comma.
    pub(super) sent: String,
    /// The headers of responses that pages may read beside those of the protocol, likewise.
    pub(super) read: String,
}

/// What the check found out about a request's `Origin`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Origin {
    /// There is none, or it is the server's own: nothing to tell the browser.
    Own,
    /// Another one that is allowed: its browser has to be told.
    Other,
}

impl Allowed {
    /// Reads `allowedOrigins`, `allowedHosts`, `allowedHeaders` and `exposedHeaders`.
    pub(super) fn of(definition: Raw<'_>) -> Result<Self, ServerError> {
        let checked = |member, rule: &str, fits: fn(&str) -> bool| {
            let texts = options::strings(definition, member)?;
            match texts.iter().find(|text| !fits(text)) {
                Some(text) => Err(Subject { what: member, key: text }.refuse(rule)),
                None => Ok(texts),
            }
        };
        let headers = |member| {
            let mut out = String::new();
            for name in checked(member, "must be the name of a header", is_header)? {
                out.push_str(", ");
                out.push_str(&name);
            }
            Ok(out)
        };
        Ok(Self {
            origins: checked(
                "allowedOrigins",
                "must be an origin, as in \"https://example.com\", or \"*\"",
                is_origin,
            )?,
            hosts: checked("allowedHosts", "must be a host, as in \"example.com\" or \"example.com:8080\"", is_host)?,
            sent: headers("allowedHeaders")?,
            read: headers("exposedHeaders")?,
        })
    }

    /// Checks a request to `url` with these headers.
    ///
    /// # Errors
    ///
    /// What is not allowed, as the start of a sentence.
    pub(super) fn check(&self, url: &str, host: Option<&str>, origin: Option<&str>) -> Result<Origin, &'static str> {
        let (scheme, authority) = split_origin(url);
        let is_own_host = |host: &str| self.hosts.iter().any(|own| own.eq_ignore_ascii_case(host));
        let named = [Some(authority), host].into_iter().flatten();
        if self.hosts.is_empty() {
            if host.is_some_and(|host| is_loopback(authority) && !is_loopback(host)) {
                return Err("This host");
            }
        } else if !named.clone().all(is_own_host) {
            return Err("This host");
        }
        let Some(origin) = origin else { return Ok(Origin::Own) };
        let (origin_scheme, origin_authority) = split_origin(origin);
        let same = origin_scheme.eq_ignore_ascii_case(scheme)
            && named.clone().all(|host| host.eq_ignore_ascii_case(origin_authority));
        if self.origins.iter().any(|own| own == "*" || own.eq_ignore_ascii_case(origin)) {
            return Ok(if same { Origin::Own } else { Origin::Other });
        }
        let proven = scheme.eq_ignore_ascii_case("https") || is_own_host(authority) || is_address(authority);
        if same && (proven || is_loopback(authority)) {
            return Ok(Origin::Own);
        }
        if is_loopback(origin_authority) && named.clone().all(is_loopback) {
            return Ok(Origin::Other);
        }
        Err("This origin")
    }
}

/// Whether a text can be an `Origin`, or is `*`: no path, no user, no pattern.
fn is_origin(text: &str) -> bool {
    let (scheme, authority) = split_origin(text);
    let whole = !scheme.is_empty() && is_host(authority) && text.len() == scheme.len() + "://".len() + authority.len();
    whole || text == "*" || text == "null"
}

fn is_host(text: &str) -> bool {
    !text.is_empty() && !text.contains(['/', '*', ' '])
}

fn is_header(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(is_token_byte)
}

/// Scheme and authority of a URL or an origin.
fn split_origin(url: &str) -> (&str, &str) {
    let Some((scheme, rest)) = url.split_once(':') else { return ("", "") };
    let Some(rest) = rest.strip_prefix("//") else { return ("", "") };
    let end = rest.bytes().position(|byte| matches!(byte, b'/' | b'?' | b'#')).unwrap_or(rest.len());
    let start = rest.bytes().take(end).rposition(|byte| byte == b'@').map_or(0, |at| at + 1);
    (scheme, rest.get(start..end).unwrap_or_default())
}

/// The host without its port and the brackets of an IPv6 address.
fn name_of(authority: &str) -> &str {
    if let Some(rest) = authority.strip_prefix('[') {
        return rest.split(']').next().unwrap_or_default();
    }
    authority.rsplit_once(':').map_or(authority, |(host, _)| host)
}

/// Whether the host is this machine: `localhost`, a name below it, 127.0.0.0/8 or `::1`.
fn is_loopback(authority: &str) -> bool {
    let name = name_of(authority).trim_end_matches('.');
    let below =
        name.len() > 10 && name.get(name.len() - 10..).is_some_and(|end| end.eq_ignore_ascii_case(".localhost"));
    name.eq_ignore_ascii_case("localhost") || below || name == "::1" || (name.starts_with("127.") && is_ipv4(name))
}

/// Whether the host is an IP address, which no name server can redirect.
fn is_address(authority: &str) -> bool {
    authority.starts_with('[') || is_ipv4(name_of(authority))
}

fn is_ipv4(name: &str) -> bool {
    name.split('.').count() == 4 && name.split('.').all(|part| part.parse::<u8>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::{is_address, is_loopback, split_origin};

    #[test]
    fn a_url_is_split_into_scheme_and_authority() {
        for (url, expected) in [
            ("https://example.com/mcp?x#y", ("https", "example.com")),
            ("http://user@host:8080", ("http", "host:8080")),
            ("http://[::1]:9/x", ("http", "[::1]:9")),
            ("null", ("", "")),
        ] {
            assert_eq!(split_origin(url), expected, "{url}");
        }
    }

    #[test]
    fn loopback_is_told_from_names_that_look_like_it() {
        for host in
            ["localhost", "LOCALHOST:3000", "a.localhost", "127.0.0.1:80", "127.1.2.3", "[::1]:8080", "localhost."]
        {
            assert!(is_loopback(host), "{host}");
        }
        for host in ["localhost.evil.com", "127.0.0.1.evil.com", "127.evil", "notlocalhost", "", "[::2]", "10.0.0.1"] {
            assert!(!is_loopback(host), "{host}");
        }
    }

    #[test]
    fn an_address_is_told_from_a_name() {
        assert!(is_address("192.168.1.5:8787") && is_address("[fe80::1]:1"));
        assert!(!is_address("example.com") && !is_address("1.2.3.4.evil.com") && !is_address("1.2.3"));
    }
}
