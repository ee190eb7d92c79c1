//! `mbarrier`: from registers to the barriers in shared memory, and how threads wait for their phases.
//!
//! `test_wait` and `try_wait` say whether a phase is over. When it is for no lane, they say so: whoever does
//! not heed the answer shows it by what it does next. But when the same lanes ask again at the same place,
//! their split is put to wait at the instruction until the phase is over for some ([`Wait::Phase`]), as a
//! thread may be kept waiting at any time. If nothing else in the block can run, the answer is no once more
//! ([`expire`]): whoever polls with something else to do goes on with that. When that has happened many times
//! without any change of memory, nobody will ever arrive. Each time the clock jumps farther ahead, so that a
//! loop that gives up after some time does.

use crate::{
    counters::Counters,
    exec::{
        access::{Port, addresses},
        context::{Context, Stop, Unit, say, site},
        machine::{After, Machine, source_of},
        registers::Registers,
        undefined::Register,
        warp::{Split, Wait, Warp},
    },
    finding::{FindingKind, Severity},
    findings::{Decides, Message, ThreadId},
    ir::{Address, AddressSpace, Constants, LANES, Mbarrier, Op, Order, Pair, Pairs, Scope, Word, Words},
    memory::{
        Access, BlockMemory, Global, Site,
        mbarrier::{MOST_ARRIVALS, MOST_BYTES, MbarrierArrival, Misuse, Phases, PresentPhase, Reply},
    },
};

/// Places where a warp asks that are remembered.
const MOST_REFUSED: usize = 16;

/// Answers of "no" to a whole block that waits, without any change of memory, after which nobody will arrive.
pub const MOST_EXPIRIES: u32 = 32;

impl Port<'_, '_> {
    /// Addresses of lanes; those that are undefined are reported.
    pub(super) fn addresses_of(
        &mut self,
        address: Address,
        registers: &Registers,
        constants: &Constants,
        mask: u32,
    ) -> Pairs {
        let (addresses, poison) = addresses(registers, constants, address);
        if poison & mask != 0 {
            self.undefined_address(registers, address, poison & mask);
        }
        addresses
    }

    /// The access to mbarriers.
    pub(super) fn mbarrier_access(
        &mut self,
        address: Address,
        registers: &Registers,
        constants: &Constants,
        mask: u32,
    ) -> Access {
        let addresses = self.addresses_of(address, registers, constants, mask);
        // Those of other blocks of a cluster may be arrived at. Whatever scope is written, its threads are taken to be reached.
        self.access(AddressSpace::Cluster, addresses, mask, 8, Order::Relaxed, Scope::Cluster)
    }

    /// A word of lanes that decides what an mbarrier does; all ones where there is no operand.
    fn count(&mut self, word: Word, registers: &Registers, constants: &Constants, mask: u32) -> Words {
        if !word.is_some() {
            return [1; LANES];
        }
        let poison = registers.word_poison(word) & mask;
        self.undefined(Decides::Path, Register::Word(word), registers, poison);
        *registers.word(constants, word)
    }

    /// Executes an asynchronous copy or what concerns an mbarrier; gives extra cycles, or none if
    /// no lane's phase is over.
    #[inline(never)]
    pub fn copy_or_mbarrier(
        &mut self,
        op: &Op,
        lists: &[Word],
        registers: &mut Registers,
        constants: &Constants,
        mask: u32,
    ) -> Result<Option<u64>, Stop> {
        match *op {
            Op::Asynchronous(operation) => self.asynchronous(operation, registers, constants, mask).map(Some),
            Op::Bulk(operation) => self.bulk(operation, lists, registers, constants, mask).map(Some),
            Op::Mbarrier(operation) => {
                let answered = self.mbarrier(operation, registers, constants, mask)?;
                if let Mbarrier::Wait { d, .. } = operation
                    && !answered
                {
                    registers.set_predicate(d, 0, 0, mask);
                }
                Ok(answered.then_some(0))
            }
            _ => Ok(Some(0)),
        }
    }

