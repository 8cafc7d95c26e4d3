//! Places in a message, for a reader in another encoding.

use super::mailbox;
use crate::protocol::json::{Ends, Raw, Split, split};
use std::cell::RefCell;

/// Where the parts of a message are, in the units that JavaScript counts it in.
pub(super) struct Spans<'a> {
    pub(super) message: &'a [u8],
    /// The message's length in UTF-16 units; 0 where bytes are counted.
    pub(super) units: usize,
    /// Where its long values end.
    pub(super) ends: &'a Ends,
    /// Holds a long text until JavaScript has read it, where it takes one.
    pub(super) long: Option<&'a RefCell<Vec<u8>>>,
}

impl Spans<'_> {
    pub(super) fn of(&self, part: Option<Raw<'_>>) -> [u32; 2] {
        part.map_or([0, 0], |part| self.of_text(part.text()))
    }

    pub(super) fn of_text(&self, part: &[u8]) -> [u32; 2] {
        let start = (part.as_ptr() as usize).wrapping_sub(self.message.as_ptr() as usize);
        [self.place(start), self.place(start.wrapping_add(part.len()))]
    }

    /// Takes the long text out of an object of the message.
    pub(super) fn split<'o>(&self, object: Raw<'o>) -> Option<Split<'o>> {
        self.long?;
        // Text that is not ASCII may have lost lone surrogates on the way here.
        split(object, self.ends, self.units != 0 && self.units != self.message.len())
    }

    fn place(&self, at: usize) -> u32 {
        if self.units == 0 || self.units == self.message.len() {
            return at as u32;
        }
        // Counted from the nearer end: large arguments lie between, and need not be walked.
        if at <= self.message.len() / 2 {
            return mailbox::utf16_length(self.message.get(..at).unwrap_or_default());
        }
        let behind = mailbox::utf16_length(self.message.get(at..).unwrap_or_default());
        (self.units as u32).wrapping_sub(behind)
    }
}
