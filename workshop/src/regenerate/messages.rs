//! The messages and runs that the book quotes.
//!
//! A chapter shows `book/src/generated/messages/EXERCISE/WRONG.txt`: one error of that wrong kernel, of the kind that
//! the kernel's header names first, in the grader's own words, and the goals that failed. A kernel that passes with
//! a warning lies in `book/examples/EXERCISE`; then the warning is what is told. A page shows
//! `book/src/generated/runs/NAME.txt`: all that a command of [`RUNS`] prints.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use clap::Parser;
use grader::{
    check,
    cli::{Cli, Command},
    course::Course,
    excerpt::{self, Judged},
    exit::{Exit, Result, Trouble},
    kernels, run,
    terminal::{PIPE_WIDTH, Terminal},
};
use harness::{
    judge::Kernel,
    report::{Report, Verdict},
};
use rayon::prelude::*;
use warpsim::{Finding, Severity};

use super::replay;
use crate::{prover::Prover, texts::Text};

const MESSAGES: &str = "book/src/generated/messages";
const RUNS_FOLDER: &str = "book/src/generated/runs";
/// What stands in a chapter before the exercise and the kernel.
const SHOWS: &str = "generated/messages/";

/// A finding is looked for among so many: those that a report shows.
const SHOWN: usize = 4;

/// How a kernel that reverses blocks by an `mbarrier` is launched.
const REVERSED: &str =
    "--grid 4 --block 256 --arg in:i32:1024=iota --arg out:i32:1024 --arg inout:i32:1=zeros";
/// How a tile of floats is.
const TILE: &str = "--grid 4 --block 256 --arg in:f32:1000=iota --arg out:f32:1000 --arg u32:1000";

/// By name: the arguments of `grader` whose output a page shows, what and how it is launched. All are simulated.
const RUNS: [(&str, &str, &str); 7] = [
    ("report", "check 03-reduction --kernel solutions/03-reduction/wrong/missing-barrier-after-load.cu", ""),
    ("libcu-barrier", "run book/examples/libcu/barrier.cu --entry reverse", REVERSED),
    (
        "libcu-pipeline",
        "run book/examples/libcu/pipeline.cu --entry reverse_tiles",
        "--grid 2 --block 256 --arg in:f32:2048=iota --arg out:f32:2048 --arg i32:4",
    ),
    (
        "libcu-groups",
        "run book/examples/libcu/groups.cu --entry sums_of_eight",
        "--grid 4 --block 256 --arg in:i32:1000=iota --arg out:i32:128 --arg i32:1000",
    ),
    ("libcu-too-early", "run book/examples/libcu/barrier.cu --entry reverse_too_early", REVERSED),
    ("rust-static", "run book/examples/rust/tile.ptx --entry reverse_static", TILE),
    ("rust-too-early", "run book/examples/rust/tile.ptx --entry reverse_too_early", TILE),
];

/// Whether a path that a page shows is one of these files, there or not.
pub fn is_made(path: &str) -> bool {
    path.contains("generated/messages/") || path.contains("generated/runs/")
}

/// All of them.
///
/// # Errors
/// A kernel that chapters name and that is not there, or does not end as it must.
pub fn texts(course: Course<'_>, root: &Path, prover: &Prover, terminal: Terminal) -> Result<Vec<Text>> {
    let plain = Plain::begin(terminal);
    let wanted: Vec<(String, String)> = wanted(root).into_iter().collect();
    let messages = prover.together(|| {
        let each = wanted.par_iter().with_max_len(1);
        each.map(|(exercise, wrong)| message(course, root, prover, exercise, wrong)).collect::<Result<_>>()
    });
    let mut texts: Vec<Text> = messages?;
    texts.extend(replay::text(course, root, prover)?);
    for (name, what, launch) in RUNS {
        // A private course has neither these kernels nor the pages that show them.
        let kernel = what.split(' ').find(|word| word.contains('/')).unwrap_or_default();
        if !root.join(kernel).is_file() {
            continue;
        }
        let text = ran(course, prover, &format!("{what} {launch} --device sim"), plain.terminal)?;
        texts.push((format!("{RUNS_FOLDER}/{name}.txt"), text));
    }
    Ok(texts)
}

