//! "Measured" of a chapter: charts and tables of the solution, the steps on the way and the vendor's libraries.

use std::fmt::Write as _;

use grader::kernels::Role;
use harness::report::SpeedReport;

use super::{cell, charts, figure};
use crate::record::{KernelRecord, PeerRecord};

/// So many kernels beside the baseline, each a change against the one before, are a ladder.
const RUNGS: usize = 6;

/// From this speedup on a solution pays; below it, its chapter shows first what does.
const PAYS: f64 = 1.05;

/// The chapters before this one fold their tables away, below this line.
const FIRST_OPEN: &str = "04";
const FOLDED: &str = "Show the numbers: times, intervals and shares of a copy's speed";

/// The exercises of which each timed case runs one of several kernels: how the case begins, and what it runs.
const PARTS: [(&str, &str, &str); 2] = [
    ("16-double-buffering", "1: ", "step 1 (registers)"),
    ("16-double-buffering", "2: ", "step 2 (asynchronous copies)"),
];

/// A kernel's time in a case: its name, what it is, and the time.
pub type Timed<'a> = (String, Role, &'a SpeedReport);

/// A timed case, and the kernels that have a time in it.
pub type Case<'a> = (&'a SpeedReport, Vec<Timed<'a>>);

/// The timed cases, each with the solution's and the steps' times in the order in which tables show them. `peers` are what
/// was timed beside the exercise.
pub fn cases<'a>(kernels: &[&'a KernelRecord], peers: &[&PeerRecord]) -> Vec<Case<'a>> {
    let timed: Vec<Timed<'a>> = kernels
        .iter()
        .filter(|kernel| matches!(kernel.candidate.role, Role::Solution | Role::Step))
        .flat_map(|kernel| kernel.speed.iter().map(|speed| (name(kernel), kernel.candidate.role, speed)))
        .collect();
    let mut cases: Vec<Case<'a>> = Vec::new();
    for one in timed.iter().cloned() {
        match cases.iter_mut().find(|(case, _)| case.case == one.2.case) {
            Some((_, of)) => of.push(one),
            None => cases.push((one.2, vec![one])),
        }
    }
    // Where the textbook technique does not pay, what pays stands first. Else the steps stand in their order, and in a ladder
    // the solution is one of them.
    let pays = |(_, role, speed): &Timed<'_>| *role != Role::Solution || speed.speedup >= PAYS;
    let all_pay = timed.iter().all(pays) && !loses_elsewhere(peers);
    for (_, of) in &mut cases {
        if is_ladder(of) {
            let solution = solutions_rung(of);
            of.sort_by_key(|(name, ..)| rung(name).unwrap_or(solution));
        } else if !all_pay {
            of.sort_by(|a, b| b.2.speedup.total_cmp(&a.2.speedup));
        }
    }
    cases
}

/// Whether the solution is slower than the baseline on an input that was timed beside the exercise.
fn loses_elsewhere(peers: &[&PeerRecord]) -> bool {
    let of = |folder: &'static str| peers.iter().filter(move |peer| peer.peer.starts_with(folder));
    of("solutions/").any(|solution| {
        let is_faster = |baseline: &&PeerRecord| {
            baseline.case == solution.case && baseline.median_microseconds() < solution.median_microseconds()
        };
        of("kernels/baselines/").any(is_faster)
    })
}

