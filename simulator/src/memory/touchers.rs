//! Who touched the cells of a page: of each cell one block, and the thread and site in it.
//!
//! Most pages are touched by a few warps, each in a row: then a page is a short list of stretches of cells
//! whose threads follow each other, and comparing or adding a whole row is one step. A page with more of
//! them, or one where blocks overlap, has a value for each cell.

use std::ops::{Range, RangeInclusive};

use super::touched::TouchedRun;

/// Stretches are listed up to here; beyond, cells one by one take less memory.
const MOST_STRETCHES: usize = 16;

/// No thread and site: sites end before.
pub(super) const NOT_TOUCHED: u32 = u32::MAX;

/// A block, and the thread and site in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Toucher {
    pub(super) block: u32,
    pub(super) by: u32,
}

/// Of each cell of a page who touched it, if anybody did.
#[derive(Clone, Debug)]
pub(super) struct Touchers {
    /// Cells that somebody touched.
    touched: u16,
    list: TouchList,
}

#[derive(Clone, Debug)]
enum TouchList {
    /// In ascending order, without overlaps.
    Stretches(Vec<Stretch>),
    Each(Box<Each>),
}

/// Neighbouring cells that neighbouring threads of a block touched at one site.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    run: TouchedRun,
    block: u32,
}

/// Cell by cell.
#[derive(Clone, Debug)]
struct Each {
    /// Threads and sites; [`NOT_TOUCHED`] where there is nobody.
    by: Box<[u32]>,
    /// Blocks; empty as long as it is one and the same.
    blocks: Box<[u32]>,
    block: u32,
}

impl Default for Touchers {
    fn default() -> Self {
        Self { touched: 0, list: TouchList::Stretches(Vec::new()) }
    }
}

impl Touchers {
    /// True if nobody has touched any cell.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.touched == 0
    }

    /// How many cells somebody has touched.
    #[inline]
    pub(super) fn touched(&self) -> usize {
        self.touched.into()
    }

    /// Who touched a cell.
    pub(super) fn get(&self, cell: usize) -> Option<Toucher> {
        match &self.list {
            TouchList::Stretches(stretches) => {
                let stretch = stretches.iter().find(|stretch| stretch.run.holds(cell as u8))?;
                Some(Toucher { block: stretch.block, by: stretch.run.by_at(cell as u8) })
            }
            TouchList::Each(each) => each.get(cell),
        }
    }

    /// True if somebody has touched a cell of the run.
    #[inline]
    pub(super) fn meet(&self, run: &TouchedRun) -> bool {
        match &self.list {
            TouchList::Stretches(stretches) => {
                stretches.iter().any(|stretch| stretch.run.first <= run.last && run.first <= stretch.run.last)
            }
            TouchList::Each(each) => {
                let cells = &each.by[usize::from(run.first)..=usize::from(run.last)];
                cells.iter().fold(false, |any, &by| any | (by != NOT_TOUCHED))
            }
        }
    }

    /// True if one of these blocks was the last to touch one of these cells.
    pub(super) fn have(&self, cells: RangeInclusive<usize>, blocks: &Range<u32>) -> bool {
        match &self.list {
            TouchList::Stretches(stretches) => stretches.iter().any(|Stretch { run, block }| {
                let meets = usize::from(run.first) <= *cells.end() && *cells.start() <= usize::from(run.last);
                meets && blocks.contains(block)
            }),
            TouchList::Each(each) => {
                cells.filter_map(|cell| each.get(cell)).any(|toucher| blocks.contains(&toucher.block))
            }
        }
    }

    /// A block touched a run of cells, of `cells` in the page. Who touched one before stays.
    #[inline]
    pub(super) fn add(&mut self, run: &TouchedRun, block: u32, cells: usize) {
        match &mut self.list {
            TouchList::Stretches(stretches) => {
                self.touched += insert(stretches, run, block);
                if stretches.len() > MOST_STRETCHES {
                    self.each(cells);
                }
            }
            TouchList::Each(each) => {
                for cell in run.first..=run.last {
                    let at = usize::from(cell);
                    if each.by[at] == NOT_TOUCHED {
                        each.set(at, Toucher { block, by: run.by_at(cell) });
                        self.touched += 1;
                    }
                }
            }
        }
    }

    /// This one touched a cell, of `cells` in the page. Who touched it before is forgotten.
    pub(super) fn set(&mut self, cell: usize, toucher: Toucher, cells: usize) {
        let each = self.each(cells);
        let is_new = each.by[cell] == NOT_TOUCHED;
        each.set(cell, toucher);
        self.touched += u16::from(is_new);
    }

    /// From words to bytes; each byte inherits its word's past.
    pub(super) fn split(&mut self, words: usize) {
        if self.is_empty() {
            return;
        }
        let each = self.each(words);
        for touchers in [&mut each.by, &mut each.blocks] {
            *touchers = touchers.iter().flat_map(|&toucher| [toucher; 4]).collect();
        }
        self.touched *= 4;
    }

    /// Cell by cell from now on.
    fn each(&mut self, cells: usize) -> &mut Each {
        if let TouchList::Stretches(stretches) = &self.list {
            let block = stretches.first().map_or(0, |stretch| stretch.block);
            let mut each = Each { by: vec![NOT_TOUCHED; cells].into(), blocks: Box::default(), block };
            for Stretch { run, block } in stretches {
                for cell in run.first..=run.last {
                    each.set(cell.into(), Toucher { block: *block, by: run.by_at(cell) });
                }
            }
            self.list = TouchList::Each(Box::new(each));
        }
        match &mut self.list {
            TouchList::Each(each) => each,
            TouchList::Stretches(_) => unreachable!("it has just been made"),
        }
    }

    /// Bytes allocated.
    pub(super) fn heap_bytes(&self) -> usize {
        match &self.list {
            TouchList::Stretches(stretches) => stretches.capacity() * size_of::<Stretch>(),
            TouchList::Each(each) => size_of::<Each>() + size_of_val(&*each.by) + size_of_val(&*each.blocks),
        }
    }
}

