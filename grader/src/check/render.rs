//! A check's report for people: what is wrong and where, what was asked, what next.
//! The last lines matter most.

use std::fmt::Write;

use colored::{ColoredString, Colorize};
use comfy_table::{Attribute, Cell, Color};
use harness::report::{CaseReport, CaseStatus, Goal, GoalResult, Mismatch, Report, Verdict, number_of};
use warpsim::Severity;

use super::plot;
use crate::{
    excerpt::{self, Judged},
    occupancy, paragraph,
    regions::MARKS,
    table,
    terminal::Terminal,
    visible::{one_line, visible},
};

/// What is said of a stub that is as it came.
pub(crate) const NOT_STARTED: &str = "not started";
/// What is said where there is no verdict.
const NO_VERDICT: &str = "the judge could not do its work";
/// More findings than this hide the first ones.
const FINDINGS_SHOWN: usize = 4;
/// More cases than this with the same trouble say nothing new.
const CASES_SHOWN: usize = 4;
/// Longer output of a learner's `printf` is cut in the middle of the report, never in JSON.
const PRINTF_LINES_SHOWN: usize = 40;
/// The same where a report is to fit a screen.
const BRIEF_PRINTF_LINES: usize = 6;

/// The whole report, on a command line.
pub fn report(report: &Report, terminal: Terminal) -> String {
    whole(report, terminal, COMMANDS)
}

/// The whole report.
pub fn whole(report: &Report, terminal: Terminal, ways: Ways) -> String {
    all(report, terminal, ways, conclusion(report, terminal))
}

/// The whole report of a stub that is as it came.
pub fn whole_not_started(report: &Report, terminal: Terminal, ways: Ways) -> String {
    all(report, terminal, ways, where_to_begin(report, terminal, ways))
}

