//! What is known of the loops of one warp: which are watched, and for how long nobody has changed memory.

use super::{LoopWatch, trace::Trace};

/// What is known of a warp's loops.
#[derive(Debug)]
pub struct Loops {
    /// Loops that are suspected of going round in vain; no lane is in two of them.
    pub watches: Vec<LoopWatch>,
    /// The next loop that goes round in a frame not deeper than this is to be watched.
    pub suspicion: Option<u32>,
    /// Times that one of the warp's splits was seen to go round in vain since parked lanes were last released.
    pub fruitless: u32,
    /// The warp has read memory as one waits for others: by a strong read or an atomic.
    pub polls: bool,
    /// It has ever done so.
    pub has_polled: bool,
    /// Turns used up since anybody changed memory.
    pub idle_turns: u32,
    /// Memory's version when they began.
    pub idle_version: u64,
    /// Doublings of the turns before a loop is watched again, after watches given up.
    pub doublings: u32,
}

impl Loops {
    /// Of a warp that begins while memory is at this version.
    pub fn new(version: u64) -> Loops {
        Loops {
            watches: Vec::new(),
            suspicion: None,
            fruitless: 0,
            polls: false,
            has_polled: false,
            idle_turns: 0,
            idle_version: version,
            doublings: 0,
        }
    }

    /// The watch whose loop all of these lanes go round in.
    #[inline]
    pub fn watch_of(&self, mask: u32) -> Option<usize> {
        self.watches.iter().position(|watch| mask & !watch.mask == 0)
    }

    /// What is kept of the instructions of these lanes, when they are watched.
    #[inline]
    pub fn trace_of(&mut self, mask: u32) -> Option<&mut Trace> {
        let at = self.watch_of(mask)?;
        Some(&mut self.watches[at].trace).filter(|trace| !trace.broken)
    }

    /// These lanes go on together; watches of only some of them are told.
    pub fn go_on_together(&mut self, mask: u32) {
        for watch in &mut self.watches {
            watch.interrupted |= watch.mask & mask != 0 && mask & !watch.mask != 0;
        }
    }
}
