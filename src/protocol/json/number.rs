//! Numbers: the exact integer that a number's text stands for.

/// The value of a JSON number's text if it is an integer in the range of `i64`, however it is
/// spelled (`42`, `42.0`, `4.2e1`); exact, with no double in between.
pub(super) fn integer(text: &str) -> Option<i64> {
    if let Ok(value) = text.parse() {
        return Some(value);
    }
    let (negative, unsigned) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (digits, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let digits = || whole.bytes().chain(fraction.bytes());
    let trailing_zeros = digits().rev().take_while(|digit| *digit == b'0').count();
    let significant = whole.len() + fraction.len() - trailing_zeros;
    if significant == 0 {
        return Some(0);
    }
    let exponent: i32 = exponent.parse().ok()?;
    // The value is the significant digits times this power of ten.
    let shift =
        exponent.checked_sub(i32::try_from(fraction.len()).ok()?)?.checked_add(i32::try_from(trailing_zeros).ok()?)?;
    let power = 10_i64.checked_pow(u32::try_from(shift).ok()?)?;
    let sign = if negative { -1 } else { 1 };
    let mut value = 0_i64;
    for digit in digits().take(significant) {
        value = value.checked_mul(10)?.checked_add(sign * i64::from(digit.checked_sub(b'0')?))?;
    }
    value.checked_mul(power)
}
