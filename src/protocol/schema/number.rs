//! Numbers as decimal text: compared and divided exactly, whatever their size.
//!
//! Nothing is rounded to a double, so that integers beyond 2^53 stay apart and
//! `0.0075` is a multiple of `0.0001`.

use std::cmp::Ordering;

/// A JSON number taken apart: `0.d1d2d3… × 10^point`, no zero at either end of the digits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Decimal<'a> {
    negative: bool,
    whole: &'a [u8],
    fraction: &'a [u8],
    point: i64,
}

/// The largest divisor of `multipleOf` in significant digits: one more digit still fits 64 bits.
pub(super) const MAX_DIVISOR_DIGITS: usize = 18;

impl<'a> Decimal<'a> {
    /// Takes the text of a valid JSON number.
    pub(super) fn read(text: &'a [u8]) -> Self {
        let negative = text.first() == Some(&b'-');
        let text = text.get(usize::from(negative)..).unwrap_or_default();
        let (digits, exponent) = split(text, |byte| matches!(byte, b'e' | b'E'));
        let (mut whole, mut fraction) = split(digits, |byte| byte == b'.');
        let mut point = read_exponent(exponent);
        while let Some((b'0', rest)) = whole.split_first() {
            whole = rest;
        }
        point = point.saturating_add(length(whole));
        if whole.is_empty() {
            while let Some((b'0', rest)) = fraction.split_first() {
                fraction = rest;
                point = point.saturating_sub(1);
            }
        }
        while let Some((b'0', rest)) = fraction.split_last() {
            fraction = rest;
        }
        if fraction.is_empty() {
            while let Some((b'0', rest)) = whole.split_last() {
                whole = rest;
            }
        }
        Self { negative, whole, fraction, point }
    }

    fn digits(self) -> impl Iterator<Item = u8> + 'a {
        self.whole.iter().chain(self.fraction).copied()
    }

    fn count(self) -> usize {
        self.whole.len() + self.fraction.len()
    }

    pub(super) fn is_zero(self) -> bool {
        self.count() == 0
    }

    pub(super) fn is_negative(self) -> bool {
        self.negative && !self.is_zero()
    }

    /// Whether the value is an integer: `1.0` and `1e400` are.
    pub(super) fn is_integer(self) -> bool {
        self.is_zero() || length(self.whole) + length(self.fraction) <= self.point
    }

    /// The value as a count, for the limits in a schema; a larger one than fits becomes the largest.
    pub(super) fn as_count(self) -> Option<u64> {
        if self.is_negative() || !self.is_integer() {
            return None;
        }
        let mut value = 0_u64;
        for digit in self.digits() {
            value = value.saturating_mul(10).saturating_add(u64::from(digit - b'0'));
        }
        let mut zeros = self.point - length(self.whole) - length(self.fraction);
        while zeros > 0 && value > 0 && value < u64::MAX {
            value = value.saturating_mul(10);
            zeros -= 1;
        }
        Some(value)
    }

    pub(super) fn compare(self, other: Self) -> Ordering {
        match (self.is_negative(), other.is_negative()) {
            (false, true) => Ordering::Greater,
            (true, false) => Ordering::Less,
            (false, false) => self.compare_size(other),
            (true, true) => other.compare_size(self),
        }
    }

    fn compare_size(self, other: Self) -> Ordering {
        match (self.is_zero(), other.is_zero()) {
            (true, true) => Ordering::Equal,
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            (false, false) => self.point.cmp(&other.point).then_with(|| self.digits().cmp(other.digits())),
        }
    }

    /// Whether this can be the divisor in [`Decimal::is_multiple_of`].
    pub(super) fn is_divisor(self) -> bool {
        !self.is_zero() && !self.negative && self.count() <= MAX_DIVISOR_DIGITS
    }

    /// Whether the value is an integer times the divisor.
    pub(super) fn is_multiple_of(self, divisor: Self) -> bool {
        if self.is_zero() {
            return true;
        }
        let unit = |number: Self| number.point - length(number.whole) - length(number.fraction);
        let shift = unit(self).saturating_sub(unit(divisor));
        // The last digit is not 0, so the value is no multiple of ten times its last place.
        if shift < 0 {
            return false;
        }
        let modulus = divisor.digits().fold(0_u64, |value, digit| value * 10 + u64::from(digit - b'0')).max(1);
        let mut rest = 0_u64;
        for digit in self.digits() {
            rest = (rest * 10 + u64::from(digit - b'0')) % modulus;
        }
        // After 64 tens every factor 2 and 5 of the modulus is used up: more change nothing.
        for _ in 0..shift.min(64) {
            rest = rest * 10 % modulus;
        }
        rest == 0
    }

    /// Feeds a value that equal numbers share to `mix`.
    pub(super) fn hash(self, mut mix: impl FnMut(u8)) {
        if self.is_zero() {
            return;
        }
        mix(u8::from(self.negative));
        mix(self.point.to_le_bytes().first().copied().unwrap_or_default());
        for digit in self.digits() {
            mix(digit);
        }
    }
}

