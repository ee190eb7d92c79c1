//! `workshop bless`: what a change of the compiler or of the simulator does to counters and
//! snapshots, shown and accepted.

use std::{fs, path::Path, process::Command};

use colored::Colorize;
use comfy_table::Cell;
use grader::{
    course::Course,
    exit::{Exit, Result, Trouble},
    files, table,
    terminal::Terminal,
};
use harness::device::DeviceChoice;

use crate::{
    cli::Bless,
    counts::{self, Difference},
    prover::{Prover, some},
};

/// Snapshots that tests compare.
struct Snapshots {
    /// What they are of.
    of: &'static str,
    /// How cargo compares them.
    arguments: &'static [&'static str],
    /// The variables with which it writes them instead.
    accept: &'static [(&'static str, &'static str)],
}

const SNAPSHOTS: [Snapshots; 2] = [
    Snapshots {
        of: "the simulator's kernels and corpus",
        arguments: &["test", "--quiet", "--package", "warpsim", "--test", "kernels", "--test", "corpus"],
        accept: &[("BLESS", "1")],
    },
    Snapshots {
        of: "the command line",
        arguments: &["test", "--quiet", "--package", "grader", "--lib", "--test", "cli"],
        accept: &[("SNAPSHOTS", "overwrite"), ("INSTA_UPDATE", "always")],
    },
];

/// Shows the differences; accepts them if asked to.
///
/// # Errors
/// Wrong usage outside a checkout, no compiler, or a file that can't be written.
pub fn run(course: Course<'_>, bless: &Bless, terminal: Terminal) -> Result<Exit> {
    let exercises = course.named(&bless.names)?;
    let prover = Prover::new(&DeviceChoice::Simulator(None))?;
    let root = &prover.root;
    let mut different = 0;
    let mut unjudged = Vec::new();
    prover.prove(some(&exercises)?, |exercise, proved| {
        let before = unjudged.len();
        unjudged.extend(proved.unjudged());
        if unjudged.len() > before {
            let why = unjudged[before..].join("\n  ");
            grader::print(&format!("{} {}: not all was judged\n  {why}\n", "?".yellow(), exercise.id()));
            return Ok(());
        }
        let path = root.join(counts::path(exercise));
        let was = fs::read_to_string(&path).unwrap_or_default();
        let is = proved.counts();
        grader::print(&shown(exercise.id(), &was, &counts::differences(&was, &is), terminal));
        if was != is {
            different += 1;
            if bless.accept {
                files::save(&path, is.as_bytes())?;
            }
        }
        Ok(())
    })?;
    if !unjudged.is_empty() {
        return Err(Trouble::judge(
            format!(
                "kernels that could not be judged, so that their counts stay as they are: {}",
                unjudged.len()
            ),
            "end what keeps the machine busy, and bless again",
        ));
    }
    let mut failed = 0;
    if bless.names.is_empty() && root.join("simulator/tests").is_dir() {
        for Snapshots { of, arguments, accept } in SNAPSHOTS {
            grader::print(&format!("{of}: {}\n", "cargo ".to_owned() + &arguments.join(" ")));
            failed += usize::from(!snapshots(root, arguments, if bless.accept { accept } else { &[] })?);
        }
    }
    if bless.accept && failed == 0 {
        grader::print("accepted. next: git diff, and say in the commit what changed the counts\n");
        return Ok(Exit::Passed);
    }
    if different + failed > 0 {
        grader::print(
            "next: if each difference is what your change means to do, cargo workshop bless --accept\n",
        );
        return Ok(Exit::Failed);
    }
    grader::print("nothing differs\n");
    Ok(Exit::Passed)
}

/// Runs snapshot tests; whether all of them hold.
fn snapshots(root: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> Result<bool> {
    let mut cargo = Command::new("cargo");
    cargo.args(arguments).current_dir(root).envs(variables.iter().copied());
    let status = cargo.status().map_err(|error| {
        Trouble::judge(
            format!("could not run cargo: {error}"),
            "install Rust, or run it where cargo is found",
        )
    })?;
    Ok(status.success())
}

fn shown(exercise: &str, was: &str, differences: &[Difference], terminal: Terminal) -> String {
    if differences.is_empty() {
        return format!("{} {exercise}: nothing differs\n", "✓".green());
    }
    if was.is_empty() {
        return format!("{} {exercise}: {} counts, none committed before\n", "+".green(), differences.len());
    }
    let mut table = table::new(terminal, &["kernel", "case", "counter", "was", "is"]);
    let folder = format!("solutions/{exercise}/");
    for Difference { kernel, case, what, was, is } in differences {
        let kernel = kernel.strip_prefix(&folder).unwrap_or(kernel);
        table.add_row([
            Cell::new(kernel),
            Cell::new(case),
            Cell::new(what),
            table::right(was),
            table::right(is),
        ]);
    }
    format!("{} {exercise}: {} counts differ\n{table}\n", "≠".yellow(), differences.len())
}
