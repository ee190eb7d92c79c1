//! `workshop latency`: how long a learner waits for a verdict. Saves every exercise's kernel again and again under the
//! real `grader watch`, in a terminal, and looks at its screen.
//!
//! What is in a time: it begins before the save, which writes a new file and renames it as editors do, and ends when
//! the last byte of a screen with a verdict is in the terminal. So it holds the file's event, compiling, simulating
//! (or the GPU), judging and painting, all of it. The *first verdict* is that of the first run of the case that failed
//! last, or that the kernel does not compile; the *report* is the whole check but for speed. Every save changes the text. Most are
//! the solution with another comment; every fifth is one of the wrong kernels, each in its turn. What the screen says
//! must be true: a wrong verdict ends the command, so that no time is that of something else.
//!
//! What is not: what a terminal takes to show what it was given. Between a report and the next save half a second passes,
//! as it does for people at the least; what watch makes ready meanwhile is ready.

pub mod record;

use std::{
    env, fs,
    path::Path,
    thread,
    time::{Duration, Instant},
};

use grader::{
    checkout::root,
    course::Course,
    devices,
    exit::{Exit, Result, Trouble},
    files, kernels,
    kernels::Role,
    terminal::remark,
};
use harness::{
    exercise::Exercise,
    report::{Failure, Goal},
};

use self::record::{Latencies, Record};
use crate::{cli::Latency, session::Session};

/// The terminal that is written to.
const SIZE: (u16, u16) = (80, 24);
/// Between a report and the next save.
const PAUSE: Duration = Duration::from_millis(500);
/// Longer than any check takes, with the first of a process, which starts everything.
const PATIENCE: Duration = Duration::from_secs(120);
/// One save of so many is that of a wrong kernel.
const WRONG_EVERY: usize = 5;
/// Stands at the end of the screen while there is nothing to judge.
const WAITS: &str = "waits for a save";

/// Runs it.
///
/// # Errors
/// Wrong usage outside a checkout or without the program; a judge error where a verdict is not the one that the kernel
/// deserves.
pub fn run(course: Course<'_>, options: &Latency) -> Result<Exit> {
    let root = root()?;
    let program = Session::program(options.program.as_deref())?;
    let devices = devices::resolve(&options.device)?;
    let here = Record {
        date: jiff::Timestamp::now().strftime("%Y-%m-%d").to_string(),
        machine: machine(options.remark.as_deref()),
        device: devices::name(&devices),
        exercises: Vec::new(),
    };
    let mut record = match &options.out {
        Some(out) => Record::read(out)?.unwrap_or_default(),
        None => Record::default(),
    };
    let begun = Instant::now();
    for exercise in course.named(&options.names)? {
        if begun.elapsed() > Duration::from_secs_f64(options.seconds) {
            remark(&format!("{}: not measured, the time is over", exercise.id()));
            continue;
        }
        let measured = measure(&program, &root, exercise, &options.device.to_string(), options.edits)?;
        grader::print(&format!("{}\n", measured.line()));
        record.keep(Record { exercises: vec![measured], ..here.clone() });
        if let Some(out) = &options.out {
            files::save_json(out, &record)?;
        }
    }
    grader::print(&format!("\n{}", record.table("these times")));
    Ok(Exit::Passed)
}

/// What a time depends on besides the device.
pub fn machine(remark: Option<&str>) -> String {
    let processors = thread::available_parallelism().map_or(1, usize::from);
    let known = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = known.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    let model = model.map_or(env::consts::ARCH, |(_, model)| model.trim());
    let threads = if processors == 1 { "1 thread".to_owned() } else { format!("{processors} threads") };
    let remark = remark.map_or(String::new(), |remark| format!(", {remark}"));
    format!("{threads} of {model}{remark}")
}

