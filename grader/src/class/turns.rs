//! Whose turn it is at this machine's cores and GPUs while a class is judged, and whether a GPU still is what it was.
//!
//! Correctness is simulated on all cores; a GPU times one kernel at a time. Each GPU's speed is read before its first
//! kernel, every so often, and after the last, by timing one of the course's own kernels. Where a reading drifts, the GPU is
//! set aside, and what it has timed since its last good reading is judged again elsewhere. This module knows no driver: what
//! reads a GPU is given to it, so that tests can make GPUs up.

use std::{
    any::Any,
    collections::{BTreeMap, BTreeSet},
    fmt,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
};

use harness::{
    device::GpuInfo,
    judge::{GpuTurn, Turns},
    report::number_which,
};

/// After so many kernels a GPU is read again.
const KERNELS_A_READING: usize = 50;
/// A reading that differs by more than this share from the first one is another machine's.
pub const DRIFT: f64 = 0.05;
/// A reading is taken so often before a GPU is set aside.
const READINGS: usize = 3;

/// What reads a GPU.
pub trait Gauge: fmt::Debug + Send + Sync {
    /// The time of the same work as ever, in microseconds.
    ///
    /// # Errors
    /// Why it can't be read, in words.
    fn read(&self, gpu: &GpuInfo) -> Result<f64, String>;
}

/// The machine.
#[derive(Debug)]
pub struct Floor {
    state: Mutex<State>,
    changed: Condvar,
    gauge: Box<dyn Gauge>,
}

#[derive(Debug)]
struct State {
    cores: usize,
    stations: Vec<Station>,
    /// What became known since [`Floor::settled`] was last asked. `standing` can't say it: of a judgement that two GPUs
    /// timed it has the last word only, and where one of them drifted the judgement is taken back all the same.
    confirmed: BTreeSet<String>,
    again: BTreeSet<String>,
    told: Vec<String>,
    /// What is known of each judgement that a GPU timed. A judgement may be kept after its GPU was read.
    standing: BTreeMap<String, Standing>,
}

/// Whether a judgement holds, as far as its GPU decides that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// No GPU timed it: a kernel that does not compile comes to none.
    Untimed,
    /// A GPU timed it, and was not read since.
    Open,
    /// Its GPU was read before and after, and was the same.
    Confirmed,
    /// Its GPU drifted.
    Again,
}

/// A GPU, and what was timed on it.
#[derive(Debug)]
struct Station {
    gpu: GpuInfo,
    busy: bool,
    aside: bool,
    /// The first reading.
    expected: Option<f64>,
    /// Keys of the judgements since the last good reading.
    since: Vec<String>,
}

/// What became of judgements, by their keys, and what is to be told.
#[derive(Debug, Default, PartialEq)]
pub struct Settled {
    /// Their GPU was read before and after, and was the same.
    pub confirmed: BTreeSet<String>,
    /// Their GPU drifted.
    pub again: BTreeSet<String>,
    /// In words.
    pub told: Vec<String>,
}

impl Floor {
    /// A machine with so many cores to judge on, and these GPUs.
    pub fn new(cores: usize, gpus: Vec<GpuInfo>, gauge: Box<dyn Gauge>) -> Arc<Self> {
        let station = |gpu| Station { gpu, busy: false, aside: false, expected: None, since: Vec::new() };
        let stations = gpus.into_iter().map(station).collect();
        let state = State {
            cores: cores.max(1),
            stations,
            confirmed: BTreeSet::new(),
            again: BTreeSet::new(),
            told: Vec::new(),
            standing: BTreeMap::new(),
        };
        Arc::new(Floor { state: Mutex::new(state), changed: Condvar::new(), gauge })
    }

    /// The turns of one judgement.
    pub fn turns(self: &Arc<Self>, key: &str) -> Arc<dyn Turns> {
        Arc::new(Turn { floor: self.clone(), key: key.to_owned() })
    }

    /// How a judgement stands now.
    pub fn standing(&self, key: &str) -> Standing {
        self.lock().standing.get(key).copied().unwrap_or(Standing::Untimed)
    }

    /// What is settled since the last call.
    pub fn settled(&self) -> Settled {
        let mut state = self.lock();
        Settled {
            confirmed: std::mem::take(&mut state.confirmed),
            again: std::mem::take(&mut state.again),
            told: std::mem::take(&mut state.told),
        }
    }

