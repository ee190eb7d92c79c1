//! Speed thresholds for each GPU model, as `grader calibrate` measured them.
//!
//! An exercise's own goals were measured on one model, [`REFERENCE_MODEL`], and its chapter says so. What a
//! technique earns differs from GPU to GPU, so other models have goals of their own; a model that nobody
//! calibrated gets those of the nearest compute capability, and a note that says so.

use std::{collections::BTreeMap, path::PathBuf};

use harness::{
    device::{DeviceChoice, GpuInfo},
    exercise::SpeedGoals,
};
use serde::{Deserialize, Serialize};

use crate::{devices, kernels::Role};

/// Where they are kept, below the course's root.
pub const FILE: &str = "solutions/measured/thresholds.json";

/// Those that this program was built with.
const SHIPPED: &str = include_str!("../../solutions/measured/thresholds.json");

/// The GPU that the exercises' own goals are for.
pub const REFERENCE_MODEL: &str = "NVIDIA H200";

/// A threshold lies at least this factor below what must reach it, and above what must not.
pub const MARGIN: f64 = 1.05;

/// All models.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Thresholds {
    /// Each model once.
    pub models: Vec<Model>,
}

/// One GPU model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Model {
    /// The product's name, e.g. `NVIDIA H200`.
    pub name: String,
    /// Compute capability × 10.
    pub compute_capability: u32,
    /// By the exercise's id.
    pub exercises: BTreeMap<String, Calibrated>,
}

/// One exercise on one model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Calibrated {
    /// The day it was measured.
    pub date: String,
    /// The compiler's version.
    pub compiler: String,
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
    /// Its path below the course's root.
    pub file: PathBuf,
    /// Median ratio over the baseline.
    pub speedup: f64,
    /// Its 95 % interval.
    pub interval: [f64; 2],
    /// Share of a copy's speed, where there is a roof.
    pub roof_share: Option<f64>,
}

impl Calibrated {
    /// Thresholds between what must reach them and what must not, where an exercise asks for them.
    pub fn of(goals: &SpeedGoals, kernels: Vec<MeasuredKernel>, date: String, compiler: String) -> Self {
        let pass = goals.pass_speedup.and_then(|_| between(slowest_pass(&kernels)?, fastest_fail(&kernels)));
        let expert = goals.expert_speedup.and_then(|_| {
            let [best, next] = two_best(&kernels, |kernel| Some(kernel.speedup))?;
            between(best, next)
        });
        let roof = goals.expert_roof_share.and_then(|_| {
            let [best, next] = two_best(&kernels, |kernel| kernel.roof_share)?;
            between(best, next)
        });
        Calibrated {
            date,
            compiler,
            pass_speedup: pass,
            expert_speedup: expert,
            expert_roof_share: roof,
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
        let mut problems = Vec::new();
        if let (Some(goal), Some(pass)) = (goals.pass_speedup, slowest_pass(&self.kernels)) {
            let fail = fastest_fail(&self.kernels);
            if pass < MARGIN * goal || fail > goal / MARGIN {
                problems.push(format!(
                    "its pass speedup {goal:.2} lacks a margin of 5 %: the solution reached {pass:.2}, and {fail:.2} must not pass"
                ));
            }
        }
        let best = two_best(&self.kernels, |kernel| Some(kernel.speedup));
        let best_roof = two_best(&self.kernels, |kernel| kernel.roof_share);
        for (what, goal, best) in [
            ("expert speedup", goals.expert_speedup, best),
            ("expert share of the roof", goals.expert_roof_share, best_roof),
        ] {
            if let (Some(goal), Some([best, _])) = (goal, best)
                && best < MARGIN * goal
            {
                problems.push(format!(
                    "its {what} {goal:.2} lacks a margin of 5 %: the fastest kernel here reached {best:.2}"
                ));
            }
        }
        problems
    }
}

/// The solution's speedup.
fn slowest_pass(kernels: &[MeasuredKernel]) -> Option<f64> {
    kernels
        .iter()
        .filter(|kernel| kernel.role == Role::Solution)
        .map(|kernel| kernel.speedup)
        .reduce(f64::min)
}

/// The fastest of what must not pass: the baseline, and kernels that are wrong because they are slow.
fn fastest_fail(kernels: &[MeasuredKernel]) -> f64 {
    let slow = kernels.iter().filter(|kernel| matches!(kernel.role, Role::Baseline | Role::Wrong));
    slow.map(|kernel| kernel.speedup).fold(1.0, f64::max)
}

/// The best of the solution and its steps, and the best of all others.
fn two_best(kernels: &[MeasuredKernel], of: impl Fn(&MeasuredKernel) -> Option<f64>) -> Option<[f64; 2]> {
    let mut values: Vec<f64> = kernels.iter().filter_map(&of).collect();
    values.sort_by(|a, b| b.total_cmp(a));
    let best = kernels.iter().filter(|kernel| matches!(kernel.role, Role::Solution | Role::Step));
    let best = best.filter_map(&of).reduce(f64::max)?;
    let next = values.into_iter().find(|&value| value < best).unwrap_or(best / (MARGIN * MARGIN));
    Some([best, next])
}

/// In the middle of two speeds by ratio, to two digits; nothing where they lie too close together.
fn between(must: f64, must_not: f64) -> Option<f64> {
    let middle = (100.0 * (must * must_not).sqrt()).round() / 100.0;
    (must >= MARGIN * middle && must_not <= middle / MARGIN).then_some(middle)
}

impl Thresholds {
    /// Those that this program was built with.
    pub fn shipped() -> Self {
        // Its text is part of this program, and a test below has read it.
        serde_json::from_str(SHIPPED).expect("the shipped thresholds are such a file")
    }

