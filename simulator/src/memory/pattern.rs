//! Remembers shapes of accesses, since a kernel repeats a few of them all the time.
//!
//! The shape is the active lanes and their addresses relative to the first active lane's. What follows from
//! the shape alone is computed once, when a shape comes for the second time: wavefronts, sectors, and the
//! words touched as runs of neighbours with the lanes that touch each.
//!
//! A [`Tag`] names a shape for as long as it is remembered. Who keeps one beside a register of addresses that
//! has not been written since need not look at its lanes again.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use super::{
    lanes,
    traffic::{self, Flow, Wavefronts},
};

/// Shapes remembered at once.
const TABLE: usize = 256;

/// Stands for "several lanes" among the owners of a run.
const SEVERAL: u32 = 0xffff_0000;

/// Neighbouring words that an access touches.
#[derive(Clone, Debug)]
struct ShapeRun {
    /// Bytes from the first active lane's address, wrapping.
    start: u32,
    first: usize,
    end: usize,
    is_row: bool,
}

/// The name of a remembered shape; no other ever has the same, in whatever table. The lowest
/// byte is its place there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tag(u64);

impl Tag {
    /// No shape's.
    pub const NONE: Self = Self(0);

    fn new(slot: usize) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Self(NEXT.fetch_add(1, Ordering::Relaxed) << 8 | slot as u64)
    }

    /// Its place in the table.
    #[inline(always)]
    pub(super) fn slot(self) -> usize {
        self.0 as usize % TABLE
    }
}

/// One shape, as it is recognised.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    relative: [u32; 32],
    mask: u32,
    bytes: u8,
    /// The last epoch that it was seen in.
    epoch: u64,
    /// None until it has come for the second time.
    tag: Tag,
    /// By the first active lane's word in its sector.
    sectors: [u16; 8],
    shape: Arc<Shape>,
}

/// What follows from a shape.
#[derive(Debug, Default)]
pub(super) struct Shape {
    load: Wavefronts,
    store: Wavefronts,
    runs: Vec<ShapeRun>,
    readers: Vec<u32>,
    owners: Vec<u32>,
    /// Of accesses of one word a lane: how each eight lanes' words lie.
    groups: [Group; 4],
    /// The lowest and highest address, from the first active lane's.
    low: i32,
    high: i32,
    /// All relative addresses are multiples of the bytes that a lane accesses.
    aligned: bool,
    /// No word is touched by two lanes.
    exclusive: bool,
}

/// The words of eight lanes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Group {
    /// Not all of the lanes take part, or otherwise than below.
    #[default]
    Mixed,
    /// One after the other.
    Row,
    /// One and the same.
    Same,
}

/// Neighbouring words and, for each, the lanes that touch it and which lane it is if it is one.
#[derive(Clone, Copy)]
pub(super) struct WordRun<'a> {
    /// Bytes from the first active lane's address, wrapping.
    pub(super) start: u32,
    pub(super) readers: &'a [u32],
    pub(super) owners: &'a [u32],
    /// No word of the whole access is touched by two lanes.
    pub(super) single: bool,
    /// Each is touched by the lane that follows the one before.
    pub(super) is_row: bool,
}

impl WordRun<'_> {
    /// A part of the run.
    pub(super) fn part(&self, from: usize, count: usize) -> Self {
        Self {
            start: self.start,
            readers: &self.readers[from..from + count],
            owners: &self.owners[from..from + count],
            single: self.single,
            is_row: self.is_row,
        }
    }
}

/// Lanes' addresses relative to the first active lane's; 0 for inactive lanes.
#[inline(always)]
pub(super) fn relative(offsets: &[u32; 32], mask: u32) -> [u32; 32] {
    let first = offsets[mask.trailing_zeros() as usize & 31];
    // A loop, not `from_fn`: only what is inlined is compiled for the caller's vectors.
    let mut relative = [0; 32];
    for lane in 0..32 {
        relative[lane] = offsets[lane].wrapping_sub(first) & 0u32.wrapping_sub(mask >> lane & 1);
    }
    relative
}

