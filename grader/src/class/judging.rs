//! Judges what a class has handed in: each different kernel once, on all cores, until all is done or somebody interrupts.
//!
//! Whatever a submission does, it costs at most its own row. What the judge could not do is tried again before it
//! becomes a judge error, which is no grade.

use std::{
    convert::Infallible,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use harness::{
    device::{DeviceChoice, Devices},
    exercise::Exercise,
    judge::{self, CheckOptions, Kernel},
    report::Report,
    toolchain::Toolchain,
};
use rayon::prelude::*;

use super::{
    header::Header,
    progress::Progress,
    rows::{Broken, Rows, Wanted},
    store::Store,
    turns::Floor,
};
use crate::{
    exit::{Result, Trouble},
    terminal::remark,
};

/// How often what is left is gone through: what the judge could not do at a moment of trouble it may do at the end, and
/// what a GPU timed that drifted is timed elsewhere.
const ROUNDS: usize = 3;
/// How often the waiting thread looks up.
const GLANCE: Duration = Duration::from_millis(100);

/// What all submissions have in common.
pub struct Judging<'a> {
    /// What grades have in common.
    pub header: &'a Header,
    /// Where kernels run.
    pub devices: &'a Devices,
    /// What compiles them.
    pub toolchain: &'a Toolchain,
    /// How many kernels at a time are compiled and simulated.
    pub jobs: usize,
    /// Threads of each that is simulated; 0 for one per core.
    pub threads: usize,
    /// How many GPUs time them.
    pub gpus: usize,
    /// Whose turn it is.
    pub floor: Arc<Floor>,
}

impl Judging<'_> {
    /// Judges what the store has no judgement of, and keeps each judgement and the rows that it makes known as soon as it is
    /// done. Who interrupts it does not wait for the kernels at work: the program ends by `end`, and their workers with it.
    ///
    /// # Errors
    /// Nothing can be written any more. What was kept is kept.
    pub fn all(
        &self,
        rows: &Rows<'_>,
        store: &Mutex<Store>,
        interrupted: &AtomicBool,
        end: &dyn Fn(usize, usize) -> Infallible,
    ) -> Result<()> {
        for _ in 0..ROUNDS {
            let wanted = rows.wanted(&locked(store));
            if wanted.is_empty() {
                break;
            }
            self.round(&wanted, rows, store, interrupted, end)?;
        }
        Ok(())
    }

    fn round(
        &self,
        wanted: &[Wanted<'_>],
        rows: &Rows<'_>,
        store: &Mutex<Store>,
        interrupted: &AtomicBool,
        end: &dyn Fn(usize, usize) -> Infallible,
    ) -> Result<()> {
        let count = wanted.iter().map(|wanted| wanted.rows).sum();
        let done = AtomicUsize::new(0);
        let broken = Mutex::new(Broken::new());
        let mut progress = Progress::of(count);
        // Besides those that compute, some wait for a GPU or have one.
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.jobs + 2 * self.gpus).build();
        let pool =
            pool.map_err(|error| Trouble::judge(format!("no threads: {error}"), "end other programs"))?;
        let one = |wanted: &Wanted<'_>| -> Result<()> {
            let judged = self.judged(wanted);
            let mut broken = broken.lock().unwrap_or_else(PoisonError::into_inner);
            let mut store = locked(store);
            match judged {
                Ok(report) => store.keep_judgement(&wanted.key, &report, self.gpus == 0)?,
                Err(why) => drop(broken.insert(wanted.key.clone(), why)),
            }
            let known = rows.after(&wanted.key, &store, &broken);
            store.keep(&known.changed, None)?;
            store.remember(&known.same)?;
            self.settle(&mut store)?;
            done.fetch_add(wanted.rows, Ordering::Relaxed);
            Ok(())
        };
        let ended = thread::scope(|scope| {
            // One at a time from the front: a slow kernel keeps nobody waiting who is not behind it.
            let run = || pool.install(|| wanted.par_iter().with_max_len(1).try_for_each(one));
            let work = scope.spawn(run);
            loop {
                if work.is_finished() {
                    let panicked =
                        || Trouble::judge("a thread of the judge panicked", "report this as a bug");
                    return work.join().map_err(|_| panicked()).and_then(|ended| ended);
                }
                let done = done.load(Ordering::Relaxed);
                if interrupted.load(Ordering::Relaxed) {
                    progress.end();
                    end(done, count);
                }
                progress.show(done, Instant::now());
                thread::sleep(GLANCE);
            }
        });
        progress.end();
        self.floor.close();
        self.settle(&mut locked(store))?;
        ended
    }

    /// Takes over what is known of the GPUs that judgements came from.
    fn settle(&self, store: &mut Store) -> Result<()> {
        let settled = self.floor.settled();
        settled.told.iter().for_each(|said| remark(said));
        store.confirm(&settled.confirmed)?;
        store.withdraw_judgements(&settled.again)
    }

    /// A judgement, or why there is none.
    fn judged(&self, wanted: &Wanted<'_>) -> Result<Report, String> {
        match self.report_of(&wanted.key, wanted.exercise, wanted.source) {
            Some(Report { judge_error: Some(error), .. }) => Err(error),
            Some(report) => Ok(report),
            None => Err("the judge panicked; this is a defect of the grader".to_owned()),
        }
    }

    /// Judges one kernel; none where the judge panicked.
    pub fn report(&self, exercise: &dyn Exercise, source: &str) -> Option<Report> {
        self.report_of(&self.header.key(exercise.id(), source), exercise, source)
    }

    fn report_of(&self, key: &str, exercise: &dyn Exercise, source: &str) -> Option<Report> {
        // The same for all who hand in the same, so that it is judged once.
        let kernel = Kernel { path: format!("{}/kernel.cu", exercise.id()), source: source.to_owned() };
        let mut options = CheckOptions {
            device: match &self.devices.gpu {
                Some(gpu) => DeviceChoice::Gpu(Some(gpu.index)),
                None => DeviceChoice::Simulator(Some(self.devices.profile.name.to_owned())),
            },
            seed: Some(self.header.seed),
            threads: self.threads,
            turns: Some(self.floor.turns(key)),
            toolchain: Some(self.toolchain.clone()),
            ..CheckOptions::default()
        };
        if let Some(asked) = self.header.speed.get(exercise.id()) {
            asked.set(&mut options);
        }
        let judged = catch_unwind(AssertUnwindSafe(|| judge::check(exercise, &kernel, &options, &|_| {})));
        let mut report = judged.ok()?;
        self.refuse_other_compiler(&mut report);
        Some(report)
    }

    /// Grades of two compilers don't compare.
    fn refuse_other_compiler(&self, report: &mut Report) {
        if !report.compiler.is_empty() && !report.compiler.starts_with(&self.header.compiler) {
            report.judge_error = Some(format!(
                "compiled by {}, but the other submissions by {}",
                report.compiler, self.header.compiler
            ));
        }
    }
}

/// The store, whoever panicked while holding it: what it keeps, it keeps whole.
pub fn locked(store: &Mutex<Store>) -> std::sync::MutexGuard<'_, Store> {
    store.lock().unwrap_or_else(PoisonError::into_inner)
}
