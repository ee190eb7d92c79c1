//! Calls and returns of device functions, and leaving the kernel.

use crate::{
    exec::{
        builtin,
        collective::meet::settle_collectives,
        context::{Stop, report, threads},
        defects,
        machine::{After, Machine},
        spin::trace::Link,
        undefined::Register,
        warp::{Frame, Split, Warp},
    },
    finding::{FindingKind, Severity},
    ir::{Callee, FunctionIndex, LANES, List, Op, Pc, SourceIndex, Word},
    memory::{Site, lanes},
};

/// Calls nested deeper than this overflow the stack, even when they need no local memory. CUDA's default
/// stack of 1 KiB holds far fewer.
pub const MOST_CALLS: u32 = 1024;

fn path(parent: u64, function: FunctionIndex, return_pc: Pc) -> u64 {
    let site = u64::from(function.0) << 32 | u64::from(return_pc);
    (parent.rotate_left(23) ^ site).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1
}

/// Where the innermost function that is called by itself, directly or by way of others, was called so.
fn recursion(warp: &Warp, split: &Split) -> Site {
    let chain =
        |from| std::iter::successors(Some(from), |&id| warp.frame(id).parent).map(|id| warp.frame(id));
    let again = |frame: &&Frame| {
        let above = frame.parent.map(chain).into_iter().flatten();
        above.into_iter().any(|other| other.function == frame.function)
    };
    chain(split.frame).find(again).map_or(Site(0), |frame| Site(frame.source.0))
}

pub fn call(
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
                let registers = &warp.frame(split.frame).registers;
                defects::undefined_decision(
                    m.unit,
                    warp.index,
                    site,
                    registers,
                    Register::Pair(pair),
                    poison,
                );
            }
            let Some(function) = m.cx.program.function_at(first) else {
                let mask = split.mask & same;
                report(
                    &mut m.unit.memory.findings,
                    FindingKind::OutOfBounds,
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
    // Copies of one call lead to the same barriers.
    let barriers = &m.cx.program.function(parent.function).barriers;
    let at = (barriers.iter().find(|call| call.pc == split.pc))
        .map_or(split.pc, |call| barriers[usize::from(call.original)].pc);
    let path = path(parent.path, parent.function, at);
    let target = m.cx.program.function(function);
    if depth > MOST_CALLS {
        defects::overflow(m.unit, warp.index, site, recursion(warp, split), split.mask);
        warp.ready.push_front(*split);
        return Err(Stop::Faulted);
    }
    let local = if target.local_bytes > 0 {
        let (bytes, align) = (target.local_bytes, target.local_align);
        match m.unit.memory.push_local(warp.index as u16, split.mask, bytes, align, depth) {
            Ok(addresses) => addresses,
            Err(full) => {
                defects::overflow(m.unit, warp.index, site, recursion(warp, split), full);
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
        callee.registers.pass(Word(index as u16), &caller.registers, constants, argument, split.mask);
    }
    let caller = caller.function;
    if let Some(trace) = warp.loops.trace_of(split.mask) {
        trace.link(split.pc, caller, split.frame, split.mask, Link::Call { callee: child });
    }
    split.frame = child;
    split.pc = 0;
    Ok(())
}

pub fn ret(m: &mut Machine<'_, '_>, warp: &mut Warp, split: &mut Split) -> After {
    while warp.at_return_join(split) {
        match warp.arrive(split) {
            Some(whole) => *split = whole,
            None => return After::Parked,
        }
    }
    let frame = warp.frame(split.frame);
    let Some(parent) = frame.parent else {
        leave(m, warp, split);
        return After::Parked;
    };
    let function = m.cx.program.function(frame.function);
    let (return_pc, depth) = (frame.return_pc, frame.depth);
    let result_words = function.result_words.clone();
    let child = split.frame;
    let (callee, caller) = warp.two_frames(child, parent);
    let calling = m.cx.program.function(caller.function);
    if let Op::Call { results, .. } = calling.code[return_pc as usize - 1].op {
        for (from, &to) in result_words.zip(&calling.lists[results.range()]) {
            if to.is_some() {
                let none = &m.cx.constants[caller.function.0 as usize];
                caller.registers.pass(to, &callee.registers, none, Word(from), split.mask);
            }
        }
    }
    let (from, call) = (callee.function, (return_pc - 1, caller.function));
    if function.local_bytes > 0 || function.takes_stack {
        m.unit.memory.pop_local(warp.index as u16, split.mask, depth);
    }
    warp.leave_frame(child, split.mask);
    if let Some(at) = warp.loops.watch_of(split.mask) {
        let watch = &mut warp.loops.watches[at];
        if watch.frame == child {
            warp.loops.watches.swap_remove(at);
            // A loop that ends is none that waits; the one that calls it may be.
            let depth = warp.frame(parent).depth;
            warp.loops.suspicion.get_or_insert(depth);
        } else {
            watch.trace.link(call.0, call.1, parent, split.mask, Link::Return { callee: child, from });
        }
    }
    split.frame = parent;
    split.pc = return_pc;
    After::GoOn
}

/// The lanes of `split` leave the kernel.
pub fn leave(m: &mut Machine<'_, '_>, warp: &mut Warp, split: &Split) {
    warp.exit(split.mask, split.frame, split.join);
    settle_collectives(m, warp);
}
