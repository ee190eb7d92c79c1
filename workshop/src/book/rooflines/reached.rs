//! The course's kernels below their roofs: which roof is the lowest above each, and what share of it each reaches.

use grader::kernels::Role;

use super::{Point, Roofline};
use crate::{
    book::figure::{Anchor, Figure, INK, MAIN, PALE, STEP},
    record::{KernelRecord, Record},
};

const WIDTH: f64 = 720.0;
const ROW: f64 = 26.0;
/// Exercises' names end here, and their numbers there.
const NAMES: f64 = 178.0;
const NUMBERS: f64 = 280.0;
/// From no share to [`MOST`].
const SHARES: [f64; 2] = [296.0, 500.0];
const MOST: f64 = 1.1;
/// Roofs' names begin here.
const ROOFS: f64 = 512.0;
/// The roof of kernels that compute little.
const COPY: &str = "device memory";

/// What a kernel reaches of a roof.
struct Reached {
    share: f64,
    roof: &'static str,
}

/// An exercise: its solution, and its fastest step where that is faster.
struct Row {
    exercise: String,
    solution: Reached,
    fastest: Option<Reached>,
}

/// The figure. An exercise without a roofline is held against a copy; it has no row where the record has no share of a
/// copy's speed. `elsewhere` names the GPU where it is another than the record's own.
pub fn reached<'a>(
    record: &Record,
    rooflines: &[Roofline<'_>],
    elsewhere: impl Fn(&str) -> Option<&'a str>,
) -> String {
    let mut exercises: Vec<&str> = record.kernels.iter().map(|kernel| kernel.exercise.as_str()).collect();
    exercises.dedup();
    let row = |exercise: &str| {
        let roofline = rooflines.iter().find(|roofline| roofline.exercise == exercise);
        let (solution, fastest) = match roofline {
            Some(roofline) => below(roofline)?,
            None => beside_a_copy(record, exercise)?,
        };
        let exercise = match elsewhere(exercise) {
            Some(gpu) => format!("{exercise} ({gpu})"),
            None => exercise.to_owned(),
        };
        Some(Row { exercise, solution, fastest })
    };
    drawn(&exercises.into_iter().filter_map(row).collect::<Vec<_>>())
}

/// The solution and the fastest step below the roofs of their roofline.
fn below(roofline: &Roofline<'_>) -> Option<(Reached, Option<Reached>)> {
    let of = |class: &'static str| roofline.points.iter().filter(move |point| point.class == class);
    let solution = of(MAIN).next()?;
    let fastest = of(STEP).max_by(|a, b| a.tflops.total_cmp(&b.tflops));
    let reached = |point: &Point| {
        let (roof, tflops) = roofline.above(point)?;
        Some(Reached { share: point.tflops / tflops, roof })
    };
    let fastest = fastest.filter(|step| step.tflops > solution.tflops);
    Some((reached(solution)?, fastest.and_then(reached)))
}

/// The solution's and the fastest step's shares of a copy's speed, in the first case that has such a share.
fn beside_a_copy(record: &Record, exercise: &str) -> Option<(Reached, Option<Reached>)> {
    let of = |role: Role| {
        let is = move |kernel: &&KernelRecord| kernel.exercise == exercise && kernel.candidate.role == role;
        record.kernels.iter().filter(is).flat_map(|kernel| &kernel.speed)
    };
    let first = of(Role::Solution).find(|speed| speed.roof_share.is_some())?;
    let solution = first.roof_share?;
    let steps = of(Role::Step).filter(|speed| speed.case == first.case);
    let fastest = steps.filter_map(|speed| speed.roof_share).reduce(f64::max);
    let reached = |share| Reached { share, roof: COPY };
    Some((reached(solution), fastest.filter(|step| *step > solution).map(reached)))
}

impl Row {
    fn in_words(&self) -> String {
        let of = |what: &str, Reached { share, roof }: &Reached| {
            format!("{what} {:.0} % of {roof}", 100.0 * share)
        };
        let fastest = self.fastest.as_ref().map(|step| format!(", {}", of("fastest step", step)));
        format!("{}: {}{}", self.exercise, of("solution", &self.solution), fastest.unwrap_or_default())
    }
}

