//! The loop that executes instructions, a warp at a time.
//!
//! [`run`] drives one warp until all its splits wait or its turn is over. Instructions that touch only registers and
//! memory are executed in the inner loop; whatever changes who runs (divergence, calls, barriers, exits) leaves it as
//! an [`Event`]. The whole loop is generic code that `dispatch` instantiates for several instruction sets.
//!
//! Cost model: an instruction takes one cycle of its warp, and a shared-memory instruction one more for every
//! wavefront beyond the first. `clock64()` reads that count; `%globaltimer` runs at one nanosecond a cycle. Nothing
//! else costs time, so the difference of two readings around a shared access shows its wavefronts exactly.

use crate::{
    counters::Counters,
    exec::{
        access::Port,
        barrier::{SiteKey, Skipped},
        builtin,
        collective::{Offered, mask_operand},
        context::{Context, Stop, Undefined, Unit, known, report, site, threads},
        dispatch::Target,
        special,
        warp::{Frame, Split, Wait, Warp, Watch},
    },
    finding::{Kind, Severity},
    findings::ThreadId,
    ir::{
        BarrierKind, Callee, Constants, FULL, Function, FunctionIndex, Instruction, LANES, List, NO_JOIN, Op,
        Order, Pair, Pc, Predicate, SourceIndex, Word,
    },
    memory::{Global, Site, lanes},
};

/// Instructions a warp may issue before it is another's turn.
pub const QUANTUM: u64 = 4096;

/// Calls nested deeper than this overflow the stack, even when they need no local memory. CUDA's default stack of 1 KiB
/// holds far fewer.
pub const MOST_CALLS: u32 = 1024;

/// The same where blocks take turns: many may wait for one.
const SHORT_QUANTUM: u64 = 512;

/// Instructions that a split may spend without anyone changing memory before its loops are watched.
const IDLE_INSTRUCTIONS: u64 = 16_384;

/// Round trips of a watched loop before the watch is given up.
const WATCHED_TRIPS: u32 = 16;

/// Why the inner loop was left.
enum Event {
    /// The split stands at the join that it owes.
    Join,
    /// A branch whose lanes disagree: these lanes go to the target.
    Diverge { taken: u32, target: Pc, join: Pc },
    /// An indexed branch.
    Indexed { index: Word, targets: List, join: Pc },
    /// A backward jump when the turn is over or the loop is watched.
    Back,
    /// A call by some lanes.
    Call { callee: Callee, arguments: List, results: List, mask: u32, site: Site },
    /// A return by some lanes.
    Return { mask: u32, site: Site },
    /// The end of some threads.
    Exit { mask: u32, site: Site },
    /// A block-wide barrier.
    Barrier { mask: u32, site: Site },
    /// A warp-wide operation for which not all the named lanes are here.
    Collective { mask: u32, site: Site },
    /// An end.
    Stop(Stop),
}

/// A warp, its block and its grid.
pub struct Machine<'a, 'g> {
    /// The launch.
    pub cx: &'a Context<'a>,
    /// The block.
    pub unit: &'a mut Unit,
    /// Global memory.
    pub global: &'a mut Global<'g>,
    /// Counters by source index.
    pub lines: &'a mut [Counters],
}

fn quantum(m: &Machine<'_, '_>) -> u64 {
    match m.global {
        Global::Direct(_) => SHORT_QUANTUM,
        Global::Overlay(_) => QUANTUM,
    }
}

