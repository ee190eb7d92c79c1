//! Speed thresholds of GPUs that the exercises' own goals were not measured on.
//!
//! An exercise's own goals were measured on one model, [`REFERENCE_MODEL`], and its chapter says so. What a
//! technique earns differs from GPU to GPU, so a threshold is never taken from another model: the course's authors
//! measured it on this one ([`ModelThresholds::shipped`]), or this machine did ([`kept`]).

pub mod demand;
pub mod kept;

use std::collections::BTreeMap;

use harness::exercise::SpeedGoals;
use serde::{Deserialize, Serialize};

use crate::kernels::Role;

/// Where the authors' are kept, below the course's root.
pub const FILE: &str = "solutions/measured/thresholds.json";

/// Those that this program was built with.
const SHIPPED: &str = include_str!("../../solutions/measured/thresholds.json");

/// The GPU that the exercises' own goals are for.
pub const REFERENCE_MODEL: &str = "NVIDIA H200";

/// A threshold lies at least this factor below what must reach it, and above what must not.
pub const MARGIN: f64 = 1.05;

/// An expert threshold lies at most this factor below the step that must reach it.
const EXPERT_ROOM: f64 = 1.1;

/// All models.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ModelThresholds {
    /// Each model once.
    pub models: Vec<Model>,
}

/// One GPU model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Model {
    /// The product's name, e.g. `NVIDIA H200`.
    pub name: String,
    /// By the exercise's id.
    pub exercises: BTreeMap<String, Calibrated>,
}

/// One exercise on one model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Calibrated {
    /// The day it was measured.
    pub date: String,
    /// The driver's version; empty where it does not say.
    #[serde(default)]
    pub driver: String,
    /// The compiler's version.
    pub compiler: String,
    /// Hash of what was measured: the code of the baseline, the solution and the yardstick, and the names of the timed cases.
    #[serde(default)]
    pub measured: String,
    /// Least speedup to pass; none where the exercise asks for none, or the technique earns too little here.
    pub pass_speedup: Option<f64>,
    /// Least speedup for the expert goal.
    pub expert_speedup: Option<f64>,
    /// Least share of the copy roof for the expert goal.
    pub expert_roof_share: Option<f64>,
    /// What it was made from.
    pub kernels: Vec<MeasuredKernel>,
}

/// One kernel's speed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MeasuredKernel {
    /// What it is there for.
    pub role: Role,
    /// Median ratio over the baseline.
    pub speedup: f64,
    /// Its 95 % interval.
    pub interval: [f64; 2],
    /// Share of a copy's speed, where there is a roof.
    pub roof_share: Option<f64>,
}

impl MeasuredKernel {
    /// The share of a copy's speed at both ends of the interval.
    fn roof_interval(&self) -> Option<[f64; 2]> {
        let share = self.roof_share?;
        Some(self.interval.map(|end| share * end / self.speedup))
    }
}

impl Calibrated {
    /// Puts the thresholds that an exercise asks for between what must reach them and what must not. None where they
    /// lie too close together: what earns nothing here is not asked for here.
    pub fn of(goals: &SpeedGoals, kernels: Vec<MeasuredKernel>) -> Self {
        let speed = |kernel: &MeasuredKernel| Some(kernel.interval);
        let pass = goals.pass_speedup.and_then(|_| {
            let [must, _] = reached(&kernels, Role::Solution, speed)?;
            let must_not = reached(&kernels, Role::Baseline, speed).map_or(1.0, |[_, high]| high.max(1.0));
            between(must, must_not, (must * must_not).sqrt())
        });
        let expert = |of: fn(&MeasuredKernel) -> Option<[f64; 2]>| {
            let [must, _] = reached(&kernels, Role::Step, of)?;
            let [_, must_not] = reached(&kernels, Role::Solution, of)?;
            between(must, must_not, (must * must_not).sqrt().max(must / EXPERT_ROOM))
        };
        Calibrated {
            date: jiff::Timestamp::now().strftime("%Y-%m-%d").to_string(),
            driver: harness::judge::driver().unwrap_or_default(),
            compiler: String::new(),
            measured: String::new(),
            pass_speedup: pass,
            expert_speedup: goals.expert_speedup.and_then(|_| expert(speed)),
            expert_roof_share: goals.expert_roof_share.and_then(|_| expert(MeasuredKernel::roof_interval)),
            kernels,
        }
    }

