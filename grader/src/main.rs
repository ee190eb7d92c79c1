//! The grader of this course: the library's command line over the course's exercises.

use std::process::ExitCode;

fn main() -> ExitCode {
    grader::main(course::COURSE)
}
