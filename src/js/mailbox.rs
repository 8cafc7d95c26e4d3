//! Text, bytes and numbers over the boundary, one mailbox an instance.
//!
//! wasm-bindgen copies a `&str` argument character by character; through the
//! mailbox JavaScript encodes straight into memory (30 to 60 times faster for long
//! ASCII text), and all the strings of an answer are decoded at once. Every use is
//! one synchronous exchange: JavaScript writes, calls an export that [takes](take)
//! the input and [posts](post) an answer, and reads it before it does anything else.
//!
//! `pkg-template/lib/mailbox.js` is the other half.

use std::cell::RefCell;
use wasm_bindgen::prelude::wasm_bindgen;

/// Buffers up to this many bytes are kept for the next exchange; larger ones are
/// let go, because wasm memory never shrinks and a kept buffer cannot be reused for anything else.
const KEPT_BYTES: usize = 64 * 1024;

thread_local! {
    static INPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static OUTPUT: RefCell<Output> = const { RefCell::new(Output::new()) };
}

/// The answer.
pub(crate) struct Output {
    text: String,
    /// The length of each part of `text`, in UTF-16 units: what `String.prototype.slice` counts.
    parts: Vec<u32>,
    pub(crate) numbers: Vec<u32>,
    /// Addresses and lengths of the three, in the order text, parts, numbers.
    table: [u32; 6],
}

impl Output {
    const fn new() -> Self {
        Self { text: String::new(), parts: Vec::new(), numbers: Vec::new(), table: [0; 6] }
    }

    /// One more string.
    pub(crate) fn string(&mut self, part: &str) {
        self.text.push_str(part);
        self.parts.push(utf16_length(part.as_bytes()));
    }
}

/// Makes room for `length` bytes of input and gives the address to write them to; what is there already stays.
#[wasm_bindgen(js_name = mailboxReserve)]
pub fn reserve(length: usize) -> usize {
    INPUT.with_borrow_mut(|input| {
        // What an earlier input left behind is written over, so nothing has to be cleared.
        if input.len() < length {
            // Zeroed memory comes at once; `resize` would write byte by byte.
            let mut longer = vec![0; length];
            if let Some(start) = longer.get_mut(..input.len()) {
                start.copy_from_slice(input);
            }
            *input = longer;
        }
        input.as_mut_ptr() as usize
    })
}

/// The address of the table that says where the answer is; it stays the same.
#[wasm_bindgen(js_name = mailboxTable)]
pub fn table() -> usize {
    OUTPUT.with_borrow(|output| output.table.as_ptr() as usize)
}

/// Gives the first `length` bytes of what JavaScript wrote to `read`.
pub(crate) fn take<T>(length: usize, read: impl FnOnce(&[u8]) -> T) -> T {
    let input = INPUT.take();
    let answer = read(input.get(..length).unwrap_or(&input));
    if input.capacity() <= KEPT_BYTES {
        INPUT.set(input);
    }
    answer
}

/// Posts an answer of strings and numbers.
#[cfg(any(feature = "server", feature = "auth", feature = "apps", feature = "toolset", feature = "schema"))]
pub(crate) fn post(parts: &[&str], numbers: &[u32]) {
    answer(|output| {
        parts.iter().for_each(|part| output.string(part));
        output.numbers.extend_from_slice(numbers);
    });
}

/// Posts the answer that `write` writes.
pub(crate) fn answer(write: impl FnOnce(&mut Output)) {
    OUTPUT.with_borrow_mut(|output| {
        if output.text.capacity() > KEPT_BYTES {
            output.text = String::new();
        }
        output.text.clear();
        output.parts.clear();
        output.numbers.clear();
        write(output);
        output.table = [
            output.text.as_ptr() as u32,
            output.text.len() as u32,
            output.parts.as_ptr() as u32,
            output.parts.len() as u32,
            output.numbers.as_ptr() as u32,
            output.numbers.len() as u32,
        ];
    });
}

/// How many UTF-16 units the UTF-8 text has.
pub(crate) fn utf16_length(text: &[u8]) -> u32 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    // A character has a unit for its first byte, and another if that says that four bytes follow each other.
    let units = |word: u64| {
        let (high, second) = (word >> 7, word >> 6);
        let inner = high & !second & ONES;
        let long = high & second & word >> 5 & word >> 4 & ONES;
        8 + long.count_ones() - inner.count_ones()
    };
    let (words, rest) = text.as_chunks::<8>();
    let mut last = [0; 8];
    for (to, byte) in last.iter_mut().zip(rest) {
        *to = *byte;
    }
    let padding = 8 - rest.len() as u32;
    words.iter().map(|word| units(u64::from_le_bytes(*word))).sum::<u32>() + units(u64::from_le_bytes(last)) - padding
}