/// Text without colour, as wide as what a pipe gets, for as long as this lives.
struct Plain {
    terminal: Terminal,
    before: Terminal,
}

impl Plain {
    fn begin(before: Terminal) -> Self {
        colored::control::set_override(false);
        Plain {
            terminal: Terminal { width: PIPE_WIDTH, rows: usize::MAX, colour: false, plain: false },
            before,
        }
    }
}

impl Drop for Plain {
    fn drop(&mut self) {
        colored::control::set_override(self.before.colour);
    }
}

/// The exercises and wrong kernels whose messages chapters show.
fn wanted(root: &Path) -> BTreeSet<(String, String)> {
    let chapters = fs::read_dir(root.join("book/src/chapters")).into_iter().flatten().flatten();
    chapters
        .filter_map(|chapter| fs::read_to_string(chapter.path()).ok())
        .flat_map(|text| shown_in(&text))
        .collect()
}

/// Those that one chapter shows.
fn shown_in(chapter: &str) -> Vec<(String, String)> {
    let named = chapter.split(SHOWS).skip(1).filter_map(|rest| rest.split_once(".txt"));
    let parts = named.filter_map(|(path, _)| path.split_once('/'));
    parts.map(|(exercise, wrong)| (exercise.to_owned(), wrong.to_owned())).collect()
}

/// The message of a kernel.
fn message(course: Course<'_>, root: &Path, prover: &Prover, exercise: &str, name: &str) -> Result<Text> {
    let exercise = course.find(exercise)?;
    let id = exercise.id();
    let wrong = PathBuf::from(format!("solutions/{id}/wrong/{name}.cu"));
    let (file, ends, severity) = if root.join(&wrong).is_file() {
        (wrong, Exit::Failed, Severity::Error)
    } else {
        (PathBuf::from(format!("book/examples/{id}/{name}.cu")), Exit::Passed, Severity::Warning)
    };
    let report = judged(prover, exercise.id(), course, &file)?;
    let unfit = |found: String| {
        Trouble::usage(
            format!("the book quotes the message of {}: {found}", file.display()),
            "choose another kernel, or mend this one",
        )
    };
    let exit = Exit::of(&report, false);
    if exit != ends {
        let why = report.judge_error.as_deref().unwrap_or_default();
        return Err(unfit(format!("expected exit code {}, found {} {why}", ends.code(), exit.code())));
    }
    let text = told(&report, severity);
    text.map(|text| (format!("{MESSAGES}/{id}/{name}.txt"), text))
        .ok_or_else(|| unfit(format!("expected a finding of severity {}, found none", severity.name())))
}

/// What the file says of a report; none where a warning is asked for and there is none.
fn told(report: &Report, severity: Severity) -> Option<String> {
    let terminal = Terminal { width: PIPE_WIDTH, rows: usize::MAX, colour: false, plain: false };
    let mut parts = Vec::new();
    let shown = report.findings.iter().take(SHOWN).filter(|finding| finding.severity == severity);
    let mut findings: Vec<&Finding> = shown.collect();
    if findings.is_empty() && severity == Severity::Warning {
        return None;
    }
    // What the kernel is about comes first among the kinds that its header names.
    let kind = kernels::first_kind(&report.source);
    findings.sort_by_key(|finding| kind != Some(finding.kind));
    if let Some(first) = findings.first() {
        let judged = Judged { path: &report.kernel, source: &report.source };
        parts.push(excerpt::finding(first, judged, terminal).trim_end().to_owned());
        if findings.len() > 1 {
            parts.push(format!("… and {} more", findings.len() - 1));
        }
    }
    parts.extend(check::render::first_wrong_case(report, terminal));
    let failed = report.goals.iter().filter(|goal| goal.required && goal.verdict == Verdict::Failed);
    let goals = failed.map(|goal| {
        format!("✗ {}: asked {}\n  found {}", goal.goal, goal.asked_in_words(), goal.found_in_words())
    });
    parts.push(goals.collect::<Vec<_>>().join("\n"));
    Some(parts.join("\n\n").trim_end().to_owned() + "\n")
}