/// All there is, and what it comes to.
fn all(report: &Report, terminal: Terminal, ways: Ways, conclusion: String) -> String {
    let mut text = String::new();
    let mut section = |part: String| {
        if !part.trim().is_empty() {
            text.push_str(part.trim_end_matches('\n'));
            text.push_str("\n\n");
        }
    };
    section(head(report, terminal));
    let judged = Judged { path: &report.kernel, source: &report.source };
    for diagnostic in report.diagnostics.iter().take(FINDINGS_SHOWN) {
        section(excerpt::diagnostic(diagnostic, judged, terminal));
    }
    section(more(report.diagnostics.len(), "compiler message", terminal));
    for finding in report.findings.iter().take(FINDINGS_SHOWN) {
        section(excerpt::finding(finding, judged, terminal));
    }
    section(more(report.findings.len(), "finding", terminal));
    section(cases(&report.cases, terminal));
    section(printf(&report.cases, PRINTF_LINES_SHOWN, terminal));
    for plot in &report.plots {
        section(plot::text(plot, terminal));
    }
    section(speed(report, terminal));
    if !report.goals.is_empty() {
        section(table::goals(&report.goals, terminal));
    }
    section(notes(&occupancy::low(&report.cases), terminal));
    section(notes(&report.notes, terminal));
    section(explained(&words(report), "the word means", ways));
    section(conclusion);
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

/// How a reader asks for more, in words: that depends on where the report is read.
#[derive(Clone, Copy, Debug)]
pub struct Ways {
    /// For the whole report.
    pub all: &'static str,
    /// For what a word means; none where it is a command that names the word.
    pub explained: Option<&'static str>,
    /// For a first hint; none where it is a command that names the exercise.
    pub hint: Option<&'static str>,
    /// For the exercise's chapter; none where it is a command that names the exercise.
    pub book: Option<&'static str>,
}

/// On a command line.
pub const COMMANDS: Ways = Ways { all: "--verbose shows all", explained: None, hint: None, book: None };

/// Lines for the head, what passed and the verdict, so that a picture leaves them on the screen.
const AROUND_A_PLOT: usize = 14;
/// The exercise and the file.
const HEAD_WITHOUT_FACTS: usize = 2;
/// Lines of the first thing that is wrong which are shown whatever else there is to say.
const LEAST_OF_FIRST: usize = 4;

/// What matters most of a report in so many lines: what went wrong first, what passed in one line, what next.
pub fn brief(report: &Report, terminal: Terminal, rows: usize, ways: Ways) -> String {
    let all = ways.all;
    let troubles = troubles(report, terminal);
    let hidden = troubles.len().saturating_sub(1);
    let mut around = Vec::new();
    around.push(match hidden {
        0 => String::new(),
        1 => format!("{}and one more thing is wrong: {all}", dots(terminal)).dimmed().to_string(),
        hidden => format!("{}and {hidden} more things are wrong: {all}", dots(terminal)).dimmed().to_string(),
    });
    if !troubles.is_empty() {
        around.push(explained(&words(report), "that means", ways));
    }
    if troubles.is_empty() {
        let plots = report.plots.iter().map(|plot| plot::text(plot, terminal));
        let plots: Vec<String> =
            plots.filter(|plot| lines_of(plot, terminal) + AROUND_A_PLOT <= rows).collect();
        let left_out = report.plots.len() - plots.len();
        around.extend(plots);
        if left_out > 0 {
            let what = if left_out == 1 { "a picture" } else { "pictures" };
            around.push(
                format!("{}and {what}, too large for this screen: {all}", dots(terminal))
                    .dimmed()
                    .to_string(),
            );
        }
        around.push(remarks(report, terminal, ways));
        around.push(notes(&occupancy::low(&report.cases), terminal));
        around.push(notes(&report.notes, terminal));
    }
    around.push(printf(&report.cases, BRIEF_PRINTF_LINES, terminal));
    around.push(speed(report, terminal));
    let around: Vec<&str> =
        around.iter().map(|part| part.trim_end()).filter(|part| !part.is_empty()).collect();
    let around = around.join("\n");
    let first = troubles.into_iter().next().unwrap_or_default();
    let first = first.trim_end();
    // An empty line stands between the three.
    let room =
        |head: &str, end: &str| rows.saturating_sub(lines_of(head, terminal) + lines_of(end, terminal) + 2);
    let mut head = head(report, terminal).trim_end().to_owned();
    let conclusion = conclusion(report, terminal).trim_end().to_owned();
    let mut end = [passed_goals(report, terminal).trim_end(), &conclusion].join("\n").trim().to_owned();
    // Where it is short of room, what is wrong comes before what judged it and what is right.
    if lines_of(first, terminal) + lines_of(&around, terminal) > room(&head, &end) {
        head = head.lines().take(HEAD_WITHOUT_FACTS).collect::<Vec<_>>().join("\n");
        end = conclusion;
    }
    // Then without its facts, and also before what stands around it.
    let room = room(&head, &end);
    let short = (lines_of(first, terminal) + lines_of(&around, terminal) > room)
        .then(|| short_first(report, terminal))
        .flatten();
    let first = short.as_deref().unwrap_or(first).trim_end();
    let of_first = lines_of(first, terminal).min(LEAST_OF_FIRST);
    let around = shortened(&around, room.saturating_sub(of_first).max(1), terminal);
    let room = room.saturating_sub(lines_of(&around, terminal));
    let first = shortened(first, room.max(LEAST_OF_FIRST), terminal);
    let parts = [head, [first, around].join("\n").trim_matches('\n').to_owned(), end];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    format!("{}\n", parts.join("\n\n"))
}

/// A stub that is as it came: no verdict can say more.
pub fn not_started(report: &Report, terminal: Terminal, ways: Ways) -> String {
    format!(
        "{}  {}\n{}\n\n{}",
        one_line(&report.exercise).bold(),
        visible(&report.title),
        one_line(&report.kernel).underline(),
        where_to_begin(report, terminal, ways)
    )
}

/// That nothing is written yet, and where it is to be.
fn where_to_begin(report: &Report, terminal: Terminal, ways: Ways) -> String {
    let begins = (1..).zip(report.source.lines()).find(|(_, line)| line.contains(MARKS.0));
    let place = begins.map_or(String::new(), |(number, _): (usize, _)| format!(", from line {number} on"));
    let id = one_line(&report.exercise);
    let hint = ways.hint.map_or_else(|| format!("`grader hint {id}` has a first hint"), str::to_owned);
    let again = if ways.hint.is_some() { ", and save" } else { ", save, and check again" };
    let number = id.split('-').next().unwrap_or_default();
    let book = ways
        .book
        .map_or_else(|| format!("`grader explain --book {number}` opens the chapter"), str::to_owned);
    let next = format!(
        "next: write your code between the marks{place}{again}. The task is at the top of the file, the \
         idea in chapter {number} of the book."
    );
    let next = paragraph::indented(&next, terminal.width, "", "      ").replacen(
        "next:",
        &"next:".cyan().bold().to_string(),
        1,
    );
    // By themselves, so that no command is broken where there is room.
    let indent = if terminal.plain { "" } else { "      " };
    let more = paragraph::indented(&format!("{book}; {hint}."), terminal.width, indent, indent);
    let mark = mark("○", terminal).dimmed();
    format!("{mark}{}: this is the stub as it came\n{next}\n{more}\n", NOT_STARTED.bold())
}

/// How to ask for what the first of these words means; nothing where there is none.
pub(crate) fn explained(words: &[&str], what: &str, ways: Ways) -> String {
    match (words.first(), ways.explained) {
        (None, _) => String::new(),
        (Some(_), Some(explained)) => explained.dimmed().to_string(),
        (Some(word), None) => format!("what {what}: `grader explain {word}`").dimmed().to_string(),
    }
}

/// What `grader explain` can be asked about what is wrong, the most telling first; then about what is worth knowing.
pub fn words(report: &Report) -> Vec<&'static str> {
    let of = |severity| {
        let findings = report.findings.iter().filter(move |finding| finding.severity == severity);
        findings.map(|finding| finding.kind.name())
    };
    let failed = report.goals.iter().filter(|goal| goal.has_failed()).map(|goal| goal.goal.name());
    let mut words: Vec<&str> = of(Severity::Error).chain(failed).chain(of(Severity::Warning)).collect();
    let mut known = std::collections::HashSet::new();
    words.retain(|word| known.insert(*word));
    words
}

