//! `grader check`: judges a learner's kernel.

pub mod plot;
pub mod render;
pub mod show;

use std::{fs, path::Path, time::Duration};

use comfy_table::Cell;
use harness::{
    exercise::{Case, Exercise, On},
    judge::{self, CheckOptions, Kernel},
    report::{Failure, Report, Verdict, number_of},
    toolchain::Toolchain,
};

use crate::{
    assignment::Assignment,
    cli::{Check, ResultFormat},
    course::Course,
    devices,
    exit::{Exit, Result, Trouble},
    files::{self, MAKE_READABLE, Unreadable},
    folder::{CourseFolder, VERSION},
    formats::{self, KernelResult},
    hints, init,
    outputs::Output,
    profile,
    progress::{JudgedKernel, LearnerProgress, Passed},
    stub, table,
    terminal::{self, Terminal, in_lines, remark, remark_name},
    thresholds::demand::Here,
    toolchains,
    visible::{shown, visible},
};

/// Runs it.
///
/// # Errors
/// Wrong usage, or a folder that can't be written to. What becomes of the kernel is printed, whatever it is.
pub fn run(course: Course<'_>, check: &Check, terminal: Terminal) -> Result<Exit> {
    // Who collects results is told of what stops it there, too: no file would look like no test.
    let stopped = |name: &str, file: Option<&str>, trouble: Trouble| {
        let name = check.name.as_deref().unwrap_or(name);
        formats::print(check.format, &[KernelResult::unjudged(name, file, &trouble)])?;
        Err(trouble)
    };
    let Judged { reports, mut unread } = match judge_all(course, check, terminal) {
        Ok(judged) => judged,
        Err(trouble) => return stopped("check", None, trouble),
    };
    if let Some(Unread { id, file, trouble }) = unread.pop_if(|_| !check.all) {
        return stopped(id, file.as_deref(), trouble);
    }
    unread.iter().for_each(|unread| terminal::print_trouble(&unread.trouble));
    match (check.format, reports.as_slice()) {
        (ResultFormat::Json, [report]) if !check.all => crate::print_json(report)?,
        (ResultFormat::Json, reports) => crate::print_json(&reports)?,
        (ResultFormat::Text, reports) if check.all => {
            crate::print(&summary(course, reports, &unread, terminal));
        }
        (ResultFormat::Text, _) => {}
        (ResultFormat::Junit | ResultFormat::Github | ResultFormat::Editor, reports) => {
            let unread = unread
                .iter()
                .map(|Unread { id, file, trouble }| KernelResult::unjudged(id, file.as_deref(), trouble));
            let results: Vec<_> = reports.iter().map(KernelResult::of_check).chain(unread).collect();
            formats::print(check.format, &results)?;
        }
    }
    if let (Some(path), Some(report)) = (&check.plot, reports.first()) {
        write_plot(path, report)?;
    }
    let exits = reports.iter().map(|report| Exit::of(report, check.require_speed));
    Ok(worst(exits.chain(unread.iter().map(|unread| unread.trouble.exit))))
}

/// What became of the kernels asked for.
struct Judged<'a> {
    reports: Vec<Report>,
    /// Those that nobody could read.
    unread: Vec<Unread<'a>>,
}

/// A kernel that nobody could read.
struct Unread<'a> {
    /// The exercise's id.
    id: &'a str,
    /// What is there instead; none where nothing is.
    file: Option<String>,
    trouble: Trouble,
}

