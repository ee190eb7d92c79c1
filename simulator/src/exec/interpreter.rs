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

mod event;
mod rare;

use crate::{
    exec::{
        access::Port,
        alu,
        context::{Stop, site},
        defects,
        dispatch::InstructionSet,
        interpreter::{
            event::{Event, handle},
            rare::{Company, Current, Lateness},
        },
        machine::{After, Machine},
        special,
        spin::trace::Trace,
        undefined::Register,
        warp::{Split, Warp},
    },
    ir::{Constants, Function, Instruction, Op, Order},
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
    let other_order = m.cx.schedule.is_other();
    let company = Company {
        warp: warp.index,
        lanes: warp.lanes,
        live: warp.live(),
        met_before: warp.met_others,
        other_order,
        may_part: other_order && warp.diverged && !WATCHED,
        lateness: (m.cx.schedule.parts_lanes() && !WATCHED).then(|| Lateness {
            schedule: m.cx.schedule,
            block: m.unit.block,
            parts: warp.ready.len() + warp.waiting.len() + 1,
        }),
    };
    let cycles_before = warp.cycles.wrapping_sub(m.unit.issued);
    let mut scoreboard = std::mem::take(&mut warp.scoreboard);
    let frame = warp.frame_mut(split.frame);
    let function: &Function = &m.cx.program.functions[frame.function.0 as usize];
    let constants: &Constants = &m.cx.constants[frame.function.0 as usize];
    let code = function.code.as_slice();
    let mut extra = 0;
    let mut polls = false;
    let mut met = 0;
    let mut issued = m.unit.issued;
    let event = loop {
        if split.pc == owed {
            break Event::Join;
        }
        let instruction: &Instruction = &code[split.pc as usize];
        let mut mask = split.mask;
        let guard = instruction.guard;
        let source = if instruction.source.0 != 0 { instruction.source } else { frame.source };
        if guard.predicate.is_some() {
            let value = frame.registers.predicate(guard.predicate);
            let poison = frame.registers.predicate_poison(guard.predicate) & mask;
            if poison != 0 {
                let decides = Register::Predicate(guard.predicate);
                let registers = &frame.registers;
                defects::undefined_decision(m.unit, company.warp, site(source), registers, decides, poison);
            }
            mask &= if guard.negated { !value } else { value };
        }
        if WATCHED {
            trace.step(&instruction.op, split, frame.function, mask, &frame.registers, constants);
        }
        let line = &mut m.lines[source.0 as usize];
        issued += 1;
        line.ptx_instructions += 1;
        line.active_lanes += u64::from(mask.count_ones());
        if !scoreboard.is_empty() {
            let now = cycles_before.wrapping_add(issued) + extra;
            extra += scoreboard.wait(split.frame, &instruction.op, &function.lists, now);
        }
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
                // Nothing but what is done here can have happened: on without the loop's questions.
                while !WATCHED
                    && scoreboard.is_empty()
                    && split.pc + 1 != owed
                    && let Some(next) = code.get(split.pc as usize + 1)
                    && let Op::Alu(ref operation) = next.op
                    && !next.guard.predicate.is_some()
                    && T::alu(operation, &mut frame.registers, constants, split.mask)
                {
                    let source = if next.source.0 != 0 { next.source } else { frame.source };
                    let line = &mut m.lines[source.0 as usize];
                    let active = u64::from(split.mask.count_ones());
                    issued += 1;
                    line.ptx_instructions += 1;
                    line.active_lanes += active;
                    line.floating_point_operations += u64::from(next.floating_point_operations) * active;
                    split.pc += 1;
                }
                false
            }
            Op::Load { ref memory, ref d, address } => {
                if mask != 0 {
                    polls |= memory.order != Order::Weak;
                    let mut port = Port::of(m.cx, m.unit, m.global, line, company.warp, site(source));
                    let registers = &mut frame.registers;
                    let loaded = if T::LOOP_HAS_MEMORY && !WATCHED {
                        port.load(memory, d, address, registers, constants, mask)
                    } else {
                        port.load_out_of_line(memory, d, address, registers, constants, mask)
                    };
                    match loaded {
                        Ok(more) => {
                            let cycles = m.cx.load_cycles.get(more as usize).copied().unwrap_or(more);
                            if m.cx.reads_clock && cycles != 0 {
                                let now = cycles_before.wrapping_add(issued) + extra;
                                scoreboard.begin(split.frame, &instruction.op, now, cycles);
                            } else {
                                extra += cycles;
                            }
                        }
                        Err(stop) => break Event::Stop(stop),
                    }
                }
                company.other_order && mask != 0 && memory.order != Order::Weak
            }
            Op::Store { ref memory, ref a, address } => {
                let all = mask;
                if company.lateness.is_some() && memory.order != Order::Weak && mask != 0 {
                    mask = company.first(all, issued);
                }
                if mask != 0 {
                    let mut port = Port::of(m.cx, m.unit, m.global, line, company.warp, site(source));
                    let registers = &frame.registers;
                    let stored = if T::LOOP_HAS_MEMORY && !WATCHED {
                        port.store(memory, a, address, registers, constants, mask)
                    } else {
                        port.store_out_of_line(memory, a, address, registers, constants, mask)
                    };
                    match stored {
                        Ok(cycles) => extra += cycles,
                        Err(stop) => break Event::Stop(stop),
                    }
                }
                if mask != all {
                    break Event::Late { late: all & !mask };
                }
                company.other_order && mask != 0 && memory.order != Order::Weak
            }
            Op::Branch { target, join } => {
                // Every lane executes a branch, whether it takes it or not.
                line.active_lanes += u64::from((split.mask & !mask).count_ones());
                if mask == split.mask {
                    let back = target <= split.pc;
                    split.pc = target;
                    if back && issued >= attention {
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
                let registers = &mut frame.registers;
                let local = m.unit.memory.local_start(company.warp);
                special::convert_address(
                    m.cx,
                    registers,
                    constants,
                    local,
                    (space, to_space),
                    wide,
                    d,
                    a,
                    mask,
                );
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
                    issued,
                    cycles: cycles_before.wrapping_add(issued) + extra,
                };
                match rare::execute(m, frame, &current) {
                    Ok(done) => {
                        issued -= u64::from(done.is_mark);
                        extra += done.cycles;
                        polls |= done.polls;
                        met |= done.met;
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
        if may_sleep && issued >= attention {
            break Event::Sleep;
        }
    };
    warp.cycles = cycles_before.wrapping_add(issued) + extra;
    warp.scoreboard = scoreboard;
    warp.loops.polls |= polls;
    warp.loops.has_polled |= polls;
    warp.met_others |= met;
    m.unit.issued = issued;
    event
}
