//! Shared memory: cells per variable, data, traffic.

use crate::{
    finding::Space,
    ir::{AddressSpace, AtomicOp, Order},
};

use super::{
    super::{
        Access, Global, LaneWords, Outcome, SHARED_WINDOW, Site,
        clock::Clock,
        data::{Bytes, define_lane, load_lane, store_lane},
        flags::Flag,
        lanes,
        pattern::{self, Tag},
        resolve::{self, shared_offsets},
        shadow::{CurrentAccess, Strong},
        shared::{SharedMemory, define},
        traffic::{self, Flow, Wavefronts},
    },
    BlockMemory, clock,
    flag::{synchronise, value_is},
};

impl BlockMemory {
    #[inline(always)]
    pub(super) fn load_shared(
        &mut self,
        global: &mut Global<'_>,
        access: &Access,
        mask: u32,
        out: &mut LaneWords,
        outcome: &mut Outcome,
    ) {
        let offsets = shared_offsets(access);
        let bytes = access.bytes;
        let shape = pattern::relative(&offsets, mask);
        // Taken out so that the rest of the block stays usable.
        let mut patterns = std::mem::take(&mut self.patterns);
        let pattern = patterns.find(&shape, mask, bytes);
        let first = offsets[mask.trailing_zeros() as usize & 31];
        let extent = pattern.as_ref().and_then(|pattern| pattern.extent(first));
        let resolved = resolve::shared(&self.shared.layout, &offsets, mask, bytes, extent);
        let whole = resolved.good() == mask && resolved.more.is_empty();
        let pattern = pattern.filter(|_| whole);
        let mut counted = false;
        if let Some(pattern) = &pattern {
            count(outcome, pattern.shape().wavefronts(Flow::Load));
            counted = true;
        }
        let known = pattern.map(|pattern| &*pattern);
        let mut runs = known;
        for (variable, mask) in resolved.regions() {
            let start = self.shared.cells_start(variable);
            let weak = access.order == Order::Weak;
            let runs = runs.take();
            let now = clock(&mut self.time, global, self.block).now;
            let by = (access.warp, access.site);
            if let Some(pattern) = runs.filter(|_| weak)
                && self.shared.note_read(variable, (pattern, first), by, &self.order, now)
            {
                // There is nothing that it could race with.
            } else if weak {
                let time = clock(&mut self.time, global, self.block);
                self.shared.settle_reads_of(variable, &self.order, time);
                let cells = &mut self.shared.cells[variable];
                let mut current =
                    CurrentAccess::of_own(time, &self.order, access.warp, access.site, &mut self.conflicts);
                match runs.filter(|_| !cells.by_bytes()) {
                    Some(pattern) => {
                        for words in pattern.shape().runs() {
                            let cell = first.wrapping_add(words.start).wrapping_sub(start) / 4;
                            cells.read_run(&mut current, cell as usize, words);
                        }
                    }
                    None => {
                        let relative = offsets.map(|offset| offset.wrapping_sub(start));
                        cells.read(&mut current, &relative, mask, bytes);
                    }
                }
                if !self.conflicts.is_empty() {
                    self.report_conflicts(
                        global.get(),
                        access,
                        Space::Shared,
                        SHARED_WINDOW + u64::from(start),
                    );
                }
            } else {
                // Who looks at one place looks at a flag.
                let place = offsets[mask.trailing_zeros() as usize];
                let lockstep = lanes(mask).any(|lane| offsets[lane] != place);
                for lane in lanes(mask) {
                    let strong = Strong {
                        reads: true,
                        writes: false,
                        atomic: false,
                        order: access.order,
                        scope: access.scope,
                        lockstep,
                        packed: false,
                    };
                    self.strong_shared(global, access, variable, offsets[lane], lane, strong);
                }
                self.finish_strong(global, access, Space::Shared, SHARED_WINDOW + u64::from(start));
            }
            if bytes == 4 && self.shared.undefined[variable] == 0 {
                let data = &self.shared.data;
                match known {
                    Some(pattern) => pattern.gather(data, first as usize, &mut out.words[0]),
                    None => {
                        for lane in lanes(mask) {
                            let word = data[offsets[lane] as usize..].first_chunk();
                            out.words[0][lane] = word.map_or(0, |word| u32::from_le_bytes(*word));
                        }
                    }
                }
            } else {
                for lane in lanes(mask) {
                    load_lane(self.shared.contents(), offsets[lane] as usize, bytes, lane, out);
                }
            }
        }
        self.patterns = patterns;
        if !counted {
            count_slowly(Flow::Load, &offsets, resolved.good(), bytes, outcome);
        }
        if resolved.bad() != 0 {
            self.load_elsewhere(global, access, resolved, out, outcome);
        }
    }