    /// Executes one. False if its lanes have to wait.
    fn mbarrier(
        &mut self,
        operation: Mbarrier,
        registers: &mut Registers,
        constants: &Constants,
        mask: u32,
    ) -> Result<bool, Stop> {
        let (access, reply) = match operation {
            Mbarrier::Init { address, count } => {
                let access = self.mbarrier_access(address, registers, constants, mask);
                let counts = self.count(count, registers, constants, mask);
                let reply = self.memory.mbarrier_init(self.global, &access, &counts);
                (access, reply)
            }
            Mbarrier::Invalidate { address } => {
                let access = self.mbarrier_access(address, registers, constants, mask);
                let reply = self.memory.mbarrier_invalidate(self.global, &access);
                (access, reply)
            }
            Mbarrier::Arrive { address, d, count, expects, drops, completes, order } => {
                let access = self.mbarrier_access(address, registers, constants, mask);
                let operand = self.count(count, registers, constants, mask);
                let arrival = MbarrierArrival {
                    counts: if expects { &[1; LANES] } else { &operand },
                    bytes: expects.then_some(&operand),
                    drops,
                    completes,
                    releases: order == Order::Release,
                };
                let mut states = [0; LANES];
                let reply = self.memory.mbarrier_arrive(self.global, &access, arrival, &mut states);
                if d.is_some() {
                    registers.set_pair(d, &states, 0, mask);
                }
                (access, reply)
            }
            Mbarrier::Bytes { address, bytes, came } => {
                let access = self.mbarrier_access(address, registers, constants, mask);
                let bytes = self.count(bytes, registers, constants, mask);
                let reply = self.memory.mbarrier_bytes(self.global, &access, &bytes, came);
                (access, reply)
            }
            Mbarrier::Wait { address, d, phase, parity, order, .. } => {
                let access = self.mbarrier_access(address, registers, constants, mask);
                let phase = if parity { Register::Word(Word(phase)) } else { Register::Pair(Pair(phase)) };
                let poison = registers.poison(phase) & mask;
                self.undefined(Decides::Path, phase, registers, poison);
                let phases = match phase {
                    Register::Pair(pair) => Phases::States(registers.pair(constants, pair)),
                    Register::Word(word) => Phases::Parities(registers.word(constants, word)),
                    Register::Predicate(_) => unreachable!("a phase is a word or a pair"),
                };
                let acquires = order == Order::Acquire;
                let (over, reply) = self.memory.mbarrier_test(self.global, &access, phases, acquires);
                judge(self.memory, self.block, &access, reply)?;
                if over == 0 {
                    return Ok(false);
                }
                registers.set_predicate(d, over, 0, mask);
                return Ok(true);
            }
            Mbarrier::Pending { d, state } => {
                let states = registers.pair(constants, state).map(|state| state as u32);
                let poison = registers.pair_poison(state) & mask;
                registers.set_word(d, &states, poison, mask);
                return Ok(true);
            }
        };
        judge(self.memory, self.block, &access, reply)?;
        Ok(true)
    }
}

/// Reports what is wrong with an operation.
pub(super) fn judge(memory: &mut BlockMemory, block: u32, access: &Access, reply: Reply) -> Result<(), Stop> {
    if let Some((lane, misuse)) = reply.misuse {
        let thread = ThreadId { block, thread: u32::from(access.warp) * 32 + lane as u32 };
        let kind = match misuse {
            Misuse::Absent => FindingKind::UninitializedRead,
            _ => FindingKind::BarrierDivergence,
        };
        let message = match misuse {
            Misuse::Early => Message::Consequence(sentence(misuse).into()),
            _ => Message::Text(sentence(misuse).into()),
        };
        say(&mut memory.findings, kind, Severity::Error, access.site, Site(0), vec![thread], 1, message);
        if misuse == Misuse::Absent {
            return Err(Stop::Faulted);
        }
    }
    if reply.faulted != 0 { Err(Stop::Faulted) } else { Ok(()) }
}

