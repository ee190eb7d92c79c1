//! Global memory: cells per page, data directly or through the overlay, traffic.

use crate::{
    finding::Space,
    findings::Action,
    ir::{AddressSpace, Order},
};

use super::{
    super::{
        Access, Global, GlobalMemory, LaneWords, Outcome,
        cells::pack,
        data::{define_lane, load_lane, store_lane},
        first_touches::RowTouch,
        flags::Flag,
        global::GlobalAllocation,
        lanes,
        overlay::Overlay,
        partial::Entry,
        pattern::{self, WordRun},
        resolve::{self, Resolved},
        shadow::{Cells, CurrentAccess, Strong},
        touched::TouchedRun,
        traffic,
    },
    BlockMemory,
    flag::{synchronise, value_is},
};

/// Cells in a page.
const PAGE_CELLS: usize = Overlay::PAGE_WORDS;

impl BlockMemory {
    #[inline(always)]
    pub(super) fn load_global(
        &mut self,
        global: &mut Global<'_>,
        access: &Access,
        mask: u32,
        out: &mut LaneWords,
        outcome: &mut Outcome,
    ) {
        let resolved = resolve::global(global.get(), access, mask, false);
        let mut patterns = std::mem::take(&mut self.patterns);
        let shape = shape(access, mask, &resolved);
        let known = shape.as_ref().and_then(|shape| patterns.find(shape, mask, access.bytes));
        let first = access.addresses[mask.trailing_zeros() as usize & 31];
        let known = match known {
            Some(pattern) => {
                count(access, mask, pattern.sectors(first), outcome);
                Some(&*pattern)
            }
            None => {
                count_slowly(access, resolved.good(), outcome);
                None
            }
        };
        let mut runs = known;
        for (index, mask) in resolved.regions() {
            if !global.get().allocation(index).is_writable() {
                self.fetch_global(global.get(), index, access, mask, out);
                continue;
            }
            if access.order == Order::Weak {
                match runs.take() {
                    Some(pattern) => {
                        for words in pattern.shape().runs() {
                            self.watch_run(
                                global,
                                index,
                                access,
                                (mask, Action::Read),
                                words,
                                |cells, current, first, words| {
                                    if cells.by_bytes() {
                                        for (index, &readers) in words.readers.iter().enumerate() {
                                            let offsets = [4 * (first + index) as u32; 32];
                                            cells.read(current, &offsets, readers, 4);
                                        }
                                    } else {
                                        cells.read_run(current, first, words);
                                    }
                                },
                            );
                        }
                    }
                    None => self.watch_pages(global, index, access, mask, |cells, current, offsets, mask| {
                        cells.read(current, offsets, mask, access.bytes);
                    }),
                }
            } else {
                for lane in lanes(mask) {
                    let strong = Strong {
                        reads: true,
                        writes: false,
                        atomic: false,
                        order: access.order,
                        scope: access.scope,
                        lockstep: false,
                        packed: false,
                    };
                    self.strong_global(global, index, access, lane, strong);
                }
            }
            let allocation = global.get().allocation(index);
            match known.filter(|_| access.bytes == 4 && self.reads_base(allocation)) {
                Some(pattern) => {
                    let first = (first - allocation.address) as usize;
                    pattern.gather(&allocation.data, first, &mut out.words[0]);
                }
                None => self.fetch_global(global.get(), index, access, mask, out),
            }
        }
        self.patterns = patterns;
        self.check(global.get(), access, &resolved, Action::Read, outcome);
    }

