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
//! they are atomics of different widths (PTX ISA, "Morally strong operations": they must overlap completely; narrower than
//! a word is let pass, for libraries build byte-wide atomics from word-wide ones). One exception: `volatile` accesses to shared memory by lanes of one warp are accused like plain ones unless the reader
//! polls, for that is how pre-Volta warp code looks, and it is broken.
//!
//! Of many readers in one warp and epoch the last but one site stands for all earlier ones.
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

use std::collections::HashMap;

use super::{
    Site,
    asynchronous::UNDER_WAY,
    lanes,
    order::{BlockOrder, Time},
    pattern::Words,
};
use crate::{
    findings::Action,
    ir::{Order, Scope},
};

/// Cells for a stretch of memory, as parallel stripes so that full-warp accesses are vector operations.
#[derive(Clone, Debug)]
pub(crate) struct Cells {
    /// One cell per byte instead of per word.
    bytes: bool,
    count: usize,
    stripes: Vec<u32>,
    /// Strong accesses, by cell; empty until there is one.
    strong: Vec<StrongCell>,
    /// Plain reads beyond the two that a cell has room for, by cell, where every reader counts.
    more_reads: HashMap<u32, Vec<Read>>,
}

/// A plain read by lanes of a warp.
#[derive(Clone, Copy, Debug)]
struct Read {
    stamp: u32,
    /// Warp and site.
    by: u32,
    lanes: u32,
}

/// Reads that are kept of a cell beyond the two slots.
const MOST_READS: usize = 64;

const WRITE_STAMP: usize = 0;
/// Thread (10 bits) and site (22 bits).
const WRITE_BY: usize = 1;
const READ_STAMP: usize = 2;
/// Warp (10 bits) and site (22 bits).
const READ_BY: usize = 3;
const READ_LANES: usize = 4;
const OTHER_STAMP: usize = 5;
const OTHER_BY: usize = 6;
const OTHER_LANES: usize = 7;
const STRIPES: usize = 8;

const SITE_BITS: u32 = 22;

/// Untouched cells are passed over this many at a time.
const SKIPPED_CELLS: usize = 16;

#[derive(Clone, Copy, Debug, Default)]
struct StrongCell {
    write: StrongSlot,
    read: StrongSlot,
}

#[derive(Clone, Copy, Debug, Default)]
struct StrongSlot {
    stamp: u32,
    /// Thread and site.
    by: u32,
    kind: StrongKind,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct StrongKind {
    /// Scope reaches only its block.
    near: bool,
    /// A volatile load or store, not an atomic.
    volatile: bool,
    /// The same thread has read it before at the same site.
    polled: bool,
    /// An atomic.
    atomic: bool,
    /// Its width.
    bytes: u8,
}

impl StrongKind {
    /// Two atomics that are not atomic to each other.
    fn is_other_width_than(self, other: Self) -> bool {
        self.atomic && other.atomic && self.bytes != other.bytes && self.bytes.min(other.bytes) >= 4
    }
}

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
    /// Both atomic, of different widths.
    pub(crate) widths: bool,
}

/// The current access, as the shadow needs it.
pub(crate) struct Watch<'a> {
    pub(crate) time: &'a Time,
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
    /// In shared memory.
    pub(crate) shared: bool,
}

fn pack(thread: u16, site: Site) -> u32 {
    u32::from(thread) << SITE_BITS | site.0.min(Site::LIMIT)
}

fn unpack(by: u32) -> (u16, Site) {
    ((by >> SITE_BITS) as u16, Site(by & Site::LIMIT))
}

impl Cells {
    /// Cells for so many words, all untouched.
    pub(crate) fn new(words: usize) -> Self {
        Self {
            bytes: false,
            count: words,
            stripes: vec![0; STRIPES * words],
            strong: Vec::new(),
            more_reads: HashMap::new(),
        }
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.stripes.fill(0);
        self.strong.clear();
        self.more_reads.clear();
    }

    /// True if cells are bytes.
    pub(crate) fn by_bytes(&self) -> bool {
        self.bytes
    }

