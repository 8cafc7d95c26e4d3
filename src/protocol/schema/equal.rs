//! Equality of JSON values, as JSON Schema has it: by value, members in any order.

use super::number::Decimal;
use crate::protocol::json::{Key, Kind, Raw};
use std::borrow::Cow;

/// The bytes of a string's value, taken as they are where nothing is escaped.
#[inline(never)]
pub(super) fn string_bytes(quoted: &[u8]) -> Cow<'_, [u8]> {
    let inner = quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default();
    if inner.contains(&b'\\') {
        return Cow::Owned(crate::protocol::json::unquote(quoted).into_owned().into_bytes());
    }
    Cow::Borrowed(inner)
}

/// Work to be done, counted down; see [`super::MAX_STEPS`].
#[derive(Debug)]
pub(super) struct Steps(pub(super) u64);

impl Steps {
    /// Pays for one thing and for a text of `bytes`; false when there is nothing left.
    #[inline(never)]
    pub(super) fn pay(&mut self, bytes: usize) -> bool {
        self.0 = self.0.saturating_sub(1 + (bytes as u64 >> 6));
        self.0 > 0
    }
}

/// Whether two values are equal; false too when the steps are used up.
pub(super) fn equal(left: Raw<'_>, right: Raw<'_>, steps: &mut Steps) -> bool {
    let mut pairs = Vec::new();
    let mut next = Some((left, right));
    while let Some((left, right)) = next {
        if !steps.pay(left.text().len()) {
            return false;
        }
        if left.text() != right.text() && !equal_but_for_parts(left, right, &mut pairs, steps) {
            return false;
        }
        next = pairs.pop();
    }
    true
}

fn equal_but_for_parts<'a>(
    left: Raw<'a>,
    right: Raw<'a>,
    pairs: &mut Vec<(Raw<'a>, Raw<'a>)>,
    steps: &mut Steps,
) -> bool {
    if left.kind() != right.kind() {
        return false;
    }
    match left.kind() {
        Kind::Null => true,
        Kind::Bool => false,
        Kind::Number => Decimal::read(left.text()).compare(Decimal::read(right.text())).is_eq(),
        Kind::String => string_bytes(left.text()) == string_bytes(right.text()),
        Kind::Array => {
            let mut others = right.elements();
            for element in left.elements() {
                let Some(other) = others.next() else { return false };
                pairs.push((element, other));
            }
            others.next().is_none()
        }
        Kind::Object => {
            let mut count = 0_usize;
            for (key, member) in left.members() {
                if !steps.pay(right.text().len()) {
                    return false;
                }
                let Some(other) = member_named(right, key) else { return false };
                pairs.push((member, other));
                count += 1;
            }
            right.members().count() == count
        }
    }
}

fn member_named<'a>(object: Raw<'a>, name: Key<'_>) -> Option<Raw<'a>> {
    let name = string_bytes(name.quoted());
    object.members().filter(|(key, _)| string_bytes(key.quoted()) == name).last().map(|(_, value)| value)
}

