//! What `workshop new` starts from keeps the contract of an exercise, but for its holes.
//!
//! Without libtest: this program is also the course whose only exercise that is, as a private course would
//! be, and so it is the command line that it tests and its own workers.

use std::{
    env,
    path::Path,
    process::{Command, ExitCode},
};

#[expect(unused_imports, reason = "its own tests need libtest; the crate made from it runs them")]
#[path = "../scaffold/exercises/00-scaffold/src/lib.rs"]
mod exercise;

/// Set where this program is to be the course.
const AS_COURSE: &str = "SCAFFOLD_AS_COURSE";

fn main() -> ExitCode {
    harness::worker::intercept();
    if env::var_os(AS_COURSE).is_some() {
        return workshop::main(&[&exercise::EXERCISE]);
    }
    only_the_holes_are_missing();
    println!("test only_the_holes_are_missing ... ok");
    ExitCode::SUCCESS
}

fn only_the_holes_are_missing() {
    let scaffold = Path::new(env!("CARGO_MANIFEST_DIR")).join("scaffold");
    let this = env::current_exe().expect("this program has a path");
    let check = Command::new(this).arg("check").env(AS_COURSE, "1").current_dir(&scaffold).output();
    let output = check.expect("it runs");
    let printed = String::from_utf8(output.stdout).expect("text");
    assert_eq!(output.status.code(), Some(1), "{printed}{}", String::from_utf8_lossy(&output.stderr));
    let problems: Vec<String> =
        printed.split("✗").skip(2).map(|problem| problem.replace("\n    ", " ")).collect();
    // Stub, solution, step, baseline, five right and five wrong kernels, chapter, host side, hints; and its
    // counts, which change with it.
    assert_eq!(problems.len(), 18, "{printed}");
    assert!(problems[17].contains("counts.txt is not what was counted"), "{printed}");
    for problem in &problems[..17] {
        assert!(problem.contains("to be written: line"), "{problem}");
    }
}
