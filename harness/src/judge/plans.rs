//! Plans that are kept from check to check, for whoever judges one exercise again and again.
//!
//! A plan holds inputs and what must come out, and is made from the case, the seed and the launch constants alone: made
//! again it is the same, and takes as long. No kernel meets it here; a device gets a copy without the expected values.
//! What is kept is of one exercise, one seed and one choice of constants; whatever else is asked for takes its place.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use crate::{
    exercise::{Case, Constants},
    plan::Plan,
};

/// Plans that were made.
#[derive(Clone, Debug, Default)]
pub struct KeptPlans(Arc<Mutex<Kept>>);

#[derive(Debug, Default)]
struct Kept {
    exercise: String,
    seed: u64,
    constants: Constants,
    /// By the case's index.
    plans: BTreeMap<usize, Plan>,
}

impl KeptPlans {
    /// The plan of a case: the kept one, or one that is made now and kept if it could be made.
    pub(super) fn plan<E>(
        &self,
        exercise: &str,
        case: &Case,
        seed: u64,
        constants: &Constants,
        make: impl FnOnce() -> Result<Plan, E>,
    ) -> Result<Plan, E> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if (&*kept.exercise, kept.seed, &kept.constants) != (exercise, seed, constants) {
            *kept = Kept {
                exercise: exercise.to_owned(),
                seed,
                constants: constants.clone(),
                plans: BTreeMap::new(),
            };
        }
        if let Some(plan) = kept.plans.get(&case.index) {
            return Ok(plan.clone());
        }
        let plan = make()?;
        kept.plans.insert(case.index, plan.clone());
        Ok(plan)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::exercise::On;

    #[test]
    fn a_plan_is_made_once_for_all_that_it_is_made_from() {
        let cases = Case::list([("one", On::Everywhere), ("two", On::Everywhere)]);
        let constants = |value| Constants([("BLOCK_SIZE".to_owned(), value)].into());
        let kept = KeptPlans::default();
        let made = Cell::new(0);
        let ask = |exercise: &str, case: usize, seed: u64, block: i64| {
            let before = made.get();
            let plan = kept.plan(exercise, &cases[case], seed, &constants(block), || {
                made.set(made.get() + 1);
                Ok::<_, ()>(Plan { minimum_bytes: case as u64, ..Plan::new() })
            });
            assert_eq!(plan.map(|plan| plan.minimum_bytes), Ok(case as u64));
            made.get() - before
        };
        assert_eq!([ask("03", 0, 1, 256), ask("03", 1, 1, 256)], [1, 1]);
        assert_eq!([ask("03", 0, 1, 256), ask("03", 1, 1, 256)], [0, 0]);
        // Whatever differs makes it another plan.
        assert_eq!([ask("04", 0, 1, 256), ask("04", 0, 2, 256), ask("04", 0, 2, 128)], [1, 1, 1]);
        assert_eq!(ask("04", 0, 2, 128), 0);
    }

    #[test]
    fn what_cannot_be_made_is_not_kept() {
        let cases = Case::list([("one", On::Everywhere)]);
        let kept = KeptPlans::default();
        let made = kept.plan("03", &cases[0], 1, &Constants::default(), || Err("a defect"));
        assert_eq!(made, Err("a defect"));
        let made = kept.plan("03", &cases[0], 1, &Constants::default(), || Ok::<_, &str>(Plan::new()));
        assert_eq!(made, Ok(Plan::new()));
    }
}
