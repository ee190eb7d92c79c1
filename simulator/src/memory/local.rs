//! Local memory: one stack per thread, kept lane-interleaved per warp so that a uniform access is one row.
//!
//! Rows come in pages, and a page exists once a lane has stored to it: an array of half a mebibyte in each of
//! a thousand threads costs what they touch of it.

use std::ops::Range;

use super::{
    LOCAL_WINDOW_BYTES, LaneWords, Site,
    data::define_lane,
    lanes,
    partial::{Entry, Partial, Passed},
};

/// Local bytes a thread may use: CUDA's hardware limit (CUDA C++ Programming Guide,
/// Technical Specifications).
pub(crate) const LOCAL_LIMIT: u32 = 512 * 1024;

/// Threads that have places of their own in the local window; behind them it begins again.
const OWNERS: u32 = (LOCAL_WINDOW_BYTES / LOCAL_LIMIT as u64) as u32;
/// As many as a block has at most.
const THREADS: u32 = 1024;
const _: () = assert!(OWNERS.is_multiple_of(THREADS) && LOCAL_LIMIT.is_power_of_two());

/// A thread, as far as a generic address of local memory tells it: one of the last few blocks'.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Owner(u32);

impl Owner {
    /// A thread of a block.
    pub(crate) fn new(block: u32, thread: u32) -> Self {
        Self(block % (OWNERS / THREADS) * THREADS + thread)
    }

    /// Where its memory begins in the local window.
    #[inline]
    pub(crate) fn start(self) -> u64 {
        u64::from(self.0) * u64::from(LOCAL_LIMIT)
    }
}

/// Bytes left free between two frames, so that an index past one isn't inside the other.
const RED_ZONE: u32 = 64;

/// Words of each lane in a page.
const PAGE_ROWS: usize = 16;

/// Some words of every lane.
#[derive(Clone, Debug, Default)]
struct LocalPage {
    /// By word, then lane.
    words: [[u32; 32]; PAGE_ROWS],
    /// By word, then byte of the word: the lanes in which it is initialised.
    initialised: [[u32; 4]; PAGE_ROWS],
}

/// The local memory of one warp's lanes.
#[derive(Clone, Debug, Default)]
pub(crate) struct LocalMemory {
    /// In order of their words; what was never stored to has none.
    pages: Vec<Option<Box<LocalPage>>>,
    /// Words that are so in part, by 32 times the word plus the lane.
    partial: Partial,
    /// Per lane, the live frames, in order of their addresses.
    frames: [Vec<LocalFrame>; 32],
    /// Where the first of them may lie.
    start: u32,
    /// The thread of the first lane.
    owner: Owner,
    /// Per lane, the highest end that a frame has had.
    deepest: [u32; 32],
}

/// A piece of a thread's stack: the variables of a function, or what it took by `alloca`.
#[derive(Clone, Copy, Debug)]
struct LocalFrame {
    start: u32,
    bytes: u32,
    /// Calls above the function that it belongs to.
    depth: u32,
}

impl LocalFrame {
    fn end(self) -> u32 {
        self.start + self.bytes
    }
}

impl LocalMemory {
    /// The first frames lie from here on.
    pub(crate) fn begin_at(&mut self, start: u32) {
        self.start = start;
    }

    /// Forgets everything: it is now the memory of the threads from this one on.
    pub(crate) fn begin(&mut self, owner: Owner) {
        self.owner = owner;
        self.pages.clear();
        self.partial.clear();
        self.frames.iter_mut().for_each(Vec::clear);
        self.deepest = [0; 32];
    }

    /// Where a lane's memory begins in the local window.
    #[inline]
    pub(crate) fn start_of(&self, lane: usize) -> u64 {
        self.owner.start() + lane as u64 * u64::from(LOCAL_LIMIT)
    }

    /// True of an offset in a lane's memory, computed from another thread's address, at which it has a variable itself: a GPU would
    /// access that.
    pub(crate) fn is_anothers(&self, lane: usize, offset: u64) -> bool {
        let place = self.start_of(lane).wrapping_add(offset);
        offset >= LOCAL_LIMIT.into()
            && place < LOCAL_WINDOW_BYTES
            && self.holds(lane, place % u64::from(LOCAL_LIMIT), 1)
    }

