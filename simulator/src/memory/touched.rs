//! Which words a finished block of a parallel launch touched, and by whom, until it has been compared with
//! the blocks before it. Far less than the cells that it ran with, which the next block uses.

use super::{first_touches::RowTouch, overlay::Page, shadow::SITE_BITS};

/// Neighbouring cells that neighbouring threads touched at one site.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TouchedRun {
    pub(crate) first: u8,
    pub(crate) last: u8,
    pub(crate) writes: bool,
    /// Thread and site of the first; each next one is the next thread's.
    by: u32,
}

impl TouchedRun {
    /// Cells from `first` to `last`; thread and site of the first.
    pub(super) fn of(first: u8, last: u8, writes: bool, by: u32) -> Self {
        Self { first, last, writes, by }
    }

    /// Adds a cell to the runs from `begin` on, in ascending order.
    #[inline]
    pub(super) fn add(runs: &mut Vec<Self>, begin: usize, cell: usize, writes: bool, by: u32) {
        if let Some(run) = runs[begin..].last_mut()
            && usize::from(run.last) + 1 == cell
            && run.by_at(cell as u8) == by
        {
            run.last = cell as u8;
            return;
        }
        runs.push(Self::of(cell as u8, cell as u8, writes, by));
    }

    /// True if the two are one.
    #[inline]
    fn goes_on_with(&self, next: &Self) -> bool {
        let follows = usize::from(self.last) + 1 == usize::from(next.first) && self.writes == next.writes;
        follows && self.by_at(next.first) == next.by
    }

    /// True if the cell is one of the run.
    #[inline]
    pub(super) fn holds(&self, cell: u8) -> bool {
        (self.first..=self.last).contains(&cell)
    }

    /// A part of it.
    #[inline]
    pub(super) fn part(&self, first: u8, last: u8) -> Self {
        Self { first, last, by: self.by_at(first), ..*self }
    }

    /// Thread and site of a cell of the run.
    #[inline]
    pub(super) fn by_at(&self, cell: u8) -> u32 {
        self.by.wrapping_add(u32::from(cell - self.first) << SITE_BITS)
    }
}

/// A page that a block touched, and where its runs end in the list of all.
#[derive(Clone, Copy, Debug)]
struct TouchedPage {
    number: u32,
    /// Its cells are bytes.
    by_bytes: bool,
    end: u32,
}

/// All that one block touched.
#[derive(Debug, Default)]
pub struct Touched {
    pub(super) block: u32,
    pages: Vec<TouchedPage>,
    runs: Vec<TouchedRun>,
}

/// The same of one page.
pub(super) struct PageTouches<'a> {
    pub(super) number: u32,
    pub(super) by_bytes: bool,
    pub(super) runs: &'a [TouchedRun],
}

impl Touched {
    /// Begins the list of another block.
    pub(super) fn begin(&mut self, block: u32) {
        self.block = block;
        self.pages.clear();
        self.runs.clear();
    }

    /// Adds a page that was touched after a stamp.
    pub(super) fn add(&mut self, page: &Page, start: u32) {
        match page.first.all() {
            Some(rows) => self.add_rows(rows),
            None => page.cells.touched_since(start, &mut self.runs),
        }
        let end = self.runs.len() as u32;
        self.pages.push(TouchedPage { number: page.number, by_bytes: page.cells.by_bytes(), end });
    }

    /// Adds rows, none of which overlaps another.
    fn add_rows(&mut self, rows: &[RowTouch]) {
        let begin = self.runs.len();
        self.runs.extend(rows.iter().map(|row| row.run));
        self.runs[begin..].sort_unstable_by_key(|run| (!run.writes, run.first));
        let mut last = begin;
        for next in begin + 1..self.runs.len() {
            let run = self.runs[next];
            if !self.runs[last].goes_on_with(&run) {
                last += 1;
                self.runs[last] = run;
            } else {
                self.runs[last].last = run.last;
            }
        }
        self.runs.truncate(last + 1);
    }

    /// Page by page, in the order of first touch.
    pub(super) fn parts(&self) -> impl Iterator<Item = PageTouches<'_>> {
        let mut from = 0;
        self.pages.iter().map(move |&TouchedPage { number, by_bytes, end }| {
            let runs = &self.runs[from as usize..end as usize];
            from = end;
            PageTouches { number, by_bytes, runs }
        })
    }

    /// Bytes allocated.
    pub(crate) fn heap_bytes(&self) -> usize {
        self.pages.capacity() * size_of::<TouchedPage>() + self.runs.capacity() * size_of::<TouchedRun>()
    }
}