/// Judges; for people, each kernel's report is printed at once.
fn judge_all<'a>(course: Course<'a>, check: &Check, terminal: Terminal) -> Result<Judged<'a>> {
    let exercises: Vec<&'a dyn Exercise> = match (&check.name, &check.kernel) {
        (Some(name), _) => vec![course.find(name)?],
        (None, _) if check.all => course.exercises.to_vec(),
        (None, Some(kernel)) => vec![of_kernel(course, kernel)?],
        (None, None) => vec![course.here("check")?],
    };
    devices::validate(&check.device)?;
    let case = match exercises.as_slice() {
        [exercise] => which_case(*exercise, check)?,
        _ => None,
    };
    require_outputs(&exercises, check)?;
    let folder = match &check.kernel {
        Some(_) => None,
        None => Some(course_folder(course)?),
    };
    let assignment = folder.as_ref().and_then(|folder| installed(folder, course));
    let mut reports = Vec::new();
    let mut unread = Vec::new();
    let mut toolchain = None;
    for exercise in exercises {
        let path = match (&check.kernel, &folder) {
            (Some(path), _) => path.clone(),
            (None, Some(folder)) => folder.kernel(exercise),
            (None, None) => continue,
        };
        match read(&path, exercise, folder.is_some()) {
            Ok(kernel) => {
                // Looked for here and not by the judge, so that fetching it the first
                // time shows that it goes on.
                let toolchain = match &toolchain {
                    Some(toolchain) => toolchain,
                    None => toolchain.insert(compiler(check)?),
                };
                let report = judge(exercise, &kernel, check, case, toolchain);
                if let (Some(folder), false) = (&folder, check.is_of_one_case())
                    && let Err(trouble) = remember(folder, exercise, &report)
                {
                    remark_not_kept(&trouble);
                }
                if check.format == ResultFormat::Text {
                    let not_started = is_not_started(exercise, &report);
                    let tiny = check.n.is_some() && report.cases.iter().any(|case| case.shown.is_some());
                    crate::print(&match check.verbose {
                        _ if tiny => show::tiny(&report, terminal),
                        true if not_started => render::whole_not_started(&report, terminal, render::COMMANDS),
                        true => render::report(&report, terminal),
                        false if not_started => render::not_started(&report, terminal, render::COMMANDS),
                        // Two lines are for what comes below.
                        false => {
                            let rows = terminal.rows.saturating_sub(2);
                            render::brief(&report, terminal, rows, render::COMMANDS)
                        }
                    });
                    if check.show && !tiny {
                        crate::print(&show::of(&report, terminal));
                    }
                    if check.profile {
                        let profile = profile::of(&report, terminal);
                        crate::print(
                            &profile
                                .unwrap_or_else(|| "no case ran: there is nothing to profile\n".to_owned()),
                        );
                    }
                    if let (Some(assignment), false) = (&assignment, check.is_of_one_case()) {
                        crate::print(&points(assignment, &report, not_started));
                    }
                    if folder.is_some() && !check.is_of_one_case() && !not_started {
                        offer_hints(exercise, &report);
                        offer_next(course, exercise, &report);
                    }
                    if check.all {
                        crate::print("\n");
                    }
                }
                reports.push(report);
            }
            Err(trouble) => {
                let file = fs::symlink_metadata(&path).is_ok().then(|| shown(&path));
                unread.push(Unread { id: exercise.id(), file, trouble });
            }
        }
    }
    Ok(Judged { reports, unread })
}

/// The exercise of a file of its own that nobody named: the one that the file says, or in whose folder this is.
fn of_kernel<'a>(course: Course<'a>, kernel: &Path) -> Result<&'a dyn Exercise> {
    if let Some(exercise) = course.of_file(kernel)? {
        return Ok(exercise);
    }
    course.here("check").map_err(|_| match files::read_kernel(kernel) {
        Err(Unreadable::Missing) => {
            Trouble::usage(format!("{} does not exist", shown(kernel)), "--kernel takes a .cu file")
        }
        _ => Trouble::usage(
            format!(
                "no exercise is named, and neither {}'s first lines nor its folder name one",
                shown(kernel)
            ),
            "name one, as in `grader check 03 --kernel FILE`; `grader list` shows all",
        ),
    })
}

/// Refuses what can't be written or must not be written over, before anything is judged for its sake.
fn require_outputs(exercises: &[&dyn Exercise], check: &Check) -> Result<()> {
    if let Some(folder) = &check.dump
        && fs::symlink_metadata(folder).is_ok()
        && !folder.is_dir()
    {
        return Err(Trouble::usage(
            format!("--dump {}: that is no folder", shown(folder)),
            "name a folder, or one that is not there yet",
        ));
    }
    let (Some(path), [exercise]) = (&check.plot, exercises) else { return Ok(()) };
    if !exercise.has_plots() {
        return Err(no_plot(exercise.id(), path));
    }
    Output { option: "--plot", path, what: "plot that was drawn here" }.require("svg", plot::is_one)
}

fn no_plot(exercise: &str, path: &Path) -> Trouble {
    Trouble::usage(
        format!("{exercise} has no plot to write to {}", shown(path)),
        "a plot needs an exercise that has one (05-bank-conflicts) and a kernel that runs",
    )
}

