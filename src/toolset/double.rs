//! Doubles and their decimal texts: the double nearest to a text, the shortest digits that give a double back.
//!
//! The standard library does the same in thirty kilobytes of code and tables, for speed. Here numbers are few.

/// The digits that can matter for which double is nearest; of what follows, only whether it is all zeros.
const MAX_DIGITS: usize = 800;

/// The largest power of two that a double's 53 bits are times.
const MAX_SCALE: i32 = 971;

/// A natural number: digits to the base 2^32, the least first.
#[derive(Clone)]
struct Natural(Vec<u32>);

impl Natural {
    fn new(value: u64) -> Self {
        let mut out = Self(vec![value as u32, (value >> 32) as u32]);
        out.trim();
        out
    }

    fn trim(&mut self) {
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
    }

    /// How many binary digits it has.
    fn bits(&self) -> i32 {
        let top = self.0.last().map_or(0, |digit| 32 - digit.leading_zeros() as i32);
        top + 32 * (self.0.len() as i32 - 1)
    }

    fn times(&mut self, factor: u32) {
        let mut carry = 0_u64;
        for digit in &mut self.0 {
            carry += u64::from(*digit) * u64::from(factor);
            *digit = carry as u32;
            carry >>= 32;
        }
        if carry > 0 {
            self.0.push(carry as u32);
        }
    }

    fn doubled(mut self, times: u32) -> Self {
        for _ in 0..times / 16 {
            self.times(1 << 16);
        }
        self.times(1 << (times % 16));
        self
    }

    fn plus(&self, other: &Self) -> Self {
        let mut carry = 0_u64;
        let length = self.0.len().max(other.0.len());
        let digit = |of: &Self, at: usize| u64::from(of.0.get(at).copied().unwrap_or_default());
        let mut out = Vec::with_capacity(length + 1);
        for at in 0..length {
            carry += digit(self, at) + digit(other, at);
            out.push(carry as u32);
            carry >>= 32;
        }
        out.push(carry as u32);
        let mut out = Self(out);
        out.trim();
        out
    }

    /// `other` is not larger.
    fn subtract(&mut self, other: &Self) {
        let mut borrow = 0_i64;
        for (at, digit) in self.0.iter_mut().enumerate() {
            borrow += i64::from(*digit) - i64::from(other.0.get(at).copied().unwrap_or_default());
            *digit = borrow as u32;
            borrow >>= 32;
        }
        self.trim();
    }

    fn at_least(&self, other: &Self) -> bool {
        match self.0.len().cmp(&other.0.len()) {
            std::cmp::Ordering::Equal => self.0.iter().rev().ge(other.0.iter().rev()),
            order => order.is_gt(),
        }
    }
}

