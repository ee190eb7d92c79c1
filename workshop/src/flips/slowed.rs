//! An exercise whose kernels are slower by a known amount: after each run comes a
//! delay, inside what is timed.
//!
//! For studies of the judge (`workshop flips`): a kernel of a course, compiled, run, checked and timed as
//! always, that sits as close to a threshold as the study asks. A delay after the kernel adds up with its
//! time whatever it is bound by; a loop inside it would hide behind the memory's latency.

use harness::{
    exercise::{About, Case, Constants, Exercise, OutputElement, Outputs, Permits},
    plan::{Argument, Launch, Plan, Step},
};

/// The kernel that waits.
const DELAY: &str = include_str!("../../../kernels/delay.cu");
const KERNEL: &str = "delay";

/// The exercise.
pub struct Slowed<'a> {
    /// What is slowed down.
    pub exercise: &'a dyn Exercise,
    /// Clock cycles of the delay.
    pub cycles: u64,
}

/// A kernel's source with the delay.
pub fn source(kernel: &str) -> String {
    format!("{kernel}\n{DELAY}")
}

impl Exercise for Slowed<'_> {
    fn about(&self) -> About {
        let about = self.exercise.about();
        // The delay reads the clock.
        About { permits: Permits { clocks: true, ..about.permits }, ..about }
    }
    fn cases(&self) -> Vec<Case> {
        self.exercise.cases()
    }
    fn plan(&self, case: &Case, seed: u64, constants: &Constants) -> Plan {
        let mut plan = self.exercise.plan(case, seed, constants);
        let delay = Launch::new(KERNEL, 1, 1).argument(Argument::scalar(self.cycles));
        if !plan.timed.is_empty() {
            plan.steps.insert(plan.timed.end, Step::Launch(delay));
            plan.timed.end += 1;
        }
        plan
    }
    fn recompute(&self, case: &Case, asked: &OutputElement<'_>) -> Option<f64> {
        self.exercise.recompute(case, asked)
    }
    fn check_outputs(&self, case: &Case, seed: u64, outputs: &Outputs) -> Vec<String> {
        self.exercise.check_outputs(case, seed, outputs)
    }
    fn case_compute_capability(&self, case: &Case) -> u32 {
        self.exercise.case_compute_capability(case)
    }
}

#[cfg(test)]
mod tests {
    use harness::{
        exercise::On,
        plan::{Element, Fill},
    };

    use super::*;

    /// Two cases, of which one is timed.
    struct Timed;

    impl Exercise for Timed {
        fn about(&self) -> About {
            About { id: "00-timed", kernels: &["work"], ..About::default() }
        }
        fn cases(&self) -> Vec<Case> {
            Case::list([("case 0", On::Everywhere), ("case 1", On::GpuTimed)])
        }
        fn plan(&self, case: &Case, _: u64, _: &Constants) -> Plan {
            let mut plan = Plan::new();
            let out = plan.buffer("out", Element::F32, &[1], Fill::Uninitialized);
            if case.on == On::GpuTimed {
                plan.launch(Launch::new("work", 1, 1).buffers([out]));
            }
            plan.steps.push(Step::ReadBack(out));
            plan
        }
    }

    #[test]
    fn the_delay_comes_last_in_what_is_timed_and_nowhere_else() {
        let slowed = Slowed { exercise: &Timed, cycles: 1000 };
        let plans = |index: usize| {
            let case = &Timed.cases()[index];
            (Timed.plan(case, 1, &Constants::default()), slowed.plan(case, 1, &Constants::default()))
        };
        let (was, is) = plans(0);
        assert_eq!(was, is);
        let (was, is) = plans(1);
        assert_eq!((was.timed, is.timed.clone()), (0..1, 0..2));
        assert!(matches!(&is.steps[1], Step::Launch(launch) if launch.kernel == KERNEL
            && launch.arguments == [Argument::Scalar(1000_u64.to_le_bytes().to_vec())]));
        assert_eq!(is.steps[2], was.steps[1]);
        assert!(source("").contains("void delay(long long cycles)"));
    }
}
