//! The loop that executes instructions, a warp at a time.
//!
//! [`run`] drives one warp until all its splits wait or its turn is over. Instructions that touch only
//! registers and memory are executed in the inner loop; whatever changes who runs (divergence, calls,
//! barriers, exits) leaves it as an [`Event`]. The whole loop is generic code that `dispatch` instantiates
//! for several instruction sets.
//!
//! Cost model: an instruction takes one cycle of its warp, and a shared-memory instruction one more for every
//! wavefront beyond the first; a load's are counted where its value is first used ([`super::scoreboard`]). `clock64()` reads that count; `%globaltimer` runs at one nanosecond a cycle.
//! Nothing else costs time, so the difference of two readings around a shared access shows its wavefronts
//! exactly. Who runs the launch may give loads from shared memory other costs
//! ([`crate::Simulator::set_load_cycles`]).

mod account;
mod event;
mod rare;

use crate::{
    exec::{
        alu,
        context::{Stop, site},
        defects,
        dispatch::InstructionSet,
        interpreter::{
            account::Account,
            event::{Event, handle},
            rare::{Company, Current},
        },
        machine::{After, Machine},
        special,
        spin::trace::Trace,
        undefined::Register,
        warp::{Frame, Split, Warp},
    },
    ir::{Constants, Function, Instruction, Op, Order, Pc, SourceIndex},
};

/// Runs a warp until nothing in it can run or its turn is over.
#[inline(always)]
pub fn run<T: InstructionSet>(m: &mut Machine<'_, '_>, warp: &mut Warp) -> Result<(), Stop> {
    if let Some(stop) = warp.stop.take() {
        return Err(stop);
    }
    let deadline = (m.unit.issued + m.turn_length(warp.index)).min(m.unit.limit);
    while let Some(split) = warp.ready.pop_front() {
        run_split::<T>(m, warp, split, deadline)?;
        if m.unit.issued >= deadline {
            break;
        }
    }
    if m.unit.issued >= m.unit.limit && warp.ready.front().is_some() {
        return Err(Stop::Budget);
    }
    Ok(())
}

#[inline(always)]
fn run_split<T: InstructionSet>(
    m: &mut Machine<'_, '_>,
    warp: &mut Warp,
    mut split: Split,
    deadline: u64,
) -> Result<(), Stop> {
    loop {
        let event = match warp.loops.trace_of(split.mask).map(std::mem::take) {
            None => {
                let attention = if warp.loops.suspicion.is_some() { 0 } else { deadline };
                step::<T, false>(m, warp, &mut split, attention, &mut Trace::default())
            }
            Some(mut trace) => {
                let event = step_watched::<T>(m, warp, &mut split, &mut trace);
                if let Some(place) = warp.loops.trace_of(split.mask) {
                    *place = trace;
                }
                event
            }
        };
        match handle(m, warp, &mut split, event, deadline)? {
            After::GoOn => {}
            After::Parked => return Ok(()),
        }
    }
}

/// The same where what is executed is kept.
#[inline(never)]
fn step_watched<T: InstructionSet>(
    m: &mut Machine<'_, '_>,
    warp: &mut Warp,
    split: &mut Split,
    trace: &mut Trace,
) -> Event {
    step::<T, true>(m, warp, split, 0, trace)
}

