//! Mutants that differ from their original only where there is more data than the simulator gets: each must fail on a
//! GPU, whose cases are larger.

use std::path::Path;

use grader::{
    devices,
    exit::{Exit, Result, Trouble},
    files, toolchains,
};
use harness::{
    device::DeviceChoice,
    exercise::Exercise,
    judge::{self, CheckOptions},
    report::Report,
};

use super::{
    digest,
    equivalents::{Listed, Why},
    fate::{Excused, Fate, fate},
    mutants, pool, read, render, source,
};
use crate::cli::Mutate;

/// As often as this a mutant is tried: a count that is wrong only where it is odd is right in every other run.
const TRIES: usize = 6;

/// Judges them, and puts down in the record on which GPU they failed.
///
/// # Errors
/// No GPU, no compiler, or a kernel that cannot be read.
pub fn run(root: &Path, exercises: &[&dyn Exercise], options: &Mutate) -> Result<Exit> {
    let choice = DeviceChoice::Gpu(None);
    let devices = devices::resolve(&choice)?;
    let Some(gpu) = &devices.gpu else {
        return Err(Trouble::judge("no GPU was found".to_owned(), "use a machine that has one"));
    };
    let checks = CheckOptions {
        device: choice,
        toolchain: Some(toolchains::resolve(None, Some(gpu))?),
        ..CheckOptions::default()
    };
    let mut all_failed = true;
    for &exercise in exercises {
        let sources = source::of_exercise(root, exercise.id())?;
        let listed = Listed::read(root, exercise.id(), &sources)?;
        let all = sources.iter().flat_map(|source| mutants(exercise, source));
        let chosen: Vec<_> =
            all.filter(|mutant| matches!(listed.why(mutant), Some(Why::OnlyOnGpu(_)))).collect();
        let mut failed = 0;
        for mutant in &chosen {
            let outcome = (0..TRIES).find_map(|_| {
                let report = judge::check(exercise, &pool::kernel(mutant), &checks, &|_| {});
                killed(&report)
            });
            failed += usize::from(outcome.is_some());
            let words = outcome.unwrap_or_else(|| "missed".to_owned());
            grader::print(&format!("{words}  {}\n", render::line(mutant)));
        }
        all_failed &= failed == chosen.len();
        if let (Some(file), true) = (&options.out, failed == chosen.len() && failed > 0) {
            put_down(root, file, exercise, failed, &gpu.name)?;
        }
    }
    Ok(if all_failed { Exit::Passed } else { Exit::Failed })
}

/// What killed a mutant, where something did.
fn killed(report: &Report) -> Option<String> {
    match fate(report, &Excused::new()) {
        Fate::Killed(by) => Some(format!("killed by {by}")),
        Fate::Alive | Fate::Uncallable | Fate::Unjudged(_) => None,
    }
}

fn put_down(root: &Path, file: &Path, exercise: &dyn Exercise, failed: usize, gpu: &str) -> Result<()> {
    let mut record = read(file)?;
    let now = digest(root, exercise)?;
    match record.exercises.get_mut(exercise.id()) {
        Some(counts) if counts.digest == now && counts.only_on_gpu == failed => {
            counts.gpu = Some(gpu.to_owned());
            files::save_json(file, &record)
        }
        _ => Err(Trouble::usage(
            format!("{} has no count of these mutants of {}", file.display(), exercise.id()),
            format!(
                "judge them on the simulator first: cargo workshop mutate {} --out {}",
                exercise.id(),
                file.display()
            ),
        )),
    }
}
