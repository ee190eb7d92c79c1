//! `cp.async.bulk`: from registers to the copies that memory carries out.

use crate::{
    counters::SECTOR_BYTES,
    exec::{access::Port, context::Stop, mbarrier, registers::Registers, undefined::Register},
    finding::FindingKind,
    findings::Decides,
    ir::{Address, AtomicOp, AtomicType, Bulk, Constants, LANES, Word, Words},
    memory::{Access, Beginner, BulkCopy, GlobalSide, lanes, within},
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
            Bulk::In { to, from, bytes, barrier, ranks } => {
                let counted = self.mbarrier_access(barrier, registers, constants, mask);
                let copies = self.copies((to, from), bytes, registers, constants, mask);
                let ranks = self.ranks(ranks, registers, constants, mask);
                self.copy_in(&counted, &copies, ranks)?;
            }
            Bulk::Across { to, from, bytes, barrier } => {
                let counted = self.mbarrier_access(barrier, registers, constants, mask);
                let from = self.addresses_of(from, registers, constants, mask);
                let copies = self.copies((to, to), bytes, registers, constants, mask);
                self.copy_across(&counted, &copies, &from)?;
            }
            Bulk::Out { to, from, bytes, reduces } => {
                let copies = self.copies((from, to), bytes, registers, constants, mask);
                self.copy_out(&copies, |_| reduces)?;
            }
            Bulk::Tensor { comes, map, words, reduces, ranks } => match (&lists[words.range()], comes) {
                ([shared, barrier, coordinates @ ..], true) => {
                    let barrier = Address { register: barrier.0, wide: false, offset: 0 };
                    let counted = self.mbarrier_access(barrier, registers, constants, mask);
                    let copies =
                        self.tiles(map, (*shared, coordinates), comes, registers, constants, mask)?;
                    let ranks = self.ranks(ranks, registers, constants, mask);
                    self.copy_in(&counted, &copies, ranks)?;
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

    /// The ranks that each lane names for its copy; none where it names no other block's.
    fn ranks(
        &mut self,
        ranks: Word,
        registers: &Registers,
        constants: &Constants,
        mask: u32,
    ) -> Option<Words> {
        if !ranks.is_some() {
            return None;
        }
        let poison = registers.word_poison(ranks) & mask;
        self.undefined(Decides::Path, Register::Word(ranks), registers, poison);
        Some(*registers.word(constants, ranks))
    }

    /// Copies into shared memory begin, one after the other; their bytes count at these mbarriers. `ranks` has a bit for each block
    /// of the cluster that gets a lane's copy; without it the addresses name the block.
    fn copy_in(&mut self, counted: &Access, copies: &[BulkCopy], ranks: Option<Words>) -> Result<(), Stop> {
        for copy in copies {
            let (own, at) = self.destination(copy, counted)?;
            let ranks = match ranks {
                None => 1 << own,
                Some(ranks) => ranks[copy.by.lane] & 0xFFFF,
            };
            let sectors = copy.global.sectors_in(copy.bytes);
            let blocks = self.cx.tiling.blocks();
            if let Some(rank) = lanes(ranks).find(|&rank| rank as u32 >= blocks) {
                let message = format!(
                    "This copies to several blocks of its cluster, one of them of rank {rank}; the cluster has {blocks}, of ranks from 0. Set a bit \
                     of the mask for each rank that is to get a copy."
                );
                return Err(self.refuse(FindingKind::OutOfBounds, copy.by.lane, message));
            }
            let copy = BulkCopy { shared: within(copy.shared as u32).into(), ..copy.clone() };
            for rank in lanes(ranks) {
                let (made, reply) =
                    self.memory.copy_to(self.global, &copy, at.into(), rank as u32, self.scratch);
                if !made {
                    return Err(Stop::Faulted);
                }
                mbarrier::judge(self.memory, self.block, counted, reply)?;
            }
            let blocks = u64::from(ranks.count_ones());
            self.line.bulk_load_bytes += u64::from(copy.bytes) * blocks;
            self.line.bulk_load_sectors += sectors * blocks;
            self.memory.tally.load_sectors += u64::from(copy.bytes).div_ceil(SECTOR_BYTES);
        }
        Ok(())
    }

    /// Copies from the block's shared memory to that of others begin, one after the other.
    fn copy_across(
        &mut self,
        counted: &Access,
        copies: &[BulkCopy],
        from: &[u64; LANES],
    ) -> Result<(), Stop> {
        for copy in copies {
            let (rank, at) = self.destination(copy, counted)?;
            let shared = within(copy.shared as u32).into();
            let copy = BulkCopy { shared, global: GlobalSide::Stretch(0), ..copy.clone() };
            let from = within(from[copy.by.lane] as u32);
            let (made, reply) = self.memory.copy_across(self.global, (&copy, from), at.into(), rank);
            if !made {
                return Err(Stop::Faulted);
            }
            mbarrier::judge(self.memory, self.block, counted, reply)?;
        }
        Ok(())
    }

    /// The rank of the block that a copy goes to, and where the mbarrier lies in its memory.
    fn destination(&mut self, copy: &BulkCopy, counted: &Access) -> Result<(u32, u32), Stop> {
        let (to, at) = (copy.shared as u32, counted.addresses[copy.by.lane] as u32);
        let [rank, other] = [to, at].map(|place| self.cx.tiling.rank_at(self.block, place));
        if rank != other {
            let message = format!(
                "This copies to the shared memory of the block of rank {rank}, and counts its bytes at a barrier of rank {other}. A copy and its \
                 barrier must be in one block's memory: map both addresses to the same rank."
            );
            return Err(self.refuse(FindingKind::OutOfBounds, copy.by.lane, message));
        }
        Ok((rank, within(at)))
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
            self.line.bulk_store_sectors += copy.global.sectors_out(copy.bytes);
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