/// The indices of two equal elements of an array; `Err` when the steps are used up.
pub(super) fn find_twins(array: Raw<'_>, steps: &mut Steps) -> Result<Option<(usize, usize)>, ()> {
    let mut items: Vec<(u32, usize, Raw<'_>)> = Vec::new();
    for (index, element) in array.elements().enumerate() {
        if !steps.pay(element.text().len() * 8) {
            return Err(());
        }
        items.push((hash(element), index, element));
    }
    sort(&mut items, |left, right| left.0 < right.0);
    for (at, (hash, index, element)) in items.iter().enumerate() {
        for (_, other_index, other) in
            items.get(at + 1..).unwrap_or_default().iter().take_while(|(other, ..)| other == hash)
        {
            if equal(*element, *other, steps) {
                return Ok(Some((*index.min(other_index), *index.max(other_index))));
            }
            if steps.0 == 0 {
                return Err(());
            }
        }
    }
    Ok(None)
}

/// A value that equal JSON values share: it counts every scalar and name, but not their order.
fn hash(value: Raw<'_>) -> u32 {
    let mut sum = 0_u32;
    let mut rest = vec![(value, 1_u32)];
    while let Some((value, level)) = rest.pop() {
        let mut mixed = level;
        match value.kind() {
            Kind::Number => Decimal::read(value.text()).hash(|byte| mix(&mut mixed, &[byte])),
            Kind::String => mix(&mut mixed, &string_bytes(value.text())),
            Kind::Array => rest.extend(value.elements().map(|element| (element, level + 1))),
            Kind::Object => {
                for (key, member) in value.members() {
                    let mut name = level;
                    mix(&mut name, &string_bytes(key.quoted()));
                    sum = sum.wrapping_add(spread(name));
                    rest.push((member, level + 1));
                }
            }
            _ => mix(&mut mixed, value.text()),
        }
        sum = sum.wrapping_add(spread(mixed));
    }
    sum
}

/// Spreads a hash over all its bits, so that sums of similar texts' hashes differ.
fn spread(hash: u32) -> u32 {
    let hash = (hash ^ hash >> 16).wrapping_mul(0x7FEB_352D);
    (hash ^ hash >> 15).wrapping_mul(0x846C_A68B)
}

/// One round of FNV-1a.
fn mix(hash: &mut u32, bytes: &[u8]) {
    for byte in bytes {
        *hash = (*hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193);
    }
}

/// Heap sort: in place, no recursion, a tenth of the code of the standard library's.
pub(super) fn sort<T>(items: &mut [T], less: impl Fn(&T, &T) -> bool) {
    let sift = |items: &mut [T], mut root: usize, end: usize| {
        loop {
            let mut child = 2 * root + 1;
            if child >= end {
                return;
            }
            let is_less = |left: usize, right: usize| {
                items.get(left).zip(items.get(right)).is_some_and(|(left, right)| less(left, right))
            };
            if child + 1 < end && is_less(child, child + 1) {
                child += 1;
            }
            if !is_less(root, child) {
                return;
            }
            items.swap(root, child);
            root = child;
        }
    };
    for root in (0..items.len() / 2).rev() {
        sift(items, root, items.len());
    }
    for end in (1..items.len()).rev() {
        items.swap(0, end);
        sift(items, 0, end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(text: &str) -> Raw<'_> {
        Raw::parse(text.as_bytes()).expect("JSON")
    }

    #[test]
    fn values_are_equal_whatever_their_spelling() {
        for (left, right, expected) in [
            ("1", "1.0", true),
            (r#""a""#, r#""\u0061""#, true),
            (r#"{"a":1,"b":[2]}"#, r#"{"b":[2.0],"a":1}"#, true),
            (r#"{"a":1}"#, r#"{"a":1,"b":2}"#, false),
            (r#"{"a":1,"b":2}"#, r#"{"a":1}"#, false),
            ("[1,2]", "[2,1]", false),
            ("[1]", "[1,1]", false),
            ("[1,1]", "[1]", false),
            ("0", "false", false),
            ("null", "null", true),
            ("true", "false", false),
            (r#""""#, "null", false),
        ] {
            assert_eq!(equal(raw(left), raw(right), &mut Steps(1000)), expected, "{left} {right}");
            if expected {
                assert_eq!(hash(raw(left)), hash(raw(right)), "{left} {right}");
            }
        }
    }

    #[test]
    fn nothing_is_equal_without_steps() {
        assert!(!equal(raw("[1,2,3]"), raw("[1, 2,3]"), &mut Steps(2)));
    }

    #[test]
    fn twins_are_found() {
        for (array, expected) in [
            ("[1,2,1.0]", Some((0, 2))),
            (r#"[{"a":1,"b":2},{"b":2,"a":1}]"#, Some((0, 1))),
            ("[[1,2],[2,1]]", None),
            ("[0,false,null,\"\",[],{}]", None),
            ("[]", None),
        ] {
            assert_eq!(find_twins(raw(array), &mut Steps(1000)), Ok(expected), "{array}");
        }
        assert_eq!(find_twins(raw("[[1,2],[2,1],[1,2,3]]"), &mut Steps(3)), Err(()));
    }

    #[test]
    fn sorting_sorts() {
        let mut state = 1_u32;
        for length in 0..50 {
            let mut items: Vec<u32> = (0..length)
                .map(|_| {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    state >> 28
                })
                .collect();
            let mut expected = items.clone();
            expected.sort_unstable();
            sort(&mut items, |left, right| left < right);
            assert_eq!(items, expected);
        }
    }
}
