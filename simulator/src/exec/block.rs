//! One running block: its warps in turn, its barriers, and what to do when nobody can run.

use crate::{
    counters::Counters,
    exec::{
        barrier::{
            Arrival, SiteId,
            wait::{BarrierOutcome, release_barrier, site_keys},
        },
        collective::meet::{group_of, missing, perform},
        context::{Context, Stop, Unit, report, site, threads},
        defects,
        dispatch::Runner,
        machine::{Machine, source_of},
        mbarrier,
        standstill::Standstill,
        warp::{Frame, Split, Wait, Warp},
    },
    finding::{Kind, Severity},
    findings::ThreadId,
    ir::{LANES, SourceIndex},
    memory::{Global, Site},
};

/// Loops seen to go round in vain before lanes parked in the same warp are let go: one of them may be whom the loop
/// waits for.
const PATIENCE: u32 = 8;

/// A block and its warps.
#[derive(Debug)]
pub struct Block {
    /// What its warps share.
    pub unit: Unit,
    warps: Vec<Warp>,
    /// Memory's version when it was last found stuck.
    stuck_at: Option<u64>,
    /// Waits for phases of mbarriers that were ended although the phase was not over, while memory was at this version.
    expired: (u32, u64),
    /// In which order its warps have their turns.
    order: Vec<usize>,
    /// Whether its rounds from barrier to barrier repeat.
    standstill: Standstill,
    /// Memory's version for which they do.
    repeats_at: Option<u64>,
}

/// How a turn ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// Something ran.
    Progress,
    /// Every thread waits, some for a change of memory.
    Stuck,
    /// All threads have left.
    Finished,
}

impl Block {
    /// Starts a block in a unit.
    pub fn new(
        cx: &Context<'_>,
        mut unit: Unit,
        global: &mut Global<'_>,
        number: u32,
        limit: u64,
    ) -> Result<Block, Box<Block>> {
        unit.begin(cx, global, number, limit);
        let entry = cx.program.function(cx.entry);
        let count = cx.threads();
        let mut warps = Vec::with_capacity(count.div_ceil(32) as usize);
        let mut overflow = false;
        for index in 0..count.div_ceil(32) {
            let mask = u32::MAX >> (32 - (count - index * 32).min(32));
            let registers = unit.registers(cx, cx.entry);
            let mut local = [0; LANES];
            if entry.local_bytes > 0 {
                match unit.memory.push_local(index as u16, mask, entry.local_bytes, entry.local_align, 0) {
                    Ok(addresses) => local = addresses,
                    Err(full) => {
                        let source = entry.code.first().map_or(SourceIndex::NONE, |first| first.source);
                        report(
                            &mut unit.memory.findings,
                            Kind::StackOverflow,
                            Severity::Error,
                            site(source),
                            Site(0),
                            threads(number, index, full),
                            u64::from(full.count_ones()),
                            "The kernel's local variables take more than the 512 KiB that a thread may have.",
                        );
                        overflow = true;
                    }
                }
            }
            let frame = Frame {
                function: cx.entry,
                registers,
                parent: None,
                return_pc: 0,
                lanes: mask,
                source: SourceIndex::NONE,
                path: 0,
                local,
                depth: 0,
            };
            warps.push(Warp::new(index, mask, frame));
        }
        let block = Block {
            unit,
            warps,
            stuck_at: None,
            expired: (0, 0),
            order: Vec::new(),
            standstill: Standstill::default(),
            repeats_at: None,
        };
        if overflow { Err(Box::new(block)) } else { Ok(block) }
    }

    /// Its number in the grid.
    pub fn number(&self) -> u32 {
        self.unit.block
    }

    /// Gives the unit back for the next block.
    pub fn into_unit(self) -> Unit {
        let mut unit = self.unit;
        for warp in self.warps {
            unit.recycle(warp.into_frames());
        }
        unit
    }

    fn version(&self, global: &Global<'_>) -> u64 {
        global.get().changes() + self.unit.memory.changes()
    }

