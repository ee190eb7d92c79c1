//! `grader run`'s result for people: what is wrong and where, what the memory system was
//! asked for, and the verdict.

use std::fmt::Write;

use colored::Colorize;
use comfy_table::{Cell, ColumnConstraint};
use harness::report::{Goal, number_of};
use warpsim::{Counters, Place, Profile, Severity};

use super::report::{RunReport, RunStatus};
use crate::{
    banks,
    check::render::{COMMANDS, dots, explained, rule},
    cli::Run,
    excerpt::{self, Judged},
    paragraph, profile, table,
    terminal::Terminal,
    visible::{one_line, visible},
};

/// Lines of the profile; the busiest come first.
const LINES_SHOWN: usize = 8;
/// The profile's titles in two lines, for terminals in which the source would have less than [`LEAST_SOURCE`] columns.
const NARROW: [&str; 7] = ["Line", "", "Work", "Lanes", "Sec-\ntors", "Wave-\nfronts", "Con-\nflicts"];
const LEAST_SOURCE: usize = 16;
/// Of a line of source that is cut to less nobody could tell what it is.
const LEAST_CUT: usize = 4;
/// More findings than this hide the first ones.
const FINDINGS_SHOWN: usize = 8;

/// How much is shown.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    /// The source with what each line cost, not only the busiest lines.
    pub source: bool,
    /// Every finding whole.
    pub verbose: bool,
}

impl Run {
    /// How much of the report was asked for.
    pub fn extent(&self) -> Extent {
        Extent { source: self.profile, verbose: self.verbose }
    }
}

/// The whole report.
pub fn run(report: &RunReport, extent: Extent, terminal: Terminal) -> String {
    let judged = Judged { path: &report.kernel, source: &report.source };
    let mut sections = vec![head(report, terminal)];
    let messages = report.diagnostics.iter().take(FINDINGS_SHOWN);
    sections.extend(messages.map(|message| excerpt::diagnostic(message, judged, terminal)));
    if report.diagnostics.len() > FINDINGS_SHOWN {
        let more = number_of(report.diagnostics.len() - FINDINGS_SHOWN, "more compiler message");
        sections.push(format!("{}and {more}; --format json has them all", dots(terminal)));
    }
    let (folded, findings): (Vec<_>, Vec<_>) =
        report.findings.iter().partition(|finding| !extent.verbose && excerpt::is_folded(finding));
    let most = if extent.verbose { usize::MAX } else { FINDINGS_SHOWN };
    let shown = findings.iter().take(most);
    sections.extend(shown.map(|finding| excerpt::finding(finding, judged, terminal)));
    if let Some(more) = findings.len().checked_sub(most).filter(|&more| more > 0) {
        let more = number_of(more, "more finding");
        sections.push(format!("{}and {more}: --verbose shows all", dots(terminal)));
    }
    sections.extend(excerpt::folded(folded, judged, terminal));
    if !report.printf.is_empty() {
        let mut text = format!("{}\n", "printed:".dimmed());
        for line in report.printf.lines() {
            let _ = writeln!(text, "  {} {}", rule(terminal), visible(line));
        }
        sections.push(text);
    }
    if let Some(counters) = &report.counters {
        sections.push(totals(counters, terminal));
        sections.push(profile::facts(counters, &report.occupancy, simulated(report), terminal));
    }
    sections.push(match (extent.source, &report.counters) {
        (true, Some(counters)) => profile::source(judged, counters, &report.lines, terminal),
        _ => lines(report, terminal),
    });
    sections.extend(banks::of(&report.worst_requests, &report.lines, judged, terminal));
    sections.extend(report.notes.iter().map(|note| {
        paragraph::fill(&format!("note: {}", visible(note)), terminal.width).dimmed().to_string()
    }));
    sections.push(explained(&words(report), "the word means", COMMANDS));
    sections.push(conclusion(report, terminal));
    let sections: Vec<&str> =
        sections.iter().map(|part| part.trim_end()).filter(|part| !part.is_empty()).collect();
    format!("{}\n", sections.join("\n\n"))
}

