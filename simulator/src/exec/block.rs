//! One running block: its warps in turn, its barriers, and what to do when nobody can run.

mod cluster;
pub mod ends;
mod meeting;

use crate::{
    counters::Counters,
    exec::{
        collective::meet::{group_of, let_leavers_go, missing, perform},
        context::{Context, Stop, Unit, report, site, threads},
        dispatch::Runner,
        machine::{Machine, source_of},
        mbarrier,
        standstill::Standstill,
        warp::{Frame, Split, Wait, Warp},
    },
    finding::{FindingKind, Severity},
    ir::{LANES, Op, SourceIndex},
    memory::{Global, Site},
};

/// Loops seen to go round in vain before lanes parked in the same warp are let go: one of them may be
/// whom the loop waits for.
const PATIENCE: u32 = 8;

/// A block and its warps.
#[derive(Debug)]
pub struct Block {
    /// What its warps share.
    pub unit: Unit,
    warps: Vec<Warp>,
    /// Memory's version when it was last found stuck.
    stuck_at: Option<u64>,
    /// Waits for phases of mbarriers that were ended although the phase was not over, while
    /// memory was at this version.
    expired: (u32, u64),
    /// In which order its warps have their turns.
    order: Vec<usize>,
    /// Whether its rounds from barrier to barrier repeat.
    standstill: Standstill,
    /// Memory's version for which they do.
    repeats_at: Option<u64>,
    /// What it takes from the budget before its loops are looked at next.
    look_at: u64,
    /// It was looked at before that counts, and seemed endless.
    has_no_way_out: bool,
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
        let version = unit.version(global);
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
                            FindingKind::StackOverflow,
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
            warps.push(Warp::new(index, mask, frame, version));
        }
        let block = Block {
            unit,
            warps,
            stuck_at: None,
            expired: (0, 0),
            order: Vec::new(),
            standstill: Standstill::default(),
            repeats_at: None,
            look_at: ends::LOOK_AT,
            has_no_way_out: false,
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

    /// Gives every warp a turn.
    pub fn turn(
        &mut self,
        cx: &Context<'_>,
        global: &mut Global<'_>,
        lines: &mut [Counters],
        runner: Runner,
    ) -> Result<Turn, Stop> {
        let version = self.unit.version(global);
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
        if cx.has_clusters() {
            self.unit.memory.end_turn(global);
        } else if self.arrives() && self.has_arrived() {
            // It is a cluster by itself.
            progress |= self.waits_for_cluster();
            self.end_own_phase(cx, global, lines);
        }
        if progress {
            return if self.is_endless(cx) { Err(Stop::Endless) } else { Ok(Turn::Progress) };
        }
        if self.warps.iter().all(|warp| warp.live() == 0) {
            debug_assert!(!self.has_no_way_out, "a block ends that was said to have no way out");
            self.unit.memory.leave_copies(global);
            self.unit.together.check(cx, &mut self.unit.memory.findings, self.unit.block);
            return Ok(Turn::Finished);
        }
        if self.spins() || self.repeats_at == Some(self.unit.version(global)) || cx.has_clusters() {
            // Others may still change memory, or arrive.
            self.stuck_at = Some(self.unit.version(global));
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
        let version = self.unit.version(global);
        let warp = &mut self.warps[index];
        wake(cx, &mut self.unit, warp, global, version);
        let mut progress = false;
        if !warp.ready.is_empty() {
            progress = true;
            let first = cx.schedule.split(warp.ready.len(), self.unit.block, index as u32, self.unit.turn);
            warp.ready.rotate_left(first);
            let mut machine = Machine { cx, unit: &mut self.unit, global, lines };
            runner.run(&mut machine, warp)?;
            self.unit.own_changes += self.unit.version(global) - version;
        }
        if warp.loops.fruitless >= PATIENCE && warp.has_parked() {
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

    /// Ends the wait of a warp-wide operation for lanes that can't come: if `skipped`, only where they are
    /// parked behind it. True when there was one.
    pub fn force_collective(
        &mut self,
        cx: &Context<'_>,
        global: &mut Global<'_>,
        lines: &mut [Counters],
        skipped: bool,
    ) -> bool {
        for index in 0..self.warps.len() {
            let warp = &mut self.warps[index];
            // Who waits for a change of memory may wait in vain; then its wait is what is wrong, and no mask.
            let waits = |lanes: u32| {
                let mut waiting = warp.waiting.iter();
                waiting.any(|split| split.mask & lanes != 0 && matches!(split.wait, Wait::Change { .. }))
            };
            let stands = |split: &&Split| match split.wait {
                Wait::Collective { named } => {
                    let missing = missing(cx, warp, split, named);
                    if skipped { missing & warp.parked_behind(split) != 0 } else { !waits(missing) }
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
            // A product of matrices names all lanes by itself, and says so when it is executed.
            let function = cx.program.function(warp.frame(split.frame).function);
            if !matches!(function.code[split.pc as usize].op, Op::Matrix(_) | Op::Warpgroup(_)) {
                report(
                    &mut self.unit.memory.findings,
                    FindingKind::InvalidMask,
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
            }
            let mut machine = Machine { cx, unit: &mut self.unit, global, lines };
            perform(&mut machine, warp, &split, named);
            self.stuck_at = None;
            return true;
        }
        false
    }

    /// Lets lanes leave whom others wait for and who have nothing else to do. True when there were any.
    pub fn let_leavers_go(&mut self, cx: &Context<'_>) -> bool {
        let any = self.warps.iter_mut().fold(false, |any, warp| let_leavers_go(cx, warp) | any);
        if any {
            self.stuck_at = None;
        }
        any
    }

    /// What can be done without help from other blocks when every thread waits.
    pub fn unstick(&mut self, cx: &Context<'_>, global: &mut Global<'_>, lines: &mut [Counters]) -> bool {
        self.let_leavers_go(cx)
            || self.force_collective(cx, global, lines, true)
            || self.release_joins()
            || self.expire(cx, global)
            || self.force_collective(cx, global, lines, false)
    }

    /// Ends all waits for phases of mbarriers: they are not over. True when there was one, and memory has
    /// changed since this was last done often.
    pub fn expire(&mut self, cx: &Context<'_>, global: &Global<'_>) -> bool {
        let version = self.unit.version(global);
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
}

/// Lets splits go on that wait for a change of what they look at, if there was one.
fn wake(cx: &Context<'_>, unit: &mut Unit, warp: &mut Warp, global: &mut Global<'_>, version: u64) {
    let mut index = 0;
    while index < warp.waiting.len() {
        let split = warp.waiting[index];
        match split.wait {
            Wait::Change { version: seen } if seen != version => {
                let here = site(source_of(cx, warp, &split));
                let watch = warp.loops.watch_of(split.mask).map(|at| &mut warp.loops.watches[at]);
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
