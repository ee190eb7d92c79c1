//! Runs a launch: all blocks of the grid.
//!
//! Kernels whose blocks can't affect each other run in *waves* of a fixed number of blocks, each against memory as it was
//! when the wave began, with its writes in a private overlay. Blocks that have ended retire in block order, while later ones
//! still run: then they are compared with those before them. At the end of the wave what they wrote is published, in block
//! order too. How many host threads run a wave changes nothing. All other kernels run on one host thread: as many blocks as the GPU would hold
//! take turns, directly on memory, and new blocks enter as others leave, in block order. Those that are there take their
//! turns in the order of the schedule: usually the youngest first.

use std::{
    collections::BTreeMap,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
};

use crate::{
    counters::{Counters, LineCounters},
    exec::{
        block::{Block, Turn},
        context::{Context, Helped, PRINTF_BYTES, Stop, Unit, place},
        defects,
        dispatch::Runner,
        guess::is_guess,
    },
    finding::Finding,
    findings::Findings,
    footprint::Footprint,
    ir::SourceIndex,
    launch::Status,
    memory::{Global, GlobalMemory, Patterns, Summary, Touched},
    source::Place,
};

/// Blocks that run against the same state of memory. A constant: results depend on it.
const WAVE: usize = 64;

/// How a launch is to be run.
#[derive(Clone, Copy, Debug)]
pub struct Request<'p> {
    /// Blocks may affect each other while they run.
    pub communicates: bool,
    /// Blocks that the GPU holds at once.
    pub resident: u32,
    /// Instructions for the whole launch.
    pub budget: u64,
    /// Host threads, where more than one.
    pub pool: Option<&'p rayon::ThreadPool>,
    /// Whether to say what memory the launch took.
    pub measures: bool,
}

/// What a launch gave.
#[derive(Debug)]
pub struct Result {
    /// How it ended.
    pub status: Status,
    /// Findings, finished.
    pub findings: Vec<Finding>,
    /// Totals.
    pub counters: Counters,
    /// Per line.
    pub lines: Vec<LineCounters>,
    /// What `printf` wrote.
    pub printf: String,
    /// The budget was used up, which says nothing about the kernel in an order that makes more threads wait.
    pub ran_out: bool,
    /// What memory it took, if that was asked for.
    pub footprint: Footprint,
}

#[derive(Default)]
struct Collected {
    findings: Findings,
    printf: Vec<u8>,
    stop: Option<Stop>,
    footprint: Footprint,
}

impl Collected {
    fn print(&mut self, text: &[u8]) {
        let room = PRINTF_BYTES.saturating_sub(self.printf.len());
        self.printf.extend_from_slice(&text[..text.len().min(room)]);
    }
}

/// Runs all blocks.
pub fn launch(cx: &Context<'_>, memory: &mut GlobalMemory, request: Request<'_>) -> Result {
    memory.begin_launch();
    let mut lines = vec![Counters::default(); cx.program.sources.len() + 1];
    let mut collected = Collected::default();
    if request.communicates {
        together(cx, memory, request, &mut lines, &mut collected);
    } else {
        let mut run = || in_waves(cx, memory, request, &mut lines, &mut collected);
        match request.pool {
            // From within, so that nobody is woken for each wave who only waits for the others.
            Some(pool) => pool.install(run),
            None => run(),
        }
    }
    memory.end_launch();
    finish(cx, lines, collected)
}

fn in_waves(
    cx: &Context<'_>,
    memory: &mut GlobalMemory,
    request: Request<'_>,
    lines: &mut [Counters],
    collected: &mut Collected,
) {
    let blocks = cx.blocks();
    let size = WAVE.min(usize::try_from(blocks).unwrap_or(WAVE));
    let mut slots: Vec<Mutex<Slot>> = (0..size).map(|_| Mutex::new(Slot::new(lines.len()))).collect();
    // As many as host threads run at once. Which one a block gets changes nothing.
    let units: Mutex<Vec<Unit>> = Mutex::default();
    let mut retired = Retired {
        summary: std::mem::take(&mut memory.summary),
        remaining: request.budget,
        lines,
        stop: None,
        slots: 0,
    };
    let mut peak = Footprint::default();
    let mut next = 0u64;
    while next < blocks && retired.stop.is_none() {
        let count = size.min(usize::try_from(blocks - next).unwrap_or(size));
        retired.slots = 0;
        let wave = Wave {
            cx,
            base: &*memory,
            first: next,
            slots: &slots[..count],
            units: &units,
            printf_room: PRINTF_BYTES.saturating_sub(collected.printf.len()),
            budget: request.budget,
            progress: Progress::new(retired.remaining),
            taken: AtomicUsize::new(0),
            finished: AtomicU64::new(0),
            retired: Mutex::new(&mut retired),
        };
        wave.run(request.pool);
        if request.measures {
            let units = hold(&units);
            let running =
                units.iter().map(|unit| unit.memory.footprint()).fold(Footprint::default(), Footprint::plus);
            let finished: usize = slots.iter().map(|slot| hold(slot).touched.heap_bytes()).sum();
            if running.shadow_bytes + finished as u64 > peak.shadow_bytes {
                peak = Footprint { shadow_bytes: running.shadow_bytes + finished as u64, ..running };
            }
        }
        for slot in &mut slots[..retired.slots] {
            let slot = slot.get_mut().unwrap_or_else(PoisonError::into_inner);
            memory.publish(&slot.touched, &mut slot.findings);
            collected.findings.absorb(&mut slot.findings);
            collected.print(&slot.printf);
        }
        next += count as u64;
    }
    collected.stop = retired.stop;
    memory.summary = retired.summary;
    if request.measures {
        collected.footprint = peak.plus(memory.footprint());
    }
}