/// Runs a warp until nothing in it can run or its turn is over.
#[inline(always)]
pub fn run<T: Target>(m: &mut Machine<'_, '_>, warp: &mut Warp) -> Result<(), Stop> {
    let deadline = (m.unit.issued + quantum(m)).min(m.unit.limit);
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
fn run_split<T: Target>(
    m: &mut Machine<'_, '_>,
    warp: &mut Warp,
    mut split: Split,
    deadline: u64,
) -> Result<(), Stop> {
    loop {
        let live = warp.live();
        let owed = warp.owed(&split);
        let warp_index = warp.index;
        let attention = if split.watch.is_some() { 0 } else { deadline };
        let cycles_before = warp.cycles.wrapping_sub(m.unit.issued);
        let frame = warp.frame_mut(split.frame);
        let function: &Function = &m.cx.program.functions[frame.function.0 as usize];
        let constants: &Constants = &m.cx.constants[frame.function.0 as usize];
        let code = function.code.as_slice();
        let mut extra = 0;
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
                    undefined_decision(m.unit, warp_index, source, poison);
                }
                mask &= if guard.negated { !value } else { value };
            }
            let line = &mut m.lines[source.0 as usize];
            issued += 1;
            line.ptx_instructions += 1;
            line.active_lanes += u64::from(mask.count_ones());
            match instruction.op {
                Op::Alu(ref operation) => T::alu(operation, &mut frame.registers, constants, mask),
                Op::Load { ref memory, ref d, address } => {
                    if mask != 0 {
                        split.polls |= memory.order != Order::Weak;
                        let mut port = Port {
                            cx: m.cx,
                            memory: &mut m.unit.memory,
                            global: m.global,
                            line,
                            scratch: &mut m.unit.scratch,
                            undefined_from: &mut m.unit.undefined_from[warp_index as usize],
                            warp: warp_index,
                            block: m.unit.block,
                            site: site(source),
                        };
                        match port.load(memory, d, address, &mut frame.registers, constants, mask) {
                            Ok(cycles) => extra += cycles,
                            Err(stop) => break Event::Stop(stop),
                        }
                    }
                }
                Op::Store { ref memory, ref a, address } => {
                    if mask != 0 {
                        let local_before = line.local_requests;
                        let mut port = Port {
                            cx: m.cx,
                            memory: &mut m.unit.memory,
                            global: m.global,
                            line,
                            scratch: &mut m.unit.scratch,
                            undefined_from: &mut m.unit.undefined_from[warp_index as usize],
                            warp: warp_index,
                            block: m.unit.block,
                            site: site(source),
                        };
                        match port.store(memory, a, address, &frame.registers, constants, mask) {
                            Ok(cycles) => extra += cycles,
                            Err(stop) => break Event::Stop(stop),
                        }
                        if m.lines[source.0 as usize].local_requests != local_before {
                            // Local memory is part of the split's state that a watch does not compare.
                            split.watch = None;
                        }
                    }
                }
                Op::Atomic { op, kind, space, order, scope, d, address, b, c } => {
                    if mask != 0 {
                        split.polls = true;
                        let changes = m.global.get().changes();
                        let mut port = Port {
                            cx: m.cx,
                            memory: &mut m.unit.memory,
                            global: m.global,
                            line,
                            scratch: &mut m.unit.scratch,
                            undefined_from: &mut m.unit.undefined_from[warp_index as usize],
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
                        m.unit.drew_ticket |= d != u16::MAX && m.global.get().changes() != changes;
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
                        break Event::Return { mask, site: site(source) };
                    }
                }
                Op::Exit => {
                    if mask != 0 {
                        break Event::Exit { mask, site: site(source) };
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
                        report_skipped(m.unit, skipped);
                    }
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
                        if let Op::WarpSync { .. } = op {
                            m.unit.memory.sync_warp(m.global, warp_index as u16, mask);
                        } else {
                            let mut offered = Offered::default();
                            offered.gather(op, &frame.registers, constants, mask);
                            let given = offered.exchange(op, mask);
                            if let Some((lane, from)) = given.absent {
                                report_absent(
                                    m.unit,
                                    warp_index,
                                    site(source),
                                    lane,
                                    from,
                                    given.absent_lanes,
                                    named,
                                    live,
                                );
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
                    let base = special::window(space, m.cx.parameter_address);
                    let mut out = [0u64; LANES];
                    for lane in 0..LANES {
                        out[lane] = if to_space {
                            value[lane].wrapping_sub(base)
                        } else {
                            value[lane].wrapping_add(base)
                        };
                    }
                    special::set_address(&mut frame.registers, wide, d, &out, poison, mask);
                }
                Op::IsSpace { space, d, wide, a } => {
                    let (value, poison) = special::address_operand(&frame.registers, constants, wide, a);
                    let mut yes = 0;
                    for lane in lanes(mask) {
                        yes |= u32::from(special::is_space(m.cx, m.global.get(), space, value[lane])) << lane;
                    }
                    frame.registers.set_predicate(d, yes, poison, mask);
                }
                Op::StackAllocate { wide, d, bytes, align } => {
                    if mask != 0 {
                        let (value, _) = special::address_operand(&frame.registers, constants, wide, bytes);
                        let most = lanes(mask).map(|lane| value[lane]).max().unwrap_or(0);
                        let most = u32::try_from(most).unwrap_or(u32::MAX);
                        match m.unit.memory.push_local(warp_index as u16, mask, most, u32::from(align)) {
                            Ok(addresses) => {
                                frame.stack_pushes += 1;
                                special::set_address(&mut frame.registers, wide, d, &addresses, 0, mask);
                            }
                            Err(full) => {
                                report_overflow(m.unit, warp_index, site(source), full);
                                break Event::Stop(Stop::Faulted);
                            }
                        }
                    }
                }
                // Frames of local memory end with their function; handing back earlier frees nothing.
                Op::StackSave { wide, d } => {
                    special::set_address(&mut frame.registers, wide, d, &[0; LANES], 0, mask);
                }
                Op::StackRestore { .. } | Op::Breakpoint => {}
                Op::Hint { sleeps } => {
                    if sleeps && mask != 0 && issued >= attention {
                        split.pc += 1;
                        break Event::Back;
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
                            format!(
                                "The simulator lacks this instruction: `{text}`. Nothing is said about this kernel."
                            ),
                        );
                        break Event::Stop(Stop::Unsupported);
                    }
                }
            }
            split.pc += 1;
        };
        warp.cycles = cycles_before.wrapping_add(issued) + extra;
        m.unit.issued = issued;
        match handle(m, warp, &mut split, event, deadline)? {
            After::GoOn => {}
            After::Parked => return Ok(()),
        }
    }
}

