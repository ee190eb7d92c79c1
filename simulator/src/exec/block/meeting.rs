//! Completing block-wide barriers: when enough have come, who goes on, and whether all of
//! them met at the same one.

use crate::{
    counters::Counters,
    exec::{
        barrier::{
            Arrival, SiteId,
            wait::{BarrierOutcome, release_barrier, site_keys},
        },
        block::Block,
        context::{Context, report, site},
        defects,
        machine::{Machine, source_of},
        warp::{Split, Wait, Warp},
    },
    finding::{FindingKind, Severity},
    findings::ThreadId,
    ir::SourceIndex,
    memory::{Global, Site},
};

impl Block {
    /// Completes the barriers that everyone has reached.
    pub(super) fn settle_barriers(
        &mut self,
        cx: &Context<'_>,
        global: &mut Global<'_>,
        lines: &mut [Counters],
    ) -> bool {
        let mut ids = self.unit.barriers.counting();
        for warp in &self.warps {
            for split in &warp.waiting {
                if let Wait::Barrier { id, .. } = split.wait {
                    ids |= 1 << id;
                }
            }
        }
        let mut any = false;
        for id in (0..16u8).filter(|id| ids >> id & 1 == 1) {
            any |= self.settle_barrier(cx, global, lines, id);
        }
        any
    }

    fn waiting_at(warp: &Warp, id: u8) -> impl Iterator<Item = &Split> {
        warp.waiting
            .iter()
            .filter(move |split| matches!(split.wait, Wait::Barrier { id: waits, .. } if waits == id))
    }

    fn settle_barrier(
        &mut self,
        cx: &Context<'_>,
        global: &mut Global<'_>,
        lines: &mut [Counters],
        id: u8,
    ) -> bool {
        if self.unit.barriers.counting() >> id & 1 == 1 {
            self.count_all_waiting(cx, id);
            return self.settle_counted(cx, global, lines, id);
        }
        let waiting: u32 = (self.warps.iter())
            .flat_map(|warp| Self::waiting_at(warp, id))
            .map(|split| split.mask.count_ones())
            .sum();
        if waiting != self.warps.iter().map(|warp| warp.live().count_ones()).sum::<u32>() {
            return false;
        }
        let version = self.unit.version(global);
        if self.standstill.is_reached(version, &self.warps, &self.unit.memory) {
            // They wait on for a change of memory.
            self.repeats_at = Some(version);
            return false;
        }
        self.repeats_at = None;
        self.check_meeting(cx, id);
        self.unit.memory.barrier(global);
        self.release(cx, global, lines, id, |_| u32::MAX);
        true
    }

    /// Somebody gives the barrier a number of threads: who waits there without one counts to the whole block.
    fn count_all_waiting(&mut self, cx: &Context<'_>, id: u8) {
        for warp in &self.warps {
            for split in Self::waiting_at(warp, id) {
                if matches!(split.wait, Wait::Barrier { count: 0, .. }) {
                    self.unit.barriers.arrive_once(Arrival {
                        id,
                        count: cx.threads(),
                        warp: warp.index,
                        mask: split.mask,
                        waits: true,
                    });
                }
            }
        }
    }

    /// The same for a barrier that counts: round by round, those who came first.
    fn settle_counted(
        &mut self,
        cx: &Context<'_>,
        global: &mut Global<'_>,
        lines: &mut [Counters],
        id: u8,
    ) -> bool {
        let mut any = false;
        loop {
            let warps = &self.warps;
            let gone = |warp: u32| !warps[warp as usize].live();
            let Some(round) = self.unit.barriers.take_round(id, gone) else { return any };
            any = true;
            let participants: Vec<(u16, u32, u32)> = (round.iter())
                .map(|arrival| {
                    let waiting = if arrival.waits { arrival.mask } else { 0 };
                    (arrival.warp as u16, arrival.mask, waiting)
                })
                .collect();
            let announced = round.iter().filter(|arrival| !arrival.waits).count();
            self.unit.memory.note_count(id, round.iter().map(|arrival| arrival.count).max().unwrap_or(0));
            self.unit.memory.barrier_among(global, id, &participants, announced);
            self.release(cx, global, lines, id, |warp| {
                (round.iter())
                    .filter(|arrival| arrival.waits && arrival.warp == warp)
                    .fold(0, |lanes, arrival| lanes | arrival.mask)
            });
        }
    }

