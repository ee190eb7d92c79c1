//! What GPUs leave open and a kernel can see all the same: where objects lie, what clocks say, which
//! multiprocessor runs a block, the last bit of approximate functions.
//!
//! A kernel that tells the simulator from a GPU by one of these could be right here and wrong there. So it can
//! be run in more than one environment; what it does must not depend on that. What counters count is the same
//! in all: buffers begin at multiples of 1 KiB and shared variables keep their banks.

use serde::{Deserialize, Serialize};

use crate::{
    ir::{Alu, Float1, Float2, LANES, Op, Pairs, Program},
    memory::{LOCAL_WINDOW, LOCAL_WINDOW_BYTES, SHARED_WINDOW, WINDOW_BYTES},
};

/// Bytes of an address slot are 2 to the power of this.
pub(crate) const SLOT_SHIFT: u32 = 34;
/// Where in its slot an allocation begins, in the usual environment.
const SLOT_START: u64 = 1 << 32;
/// What global allocations are aligned to.
const ALIGNMENT: u64 = 1 << 10;
/// Slots below the end of the 47 bits that a process has for addresses.
const SLOTS: u64 = 1 << (47 - SLOT_SHIFT);
/// The last of them has the windows to shared and local memory, where they are not in the first.
const SLOT_OF_WINDOWS: u64 = SLOTS - 1;
/// Where the clock is another, an instruction takes at least so many cycles,
const LEAST_CYCLES: u64 = 4;
/// and at most so many.
const MOST_CYCLES: u64 = 32;

/// One way in which a GPU may settle what it leaves open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Environment {
    /// The usual one: low addresses in the order of the allocations, with room between objects to see who
    /// runs over an end; clocks that begin at 0 and count instructions.
    #[default]
    Usual,
    /// Another, made from a number: high addresses; shared variables that lie as close as on a GPU; other
    /// clocks, multiprocessors and last bits. With an even number, addresses have all those bits the other way
    /// round that may be either.
    Other(u64),
}

impl Environment {
    fn draw(self, what: What, of: u64) -> u64 {
        let Environment::Other(seed) = self else { return 0 };
        mix(mix(seed ^ (what as u64) << 56) ^ of)
    }

    /// The other environment with all bits the other way round.
    fn is_opposite(self) -> bool {
        matches!(self, Environment::Other(seed) if seed.is_multiple_of(2))
    }

    /// The slot of the next allocation, which takes `count` of them, where the slots up to `used` are taken,
    /// counted from the end that allocations begin at; and how many are taken then.
    pub(crate) fn slot(self, used: u64, count: u64) -> (u64, u64) {
        // Where a process has so many that they meet the others.
        let beyond = (SLOTS + used, used + count);
        match self {
            Environment::Usual => (used + 1, used + count),
            _ if self.is_opposite() => match SLOT_OF_WINDOWS.checked_sub(used + count) {
                Some(slot) if slot > 0 => (slot, used + count),
                _ => beyond,
            },
            Environment::Other(_) => {
                let gap = self.draw(What::Gap, used) % 4;
                let lowest = SLOTS / 2 + self.draw(What::FirstSlot, 0) % (SLOTS / 4);
                let slot = lowest + used + gap;
                if slot + count <= SLOT_OF_WINDOWS { (slot, used + gap + count) } else { beyond }
            }
        }
    }

    /// How many slots an allocation takes: those that it covers, and room behind it.
    pub(crate) fn slots(self, bytes: u64) -> u64 {
        let latest = match self {
            Environment::Usual => SLOT_START,
            Environment::Other(_) => 3 * SLOT_START,
        };
        (latest.saturating_add(bytes) >> SLOT_SHIFT) + 1
    }

    /// Where in its slot an allocation begins.
    pub(crate) fn slot_start(self, slot: u64) -> u64 {
        match self {
            Environment::Usual => SLOT_START,
            _ if self.is_opposite() => ((1 << SLOT_SHIFT) - ALIGNMENT) ^ SLOT_START,
            _ => {
                // As far from the slot's ends as in the usual one.
                let room = (1 << (SLOT_SHIFT - 1)) / ALIGNMENT;
                SLOT_START + self.draw(What::SlotStart, slot) % room * ALIGNMENT
            }
        }
    }

