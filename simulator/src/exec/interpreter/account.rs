//! What the instructions between two events cost, and what came of them: kept beside the loop, and put down when it is left.

use crate::{
    exec::{
        interpreter::rare::Done,
        machine::Machine,
        scoreboard::Scoreboard,
        warp::{Split, Warp},
    },
    ir::{Function, Op},
};

pub(super) struct Account {
    /// Instructions that the block has issued.
    pub(super) issued: u64,
    /// Cycles beyond one for each instruction.
    pub(super) extra: u64,
    /// What the warp's clock was ahead of the block's instructions.
    ahead: u64,
    /// Loads whose values have not arrived.
    pub(super) scoreboard: Scoreboard,
    /// It read memory as one waits for others.
    pub(super) polls: bool,
    /// Lanes that have met others.
    met: u32,
}

impl Account {
    #[inline(always)]
    pub(super) fn open(m: &Machine<'_, '_>, warp: &mut Warp) -> Self {
        Account {
            issued: m.unit.issued,
            extra: 0,
            ahead: warp.cycles.wrapping_sub(m.unit.issued),
            scoreboard: std::mem::take(&mut warp.scoreboard),
            polls: false,
            met: 0,
        }
    }

    /// What the warp's clock says.
    #[inline(always)]
    pub(super) fn cycles(&self) -> u64 {
        self.ahead.wrapping_add(self.issued) + self.extra
    }

    /// An instruction that reads what a load gives waits for it.
    #[inline(always)]
    pub(super) fn wait(&mut self, split: &Split, op: &Op, function: &Function) {
        if !self.scoreboard.is_empty() {
            let now = self.cycles();
            self.extra += self.scoreboard.wait(split.frame, op, &function.lists, now);
        }
    }

    /// A load has taken so many cycles more than one: now, or where its value is used.
    #[inline(always)]
    pub(super) fn loaded(&mut self, m: &Machine<'_, '_>, split: &Split, load: &Op, more: u64) {
        let cycles = m.cx.load_cycles.get(more as usize).copied().unwrap_or(more);
        if m.cx.reads_clock && cycles != 0 {
            let now = self.cycles();
            self.scoreboard.begin(split.frame, load, now, cycles);
        } else {
            self.extra += cycles;
        }
    }

    /// What has come of a rare instruction.
    #[inline(always)]
    pub(super) fn add(&mut self, done: &Done) {
        self.issued -= u64::from(done.is_mark);
        self.extra += done.cycles;
        self.polls |= done.polls;
        self.met |= done.met;
    }

    #[inline(always)]
    pub(super) fn close(self, m: &mut Machine<'_, '_>, warp: &mut Warp) {
        warp.cycles = self.cycles();
        warp.scoreboard = self.scoreboard;
        warp.loops.polls |= self.polls;
        warp.loops.has_polled |= self.polls;
        warp.met_others |= self.met;
        m.unit.issued = self.issued;
    }
}
