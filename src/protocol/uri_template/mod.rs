//! URI templates (RFC 6570): expansion to level 4, and the way back from a URI to the values.
//!
//! The RFC defines expansion only. Matching here is its inverse as far as there is
//! one: the longest reading of each expression that lets the rest match, in time
//! linear in the URI. It is more lenient than expansion where people and models
//! write URIs by hand: a value may hold characters that expansion would have
//! encoded, as long as they cannot be taken for the structure around it.

mod matching;

use crate::protocol::percent::{encode, normalise};
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
}

fn first_characters(text: &str, most: Option<usize>) -> &str {
    let end = most.and_then(|most| text.char_indices().nth(most)).map_or(text.len(), |(at, _)| at);
    text.get(..end).unwrap_or_default()
}
