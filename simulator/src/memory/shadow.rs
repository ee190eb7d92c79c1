//! Race detection: who last touched each word, and whether that is ordered before who touches it now.
//!
//! # Algorithm
//!
//! Every access is compared with what the shadow remembers of the same bytes; two accesses by different threads, at least
//! one a write, at least one plain, with neither known to the other's thread ([`super::order`]), race. A shadow cell covers
//! a 4-byte word until something narrower touches its neighbourhood, then one byte. A cell remembers
//!
//! - the last plain write: one thread, its stamp (or the asynchronous copy that it is part of) and site. An older write is either ordered before it or was reported with
//!   it, so nothing later can race with the older one alone;
//! - plain reads: two slots, each a warp, the set of lanes that read in the same epoch of that warp, stamp and site. The
//!   second slot holds another block's read if there is one, else another warp's. Where something may order some threads and not
//!   others ([`BlockOrder::every_reader`]), reads that lose their slot are kept in a list, up to [`MOST_READS`] of a cell,
//!   until somebody who knows of them reads;
//! - the last strong write and the last strong read (atomics, volatile, relaxed and stronger).
//!
//! Atomics and other strong accesses never race with each other, unless the scope of one does not include the other, or
//! one is an atomic of another width than the other (PTX ISA, "Morally strong operations": they must overlap completely; narrower
//! than a word is let pass, for libraries build byte-wide atomics from word-wide ones). One exception: a `volatile` read and a `volatile` write of shared
//! memory by lanes of one warp are accused like plain ones where lanes read several places at once, for that is how pre-Volta warp code
//! looks, and it is broken; unless the reader polls.
//!
//! Of many readers in one warp and epoch the last but one site stands for all earlier ones. Cells remember the same whether words are
//! compared many at once or one by one.
//!
//! # What it may miss
//!
//! It must not accuse wrongly; it may miss:
//!
//! - a reader among more than [`MOST_READS`] others of the same word that do not know each other;
//! - a plain access against an older strong access than the last read and the last write; in particular a thread whose
//!   own strong access is the last one is taken to have seen all before it;
//! - an access before a barrier by a thread that exited before the barrier;
//! - a flag store narrower than four bytes does not end a release sequence;
//! - orders that the interleaving happened to contain although other interleavings would not: a flag that this run
//!   always saw set was acquired.

use super::{
    Site,
    asynchronous::UNDER_WAY,
    cells::{Read, StrongKind, StrongSlot, pack, unpack},
    lanes,
    order::{BlockOrder, Time},
    pattern::Words,
};
use crate::{
    findings::Action,
    ir::{Order, Scope},
};

pub(crate) use super::cells::{Cells, SITE_BITS};

/// Reads that are kept of a cell beyond the two slots.
const MOST_READS: usize = 64;

/// A race of one access with earlier ones, merged over lanes with the same earlier site.
#[derive(Clone, Debug)]
pub(crate) struct Conflict {
    /// Lanes of the current access.
    pub(crate) lanes: u32,
    /// The first such lane.
    pub(crate) lane: usize,
    /// The first such cell's byte offset from the cells' start.
    pub(crate) offset: u32,
    pub(crate) this: Action,
    pub(crate) other: Action,
    pub(crate) other_block: u32,
    pub(crate) other_thread: u16,
    pub(crate) other_stamp: u32,
    pub(crate) other_site: Site,
    pub(crate) same_value: bool,
    /// Ordered, had the reader a fence.
    pub(crate) unacquired: bool,
    /// Both strong: the scopes don't meet.
    pub(crate) scopes: bool,
    /// Both volatile, in one warp.
    pub(crate) volatile: bool,
    /// Both strong, at least one an atomic, of different widths.
    pub(crate) widths: bool,
}

/// The current access, as the shadow needs it.
pub(crate) struct Watch<'a> {
    pub(crate) time: &'a Time,
    /// The stamp of the access.
    pub(crate) now: u32,
    pub(crate) order: &'a BlockOrder,
    pub(crate) block: u32,
    pub(crate) warp: u16,
    pub(crate) site: Site,
    /// Stamps up to here need no look.
    pub(crate) dead: u32,
    /// Stamps from here on are this block's.
    pub(crate) mine: u32,
    pub(crate) conflicts: &'a mut Vec<Conflict>,
}