/// What becomes of the running split after an event.
enum After {
    /// It runs on.
    GoOn,
    /// It has been put elsewhere, or is no more.
    Parked,
}

fn handle(
    m: &mut Machine<'_, '_>,
    warp: &mut Warp,
    split: &mut Split,
    event: Event,
    deadline: u64,
) -> Result<After, Stop> {
    match event {
        Event::Stop(stop) => {
            warp.ready.push_front(*split);
            return Err(stop);
        }
        Event::Join => match warp.arrive(split) {
            Some(whole) => *split = whole,
            None => return Ok(After::Parked),
        },
        Event::Diverge { taken, target, join } => {
            split.pc += 1;
            warp.diverge(split, join, &[(taken, target)]);
        }
        Event::Indexed { index, targets, join } => {
            let frame = warp.frame(split.frame);
            let function = m.cx.program.function(frame.function);
            let index = frame.registers.word(&m.cx.constants[frame.function.0 as usize], index);
            let table = &function.targets[targets.range()];
            let mut sides: Vec<(u32, Pc)> = Vec::new();
            for lane in lanes(split.mask) {
                // Beyond the table is undefined behaviour; the last entry is as good as any.
                let Some(&pc) = table.get(index[lane] as usize).or(table.last()) else { continue };
                match sides.iter_mut().find(|side| side.1 == pc) {
                    Some(side) => side.0 |= 1 << lane,
                    None => sides.push((1 << lane, pc)),
                }
            }
            if let Some((_, first)) = sides.first().copied() {
                split.pc = first;
            }
            if sides.len() > 1 {
                let source = source_of(m.cx, warp, split);
                m.lines[source.0 as usize].divergent_branches += 1;
                warp.diverge(split, join, &sides[1..]);
            }
        }
        Event::Back => return Ok(back(m, warp, split, deadline)),
        Event::Call { callee, arguments, results, mask, site } => {
            let rest = split.mask & !mask;
            if rest != 0 {
                // A guarded call: the other lanes wait behind it.
                let next = split.pc + 1;
                warp.diverge(split, next, &[(rest, next)]);
            }
            call(m, warp, split, callee, arguments, results, site)?;
            if m.unit.issued >= deadline {
                // Recursion may go on without any backward jump.
                warp.ready.push_back(*split);
                return Ok(After::Parked);
            }
        }
        Event::Return { mask, site } => {
            let rest = split.mask & !mask;
            if rest != 0 {
                let next = Split { mask: rest, pc: split.pc + 1, ..*split };
                if warp.frame(split.frame).parent.is_none() {
                    split.mask = mask;
                    leave(m, warp, split, site);
                    *split = next;
                    return Ok(After::GoOn);
                }
                warp.owe(split, NO_JOIN);
                warp.ready.push_front(Split { join: split.join, ..next });
                split.mask = mask;
            }
            return Ok(ret(m, warp, split, site));
        }
        Event::Exit { mask, site } => {
            let rest = split.mask & !mask;
            split.mask = mask;
            leave(m, warp, split, site);
            if rest == 0 {
                return Ok(After::Parked);
            }
            split.mask = rest;
            split.pc += 1;
        }
        Event::Barrier { mask, site } => return barrier(m, warp, split, mask, site),
        Event::Collective { mask, site } => return Ok(collective(m, warp, split, mask, site)),
    }
    Ok(After::GoOn)
}

