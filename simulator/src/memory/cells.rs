//! What race cells remember, and how little of memory that takes: stripes that exist
//! once something needs them.
//!
//! A stripe holds one value of every cell of a stretch of memory, so that full-warp accesses are vector
//! operations. Most words are only read, or only written, and by one thread. So each group of stripes is made
//! when the first access of its kind comes, for all cells of the stretch:
//!
//! | group | made by | bytes a cell |
//! |---|---|--:|
//! | writes | a plain write | 8 |
//! | reads | a plain read | 8 |
//! | lanes of reads | a cell that several lanes of a warp read | 4 |
//! | second reads | a second reader whom the first read does not stand for | 12 |
//! | strong writes, strong reads | an atomic, a volatile or relaxed access | 9 each |
//!
//! A cell is a word until something narrower comes, then a byte: 50 bytes for each byte of data with every
//! group, beside the list of more readers of [`super::shadow`]. Nothing here decides what races.

use super::{Site, touched::TouchedRun};

/// Cells for a stretch of memory.
#[derive(Clone, Debug)]
pub(crate) struct Cells {
    /// One cell per byte instead of per word.
    bytes: bool,
    /// There were reads.
    read: bool,
    /// Reads have a stripe of lanes; else they are by one thread each.
    masks: bool,
    /// There were strong accesses.
    strong: bool,
    count: u32,
    /// No plain write has a later stamp; it may be one that has been written over.
    last_write: u32,
    /// Stamps; threads and sites.
    writes: Box<[u32]>,
    /// Stamps; threads and sites, or warps and sites where lanes are apart; lanes. Counts
    /// only if there were reads.
    reads: Box<[u32]>,
    rest: Option<Box<Rest>>,
}

/// What few cells have.
#[derive(Clone, Debug, Default)]
struct Rest {
    /// Stamps; warps and sites; lanes.
    others: Box<[u32]>,
    strong_writes: Strongs,
    strong_reads: Strongs,
    more_reads: MoreReads,
}

/// Plain reads beyond the two that a cell has room for, where every reader counts.
#[derive(Clone, Debug, Default)]
struct MoreReads {
    /// By cell, which list, from 1 on; 0 for none. Empty until there is one.
    of_cell: Box<[u32]>,
    lists: Vec<Vec<CellRead>>,
    /// Lists that no cell has.
    free: Vec<u32>,
}

impl MoreReads {
    fn of(&self, cell: usize) -> &[CellRead] {
        match self.of_cell.get(cell) {
            None | Some(0) => &[],
            Some(&list) => &self.lists[list as usize - 1],
        }
    }

    fn of_mut(&mut self, count: usize, cell: usize) -> &mut Vec<CellRead> {
        if self.of_cell.is_empty() {
            self.of_cell = zeros(count);
        }
        let list = &mut self.of_cell[cell];
        if *list == 0 {
            *list = self.free.pop().unwrap_or_else(|| {
                self.lists.push(Vec::new());
                self.lists.len() as u32
            });
        }
        &mut self.lists[*list as usize - 1]
    }

    fn forget(&mut self, cell: usize) {
        if let Some(list) = self.of_cell.get_mut(cell)
            && *list != 0
        {
            self.lists[*list as usize - 1].clear();
            self.free.push(std::mem::take(list));
        }
    }

    fn clear(&mut self) {
        if self.free.len() < self.lists.len() {
            *self = Self::default();
        }
    }

    /// The same where every cell has become four.
    fn split(&self) -> Self {
        let mut split = Self::default();
        for cell in (0..self.of_cell.len()).filter(|&cell| !self.of(cell).is_empty()) {
            for byte in 0..4 {
                *split.of_mut(4 * self.of_cell.len(), 4 * cell + byte) = self.of(cell).to_vec();
            }
        }
        split
    }

    /// Bytes allocated.
    fn bytes(&self) -> usize {
        let lists: usize = self.lists.iter().map(|list| list.capacity() * size_of::<CellRead>()).sum();
        size_of_val(&*self.of_cell)
            + self.lists.capacity() * size_of::<Vec<CellRead>>()
            + self.free.capacity() * size_of::<u32>()
            + lists
    }
}

/// A plain read by lanes of a warp.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CellRead {
    pub(super) stamp: u32,
    /// Warp and site.
    pub(super) by: u32,
    pub(super) lanes: u32,
}

/// A strong access.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct StrongSlot {
    pub(super) stamp: u32,
    /// Thread and site.
    pub(super) by: u32,
    pub(super) kind: StrongKind,
}

