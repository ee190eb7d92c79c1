//! The book's figures that are made from the record: the bars of each chapter's times, and the roofline of 08.

use std::fmt::Write as _;

use grader::kernels::Role;
use harness::report::SpeedReport;

use super::figure::{Anchor, Figure, INK, LIMIT, MAIN, PALE, SLOW, STEP};
use crate::record::{KernelRecord, PeerRecord, Record};

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
        figure.text([LEFT + length + 8.0, top + 14.0], Anchor::Start, PALE, &number);
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

/// The product of 1024 × 1024 matrices under its roofs: which one binds the naive kernel, and which the tiles.
///
/// A kernel's place along the axis is what it asks of the level that binds it. The naive kernel reads 8 bytes through
/// L1 for each multiply-add. The tiles read one word of b, and of a row of a four neighbours at once, because
/// the assembler joins them: 1.5 wavefronts of 128 bytes for the 32 multiply-adds of a warp (`ncu` counts
/// two wavefronts for a 16-byte read that is the same for all lanes, `grader/tests/counters`).
pub fn roofline(record: &Record) -> Option<String> {
    const ID: &str = "08-matmul";
    let figure = |name: &str| record.figures.iter().find(|f| f.figure == name).map(|f| f.value);
    let kernel = |file: &str| {
        let is = |kernel: &&KernelRecord| kernel.exercise == ID && kernel.candidate.file.ends_with(file);
        record.kernels.iter().find(is).and_then(|kernel| kernel.speed.first())
    };
    let roofs = [
        ("device memory", figure("DRAM read bandwidth")?),
        ("L2 cache", figure("L2 bandwidth")?),
        ("shared memory", figure("shared bandwidth")?),
    ];
    let speed = |microseconds: f64| 2.0 * 1024f64.powi(3) / microseconds * 1e-6;
    let tiled = 64.0 / (1.5 * 128.0);
    let points = [
        (
            "naive",
            0.25,
            speed(kernel("solutions/08-matmul/kernel.cu")?.baseline_microseconds),
            SLOW,
            [10.0, 18.0],
        ),
        (
            "tiles of 16 × 16",
            tiled,
            speed(kernel("solutions/08-matmul/kernel.cu")?.kernel_microseconds),
            MAIN,
            [10.0, 12.0],
        ),
        (
            "tiles of 32 × 32",
            tiled,
            speed(kernel("steps/3-tile-32.cu")?.kernel_microseconds),
            STEP,
            [10.0, -4.0],
        ),
    ];
    let is_library = |peer: &&PeerRecord| peer.exercise == ID && peer.peer == "cublasSgemm";
    let library = record.peers.iter().find(is_library).map(|peer| speed(peer.median_microseconds()))?;

    // Both axes are logarithmic.
    let (left, top, width, height) = (64.0, 20.0, 620.0, 300.0);
    let x = |intensity: f64| left + width * (intensity / 0.05).log2() / (64.0f64 / 0.05).log2();
    let y = |speed: f64| top + height * (1.0 - (speed / 0.2).log2() / (128.0f64 / 0.2).log2());
    let says = format!(
        "Roofline of 08's kernels on an H200. By device memory alone the naive kernel, at 0.25 operations a byte, could reach {:.1} Tflop/s; \
         it reaches {:.1}, below the roof of the L1 cache. Both tiled kernels lie below the roof of shared memory. Arithmetic ends at 67 Tflop/s.",
        0.25 * roofs[0].1,
        points[0].2
    );
    let mut drawn = Figure::new([WIDTH, 370.0], &says);
    for intensity in [0.0625, 0.25, 1.0, 4.0, 16.0, 64.0] {
        drawn.line(&[[x(intensity), top], [x(intensity), top + height]], PALE);
        drawn.text([x(intensity), top + height + 16.0], Anchor::Middle, "pale small", &intensity.to_string());
    }
    for flops in [0.5, 2.0, 8.0, 32.0] {
        drawn.line(&[[left, y(flops)], [left + width, y(flops)]], PALE);
        drawn.text([left - 6.0, y(flops) + 4.0], Anchor::End, "pale small", &flops.to_string());
    }
    drawn.text(
        [left + width, top + height + 36.0],
        Anchor::End,
        PALE,
        "operations for each byte asked of the level",
    );
    drawn.text([8.0, 14.0], Anchor::Start, PALE, "Tflop/s");
    const ARITHMETIC: f64 = 67.0;
    // All roofs of memories rise alike.
    let rise = ((y(1.0) - y(2.0)) / (x(2.0) - x(1.0))).atan().to_degrees();
    for (row, (name, bandwidth)) in roofs.iter().enumerate() {
        let begins = (0.2 / bandwidth).max(0.05);
        drawn.line(&[[x(begins), y(begins * bandwidth)], [x(ARITHMETIC / bandwidth), y(ARITHMETIC)]], LIMIT);
        let (place, off) = [(2.2, 15.0), (1.5, -6.0), (0.5, -6.0)][row];
        let begin = [x(place), y(place * bandwidth) + off];
        drawn.rising_text(begin, rise, "limit small", &format!("{name}, {bandwidth:.1} TB/s"));
    }
    drawn.line(&[[x(ARITHMETIC / roofs[2].1), y(ARITHMETIC)], [left + width, y(ARITHMETIC)]], LIMIT);
    drawn.text(
        [left + width, y(ARITHMETIC) - 6.0],
        Anchor::End,
        "limit small",
        "arithmetic, 67 Tflop/s (data sheet)",
    );
    drawn.line(&[[x(8.0), y(library)], [left + width, y(library)]], INK);
    drawn.text(
        [left + width, y(library) + 15.0],
        Anchor::End,
        "ink small",
        &format!("cuBLAS, {library:.1} Tflop/s"),
    );
    for (name, intensity, speed, class, [right, down]) in points {
        drawn.dot([x(intensity), y(speed)], class);
        drawn.text(
            [x(intensity) + right, y(speed) + down],
            Anchor::Start,
            class,
            &format!("{name}: {speed:.1}"),
        );
    }
    Some(drawn.svg())
}