/// A strong access.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Strong {
    pub(crate) reads: bool,
    pub(crate) writes: bool,
    pub(crate) atomic: bool,
    pub(crate) order: Order,
    pub(crate) scope: Scope,
    /// In shared memory, a read by lanes at several places: so looks code that counts on lanes running in lockstep.
    pub(crate) lockstep: bool,
}

impl Cells {
    fn for_width(&mut self, bytes: u8) -> (u32, u32) {
        if bytes < 4 && !self.by_bytes() {
            self.split();
        }
        if self.by_bytes() { (1, u32::from(bytes)) } else { (4, u32::from(bytes) / 4) }
    }

    /// Plain reads by lanes at byte offsets from the cells' start.
    pub(crate) fn read(&mut self, watch: &mut Watch<'_>, offsets: &[u32; 32], mask: u32, bytes: u8) {
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
                self.check_read(watch, cell, alike, size);
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
                self.remember_read(watch, cell, alike);
            }
        }
    }

    /// Plain reads of neighbouring words, from cell `first` on.
    #[inline(always)]
    pub(crate) fn read_run(&mut self, watch: &mut Watch<'_>, first: usize, words: Words<'_>) {
        self.make_reads(words.single);
        if !words.single && !self.has_masks() {
            self.use_masks();
        }
        let at_once = !self.has_strong() && self.read_run_at_once(watch, first, words);
        if at_once {
            return;
        }
        for (index, &readers) in words.readers.iter().enumerate() {
            self.read_cell(watch, first + index, readers, 4);
        }
    }

    /// As vector operations. False if some cell needs a closer look; then nothing was done.
    #[inline(always)]
    fn read_run_at_once(&mut self, watch: &Watch<'_>, first: usize, words: Words<'_>) -> bool {
        match (self.has_masks(), words.readers.len()) {
            (true, 1) => self.read_run_of::<1, true>(watch, first, words),
            (true, 16) => self.read_run_of::<16, true>(watch, first, words),
            (true, 32) => self.read_run_of::<32, true>(watch, first, words),
            (true, _) => self.read_run_of::<0, true>(watch, first, words),
            (false, 16) => self.read_run_of::<16, false>(watch, first, words),
            (false, 32) => self.read_run_of::<32, false>(watch, first, words),
            (false, _) => self.read_run_of::<0, false>(watch, first, words),
        }
    }

    /// The same for runs of length `N`, where that is a common one, else 0. Without `MASKS` each word is read by one lane.
    #[inline(always)]
    fn read_run_of<const N: usize, const MASKS: bool>(
        &mut self,
        watch: &Watch<'_>,
        first: usize,
        words: Words<'_>,
    ) -> bool {
        let n = if N == 0 { words.readers.len() } else { N };
        let (dead, mine, now) = (watch.dead, watch.mine, watch.now);
        let (changed, warp_base) = (watch.order.changed(watch.warp), watch.order.warp_base(watch.warp));
        let warp = u32::from(watch.warp);
        let threads = warp * 32;
        let by = pack(if MASKS { watch.warp } else { watch.warp * 32 }, watch.site);
        let every_reader = watch.order.every_reader;
        let owners = &words.owners[..n];
        let readers = &words.readers[..n];
        // Who reads a cell now, and the warp that has read it.
        let reads_now = |i: usize| if MASKS { by } else { by.wrapping_add(owners[i] << SITE_BITS) };
        let warp_of = |by: u32| if MASKS { by >> SITE_BITS } else { by >> (SITE_BITS + 5) };
        let same_site = |known: u32| (known ^ by) << (32 - SITE_BITS) == 0;
        let [write_stamp, write_by] = self.writes_run(first, n);
        let [read_stamp, read_by, _] = self.reads_run(first, n);
        let other_stamp = self.other_stamps_run(first, n);
        let (mut bad, mut any_alive, mut demotes) = (0u32, 0u32, 0u32);
        for i in 0..n {
            let timed = (write_stamp[i] >= mine) & (write_stamp[i] < UNDER_WAY);
            let own = (write_by[i] >> SITE_BITS == threads.wrapping_add(owners[i])) & timed;
            let alive = read_stamp[i] > dead;
            let same_warp = warp_of(read_by[i]) == warp;
            let pending = same_warp & (read_stamp[i] < changed) & (read_stamp[i] > warp_base);
            let foreign = (read_stamp[i] < mine) | ((other_stamp[i] > dead) & (other_stamp[i] < mine));
            // A third reader.
            let full = every_reader & alive & !same_warp & (other_stamp[i] > dead);
            let merge =
                same_warp & (read_stamp[i] >= changed) & (same_site(read_by[i]) | (other_stamp[i] > dead));
            // Another lane of the warp: both are to be named.
            let mixed = !MASKS & merge & (read_by[i] >> SITE_BITS != threads.wrapping_add(owners[i]));
            let superseded = same_warp & (read_stamp[i] <= warp_base);
            bad |= u32::from((write_stamp[i] > dead) & !own)
                | u32::from(alive & (pending | foreign | full | mixed));
            any_alive |= u32::from(alive);
            demotes |= u32::from(alive & !merge & !superseded);
        }
        if bad != 0 {
            return false;
        }
        if demotes != 0 {
            self.make_others();
            let ([read_stamp, read_by, read_lanes], [other_stamp, other_by, other_lanes]) =
                self.both_reads_run_mut(first, n);
            for i in 0..n {
                let alive = read_stamp[i] > dead;
                let same_warp = warp_of(read_by[i]) == warp;
                let merge = alive
                    & same_warp
                    & (read_stamp[i] >= changed)
                    & (same_site(read_by[i]) | (other_stamp[i] > dead));
                let superseded = same_warp & (read_stamp[i] <= warp_base);
                let demote = alive & !merge & !superseded;
                let site = read_by[i] & ((1 << SITE_BITS) - 1);
                let warp_and_site = if MASKS { read_by[i] } else { warp_of(read_by[i]) << SITE_BITS | site };
                let lanes = if MASKS { read_lanes[i] } else { 1 << (read_by[i] >> SITE_BITS & 31) };
                other_stamp[i] = if demote { read_stamp[i] } else { other_stamp[i] };
                other_by[i] = if demote { warp_and_site } else { other_by[i] };
                other_lanes[i] = if demote { lanes } else { other_lanes[i] };
                if MASKS {
                    read_lanes[i] = readers[i] | if merge { read_lanes[i] } else { 0 };
                }
                read_stamp[i] = now;
                read_by[i] = reads_now(i);
            }
            return true;
        }
        let [read_stamp, read_by, read_lanes] = self.reads_run_mut(first, n);
        if MASKS {
            for i in 0..n {
                // Here every read that counts is merged, or none stands any more.
                let merge = (any_alive != 0)
                    & (read_stamp[i] > dead)
                    & (warp_of(read_by[i]) == warp)
                    & (read_stamp[i] >= changed);
                read_lanes[i] = readers[i] | if merge { read_lanes[i] } else { 0 };
            }
        }
        for i in 0..n {
            read_stamp[i] = now;
            read_by[i] = reads_now(i);
        }
        true
    }

    #[inline(never)]
    fn read_cell(&mut self, watch: &mut Watch<'_>, cell: usize, reading: u32, size: u32) {
        self.check_read(watch, cell, reading, size);
        self.remember_read(watch, cell, reading);
    }

    /// Compares a plain read with earlier writes.
    fn check_read(&self, watch: &mut Watch<'_>, cell: usize, reading: u32, size: u32) {
        let (write_stamp, write_by) = self.write_of(cell);
        if write_stamp > watch.dead {
            let (thread, site) = unpack(write_by);
            watch.compare(
                reading,
                (write_stamp, thread, site),
                (Action::Read, Action::Write),
                cell as u32 * size,
                false,
            );
        }
        let strong = self.strong_write_of(cell);
        if strong.stamp > watch.dead {
            let (thread, site) = unpack(strong.by);
            let other = if strong.kind.atomic { Action::Atomic } else { Action::Write };
            watch.compare(
                reading,
                (strong.stamp, thread, site),
                (Action::Read, other),
                cell as u32 * size,
                false,
            );
        }
    }

    /// Remembers a plain read.
    fn remember_read(&mut self, watch: &Watch<'_>, cell: usize, reading: u32) {
        let new = Read { stamp: watch.now, by: pack(watch.warp, watch.site), lanes: reading };
        let read = self.read_of(cell);
        if read.stamp > watch.dead {
            let other_stamp = self.other_of(cell).stamp;
            let same_warp = read.by >> SITE_BITS == u32::from(watch.warp) && watch.is_own(read.stamp);
            if same_warp {
                if read.stamp >= watch.order.changed(watch.warp)
                    && (read.by == new.by || other_stamp > watch.dead)
                {
                    self.set_read(cell, Read { lanes: read.lanes | reading, ..new });
                    return;
                }
                // Of the last two sites neither stands for the other.
                let again = read.stamp < watch.order.changed(watch.warp) && read.lanes & !reading == 0;
                let superseded = again || read.stamp <= watch.order.warp_base(watch.warp);
                if !superseded {
                    if other_stamp <= watch.dead {
                        self.set_other(cell, read);
                    } else {
                        self.keep_read(watch, cell, read, reading);
                    }
                }
            } else {
                // Keep a read of a third block rather than of this block's other warps.
                let keep = other_stamp > watch.dead && !watch.is_own(other_stamp) && watch.is_own(read.stamp);
                if keep {
                    self.keep_read(watch, cell, read, reading);
                } else {
                    let other = self.other_of(cell);
                    self.keep_read(watch, cell, other, reading);
                    self.set_other(cell, read);
                }
            }
        }
        self.set_read(cell, new);
    }

    /// Where every reader counts: keeps the read of a slot that is about to be used again, unless the threads that read now
    /// (`reading`) know it, for then their own read stands for it.
    #[cold]
    fn keep_read(&mut self, watch: &Watch<'_>, cell: usize, lost: Read, reading: u32) {
        if !watch.order.every_reader {
            return;
        }
        let matters = |read: &Read| read.stamp > watch.dead && !watch.all_know(reading, read);
        if !matters(&lost) {
            return;
        }
        let reads = self.more_reads_mut(cell);
        // The same lanes have read since, or somebody who knows of it.
        reads.retain(|read| {
            let same = |read: &Read| {
                read.by >> SITE_BITS == lost.by >> SITE_BITS
                    && watch.owner(read.stamp) == watch.owner(lost.stamp)
            };
            matters(read) && !(read.lanes & !lost.lanes == 0 && same(read))
        });
        if reads.len() == MOST_READS {
            reads.remove(0);
        }
        reads.push(lost);
    }

    /// Plain writes of neighbouring words, each by one lane, as vector operations. False if some cell needs a
    /// closer look; then nothing was done.
    #[inline(always)]
    pub(crate) fn write_run(&mut self, watch: &Watch<'_>, first: usize, words: Words<'_>) -> bool {
        if self.has_strong() || self.by_bytes() {
            return false;
        }
        self.make_writes();
        if self.has_masks() {
            self.write_run_of::<true>(watch, first, words)
        } else {
            self.write_run_of::<false>(watch, first, words)
        }
    }

    #[inline(always)]
    fn write_run_of<const MASKS: bool>(&mut self, watch: &Watch<'_>, first: usize, words: Words<'_>) -> bool {
        let n = words.readers.len();
        let (dead, mine, now) = (watch.dead, watch.mine, watch.now);
        let warp = u32::from(watch.warp);
        let threads = warp * 32;
        let by = pack(watch.warp * 32, watch.site);
        let [write_stamp, write_by] = self.writes_run(first, n);
        let [read_stamp, read_by, read_lanes] = self.reads_run(first, n);
        let other_stamp = self.other_stamps_run(first, n);
        let owners = &words.owners[..n];
        let readers = &words.readers[..n];
        let mut bad = 0u32;
        for i in 0..n {
            let timed = (write_stamp[i] >= mine) & (write_stamp[i] < UNDER_WAY);
            let own = (write_by[i] >> SITE_BITS == threads.wrapping_add(owners[i])) & timed;
            let reader = if MASKS {
                (read_by[i] >> SITE_BITS == warp) & (read_lanes[i] == readers[i])
            } else {
                read_by[i] >> SITE_BITS == threads.wrapping_add(owners[i])
            };
            let read_own = reader & (read_stamp[i] >= mine);
            bad |= u32::from((write_stamp[i] > dead) & !own)
                | u32::from((read_stamp[i] > dead) & !read_own)
                | u32::from(other_stamp[i] > dead);
        }
        if bad != 0 {
            return false;
        }
        self.note_write(now);
        let [write_stamp, write_by] = self.writes_run_mut(first, n);
        for i in 0..n {
            write_stamp[i] = now;
            write_by[i] = by.wrapping_add(owners[i] << SITE_BITS);
        }
        true
    }

    /// A plain write by one lane.
    pub(crate) fn write(
        &mut self,
        watch: &mut Watch<'_>,
        offset: u32,
        lane: usize,
        bytes: u8,
        same_value: bool,
    ) {
        let now = watch.now;
        self.write_with_stamp(watch, offset, lane, bytes, same_value, now);
    }

    /// The same for an asynchronous copy, whose stamp is no time.
    pub(crate) fn write_with_stamp(
        &mut self,
        watch: &mut Watch<'_>,
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
            if write_stamp > watch.dead {
                let (thread, site) = unpack(write_by);
                watch.compare(
                    me,
                    (write_stamp, thread, site),
                    (Action::Write, Action::Write),
                    offset,
                    same_value,
                );
            }
            self.against_reads(watch, cell, me, Action::Write, offset);
            if self.has_strong() {
                let (write, read) = (self.strong_write_of(cell), self.strong_read_of(cell));
                for slot in [write, read] {
                    if slot.stamp > watch.dead {
                        let other = match slot.kind {
                            StrongKind { atomic: true, .. } => Action::Atomic,
                            _ if slot.stamp == write.stamp && slot.by == write.by => Action::Write,
                            _ => Action::Read,
                        };
                        let (thread, site) = unpack(slot.by);
                        watch.compare(me, (slot.stamp, thread, site), (Action::Write, other), offset, false);
                    }
                }
            }
            // Whoever races with one of them races with this write, or has been reported.
            self.forget_more_reads(cell);
            self.set_write(cell, stamp, pack(watch.warp * 32 + lane as u16, watch.site));
        }
    }

    /// A thread's copy has arrived: where nobody has written since, it gets a time.
    pub(crate) fn arrive(&mut self, offset: u32, bytes: u8, thread: u16, stamp: u32, now: u32) {
        let size = if self.by_bytes() { 1 } else { 4 };
        for cell in offset / size..(offset + u32::from(bytes)) / size {
            let cell = cell as usize;
            let (known, by) = self.write_of(cell);
            if known == stamp && unpack(by).0 == thread {
                self.set_write(cell, now, by);
            }
        }
    }

    fn against_reads(&self, watch: &mut Watch<'_>, cell: usize, me: u32, this: Action, offset: u32) {
        let (read, other) = (self.read_of(cell), self.other_of(cell));
        for read in [&read, &other].into_iter().chain(self.more_reads_of(cell)) {
            if read.stamp <= watch.dead {
                continue;
            }
            let (warp, site) = unpack(read.by);
            for reader in lanes(read.lanes) {
                let thread = warp * 32 + reader as u16;
                if watch.compare(me, (read.stamp, thread, site), (this, Action::Read), offset, false) {
                    break;
                }
            }
        }
    }

    /// A strong access by one lane.
    pub(crate) fn strong(
        &mut self,
        watch: &mut Watch<'_>,
        offset: u32,
        lane: usize,
        bytes: u8,
        access: Strong,
    ) {
        let (size, per_lane) = self.for_width(bytes);
        let first = offset / size;
        let me = 1 << lane;
        let thread = watch.warp * 32 + lane as u16;
        let this = match access {
            Strong { atomic: true, .. } => Action::Atomic,
            Strong { writes: true, .. } => Action::Write,
            _ => Action::Read,
        };
        for cell in first..first + per_lane {
            let offset = cell * size;
            let cell = cell as usize;
            let (write_stamp, write_by) = self.write_of(cell);
            if write_stamp > watch.dead {
                let (thread, site) = unpack(write_by);
                watch.compare(me, (write_stamp, thread, site), (this, Action::Write), offset, false);
            }
            if access.writes {
                self.against_reads(watch, cell, me, this, offset);
            }
            let mut kind = StrongKind {
                near: access.order != Order::Volatile && access.scope == Scope::Block,
                volatile: access.order == Order::Volatile && !access.atomic,
                polled: false,
                atomic: access.atomic,
                bytes,
            };
            let by = pack(thread, watch.site);
            let (write, read) = (self.strong_write_of(cell), self.strong_read_of(cell));
            if access.reads {
                let again = read.by == by && read.stamp > watch.dead && watch.is_own(read.stamp);
                kind.polled = again || !access.lockstep;
            }
            let slots = [Some((write, Action::Write)), access.writes.then_some((read, Action::Read))];
            for (slot, other) in slots.into_iter().flatten() {
                if slot.stamp <= watch.dead {
                    continue;
                }
                let other = if slot.kind.atomic { Action::Atomic } else { other };
                let (their_thread, site) = unpack(slot.by);
                let own_block = watch.is_own(slot.stamp);
                if (slot.kind.near || kind.near) && !own_block {
                    watch.compare_as(
                        me,
                        (slot.stamp, their_thread, site),
                        (this, other),
                        offset,
                        false,
                        |conflict| {
                            conflict.scopes = true;
                        },
                    );
                } else if kind.is_other_width_than(slot.kind) {
                    watch.compare_as(
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
                    && (access.reads || other == Action::Read)
                    && !(kind.polled || slot.kind.polled)
                    && their_thread / 32 == watch.warp
                {
                    watch.compare_as(
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
            let slot = StrongSlot { stamp: watch.now, by, kind };
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

impl<'a> Watch<'a> {
    /// An access to memory that only this block's threads touch.
    #[inline(always)]
    pub(crate) fn of_own(
        time: &'a Time,
        order: &'a BlockOrder,
        warp: u16,
        site: Site,
        conflicts: &'a mut Vec<Conflict>,
    ) -> Self {
        let (now, block, dead) = (time.now, order.block(), order.base);
        Self { time, now, order, block, warp, site, dead, mine: 0, conflicts }
    }
}

impl Watch<'_> {
    #[inline]
    fn is_own(&self, stamp: u32) -> bool {
        stamp >= self.mine || (stamp > self.time.floor && self.time.owner(stamp) == self.block)
    }

    /// The block that made a stamp which is not dead.
    fn owner(&self, stamp: u32) -> u32 {
        if self.is_own(stamp) { self.block } else { self.time.owner(stamp) }
    }

    /// True if each of these lanes knows a read by all its lanes.
    fn all_know(&self, reading: u32, read: &Read) -> bool {
        if read.stamp <= self.time.floor {
            return true;
        }
        let owner = self.owner(read.stamp);
        let warp = unpack(read.by).0;
        lanes(reading).all(|lane| {
            lanes(read.lanes).all(|reader| {
                let thread = warp * 32 + reader as u16;
                match owner == self.block {
                    true => self.order.knows_own(self.warp, lane, thread, read.stamp),
                    false => self.order.clocks_know(self.warp, lane, owner, thread, read.stamp),
                }
            })
        })
    }

    /// Compares the lanes' access with an earlier one; true if they race.
    #[inline]
    fn compare(
        &mut self,
        me: u32,
        earlier: (u32, u16, Site),
        actions: (Action, Action),
        offset: u32,
        same_value: bool,
    ) -> bool {
        self.compare_as(me, earlier, actions, offset, same_value, |_| {})
    }

    fn compare_as(
        &mut self,
        me: u32,
        (stamp, thread, site): (u32, u16, Site),
        (this, other): (Action, Action),
        offset: u32,
        same_value: bool,
        mark: impl Fn(&mut Conflict),
    ) -> bool {
        if stamp <= self.time.floor {
            return false;
        }
        let own = self.is_own(stamp);
        if own && stamp <= self.order.base {
            return false;
        }
        let owner = if own { self.block } else { self.time.owner(stamp) };
        let mut found = false;
        for lane in lanes(me) {
            let known = if own {
                self.order.knows_own(self.warp, lane, thread, stamp)
            } else {
                self.order.clocks_know(self.warp, lane, owner, thread, stamp)
            };
            if known {
                continue;
            }
            found = true;
            let mut conflict = Conflict {
                lanes: 1 << lane,
                lane,
                offset,
                this,
                other,
                other_block: owner,
                other_thread: thread,
                other_stamp: stamp,
                other_site: site,
                same_value,
                unacquired: self.order.unacquired_knows(self.warp, lane, owner, thread, stamp),
                scopes: false,
                volatile: false,
                widths: false,
            };
            mark(&mut conflict);
            let same = self.conflicts.iter_mut().find(|known| {
                known.this == conflict.this
                    && known.other == conflict.other
                    && known.other_site == conflict.other_site
                    && (known.other_block == self.block) == own
                    && (known.other_thread / 32 == self.warp) == (conflict.other_thread / 32 == self.warp)
                    && known.same_value == conflict.same_value
                    && known.unacquired == conflict.unacquired
                    && known.scopes == conflict.scopes
                    && known.volatile == conflict.volatile
                    && known.widths == conflict.widths
            });
            match same {
                Some(known) => known.lanes |= conflict.lanes,
                None => self.conflicts.push(conflict),
            }
        }
        found
    }
}
