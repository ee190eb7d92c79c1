//! One running block's memory: shared, local, its clocks, and its way to global memory.

use std::{collections::HashMap, sync::Arc};

use crate::{
    finding::{Kind, Space},
    findings::{Action, Findings, Reason},
    ir::{AddressSpace, AtomicOp, AtomicType, Order, Scope},
};

use super::{
    Access, Global, GlobalMemory, LaneWords, Outcome, SHARED_WINDOW, SharedLayout,
    atomic::apply,
    data::{define_lane, load_lane, load_row, row_start, store_lane},
    flags::{Flag, Flags},
    lanes,
    local::LocalMemory,
    order::{BlockOrder, Knowledge, Release, Time},
    overlay::Overlay,
    resolve::{self, Resolved, Spaces, shared_offsets},
    shadow::{Cells, Conflict, Strong, Watch},
    traffic,
};

/// How many of the locations that a block read strongly are remembered for reports.
const OBSERVED: usize = 64;

/// The memory of one running block. Can be used for one block after another.
#[derive(Debug)]
pub struct BlockMemory {
    /// What was found so far.
    pub findings: Findings,
    pub(super) block: u32,
    threads: u32,
    pub(super) layout: Arc<SharedLayout>,
    shared: Vec<u8>,
    /// Per word of shared memory, which bytes are initialised.
    shared_defined: Vec<u8>,
    /// Race cells by variable, from the word that holds its first byte on.
    shared_cells: Vec<Cells>,
    /// What strong writes to shared memory published, by offset.
    shared_releases: HashMap<u32, Release>,
    pub(super) local: Vec<LocalMemory>,
    pub(super) overlay: Overlay,
    /// Of blocks that run in parallel; interleaved ones use the launch's.
    time: Time,
    order: BlockOrder,
    /// Lanes that have arrived at a barrier without waiting: barrier, warp, lanes, what they bring.
    arrived: Vec<(u8, u16, u32, Knowledge)>,
    pub(super) conflicts: Vec<Conflict>,
    /// Flags in shared memory that this block's threads set, and locations of any space that they read strongly.
    pub(super) flags: Flags,
    pub(super) observed: Vec<u64>,
    changes: u64,
}

/// The clock that counts for a block.
fn clock<'a>(own: &'a mut Time, global: &'a mut Global<'_>, block: u32) -> &'a mut Time {
    match global {
        Global::Direct(memory) => {
            memory.time.resume(block);
            &mut memory.time
        }
        Global::Overlay(_) => own,
    }
}

/// Cells' offsets are relative to the word that holds the variable's first byte.
fn cells_start(layout: &SharedLayout, variable: usize) -> u32 {
    layout.variables[variable].offset & !3
}

impl BlockMemory {
    /// Memory for blocks of `threads` threads.
    pub fn new(layout: Arc<SharedLayout>, threads: u32) -> Self {
        let bytes = layout.arena_bytes as usize;
        let shared_cells = layout
            .variables
            .iter()
            .map(|variable| Cells::new(((variable.offset & 3) + variable.bytes).div_ceil(4) as usize))
            .collect();
        Self {
            findings: Findings::new(),
            block: 0,
            threads,
            shared: vec![0; bytes],
            shared_defined: vec![0; bytes.div_ceil(4)],
            shared_cells,
            shared_releases: HashMap::new(),
            layout,
            local: vec![LocalMemory::default(); threads.div_ceil(32) as usize],
            overlay: Overlay::default(),
            time: Time::new(false),
            order: BlockOrder::new(threads),
            arrived: Vec::new(),
            conflicts: Vec::new(),
            flags: Flags::default(),
            observed: Vec::new(),
            changes: 0,
        }
    }