fn drawn(rows: &[Row]) -> String {
    let said: Vec<String> = rows.iter().map(Row::in_words).collect();
    let says = format!(
        "This figure shows which roof is the lowest above each kernel, and what share of it the kernel reaches. {}",
        said.join("; ")
    );
    let height = 66.0 + ROW * rows.len() as f64;
    let mut figure = Figure::new([WIDTH, height], &says);
    let x = |share: f64| SHARES[0] + (SHARES[1] - SHARES[0]) * share / MOST;
    for percent in [0, 50, 100] {
        let x = x(f64::from(percent) / 100.0);
        figure.line(&[[x, 42.0], [x, height - 10.0]], PALE);
        figure.text([x, 38.0], Anchor::Middle, "pale small", &format!("{percent} %"));
    }
    for (left, class, name) in [(12.0, MAIN, "solution"), (112.0, STEP, "fastest step")] {
        figure.dot([left, 14.0], class);
        figure.text([left + 9.0, 18.0], Anchor::Start, "ink small", name);
    }
    figure.text([x(0.5), 18.0], Anchor::Middle, PALE, "share of the roof");
    figure.text([ROOFS, 18.0], Anchor::Start, PALE, "the lowest roof");
    for (row, Row { exercise, solution, fastest }) in rows.iter().enumerate() {
        let y = 60.0 + ROW * row as f64;
        figure.text([NAMES, y + 4.0], Anchor::End, INK, exercise);
        let all = || [solution].into_iter().chain(fastest);
        let numbers: Vec<String> = all().map(|kernel| format!("{:.0} %", 100.0 * kernel.share)).collect();
        figure.text([NUMBERS, y + 4.0], Anchor::End, PALE, &numbers.join(", "));
        let ends: Vec<[f64; 2]> = all().map(|kernel| [x(kernel.share), y]).collect();
        figure.line(&ends, PALE);
        for (end, class) in ends.iter().zip([MAIN, STEP]) {
            figure.dot(*end, class);
        }
        let mut roofs: Vec<&str> = all().map(|kernel| kernel.roof).collect();
        roofs.dedup();
        figure.text([ROOFS, y + 4.0], Anchor::Start, "ink small", &roofs.join(" → "));
    }
    figure.svg()
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, fs};

    use super::super::tests::{record, rooflines, solutions};
    use super::*;
    use crate::book::figure::texts_of;

    fn texts(record: &Record) -> BTreeSet<String> {
        let svg = reached(record, &rooflines(record), |_| None);
        texts_of(&svg).into_iter().map(|(_, text)| text).collect()
    }

    /// The exercises that are not timed, and those whose inputs are too small for a share of a copy's speed.
    const LEFT_OUT: [&str; 5] = ["04", "05", "12", "13", "15"];

    #[test]
    fn an_exercise_is_shown_or_the_page_says_why_not() {
        let record = record();
        let shown = texts(&record);
        let page = solutions().join("../book/src/workflow.md");
        let page = fs::read_to_string(page).expect("a page");
        let why = page.lines().find(|line| line.contains("have no row")).expect("a line that says why");
        for exercise in course::COURSE {
            let number = &exercise.id()[..2];
            let is_left_out = LEFT_OUT.contains(&number);
            assert_ne!(shown.contains(exercise.id()), is_left_out, "{number}");
            let is_told = why.contains(&format!("[{number}](chapters/{}.md)", exercise.id()));
            assert_eq!(is_told, is_left_out, "workflow.md: {number}");
        }
    }

    #[test]
    fn a_share_changes_with_the_record() {
        let mut record = record();
        let before = texts(&record);
        let is_solution = |kernel: &&mut KernelRecord| kernel.candidate.role == Role::Solution;
        for kernel in record.kernels.iter_mut().filter(is_solution) {
            let Some(speed) = kernel.speed.first_mut() else { continue };
            match kernel.exercise.as_str() {
                "03-reduction" => speed.roof_share = Some(0.07),
                "19-tensor-cores" => speed.kernel_microseconds *= 100.0,
                _ => {}
            }
        }
        let after = texts(&record);
        let new: Vec<&String> = after.difference(&before).collect();
        assert!(new.iter().any(|text| text.starts_with("7 %, ")), "{new:?}");
        assert!(new.iter().any(|text| text.starts_with("0 %, ")), "{new:?}");
    }

    #[test]
    fn the_fastest_step_of_a_roofline_is_the_records() {
        let record = record();
        for roofline in rooflines(&record) {
            let time = |kernel: &&KernelRecord| kernel.speed.first().map(|speed| speed.kernel_microseconds);
            let of = |role: Role| {
                let is = move |kernel: &&KernelRecord| kernel.candidate.role == role;
                let all = record.kernels.iter().filter(|kernel| kernel.exercise == roofline.exercise);
                all.filter(is).filter_map(|kernel| time(&kernel))
            };
            let solution = of(Role::Solution).next().expect("a time");
            let step = of(Role::Step).reduce(f64::min).expect("a time");
            let most = |class: &'static str| {
                let points = roofline.points.iter().filter(|Point { class: of, .. }| *of == class);
                points.map(|point| point.tflops).fold(0.0, f64::max)
            };
            let shown = (most(STEP) / most(MAIN)).max(1.0);
            let measured = (solution / step).max(1.0);
            // A step may be as fast as the solution, and then noise says which of the two is faster.
            assert!((shown / measured - 1.0).abs() < 0.01, "{}: {shown} {measured}", roofline.exercise);
        }
    }

    /// The exercises whose fastest step lies below a higher roof than the solution, as workflow.md says.
    const UNDER_ANOTHER_ROOF: [&str; 3] = ["07-convolution", "19-tensor-cores", "20-bulk-copies"];

    #[test]
    fn the_fastest_steps_that_come_under_another_roof_are_those_that_the_page_names() {
        let record = record();
        for roofline in rooflines(&record) {
            let (solution, fastest) = below(&roofline).expect("a solution");
            let has_another = fastest.is_some_and(|step| step.roof != solution.roof);
            assert_eq!(has_another, UNDER_ANOTHER_ROOF.contains(&roofline.exercise), "{}", roofline.exercise);
        }
    }

    #[test]
    fn what_stands_beside_the_shares_fits() {
        let svg = reached(&record(), &rooflines(&record()), |_| None);
        for ([x, _], text) in texts_of(&svg) {
            let characters = text.chars().count() as f64;
            assert!(x != ROOFS || x + 6.8 * characters < WIDTH, "{text} ends outside");
            assert!(x != NUMBERS || x - 7.6 * characters > NAMES, "{text} stands on a name");
        }
    }
}
