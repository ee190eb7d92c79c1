//! The grader of this course: the library's command line over the course's exercises.

mod exercises;

use std::process::ExitCode;

fn main() -> ExitCode {
    grader::main(exercises::COURSE)
}
