//! From faults and conflicts to findings.

use crate::{
    finding::{Allocation, FindingKind, Severity, Space},
    findings::{Action, Message, NarrowScopes, RaceCause, RawFinding, Reason, Sides, Spelled, ThreadId},
    ir::AddressSpace,
};

use super::{
    Access, BlockMemory, GlobalMemory, LOCAL_LIMIT, LOCAL_WINDOW, NULL_PAGE, SHARED_WINDOW,
    asynchronous::UNDER_WAY,
    cluster::{owner, within},
    flags::Lack,
    global::describe,
    lanes,
    partial::{Entry, Passed},
    resolve::{LaneSpace, Resolved, Spaces, local_offset, shared_offset, shared_offsets},
    shadow::Conflict,
    shared::SharedMemory,
};

impl BlockMemory {
    /// The allocation that a lane's address lies in or is nearest to.
    #[cold]
    pub(crate) fn locate(
        &self,
        global: &GlobalMemory,
        access: &Access,
        lane: usize,
    ) -> (Space, Option<Allocation>) {
        let address = access.addresses[lane];
        let space = LaneSpace::of(access, lane);
        if self.nobodys(access, 1 << lane) != 0 {
            (Space::Shared, None)
        } else if space == LaneSpace::Shared {
            let (memory, offset) = self.place(global, access, lane);
            let another = self.order.is_visiting() || !std::ptr::eq(memory, &raw const self.shared);
            (Space::Shared, memory.allocation(offset, access.bytes, another))
        } else if space == LaneSpace::Local {
            let memory = &self.local[usize::from(access.warp)];
            let offset = local_offset(memory, access, lane);
            if memory.is_anothers(lane, offset) {
                return (Space::Local, None);
            }
            let frame = memory.nearest(lane, offset);
            let info = frame.map(|(start, size)| {
                describe("local memory", start.into(), size.into(), offset, access.bytes)
            });
            (Space::Local, info)
        } else {
            // A generic address names no space: the allocation that is meant tells.
            let space = match access.space {
                AddressSpace::Constant => Space::Constant,
                AddressSpace::Param => Space::Param,
                _ => global.nearest_space(address).unwrap_or(Space::Global),
            };
            (space, global.nearest(address, access.bytes))
        }
    }