    /// Reads every GPU that has timed anything since its last reading: nobody has a turn any more.
    pub fn close(&self) {
        let count = self.lock().stations.len();
        for at in 0..count {
            if !self.lock().stations[at].since.is_empty() {
                self.read(at);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a GPU that is free, and good.
    fn take(&self) -> Result<usize, String> {
        loop {
            let mut state = self.lock();
            let at = loop {
                if state.stations.iter().all(|station| station.aside) {
                    return Err(
                        "every GPU has drifted and was set aside: speed can't be judged here".to_owned()
                    );
                }
                if let Some(at) = state.stations.iter().position(|station| !station.busy && !station.aside) {
                    break at;
                }
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            };
            let station = &mut state.stations[at];
            station.busy = true;
            let is_due = station.expected.is_none() || station.since.len() >= KERNELS_A_READING;
            drop(state);
            if !is_due || self.read(at) {
                return Ok(at);
            }
        }
    }

    /// Reads a GPU that is ours, and says whether it is good.
    fn read(&self, at: usize) -> bool {
        let (gpu, expected) = {
            let state = self.lock();
            (state.stations[at].gpu.clone(), state.stations[at].expected)
        };
        let mut last = String::new();
        for _ in 0..READINGS {
            match (self.gauge.read(&gpu), expected) {
                (Ok(first), None) if first > 0.0 => return self.is_good(at, first),
                (Ok(first), None) => last = format!("its first reading was {first} µs"),
                (Ok(time), Some(expected)) if (time / expected - 1.0).abs() <= DRIFT => {
                    return self.is_good(at, expected);
                }
                (Ok(time), Some(expected)) => {
                    last = format!("the same work took {expected:.1} µs at first and takes {time:.1} µs now");
                }
                (Err(why), _) => last = why,
            }
        }
        self.set_aside(at, &last);
        false
    }

    fn is_good(&self, at: usize, expected: f64) -> bool {
        let mut state = self.lock();
        let station = &mut state.stations[at];
        station.expected = Some(expected);
        let confirmed = std::mem::take(&mut station.since);
        state.stand(&confirmed, Standing::Confirmed);
        state.confirmed.extend(confirmed);
        true
    }

    fn set_aside(&self, at: usize, why: &str) {
        let mut state = self.lock();
        let station = &mut state.stations[at];
        station.aside = true;
        station.busy = false;
        let again = std::mem::take(&mut station.since);
        let said = format!(
            "{} is set aside: {why}; {} judged again that it timed since its last reading",
            station.gpu.title(),
            number_which(again.len(), "kernel", "is", "are")
        );
        state.stand(&again, Standing::Again);
        state.again.extend(again);
        state.told.push(said);
        self.changed.notify_all();
    }
}

impl State {
    fn stand(&mut self, keys: &[String], standing: Standing) {
        self.standing.extend(keys.iter().map(|key| (key.clone(), standing)));
    }
}

/// The turns of one judgement.
#[derive(Debug)]
struct Turn {
    floor: Arc<Floor>,
    key: String,
}

impl Turns for Turn {
    fn core(&self) -> Box<dyn Any> {
        let mut state = self.floor.lock();
        while state.cores == 0 {
            state = self.floor.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.cores -= 1;
        Box::new(AtEnd::new(&self.floor, |state| state.cores += 1))
    }

    fn gpu(&self) -> Result<GpuTurn, String> {
        let at = self.floor.take()?;
        let gpu = self.floor.lock().stations[at].gpu.clone();
        let key = self.key.clone();
        let end = AtEnd::new(&self.floor, move |state| {
            state.stations[at].busy = false;
            state.standing.insert(key.clone(), Standing::Open);
            state.stations[at].since.push(key);
        });
        Ok(GpuTurn { gpu, end: Box::new(end) })
    }
}

/// Changes the machine's state when it is dropped, whatever ended the turn.
struct AtEnd {
    floor: Arc<Floor>,
    change: Option<Change>,
}

type Change = Box<dyn FnOnce(&mut State)>;

impl AtEnd {
    fn new(floor: &Arc<Floor>, change: impl FnOnce(&mut State) + 'static) -> Self {
        AtEnd { floor: floor.clone(), change: Some(Box::new(change)) }
    }
}

impl Drop for AtEnd {
    fn drop(&mut self) {
        if let Some(change) = self.change.take() {
            change(&mut self.floor.lock());
            self.floor.changed.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        sync::atomic::{AtomicUsize, Ordering},
        thread,
        time::Duration,
    };

    use super::*;
    use crate::made_up::gpu;

    /// What GPUs answer, reading by reading; the last answer goes on.
    #[derive(Debug, Default)]
    struct Answers(Mutex<BTreeMap<u32, Vec<Result<f64, String>>>>);

    impl Gauge for Answers {
        fn read(&self, gpu: &GpuInfo) -> Result<f64, String> {
            let mut all = self.0.lock().unwrap();
            let answers = all.get_mut(&gpu.index).unwrap();
            if answers.len() > 1 { answers.remove(0) } else { answers[0].clone() }
        }
    }

    fn floor(cores: usize, answers: &[&[f64]]) -> Arc<Floor> {
        let all = answers.iter().enumerate().map(|(index, answers)| {
            (index as u32, answers.iter().map(|answer| Ok(*answer)).collect::<Vec<_>>())
        });
        let gpus = (0..answers.len() as u32).map(gpu).collect();
        Floor::new(cores, gpus, Box::new(Answers(Mutex::new(all.collect()))))
    }

    /// Takes turns one after the other, as far as there are any.
    fn work(floor: &Arc<Floor>, keys: std::ops::Range<usize>) -> Vec<Result<u32, String>> {
        let one = |key: usize| Ok(floor.turns(&key.to_string()).gpu()?.gpu.index);
        keys.map(one).collect()
    }

    #[test]
    fn a_steady_gpu_is_confirmed_by_its_next_reading_and_by_the_last() {
        let floor = floor(1, &[&[100.0, 101.0, 99.0]]);
        assert!(work(&floor, 0..KERNELS_A_READING).iter().all(|turn| *turn == Ok(0)));
        assert_eq!(floor.settled(), Settled::default(), "nobody knows yet");
        assert_eq!((floor.standing("0"), floor.standing("x")), (Standing::Open, Standing::Untimed));
        work(&floor, KERNELS_A_READING..KERNELS_A_READING + 1);
        assert_eq!(floor.settled().confirmed.len(), KERNELS_A_READING);
        assert_eq!(floor.standing("0"), Standing::Confirmed);
        floor.close();
        assert_eq!(floor.settled().confirmed, BTreeSet::from([KERNELS_A_READING.to_string()]));
        floor.close();
        assert_eq!(floor.settled(), Settled::default());
    }

    #[test]
    fn what_a_drifting_gpu_timed_is_judged_again_elsewhere() {
        let floor = floor(1, &[&[100.0, 120.0], &[90.0]]);
        // The first is free again after each.
        work(&floor, 0..KERNELS_A_READING);
        assert_eq!(work(&floor, 900..902), [Ok(1), Ok(1)]);
        let settled = floor.settled();
        assert_eq!(settled.again.len(), KERNELS_A_READING);
        assert_eq!(floor.standing("0"), Standing::Again);
        assert!(
            settled.told[0].contains("gpu:0")
                && settled.told[0].contains("100.0 µs at first and takes 120.0 µs")
        );
        floor.close();
        assert_eq!(floor.settled().confirmed.len(), 2);
    }

    #[test]
    fn what_a_drifting_gpu_timed_is_judged_again_though_another_timed_it_too() {
        let floor = floor(1, &[&[100.0, 120.0], &[90.0]]);
        let turns = floor.turns("k");
        let both = [turns.gpu().unwrap(), turns.gpu().unwrap()];
        assert_eq!(both.each_ref().map(|turn| turn.gpu.index), [0, 1]);
        drop(both);
        floor.close();
        assert_eq!(floor.standing("k"), Standing::Confirmed);
        assert_eq!(floor.settled().again, BTreeSet::from(["k".to_owned()]));
    }

    #[test]
    fn one_odd_reading_is_none_and_a_gpu_that_answers_no_more_is_set_aside() {
        let odd = floor(1, &[&[100.0, 150.0, 100.0]]);
        work(&odd, 0..3);
        odd.close();
        assert_eq!((odd.settled().again.len(), work(&odd, 3..4)), (0, vec![Ok(0)]));
        let dead = Floor::new(
            1,
            vec![gpu(0)],
            Box::new(Answers(Mutex::new(BTreeMap::from([(0, vec![Ok(100.0), Err("gone".to_owned())])])))),
        );
        work(&dead, 0..3);
        dead.close();
        let settled = dead.settled();
        assert_eq!((settled.again.len(), settled.confirmed.len()), (3, 0));
        let refused = work(&dead, 3..4).remove(0).unwrap_err();
        assert!(refused.contains("every GPU has drifted"), "{refused}");
    }

    #[test]
    fn no_two_have_one_gpu_and_no_more_work_than_there_are_cores() {
        let floor = floor(2, &[&[1.0], &[1.0], &[1.0]]);
        let (on, cores, most) =
            ([const { AtomicUsize::new(0) }; 3], AtomicUsize::new(0), AtomicUsize::new(0));
        thread::scope(|scope| {
            for key in 0..12 {
                let (floor, on, cores, most) = (&floor, &on, &cores, &most);
                scope.spawn(move || {
                    for round in 0..20 {
                        let turns = floor.turns(&format!("{key}-{round}"));
                        let core = turns.core();
                        most.fetch_max(cores.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                        thread::sleep(Duration::from_micros(50));
                        cores.fetch_sub(1, Ordering::SeqCst);
                        drop(core);
                        let turn = turns.gpu().unwrap();
                        let here = &on[turn.gpu.index as usize];
                        assert_eq!(here.fetch_add(1, Ordering::SeqCst), 0, "two on one GPU");
                        thread::sleep(Duration::from_micros(50));
                        here.fetch_sub(1, Ordering::SeqCst);
                    }
                });
            }
        });
        assert_eq!(most.load(Ordering::SeqCst), 2);
        floor.close();
        assert_eq!(floor.settled().confirmed.len(), 240, "every one is settled");
    }
}
