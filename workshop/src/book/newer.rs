//! What of the course is newer than the records of GPU runs, and has not run there.
//!
//! A table of such a run says it below itself: who reads "14 of 14" must not take it for all that there is today.

use std::{fmt::Write as _, path::Path};

use grader::{
    calibrate,
    course::Course,
    kernels::{self, Role},
};
use harness::{
    exercise::{Exercise, On},
    report::Found,
};

use super::records::Records;
use crate::record::{KernelRecord, Record};

/// A list of what has not run in the `shown` records, an item for each exercise that has such; empty where everything
/// has run. How many cases there are today the newest of `all` records tells.
pub fn list(course: Course<'_>, root: &Path, shown: &Records, all: &Records) -> String {
    let mut items = String::new();
    for exercise in course.exercises {
        let id = exercise.id();
        let record = &shown.of(id).record;
        let today = kernels::of(root, *exercise, &mut Vec::new());
        let today = today
            .iter()
            .map(|kernel| (kernel.file.display().to_string(), calibrate::code_hash(&kernel.source)));
        let mut parts: Vec<String> = kernels_not_run(record, today)
            .into_iter()
            .map(|file| format!("`{}`", file.trim_start_matches(&format!("solutions/{id}/"))))
            .collect();
        parts.extend(cases_not_timed(record, *exercise));
        let ran = cases_run(record, id);
        let most = all.each().map(|record| cases_run(record, id)).max().unwrap_or(0);
        if ran < most {
            parts.push(format!("{} of {most} runs of cases", most - ran));
        }
        if !parts.is_empty() {
            let _ = writeln!(items, "- {id}: {}", parts.join(", "));
        }
    }
    if items.is_empty() {
        return items;
    }
    format!("\nThe course has changed since that run, and these have not run there yet:\n\n{items}")
}

/// Of kernels, each with the hash of its code, the files that the record lacks or has with other code.
fn kernels_not_run(record: &Record, today: impl Iterator<Item = (String, String)>) -> Vec<String> {
    today.filter(|(file, code)| !record.has_run(file, code)).map(|(file, _)| file).collect()
}

/// Today's timed cases in which the solution was not timed.
fn cases_not_timed(record: &Record, exercise: &dyn Exercise) -> Vec<String> {
    let Some(solution) = solution(record, exercise.id()) else { return Vec::new() };
    let is_timed = |name: &str| solution.speed.iter().any(|timed| timed.case == name);
    let cases = exercise.cases().into_iter().filter(|case| case.on == On::GpuTimed);
    cases.filter(|case| !is_timed(&case.name)).map(|case| format!("the case \"{}\"", case.name)).collect()
}

/// How many runs of cases the solution's verdict is of; a case may run on both devices.
fn cases_run(record: &Record, exercise: &str) -> usize {
    let goals = solution(record, exercise).into_iter().flat_map(|solution| &solution.goals);
    goals
        .filter_map(|goal| match goal.found {
            Found::Cases { ran, .. } => Some(ran),
            _ => None,
        })
        .sum()
}

fn solution<'a>(record: &'a Record, exercise: &str) -> Option<&'a KernelRecord> {
    record
        .kernels
        .iter()
        .find(|kernel| kernel.exercise == exercise && kernel.candidate.role == Role::Solution)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_counts_as_run_only_with_the_code_that_it_has() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(super::super::RECORD);
        let record = Record::read(&file).unwrap_or_else(|_| panic!("a record"));
        let kernel =
            record.kernels.iter().find(|kernel| !kernel.code.is_empty()).expect("a kernel with its code");
        let name = kernel.candidate.file.display().to_string();
        let not_run = |file: &str, code: &str| {
            kernels_not_run(&record, std::iter::once((file.to_owned(), code.to_owned())))
        };
        assert_eq!(not_run(&name, &kernel.code), Vec::<String>::new());
        assert_eq!(not_run(&name, "other code"), std::slice::from_ref(&name));
        assert_eq!(not_run("solutions/03-reduction/wrong/new.cu", &kernel.code).len(), 1);
    }
}
