//! Wrong outputs choose their hints by the cases that are wrong: what a learner who wrote one of the
//! course's wrong kernels is told.

use std::{collections::BTreeSet, fs, path::Path};

use crate::support::{Place, take};

/// A section by case, and a wrong kernel that it is for.
const CHOSEN: [(&str, &str); 26] = [
    ("correct/one more, correct/not a multiple", "00-first-kernel/wrong/thread-index-only.cu"),
    ("correct/one more, correct/not a multiple", "00-first-kernel/wrong/grid-for-block.cu"),
    ("correct/all but radius 0", "02-stencil/wrong/own-place.cu"),
    ("correct/NaN", "03-reduction/wrong/nan-comparison.cu"),
    ("correct/-infinity", "03-reduction/wrong/identity-flt-max.cu"),
    ("correct/negative, correct/-infinity", "03-reduction/wrong/identity-zero.cu"),
    ("correct/all but 128 × 64", "06-transpose/wrong/early-return.cu"),
    ("correct/all but single", "06-transpose/wrong/copies.cu"),
    ("correct/all but 15 × 15", "07-convolution/wrong/filter-row-of-15.cu"),
    ("correct/all but 1 × 1 image", "07-convolution/wrong/flipped-filter.cu"),
    ("correct/all but 32 × 96", "08-matmul/wrong/drops-the-tail.cu"),
    ("correct/all but 1 × 1 times", "08-matmul/wrong/transposed-b.cu"),
    ("correct/far below zero, correct/all equal", "09-dynamic-shared/wrong/maximum-of-nothing-is-zero.cu"),
    ("correct/all but 256 threads", "10-warp-shuffle/wrong/drops-the-partial-warp.cu"),
    ("correct/all but one warp", "10-warp-shuffle/wrong/shuffles-across-warps.cu"),
    ("correct/all but 1 thread", "10-warp-shuffle/wrong/writes-from-the-last-lane.cu"),
    ("correct/misaligned", "11-coarsening/wrong/aligns-downwards.cu"),
    (
        "correct/negative, correct/-infinity, correct/n = 0, correct/n = 2",
        "11-coarsening/wrong/identity-zero.cu",
    ),
    ("correct/64 threads", "12-histogram/wrong/merges-some-bins.cu"),
    ("correct/all but 65 536", "12-histogram/wrong/drops-the-tail.cu"),
    ("correct/the same counter, correct/twice", "13-fences/wrong/counter-never-reset.cu"),
    (
        "correct/n = 1, correct/all kept, correct/the last kept, correct/ones",
        "15-device-scan/wrong/count-of-positions.cu",
    ),
    ("correct/all but full tiles", "18-capstone-gemm/wrong/drops-the-tail.cu"),
    ("correct/all but full tiles", "19-tensor-cores/wrong/drops-the-tail.cu"),
    ("correct/single factors", "19-tensor-cores/wrong/halves.cu"),
    ("correct/all but full tiles", "20-bulk-copies/wrong/drops-the-tail.cu"),
];

/// Kernels whose wrong cases have nothing in common: the section for any wrong output.
const NOT_CHOSEN: [&str; 3] = [
    "00-first-kernel/wrong/guard-loses-one.cu",
    "07-convolution/wrong/clamps-at-the-edge.cu",
    "09-dynamic-shared/wrong/no-maximum.cu",
];

/// What `grader check` offers hints for where a learner has written this kernel.
fn offered(place: &Place, kernel: &str) -> String {
    take(place, kernel);
    let exercise = kernel.split('/').next().expect("its folder is the exercise");
    fs::copy(place.path("k.cu"), place.path(exercise).join("kernel.cu")).expect("a course folder");
    let given = place.grader(&["check", exercise, "--device", "sim"]);
    assert_eq!(given.code, 1, "{kernel}: {}", given.all());
    // The sentence is the last thing said, and may take two lines.
    let (_, offer) = given
        .out
        .split_once("has hints for ")
        .unwrap_or_else(|| panic!("{kernel} gets no hint: {}", given.all()));
    offer.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn the_cases_that_are_wrong_choose_the_hint() {
    let place = Place::new();
    assert_eq!(place.grader(&["init"]).code, 0);
    for (heading, kernel) in CHOSEN {
        let words: Vec<&str> = heading.split(", ").map(|each| each.trim_start_matches("correct/")).collect();
        let expected = match words[0].strip_prefix("all but ") {
            Some(right) => format!("outputs that are right in cases with “{right}”, and wrong in others"),
            None => format!("outputs that are wrong in cases with “{}” alone", words.join("” or “")),
        };
        assert_eq!(offered(&place, kernel), expected, "{kernel}");
    }
    for kernel in NOT_CHOSEN {
        assert_eq!(offered(&place, kernel), "wrong outputs", "{kernel}");
    }
}

#[test]
fn every_section_by_case_is_for_a_kernel_here() {
    let exercises = Path::new(env!("CARGO_MANIFEST_DIR")).join("../exercises");
    let mut sections = BTreeSet::new();
    for entry in fs::read_dir(exercises).expect("a checkout") {
        let folder = entry.expect("an entry").path();
        let name = folder.file_name().expect("it has one").to_string_lossy().into_owned();
        let hints = fs::read_to_string(folder.join("hints.md")).expect("hints");
        let headings = hints.lines().filter_map(|line| line.strip_prefix("# correct/"));
        sections.extend(headings.map(|heading| (name.clone(), format!("correct/{heading}"))));
    }
    let known = CHOSEN.map(|(heading, kernel)| {
        (kernel.split('/').next().unwrap_or_default().to_owned(), heading.to_owned())
    });
    assert_eq!(sections, BTreeSet::from(known));
}