    /// A plain load of one word a lane whose shape is known, where there is nothing else to find out: the
    /// lanes' words and what it takes. None if there is; then nothing has been done. `first`: the address
    /// of the first active lane.
    #[inline(always)]
    pub fn load_known(
        &mut self,
        global: &mut Global<'_>,
        (space, shape, first): (AddressSpace, Tag, u64),
        mask: u32,
        by: (u16, Site),
        out: &mut [u32; 32],
    ) -> Option<Wavefronts> {
        let pattern = self.patterns.named(shape, mask, 4)?;
        let first = match space {
            AddressSpace::Shared => first as u32,
            AddressSpace::Generic => u32::try_from(first.wrapping_sub(SHARED_WINDOW)).ok()?,
            _ => return None,
        };
        let (low, high) = pattern.extent(first)?;
        let variable = self.shared.variable_of(shape, (low, high))?;
        if self.shared.undefined[variable] != 0 {
            return None;
        }
        let now = clock(&mut self.time, global, self.block).now;
        if !self.shared.note_read(variable, (pattern, first), by, &self.order, now) {
            return None;
        }
        pattern.gather(&self.shared.data, first as usize, out);
        Some(pattern.shape().wavefronts(Flow::Load))
    }

    #[inline(always)]
    pub(super) fn store_shared(
        &mut self,
        global: &mut Global<'_>,
        access: &Access,
        mask: u32,
        value: &LaneWords,
        outcome: &mut Outcome,
    ) {
        let offsets = shared_offsets(access);
        let bytes = access.bytes;
        let weak = access.order == Order::Weak;
        let shape = pattern::relative(&offsets, mask);
        // Taken out so that the rest of the block stays usable.
        let mut patterns = std::mem::take(&mut self.patterns);
        let pattern = patterns.find(&shape, mask, bytes);
        let first = offsets[mask.trailing_zeros() as usize & 31];
        let extent = pattern.as_ref().and_then(|pattern| pattern.extent(first));
        let resolved = resolve::shared(&self.shared.layout, &offsets, mask, bytes, extent);
        let whole = resolved.good() == mask && resolved.more.is_empty();
        let pattern = pattern.filter(|_| whole);
        let mut counted = false;
        if let Some(pattern) = &pattern {
            count(outcome, pattern.shape().wavefronts(Flow::Store));
            counted = true;
        }
        let known = pattern.filter(|pattern| weak && pattern.shape().is_exclusive()).map(|pattern| &*pattern);
        let mut runs = known;
        for (variable, mask) in resolved.regions() {
            let start = self.shared.cells_start(variable);
            let time = clock(&mut self.time, global, self.block);
            let SharedMemory { data, defined, partial, undefined, cells, deferred, .. } = &mut self.shared;
            let (cells, undefined) = (&mut cells[variable], &mut undefined[variable]);
            if deferred.waits(variable) {
                deferred.settle(variable, cells, &self.order, time);
            }
            let mut current =
                CurrentAccess::of_own(time, &self.order, access.warp, access.site, &mut self.conflicts);
            // Lanes whose cells need a closer look.
            let mut closer = if weak { mask } else { 0 };
            if let Some(pattern) = runs.take() {
                closer = 0;
                for words in pattern.shape().runs() {
                    let cell = first.wrapping_add(words.start).wrapping_sub(start) / 4;
                    if !cells.write_run(&current, cell as usize, words) {
                        closer |= words.readers.iter().fold(0, |all, lanes| all | lanes);
                    }
                }
            }
            let plain = bytes == 4 && value.poison[0] & mask == 0;
            let mut rest = mask;
            if let Some(pattern) = known.filter(|_| plain && closer == 0 && *undefined == 0) {
                self.changes += pattern.scatter(data, first as usize, &value.words[0]);
                rest = 0;
            }
            for lane in lanes(rest) {
                let at = offsets[lane] as usize;
                if closer >> lane & 1 == 1 {
                    let shared = Bytes { data, defined, partial };
                    let same = value_is(shared, at, bytes, lane, value);
                    cells.write(&mut current, offsets[lane].wrapping_sub(start), lane, bytes, same);
                }
                if plain {
                    if let Some(word) = data[at..].first_chunk_mut() {
                        let new = value.words[0][lane].to_le_bytes();
                        self.changes += u64::from(*word != new);
                        *word = new;
                    }
                    if *undefined != 0 {
                        let nibble = &mut defined[at / 4];
                        *undefined -= (0xf & !*nibble).count_ones();
                        *nibble = 0xf;
                    }
                    continue;
                }
                self.changes += u64::from(store_lane(data, at, bytes, lane, value));
                define_lane(at, bytes, lane, value, |definition| {
                    define(defined, partial, undefined, definition, access.site);
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
                        lockstep: true,
                        packed: false,
                    };
                    self.strong_shared(global, access, variable, offsets[lane], lane, strong);
                }
                self.finish_strong(global, access, Space::Shared, SHARED_WINDOW + u64::from(start));
            } else if !self.conflicts.is_empty() {
                self.report_conflicts(global.get(), access, Space::Shared, SHARED_WINDOW + u64::from(start));
            }
        }
        self.patterns = patterns;
        if !counted {
            count_slowly(Flow::Store, &offsets, resolved.good(), bytes, outcome);
        }
        if resolved.bad() != 0 {
            self.store_elsewhere(global, access, resolved, value, outcome);
        }
    }