/// What is worth knowing of a kernel that nothing is wrong with: the first warning, and how many more there are.
fn remarks(report: &Report, terminal: Terminal, ways: Ways) -> String {
    let judged = Judged { path: &report.kernel, source: &report.source };
    let warnings: Vec<_> =
        report.findings.iter().filter(|finding| finding.severity == Severity::Warning).collect();
    let Some(first) = warnings.first() else { return String::new() };
    let more = match warnings.len() - 1 {
        0 => String::new(),
        more => format!("{}and {}", dots(terminal), number_of(more, "more warning")),
    };
    let explained = explained(&[first.kind.name()], "that means", ways);
    let first = excerpt::finding(first, judged, terminal);
    let parts = [first.trim_end(), &more, &explained];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

/// How many lines of the terminal a text takes: it breaks what is longer than the terminal is wide.
fn lines_of(text: &str, terminal: Terminal) -> usize {
    let of = |line: &str| textwrap::core::display_width(line).div_ceil(terminal.width.max(1)).max(1);
    text.lines().map(of).sum()
}

/// The first lines of a text that fit, and how many are left out.
fn shortened(text: &str, rows: usize, terminal: Terminal) -> String {
    if lines_of(text, terminal) <= rows {
        return text.to_owned();
    }
    let mut room = rows.saturating_sub(1);
    let fits = |line: &&str| {
        let left = room.checked_sub(lines_of(line, terminal));
        room = left.unwrap_or(0);
        left.is_some()
    };
    let kept: Vec<&str> = text.lines().take_while(fits).collect();
    let left_out = format!("… {}", number_of(text.lines().count() - kept.len(), "more line")).dimmed();
    kept.into_iter().map(|line| format!("{line}\n")).chain([left_out.to_string()]).collect()
}

/// The first of [`troubles`] in fewer lines, if it is a finding.
fn short_first(report: &Report, terminal: Terminal) -> Option<String> {
    let judged = Judged { path: &report.kernel, source: &report.source };
    let is_rejected = report.diagnostics.iter().any(|each| each.severity == Severity::Error);
    let mut found = report.findings.iter().filter(|finding| !is_rejected && finding.is_error());
    found.next().map(|finding| excerpt::short_finding(finding, judged, terminal))
}

/// All that is wrong, each in its own words, the most telling first.
fn troubles(report: &Report, terminal: Terminal) -> Vec<String> {
    let judged = Judged { path: &report.kernel, source: &report.source };
    let rejected = report.diagnostics.iter().filter(|each| each.severity == Severity::Error);
    let rejected = rejected.map(|each| excerpt::diagnostic(each, judged, terminal));
    let found = report.findings.iter().filter(|finding| finding.is_error());
    let found = found.map(|finding| excerpt::finding(finding, judged, terminal));
    let wrong = report.cases.iter().filter(|case| went_wrong(case)).map(|wrong| case(wrong, terminal));
    let shown_above = |goal: &GoalResult| match goal.goal {
        Goal::Compile => report.diagnostics.iter().any(|each| each.severity == Severity::Error),
        Goal::Correct | Goal::Clean => true,
        Goal::Permitted | Goal::Counter(_) | Goal::Speedup | Goal::Expert => false,
    };
    let missed = report.goals.iter().filter(|goal| {
        goal.required && matches!(goal.verdict, Verdict::Failed | Verdict::Inconclusive) && !shown_above(goal)
    });
    let missed = missed.map(|goal| table::stacked(goal, terminal));
    rejected.chain(found).chain(wrong).chain(missed).collect()
}

/// What passed, in one sentence.
fn passed_goals(report: &Report, terminal: Terminal) -> String {
    let passed = report.goals.iter().filter(|goal| goal.verdict == Verdict::Passed);
    let passed: Vec<&str> = passed.map(|goal| goal.goal.name()).collect();
    if passed.is_empty() {
        return String::new();
    }
    let passed = passed.join(", ");
    let text = if terminal.plain { format!("passed: {passed}") } else { format!("✓ {passed}") };
    paragraph::indented(&text, terminal.width, "", "  ").green().to_string()
}

/// The first case of a check, before the others are known.
pub fn first_case(judged_case: &CaseReport, judged: Judged<'_>, terminal: Terminal) -> String {
    let finding = judged_case.findings.iter().find(|finding| finding.is_error());
    let finding = finding.map(|finding| excerpt::finding(finding, judged, terminal));
    let wrong = went_wrong(judged_case).then(|| case(judged_case, terminal));
    let parts: Vec<String> = finding.into_iter().chain(wrong).collect();
    if parts.is_empty() {
        let (number, name) = (judged_case.number, one_line(&judged_case.name));
        let text = match terminal.plain {
            true => format!("case {number} passed: {name}"),
            false => format!("{} case {number}: {name}", "✓".green().bold()),
        };
        return hanging(&text, terminal) + "\n";
    }
    parts.join("\n")
}

pub(super) fn head(report: &Report, terminal: Terminal) -> String {
    // Where the compiler lies is for JSON and `doctor`.
    let compiler = report.compiler.split(" (").next().unwrap_or_default().to_owned();
    let mut facts = vec![report.devices.join(" + "), compiler, format!("seed {}", report.seed)];
    facts.retain(|fact| !fact.is_empty());
    let facts =
        paragraph::fill(&visible(&facts.join(if terminal.plain { ", " } else { " · " })), terminal.width);
    format!(
        "{}  {}\n{}\n{}\n",
        one_line(&report.exercise).bold(),
        visible(&report.title),
        one_line(&report.kernel).underline(),
        facts.dimmed()
    )
}

/// A sign with a space behind it; nothing where it would be read aloud, since a word says the same.
fn mark(sign: &str, terminal: Terminal) -> String {
    if terminal.plain { String::new() } else { format!("{sign} ") }
}

/// What stands before what is left out.
pub fn dots(terminal: Terminal) -> String {
    mark("…", terminal)
}

fn more(count: usize, what: &str, terminal: Terminal) -> String {
    match count.saturating_sub(FINDINGS_SHOWN) {
        0 => String::new(),
        rest => {
            let rest = number_of(rest, &format!("more {what}"));
            format!("{}and {rest}; --format json has them all", dots(terminal))
        }
    }
}

/// The cases that went wrong, and how many did not.
fn cases(cases: &[CaseReport], terminal: Terminal) -> String {
    let wrong: Vec<&CaseReport> = cases.iter().filter(|case| went_wrong(case)).collect();
    let mut text = String::new();
    for wrong in wrong.iter().take(CASES_SHOWN) {
        text.push_str(&case(wrong, terminal));
    }
    let hidden = wrong.len().saturating_sub(CASES_SHOWN);
    if hidden > 0 {
        let what = if hidden == 1 { "case" } else { "cases" };
        let _ = writeln!(text, "{}and {hidden} more {what} went wrong", dots(terminal));
    }
    text
}

/// The first case that went wrong; none where none did.
pub fn first_wrong_case(report: &Report, terminal: Terminal) -> Option<String> {
    let wrong = report.cases.iter().find(|case| went_wrong(case))?;
    Some(case(wrong, terminal).trim_end().to_owned())
}

/// The first finding that is an error.
pub(super) fn first_error(report: &Report, terminal: Terminal) -> Option<String> {
    let judged = Judged { path: &report.kernel, source: &report.source };
    let error = report.findings.iter().find(|finding| finding.is_error())?;
    Some(excerpt::finding(error, judged, terminal))
}

/// What went wrong in all cases.
pub(super) fn complaints_of_all(report: &Report, terminal: Terminal) -> String {
    report.cases.iter().filter(|each| went_wrong(each)).map(|wrong| case(wrong, terminal)).collect()
}

/// What went wrong in a case.
fn case(case: &CaseReport, terminal: Terminal) -> String {
    let mut text = String::new();
    let head = format!(
        "{} {} on {}",
        format!("case {}:", case.number).red().bold(),
        one_line(&case.name).bold(),
        one_line(&case.device)
    );
    let _ = writeln!(text, "{}", hanging(&head, terminal));
    for line in complaints(case) {
        let wrapped = paragraph::indented(&visible(&line), terminal.width, "  ", "    ");
        let _ = writeln!(text, "{wrapped}");
    }
    text
}

/// Not finished, or something to complain of. A skipped case isn't wrong.
pub fn went_wrong(case: &CaseReport) -> bool {
    let ended_well = matches!(case.status, CaseStatus::Finished | CaseStatus::Skipped(_));
    !ended_well || !case.mismatches.is_empty() || !case.complaints.is_empty()
}

/// What went wrong in a case, thing by thing.
pub(crate) fn complaints(case: &CaseReport) -> Vec<String> {
    let status = match &case.status {
        CaseStatus::Finished | CaseStatus::Skipped(_) => None,
        CaseStatus::Faulted(detail) => Some(format!("faulted: {}", excerpt::first_sentence(detail).0)),
        CaseStatus::Unfinished(detail) => Some(format!("did not finish: {detail}")),
        CaseStatus::Unsupported(detail) => Some(format!("the simulator lacks something: {detail}")),
        CaseStatus::JudgeError(detail) => Some(format!("the judge could not do its work: {detail}")),
    };
    status
        .into_iter()
        .chain(case.mismatches.iter().map(mismatch))
        .chain(case.complaints.iter().cloned())
        .collect()
}

fn mismatch(mismatch: &Mismatch) -> String {
    let index: Vec<String> = mismatch.index.iter().map(ToString::to_string).collect();
    let share = match (mismatch.wrong, mismatch.of) {
        (_, 1) => String::new(),
        (wrong, of) => format!(" ({wrong} of {of} elements are wrong)"),
    };
    format!(
        "{}[{}] should be {}, but is {}{share}",
        mismatch.buffer,
        index.join("]["),
        mismatch.expected,
        mismatch.found
    )
}

/// What stands before each line that a kernel printed, so that none is taken for the judge's.
pub(crate) fn rule(terminal: Terminal) -> ColoredString {
    if terminal.plain { "printed:".normal() } else { "│".dimmed() }
}

/// What the kernel printed, case by case; equal output once.
fn printf(cases: &[CaseReport], most: usize, terminal: Terminal) -> String {
    let mut text = String::new();
    let mut left = most;
    let mut previous = "";
    for case in cases.iter().filter(|case| !case.printf.is_empty()) {
        if case.printf == previous {
            continue;
        }
        previous = &case.printf;
        if left == 0 {
            text.push_str(&dots(terminal));
            text.push_str("more output in other cases; --case N shows one case\n");
            break;
        }
        let head = format!("printed in case `{}`:", one_line(&case.name)).dimmed().to_string();
        let _ = writeln!(text, "{}", hanging(&head, terminal));
        let lines = case.printf.lines().count();
        for line in case.printf.lines().take(left) {
            let _ = writeln!(text, "  {} {}", rule(terminal), visible(line));
        }
        if lines > left {
            let more = number_of(lines - left, "more line");
            let _ = writeln!(text, "  {} {}{more}", rule(terminal), dots(terminal));
        }
        left = left.saturating_sub(lines);
    }
    text
}

/// A line broken at spaces, where it has to be, and what is left of it indented.
pub(crate) fn hanging(line: &str, terminal: Terminal) -> String {
    paragraph::indented(line, terminal.width, "", "    ")
}

fn speed(report: &Report, terminal: Terminal) -> String {
    let mut text = String::new();
    for speed in &report.speed {
        let roof = speed.roof_share.map(|share| format!(", {:.0} % of the memory roof", share * 100.0));
        let line = format!(
            "{}: {} against the baseline's {}: {:.2}× ({:.2} to {:.2}, {}){}",
            one_line(&speed.case),
            duration(speed.kernel_microseconds),
            duration(speed.baseline_microseconds),
            speed.speedup,
            speed.interval[0],
            speed.interval[1],
            number_of(speed.pairs, "pair"),
            roof.unwrap_or_default()
        );
        let _ = writeln!(text, "{}", hanging(&line, terminal));
    }
    if let Some(conditions) = &report.conditions {
        let range = |[least, greatest]: [u32; 2], unit: &str| match greatest - least {
            0 => format!("{least} {unit}"),
            _ => format!("{least} to {greatest} {unit}"),
        };
        let mut line = format!(
            "the GPU meanwhile: {}, {}",
            range(conditions.multiprocessor_megahertz, "MHz"),
            range(conditions.celsius, "°C")
        );
        if !conditions.throttle_reasons.is_empty() {
            let reasons = conditions.throttle_reasons.join(", ").replace('_', " ");
            let _ = write!(line, ", kept down by {reasons}");
        }
        let _ = writeln!(text, "{}", hanging(&line, terminal));
    }
    text
}

fn duration(microseconds: f64) -> String {
    if microseconds < 1000.0 {
        format!("{microseconds:.1} µs")
    } else {
        format!("{:.2} ms", microseconds / 1000.0)
    }
}

fn notes(notes: &[String], terminal: Terminal) -> String {
    let mut text = String::new();
    for note in notes {
        let wrapped = paragraph::indented(&format!("note: {}", visible(note)), terminal.width, "", "      ");
        let _ = writeln!(text, "{}", wrapped.dimmed());
    }
    text
}

fn conclusion(report: &Report, terminal: Terminal) -> String {
    if let Some(why) = &report.judge_error {
        let what = format!("{}{NO_VERDICT}", mark("!", terminal)).yellow().bold();
        let why = paragraph::fill(&visible(why), terminal.width);
        return format!(
            "{what}; this is no verdict on {}\n{why}\n{}",
            one_line(&report.exercise),
            next(report, terminal)
        );
    }
    let mut headline = format!(
        "{} {}",
        table::verdict_coloured(report.verdict, terminal),
        one_line(&report.exercise).bold()
    );
    if let Some(all) = report.one_case_of {
        headline.push_str(&format!(", one case of {all}"));
    }
    for what in beside_a_pass(report) {
        headline.push_str(&format!(", {what}").dimmed().to_string());
    }
    format!("{headline}\n{}", next(report, terminal))
}

/// What is said beside the verdict of a kernel that passed.
fn beside_a_pass(report: &Report) -> Vec<&'static str> {
    if report.verdict != Verdict::Passed {
        return Vec::new();
    }
    let is_clean = report.findings.iter().all(|finding| finding.severity != Severity::Error);
    let all = [(report.speed_unmeasured, "speed unmeasured"), (!is_clean, "with findings")];
    all.into_iter().filter_map(|(is_so, what)| is_so.then_some(what)).collect()
}

