//! The rules for names: tools, `_meta` keys, extension identifiers.

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
    if name.chars().count() > MAX_TOOL_NAME {
        return Err("a tool name must have at most 128 characters");
    }
    let allowed =
        |c: char| if c.is_ascii() { c.is_ascii_alphanumeric() || "_-./".contains(c) } else { !c.is_whitespace() };
    if name.chars().all(allowed) {
        Ok(())
    } else {
        Err("a tool name must consist of letters, digits, '_', '-', '.' and '/'")
    }
}

/// Why an object may not have that `_meta` key (2026-07-28, basic/index, "`_meta`").
pub(super) fn check_meta_key(key: &str) -> Result<(), &'static str> {
    let name = match key.rsplit_once('/') {
        Some((prefix, name)) => {
            check_prefix(prefix)?;
            name
        }
        None => key,
    };
    let alphanumeric = |byte: Option<&u8>| byte.is_none_or(u8::is_ascii_alphanumeric);
    let bytes = name.as_bytes();
    if !alphanumeric(bytes.first()) || !alphanumeric(bytes.last()) {
        return Err("the name of a _meta key must begin and end with a letter or a digit");
    }
    if !bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(byte)) {
        return Err("the name of a _meta key may only hold letters, digits, '-', '_' and '.'");
    }
    Ok(())
}

/// Why an extension may not have that identifier: like a `_meta` key, with a mandatory prefix.
pub(super) fn check_extension_id(id: &str) -> Result<(), &'static str> {
    if !id.contains('/') {
        return Err("an extension identifier needs a prefix, as in \"com.example/name\"");
    }
    check_meta_key(id)
}

fn check_prefix(prefix: &str) -> Result<(), &'static str> {
    let is_label = |label: &str| {
        let bytes = label.as_bytes();
        bytes.first().is_some_and(u8::is_ascii_alphabetic)
            && bytes.last().is_some_and(u8::is_ascii_alphanumeric)
            && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-')
    };
    if prefix.split('.').all(is_label) {
        Ok(())
    } else {
        Err(
            "the prefix of a _meta key must be labels separated by dots, each beginning with a letter and ending with a letter or a digit",
        )
    }
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
    use super::{check_extension_id, check_meta_key, check_tool_name, has_scheme};

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
    fn meta_keys_follow_the_rules_for_prefix_and_name() {
        for key in ["a", "progressToken", "com.example/a.b_c-d", "io.modelcontextprotocol/ui", "com.example/", "ui/x"] {
            assert_eq!(check_meta_key(key), Ok(()), "{key}");
        }
        for key in ["-a", "a-", "a b", "1x.example/a", "com.-x/a", "com..x/a", "/a", "北京", "com.example/ä"] {
            assert!(check_meta_key(key).is_err(), "{key}");
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
