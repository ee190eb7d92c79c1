//! A block's accesses to the shared memory of other blocks of its cluster.
//!
//! An access is made on the owner's memory, with this block's clocks: cells remember whose an access was by its stamp, so
//! races across blocks are found as those within one are. Besides, a block's shared memory exists only from when its
//! block has begun until the last of its threads has left. Whoever accesses it must know of the one, by a barrier of
//! the cluster or by what such a one orders, and some thread of the owner must know of the access before it leaves. Both are
//! errors also where this run was lucky.
//!
//! What such accesses cost is not counted: they go through the network between multiprocessors, of whose requests the
//! hardware's counters for shared memory are not known to say anything.
//!
//! A bulk copy may go to another block. It becomes one of that block's copies, whose mbarrier says when it has arrived; only
//! what it overwrites is compared by what the beginning thread knows.
//!
//! May miss: races of loads and stores from here with asynchronous copies into that memory.

use crate::{
    finding::FindingKind,
    findings::{Action, Reason},
};

use super::{
    super::{
        Access, Global, GlobalMemory, LaneWords, Outcome, Site,
        cluster::{Tiling, owner, within},
        knowledge::Knowledge,
        lanes,
        mbarrier::Reply,
        resolve::{Resolved, Spaces, shared_offsets},
    },
    BlockMemory,
    bulk::BulkCopy,
    clock,
};
use crate::{
    finding::{Severity, Space},
    findings::{Message, RawFinding, ThreadId},
    ir::{AddressSpace, AtomicOp, AtomicType},
};

/// A thread's last access to the shared memory of another block.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Visit {
    stamp: u32,
    site: Site,
    action: Action,
    offset: u32,
    bytes: u8,
}

/// What threads bring to a barrier of the cluster, or take from it.
#[derive(Clone, Debug, Default)]
pub struct Brought(Knowledge);

impl Brought {
    /// Takes in what others bring.
    pub fn join(&mut self, other: &Brought) {
        self.0.join(&other.0);
    }
}

impl BlockMemory {
    /// The same in a launch that is divided into clusters so.
    pub fn in_clusters(mut self, tiling: Tiling) -> Self {
        self.order.share(tiling);
        self
    }

    /// Lends the block's shared memory to the others of its cluster, or takes it back.
    pub fn lend(&mut self, memory: &mut GlobalMemory, has_left: bool) {
        let Some(tiling) = self.order.tiling() else { return };
        let peer = memory.peers.peer(tiling.rank(self.block));
        std::mem::swap(&mut peer.memory, &mut self.shared);
        std::mem::swap(&mut peer.copies, &mut self.order.copies);
        peer.has_left = has_left;
    }

    /// Ends a turn: others may look at the shared memory now.
    pub fn end_turn(&mut self, global: &mut Global<'_>) {
        self.settle_reads(global);
    }

    /// Lanes arrive at the barrier of the cluster; `relaxed`: only what they have fenced is made known.
    pub fn arrive_at_cluster(&mut self, global: &mut Global<'_>, warp: u16, mask: u32, relaxed: bool) {
        self.settle_reads(global);
        let knowledge =
            self.order.arrive_at_cluster(clock(&mut self.time, global, self.block), warp, mask, relaxed);
        self.arrivals.to_cluster.join(&Brought(knowledge));
    }

    /// What the block's threads have brought to the present phase.
    pub fn take_brought(&mut self) -> Brought {
        std::mem::take(&mut self.arrivals.to_cluster)
    }

    /// A phase is over: what all have brought who arrived.
    pub fn end_cluster_phase(&mut self, brought: &Brought) {
        self.arrivals.of_cluster = brought.clone();
    }

    /// Lanes have waited for the end of a phase.
    pub fn leave_cluster_barrier(&mut self, global: &mut Global<'_>, warp: u16, mask: u32) {
        self.settle_reads(global);
        let time = clock(&mut self.time, global, self.block);
        self.order.complete(time, &[&self.arrivals.of_cluster.0], &[(warp, mask)]);
    }

    /// The lanes of an access to shared memory by whom it belongs to: none for this block. Addresses of ranks that the
    /// cluster lacks are among the block's own, where they fall in no variable.
    fn by_owner(&self, access: &Access, mask: u32) -> Vec<(Option<u32>, u32)> {
        let mut groups: Vec<(Option<u32>, u32)> = Vec::new();
        let tiling = self.order.tiling().filter(|_| access.space != AddressSpace::Shared);
        let offsets = shared_offsets(access);
        for lane in lanes(mask) {
            let rank = tiling.and_then(|tiling| owner(offsets[lane]).filter(|&rank| rank < tiling.blocks()));
            match groups.iter_mut().find(|group| group.0 == rank) {
                Some(group) => group.1 |= 1 << lane,
                None => groups.push((rank, 1 << lane)),
            }
        }
        groups
    }

