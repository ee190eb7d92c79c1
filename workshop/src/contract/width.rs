//! What a report of a kernel looks like in a terminal of the usual size: no line runs over it where words can break, no
//! word is broken, and of a kernel that fails the first thing that is wrong and the next step are on the screen together.

use std::collections::BTreeSet;

use grader::{
    check::render::{self, COMMANDS},
    excerpt::{self, Judged, too_wide},
    table,
    terminal::Terminal,
};
use harness::report::{Goal, GoalResult, Report, Verdict};
use textwrap::core::display_width;
use warpsim::Severity;

/// Columns of the narrowest terminal that reports are made for.
const WIDTH: usize = 80;
/// That terminal.
pub(super) const SMALL: Terminal = Terminal { width: WIDTH, rows: 24, colour: false, plain: false };
/// No line is broken here.
const ENDLESS: usize = 10_000;
/// Rows that a report may have: in `watch` two are for the keys, after `check` two are for what comes below.
const ROWS: [usize; 2] = [SMALL.rows, SMALL.rows - 2];
/// So many words of the next step are enough to know it by.
const FIRST_WORDS: usize = 3;

/// The first line that is too wide, the first part of a word, or what a small screen does not show, in words.
pub fn problem(report: &Report) -> Option<String> {
    of_width(report).or_else(|| ROWS.into_iter().find_map(|rows| of_height(report, rows)))
}

/// What a screen of so many rows does not show of a kernel that failed.
fn of_height(report: &Report, rows: usize) -> Option<String> {
    if report.verdict != Verdict::Failed || report.judge_error.is_some() {
        return None;
    }
    let brief = bare(&render::brief(report, SMALL, rows, COMMANDS));
    let not_started = bare(&render::not_started(report, SMALL, COMMANDS));
    let too_long = [&brief, &not_started].into_iter().map(|text| rows_of(text)).find(|taken| *taken > rows);
    if let Some(taken) = too_long {
        return Some(format!("its report takes {taken} rows of a screen, which has {rows}:\n{brief}"));
    }
    let first = first_trouble(report);
    if !brief.lines().any(|line| line.trim_end() == first) {
        return Some(format!("its report in {rows} rows has no line `{first}`:\n{brief}"));
    }
    let said = joined(&brief, usize::MAX);
    let next = format!("next: {}", joined(&report.next_step, FIRST_WORDS));
    (report.next_step.is_empty() || !said.contains(&next))
        .then(|| format!("its report in {rows} rows has no `{next}`:\n{brief}"))
}

/// The first line of the first thing that is wrong, as a whole report has it.
fn first_trouble(report: &Report) -> String {
    let judged = Judged { path: &report.kernel, source: &report.source };
    let rejected = report.diagnostics.iter().find(|message| message.severity == Severity::Error);
    let found = report.findings.iter().find(|finding| finding.is_error());
    let text = rejected
        .map(|message| excerpt::diagnostic(message, judged, SMALL))
        .or_else(|| found.map(|finding| excerpt::finding(finding, judged, SMALL)))
        .or_else(|| render::first_wrong_case(report, SMALL))
        .or_else(|| report.goals.iter().find(is_missed).map(|goal| table::stacked(goal, SMALL)));
    bare(&text.unwrap_or_default()).lines().next().unwrap_or_default().trim_end().to_owned()
}

/// Whether a report tells of this goal by itself: of those that are left out the findings or cases tell.
fn is_missed(goal: &&GoalResult) -> bool {
    goal.required
        && matches!(goal.verdict, Verdict::Failed | Verdict::Inconclusive)
        && !matches!(goal.goal, Goal::Correct | Goal::Clean)
}

/// A text without its colours.
fn bare(text: &str) -> String {
    let mut parts = text.split("\x1b[");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |bare, part| bare + part.split_once('m').map_or("", |(_, behind)| behind))
}

/// Rows of a screen that a text takes: a terminal breaks what is wider.
fn rows_of(text: &str) -> usize {
    text.lines().map(|line| display_width(line).div_ceil(WIDTH).max(1)).sum()
}

/// At most so many words, with one space between two of them.
fn joined(text: &str, most: usize) -> String {
    text.split_whitespace().take(most).collect::<Vec<_>>().join(" ")
}

