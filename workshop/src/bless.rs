//! `workshop bless`: what a change of the compiler or of the simulator does to counters and
//! snapshots, shown and accepted.

use std::fs;

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
    tested,
};

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
        for tested in &tested::ALL {
            grader::print(&format!("{}: {}\n", tested.of, tested.command()));
            failed += usize::from(!tested.run(root, bless.accept)?);
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
    let table = table::text(&table, terminal);
    format!("{} {exercise}: {} counts differ\n{table}\n", "≠".yellow(), differences.len())
}
