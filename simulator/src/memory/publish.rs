//! Publishing what the blocks of a wave wrote, once all of them have ended, in block order; and
//! saying what races there were.

use crate::{
    finding::{FindingKind, Severity, Space},
    findings::{Action, Findings, Message, RaceCause, RawFinding, Reason, ThreadId},
};

#[cfg(test)]
use super::touched::Touched;
use super::{
    GlobalMemory, Site,
    data::Definition,
    overlay::Overlay,
    partial::spread,
    shadow::who,
    speculation::Replay,
    summary::Overlap,
    written::{PageWrites, Written},
};

impl GlobalMemory {
    /// Compares a finished block with those committed before, then publishes what it wrote through its
    /// overlay. Races go to the block's findings. Call in block order.
    #[cfg(test)]
    pub(super) fn commit(&mut self, block: &mut super::BlockMemory) {
        let (mut touched, mut written) = (Touched::default(), Written::default());
        block.leave_overlay(&mut touched, &mut written);
        let mut summary = std::mem::take(&mut self.summary);
        summary.compare(self, &touched, &mut written);
        self.summary = summary;
        self.publish(&written, &mut block.findings, None);
    }

    /// Publishes what a block wrote, once it has been compared ([`Summary::compare`]) and no block that began
    /// before runs any more. Races with blocks before it go to the findings. Call in block order.
    pub fn publish(&mut self, written: &Written, findings: &mut Findings, replay: Option<&Replay>) {
        if let Some(Replay::Log(log)) = replay {
            log.written(self, written);
        }
        for overlap in &written.overlaps {
            self.report_overlap(findings, written, overlap);
        }
        for part in written.parts() {
            let (index, start) = self.place_of_page(part.number);
            self.publish_page(index, &part, start);
        }
    }

    /// The allocation that a page belongs to, and where in it the page begins.
    fn place_of_page(&self, number: u32) -> (usize, usize) {
        let index = self.allocation_of_page(number);
        let first_page = self.allocation(index).first_page;
        (index, (number - first_page) as usize * Overlay::PAGE_BYTES as usize)
    }

    /// Hands every word that a block wrote, with its allocation's name, its address and the bytes written, to a
    /// function.
    pub(super) fn each_word_written(&self, written: &Written, mut with: impl FnMut(&str, u64, u8)) {
        for part in written.parts() {
            let (index, start) = self.place_of_page(part.number);
            let allocation = self.allocation(index);
            let mut word = |word: usize, bytes: u8| {
                with(&allocation.name, allocation.address + (start + 4 * word) as u64, bytes);
            };
            for (first, words) in part.whole() {
                (first..first + words.len()).for_each(|at| word(at, 0xf));
            }
            part.stored.iter().for_each(|stored| word(stored.word.into(), stored.written));
        }
    }

    fn publish_page(&mut self, index: usize, part: &PageWrites<'_>, start: usize) {
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
    fn report_overlap(&self, findings: &mut Findings, written: &Written, overlap: &Overlap) {
        let (index, page_start) = self.place_of_page(overlap.page);
        let allocation = self.allocation(index);
        let both_write = overlap.this == Action::Write && overlap.other == Action::Write;
        let start = usize::from(overlap.start);
        let same_value = both_write
            && (start..start + usize::from(overlap.bytes)).all(|within| {
                let at = page_start + within;
                allocation.defined[at / 4] >> (at % 4) & 1 == 1
                    && written.left(overlap.page, within, allocation.data[at])
            });
        let (thread, site) = who(overlap.by);
        let (other_thread, other_site) = who(overlap.other_by);
        let address = allocation.address + (page_start + start) as u64;
        let reason = Reason::Race(overlap.this, overlap.other, same_value, RaceCause::AcrossBlocks);
        findings.add(RawFinding {
            kind: FindingKind::Race,
            severity: if same_value { Severity::Note } else { Severity::Error },
            space: Some(Space::Global),
            site: Some(site),
            other: Some(other_site),
            threads: vec![
                ThreadId { block: written.block, thread: thread.into() },
                ThreadId { block: overlap.other_block, thread: other_thread.into() },
            ],
            address: Some(address),
            allocation: self.nearest(address, 1),
            element: 0,
            count: 1,
            message: Message::Memory(reason),
        });
    }
}
