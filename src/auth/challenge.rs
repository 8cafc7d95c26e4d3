//! `WWW-Authenticate` (RFC 9110 §11.6.1): a list of challenges, each a scheme with parameters.

/// Longer header values are read up to here: a challenge is some hundred bytes.
pub const MAX_HEADER_BYTES: usize = 16 * 1024;

/// One challenge.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Challenge {
    /// The scheme as it was written; compare without case.
    pub scheme: String,
    /// Names in lower case, values unquoted, each name once.
    pub params: Vec<(String, String)>,
    /// What some schemes have in place of parameters.
    pub token68: Option<String>,
    /// Whether something broke the grammar: a name given twice (the first one counts), a quote without its end.
    pub malformed: bool,
}

impl Challenge {
    /// The parameter of that name, given in lower case.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.params.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// The challenges of a header value; several fields may be joined with commas.
pub fn parse(value: &str) -> Vec<Challenge> {
    let mut reader = Reader { rest: value.get(..value.floor_char_boundary(MAX_HEADER_BYTES)).unwrap_or(value) };
    let mut found: Vec<Challenge> = Vec::new();
    loop {
        reader.skip(|byte| matches!(byte, b' ' | b'\t' | b','));
        if reader.rest.is_empty() {
            return found;
        }
        let token = reader.token();
        if token.is_empty() {
            // Not a token: whatever it is ends at the next comma.
            reader.until_comma();
            if let Some(last) = found.last_mut() {
                last.malformed = true;
            }
            continue;
        }
        if let Some(last) = found.last_mut()
            && reader.param(token, last)
        {
            continue;
        }
        let mut challenge = Challenge { scheme: token.to_owned(), ..Challenge::default() };
        reader.skip(|byte| matches!(byte, b' ' | b'\t'));
        let before = reader.rest;
        let name = reader.token();
        if !reader.param(name, &mut challenge) {
            reader.rest = before;
            let text = reader.until_comma().trim();
            if !text.is_empty() {
                challenge.malformed = !text.bytes().all(is_token68);
                challenge.token68 = Some(text.to_owned());
            }
        }
        found.push(challenge);
    }
}

/// The challenge that OAuth answers: the first of scheme `Bearer`, or else of `DPoP`.
pub fn oauth(challenges: &[Challenge]) -> Option<&Challenge> {
    let of = |scheme: &str| challenges.iter().find(|challenge| challenge.scheme.eq_ignore_ascii_case(scheme));
    of("Bearer").or_else(|| of("DPoP"))
}

struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at_checked(length).unwrap_or((self.rest, ""));
        self.rest = rest;
        taken
    }

    fn skip(&mut self, wanted: impl Fn(u8) -> bool) -> &'a str {
        let length = self.rest.bytes().position(|byte| !wanted(byte)).unwrap_or(self.rest.len());
        self.take(length)
    }

    fn token(&mut self) -> &'a str {
        self.skip(is_token)
    }

    fn until_comma(&mut self) -> &'a str {
        self.skip(|byte| byte != b',')
    }

    /// Reads `= value` behind a name into the challenge; without it, nothing is read.
    fn param(&mut self, name: &str, challenge: &mut Challenge) -> bool {
        let after = self.rest.trim_start_matches([' ', '\t']);
        let Some(value) = after.strip_prefix('=').map(|rest| rest.trim_start_matches([' ', '\t'])) else {
            return false;
        };
        let starts = value.bytes().next();
        if name.is_empty() || !starts.is_some_and(|byte| byte == b'"' || is_token(byte)) {
            return false;
        }
        self.rest = value;
        let text = if starts == Some(b'"') { self.quoted(challenge) } else { self.bare(challenge) };
        let name = name.to_ascii_lowercase();
        if challenge.get(&name).is_some() {
            challenge.malformed = true;
        } else {
            challenge.params.push((name, text));
        }
        true
    }

    fn bare(&mut self, challenge: &mut Challenge) -> String {
        let text = self.token();
        // URLs without quotes are common enough to be understood.
        let more = self.skip(|byte| !matches!(byte, b',' | b' ' | b'\t'));
        challenge.malformed |= !more.is_empty();
        [text, more].concat()
    }

    fn quoted(&mut self, challenge: &mut Challenge) -> String {
        let mut out = String::new();
        let mut characters = self.rest.char_indices().skip(1);
        while let Some((at, character)) = characters.next() {
            match character {
                '"' => {
                    self.take(at + 1);
                    return out;
                }
                '\\' => out.extend(characters.next().map(|(_, escaped)| escaped)),
                other => out.push(other),
            }
        }
        challenge.malformed = true;
        self.rest = "";
        out
    }
}

fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

pub(super) fn is_token68(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~+/=".contains(&byte)
}