/// The learner's line that the split's next instruction stands for.
pub fn source_of(cx: &Context<'_>, warp: &Warp, split: &Split) -> SourceIndex {
    let frame = warp.frame(split.frame);
    let instruction = &cx.program.function(frame.function).code[split.pc as usize];
    if instruction.source.0 != 0 { instruction.source } else { frame.source }
}

/// A loop goes round when the turn is over, or while it is watched.
fn back(m: &mut Machine<'_, '_>, warp: &mut Warp, split: &mut Split, deadline: u64) -> After {
    let changes = m.global.get().changes() + m.unit.memory.changes();
    if let Some(watch) = &mut split.watch
        && watch.pc == split.pc
        && watch.frame == split.frame
    {
        watch.trips += 1;
        if watch.version != changes {
            split.watch = None;
        } else if watch.digest == warp.frame(split.frame).registers.digest(split.mask) {
            // The same state again, and memory is as it was: it goes round until somebody changes memory.
            watch.own_changes = m.unit.own_changes;
            split.wait = Wait::Change { version: changes };
            warp.waiting.push(*split);
            warp.fruitless += 1;
            return After::Parked;
        } else if watch.trips >= WATCHED_TRIPS {
            split.watch = None;
        }
    }
    if m.unit.issued < deadline {
        return After::GoOn;
    }
    if split.idle_version == changes {
        split.idle_turns += 1;
    } else {
        split.idle_turns = 0;
        split.idle_version = changes;
    }
    // A loop that polls is likely to wait; others are likely to compute.
    let most = if split.polls { 1 } else { IDLE_INSTRUCTIONS / quantum(m) };
    if u64::from(split.idle_turns) >= most {
        split.idle_turns = 0;
        warp.fruitless += u32::from(split.polls);
        split.polls = false;
        let digest = warp.frame(split.frame).registers.digest(split.mask);
        split.watch = Some(Watch {
            pc: split.pc,
            frame: split.frame,
            digest,
            version: changes,
            trips: 0,
            own_changes: 0,
        });
    }
    warp.ready.push_back(*split);
    After::Parked
}

fn path(parent: u64, function: FunctionIndex, return_pc: Pc) -> u64 {
    let site = u64::from(function.0) << 32 | u64::from(return_pc);
    (parent.rotate_left(23) ^ site).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1
}

fn call(
    m: &mut Machine<'_, '_>,
    warp: &mut Warp,
    split: &mut Split,
    callee: Callee,
    arguments: List,
    results: List,
    site: Site,
) -> Result<(), Stop> {
    let function = match callee {
        Callee::Function(function) => function,
        Callee::Builtin(which) => {
            return builtin::call(m, warp, split, which, arguments, results, site);
        }
        Callee::Indirect(pair) => {
            let frame = warp.frame(split.frame);
            let constants = &m.cx.constants[frame.function.0 as usize];
            let targets = frame.registers.pair(constants, pair);
            let first = targets[split.mask.trailing_zeros() as usize];
            let same = lanes(split.mask)
                .filter(|&lane| targets[lane] == first)
                .fold(0, |mask, lane| mask | 1 << lane);
            let poison = frame.registers.pair_poison(pair) & split.mask;
            if poison != 0 {
                undefined_decision(m.unit, warp.index, SourceIndex(site.0), poison);
            }
            let Some(function) = m.cx.program.function_at(first) else {
                let mask = split.mask & same;
                report(
                    &mut m.unit.memory.findings,
                    Kind::OutOfBounds,
                    Severity::Error,
                    site,
                    Site(0),
                    threads(m.unit.block, warp.index, mask),
                    u64::from(mask.count_ones()),
                    format!("A call through a function pointer that points to no function ({first:#x})."),
                );
                warp.ready.push_front(*split);
                return Err(Stop::Faulted);
            };
            if same != split.mask {
                // Each function is called by its own lanes; they meet again behind the call.
                let (pc, next) = (split.pc, split.pc + 1);
                warp.owe(split, next);
                let rest = Split { mask: split.mask & !same, pc, ..*split };
                warp.ready.push_front(rest);
                split.mask = same;
            }
            function
        }
    };
    let parent = warp.frame(split.frame);
    let depth = parent.depth + 1;
    let path = path(parent.path, parent.function, split.pc);
    let target = m.cx.program.function(function);
    if depth > MOST_CALLS {
        report_overflow(m.unit, warp.index, site, split.mask);
        warp.ready.push_front(*split);
        return Err(Stop::Faulted);
    }
    let local = if target.local_bytes > 0 {
        match m.unit.memory.push_local(warp.index as u16, split.mask, target.local_bytes, target.local_align)
        {
            Ok(addresses) => addresses,
            Err(full) => {
                report_overflow(m.unit, warp.index, site, full);
                warp.ready.push_front(*split);
                return Err(Stop::Faulted);
            }
        }
    } else {
        [0; LANES]
    };
    let caller_function = parent.function;
    let child = match warp.spare_frame(function) {
        Some(id) => {
            let frame = warp.frame_mut(id);
            frame.registers.enter(target);
            frame.parent = Some(split.frame);
            frame.return_pc = split.pc + 1;
            frame.lanes = split.mask;
            frame.source = SourceIndex(site.0);
            frame.path = path;
            frame.depth = depth;
            frame.stack_pushes = 0;
            if target.local_bytes > 0 {
                frame.local = local;
            }
            id
        }
        None => {
            let registers = m.unit.registers(m.cx, function);
            warp.add_frame(Frame {
                function,
                registers,
                parent: Some(split.frame),
                return_pc: split.pc + 1,
                lanes: split.mask,
                source: SourceIndex(site.0),
                path,
                local,
                depth,
                stack_pushes: 0,
            })
        }
    };
    let list = &m.cx.program.function(caller_function).lists[arguments.range()];
    let constants = &m.cx.constants[caller_function.0 as usize];
    let (caller, callee) = warp.two_frames(split.frame, child);
    for (index, &argument) in list.iter().enumerate() {
        if !argument.is_some() {
            continue;
        }
        let value = caller.registers.word(constants, argument);
        let poison = caller.registers.word_poison(argument);
        callee.registers.set_word(Word(index as u16), value, poison, split.mask);
    }
    split.frame = child;
    split.pc = 0;
    Ok(())
}