/// What can't be half done, whoever panics.
fn hold<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Blocks that run against the same state of memory, taken by host threads in the blocks' order.
struct Wave<'w, 'l> {
    cx: &'w Context<'w>,
    base: &'w GlobalMemory,
    /// The first block.
    first: u64,
    slots: &'w [Mutex<Slot>],
    units: &'w Mutex<Vec<Unit>>,
    printf_room: usize,
    /// Instructions for the whole launch.
    budget: u64,
    progress: Progress,
    /// How many blocks have been begun.
    taken: AtomicUsize,
    /// Those that have come to their end, as bits.
    finished: AtomicU64,
    retired: Mutex<&'w mut Retired<'l>>,
}

const _: () = assert!(WAVE <= u64::BITS as usize, "a wave's blocks are bits of a word");

impl Wave<'_, '_> {
    /// Runs and retires all of them.
    fn run(self, pool: Option<&rayon::ThreadPool>) {
        match pool {
            Some(pool) => pool.scope(|scope| {
                for _ in 0..pool.current_num_threads().min(self.slots.len()) {
                    scope.spawn(|_| self.work());
                }
            }),
            None => self.work(),
        }
        self.retire();
    }

    /// Runs blocks until none is left to begin.
    fn work(&self) {
        let runner = Runner::best();
        loop {
            let index = self.taken.fetch_add(1, Ordering::Relaxed);
            let Some(slot) = self.slots.get(index) else { return };
            let spare = hold(self.units).pop();
            let mut unit = spare.unwrap_or_else(|| Unit::new(self.cx));
            unit.printf_room = self.printf_room;
            let number = (self.first + index as u64) as u32;
            let at = (&self.progress, index);
            let unit = hold(slot).run(self.cx, self.base, unit, number, at, self.budget, runner);
            hold(self.units).push(unit);
            self.finished.fetch_or(1 << index, Ordering::SeqCst);
            self.retire();
        }
    }

    /// Retires, in the blocks' order, those whose turn it is: they have come to their end, and all before them. Most often that is
    /// done while later ones run; if another host thread is at it, that one sees to the rest.
    fn retire(&self) {
        let has_finished =
            |index: usize| index < self.slots.len() && self.finished.load(Ordering::SeqCst) >> index & 1 == 1;
        loop {
            let Ok(mut retired) = self.retired.try_lock() else { return };
            while has_finished(retired.slots) && retired.stop.is_none() {
                let slot = &self.slots[retired.slots];
                retired.add(self.base, &mut hold(slot));
            }
            let (next, stopped) = (retired.slots, retired.stop.is_some());
            drop(retired);
            // One may have finished since, and have found somebody here.
            if stopped || !has_finished(next) {
                return;
            }
        }
    }
}

/// What blocks that have come to their end left together, in block order. What they wrote is not among it: others of their wave
/// must not see that yet.
struct Retired<'l> {
    summary: Summary,
    /// Instructions that the launch may still issue.
    remaining: u64,
    lines: &'l mut [Counters],
    /// The end of the launch, before its last block. What comes behind is thrown away.
    stop: Option<Stop>,
    /// Of this wave.
    slots: usize,
}

impl Retired<'_> {
    fn add(&mut self, base: &GlobalMemory, slot: &mut Slot) {
        self.summary.compare(base, &mut slot.touched);
        if slot.issued > self.remaining && slot.stop.is_none() {
            slot.stop = Some(Stop::Budget);
        }
        self.remaining = self.remaining.saturating_sub(slot.issued);
        add(self.lines, &slot.lines);
        self.stop = slot.stop;
        self.slots += 1;
    }
}

