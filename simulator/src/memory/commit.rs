//! Publishing a parallel block's overlay, and finding races between blocks.
//!
//! Blocks that run in parallel see the memory of before their wave. In block order each is compared with those before it, which
//! may be done while later ones still run ([`Summary::compare`]), and once all of a wave have ended, what they wrote is published,
//! in block order too. Per cell the launch remembers the last block that wrote and the first that read. Each block is compared
//! once, so whoever is remembered is another block, and blocks of this kind of launch have nothing that orders them: any overlap
//! with a write is a race.

use std::ops::Range;

use crate::{
    finding::{Kind, Severity, Space},
    findings::{Action, Findings, Message, RaceCause, RawFinding, Reason, ThreadId},
};

use super::{
    GlobalMemory, Site,
    data::Definition,
    overlay::Overlay,
    partial::spread,
    shadow::who,
    touched::{Part, Run, Touched},
    touchers::{NOT_TOUCHED, Toucher, Touchers},
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
    fn meets(&self, part: &Part<'_>) -> bool {
        part.runs.iter().any(|run| self.writers.meet(run) || run.writes && self.readers.meet(run))
    }

    /// True if one of these blocks wrote to something that the block touched here.
    fn is_written_by(&self, part: &Part<'_>, blocks: &Range<u32>) -> bool {
        let (times, over) = match (self.bytes, part.by_bytes) {
            (true, false) => (4, 1),
            (false, true) => (1, 4),
            _ => (1, 1),
        };
        let touch = |run: &Run| {
            let (first, last) = (usize::from(run.first), usize::from(run.last));
            self.writers.have(first * times / over..=(last * times + times - 1) / over, blocks)
        };
        !self.writers.is_empty() && part.runs.iter().any(touch)
    }

    /// Compares what a block did with what blocks before it did, then adds it.
    fn compare(&mut self, part: &Part<'_>, block: u32, overlap: impl FnMut(Overlap)) {
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
    fn compare_cells(&mut self, part: &Part<'_>, block: u32, mut overlap: impl FnMut(Overlap)) {
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

    /// Finds where a finished block met blocks before it, for [`GlobalMemory::publish`], and remembers what it did. Call in block
    /// order.
    pub fn compare(&mut self, memory: &GlobalMemory, touched: &mut Touched) {
        if self.pages.len() < memory.pages() as usize {
            self.pages.resize_with(memory.pages() as usize, SummaryPage::default);
        }
        let mut overlaps = std::mem::take(&mut touched.overlaps);
        for (position, part) in touched.parts().enumerate() {
            let page = &mut self.pages[part.number as usize];
            page.compare(&part, touched.block, |overlap| overlaps.push((position, overlap)));
        }
        touched.overlaps = overlaps;
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
    /// Bytes from the page's start.
    start: u16,
    bytes: u16,
    this: Action,
    by: u32,
    other: Action,
    other_block: u32,
    other_by: u32,
}

impl GlobalMemory {
    /// Compares a finished block with those committed before, then publishes what it wrote through its overlay. Races go to the
    /// block's findings. Call in block order.
    #[cfg(test)]
    pub(super) fn commit(&mut self, block: &mut super::BlockMemory) {
        let mut touched = Touched::default();
        block.leave_overlay(&mut touched);
        let mut summary = std::mem::take(&mut self.summary);
        summary.compare(self, &mut touched);
        self.summary = summary;
        self.publish(&touched, &mut block.findings);
    }

    /// Publishes what a block wrote, once it has been compared ([`Summary::compare`]) and no block that began before runs any more.
    /// Races with blocks before it go to the findings. Call in block order.
    pub fn publish(&mut self, touched: &Touched, findings: &mut Findings) {
        let mut overlaps = touched.overlaps.iter().peekable();
        for (position, part) in touched.written() {
            while let Some(overlap) = overlaps.next_if(|next| next.0 <= position) {
                self.report_overlap(findings, touched, overlap);
            }
            let (index, start) = self.place_of_page(part.number);
            self.publish_page(index, &part, start);
        }
        for overlap in overlaps {
            self.report_overlap(findings, touched, overlap);
        }
    }

    /// The allocation that a page belongs to, and where in it the page begins.
    fn place_of_page(&self, number: u32) -> (usize, usize) {
        let index = self.allocation_of_page(number);
        let first_page = self.allocation(index).first_page;
        (index, (number - first_page) as usize * Overlay::PAGE_BYTES as usize)
    }

    fn publish_page(&mut self, index: usize, part: &Part<'_>, start: usize) {
        let allocation = self.allocation_mut(index);
        for (first, words) in part.whole() {
            let at = start + 4 * first;
            allocation.data[at..at + 4 * words.len()].copy_from_slice(words.as_flattened());
            allocation.define_words(at / 4..at / 4 + words.len());
        }
        for (position, stored) in part.stored.iter().enumerate() {
            let at = start + 4 * usize::from(stored.word);
            for byte in (0..4).filter(|byte| stored.written >> byte & 1 == 1) {
                allocation.data[at + byte] = stored.data[byte];
            }
            let entry =
                if stored.defined & stored.written == stored.written { None } else { part.entry(position) };
            let unknown = entry.map_or(u32::MAX, |entry| entry.undefined) & !spread(stored.defined);
            let site = entry.map_or(Site(0), |entry| entry.site);
            let undefined = spread(stored.written) & unknown;
            allocation.define(Definition { word: at / 4, bytes: stored.written, undefined }, site);
        }
    }

    #[cold]
    fn report_overlap(
        &self,
        findings: &mut Findings,
        touched: &Touched,
        (position, overlap): &(usize, Overlap),
    ) {
        let part = touched.part(*position);
        let (index, page_start) = self.place_of_page(part.number);
        let allocation = self.allocation(index);
        let both_write = overlap.this == Action::Write && overlap.other == Action::Write;
        let start = usize::from(overlap.start);
        let same_value = both_write
            && (start..start + usize::from(overlap.bytes)).all(|within| {
                let at = page_start + within;
                allocation.defined[at / 4] >> (at % 4) & 1 == 1 && part.left(within, allocation.data[at])
            });
        let (thread, site) = who(overlap.by);
        let (other_thread, other_site) = who(overlap.other_by);
        let address = allocation.address + (page_start + start) as u64;
        let reason = Reason::Race(overlap.this, overlap.other, same_value, RaceCause::AcrossBlocks);
        findings.add(RawFinding {
            kind: Kind::Race,
            severity: if same_value { Severity::Note } else { Severity::Error },
            space: Some(Space::Global),
            site: Some(site),
            other: Some(other_site),
            threads: vec![
                ThreadId { block: touched.block, thread: thread.into() },
                ThreadId { block: overlap.other_block, thread: other_thread.into() },
            ],
            address: Some(address),
            allocation: self.nearest(address, 1),
            count: 1,
            message: Message::Memory(reason),
        });
    }
}
