//! Base64 with padding (RFC 4648 §4): header values and the blobs of resources and images.

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The base64 text of `bytes`.
pub fn encode(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let byte = |at: usize| u32::from(group.get(at).copied().unwrap_or_default());
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for at in 0..4 {
            if at > group.len() {
                out.push('=');
            } else {
                let digit = (bits >> (18 - 6 * at) & 63) as usize;
                out.push(ALPHABET.get(digit).copied().unwrap_or_default() as char);
            }
        }
    }
    out
}

/// The bytes of a base64 text; `None` unless it is exactly what [`encode`] writes: standard
/// alphabet, padded, nothing in between, no stray bits.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    let text = text.as_bytes();
    if !text.len().is_multiple_of(4) {
        return None;
    }
    let padding = text.iter().rev().take_while(|byte| **byte == b'=').count();
    if padding > 2 {
        return None;
    }
    let digits = text.get(..text.len() - padding)?;
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    for group in digits.chunks(4) {
        let mut bits = 0_u32;
        for at in 0..4 {
            bits = bits << 6 | group.get(at).map_or(Some(0), |digit| value_of(*digit))?;
        }
        let [_, bytes @ ..] = bits.to_be_bytes();
        let (whole, stray) = bytes.split_at_checked(group.len() - 1)?;
        if stray.iter().any(|byte| *byte != 0) {
            return None;
        }
        out.extend_from_slice(whole);
    }
    Some(out)
}

fn value_of(digit: u8) -> Option<u32> {
    let value = match digit {
        b'A'..=b'Z' => digit - b'A',
        b'a'..=b'z' => digit - b'a' + 26,
        b'0'..=b'9' => digit - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    };
    Some(u32::from(value))
}

#[cfg(test)]
mod tests {
    use super::{decode, encode};

    #[test]
    fn every_length_survives_the_round_trip() {
        for (bytes, text) in [
            (&b""[..], ""),
            (b"f", "Zg=="),
            (b"fo", "Zm8="),
            (b"foo", "Zm9v"),
            (b"foob", "Zm9vYg=="),
            (b"\xff\xfe\xfd", "//79"),
        ] {
            assert_eq!(encode(bytes), text);
            assert_eq!(decode(text).as_deref(), Some(bytes));
        }
    }

    #[test]
    fn anything_but_the_one_spelling_is_refused() {
        for text in
            ["Zg", "Zg=", "Zg===", "Z===", "====", "Zh==", "Zm9=", "Zm 8=", "Zm8=Zm8=", "Zm-_", "Zg==\n", "é==="]
        {
            assert_eq!(decode(text), None, "{text:?}");
        }
    }
}
