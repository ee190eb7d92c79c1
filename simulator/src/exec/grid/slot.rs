//! A place in a window: runs one block, and keeps what it left until its turn to retire and to be published.

use crate::{
    counters::Counters,
    exec::{
        block::{Block, Turn},
        context::{Context, Stop, Unit},
        dispatch::Runner,
    },
    findings::Findings,
    memory::{Global, GlobalMemory, Touched, WorstRequests, Written},
};

use super::headway::Headway;

/// Instructions between two looks at the other blocks' headway.
const LOOK: u64 = 1 << 12;

/// What a block left.
pub(super) struct Slot {
    pub(super) lines: Vec<Counters>,
    /// Until it has been compared with the blocks before it.
    pub(super) touched: Touched,
    /// Until it is published.
    pub(super) written: Written,
    pub(super) findings: Findings,
    pub(super) printf: Vec<u8>,
    /// What it took from the budget.
    pub(super) cost: u64,
    pub(super) load_sectors: u64,
    /// Of each site the worst request to shared memory, where they are kept.
    pub(super) worst: WorstRequests,
    pub(super) stop: Option<Stop>,
    /// It came to its end, but the launch's budget did too.
    pub(super) spent: bool,
}

impl Slot {
    pub(super) fn new(lines: usize) -> Slot {
        Slot {
            lines: vec![Counters::default(); lines],
            touched: Touched::default(),
            written: Written::default(),
            findings: Findings::new(),
            printf: Vec::new(),
            cost: 0,
            load_sectors: 0,
            worst: WorstRequests::default(),
            stop: None,
            spent: false,
        }
    }

    /// Runs a block and gives its unit back.
    #[expect(clippy::too_many_arguments, reason = "all of it is the launch's")]
    pub(super) fn run(
        &mut self,
        cx: &Context<'_>,
        base: &GlobalMemory,
        unit: Unit,
        number: u32,
        (headway, index): (&Headway, usize),
        budget: u64,
        runner: Runner,
    ) -> Unit {
        self.lines.fill(Counters::default());
        self.spent = false;
        let mut global = Global::Overlay(base);
        let mut unit = match Block::new(cx, unit, &mut global, number, headway.budget) {
            Ok(mut block) => {
                self.stop = self.run_to_end(cx, &mut global, &mut block, (headway, index), budget, runner);
                block.into_unit()
            }
            Err(block) => {
                self.stop = Some(Stop::Faulted);
                block.into_unit()
            }
        };
        headway.has_taken(index, unit.cost());
        if self.stop.is_some() {
            headway.ended(index);
        }
        unit.memory.leave_overlay(&mut self.touched, &mut self.written);
        self.findings = std::mem::take(&mut unit.memory.findings);
        self.printf = std::mem::take(&mut unit.printf);
        self.cost = unit.cost();
        self.load_sectors = unit.memory.tally.load_sectors;
        self.worst = unit.memory.tally.worst.as_deref_mut().map(std::mem::take).unwrap_or_default();
        unit
    }

    fn run_to_end(
        &mut self,
        cx: &Context<'_>,
        global: &mut Global<'_>,
        block: &mut Block,
        (headway, index): (&Headway, usize),
        budget: u64,
        runner: Runner,
    ) -> Option<Stop> {
        let mut look = 0;
        loop {
            if block.unit.issued >= look {
                headway.has_taken(index, block.unit.cost());
                if headway.is_in_vain(index) {
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
                Err(Stop::Endless | Stop::Budget) => {
                    return Some(block.report_unfinished(cx, budget, u64::from(block.number())));
                }
                Err(stop) => return Some(stop),
            }
        }
    }
}