/// What a report ends with, in a table.
pub(super) fn status_cell(report: &Report, not_started: bool, terminal: Terminal) -> Cell {
    if report.judge_error.is_some() {
        return Cell::new(format!("{}{NO_VERDICT}", mark("!", terminal))).fg(Color::Yellow);
    }
    if not_started {
        return Cell::new(format!("{}{NOT_STARTED}", mark("○", terminal))).add_attribute(Attribute::Dim);
    }
    let verdict = table::verdict_text(report.verdict, terminal);
    let words = [vec![verdict], beside_a_pass(report)].concat().join(", ");
    table::of_verdict(&words, report.verdict)
}

/// The same of a kernel that nobody could read.
pub(super) fn unread_cell(terminal: Terminal) -> Cell {
    Cell::new(format!("{}not judged", mark("!", terminal))).fg(Color::Yellow)
}

/// The next step, where there is one.
fn next(report: &Report, terminal: Terminal) -> String {
    if report.next_step.is_empty() {
        return String::new();
    }
    let next = format!("next: {}", visible(&report.next_step));
    let next = paragraph::indented(&next, terminal.width, "", "      ");
    match next.strip_prefix("next:") {
        Some(rest) => format!("{}{rest}", "next:".cyan().bold()),
        None => next,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        sample,
        visible::{hostile, unhidden},
    };

    #[test]
    fn nothing_hidden_reaches_a_reader() {
        let terminal = Terminal { width: 80, rows: usize::MAX, colour: false, plain: false };
        let soiled = hostile::soiled(&sample::failed(), &hostile::dirt());
        assert!(soiled.len() > 30, "{}", soiled.len());
        for (place, dirty) in soiled {
            // As `print` does.
            hostile::assert_harmless(&unhidden(&report(&dirty, terminal)), &place);
        }
    }

    #[test]
    fn no_text_of_a_learner_floods_a_report() {
        let terminal = Terminal { width: 80, rows: usize::MAX, colour: false, plain: false };
        let usual = report(&sample::failed(), terminal).len();
        for (place, dirty) in hostile::soiled(&sample::failed(), &"x".repeat(400_000)) {
            let text = report(&dirty, terminal);
            assert!(text.len() < usual + 40_000, "{place}: {}", text.len());
        }
    }

    #[test]
    fn one_line_that_is_left_out_is_one() {
        let terminal = Terminal { width: 80, rows: usize::MAX, colour: false, plain: false };
        let mut printed = sample::failed();
        for (left_out, said) in [(1, "1 more line\n"), (2, "2 more lines\n")] {
            printed.cases[1].printf = "printed\n".repeat(PRINTF_LINES_SHOWN + left_out);
            assert!(report(&printed, terminal).contains(said), "{said}");
        }
        assert!(shortened("1\n2\n3", 2, terminal).ends_with("… 2 more lines"));
        colored::control::set_override(false);
        assert_eq!(shortened("1\n2\n3", 1, terminal), "… 3 more lines");
        assert!(shortened(&format!("1\n{}", "2".repeat(81)), 2, terminal).ends_with("… 1 more line"));
    }

    #[test]
    fn every_report_names_the_word_to_ask_for() {
        let terminal = Terminal { width: 80, rows: usize::MAX, colour: false, plain: false };
        let mut warned = sample::passed();
        warned.findings.push(sample::race());
        warned.findings[0].severity = Severity::Warning;
        let mut missed = sample::failed();
        missed.findings.clear();
        for (judged, word) in [(&sample::failed(), "race"), (&warned, "race"), (&missed, "correct")] {
            for text in [report(judged, terminal), brief(judged, terminal, usize::MAX, COMMANDS)] {
                assert!(text.contains(&format!("`grader explain {word}`")), "{text}");
            }
            let keys = Ways { explained: Some("e explains"), ..COMMANDS };
            let text = whole(judged, terminal, keys);
            assert!(text.contains("e explains") && !text.contains("grader explain"), "{text}");
        }
        assert!(!report(&sample::passed(), terminal).contains("grader explain"));
        let text = crate::check::show::tiny(&sample::failed(), terminal);
        assert!(text.contains("`grader explain race`"), "{text}");
    }

    #[test]
    fn a_path_has_one_line() {
        let terminal = Terminal { width: 80, rows: usize::MAX, colour: false, plain: false };
        let lines = |kernel: &str| {
            let report_ = Report { kernel: kernel.to_owned(), ..sample::failed() };
            report(&report_, terminal).lines().count()
        };
        assert_eq!(lines("a\n✓ passed\nb/kernel.cu"), lines("ab/kernel.cu"));
    }

    #[test]
    fn a_failed_check() {
        for width in [80, 120] {
            let text =
                report(&sample::failed(), Terminal { width, rows: usize::MAX, colour: false, plain: false });
            insta::assert_snapshot!(format!("failed_{width}"), text);
        }
    }

    #[test]
    fn a_passed_check() {
        insta::assert_snapshot!(report(
            &sample::passed(),
            Terminal { width: 80, rows: usize::MAX, colour: false, plain: false }
        ));
    }

    #[test]
    fn a_learners_output_cannot_drive_the_terminal() {
        let mut hostile = sample::failed();
        hostile.cases[1].printf = "\x1b]0;owned\x07\x1b[2J\n".to_owned();
        hostile.cases[1].complaints.push("\x1b[31mred".to_owned());
        hostile.kernel = "a\x1b[2Jb".to_owned();
        let text = report(&hostile, Terminal { width: 80, rows: usize::MAX, colour: false, plain: false });
        assert!(!text.contains('\x1b') && !text.contains('\x07'), "{text}");
    }
}