    #[inline(always)]
    pub(super) fn store_global(
        &mut self,
        global: &mut Global<'_>,
        access: &Access,
        mask: u32,
        value: &LaneWords,
        outcome: &mut Outcome,
    ) {
        let bytes = access.bytes;
        let weak = access.order == Order::Weak;
        let resolved = resolve::global(global.get(), access, mask, true);
        let mut patterns = std::mem::take(&mut self.patterns);
        let shape = shape(access, mask, &resolved);
        let known = shape.as_ref().and_then(|shape| patterns.find(shape, mask, bytes));
        let mut runs = match known {
            Some(pattern) => {
                let first = access.addresses[mask.trailing_zeros() as usize & 31];
                count(access, mask, pattern.sectors(first), outcome);
                (weak && pattern.shape().is_exclusive()).then_some(&*pattern)
            }
            None => {
                count_slowly(access, resolved.good(), outcome);
                None
            }
        };
        for (index, mask) in resolved.regions() {
            if !weak {
                for lane in lanes(mask) {
                    let strong = Strong {
                        reads: false,
                        writes: true,
                        atomic: false,
                        order: access.order,
                        scope: access.scope,
                        lockstep: false,
                        packed: false,
                    };
                    self.put_global(global, index, access, 1 << lane, value);
                    self.strong_global(global, index, access, lane, strong);
                }
                self.finish_release(global, access);
                continue;
            }
            // Lanes whose cells need a closer look.
            let mut closer = mask;
            if let Some(pattern) = runs.take() {
                closer = 0;
                for words in pattern.shape().runs() {
                    self.watch_run(
                        global,
                        index,
                        access,
                        (mask, Action::Write),
                        words,
                        |cells, current, first, words| {
                            if !cells.write_run(current, first, words) {
                                closer |= words.readers.iter().fold(0, |all, lanes| all | lanes);
                            }
                        },
                    );
                }
            }
            self.put_global(global, index, access, mask & !closer, value);
            if closer != 0 {
                let mut same = 0u32;
                for lane in lanes(closer) {
                    same |= u32::from(self.global_value_is(global.get(), index, access, lane, value)) << lane;
                    self.put_global(global, index, access, 1 << lane, value);
                }
                self.watch_pages(global, index, access, closer, |cells, current, offsets, mask| {
                    for lane in lanes(mask) {
                        cells.write(current, offsets[lane], lane, bytes, same >> lane & 1 == 1);
                    }
                });
            }
        }
        self.patterns = patterns;
        self.check(global.get(), access, &resolved, Action::Write, outcome);
    }

    /// Hands the cells of each page that a run of words touches to a function, with the first cell, and
    /// reports conflicts. Of pages where it is enough to list the words there are no cells.
    #[inline(always)]
    fn watch_run(
        &mut self,
        global: &mut Global<'_>,
        index: usize,
        access: &Access,
        (mask, action): (u32, Action),
        words: WordRun<'_>,
        mut with: impl FnMut(&mut Cells, &mut CurrentAccess<'_>, usize, WordRun<'_>),
    ) {
        // Of these lanes: a generic access may have others elsewhere.
        let first = access.addresses[mask.trailing_zeros() as usize & 31];
        let allocation = global.get().allocation(index);
        let (start, first_page) = (allocation.address, allocation.first_page);
        let word = (first.wrapping_add(words.start as i32 as i64 as u64) - start) / 4;
        let mut page = (word / PAGE_CELLS as u64) as u32;
        let mut cell = (word % PAGE_CELLS as u64) as usize;
        let mut done = 0;
        while done < words.readers.len() {
            let count = (words.readers.len() - done).min(PAGE_CELLS - cell);
            let part = words.part(done, count);
            if !self.is_listed(global, first_page + page, (access, action), cell, part) {
                let (cells, mut current) = self.page(global, first_page + page, access);
                with(cells, &mut current, cell, part);
                if !self.conflicts.is_empty() {
                    let page_start = start + u64::from(page) * u64::from(Overlay::PAGE_BYTES);
                    self.report_conflicts(global.get(), access, Space::Global, page_start);
                }
            }
            done += count;
            page += 1;
            cell = 0;
        }
    }

    /// True if it is enough to list a page's words, from cell `first` on: then that has been done.
    #[inline(always)]
    fn is_listed(
        &mut self,
        global: &Global<'_>,
        number: u32,
        (access, action): (&Access, Action),
        first: usize,
        words: WordRun<'_>,
    ) -> bool {
        let Global::Overlay(memory) = global else { return false };
        if !words.is_row {
            return false;
        }
        let last = first + words.readers.len() - 1;
        let by = pack(access.warp * 32 + words.owners[0] as u16, access.site);
        let run = TouchedRun::of(first as u8, last as u8, action == Action::Write, by);
        self.overlay.list(number, memory.pages(), RowTouch { run, stamp: self.time.now })
    }

