//! Loads through the read-only cache (`__ldg`, `ld.global.nc`), and reads of textures and surfaces, of what the same launch wrote.
//!
//! That cache is not told of writes: PTX allows such a load only of what stays as it is while the kernel runs
//! (PTX ISA 9.0, `ld.global.nc`). No barrier or fence helps, so an earlier write is wrong also where it is
//! ordered before the load; where it is not, the race is reported as any other. A write that follows such a
//! load in order is let pass: what the load gives does not depend on it.

use crate::{
    finding::{FindingKind, Severity, Space},
    findings::{Action, Message, RaceCause, RawFinding, Reason, ThreadId},
};

use super::super::{
    Access, BlockMemory, Global, asynchronous::UNDER_WAY, cells::unpack, lanes, overlay::Overlay,
    shadow::Cells,
};

/// A write of this launch: its stamp, thread and site, and what it was.
type Writer = (u32, u32, Action);

impl BlockMemory {
    /// Compares such a load with what this launch wrote before.
    #[inline(never)]
    pub fn check_read_only(&mut self, global: &Global<'_>, access: &Access, cause: RaceCause) {
        let page_bytes = u64::from(Overlay::PAGE_BYTES);
        let mut rest = access.mask;
        while rest != 0 {
            let address = access.addresses[rest.trailing_zeros() as usize];
            let memory = global.get();
            let Some(index) = memory.find(address, access.bytes.into()) else {
                rest &= rest - 1;
                continue;
            };
            let allocation = memory.allocation(index);
            let page = (address - allocation.address) / page_bytes;
            let start = allocation.address + page * page_bytes;
            let here = lanes(rest)
                .filter(|&lane| access.addresses[lane].wrapping_sub(start) < page_bytes)
                .fold(0, |mask, lane| mask | 1 << lane);
            rest &= !here;
            if !allocation.is_writable() {
                continue;
            }
            let number = allocation.first_page + page as u32;
            for lane in lanes(here) {
                let offset = (access.addresses[lane] - start) as u32;
                if let Some(writer) = self.writer(global, number, offset, access.bytes) {
                    self.report_read_only(global, access, lane, writer, cause);
                }
            }
        }
    }

    /// Who wrote one of these bytes of a page in this launch.
    fn writer(&self, global: &Global<'_>, page: u32, offset: u32, bytes: u8) -> Option<Writer> {
        match global {
            Global::Direct(memory) => last_write(memory.shadow.seen(page)?, offset, bytes, memory.time.floor),
            Global::Overlay(_) => {
                let page = self.overlay.seen(page)?;
                let Some(rows) = page.first.all() else {
                    return last_write(&page.cells, offset, bytes, self.time.floor);
                };
                let words = offset / 4..(offset + u32::from(bytes)).div_ceil(4);
                let row = rows
                    .iter()
                    .filter(|row| row.run.writes)
                    .find_map(|row| words.clone().find(|&w| row.run.holds(w as u8)).map(|w| (row, w)));
                row.map(|(row, word)| (row.stamp, row.run.by_at(word as u8), Action::Write))
            }
        }
    }

    #[cold]
    fn report_read_only(
        &mut self,
        global: &Global<'_>,
        access: &Access,
        lane: usize,
        (stamp, by, other): Writer,
        cause: RaceCause,
    ) {
        let (thread, site) = unpack(by);
        let block = match global {
            Global::Direct(memory) => memory.time.owner(stamp),
            Global::Overlay(_) => self.block,
        };
        let ordered = if block == self.block {
            self.order.knows_own(access.warp, lane, thread, stamp)
        } else {
            self.order.clocks_know(access.warp, lane, block, thread, stamp)
        };
        if !ordered {
            return;
        }
        self.findings.add(RawFinding {
            kind: FindingKind::Race,
            severity: Severity::Error,
            space: Some(Space::Global),
            site: Some(access.site),
            other: Some(site),
            threads: vec![
                ThreadId { block: self.block, thread: u32::from(access.warp) * 32 + lane as u32 },
                ThreadId { block, thread: thread.into() },
            ],
            address: Some(access.addresses[lane]),
            allocation: global.get().nearest(access.addresses[lane], access.bytes),
            element: self.element,
            count: 1,
            message: Message::Memory(Reason::Race(Action::StrongRead, other, false, cause)),
        });
    }
}

/// The last write after the floor to some bytes of a page.
fn last_write(cells: &Cells, offset: u32, bytes: u8, floor: u32) -> Option<Writer> {
    if !cells.written_since(floor) {
        return None;
    }
    let size = if cells.by_bytes() { 1 } else { 4 };
    (offset / size..(offset + u32::from(bytes)).div_ceil(size))
        .flat_map(|cell| cells.writers(cell as usize))
        .filter(|&(stamp, ..)| stamp > floor && stamp < UNDER_WAY)
        .max_by_key(|&(stamp, ..)| stamp)
        .map(|(stamp, by, atomic)| (stamp, by, if atomic { Action::Atomic } else { Action::Write }))
}