    /// Starts a block: shared and local memory are uninitialised, nothing is known about other blocks.
    pub fn begin(&mut self, global: &mut Global<'_>, block: u32) {
        self.block = block;
        self.shared_defined.fill(0);
        self.local.iter_mut().for_each(LocalMemory::clear);
        self.overlay.clear();
        self.shared_releases.clear();
        self.arrived.clear();
        self.flags.clear();
        self.observed.clear();
        match global {
            Global::Overlay(_) => {
                if self.time.begin() {
                    self.overlay.forget_stamps();
                    self.shared_cells.iter_mut().for_each(Cells::clear);
                }
            }
            // Another launch's time may be behind the stamps that are left here.
            Global::Direct(_) => self.shared_cells.iter_mut().for_each(Cells::clear),
        }
        let time = clock(&mut self.time, global, block);
        time.resume(block);
        self.order.begin(block, time.now);
        time.tick();
    }

    /// How many stores and atomics to shared memory have changed a value since this memory was made.
    pub fn changes(&self) -> u64 {
        self.changes
    }

    /// Threads in the block.
    pub fn threads(&self) -> u32 {
        self.threads
    }

    /// Opens a frame of local memory in each lane and gives the lanes' addresses in the local window (add
    /// [`super::LOCAL_WINDOW`] for generic ones), or the lanes whose stack is full.
    pub fn push_local(&mut self, warp: u16, mask: u32, bytes: u32, alignment: u32) -> Result<[u64; 32], u32> {
        self.local[usize::from(warp)].push(mask, bytes, alignment)
    }

    /// Closes the newest frame of each lane.
    pub fn pop_local(&mut self, warp: u16, mask: u32) {
        self.local[usize::from(warp)].pop(mask);
    }

    /// All live threads of the block meet at a barrier.
    pub fn barrier(&mut self, global: &mut Global<'_>) {
        self.order.barrier(clock(&mut self.time, global, self.block));
    }

    /// Some lanes arrive at a barrier without waiting (`bar.arrive`). Call when they do.
    pub fn arrive(&mut self, global: &mut Global<'_>, barrier: u8, warp: u16, mask: u32) {
        let knowledge = self.order.arrive(clock(&mut self.time, global, self.block), warp, mask);
        self.arrived.push((barrier, warp, mask, knowledge));
    }

    /// A barrier of a part of the block completes. Participants are given per warp as (warp, lanes that arrived, lanes
    /// among them that waited); those that didn't wait were announced by [`BlockMemory::arrive`].
    pub fn barrier_among(&mut self, global: &mut Global<'_>, barrier: u8, participants: &[(u16, u32, u32)]) {
        let time = clock(&mut self.time, global, self.block);
        let mut brought: Vec<Knowledge> = Vec::new();
        let mut announced = [0u32; 32];
        let order = &mut self.order;
        self.arrived.retain(|(at, warp, mask, knowledge)| {
            let here = *at == barrier;
            if here {
                announced[usize::from(*warp)] |= mask;
                brought.push(knowledge.clone());
            }
            !here
        });
        for &(warp, arrived, _) in participants {
            let now = arrived & !announced[usize::from(warp)];
            if now != 0 {
                brought.push(order.arrive(time, warp, now));
            }
        }
        let waiting: Vec<(u16, u32)> =
            participants.iter().filter(|who| who.2 != 0).map(|&(warp, _, waiting)| (warp, waiting)).collect();
        order.complete(time, &brought.iter().collect::<Vec<_>>(), &waiting);
    }

    /// `bar.warp.sync` by the lanes of a mask.
    pub fn sync_warp(&mut self, global: &mut Global<'_>, warp: u16, mask: u32) {
        self.order.sync_warp(clock(&mut self.time, global, self.block), warp, mask);
    }

    /// A fence (`membar`, `fence.acq_rel`, `fence.sc`) by some lanes of a warp.
    pub fn fence(&mut self, global: &mut Global<'_>, warp: u16, mask: u32, scope: Scope) {
        self.order.fence(clock(&mut self.time, global, self.block), warp, mask, scope);
    }

