//! The workshop of this course: the library's command line over the course's exercises.

use std::process::ExitCode;

fn main() -> ExitCode {
    workshop::main(course::COURSE)
}
