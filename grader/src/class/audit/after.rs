//! What happened to results after a head: each entry of the log that changed something, in words.

use crate::{
    class::{
        header::Header,
        log::{Entry, Event, Judged},
    },
    visible::one_line,
};
use harness::report::number_of;

/// What the entries from this one on changed, a line each.
pub fn changes(entries: &[Entry], from: usize) -> Vec<String> {
    let from = from.min(entries.len());
    let (before, after) = entries.split_at(from);
    let mut header = last_header(before);
    let mut said = Vec::new();
    for entry in after {
        let what = match &entry.event {
            Event::Began { header: now, .. } => {
                let other = header.map(|before| differences(before, now)).unwrap_or_default();
                header = Some(now);
                (!other.is_empty()).then(|| format!("a scoring began with another {}", other.join(", ")))
            }
            Event::Row(judged) => Some(row(judged)),
            Event::Withdrawn { student, exercise } => {
                Some(format!("{}, {exercise}: not handed in any more", one_line(student)))
            }
            Event::Compared { kernels, .. } => {
                Some(format!("{} compared with what is published", number_of(kernels, "kernel")))
            }
            Event::Proposed { kernels, .. } => {
                Some(format!("class regrade showed what would change of {}", number_of(kernels, "kernel")))
            }
            Event::Written { by, files } => Some(format!("{by} wrote {}", names(files.keys()))),
            Event::Removed { by, file } => Some(format!("{by} removed {}", one_line(file))),
            Event::Ended { .. } => None,
        };
        said.extend(what.map(|what| format!("  {} {what}", entry.at)));
    }
    said
}

/// The header that the log's last scoring began with.
pub fn last_header(entries: &[Entry]) -> Option<&Header> {
    entries.iter().rev().find_map(|entry| match &entry.event {
        Event::Began { header, .. } => Some(header),
        _ => None,
    })
}

/// What two headers differ in, by the names that a reader knows.
pub fn differences(one: &Header, other: &Header) -> Vec<&'static str> {
    // A new field must have its name here.
    let Header { judge, compiler, device, seed, started, speed, assignment } = one;
    [
        ("grader", *judge == other.judge),
        ("compiler", *compiler == other.compiler),
        ("device", *device == other.device),
        ("seed", *seed == other.seed),
        ("beginning", *started == other.started),
        ("speed goal", *speed == other.speed),
        ("assignment", *assignment == other.assignment),
    ]
    .into_iter()
    .filter_map(|(name, is_same)| (!is_same).then_some(name))
    .collect()
}

/// For example `dan, 03-reduction: not gradable, 3.5 by hand: shown at the blackboard`.
fn row(judged: &Judged) -> String {
    let points = match (&judged.points, &judged.by_hand) {
        (Some(points), Some(reason)) => format!(", {points} by hand: {}", one_line(reason)),
        (Some(points), None) => format!(", {}", number_of(points, "point")),
        (None, _) => String::new(),
    };
    let because = judged.because.as_ref().map(|why| format!(" ({})", one_line(why))).unwrap_or_default();
    format!("{}, {}: {}{points}{because}", one_line(&judged.student), judged.exercise, judged.status)
}

/// The one file, or how many there are and the first.
fn names<'a>(mut files: impl ExactSizeIterator<Item = &'a String>) -> String {
    let (count, first) = (files.len(), files.next().map(|name| one_line(name)).unwrap_or_default());
    match count {
        1 => first,
        _ => format!("{}, {first} the first", number_of(count, "file")),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::assignment::points::Points;

    fn entry(event: Event) -> Entry {
        Entry { at: "2026-12-01 12:00:00".to_owned(), event }
    }

    fn began(assignment: &str) -> Entry {
        let header = Header::new("j".into(), "c".into(), "sim:h200".into(), 7, "now".into());
        let header = Header { assignment: Some(assignment.to_owned()), ..header };
        entry(Event::Began { header, machine: Vec::new() })
    }

    #[test]
    fn what_changed_after_a_head_is_said_with_its_reason() {
        let judged = |points: f64, by_hand: Option<&str>, because: Option<&str>| {
            entry(Event::Row(Judged {
                student: "dan".to_owned(),
                exercise: "03-reduction".to_owned(),
                status: "failed".to_owned(),
                kernel: None,
                key: String::new(),
                row: String::new(),
                report: None,
                points: Points::of(points),
                by_hand: by_hand.map(str::to_owned),
                because: because.map(str::to_owned),
            }))
        };
        let files = |names: &[&str]| -> BTreeMap<String, String> {
            names.iter().map(|name| ((*name).to_owned(), String::new())).collect()
        };
        let written =
            |names: &[&str]| entry(Event::Written { by: "class export".to_owned(), files: files(names) });
        let entries = [
            began("one"),
            judged(0.0, None, None),
            began("one"),
            began("two"),
            judged(3.5, Some("shown at the blackboard"), None),
            entry(Event::Proposed { kernels: 2, found: String::new() }),
            judged(1.0, None, Some("regrade")),
            written(&["canvas.csv"]),
            written(&["gradescope/results/a.json", "gradescope/results/b.json"]),
            entry(Event::Removed { by: "class score".to_owned(), file: "not-understood.txt".to_owned() }),
        ];
        let said: Vec<String> =
            changes(&entries, 2).iter().map(|line| line.replace("  2026-12-01 12:00:00 ", "")).collect();
        assert_eq!(
            said,
            [
                "a scoring began with another assignment",
                "dan, 03-reduction: failed, 3.5 by hand: shown at the blackboard",
                "class regrade showed what would change of 2 kernels",
                "dan, 03-reduction: failed, 1 point (regrade)",
                "class export wrote canvas.csv",
                "class export wrote 2 files, gradescope/results/a.json the first",
                "class score removed not-understood.txt",
            ]
        );
        assert_eq!(changes(&entries, 10), Vec::<String>::new());
    }
}