/// What is wrong, and what to do.
fn sentence(misuse: Misuse) -> String {
    match misuse {
        Misuse::Absent => "This works on a barrier in shared memory that has not been initialised (or not since it was \
                           destroyed). Let one thread call `init(&barrier, count)`, and put `__syncthreads()` between \
                           that and the first use."
            .to_owned(),
        Misuse::Count(count) => format!(
            "A barrier in shared memory is initialised for {count} arrivals in each phase; it must be 1 to \
             {MOST_ARRIVALS}. Give it the number of threads that arrive."
        ),
        Misuse::TooMany { arrivals, missing } => format!(
            "{arrivals} arrivals are counted here at once, but {missing} would have ended this phase of the barrier. \
             Its count, given to `init`, must be all arrivals of a phase together."
        ),
        Misuse::Completes => "This arrival must not be the last of a phase (`.noComplete`), but it is. The count given \
                              to `init` must be all arrivals of a phase together."
            .to_owned(),
        Misuse::Early => "This thread arrives at a barrier in shared memory and does not know that the phase before is \
                          over. If it is not, the arrival counts there, as one too many. Before this line, wait until \
                          that phase is over, or for a thread that has waited for it."
            .to_owned(),
        Misuse::TooManyBytes(bytes) => format!(
            "A phase of this barrier is to wait for {bytes} bytes; it can count {MOST_BYTES} at most. Announce the \
             bytes of one phase before its copies, and let a phase end before the next begins."
        ),
    }
}

/// Where a waiting split stands: the operation, and what it works on.
fn waited_at(cx: &Context<'_>, warp: &Warp, split: &Split) -> Option<Mbarrier> {
    let function = warp.frame(split.frame).function;
    match cx.program.function(function).code[split.pc as usize].op {
        Op::Mbarrier(operation) => Some(operation),
        _ => None,
    }
}

fn offset(cx: &Context<'_>, warp: &Warp, split: &Split) -> Option<u32> {
    let Mbarrier::Wait { address, .. } = waited_at(cx, warp, split)? else { return None };
    let frame = warp.frame(split.frame);
    let constants = &cx.constants[frame.function.0 as usize];
    Some(addresses(&frame.registers, constants, address).0[split.mask.trailing_zeros() as usize] as u32)
}

/// The most nanoseconds that a split may wait where it stands, each a cycle; 0 where it does not say.
fn limit(cx: &Context<'_>, warp: &Warp, split: &Split) -> u64 {
    let Some(Mbarrier::Wait { limit, .. }) = waited_at(cx, warp, split) else { return 0 };
    let frame = warp.frame(split.frame);
    let constants = &cx.constants[frame.function.0 as usize];
    let lane = split.mask.trailing_zeros() as usize;
    limit.some().map_or(0, |limit| frame.registers.word(constants, limit)[lane].into())
}

/// A phase is over for no lane of a split: that is the answer, or it waits.
pub fn ask_again(m: &Machine<'_, '_>, warp: &mut Warp, split: &mut Split) -> After {
    let asks = (split.frame, split.pc, split.mask);
    if warp.refused.contains(&asks) {
        let version = m.unit.version(m.global);
        split.wait = Wait::Phase { version };
        warp.waiting.push(*split);
        return After::Parked;
    }
    if warp.refused.len() == MOST_REFUSED {
        warp.refused.clear();
    }
    warp.refused.push(asks);
    // A wait with a limit has taken that long.
    warp.cycles += limit(m.cx, warp, split);
    split.pc += 1;
    After::GoOn
}