impl Each {
    fn get(&self, cell: usize) -> Option<Toucher> {
        let by = self.by[cell];
        let block = self.blocks.get(cell).map_or(self.block, |&block| block);
        (by != NOT_TOUCHED).then_some(Toucher { block, by })
    }

    #[inline]
    fn set(&mut self, cell: usize, toucher: Toucher) {
        if self.blocks.is_empty() && toucher.block != self.block {
            self.blocks = vec![self.block; self.by.len()].into();
        }
        self.by[cell] = toucher.by;
        if let Some(place) = self.blocks.get_mut(cell) {
            *place = toucher.block;
        }
    }
}

/// Adds what of a run nobody has touched, and says how many cells that is.
#[inline]
fn insert(stretches: &mut Vec<Stretch>, run: &TouchedRun, block: u32) -> u16 {
    let mut added = 0;
    let (mut cell, end) = (u16::from(run.first), u16::from(run.last) + 1);
    let mut at = stretches.partition_point(|stretch| stretch.run.last < run.first);
    while cell < end {
        let next = stretches.get(at).map(|stretch| stretch.run).filter(|next| u16::from(next.first) < end);
        let gap_end = next.map_or(end, |next| u16::from(next.first));
        if cell < gap_end {
            stretches.insert(at, Stretch { run: run.part(cell as u8, (gap_end - 1) as u8), block });
            added += gap_end - cell;
            at += 1;
        }
        cell = next.map_or(end, |next| u16::from(next.last) + 1);
        at += 1;
    }
    added
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{TouchedRun, Toucher, Touchers};

    proptest! {
        /// Stretches and cells one by one say the same as a plain table.
        #[test]
        fn touchers_are_a_table(
            events in prop::collection::vec((0u8..64, 0u8..64, 0u32..5, 0u8..4, 0u16..100), 1..60),
            splits_at in 0usize..80,
        ) {
            let mut touchers = Touchers::default();
            let mut table: Vec<Option<Toucher>> = vec![None; 64];
            for (number, (a, b, block, what, thread)) in events.into_iter().enumerate() {
                if number == splits_at {
                    touchers.split(64);
                    table = table.iter().flat_map(|&toucher| [toucher; 4]).collect();
                }
                let run = TouchedRun::of(a.min(b), a.max(b), false, u32::from(thread) << 22 | 7);
                let cells = table.len();
                let met = (run.first..=run.last).any(|cell| table[usize::from(cell)].is_some());
                prop_assert_eq!(touchers.meet(&run), met);
                if what == 0 {
                    let toucher = Toucher { block, by: 9 };
                    touchers.set(a.into(), toucher, cells);
                    table[usize::from(a)] = Some(toucher);
                } else {
                    touchers.add(&run, block, cells);
                    for cell in run.first..=run.last {
                        table[usize::from(cell)].get_or_insert(Toucher { block, by: run.by_at(cell) });
                    }
                }
                for (cell, known) in table.iter().enumerate() {
                    prop_assert_eq!(touchers.get(cell), *known, "cell {}", cell);
                }
                prop_assert_eq!(touchers.touched(), table.iter().flatten().count());
            }
        }
    }
}
