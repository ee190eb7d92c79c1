//! Local memory: one stack per thread, kept lane-interleaved per warp so that a uniform access is one row.

use super::{LaneWords, Site, data::define_lane, lanes, partial::Partial};

/// Local bytes a thread may use: CUDA's hardware limit (CUDA C++ Programming Guide, Technical Specifications).
pub(crate) const LOCAL_LIMIT: u32 = 512 * 1024;

/// Bytes left free between two frames, so that an index past one isn't inside the other.
const RED_ZONE: u32 = 64;

/// The local memory of one warp's lanes.
#[derive(Clone, Debug, Default)]
pub(crate) struct LocalMemory {
    /// By word, then lane.
    words: Vec<[u32; 32]>,
    /// By word, then byte of the word: the lanes in which it is initialised.
    initialised: Vec<[u32; 4]>,
    /// Words that are so in part, by 32 times the word plus the lane.
    partial: Partial,
    /// Per lane, the live frames as (first byte, bytes).
    frames: [Vec<(u32, u32)>; 32],
}

impl LocalMemory {
    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.words.clear();
        self.initialised.clear();
        self.partial.clear();
        self.frames.iter_mut().for_each(Vec::clear);
    }

    /// Opens a frame in each lane. Gives the lanes' frame addresses, or the lanes whose stack is full.
    pub(crate) fn push(&mut self, mask: u32, bytes: u32, alignment: u32) -> Result<[u64; 32], u32> {
        let mut addresses = [0; 32];
        let mut full = 0;
        let mut top = 0;
        for lane in lanes(mask) {
            let end = self.frames[lane].last().map_or(0, |&(start, bytes)| start + bytes);
            let start = (end + RED_ZONE).next_multiple_of(alignment.max(16));
            if u64::from(start) + u64::from(bytes) > u64::from(LOCAL_LIMIT) {
                full |= 1 << lane;
                continue;
            }
            self.frames[lane].push((start, bytes));
            addresses[lane] = u64::from(start);
            let (first, last) = (start as usize / 4, (start + bytes).div_ceil(4) as usize);
            top = top.max(last);
            for (row, bytes) in self.initialised.iter_mut().enumerate().take(last).skip(first) {
                bytes.iter_mut().for_each(|lanes| *lanes &= !(1 << lane));
                if !self.partial.is_empty() {
                    self.partial.forget(number(row, lane), 0xf);
                }
            }
        }
        if top > self.words.len() {
            self.words.resize(top, [0; 32]);
            self.initialised.resize(top, [0; 4]);
        }
        if full == 0 { Ok(addresses) } else { Err(full) }
    }

    /// Closes the newest frame of each lane.
    pub(crate) fn pop(&mut self, mask: u32) {
        for lane in lanes(mask) {
            self.frames[lane].pop();
        }
    }

    /// True if the lane has a frame that holds all of the bytes.
    pub(crate) fn holds(&self, lane: usize, offset: u64, bytes: u8) -> bool {
        self.frames[lane].iter().rev().any(|&(start, length)| {
            offset >= u64::from(start) && offset + u64::from(bytes) <= u64::from(start) + u64::from(length)
        })
    }

    /// The lane's frame nearest to an address outside all of them.
    pub(crate) fn nearest(&self, lane: usize, offset: u64) -> Option<(u32, u32)> {
        self.frames[lane].iter().copied().min_by_key(|&(start, bytes)| {
            let end = u64::from(start) + u64::from(bytes);
            if offset >= end { offset - end } else { u64::from(start).saturating_sub(offset) }
        })
    }

    /// Which bytes of a lane's word are initialised.
    #[inline]
    fn nibble(&self, row: usize, lane: usize) -> u8 {
        let bytes = &self.initialised[row];
        (0..4).fold(0, |nibble, byte| nibble | ((bytes[byte] >> lane & 1) as u8) << byte)
    }

    /// One lane's word, whatever lies there; 0 where nothing ever did.
    pub(crate) fn word(&self, word: u32, lane: usize) -> u32 {
        self.words.get(word as usize).map_or(0, |lanes| lanes[lane])
    }

    /// Loads one lane; the caller has checked bounds and alignment.
    pub(crate) fn load(&self, lane: usize, offset: u32, bytes: u8, out: &mut LaneWords) {
        let row = offset as usize / 4;
        if bytes >= 4 {
            for part in 0..usize::from(bytes) / 4 {
                out.words[part][lane] = self.words[row + part][lane];
                let all = self.initialised[row + part].iter().fold(u32::MAX, |all, lanes| all & lanes);
                if all >> lane & 1 == 0 {
                    let nibble = self.nibble(row + part, lane);
                    out.set_undefined(part, lane, self.partial.undefined(number(row + part, lane), nibble));
                }
            }
            return;
        }
        let byte = offset % 4;
        let field = if bytes == 1 { 0xff } else { 0xffff };
        out.words[0][lane] = self.words[row][lane] >> (8 * byte) & field;
        let nibble = self.nibble(row, lane);
        if nibble != 0xf {
            let undefined = self.partial.undefined(number(row, lane), nibble);
            out.set_undefined(0, lane, undefined >> (8 * byte) & field);
        }
    }

    /// Stores one lane; the caller has checked bounds and alignment.
    pub(crate) fn store(&mut self, lane: usize, offset: u32, bytes: u8, value: &LaneWords, site: Site) {
        let row = offset as usize / 4;
        if bytes >= 4 {
            for part in 0..usize::from(bytes) / 4 {
                self.words[row + part][lane] = value.words[part][lane];
            }
        } else {
            let byte = offset % 4;
            let field = (if bytes == 1 { 0xff } else { 0xffff }) << (8 * byte);
            let word = &mut self.words[row][lane];
            *word = (*word & !field) | ((value.words[0][lane] << (8 * byte)) & field);
        }
        define_lane(offset as usize, bytes, lane, value, |definition| {
            let row = definition.word;
            let poisoned = definition.poisoned();
            for (byte, lanes) in self.initialised[row].iter_mut().enumerate() {
                if poisoned >> byte & 1 == 1 {
                    *lanes &= !(1 << lane);
                } else if definition.bytes >> byte & 1 == 1 {
                    *lanes |= 1 << lane;
                }
            }
            if poisoned != 0 {
                let nibble = self.nibble(row, lane);
                let at = number(row, lane);
                self.partial.store(at, nibble, poisoned, definition.undefined, site);
            }
        });
    }
}

/// A lane's word among those of all lanes.
fn number(row: usize, lane: usize) -> u32 {
    // At most 512 KiB of words by 32 lanes: 22 bits.
    (32 * row + lane) as u32
}