    /// Where kernels see shared and local memory in the generic address space.
    pub(crate) fn windows(self) -> Option<Windows> {
        let start = SLOT_OF_WINDOWS << SLOT_SHIFT;
        let place = |what, from: u64| {
            let most = WINDOW_BYTES * 4 / ALIGNMENT;
            let drawn = if self.is_opposite() { most - 1 } else { self.draw(what, 0) % most };
            start + from * WINDOW_BYTES + drawn * ALIGNMENT
        };
        match self {
            Environment::Usual => None,
            Environment::Other(_) => {
                Some(Windows { shared: place(What::Shared, 24), local: place(What::Local, 40) })
            }
        }
    }

    /// Where a block's first shared variable lies, if variables are to lie close to each other.
    pub(crate) fn shared_start(self) -> Option<u32> {
        match self {
            Environment::Usual => None,
            // All bits other than in the usual one that leave the banks alone.
            _ if self.is_opposite() => Some(0xfe80),
            // What a GPU keeps for itself (CUDA C++ Programming Guide, "Compute Capability 8.x").
            Environment::Other(_) => Some(1024),
        }
    }

    /// Where a thread's first local variables lie at least.
    pub(crate) fn local_start(self) -> u32 {
        match self {
            Environment::Usual => 0,
            _ if self.is_opposite() => 0xf70,
            Environment::Other(_) => self.draw(What::LocalStart, 0) as u32 % 256 * 16,
        }
    }

    /// What clocks count while they count one cycle in the usual environment: give or take as much for each look
    /// at them.
    pub fn clock_rate(self) -> u64 {
        match self {
            Environment::Usual => 1,
            Environment::Other(_) => {
                LEAST_CYCLES + self.draw(What::Rate, 0) % (MOST_CYCLES - LEAST_CYCLES + 1)
            }
        }
    }

    /// What clocks say to a warp that has spent so many cycles since they said `start`.
    pub(crate) fn clock(self, start: u64, cycles: u64, warp: u64) -> u64 {
        match self {
            Environment::Usual => start.wrapping_add(cycles),
            Environment::Other(_) => {
                let start = start.wrapping_add(self.draw(What::Clock, 0) >> 16);
                let rate = self.clock_rate();
                let late = self.draw(What::Cycles, warp << 48 ^ cycles) % rate;
                start.wrapping_add(rate * cycles + late)
            }
        }
    }

    /// The multiprocessor of a block.
    pub(crate) fn multiprocessor(self, block: u32, multiprocessors: u32) -> u32 {
        let first = self.draw(What::Multiprocessor, 0) as u32 % multiprocessors.max(1);
        match self {
            Environment::Usual => block % multiprocessors,
            _ if self.is_opposite() => multiprocessors - 1 - block % multiprocessors,
            // Two blocks on one, and then on the one beside it.
            Environment::Other(_) => (first + block / 2) % multiprocessors,
        }
    }

    /// The place of a block's warp among those of its multiprocessor.
    pub(crate) fn warp_slot(self, block: u32, warp: u32, warps: u32) -> u32 {
        match self {
            Environment::Usual => warp,
            Environment::Other(_) => (self.draw(What::Warp, block.into()) as u32 % warps + warp) % warps,
        }
    }

    /// The number of a grid.
    pub(crate) fn grid(self) -> u64 {
        match self {
            Environment::Usual => 1,
            Environment::Other(_) => self.draw(What::Grid, 0) >> 32 | 2,
        }
    }

