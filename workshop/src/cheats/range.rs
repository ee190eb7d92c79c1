//! Exercises that no course has, made to be attacked: small, with a known fast kernel, and with
//! what a course's exercise forbids permitted, so that a cheat meets the defences of measuring
//! and nothing before them.
//!
//! In `range-sums` each number of the output is the sum of 1024 numbers of the input, and the baseline takes
//! a thread for each: slow enough for any short cut to show. In `range-stream` it is the sum of 2048, and the
//! baseline is as good as can be, so that a kernel is faster only by what it finds in the cache.

use harness::{
    exercise::{About, Baseline, Case, Constants, Exercise, Inputs, On, OutputElement, Permits, SpeedGoals},
    plan::{Element, Fill, Launch, Plan, Tolerance},
    report::Failure,
};

/// All of them.
pub static ALL: [&dyn Exercise; 2] = [&SUMS, &STREAM];

static SUMS: Range = Range {
    id: "range-sums",
    title: "Sums of 1024 numbers",
    baseline: include_str!("range/sums.cu"),
    plan: |case, seed| plan(case, seed, 1024, 32),
    per_sum: 1024,
    pass_speedup: 2.0,
};

static STREAM: Range = Range {
    id: "range-stream",
    title: "Sums of 2048 numbers",
    baseline: include_str!("range/stream.cu"),
    plan: |case, seed| plan(case, seed, 2048, BLOCK),
    per_sum: 2048,
    pass_speedup: 1.06,
};

/// Threads of a block.
const BLOCK: usize = 256;
/// Numbers of the timed case: 64 MB.
const LARGE: usize = 1 << 24;
/// Sums of the case that also the simulator runs.
const FEW_SUMS: usize = 4;
/// The numbers, so close together that any few of them tell their sum to a percent.
const LOW: f64 = 900.0;
const HIGH: f64 = 1000.0;

struct Range {
    id: &'static str,
    title: &'static str,
    baseline: &'static str,
    plan: fn(&Case, u64) -> Plan,
    per_sum: usize,
    pass_speedup: f64,
}

fn plan(case: &Case, seed: u64, per_sum: usize, threads_per_sum: usize) -> Plan {
    let n = if case.on == On::GpuTimed { LARGE } else { FEW_SUMS * per_sum };
    let sums = n / per_sum;
    let mut plan = Plan::new();
    let from = plan.buffer("in", Element::I32, &[n], Fill::Random { seed, low: LOW, high: HIGH });
    let to = plan.buffer("out", Element::I32, &[sums], Fill::Uninitialized);
    let blocks = (sums * threads_per_sum).div_ceil(BLOCK);
    plan.launch(Launch::new("sums", blocks, BLOCK).buffers([from, to]).ints([n]));
    plan.expect_each(case, to, Tolerance::Exact, |inputs, sum| one_sum(inputs, sum, per_sum));
    plan
}

fn one_sum(inputs: &Inputs<'_>, sum: usize, per_sum: usize) -> f64 {
    inputs.values("in", sum * per_sum..(sum + 1) * per_sum).sum()
}

impl Exercise for Range {
    fn about(&self) -> About {
        About {
            id: self.id,
            title: self.title,
            stub: self.baseline,
            kernels: &["sums"],
            stub_fails: &[Failure::SPEEDUP],
            permits: Permits { variables: true, ..Permits::default() },
            baseline: Some(Baseline { source: self.baseline, plan: self.plan }),
            speed_goals: SpeedGoals { pass_speedup: Some(self.pass_speedup), ..SpeedGoals::default() },
            ..About::default()
        }
    }
    fn cases(&self) -> Vec<Case> {
        Case::list([("four sums", On::Everywhere), ("n = 16 777 216, timed", On::GpuTimed)])
    }
    fn plan(&self, case: &Case, seed: u64, _: &Constants) -> Plan {
        (self.plan)(case, seed)
    }
    fn recompute(&self, _: &Case, asked: &OutputElement<'_>) -> Option<f64> {
        Some(one_sum(&asked.inputs, asked.index, self.per_sum))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_timed_is_checked_and_where_the_cheats_look_for_it() {
        for exercise in ALL {
            let case = &exercise.cases()[1];
            let plan = exercise.plan(case, 1, &Constants::default());
            assert!(plan.needs_reference() && !plan.timed.is_empty());
            assert_eq!(plan.buffers[0].bytes(), 64 << 20);
        }
        // `ARENA` in the cheats is for one output of 64 KB.
        let plan = SUMS.plan(&SUMS.cases()[1], 1, &Constants::default());
        assert_eq!(plan.buffers[1].bytes(), 64 << 10);
    }
}
