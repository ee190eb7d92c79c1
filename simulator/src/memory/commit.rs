//! Publishing a parallel block's overlay, and finding races between blocks.
//!
//! Blocks that run in parallel see the memory of before their wave. Commits happen in block order; per cell the launch
//! remembers the last block that wrote and the first that read. Each block commits once, so whoever is remembered is
//! another block, and blocks of this kind of launch have nothing that orders them: any overlap with a write is a race.

use crate::{
    finding::{Kind, Severity, Space},
    findings::{Action, Message, RaceCause, RawFinding, Reason, ThreadId},
};

use super::{
    BlockMemory, GlobalMemory, Site, data::Definition, order::NOBODY, overlay::Overlay, overlay::Page,
    partial::spread, shadow::who,
};

/// What blocks did to one page.
#[derive(Clone, Debug, Default)]
struct SummaryPage {
    bytes: bool,
    /// By cell, the last block that wrote; empty until one does. Most pages are either read or written.
    writers: Vec<Toucher>,
    /// By cell, the first block that read; empty until one does.
    readers: Vec<Toucher>,
    /// Cells that nobody has read.
    unread: usize,
}

/// A block, and the thread and site in it.
#[derive(Clone, Copy, Debug)]
struct Toucher {
    block: u32,
    by: u32,
}

const UNTOUCHED: Toucher = Toucher { block: NOBODY, by: 0 };

impl SummaryPage {
    fn cells(&self) -> usize {
        if self.bytes { 4 * Overlay::PAGE_WORDS } else { Overlay::PAGE_WORDS }
    }

    /// From words to bytes; each byte inherits its word's past.
    fn split(&mut self) {
        let split = |touchers: &[Toucher]| touchers.iter().flat_map(|&toucher| [toucher; 4]).collect();
        self.writers = split(&self.writers);
        self.readers = split(&self.readers);
        self.unread *= 4;
        self.bytes = true;
    }

    /// Reads of it change nothing any more: nobody writes, and every cell has its first reader.
    fn is_settled(&self) -> bool {
        self.writers.is_empty() && !self.readers.is_empty() && self.unread == 0
    }
}

/// What the blocks committed so far did, by page.
#[derive(Clone, Debug, Default)]
pub(crate) struct Summary {
    index: Vec<u32>,
    pages: Vec<SummaryPage>,
}

impl Summary {
    pub(crate) fn clear(&mut self) {
        self.index.clear();
        self.pages.clear();
    }

    fn page(&mut self, number: u32, pages: u32) -> &mut SummaryPage {
        if self.index.len() < pages as usize {
            self.index.resize(pages as usize, 0);
        }
        let position = &mut self.index[number as usize];
        if *position == 0 {
            self.pages.push(SummaryPage::default());
            *position = self.pages.len() as u32;
        }
        &mut self.pages[*position as usize - 1]
    }
}

/// One overlap of a block with an earlier one.
struct Overlap {
    offset: u64,
    bytes: u64,
    this: Action,
    by: u32,
    other: Action,
    other_block: u32,
    other_by: u32,
}

impl GlobalMemory {
    /// Publishes what a finished block did through its overlay. Races with blocks committed before go to the block's
    /// findings. Call in block order.
    pub fn commit(&mut self, block: &mut BlockMemory) {
        let mut overlaps = Vec::new();
        let start = block.started();
        for page in block.overlay.touched() {
            let index = self.allocation_of_page(page.number);
            let first_page = self.allocation(index).first_page;
            let offset = u64::from(page.number - first_page) * u64::from(Overlay::PAGE_BYTES);
            let pages = self.pages();
            overlap_page(
                self.summary.page(page.number, pages),
                page,
                start,
                block.block,
                offset,
                &mut overlaps,
            );
            for overlap in overlaps.drain(..) {
                self.report_overlap(&mut block.findings, block.block, index, page, offset, &overlap);
            }
            if page.copied {
                self.publish(index, page, offset as usize);
            }
        }
        block.overlay.clear();
    }

