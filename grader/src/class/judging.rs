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
    worker::spent,
};
use rayon::prelude::*;

use super::{
    header::Header,
    progress::Progress,
    rows::{Broken, Rows, Wanted},
    store::{Store, hash_of},
    took::Took,
    turns::{Floor, Standing},
};
use crate::{
    exit::{Result, Trouble},
    terminal::remark,
};

/// How often what is left is gone through: what the judge could not do at a moment of trouble it may do at the end, and
/// what a GPU timed that drifted is timed elsewhere.
const ROUNDS: usize = 3;
/// Why a kernel has no judgement that holds, though none of them failed.
const DRIFTED: &str = "every GPU that timed this kernel drifted, and was set aside: no time of it holds";
/// How often the waiting thread looks up.
const GLANCE: Duration = Duration::from_millis(100);

/// Judges a kernel, or says why it can't.
type Judge<'a> = &'a (dyn Fn(&Wanted<'_>) -> Result<Report, String> + Sync);

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
    /// done. Gives what that took. Who interrupts it does not wait for the kernels at work: the program ends by `end`, and
    /// their workers with it.
    /// What has no judgement that holds at the end is a judge error, whatever its row was before.
    ///
    /// # Errors
    /// Nothing can be written any more. What was kept is kept.
    pub fn all(
        &self,
        rows: &Rows<'_>,
        store: &Mutex<Store>,
        interrupted: &AtomicBool,
        end: &dyn Fn(usize, usize) -> Infallible,
    ) -> Result<Took> {
        self.all_by(&|wanted| self.judged(wanted), rows, store, interrupted, end)
    }

    /// The same by any way to judge a kernel.
    fn all_by(
        &self,
        judge: Judge<'_>,
        rows: &Rows<'_>,
        store: &Mutex<Store>,
        interrupted: &AtomicBool,
        end: &dyn Fn(usize, usize) -> Infallible,
    ) -> Result<Took> {
        let mut broken = Broken::new();
        let mut took = Took::default();
        for _ in 0..ROUNDS {
            let wanted = rows.wanted(&locked(store));
            if wanted.is_empty() {
                return Ok(took);
            }
            broken = self.round((judge, &mut took), &wanted, rows, store, interrupted, end)?;
        }
        let store = &mut *locked(store);
        for Wanted { key, .. } in rows.wanted(store) {
            broken.entry(key.clone()).or_insert_with(|| DRIFTED.to_owned());
            let known = rows.after(&key, store, &broken);
            store.keep(&known.changed, None)?;
            store.remember(&known.same)?;
        }
        Ok(took)
    }

    /// Goes once through what is wanted, and gives why some of it could not be judged.
    fn round(
        &self,
        (judge, took): (Judge<'_>, &mut Took),
        wanted: &[Wanted<'_>],
        rows: &Rows<'_>,
        store: &Mutex<Store>,
        interrupted: &AtomicBool,
        end: &dyn Fn(usize, usize) -> Infallible,
    ) -> Result<Broken> {
        let count = wanted.iter().map(|wanted| wanted.rows).sum();
        let done = AtomicUsize::new(0);
        let broken = Mutex::new(Broken::new());
        let took = Mutex::new(took);
        let mut progress = Progress::of(count);
        // Besides those that compute, some wait for a GPU or have one.
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.jobs + 2 * self.gpus).build();
        let pool =
            pool.map_err(|error| Trouble::judge(format!("no threads: {error}"), "end other programs"))?;
        let one = |wanted: &Wanted<'_>| -> Result<()> {
            let before = spent();
            let judged = judge(wanted);
            let mut broken = broken.lock().unwrap_or_else(PoisonError::into_inner);
            let mut store = locked(store);
            let kernel = hash_of(wanted.source.as_bytes());
            let mut all = took.lock().unwrap_or_else(PoisonError::into_inner);
            all.add(wanted.exercise.id(), &kernel, spent().since(&before));
            drop(all);
            match judged {
                Ok(report) => {
                    let standing = self.floor.standing(&wanted.key);
                    let holds = matches!(standing, Standing::Untimed | Standing::Confirmed);
                    store.keep_judgement(&wanted.key, &report, holds)?;
                }
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
        ended?;
        Ok(broken.into_inner().unwrap_or_else(PoisonError::into_inner))
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

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, fs};

    use harness::device::GpuInfo;

    use super::*;
    use crate::{
        class::{
            intake::{Intake, Wishes, begin::Begun},
            row::{Outcome, Row},
            turns::Gauge,
        },
        course::Course,
        made_up::{self, gpu},
        sample::passed,
    };

    /// GPUs of which all but one are slower at their second reading.
    #[derive(Debug)]
    struct Drifting {
        steady: Option<u32>,
        seen: Mutex<BTreeSet<u32>>,
    }

    impl Gauge for Drifting {
        fn read(&self, gpu: &GpuInfo) -> Result<f64, String> {
            let is_first = self.seen.lock().unwrap().insert(gpu.index);
            Ok(if is_first || self.steady == Some(gpu.index) { 100.0 } else { 150.0 })
        }
    }

    /// What stands in for judging: the try's number, the floor, what is wanted.
    type Judge = dyn Fn(usize, &Arc<Floor>, &Wanted<'_>) -> Result<(), String> + Sync;

    /// The row of one kernel that is judged so on so many GPUs, and how often it was judged.
    fn judged(gpus: u32, steady: Option<u32>, judge: &Judge) -> (Row, usize) {
        let folder = tempfile::tempdir().unwrap();
        let exercise = folder.path().join("class/ada/03-reduction");
        fs::create_dir_all(&exercise).unwrap();
        fs::write(exercise.join("kernel.cu"), "// of ada\n").unwrap();
        let known = Course { exercises: course::COURSE };
        let exercises = vec![known.find("03-reduction").unwrap()];
        let wishes = Wishes {
            course: Course { exercises: &exercises },
            known,
            layout: None,
            exercise: None,
            roster: None,
            attempts: Default::default(),
            own: &[],
        };
        let intake = Intake::gather(&folder.path().join("class"), wishes).unwrap();
        let begun = Begun {
            intake,
            exercises,
            assignment: None,
            text: None,
            attempts: Default::default(),
            cutoff: None,
            seed: None,
        };
        let header = Header::new("j".into(), "c".into(), "gpu".into(), 7, "now".into());
        let rows = Rows::of(&begun, &header);
        let store = Mutex::new(Store::create(folder.path(), &header).unwrap());
        let gauge = Drifting { steady, seen: Mutex::new(BTreeSet::new()) };
        let floor = Floor::new(1, (0..gpus).map(gpu).collect(), Box::new(gauge));
        let devices = Devices::resolve(&DeviceChoice::Simulator(None)).unwrap();
        let toolchain = made_up::toolchain();
        let judging = Judging {
            header: &header,
            devices: &devices,
            toolchain: &toolchain,
            jobs: 1,
            threads: 1,
            gpus: gpus as usize,
            floor: floor.clone(),
        };
        let times = AtomicUsize::new(0);
        let by = |wanted: &Wanted<'_>| -> Result<Report, String> {
            judge(times.fetch_add(1, Ordering::Relaxed), &floor, wanted)?;
            Ok(Report { source: wanted.source.to_owned(), ..passed() })
        };
        let end = |_: usize, _: usize| -> Infallible { unreachable!("nothing interrupts it") };
        judging.all_by(&by, &rows, &store, &AtomicBool::new(false), &end).unwrap();
        let row = locked(&store).rows().next().cloned().unwrap();
        (row, times.into_inner())
    }

    /// Takes a turn at a GPU.
    fn timed(_: usize, floor: &Arc<Floor>, wanted: &Wanted<'_>) -> Result<(), String> {
        floor.turns(&wanted.key).gpu().map(drop)
    }

    #[test]
    fn what_only_drifting_gpus_timed_is_no_grade() {
        let (row, times) = judged(3, None, &timed);
        assert_eq!((row.outcome, row.verdict, times), (Outcome::JudgeError, None, 3));
        assert_eq!(row.reason, DRIFTED);
        // The third is steady.
        let (row, times) = judged(3, Some(2), &timed);
        assert_eq!((row.outcome, times), (Outcome::Graded, 3));
    }

    #[test]
    fn a_kernel_that_comes_to_no_gpu_is_judged_once() {
        let (row, times) = judged(1, Some(0), &|_, _, _| Ok(()));
        assert_eq!((row.outcome, times), (Outcome::Graded, 1));
    }

    #[test]
    fn what_the_judge_could_not_do_it_tries_twice_more() {
        let fails = |until: usize| {
            move |time: usize, _: &Arc<Floor>, _: &Wanted<'_>| match time < until {
                true => Err(format!("trouble {time}")),
                false => Ok(()),
            }
        };
        let (row, times) = judged(0, None, &fails(2));
        assert_eq!((row.outcome, times), (Outcome::Graded, 3));
        let (row, times) = judged(0, None, &fails(9));
        assert_eq!((row.outcome, row.reason.as_str(), times), (Outcome::JudgeError, "trouble 2", 3));
    }
}