/// The number of the case asked for, or of the case whose kind a tiny one is to be.
fn which_case(exercise: &dyn Exercise, check: &Check) -> Result<Option<usize>> {
    let cases = exercise.cases();
    let case = match &check.case {
        None => None,
        Some(wanted) => Some(find_case(exercise, &cases, wanted, check.n.is_some())?),
    };
    if let (Some(n), Some(like)) = (check.n, case.or(cases.first()))
        && let Err(why) = exercise.tiny(like, n)
    {
        return Err(Trouble::usage(
            format!("{} has no tiny case: {why}", exercise.id()),
            "`--case CASE --show` shows one of its cases side by side",
        ));
    }
    Ok(case.map(|case| case.index))
}

/// A case by its number, by its name, or by a part of its name; of several with that part the first will do where only their
/// kind matters.
fn find_case<'c>(
    exercise: &dyn Exercise,
    cases: &'c [Case],
    wanted: &str,
    only_kind: bool,
) -> Result<&'c Case> {
    let numbered = |case: &&Case| wanted.parse() == Ok(case.index);
    let named = |case: &&Case| case.name == wanted;
    if let Some(case) = cases.iter().find(numbered).or_else(|| cases.iter().find(named)) {
        return Ok(case);
    }
    let part = wanted.to_lowercase();
    let alike: Vec<&Case> = cases.iter().filter(|case| case.name.to_lowercase().contains(&part)).collect();
    let list = |cases: &[&Case]| {
        let cases: Vec<String> = cases.iter().map(|case| format!("{} ({})", case.index, case.name)).collect();
        cases.join("; ")
    };
    match alike.as_slice() {
        [case] => Ok(case),
        [first, ..] if only_kind => Ok(first),
        [] => Err(Trouble::usage(
            format!("{} has no case {}", exercise.id(), visible(wanted)),
            format!("its cases are {}", list(&cases.iter().collect::<Vec<_>>())),
        )),
        several => Err(Trouble::usage(
            format!(
                "{} has {} with {} in their names",
                exercise.id(),
                number_of(several.len(), "case"),
                visible(wanted)
            ),
            format!("name one by its number: {}", list(several)),
        )),
    }
}

/// The exit code of several checks: what kept the judge from its work first, then failures, then doubts.
pub fn worst(exits: impl Iterator<Item = Exit>) -> Exit {
    let rank = |exit: &Exit| match exit {
        Exit::JudgeError => 4,
        Exit::Usage => 3,
        Exit::Failed => 2,
        Exit::Inconclusive => 1,
        Exit::Passed => 0,
    };
    exits.max_by_key(rank).unwrap_or(Exit::Passed)
}

/// Finds the learner's folder and writes the stubs that are missing in it.
pub(crate) fn course_folder(course: Course<'_>) -> Result<CourseFolder> {
    let folder = CourseFolder::current()?;
    let new = !folder.path.exists();
    let made = folder.complete(course)?;
    if new {
        remark(&format!("made {} with a stub of every exercise: edit the files there", shown(&folder.path)));
        remark_name();
    } else if !made.stubs.is_empty() {
        remark(&format!(
            "wrote the stubs that were missing in {}: {}",
            shown(&folder.path),
            made.stubs.join(", ")
        ));
    }
    if let Some(before) = &made.version_before {
        remark(&format!(
            "this folder is of version {} of the course, the program of {VERSION}: `grader init` brings it up to date",
            visible(before)
        ));
    }
    for line in init::renamed(&made.renamed, false).lines() {
        remark(line);
    }
    Ok(folder)
}

/// A kernel's text: one of the course folder, or a file of its own.
fn read(path: &Path, exercise: &dyn Exercise, in_folder: bool) -> Result<Kernel> {
    let shown = shown(path);
    match files::read_kernel(path) {
        Ok(source) => Ok(Kernel { path: shown, source }),
        Err(Unreadable::Missing) => Err(Trouble::usage(
            format!("{shown} does not exist"),
            format!(
                "--kernel takes a .cu file; without it, the one in the course folder's {} is judged",
                exercise.id()
            ),
        )),
        Err(Unreadable::Unusable(found, next)) => {
            let next = if in_folder { files::or_reset(&next, path) } else { next };
            Err(Trouble::usage(format!("{shown}: {found}"), next))
        }
        Err(Unreadable::Refused(why)) => {
            Err(Trouble::usage(format!("could not read {shown}: {why}"), MAKE_READABLE))
        }
    }
}