/// Whether the kernels of a case go step by step from the first to the last.
pub fn is_ladder(kernels: &[Timed<'_>]) -> bool {
    kernels.len() >= RUNGS
}

/// A step's number, with which its name begins; the solution has none.
fn rung(name: &str) -> Option<usize> {
    name.trim_start_matches("`steps/").split('-').next()?.parse().ok()
}

/// The number that the steps leave for the solution.
fn solutions_rung(kernels: &[Timed<'_>]) -> usize {
    let taken: Vec<usize> = kernels.iter().filter_map(|(name, ..)| rung(name)).collect();
    let first = taken.iter().copied().min().unwrap_or(0);
    (first..).find(|number| !taken.contains(number)).unwrap_or(first)
}

/// A case's name as charts and tables show it. Where an exercise asks for two kernels, its cases begin with a number, which
/// says too little beside a step's file name.
pub fn title(exercise: &str, case: &str) -> String {
    let case = case.trim_end_matches(", timed");
    let part = |(of, number, what): &(&str, &str, &str)| {
        Some(format!("{what}: {}", case.strip_prefix(number).filter(|_| *of == exercise)?))
    };
    PARTS.iter().find_map(part).unwrap_or_else(|| case.to_owned())
}

/// The file name of a timed case's chart.
pub fn chart(exercise: &str, number: usize) -> String {
    format!("{exercise}-{number}.svg")
}

/// What an exercise's chapter shows: a chart of each case, and the tables. `library` is the one that its ladder shows.
pub fn text(
    exercise: &str,
    cases: &[Case<'_>],
    library: Option<&PeerRecord>,
    peers: &[&PeerRecord],
    source: &str,
) -> String {
    if cases.is_empty() {
        return "This exercise has no timed case.\n".to_owned();
    }
    let mut text = String::new();
    for (number, (first, timed)) in (1..).zip(cases) {
        let (_, says) = charts::of_case(&title(exercise, &first.case), first, timed, library);
        let chart = format!("../generated/figures/{}", chart(exercise, number));
        let _ = writeln!(text, "{}\n", figure::picture(&chart, &says));
    }
    let tables = tables(exercise, cases, peers);
    // Intervals are not what the first chapters teach.
    if exercise < FIRST_OPEN {
        let _ = write!(text, "<details><summary>{FOLDED}</summary>\n\n{tables}</details>\n\n");
    } else {
        text.push_str(&tables);
    }
    text + source
}

fn tables(exercise: &str, cases: &[Case<'_>], peers: &[&PeerRecord]) -> String {
    let mut text = String::new();
    for (first, timed) in cases {
        let title = title(exercise, &first.case);
        let _ = write!(text, "These times are for the case \"{title}\", with a cold L2 cache:\n\n");
        // A small case has no roof, and then no column for it.
        let has_roof = timed.iter().any(|(.., speed)| speed.roof_share.is_some());
        // In a ladder each kernel is held against the one before it, too.
        let more = |step: &str, roof: &str| {
            let columns = [(is_ladder(timed), step), (has_roof, roof)];
            let shown = columns.into_iter().filter(|(is_shown, _)| *is_shown);
            shown.map(|(_, text)| format!(" {text} |")).collect::<String>()
        };
        let _ = writeln!(
            text,
            "| kernel | time | against the baseline | 95 % interval |{}\n|---|---:|---:|---:|{}",
            more("against the one before", "share of the copy roof"),
            more("---:", "---:").replace(' ', ""),
        );
        let _ = writeln!(
            text,
            "| baseline | {:.0} µs | 1.00 | |{}",
            first.baseline_microseconds,
            more("", "").replace("  ", " ")
        );
        let mut before = 1.0;
        for (name, _, speed) in timed {
            let roof = speed.roof_share.map_or(String::new(), |share| format!("{:.0} %", 100.0 * share));
            let _ = writeln!(
                text,
                "| {} | {:.0} µs | {:.2} | {:.2} – {:.2} |{}",
                cell(name),
                speed.kernel_microseconds,
                speed.speedup,
                speed.interval[0],
                speed.interval[1],
                more(&format!("{:.2}", speed.speedup / before), &roof),
            );
            before = speed.speedup;
        }
        text.push('\n');
    }
    // Peers that are judged by their arithmetic have no share of a copy's speed.
    let has_roof = peers.iter().any(|peer| peer.operations == 0.0);
    if !peers.is_empty() {
        let _ = writeln!(
            text,
            "Each row of this table was timed in turn with a copy, not with the baseline:\n\n| what | case | time | reached |{}\n|---|---|---:|---:|{}",
            if has_roof { " share of the copy roof |" } else { "" },
            if has_roof { "---:|" } else { "" },
        );
    }
    // Of what was timed on the same input, the fastest stands first.
    let mut sorted = peers.to_vec();
    let first = |case: &str| peers.iter().position(|peer| peer.case == case);
    sorted.sort_by(|a, b| {
        let times = || a.median_microseconds().total_cmp(&b.median_microseconds());
        first(&a.case).cmp(&first(&b.case)).then_with(times)
    });
    for peer in sorted {
        let microseconds = peer.median_microseconds();
        let bytes_per_second = peer.bytes / (1e-6 * microseconds);
        let (reached, roof) = if peer.operations > 0.0 {
            (format!("{:.1} TFLOP/s", peer.operations / microseconds * 1e-6), String::new())
        } else {
            let share = 100.0 * bytes_per_second / peer.copy_bytes_per_second;
            (format!("{:.2} TB/s", bytes_per_second * 1e-12), format!(" {share:.0} % |"))
        };
        let _ = writeln!(
            text,
            "| `{}` {} | {} | {microseconds:.0} µs | {reached} |{roof}",
            cell(&peer.peer),
            cell(&peer.version),
            cell(&peer.case),
        );
    }
    if !peers.is_empty() {
        text.push('\n');
    }
    text
}

/// `solution`, or the step's file name.
fn name(kernel: &KernelRecord) -> String {
    let stem = kernel.candidate.file.file_stem().unwrap_or_default().to_string_lossy();
    if kernel.candidate.role == Role::Solution {
        "the solution".to_owned()
    } else {
        format!("`steps/{stem}.cu`")
    }
}

#[cfg(test)]
mod tests {
    use harness::report::Samples;

    use super::*;

    #[test]
    fn a_case_is_named_by_what_it_runs() {
        assert_eq!(
            title("16-double-buffering", "1: 2 × 2 times 2 × 2, timed"),
            "step 1 (registers): 2 × 2 times 2 × 2"
        );
        assert_eq!(title("08-matmul", "2 × 2 times 2 × 2, timed"), "2 × 2 times 2 × 2");
    }

    #[test]
    fn a_chart_is_said_in_words() {
        let speed = speed(2.0);
        let steps = [("the solution".to_owned(), Role::Solution, &speed)];
        let says = "This bar chart compares times, n = 7: the baseline 2 µs, 1.00×; the solution 1 µs, 2.00×";
        let text = text("08-x", &[(&speed, steps.to_vec())], None, &[], "");
        assert!(text.contains(&format!("alt=\"{says}\"")), "{text}");
    }

    fn speed(speedup: f64) -> SpeedReport {
        SpeedReport {
            case: "n = 7, timed".to_owned(),
            kernel_microseconds: 1.0,
            baseline_microseconds: speedup,
            speedup,
            interval: [speedup; 2],
            pairs: 1,
            roof_share: None,
            kernel_quartiles: [1.0; 2],
            baseline_quartiles: [speedup; 2],
            samples: Samples::default(),
        }
    }

    #[test]
    fn what_pays_stands_first_where_the_solution_loses_on_another_input() {
        let peer = |name: &str, microseconds: f64| PeerRecord {
            exercise: "07-x".to_owned(),
            peer: name.to_owned(),
            version: "course".to_owned(),
            case: "3 x 3".to_owned(),
            bytes: 1.0,
            operations: 0.0,
            copy_bytes_per_second: 1.0,
            microseconds: vec![microseconds],
        };
        let solution = peer("solutions/07-x/kernel.cu", 3.0);
        for (baseline, loses) in [(2.0, true), (4.0, false)] {
            let baseline = peer("kernels/baselines/x.cu", baseline);
            assert_eq!(loses_elsewhere(&[&solution, &baseline]), loses);
        }
        assert!(!loses_elsewhere(&[&solution]));
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../solutions/measured/h200.json");
        let Ok(record) = crate::record::Record::read(std::path::Path::new(file)) else { panic!("no record") };
        let id = "07-convolution";
        let kernels: Vec<&KernelRecord> = record.kernels.iter().filter(|k| k.exercise == id).collect();
        let peers: Vec<&PeerRecord> = record.peers.iter().filter(|peer| peer.exercise == id).collect();
        for (_, timed) in cases(&kernels, &peers) {
            assert!(timed.is_sorted_by(|a, b| a.2.speedup >= b.2.speedup), "the fastest stands first");
        }
    }

    #[test]
    fn the_solution_stands_where_the_steps_leave_a_place() {
        let speed = speed(2.0);
        let step = |name: &str| (format!("`steps/{name}.cu`"), Role::Step, &speed);
        let solution = || ("the solution".to_owned(), Role::Solution, &speed);
        assert_eq!(solutions_rung(&[solution(), step("1-a"), step("2-b"), step("4-c")]), 3);
        assert_eq!(solutions_rung(&[solution(), step("0-a"), step("2-b")]), 1);
        assert_eq!(solutions_rung(&[solution(), step("1-a"), step("2-b")]), 3);
        assert_eq!(rung("`steps/12-a.cu`"), Some(12));
        assert_eq!(rung("the solution"), None);
    }
}
