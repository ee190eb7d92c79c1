//! `grader run`'s result for people: what is wrong and where, what the memory system was asked for, and the verdict.

use std::fmt::Write;

use colored::Colorize;
use comfy_table::Cell;

use super::{
    excerpt::{self, Judged},
    table,
};
use crate::{
    run_report::{CounterRow, RunReport, Status},
    terminal::{Terminal, visible},
};

/// Lines of the profile; the busiest come first.
const LINES_SHOWN: usize = 8;
/// More findings than this hide the first ones.
const FINDINGS_SHOWN: usize = 8;

/// The whole report.
pub fn run(report: &RunReport, terminal: Terminal) -> String {
    let judged = Judged { path: &report.file, source: &report.source };
    let mut sections = vec![head(report)];
    sections.extend(report.diagnostics.iter().map(|message| excerpt::diagnostic(message, judged, terminal)));
    let shown = report.found.iter().take(FINDINGS_SHOWN);
    sections.extend(shown.map(|finding| excerpt::finding(finding, judged, terminal)));
    if report.found.len() > FINDINGS_SHOWN {
        let more = report.found.len() - FINDINGS_SHOWN;
        sections.push(format!("… and {more} more findings; --format json has them all"));
    }
    if !report.printf.is_empty() {
        let mut text = format!("{}\n", "printed:".dimmed());
        for line in report.printf.lines() {
            let _ = writeln!(text, "  {} {}", "│".dimmed(), visible(line));
        }
        sections.push(text);
    }
    if let Some(counters) = &report.counters {
        sections.push(totals(counters, terminal));
    }
    sections.push(lines(report, terminal));
    sections.extend(report.notes.iter().map(|note| {
        textwrap::fill(&format!("note: {}", visible(note)), terminal.width).dimmed().to_string()
    }));
    sections.push(conclusion(report, terminal));
    let sections: Vec<&str> =
        sections.iter().map(|part| part.trim_end()).filter(|part| !part.is_empty()).collect();
    format!("{}\n", sections.join("\n\n"))
}

fn head(report: &RunReport) -> String {
    let mut facts = vec![report.device.clone()];
    facts.extend(report.compiler.clone());
    facts.extend(report.registers.map(|registers| format!("{registers} registers")));
    facts.extend(report.spill_bytes.filter(|bytes| *bytes > 0).map(|bytes| format!("{bytes} bytes spilled")));
    facts.extend(
        report.static_shared_bytes.filter(|bytes| *bytes > 0).map(|bytes| format!("{bytes} bytes shared")),
    );
    format!(
        "{}  {}\n{}",
        visible(&report.entry).bold(),
        visible(&report.file).underline(),
        facts.join(" · ").dimmed()
    )
}

fn totals(row: &CounterRow, terminal: Terminal) -> String {
    let counters = &row.counters;
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
    let lanes = counters.active_lanes as f64 / counters.ptx_instructions.max(1) as f64;
    let summary = format!(
        "{} PTX instructions, {lanes:.1} of 32 lanes active, {} divergent branches, {} barriers",
        counters.ptx_instructions, counters.divergent_branches, counters.barriers
    );
    let summary = textwrap::fill(&summary, terminal.width);
    if out.is_empty() { summary } else { format!("{}\n{summary}", out.trim_fmt()) }
}

/// The lines that ask most of the memory system.
fn lines(report: &RunReport, terminal: Terminal) -> String {
    let traffic = |row: &CounterRow| {
        let counters = &row.counters;
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
    let mut out = table::new(terminal, &["Line", "", "Sectors", "Wavefronts", "Conflicts"]);
    for line in busiest.iter().take(LINES_SHOWN) {
        let counters = &line.counters.counters;
        let source =
            report.source.lines().nth((line.place.line as usize).wrapping_sub(1)).unwrap_or("").trim();
        let source: String = visible(source).chars().take(terminal.width.saturating_sub(44)).collect();
        out.add_row([
            table::right(line.place.line),
            Cell::new(source),
            table::right(counters.global_load_sectors + counters.global_store_sectors),
            table::right(
                counters.shared_load_wavefronts
                    + counters.shared_store_wavefronts
                    + counters.shared_atomic_wavefronts,
            ),
            table::right(line.counters.shared_bank_conflicts + line.counters.shared_atomic_conflicts),
        ]);
    }
    out.trim_fmt()
}

fn conclusion(report: &RunReport, terminal: Terminal) -> String {
    let (headline, fallback) = match report.status {
        Status::Finished if report.is_clean() => ("✓ finished, clean".green(), ""),
        Status::Finished => ("✗ finished, with findings".red(), ""),
        Status::Faulted => ("✗ faulted".red(), ""),
        Status::Unfinished => ("✗ did not finish".red(), "raise --budget if it only needs longer"),
        Status::CompileError => ("✗ does not compile".red(), ""),
        Status::Unsupported => ("! the simulator lacks something that this kernel needs".yellow(), ""),
        Status::JudgeError => {
            ("! the judge could not do its work".yellow(), "`grader doctor` looks at the machine")
        }
    };
    let detail = report.message.as_deref().unwrap_or(fallback);
    match detail {
        "" => headline.bold().to_string(),
        detail => format!("{}\n{}", headline.bold(), textwrap::fill(&visible(detail), terminal.width)),
    }
}