impl Shape {
    /// What follows from active lanes' relative addresses, each of so many bytes.
    pub(super) fn of(relative: &[u32; 32], mask: u32, bytes: u8) -> Self {
        let offsets = || lanes(mask).map(|lane| relative[lane] as i32);
        let groups = std::array::from_fn(|group| {
            let of = &relative[8 * group..8 * group + 8];
            let steps = |step: u32| of.windows(2).all(|two| two[1].wrapping_sub(two[0]) == step);
            match mask >> (8 * group) & 0xff {
                0xff if bytes == 4 && steps(4) => Group::Row,
                0xff if bytes == 4 && steps(0) => Group::Same,
                _ => Group::Mixed,
            }
        });
        let mut shape = Self {
            load: traffic::wavefronts(Flow::Load, relative, mask, bytes),
            store: traffic::wavefronts(Flow::Store, relative, mask, bytes),
            groups,
            low: offsets().min().unwrap_or(0),
            high: offsets().max().unwrap_or(0),
            aligned: offsets().all(|offset| offset & (i32::from(bytes) - 1) == 0),
            exclusive: true,
            ..Self::default()
        };
        let mut words: Vec<(i32, u32)> = Vec::new();
        for lane in lanes(mask) {
            for part in 0..i32::from(bytes / 4) {
                words.push(((relative[lane] as i32 >> 2) + part, 1 << lane));
            }
        }
        words.sort_unstable();
        let mut last = i32::MIN;
        for (word, lane) in words {
            if word == last {
                if let Some(readers) = shape.readers.last_mut() {
                    *readers |= lane;
                }
                shape.exclusive = false;
                continue;
            }
            let at = shape.readers.len();
            if last == i32::MIN || word != last + 1 {
                shape.runs.push(ShapeRun { start: (word as u32) << 2, first: at, end: at, is_row: false });
            }
            shape.readers.push(lane);
            if let Some(run) = shape.runs.last_mut() {
                run.end = at + 1;
            }
            last = word;
        }
        let owner =
            |readers: &u32| if readers.is_power_of_two() { readers.trailing_zeros() } else { SEVERAL };
        shape.owners = shape.readers.iter().map(owner).collect();
        for run in &mut shape.runs {
            let owners = &shape.owners[run.first..run.end];
            run.is_row = owners[0] != SEVERAL && owners.windows(2).all(|two| two[0] + 1 == two[1]);
        }
        shape
    }

    /// What it takes of shared memory.
    #[inline]
    pub(super) fn wavefronts(&self, flow: Flow) -> Wavefronts {
        match flow {
            Flow::Load => self.load,
            Flow::Store => self.store,
        }
    }

    /// The words touched.
    #[inline]
    pub(super) fn runs(&self) -> impl Iterator<Item = WordRun<'_>> {
        self.runs.iter().map(|run| WordRun {
            start: run.start,
            readers: &self.readers[run.first..run.end],
            owners: &self.owners[run.first..run.end],
            single: self.exclusive,
            is_row: run.is_row,
        })
    }

    /// No word is touched by two lanes.
    #[inline]
    pub(super) fn is_exclusive(&self) -> bool {
        self.exclusive
    }
}

impl Pattern {
    fn empty() -> Self {
        Self {
            relative: [0; 32],
            mask: 0,
            bytes: 0,
            epoch: 0,
            tag: Tag::NONE,
            sectors: [0; 8],
            shape: Arc::default(),
        }
    }

    #[inline(always)]
    fn is(&self, relative: &[u32; 32], mask: u32, bytes: u8) -> bool {
        // A loop, not `==`: that is a call of the library.
        let mut different = 0;
        for lane in 0..32 {
            different |= self.relative[lane] ^ relative[lane];
        }
        self.mask == mask && self.bytes == bytes && different == 0
    }

