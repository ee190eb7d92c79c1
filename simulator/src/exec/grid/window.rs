//! Blocks that are under way at once: those of a wave, or of several that are expected not
//! to depend on each other.
//!
//! Host threads take them in the blocks' order. Those that have come to their end retire in block
//! order, while later ones still run: then each is compared with those before it, and it shows whether
//! it could run beside them.

use std::sync::{
    Mutex, MutexGuard, PoisonError,
    atomic::{AtomicUsize, Ordering},
};

use crate::{
    counters::Counters,
    exec::{
        block::ends::out_of_budget,
        context::{Context, Stop, Unit, say},
        dispatch::Runner,
    },
    finding::{FindingKind, Severity},
    memory::{GlobalMemory, Site, Summary, Touched, WorstRequests},
};

use super::{headway::Headway, slot::Slot, waves::WAVE};

/// What can't be half done, whoever panics.
pub(super) fn hold<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Storage that blocks use one after the other. Which one a block gets changes nothing.
#[derive(Default)]
pub(super) struct Spare {
    /// As many as host threads run at once.
    pub(super) units: Mutex<Vec<Unit>>,
    /// As many as blocks wait for their turn to retire.
    pub(super) touched: Mutex<Vec<Touched>>,
}

/// Blocks that run against the same state of memory.
pub(super) struct Window<'w, 'l> {
    cx: &'w Context<'w>,
    base: &'w GlobalMemory,
    /// The first block.
    first: u64,
    slots: &'w [Mutex<Slot>],
    spare: &'w Spare,
    printf_room: usize,
    /// Instructions for the whole launch.
    budget: u64,
    headway: Headway,
    /// How many blocks have been begun.
    taken: AtomicUsize,
    retired: Mutex<&'w mut Retired<'l>>,
}

impl<'w, 'l> Window<'w, 'l> {
    /// Blocks from `first` on, one for each slot; the first ones may have retired already. With the
    /// instructions for the whole launch, and the bytes that may still be printed.
    pub(super) fn new(
        cx: &'w Context<'w>,
        base: &'w GlobalMemory,
        first: u64,
        slots: &'w [Mutex<Slot>],
        spare: &'w Spare,
        (budget, printf_room): (u64, usize),
        retired: &'w mut Retired<'l>,
    ) -> Self {
        let headway = Headway::new(retired.of_wave.remaining, slots.len());
        for (index, slot) in slots[..retired.slots].iter().enumerate() {
            headway.has_taken(index, hold(slot).cost);
        }
        Self {
            cx,
            base,
            first,
            slots,
            spare,
            printf_room,
            budget,
            headway,
            taken: AtomicUsize::new(retired.slots),
            retired: Mutex::new(retired),
        }
    }

    /// Runs and retires all of them, or those before the first that can't retire.
    pub(super) fn run(self, pool: Option<&rayon::ThreadPool>) {
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
            let spare = hold(&self.spare.units).pop();
            let mut unit = spare.unwrap_or_else(|| Unit::new(self.cx));
            unit.printf_room = self.printf_room;
            let number = (self.first + index as u64) as u32;
            let at = (&self.headway, index);
            let mut slot = hold(slot);
            slot.touched = hold(&self.spare.touched).pop().unwrap_or_default();
            let unit = slot.run(self.cx, self.base, unit, number, at, self.budget, runner);
            drop(slot);
            hold(&self.spare.units).push(unit);
            self.headway.finished(index);
            self.retire();
        }
    }

    /// Retires, in the blocks' order, those whose turn it is: they have come to their end, and all
    /// before them. Most often that is done while later ones run; if another host thread is at it,
    /// that one sees to the rest.
    fn retire(&self) {
        loop {
            let Ok(mut retired) = self.retired.try_lock() else { return };
            while self.headway.has_finished(retired.slots) && !retired.is_over() {
                let slot = &self.slots[retired.slots];
                retired.add((self.cx, self.budget), self.base, self.first, &mut hold(slot), self.spare);
            }
            if retired.is_over() {
                self.headway.ended(retired.slots);
                return;
            }
            let next = retired.slots;
            drop(retired);
            // One may have finished since, and have found somebody here.
            if !self.headway.has_finished(next) {
                return;
            }
        }
    }
}

