//! What changes who runs: divergence, joins, calls, barriers, exits. The inner loop is left for
//! it, and it is done here.

use crate::{
    exec::{
        barrier::wait::barrier,
        call::{call, leave, ret},
        collective::meet::collective,
        context::{Stop, site},
        defects,
        machine::{After, Machine, source_of},
        matrix, mbarrier,
        schedule::Side,
        spin::{back, joined, turn_over},
        undefined::Register,
        warp::{Split, Warp},
    },
    ir::{Callee, List, NO_JOIN, Pc, Warpgroup, Word},
    memory::{Site, lanes},
};

/// Why the inner loop was left.
pub(super) enum Event {
    /// The split stands at the join that it owes.
    Join,
    /// A branch whose lanes disagree: these lanes go to the target.
    Diverge { taken: u32, target: Pc, join: Pc },
    /// An indexed branch.
    Indexed { index: Word, targets: List, join: Pc, mask: u32 },
    /// A backward jump when the turn is over or the loop is watched.
    Back,
    /// An invitation to switch, as above; in other orders than the usual also behind
    /// what other threads can see.
    Sleep,
    /// A call by some lanes.
    Call { callee: Callee, arguments: List, results: List, mask: u32, site: Site },
    /// A return by some lanes.
    Return { mask: u32 },
    /// The end of some threads.
    Exit { mask: u32 },
    /// A block-wide barrier.
    Barrier { mask: u32, site: Site },
    /// A phase of an mbarrier that is over for no lane.
    Phase,
    /// What orders products in the background, by all lanes.
    Warpgroup { operation: Warpgroup, site: Site },
    /// A warp-wide operation for which not all the named lanes are here.
    Collective { mask: u32, site: Site },
    /// Lanes have executed the instruction by themselves; the others of the split have not yet.
    Part { part: u32 },
    /// The same at a store or an atomic: these lanes come to it later.
    Late { late: u32 },
    /// An end.
    Stop(Stop),
}

/// Does what an event asks for.
pub(super) fn handle(
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
            Some(whole) => {
                *split = whole;
                return Ok(joined(m, warp, split));
            }
            None => return Ok(After::Parked),
        },
        Event::Diverge { taken, target, join } => {
            split.pc += 1;
            let parts = warp.ready.len() + warp.waiting.len() + 1;
            let (schedule, block, issued) = (m.cx.schedule, m.unit.block, m.unit.issued);
            match schedule.stay_apart(parts, block, warp.index, issued) {
                None => warp.diverge(split, join, &[(taken, target)]),
                Some(first) => {
                    warp.part(split, &[(taken, target)]);
                    if first == Side::Taken
                        && let Some(other) = warp.ready.front_mut().filter(|other| other.mask == taken)
                    {
                        std::mem::swap(split, other);
                    }
                }
            }
        }
        Event::Indexed { index, targets, join, mask } => {
            let frame = warp.frame(split.frame);
            let function = m.cx.program.function(frame.function);
            let poison = frame.registers.word_poison(index) & mask;
            if poison != 0 {
                let at = site(source_of(m.cx, warp, split));
                let decides = Register::Word(index);
                defects::undefined_decision(m.unit, warp.index, at, &frame.registers, decides, poison);
            }
            let index = frame.registers.word(&m.cx.constants[frame.function.0 as usize], index);
            let table = &function.targets[targets.range()];
            let beyond = lanes(mask).find(|&lane| index[lane] as usize >= table.len());
            if let Some(lane) = beyond {
                let at = site(source_of(m.cx, warp, split));
                defects::beyond_table(m.unit, warp.index, at, lane, index[lane], table.len());
            }
            let mut sides: Vec<(u32, Pc)> = Vec::new();
            for lane in lanes(split.mask) {
                // Where to is undefined then; the last entry is as good as any.
                let entry = match mask >> lane & 1 {
                    1 => table.get(index[lane] as usize).or(table.last()).copied(),
                    _ => Some(split.pc + 1),
                };
                let Some(pc) = entry else { continue };
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
        Event::Sleep => return Ok(turn_over(m, warp, split, deadline)),
        Event::Call { callee, arguments, results, mask, site } => {
            let rest = split.mask & !mask;
            if rest != 0 {
                // A guarded call: the other lanes wait behind it.
                let next = split.pc + 1;
                warp.diverge(split, next, &[(rest, next)]);
            }
            call(m, warp, split, callee, arguments, results, site)?;
            if m.unit.issued >= (deadline + m.quantum()).min(m.unit.limit) {
                // Recursion may go on without any backward jump. A loop around the call
                // ends its turn at its head.
                warp.ready.push_back(*split);
                return Ok(After::Parked);
            }
        }
        Event::Return { mask } => {
            let rest = split.mask & !mask;
            if rest != 0 {
                let next = Split { mask: rest, pc: split.pc + 1, ..*split };
                if warp.frame(split.frame).parent.is_none() {
                    split.mask = mask;
                    leave(m, warp, split);
                    *split = next;
                    return Ok(After::GoOn);
                }
                warp.owe(split, NO_JOIN);
                warp.ready.push_front(Split { join: split.join, ..next });
                split.mask = mask;
            }
            return Ok(ret(m, warp, split));
        }
        Event::Exit { mask } => {
            let rest = split.mask & !mask;
            split.mask = mask;
            leave(m, warp, split);
            if rest == 0 {
                return Ok(After::Parked);
            }
            split.mask = rest;
            split.pc += 1;
        }
        Event::Phase => return Ok(mbarrier::ask_again(m, warp, split)),
        Event::Warpgroup { operation, site } => {
            matrix::group::order(m, warp, operation, site);
            split.pc += 1;
        }
        Event::Part { part } => {
            m.unit.memory.findings.part(site(source_of(m.cx, warp, split)));
            // They owe what they owed together, and meet again there, or where they wait for each other.
            warp.ready.push_back(Split { mask: split.mask & !part, ..*split });
            split.mask = part;
            split.pc += 1;
        }
        Event::Late { late } => {
            warp.ready.push_back(Split { mask: late, ..*split });
            split.mask &= !late;
            split.pc += 1;
            warp.diverged = true;
        }
        Event::Barrier { mask, site } => return barrier(m, warp, split, mask, site),
        Event::Collective { mask, site } => return Ok(collective(m, warp, split, mask, site)),
    }
    Ok(After::GoOn)
}
