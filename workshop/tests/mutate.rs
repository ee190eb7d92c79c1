//! `workshop mutate` end to end, over what `workshop new` starts from.
//!
//! Without libtest: this program is also two courses, as private courses would be, and so it is the command line
//! that it tests and its own workers. One course is the scaffold; the other is the scaffold with a hole, a judge
//! that tries full blocks only.

use std::{
    env, fs,
    path::Path,
    process::{Command, ExitCode},
};

use harness::exercise::{About, Case, Constants, CounterBound, Exercise};
use harness::plan::Plan;

#[expect(unused_imports, reason = "its own tests need libtest; the crate made from it runs them")]
#[path = "../scaffold/exercises/00-scaffold/src/lib.rs"]
mod scaffold;

/// Set where this program is to be a course: which.
const AS_COURSE: &str = "WORKSHOP_AS_COURSE";

/// The scaffold, judged by one case.
struct WithHole;

impl Exercise for WithHole {
    fn about(&self) -> About {
        scaffold::EXERCISE.about()
    }
    fn cases(&self) -> Vec<Case> {
        let mut cases = scaffold::EXERCISE.cases();
        cases.retain(|case| case.name.contains("full blocks"));
        cases
    }
    fn plan(&self, case: &Case, seed: u64, constants: &Constants) -> Plan {
        scaffold::EXERCISE.plan(case, seed, constants)
    }
    fn counter_bounds(&self, case: &Case, constants: &Constants) -> Vec<CounterBound> {
        scaffold::EXERCISE.counter_bounds(case, constants)
    }
}

fn main() -> ExitCode {
    harness::worker::intercept();
    match env::var(AS_COURSE).as_deref() {
        Ok("scaffold") => return workshop::main(&[&scaffold::EXERCISE]),
        Ok(_) => return workshop::main(&[&WithHole]),
        Err(_) => {}
    }
    what_a_judge_misses_is_listed();
    println!("test what_a_judge_misses_is_listed ... ok");
    results_do_not_depend_on_how_many_judge();
    println!("test results_do_not_depend_on_how_many_judge ... ok");
    what_is_kept_is_not_judged_again();
    println!("test what_is_kept_is_not_judged_again ... ok");
    a_glance_kills_only_what_the_judge_kills();
    println!("test a_glance_kills_only_what_the_judge_kills ... ok");
    nothing_survives_in_the_scaffold();
    println!("test nothing_survives_in_the_scaffold ... ok");
    ExitCode::SUCCESS
}

fn mutate(course: &str, arguments: &[&str]) -> (Option<i32>, String) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scaffold");
    let this = env::current_exe().expect("this program has a path");
    let mut command = Command::new(this);
    command.arg("mutate").args(arguments).env(AS_COURSE, course).current_dir(folder);
    let output = command.output().expect("it runs");
    let printed = String::from_utf8(output.stdout).expect("text");
    (output.status.code(), printed + &String::from_utf8_lossy(&output.stderr))
}

/// Full blocks hide a guard that is gone.
fn what_a_judge_misses_is_listed() {
    let guard = ["--only", "kernel.cu:32:9"];
    let (code, printed) = mutate("with a hole", &guard);
    assert_eq!(code, Some(1), "{printed}");
    let missed = "missed  solutions/00-scaffold/kernel.cu:32:9: `thread < count` becomes `true`\n";
    assert!(printed.contains(missed), "{printed}");
    assert!(printed.contains("next: give the exercise the case"), "{printed}");
    let (code, printed) = mutate("scaffold", &guard);
    assert_eq!(code, Some(0), "{printed}");
    assert!(!printed.contains("missed  "), "{printed}");
}

fn results_do_not_depend_on_how_many_judge() {
    let sample = ["--sample", "20", "--seed", "3", "--format", "json"];
    let one = mutate("with a hole", &[&sample[..], &["--jobs", "1"]].concat());
    assert_eq!(one, mutate("with a hole", &[&sample[..], &["--jobs", "3"]].concat()));
}

/// A run that was ended goes on, and prints what one that was not would print.
fn what_is_kept_is_not_judged_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("kept");
    let keep = ["--format", "json", "--keep", file.to_str().expect("text")];
    let whole = mutate("with a hole", &keep[..2]);
    assert_eq!(whole, mutate("with a hole", &keep));
    let kept = fs::read_to_string(&file).expect("it is there");
    let lines: Vec<&str> = kept.lines().collect();
    assert_eq!(lines.len(), 2, "a batch of the solution and one of the step");
    // Ended after each batch, and in the middle of the next one's line.
    for count in 0..lines.len() {
        let half = &lines[count][..lines[count].len() / 2];
        fs::write(&file, lines[..count].join("\n") + if count == 0 { "" } else { "\n" } + half)
            .expect("written");
        assert_eq!(whole, mutate("with a hole", &keep), "{count}");
        assert_eq!(fs::read_to_string(&file).expect("there").lines().count(), lines.len());
    }
    // It is taken from there, indeed; and another choice of mutants has nothing of it.
    fs::write(&file, kept.replace("\"missed\"", "\"same_code\"")).expect("written");
    let (code, printed) = mutate("with a hole", &keep);
    assert_eq!(code, Some(0), "{printed}");
    assert_eq!(mutate("with a hole", &[&keep[..], &["--whole"]].concat()).0, Some(1));
}

/// Killed by what may differ: more than one goal may fail.
fn a_glance_kills_only_what_the_judge_kills() {
    let fates = |options: &[&str]| {
        let (code, printed) = mutate("with a hole", options);
        assert_eq!(code, Some(1), "{printed}");
        printed.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(fates(&[]), fates(&["--whole"]));
}

fn nothing_survives_in_the_scaffold() {
    let (code, printed) = mutate("scaffold", &[]);
    assert_eq!(code, Some(0), "{printed}");
}