    fn publish(&mut self, index: usize, page: &Page, start: usize) {
        let allocation = self.allocation_mut(index);
        for (word, &written) in page.written.iter().enumerate() {
            if written == 0 {
                continue;
            }
            let at = start + 4 * word;
            if written == 0xf {
                allocation.data[at..at + 4].copy_from_slice(&page.data[4 * word..4 * word + 4]);
            } else {
                for byte in (0..4).filter(|byte| written >> byte & 1 == 1) {
                    allocation.data[at + byte] = page.data[4 * word + byte];
                }
            }
            let undefined = spread(written) & page.partial.undefined(word as u32, page.defined[word]);
            let site = page.partial.get(word as u32).map_or(Site(0), |entry| entry.site);
            allocation.define(Definition { word: at / 4, bytes: written, undefined }, site);
        }
    }

    fn report_overlap(
        &self,
        findings: &mut crate::findings::Findings,
        block: u32,
        index: usize,
        page: &Page,
        page_start: u64,
        overlap: &Overlap,
    ) {
        let allocation = self.allocation(index);
        let both_write = overlap.this == Action::Write && overlap.other == Action::Write;
        let range = overlap.offset as usize..(overlap.offset + overlap.bytes) as usize;
        let same_value = both_write
            && range.clone().all(|at| {
                let within = at - page_start as usize;
                allocation.data[at] == page.data[within]
                    && allocation.defined[at / 4] >> (at % 4) & 1 == 1
                    && page.defined[within / 4] >> (within % 4) & 1 == 1
            });
        let (thread, site) = who(overlap.by);
        let (other_thread, other_site) = who(overlap.other_by);
        let address = allocation.address + overlap.offset;
        let reason = Reason::Race(overlap.this, overlap.other, same_value, RaceCause::AcrossBlocks);
        findings.add(RawFinding {
            kind: Kind::Race,
            severity: if same_value { Severity::Note } else { Severity::Error },
            space: Some(Space::Global),
            site: Some(site),
            other: Some(other_site),
            threads: vec![
                ThreadId { block, thread: thread.into() },
                ThreadId { block: overlap.other_block, thread: other_thread.into() },
            ],
            address: Some(address),
            allocation: self.nearest(address, 1),
            count: 1,
            message: Message::Memory(reason),
        });
    }
}

/// Compares a block's page with the blocks before it, then adds it to the summary.
fn overlap_page(
    summary: &mut SummaryPage,
    page: &Page,
    start: u32,
    block: u32,
    offset: u64,
    overlaps: &mut Vec<Overlap>,
) {
    if !page.copied && summary.is_settled() {
        return;
    }
    if page.cells.by_bytes() && !summary.bytes {
        summary.split();
    }
    let repeat = if summary.bytes && !page.cells.by_bytes() { 4 } else { 1 };
    let size = if summary.bytes { 1 } else { 4 };
    page.cells.touched_since(start, |cell, write, read| {
        for cell in cell * repeat..(cell + 1) * repeat {
            let writer = summary.writers.get(cell).filter(|writer| writer.block != NOBODY).copied();
            let reader = summary.readers.get(cell).filter(|reader| reader.block != NOBODY).copied();
            let mut overlap = |this, by, other, other_block, other_by| {
                overlaps.push(Overlap {
                    offset: offset + (cell * size) as u64,
                    bytes: size as u64,
                    this,
                    by,
                    other,
                    other_block,
                    other_by,
                });
            };
            if let Some(by) = write {
                if let Some(known) = writer {
                    overlap(Action::Write, by, Action::Write, known.block, known.by);
                }
                if let Some(known) = reader {
                    overlap(Action::Write, by, Action::Read, known.block, known.by);
                }
            }
            if let Some(by) = read {
                if let Some(known) = writer {
                    overlap(Action::Read, by, Action::Write, known.block, known.by);
                }
                if reader.is_none() {
                    if summary.readers.is_empty() {
                        summary.readers.resize(summary.cells(), UNTOUCHED);
                        summary.unread = summary.readers.len();
                    }
                    summary.readers[cell] = Toucher { block, by };
                    summary.unread -= 1;
                }
            }
            if let Some(by) = write {
                if summary.writers.is_empty() {
                    summary.writers.resize(summary.cells(), UNTOUCHED);
                }
                summary.writers[cell] = Toucher { block, by };
            }
        }
    });
}