/// What blocks that have come to their end left together, in block order. What they wrote is not among it:
/// others of their wave must not see that yet.
pub(super) struct Retired<'l> {
    pub(super) summary: Summary,
    lines: &'l mut [Counters],
    /// Of the block that moved most of them.
    pub(super) busiest_block_load_sectors: u64,
    /// Of each site.
    pub(super) worst: WorstRequests,
    /// Instructions that the launch may still issue.
    remaining: u64,
    /// The end of the launch, before its last block. What comes behind is thrown away.
    pub(super) stop: Option<Stop>,
    /// Of the window.
    slots: usize,
    of_wave: OfWave,
    /// The first of the window that printed.
    first_printed: Option<usize>,
    /// The next block should not have run beside those of earlier waves. It and all behind are thrown away.
    pub(super) is_stale: bool,
}

/// How it stood when the wave began.
struct OfWave {
    /// The window's slots before.
    slots: usize,
    /// Instructions that the launch could still issue.
    remaining: u64,
}

impl<'l> Retired<'l> {
    /// No block yet.
    pub(super) fn new(summary: Summary, budget: u64, lines: &'l mut [Counters]) -> Self {
        let of_wave = OfWave { slots: 0, remaining: budget };
        Self {
            summary,
            lines,
            busiest_block_load_sectors: 0,
            worst: WorstRequests::default(),
            remaining: budget,
            stop: None,
            slots: 0,
            of_wave,
            first_printed: None,
            is_stale: false,
        }
    }

    /// True if no other block of the window can retire.
    fn is_over(&self) -> bool {
        self.stop.is_some() || self.is_stale
    }

    /// How many blocks of the window are through, now that nobody runs: a wave that goes on is not.
    pub(super) fn publishable(&self) -> usize {
        if self.is_stale { self.of_wave.slots } else { self.slots }
    }

    /// Begins a window behind so many slots of this one.
    pub(super) fn go_on(&mut self, published: usize) {
        self.slots -= published;
        if !self.is_stale {
            self.of_wave.remaining = self.remaining;
        }
        self.of_wave.slots = 0;
        self.first_printed = None;
        self.is_stale = false;
    }

    fn add(
        &mut self,
        (cx, budget): (&Context<'_>, u64),
        base: &GlobalMemory,
        first: u64,
        slot: &mut Slot,
        spare: &Spare,
    ) {
        if self.slots == self.of_wave.slots + WAVE {
            self.of_wave = OfWave { slots: self.slots, remaining: self.remaining };
        }
        if self.depends_on_earlier_waves(first, slot) {
            self.is_stale = true;
            return;
        }
        let touched = std::mem::take(&mut slot.touched);
        self.summary.compare(base, &touched, &mut slot.written);
        hold(&spare.touched).push(touched);
        if slot.cost > self.remaining && slot.stop.is_none() {
            slot.stop = Some(Stop::Budget);
            slot.spent = true;
        }
        if slot.spent {
            // The block came to its end, and the launch to that of its budget: no line is to blame, but one most.
            let busiest =
                (self.lines.iter().zip(&slot.lines).enumerate().skip(1)).max_by_key(|(at, (all, own))| {
                    (all.ptx_instructions + own.ptx_instructions, std::cmp::Reverse(*at))
                });
            let at = Site(busiest.map_or(0, |(at, _)| at as u32));
            let ended = first + self.slots as u64 + 1;
            let message = out_of_budget(cx, budget, ended, false);
            let (kind, severity) = (FindingKind::Unfinished, Severity::Error);
            say(&mut slot.findings, kind, severity, at, Site(0), Vec::new(), 1, message);
        }
        if !slot.printf.is_empty() {
            self.first_printed.get_or_insert(self.slots);
        }
        self.remaining = self.remaining.saturating_sub(slot.cost);
        for (to, from) in self.lines.iter_mut().zip(&slot.lines) {
            if from.ptx_instructions != 0 {
                *to += *from;
            }
        }
        self.busiest_block_load_sectors = self.busiest_block_load_sectors.max(slot.load_sectors);
        self.worst.absorb(std::mem::take(&mut slot.worst));
        self.stop = slot.stop;
        self.slots += 1;
    }

    /// True if the block might have done otherwise after the earlier waves of the window: what it touched,
    /// what it was allowed to issue and what it was allowed to print were those of the window's beginning.
    fn depends_on_earlier_waves(&self, first: u64, slot: &Slot) -> bool {
        let before = self.of_wave.slots;
        let earlier = first as u32..(first + before as u64) as u32; // a grid's blocks have 32-bit numbers
        before > 0
            && (slot.cost > self.of_wave.remaining
                || self.first_printed.is_some_and(|slot| slot < before)
                || self.summary.has_written(&slot.touched, &earlier))
    }
}
