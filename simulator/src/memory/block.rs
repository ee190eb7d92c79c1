//! One running block's memory: shared, local, its clocks, and its way to global memory.

mod asynchronous;
mod atomic;
mod barrier;
mod bulk;
mod cluster;
mod flag;
mod global;
mod mbarrier;
mod read_only;
mod shared;

use std::sync::Arc;

use crate::{
    finding::Space,
    findings::{Action, Findings},
    footprint::Footprint,
    ir::{FenceKind, Order, Scope},
};

pub use bulk::BulkCopy;
pub use cluster::Brought;
pub(super) use cluster::Visit;
pub(super) use flag::Observed;

use barrier::Arrivals;

use super::{
    Access, Global, GlobalMemory, LaneWords, Outcome, SharedLayout,
    cluster::{owner, within},
    flags::Flags,
    lanes,
    local::{LocalMemory, Owner},
    order::BlockOrder,
    overlay::Overlay,
    pattern::{Patterns, Tag},
    resolve::{self, Resolved, Spaces},
    shadow::Conflict,
    shared::SharedMemory,
    speculation::{Attendance, Replay},
    time::Time,
    touched::Touched,
    worst::WorstRequests,
    written::Written,
};

/// The memory of one running block. Can be used for one block after another.
#[derive(Debug)]
pub struct BlockMemory {
    /// What was found so far.
    pub findings: Findings,
    pub(super) block: u32,
    threads: u32,
    pub(super) shared: SharedMemory,
    pub(super) local: Vec<LocalMemory>,
    /// Bytes of the elements of the access that is being made; 0 where that is not known. For reports.
    pub element: u8,
    pub(super) overlay: Overlay,
    /// Of blocks that run in parallel; interleaved ones use the launch's.
    time: Time,
    pub(super) order: BlockOrder,
    arrivals: Arrivals,
    pub(super) conflicts: Vec<Conflict>,
    pub(super) signals: Signals,
    pub(super) attendance: Attendance,
    changes: u64,
    patterns: Patterns,
    /// What the block has asked of memory.
    pub tally: Tally,
}

/// What threads of a block tell each other by strong accesses, for reports.
#[derive(Debug)]
pub(super) struct Signals {
    /// Flags in shared memory that they set.
    pub(super) set: Flags,
    /// Locations of any space that they read strongly.
    pub(super) seen: Observed,
}

impl Signals {
    fn new() -> Self {
        Self { set: Flags::default(), seen: Observed::new() }
    }

    fn clear(&mut self) {
        self.set.clear();
        self.seen.clear();
    }
}

/// What is counted for the block, and not for a line of its kernel.
#[derive(Debug, Default)]
pub struct Tally {
    /// Sectors that its global loads and atomics have moved.
    pub load_sectors: u64,
    /// Its requests with conflicts, where they are to be kept.
    pub worst: Option<Box<WorstRequests>>,
}

/// The clock that counts for a block.
#[inline(always)]
fn clock<'a>(own: &'a mut Time, global: &'a mut Global<'_>, block: u32) -> &'a mut Time {
    match global {
        Global::Direct(memory) => {
            memory.time.resume(block);
            &mut memory.time
        }
        Global::Overlay(_) => own,
    }
}

impl BlockMemory {
    /// Memory for blocks of `threads` threads. `orders_parts`: something may order some of them and not the
    /// others, so that it matters who of many has read.
    pub fn new(layout: Arc<SharedLayout>, threads: u32, orders_parts: bool) -> Self {
        Self {
            findings: Findings::new(),
            block: 0,
            threads,
            shared: SharedMemory::new(layout),
            local: vec![LocalMemory::default(); threads.div_ceil(32) as usize],
            element: 0,
            overlay: Overlay::default(),
            time: Time::new(false),
            order: BlockOrder::new(threads, orders_parts),
            arrivals: Arrivals::default(),
            conflicts: Vec::new(),
            signals: Signals::new(),
            attendance: Attendance::default(),
            changes: 0,
            patterns: Patterns::default(),
            tally: Tally::default(),
        }
    }

    /// The same in a replay.
    pub fn replaying(self, replay: Option<Arc<Replay>>) -> Self {
        Self { attendance: Attendance::of(replay), ..self }
    }