    /// Opens a frame in each lane for a function with `depth` calls above it. Gives the lanes' frame
    /// addresses, or the lanes whose stack is full.
    pub(crate) fn push(
        &mut self,
        mask: u32,
        bytes: u32,
        alignment: u32,
        depth: u32,
    ) -> Result<[u64; 32], u32> {
        let mut addresses = [0; 32];
        let mut full = 0;
        // Nearly always one frame for all lanes.
        let mut opened: Vec<(Range<usize>, u32)> = Vec::new();
        for lane in lanes(mask) {
            let end = self.top(lane);
            let start = (end + RED_ZONE).next_multiple_of(alignment.max(16));
            if u64::from(start) + u64::from(bytes) > u64::from(LOCAL_LIMIT) {
                full |= 1 << lane;
                continue;
            }
            self.frames[lane].push(LocalFrame { start, bytes, depth });
            self.deepest[lane] = self.deepest[lane].max(start + bytes);
            addresses[lane] = u64::from(start);
            let rows = start as usize / 4..(start + bytes).div_ceil(4) as usize;
            match opened.iter_mut().find(|(other, _)| *other == rows) {
                Some((_, lanes)) => *lanes |= 1 << lane,
                None => opened.push((rows, 1 << lane)),
            }
        }
        for (rows, lanes) in opened {
            self.forget(lanes, rows);
        }
        if full == 0 { Ok(addresses) } else { Err(full) }
    }

    /// Makes words of lanes uninitialised.
    fn forget(&mut self, mask: u32, rows: Range<usize>) {
        let pages = rows.start / PAGE_ROWS..rows.end.div_ceil(PAGE_ROWS).min(self.pages.len());
        for at in pages {
            let Some(page) = &mut self.pages[at] else { continue };
            let first = at * PAGE_ROWS;
            for row in rows.start.max(first)..rows.end.min(first + PAGE_ROWS) {
                page.initialised[row - first].iter_mut().for_each(|lanes| *lanes &= !mask);
                if !self.partial.is_empty() {
                    lanes(mask).for_each(|lane| self.partial.forget(number(row, lane), 0xf));
                }
            }
        }
    }

    /// Hands every word that was stored to, with its number, to a function.
    pub(crate) fn each_word(&self, with: &mut impl FnMut(u64)) {
        for (at, page) in self.pages.iter().enumerate() {
            let Some(page) = page else { continue };
            with(at as u64);
            page.words.iter().flatten().for_each(|&word| with(u64::from(word)));
        }
    }

    /// The end of a lane's newest frame.
    pub(crate) fn top(&self, lane: usize) -> u32 {
        self.frames[lane].last().map_or(self.start, |frame| frame.end())
    }

    /// Closes the frames of a function with `depth` calls above it.
    pub(crate) fn pop(&mut self, mask: u32, depth: u32) {
        self.pop_from(mask, depth, |_| 0);
    }

    /// The same for those frames that a lane opened when its newest one ended at `top` or after that.
    pub(crate) fn pop_from(&mut self, mask: u32, depth: u32, top: impl Fn(usize) -> u64) {
        for lane in lanes(mask) {
            let top = top(lane);
            while self.frames[lane]
                .pop_if(|frame| frame.depth == depth && u64::from(frame.start) >= top)
                .is_some()
            {}
        }
    }

    /// True if the lane has a frame that holds all of the bytes.
    pub(crate) fn holds(&self, lane: usize, offset: u64, bytes: u8) -> bool {
        self.frames[lane].iter().rev().any(|frame| {
            offset >= u64::from(frame.start) && offset + u64::from(bytes) <= u64::from(frame.end())
        })
    }

    /// True of a byte beyond the lane's newest frame where a function that has returned had its variables. To load it gives an
    /// undefined value, no more: compilers copy an object of an empty class by its one byte of padding, from wherever a reference
    /// says that it was.
    pub(crate) fn was_of_a_frame(&self, lane: usize, offset: u64) -> bool {
        offset >= u64::from(self.top(lane) + RED_ZONE) && offset < u64::from(self.deepest[lane])
    }

    /// The lane's frame nearest to an address outside all of them: its first byte, and its bytes.
    pub(crate) fn nearest(&self, lane: usize, offset: u64) -> Option<(u32, u32)> {
        let nearest = self.frames[lane].iter().min_by_key(|frame| {
            let end = u64::from(frame.end());
            if offset >= end { offset - end } else { u64::from(frame.start).saturating_sub(offset) }
        })?;
        Some((nearest.start, nearest.bytes))
    }

