//! The cheat book's families of kernels that are right only where the judge looks: what telling the judge apart is
//! tried with, and what came of it at every place of every solution and step.
//!
//! Made from the predicates' files and the record that `run.py --out` keeps.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    fs,
    path::Path,
};

use grader::exit::{Result, Trouble};
use harness::report::{Goal, UnknownGoal};
use serde::Deserialize;

/// Where the predicates lie, below the course's root.
const FOLDER: &str = "grader/tests/discriminators";
/// The committed record, below the course's root.
const RECORD: &str = "solutions/measured/discriminators.json";
/// Each family's folder, and what it tells apart.
const FAMILIES: [(&str, &str); 3] = [
    ("builds", "the two builds that the simulator runs"),
    ("assembler", "PTX from what the assembler makes of it"),
    ("machine", "the simulator from a GPU"),
];

#[derive(Deserialize)]
struct Record {
    runs: Vec<Run>,
}

/// What came of one predicate at every place of an exercise's solution, or of its steps.
#[derive(Deserialize)]
struct Run {
    family: String,
    predicate: String,
    kernels: usize,
    as_they_must_be: usize,
    /// By the first goal that a kernel fails, or that its predicate holds everywhere.
    first_in: BTreeMap<Found, usize>,
    device: String,
    compiler: String,
    date: String,
}

/// What is wrong with a kernel of a predicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "String")]
enum Found {
    /// It fails this goal first.
    First(Goal),
    /// Its predicate is true of the GPU and of the simulator: it tells nothing apart.
    HoldsEverywhere,
}

impl TryFrom<String> for Found {
    type Error = UnknownGoal;

    fn try_from(name: String) -> std::result::Result<Self, UnknownGoal> {
        match name.as_str() {
            "holds everywhere" => Ok(Found::HoldsEverywhere),
            goal => goal.parse().map(Found::First),
        }
    }
}

/// The page's text; none where there are no predicates.
///
/// # Errors
/// Wrong usage: a record that is none.
pub fn page(root: &Path) -> Result<Option<String>> {
    if !root.join(FOLDER).is_dir() {
        return Ok(None);
    }
    let mut text = "| it tells apart | by | first line of its file |\n|---|---|---|\n".to_owned();
    for (family, apart) in FAMILIES {
        for (name, says) in predicates(&root.join(FOLDER).join(family)) {
            let _ = writeln!(text, "| {apart} | `{family}/{name}` | {says} |");
        }
    }
    let Ok(bytes) = fs::read(root.join(RECORD)) else {
        return Ok(Some(text + "\n*Not run at every place yet.*\n"));
    };
    let record: Record = serde_json::from_slice(&bytes).map_err(|error| {
        let again = format!("make it again: {FOLDER}/run.py --all --out {RECORD}");
        Trouble::usage(format!("{RECORD} holds something else: {error}"), again)
    })?;
    let _ = write!(text, "\n{}", table(&record));
    Ok(Some(text))
}

/// The predicates of a family by name, each with the comment that its file begins with.
fn predicates(folder: &Path) -> BTreeMap<String, String> {
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    let read = files.filter_map(|file| {
        let path = file.path();
        let text = fs::read_to_string(&path).ok()?;
        let says = text.lines().next()?.trim_start_matches("//").trim().to_owned();
        Some((path.file_stem()?.to_string_lossy().into_owned(), says))
    });
    read.collect()
}

fn table(record: &Record) -> String {
    let mut text = "| family | predicates | kernels | refused | wrong outputs | findings | counters or speed | holds everywhere | passed | judged on |\n\
                    |---|---:|---:|---:|---:|---:|---:|---:|---:|---|\n"
        .to_owned();
    for (family, _) in FAMILIES {
        let runs: Vec<&Run> = record.runs.iter().filter(|run| run.family == family).collect();
        if runs.is_empty() {
            continue;
        }
        let predicates: BTreeSet<&str> = runs.iter().map(|run| run.predicate.as_str()).collect();
        let kernels: usize = runs.iter().map(|run| run.kernels).sum();
        let right: usize = runs.iter().map(|run| run.as_they_must_be).sum();
        let (mut refused, mut correct, mut clean, mut everywhere, mut others) = (0, 0, 0, 0, 0);
        for (found, count) in runs.iter().flat_map(|run| &run.first_in) {
            *match found {
                Found::First(Goal::Compile | Goal::Permitted) => &mut refused,
                Found::First(Goal::Correct) => &mut correct,
                Found::First(Goal::Clean) => &mut clean,
                Found::First(Goal::Counter(_) | Goal::Speedup | Goal::Expert) => &mut others,
                Found::HoldsEverywhere => &mut everywhere,
            } += count;
        }
        let on: BTreeSet<String> =
            runs.iter().map(|run| format!("{}, {}, {}", run.device, run.compiler, run.date)).collect();
        let on: Vec<String> = on.into_iter().collect();
        let _ = writeln!(
            text,
            "| {family} | {} | {kernels} | {refused} | {correct} | {clean} | {others} | {everywhere} | {} | {} |",
            predicates.len(),
            kernels - right,
            on.join("; ")
        );
    }
    text + &format!("\n*`{RECORD}`, made by `{FOLDER}/run.py --all --out {RECORD}`.*\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kernel_is_in_one_column() {
        let run = |family: &str, predicate: &str, first_in: &[(Found, usize)], kernels| Run {
            family: family.to_owned(),
            predicate: predicate.to_owned(),
            kernels,
            as_they_must_be: first_in.iter().map(|(_, count)| count).sum(),
            first_in: first_in.iter().copied().collect(),
            device: "sim:h200".to_owned(),
            compiler: "NVRTC".to_owned(),
            date: "2026-11-24".to_owned(),
        };
        let runs = vec![
            run("builds", "a", &[(Found::First(Goal::Clean), 3), (Found::First(Goal::Permitted), 1)], 5),
            run("builds", "b", &[(Found::HoldsEverywhere, 2), (Found::First(Goal::Correct), 4)], 6),
        ];
        let table = table(&Record { runs });
        assert!(
            table.contains("| builds | 2 | 11 | 1 | 4 | 3 | 0 | 2 | 1 | sim:h200, NVRTC, 2026-11-24 |"),
            "{table}"
        );
    }
}
