//! Neighbouring words at once: what a full warp touches in a row is compared and remembered by vector
//! operations, where no cell of it needs a closer look. Cells are then as if each word had gone its own way.

use super::{
    super::{asynchronous::UNDER_WAY, cells::pack, pattern::WordRun},
    Cells, CurrentAccess, SITE_BITS,
};

impl Cells {
    /// Plain reads of neighbouring words, from cell `first` on.
    #[inline(always)]
    pub(crate) fn read_run(&mut self, current: &mut CurrentAccess<'_>, first: usize, words: WordRun<'_>) {
        self.make_reads(words.single);
        if !words.single && !self.has_masks() {
            self.use_masks();
        }
        let at_once = !self.has_strong() && self.read_run_at_once(current, first, words);
        if at_once {
            return;
        }
        for (index, &readers) in words.readers.iter().enumerate() {
            self.read_cell(current, first + index, readers, 4);
        }
    }

    /// As vector operations. False if some cell needs a closer look; then nothing was done.
    #[inline(always)]
    fn read_run_at_once(&mut self, current: &CurrentAccess<'_>, first: usize, words: WordRun<'_>) -> bool {
        match (self.has_masks(), words.readers.len()) {
            (true, 1) => self.read_run_of::<1, true>(current, first, words),
            (true, 16) => self.read_run_of::<16, true>(current, first, words),
            (true, 32) => self.read_run_of::<32, true>(current, first, words),
            (true, _) => self.read_run_of::<0, true>(current, first, words),
            (false, 16) => self.read_run_of::<16, false>(current, first, words),
            (false, 32) => self.read_run_of::<32, false>(current, first, words),
            (false, _) => self.read_run_of::<0, false>(current, first, words),
        }
    }

    /// The same for runs of length `N`, where that is a common one, else 0. Without `MASKS` each
    /// word is read by one lane.
    #[inline(always)]
    fn read_run_of<const N: usize, const MASKS: bool>(
        &mut self,
        current: &CurrentAccess<'_>,
        first: usize,
        words: WordRun<'_>,
    ) -> bool {
        let n = if N == 0 { words.readers.len() } else { N };
        let (dead, mine, now) = (current.dead, current.mine, current.now);
        let (changed, warp_base) =
            (current.order.changed(current.warp), current.order.warp_base(current.warp));
        let warp = u32::from(current.warp);
        let threads = warp * 32;
        let by = pack(if MASKS { current.warp } else { current.warp * 32 }, current.site);
        let every_reader = current.order.every_reader;
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

    /// Plain writes of neighbouring words, each by one lane, as vector operations. False if some cell needs a
    /// closer look; then nothing was done.
    #[inline(always)]
    pub(crate) fn write_run(
        &mut self,
        current: &CurrentAccess<'_>,
        first: usize,
        words: WordRun<'_>,
    ) -> bool {
        if self.has_strong() || self.by_bytes() {
            return false;
        }
        self.make_writes();
        if self.has_masks() {
            self.write_run_of::<true>(current, first, words)
        } else {
            self.write_run_of::<false>(current, first, words)
        }
    }

    #[inline(always)]
    fn write_run_of<const MASKS: bool>(
        &mut self,
        current: &CurrentAccess<'_>,
        first: usize,
        words: WordRun<'_>,
    ) -> bool {
        let n = words.readers.len();
        let (dead, mine, now) = (current.dead, current.mine, current.now);
        let warp = u32::from(current.warp);
        let threads = warp * 32;
        let by = pack(current.warp * 32, current.site);
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
}
