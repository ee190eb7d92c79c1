//! The numbers behind 08's picture to play with: the tile loop's lines, and what the simulator finds in the course's own kernel
//! with either barrier, with both, and with none.
//!
//! The page's script moves two threads through the loop; which threads, which lines and which word meet where a barrier is
//! missing, it looks up here.

use std::{fs, path::Path};

use grader::{
    course::Course,
    exit::{Result, Trouble},
};
use harness::{judge::Kernel, report::Report};
use serde::Serialize;
use warpsim::{Finding, FindingKind, Side, Thread};

use crate::{prover::Prover, texts::Text};

const EXERCISE: &str = "08-matmul";
const KERNEL: &str = "solutions/08-matmul/kernel.cu";
const SCRIPT: &str = "book/theme/tile-loop-data.js";

/// The loop's first and last line begin so.
const LOOP: (&str, &str) = ("    for (int first", "    }");
const BARRIER: &str = "__syncthreads();";

/// What the script gets.
#[derive(Serialize)]
struct Replay {
    lines: Vec<Line>,
    /// The barriers' line numbers.
    barriers: Vec<usize>,
    variants: Vec<Variant>,
}

/// A line of the loop that is no comment.
#[derive(Debug, PartialEq, Serialize)]
struct Line {
    number: usize,
    code: String,
}

/// The kernel without some of its barriers.
#[derive(Serialize)]
struct Variant {
    /// The lines of the barriers that it lacks.
    without: Vec<usize>,
    /// None if it is clean.
    race: Option<Race>,
}

/// Two accesses that nothing orders.
#[derive(Debug, PartialEq, Serialize)]
struct Race {
    write: Access,
    read: Access,
    /// The array, and the element that both want.
    array: String,
    element: i64,
    /// What the grader says.
    message: String,
}

#[derive(Debug, PartialEq, Serialize)]
struct Access {
    line: u32,
    thread: [u32; 3],
}

/// The script; none in a course that has no such exercise.
///
/// # Errors
/// A kernel that does not end as it must: clean with both barriers, with a race without.
pub fn text(course: Course<'_>, root: &Path, prover: &Prover) -> Result<Option<Text>> {
    let Ok(source) = fs::read_to_string(root.join(KERNEL)) else { return Ok(None) };
    let unfit = |what: &str| {
        Trouble::usage(format!("{KERNEL}, for 08's picture to play with: {what}"), "mend it, or the picture")
    };
    let lines = lines(&source).ok_or_else(|| unfit("expected a loop over tiles"))?;
    let barriers: Vec<usize> =
        lines.iter().filter(|line| line.code.contains(BARRIER)).map(|line| line.number).collect();
    let &[first, second] = barriers.as_slice() else {
        return Err(unfit("expected two barriers in the loop"));
    };
    let mut variants = Vec::new();
    for without in [vec![], vec![first], vec![second], vec![first, second]] {
        let kernel = Kernel { path: KERNEL.to_owned(), source: lacking(&source, &without) };
        let report = prover.report(course.find(EXERCISE)?, &kernel);
        let race = race(&report);
        if race.is_some() == without.is_empty() {
            return Err(unfit(&format!(
                "without the barriers at lines {without:?} it has the race {race:?}"
            )));
        }
        variants.push(Variant { without, race });
    }
    let replay = Replay { lines, barriers, variants };
    let json = serde_json::to_string_pretty(&replay)
        .map_err(|error| Trouble::judge(error.to_string(), "report this"))?;
    let text = format!(
        "// Made by `workshop regenerate messages`: 08's loop over tiles, and the race that the simulator finds in it without a barrier.\n\
         const TILE_LOOP = {json};\n"
    );
    Ok(Some((SCRIPT.to_owned(), text)))
}

/// The loop's lines, without comments.
fn lines(source: &str) -> Option<Vec<Line>> {
    let all: Vec<&str> = source.lines().collect();
    let first = all.iter().position(|line| line.starts_with(LOOP.0))?;
    let last = first
        + all[first..].iter().position(|line| line.starts_with(LOOP.1) && line.trim() == LOOP.1.trim())?;
    let code = |line: &str| line.split("//").next().unwrap_or_default().trim_end().to_owned();
    let numbered = (first..=last).map(|at| Line { number: at + 1, code: code(all[at]) });
    Some(numbered.filter(|line| !line.code.is_empty()).collect())
}

/// The source without the barriers of some lines; all lines keep their numbers.
fn lacking(source: &str, without: &[usize]) -> String {
    let lines = (1..).zip(source.split_inclusive('\n'));
    lines
        .map(
            |(number, line)| {
                if without.contains(&number) { line.replace(BARRIER, "") } else { line.to_owned() }
            },
        )
        .collect()
}

/// The first race between a write and a read of one array.
fn race(report: &Report) -> Option<Race> {
    report.findings.iter().filter(|finding| finding.kind == FindingKind::Race).find_map(between)
}

fn between(finding: &Finding) -> Option<Race> {
    let (place, other) = (finding.place.as_ref()?, finding.other.as_ref()?);
    let &[Thread { thread, .. }, Thread { thread: other_thread, .. }, ..] = finding.threads.as_slice() else {
        return None;
    };
    let here = Access { line: place.line, thread };
    let there = Access { line: other.line, thread: other_thread };
    let (write, read) = match finding.sides.as_slice() {
        [Side::Write, Side::Read] => (here, there),
        [Side::Read, Side::Write] => (there, here),
        _ => return None,
    };
    let allocation = finding.allocation.as_ref()?;
    let element = finding.elements(allocation.offset)?;
    Some(Race { write, read, array: allocation.name.clone(), element, message: finding.message.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "void f() {\n    for (int first = 0;;) {\n        // Loads.\n        load();\n        __syncthreads(); // All.\n        use();\n    }\n}\n";

    #[test]
    fn the_loop_keeps_its_numbers_and_loses_its_comments() {
        let lines = lines(SOURCE).expect("a loop");
        let numbers: Vec<usize> = lines.iter().map(|line| line.number).collect();
        assert_eq!(numbers, [2, 4, 5, 6, 7]);
        assert_eq!(lines[2].code, "        __syncthreads();");
        let without = lacking(SOURCE, &[5]);
        assert_eq!(without.lines().nth(4), Some("         // All."));
        assert_eq!(without.lines().count(), SOURCE.lines().count());
    }
}