/// Texts to save, one after the other, and whether each is to pass.
fn texts(root: &Path, exercise: &dyn Exercise, edits: usize) -> Result<Vec<(String, bool)>> {
    let kernels = kernels::of(root, exercise, &mut Vec::new());
    let solution = kernels.iter().find(|kernel| kernel.role == Role::Solution).ok_or_else(|| {
        Trouble::usage(
            format!("{} has no solution to save", exercise.id()),
            "write one, or name other exercises",
        )
    })?;
    // Some are only slow.
    let shows = |failure: &Failure| !matches!(failure, Failure::Goal(Goal::Speedup | Goal::Expert));
    let wrong = kernels.iter().filter(|kernel| kernel.role == Role::Wrong);
    let wrong: Vec<&str> =
        wrong.filter(|kernel| kernel.fails.iter().any(shows)).map(|kernel| &*kernel.source).collect();
    let text = |edit: usize| {
        let is_wrong = !wrong.is_empty() && edit % WRONG_EVERY == WRONG_EVERY - 1;
        let source = if is_wrong { wrong[edit / WRONG_EVERY % wrong.len()] } else { &*solution.source };
        (format!("{source}\n// edit {edit}\n"), !is_wrong)
    };
    Ok((0..edits).map(text).collect())
}

/// Saves one exercise's kernel so often.
fn measure(
    program: &Path,
    root: &Path,
    exercise: &dyn Exercise,
    device: &str,
    edits: usize,
) -> Result<Latencies> {
    let id = exercise.id();
    let place = tempfile::tempdir()
        .map_err(|error| Trouble::judge(format!("no folder to work in: {error}"), "free the disk"))?;
    Session::start(program, &["init", "course"], place.path(), SIZE)?.finished(PATIENCE)?;
    let folder = place.path().join("course");
    let kernel = folder.join(id).join("kernel.cu");
    let mut session = Session::start(program, &["watch", id, "--device", device], &folder, SIZE)?;
    let mut latencies = Latencies { exercise: id.to_owned(), ..Latencies::default() };
    let judged =
        |text: &str| text.contains(&format!("passed {id}")) || text.contains(&format!("failed {id}"));
    session.awaited("not started", PATIENCE)?;
    session.awaited(WAITS, PATIENCE)?;
    for (edit, (text, passes)) in texts(root, exercise, edits)?.into_iter().enumerate() {
        thread::sleep(PAUSE);
        while session.next(Duration::ZERO)?.is_some() {}
        let begun = Instant::now();
        save(&kernel, &text)?;
        let (mut first, mut report) = (None, None);
        let screen = loop {
            let Some(painted) = session.next(PATIENCE)? else {
                return Err(untrue(id, edit, "no verdict", &session.text()));
            };
            let taken = 1e3 * (painted.at - begun).as_secs_f64();
            first.get_or_insert(taken);
            if judged(&painted.text) {
                report.get_or_insert(taken);
                if painted.text.contains(WAITS) {
                    break painted.text;
                }
            }
        };
        let verdict = if passes { "passed" } else { "failed" };
        if !screen.contains(&format!("{verdict} {id}")) {
            return Err(untrue(id, edit, &format!("expected `{verdict}`"), &screen));
        }
        latencies.first_milliseconds.extend(first.map(rounded));
        latencies.report_milliseconds.extend(report.map(rounded));
    }
    Ok(latencies)
}

/// To a tenth of a millisecond: no clock of a busy machine knows more.
fn rounded(milliseconds: f64) -> f64 {
    (10.0 * milliseconds).round() / 10.0
}

/// As editors do.
fn save(kernel: &Path, text: &str) -> Result<()> {
    let new = kernel.with_extension("new");
    fs::write(&new, text).and_then(|()| fs::rename(&new, kernel)).map_err(|error| {
        Trouble::judge(
            format!("could not save {}: {}", kernel.display(), files::explain(&error)),
            "free the disk",
        )
    })
}

fn untrue(id: &str, edit: usize, what: &str, screen: &str) -> Trouble {
    Trouble::judge(
        format!("{id}, edit {edit}: {what}, and the screen was:\n{screen}"),
        "run `grader check` on that kernel; the exercise, or watch, has a defect",
    )
}
