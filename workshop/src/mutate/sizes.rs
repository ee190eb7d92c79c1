//! How far indices reach: the elements of the buffers that an exercise's plans pass to its kernels.

use std::collections::BTreeMap;

use harness::{
    exercise::{Constants, Exercise},
    plan::{Argument, Plan, Step},
};

/// Elements behind each parameter of each kernel, in the largest of all cases, those for a GPU included.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sizes {
    parameters: BTreeMap<(String, usize), usize>,
    largest: usize,
}

impl Sizes {
    /// Those of an exercise's plans for a kernel of this text.
    pub fn of(exercise: &dyn Exercise, text: &str) -> Self {
        let bounds = exercise.about().constants.iter();
        let values =
            bounds.map(|bound| (bound.name.to_owned(), constant(text, bound.name).unwrap_or(bound.at_least)));
        let constants = Constants(values.collect());
        let mut sizes = Sizes::default();
        for case in exercise.cases() {
            let plan = exercise.plan(&case, 1, &constants);
            sizes.add(&plan, &plan.steps);
        }
        sizes
    }

    /// As if everything were large.
    #[cfg(test)]
    pub fn unlimited() -> Self {
        Sizes { parameters: BTreeMap::new(), largest: usize::MAX }
    }

    /// Elements behind a kernel's parameter. Of what is no kernel's parameter, the most there are.
    pub fn elements(&self, kernel: &str, parameter: Option<usize>) -> usize {
        let known = parameter.and_then(|place| self.parameters.get(&(kernel.to_owned(), place)));
        known.copied().unwrap_or(self.largest)
    }

    fn add(&mut self, plan: &Plan, steps: &[Step]) {
        for step in steps {
            match step {
                Step::Launch(launch) => {
                    for (place, argument) in launch.arguments.iter().enumerate() {
                        if let Argument::Buffer { buffer, .. } = argument {
                            let elements = plan.buffers[buffer.0].len();
                            let known = self.parameters.entry((launch.kernel.clone(), place)).or_default();
                            *known = elements.max(*known);
                            self.largest = elements.max(self.largest);
                        }
                    }
                }
                Step::Repeat { steps, .. } => self.add(plan, steps),
                Step::SetGlobal { .. } | Step::ReadBack(_) => {}
            }
        }
    }
}

/// The value of a launch constant as it is written.
fn constant(text: &str, name: &str) -> Option<i64> {
    let (_, rest) = text.split_once(&format!("\nLAUNCH_CONSTANT({name},"))?;
    rest.split_once(')')?.0.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_constant_is_read_from_its_macro() {
        let text = "// LAUNCH_CONSTANT(SIDE, 1);\nLAUNCH_CONSTANT(SIDE, 32);\n";
        assert_eq!((constant(text, "SIDE"), constant(text, "OTHER")), (Some(32), None));
    }
}