/// What kind of strong access.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct StrongKind {
    /// Scope reaches only its block.
    pub(super) near: bool,
    /// Scope reaches only its cluster.
    pub(super) cluster: bool,
    /// A volatile load or store, not an atomic.
    pub(super) volatile: bool,
    /// The same thread has read it before at the same site, or all lanes that read
    /// with it read the same place.
    pub(super) polled: bool,
    /// An atomic.
    pub(super) atomic: bool,
    /// An atomic on two halves, each of which is an operation by itself.
    pub(super) halves: bool,
    /// Its width.
    pub(super) bytes: u8,
}

impl StrongKind {
    /// An atomic and an atomic, or a relaxed or volatile access, that are not atomic to each other.
    pub(super) fn is_other_width_than(self, other: Self) -> bool {
        let differ = self.bytes != other.bytes || self.halves != other.halves;
        (self.atomic || other.atomic) && differ && self.bytes.min(other.bytes) >= 4
    }

    fn packed(self) -> u8 {
        // What is volatile is so for all: both at once stand for the cluster's scope.
        let flags = [self.near || self.cluster, self.volatile || self.cluster, self.polled, self.atomic];
        let bits = (0..4).fold(0, |bits, at| bits | u8::from(flags[at]) << at);
        bits | (self.bytes.trailing_zeros() as u8) << 4 | u8::from(self.halves) << 7
    }

    fn unpacked(bits: u8) -> Self {
        let flag = |at: u32| bits >> at & 1 == 1;
        let bytes = 1 << (bits >> 4 & 7);
        let cluster = flag(0) && flag(1);
        Self {
            near: flag(0) && !cluster,
            cluster,
            volatile: flag(1) && !cluster,
            polled: flag(2),
            atomic: flag(3),
            halves: flag(7),
            bytes,
        }
    }
}

/// Strong accesses of one kind, by cell; empty until there is one. Counts only if there were
/// any since the last restart.
#[derive(Clone, Debug, Default)]
struct Strongs {
    /// Stamps; threads and sites.
    stripes: Box<[u32]>,
    kinds: Box<[u8]>,
}

impl Strongs {
    fn get(&self, cell: usize) -> StrongSlot {
        let count = self.kinds.len();
        match self.kinds.get(cell) {
            Some(&kind) => StrongSlot {
                stamp: self.stripes[cell],
                by: self.stripes[count + cell],
                kind: StrongKind::unpacked(kind),
            },
            None => StrongSlot::default(),
        }
    }

    fn set(&mut self, count: usize, cell: usize, slot: StrongSlot) {
        if self.kinds.is_empty() {
            self.stripes = zeros(2 * count);
            self.kinds = vec![0; count].into();
        }
        self.stripes[cell] = slot.stamp;
        self.stripes[count + cell] = slot.by;
        self.kinds[cell] = slot.kind.packed();
    }

    fn bytes(&self) -> usize {
        size_of_val(&*self.stripes) + size_of_val(&*self.kinds)
    }
}

/// What stands in for stripes that are not there: an access touches at most 128 neighbouring words.
static NOTHING: [u32; 128] = [0; 128];

/// Untouched cells are passed over this many at a time.
const SKIPPED_CELLS: usize = 16;

/// Thread or warp (10 bits) and site (22 bits).
pub(crate) const SITE_BITS: u32 = 22;

pub(super) fn pack(thread: u16, site: Site) -> u32 {
    u32::from(thread) << SITE_BITS | site.0.min(Site::LIMIT)
}

pub(super) fn unpack(by: u32) -> (u16, Site) {
    ((by >> SITE_BITS) as u16, Site(by & ((1 << SITE_BITS) - 1)))
}

fn zeros(count: usize) -> Box<[u32]> {
    vec![0; count].into()
}

/// Every value four times.
fn fourfold<T: Copy>(values: &[T]) -> Box<[T]> {
    values.iter().flat_map(|&value| [value; 4]).collect()
}

impl Cells {
    /// Cells for so many words, all untouched.
    pub(crate) fn new(words: usize) -> Self {
        Self {
            bytes: false,
            read: false,
            masks: false,
            strong: false,
            count: words as u32,
            last_write: 0,
            writes: Box::default(),
            reads: Box::default(),
            rest: None,
        }
    }

    /// Forgets everything; what was allocated is used again.
    pub(crate) fn clear(&mut self) {
        self.restart();
        self.last_write = 0;
        self.writes.fill(0);
        self.reads.fill(0);
        if let Some(rest) = &mut self.rest {
            rest.others.fill(0);
            rest.more_reads.clear();
        }
    }

