//! Judges mutants, several at once, each until the first goal that it fails.
//!
//! Each case is first given a glance: the optimised PTX alone, once, and no machine code made of it. It costs a
//! small part of the whole, and who is wrong there is wrong. A mutant that no glance kills is judged whole, case by
//! case. Cases are tried in the order in which they have killed most for their cost. That order changes only
//! between batches of a fixed size, so that what is reported does not depend on how many judge at once.

use std::collections::HashMap;

use harness::{
    compiler::{CompileError, Compiled},
    device::DeviceChoice,
    exercise::Exercise,
    judge::{self, CheckOptions, Kernel},
    report::Failure,
    toolchain::Toolchain,
};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use warpsim::Module;

use grader::exit::{Result, Trouble};

use super::{
    edit::Mutant,
    fate::{Fate, fate},
    journal::{Batch, Hunted, Journal},
    original::{Code, Original, compile},
};

/// The simulated GPU that mutants are judged on, and what is compiled for it.
const PROFILE: &str = "h200";
/// Its compute capability × 10.
pub const ARCHITECTURE: u32 = 90;
/// Mutants between which the order of cases stays.
const BATCH: usize = 64;
/// What starting a worker costs, in warp instructions of the simulator's time.
const START: u64 = 100_000;

/// What became of a mutant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MutantOutcome {
    /// It failed a goal.
    Killed {
        /// Which.
        by: Failure,
        /// In which case.
        case: String,
    },
    /// It compiles to the original's code.
    SameCode,
    /// It does not compile, or to more than the simulator takes.
    Unviable,
    /// It passes.
    Missed,
    /// The judge could not say.
    Unjudged(String),
}

/// Mutants of one original, judged.
pub struct Pool {
    options: CheckOptions,
    threads: rayon::ThreadPool,
    looks: &'static [Look],
    journal: Journal,
}

/// How much of a case is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Look {
    /// The optimised code, once.
    Glance,
    /// All that `check` runs.
    Whole,
}

/// In the order in which they are taken.
const LOOKS: &[Look] = &[Look::Glance, Look::Whole];
/// For whoever does not believe in glances.
const WHOLE: &[Look] = &[Look::Whole];

/// How often a case was tried with one look, and how often it killed.
#[derive(Clone, Copy, Default)]
struct Record {
    tries: u64,
    kills: u64,
}

/// Of each look at each case.
type Records = HashMap<(Look, usize), Record>;

impl Pool {
    /// A pool of so many judges; 0 for one on each core. `whole`: none of them takes glances. What the journal has is
    /// not judged again.
    ///
    /// # Errors
    /// A machine that gives no threads.
    pub fn new(jobs: usize, toolchain: Toolchain, whole: bool, journal: Journal) -> Result<Self> {
        let threads = rayon::ThreadPoolBuilder::new().num_threads(jobs).build();
        let threads =
            threads.map_err(|error| Trouble::judge(format!("no threads: {error}"), "end other programs"))?;
        let options = CheckOptions {
            device: DeviceChoice::Simulator(Some(PROFILE.to_owned())),
            skip_speed: true,
            threads: 1,
            toolchain: Some(toolchain),
            ..CheckOptions::default()
        };
        Ok(Pool { options, threads, looks: if whole { WHOLE } else { LOOKS }, journal })
    }

    /// How everything here is judged.
    pub fn options(&self) -> &CheckOptions {
        &self.options
    }

