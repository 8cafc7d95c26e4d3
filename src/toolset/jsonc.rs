//! JSON as editors write it: comments, and commas behind the last item.

/// The text as JSON: comments and trailing commas become spaces, so that places stay what they were.
pub(super) fn to_json(text: &str) -> String {
    let mut out = text.as_bytes().to_vec();
    let mut at = 0;
    // The last comma that nothing but space and comments follows.
    let mut comma = None;
    while let Some(byte) = out.get(at).copied() {
        match byte {
            b'"' => {
                comma = None;
                at = string_end(&out, at);
                continue;
            }
            b'/' if matches!(out.get(at + 1), Some(b'/' | b'*')) => {
                let end = comment_end(&out, at);
                blank(&mut out, at, end);
                at = end;
                continue;
            }
            b',' => comma = Some(at),
            b']' | b'}' => {
                if let Some(place) = comma.take().and_then(|comma| out.get_mut(comma)) {
                    *place = b' ';
                }
            }
            b' ' | b'\t' | b'\r' | b'\n' => {}
            _ => comma = None,
        }
        at += 1;
    }
    String::from_utf8(out).unwrap_or_default()
}

fn string_end(text: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    loop {
        match text.get(at) {
            Some(b'\\') => at += 2,
            Some(b'"') => return at + 1,
            Some(_) => at += 1,
            None => return text.len(),
        }
    }
}

fn comment_end(text: &[u8], start: usize) -> usize {
    let rest = text.get(start..).unwrap_or_default();
    let found = if rest.starts_with(b"//") {
        rest.iter().position(|byte| *byte == b'\n')
    } else {
        rest.windows(2).skip(2).position(|pair| pair == b"*/").map(|at| at + 4)
    };
    found.map_or(text.len(), |length| start + length)
}

fn blank(text: &mut [u8], start: usize, end: usize) {
    for byte in text.get_mut(start..end).unwrap_or_default() {
        if *byte != b'\n' {
            *byte = b' ';
        }
    }
}