    /// For another stretch, or another block, to which all stamps so far are in the past. What cells do from
    /// now on must not depend on who had them before: which block that was may be chance.
    #[inline]
    pub(crate) fn restart(&mut self) {
        (self.read, self.masks, self.strong) = (false, false, false);
        if self.bytes {
            *self = Self::new(self.count as usize / 4);
        }
    }

    /// Bytes allocated.
    pub(crate) fn heap_bytes(&self) -> usize {
        let rest = self.rest.as_ref().map_or(0, |rest| {
            size_of::<Rest>()
                + size_of_val(&*rest.others)
                + rest.strong_writes.bytes()
                + rest.strong_reads.bytes()
                + rest.more_reads.bytes()
        });
        size_of_val(&*self.writes) + size_of_val(&*self.reads) + rest
    }

    /// True if cells are bytes.
    pub(crate) fn by_bytes(&self) -> bool {
        self.bytes
    }

    /// True if there was a plain read.
    #[inline(always)]
    pub(super) fn has_reads(&self) -> bool {
        self.read
    }

    /// True if there was a strong access.
    #[inline(always)]
    pub(super) fn has_strong(&self) -> bool {
        self.strong
    }

    /// From words to bytes; each byte inherits its word's past.
    #[cold]
    pub(super) fn split(&mut self) {
        self.writes = fourfold(&self.writes);
        self.reads = fourfold(&self.reads);
        if let Some(rest) = &mut self.rest {
            rest.others = fourfold(&rest.others);
            for strongs in [&mut rest.strong_writes, &mut rest.strong_reads] {
                strongs.stripes = fourfold(&strongs.stripes);
                strongs.kinds = fourfold(&strongs.kinds);
            }
            rest.more_reads = rest.more_reads.split();
        }
        self.count *= 4;
        self.bytes = true;
    }

    fn rest(&mut self) -> &mut Rest {
        self.rest.get_or_insert_default()
    }

    // One cell at a time.

    /// The last plain write: stamp; thread and site.
    #[inline]
    pub(super) fn write_of(&self, cell: usize) -> (u32, u32) {
        match self.writes.get(cell) {
            Some(&stamp) => (stamp, self.writes[self.count as usize + cell]),
            None => (0, 0),
        }
    }

    pub(super) fn set_write(&mut self, cell: usize, stamp: u32, by: u32) {
        self.make_writes();
        self.note_write(stamp);
        self.writes[cell] = stamp;
        self.writes[self.count as usize + cell] = by;
    }

    /// The plain read in the first slot.
    #[inline]
    pub(super) fn read_of(&self, cell: usize) -> CellRead {
        let count = self.count as usize;
        if !self.read {
            return CellRead::default();
        }
        let (stamp, by) = (self.reads[cell], self.reads[count + cell]);
        if self.masks {
            return CellRead { stamp, by, lanes: self.reads[2 * count + cell] };
        }
        let (thread, site) = unpack(by);
        CellRead { stamp, by: pack(thread / 32, site), lanes: 1 << (thread % 32) }
    }

    pub(super) fn set_read(&mut self, cell: usize, read: CellRead) {
        let count = self.count as usize;
        let single = read.lanes.is_power_of_two();
        self.make_reads(single);
        if !self.masks && !single {
            self.use_masks();
        }
        self.reads[cell] = read.stamp;
        self.reads[count + cell] = read.by;
        if self.masks {
            self.reads[2 * count + cell] = read.lanes;
        } else {
            let (warp, site) = unpack(read.by);
            self.reads[count + cell] = pack(warp * 32 + read.lanes.trailing_zeros() as u16, site);
        }
    }

    /// The plain read in the second slot.
    #[inline]
    pub(super) fn other_of(&self, cell: usize) -> CellRead {
        let (count, others) = (self.count as usize, self.others());
        let Some(&stamp) = others.get(cell) else { return CellRead::default() };
        CellRead { stamp, by: others[count + cell], lanes: others[2 * count + cell] }
    }

    pub(super) fn set_other(&mut self, cell: usize, read: CellRead) {
        let count = self.count as usize;
        self.make_others();
        let others = &mut self.rest().others;
        others[cell] = read.stamp;
        others[count + cell] = read.by;
        others[2 * count + cell] = read.lanes;
    }

    pub(super) fn strong_write_of(&self, cell: usize) -> StrongSlot {
        let rest = self.rest.as_ref().filter(|_| self.strong);
        rest.map_or(StrongSlot::default(), |rest| rest.strong_writes.get(cell))
    }

