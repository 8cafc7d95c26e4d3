//! Formats that can be asserted.

use super::regex::Regex;

/// Whether a string has a format.
pub type Test = fn(&str) -> bool;

/// The test for a format's name; `None` for those that stay annotations.
///
/// Known are `date`, `date-time`, `duration`, `email`, `hostname`, `ipv4`, `ipv6`,
/// `json-pointer`, `regex`, `time`, `uri`, `uri-reference` and `uuid`.
pub fn formats(name: &str) -> Option<Test> {
    Some(match name {
        "date" => is_date,
        "date-time" => is_date_time,
        "duration" => is_duration,
        "email" => is_email,
        "hostname" => is_hostname,
        "ipv4" => is_ipv4,
        "ipv6" => is_ipv6,
        "json-pointer" => is_json_pointer,
        "regex" => |text| Regex::compile(text, super::MAX_PATTERN_SIZE).is_ok(),
        "time" => is_time,
        "uri" => is_uri,
        "uri-reference" => |text| is_uri_reference(text, false),
        "uuid" => is_uuid,
        _ => return None,
    })
}

/// The formats that a form's fields can have (2026-07-28, client/elicitation, "Requested Schema").
pub(super) fn form_formats(name: &str) -> Option<Test> {
    Some(match name {
        "date" => is_date,
        "date-time" => is_date_time,
        "email" => is_email,
        "uri" => is_uri,
        _ => return None,
    })
}

fn is_date_time(text: &str) -> bool {
    text.split_once(['T', 't']).is_some_and(|(date, time)| is_date(date) && is_time(time))
}

fn is_uri(text: &str) -> bool {
    is_uri_reference(text, true)
}

/// The value of a text that consists of exactly so many digits.
fn number(text: &str, digits: usize) -> Option<u32> {
    let is_number = text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.bytes().fold(0, |value, digit| value * 10 + u32::from(digit - b'0')))
}

/// RFC 3339, `full-date`.
fn is_date(text: &str) -> bool {
    let mut parts = text.split('-');
    let mut next = |digits| parts.next().and_then(|part| number(part, digits));
    let (Some(year), Some(month), Some(day)) = (next(4), next(2), next(2)) else { return false };
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 => 28 + u32::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    parts.next().is_none() && (1..=days).contains(&day)
}

/// RFC 3339, `full-time`; second 60 only where it can be a leap second, at 23:59 UTC.
fn is_time(text: &str) -> bool {
    let clock = |text: Option<&str>| {
        let (hour, minute) = text?.split_once(':')?;
        let (hour, minute) = (number(hour, 2)?, number(minute, 2)?);
        (hour < 24 && minute < 60).then_some(hour * 60 + minute)
    };
    let Some(minutes) = clock(text.get(..5)) else { return false };
    let Some(rest) = text.get(5..).and_then(|rest| rest.strip_prefix(':')) else { return false };
    let Some(second) = rest.get(..2).and_then(|second| number(second, 2)) else { return false };
    let mut rest = rest.get(2..).unwrap_or_default();
    if let Some(fraction) = rest.strip_prefix('.') {
        rest = fraction.trim_start_matches(|digit: char| digit.is_ascii_digit());
        if rest.len() == fraction.len() {
            return false;
        }
    }
    let offset = match rest {
        "Z" | "z" => Some(0),
        _ if rest.starts_with('+') => clock(rest.get(1..)).map(|offset| 1440 - offset),
        _ if rest.starts_with('-') => clock(rest.get(1..)),
        _ => None,
    };
    offset.is_some_and(|offset| second < 60 || (second == 60 && (minutes + offset) % 1440 == 1439))
}

/// RFC 3339, appendix A.
fn is_duration(text: &str) -> bool {
    let Some(rest) = text.strip_prefix('P') else { return false };
    let (date, time) = match rest.split_once('T') {
        Some((date, time)) => (date, Some(time)),
        None => (rest, None),
    };
    // The units that follow each other without a gap, each behind digits.
    let are_units = |text: &str, units: &str| {
        let mut rest = text;
        let mut allowed = units;
        while !rest.is_empty() {
            let unit = rest.trim_start_matches(|digit: char| digit.is_ascii_digit());
            let Some(name) = unit.chars().next().filter(|_| unit.len() < rest.len()) else { return false };
            let Some(at) = allowed.find(name) else { return false };
            if allowed.len() < units.len() && at > 0 {
                return false;
            }
            allowed = allowed.get(at + 1..).unwrap_or_default();
            rest = unit.get(1..).unwrap_or_default();
        }
        true
    };
    match time {
        Some(time) => !time.is_empty() && are_units(time, "HMS") && are_units(date, "YMD"),
        None => !date.is_empty() && (are_units(date, "YMD") || are_units(date, "W")),
    }
}

