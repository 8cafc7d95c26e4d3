//! URI templates (RFC 6570): expansion to level 4, and the way back from a URI to the values.
//!
//! The RFC defines expansion only. Matching here is its inverse as far as there is
//! one: the longest reading of each expression that lets the rest match, in time
//! linear in the URI. It is more lenient than expansion where people and models
//! write URIs by hand: a value may hold characters that expansion would have
//! encoded, as long as they cannot be taken for the structure around it.

use std::fmt::{Display, Formatter};

/// The longest URI that is matched, in bytes; a longer one matches no template. Bounds the memory of one match.
pub const MAX_URI_BYTES: usize = 32 * 1024;

/// The most expressions of one template; bounds the work of one match.
pub const MAX_EXPRESSIONS: usize = 32;

/// The value of a variable.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Value {
    /// One text.
    Text(String),
    /// A list. Matching gives it for variables with `*`.
    List(Vec<String>),
    /// Names and values in order. Only for expansion.
    Map(Vec<(String, String)>),
}

/// Why a text is not a URI template, and where.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct TemplateError {
    /// The offset in bytes.
    pub at: usize,
    /// What was expected there.
    pub expected: &'static str,
}

impl Display for TemplateError {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.write_str("expected ")?;
        f.write_str(self.expected)?;
        f.write_str(" at byte ")?;
        f.write_str(&self.at.to_string())
    }
}

impl std::error::Error for TemplateError {}

/// A parsed URI template.
#[derive(Clone, Debug)]
pub struct UriTemplate {
    parts: Vec<Part>,
}

#[derive(Clone, Debug)]
enum Part {
    Literal {
        /// As it stands in an expanded URI.
        written: String,
        /// As it stands in a normalised URI.
        normal: String,
    },
    Expression(Expression),
}

#[derive(Clone, Debug)]
struct Expression {
    operator: Operator,
    variables: Vec<Variable>,
}

#[derive(Clone, Debug)]
struct Variable {
    name: String,
    explode: bool,
    /// The most characters of the value that are used.
    prefix: Option<usize>,
}

/// One row of the table in RFC 6570, appendix A.
#[derive(Clone, Copy, Debug)]
struct Operator {
    /// What comes before the first value; 0 for nothing.
    lead: u8,
    separator: u8,
    named: bool,
    /// Whether an empty value keeps its `=`.
    empty_equals: bool,
    /// Whether reserved characters stay as they are.
    reserved: bool,
}

impl Operator {
    const SIMPLE: Self = Self { lead: 0, separator: b',', named: false, empty_equals: false, reserved: false };

    fn read(byte: u8) -> Option<Self> {
        let simple = Self::SIMPLE;
        Some(match byte {
            b'+' => Self { reserved: true, ..simple },
            b'#' => Self { lead: b'#', reserved: true, ..simple },
            b'.' | b'/' => Self { lead: byte, separator: byte, ..simple },
            b';' => Self { lead: b';', separator: b';', named: true, ..simple },
            b'?' | b'&' => Self { lead: byte, separator: b'&', named: true, empty_equals: true, ..simple },
            _ => return None,
        })
    }
}

impl UriTemplate {
    /// Parses a template.
    ///
    /// # Errors
    ///
    /// [`TemplateError`] for braces that do not pair, an operator that RFC 6570 does not
    /// define, a bad variable name or modifier, and too many expressions.
    pub fn parse(template: &str) -> Result<Self, TemplateError> {
        let mut parts: Vec<Part> = Vec::new();
        let mut expressions = 0;
        let mut at = 0;
        while let Some(rest) = template.get(at..).filter(|rest| !rest.is_empty()) {
            let Some(inner) = rest.strip_prefix('{') else {
                let end = rest.find(['{', '}']).unwrap_or(rest.len());
                if rest.get(end..).is_some_and(|tail| tail.starts_with('}')) {
                    return Err(TemplateError { at: at + end, expected: "'{' before '}'" });
                }
                let literal = rest.get(..end).unwrap_or_default();
                let mut written = String::with_capacity(end);
                encode(literal, true, &mut written);
                parts.push(Part::Literal { written, normal: normalise(literal) });
                at += end;
                continue;
            };
            let Some(end) = inner.find(['{', '}']).filter(|end| inner.as_bytes().get(*end) == Some(&b'}')) else {
                return Err(TemplateError { at, expected: "'}' after '{'" });
            };
            expressions += 1;
            if expressions > MAX_EXPRESSIONS {
                return Err(TemplateError { at, expected: "at most 32 expressions" });
            }
            let next = Expression::parse(inner.get(..end).unwrap_or_default(), at + 1)?;
            // `{?a}{&b}` is one query: told apart only by the names in it.
            match parts.last_mut() {
                Some(Part::Expression(last)) if last.operator.separator == b'&' && next.operator.lead == b'&' => {
                    last.variables.extend(next.variables);
                }
                _ => parts.push(Part::Expression(next)),
            }
            at += end + 2;
        }
        Ok(Self { parts })
    }