    /// A load. Words of lanes outside the mask and of faulted lanes are left alone; poison bits of loaded lanes are set
    /// or cleared.
    #[inline]
    pub fn load(&mut self, global: &mut Global<'_>, access: &Access, out: &mut LaneWords) -> Outcome {
        let words = usize::from(access.bytes).div_ceil(4);
        for poison in &mut out.poison[..words] {
            *poison &= !access.mask;
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
            let (offsets, resolved) = resolve::local(memory, access, spaces.local);
            for lane in lanes(resolved.good()) {
                memory.load(lane, offsets[lane], access.bytes, out);
            }
            outcome.traffic.local_requests = u16::from(resolved.good() != 0);
            self.check(global.get(), access, &resolved, Action::Read, &mut outcome);
        }
        outcome
    }

    /// A store. Poisoned words leave the bytes uninitialised. Where lanes of one instruction write the same bytes, the
    /// highest lane wins.
    #[inline]
    pub fn store(&mut self, global: &mut Global<'_>, access: &Access, value: &LaneWords) -> Outcome {
        let mut outcome = Outcome::default();
        let spaces = Spaces::of(access);
        if spaces.shared != 0 {
            self.store_shared(global, access, spaces.shared, value, &mut outcome);
        }
        if spaces.global != 0 {
            self.store_global(global, access, spaces.global, value, &mut outcome);
        }
        if spaces.local != 0 {
            let (offsets, resolved) =
                resolve::local(&self.local[usize::from(access.warp)], access, spaces.local);
            for lane in lanes(resolved.good()) {
                self.local[usize::from(access.warp)].store(lane, offsets[lane], access.bytes, value);
            }
            outcome.traffic.local_requests = u16::from(resolved.good() != 0);
            self.check(global.get(), access, &resolved, Action::Write, &mut outcome);
        }
        outcome
    }

    /// An atomic or reduction (`old` is none for a reduction), lane by lane in order. The second operand is for
    /// compare-and-swap. Global atomics need [`Global::Direct`]; on local memory an atomic is a load and a store.
    #[expect(clippy::too_many_arguments, reason = "an atomic has this many parts")]
    pub fn atomic(
        &mut self,
        global: &mut Global<'_>,
        access: &Access,
        operation: AtomicOp,
        kind: AtomicType,
        first: &LaneWords,
        second: &LaneWords,
        mut old: Option<&mut LaneWords>,
    ) -> Outcome {
        debug_assert_eq!(access.bytes, kind.bytes());
        let mut outcome = Outcome::default();
        let spaces = Spaces::of(access);
        let bytes = access.bytes;
        let offsets = shared_offsets(access);
        let shared = resolve::shared(&self.layout, &offsets, spaces.shared, bytes);
        let far = resolve::global(global.get(), access, spaces.global, true);
        let (local_offsets, local) =
            resolve::local(&self.local[usize::from(access.warp)], access, spaces.local);
        let mut undefined = 0;
        let mut apply_to = |lane: usize, current: &LaneWords, is_global: bool| -> Option<LaneWords> {
            let bit = 1 << lane;
            if current.poisoned(bytes) != 0 {
                undefined |= bit;
            }
            if let Some(old) = old.as_deref_mut() {
                for word in 0..usize::from(bytes).div_ceil(4) {
                    old.words[word][lane] = current.words[word][lane];
                    old.poison[word] = old.poison[word] & !bit | current.poison[word] & bit;
                }
            }
            let new =
                apply(operation, kind, current.pair(lane), first.pair(lane), second.pair(lane), is_global)?;
            let mut value = LaneWords::ZERO;
            value.set_pair(lane, new);
            Some(value)
        };
        for (variable, mask) in shared.regions() {
            let start = cells_start(&self.layout, variable);
            for lane in lanes(mask) {
                let at = offsets[lane] as usize;
                let mut current = LaneWords::ZERO;
                load_lane(&self.shared, &self.shared_defined, at, bytes, lane, &mut current);
                let new = apply_to(lane, &current, false);
                let strong = Strong {
                    reads: true,
                    writes: new.is_some(),
                    atomic: true,
                    order: access.order,
                    scope: access.scope,
                    shared: true,
                };
                self.strong_shared(global, access, variable, offsets[lane], lane, strong);
                let Some(new) = new else { continue };
                self.changes += u64::from(store_lane(&mut self.shared, at, bytes, lane, &new));
                define_lane(at, bytes, lane, &new, |word, bits, _| self.shared_defined[word] |= bits);
            }
            self.finish_strong(global, access, Space::Shared, SHARED_WINDOW + u64::from(start));
        }
        for (index, mask) in far.regions() {
            for lane in lanes(mask) {
                let mut current = LaneWords::ZERO;
                self.fetch_global(global.get(), index, access, 1 << lane, &mut current);
                let new = apply_to(lane, &current, true);
                let strong = Strong {
                    reads: true,
                    writes: new.is_some(),
                    atomic: true,
                    order: access.order,
                    scope: access.scope,
                    shared: false,
                };
                self.strong_global(global, index, access, lane, strong);
                let Some(new) = new else { continue };
                self.put_global(global, index, access, lane, &new);
            }
            self.finish_release(global, access);
        }
        for lane in lanes(local.good()) {
            let memory = &mut self.local[usize::from(access.warp)];
            let mut current = LaneWords::ZERO;
            memory.load(lane, local_offsets[lane], bytes, &mut current);
            if let Some(new) = apply_to(lane, &current, false) {
                memory.store(lane, local_offsets[lane], bytes, &new);
            }
        }
        self.count_shared(&offsets, shared.good(), bytes, &mut outcome);
        count_global(access, far.good(), &mut outcome);
        outcome.traffic.local_requests = u16::from(local.good() != 0);
        for resolved in [&shared, &far, &local] {
            self.check(global.get(), access, resolved, Action::Atomic, &mut outcome);
        }
        if undefined != 0 {
            self.report(global.get(), access, undefined, Kind::UninitializedRead, Reason::UndefinedAtomic);
        }
        outcome
    }

