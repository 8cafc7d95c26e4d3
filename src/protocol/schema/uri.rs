//! URI references, resolved as RFC 3986 §5.2 says.

/// The reference as seen from the base; the base may be empty.
pub(super) fn resolve(base: &str, reference: &str) -> String {
    let base = base.split('#').next().unwrap_or_default();
    if scheme_end(reference) > 0 {
        return reference.to_owned();
    }
    if reference.is_empty() || reference.starts_with('#') {
        return [base, reference].concat();
    }
    let (scheme, rest) = base.split_at(scheme_end(base));
    if reference.starts_with("//") {
        return [scheme, reference].concat();
    }
    let authority_end = match rest.strip_prefix("//") {
        Some(host) => 2 + host.find(['/', '?']).unwrap_or(host.len()),
        None => 0,
    };
    let (authority, path) = rest.split_at(authority_end);
    let path = path.split('?').next().unwrap_or_default();
    let path_end = reference.find(['?', '#']).unwrap_or(reference.len());
    let (reference_path, tail) = reference.split_at(path_end);
    let mut out = [scheme, authority].concat();
    if reference_path.is_empty() {
        out.push_str(path);
    } else {
        let folder = match path.rfind('/') {
            _ if reference_path.starts_with('/') => "",
            Some(slash) => path.get(..=slash).unwrap_or_default(),
            None if authority.is_empty() => "",
            None => "/",
        };
        let root = out.len();
        for segment in [folder, reference_path].concat().split_inclusive('/') {
            match segment {
                "." | "./" => {}
                ".." | "../" => {
                    let path = out.get(root..).unwrap_or_default();
                    let parent = path.trim_end_matches('/').rfind('/').map_or(0, |slash| slash + 1);
                    out.truncate(root + parent.max(usize::from(path.starts_with('/'))));
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
    match uri.find([':', '/', '?', '#']) {
        Some(at)
            if uri.as_bytes().get(at) == Some(&b':') && uri.starts_with(|first: char| first.is_ascii_alphabetic()) =>
        {
            at + 1
        }
        _ => 0,
    }
}

/// Decodes percent escapes; what is not one stays as it is.
pub(super) fn decode(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((byte, behind)) = rest.split_first() {
        let digit = |at: usize| behind.get(at).and_then(|digit| char::from(*digit).to_digit(16));
        match (byte, digit(0), digit(1)) {
            (b'%', Some(high), Some(low)) => {
                out.push((high * 16 + low) as u8);
                rest = behind.get(2..).unwrap_or_default();
            }
            _ => {
                out.push(*byte);
                rest = behind;
            }
        }
    }
    String::from_utf8(out).unwrap_or_else(|_| text.to_owned())
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
