//! Stops what a thread's workers do: for whoever judges again before the last answer is there.
//!
//! A thread that judges installs an [`Interrupt`]; any other thread may ask for it. The worker that is busy is then
//! killed, and every further request fails, until the judging thread begins anew. What such a check reports says
//! nothing about the kernel: who interrupted it throws it away.

use std::{
    cell::RefCell,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use rustix::process::{Pid, Signal, kill_process_group};

/// One thread's.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    asked: bool,
    /// Workers that owe an answer. Each is here only while its number cannot be anybody else's.
    busy: Vec<Pid>,
}

thread_local! {
    static INSTALLED: RefCell<Option<Interrupt>> = const { RefCell::new(None) };
}

impl Interrupt {
    /// Makes this the one that stops the calling thread's workers.
    pub fn install(&self) {
        INSTALLED.with_borrow_mut(|installed| *installed = Some(self.clone()));
    }

    /// Stops them, and refuses what this thread asks for until another one is installed.
    pub fn interrupt(&self) {
        let mut state = self.state();
        state.asked = true;
        for process in state.busy.drain(..) {
            let _ = kill_process_group(process, Signal::KILL);
        }
    }

    /// Whether what was judged since the last beginning is worth nothing.
    pub fn is_asked(&self) -> bool {
        self.state().asked
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Notes that a worker of this thread owes an answer; false where it is not to be asked at all.
pub(super) fn may_ask(process: Pid) -> bool {
    INSTALLED.with_borrow(|installed| {
        let Some(interrupt) = installed else { return true };
        let mut state = interrupt.state();
        if !state.asked {
            state.busy.push(process);
        }
        !state.asked
    })
}

/// Whether this thread's workers are to stop, and it with them.
pub(super) fn is_asked() -> bool {
    INSTALLED
        .try_with(|installed| installed.borrow().as_ref().is_some_and(Interrupt::is_asked))
        .unwrap_or(false)
}

/// Notes that it owes nothing any more. Called before its exit status is taken: from then on its number may be
/// another's.
pub(super) fn owes_nothing(process: Pid) {
    // A thread that ends takes its workers that are ready with it, perhaps after what was installed.
    let _ = INSTALLED.try_with(|installed| {
        if let Some(interrupt) = &*installed.borrow() {
            interrupt.state().busy.retain(|busy| *busy != process);
        }
    });
}
