//! Every exercise's cases hold the classes of values that it declares, and it declares every class: a test for each
//! exercise.

use course::COURSE;
use harness::exercise::value_problems;
use libtest_mimic::{Arguments, Trial};

fn main() {
    let trials = COURSE.iter().map(|exercise| {
        Trial::test(exercise.id(), move || {
            let problems = value_problems(*exercise);
            if problems.is_empty() { Ok(()) } else { Err(problems.join("\n").into()) }
        })
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit();
}