    /// The same where the requests with conflicts are kept, or not.
    pub fn keeping_worst(self, keeps: bool) -> Self {
        Self { tally: Tally { worst: keeps.then(Box::default), ..self.tally }, ..self }
    }

    /// The same where each thread's local variables lie from here on.
    pub fn with_local_from(mut self, start: u32) -> Self {
        self.local.iter_mut().for_each(|memory| memory.begin_at(start));
        self
    }

    /// Where the memory of a warp's first lane begins in the local window.
    #[inline]
    pub fn local_start(&self, warp: u32) -> u64 {
        self.local[warp as usize].start_of(0)
    }

    /// The lanes of the last plain load whose values a replay has marked.
    pub(crate) fn marked(&self) -> u32 {
        self.attendance.marked
    }

    /// The clock that counts.
    pub(super) fn clock_of<'a>(&'a mut self, global: &'a mut Global<'_>) -> &'a mut Time {
        clock(&mut self.time, global, self.block)
    }

    /// Bytes that it takes for shared memory and for what it knows of memory: data, shadow.
    /// Local memory is not among it.
    pub(crate) fn footprint(&self) -> Footprint {
        Footprint {
            data_bytes: self.shared.data_bytes(),
            shadow_bytes: (self.shared.shadow_bytes() + self.overlay.heap_bytes()) as u64,
        }
    }

    /// Ends a block that ran through an overlay: what it did is put down to be compared with what others
    /// did, and to be published.
    pub fn leave_overlay(&mut self, touched: &mut Touched, written: &mut Written) {
        touched.begin(self.block);
        written.begin(self.block);
        for page in self.overlay.touched() {
            touched.add(page, self.time.floor);
            written.add(page);
        }
        self.overlay.clear();
    }

    /// Starts a block: shared and local memory are uninitialised, nothing is known about other blocks.
    pub fn begin(&mut self, global: &mut Global<'_>, block: u32) {
        self.block = block;
        self.tally.load_sectors = 0;
        self.attendance.begin();
        self.shared.begin(block);
        self.arrivals.clear();
        for (warp, memory) in self.local.iter_mut().enumerate() {
            memory.begin(Owner::new(block, 32 * warp as u32));
        }
        self.overlay.clear();
        if self.order.copies.clear() {
            self.shared.clear_cells();
        }
        self.order.outgoing.clear();
        self.signals.clear();
        match global {
            Global::Overlay(_) => {
                self.patterns.begin();
                if self.time.begin() {
                    self.overlay.forget_stamps();
                    self.shared.clear_cells();
                }
            }
            // Another launch's time may be behind the stamps that are left here.
            Global::Direct(_) => self.shared.clear_cells(),
        }
        let time = clock(&mut self.time, global, block);
        time.resume(block);
        self.order.begin(block, time.now);
        self.shared.begun = time.now;
        time.tick();
    }

    /// Ends a block that others took turns with, and lets go of what its threads knew.
    pub fn end(&mut self) {
        self.order.end();
    }

    /// Every read is put down at once: what the tests compare with.
    #[cfg(test)]
    pub(super) fn put_nothing_off(&mut self) {
        self.shared.deferred.off = true;
        self.overlay.lists_nothing = true;
    }

    /// How many rows of global memory are listed.
    #[cfg(test)]
    pub(super) fn rows_listed(&self) -> usize {
        self.overlay.touched().iter().map(|page| page.first.count()).sum()
    }

    /// How many reads wait to be put down.
    #[cfg(test)]
    pub(super) fn reads_put_off(&self) -> usize {
        self.shared.deferred.count()
    }

    /// Shapes of accesses that other blocks have left, in exchange for this one's. A thousand blocks that
    /// take turns need not each find out the same.
    pub fn swap_patterns(&mut self, patterns: &mut Patterns) {
        std::mem::swap(&mut self.patterns, patterns);
    }

    /// How many stores and atomics to shared memory, and stores to the overlay, have changed a value
    /// since this memory was made.
    pub fn changes(&self) -> u64 {
        self.changes
    }

    /// Threads in the block.
    pub fn threads(&self) -> u32 {
        self.threads
    }

    /// Opens a frame of local memory in each lane, for a function with `depth` calls above it, and gives
    /// the lanes' addresses in their local memory, or the
    /// lanes whose stack is full.
    pub fn push_local(
        &mut self,
        warp: u16,
        mask: u32,
        bytes: u32,
        alignment: u32,
        depth: u32,
    ) -> Result<[u64; 32], u32> {
        self.local[usize::from(warp)].push(mask, bytes, alignment, depth)
    }

    /// Closes all frames of a function with `depth` calls above it.
    pub fn pop_local(&mut self, warp: u16, mask: u32, depth: u32) {
        self.local[usize::from(warp)].pop(mask, depth);
    }

    /// Where each lane's newest frame ends.
    pub fn local_tops(&self, warp: u16) -> [u64; 32] {
        std::array::from_fn(|lane| self.local[usize::from(warp)].top(lane).into())
    }

    /// Closes the frames that a function with `depth` calls above it has opened since the lanes'
    /// newest ones ended at `tops`.
    pub fn restore_local(&mut self, warp: u16, mask: u32, depth: u32, tops: &[u64; 32]) {
        self.local[usize::from(warp)].pop_from(mask, depth, |lane| tops[lane]);
    }

    /// One lane's word `word` of local memory, whether a frame holds it or not.
    pub fn local_word(&self, warp: u16, word: u32, lane: usize) -> u32 {
        self.local[usize::from(warp)].word(word, lane)
    }

    /// Hands every word of a warp's local memory to a function, in a fixed order.
    pub fn each_local_word(&self, warp: u16, with: &mut impl FnMut(u64)) {
        self.local[usize::from(warp)].each_word(with);
    }

    /// The four bytes of shared memory at an offset, be it another block's of the cluster.
    pub fn shared_word(&self, global: &GlobalMemory, offset: u32) -> u32 {
        match self.order.tiling().and_then(|tiling| Some((tiling.rank(self.block), owner(offset)?))) {
            Some((own, rank)) if own != rank => global.word_of_peer(rank, within(offset)),
            Some(_) => self.shared.word(within(offset)),
            None => self.shared.word(offset),
        }
    }

    /// `bar.warp.sync` by the lanes of a mask.
    pub fn sync_warp(&mut self, global: &mut Global<'_>, warp: u16, mask: u32) {
        self.settle_reads(global);
        self.order.sync_warp(clock(&mut self.time, global, self.block), warp, mask);
    }

    /// A fence (`membar`, `fence.acq_rel`, `fence.sc`) by some lanes of a warp.
    pub fn fence(&mut self, global: &mut Global<'_>, warp: u16, mask: u32, scope: Scope, kind: FenceKind) {
        self.settle_reads(global);
        self.order.fence(clock(&mut self.time, global, self.block), warp, mask, scope, kind);
    }

    /// A load. Words of lanes outside the mask and of faulted lanes are left alone; poison bits of loaded
    /// lanes are set or cleared.
    #[inline(always)]
    pub fn load(&mut self, global: &mut Global<'_>, access: &Access, out: &mut LaneWords) -> Outcome {
        let words = usize::from(access.bytes).div_ceil(4);
        for poison in &mut out.poison[..words] {
            *poison &= !access.mask;
        }
        if out.bits.is_some() {
            out.bits = None;
        }
        if access.order != Order::Weak {
            self.settle_reads(global);
        }
        if !self.order.outgoing.is_empty() {
            self.check_outgoing(global, access, Action::Read);
        }
        let mut outcome = Outcome::default();
        let spaces = Spaces::of(access);
        if spaces.shared != 0 {
            self.load_shared(global, access, spaces.shared, out, &mut outcome);
        }
        if spaces.global != 0 {
            self.load_global(global, access, spaces.global, out, &mut outcome);
        }
        if spaces.local != 0 {
            let memory = &self.local[usize::from(access.warp)];
            let (offsets, resolved, left) = resolve::local(memory, access, spaces.local, Action::Read);
            for lane in lanes(resolved.good()) {
                memory.load(lane, offsets[lane], access.bytes, out);
            }
            lanes(left).for_each(|lane| out.set_undefined(0, lane, 0xff));
            outcome.traffic.local_requests = u16::from(resolved.good() != 0);
            self.check(global.get(), access, &resolved, Action::Read, &mut outcome);
        }
        if self.attendance.looks() {
            self.attend_load(global, access, out);
        }
        outcome
    }

    /// A store. Bytes with undefined bits stay uninitialised. Where lanes of one instruction write the same
    /// bytes, the highest lane wins.
    #[inline(always)]
    pub fn store(&mut self, global: &mut Global<'_>, access: &Access, value: &LaneWords) -> Outcome {
        if self.attendance.looks() {
            self.attend_write(global, access, Action::Write);
        }
        if access.order != Order::Weak {
            self.settle_reads(global);
        }
        if !self.order.outgoing.is_empty() {
            self.check_outgoing(global, access, Action::Write);
        }
        let mut outcome = Outcome::default();
        let spaces = Spaces::of(access);
        if spaces.shared != 0 {
            self.store_shared(global, access, spaces.shared, value, &mut outcome);
        }
        if spaces.global != 0 {
            if self.order.copies.any_reading() {
                self.check_sources(global, access, spaces.global, Action::Write);
            }
            self.store_global(global, access, spaces.global, value, &mut outcome);
        }
        if spaces.local != 0 {
            let memory = &self.local[usize::from(access.warp)];
            let (offsets, resolved, _) = resolve::local(memory, access, spaces.local, Action::Write);
            for lane in lanes(resolved.good()) {
                self.local[usize::from(access.warp)].store(
                    lane,
                    offsets[lane],
                    access.bytes,
                    value,
                    access.site,
                );
            }
            outcome.traffic.local_requests = u16::from(resolved.good() != 0);
            self.check(global.get(), access, &resolved, Action::Write, &mut outcome);
        }
        outcome
    }

    /// [`BlockMemory::load`] for callers that do not need a copy of their own: the
    /// compiler takes long over each.
    #[inline(never)]
    pub fn load_out_of_line(
        &mut self,
        global: &mut Global<'_>,
        access: &Access,
        out: &mut LaneWords,
    ) -> Outcome {
        self.load(global, access, out)
    }

    /// The same for [`BlockMemory::store`].
    #[inline(never)]
    pub fn store_out_of_line(
        &mut self,
        global: &mut Global<'_>,
        access: &Access,
        value: &LaneWords,
    ) -> Outcome {
        self.store(global, access, value)
    }

    /// Puts down the reads of shared memory that were put off: what comes changes who knows of whom, or looks
    /// at cells of several variables.
    #[inline(always)]
    fn settle_reads(&mut self, global: &mut Global<'_>) {
        if self.shared.deferred.any() {
            let time = clock(&mut self.time, global, self.block);
            self.shared.deferred.settle_all(&mut self.shared.cells, &self.order, time);
        }
    }

    /// The shape of accesses of a word at these addresses, or at others as far from each other, if it
    /// has been seen often enough.
    #[inline(always)]
    pub fn shape(&self, addresses: &[u64; 32], mask: u32) -> Tag {
        // A replay looks at each load.
        if self.attendance.is_replay() {
            return Tag::NONE;
        }
        self.patterns.seen(addresses, mask, 4)
    }

    fn finish_strong(&mut self, global: &mut Global<'_>, access: &Access, space: Space, origin: u64) {
        if !self.conflicts.is_empty() {
            self.report_conflicts(global.get(), access, space, origin);
        }
        self.finish_release(global, access);
    }

    /// What comes after a release must not be taken for part of it.
    fn finish_release(&mut self, global: &mut Global<'_>, access: &Access) {
        if access.order.is_release() {
            clock(&mut self.time, global, self.block).tick();
        }
    }

    #[inline(always)]
    fn check(
        &mut self,
        global: &GlobalMemory,
        access: &Access,
        resolved: &Resolved,
        action: Action,
        outcome: &mut Outcome,
    ) {
        if resolved.bad() != 0 {
            outcome.faulted |= resolved.bad();
            self.report_faults(global, access, resolved, action);
        }
    }

    /// The time of an access made now.
    pub(super) fn now(&self, global: &GlobalMemory) -> u32 {
        if global.time.running == self.block { global.time.now } else { self.time.now }
    }
}
