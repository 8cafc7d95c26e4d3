//! Where the long values of a message end, so that whoever reads its parts need not walk over them again.

/// Values of fewer bytes are walked over as fast as they are looked up.
const LONG: usize = 256;

/// How many values are kept; of more, the last ones, which hold the outer ones.
const KEPT: usize = 8;

/// How many levels of arrays and objects may surround a value that is kept: those of a message around its arguments' members.
pub(super) const LEVELS: usize = 3;

/// The ends of the long values in the outer levels of one text.
#[derive(Clone, Debug)]
pub struct Ends {
    /// The address and the length of each.
    spans: [(usize, usize); KEPT],
    count: usize,
    pub(super) is_utf8: bool,
}

/// No ends.
pub(super) static NONE: Ends = Ends::new();

impl Ends {
    /// None yet; [`Raw::parse_with`](super::Raw::parse_with) adds them.
    pub const fn new() -> Self {
        Self { spans: [(0, 0); KEPT], count: 0, is_utf8: false }
    }

    /// None yet, of a text that is known to be UTF-8, which is not checked once more.
    pub const fn of_utf8() -> Self {
        Self { is_utf8: true, ..Self::new() }
    }

    /// Keeps the value between these offsets, if it is long.
    pub(super) fn keep(&mut self, text: &[u8], start: usize, end: usize) {
        if end - start < LONG {
            return;
        }
        if let Some(span) = self.spans.get_mut(self.count % KEPT) {
            *span = ((text.as_ptr() as usize).wrapping_add(start), end - start);
        }
        self.count += 1;
    }

    /// The end of the value that begins at `at`, if it is kept.
    pub(super) fn end_of(&self, text: &[u8], at: usize) -> Option<usize> {
        if self.count == 0 {
            return None;
        }
        let address = (text.as_ptr() as usize).wrapping_add(at);
        let (_, length) = self.spans.iter().find(|(start, _)| *start == address)?;
        Some(at + length)
    }
}

impl Default for Ends {
    fn default() -> Self {
        Self::new()
    }
}