/// RFC 5321, `Mailbox`.
fn is_email(text: &str) -> bool {
    let Some((local, domain)) = text.rsplit_once('@') else { return false };
    let is_atom = |atom: &str| {
        !atom.is_empty()
            && atom.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-/=?^_`{|}~".contains(&byte))
    };
    let local_holds = match local.strip_prefix('"').and_then(|local| local.strip_suffix('"')) {
        Some(quoted) => {
            let mut escaped = false;
            let holds = quoted.bytes().all(|byte| {
                let fine = (b' '..=b'~').contains(&byte) && (escaped || byte != b'"');
                escaped = !escaped && byte == b'\\';
                fine
            });
            holds && !escaped
        }
        None => local.split('.').all(is_atom),
    };
    let domain_holds = match domain.strip_prefix('[').and_then(|domain| domain.strip_suffix(']')) {
        Some(literal) => match literal.strip_prefix("IPv6:") {
            Some(address) => is_ipv6(address),
            None => is_ipv4(literal),
        },
        None => is_hostname(domain),
    };
    local_holds && domain_holds
}

/// RFC 1123, §2.1: labels of letters, digits and inner hyphens.
fn is_hostname(text: &str) -> bool {
    text.len() < 254
        && text.split('.').all(|label| {
            (1..64).contains(&label.len())
                && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
                && !label.starts_with('-')
                && !label.ends_with('-')
        })
}

/// RFC 2673, §3.2: four numbers without leading zeros.
fn is_ipv4(text: &str) -> bool {
    text.split('.').count() == 4
        && text.split('.').all(|part| {
            number(part, part.len()).is_some_and(|value| value < 256)
                && (1..4).contains(&part.len())
                && (part == "0" || !part.starts_with('0'))
        })
}

/// RFC 4291, §2.2.
fn is_ipv6(text: &str) -> bool {
    // How many groups of 16 bits the list has; the last two may be an IPv4 address.
    let groups = |list: &str, last: bool| -> Option<usize> {
        if list.is_empty() {
            return Some(0);
        }
        let count = list.split(':').count();
        let mut groups = 0;
        for (index, group) in list.split(':').enumerate() {
            groups += 1;
            if last && index + 1 == count && is_ipv4(group) {
                groups += 1;
            } else if !(1..5).contains(&group.len()) || !group.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                return None;
            }
        }
        Some(groups)
    };
    let gap = text.as_bytes().windows(2).position(|pair| pair == b"::");
    match gap.and_then(|at| Some((text.get(..at)?, text.get(at + 2..)?))) {
        Some((before, behind)) => match (groups(before, false), groups(behind, true)) {
            (Some(before), Some(behind)) => before + behind < 8,
            _ => false,
        },
        None => groups(text, true) == Some(8),
    }
}

/// RFC 6901: every `~` is `~0` or `~1`.
fn is_json_pointer(text: &str) -> bool {
    (text.is_empty() || text.starts_with('/')) && text.split('~').skip(1).all(|behind| behind.starts_with(['0', '1']))
}

/// RFC 3986; an absolute one has a scheme.
fn is_uri_reference(text: &str, absolute: bool) -> bool {
    let mut rest = text;
    let scheme = text.find([':', '/', '?', '#']).and_then(|at| text.split_at_checked(at));
    if let Some((scheme, behind)) = scheme.filter(|(_, behind)| behind.starts_with(':')) {
        let holds = scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
        if !holds {
            return false;
        }
        rest = behind.get(1..).unwrap_or_default();
    } else if absolute {
        return false;
    }
    if let Some(behind) = rest.strip_prefix("//") {
        let end = behind.find(['/', '?', '#']).unwrap_or(behind.len());
        let Some((authority, behind)) = behind.split_at_checked(end) else { return false };
        let (user, host) = authority.rsplit_once('@').unwrap_or(("", authority));
        let (host, port) = match host.strip_prefix('[').and_then(|host| host.split_once(']')) {
            Some((literal, port)) => {
                let is_future = literal.starts_with(['v', 'V']) && literal.contains('.');
                if !is_ipv6(literal) && !is_future {
                    return false;
                }
                ("", port)
            }
            None => host.split_at_checked(host.find(':').unwrap_or(host.len())).unwrap_or((host, "")),
        };
        let port_holds =
            port.is_empty() || port.strip_prefix(':').is_some_and(|port| number(port, port.len()).is_some());
        if !port_holds || !are_uri_characters(user, b":") || !are_uri_characters(host, b"") {
            return false;
        }
        rest = behind;
    }
    let (before, fragment) = rest.split_once('#').unwrap_or((rest, ""));
    let (path, query) = before.split_once('?').unwrap_or((before, ""));
    are_uri_characters(path, b":@/") && are_uri_characters(query, b":@/?") && are_uri_characters(fragment, b":@/?")
}

/// Unreserved characters, sub-delimiters, percent escapes, and some more.
fn are_uri_characters(text: &str, more: &[u8]) -> bool {
    let escapes = text
        .split('%')
        .skip(1)
        .all(|behind| behind.as_bytes().get(..2).is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit)));
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=%".contains(&byte) || more.contains(&byte);
    escapes && text.bytes().all(plain)
}

/// RFC 4122: 8-4-4-4-12 hexadecimal digits.
fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}