    /// A lane's word and which of its bytes are initialised.
    #[inline]
    fn contents(&self, row: usize, lane: usize) -> (u32, u8) {
        match self.pages.get(row / PAGE_ROWS) {
            Some(Some(page)) => {
                let row = row % PAGE_ROWS;
                (page.words[row][lane], nibble(&page.initialised[row], lane))
            }
            _ => (0, 0),
        }
    }

    /// One lane's word, whatever lies there; 0 where nothing ever did.
    pub(crate) fn word(&self, word: u32, lane: usize) -> u32 {
        self.contents(word as usize, lane).0
    }

    /// Loads one lane; the caller has checked bounds and alignment.
    pub(crate) fn load(&self, lane: usize, offset: u32, bytes: u8, out: &mut LaneWords) {
        let row = offset as usize / 4;
        if bytes >= 4 {
            for part in 0..usize::from(bytes) / 4 {
                let (word, nibble) = self.contents(row + part, lane);
                out.words[part][lane] = word;
                if nibble != 0xf {
                    out.set_undefined(part, lane, self.partial.undefined(number(row + part, lane), nibble));
                }
            }
            return;
        }
        let byte = offset % 4;
        let field = if bytes == 1 { 0xff } else { 0xffff };
        let (word, nibble) = self.contents(row, lane);
        out.words[0][lane] = word >> (8 * byte) & field;
        if nibble != 0xf {
            let undefined = self.partial.undefined(number(row, lane), nibble);
            out.set_undefined(0, lane, undefined >> (8 * byte) & field);
        }
    }

    /// What a store left of the word at an offset.
    pub(crate) fn left(&self, lane: usize, offset: u32) -> Option<Entry> {
        self.partial.get(number(offset as usize / 4, lane))
    }

    /// The last store to the word at an offset left what comes from there.
    pub(crate) fn pass(&mut self, lane: usize, offset: u32, passed: Passed) {
        self.partial.pass(number(offset as usize / 4, lane), passed);
    }

    /// Stores one lane; the caller has checked bounds and alignment.
    pub(crate) fn store(&mut self, lane: usize, offset: u32, bytes: u8, value: &LaneWords, site: Site) {
        let row = offset as usize / 4;
        if bytes >= 4 {
            for part in 0..usize::from(bytes) / 4 {
                page(&mut self.pages, row + part).words[(row + part) % PAGE_ROWS][lane] =
                    value.words[part][lane];
            }
        } else {
            let byte = offset % 4;
            let field = (if bytes == 1 { 0xff } else { 0xffff }) << (8 * byte);
            let word = &mut page(&mut self.pages, row).words[row % PAGE_ROWS][lane];
            *word = (*word & !field) | ((value.words[0][lane] << (8 * byte)) & field);
        }
        define_lane(offset as usize, bytes, lane, value, |definition| {
            let row = definition.word;
            let poisoned = definition.poisoned();
            let initialised = &mut page(&mut self.pages, row).initialised[row % PAGE_ROWS];
            for (byte, lanes) in initialised.iter_mut().enumerate() {
                if poisoned >> byte & 1 == 1 {
                    *lanes &= !(1 << lane);
                } else if definition.bytes >> byte & 1 == 1 {
                    *lanes |= 1 << lane;
                }
            }
            if poisoned != 0 {
                let nibble = nibble(initialised, lane);
                let at = number(row, lane);
                self.partial.store(at, nibble, poisoned, definition.undefined, site);
            }
        });
    }
}

/// The page of a word, made where there is none yet.
#[inline]
fn page(pages: &mut Vec<Option<Box<LocalPage>>>, row: usize) -> &mut LocalPage {
    let at = row / PAGE_ROWS;
    if at >= pages.len() {
        pages.resize_with(at + 1, || None);
    }
    pages[at].get_or_insert_default()
}

/// Which bytes of a lane's word are initialised.
#[inline]
fn nibble(initialised: &[u32; 4], lane: usize) -> u8 {
    (0..4).fold(0, |nibble, byte| nibble | ((initialised[byte] >> lane & 1) as u8) << byte)
}

