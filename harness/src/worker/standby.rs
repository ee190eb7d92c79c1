//! Workers that are started before they are needed, for whoever judges again and again.
//!
//! A worker serves one check of one kernel, here as everywhere: what a kernel does to it must not reach the next, and
//! its limits are for one. What takes long is what is the same every time: starting it, loading the compiler. So the
//! *next* worker is started while nobody waits, and is given a request of no consequence to warm up on. It is
//! confined by that already. Of a kind that one check takes several of, as many are made ready.

use std::{cell::RefCell, thread::JoinHandle};

use serde::Serialize;

use super::{Limits, Worker, WorkerKind, wire};

/// What a thread keeps ready.
#[derive(Default)]
struct Standby {
    /// What was used and will be again.
    wanted: Vec<Wanted>,
    ready: Vec<Worker>,
    /// Each ends once a worker that was killed is gone.
    retired: Vec<JoinHandle<()>>,
}

struct Wanted {
    kind: WorkerKind,
    limits: Limits,
    /// A request that changes nothing, encoded.
    warm_up: Vec<u8>,
    /// How many are made ready at the most.
    at_most: usize,
    /// How many were asked for since the last refill, and the most that ever were.
    used: usize,
    most: usize,
}

thread_local! {
    static STANDBY: RefCell<Option<Standby>> = const { RefCell::new(None) };
}

/// From now on the calling thread keeps the next worker of every kind that it uses ready: [`refill`] starts them.
pub fn keep() {
    STANDBY.with_borrow_mut(|standby| {
        standby.get_or_insert_default();
    });
}

/// Starts what the calling thread has used up. Does not wait for it.
pub fn refill() {
    STANDBY.with_borrow_mut(|standby| {
        let Some(Standby { wanted, ready, .. }) = standby else { return };
        ready.retain(Worker::lives);
        for wanted in wanted {
            wanted.most = wanted.most.max(std::mem::take(&mut wanted.used)).clamp(1, wanted.at_most);
            let Wanted { kind, limits, warm_up, most, .. } = wanted;
            let there = ready.iter().filter(|worker| worker.is_for(*kind, limits)).count();
            for _ in there..*most {
                // Without it the next request starts its own, and says why it can't.
                if let Ok(mut worker) = Worker::start(*kind, limits)
                    && worker.warm_up(warm_up).is_ok()
                {
                    ready.push(worker);
                }
            }
        }
    });
}

/// Waits until all workers are gone that this thread was done with: a GPU's memory is then free again, and nothing
/// disturbs what is timed.
pub fn settle() {
    let retired =
        STANDBY.with_borrow_mut(|standby| standby.as_mut().map(|kept| std::mem::take(&mut kept.retired)));
    for reaper in retired.into_iter().flatten() {
        // It can't panic.
        let _ = reaper.join();
    }
}

/// Whether the calling thread keeps workers ready. Not while it ends, nor while it is about to start some.
pub(super) fn is_kept() -> bool {
    let kept =
        |standby: &RefCell<Option<Standby>>| standby.try_borrow().is_ok_and(|standby| standby.is_some());
    STANDBY.try_with(kept).unwrap_or(false)
}

/// Notes who waits for a worker that was killed.
pub(super) fn retired(reaper: JoinHandle<()>) {
    STANDBY.with_borrow_mut(|standby| {
        if let Some(Standby { retired, .. }) = standby {
            retired.retain(|reaper| !reaper.is_finished());
            retired.push(reaper);
        }
    });
}

/// Says on what a worker of this kind can warm up, of which at most so many are to be ready. Nothing happens on a
/// thread that keeps none.
pub(crate) fn want<Q: Serialize>(
    kind: WorkerKind,
    limits: &Limits,
    at_most: usize,
    warm_up: impl FnOnce() -> Q,
) {
    STANDBY.with_borrow_mut(|standby| {
        let Some(Standby { wanted, .. }) = standby else { return };
        if wanted.iter().any(|known| known.kind == kind && known.limits.same_process(limits)) {
            return;
        }
        // What can't be encoded is said where it is asked.
        if let Ok(warm_up) = wire::encode(&warm_up()) {
            wanted.push(Wanted { kind, limits: limits.clone(), warm_up, at_most, used: 0, most: 1 });
        }
    });
}

/// A worker that is ready, if there is one and it still lives.
pub(crate) fn take(kind: WorkerKind, limits: &Limits) -> Option<Worker> {
    STANDBY.with_borrow_mut(|standby| {
        let Standby { wanted, ready, .. } = standby.as_mut()?;
        let wanted = wanted.iter_mut().find(|known| known.kind == kind && known.limits.same_process(limits));
        wanted?.used += 1;
        let at = ready.iter().position(|worker| worker.is_for(kind, limits))?;
        let worker = ready.swap_remove(at);
        worker.lives().then(|| worker.with_clock(limits))
    })
}
