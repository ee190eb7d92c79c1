//! `cp.async`: from registers to the copies that memory carries out, and their counters.

use crate::{
    exec::{
        access::{Direction, Port},
        context::Stop,
        mbarrier,
        registers::Registers,
        undefined::Register,
    },
    findings::Decides,
    ir::{Address, AddressSpace, Asynchronous, Constants, LANES, Order, Predicate, Scope, Word},
    memory::lanes,
};

impl Port<'_, '_> {
    /// Executes one; gives extra cycles.
    pub(super) fn asynchronous(
        &mut self,
        operation: Asynchronous,
        registers: &Registers,
        constants: &Constants,
        mask: u32,
    ) -> Result<u64, Stop> {
        let warp = self.warp as u16;
        match operation {
            Asynchronous::Copy { to, from, bytes, reads, ignore, negated, past_l1 } => {
                let ignored = self.ignored(ignore, negated, registers, mask);
                return self.copy((to, from), (bytes, reads, ignored), past_l1, registers, constants, mask);
            }
            Asynchronous::Commit => self.memory.commit_copies(warp, mask),
            Asynchronous::Wait { groups } => {
                self.memory.wait_for_copies(self.global, warp, mask, Some(groups));
            }
            Asynchronous::WaitAll => self.memory.wait_for_copies(self.global, warp, mask, None),
            Asynchronous::Arrive { address, counted } => {
                let access = self.mbarrier_access(address, registers, constants, mask);
                let reply = self.memory.mbarrier_arrive_with_copies(self.global, &access, counted);
                mbarrier::judge(self.memory, self.block, &access, reply)?;
            }
        }
        Ok(0)
    }

    /// Lanes in which nothing is to be read.
    fn ignored(&mut self, ignore: Predicate, negated: bool, registers: &Registers, mask: u32) -> u32 {
        if !ignore.is_some() {
            return 0;
        }
        let poison = registers.predicate_poison(ignore) & mask;
        self.undefined(Decides::Path, Register::Predicate(ignore), registers, poison);
        let value = registers.predicate(ignore);
        if negated { !value } else { value }
    }

    /// Counts as a global load request with its sectors and as a shared store request with its wavefronts.
    fn copy(
        &mut self,
        (to, from): (Address, Address),
        (bytes, reads, ignored): (u8, Word, u32),
        past_l1: bool,
        registers: &Registers,
        constants: &Constants,
        mask: u32,
    ) -> Result<u64, Stop> {
        let from = self.addresses_of(from, registers, constants, mask);
        let to = self.addresses_of(to, registers, constants, mask);
        let mut sizes = [u32::from(bytes); LANES];
        if reads.is_some() {
            let poison = registers.word_poison(reads) & mask;
            self.undefined(Decides::Path, Register::Word(reads), registers, poison);
            let reads = registers.word(constants, reads);
            sizes = *reads;
        }
        for lane in lanes(ignored) {
            sizes[lane] = 0;
        }
        let source = self.access(AddressSpace::Global, from, mask, bytes, Order::Weak, Scope::System);
        let (read, written) =
            self.memory.copy_asynchronously(self.global, &source, &sizes, &to, past_l1, self.scratch);
        self.settle(read, mask, Direction::Load)?;
        self.settle(written, mask, Direction::Store)
    }
}