    /// The goals of an exercise on a GPU, where they are not the exercise's own, and
    /// what must be said about it.
    pub fn goals(&self, gpu: &str, capability: u32, exercise: &str) -> (Option<SpeedGoals>, Option<String>) {
        if gpu == REFERENCE_MODEL {
            return (None, None);
        }
        let of = |model: &Model| model.exercises.get(exercise).map(Calibrated::goals);
        if let Some(goals) = self.models.iter().find(|model| model.name == gpu).and_then(of) {
            return (Some(goals), None);
        }
        let written = |capability: u32| format!("{}.{}", capability / 10, capability % 10);
        let note = |model: &str, its: String| {
            format!(
                "the speed goals are those of {model} (compute capability {its}): {gpu} ({}) was never calibrated for this exercise; \
                 `grader calibrate` does it",
                written(capability)
            )
        };
        let known = self.models.iter().filter(|model| of(model).is_some());
        let nearest =
            known.min_by_key(|model| (model.compute_capability.abs_diff(capability), model.name.clone()));
        match nearest {
            Some(model) if model.name != REFERENCE_MODEL => {
                (of(model), Some(note(&model.name, written(model.compute_capability))))
            }
            _ => (None, Some(note(REFERENCE_MODEL, written(90)))),
        }
    }

    /// As [`Thresholds::goals`]; nothing where no GPU takes part.
    pub fn of(&self, gpu: Option<&GpuInfo>, exercise: &str) -> (Option<SpeedGoals>, Option<String>) {
        gpu.map_or((None, None), |gpu| self.goals(&gpu.name, gpu.compute_capability, exercise))
    }

    /// Keeps what was measured of one exercise on one model, in place of what was known.
    pub fn keep(&mut self, gpu: &str, capability: u32, exercise: &str, calibrated: Calibrated) {
        let at = self.models.iter().position(|model| model.name == gpu).unwrap_or_else(|| {
            let exercises = BTreeMap::new();
            self.models.push(Model { name: gpu.to_owned(), compute_capability: capability, exercises });
            self.models.len() - 1
        });
        self.models[at].exercises.insert(exercise.to_owned(), calibrated);
        self.models.sort_by(|a, b| a.name.cmp(&b.name));
    }

