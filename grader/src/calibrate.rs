//! `grader calibrate`: measures on this GPU what the course's own kernels reach, and puts thresholds between what
//! must pass and what must not.

use std::fs;

use harness::{
    device::{DeviceChoice, GpuInfo},
    exercise::{Exercise, On, SpeedGoals},
    judge::{self, CheckOptions, Kernel},
    measure::geometric_mean,
    report::{Goal, GoalResult, Report, SpeedReport},
    toolchain::Toolchain,
};

use crate::{
    cli::Calibrate,
    course::Course,
    devices,
    exit::{Exit, Result, Trouble},
    files, json,
    kernels::Role,
    terminal::remark,
    thresholds::{Calibrated, MeasuredKernel, ModelThresholds, demand::has_speed_goals, kept::Shelf},
    toolchains,
    visible::shown,
};

/// Runs it.
///
/// # Errors
/// A judge error without a GPU, where a kernel cannot be timed, or where nothing can be kept.
pub fn run(course: Course<'_>, calibrate: &Calibrate) -> Result<Exit> {
    let devices = devices::resolve(&calibrate.device)?;
    let Some(gpu) = &devices.gpu else {
        return Err(Trouble::judge(
            "no GPU here, and speed is measured on one",
            "run it where `grader doctor` names a GPU",
        ));
    };
    let toolchain = toolchains::resolve(None, Some(gpu))?;
    let driver = judge::driver().unwrap_or_default();
    let shelf = Shelf::of(&gpu.name, &driver);
    // Two that measure at once would disturb each other.
    let _alone = shelf.as_ref().and_then(Shelf::alone);
    let mut all = calibrate.out.as_deref().map(read).transpose()?;
    for each in course.named(&calibrate.names)?.into_iter().filter(|each| has_speed_goals(*each)) {
        let calibrated = exercise(each, gpu, &toolchain).map_err(|unmeasured| {
            Trouble::judge(
                format!("{}: {unmeasured}", each.id()),
                "end other programs that use this GPU, and try again; `grader doctor` looks at the whole machine",
            )
        })?;
        crate::print(&summary(each, &calibrated));
        // After each exercise: what was measured must survive what comes after.
        if let (Some(all), Some(path)) = (&mut all, &calibrate.out) {
            all.keep(&gpu.name, each.id(), calibrated);
            files::save_json(path, all)?;
        } else {
            let Some(shelf) = &shelf else {
                return Err(Trouble::judge("no home to keep thresholds in", "set HOME or CUDA_GRADER_CACHE"));
            };
            shelf.keep(each.id(), calibrated).map_err(|error| {
                Trouble::judge(
                    format!("could not write {}: {}", shown(shelf.path()), files::explain(&error)),
                    "make it writable, or set CUDA_GRADER_CACHE",
                )
            })?;
        }
    }
    match (&calibrate.out, &shelf) {
        (Some(path), _) => {
            remark(&format!("wrote {}; it takes effect with the next build of this program", shown(path)));
        }
        (None, Some(shelf)) => {
            remark(&format!("every check on {} now asks for this: {}", gpu.name, shown(shelf.path())));
        }
        (None, None) => {}
    }
    Ok(Exit::Passed)
}

/// Why the course's own kernels could not be measured.
#[derive(Debug, thiserror::Error)]
pub enum Unmeasured {
    /// Nothing is timed here, for this reason.
    #[error("{0}")]
    Untimed(String),
    /// The GPU, the driver or the judge fails, or a kernel that is known to be right is wrong here.
    #[error("{0}")]
    Broken(String),
}

