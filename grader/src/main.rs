//! The grader of this course: the library's command line over the course's exercises.

use std::process::ExitCode;

fn main() -> ExitCode {
    grader::main(&[
        &exercise_00_first_kernel::EXERCISE,
        &exercise_03_reduction::EXERCISE,
        &exercise_05_bank_conflicts::EXERCISE,
        &exercise_07_convolution::EXERCISE,
        &exercise_08_matmul::EXERCISE,
        &exercise_14_block_scan::EXERCISE,
    ])
}
