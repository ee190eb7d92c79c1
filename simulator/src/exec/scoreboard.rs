//! Loads from shared memory whose values have not arrived.
//!
//! A GPU goes on behind a load; it waits where the value is needed. So a look at the clock right behind a load
//! measures nothing of it, and only one behind the first use of the value does. Loads take their wavefronts one
//! after the other: a second one begins to arrive when the first has. What a load costs is told by
//! [`crate::Simulator::set_load_cycles`]. Kept only for kernels that look at the clock; for others it makes no
//! difference when a load's cycles are counted.

use crate::{
    exec::warp::FrameId,
    ir::{
        Op, Word,
        visit::{File, used},
    },
};

/// What a warp still waits for.
#[derive(Clone, Debug, Default)]
pub struct Scoreboard {
    loads: Vec<PendingLoad>,
    /// When the last load that began will have taken its wavefronts.
    taken: u64,
}

#[derive(Clone, Copy, Debug)]
struct PendingLoad {
    frame: FrameId,
    register: (File, u16),
    cycle: u64,
}

impl Scoreboard {
    /// True when every value has arrived.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.loads.is_empty()
    }

    /// A load begins now, whose wavefronts take so many cycles.
    #[cold]
    pub fn begin(&mut self, frame: FrameId, op: &Op, now: u64, cycles: u64) {
        let Op::Load { memory, d, .. } = op else { return };
        let file = if memory.element.wide { File::Pair } else { File::Word };
        self.taken = self.taken.max(now) + cycles;
        for &register in d.iter().take(usize::from(memory.count)).filter(|&&register| register != u16::MAX) {
            // Whoever uses it next is held up by all of them.
            self.loads.push(PendingLoad { frame, register: (file, register), cycle: self.taken + 1 });
        }
    }

    /// Cycles until all that an instruction reads or writes has arrived; `lists` are its function's.
    #[cold]
    pub fn wait(&mut self, frame: FrameId, op: &Op, lists: &[Word], now: u64) -> u64 {
        self.loads.retain(|load| load.cycle > now);
        let mut ready = now;
        if let Op::Call { .. } | Op::Return | Op::Exit | Op::Matrix(_) = op {
            // Registers of frames that come and go, or nearly all of this one: as if all of them were used.
            ready = self.loads.iter().map(|load| load.cycle).max().unwrap_or(now);
        } else {
            used(*op, lists, &mut |file, _, register| {
                let awaited = |load: &&PendingLoad| load.frame == frame && load.register == (file, register);
                ready = self.loads.iter().filter(awaited).map(|load| load.cycle).fold(ready, u64::max);
            });
        }
        self.loads.retain(|load| load.cycle > ready);
        ready - now
    }
}
