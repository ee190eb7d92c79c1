//! The book's charts that are made from the record: the bars of each chapter's times, and how near they come to a copy.

use grader::kernels::Role;
use harness::report::SpeedReport;

use super::{
    figure::{Anchor, Figure, INK, LIMIT, MAIN, PALE, SLOW, STEP},
    measured::{self, Timed},
};
use crate::record::{PeerRecord, Record};

const WIDTH: f64 = 720.0;
/// What the bars are ends here.
const LEFT: f64 = 205.0;
/// Their numbers end here, before the bars: on a narrow screen, where a figure scrolls sideways, they are in sight at once.
const NUMBERS: f64 = 325.0;
/// The bars begin here.
const BARS: f64 = 337.0;
/// Room on the right, and the same where a library's name stands below its line.
const RIGHT: f64 = 12.0;
const LIBRARYS_RIGHT: f64 = 70.0;
const ROW: f64 = 26.0;
/// How wide a character of small text is, at most on average.
const SMALL_CHARACTER: f64 = 6.8;
/// How many times as long as the fastest kernel one may take before its bar is cut.
const CUT: f64 = 20.0;

/// A chart of a timed case and what it says, for readers who don't see it: bars, or a ladder where there are many steps.
/// `title` names the case, `kernels` are those with a time for it, by name.
pub fn of_case(
    title: &str,
    case: &SpeedReport,
    kernels: &[Timed<'_>],
    library: Option<&PeerRecord>,
) -> (String, String) {
    if measured::is_ladder(kernels) {
        ladder(title, case, kernels, library)
    } else {
        bars(title, case, kernels)
    }
}

/// The times of one case, a bar for each kernel: the first is the baseline's, and what is shorter is faster.
fn bars(title: &str, case: &SpeedReport, kernels: &[Timed<'_>]) -> (String, String) {
    let baseline = ("the baseline".to_owned(), SLOW, case.baseline_microseconds, 1.0);
    let rest = kernels.iter().map(|(name, role, speed)| {
        let class = if *role == Role::Solution { MAIN } else { STEP };
        (name.clone(), class, speed.kernel_microseconds, speed.speedup)
    });
    let all: Vec<_> = [baseline].into_iter().chain(rest).collect();
    // What is very much slower would leave nothing of the other bars: its own is cut.
    let shortest = all.iter().map(|bar| bar.2).fold(f64::INFINITY, f64::min);
    let longest = all.iter().map(|bar| bar.2).filter(|time| *time <= CUT * shortest).fold(0.0, f64::max);
    let said: Vec<String> = all
        .iter()
        .map(|(name, _, microseconds, speedup)| {
            format!("{} {microseconds:.0} µs, {speedup:.2}×", name.trim_matches('`'))
        })
        .collect();
    let says = format!("This bar chart compares times, {title}: {}", said.join("; "));
    let mut figure = Figure::new([WIDTH, 44.0 + ROW * all.len() as f64], &says);
    figure.text([12.0, 24.0], Anchor::Start, INK, &format!("{title}: a shorter bar is a shorter time"));
    for (row, (name, class, microseconds, speedup)) in all.iter().enumerate() {
        let top = 38.0 + ROW * row as f64;
        let full = WIDTH - BARS - RIGHT;
        let length = (full * microseconds / longest).clamp(1.0, full);
        figure.text([LEFT - 10.0, top + 14.0], Anchor::End, INK, name.trim_matches('`'));
        let number = format!("{microseconds:.0} µs, {speedup:.2}×");
        figure.text([NUMBERS, top + 14.0], Anchor::End, PALE, &number);
        figure.bar([BARS, top], [length, ROW - 8.0], class);
        if *microseconds > longest {
            figure.text([WIDTH - RIGHT - 8.0, top + 14.0], Anchor::End, "pale over", "bar cut");
        }
    }
    (figure.svg(), says)
}

/// What each step of a ladder adds to the speed of those before it. `kernels` stand in the order of the steps; `library` is
/// what a library takes for the same, if it was timed beside them.
fn ladder(
    title: &str,
    case: &SpeedReport,
    kernels: &[Timed<'_>],
    library: Option<&PeerRecord>,
) -> (String, String) {
    let library = library.map(|peer| (&peer.peer, case.baseline_microseconds / peer.median_microseconds()));
    let rungs = kernels.iter().map(|(name, role, speed)| {
        (name.trim_matches('`'), if *role == Role::Solution { MAIN } else { STEP }, speed.speedup)
    });
    let all: Vec<_> = [("the baseline", SLOW, 1.0)].into_iter().chain(rungs).collect();
    let most = all.iter().map(|rung| rung.2).chain(library.map(|(_, speedup)| speedup)).fold(1.0, f64::max);
    let x = |speedup: f64| BARS + (WIDTH - BARS - LIBRARYS_RIGHT) * speedup / most;

    let mut said: Vec<String> =
        all.iter().map(|(name, _, speedup)| format!("{name} {speedup:.2}×")).collect();
    said.extend(library.map(|(name, speedup)| format!("{name} {speedup:.2}×")));
    let says = format!(
        "This bar chart shows speed against the baseline, step by step, {title}: {}",
        said.join("; ")
    );
    let height = 66.0 + ROW * all.len() as f64;
    let mut figure = Figure::new([WIDTH, height], &says);
    let title = format!("{title}: bars show the speed against the baseline, brackets against the row above");
    figure.text([12.0, 24.0], Anchor::Start, INK, &title);
    if let Some((name, speedup)) = library {
        figure.line(&[[x(speedup), 36.0], [x(speedup), height - 24.0]], LIMIT);
        let says = format!("{name} {speedup:.2}×");
        // A long name stands so far to the left that it ends in the figure.
        let middle = x(speedup).min(WIDTH - RIGHT - 0.5 * SMALL_CHARACTER * says.chars().count() as f64);
        figure.text([middle, height - 10.0], Anchor::Middle, "limit small", &says);
    }
    let mut before = 0.0_f64;
    for (row, (name, class, speedup)) in all.iter().enumerate() {
        let top = 38.0 + ROW * row as f64;
        let [left, size] = [x(before.min(*speedup)), ROW - 8.0];
        figure.text([LEFT - 10.0, top + 14.0], Anchor::End, INK, name);
        // What the step before had reached is pale, and what is new, or lost, is not.
        figure.cell([BARS, top], [(left - BARS).max(0.1), size], class);
        let lost = if before > *speedup { SLOW } else { class };
        figure.bar([left, top], [(x(before.max(*speedup)) - left).max(1.5), size], lost);
        let change = if row == 0 { String::new() } else { format!(" ({:.2}×)", speedup / before) };
        // Left of the bars the library's line runs through no number.
        figure.text([NUMBERS, top + 14.0], Anchor::End, PALE, &format!("{speedup:.2}×{change}"));
        before = *speedup;
    }
    (figure.svg(), says)
}

/// The library that was timed beside an exercise: of several calls the one with the kernels' input, or none.
pub fn library<'a>(record: &'a Record, exercise: &str) -> Option<&'a PeerRecord> {
    let is_library = |peer: &&PeerRecord| peer.exercise == exercise && peer.version != "course";
    let timed: Vec<&str> = record
        .kernels
        .iter()
        .filter(|kernel| kernel.exercise == exercise)
        .filter_map(|kernel| Some(kernel.speed.first()?.case.as_str()))
        .collect();
    let all: Vec<&PeerRecord> = record.peers.iter().filter(is_library).collect();
    // A library that was timed on several inputs counts with the one that the kernels had.
    let is_alone = |peer: &PeerRecord| all.iter().all(|other| other.case == peer.case);
    let is_same = |peer: &PeerRecord| timed.iter().any(|case| numbers(case) == numbers(&peer.case));
    let those = all.iter().filter(|peer| is_alone(peer) || is_same(peer));
    those.min_by(|a, b| a.median_microseconds().total_cmp(&b.median_microseconds())).copied()
}

/// How close to a copy's speed each exercise's kernels come: baseline, solution, fastest step, and the library where one
/// was timed beside it. Products are not in it, for they move few bytes. `elsewhere` names the GPU where it is another than
/// the record's own.
pub fn shares<'a>(record: &Record, elsewhere: impl Fn(&str) -> Option<&'a str>) -> String {
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
    for (exercise, dots) in &mut rows {
        if let Some(peer) = library(record, exercise).filter(|peer| peer.operations == 0.0) {
            let bytes_per_second = peer.bytes / (1e-6 * peer.median_microseconds());
            dots.push((bytes_per_second / peer.copy_bytes_per_second, LIMIT));
        }
    }
    // Of several steps the fastest.
    for (_, dots) in &mut rows {
        dots.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut seen = Vec::new();
        dots.retain(|dot| {
            let is_new = !seen.contains(&dot.1);
            seen.push(dot.1);
            is_new
        });
    }
    let named_in = |exercise: &str| match elsewhere(exercise) {
        Some(gpu) => format!("{exercise} ({gpu})"),
        None => exercise.to_owned(),
    };
    let said: Vec<String> = rows
        .iter()
        .map(|(exercise, dots)| {
            let exercise = named_in(exercise);
            let dots: Vec<String> = dots
                .iter()
                .map(|(share, class)| format!("{} {:.0} %", named(class), 100.0 * share))
                .collect();
            format!("{exercise}: {}", dots.join(", "))
        })
        .collect();
    let height = 66.0 + ROW * rows.len() as f64;
    let mut figure = Figure::new(
        [WIDTH, height],
        &format!("This figure shows what share of a copy's speed each kernel reaches. {}", said.join("; ")),
    );
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
        figure.text([LEFT - 14.0, y + 4.0], Anchor::End, INK, &named_in(exercise));
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
