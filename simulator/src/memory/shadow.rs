//! Race detection: who last touched each word, and whether that is ordered before who touches it now.
//!
//! # Algorithm
//!
//! Every access is compared with what the shadow remembers of the same bytes; two accesses by different
//! threads, at least one a write, at least one plain, with neither known to the other's thread
//! ([`super::order`]), race. A shadow cell covers a 4-byte word until something narrower touches its
//! neighbourhood, then one byte. A cell remembers
//!
//! - the last plain write: one thread, its stamp (or the asynchronous copy that it is part of) and
//!   site. An older write is either ordered before it or was reported with it, so nothing later can
//!   race with the older one alone;
//! - plain reads: two slots, each a warp, the set of lanes that read in the same epoch of that warp, stamp
//!   and site. The second slot holds another block's read if there is one, else another warp's. Where
//!   something may order some threads and not others ([`BlockOrder::every_reader`]), reads that lose their
//!   slot are kept in a list, up to [`MOST_READS`] of a cell, until somebody who knows of them reads;
//! - the last strong write and the last strong read (atomics, volatile, relaxed and stronger).
//!
//! Atomics and other strong accesses never race with each other, unless the scope of one does not include the
//! other, or one is an atomic of another width than the other (PTX ISA, "Morally strong operations": they
//! must overlap completely; narrower than a word is let pass, for libraries build byte-wide atomics from
//! word-wide ones; an atomic on packed halves is one operation on each, and so of another width than a word).
//! One exception: a `volatile` read and a `volatile` write of shared memory by lanes of one warp are accused
//! like plain ones where lanes read several places at once, for that is how pre-Volta warp code looks, and it
//! is broken; unless the reader polls.
//!
//! Of many readers in one warp and epoch the last but one site stands for all earlier ones. Cells remember
//! the same whether words are compared many at once or one by one.
//!
//! # What it may miss
//!
//! It must not accuse wrongly; it may miss:
//!
//! - a reader among more than [`MOST_READS`] others of the same word that do not know each other;
//! - a plain access against an older strong access than the last read and the last write; in particular a
//!   thread whose own strong access is the last one is taken to have seen all before it;
//! - an access before a barrier by a thread that exited before the barrier;
//! - a flag store narrower than four bytes does not end a release sequence;
//! - orders that the interleaving happened to contain although other interleavings would not: a flag that
//!   this run always saw set was acquired.

mod current;
mod runs;

use super::{
    Site,
    cells::{CellRead, StrongKind, StrongSlot, pack, unpack},
    lanes,
};
use crate::{
    findings::Action,
    ir::{Order, Scope},
};

pub(crate) use super::cells::{Cells, SITE_BITS};
pub(crate) use current::{Conflict, CurrentAccess};

/// Reads that are kept of a cell beyond the two slots.
const MOST_READS: usize = 64;

/// A strong access.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Strong {
    pub(crate) reads: bool,
    pub(crate) writes: bool,
    pub(crate) atomic: bool,
    pub(crate) order: Order,
    pub(crate) scope: Scope,
    /// In shared memory, a read by lanes at several places: so looks code that counts on
    /// lanes running in lockstep.
    pub(crate) lockstep: bool,
    /// An atomic on two halves, each of which is an operation by itself.
    pub(crate) packed: bool,
}

impl Cells {
    fn for_width(&mut self, bytes: u8) -> (u32, u32) {
        if bytes < 4 && !self.by_bytes() {
            self.split();
        }
        if self.by_bytes() { (1, u32::from(bytes)) } else { (4, u32::from(bytes) / 4) }
    }