    #[cold]
    fn build(&mut self, slot: usize) {
        self.tag = Tag::new(slot);
        self.shape = Arc::new(Shape::of(&self.relative, self.mask, self.bytes));
    }

    /// What follows from the shape.
    #[inline(always)]
    pub(super) fn shape(&self) -> &Arc<Shape> {
        &self.shape
    }

    /// Its name.
    #[inline(always)]
    pub(super) fn tag(&self) -> Tag {
        self.tag
    }

    /// Where the access lies if the first active lane's address is this: the lowest and the highest lane's
    /// address. None if some lane's is no multiple of its bytes, or one would be below zero or above 32 bits.
    #[inline(always)]
    pub(super) fn extent(&self, first: u32) -> Option<(u32, u32)> {
        let low = first.checked_add_signed(self.shape.low)?;
        let high = first.checked_add_signed(self.shape.high)?;
        (self.shape.aligned && first & (u32::from(self.bytes) - 1) == 0).then_some((low, high))
    }

    /// Gives each lane its word of `data`, where the first active lane's begins at `first`; other lanes keep
    /// what they have. Only for accesses of one word a lane, all of which lie in `data`.
    #[inline(always)]
    pub(super) fn gather(&self, data: &[u8], first: usize, out: &mut [u32; 32]) {
        let at = |lane: usize| first.wrapping_add_signed(self.relative[lane] as i32 as isize);
        let word = |lane: usize| {
            let bytes = data.get(at(lane)..).and_then(|bytes| bytes.first_chunk());
            bytes.map_or(0, |bytes| u32::from_le_bytes(*bytes))
        };
        for group in 0..4 {
            let lanes = 8 * group;
            match self.shape.groups[group] {
                Group::Row => {
                    let Some(row) = data.get(at(lanes)..).and_then(|bytes| bytes.first_chunk::<32>()) else {
                        continue;
                    };
                    for lane in 0..8 {
                        let bytes = [row[4 * lane], row[4 * lane + 1], row[4 * lane + 2], row[4 * lane + 3]];
                        out[lanes + lane] = u32::from_le_bytes(bytes);
                    }
                }
                Group::Same => {
                    let word = word(lanes);
                    for lane in 0..8 {
                        out[lanes + lane] = word;
                    }
                }
                Group::Mixed => {
                    for lane in lanes..lanes + 8 {
                        if self.mask >> lane & 1 == 1 {
                            out[lane] = word(lane);
                        }
                    }
                }
            }
        }
    }

    /// The other way: puts each lane's word into `data`, and gives how many changed. No two
    /// lanes may want the same word.
    #[inline(always)]
    pub(super) fn scatter(&self, data: &mut [u8], first: usize, words: &[u32; 32]) -> u64 {
        let at = |lane: usize| first.wrapping_add_signed(self.relative[lane] as i32 as isize);
        let mut changed = 0;
        for group in 0..4 {
            let lanes = 8 * group;
            if self.shape.groups[group] == Group::Row {
                let Some(row) = data.get_mut(at(lanes)..).and_then(|bytes| bytes.first_chunk_mut::<32>())
                else {
                    continue;
                };
                for lane in 0..8 {
                    let new = words[lanes + lane].to_le_bytes();
                    let old = [row[4 * lane], row[4 * lane + 1], row[4 * lane + 2], row[4 * lane + 3]];
                    changed += u32::from(old != new);
                    (row[4 * lane], row[4 * lane + 1]) = (new[0], new[1]);
                    (row[4 * lane + 2], row[4 * lane + 3]) = (new[2], new[3]);
                }
                continue;
            }
            for lane in lanes..lanes + 8 {
                if self.mask >> lane & 1 == 1
                    && let Some(word) = data.get_mut(at(lane)..).and_then(|bytes| bytes.first_chunk_mut())
                {
                    let new = words[lane].to_le_bytes();
                    changed += u32::from(*word != new);
                    *word = new;
                }
            }
        }
        u64::from(changed)
    }