    /// One page's cells, and what they need to know of the access.
    #[inline(always)]
    fn page<'w>(
        &'w mut self,
        global: &'w mut Global<'_>,
        number: u32,
        access: &Access,
    ) -> (&'w mut Cells, CurrentAccess<'w>) {
        match global {
            Global::Direct(memory) => {
                memory.time.resume(self.block);
                let pages = memory.pages();
                let cells = memory.shadow.cells(number, pages);
                let current = CurrentAccess {
                    time: &memory.time,
                    now: memory.time.now,
                    order: &self.order,
                    block: self.block,
                    warp: access.warp,
                    site: access.site,
                    dead: memory.time.floor,
                    mine: memory.time.resumed,
                    by_proxy: None,
                    conflicts: &mut self.conflicts,
                };
                (cells, current)
            }
            Global::Overlay(memory) => {
                let cells = self.overlay.cells(number, memory.pages());
                let (order, conflicts) = (&self.order, &mut self.conflicts);
                let current = CurrentAccess::of_own(&self.time, order, access.warp, access.site, conflicts);
                (cells, current)
            }
        }
    }

    /// Hands the cells of each page that the lanes touch to a function, with offsets in the page, and reports
    /// conflicts.
    fn watch_pages(
        &mut self,
        global: &mut Global<'_>,
        index: usize,
        access: &Access,
        mask: u32,
        mut with: impl FnMut(&mut Cells, &mut CurrentAccess<'_>, &[u32; 32], u32),
    ) {
        let allocation = global.get().allocation(index);
        let (start, first_page) = (allocation.address, allocation.first_page);
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
            let (cells, mut current) = self.page(global, first_page + page as u32, access);
            with(cells, &mut current, &offsets, here);
            if !self.conflicts.is_empty() {
                self.report_conflicts(global.get(), access, Space::Global, page_start);
            }
        }
    }

    /// A strong access to global memory by one lane: the cell, then acquire and release.
    pub(super) fn strong_global(
        &mut self,
        global: &mut Global<'_>,
        index: usize,
        access: &Access,
        lane: usize,
        strong: Strong,
    ) {
        self.watch_pages(global, index, access, 1 << lane, |cells, current, offsets, _| {
            cells.strong(current, offsets[lane], lane, access.bytes, strong);
        });
        let Global::Direct(memory) = global else {
            debug_assert!(false, "a strong global access in a launch whose blocks run apart");
            return;
        };
        let address = access.addresses[lane];
        let published =
            synchronise(&mut self.order, &memory.time, &mut memory.releases, address, access, lane, strong);
        if strong.reads {
            self.signals.seen.add(address);
        }
        if strong.writes && access.mask.is_power_of_two() {
            let flag = Flag {
                address,
                stamp: memory.time.now,
                warp: access.warp,
                thread: access.warp * 32 + lane as u16,
                narrow: published.device().is_empty() && published.is_any(),
                base: self.order.base,
                warp_base: self.order.warp_base(access.warp),
                published: published.device().clone(),
            };
            memory.flags.entry(self.block).or_default().add(flag);
        }
    }

    /// The common case: a buffer that the host has filled, and nothing of this block's own before it.
    #[inline]
    fn reads_base(&self, allocation: &GlobalAllocation) -> bool {
        !self.overlay.has_copies() && allocation.undefined_bytes == 0
    }

    pub(super) fn fetch_global(
        &self,
        global: &GlobalMemory,
        index: usize,
        access: &Access,
        mask: u32,
        out: &mut LaneWords,
    ) {
        let allocation = global.allocation(index);
        if access.bytes == 4 && self.reads_base(allocation) {
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
                    load_lane(page.bytes(), within, access.bytes, lane, out);
                }
                None => load_lane(allocation.contents(), offset, access.bytes, lane, out),
            }
        }
    }

    /// What a store left of the word at an address.
    pub(in super::super) fn left_in_global(&self, global: &GlobalMemory, address: u64) -> Option<Entry> {
        let allocation = global.allocation(global.find(address, 1)?);
        let offset = (address - allocation.address) as usize;
        let page = allocation.first_page + (offset / Overlay::PAGE_BYTES as usize) as u32;
        match self.overlay.copied(page) {
            Some(page) => page.partial.get((offset % Overlay::PAGE_BYTES as usize / 4) as u32),
            None => allocation.partial.get((offset / 4) as u32),
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
                value_is(page.bytes(), within, access.bytes, lane, value)
            }
            None => value_is(allocation.contents(), offset, access.bytes, lane, value),
        }
    }

    /// Notes that lanes have changed memory that all blocks see.
    pub(super) fn note_changes(&self, global: &mut GlobalMemory, access: &Access, changed: u32) {
        global.note_change();
        if access.order != Order::Weak {
            for lane in lanes(changed) {
                global.changers.note(access.addresses[lane], access.bytes, self.block);
            }
        }
    }

    /// Lanes may have written just now what they wrote before.
    pub(super) fn touch_global(&mut self, global: &mut Global<'_>, access: &Access) {
        let resolved = resolve::global(global.get(), access, access.mask, true);
        for (index, mask) in resolved.regions() {
            self.watch_pages(global, index, access, mask, |cells, current, offsets, mask| {
                for lane in lanes(mask) {
                    cells.write(current, offsets[lane], lane, access.bytes, false);
                }
            });
        }
    }

    /// Of an allocation that is watched: lanes are about to store these values.
    #[cold]
    fn note_first_change(
        &self,
        global: &GlobalMemory,
        index: usize,
        access: &Access,
        mask: u32,
        value: &LaneWords,
    ) {
        let allocation = global.allocation(index);
        let changes = lanes(mask).filter(|&lane| !self.global_value_is(global, index, access, lane, value));
        changes.for_each(|lane| allocation.note_first_change(access.addresses[lane] - allocation.address));
    }

    /// Stores lanes' values, lowest first.
    pub(super) fn put_global(
        &mut self,
        global: &mut Global<'_>,
        index: usize,
        access: &Access,
        mask: u32,
        value: &LaneWords,
    ) {
        if global.get().allocation(index).first_change.is_some() {
            self.note_first_change(global.get(), index, access, mask, value);
        }
        match global {
            Global::Direct(global) => {
                let mut changed = 0;
                let allocation = global.allocation_mut(index);
                for lane in lanes(mask) {
                    let offset = (access.addresses[lane] - allocation.address) as usize;
                    let new = store_lane(&mut allocation.data, offset, access.bytes, lane, value);
                    changed |= u32::from(new) << lane;
                    define_lane(offset, access.bytes, lane, value, |definition| {
                        allocation.define(definition, access.site);
                    });
                }
                if changed != 0 {
                    self.note_changes(global, access, changed);
                }
            }
            Global::Overlay(global) => {
                let allocation = global.allocation(index);
                let plain = access.bytes == 4 && value.poison[0] & mask == 0;
                let mut rest = mask;
                let mut any_changed = false;
                while rest != 0 {
                    let first = access.addresses[rest.trailing_zeros() as usize] - allocation.address;
                    let page_number = first / u64::from(Overlay::PAGE_BYTES);
                    let number = allocation.first_page + page_number as u32;
                    let page = self.overlay.page_for_writing(number, global.pages(), allocation);
                    for lane in lanes(rest) {
                        let offset = access.addresses[lane] - allocation.address;
                        if offset / u64::from(Overlay::PAGE_BYTES) != page_number {
                            continue;
                        }
                        rest &= !(1 << lane);
                        let within = (offset % u64::from(Overlay::PAGE_BYTES)) as usize;
                        if plain {
                            any_changed |= page.put(within / 4, value.words[0][lane]);
                            continue;
                        }
                        any_changed |= store_lane(&mut page.data, within, access.bytes, lane, value);
                        define_lane(within, access.bytes, lane, value, |definition| {
                            page.define(definition, access.site);
                        });
                    }
                }
                self.changes += u64::from(any_changed);
            }
        }
    }
}

