//! Programs that this one starts and that end with it: who ends an author's tool, by Ctrl-C or because the system asks,
//! leaves nothing at work behind, and no folder either.
//!
//! Ctrl-C reaches every program of a terminal by itself; a request to end (SIGTERM) reaches this one alone, so it is
//! passed on. What was started then ends as it does when it is asked itself, and whoever waits for it goes on to the end.

use std::{
    io,
    process::{Child, Command, ExitStatus},
    sync::{
        Mutex, MutexGuard, Once, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use rustix::process::{Pid, Signal, kill_process};

/// A program that was started, until its end is known.
#[derive(Debug)]
pub struct Program {
    child: Child,
    id: Pid,
}

/// The programs at work. Each is here only while its number cannot be anybody else's.
static AT_WORK: Mutex<Vec<Pid>> = Mutex::new(Vec::new());
static ASKED: AtomicBool = AtomicBool::new(false);
static HANDLER: Once = Once::new();

/// Whether this program was asked to end while one that it had started was at work.
pub fn is_asked_to_end() -> bool {
    ASKED.load(Ordering::Relaxed)
}

impl Program {
    /// Starts it.
    ///
    /// # Errors
    /// As starting a program.
    pub fn start(command: &mut Command) -> io::Result<Self> {
        HANDLER.call_once(|| {
            // Without a handler this program ends at once, and the others when they are done.
            let _ = ctrlc::set_handler(pass_on);
        });
        // Whoever asks meanwhile waits until it is known.
        let mut at_work = at_work();
        let child = command.spawn()?;
        let id = Pid::from_child(&child);
        at_work.push(id);
        Ok(Program { child, id })
    }

    /// Its number.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// How it ended; none while it runs.
    ///
    /// # Errors
    /// As waiting.
    pub fn ended(&mut self) -> io::Result<Option<ExitStatus>> {
        let mut at_work = at_work();
        let ended = self.child.try_wait()?;
        if ended.is_some() {
            at_work.retain(|id| *id != self.id);
        }
        Ok(ended)
    }

    /// Ends it at once, as a crash would, and waits until it is gone.
    ///
    /// # Errors
    /// As waiting.
    pub fn kill(&mut self) -> io::Result<ExitStatus> {
        let mut at_work = at_work();
        self.child.kill()?;
        let ended = self.child.wait()?;
        at_work.retain(|id| *id != self.id);
        Ok(ended)
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.kill();
    }
}

fn at_work() -> MutexGuard<'static, Vec<Pid>> {
    AT_WORK.lock().unwrap_or_else(PoisonError::into_inner)
}

fn pass_on() {
    ASKED.store(true, Ordering::Relaxed);
    let at_work = at_work();
    if at_work.is_empty() {
        std::process::exit(ENDED);
    }
    for id in &*at_work {
        let _ = kill_process(*id, Signal::TERM);
    }
}

/// The shell's number for a program that SIGTERM ended.
const ENDED: i32 = 143;
