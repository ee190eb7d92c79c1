//! Moving bytes between memory and lanes.
//!
//! Memory is bytes plus a nibble per word that says which of them are initialised, and what is known of
//! bytes that are so in part.

use super::{LaneWords, partial::Partial};

/// Bytes of memory.
#[derive(Clone, Copy)]
pub(super) struct Bytes<'a> {
    pub(super) data: &'a [u8],
    /// Per word, which of its bytes are initialised.
    pub(super) defined: &'a [u8],
    pub(super) partial: &'a Partial,
}

/// Loads one lane.
#[inline]
pub(super) fn load_lane(from: Bytes<'_>, at: usize, bytes: u8, lane: usize, out: &mut LaneWords) {
    let data = from.data;
    if bytes >= 4 {
        for part in 0..usize::from(bytes) / 4 {
            let start = at + 4 * part;
            out.words[part][lane] =
                u32::from_le_bytes([data[start], data[start + 1], data[start + 2], data[start + 3]]);
            let defined = from.defined[start / 4];
            if defined != 0xf {
                out.set_undefined(part, lane, from.partial.undefined((start / 4) as u32, defined));
            }
        }
        return;
    }
    let high = if bytes == 2 { u32::from(data[at + 1]) << 8 } else { 0 };
    out.words[0][lane] = u32::from(data[at]) | high;
    let bits = (if bytes == 1 { 1 } else { 3 }) << (at % 4);
    let defined = from.defined[at / 4];
    if defined & bits != bits {
        let undefined = from.partial.undefined((at / 4) as u32, defined) >> (8 * (at % 4));
        out.set_undefined(0, lane, undefined & if bytes == 1 { 0xff } else { 0xffff });
    }
}

/// Up to eight bytes as a number, if all of them are initialised.
#[inline]
pub(super) fn defined_pair(from: Bytes<'_>, at: usize, bytes: u8) -> Option<u64> {
    let data = &from.data[at..];
    match bytes {
        8 => {
            let defined = from.defined[at / 4] & from.defined[at / 4 + 1] == 0xf;
            defined.then_some(u64::from_le_bytes(*data.first_chunk()?))
        }
        4 => (from.defined[at / 4] == 0xf).then_some(u32::from_le_bytes(*data.first_chunk()?).into()),
        2 => {
            let defined = from.defined[at / 4] >> (at % 4) & 3 == 3;
            defined.then_some(u16::from_le_bytes(*data.first_chunk()?).into())
        }
        _ => None,
    }
}

/// Stores a number of up to eight bytes. True if the bytes changed.
#[inline]
pub(super) fn store_pair(data: &mut [u8], at: usize, bytes: u8, value: u64) -> bool {
    let target = &mut data[at..at + usize::from(bytes)];
    let new = &value.to_le_bytes()[..usize::from(bytes)];
    let changed = *target != *new;
    target.copy_from_slice(new);
    changed
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

/// What a lane's store does to one word: which of its bytes it covers, and which of their
/// bits it leaves undefined.
#[derive(Clone, Copy)]
pub(super) struct Definition {
    /// The word's number.
    pub(super) word: usize,
    /// Bytes written.
    pub(super) bytes: u8,
    /// Undefined bits, where they lie in the word.
    pub(super) undefined: u32,
}

impl Definition {
    /// Bytes written of which some bit is undefined.
    #[inline]
    pub(super) fn poisoned(self) -> u8 {
        if self.undefined == 0 {
            return 0;
        }
        (0..4).filter(|byte| self.undefined >> (8 * byte) & 0xff != 0).fold(0, |all, byte| all | 1 << byte)
    }
}

/// Calls with every word that the lane's store covers.
#[inline]
pub(super) fn define_lane(
    at: usize,
    bytes: u8,
    lane: usize,
    value: &LaneWords,
    mut define: impl FnMut(Definition),
) {
    let covered = if bytes >= 4 { 0xf } else { ((1u8 << bytes) - 1) << (at % 4) };
    for part in 0..usize::from(bytes).div_ceil(4) {
        let undefined = if value.poison[part] >> lane & 1 == 0 {
            0
        } else if bytes >= 4 {
            value.undefined(part, lane)
        } else {
            (value.undefined(0, lane) & ((1 << (8 * bytes)) - 1)) << (8 * (at % 4))
        };
        define(Definition { word: at / 4 + part, bytes: covered, undefined });
    }
}