/// The compiler for the device asked for. A device that isn't there is the judge's to report.
fn compiler(check: &Check) -> Result<Toolchain> {
    let gpu = devices::resolve(&check.device).ok().and_then(|devices| devices.gpu);
    toolchains::resolve(check.compiler.as_ref(), gpu.as_ref())
}

fn judge(
    exercise: &dyn Exercise,
    kernel: &Kernel,
    check: &Check,
    case: Option<usize>,
    toolchain: &Toolchain,
) -> Report {
    let mut options = CheckOptions {
        device: check.device.clone(),
        seed: check.seed,
        case,
        tiny: check.n,
        // A tiny case is there to be looked at.
        show: check.show || check.n.is_some(),
        worst_requests: check.profile,
        dump: check.dump.clone(),
        require_speed: check.require_speed,
        schedules: check.orders.schedules(),
        toolchain: Some(toolchain.clone()),
        ..CheckOptions::default()
    };
    if check.n.is_none() && times(exercise, case) {
        let gpu = devices::resolve(&check.device).ok().and_then(|devices| devices.gpu);
        let here = Here { gpu: gpu.as_ref(), toolchain, again: check.recalibrate };
        let asked = here.asked(exercise);
        asked.set(&mut options);
        if let Some(why) = asked.broken {
            return judge::not_begun(exercise, kernel, &options, why);
        }
    }
    let spinner = terminal::spinner(check.format == ResultFormat::Text);
    spinner.enable_steady_tick(Duration::from_millis(100));
    let report = judge::check(exercise, kernel, &options, &|doing| spinner.set_message(doing.to_owned()));
    spinner.finish_and_clear();
    report
}

/// Whether the cases to judge may be timed.
fn times(exercise: &dyn Exercise, number: Option<usize>) -> bool {
    let asked = |case: &Case| number.is_none_or(|number| case.index == number);
    exercise.cases().iter().any(|case| case.on == On::GpuTimed && asked(case))
}

pub(crate) fn passed(report: &Report) -> bool {
    report.verdict == Verdict::Passed && report.judge_error.is_none()
}

/// Whether a report is of the stub as it came: no verdict can say more of it.
pub(crate) fn is_not_started(exercise: &dyn Exercise, report: &Report) -> bool {
    report.judge_error.is_none() && stub::is_untouched(&report.source, exercise.about().stub)
}

/// What `hint` would now tell. A kernel that failed is offered the hints for what failed.
fn offer_hints(exercise: &dyn Exercise, report: &Report) {
    let id = exercise.id();
    if passed(report) {
        remark(&format!("`grader hint {id}` now tells why it works, and what to try next"));
    } else if let Some(topic) =
        hints::ladder(exercise.about().hints, &failures(exercise, report), &hints::wrong_cases(report)).topic
    {
        crate::print(&in_lines(&format!("stuck? `grader hint {id}` has hints for {}", topic.in_words())));
    } else if report.judge_error.is_none() {
        crate::print(&format!("stuck? `grader hint {id}`\n"));
    }
}

/// The course folder's assignment. One that is wrong keeps nobody from a verdict.
pub(crate) fn installed(folder: &CourseFolder, course: Course<'_>) -> Option<Assignment> {
    match Assignment::of(&folder.path, course) {
        Ok(assignment) => assignment,
        Err(trouble) => {
            remark(&format!("no points: {trouble}; {}", trouble.next));
            None
        }
    }
}

/// What a kernel earns of its exercise's points; nothing is said of an exercise that is not part of the assignment, and
/// of what could not be judged.
fn points(assignment: &Assignment, report: &Report, not_started: bool) -> String {
    let Some(worth) = assignment.worth(&report.exercise) else { return String::new() };
    if report.judge_error.is_some() {
        return String::new();
    }
    let goals: Vec<_> = report.goals.iter().map(|goal| (goal.goal, goal.verdict)).collect();
    let earned = match not_started {
        true => worth.nothing(),
        false => worth.earned(&goals, assignment.unmeasured_speed),
    };
    in_lines(&format!("{}: {earned}", visible(&assignment.title)))
}

