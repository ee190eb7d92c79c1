//! `grader calibrate`: measures on this GPU what the course's kernels reach, and puts thresholds between what
//! must pass and what must not.

use std::fs;

use harness::{
    exercise::{Exercise, On, SpeedGoals},
    judge::{self, CheckOptions, Kernel},
    measure::geometric_mean,
    report::{Failure, GoalResult, SpeedReport},
};

use crate::{
    checkout::root,
    cli::Calibrate,
    course::Course,
    devices,
    exit::{Exit, Result, Trouble},
    files,
    kernels::{self, Candidate, Role},
    terminal::remark,
    thresholds::{Calibrated, FILE, MeasuredKernel, Thresholds},
    toolchains,
    visible::shown,
};

/// Runs it.
///
/// # Errors
/// Wrong usage outside a checkout; a judge error without a GPU, or where a kernel cannot be timed.
pub fn run(course: Course<'_>, calibrate: &Calibrate) -> Result<Exit> {
    let root = root()?;
    let devices = devices::resolve(&calibrate.device)?;
    let Some(gpu) = &devices.gpu else {
        return Err(Trouble::judge(
            "no GPU here, and speed is measured on one",
            "run it where `grader doctor` names a GPU",
        ));
    };
    let toolchain = toolchains::resolve(None, Some(gpu))?;
    let path = calibrate.out.clone().unwrap_or_else(|| root.join(FILE));
    let mut all = read(&path)?;
    for exercise in course.named(&calibrate.names)? {
        if exercise.about().baseline.is_none() || !exercise.cases().iter().any(|case| case.on == On::GpuTimed)
        {
            continue;
        }
        let mut kernels = Vec::new();
        let mut compiler = String::new();
        for candidate in kernels::of(&root, exercise, &mut Vec::new()) {
            if !is_measured(&candidate) {
                continue;
            }
            let options = CheckOptions {
                device: calibrate.device.clone(),
                only_speed: true,
                speed_goals: Some(SpeedGoals::default()),
                toolchain: Some(toolchain.clone()),
                ..CheckOptions::default()
            };
            let file = shown(&candidate.file);
            let kernel = Kernel { path: file.clone(), source: candidate.source };
            let report = judge::check(exercise, &kernel, &options, &|_| {});
            let Some(speed) = over_all_cases(&report.speed) else {
                let found = || report.goals.first().map(GoalResult::found_in_words);
                let why = report.judge_error.clone().or_else(found);
                let why = why.unwrap_or_default();
                // Not every baseline has the form of a learner's kernel. Against itself
                // it is 1, whatever it is.
                if candidate.role == Role::Baseline {
                    remark(&format!("{file} is not timed as a kernel of its own: {why}"));
                    continue;
                }
                return Err(Trouble::judge(
                    format!("{file} could not be timed: {why}"),
                    "grader check --kernel FILE says more",
                ));
            };
            compiler = report.compiler.split(" (").next().unwrap_or_default().to_owned();
            let measured = MeasuredKernel { role: candidate.role, file: candidate.file, ..speed };
            crate::print(&format!(
                "{file}: {:.3}× the baseline ({:.3} to {:.3}){}\n",
                measured.speedup,
                measured.interval[0],
                measured.interval[1],
                measured
                    .roof_share
                    .map_or(String::new(), |share| format!(", {:.0} % of a copy", 100.0 * share))
            ));
            kernels.push(measured);
        }
        let date = jiff::Timestamp::now().strftime("%Y-%m-%d").to_string();
        let calibrated = Calibrated::of(&exercise.about().speed_goals, kernels, date, compiler);
        crate::print(&summary(exercise, &calibrated));
        all.keep(&gpu.name, gpu.compute_capability, exercise.id(), calibrated);
        // After each exercise: what was measured must survive what comes after.
        files::save_json(&path, &all)?;
    }
    remark(&format!("wrote {}; it takes effect with the next build of this program", shown(&path)));
    Ok(Exit::Passed)
}

/// Whatever has a speed worth knowing: also kernels that are wrong for nothing but their speed.
fn is_measured(candidate: &Candidate) -> bool {
    match candidate.role {
        Role::Solution | Role::Step | Role::Baseline => true,
        Role::Wrong => candidate.fails.iter().all(|failure| *failure == Failure::SPEEDUP),
        Role::Stub | Role::Right => false,
    }
}

/// The timed cases together; none where nothing was timed.
fn over_all_cases(cases: &[SpeedReport]) -> Option<MeasuredKernel> {
    let of = |value: fn(&SpeedReport) -> f64| geometric_mean(cases.iter().map(value));
    let shares: Option<Vec<f64>> = cases.iter().map(|case| case.roof_share).collect();
    Some(MeasuredKernel {
        role: Role::Solution,
        file: Default::default(),
        speedup: of(|case| case.speedup)?,
        interval: [of(|case| case.interval[0])?, of(|case| case.interval[1])?],
        roof_share: shares.and_then(geometric_mean),
    })
}

fn summary(exercise: &dyn Exercise, calibrated: &Calibrated) -> String {
    let own = exercise.about().speed_goals;
    let mut text = String::new();
    for (what, own, found) in [
        ("pass speedup", own.pass_speedup, calibrated.pass_speedup),
        ("expert speedup", own.expert_speedup, calibrated.expert_speedup),
        ("expert share of the roof", own.expert_roof_share, calibrated.expert_roof_share),
    ] {
        let Some(own) = own else { continue };
        let found = found.map_or("none: too little margin here".to_owned(), |found| format!("{found:.2}"));
        text.push_str(&format!("{}: {what} {found} (the exercise's own: {own:.2})\n", exercise.id()));
    }
    text
}

fn read(path: &std::path::Path) -> Result<Thresholds> {
    match fs::read(path) {
        Ok(bytes) => serde_json::from_slice(&bytes).map_err(|error| {
            Trouble::usage(
                format!("{} holds no thresholds: {error}", shown(path)),
                "delete it, or name another file",
            )
        }),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Thresholds::default()),
        Err(error) => Err(Trouble::usage(
            format!("could not read {}: {}", shown(path), files::explain(&error)),
            "make it readable, or name another file",
        )),
    }
}