fn ret(m: &mut Machine<'_, '_>, warp: &mut Warp, split: &mut Split, site: Site) -> After {
    while warp.at_return_join(split) {
        match warp.arrive(split) {
            Some(whole) => *split = whole,
            None => return After::Parked,
        }
    }
    let frame = warp.frame(split.frame);
    let Some(parent) = frame.parent else {
        leave(m, warp, split, site);
        return After::Parked;
    };
    let function = m.cx.program.function(frame.function);
    let (return_pc, pushes) = (frame.return_pc, frame.stack_pushes + u32::from(function.local_bytes > 0));
    let result_words = function.result_words.clone();
    let child = split.frame;
    let (callee, caller) = warp.two_frames(child, parent);
    let calling = m.cx.program.function(caller.function);
    if let Op::Call { results, .. } = calling.code[return_pc as usize - 1].op {
        for (from, &to) in result_words.zip(&calling.lists[results.range()]) {
            if to.is_some() {
                let none = &m.cx.constants[caller.function.0 as usize];
                let value = callee.registers.word(none, Word(from));
                let poison = callee.registers.word_poison(Word(from));
                caller.registers.set_word(to, value, poison, split.mask);
            }
        }
    }
    for _ in 0..pushes {
        m.unit.memory.pop_local(warp.index as u16, split.mask);
    }
    warp.leave_frame(child, split.mask);
    if split.watch.is_some_and(|watch| watch.frame == child) {
        split.watch = None;
    }
    split.frame = parent;
    split.pc = return_pc;
    After::GoOn
}

/// The lanes of `split` leave the kernel.
fn leave(m: &mut Machine<'_, '_>, warp: &mut Warp, split: &Split, site: Site) {
    m.unit.exit_site = site;
    warp.exit(split.mask, split.frame, split.join);
    settle_collectives(m, warp);
}

