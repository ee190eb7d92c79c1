//! What workers cost: the processor time of their processes, by what it went into.
//!
//! Every line of a worker's says what its process has taken so far. What a worker takes that is killed before its answer,
//! and what the system takes to end a process, is not in it.

use std::{
    cell::Cell,
    sync::atomic::{AtomicU64, Ordering},
};

use rustix::time::{ClockId, clock_gettime};
use serde::{Deserialize, Serialize};

use super::WorkerKind;

/// Processor time of workers, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Spent {
    /// Loading the compiler, and compiling.
    pub compiling: f64,
    /// Executing plans.
    pub running: f64,
    /// Starting processes and shutting them in.
    pub confining: f64,
}

impl Spent {
    /// All of it.
    pub fn total(&self) -> f64 {
        self.compiling + self.running + self.confining
    }

    /// What was spent since an earlier time.
    pub fn since(&self, earlier: &Spent) -> Spent {
        Spent {
            compiling: self.compiling - earlier.compiling,
            running: self.running - earlier.running,
            confining: self.confining - earlier.confining,
        }
    }
}

impl std::ops::AddAssign for Spent {
    fn add_assign(&mut self, more: Spent) {
        self.compiling += more.compiling;
        self.running += more.running;
        self.confining += more.confining;
    }
}

thread_local! {
    static SPENT: Cell<Spent> = const { Cell::new(Spent { compiling: 0.0, running: 0.0, confining: 0.0 }) };
}

/// What the workers have spent so far that answered the calling thread.
pub fn spent() -> Spent {
    SPENT.get()
}

/// What one process has taken since it was started, in microseconds of processor time.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct Taken {
    all: u64,
    confining: u64,
}

/// How much of this worker's time went into its start and into shutting it in.
static CONFINING: AtomicU64 = AtomicU64::new(0);

/// Microseconds of processor time of this process, all threads together.
fn processor() -> u64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec.unsigned_abs() * 1_000_000 + time.tv_nsec.unsigned_abs() / 1_000
}

/// In a worker: what it has taken until now went into its start.
pub(super) fn started() {
    CONFINING.store(processor(), Ordering::Relaxed);
}

/// In a worker: does what shuts it in.
pub(super) fn while_confining<T>(f: impl FnOnce() -> T) -> T {
    let before = processor();
    let done = f();
    CONFINING.fetch_add(processor().saturating_sub(before), Ordering::Relaxed);
    done
}

/// In a worker: what it has taken until now.
pub(super) fn taken() -> Taken {
    Taken { all: processor(), confining: CONFINING.load(Ordering::Relaxed) }
}

/// In the judge: notes what a worker says it has taken, which it said before to be less.
pub(super) fn note(kind: WorkerKind, before: Taken, now: Taken) {
    let seconds = |before: u64, now: u64| now.saturating_sub(before) as f64 / 1e6;
    let confining = seconds(before.confining, now.confining);
    let rest = (seconds(before.all, now.all) - confining).max(0.0);
    let mut more = Spent { confining, ..Spent::default() };
    match kind {
        WorkerKind::Compile => more.compiling = rest,
        WorkerKind::Run => more.running = rest,
        WorkerKind::Probe => {}
    }
    let mut spent = SPENT.get();
    spent += more;
    SPENT.set(spent);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_answer_counts_only_what_it_took_itself() {
        let before = spent();
        let [first, second] =
            [(4_000_000, 1_000_000), (9_000_000, 1_000_000)].map(|(all, confining)| Taken { all, confining });
        note(WorkerKind::Compile, Taken::default(), first);
        note(WorkerKind::Run, first, second);
        let spent = spent().since(&before);
        assert_eq!(spent, Spent { compiling: 3.0, running: 5.0, confining: 1.0 });
        assert_eq!(spent.total(), 9.0);
    }
}
