//! The blocks of a grid share its work: what every exercise with many blocks asks for.
//!
//! One block that does the work of all, one after the other, is right in every other way, and on a simulator nothing
//! else shows that the grid was for nothing.

use warpsim::Counters;

use crate::{
    exercise::{Counter, CounterBound},
    plan::{Plan, Step},
};

/// Fewer blocks than this may do their work alone: vectors and several elements for each thread leave few of them
/// anything to do.
const MANY_BLOCKS: u64 = 32;
/// Sectors that one block may load for all of them.
const FEW_SECTORS: u64 = 64;

/// The bound for a case that launches many blocks, in which so much was counted.
pub(super) fn bound(plan: &Plan, counters: Option<&Counters>) -> Option<CounterBound> {
    let blocks = most_blocks(&plan.steps);
    let all = counters.map_or(0, |counters| Counter::GlobalLoadSectors.of(counters));
    let most = (all / 2).max(FEW_SECTORS);
    (blocks >= MANY_BLOCKS).then(|| {
        let why =
            format!("none of {blocks} blocks loads more than half of what all load together, {all} sectors");
        Counter::BusiestBlockLoadSectors.at_most(most as usize, why)
    })
}

fn most_blocks(steps: &[Step]) -> u64 {
    let of_step = |step: &Step| match step {
        Step::Launch(launch) => launch.grid.iter().map(|&blocks| u64::from(blocks)).product(),
        Step::Repeat { steps, .. } => most_blocks(steps),
        Step::SetGlobal { .. } | Step::ReadGlobal { .. } | Step::ReadBack(_) => 0,
    };
    steps.iter().map(of_step).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Launch;

    fn counted(loads: u64, busiest: u64) -> Counters {
        let mut counters = Counters::default();
        (counters.global_load_sectors, counters.busiest_block_load_sectors) = (loads, busiest);
        counters
    }

    #[test]
    fn one_of_many_blocks_must_not_do_the_work_of_all() {
        let mut plan = Plan::new();
        plan.launch(Launch::new("small", 2, 32));
        assert_eq!(bound(&plan, Some(&counted(1000, 1000))), None);
        plan.steps
            .push(Step::Repeat { times: 3, steps: vec![Step::Launch(Launch::new("large", [8, 4], 32))] });
        let admits = |loads, busiest| {
            let counters = counted(loads, busiest);
            let bound = bound(&plan, Some(&counters)).expect("there are many blocks");
            bound.bound.admits(bound.counter.of(&counters))
        };
        assert!(admits(1000, 500) && !admits(1000, 501));
        assert!(admits(64, 64));
    }
}
