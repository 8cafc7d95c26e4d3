//! The rules for names: tools, extension identifiers, URIs.

use crate::protocol::{meta, method};

/// The longest tool name (2026-07-28, server/tools, "Tool Names").
const MAX_TOOL_NAME: usize = 128;

/// Why a tool may not have that name.
///
/// The specification only recommends the ASCII set; names in other scripts are let through, because
/// `Mcp-Name` can carry them. What breaks a header, a log line or a list of names is refused.
pub(super) fn check_tool_name(name: &str) -> Result<(), &'static str> {
    if name.is_empty() {
        return Err("a tool name must not be empty");
    }
    // As many as characters; std's count of those is a kilobyte of code for the speed of long texts.
    if name.bytes().filter(|byte| byte & 0xC0 != 0x80).count() > MAX_TOOL_NAME {
        return Err("a tool name must have at most 128 characters");
    }
    let allowed = |c: char| {
        if c.is_ascii() { c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/') } else { !c.is_whitespace() }
    };
    if name.chars().all(allowed) {
        Ok(())
    } else {
        Err("a tool name must consist of letters, digits, '_', '-', '.' and '/'")
    }
}

/// Why an extension may not have that identifier: like a `_meta` key, with a mandatory prefix.
pub(super) fn check_extension_id(id: &str) -> Result<(), &'static str> {
    if !id.contains('/') {
        return Err("an extension identifier needs a prefix, as in \"com.example/name\"");
    }
    meta::check_key(id)
}

/// Whether the text can be a scope (RFC 6749, section 3.3).
pub(super) fn is_scope(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| matches!(byte, b'!'..=b'~') && !matches!(byte, b'"' | b'\\'))
}

/// Why an application may not answer a method itself: the specification's are the server's.
pub(super) fn check_own_method(name: &str) -> Result<(), &'static str> {
    if name.is_empty() || name.bytes().any(|byte| !matches!(byte, b'!'..=b'~')) {
        return Err("a method name must be of printable ASCII without spaces");
    }
    if method::is_core_request(name) || matches!(name, method::INITIALIZED | method::CANCELLED) {
        return Err("is a method of the specification, which the server sees to itself");
    }
    Ok(())
}

/// Whether the text begins with a URI scheme (RFC 3986, section 3.1).
pub(super) fn has_scheme(uri: &str) -> bool {
    uri.split_once(':').is_some_and(|(scheme, _)| {
        scheme.as_bytes().first().is_some_and(u8::is_ascii_alphabetic)
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
    })
}

#[cfg(test)]
mod tests {
    use super::{check_extension_id, check_tool_name, has_scheme};

    #[test]
    fn tool_names_of_the_specification_and_of_other_scripts_pass() {
        for name in ["getUser", "DATA_EXPORT_v2", "admin.tools.list", "a/b-c", "北京", "tööl_unicode"] {
            assert_eq!(check_tool_name(name), Ok(()), "{name}");
        }
        assert_eq!(check_tool_name(&"界".repeat(128)), Ok(()));
    }

    #[test]
    fn tool_names_that_are_empty_too_long_or_hold_odd_characters_are_refused() {
        for name in ["", "two words", "a,b", "tab\t", "ü\u{a0}ü", "quote\"", &"x".repeat(129)] {
            assert!(check_tool_name(name).is_err(), "{name:?}");
        }
    }

    #[test]
    fn an_extension_identifier_has_a_prefix() {
        assert!(check_extension_id("tasks").is_err());
        assert_eq!(check_extension_id("io.modelcontextprotocol/tasks"), Ok(()));
    }

    #[test]
    fn a_scheme_begins_with_a_letter_and_ends_with_a_colon() {
        assert!(has_scheme("test://a") && has_scheme("urn:x") && has_scheme("a+b-c.d:x"));
        assert!(!has_scheme("") && !has_scheme("//a") && !has_scheme("1a:x") && !has_scheme("a b:x"));
    }
}