    #[inline]
    fn load_shared(
        &mut self,
        global: &mut Global<'_>,
        access: &Access,
        mask: u32,
        out: &mut LaneWords,
        outcome: &mut Outcome,
    ) {
        let offsets = shared_offsets(access);
        let resolved = resolve::shared(&self.layout, &offsets, mask, access.bytes);
        for (variable, mask) in resolved.regions() {
            let start = cells_start(&self.layout, variable);
            if access.order == Order::Weak {
                let relative = offsets.map(|offset| offset.wrapping_sub(start));
                let time = clock(&mut self.time, global, self.block);
                let mut watch = Watch {
                    time,
                    order: &self.order,
                    block: self.block,
                    warp: access.warp,
                    site: access.site,
                    dead: self.order.base,
                    mine: 0,
                    conflicts: &mut self.conflicts,
                };
                self.shared_cells[variable].read(&mut watch, &relative, mask, access.bytes);
                if !self.conflicts.is_empty() {
                    self.report_conflicts(
                        global.get(),
                        access,
                        Space::Shared,
                        SHARED_WINDOW + u64::from(start),
                    );
                }
            } else {
                for lane in lanes(mask) {
                    let strong = Strong {
                        reads: true,
                        writes: false,
                        atomic: false,
                        order: access.order,
                        scope: access.scope,
                        shared: true,
                    };
                    self.strong_shared(global, access, variable, offsets[lane], lane, strong);
                }
                self.finish_strong(global, access, Space::Shared, SHARED_WINDOW + u64::from(start));
            }
            match row_start(&offsets, mask, access.bytes) {
                Some(at) => load_row(&self.shared, &self.shared_defined, at as usize, out),
                None => {
                    for lane in lanes(mask) {
                        let at = offsets[lane] as usize;
                        load_lane(&self.shared, &self.shared_defined, at, access.bytes, lane, out);
                    }
                }
            }
        }
        self.count_shared(&offsets, resolved.good(), access.bytes, outcome);
        self.check(global.get(), access, &resolved, Action::Read, outcome);
    }