/// The shape of a global access, if it lies in one allocation.
#[inline(always)]
fn shape(access: &Access, mask: u32, resolved: &Resolved) -> Option<[u32; 32]> {
    if resolved.good() != mask || !resolved.more.is_empty() || resolved.bytes > i32::MAX as u64 {
        return None;
    }
    let mut low = [0; 32];
    for lane in 0..32 {
        low[lane] = access.addresses[lane] as u32;
    }
    Some(pattern::relative(&low, mask))
}

#[inline]
fn count(access: &Access, mask: u32, sectors: u16, outcome: &mut Outcome) {
    // Constant memory has a cache of its own and moves no sectors of global memory.
    if access.space != AddressSpace::Constant {
        outcome.traffic.global_requests = 1;
        outcome.traffic.sectors = sectors;
        outcome.traffic.global_bytes = mask.count_ones() as u16 * u16::from(access.bytes);
    }
}

/// Counts an atomic.
pub(super) fn count_atomic(access: &Access, mask: u32, outcome: &mut Outcome) {
    if mask != 0 {
        count(access, mask, traffic::atomic_sectors(&access.addresses, mask, access.bytes), outcome);
    }
}

/// Counts a load or store whose shape isn't known.
fn count_slowly(access: &Access, mask: u32, outcome: &mut Outcome) {
    if mask != 0 {
        count(access, mask, traffic::sectors(&access.addresses, mask, access.bytes), outcome);
    }
}
