//! Blocks that may affect each other.
//!
//! As many as the GPU would hold take turns, directly on memory and on one host thread, and new blocks enter
//! as others leave, in block order, and where there are clusters of several blocks, cluster by cluster and as wholes. Those that are there take their turns in the order of the schedule:
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

use super::{Collected, Request, clusters::Clusters, order::First};

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
    let mut clusters = cx.has_clusters().then(Clusters::default);
    let mut next = 0u64;
    let (mut round, mut order, mut gone) = (0, Vec::new(), Vec::new());
    let mut retire = |block: Block, spare: &mut Vec<Unit>| {
        let number = block.number();
        let mut unit = block.into_unit();
        busiest_block_load_sectors = unit.memory.tally.load_sectors.max(busiest_block_load_sectors);
        let findings = std::mem::take(&mut unit.memory.findings);
        worst.absorb(unit.memory.tally.worst.as_deref_mut().map(std::mem::take).unwrap_or_default());
        finished.insert(number, (findings, std::mem::take(&mut unit.printf)));
        spare.push(unit);
    };
    'launch: loop {
        let together = u64::from(cx.tiling.blocks());
        let left = clusters.as_ref().map_or(0, Clusters::left);
        let mut room = resident.saturating_sub((running.len() + left) as u64);
        room -= room % together;
        while room > 0 && next < blocks {
            room -= 1;
            let unit = spare.pop().unwrap_or_else(|| Unit::new(cx));
            match Block::new(cx, unit, &mut global, cx.tiling.nth(next as u32), u64::MAX) {
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
                let is_left_out = cx.schedule.leaves_block_out(running[index].number(), round);
                left_out |= is_left_out;
                if is_left_out != (turn == Turns::OfThoseLeftOut) {
                    continue;
                }
                if let Some(clusters) = &mut clusters {
                    clusters.change_hands(cx, &mut global, &mut running, index);
                }
                let block = &mut running[index];
                let before = block.unit.cost();
                let changes = block.unit.memory.changes();
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
                let changed = block.unit.memory.changes() != changes;
                remaining = remaining.saturating_sub(block.unit.cost() - before);
                match turn {
                    Ok(Turn::Progress) => progress = true,
                    Ok(Turn::Stuck) => {}
                    Ok(Turn::Finished) => {
                        progress = true;
                        block.unit.memory.leave_visitors();
                        block.unit.memory.end();
                        gone.push(index);
                        helped.extend(block.unit.helped.take().map(|wait| (block.number(), wait)));
                    }
                    Err(stop) => {
                        collected.stop = Some(match stop {
                            Stop::Endless | Stop::Budget => {
                                let ended = next - running_blocks + gone.len() as u64;
                                block.report_unfinished(cx, request.budget, ended)
                            }
                            stop => stop,
                        });
                        break 'launch;
                    }
                }
                if let Some(clusters) = &mut clusters {
                    clusters.change_hands(cx, &mut global, &mut running, index);
                    if let Global::Direct(memory) = &mut global
                        && changed
                    {
                        // Others of the cluster may look at it.
                        memory.note_change();
                    }
                }
            }
        }
        round += 1;
        gone.sort_unstable();
        for &index in gone.iter().rev() {
            let block = running.remove(index);
            match &mut clusters {
                None => retire(block, &mut spare),
                Some(clusters) => {
                    clusters
                        .leave(cx, &running, block)
                        .into_iter()
                        .for_each(|block| retire(block, &mut spare));
                }
            }
        }
        if let Some(clusters) = &mut clusters {
            progress |= clusters.meet(cx, &mut global, &mut running, lines);
        }
        if progress {
            continue;
        }
        let mut released = cx.has_clusters() && running.iter_mut().any(|block| block.let_leavers_go(cx));
        if !released {
            released = running.iter_mut().any(|block| block.force_collective(cx, &mut global, lines, true));
        }
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
            // Who waits for others of its cluster has no part in it, where somebody waits for something else.
            let waits = running.iter().position(|block| !block.waits_for_cluster()).unwrap_or(0);
            running[waits].report_deadlock(cx, blocks - next, request.resident);
            collected.stop = Some(Stop::Deadlock);
            break;
        }
    }
    for block in running.into_iter().chain(clusters.map(Clusters::into_left).into_iter().flatten()) {
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
