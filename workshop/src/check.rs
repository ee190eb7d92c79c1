//! `workshop check`: proves every exercise's contract by running all its kernels.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

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
    let mut exercises = course.named(check.name.as_slice())?;
    let mut prover = Prover::new(&check.device)?;
    if let Some(minutes) = check.within {
        prover.begin_until(Instant::now() + Duration::from_secs(60 * minutes));
        let days = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() / 86_400);
        let first = days as usize % exercises.len().max(1);
        exercises.rotate_left(first);
    }
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
    let Proved { exercise, kernels: results, problems, not_begun } = proved;
    let count = |role: Role| results.iter().filter(|(candidate, _, _)| candidate.role == role).count();
    let what = format!(
        "{exercise}: stub, {} solution, {} steps, {} baseline, {} right and {} wrong kernels",
        count(Role::Solution),
        count(Role::Step),
        count(Role::Baseline),
        count(Role::Right),
        count(Role::Wrong)
    );
    let mark = match (problems.is_empty(), not_begun) {
        (true, 0) => "✓".green(),
        (true, _) => "◌".yellow(),
        (false, _) => "✗".red(),
    };
    let mut text = format!("{mark} {what}\n");
    if *not_begun > 0 {
        text.push_str(&format!("  {not_begun} more were not judged: there was no time\n"));
    }
    for problem in problems {
        text.push_str(&paragraph::indented(problem, terminal.width, "  ✗ ", "    "));
        text.push('\n');
    }
    text
}