/// Executes instructions of a split up to the next event. At backward jumps that is an event once `attention`
/// instructions have been issued.
#[inline(always)]
fn step<T: InstructionSet, const WATCHED: bool>(
    m: &mut Machine<'_, '_>,
    warp: &mut Warp,
    split: &mut Split,
    attention: u64,
    trace: &mut Trace,
) -> Event {
    let owed = warp.owed(split);
    let company = Company::of(m, warp, WATCHED);
    let mut account = Account::open(m, warp);
    let frame = warp.frame_mut(split.frame);
    let function: &Function = &m.cx.program.functions[frame.function.0 as usize];
    let constants: &Constants = &m.cx.constants[frame.function.0 as usize];
    let code = function.code.as_slice();
    let event = loop {
        if split.pc == owed {
            break Event::Join;
        }
        let instruction: &Instruction = &code[split.pc as usize];
        let source = frame.source_of(instruction);
        let mask = guarded(m, frame, instruction, company.warp, source, split.mask);
        if WATCHED {
            trace.step(&instruction.op, split, frame.function, mask, &frame.registers, constants);
        }
        let line = &mut m.lines[source.0 as usize];
        account.issued += 1;
        line.ptx_instructions += 1;
        line.active_lanes += u64::from(mask.count_ones());
        account.wait(split, &instruction.op, function);
        let may_sleep = match instruction.op {
            Op::Alu(ref operation) => {
                line.floating_point_operations +=
                    u64::from(instruction.floating_point_operations) * u64::from(mask.count_ones());
                if !T::alu(operation, &mut frame.registers, constants, mask) {
                    alu::with_undefined(operation, &mut frame.registers, constants, mask, |registers| {
                        let done = T::alu(operation, registers, constants, mask);
                        debug_assert!(done, "no poison is to be seen");
                    });
                }
                if !WATCHED && account.scoreboard.is_empty() {
                    account.issued += on_with_alu::<T>(m, frame, code, constants, split, owed);
                }
                false
            }
            Op::Load { ref memory, ref d, address } => {
                if mask != 0 {
                    account.polls |= memory.order != Order::Weak;
                    let mut port = m.port(source, company.warp);
                    let registers = &mut frame.registers;
                    let loaded = if T::LOOP_HAS_MEMORY && !WATCHED {
                        port.load(memory, d, address, registers, constants, mask)
                    } else {
                        port.load_out_of_line(memory, d, address, registers, constants, mask)
                    };
                    match loaded {
                        Ok(more) => account.loaded(m, split, &instruction.op, more),
                        Err(stop) => break Event::Stop(stop),
                    }
                }
                company.other_order && mask != 0 && memory.order != Order::Weak
            }
            Op::Store { ref memory, ref a, address } => {
                let strong = memory.order != Order::Weak && mask != 0;
                let now = if strong { company.first(mask, account.issued) } else { mask };
                if now != 0 {
                    let mut port = m.port(source, company.warp);
                    let registers = &frame.registers;
                    let stored = if T::LOOP_HAS_MEMORY && !WATCHED {
                        port.store(memory, a, address, registers, constants, now)
                    } else {
                        port.store_out_of_line(memory, a, address, registers, constants, now)
                    };
                    match stored {
                        Ok(cycles) => account.extra += cycles,
                        Err(stop) => break Event::Stop(stop),
                    }
                }
                if now != mask {
                    break Event::Late { late: mask & !now };
                }
                company.other_order && strong
            }
            Op::Branch { target, join } => {
                // Every lane executes a branch, whether it takes it or not.
                line.active_lanes += u64::from((split.mask & !mask).count_ones());
                if mask == split.mask {
                    let back = target <= split.pc;
                    split.pc = target;
                    if back && account.issued >= attention {
                        break Event::Back;
                    }
                    continue;
                }
                if mask != 0 {
                    line.divergent_branches += 1;
                    break Event::Diverge { taken: mask, target, join };
                }
                false
            }
            // Frequent, too: in code compiled for findings every access to a shared variable has one.
            Op::ConvertAddress { space, to_space, wide, d, a } => {
                let local = m.unit.memory.local_start(company.warp);
                let spaces = (space, to_space);
                let registers = &mut frame.registers;
                special::convert_address(m.cx, registers, constants, local, spaces, wide, d, a, mask);
                false
            }
            ref op => {
                let current = Current {
                    op,
                    source,
                    constants,
                    company: &company,
                    together: split.mask,
                    mask,
                    issued: account.issued,
                    cycles: account.cycles(),
                };
                match rare::execute(m, frame, &current) {
                    Ok(done) => {
                        account.add(&done);
                        if done.late != 0 {
                            break Event::Late { late: done.late };
                        }
                        done.may_sleep
                    }
                    Err(event) => break event,
                }
            }
        };
        split.pc += 1;
        if may_sleep && account.issued >= attention {
            break Event::Sleep;
        }
    };
    account.close(m, warp);
    event
}

/// Of lanes that come to an instruction, those that its guard lets execute it.
#[inline(always)]
fn guarded(
    m: &mut Machine<'_, '_>,
    frame: &Frame,
    instruction: &Instruction,
    warp: u32,
    source: SourceIndex,
    mask: u32,
) -> u32 {
    let guard = instruction.guard;
    if !guard.predicate.is_some() {
        return mask;
    }
    let value = frame.registers.predicate(guard.predicate);
    let poison = frame.registers.predicate_poison(guard.predicate) & mask;
    if poison != 0 {
        let decides = Register::Predicate(guard.predicate);
        defects::undefined_decision(m.unit, warp, site(source), &frame.registers, decides, poison);
    }
    mask & if guard.negated { !value } else { value }
}

/// Executes what follows an instruction as long as nothing can happen but arithmetic: no questions of the loop are asked.
/// Gives the number of instructions; the split stands at the last.
#[inline(always)]
fn on_with_alu<T: InstructionSet>(
    m: &mut Machine<'_, '_>,
    frame: &mut Frame,
    code: &[Instruction],
    constants: &Constants,
    split: &mut Split,
    owed: Pc,
) -> u64 {
    let active = u64::from(split.mask.count_ones());
    let mut issued = 0;
    while split.pc + 1 != owed
        && let Some(next) = code.get(split.pc as usize + 1)
        && let Op::Alu(ref operation) = next.op
        && !next.guard.predicate.is_some()
        && T::alu(operation, &mut frame.registers, constants, split.mask)
    {
        let line = &mut m.lines[frame.source_of(next).0 as usize];
        issued += 1;
        line.ptx_instructions += 1;
        line.active_lanes += active;
        line.floating_point_operations += u64::from(next.floating_point_operations) * active;
        split.pc += 1;
    }
    issued
}
