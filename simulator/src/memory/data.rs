//! Moving bytes between memory and lanes.
//!
//! Memory is bytes plus a nibble per word that says which of them are initialised.

use super::LaneWords;

/// Loads one lane.
#[inline]
pub(super) fn load_lane(data: &[u8], defined: &[u8], at: usize, bytes: u8, lane: usize, out: &mut LaneWords) {
    if bytes >= 4 {
        for part in 0..usize::from(bytes) / 4 {
            let start = at + 4 * part;
            out.words[part][lane] =
                u32::from_le_bytes([data[start], data[start + 1], data[start + 2], data[start + 3]]);
            // A word of which something was written counts as written: structures are copied with their padding.
            out.poison[part] |= u32::from(defined[start / 4] == 0) << lane;
        }
        return;
    }
    let high = if bytes == 2 { u32::from(data[at + 1]) << 8 } else { 0 };
    out.words[0][lane] = u32::from(data[at]) | high;
    let bits = (if bytes == 1 { 1 } else { 3 }) << (at % 4);
    out.poison[0] |= u32::from(defined[at / 4] & bits != bits) << lane;
}

/// Stores one lane. True if the bytes changed.
#[inline]
pub(super) fn store_lane(data: &mut [u8], at: usize, bytes: u8, lane: usize, value: &LaneWords) -> bool {
    let mut changed = false;
    if bytes >= 4 {
        for part in 0..usize::from(bytes) / 4 {
            if let Some(target) = data[at + 4 * part..].first_chunk_mut::<4>() {
                let new = value.words[part][lane].to_le_bytes();
                changed |= *target != new;
                *target = new;
            }
        }
        return changed;
    }
    let new = value.words[0][lane].to_le_bytes();
    for (target, new) in data[at..at + usize::from(bytes)].iter_mut().zip(new) {
        changed |= *target != new;
        *target = new;
    }
    changed
}

/// Calls with (word, bits, defined) for every word that the lane's store covers.
#[inline]
pub(super) fn define_lane(
    at: usize,
    bytes: u8,
    lane: usize,
    value: &LaneWords,
    mut define: impl FnMut(usize, u8, bool),
) {
    let bits = if bytes >= 4 { 0xf } else { ((1u8 << bytes) - 1) << (at % 4) };
    for part in 0..usize::from(bytes).div_ceil(4) {
        define(at / 4 + part, bits, value.poison[part] >> lane & 1 == 0);
    }
}