    /// The goals.
    pub fn goals(&self) -> SpeedGoals {
        SpeedGoals {
            pass_speedup: self.pass_speedup,
            expert_speedup: self.expert_speedup,
            expert_roof_share: self.expert_roof_share,
        }
    }

    /// What is wrong with an exercise's own goals, as measured here; sentences.
    pub fn problems(&self, goals: &SpeedGoals) -> Vec<String> {
        let of = |role: Role, value: fn(&MeasuredKernel) -> Option<f64>| {
            self.kernels.iter().filter(move |kernel| kernel.role == role).filter_map(value)
        };
        let speed = |kernel: &MeasuredKernel| Some(kernel.speedup);
        let mut problems = Vec::new();
        if let (Some(goal), Some(pass)) = (goals.pass_speedup, of(Role::Solution, speed).reduce(f64::min)) {
            let fail = of(Role::Baseline, speed).fold(1.0, f64::max);
            if pass < MARGIN * goal || fail > goal / MARGIN {
                problems.push(format!(
                    "its pass speedup {goal:.2} lacks a margin of 5 %: the solution reached {pass:.2}, and {fail:.2} must not pass"
                ));
            }
        }
        let share = |kernel: &MeasuredKernel| kernel.roof_share;
        for (what, goal, best) in [
            ("expert speedup", goals.expert_speedup, of(Role::Step, speed).reduce(f64::max)),
            ("expert share of the roof", goals.expert_roof_share, of(Role::Step, share).reduce(f64::max)),
        ] {
            if let (Some(goal), Some(best)) = (goal, best)
                && best < MARGIN * goal
            {
                problems.push(format!(
                    "its {what} {goal:.2} lacks a margin of 5 %: the step for it reached {best:.2}"
                ));
            }
        }
        problems
    }
}

/// The lowest and the highest that kernels of this role are likely to reach; nothing where none was measured.
fn reached(
    kernels: &[MeasuredKernel],
    role: Role,
    of: impl Fn(&MeasuredKernel) -> Option<[f64; 2]>,
) -> Option<[f64; 2]> {
    let kernels = kernels.iter().filter(|kernel| kernel.role == role);
    kernels.filter_map(of).reduce(|[low, high], [lower, higher]| [low.min(lower), high.max(higher)])
}

/// A threshold to two digits; nothing where it lacks the margin to what must reach it or to what must not.
fn between(must: f64, must_not: f64, threshold: f64) -> Option<f64> {
    let threshold = (100.0 * threshold).floor() / 100.0;
    (must >= MARGIN * threshold && must_not <= threshold / MARGIN).then_some(threshold)
}

impl ModelThresholds {
    /// Those that this program was built with.
    pub fn shipped() -> Self {
        // Its text is part of this program, and a test below has read it.
        serde_json::from_str(SHIPPED).expect("the shipped thresholds are such a file")
    }

    /// What was measured of an exercise on a model.
    pub fn find(&self, gpu: &str, exercise: &str) -> Option<&Calibrated> {
        self.models.iter().find(|model| model.name == gpu)?.exercises.get(exercise)
    }

    /// Keeps what was measured of one exercise on one model, in place of what was known.
    pub fn keep(&mut self, gpu: &str, exercise: &str, calibrated: Calibrated) {
        let at = self.models.iter().position(|model| model.name == gpu).unwrap_or_else(|| {
            self.models.push(Model { name: gpu.to_owned(), exercises: BTreeMap::new() });
            self.models.len() - 1
        });
        self.models[at].exercises.insert(exercise.to_owned(), calibrated);
        self.models.sort_by(|a, b| a.name.cmp(&b.name));
    }