fn judged(prover: &Prover, exercise: &str, course: Course<'_>, file: &Path) -> Result<Report> {
    let source = fs::read_to_string(file).map_err(|error| {
        Trouble::usage(
            format!("the book quotes {}: {error}", file.display()),
            "put the kernel there, or take the message out of the chapter",
        )
    })?;
    let kernel = Kernel { path: file.display().to_string(), source };
    Ok(prover.report(course.find(exercise)?, &kernel))
}

/// What a command prints.
fn ran(course: Course<'_>, prover: &Prover, arguments: &str, terminal: Terminal) -> Result<String> {
    let words = std::iter::once("grader").chain(arguments.split_whitespace());
    let wrong = |why: String| Trouble::judge(format!("grader {arguments}: {why}"), "mend the table of runs");
    match Cli::try_parse_from(words).map_err(|error| wrong(error.to_string()))?.command {
        Some(Command::Check(options)) => {
            let (Some(exercise), Some(file)) = (&options.name, &options.kernel) else {
                return Err(wrong("names no exercise or no kernel".to_owned()));
            };
            Ok(check::render::report(&judged(prover, exercise, course, file)?, terminal))
        }
        Some(Command::Run(options)) => {
            Ok(run::render::run(&run::report_of(&options)?, options.extent(), terminal))
        }
        _ => Err(wrong("is neither a check nor a run".to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn what_chapters_show_is_found() {
        let chapter = "<!-- made by: book/src/generated/messages/03-reduction/no-guard.txt -->\n\
                       <!-- made by: table 03-reduction -->\n<!-- made by: book/src/generated/messages/x/y-z.txt -->\n";
        let pair = |exercise: &str, wrong: &str| (exercise.to_owned(), wrong.to_owned());
        assert_eq!(shown_in(chapter), [pair("03-reduction", "no-guard"), pair("x", "y-z")]);
    }

    /// The lines of a message that have nothing but a closing brace, and a mark below it.
    fn marked_braces(message: &str) -> Vec<&str> {
        let lines: Vec<&str> = message.lines().collect();
        let is_brace = |line: &str| {
            let source = line.split_once('|').filter(|(number, _)| number.trim().parse::<u32>().is_ok());
            source.is_some_and(|(_, source)| source.trim() == "}")
        };
        let is_mark = |line: &str| {
            let below = line.split_once('|').filter(|(gutter, _)| gutter.trim().is_empty());
            below.is_some_and(|(_, below)| below.contains(['^', '-']))
        };
        lines.windows(2).filter(|two| is_brace(two[0]) && is_mark(two[1])).map(|two| two[0]).collect()
    }

    #[test]
    fn no_message_of_the_book_marks_a_closing_brace() {
        let early = "12 |     __syncthreads();\n   |     --------------- waits\n20 | }\n   | ^ left here\n21 | }\n   |\n";
        assert_eq!(marked_braces(early), ["20 | }"]);
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let below = |folder: &Path| -> Vec<PathBuf> {
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
        };
        let exercises = below(&root.join(MESSAGES)).into_iter().flat_map(|exercise| below(&exercise));
        let files: Vec<PathBuf> = exercises.chain(below(&root.join(RUNS_FOLDER))).collect();
        assert!(files.len() > 50, "{}", files.len());
        for file in files {
            let message = fs::read_to_string(&file).unwrap();
            assert_eq!(marked_braces(&message), [""; 0], "{}", file.display());
        }
    }

    #[test]
    fn the_kind_that_the_header_names_is_told_first() {
        let mut report = sample::failed();
        let first = |report: &Report| {
            told(report, Severity::Error).expect("errors").lines().next().map(str::to_owned)
        };
        assert!(first(&report).is_some_and(|line| line.starts_with("error[race]")));
        report.source = "//! fails: clean/out_of_bounds\n//! why: it is\n".to_owned() + &report.source;
        assert!(first(&report).is_some_and(|line| line.starts_with("error[out_of_bounds]")));
        assert_eq!(told(&report, Severity::Warning), None);
    }
}
