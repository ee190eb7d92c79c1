//! Copies that go on in the background (`cp.async`), and the barriers in shared memory (`mbarrier`) that wait
//! for them and for threads. PTX ISA, "Data Movement and Conversion Instructions: Non-bulk copy" and
//! "Parallel Synchronization and Communication Instructions: mbarrier".

use super::{Address, Order, Pair, Predicate, Word};

/// `cp.async` and its kin, without the bulk and tensor forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asynchronous {
    /// Begins to copy from global to shared memory.
    Copy {
        /// Where to, in the shared space.
        to: Address,
        /// Where from, in the global space.
        from: Address,
        /// Bytes written by each lane: 4, 8 or 16.
        bytes: u8,
        /// Bytes read by each lane, the rest is zero; `NONE`: all.
        reads: Word,
        /// Lanes in which nothing is read; may be `NONE`.
        ignore: Predicate,
        /// It is negated first.
        negated: bool,
        /// Past L1 (`.cg`).
        past_l1: bool,
    },
    /// Ends the group of copies that each thread has begun since its last one.
    Commit,
    /// Waits until at most so many of each thread's last groups are still under way.
    Wait {
        /// How many may be.
        groups: u32,
    },
    /// Waits for all copies of each thread.
    WaitAll,
    /// An mbarrier is to wait for all copies that each thread has begun so far.
    Arrive {
        /// The mbarrier, in the shared space.
        address: Address,
        /// The arrival is one of those that the mbarrier counts (`.noinc`), else one more.
        counted: bool,
    },
}

/// What concerns an `mbarrier`, at an address in the shared space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mbarrier {
    /// Makes one.
    Init {
        /// Where.
        address: Address,
        /// Arrivals in each phase.
        count: Word,
    },
    /// Ends its life.
    Invalidate {
        /// Where.
        address: Address,
    },
    /// Arrives, without waiting.
    Arrive {
        /// Where.
        address: Address,
        /// The state before, for who waits; may be `NONE`.
        d: Pair,
        /// How many arrivals; `NONE`: one. With `expects`, bytes.
        count: Word,
        /// `.expect_tx`: so many more bytes are to come in this phase; arrives once.
        expects: bool,
        /// `arrive_drop`: so many arrivals fewer in later phases.
        drops: bool,
        /// False for `.noComplete`: others must be missing still.
        completes: bool,
        /// `Release` or `Relaxed`.
        order: Order,
    },
    /// `expect_tx` and `complete_tx`: more bytes are to come in this phase, or have come.
    Bytes {
        /// Where.
        address: Address,
        /// How many.
        bytes: Word,
        /// They have come.
        came: bool,
    },
    /// `test_wait` and `try_wait`: whether a phase is over.
    Wait {
        /// Where.
        address: Address,
        /// The answer.
        d: Predicate,
        /// The phase: the state (a pair) that an arrival gave, or its parity (a word).
        phase: u16,
        /// It is a parity.
        parity: bool,
        /// `Acquire` or `Relaxed`.
        order: Order,
        /// `try_wait`: the most nanoseconds that it may take; may be `NONE`.
        limit: Word,
    },
    /// `pending_count`: arrivals that were missing in a state.
    Pending {
        /// The number.
        d: Word,
        /// The state.
        state: Pair,
    },
}
