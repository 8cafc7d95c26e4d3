//! URI references, resolved as RFC 3986 §5.2 says.

use crate::protocol::percent;

/// What comes before and behind the first such (ASCII) byte.
pub(super) fn cut(text: &str, at: u8) -> Option<(&str, &str)> {
    let position = text.bytes().position(|byte| byte == at)?;
    Some((text.get(..position)?, text.get(position + 1..)?))
}

/// The offset of the first of those bytes, or the length.
#[inline(never)]
pub(super) fn find(text: &str, any: &[u8]) -> usize {
    text.bytes().position(|byte| any.contains(&byte)).unwrap_or(text.len())
}

/// What comes before and from that offset on.
#[inline(never)]
pub(super) fn split(text: &str, at: usize) -> (&str, &str) {
    text.split_at_checked(at).unwrap_or((text, ""))
}

/// The reference as seen from the base; the base may be empty.
pub(super) fn resolve(base: &str, reference: &str) -> String {
    let (base, _) = split(base, find(base, b"#"));
    if scheme_end(reference) > 0 {
        return reference.to_owned();
    }
    if reference.is_empty() || reference.starts_with('#') {
        return [base, reference].concat();
    }
    let (scheme, rest) = split(base, scheme_end(base));
    if reference.starts_with("//") {
        return [scheme, reference].concat();
    }
    let authority_end = rest.strip_prefix("//").map_or(0, |host| 2 + find(host, b"/?"));
    let (authority, path) = split(rest, authority_end);
    let (path, _) = split(path, find(path, b"?"));
    let (reference_path, tail) = split(reference, find(reference, b"?#"));
    let mut out = [scheme, authority].concat();
    if reference_path.is_empty() {
        out.push_str(path);
    } else {
        let folder = match path.bytes().rposition(|byte| byte == b'/') {
            _ if reference_path.starts_with('/') => "",
            Some(slash) => path.get(..=slash).unwrap_or_default(),
            None if authority.is_empty() => "",
            None => "/",
        };
        let root = out.len();
        let merged = [folder, reference_path].concat();
        let mut rest = merged.as_str();
        while !rest.is_empty() {
            let (segment, behind) = split(rest, (find(rest, b"/") + 1).min(rest.len()));
            rest = behind;
            match segment {
                "." | "./" => {}
                ".." | "../" => {
                    let path = out.get(root..).unwrap_or_default();
                    let path = path.strip_suffix('/').unwrap_or(path);
                    let parent = path.bytes().rposition(|byte| byte == b'/').map_or(0, |slash| slash + 1);
                    let is_rooted = out.get(root..).is_some_and(|path| path.starts_with('/'));
                    out.truncate(root + parent.max(usize::from(is_rooted)));
                }
                _ => out.push_str(segment),
            }
        }
    }
    out.push_str(tail);
    out
}

/// The length of `scheme:`, 0 for a relative reference.
fn scheme_end(uri: &str) -> usize {
    let end = find(uri, b":/?#");
    let is_scheme =
        uri.as_bytes().get(end) == Some(&b':') && uri.as_bytes().first().is_some_and(u8::is_ascii_alphabetic);
    if is_scheme { end + 1 } else { 0 }
}

/// Decodes percent escapes; what is not one, or is no UTF-8, stays as it is.
pub(super) fn decode(text: &str) -> String {
    String::from_utf8(percent::decode(text.as_bytes())).unwrap_or_else(|_| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::{decode, resolve};

    #[test]
    fn references_resolve_as_the_rfc_says() {
        for (base, reference, expected) in [
            ("http://a/b/c/d;p?q", "g", "http://a/b/c/g"),
            ("http://a/b/c/d;p?q", "./g", "http://a/b/c/g"),
            ("http://a/b/c/d;p?q", "g/", "http://a/b/c/g/"),
            ("http://a/b/c/d;p?q", "/g", "http://a/g"),
            ("http://a/b/c/d;p?q", "//g", "http://g"),
            ("http://a/b/c/d;p?q", "?y", "http://a/b/c/d;p?y"),
            ("http://a/b/c/d;p?q", "g?y#s", "http://a/b/c/g?y#s"),
            ("http://a/b/c/d;p?q", "#s", "http://a/b/c/d;p?q#s"),
            ("http://a/b/c/d;p?q", "", "http://a/b/c/d;p?q"),
            ("http://a/b/c/d;p?q", "..", "http://a/b/"),
            ("http://a/b/c/d;p?q", "../g", "http://a/b/g"),
            ("http://a/b/c/d;p?q", "../../../g", "http://a/g"),
            ("http://a", "g", "http://a/g"),
            ("", "g", "g"),
            ("", "#/a", "#/a"),
            ("urn:uuid:1", "#/a", "urn:uuid:1#/a"),
            ("http://a/b", "urn:x", "urn:x"),
        ] {
            assert_eq!(resolve(base, reference), expected, "{base} {reference}");
        }
    }

    #[test]
    fn escapes_are_decoded() {
        for (text, expected) in [("a%25b", "a%b"), ("%22", "\""), ("%", "%"), ("%zz", "%zz"), ("%ff", "%ff")] {
            assert_eq!(decode(text), expected);
        }
    }
}
