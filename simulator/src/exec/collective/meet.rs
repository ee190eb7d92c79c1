//! Where lanes meet for a warp-wide operation: who is missing, who came with which mask,
//! and when it is executed.
//!
//! A lane that is named and never comes is an error, with one exception: CUDA asks only lanes that have not
//! left the kernel to come, and so does the hardware. Two kinds of code make use of that,
//! and compilers write the same branch for both: `if (i >= n) return;` ahead of the warp's work, and a
//! `__syncwarp()` or a vote in a branch or loop that some lanes leave out, with nothing behind it. What tells
//! them apart is what the lane did before. One that left before it met any other at a barrier or warp-wide
//! operation never was of the party: that is a note. One that had met others and then went without them has
//! skipped the operation, like a thread that leaves before a `__syncthreads()`: that is a warning. A lane whose
//! first such meeting would have been the skipped one counts as having left early. Lanes that have left a loop
//! wait behind it for those in it; where nothing is behind it, they leave ([`let_leavers_go`]), and where
//! there is, they have skipped what is in the loop. What a shuffle reads from a lane that left is undefined,
//! and using it is an error of its own.

use crate::{
    exec::{
        collective::{Offered, hands_over, mask_operand},
        context::{Context, report, site, threads},
        defects,
        machine::{After, Machine, source_of},
        matrix::{self, Held},
        registers::Registers,
        warp::{Frame, Split, Wait, Warp},
    },
    finding::{FindingKind, Severity},
    ir::{Constants, FULL, Guard, LANES, Matrix, Op, Pc},
    memory::{Site, lanes},
};

/// The lanes that a warp-wide operation names; of lanes that name different ones, what the first lane names.
/// The forms without a mask name whoever executes them.
#[inline(always)]
pub fn named_lanes(op: &Op, registers: &Registers, constants: &Constants, mask: u32) -> u32 {
    if let Op::Matrix(_) | Op::Warpgroup(_) = op {
        return FULL;
    }
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

/// Of lanes that execute a warp-wide operation together, those that meet others there.
#[inline(always)]
pub fn meeting(op: &Op, part: u32) -> u32 {
    let alone = part & part.wrapping_sub(1) == 0;
    if alone || matches!(op, Op::ActiveMask { .. }) { 0 } else { part }
}

/// Lanes arrive at a warp-wide operation for which others are missing, or with masks that need a closer look.
pub fn collective(
    m: &mut Machine<'_, '_>,
    warp: &mut Warp,
    split: &mut Split,
    mask: u32,
    site: Site,
) -> After {
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
    let everyone = lanes(mask).fold(0, |all, lane| all | names[lane]) & warp.live();
    if let Some(at) = warp.loops.watch_of(split.mask) {
        // Lanes that do not go round with these may bring something new each time.
        let watch = &mut warp.loops.watches[at];
        watch.trace.broken |= everyone & !watch.mask != 0;
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
            FindingKind::InvalidMask,
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
    let mut at = 0;
    while at < warp.waiting.len() {
        let split = warp.waiting[at];
        if let Wait::Collective { named } = split.wait
            && missing(m.cx, warp, &split, named) == 0
        {
            perform(m, warp, &split, named);
            at = 0;
            continue;
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

/// The lanes that the warp-wide operation of `split` still waits for.
pub fn missing(cx: &Context<'_>, warp: &Warp, split: &Split, named: u32) -> u32 {
    named & warp.live() & !group_of(cx, warp, split, named)
}

/// Lets lanes leave the kernel that wait behind a loop only to do that, where others wait for them at a
/// warp-wide operation. True when there were any.
pub fn let_leavers_go(cx: &Context<'_>, warp: &mut Warp) -> bool {
    let missed = (warp.waiting.iter()).fold(0, |lanes, split| match split.wait {
        Wait::Collective { named } => lanes | missing(cx, warp, split, named),
        _ => lanes,
    });
    missed != 0
        && warp.release_joins_where(|frame, pc, lanes| {
            let next = &cx.program.function(frame.function).code[pc as usize];
            frame.parent.is_none()
                && lanes & missed != 0
                && next.guard == Guard::ALWAYS
                && matches!(next.op, Op::Return | Op::Exit)
        })
}

/// True when two splits wait at warp-wide operations that are one: the same instruction by the same path,
/// or any two `__syncwarp()`.
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
    let met_before = warp.met_others;
    warp.met_others |= meeting(&op, part);
    let gone = named & warp.exited;
    if gone != 0 && !matches!(op, Op::Matrix(_) | Op::Warpgroup(_)) {
        let at = site(source_of(m.cx, warp, split));
        defects::gone_lanes(m.unit, warp.index, at, &op, part, gone, met_before);
    }
    if let Op::WarpSync { .. } = op {
        m.unit.memory.sync_warp(m.global, warp.index as u16, part);
    } else if let Op::Matrix(ref operation) = op {
        perform_on_matrices(m, warp, operation, &parts);
    } else if let Op::Warpgroup(operation) = op {
        let at = site(source_of(m.cx, warp, split));
        if part != FULL {
            matrix::incomplete(m, warp.index, at, part);
        }
        matrix::group::order(m, warp, operation, at);
    } else {
        let source = source_of(m.cx, warp, split);
        m.lines[source.0 as usize].exchange_requests += u64::from(hands_over(&op));
        let mut offered = Offered::default();
        for split in &parts {
            let frame = warp.frame(split.frame);
            offered.gather(&op, &frame.registers, &m.cx.constants[frame.function.0 as usize], split.mask);
        }
        m.unit.origins.use_marks(&mut m.unit.memory.findings, offered.undefined());
        let mut given = offered.exchange(&op, part);
        if let Some((lane, from)) = given.absent {
            let live = warp.live();
            given.blame(defects::absent_source(
                m.unit,
                warp.index,
                site(source),
                lane,
                from,
                given.absent_lanes,
                named,
                live,
            ));
        }
        for split in &parts {
            given.scatter(&op, &mut warp.frame_mut(split.frame).registers, split.mask);
        }
    }
    for split in parts {
        warp.resume(Split { pc: split.pc + 1, ..split });
    }
}

/// Executes an operation on matrices whose lanes come in parts.
fn perform_on_matrices(m: &mut Machine<'_, '_>, warp: &mut Warp, operation: &Matrix, parts: &[Split]) {
    let source = source_of(m.cx, warp, &parts[0]);
    let function = warp.frame(parts[0].frame).function;
    let lists = &m.cx.program.function(function).lists;
    let constants = &m.cx.constants[function.0 as usize];
    let mut held = Held::new();
    for split in parts {
        held.gather(operation, lists, &warp.frame(split.frame).registers, constants, split.mask);
    }
    let here = parts.iter().fold(0, |mask, split| mask | split.mask);
    match matrix::execute(m, warp.index, here, source, operation, &held) {
        Ok((given, _)) => {
            for split in parts {
                given.scatter(operation, lists, &mut warp.frame_mut(split.frame).registers, split.mask);
            }
        }
        Err(stop) => warp.stop = Some(stop),
    }
}
