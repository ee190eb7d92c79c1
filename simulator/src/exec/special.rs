//! Special registers and generic addresses.

use crate::{
    environment::Windows,
    exec::{
        context::{Context, Unit},
        registers::Registers,
        undefined::{Register, Undefined},
    },
    finding::Space,
    ir::{AddressSpace, Constants, LANES, Pair, Pairs, SpecialRegister, Word},
    memory::{GlobalMemory, LOCAL_LIMIT, LOCAL_WINDOW, LOCAL_WINDOW_BYTES, SHARED_WINDOW, WINDOW_BYTES},
};

/// The value of a special register in every lane.
#[inline(always)]
pub fn read(cx: &Context<'_>, unit: &Unit, warp: u32, cycles: u64, register: SpecialRegister) -> Pairs {
    use SpecialRegister as R;
    let by_lane = |f: &dyn Fn(u32) -> u32| std::array::from_fn(|lane| u64::from(f(lane as u32)));
    if let R::Tid(axis) = register {
        let words = &cx.thread_indices[warp as usize][usize::from(axis)];
        let mut out = [0; LANES];
        for lane in 0..LANES {
            out[lane] = u64::from(words[lane]);
        }
        return out;
    }
    let dynamic = u64::from(cx.dynamic_shared);
    let shared = u64::from(cx.layout.packed_bytes);
    let clock = cx.environment.clock(cx.clock_start, cycles, warp.into());
    let same = match register {
        R::Tid(_) => 0,
        R::Ntid(axis) => u64::from(cx.block[usize::from(axis)]),
        R::Ctaid(axis) => u64::from(unit.block_index[usize::from(axis)]),
        R::Nctaid(axis) => u64::from(cx.grid[usize::from(axis)]),
        R::WarpId => {
            u64::from(cx.environment.warp_slot(unit.block, warp, cx.profile.threads_per_multiprocessor / 32))
        }
        R::NWarpId => u64::from(cx.profile.threads_per_multiprocessor / 32),
        R::SmId => u64::from(cx.environment.multiprocessor(unit.block, cx.profile.multiprocessors)),
        R::NSmId => u64::from(cx.profile.multiprocessors),
        R::GridId => cx.environment.grid(),
        R::LaneId => return by_lane(&|lane| lane),
        R::LaneMaskEq => return by_lane(&|lane| 1 << lane),
        R::LaneMaskLt => return by_lane(&|lane| (1 << lane) - 1),
        R::LaneMaskLe => return by_lane(&|lane| u32::MAX >> (31 - lane)),
        R::LaneMaskGt => return by_lane(&|lane| !(u32::MAX >> (31 - lane))),
        R::LaneMaskGe => return by_lane(&|lane| u32::MAX << lane),
        R::Clock | R::Clock64 | R::GlobalTimer | R::GlobalTimerLo => clock,
        R::ClockHi | R::GlobalTimerHi => clock >> 32,
        R::TotalSharedSize => shared,
        R::DynamicSharedSize => dynamic,
        R::AggregateSharedSize => shared + u64::from(cx.profile.shared_reserved_per_block),
        R::ClusterCtaid(axis) => {
            u64::from(unit.block_index[usize::from(axis)] % cx.tiling.cluster[usize::from(axis)])
        }
        R::ClusterId(axis) => {
            u64::from(unit.block_index[usize::from(axis)] / cx.tiling.cluster[usize::from(axis)])
        }
        R::ClusterNctaid(axis) => u64::from(cx.tiling.cluster[usize::from(axis)]),
        R::NClusterId(axis) => u64::from(cx.grid[usize::from(axis)] / cx.tiling.cluster[usize::from(axis)]),
        R::ClusterCtaRank => u64::from(cx.tiling.rank(unit.block)),
        R::ClusterNctaRank => u64::from(cx.tiling.blocks()),
        R::IsExplicitCluster => u64::from(cx.is_tiled),
        // Where `cooperative_groups` finds the grid barrier of a cooperative launch.
        R::Environment(1) => cx.workspace >> 32,
        R::Environment(2) => cx.workspace & 0xffff_ffff,
        R::Environment(_) => 0,
    };
    [same; LANES]
}

/// Where a state space begins in the generic address space.
#[inline(always)]
pub fn window(space: AddressSpace, parameters: u64, windows: Option<Windows>) -> u64 {
    match space {
        AddressSpace::Shared | AddressSpace::Cluster => {
            windows.map_or(SHARED_WINDOW, |windows| windows.shared)
        }
        AddressSpace::Local => windows.map_or(LOCAL_WINDOW, |windows| windows.local),
        AddressSpace::Param => parameters,
        AddressSpace::Generic | AddressSpace::Global | AddressSpace::Constant => 0,
    }
}

/// True when a generic address lies in `space`.
pub fn is_space(
    cx: &Context<'_>,
    block: u32,
    global: &GlobalMemory,
    space: AddressSpace,
    address: u64,
) -> bool {
    let address = cx.environment.windows().map_or(address, |windows| windows.inside(address));
    let within = |start: u64, bytes: u64| address.wrapping_sub(start) < bytes;
    let shared = within(SHARED_WINDOW, WINDOW_BYTES);
    let local = within(LOCAL_WINDOW, LOCAL_WINDOW_BYTES);
    let param = within(cx.parameter_address, cx.parameters.len().max(1) as u64);
    match space {
        AddressSpace::Shared => shared && cx.tiling.is_own(block, (address - SHARED_WINDOW) as u32),
        AddressSpace::Cluster => shared,
        AddressSpace::Local => local,
        AddressSpace::Param => param,
        AddressSpace::Constant => global.space_at(address) == Some(Space::Constant),
        AddressSpace::Generic => true,
        AddressSpace::Global => {
            !shared && !local && !param && global.space_at(address) != Some(Space::Constant)
        }
    }
}

