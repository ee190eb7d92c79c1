//! The book's table of mutants, from the committed record.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    fs,
    path::Path,
};

use grader::exit::{Result, Trouble};
use harness::report::{Failure, Goal};

use super::summary::{Counts, Record};

/// The committed record, below the course's root.
pub const RECORD: &str = "solutions/measured/mutants.json";

/// Reads a record; none where there is no such file.
///
/// # Errors
/// A file that holds something else.
pub fn read(root: &Path) -> Result<Option<Record>> {
    let Ok(text) = fs::read(root.join(RECORD)) else { return Ok(None) };
    serde_json::from_slice(&text).map(Some).map_err(|error| {
        Trouble::usage(
            format!("{RECORD} holds something else: {error}"),
            "make it again: cargo workshop mutate --out",
        )
    })
}

/// The table.
pub fn table(record: &Record) -> String {
    let mut text = "| exercise | kernels | mutants | wrong outputs | findings | counters | refused | only on a GPU | same code | equivalent | missed |\n\
                    |---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n"
        .to_owned();
    let mut all = [0; 10];
    for (exercise, counts) in &record.exercises {
        let row = row(counts);
        let _ = writeln!(text, "| {exercise} | {} |", row.map(|count| count.to_string()).join(" | "));
        all.iter_mut().zip(row).for_each(|(sum, count)| *sum += count);
    }
    let _ = writeln!(text, "| all | {} |", all.map(|count| count.to_string()).join(" | "));
    text.push_str("\n*Judged on the simulator (`sim:h200`); made by `cargo workshop mutate --out solutions/measured/mutants.json`.");
    let gpus: BTreeSet<&str> = record.exercises.values().filter_map(|counts| counts.gpu.as_deref()).collect();
    if !gpus.is_empty() {
        let gpus = gpus.into_iter().collect::<Vec<_>>().join(", ");
        let _ = write!(
            text,
            " What the simulator has no room for failed on {gpus} (`cargo workshop mutate --on-gpu`)."
        );
    }
    text + "*\n"
}

fn row(counts: &Counts) -> [usize; 10] {
    let mut killed: BTreeMap<Goal, usize> = BTreeMap::new();
    for (failure, count) in &counts.killed {
        *killed.entry(failure.goal()).or_default() += count;
    }
    let by = |is: fn(Goal) -> bool| -> usize {
        killed.iter().filter(|(goal, _)| is(**goal)).map(|(_, count)| count).sum()
    };
    [
        counts.kernels,
        counts.mutants,
        by(|goal| goal == Failure::CORRECT.goal()),
        by(|goal| goal == Goal::Clean),
        by(|goal| matches!(goal, Goal::Counter(_) | Goal::Speedup | Goal::Expert)),
        by(|goal| matches!(goal, Goal::Compile | Goal::Permitted)),
        counts.only_on_gpu,
        counts.same_code,
        counts.equivalent,
        counts.missed + counts.unjudged,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mutant_is_in_one_column() {
        let killed = ["correct", "clean/race", "clean/out_of_bounds", "global_load_sectors", "permitted"];
        let counts = Counts {
            kernels: 3,
            mutants: 28,
            killed: killed.iter().zip(1..).map(|(name, count)| (name.parse().unwrap(), count)).collect(),
            same_code: 3,
            equivalent: 2,
            missed: 1,
            unjudged: 0,
            unviable: 4,
            only_on_gpu: 7,
            gpu: Some("NVIDIA H100".to_owned()),
            digest: String::new(),
        };
        let row = row(&counts);
        assert_eq!(row, [3, 28, 1, 5, 4, 5, 7, 3, 2, 1]);
        assert_eq!(row[2..].iter().sum::<usize>(), counts.mutants);
        let record = Record { schema: 1, exercises: [("00-a".to_owned(), counts)].into() };
        let table = table(&record);
        assert!(table.contains("| all | 3 | 28 | 1 | 5 | 4 | 5 | 7 | 3 | 2 | 1 |"));
        assert!(table.contains("failed on NVIDIA H100"), "{table}");
    }
}