/// The double nearest to a JSON number without its sign, of two the even one; `None` where that is beyond all doubles.
pub(super) fn nearest(text: &str) -> Option<f64> {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    // An exponent that does not fit is far beyond everything: only its sign matters.
    let far = if exponent.starts_with('-') { -1_000_000 } else { 1_000_000 };
    let mut exponent = exponent.parse::<i64>().unwrap_or(far).clamp(-1_000_000_000, 1_000_000_000);
    let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    exponent -= part.len() as i64;
    let digits: Vec<u8> = whole.bytes().chain(part.bytes()).skip_while(|digit| *digit == b'0').collect();
    let kept = digits.get(..MAX_DIGITS).unwrap_or(&digits);
    let cut = digits.get(MAX_DIGITS..).unwrap_or_default();
    exponent += cut.len() as i64;
    if digits.is_empty() || exponent + (kept.len() as i64) < -330 {
        return Some(0.0);
    }
    if exponent + (kept.len() as i64) > 310 {
        return None;
    }
    let mut above = Natural(Vec::new());
    for digit in kept {
        above.times(10);
        above = above.plus(&Natural::new(u64::from(digit - b'0')));
    }
    if cut.iter().any(|digit| *digit != b'0') {
        above.times(10);
        above = above.plus(&Natural::new(1));
        exponent -= 1;
    }
    let mut unit = Natural::new(1);
    for _ in 0..exponent.unsigned_abs() {
        if exponent > 0 { above.times(10) } else { unit.times(10) }
    }
    // above / unit = quotient · 2^scale, with a quotient of 53 bits, or of fewer at the smallest scale.
    let mut scale = (above.bits() - unit.bits() - 53).max(-1074);
    let shifted =
        |scale: i32| (above.clone().doubled(scale.min(0).unsigned_abs()), unit.clone().doubled(scale.max(0) as u32));
    let (mut rest, mut divisor) = shifted(scale);
    if rest.at_least(&divisor.clone().doubled(53)) {
        scale += 1;
        (rest, divisor) = shifted(scale);
    }
    if scale > MAX_SCALE {
        return None;
    }
    let mut quotient = 0_u64;
    for bit in (0..53).rev() {
        let part = divisor.clone().doubled(bit);
        if rest.at_least(&part) {
            rest.subtract(&part);
            quotient |= 1 << bit;
        }
    }
    rest = rest.doubled(1);
    let is_half = rest.at_least(&divisor) && divisor.at_least(&rest);
    if rest.at_least(&divisor) && (!is_half || quotient % 2 == 1) {
        quotient += 1;
    }
    // Rounding up to the next power of two carries into the exponent by itself.
    let bits = if quotient < 1 << 52 { quotient } else { (((scale + 1074) as u64) << 52) + quotient };
    Some(f64::from_bits(bits)).filter(|number| number.is_finite())
}

/// The shortest digits of a finite number above zero, of those the closest, and how many of them stand before the
/// point (Steele and White, "How to print floating-point numbers accurately").
pub(super) fn shortest(number: f64) -> (String, i32) {
    let bits = number.to_bits();
    let (fraction, exponent) = (bits & ((1 << 52) - 1), (bits >> 52) as i32 & 0x7FF);
    let (mantissa, exponent) = if exponent == 0 { (fraction, -1074) } else { (fraction | 1 << 52, exponent - 1075) };
    // Below a power of two, the next double is half as far.
    let is_edge = fraction == 0 && exponent > -1074;
    let (up, down) = (exponent.max(0) as u32, exponent.min(0).unsigned_abs());
    let extra = u32::from(is_edge);
    // number = rest / unit; whatever is closer than `above` and `below` is read as the same number.
    let mut rest = Natural::new(mantissa).doubled(up + 1 + extra);
    let mut unit = Natural::new(1).doubled(down + 1 + extra);
    let mut below = Natural::new(1).doubled(up);
    let mut above = below.clone().doubled(extra);
    // The ends themselves are read as this number where it is even.
    let is_even = mantissa % 2 == 0;
    let reaches = |rest: &Natural, above: &Natural, unit: &Natural| {
        let sum = rest.plus(above);
        if is_even { sum.at_least(unit) } else { !unit.at_least(&sum) }
    };
    let mut point = 0;
    while reaches(&rest, &above, &unit) {
        unit.times(10);
        point += 1;
    }
    let mut digits = String::new();
    loop {
        for natural in [&mut rest, &mut above, &mut below] {
            natural.times(10);
        }
        // Nothing before the first digit that is not zero.
        if digits.is_empty() && !reaches(&rest, &above, &unit) {
            point -= 1;
            continue;
        }
        let mut digit = b'0';
        while rest.at_least(&unit) {
            rest.subtract(&unit);
            digit += 1;
        }
        let is_low = if is_even { below.at_least(&rest) } else { !rest.at_least(&below) };
        let is_high = reaches(&rest, &above, &unit);
        if is_low || is_high {
            let is_up = if is_low && is_high { rest.clone().doubled(1).at_least(&unit) } else { is_high };
            digits.push(char::from(digit + u8::from(is_up)));
            return (digits, point);
        }
        digits.push(char::from(digit));
    }
}
