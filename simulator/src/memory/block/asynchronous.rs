//! Asynchronous copies: from global memory, to shared memory, and what happens to both in between.

use crate::{
    finding::{FindingKind, Severity, Space},
    findings::{Action, Message, RaceCause, RawFinding, Reason, ThreadId},
    ir::{AddressSpace, Order, Words},
};

use super::{
    super::{
        Access, Global, LaneWords, Outcome, SHARED_WINDOW,
        data::{define_lane, store_lane},
        lanes,
        resolve::{self, shared_offsets},
        shadow::CurrentAccess,
        traffic::{self, Flow},
    },
    BlockMemory, clock,
    flag::value_is,
};

impl BlockMemory {
    /// Copies begin. `from` is the access to global memory and has the width of the copies and their lanes;
    /// each lane reads `reads` bytes there (more than the width is an error) and writes the whole width at `to`,
    /// the rest as zero. Gives what was read and what was written: a copy counts as a load request with its sectors and
    /// as a shared store request with its wavefronts ([`traffic`] says which).
    pub fn copy_asynchronously(
        &mut self,
        global: &mut Global<'_>,
        from: &Access,
        reads: &Words,
        to: &[u64; 32],
        past_l1: bool,
        value: &mut LaneWords,
    ) -> (Outcome, Outcome) {
        self.settle_reads(global);
        let bytes = from.bytes;
        let all = from.mask;
        *value = LaneWords::ZERO;
        let mut read = self.read_source(global, from, reads, value);
        let to = Access { space: AddressSpace::Shared, addresses: *to, order: Order::Weak, ..*from };
        let to = Access { mask: all & !read.faulted, ..to };
        if self.attendance.is_replay() {
            self.attend_write(global, &to, Action::Write);
        }
        if !self.order.outgoing.is_empty() {
            self.check_outgoing(global, &to, Action::Write);
        }
        let mut written = Outcome::default();
        let offsets = shared_offsets(&to);
        let resolved = resolve::shared(&self.shared.layout, &offsets, to.mask, bytes, None);
        let good = resolved.good();
        if good == 0 {
            self.check(global.get(), &to, &resolved, Action::Write, &mut written);
            return (read, written);
        }
        self.make_room_for_copies();
        let stamp = self.order.copies.begin(
            self.block,
            (from.warp, from.site),
            good,
            bytes,
            offsets,
            (from.addresses, *reads),
        );
        for (variable, mask) in resolved.regions() {
            let start = self.shared.cells_start(variable);
            let time = clock(&mut self.time, global, self.block);
            let mut current = CurrentAccess::of_own(time, &self.order, to.warp, to.site, &mut self.conflicts);
            for lane in lanes(mask) {
                let at = offsets[lane] as usize;
                let held = self.shared.contents();
                let same = value_is(held, at, bytes, lane, value);
                self.shared.cells[variable].write_with_stamp(
                    &mut current,
                    offsets[lane] - start,
                    lane,
                    bytes,
                    same,
                    stamp,
                );
                self.changes += u64::from(store_lane(&mut self.shared.data, at, bytes, lane, value));
                define_lane(at, bytes, lane, value, |definition| {
                    self.shared.define(variable, definition, to.site);
                });
            }
            if !self.conflicts.is_empty() {
                self.report_conflicts(global.get(), &to, Space::Shared, SHARED_WINDOW + u64::from(start));
            }
        }
        written.traffic.shared_requests = 1;
        let reading = lanes(good).filter(|&lane| reads[lane] > 0).fold(0, |mask, lane| mask | 1u32 << lane);
        if past_l1 {
            written.traffic.wavefronts = traffic::wavefronts(Flow::Store, &offsets, good, bytes);
            read.traffic.sectors = traffic::copied_sectors(&from.addresses, &offsets, reading);
        } else {
            let lanes = (good, reading);
            written.traffic.wavefronts = traffic::copy_wavefronts(&from.addresses, &offsets, lanes, bytes);
        }
        self.check(global.get(), &to, &resolved, Action::Write, &mut written);
        read.faulted |= written.faulted;
        (read, written)
    }

    /// Forgets copies that nothing names any more, when there are many.
    pub(super) fn make_room_for_copies(&mut self) {
        if self.order.copies.is_full() {
            let cells = &self.shared.cells;
            let mut named: Vec<u32> = cells.iter().flat_map(|cells| cells.write_stamps()).copied().collect();
            named.sort_unstable();
            self.order.copies.sweep(|stamp| named.binary_search(&stamp).is_ok());
        }
    }

