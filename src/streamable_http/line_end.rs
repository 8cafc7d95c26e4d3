//! The search for the end of a line, many bytes at a time.

/// The first offset from `at` of a CR or LF; the length of `bytes` if there is none.
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
pub(super) fn line_end(bytes: &[u8], mut at: usize) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    while let Some(chunk) = bytes.get(at..).and_then(<[u8]>::first_chunk::<8>) {
        let word = u64::from_le_bytes(*chunk);
        let lf = word ^ (ONES * b'\n' as u64);
        let cr = word ^ (ONES * b'\r' as u64);
        // The lowest marked byte is always a true hit.
        let hit = ((lf.wrapping_sub(ONES) & !lf) | (cr.wrapping_sub(ONES) & !cr)) & HIGH;
        if hit != 0 {
            return at + (hit.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    line_end_bytewise(bytes, at)
}

/// The first offset from `at` of a CR or LF; the length of `bytes` if there is none.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub(super) fn line_end(bytes: &[u8], mut at: usize) -> usize {
    use core::arch::wasm32::{i8x16_bitmask, u8x16_eq, u8x16_splat, u64x2, v128_or};
    while let Some(chunk) = bytes.get(at..).and_then(<[u8]>::first_chunk::<16>) {
        let (low, high) = chunk.split_at(8);
        let (Some(low), Some(high)) = (low.first_chunk::<8>(), high.first_chunk::<8>()) else { break };
        let lane = u64x2(u64::from_le_bytes(*low), u64::from_le_bytes(*high));
        let hit = i8x16_bitmask(v128_or(u8x16_eq(lane, u8x16_splat(b'\n')), u8x16_eq(lane, u8x16_splat(b'\r'))));
        if hit != 0 {
            return at + hit.trailing_zeros() as usize;
        }
        at += 16;
    }
    line_end_bytewise(bytes, at)
}

fn line_end_bytewise(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    at + rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(rest.len())
}
