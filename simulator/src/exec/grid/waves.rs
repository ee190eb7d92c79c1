//! Blocks that can't affect each other, in waves.
//!
//! A *wave* is a fixed number of blocks, each against memory as it was when the wave began, with its writes in a private
//! overlay. Blocks that have ended retire in block order, while later ones still run: then they are compared with those before
//! them. At the end of the wave what they wrote is published, in block order too. How many host threads run a wave changes
//! nothing.

use std::sync::{
    Mutex, MutexGuard, PoisonError,
    atomic::{AtomicU64, AtomicUsize, Ordering},
};

use crate::{
    counters::Counters,
    exec::{
        block::{Block, Turn},
        context::{Context, PRINTF_BYTES, Stop, Unit},
        dispatch::Runner,
    },
    findings::Findings,
    footprint::Footprint,
    memory::{Global, GlobalMemory, Summary, Touched},
};

use super::{Collected, Request};

/// Blocks that run against the same state of memory. A constant: results depend on it.
const WAVE: usize = 64;

/// Runs all blocks.
pub(super) fn run(
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

fn add(to: &mut [Counters], from: &[Counters]) {
    for (to, from) in to.iter_mut().zip(from) {
        if from.ptx_instructions != 0 {
            *to += *from;
        }
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
