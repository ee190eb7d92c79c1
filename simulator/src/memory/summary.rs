//! Races between blocks of a parallel launch.
//!
//! Blocks that run in parallel see the memory of before their wave. In block order each is compared
//! with those before it, which may be done while later ones still run. Per cell the launch remembers
//! the last block that wrote and the first that read. Each block is compared once, so whoever is
//! remembered is another block, and blocks of this kind of launch have nothing that orders them: any
//! overlap with a write is a race.

use std::ops::Range;

use crate::findings::Action;

use super::{
    GlobalMemory,
    overlay::Overlay,
    touched::{PageTouches, Touched, TouchedRun},
    touchers::{NOT_TOUCHED, Toucher, Touchers},
    written::Written,
};

/// What blocks did to one page.
#[derive(Clone, Debug, Default)]
struct SummaryPage {
    bytes: bool,
    /// By cell, the last block that wrote. Most pages are either read or written.
    writers: Touchers,
    /// By cell, the first block that read.
    readers: Touchers,
}

impl SummaryPage {
    fn cells(&self) -> usize {
        if self.bytes { 4 * Overlay::PAGE_WORDS } else { Overlay::PAGE_WORDS }
    }

    #[cold]
    fn split(&mut self) {
        for touchers in [&mut self.writers, &mut self.readers] {
            touchers.split(Overlay::PAGE_WORDS);
        }
        self.bytes = true;
    }

    /// Reads of it change nothing any more: nobody writes, and every cell has its first reader.
    fn is_settled(&self) -> bool {
        self.writers.is_empty() && self.readers.touched() == self.cells()
    }

    fn is_touched(&self) -> bool {
        !self.writers.is_empty() || !self.readers.is_empty()
    }

    /// True if something that the block did here may race with what blocks before it did.
    fn meets(&self, part: &PageTouches<'_>) -> bool {
        part.runs.iter().any(|run| self.writers.meet(run) || run.writes && self.readers.meet(run))
    }

    /// True if one of these blocks wrote to something that the block touched here.
    fn is_written_by(&self, part: &PageTouches<'_>, blocks: &Range<u32>) -> bool {
        let (times, over) = match (self.bytes, part.by_bytes) {
            (true, false) => (4, 1),
            (false, true) => (1, 4),
            _ => (1, 1),
        };
        let touch = |run: &TouchedRun| {
            let (first, last) = (usize::from(run.first), usize::from(run.last));
            self.writers.have(first * times / over..=(last * times + times - 1) / over, blocks)
        };
        !self.writers.is_empty() && part.runs.iter().any(touch)
    }

    /// Compares what a block did with what blocks before it did, then adds it.
    fn compare(&mut self, part: &PageTouches<'_>, block: u32, overlap: impl FnMut(Overlap)) {
        if self.is_settled() && part.runs.iter().all(|run| !run.writes) {
            return;
        }
        if part.by_bytes && !self.bytes {
            self.split();
        }
        if self.bytes != part.by_bytes || self.meets(part) {
            self.compare_cells(part, block, overlap);
            return;
        }
        let cells = self.cells();
        for run in part.runs {
            let touchers = if run.writes { &mut self.writers } else { &mut self.readers };
            touchers.add(run, block, cells);
        }
    }

    /// The same cell by cell.
    #[cold]
    #[inline(never)]
    fn compare_cells(&mut self, part: &PageTouches<'_>, block: u32, mut overlap: impl FnMut(Overlap)) {
        let repeat = if self.bytes && !part.by_bytes { 4 } else { 1 };
        let bytes = if self.bytes { 1 } else { 4 };
        let (mut writes, mut reads) = ([NOT_TOUCHED; MOST_CELLS], [NOT_TOUCHED; MOST_CELLS]);
        for run in part.runs {
            let by = if run.writes { &mut writes } else { &mut reads };
            for cell in run.first..=run.last {
                by[usize::from(cell)] = run.by_at(cell);
            }
        }
        let cells = self.cells();
        for cell in 0..cells {
            let (write, read) = (writes[cell / repeat], reads[cell / repeat]);
            if write == NOT_TOUCHED && read == NOT_TOUCHED {
                continue;
            }
            let (writer, reader) = (self.writers.get(cell), self.readers.get(cell));
            let mut meet = |this, by, other, earlier: Toucher| {
                let (other_block, other_by) = (earlier.block, earlier.by);
                overlap(Overlap {
                    page: part.number,
                    start: (cell * bytes) as u16,
                    bytes: bytes as u16,
                    this,
                    by,
                    other,
                    other_block,
                    other_by,
                });
            };
            if write != NOT_TOUCHED {
                if let Some(earlier) = writer {
                    meet(Action::Write, write, Action::Write, earlier);
                }
                if let Some(earlier) = reader {
                    meet(Action::Write, write, Action::Read, earlier);
                }
            }
            if read != NOT_TOUCHED {
                if let Some(earlier) = writer {
                    meet(Action::Read, read, Action::Write, earlier);
                }
                if reader.is_none() {
                    self.readers.set(cell, Toucher { block, by: read }, cells);
                }
            }
            if write != NOT_TOUCHED {
                self.writers.set(cell, Toucher { block, by: write }, cells);
            }
        }
    }
}

/// Cells of a page that are bytes.
const MOST_CELLS: usize = Overlay::PAGE_BYTES as usize;

/// What the blocks compared so far did, by page.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    pages: Vec<SummaryPage>,
}

impl Summary {
    /// Forgets everything and lets go of its memory.
    pub(crate) fn clear(&mut self) {
        self.pages = Vec::new();
    }

    /// Finds where a finished block met blocks before it, for [`GlobalMemory::publish`], and remembers what
    /// it did. Call in block order.
    pub fn compare(&mut self, memory: &GlobalMemory, touched: &Touched, written: &mut Written) {
        if self.pages.len() < memory.pages() as usize {
            self.pages.resize_with(memory.pages() as usize, SummaryPage::default);
        }
        for part in touched.parts() {
            let page = &mut self.pages[part.number as usize];
            page.compare(&part, touched.block, |overlap| written.overlaps.push(overlap));
        }
    }

    /// True if one of these blocks wrote to something that this one touched. Call before it is compared.
    pub fn has_written(&self, touched: &Touched, blocks: &Range<u32>) -> bool {
        touched.parts().any(|part| {
            self.pages.get(part.number as usize).is_some_and(|page| page.is_written_by(&part, blocks))
        })
    }

    /// The pages that blocks have touched.
    pub(crate) fn touched(&self) -> impl Iterator<Item = u32> {
        (0..).zip(&self.pages).filter(|(_, page)| page.is_touched()).map(|(number, _)| number)
    }

    /// Bytes allocated.
    pub(crate) fn heap_bytes(&self) -> usize {
        let of_page = |page: &SummaryPage| page.writers.heap_bytes() + page.readers.heap_bytes();
        self.pages.capacity() * size_of::<SummaryPage>() + self.pages.iter().map(of_page).sum::<usize>()
    }
}

/// One overlap of a block with an earlier one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Overlap {
    pub(super) page: u32,
    /// Bytes from the page's start.
    pub(super) start: u16,
    pub(super) bytes: u16,
    pub(super) this: Action,
    pub(super) by: u32,
    pub(super) other: Action,
    pub(super) other_block: u32,
    pub(super) other_by: u32,
}
