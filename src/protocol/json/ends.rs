//! Where the long values of a message end, so that whoever reads its parts need not walk over them again.

/// Values of fewer bytes are walked over as fast as they are looked up.
const LONG: usize = 32;

/// How many values are kept; of more, the longest.
const KEPT: usize = 8;

/// How many levels of arrays and objects may surround a value that is kept: those of a message around its arguments' members.
pub(super) const LEVELS: usize = 3;

/// The ends of the long values in the outer levels of one text.
#[derive(Clone, Debug)]
pub struct Ends {
    /// The address and the length of each.
    spans: [(usize, usize); KEPT],
    count: usize,
    /// Shorter values are not kept.
    least: usize,
    pub(super) is_utf8: bool,
}

/// No ends.
pub(super) static NONE: Ends = Ends::new();

impl Ends {
    /// None yet; [`Raw::parse_with`](super::Raw::parse_with) adds them.
    pub const fn new() -> Self {
        Self { spans: [(0, 0); KEPT], count: 0, least: LONG, is_utf8: false }
    }

    /// None yet, of a text that is known to be UTF-8, which is not checked once more.
    pub const fn of_utf8() -> Self {
        Self { is_utf8: true, ..Self::new() }
    }

    /// Keeps the value between these offsets, if it is long.
    #[inline(always)]
    pub(super) fn keep(&mut self, text: &[u8], start: usize, end: usize) {
        if end - start >= self.least {
            self.keep_long((text.as_ptr() as usize).wrapping_add(start), end - start);
        }
    }

    #[inline(never)]
    fn keep_long(&mut self, address: usize, length: usize) {
        if let Some(span) = self.spans.get_mut(self.count) {
            *span = (address, length);
            self.count += 1;
            return;
        }
        // Of nested values the outer one, which is longer, comes later: it takes the place of the shortest.
        if let Some(span) = self.spans.iter_mut().min_by_key(|(_, length)| *length) {
            *span = (address, length);
        }
        self.least = self.spans.iter().map(|(_, length)| *length).min().unwrap_or_default();
    }

    /// The end of the value that begins at `at`, if it is kept.
    pub(super) fn end_of(&self, text: &[u8], at: usize) -> Option<usize> {
        let address = (text.as_ptr() as usize).wrapping_add(at);
        let kept = self.spans.get(..self.count)?;
        let (_, length) = kept.iter().find(|(start, _)| *start == address)?;
        Some(at + length)
    }
}

impl Default for Ends {
    fn default() -> Self {
        Self::new()
    }
}