    /// Lets lanes (given by warp) that wait at a barrier go on.
    fn release(
        &mut self,
        cx: &Context<'_>,
        global: &mut Global<'_>,
        lines: &mut [Counters],
        id: u8,
        lanes: impl Fn(u32) -> u32,
    ) {
        let mut outcome = BarrierOutcome { count: 0, all: true, cycles: 0 };
        for warp in &self.warps {
            for split in Self::waiting_at(warp, id).filter(|split| split.mask & lanes(warp.index) != 0) {
                if let Wait::Barrier { predicate, .. } = split.wait {
                    outcome.count += predicate.count_ones();
                    outcome.all &= predicate == split.mask;
                    outcome.cycles = outcome.cycles.max(warp.cycles);
                }
            }
        }
        for warp in &mut self.warps {
            let mut machine = Machine { cx, unit: &mut self.unit, global, lines };
            let lanes = lanes(warp.index);
            release_barrier(&mut machine, warp, id, lanes, &outcome);
        }
    }

    /// All threads that are left have met at a barrier: was it the same one, and is anybody gone?
    fn check_meeting(&mut self, cx: &Context<'_>, id: u8) {
        let mut first: Option<(SiteId, SourceIndex, ThreadId)> = None;
        let mut second = None;
        let mut others = 0;
        for warp in &self.warps {
            for split in Self::waiting_at(warp, id) {
                let Wait::Barrier { key: Some(key), .. } = split.wait else { continue };
                let source = source_of(cx, warp, split);
                let thread = ThreadId {
                    block: self.unit.block,
                    thread: warp.index * 32 + split.mask.trailing_zeros(),
                };
                match first {
                    None => first = Some((key, source, thread)),
                    Some((at, ..)) if at == key => {}
                    Some(_) => {
                        second.get_or_insert((source, thread));
                        others += split.mask.count_ones();
                    }
                }
            }
        }
        let Some((key, source, thread)) = first else { return };
        if let Some((other, other_thread)) = second {
            report(
                &mut self.unit.memory.findings,
                FindingKind::BarrierDivergence,
                Severity::Error,
                site(source),
                site(other),
                vec![thread, other_thread],
                u64::from(others),
                "Threads of one block wait at different barriers. Each `__syncthreads()` must be reached by every thread of the \
                 block: two of them in the branches of an `if` are two barriers, not one. Put one barrier behind the branch.",
            );
        }
        let gone = self.warps.iter().map(|warp| warp.exited.count_ones()).sum::<u32>();
        if gone == 0 && !self.unit.barriers.any_choice() || second.is_some() {
            return;
        }
        // The barrier itself, and the calls that lead to it.
        let stands = |warp: &Warp| Self::waiting_at(warp, id).next().map(|split| site_keys(cx, warp, split));
        let keys = self.warps.iter().find_map(stands).unwrap_or_default();
        if let Some(skipped) = keys.iter().find_map(|&key| self.unit.barriers.other_round(key)) {
            defects::other_round(&mut self.unit, skipped);
        }
        if gone == 0 {
            return;
        }
        for &key in &keys {
            if let Some(skipped) = self.unit.barriers.left_loop(key, self.warps.iter().map(|w| w.exited)) {
                defects::skipped_barrier(&mut self.unit, skipped);
                break;
            }
        }
        if !keys.iter().any(|&key| self.unit.barriers.is_reported(key)) && self.unit.barriers.first_exit(key)
        {
            let absent = self.warps.iter().find(|warp| warp.exited != 0).map(|warp| ThreadId {
                block: self.unit.block,
                thread: warp.index * 32 + warp.exited.trailing_zeros(),
            });
            report(
                &mut self.unit.memory.findings,
                FindingKind::BarrierDivergence,
                Severity::Warning,
                site(source),
                // They left at the closing brace, which says nothing.
                Site(0),
                std::iter::once(thread).chain(absent).collect(),
                u64::from(gone),
                "Some threads of the block have left the kernel, by a `return` or at its end, before this barrier. Today's hardware goes on without them, but \
                 `__syncthreads()` is for all threads of the block: let them stay, and guard the work instead of returning.",
            );
        }
    }
}