    /// What is wrong with an exercise's own goals, as measured on the model that they are for.
    pub fn problems(&self, exercise: &str, goals: &SpeedGoals) -> Vec<String> {
        let calibrated = self.find(REFERENCE_MODEL, exercise);
        calibrated.map_or_else(Vec::new, |calibrated| calibrated.problems(goals))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kernel(role: Role, speedup: f64) -> MeasuredKernel {
        let interval = [speedup - 0.05, speedup + 0.05];
        MeasuredKernel { role, speedup, interval, roof_share: Some(speedup / 5.0) }
    }

    fn calibrated(goals: &SpeedGoals, kernels: &[(Role, f64)]) -> Calibrated {
        Calibrated::of(goals, kernels.iter().map(|&(role, speedup)| kernel(role, speedup)).collect())
    }

    const ALL: SpeedGoals =
        SpeedGoals { pass_speedup: Some(1.4), expert_speedup: Some(3.0), expert_roof_share: Some(0.6) };

    #[test]
    fn thresholds_lie_between_with_margin_on_both_sides() {
        let some = calibrated(&ALL, &[(Role::Solution, 2.0), (Role::Step, 4.0), (Role::Baseline, 1.0)]);
        assert_eq!(
            some.goals(),
            // √(1.95 · 1.05), 3.95 ÷ 1.1, 0.79 ÷ 1.1.
            SpeedGoals {
                pass_speedup: Some(1.43),
                expert_speedup: Some(3.59),
                expert_roof_share: Some(0.71)
            }
        );
        assert_eq!(some.problems(&ALL), Vec::<String>::new());
        // Half way to a solution that is nearly as fast: √(3.95 · 3.55).
        let near = calibrated(&ALL, &[(Role::Solution, 3.5), (Role::Step, 4.0)]);
        assert_eq!(near.expert_speedup, Some(3.74));
        // What earns nothing here is not asked for here.
        let nothing = calibrated(&ALL, &[(Role::Solution, 1.09), (Role::Step, 1.12)]);
        assert_eq!(nothing.goals(), SpeedGoals::default());
        let unasked = calibrated(&SpeedGoals::default(), &[(Role::Solution, 2.0), (Role::Baseline, 1.0)]);
        assert_eq!(unasked.goals(), SpeedGoals::default());
    }

    #[test]
    fn a_baseline_in_a_kernel_s_form_does_not_pass() {
        // What 11 measured on an H200: its own baseline, launched as a learner's kernel is, is 2.84 times as fast.
        let eleven = calibrated(&ALL, &[(Role::Solution, 4.62), (Role::Baseline, 2.84)]);
        assert_eq!(eleven.pass_speedup, Some(3.63));
    }

    #[test]
    fn a_noisy_solution_lowers_what_is_asked() {
        let mut kernels = vec![kernel(Role::Solution, 2.0)];
        kernels[0].interval = [1.44, 2.6];
        assert_eq!(Calibrated::of(&ALL, kernels).pass_speedup, Some(1.2));
    }

    #[test]
    fn goals_without_margin_are_problems() {
        let goals =
            SpeedGoals { pass_speedup: Some(1.4), expert_speedup: Some(4.0), ..SpeedGoals::default() };
        let measured =
            calibrated(&goals, &[(Role::Solution, 1.45), (Role::Step, 4.1), (Role::Baseline, 1.0)]);
        assert_eq!(measured.problems(&goals).len(), 2, "{:?}", measured.problems(&goals));
        let slow = calibrated(&goals, &[(Role::Solution, 3.0), (Role::Step, 5.0), (Role::Baseline, 1.38)]);
        assert!(slow.problems(&goals)[0].contains("1.38 must not pass"));
    }

    #[test]
    fn a_model_has_its_own_and_no_other_s() {
        let mut all = ModelThresholds::default();
        let one = |pass| Calibrated {
            pass_speedup: Some(pass),
            ..calibrated(&SpeedGoals::default(), &[(Role::Solution, 2.0)])
        };
        all.keep("NVIDIA H200", "14-block-scan", one(1.4));
        all.keep("Tesla T4", "14-block-scan", one(1.1));
        all.keep("Tesla T4", "14-block-scan", one(1.2));
        let pass = |gpu, exercise| all.find(gpu, exercise).map(|found| found.pass_speedup);
        assert_eq!(pass("Tesla T4", "14-block-scan"), Some(Some(1.2)));
        assert_eq!(pass("NVIDIA GeForce RTX 2080", "14-block-scan"), None);
        assert_eq!(pass("Tesla T4", "03-reduction"), None);
    }

    #[test]
    fn the_shipped_file_can_be_read() {
        serde_json::from_str::<ModelThresholds>(SHIPPED).unwrap();
    }
}