/// After a pass, which exercise comes next.
fn offer_next(course: Course<'_>, exercise: &dyn Exercise, report: &Report) {
    let at = course.exercises.iter().position(|known| known.id() == exercise.id());
    let next = at.and_then(|at| course.exercises.get(at + 1));
    if let (true, Some(next)) = (passed(report), next) {
        crate::print(&in_lines(&format!("next exercise: {}", with_chapter(*next))));
        crate::print(&format!("`grader explain --book {}` opens the chapter\n", number(next.id())));
    }
}

/// An exercise, its chapter and its title.
pub(crate) fn with_chapter(exercise: &dyn Exercise) -> String {
    let (id, title) = (exercise.id(), exercise.about().title);
    format!("{id}, chapter {} of the book: {title}", number(id))
}

/// An exercise's number, which is its chapter's.
fn number(id: &str) -> &str {
    id.split('-').next().unwrap_or_default()
}

/// What hints are chosen by. The stub as it came fails because nothing is written yet, and the
/// general hints are for that.
fn failures(exercise: &dyn Exercise, report: &Report) -> Vec<Failure> {
    match stub::is_untouched(&report.source, exercise.about().stub) {
        true => Vec::new(),
        false => hints::failures(report),
    }
}

/// A disk that refuses must not hide the report, so it is only remarked.
pub(crate) fn not_kept(trouble: &Trouble) -> String {
    format!("your progress could not be kept: {trouble}")
}

/// The same as a remark, with the next step.
pub(crate) fn remark_not_kept(trouble: &Trouble) {
    remark(&format!("{}; {}", not_kept(trouble), trouble.next));
}

/// Keeps the progress.
///
/// # Errors
/// Where the folder can't be written to.
pub(crate) fn remember(folder: &CourseFolder, judged: &dyn Exercise, report: &Report) -> Result<()> {
    LearnerProgress::update(&folder.path, |progress| {
        let exercise = progress.of(&report.exercise);
        exercise.checks += 1;
        // A judge that could not do its work has found nothing out.
        if report.judge_error.is_none() {
            exercise.failures = failures(judged, report);
            exercise.wrong_cases = hints::wrong_cases(report);
            exercise.judged = Some(JudgedKernel {
                kernel: report.kernel_hash.clone(),
                goals: report.goals.iter().map(|goal| (goal.goal.name().to_owned(), goal.verdict)).collect(),
            });
        }
        if passed(report) {
            exercise.remember(Passed {
                kernel: report.kernel_hash.clone(),
                at: jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
                device: report.devices.join(" + "),
                speed_unmeasured: report.speed_unmeasured,
            });
        }
    })
}

/// All exercises in a table, each with the status that its report ends with.
fn summary(course: Course<'_>, reports: &[Report], unread: &[Unread<'_>], terminal: Terminal) -> String {
    let mut out = table::new(terminal, &["Exercise", "Verdict", "Failed goals"]);
    for exercise in course.exercises {
        let id = exercise.id();
        if let Some(report) = reports.iter().find(|report| report.exercise == id) {
            let not_started = is_not_started(*exercise, report);
            let failed = report.goals.iter().filter(|goal| !not_started && goal.has_failed());
            let failed: Vec<&str> = failed.map(|goal| goal.goal.name()).collect();
            let status = render::status_cell(report, not_started, terminal);
            out.add_row([Cell::new(id), status, Cell::new(failed.join(", "))]);
        } else if unread.iter().any(|unread| unread.id == id) {
            out.add_row([Cell::new(id), render::unread_cell(terminal), Cell::new("")]);
        }
    }
    table::keep_whole(&mut out, 2);
    format!("{}\n", table::text(&out, terminal))
}

fn write_plot(path: &Path, report: &Report) -> Result<()> {
    if report.plots.is_empty() {
        return Err(no_plot(&report.exercise, path));
    }
    files::write_atomically(path, plot::svg(&report.plots).as_bytes()).map_err(|error| {
        Trouble::judge(
            format!("could not write {}: {}", shown(path), files::explain(&error)),
            "write to a place that is writable",
        )
    })?;
    remark(&format!("the plot is in {}", shown(path)));
    Ok(())
}
