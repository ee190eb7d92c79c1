//! Waiting at a block-wide barrier, and going on from it.

use crate::{
    exec::{
        barrier::{Arrival, SiteKey, cluster},
        context::{Context, Stop},
        defects,
        machine::{After, Machine},
        undefined::Register,
        warp::{Split, Wait, Warp},
    },
    ir::{BarrierKind, FULL, LANES, Op, Predicate, SourceIndex, Word},
    memory::Site,
};

pub fn barrier(
    m: &mut Machine<'_, '_>,
    warp: &mut Warp,
    split: &mut Split,
    mask: u32,
    site: Site,
) -> Result<After, Stop> {
    let frame = warp.frame(split.frame);
    let function = m.cx.program.function(frame.function);
    let constants = &m.cx.constants[frame.function.0 as usize];
    let Op::Barrier { kind, id, count, predicate, negated, .. } = function.code[split.pc as usize].op else {
        unreachable!("the event was raised by a barrier")
    };
    match kind {
        BarrierKind::ClusterArrive { relaxed } => {
            cluster::arrive(m, warp, mask, site, relaxed);
            warp.met_others |= mask;
            split.pc += 1;
            return Ok(After::GoOn);
        }
        BarrierKind::ClusterWait => return Ok(cluster::wait(m, warp, split, mask, site)),
        _ => {}
    }
    let lane = mask.trailing_zeros() as usize;
    let id = (frame.registers.word(constants, id)[lane] & 15) as u8;
    let count = if count.is_some() { frame.registers.word(constants, count)[lane] } else { 0 };
    let mut truth = 0;
    if predicate.is_some() {
        let value = frame.registers.predicate(predicate);
        truth = if negated { !value } else { value } & mask;
        let poison = frame.registers.predicate_poison(predicate) & mask;
        if poison != 0 {
            let decides = Register::Predicate(predicate);
            defects::undefined_decision(m.unit, warp.index, site, &frame.registers, decides, poison);
        }
    }
    warp.met_others |= mask;
    let rest = split.mask & !mask;
    if kind == BarrierKind::Arrive {
        m.unit.barriers.arrive(Arrival { id, count, warp: warp.index, mask, waits: false });
        m.unit.memory.arrive(m.global, id, warp.index as u16, mask);
        split.pc += 1;
        return Ok(After::GoOn);
    }
    let mut key = None;
    if count != 0 {
        m.unit.barriers.arrive(Arrival { id, count, warp: warp.index, mask, waits: true });
    } else {
        let keys = site_keys(m.cx, warp, split);
        for (nth, at) in keys.into_iter().enumerate() {
            let (id, skipped) = m.unit.barriers.wait(at, SourceIndex(site.0), warp.index, mask);
            if nth == 0 {
                key = Some(id);
            }
            if let Some(skipped) = skipped {
                defects::skipped_barrier(m.unit, skipped);
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

/// The barrier that `split` stands at, and the calls that lead to it.
pub fn site_keys(cx: &Context<'_>, warp: &Warp, split: &Split) -> Vec<SiteKey> {
    let frame = warp.frame(split.frame);
    let mut keys = Vec::new();
    if let Op::Barrier { site, .. } = cx.program.function(frame.function).code[split.pc as usize].op {
        keys.push(SiteKey { function: frame.function, site, path: frame.path });
    }
    keys.extend(call_sites(cx, warp, split));
    keys
}

/// The calls that lead to where `split` stands, as barriers of their callers: who leaves out the call
/// leaves out the barriers in it.
pub(super) fn call_sites(cx: &Context<'_>, warp: &Warp, split: &Split) -> Vec<SiteKey> {
    let mut sites = Vec::new();
    let mut frame = warp.frame(split.frame);
    while let Some(parent) = frame.parent {
        let call = frame.return_pc - 1;
        frame = warp.frame(parent);
        let barriers = &cx.program.function(frame.function).barriers;
        if let Some(site) = barriers.iter().find(|barrier| barrier.pc == call).map(|barrier| barrier.original)
        {
            sites.push(SiteKey { function: frame.function, site, path: frame.path });
        }
    }
    sites
}

/// A barrier has completed for the splits of this warp that wait there with some of these lanes: they get
/// their results and go on.
pub fn release_barrier(
    m: &mut Machine<'_, '_>,
    warp: &mut Warp,
    id: u8,
    lanes: u32,
    outcome: &BarrierOutcome,
) {
    let mut index = 0;
    while index < warp.waiting.len() {
        let split = warp.waiting[index];
        let Wait::Barrier { id: waits, key, .. } = split.wait else {
            index += 1;
            continue;
        };
        if waits != id || split.mask & lanes == 0 {
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
                BarrierKind::Sync
                | BarrierKind::Arrive
                | BarrierKind::ClusterArrive { .. }
                | BarrierKind::ClusterWait => {}
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