fn barrier(
    m: &mut Machine<'_, '_>,
    warp: &mut Warp,
    split: &mut Split,
    mask: u32,
    site: Site,
) -> Result<After, Stop> {
    let frame = warp.frame(split.frame);
    let function = m.cx.program.function(frame.function);
    let constants = &m.cx.constants[frame.function.0 as usize];
    let Op::Barrier { kind, id, count, predicate, negated, site: number, .. } =
        function.code[split.pc as usize].op
    else {
        unreachable!("the event was raised by a barrier")
    };
    let lane = mask.trailing_zeros() as usize;
    let id = (frame.registers.word(constants, id)[lane] & 15) as u8;
    let count = if count.is_some() { frame.registers.word(constants, count)[lane] } else { 0 };
    let mut truth = 0;
    if predicate.is_some() {
        let value = frame.registers.predicate(predicate);
        truth = if negated { !value } else { value } & mask;
        let poison = frame.registers.predicate_poison(predicate) & mask;
        if poison != 0 {
            undefined_decision(m.unit, warp.index, SourceIndex(site.0), poison);
        }
    }
    let rest = split.mask & !mask;
    if kind == BarrierKind::Arrive {
        m.unit.barriers.arrive(warp.index, id, mask);
        m.unit.memory.arrive(m.global, id, warp.index as u16, mask);
        split.pc += 1;
        return Ok(After::GoOn);
    }
    let mut key = None;
    if count == 0 {
        let own = SiteKey { function: frame.function, site: number, path: frame.path };
        for (nth, at) in std::iter::once(own).chain(call_sites(m.cx, warp, split)).enumerate() {
            let (id, skipped) = m.unit.barriers.wait(at, SourceIndex(site.0), warp.index, mask);
            if nth == 0 {
                key = Some(id);
            }
            if let Some(skipped) = skipped {
                report_skipped(m.unit, skipped);
            }
        }
    }
    if rest != 0 {
        // A guarded barrier: the other lanes run on.
        let next = Split { mask: rest, pc: split.pc + 1, ..*split };
        split.mask = mask;
        split.wait = Wait::Barrier { id, count, predicate: truth, kind, key };
        warp.waiting.push(*split);
        *split = next;
        return Ok(After::GoOn);
    }
    split.wait = Wait::Barrier { id, count, predicate: truth, kind, key };
    warp.waiting.push(*split);
    Ok(After::Parked)
}

/// The calls that lead to where `split` stands, as barriers of their callers: who leaves out the call leaves out the
/// barriers in it.
fn call_sites(cx: &Context<'_>, warp: &Warp, split: &Split) -> Vec<SiteKey> {
    let mut sites = Vec::new();
    let mut frame = warp.frame(split.frame);
    while let Some(parent) = frame.parent {
        let call = frame.return_pc - 1;
        frame = warp.frame(parent);
        let barriers = &cx.program.function(frame.function).barriers;
        if let Some(site) = barriers.iter().position(|barrier| barrier.pc == call) {
            sites.push(SiteKey { function: frame.function, site: site as u16, path: frame.path });
        }
    }
    sites
}

/// The lanes that a warp-wide operation names; of lanes that name different ones, what the first lane names. The forms
/// without a mask name whoever executes them.
#[inline(always)]
fn named_lanes(op: &Op, registers: &super::registers::Registers, constants: &Constants, mask: u32) -> u32 {
    let Some(operand) = mask_operand(op) else { return mask };
    let value = registers.word(constants, operand);
    let first = value[mask.trailing_zeros() as usize];
    let mut same = true;
    for lane in 0..LANES {
        same &= mask >> lane & 1 == 0 || value[lane] == first;
    }
    // Naming nobody leads to the slow path, which tells the lanes apart.
    if same { first } else { 0 }
}

/// Lanes arrive at a warp-wide operation for which others are missing, or with masks that need a closer look.
fn collective(m: &mut Machine<'_, '_>, warp: &mut Warp, split: &mut Split, mask: u32, site: Site) -> After {
    let frame = warp.frame(split.frame);
    let function = m.cx.program.function(frame.function);
    let constants = &m.cx.constants[frame.function.0 as usize];
    let op = function.code[split.pc as usize].op;
    let names =
        mask_operand(&op).map(|operand| *frame.registers.word(constants, operand)).unwrap_or([FULL; LANES]);
    let rest = split.mask & !mask;
    if rest != 0 {
        warp.ready.push_back(Split { mask: rest, pc: split.pc + 1, ..*split });
    }
    let mut strangers = 0;
    let mut left = mask;
    while left != 0 {
        let named = names[left.trailing_zeros() as usize];
        let group = lanes(left).filter(|&lane| names[lane] == named).fold(0, |mask, lane| mask | 1 << lane);
        left &= !group;
        strangers |= group & !named;
        // A lane that does not name itself takes part all the same.
        warp.waiting.push(Split { mask: group, wait: Wait::Collective { named: named | group }, ..*split });
    }
    if strangers != 0 {
        report(
            &mut m.unit.memory.findings,
            Kind::InvalidMask,
            Severity::Error,
            site,
            Site(0),
            threads(m.unit.block, warp.index, strangers),
            u64::from(strangers.count_ones()),
            "A lane executes this warp-wide operation with a mask that does not name the lane itself. Every lane that executes \
             it must be in its own mask.",
        );
    }
    settle_collectives(m, warp);
    After::Parked
}