    pub(super) fn strong_read_of(&self, cell: usize) -> StrongSlot {
        let rest = self.rest.as_ref().filter(|_| self.strong);
        rest.map_or(StrongSlot::default(), |rest| rest.strong_reads.get(cell))
    }

    /// Room for strong accesses. The first one since the last restart wipes what is left of earlier ones.
    fn strongs(&mut self) -> &mut Rest {
        let first = !std::mem::replace(&mut self.strong, true);
        let rest = self.rest();
        if first {
            for strongs in [&mut rest.strong_writes, &mut rest.strong_reads] {
                strongs.stripes.fill(0);
            }
        }
        rest
    }

    pub(super) fn set_strong_write(&mut self, cell: usize, slot: StrongSlot) {
        let count = self.count as usize;
        self.strongs().strong_writes.set(count, cell, slot);
    }

    pub(super) fn set_strong_read(&mut self, cell: usize, slot: StrongSlot) {
        let count = self.count as usize;
        self.strongs().strong_reads.set(count, cell, slot);
    }

    /// Plain reads beyond the two slots.
    pub(super) fn more_reads_of(&self, cell: usize) -> &[CellRead] {
        self.rest.as_ref().map_or(&[], |rest| rest.more_reads.of(cell))
    }

    pub(super) fn more_reads_mut(&mut self, cell: usize) -> &mut Vec<CellRead> {
        let count = self.count as usize;
        self.rest().more_reads.of_mut(count, cell)
    }

    pub(super) fn forget_more_reads(&mut self, cell: usize) {
        if let Some(rest) = &mut self.rest {
            rest.more_reads.forget(cell);
        }
    }

    /// Somebody writes.
    #[inline(always)]
    pub(super) fn note_write(&mut self, stamp: u32) {
        self.last_write = self.last_write.max(stamp);
    }

    /// True if no plain read can race with what was done here so far, if stamps up to `dead` need no look.
    /// Asynchronous copies make it false for good.
    #[inline(always)]
    pub(super) fn reads_are_safe(&self, dead: u32) -> bool {
        self.last_write <= dead && !self.strong
    }

    /// False if nothing was written here after a stamp.
    #[inline]
    pub(super) fn written_since(&self, stamp: u32) -> bool {
        self.last_write > stamp || self.strong
    }

    /// The last plain and the last strong write of a cell: stamp, thread and site, whether it was an atomic.
    pub(super) fn writers(&self, cell: usize) -> [(u32, u32, bool); 2] {
        let ((stamp, by), strong) = (self.write_of(cell), self.strong_write_of(cell));
        [(stamp, by, false), (strong.stamp, strong.by, strong.kind.atomic)]
    }

    /// How many reads may wait to be put down here: more would take more memory than the cells.
    #[inline(always)]
    pub(super) fn most_deferred(&self) -> usize {
        (self.count as usize).clamp(128, 2048)
    }

    /// The stamps of last writes; empty if there are none.
    pub(crate) fn write_stamps(&self) -> &[u32] {
        &self.writes[..self.writes.len() / 2]
    }

    // Making stripes.

    fn others(&self) -> &[u32] {
        self.rest.as_ref().map_or(&[], |rest| &rest.others)
    }

    #[inline(always)]
    pub(super) fn make_writes(&mut self) {
        if self.writes.is_empty() {
            self.writes = zeros(2 * self.count as usize);
        }
    }

    /// Room for reads. `single`: the first one is by single lanes.
    #[inline(always)]
    pub(super) fn make_reads(&mut self, single: bool) {
        if !self.read {
            self.first_read(single);
        }
    }

    #[inline(always)]
    pub(super) fn make_others(&mut self) {
        if self.others().is_empty() {
            let count = 3 * self.count as usize;
            self.rest().others = zeros(count);
        }
    }

    #[inline(never)]
    fn first_read(&mut self, single: bool) {
        let size = if single { 2 } else { 3 } * self.count as usize;
        if self.reads.len() < size {
            self.reads = zeros(size);
        }
        self.masks = !single;
        self.read = true;
    }

    /// True if several lanes can be named as a cell's readers.
    #[inline(always)]
    pub(super) fn has_masks(&self) -> bool {
        self.masks
    }

    /// From readers that are threads to lanes of warps.
    #[cold]
    #[inline(never)]
    pub(super) fn use_masks(&mut self) {
        let count = self.count as usize;
        if self.reads.len() < 3 * count {
            let mut wider = zeros(3 * count);
            wider[..2 * count].copy_from_slice(&self.reads);
            self.reads = wider;
        }
        for cell in 0..count {
            let read = self.read_of(cell);
            self.reads[count + cell] = read.by;
            self.reads[2 * count + cell] = read.lanes;
        }
        self.masks = true;
    }

