//! What a check tells to do next: the cause of what is wrong, and not what comes of it.

use std::fs;

use serde_json::Value;

use crate::support::{Place, take};

/// Kernels whose store leaves its array, and on its way writes elements that other threads own: nothing would be mended by
/// ordering the two writes. With the text of the store.
const STRAY: [(&str, &str); 3] = [
    ("07-convolution/wrong/no-guard.cu", "result[y * width + x] = sum;"),
    ("06-transpose/wrong/pitch-of-the-input.cu", "out["),
    ("08-matmul/wrong/no-guard-on-store.cu", "c["),
];

#[test]
fn an_index_that_strays_is_told_before_the_race_that_it_makes() {
    for (kernel, store) in STRAY {
        let place = Place::new();
        take(&place, kernel);
        let exercise = kernel.split('/').next().expect("its folder is the exercise");
        let arguments = ["check", exercise, "--kernel", "k.cu", "--device", "sim", "--format", "json"];
        let given = place.grader(&arguments);
        let report: Value = serde_json::from_str(&given.out).unwrap_or_else(|_| panic!("{}", given.all()));
        let findings = report["findings"].as_array().expect("a list");
        let kinds: Vec<&str> = findings.iter().filter_map(|finding| finding["kind"].as_str()).collect();
        assert_eq!(kinds[..2], ["out_of_bounds", "race"], "{kernel}: {kinds:?}");
        let source = fs::read_to_string(place.path("k.cu")).expect("it was taken");
        let line = source.lines().position(|line| line.trim_start().starts_with(store));
        let line = line.expect("the store") + 1;
        let step = format!("Correct the index or the guard at line {line}: the access leaves its array.");
        assert_eq!(report["next_step"], step, "{kernel}");
    }
}