    #[inline]
    fn store_shared(
        &mut self,
        global: &mut Global<'_>,
        access: &Access,
        mask: u32,
        value: &LaneWords,
        outcome: &mut Outcome,
    ) {
        let offsets = shared_offsets(access);
        let bytes = access.bytes;
        let resolved = resolve::shared(&self.layout, &offsets, mask, bytes);
        for (variable, mask) in resolved.regions() {
            let start = cells_start(&self.layout, variable);
            let relative = offsets.map(|offset| offset.wrapping_sub(start));
            let weak = access.order == Order::Weak;
            let time = clock(&mut self.time, global, self.block);
            let mut watch = Watch {
                time,
                order: &self.order,
                block: self.block,
                warp: access.warp,
                site: access.site,
                dead: self.order.base,
                mine: 0,
                conflicts: &mut self.conflicts,
            };
            let settled =
                weak && mask == u32::MAX && self.shared_cells[variable].write_row(&watch, &relative, bytes);
            for lane in lanes(mask) {
                let at = offsets[lane] as usize;
                if weak && !settled {
                    let same = value_is(&self.shared, &self.shared_defined, at, bytes, lane, value);
                    self.shared_cells[variable].write(&mut watch, relative[lane], lane, bytes, same);
                }
                self.changes += u64::from(store_lane(&mut self.shared, at, bytes, lane, value));
                define_lane(at, bytes, lane, value, |word, bits, defined| {
                    let nibble = &mut self.shared_defined[word];
                    *nibble = if defined { *nibble | bits } else { *nibble & !bits };
                });
            }
            if !weak {
                for lane in lanes(mask) {
                    let strong = Strong {
                        reads: false,
                        writes: true,
                        atomic: false,
                        order: access.order,
                        scope: access.scope,
                        shared: true,
                    };
                    self.strong_shared(global, access, variable, offsets[lane], lane, strong);
                }
                self.finish_strong(global, access, Space::Shared, SHARED_WINDOW + u64::from(start));
            } else if !self.conflicts.is_empty() {
                self.report_conflicts(global.get(), access, Space::Shared, SHARED_WINDOW + u64::from(start));
            }
        }
        self.count_shared(&offsets, resolved.good(), bytes, outcome);
        self.check(global.get(), access, &resolved, Action::Write, outcome);
    }

