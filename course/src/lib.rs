//! The course's exercises, in its order: what the two programs, `grader` and `workshop`, are given. The libraries
//! of both know no exercise, so that a private course is a crate like this one. `workshop new` adds a line.

use harness::exercise::Exercise;

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
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::COURSE;

    #[test]
    fn an_id_is_one_exercises_alone_now_and_in_earlier_versions() {
        let mut known = BTreeSet::new();
        let ids = COURSE.iter().flat_map(|exercise| [&[exercise.id()], exercise.about().formerly].concat());
        for id in ids {
            assert!(known.insert(id), "{id} is there twice");
        }
    }
}
