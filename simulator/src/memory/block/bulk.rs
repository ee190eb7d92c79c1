//! Bulk copies: one thread's copy of many bytes between global and shared memory, by the asynchronous proxy.
//!
//! May miss: a copy in of what the same launch wrote to global memory, with no fence between the proxies on the way; and an access
//! to what a reduction still updates, by another thread that knows that it has begun and not that it has ended.

use crate::{
    finding::{FindingKind, Severity, Space},
    findings::{Action, Decides, Message, Proxied, RaceCause, RawFinding, Reason, Source, ThreadId},
    ir::{AddressSpace, AtomicOp, AtomicType, Order, Scope},
};

use super::{
    super::{
        Access, Global, LaneWords, Outcome, SHARED_WINDOW,
        bulk::{Beginner, OutgoingWork, PIECE},
        data::{define_lane, load_lane, store_lane},
        mbarrier::{Misuse, Reply},
        resolve::{self, shared_offsets},
        shadow::CurrentAccess,
        tile::{GlobalSide, Piece, aligned, elements},
    },
    BlockMemory, clock,
};

/// One bulk copy.
#[derive(Clone, Debug)]
pub struct BulkCopy {
    /// Who begins it.
    pub by: Beginner,
    /// Where it begins in shared memory, as an offset.
    pub shared: u64,
    /// What it is in global memory.
    pub global: GlobalSide,
    /// How many bytes it takes in shared memory.
    pub bytes: u32,
}

impl BulkCopy {
    /// An access by its thread.
    fn access(&self, space: AddressSpace, address: u64, bytes: u8) -> Access {
        let mut addresses = [0; 32];
        addresses[self.by.lane] = address;
        Access {
            space,
            addresses,
            mask: 1 << self.by.lane,
            bytes,
            order: Order::Weak,
            scope: Scope::System,
            site: self.by.site,
            warp: self.by.warp,
        }
    }

    /// An access to a piece of shared memory.
    pub(super) fn shared_piece(&self, offset: u32) -> Access {
        self.access(AddressSpace::Shared, offset.into(), PIECE as u8)
    }

    /// What it moves.
    fn pieces(&self) -> impl Iterator<Item = Piece> {
        (0..self.bytes).step_by(PIECE as usize).map(|at| self.global.piece(self.shared as u32, at))
    }
}

impl BlockMemory {
    /// A copy into shared memory begins, whose bytes count for the mbarrier at this offset. False if it can't be made.
    pub fn copy_in(
        &mut self,
        global: &mut Global<'_>,
        copy: &BulkCopy,
        barrier: u64,
        value: &mut LaneWords,
    ) -> (bool, Reply) {
        self.settle_reads(global);
        self.element = copy.global.element();
        if !self.is_whole(global, copy, Action::Write) {
            return (false, Reply::default());
        }
        self.make_room_for_copies();
        let stretches = copy.global.stretches(copy.bytes);
        let stamp =
            self.order.copies.begin_bulk(self.block, copy.by, copy.shared as u32, copy.bytes, stretches);
        for piece in copy.pieces() {
            if !self.fetch_piece(global, copy, &piece, value) {
                return (false, Reply::default());
            }
            let to = copy.shared_piece(piece.shared);
            if self.attendance.looks() {
                self.attend_write(global, &to, Action::Write);
            }
            if !self.put_piece(global, &to, stamp, value) {
                return (false, Reply::default());
            }
        }
        let counted = copy.access(AddressSpace::Shared, barrier, 8);
        (true, self.count_bytes(global, &counted, stamp, copy.bytes))
    }

