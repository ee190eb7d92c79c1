//! Barriers in shared memory (`mbarrier`): phases, arrivals missing, and what the end of a phase makes known.
//!
//! A phase ends when no arrival and no byte is missing any more. Who sees its end knows what all knew who
//! arrived in it or in an earlier one, for every operation on an mbarrier goes on with the release
//! sequence of those before.
//!
//! The state that an arrival gives is opaque in CUDA. Here its upper word is the phase and its lower one the
//! arrivals that were missing.

use std::collections::BTreeMap;

use foldhash::HashMap;

use crate::ir::{Pairs, Words};

use super::{
    clock::{Clock, Leaf},
    knowledge::Knowledge,
};

/// The most arrivals that a phase may have (PTX ISA, "mbarrier: Size, alignment, and contents").
pub const MOST_ARRIVALS: u32 = (1 << 20) - 1;

/// The most bytes that a phase may wait for, or have too many of (same section).
pub const MOST_BYTES: i64 = (1 << 20) - 1;

/// How threads arrive.
#[derive(Clone, Copy, Debug)]
pub struct MbarrierArrival<'a> {
    /// Arrivals per lane.
    pub counts: &'a Words,
    /// Bytes per lane that are to come in this phase.
    pub bytes: Option<&'a Words>,
    /// As many arrivals fewer in later phases.
    pub drops: bool,
    /// The phase may end by this.
    pub completes: bool,
    /// What the threads did before is made known.
    pub releases: bool,
}

/// A phase that a thread asks for.
#[derive(Clone, Copy, Debug)]
pub enum Phases<'a> {
    /// The states that arrivals gave.
    States(&'a Pairs),
    /// The parity of the present phase or the one before.
    Parities(&'a Words),
}

/// What must not be done with an mbarrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misuse {
    /// There is none at this address.
    Absent,
    /// So many arrivals, or none, in each phase.
    Count(u32),
    /// So many arrivals at once when fewer are missing.
    TooMany {
        /// How many.
        arrivals: u32,
        /// How many were missing.
        missing: u32,
    },
    /// An arrival that must not be the last was.
    Completes,
    /// The phase before may not be over yet, and then it is there that this arrival counts.
    Early,
    /// So many bytes are to come in a phase.
    TooManyBytes(i64),
}

/// The answer to an operation.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reply {
    /// Lanes whose address is no place for an mbarrier.
    pub faulted: u32,
    /// The first lane that does what must not be done.
    pub misuse: Option<(usize, Misuse)>,
}

/// One of them.
#[derive(Debug)]
pub(super) struct State {
    /// It has been made and not been invalidated since.
    pub(super) alive: bool,
    /// Which of the block's it is: see [`Leaf::PHASE`].
    pub(super) slot: u16,
    /// Phases that have ended since there first was one at this address.
    pub(super) phase: u32,
    /// The same when this one was made.
    first: u32,
    /// Arrivals in each phase.
    pub(super) expected: u32,
    /// Arrivals missing in this phase.
    pub(super) missing: u32,
    /// Bytes that are to come in this phase.
    pub(super) bytes: i64,
    /// What they know who have arrived in this phase.
    pub(super) arrived: Knowledge,
    /// The same for earlier phases.
    pub(super) released: Knowledge,
    /// Who has arrived in this phase, and in the one before.
    arrivals: Arrivals,
    arrivals_before: Arrivals,
    /// Threads that have seen so many phases end and need not know what was done in them (`.relaxed`).
    seen: HashMap<ThreadOf, u32>,
}

/// A block and its thread.
pub(super) type ThreadOf = (u32, u16);

/// How far an mbarrier is.
#[derive(Clone, Copy, Debug)]
pub struct PresentPhase {
    /// Arrivals missing in this phase.
    pub missing: u32,
    /// Arrivals in each phase.
    pub expected: u32,
    /// Bytes to come in this phase.
    pub bytes: i64,
    /// Phases that have ended.
    pub ended: u32,
}

/// What ends a phase.
#[derive(Debug, Default)]
struct Arrivals {
    /// Each thread's last one, with its stamp.
    by: BTreeMap<ThreadOf, u32>,
    /// Bytes, or copies that arrive when they are made: none of the threads' knowledge says when.
    others: bool,
}

