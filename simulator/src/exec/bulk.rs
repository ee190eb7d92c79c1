//! `cp.async.bulk`: from registers to the copies that memory carries out.

use crate::{
    exec::{
        access::Port,
        context::{Stop, report, threads},
        mbarrier,
        registers::Registers,
        undefined::Register,
    },
    finding::{FindingKind, Severity},
    findings::Decides,
    ir::{Address, Bulk, Constants, Word, Words},
    memory::{Beginner, BulkCopy, Site, lanes},
};

impl Port<'_, '_> {
    /// Executes one; gives extra cycles. Each lane begins a copy of its own, in order.
    pub(super) fn bulk(
        &mut self,
        operation: Bulk,
        registers: &Registers,
        constants: &Constants,
        mask: u32,
    ) -> Result<u64, Stop> {
        let warp = self.warp as u16;
        match operation {
            Bulk::In { to, from, bytes, barrier } => {
                let counted = self.mbarrier_access(barrier, registers, constants, mask);
                for copy in self.copies((to, from), bytes, registers, constants, mask) {
                    let at = counted.addresses[copy.by.lane];
                    if [copy.to, at].iter().any(|&place| !self.cx.tiling.is_own(self.block, place as u32)) {
                        return Err(self.lacks_copy_to_another());
                    }
                    let (made, reply) = self.memory.copy_in(self.global, &copy, at, self.scratch);
                    if !made {
                        return Err(Stop::Faulted);
                    }
                    self.line.bulk_load_bytes += u64::from(copy.bytes);
                    mbarrier::judge(self.memory, self.block, &counted, reply)?;
                }
            }
            Bulk::Out { to, from, bytes } => {
                for copy in self.copies((to, from), bytes, registers, constants, mask) {
                    if !self.memory.copy_out(self.global, &copy, self.scratch) {
                        return Err(Stop::Faulted);
                    }
                    self.line.bulk_store_bytes += u64::from(copy.bytes);
                }
            }
            Bulk::Commit => self.memory.commit_bulk(warp, mask),
            Bulk::Wait { groups, read } => self.memory.wait_for_bulk(self.global, warp, mask, groups, read),
            Bulk::Fence => self.memory.hand_over(self.global, warp, mask),
        }
        Ok(0)
    }

    /// A copy into the shared memory of another block, which would be its mbarrier's, too.
    #[cold]
    fn lacks_copy_to_another(&mut self) -> Stop {
        report(
            &mut self.memory.findings,
            FindingKind::Unsupported,
            Severity::Error,
            self.site,
            Site(0),
            threads(self.block, self.warp, 1),
            1,
            "The simulator lacks bulk copies into the shared memory of another block of the cluster. Nothing is said about this kernel.",
        );
        Stop::Unsupported
    }

    /// What each lane asks for.
    fn copies(
        &mut self,
        (to, from): (Address, Address),
        bytes: Word,
        registers: &Registers,
        constants: &Constants,
        mask: u32,
    ) -> Vec<BulkCopy> {
        let to = self.addresses_of(to, registers, constants, mask);
        let from = self.addresses_of(from, registers, constants, mask);
        let poison = registers.word_poison(bytes) & mask;
        self.undefined(Decides::Path, Register::Word(bytes), registers, poison);
        let bytes: &Words = registers.word(constants, bytes);
        let by = |lane: usize| Beginner { warp: self.warp as u16, lane, site: self.site };
        let copy =
            |lane: usize| BulkCopy { by: by(lane), from: from[lane], to: to[lane], bytes: bytes[lane] };
        lanes(mask).map(copy).collect()
    }
}