    /// A copy begins from the block's shared memory to that of the block of a rank, where its bytes count for an mbarrier; offsets
    /// are within their memories. False if it can't be made.
    ///
    /// May miss: a write to what it copies from before it has arrived.
    pub fn copy_across(
        &mut self,
        global: &mut Global<'_>,
        (copy, from): (&BulkCopy, u32),
        barrier: u64,
        rank: u32,
    ) -> (bool, Reply) {
        self.settle_reads(global);
        let source = BulkCopy { shared: from.into(), ..copy.clone() };
        let sides = [(copy, Action::Write), (&source, Action::StrongRead)];
        if !sides.into_iter().all(|(side, action)| self.is_whole(global, side, action)) {
            return (false, Reply::default());
        }
        let mut values = Vec::new();
        for at in (0..copy.bytes).step_by(PIECE as usize) {
            let mut value = LaneWords::ZERO;
            if !self.get_piece(global, &copy.shared_piece(from + at), Proxied::Copy, &mut value) {
                return (false, Reply::default());
            }
            values.push(value);
        }
        self.at_rank(global, copy, rank, |this, global| {
            this.make_room_for_copies();
            let stamp =
                this.order.copies.begin_bulk(this.block, copy.by, copy.shared as u32, copy.bytes, [].into());
            for (at, value) in (copy.shared as u32..).step_by(PIECE as usize).zip(&values) {
                if !this.put_piece(global, &copy.shared_piece(at), stamp, value) {
                    return (false, Reply::default());
                }
            }
            let counted = copy.access(AddressSpace::Shared, barrier, 8);
            (true, this.count_bytes(global, &counted, stamp, copy.bytes))
        })
    }

    /// Reads a piece of global memory. False if some of it is not there.
    fn fetch_piece(
        &mut self,
        global: &mut Global<'_>,
        copy: &BulkCopy,
        piece: &Piece,
        value: &mut LaneWords,
    ) -> bool {
        let (lane, start) = (copy.by.lane, piece.global.wrapping_add(piece.inside.start.into()));
        *value = LaneWords::ZERO;
        value.words.iter_mut().for_each(|word| word[lane] = copy.global.fill());
        for (at, bytes) in aligned(start, piece.inside.start.into(), piece.inside.len() as u64) {
            let from = copy.access(AddressSpace::Global, start.wrapping_add(at), bytes);
            let mut part = LaneWords::ZERO;
            if self.load(global, &from, &mut part).faulted != 0 {
                return false;
            }
            value.put_part(lane, piece.inside.start + at as u32, &part, bytes);
        }
        true
    }

    /// Writes a piece of a copy to shared memory. False if it lies in no variable.
    fn put_piece(&mut self, global: &mut Global<'_>, to: &Access, stamp: u32, value: &LaneWords) -> bool {
        let offsets = shared_offsets(to);
        let resolved = resolve::shared(&self.shared.layout, &offsets, to.mask, to.bytes, None);
        let lane = to.mask.trailing_zeros() as usize;
        let at = offsets[lane];
        if let Some((variable, _)) = resolved.regions().next() {
            let start = self.shared.cells_start(variable);
            let time = clock(&mut self.time, global, self.block);
            let mut current = CurrentAccess::of_proxy(
                time,
                &self.order,
                Proxied::Copy,
                (to.warp, to.site),
                &mut self.conflicts,
            );
            let cells = &mut self.shared.cells[variable];
            cells.write_with_stamp(&mut current, at - start, lane, to.bytes, false, stamp);
            self.changes += u64::from(store_lane(&mut self.shared.data, at as usize, to.bytes, lane, value));
            define_lane(at as usize, to.bytes, lane, value, |definition| {
                self.shared.define(variable, definition, to.site);
            });
            if !self.conflicts.is_empty() {
                self.report_conflicts(global.get(), to, Space::Shared, SHARED_WINDOW + u64::from(start));
            }
        }
        if !self.order.outgoing.is_empty() {
            self.check_outgoing(global, to, Action::Write);
        }
        let mut outcome = Outcome::default();
        self.check(global.get(), to, &resolved, Action::Write, &mut outcome);
        outcome.faulted == 0
    }

    /// The bytes of a copy have come, for the present phase of an mbarrier.
    fn count_bytes(&mut self, global: &mut Global<'_>, barrier: &Access, stamp: u32, bytes: u32) -> Reply {
        let (offsets, mut reply) = self.touch_mbarriers_as_atomic(global, barrier);
        if reply.faulted != 0 {
            return reply;
        }
        let lane = barrier.mask.trailing_zeros() as usize;
        let Some(state) = self.shared.mbarriers.get(offsets[lane]) else {
            reply.misuse = Some((lane, Misuse::Absent));
            return reply;
        };
        self.order.copies.announce_bulk(stamp, state.slot, state.phase);
        reply.misuse = state.count_bytes(-i64::from(bytes)).map(|misuse| (lane, misuse));
        state.settle(self.shared.block);
        self.changes += 1;
        reply
    }