/// How far the blocks of a wave have come. What comes behind the block at which the launch ends is thrown away, so it
/// need not be done: without this, a kernel that never ends takes the budget once for every block of the wave.
struct Progress {
    /// Instructions that all of them may issue together.
    budget: u64,
    /// What each has issued, now and then.
    issued: [AtomicU64; WAVE],
    /// The first that did not come to its end.
    ended: AtomicUsize,
}

impl Progress {
    fn new(budget: u64) -> Progress {
        Progress { budget, issued: std::array::from_fn(|_| AtomicU64::new(0)), ended: AtomicUsize::new(WAVE) }
    }

    fn issued(&self, index: usize, instructions: u64) {
        self.issued[index].store(instructions, Ordering::Relaxed);
    }

    fn ended(&self, index: usize) {
        self.ended.fetch_min(index, Ordering::Relaxed);
    }

    /// True if the launch ends at a block before this one, whatever this one does.
    fn is_in_vain(&self, index: usize) -> bool {
        let before = self.issued[..index].iter().fold(0u64, |sum, issued| {
            sum.saturating_add(issued.load(Ordering::Relaxed)) // counts only ever grow
        });
        before > self.budget || self.ended.load(Ordering::Relaxed) < index
    }
}

/// Instructions between two looks at the other blocks' progress.
const LOOK: u64 = 1 << 12;

/// A place in a wave: what its block left.
struct Slot {
    lines: Vec<Counters>,
    touched: Touched,
    findings: Findings,
    printf: Vec<u8>,
    issued: u64,
    stop: Option<Stop>,
}

impl Slot {
    fn new(lines: usize) -> Slot {
        Slot {
            lines: vec![Counters::default(); lines],
            touched: Touched::default(),
            findings: Findings::new(),
            printf: Vec::new(),
            issued: 0,
            stop: None,
        }
    }

    /// Runs a block and gives its unit back.
    #[expect(clippy::too_many_arguments, reason = "all of it is the launch's")]
    fn run(
        &mut self,
        cx: &Context<'_>,
        base: &GlobalMemory,
        unit: Unit,
        number: u32,
        (progress, index): (&Progress, usize),
        budget: u64,
        runner: Runner,
    ) -> Unit {
        self.lines.fill(Counters::default());
        let mut global = Global::Overlay(base);
        let mut unit = match Block::new(cx, unit, &mut global, number, progress.budget) {
            Ok(mut block) => {
                self.stop = self.run_to_end(cx, &mut global, &mut block, (progress, index), budget, runner);
                block.into_unit()
            }
            Err(block) => {
                self.stop = Some(Stop::Faulted);
                block.into_unit()
            }
        };
        progress.issued(index, unit.issued);
        if self.stop.is_some() {
            progress.ended(index);
        }
        unit.memory.leave_overlay(&mut self.touched);
        self.findings = std::mem::take(&mut unit.memory.findings);
        self.printf = std::mem::take(&mut unit.printf);
        self.issued = unit.issued;
        unit
    }

    fn run_to_end(
        &mut self,
        cx: &Context<'_>,
        global: &mut Global<'_>,
        block: &mut Block,
        (progress, index): (&Progress, usize),
        budget: u64,
        runner: Runner,
    ) -> Option<Stop> {
        let mut look = 0;
        loop {
            if block.unit.issued >= look {
                progress.issued(index, block.unit.issued);
                if progress.is_in_vain(index) {
                    return Some(Stop::Budget);
                }
                look = block.unit.issued + LOOK;
            }
            match block.turn(cx, global, &mut self.lines, runner) {
                Ok(Turn::Progress) => {}
                Ok(Turn::Finished) => return None,
                Ok(Turn::Stuck) => {
                    // Nobody else can change what this block sees.
                    if !block.unstick(cx, global, &mut self.lines) {
                        block.report_deadlock(cx, 0, 0);
                        return Some(Stop::Deadlock);
                    }
                }
                Err(stop) => {
                    if stop == Stop::Budget {
                        block.report_unfinished(cx, budget);
                    }
                    return Some(stop);
                }
            }
        }
    }
}

/// Who has a turn.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Turns {
    /// Whom the schedule does not leave out.
    OfSchedule,
    /// The others, where nobody else could run.
    OfThoseLeftOut,
}

