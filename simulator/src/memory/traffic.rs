//! What an access costs: sectors of global memory, wavefronts of shared memory.
//!
//! Sectors are 32 bytes; a request moves each sector that any active lane touches once. Shared memory has 32 banks of
//! four bytes, bank = (byte address / 4) mod 32. One *wavefront* serves one word of every bank to any number of lanes.
//! Accesses of up to four bytes per lane are served together: their wavefronts are the largest number of different
//! words that lanes want from one bank. Eight-byte accesses are served by half-warps and sixteen-byte accesses by
//! quarter-warps, each with its own largest number, and two neighbouring parts become one when in both every active
//! lane wants the same address as its neighbour lane (lane xor 1), or every active lane as lane xor 2. The ideal
//! number is one per part served.

use super::lanes;

/// The cost of one warp-wide access. Requests are 0 or 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// 1 if any lane went to global memory.
    pub global_requests: u16,
    /// 32-byte sectors touched there.
    pub sectors: u16,
    /// 1 if any lane went to shared memory.
    pub shared_requests: u16,
    /// Wavefronts taken there.
    pub wavefronts: u16,
    /// Wavefronts that it would have taken without conflicts.
    pub ideal_wavefronts: u16,
    /// 1 if any lane went to local memory.
    pub local_requests: u16,
}

/// Distinct 32-byte sectors that the active lanes touch.
pub fn sectors(addresses: &[u64; 32], mask: u32, bytes: u8) -> u16 {
    // An access is aligned to its size, at most 16 bytes, so it never straddles two sectors.
    debug_assert!(bytes <= 16);
    let mut seen = [0u64; 32];
    let mut count = 0usize;
    let mut last = u64::MAX;
    for lane in lanes(mask) {
        let sector = addresses[lane] >> 5;
        if sector != last {
            last = sector;
            if !seen[..count].contains(&sector) {
                seen[count] = sector;
                count += 1;
            }
        }
    }
    count as u16
}

/// Wavefronts and ideal wavefronts of a shared access.
pub fn wavefronts(offsets: &[u32; 32], mask: u32, bytes: u8) -> (u16, u16) {
    if mask == 0 {
        return (0, 0);
    }
    let mut total = 0;
    let mut parts = 0;
    let mut serve = |part: u32| {
        if part != 0 {
            total += degree(offsets, part, bytes);
            parts += 1;
        }
    };
    match bytes {
        8 => {
            if pairs_up(offsets, mask) {
                serve(mask);
            } else {
                serve(mask & 0x0000_ffff);
                serve(mask & 0xffff_0000);
            }
        }
        16 => {
            for half in [mask & 0x0000_ffff, mask & 0xffff_0000] {
                if pairs_up(offsets, half) {
                    serve(half);
                } else {
                    serve(half & 0x00ff_00ff);
                    serve(half & 0xff00_ff00);
                }
            }
        }
        _ => serve(mask),
    }
    (total, parts)
}

/// True if every active lane wants what lane xor 1 wants, or every active lane what lane xor 2 wants.
fn pairs_up(offsets: &[u32; 32], mask: u32) -> bool {
    [1, 2].into_iter().any(|distance| {
        lanes(mask).all(|lane| {
            let other = lane ^ distance;
            mask & (1 << other) == 0 || offsets[other] == offsets[lane]
        })
    })
}

/// The largest number of different words that the lanes want from one bank.
fn degree(offsets: &[u32; 32], mask: u32, bytes: u8) -> u16 {
    let words = u32::from(bytes).div_ceil(4);
    let mut counts = [0u8; 32];
    let mut wanted = [[0u32; 32]; 32];
    let mut largest = 0;
    for lane in lanes(mask) {
        for part in 0..words {
            let word = (offsets[lane] >> 2) + part;
            let bank = (word & 31) as usize;
            let count = usize::from(counts[bank]);
            if !wanted[bank][..count].contains(&word) {
                wanted[bank][count] = word;
                counts[bank] += 1;
                largest = largest.max(counts[bank]);
            }
        }
    }
    u16::from(largest)
}