    // Runs of cells.

    /// Of a run, the stamps and writers of the last writes.
    #[inline(always)]
    pub(super) fn writes_run(&self, first: usize, n: usize) -> [&[u32]; 2] {
        if self.writes.is_empty() {
            return [&NOTHING[..n]; 2];
        }
        let (stamps, by) = self.writes.split_at(self.count as usize);
        [&stamps[first..first + n], &by[first..first + n]]
    }

    /// The same to change; there must be room.
    #[inline(always)]
    pub(super) fn writes_run_mut(&mut self, first: usize, n: usize) -> [&mut [u32]; 2] {
        let (stamps, by) = self.writes.split_at_mut(self.count as usize);
        [&mut stamps[first..first + n], &mut by[first..first + n]]
    }

    /// Of a run, the stamps, readers and lanes of the last reads. Without masks the lanes mean nothing.
    #[inline(always)]
    pub(super) fn reads_run(&self, first: usize, n: usize) -> [&[u32]; 3] {
        if !self.read {
            return [&NOTHING[..n]; 3];
        }
        let (stamps, rest) = self.reads.split_at(self.count as usize);
        let (by, lanes) = rest.split_at(self.count as usize);
        let lanes = if self.masks { &lanes[first..first + n] } else { &NOTHING[..n] };
        [&stamps[first..first + n], &by[first..first + n], lanes]
    }

    /// The same to change; there must be room. Without masks there are no lanes.
    #[inline(always)]
    pub(super) fn reads_run_mut(&mut self, first: usize, n: usize) -> [&mut [u32]; 3] {
        reads_run_of(&mut self.reads, self.count as usize, self.masks, first, n)
    }

    /// The stamps of the second reads of a run.
    #[inline(always)]
    pub(super) fn other_stamps_run(&self, first: usize, n: usize) -> &[u32] {
        match self.others() {
            [] => &NOTHING[..n],
            others => &others[first..first + n],
        }
    }

    /// Of a run, first and second reads to change; there must be room for both.
    #[inline(always)]
    pub(super) fn both_reads_run_mut(
        &mut self,
        first: usize,
        n: usize,
    ) -> ([&mut [u32]; 3], [&mut [u32]; 3]) {
        let count = self.count as usize;
        let others = self.rest.as_mut().map_or(&mut [][..], |rest| &mut rest.others);
        (
            reads_run_of(&mut self.reads, count, self.masks, first, n),
            reads_run_of(others, count, true, first, n),
        )
    }

    /// Which cells were touched after a stamp by plain accesses, and by whom: runs of cells.
    pub(crate) fn touched_since(&self, start: u32, runs: &mut Vec<TouchedRun>) {
        let count = self.count as usize;
        if !self.writes.is_empty() {
            let (stamps, by) = self.writes.split_at(count);
            touched(stamps, start, runs, true, |cell| by[cell]);
        }
        if self.read {
            let (stamps, rest) = self.reads.split_at(count);
            let (by, lanes) = rest.split_at(count);
            if self.masks {
                touched(stamps, start, runs, false, |cell| {
                    let (warp, site) = unpack(by[cell]);
                    pack(warp * 32 + lanes[cell].trailing_zeros() as u16, site)
                });
            } else {
                touched(stamps, start, runs, false, |cell| by[cell]);
            }
        }
    }
}

#[inline(always)]
fn reads_run_of(stripes: &mut [u32], count: usize, masks: bool, first: usize, n: usize) -> [&mut [u32]; 3] {
    let (stamps, rest) = stripes.split_at_mut(count);
    let (by, lanes) = rest.split_at_mut(count);
    let lanes = if masks { &mut lanes[first..first + n] } else { &mut [] };
    [&mut stamps[first..first + n], &mut by[first..first + n], lanes]
}

#[inline(always)]
fn touched(stamps: &[u32], start: u32, runs: &mut Vec<TouchedRun>, writes: bool, by: impl Fn(usize) -> u32) {
    let begin = runs.len();
    for (at, stamps) in stamps.chunks(SKIPPED_CELLS).enumerate() {
        // Most of a page is untouched, which vectors see many cells at a time.
        if !stamps.iter().fold(false, |any, &stamp| any | (stamp > start)) {
            continue;
        }
        for (cell, &stamp) in stamps.iter().enumerate() {
            if stamp > start {
                let cell = SKIPPED_CELLS * at + cell;
                TouchedRun::add(runs, begin, cell, writes, by(cell));
            }
        }
    }
}
