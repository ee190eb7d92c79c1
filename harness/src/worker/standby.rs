//! Workers that are started before they are needed, for whoever judges again and again.
//!
//! A worker serves one check of one kernel, here as everywhere: what a kernel does to it must not reach the next, and
//! its limits are for one. What takes long is what is the same every time: starting it, loading the compiler. So the
//! *next* worker is started while nobody waits, and is given a request of no consequence to warm up on. It is
//! confined by that already.

use std::cell::RefCell;

use serde::Serialize;

use super::{Limits, Worker, WorkerKind, wire};

/// What a thread keeps ready.
#[derive(Default)]
struct Standby {
    /// What was used and will be again.
    wanted: Vec<Wanted>,
    ready: Vec<Worker>,
}

struct Wanted {
    kind: WorkerKind,
    limits: Limits,
    /// A request that changes nothing, encoded.
    warm_up: Vec<u8>,
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
        let Some(Standby { wanted, ready }) = standby else { return };
        for Wanted { kind, limits, warm_up } in wanted {
            if ready.iter().any(|worker| worker.is_for(*kind, limits)) {
                continue;
            }
            // Without it the next request starts its own, and says why it can't.
            if let Ok(mut worker) = Worker::start(*kind, limits)
                && worker.warm_up(warm_up).is_ok()
            {
                ready.push(worker);
            }
        }
    });
}

/// Says on what a worker of this kind can warm up. Nothing happens on a thread that keeps none.
pub(crate) fn want<Q: Serialize>(kind: WorkerKind, limits: &Limits, warm_up: impl FnOnce() -> Q) {
    STANDBY.with_borrow_mut(|standby| {
        let Some(Standby { wanted, .. }) = standby else { return };
        if wanted.iter().any(|known| known.kind == kind && known.limits == *limits) {
            return;
        }
        // What can't be encoded is said where it is asked.
        if let Ok(warm_up) = wire::encode(&warm_up()) {
            wanted.push(Wanted { kind, limits: limits.clone(), warm_up });
        }
    });
}

/// A worker that is ready, if there is one and it still lives.
pub(super) fn take(kind: WorkerKind, limits: &Limits) -> Option<Worker> {
    STANDBY.with_borrow_mut(|standby| {
        let ready = &mut standby.as_mut()?.ready;
        let at = ready.iter().position(|worker| worker.is_for(kind, limits))?;
        Some(ready.swap_remove(at)).filter(Worker::lives)
    })
}