    /// Plain reads by lanes at byte offsets from the cells' start.
    pub(crate) fn read(
        &mut self,
        current: &mut CurrentAccess<'_>,
        offsets: &[u32; 32],
        mask: u32,
        bytes: u8,
    ) {
        let (size, per_lane) = self.for_width(bytes);
        let cells_of = |lane: usize| {
            let first = offsets[lane] / size;
            (first..first + per_lane).map(|cell| cell as usize)
        };
        let mut ascending = true;
        let mut rest = mask;
        while rest != 0 {
            let lane = rest.trailing_zeros() as usize;
            // Neighbours often read the same word.
            let mut alike = 1 << lane;
            rest &= rest - 1;
            while rest != 0 && offsets[rest.trailing_zeros() as usize] == offsets[lane] {
                alike |= rest & rest.wrapping_neg();
                rest &= rest - 1;
            }
            ascending &= rest == 0 || offsets[rest.trailing_zeros() as usize] > offsets[lane];
            for cell in cells_of(lane) {
                self.check_read(current, cell, alike, size);
            }
        }
        // All who read a word at once are remembered as one read, as they are in a run.
        let mut rest = mask;
        while rest != 0 {
            let lane = rest.trailing_zeros() as usize;
            let mut alike = 0;
            for other in lanes(rest) {
                if offsets[other] == offsets[lane] {
                    alike |= 1 << other;
                } else if ascending {
                    break;
                }
            }
            rest &= !alike;
            for cell in cells_of(lane) {
                self.remember_read(current, cell, alike);
            }
        }
    }

    #[inline(never)]
    fn read_cell(&mut self, current: &mut CurrentAccess<'_>, cell: usize, reading: u32, size: u32) {
        self.check_read(current, cell, reading, size);
        self.remember_read(current, cell, reading);
    }

    /// Compares a plain read with earlier writes.
    fn check_read(&self, current: &mut CurrentAccess<'_>, cell: usize, reading: u32, size: u32) {
        let (write_stamp, write_by) = self.write_of(cell);
        if write_stamp > current.dead {
            let (thread, site) = unpack(write_by);
            current.compare(
                reading,
                (write_stamp, thread, site),
                (Action::Read, Action::Write),
                cell as u32 * size,
                false,
            );
        }
        let strong = self.strong_write_of(cell);
        if strong.stamp > current.dead {
            let (thread, site) = unpack(strong.by);
            let other = if strong.kind.atomic { Action::Atomic } else { Action::Write };
            current.compare(
                reading,
                (strong.stamp, thread, site),
                (Action::Read, other),
                cell as u32 * size,
                false,
            );
        }
    }

    /// Remembers a plain read.
    fn remember_read(&mut self, current: &CurrentAccess<'_>, cell: usize, reading: u32) {
        let new = CellRead { stamp: current.now, by: pack(current.warp, current.site), lanes: reading };
        let read = self.read_of(cell);
        if read.stamp > current.dead {
            let other_stamp = self.other_of(cell).stamp;
            let same_warp = read.by >> SITE_BITS == u32::from(current.warp) && current.is_own(read.stamp);
            if same_warp {
                if read.stamp >= current.order.changed(current.warp)
                    && (read.by == new.by || other_stamp > current.dead)
                {
                    self.set_read(cell, CellRead { lanes: read.lanes | reading, ..new });
                    return;
                }
                // Of the last two sites neither stands for the other.
                let again = read.stamp < current.order.changed(current.warp) && read.lanes & !reading == 0;
                let superseded = again || read.stamp <= current.order.warp_base(current.warp);
                if !superseded {
                    if other_stamp <= current.dead {
                        self.set_other(cell, read);
                    } else {
                        self.keep_read(current, cell, read, reading);
                    }
                }
            } else {
                // Keep a read of a third block rather than of this block's other warps.
                let keep =
                    other_stamp > current.dead && !current.is_own(other_stamp) && current.is_own(read.stamp);
                if keep {
                    self.keep_read(current, cell, read, reading);
                } else {
                    let other = self.other_of(cell);
                    self.keep_read(current, cell, other, reading);
                    self.set_other(cell, read);
                }
            }
        }
        self.set_read(cell, new);
    }

