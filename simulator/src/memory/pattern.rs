//! Remembers shapes of accesses, since a kernel repeats a few of them all the time.
//!
//! The shape is the active lanes and their addresses relative to the first active lane's. What follows from the shape
//! alone is computed once, when a shape comes for the second time: wavefronts, sectors, and the words touched as
//! runs of neighbours with the lanes that touch each.

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
struct Run {
    /// Bytes from the first active lane's address, wrapping.
    start: u32,
    first: usize,
    end: usize,
}

/// One shape and what follows from it.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    relative: [u32; 32],
    mask: u32,
    bytes: u8,
    built: bool,
    load: Wavefronts,
    store: Wavefronts,
    /// By the first active lane's word in its sector.
    sectors: [u16; 8],
    runs: Vec<Run>,
    readers: Vec<u32>,
    owners: Vec<u32>,
    /// Of accesses of one word a lane: which of the words touched each lane has.
    positions: [u8; 32],
    /// No word is touched by two lanes.
    pub(super) exclusive: bool,
}

/// Neighbouring words and, for each, the lanes that touch it and which lane it is if it is one.
#[derive(Clone, Copy)]
pub(super) struct Words<'a> {
    /// Bytes from the first active lane's address, wrapping.
    pub(super) start: u32,
    pub(super) readers: &'a [u32],
    pub(super) owners: &'a [u32],
}

impl Words<'_> {
    /// A part of the run.
    pub(super) fn part(&self, from: usize, count: usize) -> Self {
        Self {
            start: self.start,
            readers: &self.readers[from..from + count],
            owners: &self.owners[from..from + count],
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

impl Pattern {
    fn empty() -> Self {
        Self {
            relative: [0; 32],
            mask: 0,
            bytes: 0,
            built: false,
            load: Wavefronts::default(),
            store: Wavefronts::default(),
            sectors: [0; 8],
            runs: Vec::new(),
            readers: Vec::new(),
            owners: Vec::new(),
            positions: [0; 32],
            exclusive: true,
        }
    }

    #[cold]
    fn build(&mut self) {
        self.built = true;
        self.load = traffic::wavefronts(Flow::Load, &self.relative, self.mask, self.bytes);
        self.store = traffic::wavefronts(Flow::Store, &self.relative, self.mask, self.bytes);
        self.sectors = [0; 8];
        let mut words: Vec<(i32, u32)> = Vec::new();
        for lane in lanes(self.mask) {
            for part in 0..i32::from(self.bytes / 4) {
                words.push(((self.relative[lane] as i32 >> 2) + part, 1 << lane));
            }
        }
        words.sort_unstable();
        self.runs.clear();
        self.readers.clear();
        self.exclusive = true;
        let mut last = i32::MIN;
        for (word, lane) in words {
            if word == last {
                if let Some(readers) = self.readers.last_mut() {
                    *readers |= lane;
                    self.positions[lane.trailing_zeros() as usize] = self.readers.len() as u8 - 1;
                }
                self.exclusive = false;
                continue;
            }
            let at = self.readers.len();
            self.positions[lane.trailing_zeros() as usize] = at as u8;
            if last == i32::MIN || word != last + 1 {
                self.runs.push(Run { start: (word as u32) << 2, first: at, end: at });
            }
            self.readers.push(lane);
            if let Some(run) = self.runs.last_mut() {
                run.end = at + 1;
            }
            last = word;
        }
        let owner =
            |readers: &u32| if readers.is_power_of_two() { readers.trailing_zeros() } else { SEVERAL };
        self.owners = self.readers.iter().map(owner).collect();
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
    pub(super) fn runs(&self) -> impl Iterator<Item = Words<'_>> {
        self.runs.iter().map(|run| Words {
            start: run.start,
            readers: &self.readers[run.first..run.end],
            owners: &self.owners[run.first..run.end],
        })
    }

    /// Gives each lane its word of `data`, where the first active lane's begins at `first`; other lanes keep what they have.
    /// Only for accesses of one word a lane, all of which lie in `data`.
    #[inline(always)]
    pub(super) fn gather(&self, data: &[u8], first: usize, out: &mut [u32; 32]) {
        let mut words = [0u32; 32];
        for run in &self.runs {
            let start = first.wrapping_add_signed(run.start as i32 as isize);
            let bytes = data.get(start..).unwrap_or_default().chunks_exact(4);
            if let Some(words) = words.get_mut(run.first..run.end) {
                for (word, bytes) in words.iter_mut().zip(bytes) {
                    *word = bytes.first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes));
                }
            }
        }
        for lane in 0..32 {
            let word = words[usize::from(self.positions[lane] & 31)];
            out[lane] = if self.mask >> lane & 1 == 1 { word } else { out[lane] };
        }
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

/// The shapes seen.
#[derive(Debug, Default)]
pub(super) struct Patterns {
    table: Vec<Pattern>,
}

impl Patterns {
    pub(super) fn new() -> Self {
        Self { table: vec![Pattern::empty(); TABLE] }
    }

    /// The shape of an access of whole words, if it was seen lately.
    #[inline(always)]
    pub(super) fn find(&mut self, relative: &[u32; 32], mask: u32, bytes: u8) -> Option<&mut Pattern> {
        if bytes < 4 {
            return None;
        }
        let mix =
            relative[1] ^ relative[31].rotate_left(9) ^ relative[16].rotate_left(17) ^ mask.rotate_left(5);
        let slot = (mix.wrapping_mul(0x9e37_79b1) >> 24) as usize ^ usize::from(bytes);
        let pattern = &mut self.table[slot % TABLE];
        if pattern.mask == mask && pattern.bytes == bytes && pattern.relative == *relative {
            if !pattern.built {
                pattern.build();
            }
            return Some(pattern);
        }
        pattern.relative = *relative;
        pattern.mask = mask;
        pattern.bytes = bytes;
        pattern.built = false;
        None
    }
}