/// Memory has changed: looks again for a split that waits. True if the phase is over for some
/// lane, which has its answer.
pub fn look_again(
    cx: &Context<'_>,
    unit: &mut Unit,
    global: &mut Global<'_>,
    warp: &mut Warp,
    split: &Split,
) -> bool {
    let at = site(source_of(cx, warp, split));
    let Some(operation) = waited_at(cx, warp, split) else { return true };
    let index = warp.index;
    let frame = warp.frame_mut(split.frame);
    let constants = &cx.constants[frame.function.0 as usize];
    let mut line = Counters::default();
    let mut port = Port::of(cx, unit, global, &mut line, index, at);
    let over = port.mbarrier(operation, &mut frame.registers, constants, split.mask);
    if let Ok(true) = over {
        warp.refused.retain(|&asks| asks != (split.frame, split.pc, split.mask));
    }
    // What is wrong is reported by now; the split waits in vain.
    over.unwrap_or(false)
}

/// Nothing in the block can run: splits that wait for a phase are told that it is not
/// over. True if there were any.
pub fn expire(cx: &Context<'_>, warps: &mut [Warp], nth: u32) -> bool {
    let mut any = false;
    for warp in warps {
        while let Some(at) = warp.waiting.iter().position(|split| matches!(split.wait, Wait::Phase { .. })) {
            let split = warp.waiting.remove(at);
            any = true;
            if let Some(Mbarrier::Wait { d, limit, .. }) = waited_at(cx, warp, &split) {
                let frame = warp.frame_mut(split.frame);
                let constants = &cx.constants[frame.function.0 as usize];
                let nanoseconds = match limit.some() {
                    Some(limit) => {
                        frame.registers.word(constants, limit)[split.mask.trailing_zeros() as usize]
                    }
                    None => 0,
                };
                frame.registers.set_predicate(d, 0, 0, split.mask);
                warp.cycles += u64::from(nanoseconds).max(1000 << nth);
            }
            warp.resume(Split { pc: split.pc + 1, ..split });
        }
    }
    any
}

/// Why a split that waits for a phase waits in vain.
pub fn in_vain(cx: &Context<'_>, unit: &Unit, warp: &Warp, split: &Split) -> String {
    let state = offset(cx, warp, split).and_then(|offset| unit.memory.mbarrier_state(offset));
    let by_parity = matches!(waited_at(cx, warp, split), Some(Mbarrier::Wait { parity: true, .. }));
    let missing = match state {
        // Nobody comes to this phase: the one before may be meant.
        Some(phase)
            if by_parity && phase.ended > 0 && phase.bytes == 0 && phase.missing == phase.expected =>
        {
            return of_the_next_phase(phase.ended);
        }
        Some(PresentPhase { missing, expected, bytes: 0, .. }) => {
            format!("of the {expected} arrivals that it was initialised for, {missing} never came")
        }
        Some(PresentPhase { bytes, .. }) if bytes > 0 => {
            format!("of the bytes that it was told to expect (`expect_tx`), {bytes} never came")
        }
        Some(PresentPhase { bytes, .. }) => {
            format!("{} bytes more have come than it was told to expect (`expect_tx`)", -bytes)
        }
        None => "it is not initialised".to_owned(),
    };
    let counts_bytes = state.is_some_and(|phase| phase.bytes != 0);
    format!(
        "This waits for a phase of a barrier in shared memory that cannot end: {missing}, and no thread is left that could \
         arrive. Every phase needs as many arrivals as `init` was given{}.",
        if counts_bytes { ", and the bytes of exactly those copies that are made in it" } else { "" }
    )
}

/// A wait by parity for a phase that nobody arrives in, where so many have ended.
fn of_the_next_phase(ended: u32) -> String {
    let (waited_for, before) = (ended & 1, (ended - 1) & 1);
    let phases = if ended == 1 { "One phase has".to_owned() } else { format!("{ended} phases have") };
    format!(
        "This waits for parity {waited_for} of a barrier in shared memory: for a phase in which nobody arrives, and no thread is left that \
         could. {phases} ended before it, the last one with parity {before}. If that one is meant, wait for parity {before}: the first phase has \
         parity 0, and the parity changes with every phase, so that two waits in a row for the same parity skip a phase. If this one is meant, \
         arrive in it first."
    )
}