    /// The names of the variables, in the order of the template.
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        self.expressions().flat_map(|expression| &expression.variables).map(|variable| variable.name.as_str())
    }

    fn expressions(&self) -> impl Iterator<Item = &Expression> {
        self.parts.iter().filter_map(|part| match part {
            Part::Literal { .. } => None,
            Part::Expression(expression) => Some(expression),
        })
    }

    /// The URI for these values; a variable without one is left out.
    pub fn expand(&self, values: &[(&str, Value)]) -> String {
        let mut out = String::new();
        for part in &self.parts {
            match part {
                Part::Literal { written, .. } => out.push_str(written),
                Part::Expression(expression) => expression.expand(values, &mut out),
            }
        }
        out
    }

    /// The values that this URI has for the template's variables, percent-decoded, in the order of
    /// the template; `None` if it does not match.
    ///
    /// - `{x}` and `{+x}` need a character at least; an expression with an operator that writes a
    ///   character of its own (`{/x}`, `{?x}`, …) may be missing as a whole.
    /// - `{x}` ends at `/`, `?` and `#`; `{+x}` takes them too.
    /// - Members of a query may come in any order and may be missing; an unknown one is no match.
    /// - A decoded value may hold anything, `/` and `..` included: it is not safe as a path.
    pub fn match_uri(&self, uri: &str) -> Option<Vec<(String, Value)>> {
        if uri.len() > MAX_URI_BYTES {
            return None;
        }
        let uri = normalise(uri);
        let text = uri.as_bytes();
        let reachable = self.reachable(text);
        let mut rows = reachable.iter().rev();
        if rows.next()?.first() != Some(&true) {
            return None;
        }
        let mut found = Vec::new();
        let mut at = 0;
        for (part, after) in self.parts.iter().zip(rows) {
            match part {
                Part::Literal { normal, .. } => at += normal.len(),
                Part::Expression(expression) => {
                    let Some(start) = expression.start(text, at) else { continue };
                    let mut end = None;
                    let mut here = start;
                    loop {
                        if after.get(here) == Some(&true) && (here > at) {
                            end = Some(here);
                        }
                        match text.get(here) {
                            Some(byte) if expression.takes(*byte) => here += 1,
                            _ => break,
                        }
                    }
                    // Without an end here, the expression is absent and the lead belongs to what follows.
                    let Some(end) = end else { continue };
                    expression.read(uri.get(start..end)?, &mut found)?;
                    at = end;
                }
            }
        }
        Some(found)
    }

    /// For each part, last first and beginning with the end itself: the offsets from which the rest
    /// of the text matches the rest of the template.
    fn reachable(&self, text: &[u8]) -> Vec<Vec<bool>> {
        let mut rows = Vec::with_capacity(self.parts.len() + 1);
        let mut after = vec![false; text.len() + 1];
        if let Some(end) = after.last_mut() {
            *end = true;
        }
        for part in self.parts.iter().rev() {
            let mut row = vec![false; text.len() + 1];
            // Whether some run of characters from the next offset on ends where the rest matches.
            let mut run_from_next = false;
            for at in (0..=text.len()).rev() {
                let here = text.get(at).copied();
                let ends_here = after.get(at) == Some(&true);
                let matches = match part {
                    Part::Literal { normal, .. } => {
                        text.get(at..).is_some_and(|rest| rest.starts_with(normal.as_bytes()))
                            && after.get(at + normal.len()) == Some(&true)
                    }
                    Part::Expression(expression) => {
                        let takes = here.is_some_and(|byte| expression.takes(byte));
                        let matches = match expression.operator.lead {
                            0 => takes && run_from_next,
                            lead => ends_here || (here == Some(lead) && run_from_next),
                        };
                        run_from_next = ends_here || (takes && run_from_next);
                        matches
                    }
                };
                if let Some(cell) = row.get_mut(at) {
                    *cell = matches;
                }
            }
            rows.push(std::mem::replace(&mut after, row));
        }
        rows.push(after);
        rows
    }
}

impl Expression {
    /// Parses what stands between the braces; `at` is where that begins in the template.
    fn parse(inner: &str, at: usize) -> Result<Self, TemplateError> {
        let operator = inner.bytes().next().and_then(Operator::read);
        let list_at = usize::from(operator.is_some());
        let mut variables = Vec::new();
        let mut at = at + list_at;
        for spec in inner.get(list_at..).unwrap_or_default().split(',') {
            variables.push(Variable::parse(spec, at)?);
            at += spec.len() + 1;
        }
        Ok(Self { operator: operator.unwrap_or(Operator::SIMPLE), variables })
    }

    /// Where the values begin if the expression stands at `at`.
    fn start(&self, text: &[u8], at: usize) -> Option<usize> {
        match self.operator.lead {
            0 => Some(at),
            lead => (text.get(at) == Some(&lead)).then_some(at + 1),
        }
    }

    /// Whether a value of this expression, or what separates two, may hold that character.
    fn takes(&self, byte: u8) -> bool {
        let operator = self.operator;
        match byte {
            _ if operator.reserved => true,
            b'#' => false,
            b'/' if operator.lead == b'/' => {
                self.variables.len() > 1 || self.variables.iter().any(|variable| variable.explode)
            }
            b'/' | b'?' => operator.separator == b'&',
            _ => true,
        }
    }