    /// Does something when a judge has time for it.
    pub fn when_free<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        self.threads.install(work)
    }

    /// Does something for all of a list at once, in its order.
    fn each<T: Send, R: Send>(&self, all: Vec<T>, work: impl Fn(T) -> R + Sync + Send) -> Vec<R> {
        self.threads.install(|| all.into_par_iter().with_max_len(1).map(work).collect())
    }

    /// Judges mutants: an outcome for each. Tells how many are done.
    ///
    /// # Errors
    /// A journal that cannot be written.
    pub fn judge(
        &self,
        exercise: &dyn Exercise,
        original: &Original,
        mutants: &[&Mutant],
        done: &(dyn Fn(usize) + Sync),
    ) -> Result<Vec<MutantOutcome>> {
        let mut records = Records::new();
        let mut known: HashMap<Code, MutantOutcome> = HashMap::new();
        let mut outcomes = Vec::new();
        let compiler = self.options.toolchain.as_ref().map(|toolchain| toolchain.version);
        let code = String::from(original.code);
        let mut key = format!("{compiler:?} {} {code} {:?}", exercise.id(), original.cases);
        for batch in mutants.chunks(BATCH) {
            key = self.journal.key(&key, self.looks, batch);
            let order: Vec<(Look, usize)> =
                self.looks.iter().flat_map(|&look| self.order(original, look, &records)).collect();
            let judged = match self.journal.of(&key) {
                Some(judged) => judged.clone(),
                None => {
                    let judged = self.batch(exercise, original, batch, &known, &order);
                    self.journal.keep(&key, &judged)?;
                    judged
                }
            };
            for Hunted { code, outcome, tried } in judged.hunted {
                let killed = matches!(outcome, MutantOutcome::Killed { .. });
                for (place, &(look, case)) in order[..tried].iter().enumerate() {
                    let record = records.entry((look, case)).or_default();
                    record.tries += 1;
                    record.kills += u64::from(killed && place + 1 == tried);
                }
                known.insert(code, outcome);
            }
            outcomes.extend(judged.outcomes);
            done(batch.len());
        }
        Ok(outcomes)
    }

    /// Judges mutants of which some may be the same program as one that is known, or as each other.
    fn batch(
        &self,
        exercise: &dyn Exercise,
        original: &Original,
        batch: &[&Mutant],
        known: &HashMap<Code, MutantOutcome>,
        order: &[(Look, usize)],
    ) -> Batch {
        let compiled = self.each(batch.to_vec(), |mutant| self.compiled(exercise, original, mutant));
        let mut to_judge: Vec<(Code, &Compiled, &Mutant)> = Vec::new();
        for (built, mutant) in compiled.iter().zip(batch) {
            if let Ok((code, compiled)) = built
                && !known.contains_key(code)
                && !to_judge.iter().any(|(other, ..)| other == code)
            {
                to_judge.push((*code, compiled, mutant));
            }
        }
        let hunted = self.each(to_judge, |(code, compiled, mutant)| {
            let (outcome, tried) = self.hunt(exercise, original, compiled, mutant, order);
            Hunted { code, outcome, tried }
        });
        let of = |code: &Code| {
            let now = || hunted.iter().find(|hunted| hunted.code == *code).map(|hunted| &hunted.outcome);
            known.get(code).or_else(now).expect("each program is known or was hunted").clone()
        };
        let outcomes =
            compiled.into_iter().map(|built| built.map_or_else(|outcome| outcome, |(code, _)| of(&code)));
        Batch { outcomes: outcomes.collect(), hunted }
    }

    /// The cases for one look, those first that kill most for what they cost.
    fn order(&self, original: &Original, look: Look, records: &Records) -> Vec<(Look, usize)> {
        let worth = |case: usize| {
            let Record { tries, kills } = records.get(&(look, case)).copied().unwrap_or_default();
            (kills + 1) as f64 / (tries + 2) as f64 / (original.cases[case].instructions + START) as f64
        };
        // Of a large case the judge runs no more than a glance has shown.
        let is_shown = |case: usize| {
            look == Look::Whole && original.cases[case].is_large && self.looks.contains(&Look::Glance)
        };
        let mut order: Vec<usize> = (0..original.cases.len()).filter(|&case| !is_shown(case)).collect();
        order.sort_by(|&a, &b| worth(b).total_cmp(&worth(a)).then(a.cmp(&b)));
        order.into_iter().map(|case| (look, case)).collect()
    }

    /// What a mutant compiles to, or what is known of it then.
    fn compiled(
        &self,
        exercise: &dyn Exercise,
        original: &Original,
        mutant: &Mutant,
    ) -> std::result::Result<(Code, Compiled), MutantOutcome> {
        match compile(exercise, &kernel(mutant), &self.options, false) {
            Ok(compiled) => {
                let code = Code::of(&compiled);
                // What runs is the optimised code; that of the same code is the same program.
                match code.optimised == original.code.optimised {
                    true => Err(MutantOutcome::SameCode),
                    false => Ok((code, compiled)),
                }
            }
            Err(error) => Err(uncompiled(&error)),
        }
    }

    /// Tries one look after the other until one kills; also how many were tried.
    fn hunt(
        &self,
        exercise: &dyn Exercise,
        original: &Original,
        compiled: &Compiled,
        mutant: &Mutant,
        order: &[(Look, usize)],
    ) -> (MutantOutcome, usize) {
        let mut whole = None;
        for (tried, &(look, case)) in order.iter().enumerate() {
            let case = &original.cases[case];
            let glance = look == Look::Glance;
            let compiled = match &whole {
                _ if glance => compiled,
                Some(compiled) => compiled,
                None => match compile(exercise, &kernel(mutant), &self.options, true) {
                    Ok(compiled) => whole.insert(compiled),
                    Err(error) => return (uncompiled(&error), tried),
                },
            };
            let options = CheckOptions {
                case: Some(case.index),
                compiled: Some(compiled.clone()),
                instruction_budget: Some(if glance { case.least_budget() } else { case.budget() }),
                glance,
                ..self.options.clone()
            };
            let report = judge::check(exercise, &kernel(mutant), &options, &|_| {});
            match fate(&report, &original.excused) {
                Fate::Alive => {}
                Fate::Uncallable => return (MutantOutcome::Unviable, tried),
                Fate::Killed(by) => {
                    return (MutantOutcome::Killed { by, case: case.name.clone() }, tried + 1);
                }
                // Compiled it is, but to more than the judge takes of any kernel.
                Fate::Unjudged(_) if !is_loadable(compiled) => return (MutantOutcome::Unviable, tried),
                Fate::Unjudged(why) => return (MutantOutcome::Unjudged(why), tried),
            }
        }
        (MutantOutcome::Missed, order.len())
    }
}

/// The simulator can load both of its PTX texts.
fn is_loadable(compiled: &Compiled) -> bool {
    [&compiled.checked_ptx, &compiled.optimised_ptx].into_iter().all(|ptx| Module::load(ptx).is_ok())
}

/// What a mutant that cannot be compiled is.
fn uncompiled(error: &CompileError) -> MutantOutcome {
    match error {
        CompileError::Rejected { .. } => MutantOutcome::Unviable,
        CompileError::Worker(failure) if failure.is_of_the_input() => MutantOutcome::Unviable,
        error => MutantOutcome::Unjudged(error.to_string()),
    }
}

/// A mutant as a learner's file.
pub fn kernel(mutant: &Mutant) -> Kernel {
    Kernel { path: mutant.file.display().to_string(), source: mutant.text.clone() }
}

impl MutantOutcome {
    /// In a few words.
    pub fn words(&self) -> String {
        match self {
            MutantOutcome::Killed { by, case } => format!("killed by {by} in case {case}"),
            MutantOutcome::SameCode => "compiled to the same code".to_owned(),
            MutantOutcome::Unviable => "it does not compile".to_owned(),
            MutantOutcome::Missed => "missed".to_owned(),
            MutantOutcome::Unjudged(why) => format!("not judged: {why}"),
        }
    }
}