impl State {
    /// What an arrival gives now.
    pub(super) fn state(&self) -> u64 {
        u64::from(self.phase) << 32 | u64::from(self.missing)
    }

    /// How far it is.
    pub(super) fn present_phase(&self) -> PresentPhase {
        let ended = self.phase - self.first;
        PresentPhase { missing: self.missing, expected: self.expected, bytes: self.bytes, ended }
    }

    /// True if the phase that a lane asks for is over.
    pub(super) fn is_over(&self, phases: Phases<'_>, lane: usize) -> bool {
        match phases {
            Phases::States(states) => (states[lane] >> 32) as u32 != self.phase,
            Phases::Parities(parities) => (self.phase - self.first) & 1 != parities[lane] & 1,
        }
    }

    /// A thread arrives in this phase.
    pub(super) fn note_arrival(&mut self, by: ThreadOf, stamp: u32) {
        self.arrivals.by.insert(by, stamp);
    }

    /// Something arrives in this phase that is no thread.
    pub(super) fn note_other_arrival(&mut self) {
        self.arrivals.others = true;
    }

    /// A thread has seen that all phases before this one are over.
    pub(super) fn note_seen(&mut self, by: ThreadOf) {
        self.seen.insert(by, self.phase);
    }

    /// True unless a thread may know that the phase before this one is over: it has seen that, or it knows of every arrival
    /// that has ended it.
    pub(super) fn is_unseen(&self, by: ThreadOf, knows: impl Fn(ThreadOf, u32) -> bool) -> bool {
        let before = &self.arrivals_before;
        self.phase != self.first
            && self.seen.get(&by) != Some(&self.phase)
            && (before.others || !before.by.iter().all(|(&other, &stamp)| knows(other, stamp)))
    }

    /// So many more bytes are to come in this phase, or fewer. The count has its limits.
    pub(super) fn count_bytes(&mut self, more: i64) -> Option<Misuse> {
        self.bytes += more;
        self.note_other_arrival();
        (self.bytes.abs() > MOST_BYTES).then_some(Misuse::TooManyBytes(self.bytes))
    }

    /// Ends the phase if nothing is missing.
    pub(super) fn settle(&mut self, block: u32) -> bool {
        let over = self.missing == 0 && self.bytes == 0;
        if over {
            self.phase += 1;
            self.missing = self.expected;
            self.arrivals_before = std::mem::take(&mut self.arrivals);
            self.released.join(&std::mem::take(&mut self.arrived));
            let mut leaf = Leaf::default();
            leaf.raise(Leaf::PHASE + self.slot, self.phase);
            self.released.known.join(&Clock::of(block, leaf));
        }
        over
    }
}

/// The mbarriers of a block, by offset in shared memory.
#[derive(Debug, Default)]
pub(super) struct Mbarriers(HashMap<u32, State>);

impl Mbarriers {
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Makes one.
    pub(super) fn make(&mut self, offset: u32, expected: u32) {
        let slot = self.0.len() as u16;
        let state = self.0.entry(offset).or_insert_with(|| State {
            alive: true,
            slot,
            phase: 0,
            first: 0,
            expected,
            missing: expected,
            bytes: 0,
            arrived: Knowledge::default(),
            released: Knowledge::default(),
            arrivals: Arrivals::default(),
            arrivals_before: Arrivals::default(),
            seen: HashMap::default(),
        });
        state.alive = true;
        // Who knows a phase of the one before knows none of this one's.
        state.phase += u32::from(state.phase != 0);
        state.first = state.phase;
        state.expected = expected;
        state.missing = expected;
        state.bytes = 0;
        state.arrived = Knowledge::default();
        state.released = Knowledge::default();
        state.arrivals = Arrivals::default();
        state.seen.clear();
    }

    /// The same, to look at.
    pub(super) fn look(&self, offset: u32) -> Option<&State> {
        self.0.get(&offset).filter(|state| state.alive)
    }

    /// The one at an offset.
    pub(super) fn get(&mut self, offset: u32) -> Option<&mut State> {
        self.0.get_mut(&offset).filter(|state| state.alive)
    }
}
