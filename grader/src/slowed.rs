//! An exercise whose kernels are slower by a known amount: after each run comes a delay, inside what is timed.
//!
//! For studies of the judge (`grader dev flips`): a kernel of a course, compiled, run, checked and timed as always, that sits
//! as close to a threshold as the study asks. A delay after the kernel adds up with its time whatever it is bound by; a loop
//! inside it would hide behind the memory's latency.

use harness::{
    exercise::{
        Baseline, Case, ConstantBound, Constants, Exercise, Inputs, Outputs, Permits, Reference, SpeedGoals,
    },
    plan::{Argument, Launch, Plan, Step},
};

/// The kernel that waits.
const DELAY: &str = include_str!("../../kernels/delay.cu");
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
    fn id(&self) -> &'static str {
        self.exercise.id()
    }
    fn title(&self) -> &'static str {
        self.exercise.title()
    }
    fn stub(&self) -> &'static str {
        self.exercise.stub()
    }
    fn kernels(&self) -> &'static [&'static str] {
        self.exercise.kernels()
    }
    fn hints(&self) -> &'static str {
        self.exercise.hints()
    }
    fn stub_fails(&self) -> &'static [&'static str] {
        self.exercise.stub_fails()
    }
    fn constants(&self) -> &'static [ConstantBound] {
        self.exercise.constants()
    }
    fn permits(&self) -> Permits {
        // The delay reads the clock.
        Permits { clocks: true, ..self.exercise.permits() }
    }
    fn cases(&self) -> Vec<Case> {
        self.exercise.cases()
    }
    fn plan(&self, case: &Case, seed: u64, constants: &Constants) -> Plan {
        let mut plan = self.exercise.plan(case, seed, constants);
        let delay = Launch {
            kernel: KERNEL.to_owned(),
            grid: [1, 1, 1],
            block: [1, 1, 1],
            dynamic_shared: 0,
            arguments: vec![Argument::scalar(self.cycles)],
            cooperative: false,
        };
        if !plan.timed.is_empty() {
            plan.steps.insert(plan.timed.end, Step::Launch(delay));
            plan.timed.end += 1;
        }
        plan
    }
    fn baseline(&self) -> Option<Baseline> {
        self.exercise.baseline()
    }
    fn reference(&self) -> Option<Reference> {
        self.exercise.reference()
    }
    fn recompute(
        &self,
        case: &Case,
        constants: &Constants,
        inputs: &Inputs<'_>,
        output: &str,
        index: usize,
    ) -> Option<f64> {
        self.exercise.recompute(case, constants, inputs, output, index)
    }
    fn speed_goals(&self) -> SpeedGoals {
        self.exercise.speed_goals()
    }
    fn check_outputs(&self, case: &Case, seed: u64, outputs: &Outputs) -> Vec<String> {
        self.exercise.check_outputs(case, seed, outputs)
    }
    fn instruction_budget(&self) -> u64 {
        self.exercise.instruction_budget()
    }
    fn minimum_compute_capability(&self) -> u32 {
        self.exercise.minimum_compute_capability()
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
        fn id(&self) -> &'static str {
            "00-timed"
        }
        fn title(&self) -> &'static str {
            "An exercise with a timed case"
        }
        fn stub(&self) -> &'static str {
            ""
        }
        fn kernels(&self) -> &'static [&'static str] {
            &["work"]
        }
        fn hints(&self) -> &'static str {
            ""
        }
        fn stub_fails(&self) -> &'static [&'static str] {
            &[]
        }
        fn cases(&self) -> Vec<Case> {
            let case = |index, on| Case { name: format!("case {index}"), index, on };
            vec![case(0, On::Everywhere), case(1, On::GpuTimed)]
        }
        fn plan(&self, case: &Case, _: u64, _: &Constants) -> Plan {
            let mut plan = Plan::new();
            let out = plan.buffer("out", Element::F32, &[1], Fill::Uninitialized);
            if case.on == On::GpuTimed {
                plan.launch(Launch {
                    kernel: "work".to_owned(),
                    grid: [1, 1, 1],
                    block: [1, 1, 1],
                    dynamic_shared: 0,
                    arguments: vec![Argument::buffer(out)],
                    cooperative: false,
                });
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
