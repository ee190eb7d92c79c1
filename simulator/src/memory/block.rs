//! One running block's memory: shared, local, and its way to global memory.

use std::sync::Arc;

use crate::{
    finding::{Allocation as AllocationInfo, Kind, Severity, Space},
    findings::{Action, Findings, Message, RawFinding, Reason, ThreadId},
    ir::{AddressSpace, AtomicOp, AtomicType, Scope},
};

use super::{
    Access, Global, GlobalMemory, LOCAL_WINDOW, LaneWords, NULL_PAGE, Outcome, SHARED_WINDOW, SharedLayout,
    WINDOW_BYTES, atomic::apply, global::describe, lanes, layout::SharedVariable, local::LocalMemory,
    overlay::Overlay, traffic,
};

/// The memory of one running block. Can be used for one block after another.
#[derive(Debug)]
pub struct BlockMemory {
    /// What was found so far.
    pub findings: Findings,
    pub(super) block: u32,
    threads: u32,
    layout: Arc<SharedLayout>,
    shared: Vec<u8>,
    /// Per word of shared memory, which bytes are initialised.
    shared_defined: Vec<u8>,
    local: Vec<LocalMemory>,
    pub(super) overlay: Overlay,
    changes: u64,
}

/// Where the lanes of an access go.
struct Spaces {
    global: u32,
    shared: u32,
    local: u32,
}

impl BlockMemory {
    /// Memory for blocks of `threads` threads.
    pub fn new(layout: Arc<SharedLayout>, threads: u32) -> Self {
        let bytes = layout.arena_bytes as usize;
        Self {
            findings: Findings::new(),
            block: 0,
            threads,
            shared: vec![0; bytes],
            shared_defined: vec![0; bytes.div_ceil(4)],
            layout,
            local: vec![LocalMemory::default(); threads.div_ceil(32) as usize],
            overlay: Overlay::default(),
            changes: 0,
        }
    }

    /// Starts a block: shared and local memory are uninitialised, nothing is known about other blocks.
    pub fn begin(&mut self, _global: &mut Global<'_>, block: u32) {
        self.block = block;
        self.shared_defined.fill(0);
        self.local.iter_mut().for_each(LocalMemory::clear);
        self.overlay.clear();
    }

    /// How many stores and atomics to shared memory have changed a value since this memory was made.
    pub fn changes(&self) -> u64 {
        self.changes
    }

    /// Opens a frame of local memory in each lane and gives the lanes' addresses in the local window (add
    /// [`LOCAL_WINDOW`] for generic ones), or the lanes whose stack is full.
    pub fn push_local(&mut self, warp: u16, mask: u32, bytes: u32, alignment: u32) -> Result<[u64; 32], u32> {
        self.local[usize::from(warp)].push(mask, bytes, alignment)
    }

    /// Closes the newest frame of each lane.
    pub fn pop_local(&mut self, warp: u16, mask: u32) {
        self.local[usize::from(warp)].pop(mask);
    }