fn together(
    cx: &Context<'_>,
    memory: &mut GlobalMemory,
    request: Request<'_>,
    lines: &mut [Counters],
    collected: &mut Collected,
) {
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
    let mut next = 0u64;
    let (mut round, mut order, mut gone) = (0, Vec::new(), Vec::new());
    let mut retire = |block: Block, spare: &mut Vec<Unit>| {
        let number = block.number();
        let mut unit = block.into_unit();
        let findings = std::mem::take(&mut unit.memory.findings);
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
        cx.schedule.blocks(running.len(), round, &mut order);
        gone.clear();
        let mut left_out = false;
        for turn in [Turns::OfSchedule, Turns::OfThoseLeftOut] {
            if turn == Turns::OfThoseLeftOut && (progress || !left_out) {
                break;
            }
            for &index in &order {
                let block = &mut running[index];
                let is_left_out = cx.schedule.leaves_block_out(block.number(), round);
                left_out |= is_left_out;
                if is_left_out != (turn == Turns::OfThoseLeftOut) {
                    continue;
                }
                let before = block.unit.issued;
                block.unit.limit = before.saturating_add(remaining);
                block.unit.memory.swap_patterns(&mut patterns);
                let turn = block.turn(cx, &mut global, lines, runner);
                block.unit.memory.swap_patterns(&mut patterns);
                remaining = remaining.saturating_sub(block.unit.issued - before);
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
                            block.report_unfinished(cx, request.budget);
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
    if request.measures {
        let held =
            spare.iter().map(|unit| unit.memory.footprint()).fold(global.get().footprint(), Footprint::plus);
        collected.footprint = held;
    }
    // The usual order asks this question best: the youngest block waits first.
    if cx.workspace == 0 && !cx.schedule.is_other() {
        helped.retain(|(_, wait)| {
            let drawn = |&word: &u64| global.get().changer(word).is_some_and(|changer| changer.several);
            !wait.tickets.iter().any(drawn)
        });
        if blocks > resident || is_chain(&helped) {
            for (number, wait) in &helped {
                if let Some((findings, _)) = finished.get_mut(number) {
                    defects::launch_order(findings, *number, wait.at);
                }
            }
        }
    }
    for (mut findings, printf) in finished.into_values() {
        collected.findings.absorb(&mut findings);
        collected.print(&printf);
    }
}

/// True when blocks wait for blocks that waited themselves, and always for lower numbers: it goes on like that however
/// many there are, and more than fit work only in the usual order. Where the whole grid is resident, no order is needed to
/// wait for one block, or for each other at a barrier of one's own making.
fn is_chain(helped: &[(u32, Helped)]) -> bool {
    let lower = |(number, wait): &(u32, Helped)| wait.helper.is_none_or(|helper| helper < *number);
    let waited = |block: u32| helped.iter().any(|&(number, _)| number == block);
    helped.iter().all(lower) && helped.iter().any(|(_, wait)| wait.helper.is_none_or(waited))
}

fn add(to: &mut [Counters], from: &[Counters]) {
    for (to, from) in to.iter_mut().zip(from) {
        if from.ptx_instructions != 0 {
            *to += *from;
        }
    }
}

fn finish(cx: &Context<'_>, lines: Vec<Counters>, mut collected: Collected) -> Result {
    let status = match collected.stop {
        None => Status::Finished,
        Some(Stop::Faulted) => Status::Faulted,
        Some(Stop::Unsupported) => Status::Unsupported,
        Some(Stop::Deadlock | Stop::Budget) => Status::Unfinished,
    };
    let mut counters = Counters::default();
    let mut by_line: BTreeMap<Place, Counters> = BTreeMap::new();
    for (index, line) in lines.iter().enumerate().filter(|(_, line)| line.ptx_instructions != 0) {
        counters += *line;
        if let Some(place) = place(cx, crate::memory::Site(index as u32)) {
            *by_line.entry(Place { column: 0, ..place }).or_default() += *line;
        }
    }
    let ran_out = collected.stop == Some(Stop::Budget);
    collected.findings.excuse_guesses(|at| is_guess(cx.program, SourceIndex(at.0)));
    let findings = collected.findings.finish(cx.grid, cx.block, |at| place(cx, at));
    Result {
        status,
        findings,
        counters,
        lines: by_line.into_iter().map(|(place, counters)| LineCounters { place, counters }).collect(),
        printf: String::from_utf8_lossy(&collected.printf).into_owned(),
        ran_out,
        footprint: collected.footprint,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_behind_the_end_of_a_launch_are_left() {
        let progress = Progress::new(1000);
        progress.issued(0, 600);
        progress.issued(2, 400);
        assert!((0..WAVE).all(|index| !progress.is_in_vain(index)), "a thousand is what they may issue");
        progress.issued(2, 401);
        let first = (0..WAVE).find(|&index| progress.is_in_vain(index));
        assert_eq!(first, Some(3), "with block 2 it is too much, and block 2 must say so");
        progress.ended(1);
        assert_eq!((0..WAVE).find(|&index| progress.is_in_vain(index)), Some(2));
    }
}
