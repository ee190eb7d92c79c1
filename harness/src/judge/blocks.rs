//! A block has at most so many threads. Where the learner's launch constants ask for more, no launch can begin,
//! which is told once, before the first.

use warpsim::MOST_THREADS_PER_BLOCK;

use crate::{
    exercise::Constants,
    plan::{Plan, Step},
};

/// What is too large, and what to do about it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooLarge {
    pub found: String,
    pub next_step: String,
}

/// The first launch with too large a block.
pub(super) fn too_large(plan: &Plan, constants: &Constants) -> Option<TooLarge> {
    plan.steps.iter().find_map(|step| {
        let Step::Launch(launch) = step else { return None };
        let threads =
            launch.block.iter().fold(1_u64, |product, &side| product.saturating_mul(u64::from(side)));
        if threads <= MOST_THREADS_PER_BLOCK {
            return None;
        }
        let sides: Vec<String> =
            launch.block.iter().filter(|&&side| side > 1).map(|side| side.to_string()).collect();
        let product = if sides.len() > 1 { format!("{} = ", sides.join(" × ")) } else { String::new() };
        let values: Vec<String> =
            constants.0.iter().map(|(name, value)| format!("{name} ({value})")).collect();
        let lower = match &*values {
            [] => "Launch fewer threads in a block".to_owned(),
            [only] => format!("Lower {only}"),
            [first @ .., last] => format!("Lower {} or {last}", first.join(", ")),
        };
        Some(TooLarge {
            found: format!(
                "expected at most {MOST_THREADS_PER_BLOCK} threads in a block of `{}`, found {product}{threads}",
                launch.kernel
            ),
            next_step: format!("{lower}: a block of {product}{threads} threads is more than {MOST_THREADS_PER_BLOCK}."),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Launch;

    fn of(block: [u32; 3], constants: &[(&str, i64)]) -> Option<TooLarge> {
        let mut plan = Plan::new();
        plan.launch(Launch::new("small", 1, 1024));
        plan.launch(Launch { block, ..Launch::new("k", 1, 1) });
        let constants = constants.iter().map(|&(name, value)| (name.to_owned(), value));
        too_large(&plan, &Constants(constants.collect()))
    }

    #[test]
    fn a_block_is_told_with_the_constants_it_comes_from() {
        assert_eq!(of([32, 32, 1], &[]), None);
        let flat = of([128, 32, 1], &[("HEIGHT", 32), ("WIDTH", 128)]).unwrap();
        assert_eq!(flat.found, "expected at most 1024 threads in a block of `k`, found 128 × 32 = 4096");
        let next = "Lower HEIGHT (32) or WIDTH (128): a block of 128 × 32 = 4096 threads is more than 1024.";
        assert_eq!(flat.next_step, next);
        let line = of([2048, 1, 1], &[("BLOCK", 2048)]).unwrap();
        assert_eq!(line.next_step, "Lower BLOCK (2048): a block of 2048 threads is more than 1024.");
        assert!(of([1 << 31, 1 << 31, 1 << 31], &[]).is_some());
    }
}