fn head(report: &RunReport, terminal: Terminal) -> String {
    let mut facts = vec![report.devices.join(" + ")];
    facts.extend(report.compiler.clone());
    if let Some(resources) = report.resources.first() {
        facts.push(number_of(resources.registers, "register"));
        let some =
            |bytes: u32, what: &str| (bytes > 0).then(|| format!("{} {what}", number_of(bytes, "byte")));
        facts.extend(some(resources.spill_bytes, "spilled"));
        facts.extend(some(resources.shared_bytes, "shared"));
    }
    format!(
        "{}  {}\n{}",
        one_line(&report.entry).bold(),
        one_line(&report.kernel).underline(),
        facts.join(if terminal.plain { ", " } else { " · " }).dimmed()
    )
}

fn totals(counters: &Counters, terminal: Terminal) -> String {
    let mut out = table::new(terminal, &["", "Requests", "Moved", ""]);
    let mut add = |name: &str, requests: u64, moved: String, remark: String| {
        if requests > 0 {
            out.add_row([Cell::new(name), table::right(requests), table::right(moved), Cell::new(remark)]);
        }
    };
    let per_request =
        |sectors: u64, requests: u64| format!("{:.1} per request", sectors as f64 / requests.max(1) as f64);
    add(
        "global loads",
        counters.global_load_requests,
        number_of(counters.global_load_sectors, "sector"),
        per_request(counters.global_load_sectors, counters.global_load_requests),
    );
    add(
        "global stores",
        counters.global_store_requests,
        number_of(counters.global_store_sectors, "sector"),
        per_request(counters.global_store_sectors, counters.global_store_requests),
    );
    let conflicts = |wavefronts: u64, ideal: u64| match wavefronts.saturating_sub(ideal) {
        0 => "no bank conflict".to_owned(),
        some => number_of(some, "bank conflict"),
    };
    add(
        "shared loads",
        counters.shared_load_requests,
        number_of(counters.shared_load_wavefronts, "wavefront"),
        conflicts(counters.shared_load_wavefronts, counters.shared_load_ideal_wavefronts),
    );
    add(
        "shared stores",
        counters.shared_store_requests,
        number_of(counters.shared_store_wavefronts, "wavefront"),
        conflicts(counters.shared_store_wavefronts, counters.shared_store_ideal_wavefronts),
    );
    add("global atomics", counters.global_atomic_requests, String::new(), "among the stores".to_owned());
    add(
        "shared atomics",
        counters.shared_atomic_requests,
        number_of(counters.shared_atomic_wavefronts, "wavefront"),
        match counters.shared_atomic_conflicts() {
            0 => "no lane waits for another".to_owned(),
            turns => format!("{} waited at a bank or word", number_of(turns, "turn")),
        },
    );
    add("local memory", counters.local_requests, String::new(), "spills and indexed arrays".to_owned());
    if out.is_empty() { String::new() } else { table::text(&out, terminal) }
}

/// The GPU that the simulator stood in for.
fn simulated(report: &RunReport) -> Option<&'static Profile> {
    report.devices.iter().find_map(|device| Profile::by_name(device.strip_prefix("sim:")?))
}