    /// All live threads of the block meet at a barrier.
    pub fn barrier(&mut self, _global: &mut Global<'_>) {}

    /// Some threads meet at a barrier, given per warp as (warp, lanes that arrive, lanes among them that also wait).
    pub fn barrier_among(&mut self, _global: &mut Global<'_>, _participants: &[(u16, u32, u32)]) {}

    /// `bar.warp.sync` by the lanes of a mask.
    pub fn sync_warp(&mut self, _global: &mut Global<'_>, _warp: u16, _mask: u32) {}

    /// A fence by some lanes of a warp.
    pub fn fence(&mut self, _global: &mut Global<'_>, _warp: u16, _mask: u32, _scope: Scope) {}

    /// A load. Words of lanes outside the mask and of faulted lanes are left alone; poison bits of loaded lanes are set
    /// or cleared.
    pub fn load(&mut self, global: &mut Global<'_>, access: &Access, out: &mut LaneWords) -> Outcome {
        let words = usize::from(access.bytes).div_ceil(4);
        for poison in &mut out.poison[..words] {
            *poison &= !access.mask;
        }
        let mut outcome = Outcome::default();
        let spaces = self.spaces(access);
        if spaces.shared != 0 {
            let (offsets, good) = self.check_shared(access, spaces.shared, Action::Read, &mut outcome);
            for lane in lanes(good) {
                load_lane(
                    &self.shared,
                    &self.shared_defined,
                    offsets[lane] as usize,
                    access.bytes,
                    lane,
                    out,
                );
            }
        }
        if spaces.global != 0 {
            let good = self.check_global(global.get(), access, spaces.global, Action::Read, &mut outcome);
            self.load_global(global.get(), access, good, out);
        }
        if spaces.local != 0 {
            let (offsets, good) = self.check_local(access, spaces.local, Action::Read, &mut outcome);
            for lane in lanes(good) {
                self.local[usize::from(access.warp)].load(lane, offsets[lane], access.bytes, out);
            }
        }
        outcome
    }

    /// A store. Poisoned words leave the bytes uninitialised. Where lanes of one instruction write the same bytes, the
    /// highest lane wins.
    pub fn store(&mut self, global: &mut Global<'_>, access: &Access, value: &LaneWords) -> Outcome {
        let mut outcome = Outcome::default();
        let spaces = self.spaces(access);
        if spaces.shared != 0 {
            let (offsets, good) = self.check_shared(access, spaces.shared, Action::Write, &mut outcome);
            for lane in lanes(good) {
                let at = offsets[lane] as usize;
                let changed = store_lane(&mut self.shared, at, access.bytes, lane, value);
                self.changes += u64::from(changed);
                define_lane(at, access.bytes, lane, value, |word, bits, defined| {
                    let nibble = &mut self.shared_defined[word];
                    *nibble = if defined { *nibble | bits } else { *nibble & !bits };
                });
            }
        }
        if spaces.global != 0 {
            let good = self.check_global(global.get(), access, spaces.global, Action::Write, &mut outcome);
            self.store_global(global, access, good, value);
        }
        if spaces.local != 0 {
            let (offsets, good) = self.check_local(access, spaces.local, Action::Write, &mut outcome);
            for lane in lanes(good) {
                self.local[usize::from(access.warp)].store(lane, offsets[lane], access.bytes, value);
            }
        }
        outcome
    }

    /// An atomic or reduction (`old` is none for a reduction), lane by lane in order. The second operand is for
    /// compare-and-swap. Global atomics need [`Global::Direct`]; on local memory an atomic is a load and a store.
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
        let spaces = self.spaces(access);
        let bytes = access.bytes;
        let mut good = [0u32; 3];
        let mut offsets = [0u32; 32];
        if spaces.shared != 0 {
            let (shared, lanes) = self.check_shared(access, spaces.shared, Action::Atomic, &mut outcome);
            good[0] = lanes;
            offsets = shared;
        }
        if spaces.global != 0 {
            good[1] = self.check_global(global.get(), access, spaces.global, Action::Atomic, &mut outcome);
        }
        if spaces.local != 0 {
            let (local, local_lanes) = self.check_local(access, spaces.local, Action::Atomic, &mut outcome);
            good[2] = local_lanes;
            for lane in lanes(local_lanes) {
                offsets[lane] = local[lane];
            }
        }
        let mut undefined = 0;
        for lane in lanes(good[0] | good[1] | good[2]) {
            let bit = 1 << lane;
            let mut current = LaneWords::ZERO;
            if good[0] & bit != 0 {
                load_lane(
                    &self.shared,
                    &self.shared_defined,
                    offsets[lane] as usize,
                    bytes,
                    lane,
                    &mut current,
                );
            } else if good[1] & bit != 0 {
                self.load_global(global.get(), access, bit, &mut current);
            } else {
                self.local[usize::from(access.warp)].load(lane, offsets[lane], bytes, &mut current);
            }
            let before = current.pair(lane);
            if current.poisoned(bytes) != 0 {
                undefined |= bit;
            }
            let new = apply(operation, kind, before, first.pair(lane), second.pair(lane), good[1] & bit != 0);
            if let Some(old) = old.as_deref_mut() {
                old.words[0][lane] = current.words[0][lane];
                if bytes == 8 {
                    old.words[1][lane] = current.words[1][lane];
                }
                for word in 0..usize::from(bytes).div_ceil(4) {
                    old.poison[word] = old.poison[word] & !bit | current.poison[word];
                }
            }
            let Some(new) = new else { continue };
            let mut value = LaneWords::ZERO;
            value.set_pair(lane, new);
            if good[0] & bit != 0 {
                let at = offsets[lane] as usize;
                self.changes += u64::from(store_lane(&mut self.shared, at, bytes, lane, &value));
                define_lane(at, bytes, lane, &value, |word, bits, _| self.shared_defined[word] |= bits);
            } else if good[1] & bit != 0 {
                self.store_global(global, access, bit, &value);
            } else {
                self.local[usize::from(access.warp)].store(lane, offsets[lane], bytes, &value);
            }
        }
        if undefined != 0 {
            let lane = undefined.trailing_zeros() as usize;
            let (space, allocation) = self.locate(global.get(), access, lane);
            self.report(
                access,
                undefined,
                Kind::UninitializedRead,
                Reason::UndefinedAtomic,
                space,
                allocation,
            );
        }
        outcome
    }

    /// The allocation that an address lies in or is nearest to, as seen by one lane.
    fn locate(&self, global: &GlobalMemory, access: &Access, lane: usize) -> (Space, Option<AllocationInfo>) {
        let address = access.addresses[lane];
        let bit = 1 << lane;
        let spaces = self.spaces(access);
        if spaces.shared & bit != 0 {
            let offset = shared_offset(access, lane);
            let variable = match self.layout.find(offset, access.bytes.into()) {
                Some(index) => self.layout.variables.get(index),
                None => self.layout.nearest(offset),
            };
            (Space::Shared, variable.map(|variable| describe_shared(variable, offset, access.bytes)))
        } else if spaces.local & bit != 0 {
            let offset = local_offset(access, lane);
            let frame = self.local[usize::from(access.warp)].nearest(lane, offset);
            let info = frame.map(|(start, size)| {
                describe("local memory", start.into(), size.into(), offset, access.bytes)
            });
            (Space::Local, info)
        } else {
            let space = match global.find(address, access.bytes.into()) {
                Some(index) => global.allocation(index).space,
                None if access.space == AddressSpace::Constant => Space::Constant,
                None => Space::Global,
            };
            (space, global.nearest(address, access.bytes))
        }
    }

    fn spaces(&self, access: &Access) -> Spaces {
        let mask = access.mask;
        match access.space {
            AddressSpace::Global | AddressSpace::Constant | AddressSpace::Param => {
                Spaces { global: mask, shared: 0, local: 0 }
            }
            AddressSpace::Shared => Spaces { global: 0, shared: mask, local: 0 },
            AddressSpace::Local => Spaces { global: 0, shared: 0, local: mask },
            AddressSpace::Generic => {
                let (mut shared, mut local) = (0, 0);
                for lane in lanes(mask) {
                    let address = access.addresses[lane];
                    shared |= u32::from(address.wrapping_sub(SHARED_WINDOW) < WINDOW_BYTES) << lane;
                    local |= u32::from(address.wrapping_sub(LOCAL_WINDOW) < WINDOW_BYTES) << lane;
                }
                Spaces { global: mask & !shared & !local, shared, local }
            }
        }
    }

    /// Offsets in the shared window, and the lanes whose access is in bounds and aligned.
    fn check_shared(
        &mut self,
        access: &Access,
        mask: u32,
        action: Action,
        outcome: &mut Outcome,
    ) -> ([u32; 32], u32) {
        let mut offsets = [0; 32];
        let (mut stray, mut misaligned) = (0, 0);
        for lane in lanes(mask) {
            let offset = shared_offset(access, lane);
            offsets[lane] = offset;
            if self.layout.find(offset, access.bytes.into()).is_none() {
                stray |= 1 << lane;
            } else if offset % u32::from(access.bytes) != 0 {
                misaligned |= 1 << lane;
            }
        }
        self.report_faults(None, access, stray, misaligned, action, outcome);
        let good = mask & !stray & !misaligned;
        if good != 0 {
            let (wavefronts, ideal) = traffic::wavefronts(&offsets, good, access.bytes);
            outcome.traffic.shared_requests = 1;
            outcome.traffic.wavefronts = wavefronts;
            outcome.traffic.ideal_wavefronts = ideal;
        }
        (offsets, good)
    }

    fn check_local(
        &mut self,
        access: &Access,
        mask: u32,
        action: Action,
        outcome: &mut Outcome,
    ) -> ([u32; 32], u32) {
        let mut offsets = [0; 32];
        let (mut stray, mut misaligned) = (0, 0);
        for lane in lanes(mask) {
            let offset = local_offset(access, lane);
            if !self.local[usize::from(access.warp)].holds(lane, offset, access.bytes) {
                stray |= 1 << lane;
            } else if offset % u64::from(access.bytes) != 0 {
                misaligned |= 1 << lane;
            } else {
                offsets[lane] = offset as u32;
            }
        }
        self.report_faults(None, access, stray, misaligned, action, outcome);
        let good = mask & !stray & !misaligned;
        outcome.traffic.local_requests = u16::from(good != 0);
        (offsets, good)
    }

    /// The lanes whose global access is in bounds, aligned and permitted.
    fn check_global(
        &mut self,
        global: &GlobalMemory,
        access: &Access,
        mask: u32,
        action: Action,
        outcome: &mut Outcome,
    ) -> u32 {
        let (mut stray, mut misaligned, mut read_only) = (0u32, 0u32, 0u32);
        for lane in lanes(mask) {
            let address = access.addresses[lane];
            match global.find(address, access.bytes.into()) {
                None => stray |= 1 << lane,
                Some(_) if address % u64::from(access.bytes) != 0 => misaligned |= 1 << lane,
                Some(index) if action != Action::Read && !global.allocation(index).is_writable() => {
                    read_only |= 1 << lane
                }
                Some(_) => {}
            }
        }
        self.report_faults(Some(global), access, stray, misaligned, action, outcome);
        if read_only != 0 {
            let lane = read_only.trailing_zeros() as usize;
            let (space, allocation) = self.locate(global, access, lane);
            self.report(access, read_only, Kind::OutOfBounds, Reason::ReadOnly(action), space, allocation);
            outcome.faulted |= read_only;
        }
        let good = mask & !stray & !misaligned & !read_only;
        if good != 0 {
            outcome.traffic.global_requests = 1;
            outcome.traffic.sectors = traffic::sectors(&access.addresses, good, access.bytes);
        }
        good
    }

    fn report_faults(
        &mut self,
        global: Option<&GlobalMemory>,
        access: &Access,
        stray: u32,
        misaligned: u32,
        action: Action,
        outcome: &mut Outcome,
    ) {
        if stray | misaligned == 0 {
            return;
        }
        outcome.faulted |= stray | misaligned;
        let nothing = GlobalMemory::new();
        let global = global.unwrap_or(&nothing);
        // Lanes that miss different allocations are different findings.
        let mut rest = stray;
        while rest != 0 {
            let lane = rest.trailing_zeros() as usize;
            let (space, allocation) = self.locate(global, access, lane);
            let null = |lane: usize| space == Space::Global && access.addresses[lane] < NULL_PAGE;
            let name = allocation.as_ref().map(|a| a.name.clone());
            let side = allocation.as_ref().map(|a| a.offset < 0);
            let alike = lanes(rest)
                .filter(|&other| {
                    let (_, theirs) = self.locate(global, access, other);
                    null(other) == null(lane)
                        && theirs.as_ref().map(|a| &a.name) == name.as_ref()
                        && theirs.as_ref().map(|a| a.offset < 0) == side
                })
                .fold(0, |all, lane| all | 1u32 << lane);
            let reason = if null(lane) { Reason::Null(action) } else { Reason::Stray(action) };
            self.report(access, alike, Kind::OutOfBounds, reason, space, allocation);
            rest &= !alike;
        }
        if misaligned != 0 {
            let lane = misaligned.trailing_zeros() as usize;
            let (space, allocation) = self.locate(global, access, lane);
            let reason = Reason::Misaligned(action, access.bytes);
            self.report(access, misaligned, Kind::Misaligned, reason, space, allocation);
        }
    }

    fn report(
        &mut self,
        access: &Access,
        mask: u32,
        kind: Kind,
        reason: Reason,
        space: Space,
        allocation: Option<AllocationInfo>,
    ) {
        self.findings.add(RawFinding {
            kind,
            severity: Severity::Error,
            space: Some(space),
            site: Some(access.site),
            other: None,
            threads: lanes(mask)
                .take(4)
                .map(|lane| ThreadId { block: self.block, thread: u32::from(access.warp) * 32 + lane as u32 })
                .collect(),
            address: Some(access.addresses[mask.trailing_zeros() as usize]),
            allocation,
            count: mask.count_ones().into(),
            message: Message::Memory(reason),
        });
    }

    fn load_global(&self, global: &GlobalMemory, access: &Access, mask: u32, out: &mut LaneWords) {
        for lane in lanes(mask) {
            let address = access.addresses[lane];
            let Some(index) = global.find(address, access.bytes.into()) else { continue };
            let allocation = global.allocation(index);
            let offset = (address - allocation.address) as usize;
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

    fn store_global(&mut self, global: &mut Global<'_>, access: &Access, mask: u32, value: &LaneWords) {
        for lane in lanes(mask) {
            let address = access.addresses[lane];
            let Some(index) = global.get().find(address, access.bytes.into()) else { continue };
            match global {
                Global::Direct(global) => {
                    let allocation = global.allocation_mut(index);
                    let offset = (address - allocation.address) as usize;
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
                    let offset = (address - allocation.address) as usize;
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
    }

    /// Threads in the block.
    pub fn threads(&self) -> u32 {
        self.threads
    }
}

impl GlobalMemory {
    /// Starts a launch: everything before it is ordered before everything in it.
    pub fn begin_launch(&mut self) {}

    /// Publishes what a finished block wrote through its overlay. Call in block order.
    pub fn commit(&mut self, block: &mut BlockMemory) {
        for page in block.overlay.touched() {
            if !page.copied {
                continue;
            }
            let index = self.allocation_of_page(page.number);
            let allocation = self.allocation_mut(index);
            let start = (page.number - allocation.first_page) as usize * Overlay::PAGE_BYTES as usize;
            for (word, &written) in page.written.iter().enumerate() {
                if written == 0 {
                    continue;
                }
                for byte in (0..4).filter(|byte| written >> byte & 1 == 1) {
                    allocation.data[start + 4 * word + byte] = page.data[4 * word + byte];
                }
                let at = start / 4 + word;
                allocation.define(at, written & page.defined[word], true);
                allocation.define(at, written & !page.defined[word], false);
            }
        }
        block.overlay.clear();
    }
}

fn describe_shared(variable: &SharedVariable, offset: u32, bytes: u8) -> AllocationInfo {
    // Shared addresses are 32 bits wide: one just below 2^32 is before the first variable, not far behind the last.
    let offset = i64::from(offset as i32);
    describe(&variable.name, variable.offset.into(), variable.bytes.into(), offset as u64, bytes)
}

fn shared_offset(access: &Access, lane: usize) -> u32 {
    match access.space {
        AddressSpace::Generic => (access.addresses[lane] - SHARED_WINDOW) as u32,
        _ => access.addresses[lane] as u32,
    }
}

fn local_offset(access: &Access, lane: usize) -> u64 {
    match access.space {
        AddressSpace::Generic => access.addresses[lane] - LOCAL_WINDOW,
        _ => access.addresses[lane],
    }
}

#[inline]
fn load_lane(data: &[u8], defined: &[u8], at: usize, bytes: u8, lane: usize, out: &mut LaneWords) {
    if bytes >= 4 {
        for part in 0..usize::from(bytes) / 4 {
            let start = at + 4 * part;
            out.words[part][lane] =
                u32::from_le_bytes([data[start], data[start + 1], data[start + 2], data[start + 3]]);
            out.poison[part] |= u32::from(defined[start / 4] != 0xf) << lane;
        }
        return;
    }
    let high = if bytes == 2 { u32::from(data[at + 1]) << 8 } else { 0 };
    out.words[0][lane] = u32::from(data[at]) | high;
    let bits = (if bytes == 1 { 1 } else { 3 }) << (at % 4);
    out.poison[0] |= u32::from(defined[at / 4] & bits != bits) << lane;
}

/// True if the bytes changed.
#[inline]
fn store_lane(data: &mut [u8], at: usize, bytes: u8, lane: usize, value: &LaneWords) -> bool {
    let mut changed = false;
    let width = usize::from(bytes.min(4));
    for part in 0..usize::from(bytes).div_ceil(4) {
        let target = &mut data[at + 4 * part..at + 4 * part + width];
        let new = &value.words[part][lane].to_le_bytes()[..width];
        changed |= target != new;
        target.copy_from_slice(new);
    }
    changed
}

/// Calls with (word, bits, defined) for every word that the lane's store covers.
#[inline]
fn define_lane(
    at: usize,
    bytes: u8,
    lane: usize,
    value: &LaneWords,
    mut define: impl FnMut(usize, u8, bool),
) {
    let bits = if bytes >= 4 { 0xf } else { ((1u8 << bytes) - 1) << (at % 4) };
    for part in 0..usize::from(bytes).div_ceil(4) {
        define(at / 4 + part, bits, value.poison[part] >> lane & 1 == 0);
    }
}
