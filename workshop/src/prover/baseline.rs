//! An exercise as its baseline sees it.

use harness::{
    exercise::{About, Case, Constants, Exercise},
    plan::Plan,
};

/// An exercise as its baseline is judged: with the baseline's own plans. A way of launching that is the baseline's
/// alone is none of the learner's constants.
pub struct OfBaseline<'a> {
    exercise: &'a dyn Exercise,
    plan: fn(&Case, u64) -> Plan,
}

impl<'a> OfBaseline<'a> {
    /// Of an exercise that has a baseline.
    pub fn new(exercise: &'a dyn Exercise) -> Option<Self> {
        exercise.about().baseline.map(|baseline| OfBaseline { exercise, plan: baseline.plan })
    }
}

impl Exercise for OfBaseline<'_> {
    fn about(&self) -> About {
        // A baseline has the kernels that its plans launch.
        About { constants: &[], kernels: &[], ..self.exercise.about() }
    }
    fn cases(&self) -> Vec<Case> {
        self.exercise.cases()
    }
    fn plan(&self, case: &Case, seed: u64, _: &Constants) -> Plan {
        (self.plan)(case, seed)
    }
    fn case_compute_capability(&self, case: &Case) -> u32 {
        self.exercise.case_compute_capability(case)
    }
}