    /// Sectors touched if the first active lane accesses this address.
    #[inline]
    pub(super) fn sectors(&mut self, first: u64) -> u16 {
        let phase = (first >> 2 & 7) as usize;
        if self.sectors[phase] == 0 {
            let addresses = self.relative.map(|relative| first.wrapping_add(relative as i32 as i64 as u64));
            self.sectors[phase] = traffic::sectors(&addresses, self.mask, self.bytes);
        }
        self.sectors[phase]
    }
}

/// Where in the table a shape is.
#[inline(always)]
fn slot_of(relative: &[u32; 32], mask: u32, bytes: u8) -> usize {
    let mix = relative[1] ^ relative[31].rotate_left(9) ^ relative[16].rotate_left(17) ^ mask.rotate_left(5);
    ((mix.wrapping_mul(0x9e37_79b1) >> 24) as usize ^ usize::from(bytes)) % TABLE
}

/// The shapes seen. They say nothing about who made them: blocks that take turns use one table.
#[derive(Debug, Default)]
pub struct Patterns {
    table: Vec<Pattern>,
    epoch: u64,
}

impl Patterns {
    /// Another block begins, for which it must not matter what the one before did: each shape is new again.
    /// What was worked out is kept.
    pub(super) fn begin(&mut self) {
        self.epoch += 1;
    }

    #[cold]
    #[inline(never)]
    fn make(&mut self) {
        self.table = vec![Pattern::empty(); TABLE];
    }

    /// The shape of an access of whole words, if it was seen lately in this epoch.
    #[inline(always)]
    pub(super) fn find(&mut self, relative: &[u32; 32], mask: u32, bytes: u8) -> Option<&mut Pattern> {
        if bytes < 4 {
            return None;
        }
        let slot = slot_of(relative, mask, bytes);
        if self.table.is_empty() {
            self.make();
        }
        let pattern = &mut self.table[slot];
        if pattern.is(relative, mask, bytes) {
            if pattern.epoch != self.epoch {
                pattern.epoch = self.epoch;
                return None;
            }
            if pattern.tag == Tag::NONE {
                pattern.build(slot);
            }
            return Some(pattern);
        }
        (pattern.relative, pattern.mask, pattern.bytes) = (*relative, mask, bytes);
        (pattern.epoch, pattern.tag, pattern.sectors) = (self.epoch, Tag::NONE, [0; 8]);
        None
    }

    /// The name of the shape of accesses of whole words at these addresses, if it was seen
    /// often enough in this epoch.
    #[inline(always)]
    pub(super) fn seen(&self, addresses: &[u64; 32], mask: u32, bytes: u8) -> Tag {
        let first = addresses[mask.trailing_zeros() as usize & 31];
        let mut relative = [0; 32];
        let mut far = 0;
        for lane in 0..32 {
            let distance =
                addresses[lane].wrapping_sub(first) & 0u64.wrapping_sub(u64::from(mask >> lane & 1));
            relative[lane] = distance as u32;
            // Zero if the distance is that of its lower half's sign.
            far |= distance.wrapping_add(1 << 31) >> 32;
        }
        match self.table.get(slot_of(&relative, mask, bytes)) {
            Some(pattern)
                if far == 0 && pattern.epoch == self.epoch && pattern.is(&relative, mask, bytes) =>
            {
                pattern.tag
            }
            _ => Tag::NONE,
        }
    }

    /// The shape of this name, if it is still remembered and is one of these lanes and bytes.
    #[inline(always)]
    pub(super) fn named(&mut self, tag: Tag, mask: u32, bytes: u8) -> Option<&mut Pattern> {
        let pattern = self.table.get_mut(tag.slot())?;
        (pattern.tag == tag && pattern.mask == mask && pattern.bytes == bytes).then_some(pattern)
    }
}
