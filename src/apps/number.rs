//! Numbers as their text, as far as a host looks at them: parsing doubles exactly would cost more than all the rest.

use crate::protocol::json::{Kind, Raw};

/// The digits before and behind the point, and whether the exponent is negative, if there is one that is not 0.
fn parts(text: &str) -> (&str, &str, Option<bool>) {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    (whole, fraction, (!is_zero(exponent.trim_start_matches(['+', '-']))).then_some(exponent.starts_with('-')))
}

fn is_zero(digits: &str) -> bool {
    digits.bytes().all(|digit| digit == b'0')
}

/// The smallest integer that is not below the number, at most `u32::MAX`; `None` for anything negative or no number.
/// With an exponent, which JavaScript writes from 1e21 on and below 1e-6, it is the greatest, or 1.
pub(super) fn ceil(value: Raw<'_>) -> Option<u32> {
    if value.kind() != Kind::Number || value.as_text().starts_with('-') {
        return None;
    }
    let (whole, fraction, exponent) = parts(value.as_text());
    if is_zero(whole) && is_zero(fraction) {
        return Some(0);
    }
    match exponent {
        Some(is_small) => Some(if is_small { 1 } else { u32::MAX }),
        None => Some(whole.parse().map_or(u32::MAX, |whole: u32| whole.saturating_add(u32::from(!is_zero(fraction))))),
    }
}

/// Whether it is a number from 0 to 1.
pub(super) fn is_share(value: Raw<'_>) -> bool {
    let text = value.as_text();
    if value.kind() != Kind::Number || text.starts_with('-') {
        return false;
    }
    match parts(text) {
        (whole, fraction, _) if is_zero(whole) && is_zero(fraction) => true,
        ("0", _, None) | (_, _, Some(true)) => true,
        (whole, fraction, None) => whole == "1" && is_zero(fraction),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::{ceil, is_share};
    use crate::protocol::json::Raw;

    #[test]
    fn numbers_are_rounded_up_and_bounded() {
        for (text, size, share) in [
            ("0", Some(0), true),
            ("0.0e5", Some(0), true),
            ("-0", None, false),
            ("-1", None, false),
            ("1", Some(1), true),
            ("1.0", Some(1), true),
            ("0.5", Some(1), true),
            ("1.5", Some(2), false),
            ("120.2", Some(121), false),
            ("4294967295.5", Some(u32::MAX), false),
            ("99999999999", Some(u32::MAX), false),
            ("1e300", Some(u32::MAX), false),
            ("1e-7", Some(1), true),
            ("\"1\"", None, false),
            ("null", None, false),
        ] {
            let raw = Raw::parse(text.as_bytes()).unwrap_or(Raw::NULL);
            assert_eq!((ceil(raw), is_share(raw)), (size, share), "{text}");
        }
    }
}
