//! `grader dev check`: proves every exercise's contract by running all its kernels.

use std::path::{Path, PathBuf};

use colored::Colorize;
use harness::{
    exercise::Exercise,
    judge::{self, CheckOptions, Kernel},
    report::{GoalResult, Report, SpeedReport, Verdict},
};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::{
    cli::DevCheck,
    contract::{self, Candidate, Role},
    course::Course,
    devices,
    exit::{Exit, Result, Trouble},
    files,
    folder::current_directory,
    terminal::Terminal,
    toolchains,
};

/// What was run, for the record.
#[derive(Serialize, Deserialize)]
pub(super) struct Record {
    pub(super) date: String,
    pub(super) device: String,
    pub(super) compiler: String,
    pub(super) kernels: Vec<KernelRecord>,
}

/// One kernel, what must become of it and what did.
#[derive(Serialize, Deserialize)]
pub(super) struct KernelRecord {
    pub(super) exercise: String,
    #[serde(flatten)]
    pub(super) candidate: Candidate,
    pub(super) verdict: Verdict,
    pub(super) goals: Vec<GoalResult>,
    pub(super) speed: Vec<SpeedReport>,
    pub(super) problems: Vec<String>,
}

/// A kernel, what was found, and what is wrong with that.
type Judged = (Candidate, Report, Vec<String>);

/// Runs it.
///
/// # Errors
/// Wrong usage outside a checkout, or no compiler.
pub fn check(course: Course<'_>, check: &DevCheck, terminal: Terminal) -> Result<Exit> {
    let root = root()?;
    let exercises = match &check.name {
        Some(name) => vec![course.find(name)?],
        None => course.exercises.to_vec(),
    };
    if exercises.is_empty() {
        return Err(Trouble::usage(
            "this course has no exercises: nothing was proved",
            "add them to `grader::main`",
        ));
    }
    let devices = devices::resolve(&check.device)?;
    let toolchain = toolchains::resolve(None, devices.gpu.as_ref())?;
    let judged = |exercise: &dyn Exercise, candidate: &Candidate| -> Report {
        let options = CheckOptions {
            device: check.device.clone(),
            // Only what must be fast is timed.
            skip_speed: !matches!(candidate.role, Role::Solution | Role::Step),
            threads: if devices.gpu.is_some() { 0 } else { 1 },
            toolchain: Some(toolchain.clone()),
            ..CheckOptions::default()
        };
        let kernel = Kernel { path: candidate.file.display().to_string(), source: candidate.source.clone() };
        judge::check(exercise, &kernel, &options, &|_| {})
    };
    // A GPU runs and measures one kernel at a time.
    let threads = if devices.gpu.is_some() { 1 } else { 0 };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|error| Trouble::judge(format!("no threads: {error}"), "end other programs"))?;
    let mut all = 0;
    let mut results: Vec<(&str, Vec<Judged>)> = Vec::new();
    for exercise in exercises {
        let mut problems = Vec::new();
        let candidates = contract::inspect(&root, exercise, &mut problems);
        let results_here: Vec<Judged> = pool.install(|| {
            candidates
                .into_par_iter()
                .with_max_len(1)
                .map(|candidate| {
                    let report = judged(exercise, &candidate);
                    let problems = contract::judge(&candidate, &report);
                    (candidate, report, problems)
                })
                .collect()
        });
        for (candidate, _, found) in &results_here {
            problems.extend(found.iter().map(|problem| format!("{}: {problem}", candidate.file.display())));
        }
        crate::print(&lines(exercise, &results_here, &problems, terminal));
        all += problems.len();
        results.push((exercise.id(), results_here));
    }
    if let Some(path) = &check.out {
        write_record(path, &devices::name(&devices), &results)?;
    }
    Ok(if all == 0 { Exit::Passed } else { Exit::Failed })
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

fn write_record(path: &Path, device: &str, results: &[(&str, Vec<Judged>)]) -> Result<()> {
    let compiler = results
        .iter()
        .flat_map(|(_, all)| all)
        .map(|(_, report, _)| &report.compiler)
        .find(|c| !c.is_empty());
    let record = Record {
        date: jiff::Timestamp::now().strftime("%Y-%m-%d").to_string(),
        device: device.to_owned(),
        // Where the compiler lies on that machine is nobody's business.
        compiler: compiler.and_then(|c| c.split(" (").next()).unwrap_or_default().to_owned(),
        kernels: results
            .iter()
            .flat_map(|(exercise, all)| {
                all.iter().map(move |(candidate, report, problems)| KernelRecord {
                    exercise: (*exercise).to_owned(),
                    candidate: candidate.clone(),
                    verdict: report.verdict,
                    goals: report.goals.clone(),
                    speed: report.speed.clone(),
                    problems: problems.clone(),
                })
            })
            .collect(),
    };
    let text = serde_json::to_vec_pretty(&record).map_err(std::io::Error::from);
    text.and_then(|text| files::write_atomically(path, &text)).map_err(|error| {
        Trouble::judge(
            format!("could not write {}: {}", path.display(), files::explain(&error)),
            "write elsewhere",
        )
    })
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