fn of_width(report: &Report) -> Option<String> {
    let texts = [render::report(report, SMALL), render::brief(report, SMALL, SMALL.rows, COMMANDS)];
    if let Some(line) = texts.iter().find_map(|text| too_wide(text, WIDTH)) {
        return Some(format!("a line of its report is wider than {WIDTH} columns: {}", line.trim()));
    }
    let whole = render::report(report, Terminal { width: ENDLESS, ..SMALL });
    let part = first_part(&texts[0], &whole)?;
    Some(format!("its report in {WIDTH} columns has `{part}`, which is no word of it: {}", report.exercise))
}

/// A word of a text that the same text in one line a paragraph has not.
fn first_part<'t>(text: &'t str, whole: &str) -> Option<&'t str> {
    let words: BTreeSet<&str> = whole.split_whitespace().collect();
    // A line of the source is cut, and says so.
    let is_cut = |word: &str| ["…", "..."].iter().any(|dots| word.starts_with(dots) || word.ends_with(dots));
    text.split_whitespace()
        .find(|word| word.contains(char::is_alphanumeric) && !words.contains(word) && !is_cut(word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn a_line_that_could_be_broken_is_a_problem() {
        assert_eq!(problem(&sample::failed()), None);
        let mut report = sample::failed();
        report.title = "word ".repeat(30);
        assert!(problem(&report).is_some_and(|problem| problem.contains("wider than 80 columns: ")));
        report.title = "w".repeat(100);
        assert!(problem(&report).is_some(), "the id stands before it");
    }

    /// Reports that have more to say than a screen has rows.
    fn long() -> Vec<Report> {
        let mut printed = sample::failed();
        for (number, case) in printed.cases.iter_mut().enumerate() {
            case.printf = (0..40).map(|line| format!("case {number}, line {line}\n")).collect();
        }
        let mut told = sample::failed();
        told.findings[0].message = format!("Two threads meet. {}", "They are not ordered. ".repeat(60));
        let mut complained = sample::failed();
        complained.findings.clear();
        complained.cases[1].complaints = (0..50).map(|number| format!("complaint {number}")).collect();
        let mut advised = sample::failed();
        advised.next_step = "Order what the two lines do. ".repeat(20).trim_end().to_owned();
        let mut all = told.clone();
        all.cases = printed.cases.clone();
        all.next_step = advised.next_step.clone();
        all.title = "A title that takes more than one line ".repeat(3);
        vec![printed, told, complained, advised, all]
    }

    #[test]
    fn the_first_trouble_and_the_next_step_share_a_screen_however_much_there_is_to_say() {
        for report in long().into_iter().chain([sample::failed()]) {
            for rows in ROWS {
                assert_eq!(of_height(&report, rows), None);
            }
        }
        // A goal that is missed, where no case went wrong.
        let mut slow = sample::passed();
        slow.verdict = Verdict::Failed;
        slow.goals[2].verdict = Verdict::Failed;
        assert_eq!(first_trouble(&slow), "✗ failed  shared_bank_conflicts");
        assert_eq!(bare("\u{1b}[1;31mred\u{1b}[0m and not"), "red and not");
        assert_eq!(of_height(&slow, SMALL.rows), None);
    }

    #[test]
    fn what_a_small_screen_does_not_show_is_a_problem() {
        let is_problem = |report: &Report, said: &str| {
            let problem = of_height(report, SMALL.rows).unwrap_or_default();
            assert!(problem.contains(said), "{said}: {problem}");
        };
        let mut silent = sample::failed();
        silent.next_step.clear();
        is_problem(&silent, "has no `next: `");
        let mut endless = sample::failed();
        endless.next_step = "Look at it again. ".repeat(200);
        is_problem(&endless, "rows of a screen, which has 24");
        // Nothing of these is judged by its rows.
        let unjudged = Report { judge_error: Some("no answer".to_owned()), ..endless.clone() };
        let passed = Report { verdict: Verdict::Passed, ..endless };
        assert_eq!([unjudged, passed].map(|report| of_height(&report, SMALL.rows)), [None, None]);
    }

    #[test]
    fn a_part_of_a_word_is_a_problem() {
        let whole = "error: block_max waits for shared_load_requests";
        assert_eq!(first_part("error: block_max waits\nfor shared_load_requests", whole), None);
        assert_eq!(first_part("error: block_max waits for shared_lo…", whole), None, "a line of the source");
        assert_eq!(
            first_part("error: block_max waits for shared_load\n_requests", whole),
            Some("shared_load")
        );
    }
}