    /// Gives every warp a turn.
    pub fn turn(
        &mut self,
        cx: &Context<'_>,
        global: &mut Global<'_>,
        lines: &mut [Counters],
        runner: Runner,
    ) -> Result<Turn, Stop> {
        let version = self.version(global);
        if self.stuck_at == Some(version) {
            return Ok(Turn::Stuck);
        }
        self.stuck_at = None;
        let turn = self.unit.turn;
        self.unit.turn += 1;
        let mut order = std::mem::take(&mut self.order);
        cx.schedule.warps(self.warps.len(), self.unit.block, turn, &mut order);
        let mut progress = false;
        let mut left_out = false;
        for &index in &order {
            if cx.schedule.leaves_warp_out(self.unit.block, index as u32, turn) {
                left_out = true;
            } else {
                progress |= self.turn_of(cx, global, lines, runner, index)?;
            }
        }
        if left_out && !progress {
            // Nobody else could run, so those who were left out must.
            for &index in &order {
                progress |= self.turn_of(cx, global, lines, runner, index)?;
            }
        }
        self.order = order;
        progress |= self.settle_barriers(cx, global, lines);
        if progress {
            return Ok(Turn::Progress);
        }
        if self.warps.iter().all(|warp| warp.live() == 0) {
            return Ok(Turn::Finished);
        }
        if self.spins() || self.repeats_at == Some(self.version(global)) {
            // Others may still change memory.
            self.stuck_at = Some(self.version(global));
            return Ok(Turn::Stuck);
        }
        if self.unstick(cx, global, lines) {
            return Ok(Turn::Progress);
        }
        self.report_deadlock(cx, 0, 0);
        Err(Stop::Deadlock)
    }

    /// Gives one warp a turn. True if anything ran.
    fn turn_of(
        &mut self,
        cx: &Context<'_>,
        global: &mut Global<'_>,
        lines: &mut [Counters],
        runner: Runner,
        index: usize,
    ) -> Result<bool, Stop> {
        let version = self.version(global);
        let warp = &mut self.warps[index];
        wake(cx, &mut self.unit, warp, global, version);
        let mut progress = false;
        if !warp.ready.is_empty() {
            progress = true;
            let first = cx.schedule.split(warp.ready.len(), self.unit.block, index as u32, self.unit.turn);
            warp.ready.rotate_left(first);
            let mut machine = Machine { cx, unit: &mut self.unit, global, lines };
            runner.run(&mut machine, warp)?;
            self.unit.own_changes += global.get().changes() + self.unit.memory.changes() - version;
        }
        if warp.fruitless >= PATIENCE && warp.has_parked() {
            progress |= warp.release_joins();
        }
        Ok(progress)
    }

    fn spins(&self) -> bool {
        self.warps
            .iter()
            .any(|warp| warp.waiting.iter().any(|split| matches!(split.wait, Wait::Change { .. })))
    }

    /// Lets lanes that are parked at joins go on. True when there were any.
    pub fn release_joins(&mut self) -> bool {
        self.stuck_at = None;
        self.warps.iter_mut().fold(false, |any, warp| warp.release_joins() | any)
    }

    /// Ends the wait of a warp-wide operation for lanes that can't come: if `skipped`, only where they are parked behind it.
    /// True when there was one.
    pub fn force_collective(
        &mut self,
        cx: &Context<'_>,
        global: &mut Global<'_>,
        lines: &mut [Counters],
        skipped: bool,
    ) -> bool {
        for index in 0..self.warps.len() {
            let warp = &mut self.warps[index];
            let stands = |split: &&Split| match split.wait {
                Wait::Collective { named } => {
                    !skipped || missing(cx, warp, split, named) & warp.parked_behind(split) != 0
                }
                _ => false,
            };
            let Some(split) = warp.waiting.iter().find(stands).copied() else { continue };
            let Wait::Collective { named } = split.wait else { continue };
            let here = group_of(cx, warp, &split, named);
            let missing = missing(cx, warp, &split, named);
            let elsewhere = warp.waiting.iter().find(|other| other.mask & missing != 0).copied();
            let at = site(source_of(cx, warp, &split));
            let other = elsewhere.map_or(Site(0), |other| site(source_of(cx, warp, &other)));
            let mut list = threads(self.unit.block, warp.index, here & here.wrapping_neg());
            list.extend(threads(self.unit.block, warp.index, missing & missing.wrapping_neg()));
            let lane = missing.trailing_zeros();
            report(
                &mut self.unit.memory.findings,
                Kind::InvalidMask,
                Severity::Error,
                at,
                other,
                list,
                u64::from(here.count_ones()),
                format!(
                    "The mask of this warp-wide operation names lane {lane}, which never gets here. Name only lanes that execute \
                     it together: compute the mask with `__ballot_sync` before the branch, or move the operation out of it."
                ),
            );
            let mut machine = Machine { cx, unit: &mut self.unit, global, lines };
            perform(&mut machine, warp, &split, named);
            self.stuck_at = None;
            return true;
        }
        false
    }