    /// Approximate functions of this code give another last bit, where that is within the error that they
    /// may have; none if it has none of them.
    pub(crate) fn code(self, program: &Program) -> Option<Program> {
        let approximates = |op: &Op| match op {
            Op::Alu(Alu::Float1 { op, .. }) => matches!(
                op,
                Float1::RcpApprox
                    | Float1::SqrtApprox
                    | Float1::RsqrtApprox
                    | Float1::SinApprox
                    | Float1::CosApprox
                    | Float1::Lg2Approx
                    | Float1::Ex2Approx
                    | Float1::TanhApprox
            ),
            Op::Alu(Alu::Float2 { op, .. }) => matches!(op, Float2::DivApprox | Float2::DivFull),
            _ => false,
        };
        let all = |program: &Program| {
            program.functions.iter().flat_map(|function| &function.code).any(|each| approximates(&each.op))
        };
        if self == Environment::Usual || !all(program) {
            return None;
        }
        let mut program = program.clone();
        for instruction in program.functions.iter_mut().flat_map(|function| &mut function.code) {
            if !approximates(&instruction.op) {
                continue;
            }
            if let Op::Alu(Alu::Float1 { mode, .. } | Alu::Float2 { mode, .. }) = &mut instruction.op {
                mode.other_last_bit = true;
            }
        }
        Some(program)
    }
}

/// What is drawn; keeps draws apart.
#[derive(Clone, Copy)]
enum What {
    FirstSlot = 1,
    Gap,
    SlotStart,
    Shared,
    Local,
    LocalStart,
    Clock,
    Rate,
    Cycles,
    Multiprocessor,
    Warp,
    Grid,
}

/// The finaliser of SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
fn mix(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ value >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ value >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ value >> 31
}

/// Where kernels see shared and local memory, if not at [`SHARED_WINDOW`] and [`LOCAL_WINDOW`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Windows {
    pub(crate) shared: u64,
    pub(crate) local: u64,
}

impl Windows {
    /// The simulator's address of what a kernel sees at this one.
    #[inline]
    pub(crate) fn inside(self, address: u64) -> u64 {
        let of_shared = address.wrapping_sub(self.shared);
        let of_local = address.wrapping_sub(self.local);
        if of_shared < WINDOW_BYTES {
            SHARED_WINDOW + of_shared
        } else if of_local < LOCAL_WINDOW_BYTES {
            LOCAL_WINDOW + of_local
        } else {
            address
        }
    }

    /// The same of every lane.
    #[cold]
    #[inline(never)]
    pub(crate) fn all_inside(self, addresses: &mut Pairs) {
        for lane in 0..LANES {
            addresses[lane] = self.inside(addresses[lane]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allocations_lie_apart_from_each_other_and_from_the_windows() {
        for environment in
            [Environment::Usual, Environment::Other(2), Environment::Other(3), Environment::Other(77)]
        {
            let mut taken: Vec<(u64, u64)> = Vec::new();
            if let Some(windows) = environment.windows() {
                taken.push((windows.shared, windows.shared + WINDOW_BYTES));
                taken.push((windows.local, windows.local + LOCAL_WINDOW_BYTES));
            }
            let mut used = 0;
            for count in [1, 1, 2, 1, 3, 1] {
                let (slot, then) = environment.slot(used, count);
                assert!(then >= used + count && slot > 0);
                used = then;
                let start = (slot << SLOT_SHIFT) + environment.slot_start(slot);
                assert_eq!(start % ALIGNMENT, 0);
                let around = (slot << SLOT_SHIFT, (slot + count) << SLOT_SHIFT);
                assert!(start - around.0 >= SLOT_START, "{environment:?}: {start:#x}");
                assert!(
                    taken.iter().all(|other| other.1 <= around.0 || around.1 <= other.0),
                    "{environment:?}"
                );
                taken.push(around);
            }
        }
    }

    #[test]
    fn every_bit_that_may_be_either_is_the_other_way_round_in_an_even_environment() {
        let address = |environment: Environment| {
            let slot = environment.slot(0, 1).0;
            (slot << SLOT_SHIFT) + environment.slot_start(slot)
        };
        let different = address(Environment::Usual) ^ address(Environment::Other(4));
        assert_eq!(different, (1 << 47) - ALIGNMENT);
    }

    #[test]
    fn clocks_never_run_backwards_and_never_count_instructions() {
        let environment = Environment::Other(5);
        for warp in 0..4 {
            for cycles in 0..1000 {
                let [before, after] = [cycles, cycles + 1].map(|cycles| environment.clock(7, cycles, warp));
                assert!(after > before);
            }
            let difference = environment.clock(0, 40, warp) - environment.clock(0, 10, warp);
            assert!(difference > 29 * environment.clock_rate());
        }
    }
}