/// Executes the warp-wide operations for which every named lane has come.
pub fn settle_collectives(m: &mut Machine<'_, '_>, warp: &mut Warp) {
    if warp.waiting.is_empty() {
        return;
    }
    let live = warp.live();
    let mut at = 0;
    while at < warp.waiting.len() {
        let split = warp.waiting[at];
        if let Wait::Collective { named } = split.wait {
            let group = group_of(m.cx, warp, &split, named);
            if named & live & !group == 0 {
                perform(m, warp, &split, named);
                at = 0;
                continue;
            }
        }
        at += 1;
    }
}

/// The lanes that wait for the same warp-wide operation as `split`.
pub fn group_of(cx: &Context<'_>, warp: &Warp, split: &Split, named: u32) -> u32 {
    (warp.waiting.iter())
        .filter(|other| other.wait == Wait::Collective { named } && meets(cx, warp, split, other))
        .fold(0, |mask, other| mask | other.mask)
}

/// True when two splits wait at warp-wide operations that are one: the same instruction by the same path, or any two
/// `__syncwarp()`.
fn meets(cx: &Context<'_>, warp: &Warp, a: &Split, b: &Split) -> bool {
    let (frame_a, frame_b) = (warp.frame(a.frame), warp.frame(b.frame));
    if frame_a.function == frame_b.function && frame_a.path == frame_b.path && a.pc == b.pc {
        return true;
    }
    let is_sync = |frame: &Frame, pc: Pc| {
        matches!(cx.program.function(frame.function).code[pc as usize].op, Op::WarpSync { .. })
    };
    is_sync(frame_a, a.pc) && is_sync(frame_b, b.pc)
}

/// Executes the warp-wide operation that `split` waits for with all lanes that wait for it too.
pub fn perform(m: &mut Machine<'_, '_>, warp: &mut Warp, split: &Split, named: u32) {
    let mut parts: Vec<Split> = Vec::new();
    let mut index = 0;
    while index < warp.waiting.len() {
        let other = warp.waiting[index];
        if other.wait == (Wait::Collective { named }) && meets(m.cx, warp, split, &other) {
            parts.push(warp.waiting.remove(index));
        } else {
            index += 1;
        }
    }
    let part = parts.iter().fold(0, |mask, split| mask | split.mask);
    let frame = warp.frame(split.frame);
    let op = m.cx.program.function(frame.function).code[split.pc as usize].op;
    if let Op::WarpSync { .. } = op {
        m.unit.memory.sync_warp(m.global, warp.index as u16, part);
    } else {
        let mut offered = Offered::default();
        for split in &parts {
            let frame = warp.frame(split.frame);
            offered.gather(&op, &frame.registers, &m.cx.constants[frame.function.0 as usize], split.mask);
        }
        let given = offered.exchange(&op, part);
        if let Some((lane, from)) = given.absent {
            let source = source_of(m.cx, warp, split);
            let live = warp.live();
            report_absent(m.unit, warp.index, site(source), lane, from, given.absent_lanes, named, live);
        }
        for split in &parts {
            given.scatter(&op, &mut warp.frame_mut(split.frame).registers, split.mask);
        }
    }
    for split in parts {
        warp.resume(Split { pc: split.pc + 1, ..split });
    }
}

/// A barrier has completed for the waiting splits of this warp: they get their results and go on.
pub fn release_barrier(m: &mut Machine<'_, '_>, warp: &mut Warp, id: u8, outcome: &BarrierOutcome) {
    let mut index = 0;
    while index < warp.waiting.len() {
        let split = warp.waiting[index];
        let Wait::Barrier { id: waits, key, .. } = split.wait else {
            index += 1;
            continue;
        };
        if waits != id {
            index += 1;
            continue;
        }
        warp.waiting.remove(index);
        if let Some(key) = key {
            m.unit.barriers.pass(key, warp.index, split.mask);
            for site in call_sites(m.cx, warp, &split) {
                m.unit.barriers.pass_at(site, warp.index, split.mask);
            }
        }
        let function = m.cx.program.function(warp.frame(split.frame).function);
        if let Op::Barrier { kind, d, .. } = function.code[split.pc as usize].op
            && d != u16::MAX
        {
            let registers = &mut warp.frame_mut(split.frame).registers;
            match kind {
                BarrierKind::Popcount => registers.set_word(Word(d), &[outcome.count; LANES], 0, split.mask),
                BarrierKind::And => {
                    let all = if outcome.all { FULL } else { 0 };
                    registers.set_predicate(Predicate(d), all, 0, split.mask);
                }
                BarrierKind::Or => {
                    let any = if outcome.count > 0 { FULL } else { 0 };
                    registers.set_predicate(Predicate(d), any, 0, split.mask);
                }
                BarrierKind::Sync | BarrierKind::Arrive => {}
            }
        }
        warp.cycles = warp.cycles.max(outcome.cycles);
        warp.resume(Split { pc: split.pc + 1, ..split });
    }
}