    /// A copy out of shared memory begins, as part of its thread's next bulk group; what is there may be updated by it, element by
    /// element. False if it can't be made.
    pub fn copy_out(
        &mut self,
        global: &mut Global<'_>,
        copy: &BulkCopy,
        reduces: Option<(AtomicOp, AtomicType)>,
        value: &mut LaneWords,
    ) -> bool {
        self.settle_reads(global);
        self.element = reduces.map_or(copy.global.element(), |(_, kind)| kind.bytes());
        if !self.is_whole(global, copy, Action::StrongRead) {
            return false;
        }
        let mut undefined = None;
        for piece in copy.pieces() {
            let from = copy.shared_piece(piece.shared);
            *value = LaneWords::ZERO;
            if !self.get_piece(global, &from, Proxied::Copy, value) {
                return false;
            }
            // A word that was set in part stays so where it goes.
            let goes = |word: u32| piece.inside.start < 4 * word + 4 && 4 * word < piece.inside.end;
            let nothing =
                |&word: &u32| value.undefined(word as usize, copy.by.lane) == u32::MAX && goes(word);
            if let Some(word) = (0..4).find(nothing) {
                undefined.get_or_insert(piece.shared + 4 * word);
            }
            let start = piece.global.wrapping_add(piece.inside.start.into());
            let length = piece.inside.len() as u64;
            let mut whole = true;
            let mut put = |at: u64, bytes: u8| {
                let to = copy.access(AddressSpace::Global, start.wrapping_add(at), bytes);
                let part = value.part(copy.by.lane, piece.inside.start + at as u32, bytes);
                let outcome = match reduces {
                    None => self.store(global, &to, &part),
                    Some((op, kind)) => {
                        let to = Access { order: Order::Relaxed, scope: Scope::Gpu, ..to };
                        self.atomic(global, &to, op, kind, &part, &LaneWords::ZERO, None)
                    }
                };
                whole &= outcome.faulted == 0;
            };
            match reduces {
                None => {
                    aligned(start, piece.inside.start.into(), length).for_each(|(at, bytes)| put(at, bytes))
                }
                Some((_, kind)) => elements(length, kind.bytes()).for_each(|(at, bytes)| put(at, bytes)),
            }
            if !whole {
                return false;
            }
        }
        if let Some(offset) = undefined {
            let from = copy.access(AddressSpace::Shared, offset.into(), 4);
            let reason = Reason::Undefined(Decides::Output, Source::Memory);
            self.report(global.get(), &from, from.mask, FindingKind::UninitializedRead, reason);
        }
        let start = copy.shared as u32;
        let to = copy.global.stretches(copy.bytes);
        let from = start..start.saturating_add(copy.bytes);
        self.order.outgoing.begin_copy(copy.by, from, to, reduces.is_some());
        true
    }

    /// Reads a piece of shared memory. False if it lies in no variable.
    fn get_piece(
        &mut self,
        global: &mut Global<'_>,
        from: &Access,
        what: Proxied,
        value: &mut LaneWords,
    ) -> bool {
        self.settle_reads(global);
        let offsets = shared_offsets(from);
        let resolved = resolve::shared(&self.shared.layout, &offsets, from.mask, from.bytes, None);
        let lane = from.mask.trailing_zeros() as usize;
        if let Some((variable, _)) = resolved.regions().next() {
            self.read_by_proxy(global, from, what, variable, offsets[lane]);
            load_lane(self.shared.contents(), offsets[lane] as usize, from.bytes, lane, value);
        }
        let mut outcome = Outcome::default();
        self.check(global.get(), from, &resolved, Action::StrongRead, &mut outcome);
        outcome.faulted == 0
    }

    /// The asynchronous proxy reads a piece of a variable of shared memory for a thread.
    fn read_by_proxy(
        &mut self,
        global: &mut Global<'_>,
        from: &Access,
        what: Proxied,
        variable: usize,
        at: u32,
    ) {
        self.order.copies.reads_at(from.site);
        let start = self.shared.cells_start(variable);
        let time = clock(&mut self.time, global, self.block);
        let mut current =
            CurrentAccess::of_proxy(time, &self.order, what, (from.warp, from.site), &mut self.conflicts);
        self.shared.cells[variable].read(&mut current, &[at - start; 32], from.mask, from.bytes);
        if !self.conflicts.is_empty() {
            self.report_conflicts(global.get(), from, Space::Shared, SHARED_WINDOW + u64::from(start));
        }
    }

