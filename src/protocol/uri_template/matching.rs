//! From a URI to the values.

use super::{Expression, MAX_URI_BYTES, Part, UriTemplate, Value, Variable};
use crate::protocol::percent::{decode_strictly, normalise};

impl UriTemplate {
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
}

impl Variable {
    /// Adds one value; `None` if it contradicts the modifier or what was found already.
    fn add(&self, encoded: &str, found: &mut Vec<(String, Value)>) -> Option<()> {
        let text = decode_strictly(encoded)?;
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