/// The lines that ask most of the memory system.
fn lines(report: &RunReport, terminal: Terminal) -> String {
    let traffic = |counters: &Counters| {
        counters.global_load_sectors
            + counters.global_store_sectors
            + counters.shared_load_wavefronts
            + counters.shared_store_wavefronts
            + counters.shared_atomic_wavefronts
    };
    let mut busiest: Vec<_> = report.lines.iter().filter(|line| traffic(&line.counters) > 0).collect();
    busiest.sort_by_key(|line| std::cmp::Reverse(traffic(&line.counters)));
    if busiest.is_empty() {
        return String::new();
    }
    let all = report.counters.map_or(0, |counters| counters.ptx_instructions).max(1);
    let header = ["Line", "", "Work", "Lanes", "Sectors", "Wavefronts", "Conflicts"];
    let rows: Vec<[String; 7]> = busiest
        .iter()
        .take(LINES_SHOWN)
        .map(|line| {
            let counters = &line.counters;
            let wavefronts = counters.shared_load_wavefronts
                + counters.shared_store_wavefronts
                + counters.shared_atomic_wavefronts;
            let work = 100.0 * counters.ptx_instructions as f64 / all as f64;
            [
                line.place.line.to_string(),
                source_of(&line.place, report),
                format!("{work:.0} %"),
                format!("{:.1}", 32.0 * counters.simt_efficiency().unwrap_or_default()),
                (counters.global_load_sectors + counters.global_store_sectors).to_string(),
                wavefronts.to_string(),
                (counters.shared_bank_conflicts() + counters.shared_atomic_conflicts()).to_string(),
            ]
        })
        .collect();
    // The source gets what the numbers leave; two columns of padding each, one between them.
    let room = |header: &[&str], between: usize| {
        let width = |column: usize| {
            let title = header[column].lines().map(str::len).max().unwrap_or(0);
            rows.iter().map(|row| row[column].len()).chain([title]).max().unwrap_or(0)
        };
        let numbers: usize = (0..header.len()).filter(|&column| column != 1).map(width).sum();
        terminal.width.saturating_sub(numbers + between * header.len())
    };
    let is_narrow = room(&header, 3) < LEAST_SOURCE && !terminal.plain;
    let header = if is_narrow { NARROW } else { header };
    let room = room(&header, if is_narrow { 2 } else { 3 });
    let mut out = table::new(terminal, &header);
    for [line, source, rest @ ..] in rows {
        let cut = if room < LEAST_CUT {
            String::new()
        } else if source.chars().count() > room {
            source.chars().take(room.saturating_sub(1)).chain(['…']).collect()
        } else {
            source
        };
        out.add_row(
            [table::right(line), Cell::new(cut)].into_iter().chain(rest.into_iter().map(table::right)),
        );
    }
    if is_narrow {
        for column in out.column_iter_mut() {
            column.set_padding((0, 1)).set_constraint(ColumnConstraint::ContentWidth);
        }
    }
    let hidden = busiest.len().saturating_sub(LINES_SHOWN);
    let more = match hidden {
        0 => String::new(),
        more => {
            let more = number_of(more, "more line");
            format!("\n{}and {more}; --format json has them all", dots(terminal))
        }
    };
    table::text(&out, terminal) + &more
}

/// A line's text, or the file that it is in where that is another.
fn source_of(place: &Place, report: &RunReport) -> String {
    let text = match place.file == report.kernel {
        true => report.source.lines().nth((place.line as usize).wrapping_sub(1)).unwrap_or(""),
        false => &place.file,
    };
    one_line(text.trim())
}

/// What `grader explain` can be asked about what was found, the most telling first.
fn words(report: &RunReport) -> Vec<&'static str> {
    let refused = (report.status == RunStatus::CompileError).then(|| Goal::Compile.name());
    let of = |severity| {
        let findings = report.findings.iter().filter(move |finding| finding.severity == severity);
        findings.map(|finding| finding.kind.name())
    };
    refused.into_iter().chain(of(Severity::Error)).chain(of(Severity::Warning)).collect()
}

