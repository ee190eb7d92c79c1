//! Judges what a class has handed in: each different kernel once, on all cores, until all is done or somebody interrupts.
//!
//! Whatever a submission does, it costs at most its own row. What the judge could not do is tried again before it
//! becomes a judge error, which is no grade.

use std::{
    collections::HashMap,
    convert::Infallible,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Mutex, PoisonError,
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
    row::{Outcome, Row},
    store::Store,
};
use crate::exit::{Result, Trouble};

/// How often the judge tries again what it could not do.
const TRIES: usize = 3;
/// How often the waiting thread looks up.
const GLANCE: Duration = Duration::from_millis(100);

/// What all submissions have in common.
#[derive(Clone, Copy)]
pub struct Judging<'a> {
    /// What grades have in common.
    pub header: &'a Header,
    /// Where kernels run.
    pub devices: &'a Devices,
    /// What compiles them.
    pub toolchain: &'a Toolchain,
    /// How many kernels at a time.
    pub jobs: usize,
}

/// A kernel that somebody handed in.
#[derive(Clone, Debug)]
pub struct HandedIn<'a> {
    /// The student.
    pub student: &'a str,
    /// The exercise's place in the course.
    pub exercise: usize,
    /// The kernel's text.
    pub source: &'a str,
}

/// One judgement to make, and for whom.
struct Job<'a> {
    exercise: &'a dyn Exercise,
    source: &'a str,
    key: String,
    students: Vec<&'a str>,
}

impl Judging<'_> {
    /// Judges what the store has no judgement of, and keeps each row as soon as it is done. Who interrupts it does not
    /// wait for the kernels at work: the program ends by `end`, and their workers with it.
    ///
    /// # Errors
    /// Nothing can be written any more. What was kept is kept.
    pub fn all(
        &self,
        exercises: &[&dyn Exercise],
        handed_in: &[HandedIn<'_>],
        store: &Mutex<Store>,
        interrupted: &AtomicBool,
        end: &dyn Fn(usize, usize) -> Infallible,
    ) -> Result<()> {
        let jobs = self.jobs(exercises, handed_in, &mut locked(store))?;
        let rows = jobs.iter().map(|job| job.students.len()).sum();
        let done = AtomicUsize::new(0);
        let mut progress = Progress::of(rows);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.jobs).build();
        let pool =
            pool.map_err(|error| Trouble::judge(format!("no threads: {error}"), "end other programs"))?;
        let one = |job: &Job<'_>| -> Result<()> {
            let (rows, report) = self.judged(job);
            locked(store).keep(&rows, report.as_ref(), None)?;
            done.fetch_add(rows.len(), Ordering::Relaxed);
            Ok(())
        };
        let ended = thread::scope(|scope| {
            // One at a time from the front: a slow kernel keeps nobody waiting who is not behind it.
            let run = || pool.install(|| jobs.par_iter().with_max_len(1).try_for_each(one));
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
                    end(done, rows);
                }
                progress.show(done, Instant::now());
                thread::sleep(GLANCE);
            }
        });
        progress.end();
        ended
    }

    /// What is to be judged: identical kernels are one job. Rows whose judgement is there already are kept at once.
    fn jobs<'a>(
        &self,
        exercises: &[&'a dyn Exercise],
        handed_in: &[HandedIn<'a>],
        store: &mut Store,
    ) -> Result<Vec<Job<'a>>> {
        let mut jobs: Vec<Job<'a>> = Vec::new();
        let mut place: HashMap<String, usize> = HashMap::new();
        for each in handed_in {
            let exercise = exercises[each.exercise];
            let key = self.header.key(exercise.id(), each.source);
            let owner = (each.student.to_owned(), exercise.id().to_owned());
            let is_done = |row: &Row| row.key == key && row.outcome == Outcome::Graded;
            if store.row(&owner).is_some_and(is_done) && store.has(&key) {
                continue;
            }
            match place.get(&key) {
                Some(&at) => jobs[at].students.push(each.student),
                None => {
                    place.insert(key.clone(), jobs.len());
                    jobs.push(Job { exercise, source: each.source, key, students: vec![each.student] });
                }
            }
        }
        let mut left = Vec::new();
        for job in jobs {
            match store.report(&job.key) {
                Some(report) if report.judge_error.is_none() => store.keep(&job.rows(&report), None, None)?,
                _ => left.push(job),
            }
        }
        Ok(left)
    }

    fn judged(&self, job: &Job<'_>) -> (Vec<Row>, Option<Report>) {
        let mut tries = 0;
        loop {
            tries += 1;
            match self.report(job.exercise, job.source) {
                // A moment's trouble of the machine is no reason to leave a row open.
                Some(report) if report.judge_error.is_some() && tries < TRIES => {}
                Some(report) => {
                    return (job.rows(&report), Some(report).filter(|report| report.judge_error.is_none()));
                }
                None if tries < TRIES => {}
                None => {
                    let reason = "the judge panicked; this is a defect of the grader";
                    let row = |student: &&str| {
                        let (id, key) = (job.exercise.id(), job.key.clone());
                        Row::without_report(student, id, key, Outcome::JudgeError, reason.to_owned())
                    };
                    return (job.students.iter().map(row).collect(), None);
                }
            }
        }
    }

    /// Judges one kernel; none where the judge panicked.
    pub fn report(&self, exercise: &dyn Exercise, source: &str) -> Option<Report> {
        // The same for all who hand in the same, so that it is judged once.
        let kernel = Kernel { path: format!("{}/kernel.cu", exercise.id()), source: source.to_owned() };
        let mut options = CheckOptions {
            device: match &self.devices.gpu {
                Some(gpu) => DeviceChoice::Gpu(Some(gpu.index)),
                None => DeviceChoice::Simulator(Some(self.devices.profile.name.to_owned())),
            },
            seed: Some(self.header.seed),
            // Where all cores have a kernel each, one is right.
            threads: if self.jobs == 1 { 0 } else { 1 },
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

impl Job<'_> {
    fn rows(&self, report: &Report) -> Vec<Row> {
        self.students.iter().map(|student| Row::of(student, self.key.clone(), report)).collect()
    }
}

/// The store, whoever panicked while holding it: what it keeps, it keeps whole.
pub fn locked(store: &Mutex<Store>) -> std::sync::MutexGuard<'_, Store> {
    store.lock().unwrap_or_else(PoisonError::into_inner)
}