/// What a completed barrier gives.
pub struct BarrierOutcome {
    /// Threads whose predicate was true.
    pub count: u32,
    /// All were.
    pub all: bool,
    /// The cycle at which the last warp arrived.
    pub cycles: u64,
}

#[cold]
#[inline(never)]
fn undefined_decision(unit: &mut Unit, warp: u32, source: SourceIndex, lanes: u32) {
    let origin = unit.undefined_from[warp as usize];
    report(
        &mut unit.memory.findings,
        Kind::UninitializedRead,
        Severity::Error,
        site(source),
        origin.at,
        threads(unit.block, warp, lanes),
        u64::from(lanes.count_ones()),
        if origin.by_shuffle {
            "What a shuffle read from a lane that takes no part in it decides what is executed here. Use the result only in \
             lanes whose source takes part."
        } else {
            "A value that nothing wrote decides what is executed here. Initialise it before it is read; shared memory and \
             local variables start with arbitrary contents."
        },
    );
}

#[cold]
#[inline(never)]
#[expect(clippy::too_many_arguments, reason = "a finding has that many sides")]
fn report_absent(
    unit: &mut Unit,
    warp: u32,
    at: Site,
    lane: u32,
    from: u32,
    lanes: u32,
    named: u32,
    live: u32,
) {
    unit.undefined_from[warp as usize] = Undefined { at, by_shuffle: true };
    let why = if named >> from & 1 == 0 {
        "its mask does not name"
    } else if live >> from & 1 == 0 {
        "has left the kernel or does not exist in"
    } else {
        "does not take part in"
    };
    let message = if named >> from & 1 == 0 {
        format!(
            "Lane {lane} reads from lane {from}, which {why}. What it gets is undefined: name every lane that is read from, or \
             limit the shuffle with its width argument."
        )
    } else {
        format!(
            "Lane {lane} reads from lane {from}, which {why} this shuffle. What it gets is undefined: use the value only where \
             the source lane takes part."
        )
    };
    report(
        &mut unit.memory.findings,
        Kind::InvalidMask,
        Severity::Warning,
        at,
        Site(0),
        vec![
            ThreadId { block: unit.block, thread: warp * 32 + lane },
            ThreadId { block: unit.block, thread: warp * 32 + from },
        ],
        u64::from(lanes.count_ones()),
        message,
    );
}

#[cold]
#[inline(never)]
fn report_skipped(unit: &mut Unit, skipped: Skipped) {
    let thread = |lane: crate::exec::barrier::LaneId| ThreadId {
        block: unit.block,
        thread: lane.warp * 32 + lane.lane,
    };
    let list = vec![thread(skipped.waits), thread(skipped.skipped)];
    report(
        &mut unit.memory.findings,
        Kind::BarrierDivergence,
        Severity::Error,
        site(skipped.barrier),
        site(skipped.past),
        list,
        1,
        "Some threads of the block wait at this barrier while others have run past it without reaching it. `__syncthreads()` \
         must be reached by every thread of the block, the same number of times: move it out of the branch or loop.",
    );
}

#[cold]
#[inline(never)]
fn report_overflow(unit: &mut Unit, warp: u32, at: Site, lanes: u32) {
    report(
        &mut unit.memory.findings,
        Kind::StackOverflow,
        Severity::Error,
        at,
        Site(0),
        threads(unit.block, warp, lanes),
        u64::from(lanes.count_ones()),
        format!(
            "Calls are nested too deeply: more than {MOST_CALLS} calls, or more than 512 KiB of local variables in one thread. \
             Does the recursion end for every input? Write it as a loop, or bound its depth."
        ),
    );
}

/// The place of a site, where one is known.
pub fn place(cx: &Context<'_>, at: Site) -> Option<crate::source::Place> {
    known(at).and_then(|site| cx.program.sources.place(SourceIndex(site.0)).cloned())
}