    /// What the lanes read; zero where they read nothing.
    fn read_source(
        &mut self,
        global: &mut Global<'_>,
        from: &Access,
        reads: &Words,
        value: &mut LaneWords,
    ) -> Outcome {
        let bytes = u32::from(from.bytes);
        let lanes_with = |test: &dyn Fn(u32) -> bool| {
            lanes(from.mask).filter(|&lane| test(reads[lane])).fold(0, |mask, lane| mask | 1u32 << lane)
        };
        let too_many = lanes_with(&|reads| reads > bytes);
        if too_many != 0 {
            let reason = Reason::MoreThanCopied(from.bytes);
            self.report(global.get(), from, too_many, FindingKind::OutOfBounds, reason);
        }
        let mut outcome = Outcome::default();
        let whole = lanes_with(&|reads| reads == bytes);
        if whole != 0 {
            outcome = self.load(global, &Access { mask: whole, ..from.clone() }, value);
        }
        outcome.faulted |= too_many;
        let part = lanes_with(&|reads| reads != 0 && reads < bytes);
        if part == 0 {
            return outcome;
        }
        // An address must be aligned to the whole width, however little is read.
        let crooked = lanes(part)
            .filter(|&lane| !from.addresses[lane].is_multiple_of(u64::from(bytes)))
            .fold(0, |mask, lane| mask | 1u32 << lane);
        if crooked != 0 {
            let reason = Reason::Misaligned(Action::Read, from.bytes);
            self.report(global.get(), from, crooked, FindingKind::Misaligned, reason);
            outcome.faulted |= crooked;
        }
        // Piece by piece, the largest first, so that each is aligned.
        for piece in [8u8, 4, 2, 1] {
            let width = u32::from(piece);
            let mask = lanes_with(&|reads| reads < bytes && reads & width != 0) & !outcome.faulted;
            if mask == 0 {
                continue;
            }
            // Larger pieces lie before it.
            let before = |lane: usize| reads[lane] & !(2 * width - 1);
            let addresses =
                std::array::from_fn(|lane| from.addresses[lane].wrapping_add(u64::from(before(lane))));
            let mut words = LaneWords::ZERO;
            let access = Access { addresses, mask, bytes: piece, ..from.clone() };
            outcome.faulted |= self.load(global, &access, &mut words).faulted;
            for lane in lanes(mask) {
                value.put_part(lane, before(lane), &words, piece);
            }
        }
        let good = (whole | part) & !outcome.faulted;
        outcome.traffic.global_requests = u16::from(good != 0);
        outcome.traffic.sectors = traffic::sectors(&from.addresses, good, from.bytes);
        outcome.traffic.global_bytes = lanes(good).map(|lane| reads[lane] as u16).sum();
        outcome
    }

    /// True while the warp has begun copies for which some lane of it has not waited.
    #[inline(always)]
    pub fn is_copying(&self, warp: u16) -> bool {
        self.order.copies.is_under_way(warp)
    }

    /// `cp.async.commit_group`.
    pub fn commit_copies(&mut self, warp: u16, mask: u32) {
        self.order.copies.commit(warp, mask);
    }

    /// The lanes wait until at most their last `groups` groups are under way; `None`: for
    /// all that they have begun.
    pub fn wait_for_copies(&mut self, global: &mut Global<'_>, warp: u16, mask: u32, groups: Option<u32>) {
        let now = clock(&mut self.time, global, self.block).now;
        for (stamp, copy, waited) in self.order.copies.wait(warp, mask, groups, now) {
            for lane in lanes(waited) {
                let Some(variable) = self.shared.layout.find(copy.to[lane], copy.bytes) else {
                    continue;
                };
                let offset = copy.to[lane] - self.shared.cells_start(variable);
                let thread = warp * 32 + lane as u16;
                self.shared.cells[variable].arrive(offset, copy.bytes, thread, stamp, now);
            }
        }
    }

    /// Reports a write to global memory from which a copy is still reading.
    #[cold]
    #[inline(never)]
    pub(super) fn check_sources(&mut self, global: &Global<'_>, access: &Access, mask: u32, action: Action) {
        for lane in lanes(mask) {
            let start = access.addresses[lane];
            let order = &self.order;
            let known = |stamp: u32, reader: usize| {
                let thread = order.copies.get(stamp).warp * 32 + reader as u16;
                order.knows_own(access.warp, lane, thread, stamp)
            };
            let end = start + u64::from(access.bytes);
            let Some((stamp, reader)) = order.copies.reading(start, end, known) else { continue };
            let copy = order.copies.get(stamp);
            let address = start.max(copy.from[reader]);
            let other = copy.site;
            let thread = |block: u32, warp: u16, lane: usize| ThreadId {
                block,
                thread: u32::from(warp) * 32 + lane as u32,
            };
            let threads = vec![thread(self.block, access.warp, lane), thread(copy.block, copy.warp, reader)];
            self.findings.add(RawFinding {
                kind: FindingKind::Race,
                severity: Severity::Error,
                space: Some(Space::Global),
                site: Some(access.site),
                other: Some(other),
                threads,
                address: Some(address),
                allocation: global.get().nearest(address, 1),
                element: self.element,
                count: 1,
                message: Message::Memory(Reason::Race(
                    action,
                    Action::StrongRead,
                    false,
                    RaceCause::UnderWay,
                )),
            });
        }
    }
}