fn length(digits: &[u8]) -> i64 {
    digits.len() as i64
}

/// What comes before and behind the first byte that is asked for.
fn split(text: &[u8], at: impl Fn(u8) -> bool) -> (&[u8], &[u8]) {
    match text.iter().position(|byte| at(*byte)) {
        Some(position) => {
            let (before, behind) = text.split_at(position);
            (before, behind.get(1..).unwrap_or_default())
        }
        None => (text, &[]),
    }
}

fn read_exponent(text: &[u8]) -> i64 {
    // Far beyond any text's length, far from overflow.
    const FAR: i64 = 1 << 60;
    let (sign, digits) = match text.split_first() {
        Some((b'-', rest)) => (-1, rest),
        Some((b'+', rest)) => (1, rest),
        _ => (1, text),
    };
    let size = digits.iter().fold(0_i64, |value, digit| (value * 10 + i64::from(digit - b'0')).min(FAR / 16));
    sign * size
}

#[cfg(test)]
mod tests {
    use super::Decimal;
    use std::cmp::Ordering;

    fn read(text: &str) -> Decimal<'_> {
        Decimal::read(text.as_bytes())
    }

    #[test]
    fn numbers_compare_by_value() {
        for (left, right, expected) in [
            ("1", "1.0", Ordering::Equal),
            ("10e-1", "1", Ordering::Equal),
            ("0", "-0.0e5", Ordering::Equal),
            ("9007199254740993", "9007199254740992", Ordering::Greater),
            ("-9007199254740993", "-9007199254740992", Ordering::Less),
            ("0.1", "0.01", Ordering::Greater),
            ("-1", "1", Ordering::Less),
            ("1e400", "1e401", Ordering::Less),
            ("1e-400", "0", Ordering::Greater),
            ("-1e-400", "0", Ordering::Less),
            ("1e99999999999999999999", "1e400", Ordering::Greater),
            ("123.456", "123.4560", Ordering::Equal),
        ] {
            assert_eq!(read(left).compare(read(right)), expected, "{left} {right}");
        }
    }

    #[test]
    fn integers_are_told_by_value() {
        for (text, expected) in
            [("1.0", true), ("1.50e1", true), ("1.5", false), ("1e400", true), ("100e-2", true), ("1e-1", false)]
        {
            assert_eq!(read(text).is_integer(), expected, "{text}");
        }
    }

    #[test]
    fn counts_are_read_and_saturate() {
        for (text, expected) in [
            ("0", Some(0)),
            ("2.0", Some(2)),
            ("1.2e3", Some(1200)),
            ("18446744073709551616", Some(u64::MAX)),
            ("1e999", Some(u64::MAX)),
            ("-1", None),
            ("-0", Some(0)),
            ("0.5", None),
        ] {
            assert_eq!(read(text).as_count(), expected, "{text}");
        }
    }

    #[test]
    fn multiples_are_exact() {
        for (value, divisor, expected) in [
            ("0.0075", "0.0001", true),
            ("0.00751", "0.0001", false),
            ("4.5", "1.5", true),
            ("35", "1.5", false),
            ("1e308", "0.123456789", false),
            ("12391239123", "1e-8", true),
            ("1e400", "8", true),
            ("1e400", "3", false),
            ("9007199254740993", "3", true),
            ("9007199254740992", "3", false),
            ("0", "7", true),
            ("-9", "3", true),
            ("30", "20", false),
            ("3", "2e1", false),
            ("0.3", "0.1", true),
        ] {
            assert_eq!(read(value).is_multiple_of(read(divisor)), expected, "{value} {divisor}");
        }
    }
}
