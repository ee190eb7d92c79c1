//! Publishing a parallel block's overlay, and finding races between blocks.
//!
//! Blocks that run in parallel see the memory of before their wave. Commits happen in block order; per cell the launch
//! remembers the last block that wrote and the first that read. Each block commits once, so whoever is remembered is
//! another block, and blocks of this kind of launch have nothing that orders them: any overlap with a write is a race.

use crate::{
    finding::{Kind, Severity, Space},
    findings::{Action, Findings, Message, RaceCause, RawFinding, Reason, ThreadId},
};

use super::{
    BlockMemory, GlobalMemory, Site,
    data::Definition,
    overlay::Overlay,
    partial::spread,
    shadow::who,
    touched::{Part, Touched},
};

/// What blocks did to one page.
#[derive(Clone, Debug, Default)]
struct SummaryPage {
    bytes: bool,
    /// Cells that nobody has read.
    unread: u16,
    /// By cell, the last block that wrote. Most pages are either read or written.
    writers: Option<Box<Touchers>>,
    /// By cell, the first block that read.
    readers: Option<Box<Touchers>>,
}

/// Of each cell of a page a block, and the thread and site in it.
#[derive(Clone, Debug)]
struct Touchers {
    /// Threads and sites; [`NOT_TOUCHED`] where there is nobody.
    by: Box<[u32]>,
    /// Blocks; empty as long as it is one and the same.
    blocks: Box<[u32]>,
    block: u32,
}

/// No thread and site: sites end before.
const NOT_TOUCHED: u32 = u32::MAX;

/// A block, and the thread and site in it.
#[derive(Clone, Copy, Debug)]
struct Toucher {
    block: u32,
    by: u32,
}

impl Touchers {
    fn new(cells: usize, block: u32) -> Box<Self> {
        Box::new(Self { by: vec![NOT_TOUCHED; cells].into(), blocks: Box::default(), block })
    }

    fn get(&self, cell: usize) -> Option<Toucher> {
        let by = self.by[cell];
        (by != NOT_TOUCHED)
            .then(|| Toucher { block: self.blocks.get(cell).map_or(self.block, |&block| block), by })
    }

    fn set(&mut self, cell: usize, block: u32, by: u32) {
        if self.blocks.is_empty() && block != self.block {
            self.blocks = vec![self.block; self.by.len()].into();
        }
        self.by[cell] = by;
        if let Some(place) = self.blocks.get_mut(cell) {
            *place = block;
        }
    }

    /// From words to bytes; each byte inherits its word's past.
    fn split(&mut self) {
        for touchers in [&mut self.by, &mut self.blocks] {
            *touchers = touchers.iter().flat_map(|&toucher| [toucher; 4]).collect();
        }
    }

    fn heap_bytes(&self) -> usize {
        size_of::<Self>() + size_of_val(&*self.by) + size_of_val(&*self.blocks)
    }
}

impl SummaryPage {
    fn cells(&self) -> usize {
        if self.bytes { 4 * Overlay::PAGE_WORDS } else { Overlay::PAGE_WORDS }
    }

    fn split(&mut self) {
        for touchers in [&mut self.writers, &mut self.readers].into_iter().flatten() {
            touchers.split();
        }
        self.unread *= 4;
        self.bytes = true;
    }

    /// Reads of it change nothing any more: nobody writes, and every cell has its first reader.
    fn is_settled(&self) -> bool {
        self.writers.is_none() && self.readers.is_some() && self.unread == 0
    }

    fn is_touched(&self) -> bool {
        self.writers.is_some() || self.readers.is_some()
    }

    fn heap_bytes(&self) -> usize {
        [&self.writers, &self.readers].into_iter().flatten().map(|touchers| touchers.heap_bytes()).sum()
    }
}

/// What the blocks committed so far did, by page.
#[derive(Clone, Debug, Default)]
pub(crate) struct Summary {
    pages: Vec<SummaryPage>,
}

impl Summary {
    /// Forgets everything and lets go of its memory.
    pub(crate) fn clear(&mut self) {
        self.pages = Vec::new();
    }

    fn page(&mut self, number: u32, pages: u32) -> &mut SummaryPage {
        if self.pages.len() < pages as usize {
            self.pages.resize_with(pages as usize, SummaryPage::default);
        }
        &mut self.pages[number as usize]
    }

    /// The pages that blocks have touched.
    pub(crate) fn touched(&self) -> impl Iterator<Item = u32> {
        (0..).zip(&self.pages).filter(|(_, page)| page.is_touched()).map(|(number, _)| number)
    }

    /// Bytes allocated.
    pub(crate) fn heap_bytes(&self) -> usize {
        self.pages.capacity() * size_of::<SummaryPage>()
            + self.pages.iter().map(SummaryPage::heap_bytes).sum::<usize>()
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
        let mut touched = Touched::default();
        block.leave_overlay(&mut touched);
        self.publish(&touched, &mut block.findings);
    }

