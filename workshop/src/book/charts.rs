//! The book's charts that are made from the record: the bars of each chapter's times, and how near they come to a copy.

use std::fmt::Write as _;

use grader::kernels::Role;
use harness::report::SpeedReport;

use super::figure::{Anchor, Figure, INK, LIMIT, MAIN, PALE, SLOW, STEP};
use crate::record::{PeerRecord, Record};

const WIDTH: f64 = 720.0;
/// The bars begin here; what they are stands to the left.
const LEFT: f64 = 205.0;
/// Room for the numbers behind the longest bar.
const RIGHT: f64 = 180.0;
const ROW: f64 = 26.0;
/// How many times as long as the fastest kernel one may take before its bar is cut.
const CUT: f64 = 20.0;

/// The times of one case, a bar for each kernel: the first is the baseline's, and what is shorter is faster.
/// `kernels` are those with a time for it, by name.
pub fn bars(case: &SpeedReport, kernels: &[(String, Role, &SpeedReport)]) -> String {
    let baseline = ("the baseline".to_owned(), SLOW, case.baseline_microseconds, 1.0);
    let rest = kernels.iter().map(|(name, role, speed)| {
        let class = if *role == Role::Solution { MAIN } else { STEP };
        (name.clone(), class, speed.kernel_microseconds, speed.speedup)
    });
    let all: Vec<_> = [baseline].into_iter().chain(rest).collect();
    // What is very much slower would leave nothing of the other bars: its own is cut.
    let shortest = all.iter().map(|bar| bar.2).fold(f64::INFINITY, f64::min);
    let longest = all.iter().map(|bar| bar.2).filter(|time| *time <= CUT * shortest).fold(0.0, f64::max);
    let mut says = format!("Times of {}:", case.case);
    for (name, _, microseconds, speedup) in &all {
        let _ = write!(says, " {name} {microseconds:.0} µs, {speedup:.2}×;");
    }
    let mut figure = Figure::new([WIDTH, 44.0 + ROW * all.len() as f64], says.trim_end_matches(';'));
    figure.text(
        [12.0, 24.0],
        Anchor::Start,
        INK,
        &format!("{}: time, shorter is faster", case.case.trim_end_matches(", timed")),
    );
    for (row, (name, class, microseconds, speedup)) in all.iter().enumerate() {
        let top = 38.0 + ROW * row as f64;
        let full = WIDTH - LEFT - RIGHT;
        let length = (full * microseconds / longest).clamp(1.0, full);
        let cut = if *microseconds > longest { ", bar cut" } else { "" };
        figure.text([LEFT - 10.0, top + 14.0], Anchor::End, INK, name.trim_matches('`'));
        figure.bar([LEFT, top], [length, ROW - 8.0], class);
        let number = format!("{microseconds:.0} µs, {speedup:.2}×{cut}");
        if cut.is_empty() {
            figure.text([LEFT + length + 8.0, top + 14.0], Anchor::Start, PALE, &number);
        } else {
            // The longest text is beside the longest bar, and fits only at the edge, over the bar's end.
            figure.text([WIDTH - 12.0, top + 14.0], Anchor::End, "pale over", &number);
        }
    }
    figure.svg()
}

/// How close to a copy's speed each exercise's kernels come: baseline, solution, fastest step, and the library where one
/// was timed beside it. Products are not in it, for they move few bytes.
pub fn shares(record: &Record) -> String {
    let mut rows: Vec<(&str, Vec<(f64, &str)>)> = Vec::new();
    for kernel in &record.kernels {
        let Some((speed, share)) = kernel.speed.first().and_then(|speed| Some((speed, speed.roof_share?)))
        else {
            continue;
        };
        let exercise = kernel.exercise.as_str();
        let place = rows.iter().position(|row| row.0 == exercise).unwrap_or_else(|| {
            rows.push((exercise, Vec::new()));
            rows.len() - 1
        });
        match kernel.candidate.role {
            Role::Solution => rows[place].1.extend([(share / speed.speedup, SLOW), (share, MAIN)]),
            Role::Step => rows[place].1.push((share, STEP)),
            _ => {}
        }
    }
    let is_library = |peer: &&PeerRecord| peer.operations == 0.0 && peer.version != "course";
    for peer in record.peers.iter().filter(is_library) {
        // A library that was timed on several inputs counts with the one that the kernels had.
        let others = record.peers.iter().filter(is_library).filter(|other| other.exercise == peer.exercise);
        let is_alone = others.into_iter().all(|other| other.case == peer.case);
        let timed = record.kernels.iter().filter(|kernel| kernel.exercise == peer.exercise);
        let is_same = timed
            .filter_map(|kernel| kernel.speed.first())
            .any(|speed| numbers(&speed.case) == numbers(&peer.case));
        let row = rows.iter_mut().find(|row| row.0 == peer.exercise);
        if let Some(row) = row.filter(|_| is_alone || is_same) {
            let bytes_per_second = peer.bytes / (1e-6 * peer.median_microseconds());
            row.1.push((bytes_per_second / peer.copy_bytes_per_second, LIMIT));
        }
    }
    // Of several steps or library calls the fastest.
    for (_, dots) in &mut rows {
        dots.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut seen = Vec::new();
        dots.retain(|dot| {
            let is_new = !seen.contains(&dot.1);
            seen.push(dot.1);
            is_new
        });
    }
    let said: Vec<String> = rows
        .iter()
        .map(|(exercise, dots)| {
            let dots: Vec<String> = dots
                .iter()
                .map(|(share, class)| format!("{} {:.0} %", named(class), 100.0 * share))
                .collect();
            format!("{exercise}: {}", dots.join(", "))
        })
        .collect();
    let height = 66.0 + ROW * rows.len() as f64;
    let mut figure = Figure::new([WIDTH, height], &format!("Shares of a copy's speed. {}", said.join("; ")));
    let x = |share: f64| LEFT + (WIDTH - LEFT - 40.0) * share / 1.1;
    for percent in [0, 25, 50, 75, 100] {
        let x = x(f64::from(percent) / 100.0);
        figure.line(&[[x, 42.0], [x, height - 10.0]], PALE);
        figure.text([x, 38.0], Anchor::Middle, "pale small", &format!("{percent} %"));
    }
    let mut left = 12.0;
    for class in [SLOW, MAIN, STEP, LIMIT] {
        figure.dot([left, 14.0], class);
        figure.text([left + 9.0, 18.0], Anchor::Start, "ink small", named(class));
        left += 100.0;
    }
    figure.text([WIDTH - 12.0, 18.0], Anchor::End, PALE, "share of a copy's speed");
    for (row, (exercise, dots)) in rows.iter().enumerate() {
        let y = 60.0 + ROW * row as f64;
        figure.text([LEFT - 14.0, y + 4.0], Anchor::End, INK, exercise);
        let ends = dots.iter().map(|dot| dot.0);
        let (least, most) = (ends.clone().fold(f64::INFINITY, f64::min), ends.fold(0.0, f64::max));
        figure.line(&[[x(least), y], [x(most), y]], PALE);
        for (share, class) in dots {
            figure.dot([x(*share), y], class);
        }
    }
    figure.svg()
}

/// The numbers in a case's name, by which it is told from others.
fn numbers(case: &str) -> Vec<&str> {
    case.split(|c: char| !c.is_ascii_digit()).filter(|digits| !digits.is_empty()).collect()
}

/// What a colour stands for in [`shares`].
fn named(class: &str) -> &'static str {
    match class {
        SLOW => "baseline",
        MAIN => "solution",
        STEP => "fastest step",
        _ => "library",
    }
}
