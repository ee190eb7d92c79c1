//! What one warp's turn works on: the launch, its block, global memory and the counters.

use crate::{
    counters::Counters,
    exec::{
        access::Port,
        context::{Context, Unit, site},
        warp::{Split, Warp},
    },
    ir::SourceIndex,
    memory::Global,
};

/// Instructions a warp may issue before it is another's turn.
pub const QUANTUM: u64 = 4096;

/// The same where blocks take turns: many may wait for one.
const SHORT_QUANTUM: u64 = 512;

/// A warp, its block and its grid.
pub struct Machine<'a, 'g> {
    /// The launch.
    pub cx: &'a Context<'a>,
    /// The block.
    pub unit: &'a mut Unit,
    /// Global memory.
    pub global: &'a mut Global<'g>,
    /// Counters by source index.
    pub lines: &'a mut [Counters],
}

/// What becomes of the running split after an event.
pub enum After {
    /// It runs on.
    GoOn,
    /// It has been put elsewhere, or is no more.
    Parked,
}

impl<'g> Machine<'_, 'g> {
    /// What a memory instruction of this line needs.
    #[inline(always)]
    pub fn port(&mut self, source: SourceIndex, warp: u32) -> Port<'_, 'g> {
        let line = &mut self.lines[source.0 as usize];
        Port::of(self.cx, self.unit, self.global, line, warp, site(source))
    }

    /// Instructions of the turn that a warp has now.
    pub fn turn_length(&self, warp: u32) -> u64 {
        self.cx.schedule.length(self.quantum(), self.unit.block, warp, self.unit.turn)
    }

    /// Instructions of one turn, in the usual order.
    pub fn quantum(&self) -> u64 {
        match self.global {
            Global::Direct(_) => SHORT_QUANTUM,
            Global::Overlay(_) => QUANTUM,
        }
    }
}

/// The learner's line that the split's next instruction stands for.
pub fn source_of(cx: &Context<'_>, warp: &Warp, split: &Split) -> SourceIndex {
    let frame = warp.frame(split.frame);
    frame.source_of(&cx.program.function(frame.function).code[split.pc as usize])
}