    /// Takes lanes that go to other blocks from those that fall in no variable.
    fn elsewhere(&self, access: &Access, resolved: &mut Resolved) -> Vec<(u32, u32)> {
        if self.order.tiling().is_none() {
            return Vec::new();
        }
        let mask = resolved.stray & Spaces::of(access).shared;
        let groups = self.by_owner(access, mask);
        let groups: Vec<(u32, u32)> =
            groups.into_iter().filter_map(|(rank, lanes)| Some((rank?, lanes))).collect();
        resolved.stray &= !groups.iter().fold(0, |all, group| all | group.1);
        groups
    }

    /// What is left of a load that some lanes make from no variable of this block.
    #[cold]
    #[inline(never)]
    pub(super) fn load_elsewhere(
        &mut self,
        global: &mut Global<'_>,
        access: &Access,
        mut resolved: Resolved,
        out: &mut LaneWords,
        outcome: &mut Outcome,
    ) {
        for (rank, lanes) in self.elsewhere(access, &mut resolved) {
            outcome.faulted |=
                self.visit(global, access, (rank, lanes), Action::Read, |this, global, access| {
                    this.load_out_of_line(global, access, out).faulted
                });
        }
        self.check(global.get(), access, &resolved, Action::Read, outcome);
    }

    /// The same for a store.
    #[cold]
    #[inline(never)]
    pub(super) fn store_elsewhere(
        &mut self,
        global: &mut Global<'_>,
        access: &Access,
        mut resolved: Resolved,
        value: &LaneWords,
        outcome: &mut Outcome,
    ) {
        for (rank, lanes) in self.elsewhere(access, &mut resolved) {
            outcome.faulted |=
                self.visit(global, access, (rank, lanes), Action::Write, |this, global, access| {
                    this.store_out_of_line(global, access, value).faulted
                });
        }
        self.check(global.get(), access, &resolved, Action::Write, outcome);
    }

    /// The same for an atomic.
    #[cold]
    #[inline(never)]
    #[expect(clippy::too_many_arguments, reason = "an atomic has this many parts")]
    pub(super) fn atomic_elsewhere(
        &mut self,
        global: &mut Global<'_>,
        access: &Access,
        resolved: &mut Resolved,
        (operation, kind): (AtomicOp, AtomicType),
        [first, second]: [&LaneWords; 2],
        mut old: Option<&mut LaneWords>,
        outcome: &mut Outcome,
    ) {
        for (rank, lanes) in self.elsewhere(access, resolved) {
            let old = old.as_deref_mut();
            outcome.faulted |=
                self.visit(global, access, (rank, lanes), Action::Atomic, |this, global, access| {
                    this.atomic(global, access, operation, kind, first, second, old).faulted
                });
        }
    }