/// A lane's word among those of all lanes.
fn number(row: usize, lane: usize) -> u32 {
    // At most 512 KiB of words by 32 lanes: 22 bits.
    (32 * row + lane) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_touched_takes_no_memory() {
        let mut memory = LocalMemory::default();
        let frame = memory.push(u32::MAX, 500_000, 16, 0).expect("it is within the limit")[3] as u32;
        assert!(memory.pages.iter().flatten().next().is_none());
        let mut value = LaneWords::ZERO;
        value.words[0][3] = 7;
        memory.store(3, frame + 400_000, 4, &value, Site(1));
        memory.store(3, frame, 4, &value, Site(1));
        assert_eq!(memory.pages.iter().flatten().count(), 2);
        let mut read = LaneWords::ZERO;
        memory.load(3, frame + 400_000, 4, &mut read);
        assert_eq!((read.words[0][3], read.poison[0]), (7, 0));
        // Another lane's word, a word of no page, and the same word in a new frame were never written.
        memory.load(4, frame + 400_000, 4, &mut read);
        memory.load(5, frame + 200_000, 4, &mut read);
        memory.pop(u32::MAX, 0);
        memory.push(u32::MAX, 500_000, 16, 0).expect("as before");
        memory.load(3, frame, 4, &mut read);
        assert_eq!(read.poison[0], 0b11_1000);
    }

    #[test]
    fn a_new_frame_is_uninitialised_wherever_it_lies() {
        let mut memory = LocalMemory::default();
        // The upper lanes have a frame more, so that the next one lies elsewhere in them.
        memory.push(0xffff_0000, 40, 4, 0).expect("it is within the limit");
        let read = |memory: &mut LocalMemory, frame: &[u64; 32]| {
            let mut read = LaneWords::ZERO;
            (0..32).for_each(|lane| memory.load(lane, frame[lane] as u32 + 8, 4, &mut read));
            read.poison[0]
        };
        let frame = memory.push(u32::MAX, 40, 4, 1).expect("it is within the limit");
        assert_ne!(frame[0], frame[31]);
        for (lane, &start) in frame.iter().enumerate() {
            memory.store(lane, start as u32 + 8, 4, &LaneWords::ZERO, Site(1));
        }
        assert_eq!(read(&mut memory, &frame), 0);
        memory.pop(0x8000_0001, 1);
        assert_eq!(memory.push(0x8000_0001, 40, 4, 1).expect("it is within the limit")[31], frame[31]);
        assert_eq!(read(&mut memory, &frame), 0x8000_0001, "the others' frames are as they were");
    }

    #[test]
    fn where_a_function_had_its_variables_is_known_after_it_returned() {
        let mut memory = LocalMemory::default();
        memory.push(1, 16, 4, 0).expect("there is room");
        let callee = memory.push(1, 16, 4, 1).expect("there is room")[0];
        assert!(!memory.was_of_a_frame(0, callee), "it has not returned");
        memory.pop(1, 1);
        assert!(memory.was_of_a_frame(0, callee) && memory.was_of_a_frame(0, callee + 15));
        assert!(!memory.was_of_a_frame(0, callee + 16), "no function had it");
        assert!(!memory.was_of_a_frame(0, u64::from(memory.top(0))), "an index past a variable");
    }

    #[test]
    fn a_piece_goes_with_its_function_or_when_the_stack_is_restored() {
        let mut memory = LocalMemory::default();
        let variables = memory.push(u32::MAX, 40, 4, 0).expect("there is room");
        let saved: Vec<u32> = (0..32).map(|lane| memory.top(lane)).collect();
        // Some lanes take a piece, one of them two, and a function that has no variables is called.
        memory.push(0b11, 16, 8, 0).expect("there is room");
        memory.push(0b10, 16, 8, 0).expect("there is room");
        let inner = memory.push(0b110, 16, 8, 1).expect("there is room");
        memory.pop(u32::MAX, 1);
        memory.pop(u32::MAX, 1);
        assert_eq!([0, 1, 2].map(|lane| memory.frames[lane].len()), [2, 3, 1], "the caller's pieces stay");
        assert!(!memory.holds(1, inner[1], 4));
        memory.pop_from(u32::MAX, 0, |lane| u64::from(saved[lane]));
        assert!((0..32).all(|lane| memory.frames[lane].len() == 1 && memory.top(lane) == saved[lane]));
        assert!(memory.holds(1, variables[1] + 36, 4));
        memory.pop(u32::MAX, 0);
        assert!((0..32).all(|lane| memory.top(lane) == 0));
    }
}
