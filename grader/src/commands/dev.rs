//! `grader dev check`: proves every exercise's contract by running all its kernels.

use std::path::{Path, PathBuf};

use colored::Colorize;
use harness::{
    device::{DeviceChoice, Devices},
    exercise::Exercise,
    judge::{self, CheckOptions, Kernel},
    report::Report,
};
use rayon::prelude::*;

use crate::{
    cli::DevCheck,
    contract::{self, Candidate, Role},
    course::Course,
    devices,
    exit::{Exit, Result, Trouble},
    folder::current_directory,
    terminal::Terminal,
    toolchains,
};

/// A kernel, what was found, and what is wrong with that.
pub(super) type Judged = (Candidate, Report, Vec<String>);

/// An exercise's id, its kernels, and what is wrong with the exercise, kernels included.
pub(super) type Proved<'a> = (&'a str, Vec<Judged>, Vec<String>);

/// Runs it.
///
/// # Errors
/// Wrong usage outside a checkout, or no compiler.
pub fn check(course: Course<'_>, check: &DevCheck, terminal: Terminal) -> Result<Exit> {
    let exercises = course.named(check.name.as_slice())?;
    let devices = devices::resolve(&check.device)?;
    let proved = prove(&root()?, &exercises, &check.device, &devices, terminal)?;
    let broken = proved.iter().any(|(_, _, problems)| !problems.is_empty());
    Ok(if broken { Exit::Failed } else { Exit::Passed })
}

/// Proves the contracts of some exercises and prints a line for each, as soon as it is known.
///
/// # Errors
/// No exercises, or no compiler.
pub(super) fn prove<'a>(
    root: &Path,
    exercises: &[&'a dyn Exercise],
    choice: &DeviceChoice,
    devices: &Devices,
    terminal: Terminal,
) -> Result<Vec<Proved<'a>>> {
    if exercises.is_empty() {
        return Err(Trouble::usage(
            "this course has no exercises: nothing was proved",
            "add them to `grader::main`",
        ));
    }
    let toolchain = toolchains::resolve(None, devices.gpu.as_ref())?;
    let judged = |exercise: &dyn Exercise, candidate: Candidate, threads: usize| -> Judged {
        let options = CheckOptions {
            device: choice.clone(),
            skip_speed: !is_timed(&candidate),
            threads,
            toolchain: Some(toolchain.clone()),
            ..CheckOptions::default()
        };
        let kernel = Kernel { path: candidate.file.display().to_string(), source: candidate.source.clone() };
        let report = judge::check(exercise, &kernel, &options, &|_| {});
        let problems = contract::judge(&candidate, &report);
        (candidate, report, problems)
    };
    let pool = rayon::ThreadPoolBuilder::new().build();
    let pool = pool.map_err(|error| Trouble::judge(format!("no threads: {error}"), "end other programs"))?;
    let mut proved = Vec::new();
    for &exercise in exercises {
        let mut problems = Vec::new();
        let candidates = contract::inspect(root, exercise, &mut problems);
        // What a GPU times must have it, and the machine, to itself; all else goes side by side.
        let (alone, together): (Vec<Candidate>, Vec<Candidate>) =
            candidates.into_iter().partition(|candidate| devices.gpu.is_some() && is_timed(candidate));
        let mut kernels: Vec<Judged> = pool.install(|| {
            let together = together.into_par_iter().with_max_len(1);
            together.map(|candidate| judged(exercise, candidate, 1)).collect()
        });
        kernels.extend(alone.into_iter().map(|candidate| judged(exercise, candidate, 0)));
        kernels.sort_by_key(|(candidate, _, _)| candidate.role);
        for (candidate, _, found) in &kernels {
            problems.extend(found.iter().map(|problem| format!("{}: {problem}", candidate.file.display())));
        }
        crate::print(&lines(exercise, &kernels, &problems, terminal));
        proved.push((exercise.id(), kernels, problems));
    }
    Ok(proved)
}

/// Only what must be fast is timed.
fn is_timed(candidate: &Candidate) -> bool {
    matches!(candidate.role, Role::Solution | Role::Step)
}

fn lines(exercise: &dyn Exercise, results: &[Judged], problems: &[String], terminal: Terminal) -> String {
    let count = |role: Role| results.iter().filter(|(candidate, _, _)| candidate.role == role).count();
    let what = format!(
        "{}: stub, {} solution, {} steps, {} baseline, {} wrong kernels",
        exercise.id(),
        count(Role::Solution),
        count(Role::Step),
        count(Role::Baseline),
        count(Role::Wrong)
    );
    let mark = if problems.is_empty() { "✓".green() } else { "✗".red() };
    let mut text = format!("{mark} {what}\n");
    for problem in problems {
        let options = textwrap::Options::new(terminal.width).initial_indent("  ✗ ").subsequent_indent("    ");
        text.push_str(&textwrap::fill(problem, options));
        text.push('\n');
    }
    text
}

/// The course's root: the nearest folder with `exercises` and `solutions`.
pub(super) fn root() -> Result<PathBuf> {
    let here = current_directory()?;
    let found = here
        .ancestors()
        .find(|folder| folder.join("exercises").is_dir() && folder.join("solutions").is_dir());
    found.map(Path::to_owned).ok_or_else(|| {
        Trouble::usage(
            format!("{} is in no checkout of a course", here.display()),
            "run it below the folder that has exercises/ and solutions/",
        )
    })
}