/// An address operand, and the lanes in which it is undefined.
#[inline(always)]
pub fn address_operand(registers: &Registers, constants: &Constants, wide: bool, a: u16) -> (Pairs, u32) {
    if wide {
        return (*registers.pair(constants, Pair(a)), registers.pair_poison(Pair(a)));
    }
    let word = registers.word(constants, Word(a));
    let mut out = [0; LANES];
    for lane in 0..LANES {
        out[lane] = u64::from(word[lane]);
    }
    (out, registers.word_poison(Word(a)))
}

/// Says that lanes of a result, an address or a predicate, are undefined as the address
/// is that it was made from.
#[cold]
pub fn pass_undefined(registers: &mut Registers, wide: bool, d: Register, a: u16, lanes: u32) {
    let from = if wide { Register::Pair(Pair(a)) } else { Register::Word(Word(a)) };
    for lane in crate::memory::lanes(lanes) {
        let value = registers.undefined(from, lane);
        registers.set_undefined(
            d,
            lane,
            Undefined { bits: u64::MAX, in_place: false, moved: false, ..value },
        );
    }
}

/// Writes an address to a pair or a word.
#[inline(always)]
pub fn set_address(registers: &mut Registers, wide: bool, d: u16, value: &Pairs, poison: u32, mask: u32) {
    if wide {
        registers.set_pair(Pair(d), value, poison, mask);
        return;
    }
    let mut word = [0; LANES];
    for lane in 0..LANES {
        word[lane] = value[lane] as u32;
    }
    registers.set_word(Word(d), &word, poison, mask);
}

/// `cvta`: to `space` from generic addresses, or the other way. `local` is where the warp's first lane has its memory in the local window.
#[inline(always)]
#[expect(clippy::too_many_arguments, reason = "the operands, and where they are")]
pub fn convert_address(
    cx: &Context<'_>,
    registers: &mut Registers,
    constants: &Constants,
    local: u64,
    (space, to_space): (AddressSpace, bool),
    wide: bool,
    d: u16,
    a: u16,
    mask: u32,
) {
    let (value, poison) = address_operand(registers, constants, wide, a);
    let start = window(space, cx.parameter_address, constants.windows);
    let (first, step) = match space {
        // An address of 32 bits has no room for whose it is.
        AddressSpace::Local if wide => (start + local, u64::from(LOCAL_LIMIT)),
        _ => (start, 0),
    };
    let mut out = [0u64; LANES];
    for lane in 0..LANES {
        let base = first + lane as u64 * step;
        out[lane] = if to_space { value[lane].wrapping_sub(base) } else { value[lane].wrapping_add(base) };
    }
    set_address(registers, wide, d, &out, 0, mask);
    if poison & mask != 0 {
        let d = if wide { Register::Pair(Pair(d)) } else { Register::Word(Word(d)) };
        pass_undefined(registers, wide, d, a, poison & mask);
    }
}

/// `mapa`: generic or not, the width, result, address, rank. A rank that the cluster does not have gives an address that
/// nobody has.
pub fn map_rank(
    cx: &Context<'_>,
    block: u32,
    registers: &mut Registers,
    constants: &Constants,
    (generic, wide, d, a, rank): (bool, bool, u16, u16, Word),
    mask: u32,
) {
    let (addresses, poison) = address_operand(registers, constants, wide, a);
    let start = if generic { window(AddressSpace::Cluster, 0, constants.windows) } else { 0 };
    let ranks = *registers.word(constants, rank);
    let rank_poison = registers.word_poison(rank) & mask;
    let mut out = [0; LANES];
    for lane in 0..LANES {
        let offset = addresses[lane].wrapping_sub(start) as u32;
        out[lane] = start + u64::from(cx.tiling.in_memory_of(block, ranks[lane], offset));
    }
    set_address(registers, wide, d, &out, 0, mask);
    let result = if wide { Register::Pair(Pair(d)) } else { Register::Word(Word(d)) };
    if poison & mask != 0 {
        pass_undefined(registers, wide, result, a, poison & mask);
    }
    if rank_poison != 0 {
        pass_undefined(registers, false, result, rank.0, rank_poison);
    }
}

/// `getctarank`: generic or not, the width, result, address.
pub fn rank_of(
    cx: &Context<'_>,
    block: u32,
    registers: &mut Registers,
    constants: &Constants,
    (generic, wide, d, a): (bool, bool, Word, u16),
    mask: u32,
) {
    let (addresses, poison) = address_operand(registers, constants, wide, a);
    let start = if generic { window(AddressSpace::Cluster, 0, constants.windows) } else { 0 };
    let out = std::array::from_fn(|lane| {
        let offset = addresses[lane].wrapping_sub(start) as u32;
        cx.tiling.rank_at(block, offset)
    });
    registers.set_word(d, &out, 0, mask);
    if poison & mask != 0 {
        pass_undefined(registers, wide, Register::Word(d), a, poison & mask);
    }
}
