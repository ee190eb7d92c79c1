//! Blocks that may affect each other.
//!
//! As many as the GPU would hold take turns, directly on memory and on one host thread, and new blocks enter
//! as others leave, in block order. Those that are there take their turns in the order of the schedule:
//! usually the youngest first.

use std::collections::BTreeMap;

use crate::{
    counters::Counters,
    exec::{
        block::{Block, Turn},
        context::{Context, Helped, Stop, Unit},
        dispatch::Runner,
    },
    findings::Findings,
    footprint::Footprint,
    memory::{Global, GlobalMemory, Patterns, WorstRequests},
};

use super::{Collected, Request, order::First};

/// Who has a turn.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Turns {
    /// Whom the schedule does not leave out.
    OfSchedule,
    /// The others, where nobody else could run.
    OfThoseLeftOut,
}

/// Turns that a block has before another's where each is to come as far as it can: some loops wait
/// without ever standing still.
const TURNS_ALONE: u32 = 256;

/// Runs all blocks. Gives the blocks that waited for another block, which ended the wait, and how that was:
/// only those that had drawn no ticket before.
pub(super) fn run(
    cx: &Context<'_>,
    memory: &mut GlobalMemory,
    request: Request<'_>,
    lines: &mut [Counters],
    collected: &mut Collected,
) -> Vec<(u32, Helped)> {
    let runner = Runner::best();
    let blocks = cx.blocks();
    let resident = u64::from(request.resident.max(1)).min(blocks);
    let mut global = Global::Direct(memory);
    let mut remaining = request.budget;
    let mut running: Vec<Block> = Vec::new();
    let mut finished: BTreeMap<u32, (Findings, Vec<u8>)> = BTreeMap::new();
    let mut helped: Vec<(u32, Helped)> = Vec::new();
    let mut spare: Vec<Unit> = Vec::new();
    let mut patterns = Patterns::default();
    let mut busiest_block_load_sectors = 0;
    let mut worst = WorstRequests::default();
    let mut next = 0u64;
    let (mut round, mut order, mut gone) = (0, Vec::new(), Vec::new());
    let mut retire = |block: Block, spare: &mut Vec<Unit>| {
        let number = block.number();
        let mut unit = block.into_unit();
        busiest_block_load_sectors = unit.memory.load_sectors.max(busiest_block_load_sectors);
        let findings = std::mem::take(&mut unit.memory.findings);
        worst.absorb(unit.memory.worst.as_deref_mut().map(std::mem::take).unwrap_or_default());
        finished.insert(number, (findings, std::mem::take(&mut unit.printf)));
        spare.push(unit);
    };
    'launch: loop {
        while (running.len() as u64) < resident && next < blocks {
            let unit = spare.pop().unwrap_or_else(|| Unit::new(cx));
            match Block::new(cx, unit, &mut global, next as u32, u64::MAX) {
                Ok(block) => running.push(block),
                Err(block) => {
                    retire(*block, &mut spare);
                    collected.stop = Some(Stop::Faulted);
                    break 'launch;
                }
            }
            next += 1;
        }
        if running.is_empty() {
            break;
        }
        let mut progress = false;
        match request.alone {
            None => cx.schedule.blocks(running.len(), round, &mut order),
            Some(first) => {
                order.clear();
                order.extend(0..running.len());
                if first == First::Youngest {
                    order.reverse();
                }
            }
        }
        gone.clear();
        let mut left_out = false;
        for turn in [Turns::OfSchedule, Turns::OfThoseLeftOut] {
            if turn == Turns::OfThoseLeftOut && (progress || !left_out) {
                break;
            }
            // Those that left in this very round are still among them.
            let running_blocks = running.len() as u64;
            for &index in &order {
                let block = &mut running[index];
                let is_left_out = cx.schedule.leaves_block_out(block.number(), round);
                left_out |= is_left_out;
                if is_left_out != (turn == Turns::OfThoseLeftOut) {
                    continue;
                }
                let before = block.unit.cost();
                block.unit.limit = block.unit.issued.saturating_add(remaining);
                block.unit.memory.swap_patterns(&mut patterns);
                let mut turn = block.turn(cx, &mut global, lines, runner);
                if request.alone.is_some() {
                    for _ in 1..TURNS_ALONE {
                        if turn != Ok(Turn::Progress) {
                            break;
                        }
                        progress = true;
                        turn = block.turn(cx, &mut global, lines, runner);
                    }
                }
                block.unit.memory.swap_patterns(&mut patterns);
                remaining = remaining.saturating_sub(block.unit.cost() - before);
                match turn {
                    Ok(Turn::Progress) => progress = true,
                    Ok(Turn::Stuck) => {}
                    Ok(Turn::Finished) => {
                        progress = true;
                        block.unit.memory.end();
                        gone.push(index);
                        helped.extend(block.unit.helped.take().map(|wait| (block.number(), wait)));
                    }
                    Err(stop) => {
                        if stop == Stop::Budget {
                            block.report_unfinished(
                                cx,
                                request.budget,
                                next - running_blocks + gone.len() as u64,
                            );
                        }
                        collected.stop = Some(stop);
                        break 'launch;
                    }
                }
            }
        }
        round += 1;
        gone.sort_unstable();
        for &index in gone.iter().rev() {
            retire(running.remove(index), &mut spare);
        }
        if progress {
            continue;
        }
        let mut released =
            running.iter_mut().any(|block| block.force_collective(cx, &mut global, lines, true));
        if !released {
            for block in &mut running {
                released |= block.release_joins();
            }
        }
        if !released {
            for block in &mut running {
                released |= block.expire(cx, &global);
            }
        }
        if !released {
            released = running.iter_mut().any(|block| block.force_collective(cx, &mut global, lines, false));
        }
        if !released {
            running[0].report_deadlock(cx, blocks - next, request.resident);
            collected.stop = Some(Stop::Deadlock);
            break;
        }
    }
    for block in running {
        retire(block, &mut spare);
    }
    collected.busiest_block_load_sectors = busiest_block_load_sectors;
    collected.worst = worst;
    if request.measures {
        let held =
            spare.iter().map(|unit| unit.memory.footprint()).fold(global.get().footprint(), Footprint::plus);
        collected.footprint = held;
    }
    helped.retain(|(_, wait)| {
        let drawn = |&word: &u64| global.get().changer(word).is_some_and(|changer| changer.several);
        !wait.tickets.iter().any(drawn)
    });
    for (mut findings, printf) in finished.into_values() {
        collected.findings.absorb(&mut findings);
        collected.print(&printf);
    }
    helped
}
