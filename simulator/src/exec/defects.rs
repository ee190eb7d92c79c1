//! The findings that executing instructions makes, apart from those about memory.

use crate::{
    exec::{
        barrier::{LaneId, Skipped},
        call::MOST_CALLS,
        context::{Unit, report, site, threads},
        registers::Registers,
        undefined::{OriginId, Register},
    },
    finding::{FindingKind, Severity},
    findings::{Decides, Findings, ThreadId},
    ir::Op,
    memory::Site,
};

/// What a register holds decides what lanes execute, and is undefined in them.
#[cold]
#[inline(never)]
pub fn undefined_decision(
    unit: &mut Unit,
    warp: u32,
    at: Site,
    registers: &Registers,
    register: Register,
    lanes: u32,
) {
    let (block, findings) = (unit.block, &mut unit.memory.findings);
    let values = crate::memory::lanes(lanes).map(|lane| {
        (ThreadId { block, thread: warp * 32 + lane as u32 }, registers.undefined(register, lane))
    });
    unit.origins.report(findings, Decides::Path, at, values);
}

/// An indexed branch by an index that its table of targets lacks.
#[cold]
#[inline(never)]
pub fn beyond_table(unit: &mut Unit, warp: u32, at: Site, lane: usize, index: u32, entries: usize) {
    report(
        &mut unit.memory.findings,
        FindingKind::OutOfBounds,
        Severity::Error,
        at,
        Site(0),
        vec![ThreadId { block: unit.block, thread: warp * 32 + lane as u32 }],
        1,
        format!(
            "Lane {lane} branches by index {index} of a table of {entries} targets: where to is undefined. Compare the index \
             with the table's length first."
        ),
    );
}

#[cold]
#[inline(never)]
#[expect(clippy::too_many_arguments, reason = "a finding has that many sides")]
pub fn absent_source(
    unit: &mut Unit,
    warp: u32,
    at: Site,
    lane: u32,
    from: u32,
    lanes: u32,
    named: u32,
    live: u32,
) -> OriginId {
    let why = if named >> from & 1 == 0 {
        "its mask does not name"
    } else if live >> from & 1 == 0 {
        "has left the kernel or does not exist in"
    } else {
        "does not take part in"
    };
    let message = if named >> from & 1 == 0 {
        format!(
            "Lane {lane} reads from lane {from}, which {why}. What it gets is undefined and must not be used: name every lane that is read from, or \
             limit the shuffle with its width argument."
        )
    } else {
        format!(
            "Lane {lane} reads from lane {from}, which {why} this shuffle. What it gets is undefined: use it only where \
             the source lane takes part."
        )
    };
    report(
        &mut unit.memory.findings,
        FindingKind::InvalidMask,
        // What is made of it says whether it matters: a value that is dropped, as in a sum over fewer lanes
        // than the mask could hold, does no harm. Using it is an error of its own.
        Severity::Note,
        at,
        Site(0),
        vec![
            ThreadId { block: unit.block, thread: warp * 32 + lane },
            ThreadId { block: unit.block, thread: warp * 32 + from },
        ],
        u64::from(lanes.count_ones()),
        message,
    );
    unit.origins.shuffle(at)
}

/// A warp-wide operation that `here` execute names lanes that have left the kernel.
#[cold]
#[inline(never)]
pub fn gone_lanes(unit: &mut Unit, warp: u32, at: Site, op: &Op, here: u32, gone: u32, met_others: u32) {
    let skipped = gone & met_others;
    // The remark is made of the first in each block, the warning of each.
    let known = |&(site, warned): &(Site, bool)| warned == (skipped != 0) && (!warned || site == at);
    if unit.named_gone.iter().any(known) {
        return;
    }
    unit.named_gone.push((at, skipped != 0));
    let named = if skipped != 0 { skipped } else { gone };
    let (lane, first) = (named.trailing_zeros(), here & here.wrapping_neg());
    let this = match op {
        Op::WarpSync { .. } => "`__syncwarp()`",
        Op::Shuffle { .. } => "shuffle",
        Op::Vote { .. } => "vote",
        _ => "warp-wide operation",
    };
    let message = if skipped != 0 {
        format!(
            "The mask of this {this} names lane {lane}, which worked with the other lanes before and left the kernel, by a \
             `return` or at its end, without coming here. Today's hardware goes on without it, but the mask is to name the lanes that execute it together: compute it \
             with `__ballot_sync` before the branch, or move the {this} out of it."
        )
    } else {
        format!(
            "The mask of this {this} names lane {lane}, which left the kernel before it worked with any other lane. CUDA \
             allows that. If such lanes should ever stay and go elsewhere, name only those that get here."
        )
    };
    report(
        &mut unit.memory.findings,
        FindingKind::InvalidMask,
        if skipped != 0 { Severity::Warning } else { Severity::Note },
        at,
        // They left at the closing brace, which says nothing.
        Site(0),
        threads(unit.block, warp, first | named & named.wrapping_neg()),
        u64::from(named.count_ones()),
        message,
    );
}