    /// An operation on mbarriers, each where it lies.
    pub(super) fn on_mbarriers(
        &mut self,
        global: &mut Global<'_>,
        access: &Access,
        mut operate: impl FnMut(&mut Self, &mut Global<'_>, &Access) -> Reply,
    ) -> Reply {
        if self.order.tiling().is_none() {
            return operate(self, global, access);
        }
        let mut reply = Reply::default();
        for (rank, lanes) in self.by_owner(access, access.mask) {
            let part = match rank {
                None => operate(self, global, &Access { mask: lanes, ..access.clone() }),
                Some(rank) => self.visit(global, access, (rank, lanes), Action::Atomic, &mut operate),
            };
            reply.faulted |= part.faulted;
            reply.misuse = reply.misuse.or(part.misuse);
        }
        reply
    }

    /// Makes the access of some lanes to the shared memory of the block of a rank.
    fn visit<R>(
        &mut self,
        global: &mut Global<'_>,
        access: &Access,
        (rank, mask): (u32, u32),
        action: Action,
        work: impl FnOnce(&mut Self, &mut Global<'_>, &Access) -> R,
    ) -> R {
        let offsets = shared_offsets(access);
        let local = Access {
            space: AddressSpace::Shared,
            addresses: offsets.map(|offset| within(offset).into()),
            mask,
            ..*access
        };
        let is_own = self.order.tiling().is_some_and(|tiling| tiling.rank(self.block) == rank);
        if is_own {
            // A pointer that another block has handed over.
            let outer = std::mem::replace(&mut self.attendance.is_part, true);
            let done = work(self, global, &local);
            self.attendance.is_part = outer;
            return done;
        }
        self.away(global, &local, rank, action, |this, global, has_left| {
            // What releases ends with its own time.
            let stamp = clock(&mut this.time, global, this.block).now;
            let done = work(this, global, &local);
            for lane in lanes(if has_left { 0 } else { mask }) {
                let thread = access.warp * 32 + lane as u16;
                let offset = within(offsets[lane]);
                let visit = Visit { stamp, site: access.site, action, offset, bytes: access.bytes };
                this.shared.visits.insert((this.block, thread), visit);
            }
            done
        })
    }

    /// A bulk copy goes to the shared memory of the block of a rank, where its bytes count for an mbarrier. Both offsets are
    /// within that memory. False if it can't be made.
    pub fn copy_to(
        &mut self,
        global: &mut Global<'_>,
        copy: &BulkCopy,
        barrier: u64,
        rank: u32,
        value: &mut LaneWords,
    ) -> (bool, Reply) {
        self.at_rank(global, copy, rank, |this, global| this.copy_in(global, copy, barrier, value))
    }

    /// Does to the shared memory of the block of a rank what a copy into it does.
    pub(super) fn at_rank<R>(
        &mut self,
        global: &mut Global<'_>,
        copy: &BulkCopy,
        rank: u32,
        work: impl FnOnce(&mut Self, &mut Global<'_>) -> R,
    ) -> R {
        if self.order.tiling().is_none_or(|tiling| tiling.rank(self.block) == rank) {
            return work(self, global);
        }
        let access = copy.shared_piece(copy.shared as u32);
        self.away(global, &access, rank, Action::Write, |this, global, _| work(this, global))
    }

    /// Does something to the shared memory of another block, of which an access tells where.
    fn away<R>(
        &mut self,
        global: &mut Global<'_>,
        access: &Access,
        rank: u32,
        action: Action,
        work: impl FnOnce(&mut Self, &mut Global<'_>, bool) -> R,
    ) -> R {
        let outer = std::mem::replace(&mut self.attendance.is_part, true);
        let has_left = self.change_places(global, rank);
        let found = self.findings.count();
        let done = work(self, global, has_left);
        self.settle_reads(global);
        let (home, begun) = (self.shared.block, self.shared.begun);
        let order = &self.order;
        let unaware = |&lane: &usize| !order.clocks_know(access.warp, lane, home, 0, begun);
        let unaware = lanes(access.mask).filter(unaware).fold(0, |all, lane| all | 1u32 << lane);
        if has_left {
            self.report(global.get(), access, access.mask, FindingKind::Race, Reason::OwnerLeft(action));
        } else if unaware != 0 && self.findings.count() == found {
            // What is wrong besides, a race above all, says it better.
            self.report(global.get(), access, unaware, FindingKind::Race, Reason::OwnerAbsent(action));
        }
        self.change_places(global, rank);
        self.attendance.is_part = outer;
        done
    }

    /// This block's shared memory and that of a rank change places, with the copies into them. Says whether that one's block has left the kernel.
    fn change_places(&mut self, global: &mut Global<'_>, rank: u32) -> bool {
        let Global::Direct(memory) = global else {
            unreachable!("blocks of clusters take turns on memory itself")
        };
        let peer = memory.peers.peer(rank);
        std::mem::swap(&mut peer.memory, &mut self.shared);
        std::mem::swap(&mut peer.copies, &mut self.order.copies);
        self.order.visit(!self.order.is_visiting());
        peer.has_left
    }

    /// All threads have left: reports accesses by other blocks that nobody here knows of, so that they may come later.
    pub fn leave_visitors(&mut self) {
        let visits = std::mem::take(&mut self.shared.visits);
        for ((block, thread), visit) in visits {
            if self.order.somebody_knows((block, thread), visit.stamp) {
                continue;
            }
            let allocation = self.shared.allocation(visit.offset, visit.bytes, true);
            self.findings.add(RawFinding {
                kind: FindingKind::Race,
                severity: Severity::Error,
                space: Some(Space::Shared),
                site: Some(visit.site),
                other: None,
                threads: vec![ThreadId { block, thread: thread.into() }],
                address: Some(visit.offset.into()),
                allocation,
                element: 0,
                count: 1,
                message: Message::Memory(Reason::OwnerLeft(visit.action)),
            });
        }
    }
}