    /// A strong access to shared memory by one lane: the cell, then acquire and release.
    fn strong_shared(
        &mut self,
        global: &mut Global<'_>,
        access: &Access,
        variable: usize,
        offset: u32,
        lane: usize,
        strong: Strong,
    ) {
        let start = cells_start(&self.layout, variable);
        let time = clock(&mut self.time, global, self.block);
        let mut watch = Watch {
            time,
            order: &self.order,
            block: self.block,
            warp: access.warp,
            site: access.site,
            dead: self.order.base,
            mine: 0,
            conflicts: &mut self.conflicts,
        };
        self.shared_cells[variable].strong(&mut watch, offset - start, lane, access.bytes, strong);
        synchronise(&mut self.order, time, &mut self.shared_releases, offset, access, lane, strong);
        let address = SHARED_WINDOW + u64::from(offset);
        if strong.reads {
            observe(&mut self.observed, address);
        }
        if strong.writes && access.mask.is_power_of_two() {
            self.flags.add(Flag { address, stamp: time.now, warp: access.warp, narrow: false });
        }
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

    fn count_shared(&mut self, offsets: &[u32; 32], mask: u32, bytes: u8, outcome: &mut Outcome) {
        if mask != 0 {
            let (wavefronts, ideal) = traffic::wavefronts(offsets, mask, bytes);
            outcome.traffic.shared_requests = 1;
            outcome.traffic.wavefronts = wavefronts;
            outcome.traffic.ideal_wavefronts = ideal;
        }
    }

    #[inline]
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

    #[inline]
    fn load_global(
        &mut self,
        global: &mut Global<'_>,
        access: &Access,
        mask: u32,
        out: &mut LaneWords,
        outcome: &mut Outcome,
    ) {
        let resolved = resolve::global(global.get(), access, mask, false);
        for (index, mask) in resolved.regions() {
            if !global.get().allocation(index).is_writable() {
                self.fetch_global(global.get(), index, access, mask, out);
                continue;
            }
            if access.order == Order::Weak {
                self.watch_pages(global, index, access, mask, |cells, watch, offsets, mask| {
                    cells.read(watch, offsets, mask, access.bytes);
                });
            } else {
                for lane in lanes(mask) {
                    let strong = Strong {
                        reads: true,
                        writes: false,
                        atomic: false,
                        order: access.order,
                        scope: access.scope,
                        shared: false,
                    };
                    self.strong_global(global, index, access, lane, strong);
                }
            }
            self.fetch_global(global.get(), index, access, mask, out);
        }
        count_global(access, resolved.good(), outcome);
        self.check(global.get(), access, &resolved, Action::Read, outcome);
    }

    #[inline]
    fn store_global(
        &mut self,
        global: &mut Global<'_>,
        access: &Access,
        mask: u32,
        value: &LaneWords,
        outcome: &mut Outcome,
    ) {
        let bytes = access.bytes;
        let resolved = resolve::global(global.get(), access, mask, true);
        for (index, mask) in resolved.regions() {
            if access.order != Order::Weak {
                for lane in lanes(mask) {
                    let strong = Strong {
                        reads: false,
                        writes: true,
                        atomic: false,
                        order: access.order,
                        scope: access.scope,
                        shared: false,
                    };
                    self.put_global(global, index, access, lane, value);
                    self.strong_global(global, index, access, lane, strong);
                }
                self.finish_release(global, access);
                continue;
            }
            let mut same = 0u32;
            for lane in lanes(mask) {
                same |= u32::from(self.global_value_is(global.get(), index, access, lane, value)) << lane;
                self.put_global(global, index, access, lane, value);
            }
            self.watch_pages(global, index, access, mask, |cells, watch, offsets, mask| {
                if mask == u32::MAX && cells.write_row(watch, offsets, bytes) {
                    return;
                }
                for lane in lanes(mask) {
                    cells.write(watch, offsets[lane], lane, bytes, same >> lane & 1 == 1);
                }
            });
        }
        count_global(access, resolved.good(), outcome);
        self.check(global.get(), access, &resolved, Action::Write, outcome);
    }

    /// Hands the cells of each page that the lanes touch to a function, with offsets in the page, and reports conflicts.
    #[inline]
    fn watch_pages(
        &mut self,
        global: &mut Global<'_>,
        index: usize,
        access: &Access,
        mask: u32,
        mut with: impl FnMut(&mut Cells, &mut Watch<'_>, &[u32; 32], u32),
    ) {
        let allocation = global.get().allocation(index);
        let (start, first_page) = (allocation.address, allocation.first_page);
        let pages = global.get().pages();
        let mut rest = mask;
        while rest != 0 {
            let first = access.addresses[rest.trailing_zeros() as usize];
            let page = (first - start) / u64::from(Overlay::PAGE_BYTES);
            let page_start = start + page * u64::from(Overlay::PAGE_BYTES);
            let mut here = 0;
            let mut offsets = [0; 32];
            for lane in 0..32 {
                let offset = access.addresses[lane].wrapping_sub(page_start);
                here |= u32::from(offset < u64::from(Overlay::PAGE_BYTES)) << lane;
                offsets[lane] = offset as u32;
            }
            here &= rest;
            rest &= !here;
            let number = first_page + page as u32;
            match global {
                Global::Direct(memory) => {
                    memory.time.resume(self.block);
                    let cells = memory.shadow.cells(number, pages);
                    let mut watch = Watch {
                        time: &memory.time,
                        order: &self.order,
                        block: self.block,
                        warp: access.warp,
                        site: access.site,
                        dead: memory.time.floor,
                        mine: memory.time.resumed,
                        conflicts: &mut self.conflicts,
                    };
                    with(cells, &mut watch, &offsets, here);
                }
                Global::Overlay(_) => {
                    let cells = self.overlay.cells(number, pages);
                    let mut watch = Watch {
                        time: &self.time,
                        order: &self.order,
                        block: self.block,
                        warp: access.warp,
                        site: access.site,
                        dead: self.order.base,
                        mine: 0,
                        conflicts: &mut self.conflicts,
                    };
                    with(cells, &mut watch, &offsets, here);
                }
            }
            if !self.conflicts.is_empty() {
                self.report_conflicts(global.get(), access, Space::Global, page_start);
            }
        }
    }

    /// A strong access to global memory by one lane: the cell, then acquire and release.
    fn strong_global(
        &mut self,
        global: &mut Global<'_>,
        index: usize,
        access: &Access,
        lane: usize,
        strong: Strong,
    ) {
        self.watch_pages(global, index, access, 1 << lane, |cells, watch, offsets, _| {
            cells.strong(watch, offsets[lane], lane, access.bytes, strong);
        });
        let Global::Direct(memory) = global else {
            debug_assert!(false, "a strong global access in a launch whose blocks run apart");
            return;
        };
        let address = access.addresses[lane];
        let narrow =
            synchronise(&mut self.order, &memory.time, &mut memory.releases, address, access, lane, strong);
        if strong.reads {
            observe(&mut self.observed, address);
        }
        if strong.writes && access.mask.is_power_of_two() {
            let flag = Flag { address, stamp: memory.time.now, warp: access.warp, narrow };
            memory.flags.entry(self.block).or_default().add(flag);
        }
    }

    fn fetch_global(
        &self,
        global: &GlobalMemory,
        index: usize,
        access: &Access,
        mask: u32,
        out: &mut LaneWords,
    ) {
        let allocation = global.allocation(index);
        let private = self.overlay.has_copies();
        if !private && allocation.undefined_bytes == 0 && access.bytes == 4 {
            // The common case: a buffer that the host has filled.
            for lane in lanes(mask) {
                let at = (access.addresses[lane] - allocation.address) as usize;
                if let Some(word) = allocation.data[at..].first_chunk() {
                    out.words[0][lane] = u32::from_le_bytes(*word);
                }
            }
            return;
        }
        for lane in lanes(mask) {
            let offset = (access.addresses[lane] - allocation.address) as usize;
            let page = allocation.first_page + (offset / Overlay::PAGE_BYTES as usize) as u32;
            match self.overlay.copied(page) {
                Some(page) => {
                    let within = offset % Overlay::PAGE_BYTES as usize;
                    load_lane(&page.data, &page.defined, within, access.bytes, lane, out);
                }
                None => load_lane(&allocation.data, &allocation.defined, offset, access.bytes, lane, out),
            }
        }
    }

    fn global_value_is(
        &self,
        global: &GlobalMemory,
        index: usize,
        access: &Access,
        lane: usize,
        value: &LaneWords,
    ) -> bool {
        let allocation = global.allocation(index);
        let offset = (access.addresses[lane] - allocation.address) as usize;
        let page = allocation.first_page + (offset / Overlay::PAGE_BYTES as usize) as u32;
        match self.overlay.copied(page) {
            Some(page) => {
                let within = offset % Overlay::PAGE_BYTES as usize;
                value_is(&page.data, &page.defined, within, access.bytes, lane, value)
            }
            None => value_is(&allocation.data, &allocation.defined, offset, access.bytes, lane, value),
        }
    }

    fn put_global(
        &mut self,
        global: &mut Global<'_>,
        index: usize,
        access: &Access,
        lane: usize,
        value: &LaneWords,
    ) {
        match global {
            Global::Direct(global) => {
                let allocation = global.allocation_mut(index);
                let offset = (access.addresses[lane] - allocation.address) as usize;
                let changed = store_lane(&mut allocation.data, offset, access.bytes, lane, value);
                define_lane(offset, access.bytes, lane, value, |word, bits, defined| {
                    allocation.define(word, bits, defined);
                });
                if changed {
                    global.note_change();
                }
            }
            Global::Overlay(global) => {
                let allocation = global.allocation(index);
                let offset = (access.addresses[lane] - allocation.address) as usize;
                let number = allocation.first_page + (offset / Overlay::PAGE_BYTES as usize) as u32;
                let page = self.overlay.page_for_writing(number, global.pages(), allocation);
                let within = offset % Overlay::PAGE_BYTES as usize;
                store_lane(&mut page.data, within, access.bytes, lane, value);
                define_lane(within, access.bytes, lane, value, |word, bits, defined| {
                    page.written[word] |= bits;
                    page.defined[word] =
                        if defined { page.defined[word] | bits } else { page.defined[word] & !bits };
                });
            }
        }
    }

    /// The time of an access made now.
    pub(super) fn now(&self, global: &GlobalMemory) -> u32 {
        if global.time.running == self.block { global.time.now } else { self.time.now }
    }

    /// Stamps of this block are later; parallel blocks only.
    pub(super) fn started(&self) -> u32 {
        self.time.floor
    }
}

/// Acquires from and releases to a location. True if what was published has a fence, but none that reaches other blocks.
fn synchronise<K: std::hash::Hash + Eq>(
    order: &mut BlockOrder,
    time: &Time,
    releases: &mut HashMap<K, Release>,
    location: K,
    access: &Access,
    lane: usize,
    strong: Strong,
) -> bool {
    let scope = if access.order == Order::Volatile { Scope::System } else { access.scope };
    let releasing = access.order.is_release() && strong.writes;
    if releases.is_empty() && !order.is_detailed() && !releasing {
        return false;
    }
    if strong.reads
        && let Some(release) = releases.get(&location)
    {
        order.observe(access.warp, lane, release, access.order.is_acquire(), scope);
    }
    if !strong.writes {
        return false;
    }
    let published = order.publish(time, access.warp, lane, releasing, scope);
    if !strong.reads && access.bytes >= 4 {
        releases.remove(&location);
    }
    let narrow = published.device.is_empty() && !published.near.is_empty();
    if !published.near.is_empty() || !published.device.is_empty() {
        releases.entry(location).or_default().add(order.block(), &published);
    }
    narrow
}

fn observe(observed: &mut Vec<u64>, address: u64) {
    if observed.last() == Some(&address) || observed.contains(&address) {
        return;
    }
    if observed.len() == OBSERVED {
        observed.remove(0);
    }
    observed.push(address);
}

/// Constant memory has a cache of its own and moves no sectors of global memory.
fn count_global(access: &Access, mask: u32, outcome: &mut Outcome) {
    if mask != 0 && access.space != AddressSpace::Constant {
        outcome.traffic.global_requests = 1;
        outcome.traffic.sectors = traffic::sectors(&access.addresses, mask, access.bytes);
    }
}

/// True if memory already holds exactly what the lane is about to store.
fn value_is(data: &[u8], defined: &[u8], at: usize, bytes: u8, lane: usize, value: &LaneWords) -> bool {
    let mut current = LaneWords::ZERO;
    load_lane(data, defined, at, bytes, lane, &mut current);
    let width = if bytes >= 4 { u32::MAX } else { (1 << (8 * u32::from(bytes))) - 1 };
    (0..usize::from(bytes).div_ceil(4)).all(|word| {
        (current.poison[word] | value.poison[word]) >> lane & 1 == 0
            && (current.words[word][lane] ^ value.words[word][lane]) & width == 0
    })
}
