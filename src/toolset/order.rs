//! Sorting, once for everything in here: the standard library's sort is compiled anew for each type.

/// The places 0 to `count` in order; those that are equal stay as they were.
pub(super) fn order(count: usize, is_before: &dyn Fn(usize, usize) -> bool) -> Vec<usize> {
    let mut places: Vec<usize> = (0..count).collect();
    let mut width = 1;
    while width < count {
        let mut merged = Vec::with_capacity(count);
        for pair in places.chunks(width * 2) {
            let (one, other) = pair.split_at_checked(width).unwrap_or((pair, &[]));
            let (mut one, mut other) = (one.iter().peekable(), other.iter().peekable());
            loop {
                let takes_other = match (one.peek(), other.peek()) {
                    (None, None) => break,
                    (Some(one), Some(other)) => is_before(**other, **one),
                    (one, _) => one.is_none(),
                };
                merged.extend(if takes_other { other.next() } else { one.next() });
            }
        }
        places = merged;
        width *= 2;
    }
    places
}