    /// What is wrong with an exercise's own goals, as measured on the model that they are for.
    pub fn problems(&self, exercise: &str, goals: &SpeedGoals) -> Vec<String> {
        let model = self.models.iter().find(|model| model.name == REFERENCE_MODEL);
        let calibrated = model.and_then(|model| model.exercises.get(exercise));
        calibrated.map_or_else(Vec::new, |calibrated| calibrated.problems(goals))
    }
}

/// The shipped goals of an exercise on the GPU of a check, where they are not the exercise's own, and
/// what must be said about it.
pub fn for_device(choice: &DeviceChoice, exercise: &str) -> (Option<SpeedGoals>, Option<String>) {
    let gpu = devices::resolve(choice).ok().and_then(|devices| devices.gpu);
    Thresholds::shipped().of(gpu.as_ref(), exercise)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kernel(role: Role, speedup: f64) -> MeasuredKernel {
        MeasuredKernel {
            role,
            file: PathBuf::new(),
            speedup,
            interval: [speedup; 2],
            roof_share: Some(speedup / 5.0),
        }
    }

    fn calibrated(goals: &SpeedGoals, kernels: &[(Role, f64)]) -> Calibrated {
        let kernels = kernels.iter().map(|&(role, speedup)| kernel(role, speedup)).collect();
        Calibrated::of(goals, kernels, "2026-11-21".to_owned(), "NVRTC".to_owned())
    }

    const ALL: SpeedGoals =
        SpeedGoals { pass_speedup: Some(1.4), expert_speedup: Some(3.0), expert_roof_share: Some(0.6) };

    #[test]
    fn thresholds_lie_between_with_margin_on_both_sides() {
        let some = calibrated(&ALL, &[(Role::Solution, 1.96), (Role::Step, 4.0), (Role::Baseline, 1.0)]);
        assert_eq!(
            some.goals(),
            SpeedGoals { pass_speedup: Some(1.4), expert_speedup: Some(2.8), expert_roof_share: Some(0.56) }
        );
        assert_eq!(some.problems(&ALL), Vec::<String>::new());
        // What earns nothing here is not asked for here.
        let nothing = calibrated(&ALL, &[(Role::Solution, 1.09), (Role::Wrong, 1.03)]);
        assert_eq!(nothing.pass_speedup, None);
        let unasked = calibrated(&SpeedGoals::default(), &[(Role::Solution, 2.0), (Role::Baseline, 1.0)]);
        assert_eq!(unasked.goals(), SpeedGoals::default());
    }

    #[test]
    fn goals_without_margin_are_problems() {
        let goals =
            SpeedGoals { pass_speedup: Some(1.4), expert_speedup: Some(4.0), ..SpeedGoals::default() };
        let measured =
            calibrated(&goals, &[(Role::Solution, 1.45), (Role::Step, 4.1), (Role::Baseline, 1.0)]);
        assert_eq!(measured.problems(&goals).len(), 2, "{:?}", measured.problems(&goals));
        let slow = calibrated(&goals, &[(Role::Solution, 3.0), (Role::Step, 5.0), (Role::Wrong, 1.38)]);
        assert!(slow.problems(&goals)[0].contains("1.38 must not pass"));
    }

    #[test]
    fn a_model_that_nobody_calibrated_gets_the_nearest_and_says_so() {
        let mut all = Thresholds::default();
        let one = |pass| Calibrated {
            pass_speedup: Some(pass),
            ..calibrated(&SpeedGoals::default(), &[(Role::Solution, 2.0)])
        };
        all.keep("NVIDIA H200", 90, "14-block-scan", one(1.4));
        all.keep("Tesla T4", 75, "14-block-scan", one(1.1));
        all.keep("Tesla T4", 75, "14-block-scan", one(1.2));
        let goals = |gpu, capability| all.goals(gpu, capability, "14-block-scan");
        assert_eq!(goals("NVIDIA H200", 90), (None, None));
        assert_eq!(goals("Tesla T4", 75).0.unwrap().pass_speedup, Some(1.2));
        let (near, note) = goals("NVIDIA GeForce RTX 2080", 75);
        assert_eq!(near.unwrap().pass_speedup, Some(1.2));
        assert!(note.unwrap().contains("those of Tesla T4 (compute capability 7.5)"));
        let (own, note) = goals("NVIDIA GeForce RTX 4090", 89);
        assert!(own.is_none() && note.unwrap().contains("those of NVIDIA H200 (compute capability 9.0)"));
        assert!(all.goals("Tesla T4", 75, "03-reduction").1.is_some());
    }

    #[test]
    fn the_shipped_file_can_be_read() {
        serde_json::from_str::<Thresholds>(SHIPPED).unwrap();
    }
}
