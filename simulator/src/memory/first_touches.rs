//! What a block first did to a page of global memory, while it has not been put down in race cells.
//!
//! Of most pages that a block of a parallel launch touches, it touches each word once: a tile is fetched, a
//! row of results is left. As long as that is so, cells would say nothing that the accesses do not say by
//! themselves. So rows of words, each read or written by the next lane of a warp, are only listed here, and
//! the block leaves them behind as they are ([`super::touched`]); cells of such a page are never made. The
//! first access of another kind (a word that was touched before, or by several lanes, or by lanes in another
//! order, or in part) puts them down in the page's cells, where all later ones go, too.
//!
//! What is put off of shared memory ([`super::deferred`]) can't wait for whatever changes what threads know
//! of each other. This can: what an access leaves in cells that the block has not touched depends on nothing
//! but itself. So cells are exactly as if nothing had ever been listed, and no finding depends on it.

use super::{
    cells::{Cells, SITE_BITS},
    touched::TouchedRun,
};

/// Rows are listed up to here; more would take more memory than cells.
const MOST_ROWS: usize = 16;

/// Neighbouring words that neighbouring lanes of a warp touched at once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowTouch {
    pub(super) run: TouchedRun,
    pub(super) stamp: u32,
}

/// The rows of one page.
#[derive(Clone, Debug, Default)]
pub(crate) struct FirstTouches {
    /// Words touched, as bits.
    words: u64,
    rows: Vec<RowTouch>,
    /// False as long as the rows are all that the block did here.
    in_cells: bool,
}

impl FirstTouches {
    /// Another block touches the page, or this one another page.
    #[inline]
    pub(super) fn begin(&mut self) {
        self.words = 0;
        self.rows.clear();
        self.in_cells = false;
    }

    /// Lists a row. False if that can't be: it has to be put down in cells.
    #[inline(always)]
    pub(super) fn list(&mut self, row: RowTouch) -> bool {
        let run = &row.run;
        let words = (u64::MAX >> (63 - (run.last - run.first))) << run.first;
        if self.in_cells || self.words & words != 0 || self.rows.len() == MOST_ROWS {
            return false;
        }
        self.words |= words;
        self.rows.push(row);
        true
    }

    /// The rows, if they are all that the block did here.
    #[inline]
    pub(super) fn all(&self) -> Option<&[RowTouch]> {
        (!self.in_cells).then_some(&self.rows)
    }

    /// Puts everything down. From now on all is in cells.
    #[inline(always)]
    pub(super) fn settle(&mut self, cells: &mut Cells) {
        if !self.in_cells {
            self.put_down(cells);
        }
    }

    #[inline(never)]
    fn put_down(&mut self, cells: &mut Cells) {
        self.in_cells = true;
        for RowTouch { run, stamp } in self.rows.drain(..) {
            let (first, count) = (usize::from(run.first), usize::from(run.last - run.first) + 1);
            let [stamps, by] = if run.writes {
                cells.make_writes();
                cells.note_write(stamp);
                cells.writes_run_mut(first, count)
            } else {
                // Nothing was read here before: readers are threads.
                cells.make_reads(true);
                let [stamps, by, _] = cells.reads_run_mut(first, count);
                [stamps, by]
            };
            stamps.fill(stamp);
            for (cell, by) in by.iter_mut().enumerate() {
                *by = run.by_at(run.first).wrapping_add((cell as u32) << SITE_BITS);
            }
        }
    }

    /// Rows listed.
    #[cfg(test)]
    pub(super) fn count(&self) -> usize {
        self.rows.len()
    }

    /// Bytes allocated.
    pub(super) fn heap_bytes(&self) -> usize {
        self.rows.capacity() * size_of::<RowTouch>()
    }
}