    /// The same for what [`BlockMemory::leave_overlay`] gave.
    pub fn publish(&mut self, touched: &Touched, findings: &mut Findings) {
        let mut overlaps = Vec::new();
        let pages = self.pages();
        for part in touched.parts() {
            let index = self.allocation_of_page(part.number);
            let first_page = self.allocation(index).first_page;
            let offset = u64::from(part.number - first_page) * u64::from(Overlay::PAGE_BYTES);
            overlap_page(self.summary.page(part.number, pages), &part, touched.block, offset, &mut overlaps);
            for overlap in overlaps.drain(..) {
                self.report_overlap(findings, touched.block, index, &part, offset, &overlap);
            }
            self.publish_page(index, &part, offset as usize);
        }
    }

    fn publish_page(&mut self, index: usize, part: &Part<'_>, start: usize) {
        let allocation = self.allocation_mut(index);
        for (position, stored) in part.words.iter().enumerate() {
            let at = start + 4 * usize::from(stored.word);
            if stored.written == 0xf {
                allocation.data[at..at + 4].copy_from_slice(&stored.data);
            } else {
                for byte in (0..4).filter(|byte| stored.written >> byte & 1 == 1) {
                    allocation.data[at + byte] = stored.data[byte];
                }
            }
            let entry =
                if stored.defined & stored.written == stored.written { None } else { part.entry(position) };
            let unknown = entry.map_or(u32::MAX, |entry| entry.undefined) & !spread(stored.defined);
            let site = entry.map_or(Site(0), |entry| entry.site);
            let undefined = spread(stored.written) & unknown;
            allocation.define(Definition { word: at / 4, bytes: stored.written, undefined }, site);
        }
    }

    fn report_overlap(
        &self,
        findings: &mut Findings,
        block: u32,
        index: usize,
        part: &Part<'_>,
        page_start: u64,
        overlap: &Overlap,
    ) {
        let allocation = self.allocation(index);
        let both_write = overlap.this == Action::Write && overlap.other == Action::Write;
        let range = overlap.offset as usize..(overlap.offset + overlap.bytes) as usize;
        let same_value = both_write
            && range.clone().all(|at| {
                allocation.defined[at / 4] >> (at % 4) & 1 == 1
                    && part.left(at - page_start as usize, allocation.data[at])
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
    part: &Part<'_>,
    block: u32,
    offset: u64,
    overlaps: &mut Vec<Overlap>,
) {
    if summary.is_settled() && part.runs.iter().all(|run| !run.writes) {
        return;
    }
    if part.by_bytes && !summary.bytes {
        summary.split();
    }
    let repeat = if summary.bytes && !part.by_bytes { 4 } else { 1 };
    let size = if summary.bytes { 1 } else { 4 };
    let (mut writes, mut reads) = ([NOT_TOUCHED; MOST_CELLS], [NOT_TOUCHED; MOST_CELLS]);
    for run in part.runs {
        let by = if run.writes { &mut writes } else { &mut reads };
        for cell in run.first..=run.last {
            by[usize::from(cell)] = run.by_at(cell);
        }
    }
    let cells = summary.cells();
    for cell in 0..cells {
        let (write, read) = (writes[cell / repeat], reads[cell / repeat]);
        if write == NOT_TOUCHED && read == NOT_TOUCHED {
            continue;
        }
        let known =
            |touchers: &Option<Box<Touchers>>| touchers.as_ref().and_then(|touchers| touchers.get(cell));
        let (writer, reader) = (known(&summary.writers), known(&summary.readers));
        let mut overlap = |this, by, other, known: Toucher| {
            overlaps.push(Overlap {
                offset: offset + (cell * size) as u64,
                bytes: size as u64,
                this,
                by,
                other,
                other_block: known.block,
                other_by: known.by,
            });
        };
        if write != NOT_TOUCHED {
            if let Some(known) = writer {
                overlap(Action::Write, write, Action::Write, known);
            }
            if let Some(known) = reader {
                overlap(Action::Write, write, Action::Read, known);
            }
        }
        if read != NOT_TOUCHED {
            if let Some(known) = writer {
                overlap(Action::Read, read, Action::Write, known);
            }
            if reader.is_none() {
                if summary.readers.is_none() {
                    summary.unread = cells as u16;
                }
                summary.readers.get_or_insert_with(|| Touchers::new(cells, block)).set(cell, block, read);
                summary.unread -= 1;
            }
        }
        if write != NOT_TOUCHED {
            summary.writers.get_or_insert_with(|| Touchers::new(cells, block)).set(cell, block, write);
        }
    }
}

/// Cells of a page that are bytes.
const MOST_CELLS: usize = Overlay::PAGE_BYTES as usize;
