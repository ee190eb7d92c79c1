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
#[derive(Clone, Debug)]
struct SummaryPage {
    bytes: bool,
    cells: Vec<SummaryCell>,
}

#[derive(Clone, Copy, Debug)]
struct SummaryCell {
    writer: u32,
    write_by: u32,
    reader: u32,
    read_by: u32,
}

const UNTOUCHED: SummaryCell = SummaryCell { writer: NOBODY, write_by: 0, reader: NOBODY, read_by: 0 };

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
            self.pages.push(SummaryPage { bytes: false, cells: vec![UNTOUCHED; Overlay::PAGE_WORDS] });
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
    if page.cells.by_bytes() && !summary.bytes {
        summary.cells = summary.cells.iter().flat_map(|&cell| [cell; 4]).collect();
        summary.bytes = true;
    }
    let repeat = if summary.bytes && !page.cells.by_bytes() { 4 } else { 1 };
    let size = if summary.bytes { 1 } else { 4 };
    page.cells.touched_since(start, |cell, write, read| {
        for cell in cell * repeat..(cell + 1) * repeat {
            let known = &mut summary.cells[cell];
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
                if known.writer != NOBODY {
                    overlap(Action::Write, by, Action::Write, known.writer, known.write_by);
                }
                if known.reader != NOBODY {
                    overlap(Action::Write, by, Action::Read, known.reader, known.read_by);
                }
            }
            if let Some(by) = read {
                if known.writer != NOBODY {
                    overlap(Action::Read, by, Action::Write, known.writer, known.write_by);
                }
                if known.reader == NOBODY {
                    (known.reader, known.read_by) = (block, by);
                }
            }
            if let Some(by) = write {
                (known.writer, known.write_by) = (block, by);
            }
        }
    });
}
