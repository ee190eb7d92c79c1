//! `cp.async.bulk`: from registers to the copies that memory carries out.

use crate::{
    exec::{access::Port, context::Stop, mbarrier, registers::Registers, undefined::Register},
    findings::Decides,
    ir::{Address, AtomicOp, AtomicType, Bulk, Constants, Word, Words},
    memory::{Access, Beginner, BulkCopy, GlobalSide, lanes},
};

impl Port<'_, '_> {
    /// Executes one; gives extra cycles. Each lane begins a copy of its own, in order.
    pub(super) fn bulk(
        &mut self,
        operation: Bulk,
        lists: &[Word],
        registers: &Registers,
        constants: &Constants,
        mask: u32,
    ) -> Result<u64, Stop> {
        let warp = self.warp as u16;
        match operation {
            Bulk::In { to, from, bytes, barrier } => {
                let counted = self.mbarrier_access(barrier, registers, constants, mask);
                let copies = self.copies((to, from), bytes, registers, constants, mask);
                self.copy_in(&counted, &copies)?;
            }
            Bulk::Out { to, from, bytes, reduces } => {
                let copies = self.copies((from, to), bytes, registers, constants, mask);
                self.copy_out(&copies, |_| reduces)?;
            }
            Bulk::Tensor { comes, map, words, reduces } => match (&lists[words.range()], comes) {
                ([shared, barrier, coordinates @ ..], true) => {
                    let barrier = Address { register: barrier.0, wide: false, offset: 0 };
                    let counted = self.mbarrier_access(barrier, registers, constants, mask);
                    let copies =
                        self.tiles(map, (*shared, coordinates), comes, registers, constants, mask)?;
                    self.copy_in(&counted, &copies)?;
                }
                ([shared, coordinates @ ..], false) => {
                    let copies =
                        self.tiles(map, (*shared, coordinates), comes, registers, constants, mask)?;
                    if let Some(op) = reduces {
                        self.check_reduction(op, &copies)?;
                    }
                    self.copy_out(&copies, |copy| copy.global.reduction(reduces?))?;
                }
                _ => unreachable!("the decoder lists where in shared memory, and for what comes its barrier"),
            },
            Bulk::Commit => self.memory.commit_bulk(warp, mask),
            Bulk::Wait { groups, read } => self.memory.wait_for_bulk(self.global, warp, mask, groups, read),
            Bulk::Fence => self.memory.hand_over(self.global, warp, mask),
        }
        Ok(0)
    }

    /// Copies into shared memory begin, one after the other; their bytes count at these mbarriers.
    fn copy_in(&mut self, counted: &Access, copies: &[BulkCopy]) -> Result<(), Stop> {
        for copy in copies {
            let at = counted.addresses[copy.by.lane];
            if [copy.shared, at].iter().any(|&place| !self.cx.tiling.is_own(self.block, place as u32)) {
                let what = "bulk copies into the shared memory of another block of the cluster";
                return Err(self.lack(copy.by.lane, what));
            }
            let (made, reply) = self.memory.copy_in(self.global, copy, at, self.scratch);
            if !made {
                return Err(Stop::Faulted);
            }
            self.line.bulk_load_bytes += u64::from(copy.bytes);
            mbarrier::judge(self.memory, self.block, counted, reply)?;
        }
        Ok(())
    }

    /// Copies out of shared memory begin, one after the other.
    fn copy_out(
        &mut self,
        copies: &[BulkCopy],
        reduces: impl Fn(&BulkCopy) -> Option<(AtomicOp, AtomicType)>,
    ) -> Result<(), Stop> {
        for copy in copies {
            if !self.memory.copy_out(self.global, copy, reduces(copy), self.scratch) {
                return Err(Stop::Faulted);
            }
            self.line.bulk_store_bytes += u64::from(copy.bytes);
        }
        Ok(())
    }

    /// What each lane asks for.
    fn copies(
        &mut self,
        (shared, start): (Address, Address),
        bytes: Word,
        registers: &Registers,
        constants: &Constants,
        mask: u32,
    ) -> Vec<BulkCopy> {
        let shared = self.addresses_of(shared, registers, constants, mask);
        let start = self.addresses_of(start, registers, constants, mask);
        let poison = registers.word_poison(bytes) & mask;
        self.undefined(Decides::Path, Register::Word(bytes), registers, poison);
        let bytes: &Words = registers.word(constants, bytes);
        let by = |lane: usize| Beginner { warp: self.warp as u16, lane, site: self.site };
        let copy = |lane: usize| BulkCopy {
            by: by(lane),
            shared: shared[lane],
            global: GlobalSide::Stretch(start[lane]),
            bytes: bytes[lane],
        };
        lanes(mask).map(copy).collect()
    }
}