/// Threads that meet at a barrier in different rounds of the loop around it.
#[cold]
#[inline(never)]
pub fn other_round(unit: &mut Unit, skipped: Skipped) {
    left_out(
        unit,
        skipped,
        "Threads of the block meet at this barrier in different rounds of the loop around it: some left it out in a round in which \
         others waited here. `__syncthreads()` may stand behind a condition only if all threads of the block decide it alike: \
         move it out of the branch.",
    );
}

#[cold]
#[inline(never)]
pub fn skipped_barrier(unit: &mut Unit, skipped: Skipped) {
    if skipped.of_cluster {
        unit.cluster.report();
        left_out(
            unit,
            skipped,
            "Some threads wait at this barrier of the cluster while others of their block have run past it without reaching it. \
             `cluster.sync()` must be reached by every thread of every block of the cluster, the same number of times: move it out of the \
             branch or loop.",
        );
        return;
    }
    left_out(
        unit,
        skipped,
        "Some threads of the block wait at this barrier while others have run past it without reaching it. `__syncthreads()` \
         must be reached by every thread of the block, the same number of times: move it out of the branch or loop.",
    );
}

fn left_out(unit: &mut Unit, skipped: Skipped, message: &'static str) {
    let thread = |lane: LaneId| ThreadId { block: unit.block, thread: lane.warp * 32 + lane.lane };
    let list = vec![thread(skipped.waits), thread(skipped.skipped)];
    report(
        &mut unit.memory.findings,
        FindingKind::BarrierDivergence,
        Severity::Error,
        site(skipped.barrier),
        site(skipped.past),
        list,
        1,
        message,
    );
}

/// For a block that waited for another and was numbered by `blockIdx`.
pub fn launch_order(findings: &mut Findings, block: u32, at: Site) {
    report(
        findings,
        FindingKind::Deadlock,
        Severity::Warning,
        at,
        Site(0),
        vec![ThreadId { block, thread: 0 }],
        1,
        "This loop waits for another block, which works only if that block is running already: CUDA promises no order in \
         which blocks start, and a GPU holds only some of them at once. Draw the block's number from a counter \
         (`atomicAdd`) instead of using `blockIdx`, and wait only for lower numbers.",
    );
}

/// For a block that waited for one that started later, in a launch whose blocks all fit: a remark, for that is
/// what a barrier of all blocks does, and it ends.
pub fn all_at_once(findings: &mut Findings, block: u32, at: Site, blocks: u64) {
    report(
        findings,
        FindingKind::Deadlock,
        Severity::Note,
        at,
        Site(0),
        vec![ThreadId { block, thread: 0 }],
        1,
        format!(
            "This loop waits for a block that starts later, which works only while the GPU holds all {blocks} blocks at once: with more \
             blocks, or on a smaller GPU, it never ends. Only a cooperative launch promises that (`grid.sync()`); otherwise let blocks \
             wait only for those that drew a lower number from a counter (`atomicAdd`), or split the work into two launches."
        ),
    );
}

#[cold]
#[inline(never)]
pub fn overflow(unit: &mut Unit, warp: u32, at: Site, recursion: Site, lanes: u32) {
    report(
        &mut unit.memory.findings,
        FindingKind::StackOverflow,
        Severity::Error,
        at,
        if recursion == at { Site(0) } else { recursion },
        threads(unit.block, warp, lanes),
        u64::from(lanes.count_ones()),
        format!(
            "Calls are nested too deeply: more than {MOST_CALLS} calls, or more than 512 KiB of local variables in one thread. \
             Does the recursion end for every input? Write it as a loop, or bound its depth."
        ),
    );
}

#[cold]
#[inline(never)]
pub fn taken_too_much(unit: &mut Unit, warp: u32, at: Site, lanes: u32) {
    report(
        &mut unit.memory.findings,
        FindingKind::StackOverflow,
        Severity::Error,
        at,
        Site(0),
        threads(unit.block, warp, lanes),
        u64::from(lanes.count_ones()),
        "`alloca` finds no room: local variables and what was taken before come to more than 512 KiB in one thread. What `alloca` \
         gives is handed back only when the function returns: take it ahead of the loop, or use an array of fixed size.",
    );
}
