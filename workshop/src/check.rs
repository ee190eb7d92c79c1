//! `workshop check`: proves every exercise's contract by running all its kernels.

use colored::Colorize;
use grader::{
    course::Course,
    exit::{Exit, Result},
    kernels::Role,
    paragraph,
    terminal::Terminal,
};

use crate::{
    cli::Check,
    prover::{Proved, Prover, some},
};

/// Runs it.
///
/// # Errors
/// Wrong usage outside a checkout, or no compiler.
pub fn run(course: Course<'_>, check: &Check, terminal: Terminal) -> Result<Exit> {
    let exercises = course.named(check.name.as_slice())?;
    let prover = Prover::new(&check.device)?;
    let mut exit = Exit::Passed;
    prover.prove(some(&exercises)?, |exercise, mut proved| {
        proved.problems.extend(prover.changed_counts(exercise, &proved));
        grader::print(&lines(&proved, terminal));
        if !proved.problems.is_empty() {
            exit = Exit::Failed;
        }
        Ok(())
    })?;
    Ok(exit)
}

/// What was proved of an exercise, for people.
pub fn lines(proved: &Proved, terminal: Terminal) -> String {
    let Proved { exercise, kernels: results, problems } = proved;
    let count = |role: Role| results.iter().filter(|(candidate, _, _)| candidate.role == role).count();
    let what = format!(
        "{exercise}: stub, {} solution, {} steps, {} baseline, {} right and {} wrong kernels",
        count(Role::Solution),
        count(Role::Step),
        count(Role::Baseline),
        count(Role::Right),
        count(Role::Wrong)
    );
    let mark = if problems.is_empty() { "✓".green() } else { "✗".red() };
    let mut text = format!("{mark} {what}\n");
    for problem in problems {
        text.push_str(&paragraph::indented(problem, terminal.width, "  ✗ ", "    "));
        text.push('\n');
    }
    text
}