    /// `cp.async.bulk.commit_group` by the lanes of a warp.
    pub fn commit_bulk(&mut self, warp: u16, mask: u32) {
        for lane in super::lanes(mask) {
            self.order.outgoing.commit(Proxied::Copy, warp * 32 + lane as u16);
        }
    }

    /// The lanes wait until at most their last `groups` bulk groups are under way; `read`: until the others have read what
    /// they copy.
    pub fn wait_for_bulk(&mut self, global: &mut Global<'_>, warp: u16, mask: u32, groups: u32, read: bool) {
        self.settle_reads(global);
        for lane in super::lanes(mask) {
            for over in self.order.outgoing.wait(Proxied::Copy, warp * 32 + lane as u16, groups, read) {
                self.end_of_wait(global, &over, read);
            }
        }
    }

    /// What was under way until now may have read and written just now.
    fn end_of_wait(&mut self, global: &mut Global<'_>, over: &OutgoingWork, read: bool) {
        let copy = BulkCopy { by: over.by, shared: 0, global: GlobalSide::Stretch(0), bytes: PIECE };
        if over.reads {
            for offset in over.sources() {
                if let Some(variable) = self.shared.layout.find(offset, PIECE) {
                    self.read_by_proxy(global, &copy.shared_piece(offset), over.what, variable, offset);
                }
            }
        }
        // What is updated by atomics is ordered as they are.
        if !read && !over.reduces {
            for stretch in &*over.to {
                for (at, bytes) in aligned(stretch.start, stretch.start, stretch.end - stretch.start) {
                    self.touch_global(global, &copy.access(AddressSpace::Global, stretch.start + at, bytes));
                }
            }
        }
    }

    /// A product reads a piece of shared memory, as its warp's first thread. False if it lies in no variable.
    pub fn read_for_product(
        &mut self,
        global: &mut Global<'_>,
        from: &Access,
        value: &mut LaneWords,
    ) -> bool {
        self.get_piece(global, from, Proxied::Product, value)
    }

    /// A product begins, which has read these pieces and may read them again until it is waited for.
    pub fn begin_product(&mut self, by: Beginner, pieces: Vec<u32>) {
        self.order.outgoing.begin_product(by, pieces);
    }

    /// The group that a warp's next product belongs to.
    pub fn group_of_products(&self, by: Beginner) -> u32 {
        self.order.outgoing.group(Proxied::Product, by)
    }

    /// `wgmma.commit_group` by a warp.
    pub fn commit_products(&mut self, by: Beginner) {
        self.order.outgoing.commit(Proxied::Product, by.thread());
    }

    /// A warp waits until at most its last `groups` groups of products are under way. Those before the number given are over.
    pub fn wait_for_products(&mut self, global: &mut Global<'_>, by: Beginner, groups: u32) -> u32 {
        self.settle_reads(global);
        for over in self.order.outgoing.wait(Proxied::Product, by.thread(), groups, false) {
            self.end_of_wait(global, &over, false);
        }
        self.group_of_products(by).saturating_sub(groups)
    }

    /// `fence.proxy.async` by the lanes of a warp.
    pub fn hand_over(&mut self, global: &mut Global<'_>, warp: u16, mask: u32) {
        self.settle_reads(global);
        self.order.hand_over(clock(&mut self.time, global, self.block), warp, mask);
    }