/// Measures baseline, solution and yardstick of one exercise, each in workers of its own and by turns with the baseline.
///
/// # Errors
/// Where one cannot be timed.
pub fn exercise(
    exercise: &dyn Exercise,
    gpu: &GpuInfo,
    toolchain: &Toolchain,
) -> std::result::Result<Calibrated, Unmeasured> {
    let about = exercise.about();
    let id = exercise.id();
    let mut kernels = Vec::new();
    let mut compiler = String::new();
    for (role, what, source) in sources(exercise) {
        let options = CheckOptions {
            device: DeviceChoice::Gpu(Some(gpu.index)),
            only_speed: true,
            speed_goals: Some(SpeedGoals::default()),
            toolchain: Some(toolchain.clone()),
            ..CheckOptions::default()
        };
        let kernel = Kernel { path: format!("{id}: {what}"), source: source.to_owned() };
        let report = judge::check(exercise, &kernel, &options, &|_| {});
        match over_all_cases(role, &report.speed) {
            Some(measured) => kernels.push(measured),
            // Not every baseline has the form of a learner's kernel. Against itself it is 1, whatever it is.
            None if role == Role::Baseline => continue,
            None => return Err(unmeasured(what, &report)),
        }
        compiler = report.compiler.split(" (").next().unwrap_or_default().to_owned();
    }
    let calibrated = Calibrated::of(&about.speed_goals, kernels);
    Ok(Calibrated { compiler, measured: hash(exercise), ..calibrated })
}

fn unmeasured(what: &str, report: &Report) -> Unmeasured {
    if let Some(why) = &report.judge_error {
        return Unmeasured::Broken(format!("{what} could not be timed: {why}"));
    }
    match report.goals.iter().find(|goal| goal.has_failed()) {
        Some(goal) => {
            Unmeasured::Broken(format!("{what} fails {}: {}", goal.goal.name(), goal.found_in_words()))
        }
        None => {
            let speed =
                report.goals.iter().find(|goal| goal.goal == Goal::Speedup || goal.goal == Goal::Expert);
            let why = speed.map_or("it is not timed here".to_owned(), GoalResult::found_in_words);
            Unmeasured::Untimed(format!("{what}: {why}"))
        }
    }
}

/// Hash of all that [`exercise`] measures: with other kernels or other timed cases, a threshold is another. With other comments
/// it is not.
pub fn hash(exercise: &dyn Exercise) -> String {
    let sources = sources(exercise);
    let cases = exercise.cases();
    let timed = cases.iter().filter(|case| case.on == On::GpuTimed).map(|case| &*case.name);
    hash_of(sources.iter().map(|&(_, _, source)| source), timed)
}

fn hash_of<'a>(sources: impl Iterator<Item = &'a str>, cases: impl Iterator<Item = &'a str>) -> String {
    let mut hasher = blake3::Hasher::new();
    for source in sources {
        hasher.update(blake3::hash(code(source).as_bytes()).as_bytes());
    }
    for case in cases {
        hasher.update(blake3::hash(case.as_bytes()).as_bytes());
    }
    hasher.finalize().to_hex()[..16].to_owned()
}

/// Hash of a source's code: comments and the space between words don't count.
pub fn code_hash(source: &str) -> String {
    blake3::hash(code(source).as_bytes()).to_hex()[..16].to_owned()
}

/// A source without its comments, and with one space wherever there is space.
fn code(source: &str) -> String {
    let mut code = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(next) = rest.chars().next() {
        let length = match next {
            '"' | '\'' => quoted_length(rest),
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest[2..].find("*/").map_or(rest.len(), |end| end + 4),
            next => next.len_utf8(),
        };
        let is_comment = rest.starts_with("//") || rest.starts_with("/*");
        let (part, behind) = rest.split_at(length);
        if !is_comment && !next.is_whitespace() {
            code.push_str(part);
        } else if !code.ends_with(' ') {
            code.push(' ');
        }
        rest = behind;
    }
    code
}

/// The length of the literal at the start; digits' separators are none.
fn quoted_length(text: &str) -> usize {
    let quote = &text[..1];
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '\n' => return 1,
            '\\' if !escaped => escaped = true,
            _ if !escaped && text[at..].starts_with(quote) => return at + 1,
            _ => escaped = false,
        }
    }
    1
}

