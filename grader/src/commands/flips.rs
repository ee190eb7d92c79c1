//! `grader dev flips`: grades the same kernels again and again with thresholds close to their speed, and counts how often
//! the verdict differs.

use std::time::{Duration, Instant};

use harness::{
    exercise::{Exercise, On},
    judge::{self, CheckOptions, Kernel},
    measure::{Measured, Thresholds, median},
    report::Verdict,
};

use super::dev;
use crate::{
    cli::DevFlips,
    contract::{self, Role},
    course::Course,
    devices,
    exit::{Exit, Result, Trouble},
    files,
    flips::{self, DISTANCES, Study, Verdicts},
    toolchains,
};

/// Measurements from which a kernel's speed is told.
const TRUTH: usize = 4;

/// Runs it.
///
/// # Errors
/// Wrong usage outside a checkout; a judge error without a GPU, or where a kernel cannot be timed.
pub fn run(course: Course<'_>, options: &DevFlips) -> Result<Exit> {
    let root = dev::root()?;
    let devices = devices::resolve(&options.device)?;
    let Some(gpu) = &devices.gpu else {
        return Err(Trouble::judge("no GPU here, and speed is measured on one", "run it where a GPU is"));
    };
    let toolchain = toolchains::resolve(None, Some(gpu))?;
    let check = CheckOptions {
        device: options.device.clone(),
        toolchain: Some(toolchain.clone()),
        ..CheckOptions::default()
    };
    let timed: Vec<&dyn Exercise> = course
        .named(&options.names)?
        .into_iter()
        .filter(|exercise| exercise.baseline().is_some())
        .filter(|exercise| exercise.cases().iter().any(|case| case.on == On::GpuTimed))
        .collect();
    let mut study = Study {
        date: jiff::Timestamp::now().strftime("%Y-%m-%d").to_string(),
        device: gpu.title(),
        compiler: format!("NVRTC {}", toolchain.version),
        kernels: Vec::new(),
    };
    let begun = Instant::now();
    let share = Duration::from_secs_f64(options.seconds / timed.len().max(1) as f64);
    for (done, exercise) in (1u32..).zip(timed) {
        let solution = contract::inspect(&root, exercise, &mut Vec::new())
            .into_iter()
            .find(|candidate| candidate.role == Role::Solution);
        let Some(candidate) = solution else { continue };
        let file = candidate.file.display().to_string();
        let kernel = Kernel { path: file.clone(), source: candidate.source };
        let regrade = |thresholds: &[Thresholds]| -> Result<Vec<Measured>> {
            judge::regrade(exercise, &kernel, &check, thresholds).map_err(|why| {
                Trouble::judge(
                    format!("{file} could not be timed: {why}"),
                    "grader check --kernel FILE says more",
                )
            })
        };
        let truth: Vec<f64> = regrade(&[Thresholds::default(); TRUTH])?
            .iter()
            .map(|measured| measured.speedup.median)
            .collect();
        let speedup = median(&truth);
        let thresholds = DISTANCES.map(|percent| Thresholds {
            pass_speedup: Some(flips::threshold(speedup, percent)),
            ..Thresholds::default()
        });
        let mut verdicts = DISTANCES.map(|percent| Verdicts { percent, verdicts: Vec::new() });
        let mut medians = Vec::new();
        for _ in 0..options.times {
            if begun.elapsed() > share * done {
                break;
            }
            // New workers and contexts for each regrading, as for any check.
            for (verdicts, measured) in verdicts.iter_mut().zip(regrade(&thresholds)?) {
                medians.push(measured.speedup.median);
                verdicts.verdicts.push(measured.pass.unwrap_or(Verdict::Unmeasured));
            }
        }
        crate::print(&format!(
            "{file}: {speedup:.3}×, regraded {} times in {:.0} s\n",
            verdicts[0].verdicts.len(),
            begun.elapsed().as_secs_f64()
        ));
        study.kernels.push(flips::Kernel {
            exercise: exercise.id().to_owned(),
            file,
            speedup,
            medians,
            verdicts: verdicts.to_vec(),
        });
        files::save_json(&options.out, &study)?;
    }
    crate::print(&study.table(&options.out.display().to_string()));
    Ok(Exit::Passed)
}