    /// Reports what is wrong with where a copy begins, on both sides, and how long it is; `action` is what it does to shared
    /// memory. True if nothing is.
    fn is_whole(&mut self, global: &Global<'_>, copy: &BulkCopy, action: Action) -> bool {
        let alignment = copy.global.alignment();
        let other = if action == Action::Write { Action::StrongRead } else { Action::Write };
        let shared = match copy.global {
            GlobalSide::Stretch(_) => Reason::Misaligned(action, alignment),
            GlobalSide::Tile(_) => Reason::MisalignedTile(alignment),
        };
        let mut sides = vec![(AddressSpace::Shared, copy.shared, alignment, shared)];
        // A tensor's map was not made where its tensor is misaligned.
        if let GlobalSide::Stretch(start) = copy.global {
            sides.push((AddressSpace::Global, start, PIECE as u8, Reason::Misaligned(other, PIECE as u8)));
        }
        let mut whole = true;
        for (space, start, alignment, reason) in sides {
            if !start.is_multiple_of(alignment.into()) {
                let access = copy.access(space, start, PIECE as u8);
                self.report(global.get(), &access, access.mask, FindingKind::Misaligned, reason);
                whole = false;
            }
        }
        if !copy.bytes.is_multiple_of(PIECE) {
            let access = match (action, &copy.global) {
                (Action::StrongRead, &GlobalSide::Stretch(to)) => {
                    copy.access(AddressSpace::Global, to, PIECE as u8)
                }
                _ => copy.shared_piece(copy.shared as u32),
            };
            let reason = Reason::PartOfPiece(copy.bytes);
            self.report(global.get(), &access, access.mask, FindingKind::Misaligned, reason);
            whole = false;
        }
        whole
    }

    /// Reports accesses to what bulk copies out of shared memory may still read (shared memory, where somebody writes) or
    /// write (global memory).
    #[cold]
    #[inline(never)]
    pub(super) fn check_outgoing(&mut self, global: &Global<'_>, access: &Access, action: Action) {
        if self.order.is_visiting() {
            // They are about this block's shared memory.
            return;
        }
        let spaces = resolve::Spaces::of(access);
        let offsets = shared_offsets(access);
        let is_read = matches!(action, Action::Read | Action::StrongRead);
        for lane in super::lanes(access.mask) {
            let (address, bytes) = (access.addresses[lane], u64::from(access.bytes));
            let outgoing = &self.order.outgoing;
            let (copy, space, other) = if spaces.shared >> lane & 1 == 1 && !is_read {
                let copy = outgoing.reading(offsets[lane], offsets[lane] + u32::from(access.bytes));
                (copy, Space::Shared, Action::StrongRead)
            } else if spaces.global >> lane & 1 == 1 {
                let copy = outgoing.writing(address, address + bytes, action == Action::Atomic);
                (copy, Space::Global, Action::Write)
            } else {
                (None, Space::Global, Action::Write)
            };
            let Some(copy) = copy.cloned() else { continue };
            let (_, allocation) = self.locate(global.get(), access, lane);
            let thread = |thread: u16| ThreadId { block: self.block, thread: thread.into() };
            let threads = vec![thread(access.warp * 32 + lane as u16), thread(copy.by.thread())];
            // A read that is known to race needs no second look at what comes of it.
            let action = if is_read { Action::StrongRead } else { action };
            self.findings.add(RawFinding {
                kind: FindingKind::Race,
                severity: Severity::Error,
                space: Some(space),
                site: Some(access.site),
                other: Some(copy.by.site),
                threads,
                address: Some(if space == Space::Shared {
                    SHARED_WINDOW + u64::from(offsets[lane])
                } else {
                    address
                }),
                allocation,
                element: self.element,
                count: 1,
                message: Message::Memory(Reason::Race(
                    action,
                    other,
                    false,
                    RaceCause::NotWaitedFor(copy.what),
                )),
            });
        }
    }

    /// All threads have left: reports bulk copies that still need the block's shared memory.
    pub fn leave_copies(&mut self, global: &Global<'_>) {
        let copies = &self.order.copies;
        let incoming =
            copies.unseen_bulk().map(|(block, by, at)| (block, by, at, Action::Write, Proxied::Copy));
        let outgoing = self.order.outgoing.first_reading();
        let outgoing =
            outgoing.map(|work| (self.block, work.by, work.first_source(), Action::StrongRead, work.what));
        let left: Vec<_> = incoming.into_iter().chain(outgoing).collect();
        for (block, by, at, action, what) in left {
            let copy = BulkCopy { by, shared: at.into(), global: GlobalSide::Stretch(0), bytes: PIECE };
            let access = copy.shared_piece(at);
            // A thread of another block of the cluster may have begun it.
            let own = std::mem::replace(&mut self.block, block);
            let reason = Reason::LeftBehind(action, what);
            self.report(global.get(), &access, access.mask, FindingKind::Race, reason);
            self.block = own;
        }
    }
}
