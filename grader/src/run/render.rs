//! `grader run`'s result for people: what is wrong and where, what the memory system was
//! asked for, and the verdict.

use std::fmt::Write;

use colored::Colorize;
use comfy_table::Cell;
use harness::report::number_of;
use warpsim::{Counters, Place, Profile};

use super::report::{RunReport, RunStatus};
use crate::{
    banks,
    check::render::{dots, rule},
    cli::Run,
    excerpt::{self, Judged},
    paragraph, profile, table,
    terminal::Terminal,
    visible::{one_line, visible},
};

/// Lines of the profile; the busiest come first.
const LINES_SHOWN: usize = 8;
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
        let more = report.diagnostics.len() - FINDINGS_SHOWN;
        sections
            .push(format!("{}and {more} more compiler messages; --format json has them all", dots(terminal)));
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
    sections.push(conclusion(report, terminal));
    let sections: Vec<&str> =
        sections.iter().map(|part| part.trim_end()).filter(|part| !part.is_empty()).collect();
    format!("{}\n", sections.join("\n\n"))
}

fn head(report: &RunReport, terminal: Terminal) -> String {
    let mut facts = vec![report.devices.join(" + ")];
    facts.extend(report.compiler.clone());
    if let Some(resources) = report.resources.first() {
        facts.push(format!("{} registers", resources.registers));
        let some = |bytes: u32, what: &str| (bytes > 0).then(|| format!("{bytes} bytes {what}"));
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
        format!("{} sectors", counters.global_load_sectors),
        per_request(counters.global_load_sectors, counters.global_load_requests),
    );
    add(
        "global stores",
        counters.global_store_requests,
        format!("{} sectors", counters.global_store_sectors),
        per_request(counters.global_store_sectors, counters.global_store_requests),
    );
    let conflicts = |wavefronts: u64, ideal: u64| match wavefronts.saturating_sub(ideal) {
        0 => "no bank conflict".to_owned(),
        1 => "1 bank conflict".to_owned(),
        many => format!("{many} bank conflicts"),
    };
    add(
        "shared loads",
        counters.shared_load_requests,
        format!("{} wavefronts", counters.shared_load_wavefronts),
        conflicts(counters.shared_load_wavefronts, counters.shared_load_ideal_wavefronts),
    );
    add(
        "shared stores",
        counters.shared_store_requests,
        format!("{} wavefronts", counters.shared_store_wavefronts),
        conflicts(counters.shared_store_wavefronts, counters.shared_store_ideal_wavefronts),
    );
    add("global atomics", counters.global_atomic_requests, String::new(), "among the stores".to_owned());
    add(
        "shared atomics",
        counters.shared_atomic_requests,
        format!("{} wavefronts", counters.shared_atomic_wavefronts),
        match counters.shared_atomic_conflicts() {
            0 => "no lane waits for another".to_owned(),
            turns => format!("{turns} turns waited at a bank or word"),
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
    let width = |column: usize| {
        rows.iter().map(|row| row[column].len()).chain([header[column].len()]).max().unwrap_or(0)
    };
    let numbers: usize = (0..header.len()).filter(|&column| column != 1).map(width).sum();
    let room = terminal.width.saturating_sub(numbers + 3 * header.len());
    let mut out = table::new(terminal, &header);
    for [line, source, rest @ ..] in rows {
        let cut = if source.chars().count() > room {
            source.chars().take(room.saturating_sub(1)).chain(['…']).collect()
        } else {
            source
        };
        out.add_row(
            [table::right(line), Cell::new(cut)].into_iter().chain(rest.into_iter().map(table::right)),
        );
    }
    let hidden = busiest.len().saturating_sub(LINES_SHOWN);
    let more = match hidden {
        0 => String::new(),
        1 => format!("\n{}and 1 more line; --format json has them all", dots(terminal)),
        more => format!("\n{}and {more} more lines; --format json has them all", dots(terminal)),
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
            let larger = budget.saturating_mul(10);
            Some(format!("next: if it only needs longer, give it a larger budget: --budget {larger}"))
        }
        RunStatus::JudgeError if report.detail.is_none() => {
            Some("`grader doctor` looks at the machine".to_owned())
        }
        _ => None,
    }
}
