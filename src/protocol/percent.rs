//! Percent-encoding (RFC 3986, section 2.1).

fn is_unreserved(byte: u8) -> bool {
    matches!(byte, b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~')
}

fn is_reserved(byte: u8) -> bool {
    b":/?#[]@!$&'()*+,;=".contains(&byte)
}

/// The byte that a percent-encoded triplet at the start of `rest` stands for.
fn triplet(rest: &[u8]) -> Option<u8> {
    let [b'%', high, low, ..] = rest else { return None };
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    Some(digit(*high)? << 4 | digit(*low)?)
}

fn push_triplet(byte: u8, out: &mut String) {
    out.push('%');
    for digit in [byte >> 4, byte & 15] {
        out.push(char::from_digit(u32::from(digit), 16).unwrap_or('0').to_ascii_uppercase());
    }
}

/// Encodes a value: everything but unreserved characters, or also reserved ones and triplets.
pub(super) fn encode(value: &str, keep_reserved: bool, out: &mut String) {
    for (at, byte) in value.bytes().enumerate() {
        let rest = value.as_bytes().get(at..).unwrap_or_default();
        if is_unreserved(byte) || (keep_reserved && (is_reserved(byte) || triplet(rest).is_some())) {
            out.push(char::from(byte));
        } else {
            push_triplet(byte, out);
        }
    }
}

/// One spelling for equal URIs (RFC 3986, section 6.2.2): what may stand unencoded does, what may
/// not is encoded, hexadecimal digits are upper case.
pub(super) fn normalise(uri: &str) -> String {
    let mut out = String::with_capacity(uri.len());
    let bytes = uri.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let encoded = bytes.get(at..).and_then(triplet);
        match encoded.unwrap_or(*byte) {
            plain if is_unreserved(plain) || (encoded.is_none() && is_reserved(plain)) => out.push(char::from(plain)),
            other => push_triplet(other, &mut out),
        }
        at += if encoded.is_some() { 3 } else { 1 };
    }
    out
}

/// The bytes behind percent-encoded text; a broken escape stays as it is.
#[must_use]
pub fn decode(mut rest: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(rest.len());
    while let Some((first, behind)) = rest.split_first() {
        let found = triplet(rest);
        out.push(found.unwrap_or(*first));
        rest = if found.is_some() { behind.get(2..).unwrap_or_default() } else { behind };
    }
    out
}

/// The text behind a part of a normalised URI; `None` if it is not UTF-8 or ends inside a triplet.
pub(super) fn decode_strictly(encoded: &str) -> Option<String> {
    let bytes = encoded.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        if *byte == b'%' {
            out.push(triplet(bytes.get(at..)?)?);
            at += 3;
        } else {
            out.push(*byte);
            at += 1;
        }
    }
    String::from_utf8(out).ok()
}

#[cfg(test)]
mod tests {
    use super::{decode, decode_strictly};

    #[test]
    fn a_broken_escape_stays_or_is_refused() {
        for (encoded, bytes, strictly) in [
            ("a%20b", &b"a b"[..], Some("a b")),
            ("%E5%8C%97", "北".as_bytes(), Some("北")),
            ("100%", b"100%", None),
            ("%4", b"%4", None),
            ("%zz%41", b"%zzA", None),
            ("%FF", b"\xff", None),
        ] {
            assert_eq!(decode(encoded.as_bytes()), bytes, "{encoded}");
            assert_eq!(decode_strictly(encoded).as_deref(), strictly, "{encoded}");
        }
    }
}
