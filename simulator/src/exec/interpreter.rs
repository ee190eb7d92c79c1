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

use crate::{
    exec::{
        access::{Port, addresses},
        alu,
        barrier::SiteKey,
        collective::{
            Offered, hands_over,
            meet::{meeting, named_lanes},
        },
        context::{Stop, report, site, threads},
        defects,
        dispatch::InstructionSet,
        interpreter::event::{Event, handle},
        machine::{After, Machine},
        special,
        spin::trace::Trace,
        undefined::Register,
        warp::{Split, Warp},
    },
    finding::{Kind, Severity},
    ir::{AtomicOp, Constants, Function, Instruction, LANES, Op, Order, Pair, UNUSED, Word},
    memory::{Site, lanes},
};

/// Runs a warp until nothing in it can run or its turn is over.
#[inline(always)]
pub fn run<T: InstructionSet>(m: &mut Machine<'_, '_>, warp: &mut Warp) -> Result<(), Stop> {
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
        let event = match warp.trace_of(split.mask).map(std::mem::take) {
            None => {
                let attention = if warp.suspicion.is_some() { 0 } else { deadline };
                step::<T, false>(m, warp, &mut split, attention, &mut Trace::default())
            }
            Some(mut trace) => {
                let event = step_watched::<T>(m, warp, &mut split, &mut trace);
                if let Some(place) = warp.trace_of(split.mask) {
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
    let (warp_lanes, live, met_before) = (warp.lanes, warp.live(), warp.met_others);
    let owed = warp.owed(split);
    let warp_index = warp.index;
    let warp_diverged = warp.diverged;
    let cycles_before = warp.cycles.wrapping_sub(m.unit.issued);
    let mut scoreboard = std::mem::take(&mut warp.scoreboard);
    let frame = warp.frame_mut(split.frame);
    let function: &Function = &m.cx.program.functions[frame.function.0 as usize];
    let constants: &Constants = &m.cx.constants[frame.function.0 as usize];
    let code = function.code.as_slice();
    let mut extra = 0;
    let mut polls = false;
    let mut met = 0;
    let other_order = m.cx.schedule.is_other();
    let may_part = other_order && warp_diverged && !WATCHED;
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
                defects::undefined_decision(m.unit, warp_index, site(source), registers, decides, poison);
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
            extra += scoreboard.wait(split.frame, &instruction.op, now);
        }
        match instruction.op {
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
            }
            Op::Load { ref memory, ref d, address } => {
                if mask != 0 {
                    polls |= memory.order != Order::Weak;
                    let mut port = Port {
                        cx: m.cx,
                        memory: &mut m.unit.memory,
                        global: m.global,
                        line,
                        scratch: &mut m.unit.scratch,
                        origins: &mut m.unit.origins,
                        warp: warp_index,
                        block: m.unit.block,
                        site: site(source),
                    };
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
                    if other_order && memory.order != Order::Weak && issued >= attention {
                        split.pc += 1;
                        break Event::Sleep;
                    }
                }
            }
            Op::Store { ref memory, ref a, address } => {
                if mask != 0 {
                    let mut port = Port {
                        cx: m.cx,
                        memory: &mut m.unit.memory,
                        global: m.global,
                        line,
                        scratch: &mut m.unit.scratch,
                        origins: &mut m.unit.origins,
                        warp: warp_index,
                        block: m.unit.block,
                        site: site(source),
                    };
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
                    if other_order && memory.order != Order::Weak && issued >= attention {
                        split.pc += 1;
                        break Event::Sleep;
                    }
                }
            }
            Op::Atomic { op, kind, space, order, scope, d, address, b, c } => {
                if mask != 0 {
                    polls = true;
                    let changes = m.global.get().changes();
                    let counts = matches!(op, AtomicOp::Add | AtomicOp::Increment | AtomicOp::Decrement);
                    let looked = (d != UNUSED && m.unit.helped.is_none()).then(|| {
                        addresses(&frame.registers, constants, address).0[mask.trailing_zeros() as usize]
                    });
                    if let Some(changer) = looked.and_then(|looked| m.global.get().changer(looked)) {
                        m.unit.meet(changer.block);
                    }
                    let mut port = Port {
                        cx: m.cx,
                        memory: &mut m.unit.memory,
                        global: m.global,
                        line,
                        scratch: &mut m.unit.scratch,
                        origins: &mut m.unit.origins,
                        warp: warp_index,
                        block: m.unit.block,
                        site: site(source),
                    };
                    let registers = &mut frame.registers;
                    let ordered = (order, scope);
                    match port.atomic(
                        op,
                        kind,
                        space,
                        ordered,
                        d,
                        address,
                        (b, c),
                        registers,
                        constants,
                        mask,
                    ) {
                        Ok(cycles) => extra += cycles,
                        Err(stop) => break Event::Stop(stop),
                    }
                    if let Some(counted) = looked.filter(|_| counts)
                        && m.global.get().changes() != changes
                    {
                        m.unit.count(counted);
                    }
                    if other_order && issued >= attention {
                        split.pc += 1;
                        break Event::Sleep;
                    }
                }
            }
            Op::Asynchronous(_) | Op::Mbarrier(_) => {
                if mask != 0 {
                    let mut port = Port {
                        cx: m.cx,
                        memory: &mut m.unit.memory,
                        global: m.global,
                        line,
                        scratch: &mut m.unit.scratch,
                        origins: &mut m.unit.origins,
                        warp: warp_index,
                        block: m.unit.block,
                        site: site(source),
                    };
                    match port.copy_or_mbarrier(&instruction.op, &mut frame.registers, constants, mask) {
                        Ok(Some(cycles)) => extra += cycles,
                        // Where only some of the lanes ask, they have their answer at once.
                        Ok(None) if mask == split.mask => break Event::Phase,
                        Ok(None) => polls = true,
                        Err(stop) => break Event::Stop(stop),
                    }
                }
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
            }
            Op::BranchIndexed { index, targets, join } => break Event::Indexed { index, targets, join },
            Op::Call { callee, arguments, results } => {
                if mask != 0 {
                    break Event::Call { callee, arguments, results, mask, site: site(source) };
                }
            }
            Op::Return => {
                if mask != 0 {
                    break Event::Return { mask };
                }
            }
            Op::Exit => {
                if mask != 0 {
                    break Event::Exit { mask };
                }
            }
            Op::Trap => {
                if mask != 0 {
                    let lanes = threads(m.unit.block, warp_index, mask);
                    report(
                        &mut m.unit.memory.findings,
                        Kind::Trap,
                        Severity::Error,
                        site(source),
                        Site(0),
                        lanes,
                        u64::from(mask.count_ones()),
                        "The kernel stopped itself with `__trap()`.",
                    );
                    break Event::Stop(Stop::Faulted);
                }
            }
            Op::PastBarrier { site: number } => {
                issued -= 1;
                line.ptx_instructions -= 1;
                line.active_lanes -= u64::from(mask.count_ones());
                let key = SiteKey { function: frame.function, site: number, path: frame.path };
                if let Some(skipped) = m.unit.barriers.past(key, source, warp_index, mask) {
                    defects::skipped_barrier(m.unit, skipped);
                }
            }
            Op::BarrierLoop { site: number } => {
                issued -= 1;
                line.ptx_instructions -= 1;
                line.active_lanes -= u64::from(mask.count_ones());
                let key = SiteKey { function: frame.function, site: number, path: frame.path };
                m.unit.barriers.goes_round(key, source, warp_index, mask);
            }
            Op::BarrierChoice { site: number } => {
                issued -= 1;
                line.ptx_instructions -= 1;
                line.active_lanes -= u64::from(mask.count_ones());
                let key = SiteKey { function: frame.function, site: number, path: frame.path };
                m.unit.barriers.chooses(key, source, warp_index, mask);
            }
            Op::Barrier { .. } => {
                if mask != 0 {
                    line.barriers += 1;
                    break Event::Barrier { mask, site: site(source) };
                }
            }
            Op::Fence { scope, .. } => {
                if mask != 0 {
                    m.unit.memory.fence(m.global, warp_index as u16, mask, scope);
                    if other_order && issued >= attention {
                        split.pc += 1;
                        break Event::Sleep;
                    }
                }
            }
            Op::WarpSync { .. }
            | Op::Shuffle { .. }
            | Op::Vote { .. }
            | Op::Match { .. }
            | Op::Redux { .. }
            | Op::ActiveMask { .. }
            | Op::Elect { .. } => {
                if mask != 0 {
                    let named = named_lanes(&instruction.op, &frame.registers, constants, mask);
                    if named & live != mask {
                        break Event::Collective { mask, site: site(source) };
                    }
                    let op = &instruction.op;
                    if may_part && matches!(op, Op::ActiveMask { .. }) {
                        let part = m.cx.schedule.together(mask, m.unit.block, warp_index, issued);
                        if part != mask {
                            Offered::default().exchange(op, part).scatter(op, &mut frame.registers, part);
                            break Event::Part { part };
                        }
                    }
                    met |= meeting(op, mask);
                    let gone = named & warp_lanes & !live;
                    if gone != 0 {
                        defects::gone_lanes(m.unit, warp_index, site(source), op, mask, gone, met_before);
                    }
                    if let Op::WarpSync { .. } = op {
                        m.unit.memory.sync_warp(m.global, warp_index as u16, mask);
                    } else {
                        line.exchange_requests += u64::from(hands_over(op));
                        let mut offered = Offered::default();
                        offered.gather(op, &frame.registers, constants, mask);
                        m.unit.origins.use_marks(&mut m.unit.memory.findings, offered.undefined());
                        let mut given = offered.exchange(op, mask);
                        if let Some((lane, from)) = given.absent {
                            given.blame(defects::absent_source(
                                m.unit,
                                warp_index,
                                site(source),
                                lane,
                                from,
                                given.absent_lanes,
                                named,
                                live,
                            ));
                        }
                        given.scatter(op, &mut frame.registers, mask);
                    }
                }
            }
            Op::Special { register, wide, d } => {
                let cycles = cycles_before.wrapping_add(issued) + extra;
                let value = special::read(m.cx, m.unit, warp_index, cycles, register);
                if wide {
                    frame.registers.set_pair(Pair(d), &value, 0, mask);
                } else {
                    let mut word = [0; LANES];
                    for lane in 0..LANES {
                        word[lane] = value[lane] as u32;
                    }
                    frame.registers.set_word(Word(d), &word, 0, mask);
                }
            }
            Op::LocalAddress { wide, d, offset } => {
                let mut value = [0u64; LANES];
                for lane in 0..LANES {
                    value[lane] = frame.local[lane] + u64::from(offset);
                }
                special::set_address(&mut frame.registers, wide, d, &value, 0, mask);
            }
            Op::ConvertAddress { space, to_space, wide, d, a } => {
                let (value, poison) = special::address_operand(&frame.registers, constants, wide, a);
                let base = special::window(space, m.cx.parameter_address, constants.windows);
                let mut out = [0u64; LANES];
                for lane in 0..LANES {
                    out[lane] = if to_space {
                        value[lane].wrapping_sub(base)
                    } else {
                        value[lane].wrapping_add(base)
                    };
                }
                special::set_address(&mut frame.registers, wide, d, &out, 0, mask);
                if poison & mask != 0 {
                    let d = if wide { Register::Pair(Pair(d)) } else { Register::Word(Word(d)) };
                    special::pass_undefined(&mut frame.registers, wide, d, a, poison & mask);
                }
            }
            Op::IsSpace { space, d, wide, a } => {
                let (value, poison) = special::address_operand(&frame.registers, constants, wide, a);
                let mut yes = 0;
                for lane in lanes(mask) {
                    yes |= u32::from(special::is_space(m.cx, m.global.get(), space, value[lane])) << lane;
                }
                frame.registers.set_predicate(d, yes, 0, mask);
                if poison & mask != 0 {
                    let d = Register::Predicate(d);
                    special::pass_undefined(&mut frame.registers, wide, d, a, poison & mask);
                }
            }
            Op::StackAllocate { wide, d, bytes, align } => {
                if mask != 0 {
                    let (value, _) = special::address_operand(&frame.registers, constants, wide, bytes);
                    let most = lanes(mask).map(|lane| value[lane]).max().unwrap_or(0);
                    let most = u32::try_from(most).unwrap_or(u32::MAX);
                    match m.unit.memory.push_local(
                        warp_index as u16,
                        mask,
                        most,
                        u32::from(align),
                        frame.depth,
                    ) {
                        Ok(addresses) => {
                            special::set_address(&mut frame.registers, wide, d, &addresses, 0, mask);
                        }
                        Err(full) => {
                            defects::taken_too_much(m.unit, warp_index, site(source), full);
                            break Event::Stop(Stop::Faulted);
                        }
                    }
                }
            }
            Op::StackSave { wide, d } => {
                let tops = m.unit.memory.local_tops(warp_index as u16);
                special::set_address(&mut frame.registers, wide, d, &tops, 0, mask);
            }
            Op::StackRestore { wide, a } => {
                let (tops, _) = special::address_operand(&frame.registers, constants, wide, a);
                m.unit.memory.restore_local(warp_index as u16, mask, frame.depth, &tops);
            }
            Op::Breakpoint => {}
            Op::Hint { sleeps } => {
                if sleeps && mask != 0 && issued >= attention {
                    split.pc += 1;
                    break Event::Sleep;
                }
            }
            Op::Unsupported { text } => {
                if mask != 0 {
                    let lanes = threads(m.unit.block, warp_index, mask);
                    let text = &m.cx.program.unsupported[text as usize];
                    report(
                        &mut m.unit.memory.findings,
                        Kind::Unsupported,
                        Severity::Error,
                        site(source),
                        Site(0),
                        lanes,
                        u64::from(mask.count_ones()),
                        format!("The simulator lacks {text}. Nothing is said about this kernel."),
                    );
                    break Event::Stop(Stop::Unsupported);
                }
            }
        }
        split.pc += 1;
    };
    warp.cycles = cycles_before.wrapping_add(issued) + extra;
    warp.scoreboard = scoreboard;
    warp.polls |= polls;
    warp.has_polled |= polls;
    warp.met_others |= met;
    m.unit.issued = issued;
    event
}