/// What is measured of an exercise, in words, with its text.
fn sources(exercise: &dyn Exercise) -> Vec<(Role, &'static str, &'static str)> {
    let about = exercise.about();
    let mut sources = Vec::new();
    if let Some(step) = about.yardstick.and_then(|name| about.step(name)) {
        sources.push((Role::Solution, "the solution", about.solution));
        sources.push((Role::Step, "the expert's step", step.source));
    }
    sources.extend(about.baseline.map(|baseline| (Role::Baseline, "the baseline", baseline.source)));
    sources
}

/// The timed cases together; none where nothing was timed.
fn over_all_cases(role: Role, cases: &[SpeedReport]) -> Option<MeasuredKernel> {
    let of = |value: fn(&SpeedReport) -> f64| geometric_mean(cases.iter().map(value));
    let shares: Option<Vec<f64>> = cases.iter().map(|case| case.roof_share).collect();
    Some(MeasuredKernel {
        role,
        speedup: of(|case| case.speedup)?,
        interval: [of(|case| case.interval[0])?, of(|case| case.interval[1])?],
        roof_share: shares.and_then(geometric_mean),
    })
}

fn summary(exercise: &dyn Exercise, calibrated: &Calibrated) -> String {
    let own = exercise.about().speed_goals;
    let mut text = String::new();
    for kernel in &calibrated.kernels {
        let what = match kernel.role {
            Role::Solution => "the solution reaches",
            Role::Step => "the expert's step reaches",
            _ => "the baseline, launched as your kernel is, reaches",
        };
        let [low, high] = kernel.interval;
        let roof =
            kernel.roof_share.map_or(String::new(), |share| format!(", {:.0} % of a copy", 100.0 * share));
        let of_baseline = format!("{:.3}× the baseline ({low:.3} to {high:.3}){roof}", kernel.speedup);
        text.push_str(&format!("{}: {what} {of_baseline}\n", exercise.id()));
    }
    for (what, own, found) in [
        ("pass speedup", own.pass_speedup, calibrated.pass_speedup),
        ("expert speedup", own.expert_speedup, calibrated.expert_speedup),
        ("expert share of a copy", own.expert_roof_share, calibrated.expert_roof_share),
    ] {
        let Some(own) = own else { continue };
        let found = found.map_or("none: too little margin here".to_owned(), |found| format!("{found:.2}"));
        text.push_str(&format!("{}: {what} {found} (on the course's own GPU: {own:.2})\n", exercise.id()));
    }
    text
}

fn read(path: &std::path::Path) -> Result<ModelThresholds> {
    match fs::read(path) {
        Ok(bytes) => serde_json::from_slice(&bytes).map_err(|error| {
            Trouble::usage(
                format!("{} holds no thresholds: {}", shown(path), json::in_words(&bytes, &error)),
                "delete it, or name another file",
            )
        }),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(ModelThresholds::default()),
        Err(error) => Err(Trouble::usage(
            format!("could not read {}: {}", shown(path), files::explain(&error)),
            "make it readable, or name another file",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_measured_is_other_code_or_another_case_and_no_comment() {
        let hash = |source: &'static str, cases: &[&'static str]| {
            hash_of([source].into_iter(), cases.iter().copied())
        };
        let known = hash("int a;\n", &["n = 7, timed"]);
        assert_eq!(known, hash("int a;  // of a\n", &["n = 7, timed"]));
        assert_ne!(known, hash("int b;\n", &["n = 7, timed"]));
        assert_ne!(known, hash("int a;\n", &["n = 8, timed"]));
        assert_ne!(known, hash("int a;\n", &["n = 7, timed", "n = 8, timed"]));
    }

    #[test]
    fn code_is_what_is_no_comment() {
        let source =
            "// Why.\nint a = 'x';  /* what\n of it */ int b; // \"\nconst char *url = \"http://x\";\n";
        assert_eq!(code(source), " int a = 'x'; int b; const char *url = \"http://x\"; ");
        assert_eq!(code("int n = 1'000; // of them\nint m = 2'000;"), "int n = 1'000; int m = 2'000;");
        assert_eq!(code("char q = '\\''; // '\nchar s = '\"'; /* \" */"), "char q = '\\''; char s = '\"'; ");
        assert_eq!(code("/* never closed"), " ");
    }
}
