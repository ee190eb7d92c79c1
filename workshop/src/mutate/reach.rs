//! How far a kernel's numbers reach: buffers, arguments and launches of an exercise's plans, and the classes of
//! values that it has.

use std::collections::BTreeMap;

use harness::{
    exercise::{Constants, Declared, Exercise, ValueClass},
    plan::{Argument, Launch, Plan, Step},
};

/// A kernel's blocks, or threads of a block, in x, y and z.
type Extents = [u64; 3];

/// What is known of all launches of one kernel, or of all kernels together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Launches {
    /// The elements behind each argument that is a buffer.
    elements: BTreeMap<usize, u64>,
    /// The largest value of each other argument.
    scalars: BTreeMap<usize, u64>,
    grid: Extents,
    block: Extents,
    least_blocks: Option<u64>,
}

/// The most of everything in all cases that can show it: those for a GPU count where the exercise declares long
/// dimensions and large indices, since its small launches then reach as far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reach {
    kernels: BTreeMap<String, Launches>,
    all: Launches,
    has_infinities: bool,
    is_unlimited: bool,
}

impl Reach {
    /// That of an exercise's plans for a kernel of this text.
    pub fn of(exercise: &dyn Exercise, text: &str) -> Self {
        let bounds = exercise.about().constants.iter();
        let values =
            bounds.map(|bound| (bound.name.to_owned(), constant(text, bound.name).unwrap_or(bound.at_least)));
        let constants = Constants(values.collect());
        let declares = |class| exercise.value_class(class) == Declared::Here;
        let is_far = declares(ValueClass::LongDimension) && declares(ValueClass::LargeIndex);
        let mut reach = Reach {
            has_infinities: declares(ValueClass::Infinity) || declares(ValueClass::Nan),
            ..Reach::default()
        };
        for case in exercise.cases().iter().filter(|case| is_far || case.on.is_simulated()) {
            let plan = exercise.plan(case, 1, &constants);
            reach.add(&plan, &plan.steps);
        }
        reach
    }

    /// As if everything were large and all values occurred.
    #[cfg(test)]
    pub fn unlimited() -> Self {
        Reach { has_infinities: true, is_unlimited: true, ..Reach::default() }
    }

    /// That of one plan.
    #[cfg(test)]
    pub fn of_plan(plan: &Plan) -> Self {
        let mut reach = Reach::default();
        reach.add(plan, &plan.steps);
        reach
    }

    /// Whether inputs have infinities or what is no number.
    pub fn has_infinities(&self) -> bool {
        self.has_infinities
    }

    /// Elements behind a kernel's parameter. Of what is no kernel's parameter, the most there are.
    pub fn elements(&self, function: &str, parameter: Option<usize>) -> u64 {
        if self.is_unlimited {
            return u64::MAX;
        }
        let of_kernel = self.kernels.get(function);
        let known = of_kernel.zip(parameter).and_then(|(launches, place)| launches.elements.get(&place));
        let largest = || self.all.elements.values().copied().max().unwrap_or(0);
        known.copied().unwrap_or_else(largest)
    }

    /// The largest value of a kernel's parameter.
    pub fn scalar(&self, kernel: &str, place: usize) -> Option<u64> {
        self.kernels.get(kernel)?.scalars.get(&place).copied()
    }

    /// The most blocks in a dimension. A function that is no kernel may be called by each.
    pub fn blocks(&self, function: &str, dimension: usize) -> Option<u64> {
        (!self.is_unlimited).then(|| self.launches(function).grid[dimension])
    }

    /// The most threads of a block in a dimension.
    pub fn threads(&self, function: &str, dimension: usize) -> Option<u64> {
        (!self.is_unlimited).then(|| self.launches(function).block[dimension])
    }

    /// Whether some launch has but one block in x.
    pub fn has_an_only_block(&self, function: &str) -> bool {
        self.is_unlimited || self.launches(function).least_blocks == Some(1)
    }

    fn launches(&self, function: &str) -> &Launches {
        self.kernels.get(function).unwrap_or(&self.all)
    }

    fn add(&mut self, plan: &Plan, steps: &[Step]) {
        for step in steps {
            match step {
                Step::Launch(launch) => {
                    self.kernels.entry(launch.kernel.clone()).or_default().add(plan, launch);
                    self.all.add(plan, launch);
                }
                Step::Repeat { steps, .. } => self.add(plan, steps),
                Step::SetGlobal { .. } | Step::ReadGlobal { .. } | Step::ReadBack(_) => {}
            }
        }
    }
}

impl Launches {
    fn add(&mut self, plan: &Plan, launch: &Launch) {
        for (place, argument) in launch.arguments.iter().enumerate() {
            let (known, value) = match argument {
                Argument::Buffer { buffer, .. }
                | Argument::TensorMap { buffer, .. }
                | Argument::Texture { buffer, .. }
                | Argument::Surface { buffer, .. } => {
                    (&mut self.elements, plan.buffers[buffer.0].len() as u64)
                }
                Argument::Scalar(bytes) => (&mut self.scalars, unsigned(bytes)),
                Argument::Null => continue,
            };
            let known = known.entry(place).or_default();
            *known = value.max(*known);
        }
        for dimension in 0..3 {
            self.grid[dimension] = self.grid[dimension].max(launch.grid[dimension].into());
            self.block[dimension] = self.block[dimension].max(launch.block[dimension].into());
        }
        let blocks = launch.grid[0].into();
        self.least_blocks = Some(self.least_blocks.map_or(blocks, |least| least.min(blocks)));
    }
}

/// A little-endian integer. That of a float means nothing, and nobody asks for it.
fn unsigned(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte))
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

    #[test]
    fn the_most_of_all_launches_counts() {
        let plan = Plan::default();
        let mut launches = Launches::default();
        for (n, grid) in [(7u32, 3), (300, 1)] {
            let mut launch = Launch::new("k", grid, 64);
            launch.arguments = vec![Argument::scalar(n), Argument::Null];
            launches.add(&plan, &launch);
        }
        assert_eq!(launches.scalars, BTreeMap::from([(0, 300)]));
        assert_eq!((launches.grid, launches.block, launches.least_blocks), ([3, 1, 1], [64, 1, 1], Some(1)));
    }
}
