//! What became of mutants, for people: what was missed first, one line a mutant.

use colored::Colorize;
use comfy_table::Cell;
use grader::{table, terminal::Terminal, visible::visible};

use super::{
    edit::Mutant,
    summary::{Counts, Survey},
};

/// A mutant on one line: `solutions/03-reduction/kernel.cu:17:9: remove `__syncthreads();``.
pub fn line(mutant: &Mutant) -> String {
    let Mutant { file, line, column, what, .. } = mutant;
    visible(&format!("{}:{line}:{column}: {what}", file.display()))
}

/// One exercise: what was missed, what could not be judged, what is stale; then a line of counts.
pub fn survey(survey: &Survey) -> String {
    let mut text = String::new();
    for mutant in survey.missed() {
        text.push_str(&format!("{}  {}\n", "missed".red().bold(), line(mutant)));
    }
    for (mutant, why) in survey.unjudged() {
        text.push_str(&format!("{}  {}: {}\n", "unjudged".yellow(), line(mutant), visible(why)));
    }
    for problem in &survey.problems {
        text.push_str(&format!("{}  {}\n", "stale".yellow(), visible(problem)));
    }
    let mark = if survey.is_proved() { "✓".green() } else { "✗".red() };
    text.push_str(&format!("{mark} {}: {}\n", survey.exercise, words(&survey.counts())));
    text
}

fn words(counts: &Counts) -> String {
    let Counts { kernels, mutants, same_code, equivalent, only_on_gpu, missed, unjudged, unviable, .. } =
        counts;
    let killed: usize = counts.killed.values().sum();
    let mut text = format!(
        "{mutants} mutants of {kernels} kernels: {killed} killed, {same_code} the same code, {equivalent} equivalent, {missed} missed"
    );
    if *only_on_gpu > 0 {
        text.push_str(&format!(", {only_on_gpu} that only a GPU's case kills"));
    }
    if *unjudged > 0 {
        text.push_str(&format!(", {unjudged} not judged"));
    }
    text.push_str(&format!(" ({unviable} more do not compile)"));
    text
}

/// All exercises together: what killed how many.
pub fn total(surveys: &[Survey], terminal: Terminal) -> String {
    let mut table = table::new(
        terminal,
        &["exercise", "mutants", "killed", "by", "same code", "equivalent", "only on a GPU", "missed"],
    );
    for survey in surveys {
        let counts = survey.counts();
        let by = counts
            .killed
            .iter()
            .map(|(goal, count)| format!("{goal} {count}"))
            .collect::<Vec<_>>()
            .join(", ");
        table.add_row([
            Cell::new(&survey.exercise),
            table::right(counts.mutants),
            table::right(counts.killed.values().sum::<usize>()),
            Cell::new(by),
            table::right(counts.same_code),
            table::right(counts.equivalent),
            table::right(counts.only_on_gpu),
            table::right(counts.missed),
        ]);
    }
    format!("{}\n", table::text(&table, terminal))
}
