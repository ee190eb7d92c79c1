//! Races that change no result, in a few lines for all of one cause: a library has hundreds of them.

use std::collections::BTreeSet;

use colored::Colorize;
use warpsim::{Finding, FindingKind, Severity};

use super::{Judged, first_sentence, is_judged};
use crate::{
    paragraph, sentences,
    terminal::Terminal,
    visible::{one_line, visible},
};

/// Places that are named; the others are counted.
const PLACES_NAMED: usize = 8;

/// True of what is folded unless the reader asks for everything.
pub fn is_folded(finding: &Finding) -> bool {
    (finding.kind, finding.severity) == (FindingKind::Race, Severity::Note)
}

/// One paragraph for all races with one cause: the first of them, and where the others are.
pub fn folded<'f>(
    findings: impl IntoIterator<Item = &'f Finding>,
    judged: Judged<'_>,
    terminal: Terminal,
) -> Vec<String> {
    let mut causes: Vec<(&str, Vec<&Finding>)> = Vec::new();
    for finding in findings {
        let (_, cause) = first_sentence(&finding.message);
        match causes.iter_mut().find(|(known, _)| *known == cause) {
            Some((_, of_it)) => of_it.push(finding),
            None => causes.push((cause, vec![finding])),
        }
    }
    causes.iter().map(|(cause, of_it)| paragraph_of(cause, of_it, judged, terminal)).collect()
}

fn paragraph_of(cause: &str, findings: &[&Finding], judged: Judged<'_>, terminal: Terminal) -> String {
    let first = findings[0];
    let others = places(&findings[1..], judged);
    if terminal.plain {
        let also = if others.is_empty() { String::new() } else { format!("The same at {others}.\n") };
        return format!("{}{also}{ALL}\n", sentences::finding(first, judged));
    }
    let (title, _) = first_sentence(&first.message);
    let label = format!("note[{}]: ", first.kind.name());
    let title = paragraph::indented(&visible(title), terminal.width, &label, &" ".repeat(label.len()));
    let mut text = title.replacen(label.trim_end(), &label.trim_end().green().bold().to_string(), 1);
    let mut add = |sign: &str, line: &str| {
        let line = paragraph::indented(&visible(line), terminal.width, &format!("  {sign} "), "    ");
        text.push('\n');
        text.push_str(&line);
    };
    let at = places(&findings[..1], judged);
    match (at.is_empty(), others.is_empty()) {
        (true, _) => {}
        (false, true) => add("=", &format!("at {at}")),
        (false, false) => add("=", &format!("at {at}; the same at {others}")),
    }
    add("=", &format!("help: {cause}"));
    add("=", ALL);
    text
}

/// How to see what is left out.
const ALL: &str = "`--verbose` shows each race in the source.";

/// `lines 3 to 7 and 9, and header.hpp:12`.
fn places(findings: &[&Finding], judged: Judged<'_>) -> String {
    let places = findings.iter().filter_map(|finding| finding.place.as_ref());
    let (own, others): (Vec<_>, Vec<_>) = places.partition(|place| is_judged(place, judged));
    let own: BTreeSet<u32> = own.iter().map(|place| place.line).collect();
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for line in own {
        match ranges.last_mut().filter(|range| range.1 + 1 == line) {
            Some(range) => range.1 = line,
            None => ranges.push((line, line)),
        }
    }
    let is_one = matches!(ranges[..], [(first, last)] if first == last);
    let mut named: Vec<String> = ranges
        .iter()
        .map(|&(first, last)| if first == last { first.to_string() } else { format!("{first} to {last}") })
        .collect();
    if let Some(first) = named.first_mut() {
        *first = format!("{} {first}", if is_one { "line" } else { "lines" });
    }
    let headers: BTreeSet<String> =
        others.iter().map(|place| format!("{}:{}", one_line(super::base(&place.file)), place.line)).collect();
    named.extend(headers);
    let more = named.len().saturating_sub(PLACES_NAMED);
    named.truncate(PLACES_NAMED);
    if more > 0 {
        named.push(format!("{more} more"));
    }
    match named.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => named.concat(),
    }
}