    /// Whose shared memory a lane accesses, and where in it.
    fn place<'a>(
        &'a self,
        global: &'a GlobalMemory,
        access: &Access,
        lane: usize,
    ) -> (&'a SharedMemory, u32) {
        let offset = shared_offset(access, lane);
        let tiling = self.order.tiling().filter(|_| access.space != AddressSpace::Shared);
        let rank = tiling.and_then(|tiling| owner(offset).filter(|&rank| rank < tiling.blocks()));
        match rank.filter(|&rank| tiling.is_some_and(|tiling| tiling.rank(self.block) != rank)) {
            Some(rank) => (global.peers.look(rank).unwrap_or(&self.shared), within(offset)),
            None => (&self.shared, if rank.is_some() { within(offset) } else { offset }),
        }
    }

    /// What a store left of a byte that is not initialised; none if none was ever made to it.
    #[cold]
    pub(crate) fn left(&self, global: &GlobalMemory, access: &Access, lane: usize, at: u64) -> Option<Entry> {
        let address = access.addresses[lane].wrapping_add(at);
        let entry = match LaneSpace::of(access, lane) {
            LaneSpace::Shared => {
                let (memory, offset) = self.place(global, access, lane);
                memory.partial.get(((u64::from(offset) + at) / 4) as u32)
            }
            LaneSpace::Local => {
                let memory = &self.local[usize::from(access.warp)];
                memory.left(lane, (local_offset(memory, access, lane) + at) as u32)
            }
            LaneSpace::Global => self.left_in_global(global, address),
        };
        entry.filter(|entry| entry.stored >> (address % 4) & 1 == 1)
    }

    /// An address as a thread on a GPU has it, where nothing tells whose local memory it is in.
    #[cold]
    pub(crate) fn shown(&self, access: &Access, lane: usize) -> u64 {
        let address = access.addresses[lane];
        if access.space != AddressSpace::Generic || !self.is_local(access, lane) {
            return address;
        }
        LOCAL_WINDOW + (address - LOCAL_WINDOW) % u64::from(LOCAL_LIMIT)
    }

    /// A lane accesses its own memory.
    #[cold]
    pub(crate) fn is_local(&self, access: &Access, lane: usize) -> bool {
        LaneSpace::of(access, lane) == LaneSpace::Local
    }

    /// The last store to a word of the block's own memory left what comes from there.
    #[cold]
    pub(crate) fn pass(&mut self, access: &Access, lane: usize, at: u64, passed: Passed) {
        let space = LaneSpace::of(access, lane);
        if space == LaneSpace::Shared {
            let offset = shared_offset(access, lane);
            if self.order.tiling().is_some() && owner(offset).is_some() {
                // In another block's, of which it need not be known where a value came from.
                return;
            }
            let offset = u64::from(offset) + at;
            self.shared.partial.pass((offset / 4) as u32, passed);
        } else if space == LaneSpace::Local {
            let memory = &mut self.local[usize::from(access.warp)];
            let offset = local_offset(memory, access, lane) + at;
            memory.pass(lane, offset as u32, passed);
        }
    }

    /// Lanes whose address is one of shared memory for a rank that the cluster does not have.
    fn nobodys(&self, access: &Access, mask: u32) -> u32 {
        let shared = Spaces::of(access).shared;
        if access.space == AddressSpace::Shared || mask & shared == 0 {
            return 0;
        }
        let blocks = self.order.tiling().map_or(1, |tiling| tiling.blocks());
        let offsets = shared_offsets(access);
        let is_nobodys = |&lane: &usize| {
            // Not what only is far behind the own variables.
            let in_variable = self.shared.layout.find(within(offsets[lane]), 1).is_some();
            in_variable && owner(offsets[lane]).is_some_and(|rank| rank >= blocks)
        };
        lanes(mask & shared).filter(is_nobodys).fold(0, |all, lane| all | 1 << lane)
    }

    /// Lanes whose address is one of another thread's local memory.
    fn anothers(&self, access: &Access, mask: u32) -> u32 {
        let memory = &self.local[usize::from(access.warp)];
        let is_anothers = |&lane: &usize| memory.is_anothers(lane, local_offset(memory, access, lane));
        lanes(mask & Spaces::of(access).local).filter(is_anothers).fold(0, |all, lane| all | 1 << lane)
    }

    /// Reports what [`Resolved`] found wrong.
    #[cold]
    pub(super) fn report_faults(
        &mut self,
        global: &GlobalMemory,
        access: &Access,
        resolved: &Resolved,
        action: Action,
    ) {
        // Lanes that miss different allocations are different findings.
        let mut rest = resolved.stray;
        let nobodys = self.nobodys(access, rest);
        if nobodys != 0 {
            let blocks = self.order.tiling().map_or(1, |tiling| tiling.blocks());
            let reason = Reason::NoSuchRank(action, blocks);
            self.report(global, access, nobodys, FindingKind::OutOfBounds, reason);
            rest &= !nobodys;
        }
        let anothers = self.anothers(access, rest);
        if anothers != 0 {
            self.report(global, access, anothers, FindingKind::OutOfBounds, Reason::AnothersLocal(action));
            rest &= !anothers;
        }
        while rest != 0 {
            let lane = rest.trailing_zeros() as usize;
            let (space, allocation) = self.locate(global, access, lane);
            let key = |space: Space, allocation: &Option<Allocation>, lane: usize| {
                let null = space == Space::Global && access.addresses[lane] < NULL_PAGE;
                let aligned = access.addresses[lane].is_multiple_of(access.bytes.into());
                (null, allocation.as_ref().map(|a| (a.name.clone(), a.offset < 0)), aligned)
            };
            let this = key(space, &allocation, lane);
            let mut alike = 0;
            for other in lanes(rest) {
                let (space, theirs) = self.locate(global, access, other);
                if key(space, &theirs, other) == this {
                    alike |= 1 << other;
                }
            }
            let reason = match this {
                (true, ..) => Reason::Null(action),
                (.., aligned) => Reason::Stray(action, if aligned { 0 } else { access.bytes }),
            };
            self.report(global, access, alike, FindingKind::OutOfBounds, reason);
            rest &= !alike;
        }
        if resolved.misaligned != 0 {
            let reason = Reason::Misaligned(action, access.bytes);
            self.report(global, access, resolved.misaligned, FindingKind::Misaligned, reason);
        }
        if resolved.read_only != 0 {
            self.report(
                global,
                access,
                resolved.read_only,
                FindingKind::OutOfBounds,
                Reason::ReadOnly(action),
            );
        }
    }

    /// Reports one finding of some lanes.
    pub(super) fn report(
        &mut self,
        global: &GlobalMemory,
        access: &Access,
        mask: u32,
        kind: FindingKind,
        reason: Reason,
    ) {
        let lane = mask.trailing_zeros() as usize;
        let (space, allocation) = self.locate(global, access, lane);
        self.findings.add(RawFinding {
            kind,
            severity: Severity::Error,
            space: Some(space),
            site: Some(access.site),
            other: None,
            threads: lanes(mask).take(4).map(|lane| self.thread(access.warp, lane)).collect(),
            address: Some(self.shown(access, lane)),
            allocation,
            element: self.element,
            count: mask.count_ones().into(),
            message: Message::Memory(reason),
        });
    }

    fn thread(&self, warp: u16, lane: usize) -> ThreadId {
        ThreadId { block: self.block, thread: u32::from(warp) * 32 + lane as u32 }
    }

    /// Reports and forgets the conflicts that the shadow found. `origin` is the generic
    /// address of the cells' start.
    #[cold]
    pub(super) fn report_conflicts(
        &mut self,
        global: &GlobalMemory,
        access: &Access,
        space: Space,
        origin: u64,
    ) {
        let mut conflicts = std::mem::take(&mut self.conflicts);
        for conflict in conflicts.drain(..) {
            let address = origin + u64::from(conflict.offset);
            let mut cause = self.cause(global, access, space, &conflict);
            let allocation = match space {
                Space::Shared => {
                    let offset = (address - SHARED_WINDOW) as u32;
                    let variables = &self.shared.layout.variables;
                    let variable = self.shared.layout.find(offset, 1).map(|index| &variables[index]);
                    if variable.is_some_and(|variable| variable.is_the_systems()) {
                        cause = RaceCause::InHeader;
                    }
                    variable.and_then(|_| self.shared.allocation(offset, 1, self.order.is_visiting()))
                }
                _ => global.nearest(address, 1),
            };
            let severity = match cause {
                _ if conflict.same_value => Severity::Note,
                RaceCause::InHeader => Severity::Note,
                _ => Severity::Error,
            };
            if severity == Severity::Error && conflict.this == Action::Read && self.attendance.is_replay() {
                self.attend_race(access, conflict.lanes, conflict.other);
            }
            self.findings.add(RawFinding {
                kind: FindingKind::Race,
                severity,
                space: Some(space),
                site: Some(access.site),
                other: Some(conflict.other_site),
                threads: vec![
                    self.thread(access.warp, conflict.lane),
                    ThreadId { block: conflict.other_block, thread: conflict.other_thread.into() },
                ],
                address: Some(address),
                allocation,
                element: self.element,
                count: conflict.lanes.count_ones().into(),
                message: Message::Memory(Reason::Race(
                    conflict.this,
                    conflict.other,
                    conflict.same_value,
                    cause,
                )),
            });
        }
        self.conflicts = conflicts;
    }

    fn cause(&self, global: &GlobalMemory, access: &Access, space: Space, conflict: &Conflict) -> RaceCause {
        let own_block = conflict.other_block == self.block;
        let own_warp = own_block && conflict.other_thread / 32 == access.warp;
        if conflict.initialises {
            return RaceCause::BarrierInit;
        }
        if conflict.cluster_scope {
            return RaceCause::BeyondCluster;
        }
        if conflict.scopes {
            let unknown = |narrow: bool| narrow.then_some(Spelled::Unknown);
            return RaceCause::AtomicScope(NarrowScopes(conflict.narrow.map(unknown)));
        }
        if conflict.widths {
            return RaceCause::AtomicWidth;
        }
        if conflict.volatile {
            return RaceCause::VolatileInWarp;
        }
        if let Some(what) = conflict.by_proxy.filter(|_| conflict.unfenced) {
            return RaceCause::ProxyFence(what);
        }
        let (writer, stamp) = ((conflict.other_block, conflict.other_thread), conflict.other_stamp);
        let lane = conflict.lane;
        if conflict.unacquired
            && let Some(reach) = self.order.narrow_fence(access.warp, lane, writer, stamp)
        {
            return RaceCause::NarrowAcquire(reach);
        }
        let other_is_copy = stamp >= UNDER_WAY;
        if (!other_is_copy || own_block && !self.order.is_visiting())
            && let Some(relaxed) = self.order.relaxed_between(access.warp, lane, writer, stamp)
        {
            return RaceCause::RelaxedBetween(relaxed, Sides { this: conflict.by_proxy, other_is_copy });
        }
        if conflict.unacquired {
            return RaceCause::MissingAcquire;
        }
        if conflict.other_stamp >= UNDER_WAY && self.order.copies.get(conflict.other_stamp).in_bulk {
            return RaceCause::BulkUnderWay;
        }
        if space == Space::Shared && !own_block {
            return RaceCause::AcrossCluster;
        }
        let both_write = conflict.this == Action::Write && conflict.other == Action::Write;
        if let Some(what) = conflict.by_proxy.filter(|_| own_block) {
            return RaceCause::ByProxy(what);
        }
        if conflict.other_stamp >= UNDER_WAY {
            // Lanes of one copy are compared with each other while it begins.
            let begins = both_write && conflict.other_site == access.site && own_warp;
            let itself = access.warp * 32 + conflict.lane as u16 == conflict.other_thread;
            return if begins && !itself { RaceCause::SameInstruction } else { RaceCause::UnderWay };
        }
        if own_warp
            && both_write
            && conflict.other_site == access.site
            && conflict.other_stamp == self.now(global)
        {
            return RaceCause::SameInstruction;
        }
        if own_warp {
            return RaceCause::SameWarp;
        }
        if own_block {
            let me = access.warp * 32 + lane as u16;
            if let Some((id, count)) = self.other_round(me, conflict.other_thread, stamp) {
                return RaceCause::OtherRound(id, count);
            }
            return match self.signals.set.lack(&self.signals.seen, writer, stamp, true) {
                Some(_) => RaceCause::MissingRelease,
                None => RaceCause::SameBlock,
            };
        }
        let flags = global.flags.get(&conflict.other_block);
        match flags.and_then(|flags| flags.lack(&self.signals.seen, writer, stamp, false)) {
            None => RaceCause::AcrossBlocks,
            Some(Lack::Fence) => RaceCause::MissingRelease,
            Some(Lack::Scope)
                if self.order.tiling().is_some() && !self.order.is_in_cluster(conflict.other_block) =>
            {
                RaceCause::BeyondCluster
            }
            Some(Lack::Scope) => RaceCause::NarrowScope,
            Some(Lack::Writer) => RaceCause::FlagOfAnother,
            Some(Lack::Nothing) if self.order.anybody_knows(writer, stamp) => RaceCause::SeenByAnother,
            Some(Lack::Nothing) => RaceCause::FlagNotSeen,
        }
    }
}