    /// Adds the values that stand in `text`; `None` where it cannot have come from this expression.
    fn read(&self, text: &str, found: &mut Vec<(String, Value)>) -> Option<()> {
        let separator = char::from(self.operator.separator);
        if self.operator.named {
            for pair in text.split(separator).filter(|_| !text.is_empty()) {
                let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
                self.variables.iter().find(|variable| variable.name == name)?.add(value, found)?;
            }
            return Some(());
        }
        let [first, rest @ ..] = self.variables.as_slice() else { return None };
        if rest.is_empty() && !first.explode {
            return first.add(text, found);
        }
        let mut variables = self.variables.iter();
        let mut variable = None;
        for piece in text.split(separator) {
            // A list takes all that is left.
            variable = variable.filter(|variable: &&Variable| variable.explode).or_else(|| variables.next());
            variable?.add(piece, found)?;
        }
        Some(())
    }

    fn expand(&self, values: &[(&str, Value)], out: &mut String) {
        let operator = self.operator;
        let mut before = operator.lead;
        for variable in &self.variables {
            let Some((_, value)) = values.iter().find(|(name, _)| *name == variable.name) else { continue };
            // Every value becomes items of an optional name and a text.
            let whole: Vec<(Option<&str>, &str)> = match value {
                Value::Text(text) => vec![(None, first_characters(text, variable.prefix))],
                Value::List(list) => list.iter().map(|item| (None, item.as_str())).collect(),
                Value::Map(map) => map.iter().map(|(name, item)| (Some(name.as_str()), item.as_str())).collect(),
            };
            for (at, (key, item)) in whole.iter().enumerate() {
                if at == 0 || variable.explode {
                    if before != 0 {
                        out.push(char::from(before));
                    }
                    before = operator.separator;
                    let own = if variable.explode { *key } else { None };
                    if let Some(name) = own.or_else(|| operator.named.then_some(variable.name.as_str())) {
                        match own {
                            Some(key) => encode(key, operator.reserved, out),
                            None => out.push_str(name),
                        }
                        let is_empty = item.is_empty() && (variable.explode || (whole.len() == 1 && key.is_none()));
                        if !is_empty || operator.empty_equals || !operator.named {
                            out.push('=');
                        }
                    }
                } else {
                    out.push(',');
                }
                if let (Some(key), false) = (key, variable.explode) {
                    encode(key, operator.reserved, out);
                    out.push(',');
                }
                encode(item, operator.reserved, out);
            }
        }
    }
}

impl Variable {
    fn parse(spec: &str, at: usize) -> Result<Self, TemplateError> {
        let (name, explode, prefix) = if let Some(name) = spec.strip_suffix('*') {
            (name, true, None)
        } else if let Some((name, digits)) = spec.split_once(':') {
            let length = digits.parse().ok().filter(|length| (1..10_000).contains(length));
            let is_plain = digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.starts_with('0');
            if length.is_none() || !is_plain {
                return Err(TemplateError { at: at + name.len() + 1, expected: "a length from 1 to 9999" });
            }
            (name, false, length)
        } else {
            (spec, false, None)
        };
        let mut previous = b'.';
        let mut rest = name.bytes();
        while let Some(byte) = rest.next() {
            let is_valid = match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' => true,
                b'.' => previous != b'.',
                b'%' => [rest.next(), rest.next()].iter().all(|digit| digit.is_some_and(|d| d.is_ascii_hexdigit())),
                _ => false,
            };
            if !is_valid {
                return Err(TemplateError { at, expected: "a variable name of letters, digits, '_' and inner '.'" });
            }
            previous = byte;
        }
        if previous == b'.' {
            return Err(TemplateError { at, expected: "a variable name of letters, digits, '_' and inner '.'" });
        }
        Ok(Self { name: name.to_owned(), explode, prefix })
    }

    /// Adds one value; `None` if it contradicts the modifier or what was found already.
    fn add(&self, encoded: &str, found: &mut Vec<(String, Value)>) -> Option<()> {
        let text = decode(encoded)?;
        if self.prefix.is_some_and(|length| text.chars().count() > length) {
            return None;
        }
        let known = found.iter_mut().find(|(name, _)| *name == self.name).map(|(_, value)| value);
        match known {
            Some(Value::List(list)) if self.explode => list.push(text),
            Some(value) => return (*value == Value::Text(text)).then_some(()),
            None => {
                let value = if self.explode { Value::List(vec![text]) } else { Value::Text(text) };
                found.push((self.name.clone(), value));
            }
        }
        Some(())
    }
}

fn first_characters(text: &str, most: Option<usize>) -> &str {
    let end = most.and_then(|most| text.char_indices().nth(most)).map_or(text.len(), |(at, _)| at);
    text.get(..end).unwrap_or_default()
}

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
fn encode(value: &str, keep_reserved: bool, out: &mut String) {
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
fn normalise(uri: &str) -> String {
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

/// The text behind a part of a normalised URI; `None` if it is not UTF-8 or ends inside a triplet.
fn decode(encoded: &str) -> Option<String> {
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