    /// What can be done without help from other blocks when every thread waits.
    pub fn unstick(&mut self, cx: &Context<'_>, global: &mut Global<'_>, lines: &mut [Counters]) -> bool {
        self.force_collective(cx, global, lines, true)
            || self.release_joins()
            || self.expire(cx, global)
            || self.force_collective(cx, global, lines, false)
    }

    /// Ends all waits for phases of mbarriers: they are not over. True when there was one, and memory has changed since
    /// this was last done often.
    pub fn expire(&mut self, cx: &Context<'_>, global: &Global<'_>) -> bool {
        let version = self.version(global);
        if self.expired.1 != version {
            self.expired = (0, version);
        }
        if self.expired.0 >= mbarrier::MOST_EXPIRIES || !mbarrier::expire(cx, &mut self.warps, self.expired.0)
        {
            return false;
        }
        self.expired.0 += 1;
        self.stuck_at = None;
        true
    }

    /// Completes the barriers that everyone has reached.
    fn settle_barriers(&mut self, cx: &Context<'_>, global: &mut Global<'_>, lines: &mut [Counters]) -> bool {
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
        if waiting != self.warps.iter().map(|warp| warp.live().count_ones()).sum() {
            return false;
        }
        let version = self.version(global);
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
                Kind::BarrierDivergence,
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
        if gone == 0 || second.is_some() {
            return;
        }
        // The barrier itself, and the calls that lead to it.
        let stands = |warp: &Warp| Self::waiting_at(warp, id).next().map(|split| site_keys(cx, warp, split));
        let keys = self.warps.iter().find_map(stands).unwrap_or_default();
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
                Kind::BarrierDivergence,
                Severity::Warning,
                site(source),
                self.unit.exit_site,
                std::iter::once(thread).chain(absent).collect(),
                u64::from(gone),
                "Some threads of the block have left the kernel before this barrier. Today's hardware goes on without them, but \
                 `__syncthreads()` is for all threads of the block: let them stay, and guard the work instead of returning.",
            );
        }
    }

    /// Adds the finding for a block in which nobody can run any more. `waiting_blocks` blocks have not started because
    /// only `resident` fit.
    pub fn report_deadlock(&mut self, cx: &Context<'_>, waiting_blocks: u64, resident: u32) {
        let mut spinning: Option<(SourceIndex, ThreadId)> = None;
        let mut places: Vec<(SourceIndex, ThreadId)> = Vec::new();
        let mut count = 0;
        let mut counted = 0;
        let mut alone = false;
        let mut phase: Option<(SourceIndex, ThreadId, String)> = None;
        for warp in &self.warps {
            for split in &warp.waiting {
                let source = source_of(cx, warp, split);
                let thread = ThreadId {
                    block: self.unit.block,
                    thread: warp.index * 32 + split.mask.trailing_zeros(),
                };
                count += u64::from(split.mask.count_ones());
                if let Wait::Barrier { count, .. } = split.wait {
                    counted = counted.max(count);
                }
                if matches!(split.wait, Wait::Change { .. }) && spinning.is_none() {
                    spinning = Some((source, thread));
                    alone = warp.watch_of(split.mask).is_some_and(|at| warp.watches[at].alone);
                } else if matches!(split.wait, Wait::Phase { .. }) && phase.is_none() {
                    phase = Some((source, thread, mbarrier::in_vain(cx, &self.unit, warp, split)));
                } else if places.iter().all(|place| place.0 != source) {
                    places.push((source, thread));
                }
            }
        }
        let ending = phase.as_ref().map(|phase| (phase.0, phase.1));
        let first = spinning.or(ending).or(places.first().copied());
        let Some((source, thread)) = first else { return };
        let second = places.iter().find(|place| place.0 != source);
        let message = if alone {
            "This loop goes round forever: every round begins with the same values, and it looks at no memory that another thread \
             could change. What should end it?"
                .to_owned()
        } else if spinning.is_some() && waiting_blocks > 0 {
            format!(
                "This loop waits for a change that cannot come: every thread that runs waits too. {waiting_blocks} blocks of the \
                 grid have not started and will not before others end, because {} holds {resident} blocks of this kernel at once. \
                 Let no block wait for one that may start later: hand out work by a counter (`atomicAdd`), not by `blockIdx`.",
                cx.profile.name
            )
        } else if self.repeats_at.is_some() {
            "The threads of this block meet at this barrier again and again: every round finds the same values, and no thread is left \
             to change them, because all others have ended or wait themselves. What should end the loop around it?"
                .to_owned()
        } else if spinning.is_some() {
            "This loop goes round forever: every round finds the same values, and no thread is left to change them, because all others \
             have ended or wait themselves. What should end it?"
                .to_owned()
        } else if let Some((.., message)) = phase {
            message
        } else if second.is_none() && counted > 0 {
            format!(
                "This barrier counts {counted} threads, but only {count} threads of the block are left and all of them wait here \
                 already. Give it the number of threads that really take part."
            )
        } else {
            "Threads wait here for others that wait somewhere else, so none of them can go on. Every thread that a barrier counts \
             must be able to reach it."
                .to_owned()
        };
        report(
            &mut self.unit.memory.findings,
            // Nobody is waited for: that is no deadlock.
            if alone { Kind::Unfinished } else { Kind::Deadlock },
            Severity::Error,
            site(source),
            second.map_or(Site(0), |place| site(place.0)),
            std::iter::once(thread).chain(second.map(|place| place.1)).collect(),
            count.max(1),
            message,
        );
    }

    /// Adds the finding for a block that used up the budget.
    pub fn report_unfinished(&mut self, cx: &Context<'_>, budget: u64) {
        let running = self.warps.iter().find_map(|warp| warp.ready.front().map(|split| (warp, *split)));
        let (at, list) = match running {
            Some((warp, split)) => (
                site(source_of(cx, warp, &split)),
                threads(self.unit.block, warp.index, split.mask & split.mask.wrapping_neg()),
            ),
            None => (Site(0), Vec::new()),
        };
        report(
            &mut self.unit.memory.findings,
            Kind::Unfinished,
            Severity::Error,
            at,
            Site(0),
            list,
            1,
            format!(
                "The budget of {budget} warp instructions was used up here before the kernel ended. Does every loop end, and does \
                 the work grow as it should?"
            ),
        );
    }
}

/// Lets splits go on that wait for a change of what they look at, if there was one.
fn wake(cx: &Context<'_>, unit: &mut Unit, warp: &mut Warp, global: &mut Global<'_>, version: u64) {
    let mut index = 0;
    while index < warp.waiting.len() {
        let split = warp.waiting[index];
        match split.wait {
            Wait::Change { version: seen } if seen != version => {
                let here = site(source_of(cx, warp, &split));
                let watch = warp.watch_of(split.mask).map(|at| &mut warp.watches[at]);
                if watch.is_none_or(|watch| watch.wake(unit, global, version, here)) {
                    warp.waiting.remove(index);
                    warp.ready.push_back(Split { wait: Wait::Nothing, ..split });
                } else {
                    warp.waiting[index].wait = Wait::Change { version };
                    index += 1;
                }
            }
            Wait::Phase { version: seen } if seen != version => {
                if mbarrier::look_again(cx, unit, global, warp, &split) {
                    warp.waiting.remove(index);
                    warp.resume(Split { pc: split.pc + 1, ..split });
                } else {
                    warp.waiting[index].wait = Wait::Phase { version };
                    index += 1;
                }
            }
            _ => index += 1,
        }
    }
}
