//! What `workshop new` starts from keeps the contract of an exercise, but for its holes; spoiled, it does not.
//!
//! Without libtest: this program is also two courses, as private courses would be, and so it is the command line
//! that it tests and its own workers. One course is the scaffold; the exercises of the other are the scaffold, each with
//! another baseline that is spoiled.

use std::{
    env, fs,
    path::Path,
    process::{Command, ExitCode},
};

use harness::{
    exercise::{About, Baseline, Case, Constants, CounterBound, Exercise},
    plan::Plan,
};

#[expect(unused_imports, reason = "its own tests need libtest; the crate made from it runs them")]
#[path = "../scaffold/exercises/00-scaffold/src/lib.rs"]
mod exercise;

/// Set where this program is to be a course: which.
const AS_COURSE: &str = "SCAFFOLD_AS_COURSE";

/// The scaffold with this baseline in place of its own, judged by one case.
struct Spoiled {
    id: &'static str,
    baseline: &'static str,
}

impl Exercise for Spoiled {
    fn about(&self) -> About {
        let scaffold = exercise::EXERCISE.about();
        let baseline = scaffold.baseline.map(|honest| Baseline { source: self.baseline, ..honest });
        About { id: self.id, baseline, ..scaffold }
    }
    fn cases(&self) -> Vec<Case> {
        let mut cases = exercise::EXERCISE.cases();
        cases.retain(|case| case.name.contains("one more than a block"));
        cases
    }
    fn plan(&self, case: &Case, seed: u64, constants: &Constants) -> Plan {
        exercise::EXERCISE.plan(case, seed, constants)
    }
    fn counter_bounds(&self, case: &Case, constants: &Constants) -> Vec<CounterBound> {
        exercise::EXERCISE.counter_bounds(case, constants)
    }
}

/// An exercise's id, what its baseline has instead of what, and what must be said of that.
const BASELINES: [(&str, &str, &str, &str); 5] = [
    ("01-compile", "out[first", "ouch[first", "does not compile: identifier \"ouch\" is undefined"),
    (
        "02-permitted",
        "    if (threadIdx.x < count) {",
        "    int thread;\n    asm(\"mov.u32 %0, %%tid.x;\" : \"=r\"(thread));\n    if (thread < count) {",
        "should be right and clean, but failed permitted",
    ),
    (
        "03-correct",
        "in[first + count - 1 - threadIdx.x]",
        "in[first + threadIdx.x]",
        "should be right and clean, but failed correct",
    ),
    (
        "04-clean",
        "    int first =",
        "    __shared__ int last;\n    last = threadIdx.x;\n    int first =",
        "should be right and clean, but failed clean",
    ),
    ("05-renamed", "void scaffold(", "void another(", "should be right and clean, but failed correct"),
];

/// A step's name, what it has instead of what, and what must be said of that.
const STEPS: [(&str, &str, &str, &str); 2] = [
    ("renamed", "void scaffold(", "void another(", "but failed compile"),
    (
        "assembler",
        "    int thread = threadIdx.x;",
        "    int thread;\n    asm(\"mov.u32 %0, %%tid.x;\" : \"=r\"(thread));",
        "but failed permitted",
    ),
];

fn main() -> ExitCode {
    harness::worker::intercept();
    match env::var(AS_COURSE).as_deref() {
        Ok("scaffold") => return workshop::main(&[&exercise::EXERCISE]),
        Ok(_) => {
            let spoiled = spoiled();
            let course: Vec<&dyn Exercise> = spoiled.iter().map(|one| one as &dyn Exercise).collect();
            return workshop::main(&course);
        }
        Err(_) => {}
    }
    only_the_holes_are_missing();
    println!("test only_the_holes_are_missing ... ok");
    a_baseline_or_step_that_is_spoiled_is_told();
    println!("test a_baseline_or_step_that_is_spoiled_is_told ... ok");
    ExitCode::SUCCESS
}

/// What `check` says of a course in a folder: each problem is one line.
fn problems(course: &str, folder: &Path) -> Vec<String> {
    let this = env::current_exe().expect("this program has a path");
    let check = Command::new(this).arg("check").env(AS_COURSE, course).current_dir(folder).output();
    let output = check.expect("it runs");
    let printed = String::from_utf8(output.stdout).expect("text");
    assert_eq!(output.status.code(), Some(1), "{printed}{}", String::from_utf8_lossy(&output.stderr));
    printed.split("  ✗ ").skip(1).map(|problem| problem.replace("\n    ", " ")).collect()
}

fn only_the_holes_are_missing() {
    let scaffold = Path::new(env!("CARGO_MANIFEST_DIR")).join("scaffold");
    let problems = problems("scaffold", &scaffold);
    // Stub, solution, step, baseline, five right and five wrong kernels, chapter, host side, hints; and its
    // counts, which change with it.
    assert_eq!(problems.len(), 18, "{problems:#?}");
    assert!(problems[17].contains("counts.txt is not what was counted"), "{problems:#?}");
    for problem in &problems[..17] {
        assert!(problem.contains("to be written: line"), "{problem}");
    }
}

fn spoiled() -> Vec<Spoiled> {
    let honest = exercise::EXERCISE.about().baseline.expect("the scaffold has one").source;
    let one = |(id, what, instead, _): (&'static str, &str, &str, &str)| Spoiled {
        id,
        baseline: changed(honest, what, instead).leak(),
    };
    BASELINES.map(one).into()
}

fn changed(source: &str, what: &str, instead: &str) -> String {
    assert!(source.contains(what), "no `{what}` in\n{source}");
    source.replace(what, instead)
}

/// In each of the ways in which a right kernel can be none.
fn a_baseline_or_step_that_is_spoiled_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |path: String, text: &str| {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().expect("it has one")).expect("a folder");
        fs::write(path, text).expect("a file");
    };
    write("exercises/README".to_owned(), "");
    for Spoiled { id, baseline } in spoiled() {
        write(format!("kernels/baselines/{id}.cu"), baseline);
    }
    let honest = exercise::EXERCISE.about().step("1-direct").expect("the scaffold has one").source;
    for (name, what, instead, _) in STEPS {
        write(format!("solutions/01-compile/steps/{name}.cu"), &changed(honest, what, instead));
    }
    let problems = problems("spoiled", folder.path());
    for (name, _, _, said) in BASELINES.into_iter().chain(STEPS) {
        let file = format!("/{name}.cu: ");
        let told = problems.iter().any(|problem| problem.contains(&file) && problem.contains(said));
        assert!(told, "{name}: no `{said}` in {problems:#?}");
    }
}