    /// Where every reader counts: keeps the read of a slot that is about to be used again, unless the threads
    /// that read now (`reading`) know it, for then their own read stands for it.
    #[cold]
    fn keep_read(&mut self, current: &CurrentAccess<'_>, cell: usize, lost: CellRead, reading: u32) {
        if !current.order.every_reader {
            return;
        }
        let newest_known = current.newest_known(reading);
        let matters = |read: &CellRead| {
            if read.stamp <= current.dead {
                return false;
            }
            let unknown = current.cannot_know(newest_known, read);
            debug_assert!(!unknown || !current.all_know(reading, read));
            unknown || !current.all_know(reading, read)
        };
        if !matters(&lost) {
            return;
        }
        let reads = self.more_reads_mut(cell);
        // The same lanes have read since, or somebody who knows of it.
        reads.retain(|read| {
            let same = |read: &CellRead| {
                read.by >> SITE_BITS == lost.by >> SITE_BITS
                    && current.owner(read.stamp) == current.owner(lost.stamp)
            };
            matters(read) && !(read.lanes & !lost.lanes == 0 && same(read))
        });
        if reads.len() == MOST_READS {
            reads.remove(0);
        }
        reads.push(lost);
    }

    /// A plain write by one lane.
    pub(crate) fn write(
        &mut self,
        current: &mut CurrentAccess<'_>,
        offset: u32,
        lane: usize,
        bytes: u8,
        same_value: bool,
    ) {
        let now = current.now;
        self.write_with_stamp(current, offset, lane, bytes, same_value, now);
    }

    /// The same for an asynchronous copy, whose stamp is no time.
    pub(crate) fn write_with_stamp(
        &mut self,
        current: &mut CurrentAccess<'_>,
        offset: u32,
        lane: usize,
        bytes: u8,
        same_value: bool,
        stamp: u32,
    ) {
        let (size, per_lane) = self.for_width(bytes);
        let first = offset / size;
        let me = 1 << lane;
        for cell in first..first + per_lane {
            let offset = cell * size;
            let cell = cell as usize;
            let (write_stamp, write_by) = self.write_of(cell);
            if write_stamp > current.dead {
                let (thread, site) = unpack(write_by);
                current.compare(
                    me,
                    (write_stamp, thread, site),
                    (Action::Write, Action::Write),
                    offset,
                    same_value,
                );
            }
            self.against_reads(current, cell, me, Action::Write, offset);
            if self.has_strong() {
                let (write, read) = (self.strong_write_of(cell), self.strong_read_of(cell));
                for slot in [write, read] {
                    if slot.stamp > current.dead {
                        let other = match slot.kind {
                            StrongKind { atomic: true, .. } => Action::Atomic,
                            _ if slot.stamp == write.stamp && slot.by == write.by => Action::Write,
                            _ => Action::StrongRead,
                        };
                        let (thread, site) = unpack(slot.by);
                        current.compare(
                            me,
                            (slot.stamp, thread, site),
                            (Action::Write, other),
                            offset,
                            false,
                        );
                    }
                }
            }
            // Whoever races with one of them races with this write, or has been reported.
            self.forget_more_reads(cell);
            self.set_write(cell, stamp, pack(current.warp * 32 + lane as u16, current.site));
        }
    }

    /// A thread's copy has arrived: where nobody has written since, it gets a time.
    pub(crate) fn arrive(&mut self, offset: u32, bytes: u32, thread: u16, stamp: u32, now: u32) {
        let size = if self.by_bytes() { 1 } else { 4 };
        for cell in offset / size..(offset + bytes) / size {
            let cell = cell as usize;
            let (known, by) = self.write_of(cell);
            if known == stamp && unpack(by).0 == thread {
                self.set_write(cell, now, by);
            }
        }
    }

    fn against_reads(
        &self,
        current: &mut CurrentAccess<'_>,
        cell: usize,
        me: u32,
        this: Action,
        offset: u32,
    ) {
        if !self.has_reads() {
            return;
        }
        let (read, other) = (self.read_of(cell), self.other_of(cell));
        for read in [&read, &other].into_iter().chain(self.more_reads_of(cell)) {
            if read.stamp <= current.dead {
                continue;
            }
            let (warp, site) = unpack(read.by);
            for reader in lanes(read.lanes) {
                let thread = warp * 32 + reader as u16;
                if current.compare(me, (read.stamp, thread, site), (this, Action::Read), offset, false) {
                    break;
                }
            }
        }
    }