fn conclusion(report: &RunReport, terminal: Terminal) -> String {
    let headline = match report.status {
        RunStatus::Finished if report.is_clean() => "✓ finished, clean".green(),
        RunStatus::Finished => "✗ finished, with findings".red(),
        RunStatus::Faulted => "✗ faulted".red(),
        RunStatus::Unfinished => "✗ did not finish".red(),
        RunStatus::CompileError => "✗ does not compile".red(),
        RunStatus::Unsupported => "! the simulator lacks something that this kernel needs".yellow(),
        RunStatus::JudgeError => "! the judge could not do its work".yellow(),
    };
    let mut text = match terminal.plain {
        // The words say it, too.
        true => headline.trim_start_matches(['✓', '✗', '!', ' ']).to_owned(),
        false => headline.bold().to_string(),
    };
    for detail in report.detail.clone().into_iter().chain(next_step(report)) {
        text.push('\n');
        text.push_str(&paragraph::fill(&visible(&detail), terminal.width));
    }
    text
}

/// What this command can do about an end that is not the kernel's own.
fn next_step(report: &RunReport) -> Option<String> {
    match report.status {
        RunStatus::Unfinished => {
            let budget = report.findings.iter().find_map(|finding| finding.budget)?;
            let usual = report.usual_budget;
            if budget < usual {
                return Some(format!(
                    "next: if it only needs longer, leave --budget out: then it is {usual}"
                ));
            }
            let larger = budget.checked_mul(10)?;
            Some(format!("next: if it only needs longer, give it a larger budget: --budget {larger}"))
        }
        RunStatus::JudgeError if report.detail.is_none() => {
            Some("`grader doctor` looks at the machine".to_owned())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use warpsim::Finding;

    use super::*;
    use crate::sample;

    fn text_of(status: RunStatus, findings: Vec<Finding>, counters: Option<Counters>) -> String {
        let new = RunReport::new("kernel.cu".to_owned(), "block_max".to_owned(), vec!["sim:h200".to_owned()]);
        let report = RunReport { status, findings, counters, source: sample::SOURCE.to_owned(), ..new };
        let terminal = Terminal { width: 80, rows: usize::MAX, colour: false, plain: false };
        run(&report, Extent { source: false, verbose: false }, terminal)
    }

    #[test]
    fn every_report_names_the_word_to_ask_for() {
        let mut warning = sample::race();
        warning.severity = Severity::Warning;
        for (status, findings, word) in [
            (RunStatus::Finished, vec![sample::race()], Some("race")),
            (RunStatus::Finished, vec![warning.clone(), sample::out_of_bounds()], Some("out_of_bounds")),
            (RunStatus::Finished, vec![warning], Some("race")),
            (RunStatus::CompileError, Vec::new(), Some("compile")),
            (RunStatus::Finished, Vec::new(), None),
        ] {
            let text = text_of(status, findings, None);
            match word {
                Some(word) => assert!(text.contains(&format!("`grader explain {word}`\n\n")), "{text}"),
                None => assert!(!text.contains("grader explain"), "{text}"),
            }
        }
    }

    #[test]
    fn the_budget_that_is_suggested_can_be_enough() {
        let usual = 200_000_000;
        let next = |budget: u64| {
            let mut finding = sample::race();
            finding.budget = Some(budget);
            let new = RunReport::new("kernel.cu".to_owned(), "k".to_owned(), Vec::new());
            let status = RunStatus::Unfinished;
            next_step(&RunReport { status, findings: vec![finding], usual_budget: usual, ..new })
        };
        for small in [1, 3, usual - 1] {
            assert!(next(small).unwrap().ends_with("leave --budget out: then it is 200000000"));
        }
        assert!(next(usual).unwrap().ends_with("a larger budget: --budget 2000000000"));
        assert_eq!(next(u64::MAX), None);
    }

    #[test]
    fn one_sector_is_one() {
        let mut counters = Counters::default();
        (counters.global_load_requests, counters.global_load_sectors) = (1, 1);
        (counters.shared_load_requests, counters.shared_load_wavefronts) = (1, 1);
        let text = text_of(RunStatus::Finished, Vec::new(), Some(counters));
        assert!(text.contains("1 sector ") && text.contains("1 wavefront "), "{text}");
    }
}
