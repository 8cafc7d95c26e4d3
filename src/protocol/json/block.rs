//! Sixteen bytes at a time: which of them are what, a bit each, the first one lowest.

/// How many bytes a block has.
pub(super) const LENGTH: usize = 16;

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use core::arch::wasm32::{i8x16_bitmask, u8x16_eq, u8x16_lt, u8x16_splat, u64x2, v128, v128_or};

/// A block of a text.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
#[derive(Clone, Copy)]
pub(super) struct Block(v128);

/// A block of a text.
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
#[derive(Clone, Copy)]
pub(super) struct Block([u64; 2]);

impl Block {
    /// The block that begins at `at`; `None` where the text ends before it does.
    pub(super) fn read(text: &[u8], at: usize) -> Option<Self> {
        text.get(at..)?.first_chunk().map(Self::of)
    }

    #[inline(always)]
    pub(super) fn of(bytes: &[u8; LENGTH]) -> Self {
        let words = u128::from_le_bytes(*bytes);
        Self::of_words(words as u64, (words >> 64) as u64)
    }
}

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
impl Block {
    #[inline(always)]
    fn of_words(low: u64, high: u64) -> Self {
        Self(u64x2(low, high))
    }

    /// The bytes that are this one.
    pub(super) fn equal(self, byte: u8) -> u32 {
        u32::from(i8x16_bitmask(u8x16_eq(self.0, u8x16_splat(byte))))
    }

    /// The bytes below this one.
    #[inline(always)]
    pub(super) fn below(self, byte: u8) -> u32 {
        u32::from(i8x16_bitmask(u8x16_lt(self.0, u8x16_splat(byte))))
    }

    /// Quotes, backslashes, and the bytes below this one.
    #[inline(always)]
    pub(super) fn special(self, below: u8) -> u32 {
        let quotes = u8x16_eq(self.0, u8x16_splat(b'"'));
        let backslashes = u8x16_eq(self.0, u8x16_splat(b'\\'));
        let low = u8x16_lt(self.0, u8x16_splat(below));
        u32::from(i8x16_bitmask(v128_or(v128_or(quotes, backslashes), low)))
    }
}

#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
impl Block {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;

    #[inline(always)]
    fn of_words(low: u64, high: u64) -> Self {
        Self([low, high])
    }

    /// The bytes that are this one.
    pub(super) fn equal(self, byte: u8) -> u32 {
        self.gather(|word| {
            let other = word ^ (Self::ONES * u64::from(byte));
            ((other & !Self::HIGH) + !Self::HIGH) | other
        })
    }

    /// The bytes below this one, at most 0x80.
    pub(super) fn below(self, byte: u8) -> u32 {
        self.gather(|word| ((word & !Self::HIGH) + Self::ONES * u64::from(0x80 - byte)) | word)
    }

    /// Quotes, backslashes, and the bytes below this one, at most 0x80.
    #[inline(always)]
    pub(super) fn special(self, below: u8) -> u32 {
        self.equal(b'"') | self.equal(b'\\') | self.below(below)
    }

    /// The bytes whose highest bit `spread` leaves clear.
    fn gather(self, spread: impl Fn(u64) -> u64) -> u32 {
        let Self([low, high]) = self;
        // Moves the lowest bit of each byte next to that of the one before.
        let bits = |word: u64| ((!spread(word) & Self::HIGH) >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        (bits(low) | bits(high) << 8) as u32
    }
}

/// How many bytes the whole blocks have with which a text begins and that are ASCII.
pub(super) fn ascii_start(text: &[u8]) -> usize {
    let mut at = 0;
    while Block::read(text, at).is_some_and(|block| block.below(0x80) == 0xFFFF) {
        at += LENGTH;
    }
    at
}

/// The offset at or after `at` of the first quote, backslash or byte below `below`, which is at most 0x80; else the end.
pub(super) fn next_special(text: &[u8], mut at: usize, below: u8) -> usize {
    while let Some(block) = Block::read(text, at) {
        let found = block.special(below);
        if found != 0 {
            return at + found.trailing_zeros() as usize;
        }
        at += LENGTH;
    }
    while text.get(at).is_some_and(|byte| !matches!(byte, b'"' | b'\\') && *byte >= below) {
        at += 1;
    }
    at
}

/// The bytes behind a backslash that escapes them, of a block with these backslashes. `open` says whether the first one
/// is such a byte, and is left for the block that follows.
#[inline(always)]
pub(super) fn escaped(backslashes: u32, open: &mut u32) -> u32 {
    const EVEN: u32 = 0x5555;
    let backslashes = backslashes & !*open;
    let behind = backslashes << 1 | *open;
    // Of a run of backslashes every other one escapes. A run from an odd place carries the sum of it and its start
    // into the bit behind it; that tells the runs of either kind apart without looking at them one by one.
    let odd_starts = backslashes & !EVEN & !behind;
    let sum = odd_starts + backslashes;
    *open = sum >> LENGTH & 1;
    (EVEN ^ (sum << 1)) & behind & 0xFFFF
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_says_which_bytes_are_what() {
        let text = b"\"\\\x1f\x00 \x7f\x80\xff\x20\"\\n\x01\x81\xa2\"";
        let block = Block::read(text, 0).expect("16 bytes");
        let bits = |wanted: &dyn Fn(u8) -> bool| {
            text.iter().enumerate().filter(|(_, byte)| wanted(**byte)).map(|(at, _)| 1 << at).sum::<u32>()
        };
        for byte in [b'"', b'\\', b'n', 0, 0x7f, 0x80, 0xff] {
            assert_eq!(block.equal(byte), bits(&|other| other == byte), "{byte:#x}");
        }
        assert_eq!(block.below(0x20), bits(&|other| other < 0x20));
        assert_eq!(block.special(0), bits(&|other| matches!(other, b'"' | b'\\')));
        assert_eq!(block.special(0x20), bits(&|other| matches!(other, b'"' | b'\\') || other < 0x20));
        assert!(Block::read(text, 1).is_none());
    }

    #[test]
    fn the_bytes_behind_a_backslash_are_those_that_a_walk_finds() {
        for pattern in 0..=0xFFFF_u32 {
            for before in [0, 1] {
                let (mut wanted, mut open) = (0, before);
                for at in 0..16 {
                    wanted |= open << at;
                    open = (pattern >> at & 1) & !open;
                }
                let mut after = before;
                assert_eq!((escaped(pattern, &mut after), after), (wanted, open), "{pattern:#b} {before}");
            }
        }
    }
}