    /// From words to bytes; each byte inherits its word's past.
    fn split(&mut self) {
        let words = self.count;
        self.stripes = self.stripes.iter().flat_map(|&value| [value; 4]).collect();
        self.strong = self.strong.iter().flat_map(|&cell| [cell; 4]).collect();
        self.more_reads = std::mem::take(&mut self.more_reads)
            .into_iter()
            .flat_map(|(cell, reads)| (0..4).map(move |byte| (4 * cell + byte, reads.clone())))
            .collect();
        self.count = 4 * words;
        self.bytes = true;
    }

    fn for_width(&mut self, bytes: u8) -> (u32, u32) {
        if bytes < 4 && !self.bytes {
            self.split();
        }
        if self.bytes { (1, u32::from(bytes)) } else { (4, u32::from(bytes) / 4) }
    }

    /// Plain reads by lanes at byte offsets from the cells' start.
    pub(crate) fn read(&mut self, watch: &mut Watch<'_>, offsets: &[u32; 32], mask: u32, bytes: u8) {
        let (size, per_lane) = self.for_width(bytes);
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
            let first = offsets[lane] / size;
            for cell in first..first + per_lane {
                self.read_cell(watch, cell as usize, alike, size);
            }
        }
    }

    /// Plain reads of neighbouring words, from cell `first` on.
    #[inline(always)]
    pub(crate) fn read_run(&mut self, watch: &mut Watch<'_>, first: usize, words: Words<'_>) {
        let at_once = self.strong.is_empty()
            && match words.readers.len() {
                1 => self.read_run_at_once::<1>(watch, first, words),
                16 => self.read_run_at_once::<16>(watch, first, words),
                32 => self.read_run_at_once::<32>(watch, first, words),
                _ => self.read_run_at_once::<0>(watch, first, words),
            };
        if at_once {
            return;
        }
        for (index, &readers) in words.readers.iter().enumerate() {
            self.read_cell(watch, first + index, readers, 4);
        }
    }

    /// The run of every stripe.
    #[inline(always)]
    fn run(&mut self, first: usize, n: usize) -> [&mut [u32]; STRIPES] {
        let (cells, rest) = (first..first + n, self.stripes.as_mut_slice());
        // Written out, not `from_fn`: only what is inlined is compiled for the caller's vectors.
        let (a, rest) = rest.split_at_mut(self.count);
        let (b, rest) = rest.split_at_mut(self.count);
        let (c, rest) = rest.split_at_mut(self.count);
        let (d, rest) = rest.split_at_mut(self.count);
        let (e, rest) = rest.split_at_mut(self.count);
        let (f, rest) = rest.split_at_mut(self.count);
        let (g, h) = rest.split_at_mut(self.count);
        [
            &mut a[cells.clone()],
            &mut b[cells.clone()],
            &mut c[cells.clone()],
            &mut d[cells.clone()],
            &mut e[cells.clone()],
            &mut f[cells.clone()],
            &mut g[cells.clone()],
            &mut h[cells],
        ]
    }

    /// As vector operations. False if some cell needs a closer look; then nothing was done. `N` is the run's length where
    /// that is a common one, else 0.
    #[inline(always)]
    fn read_run_at_once<const N: usize>(
        &mut self,
        watch: &Watch<'_>,
        first: usize,
        words: Words<'_>,
    ) -> bool {
        let n = if N == 0 { words.readers.len() } else { N };
        let (dead, mine, now) = (watch.dead, watch.mine, watch.time.now);
        let (changed, warp_base) = (watch.order.changed(watch.warp), watch.order.warp_base(watch.warp));
        let warp = u32::from(watch.warp);
        let threads = warp * 32;
        let by = pack(watch.warp, watch.site);
        let every_reader = watch.order.every_reader;
        let [write_stamp, write_by, read_stamp, read_by, read_lanes, other_stamp, other_by, other_lanes] =
            self.run(first, n);
        let owners = &words.owners[..n];
        let readers = &words.readers[..n];
        let (mut bad, mut any_alive) = (0u32, 0u32);
        for i in 0..n {
            let timed = (write_stamp[i] >= mine) & (write_stamp[i] < UNDER_WAY);
            let own = (write_by[i] >> SITE_BITS == threads.wrapping_add(owners[i])) & timed;
            let alive = read_stamp[i] > dead;
            let same_warp = read_by[i] >> SITE_BITS == warp;
            let pending = same_warp & (read_stamp[i] < changed) & (read_stamp[i] > warp_base);
            let foreign = (read_stamp[i] < mine) | ((other_stamp[i] > dead) & (other_stamp[i] < mine));
            // A third reader.
            let full = every_reader & alive & !same_warp & (other_stamp[i] > dead);
            bad |= u32::from((write_stamp[i] > dead) & !own) | u32::from(alive & (pending | foreign | full));
            any_alive |= u32::from(alive);
        }
        if bad != 0 {
            return false;
        }
        if any_alive == 0 {
            read_lanes.copy_from_slice(readers);
        } else {
            for i in 0..n {
                let alive = read_stamp[i] > dead;
                let same_warp = read_by[i] >> SITE_BITS == warp;
                let merge = alive
                    & same_warp
                    & (read_stamp[i] >= changed)
                    & ((read_by[i] == by) | (other_stamp[i] > dead));
                let superseded = same_warp & (read_stamp[i] <= warp_base);
                let demote = alive & !merge & !superseded;
                other_stamp[i] = if demote { read_stamp[i] } else { other_stamp[i] };
                other_by[i] = if demote { read_by[i] } else { other_by[i] };
                other_lanes[i] = if demote { read_lanes[i] } else { other_lanes[i] };
                read_lanes[i] = readers[i] | if merge { read_lanes[i] } else { 0 };
            }
        }
        read_stamp.fill(now);
        read_by.fill(by);
        true
    }

    #[inline(never)]
    fn read_cell(&mut self, watch: &mut Watch<'_>, cell: usize, reading: u32, size: u32) {
        let count = self.count;
        let at = |stripe: usize| stripe * count + cell;
        let write_stamp = self.stripes[at(WRITE_STAMP)];
        if write_stamp > watch.dead {
            let (thread, site) = unpack(self.stripes[at(WRITE_BY)]);
            watch.compare(
                reading,
                (write_stamp, thread, site),
                (Action::Read, Action::Write),
                cell as u32 * size,
                false,
            );
        }
        if let Some(strong) = self.strong.get(cell)
            && strong.write.stamp > watch.dead
        {
            let (thread, site) = unpack(strong.write.by);
            let other = if strong.write.kind.atomic { Action::Atomic } else { Action::Write };
            watch.compare(
                reading,
                (strong.write.stamp, thread, site),
                (Action::Read, other),
                cell as u32 * size,
                false,
            );
        }
        // Remember this read.
        let now = watch.time.now;
        let by = pack(watch.warp, watch.site);
        let read_stamp = self.stripes[at(READ_STAMP)];
        if read_stamp > watch.dead {
            let read_by = self.stripes[at(READ_BY)];
            let same_warp = read_by >> SITE_BITS == u32::from(watch.warp) && watch.is_own(read_stamp);
            if same_warp {
                if read_stamp >= watch.order.changed(watch.warp)
                    && (read_by == by || self.stripes[at(OTHER_STAMP)] > watch.dead)
                {
                    let readers = at(READ_LANES);
                    self.stripes[readers] |= reading;
                    self.stripes[at(READ_STAMP)] = now;
                    self.stripes[at(READ_BY)] = by;
                    return;
                }
                let old_readers = self.stripes[at(READ_LANES)];
                let superseded =
                    read_stamp <= watch.order.warp_base(watch.warp) || old_readers & !reading == 0;
                if !superseded {
                    if self.stripes[at(OTHER_STAMP)] <= watch.dead {
                        self.demote(cell);
                    } else {
                        self.keep_read(watch, cell, (READ_STAMP, READ_BY, READ_LANES), reading);
                    }
                }
            } else {
                // Keep a read of a third block rather than of this block's other warps.
                let other_stamp = self.stripes[at(OTHER_STAMP)];
                let keep = other_stamp > watch.dead && !watch.is_own(other_stamp) && watch.is_own(read_stamp);
                if keep {
                    self.keep_read(watch, cell, (READ_STAMP, READ_BY, READ_LANES), reading);
                } else {
                    self.keep_read(watch, cell, (OTHER_STAMP, OTHER_BY, OTHER_LANES), reading);
                    self.demote(cell);
                }
            }
        }
        self.stripes[at(READ_STAMP)] = now;
        self.stripes[at(READ_BY)] = by;
        self.stripes[at(READ_LANES)] = reading;
    }

    /// Where every reader counts: keeps the read of a slot that is about to be used again, unless the threads that read now
    /// (`reading`) know it, for then their own read stands for it.
    #[cold]
    fn keep_read(
        &mut self,
        watch: &Watch<'_>,
        cell: usize,
        (stamp, by, lanes): (usize, usize, usize),
        reading: u32,
    ) {
        if !watch.order.every_reader {
            return;
        }
        let value = |stripe: usize| self.stripes[stripe * self.count + cell];
        let lost = Read { stamp: value(stamp), by: value(by), lanes: value(lanes) };
        let matters = |read: &Read| read.stamp > watch.dead && !watch.all_know(reading, read);
        let reads = self.more_reads.entry(cell as u32).or_default();
        if !matters(&lost) {
            return;
        }
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

    /// The first read slot becomes the second.
    fn demote(&mut self, cell: usize) {
        for (from, to) in [(READ_STAMP, OTHER_STAMP), (READ_BY, OTHER_BY), (READ_LANES, OTHER_LANES)] {
            self.stripes[to * self.count + cell] = self.stripes[from * self.count + cell];
        }
    }

    /// Plain writes of neighbouring words, each by one lane, as vector operations. False if some cell needs a
    /// closer look; then nothing was done.
    #[inline(always)]
    pub(crate) fn write_run(&mut self, watch: &Watch<'_>, first: usize, words: Words<'_>) -> bool {
        if !self.strong.is_empty() || self.bytes {
            return false;
        }
        let n = words.readers.len();
        let (dead, mine, now) = (watch.dead, watch.mine, watch.time.now);
        let warp = u32::from(watch.warp);
        let threads = warp * 32;
        let by = pack(watch.warp * 32, watch.site);
        let [write_stamp, write_by, read_stamp, read_by, read_lanes, other_stamp, ..] = self.run(first, n);
        let owners = &words.owners[..n];
        let readers = &words.readers[..n];
        let mut bad = 0u32;
        for i in 0..n {
            let timed = (write_stamp[i] >= mine) & (write_stamp[i] < UNDER_WAY);
            let own = (write_by[i] >> SITE_BITS == threads.wrapping_add(owners[i])) & timed;
            let read_own =
                (read_by[i] >> SITE_BITS == warp) & (read_lanes[i] == readers[i]) & (read_stamp[i] >= mine);
            bad |= u32::from((write_stamp[i] > dead) & !own)
                | u32::from((read_stamp[i] > dead) & !read_own)
                | u32::from(other_stamp[i] > dead);
        }
        if bad != 0 {
            return false;
        }
        write_stamp.fill(now);
        for i in 0..n {
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
        let now = watch.time.now;
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
            let at = |stripe: usize| stripe * self.count + cell;
            let write_stamp = self.stripes[at(WRITE_STAMP)];
            if write_stamp > watch.dead {
                let (thread, site) = unpack(self.stripes[at(WRITE_BY)]);
                watch.compare(
                    me,
                    (write_stamp, thread, site),
                    (Action::Write, Action::Write),
                    offset,
                    same_value,
                );
            }
            self.against_reads(watch, cell, me, Action::Write, offset);
            if let Some(strong) = self.strong.get(cell).copied() {
                for slot in [strong.write, strong.read] {
                    if slot.stamp > watch.dead {
                        let other = match slot.kind {
                            StrongKind { atomic: true, .. } => Action::Atomic,
                            _ if slot.stamp == strong.write.stamp && slot.by == strong.write.by => {
                                Action::Write
                            }
                            _ => Action::Read,
                        };
                        let (thread, site) = unpack(slot.by);
                        watch.compare(me, (slot.stamp, thread, site), (Action::Write, other), offset, false);
                    }
                }
            }
            // Whoever races with one of them races with this write, or has been reported.
            self.more_reads.remove(&(cell as u32));
            self.stripes[at(WRITE_STAMP)] = stamp;
            self.stripes[at(WRITE_BY)] = pack(watch.warp * 32 + lane as u16, watch.site);
        }
    }

    /// A thread's copy has arrived: where nobody has written since, it gets a time.
    pub(crate) fn arrive(&mut self, offset: u32, bytes: u8, thread: u16, stamp: u32, now: u32) {
        let size = if self.bytes { 1 } else { 4 };
        for cell in offset / size..(offset + u32::from(bytes)) / size {
            let at = |stripe: usize| stripe * self.count + cell as usize;
            let (stamps, by) = (at(WRITE_STAMP), at(WRITE_BY));
            if self.stripes[stamps] == stamp && unpack(self.stripes[by]).0 == thread {
                self.stripes[stamps] = now;
            }
        }
    }

    /// The stamps of last writes.
    pub(crate) fn write_stamps(&self) -> &[u32] {
        &self.stripes[WRITE_STAMP * self.count..][..self.count]
    }

    fn against_reads(&self, watch: &mut Watch<'_>, cell: usize, me: u32, this: Action, offset: u32) {
        for (stamp, by, readers) in [(READ_STAMP, READ_BY, READ_LANES), (OTHER_STAMP, OTHER_BY, OTHER_LANES)]
        {
            let stamp = self.stripes[stamp * self.count + cell];
            if stamp <= watch.dead {
                continue;
            }
            let (warp, site) = unpack(self.stripes[by * self.count + cell]);
            for reader in lanes(self.stripes[readers * self.count + cell]) {
                let thread = warp * 32 + reader as u16;
                if watch.compare(me, (stamp, thread, site), (this, Action::Read), offset, false) {
                    break;
                }
            }
        }
        let Some(reads) = self.more_reads.get(&(cell as u32)) else { return };
        for read in reads {
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
        if self.strong.is_empty() {
            self.strong = vec![StrongCell::default(); self.count];
        }
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
            let at = |stripe: usize| stripe * self.count + cell;
            let write_stamp = self.stripes[at(WRITE_STAMP)];
            if write_stamp > watch.dead {
                let (thread, site) = unpack(self.stripes[at(WRITE_BY)]);
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
            let StrongCell { write, read } = self.strong[cell];
            if access.reads {
                kind.polled = read.by == by && read.stamp > watch.dead && watch.is_own(read.stamp);
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
                    && access.shared
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
            let slot = StrongSlot { stamp: watch.time.now, by, kind };
            if access.writes {
                self.strong[cell].write = slot;
            } else {
                self.strong[cell].read = slot;
            }
        }
    }

    /// What one block did to each cell after a stamp: `(cell, plain write by, plain read by (thread))`.
    pub(crate) fn touched_since(&self, start: u32, mut each: impl FnMut(usize, Option<u32>, Option<u32>)) {
        let stripe = |stripe: usize| &self.stripes[stripe * self.count..][..self.count];
        let (write_stamps, read_stamps) = (stripe(WRITE_STAMP), stripe(READ_STAMP));
        for first in (0..self.count).step_by(SKIPPED_CELLS) {
            let cells = first..(first + SKIPPED_CELLS).min(self.count);
            // Most of a page is untouched, which vectors see many cells at a time.
            let touched = |stamps: &[u32]| stamps.iter().fold(false, |any, &stamp| any | (stamp > start));
            if !touched(&write_stamps[cells.clone()]) & !touched(&read_stamps[cells.clone()]) {
                continue;
            }
            for cell in cells {
                let (written, read) = (write_stamps[cell] > start, read_stamps[cell] > start);
                if !written & !read {
                    continue;
                }
                let reader = || {
                    let (warp, site) = unpack(stripe(READ_BY)[cell]);
                    pack(warp * 32 + stripe(READ_LANES)[cell].trailing_zeros() as u16, site)
                };
                each(cell, written.then(|| stripe(WRITE_BY)[cell]), read.then(reader));
            }
        }
    }
}

/// Thread and site of a cell's owner.
pub(crate) fn who(by: u32) -> (u16, Site) {
    unpack(by)
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