    /// A strong access to shared memory by one lane: the cell, then acquire and release.
    pub(super) fn strong_shared(
        &mut self,
        global: &mut Global<'_>,
        access: &Access,
        variable: usize,
        offset: u32,
        lane: usize,
        strong: Strong,
    ) {
        let start = self.shared.cells_start(variable);
        let time = clock(&mut self.time, global, self.block);
        let mut current =
            CurrentAccess::of_own(time, &self.order, access.warp, access.site, &mut self.conflicts);
        self.shared.cells[variable].strong(&mut current, offset - start, lane, access.bytes, strong);
        synchronise(&mut self.order, time, &mut self.shared.releases, offset, access, lane, strong);
        if self.order.is_visiting() {
            // What is kept for reports is about this block's own.
            return;
        }
        let address = SHARED_WINDOW + u64::from(offset);
        if strong.reads {
            self.signals.seen.add(address);
        }
        if strong.writes && access.mask.is_power_of_two() {
            self.signals.set.add(Flag {
                address,
                stamp: time.now,
                warp: access.warp,
                thread: access.warp * 32 + lane as u16,
                narrow: false,
                base: self.order.base,
                warp_base: self.order.warp_base(access.warp),
                published: Clock::default(),
            });
        }
    }
}

#[inline]
fn count(outcome: &mut Outcome, wavefronts: Wavefronts) {
    outcome.traffic.shared_requests = 1;
    outcome.traffic.wavefronts = wavefronts;
}

/// Counts a load or store whose shape isn't known.
fn count_slowly(flow: Flow, offsets: &[u32; 32], mask: u32, bytes: u8, outcome: &mut Outcome) {
    if mask != 0 {
        count(outcome, traffic::wavefronts(flow, offsets, mask, bytes));
    }
}

/// Counts an atomic.
pub(super) fn count_atomic(
    operation: AtomicOp,
    offsets: &[u32; 32],
    mask: u32,
    bytes: u8,
    outcome: &mut Outcome,
) {
    if mask != 0 {
        count(outcome, traffic::atomic_wavefronts(operation, offsets, mask, bytes));
    }
}