    /// A strong access by one lane.
    pub(crate) fn strong(
        &mut self,
        current: &mut CurrentAccess<'_>,
        offset: u32,
        lane: usize,
        bytes: u8,
        access: Strong,
    ) {
        let (size, per_lane) = self.for_width(bytes);
        let first = offset / size;
        let me = 1 << lane;
        let thread = current.warp * 32 + lane as u16;
        let scope = (access.order != Order::Volatile).then_some(access.scope);
        let this = match access {
            Strong { atomic: true, .. } => Action::Atomic,
            Strong { writes: true, .. } => Action::Write,
            _ => Action::StrongRead,
        };
        for cell in first..first + per_lane {
            let offset = cell * size;
            let cell = cell as usize;
            let (write_stamp, write_by) = self.write_of(cell);
            if write_stamp > current.dead {
                let (thread, site) = unpack(write_by);
                current.compare(me, (write_stamp, thread, site), (this, Action::Write), offset, false);
            }
            if access.writes {
                self.against_reads(current, cell, me, this, offset);
            }
            let mut kind = StrongKind {
                near: scope.is_some_and(|scope| current.order.is_of_block(scope)),
                cluster: scope.is_some_and(|scope| current.order.is_of_cluster(scope)),
                volatile: access.order == Order::Volatile && !access.atomic,
                polled: false,
                atomic: access.atomic,
                halves: access.packed,
                bytes,
            };
            let by = pack(thread, current.site);
            let (write, read) = (self.strong_write_of(cell), self.strong_read_of(cell));
            if access.reads {
                let again = read.by == by && read.stamp > current.dead && current.is_own(read.stamp);
                kind.polled = again || !access.lockstep;
            }
            let slots = [Some((write, Action::Write)), access.writes.then_some((read, Action::StrongRead))];
            for (slot, other) in slots.into_iter().flatten() {
                if slot.stamp <= current.dead {
                    continue;
                }
                let other = if slot.kind.atomic { Action::Atomic } else { other };
                let (their_thread, site) = unpack(slot.by);
                let own_block = current.is_own(slot.stamp);
                let in_cluster = || own_block || current.is_of_cluster(slot.stamp);
                if (slot.kind.near || kind.near) && !own_block
                    || (slot.kind.cluster || kind.cluster) && !in_cluster()
                {
                    current.compare_as(
                        me,
                        (slot.stamp, their_thread, site),
                        (this, other),
                        offset,
                        false,
                        |conflict| {
                            conflict.scopes = true;
                            conflict.cluster_scope = !(slot.kind.near || kind.near);
                            conflict.narrow = [kind.near, slot.kind.near];
                        },
                    );
                } else if kind.is_other_width_than(slot.kind) {
                    current.compare_as(
                        me,
                        (slot.stamp, their_thread, site),
                        (this, other),
                        offset,
                        false,
                        |conflict| {
                            conflict.widths = true;
                        },
                    );
                } else if kind.volatile
                    && slot.kind.volatile
                    && access.lockstep
                    // Who of two writes last is left open either way.
                    && (access.reads || other == Action::StrongRead)
                    && !(kind.polled || slot.kind.polled)
                    && their_thread / 32 == current.warp
                {
                    current.compare_as(
                        me,
                        (slot.stamp, their_thread, site),
                        (this, other),
                        offset,
                        false,
                        |conflict| {
                            conflict.volatile = true;
                        },
                    );
                }
            }
            let slot = StrongSlot { stamp: current.now, by, kind };
            if access.writes {
                self.set_strong_write(cell, slot);
            } else {
                self.set_strong_read(cell, slot);
            }
        }
    }
}

/// Thread and site of a cell's owner.
pub(crate) fn who(by: u32) -> (u16, Site) {
    unpack(by)
}
