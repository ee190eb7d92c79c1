//! Figures in what an exercise says after passing are those of the committed record.

#[path = "../src/exercises.rs"]
mod exercises;

use std::{collections::BTreeSet, fs, path::Path};

/// Words such as `1.41×`, and percentages such as `22 %` with their unit joined on.
fn figures(text: &str) -> BTreeSet<String> {
    let text = text.replace(" %", "%");
    let words = text.split_whitespace().map(|word| word.trim_matches(|c: char| ".,;:()".contains(c)));
    words
        .filter(|word| word.starts_with(|c: char| c.is_ascii_digit()) && word.ends_with(['×', '%']))
        .map(str::to_owned)
        .collect()
}

#[test]
fn figures_after_passing_are_the_records() {
    let record = Path::new(env!("CARGO_MANIFEST_DIR")).join("../solutions/measured/h200.json");
    let record: serde_json::Value = serde_json::from_slice(&fs::read(record).unwrap()).unwrap();
    for exercise in exercises::COURSE {
        let kernels = record["kernels"].as_array().unwrap().iter();
        let timed = kernels.filter(|kernel| kernel["exercise"] == exercise.id());
        let mut measured = BTreeSet::new();
        for speed in timed.flat_map(|kernel| kernel["speed"].as_array().unwrap()) {
            measured.insert(format!("{:.2}×", speed["speedup"].as_f64().unwrap()));
            // Small inputs claim no share of a roof.
            if let Some(share) = speed["roof_share"].as_f64() {
                measured.insert(format!("{:.0}%", 100.0 * share));
            }
        }
        let said = figures(&exercise.after_passing().join(" "));
        let invented: Vec<&String> = said.difference(&measured).collect();
        assert!(invented.is_empty(), "{}: {invented:?} are not in the record: {measured:?}", exercise.id());
    }
    assert_eq!(figures("it ran at 1.03× (22 % of it)."), BTreeSet::from(["1.03×".into(), "22%".into()]));
}
