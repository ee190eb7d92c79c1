//! The course's exercises, in its order: what the two programs, `grader` and `workshop`, are given. The libraries
//! of both know no exercise, so that a private course is a crate like this one. `workshop new` adds a line.

use harness::exercise::{Constants, Exercise};

/// The exercises.
pub const COURSE: &[&dyn Exercise] = &[
    &exercise_00_first_kernel::EXERCISE,
    &exercise_01_coalescing::EXERCISE,
    &exercise_02_stencil::EXERCISE,
    &exercise_03_reduction::EXERCISE,
    &exercise_04_synchronization::EXERCISE,
    &exercise_05_bank_conflicts::EXERCISE,
    &exercise_06_transpose::EXERCISE,
    &exercise_07_convolution::EXERCISE,
    &exercise_08_matmul::EXERCISE,
    &exercise_09_dynamic_shared::EXERCISE,
    &exercise_10_warp_shuffle::EXERCISE,
    &exercise_11_coarsening::EXERCISE,
    &exercise_12_histogram::EXERCISE,
    &exercise_13_fences::EXERCISE,
    &exercise_14_block_scan::EXERCISE,
    &exercise_15_device_scan::EXERCISE,
    &exercise_16_double_buffering::EXERCISE,
    &exercise_17_capstone_scan::EXERCISE,
    &exercise_18_capstone_gemm::EXERCISE,
    &exercise_19_tensor_cores::EXERCISE,
    &exercise_20_bulk_copies::EXERCISE,
    &exercise_21_clusters::EXERCISE,
];

/// The choices of constants that the course itself makes, and each constant at its bounds.
pub fn choices(exercise: &dyn Exercise) -> Vec<Constants> {
    let about = exercise.about();
    let sources = [about.stub, about.solution].into_iter().chain(about.steps.iter().map(|step| step.source));
    let mut all: Vec<_> = sources.map(Constants::of_source).collect();
    for bound in about.constants {
        for value in [bound.at_least, bound.at_most] {
            let mut constants = Constants::of_source(about.stub);
            constants.0.insert(bound.name.to_owned(), value);
            all.push(constants);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use harness::{
        exercise::{Constants, On},
        plan::{BufferId, Expected, Step},
    };

    use super::{COURSE, choices};

    #[test]
    fn an_id_is_one_exercises_alone_now_and_in_earlier_versions() {
        let mut known = BTreeSet::new();
        let ids = COURSE.iter().flat_map(|exercise| [&[exercise.id()], exercise.about().formerly].concat());
        for id in ids {
            assert!(known.insert(id), "{id} is there twice");
        }
    }

    /// Only a GPU times, so a test without one must see that the trusted kernel's outputs are found by their names.
    #[test]
    fn trusted_plans_have_the_outputs_of_every_timed_case() {
        for exercise in COURSE {
            for case in exercise.cases().iter().filter(|case| case.on == On::GpuTimed) {
                for constants in choices(*exercise) {
                    let plan = exercise.plan(case, 1, &constants);
                    for expectation in &plan.expectations {
                        let Expected::Reference { .. } = expectation.expected else { continue };
                        let trusted = exercise.about().trusted_plan(case, 1, &constants);
                        let trusted = trusted.expect("a trusted kernel says what is right");
                        let output = &plan.buffers[expectation.buffer.0];
                        let names: Vec<_> = trusted.buffers.iter().map(|buffer| &buffer.name).collect();
                        assert!(
                            trusted.place_of(output).is_some(),
                            "{}, {}, {constants:?}: no `{}` of {} elements among {names:?}",
                            exercise.id(),
                            case.name,
                            output.name,
                            output.len()
                        );
                    }
                }
            }
        }
    }

    /// The parameters of each kernel of a source, by its name.
    fn parameters(source: &str) -> BTreeMap<&str, Vec<&str>> {
        fn last_word(text: &str) -> &str {
            text.trim_end().rsplit(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default()
        }
        let kernels = source.split("__global__").skip(1).filter_map(|behind| {
            let (head, _) = behind.split_once('{')?;
            // The last list in parentheses: launch bounds have one ahead of it.
            let (head, list) = head.trim_end().strip_suffix(')')?.rsplit_once('(')?;
            Some((last_word(head), list.split(',').map(last_word).collect()))
        });
        kernels.collect()
    }

    /// A learner knows the names of the own file and no others: `out`, or where several buffers are called so
    /// `launch 2's out` or `compact's out`.
    #[test]
    fn buffers_are_called_as_the_kernels_parameters_are() {
        for exercise in COURSE {
            let stub = exercise.about().stub;
            let (parameters, constants) = (parameters(stub), Constants::of_source(stub));
            // Other cases are of the same plans, and take seconds to make.
            for case in
                exercise.cases().iter().filter(|case| matches!(case.on, On::Everywhere | On::GpuTimed))
            {
                let plan = exercise.plan(case, 1, &constants);
                let launches = plan.steps.iter().filter_map(|step| match step {
                    Step::Launch(launch) => Some(launch),
                    _ => None,
                });
                // As the first launch has it that takes it.
                let mut known: BTreeMap<usize, [String; 3]> = BTreeMap::new();
                for (number, launch) in (1..).zip(launches) {
                    let names = &parameters[launch.kernel.as_str()];
                    assert_eq!(names.len(), launch.arguments.len(), "{}: {}", exercise.id(), launch.kernel);
                    for (argument, name) in launch.arguments.iter().zip(names) {
                        if let Some(BufferId(id)) = argument.of_buffer() {
                            let may_be = [
                                "".to_owned(),
                                format!("launch {number}'s "),
                                format!("{}'s ", launch.kernel),
                            ];
                            known.entry(id).or_insert(may_be.map(|owner| owner + name));
                        }
                    }
                }
                let mut seen = BTreeSet::new();
                for (buffer, names) in plan.buffers.iter().zip(known.values()) {
                    let place = format!("{}, {}: {}", exercise.id(), case.name, buffer.name);
                    assert!(names.contains(&buffer.name), "{place} is none of {names:?}");
                    assert!(seen.insert(&buffer.name), "{place} is there twice");
                }
                assert_eq!(known.len(), plan.buffers.len(), "{}, {}", exercise.id(), case.name);
            }
        }
    }
}
