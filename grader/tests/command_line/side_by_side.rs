//! A case side by side, and tiny cases to think about.

use std::fs;

use grader::{check::show, terminal::Terminal};
use harness::{
    exercise::MOST_TINY,
    report::{Content, Report, Verdict},
};
use snapbox::file;
use textwrap::core::display_width;

use crate::{
    cli::same,
    support::{Given, Place, take},
};

fn check(kernel: &str, arguments: &[&str]) -> Given {
    let place = Place::new();
    take(&place, kernel);
    let exercise = kernel.split('/').next().unwrap();
    place.grader(&[&["check", exercise, "--kernel", "k.cu", "--device", "sim"], arguments].concat())
}

#[test]
fn what_differs_is_marked() {
    let shown = |kernel: &str, arguments: &[&str]| check(kernel, arguments).all();
    same(
        shown("01-coalescing/wrong/pitch-for-width.cu", &["--case", "crop", "--n", "4"]),
        file!["side_by_side/01-crop.txt"],
    );
    same(shown("03-reduction/wrong/half-loaded.cu", &["--n", "8"]), file!["side_by_side/03-tiny.txt"]);
    same(
        shown("03-reduction/wrong/identity-zero.cu", &["--case", "1025", "--show"]),
        file!["side_by_side/03-of-a-case.txt"],
    );
    same(
        shown("06-transpose/wrong/tile-stays-in-place.cu", &["--case", "51 × 131", "--show"]),
        file!["side_by_side/06-large.txt"],
    );
    same(shown("06-transpose/wrong/copies.cu", &["--n", "5"]), file!["side_by_side/06-tiny.txt"]);
    same(shown("08-matmul/wrong/transposed-b.cu", &["--n", "4"]), file!["side_by_side/08-tiny.txt"]);
    same(
        shown("12-histogram/wrong/not-cleared.cu", &["--case", "sorted, two", "--show"]),
        file!["side_by_side/12-large.txt"],
    );
    same(
        shown("12-histogram/wrong/drops-the-tail.cu", &["--n", "8", "--plain"]),
        file!["side_by_side/12-plain.txt"],
    );
}

/// A colour says nothing that no word says.
#[test]
fn what_differs_is_said_without_colour() {
    let given = check("06-transpose/wrong/copies.cu", &["--n", "8", "--format", "json"]);
    let report: Report = serde_json::from_str(&given.out).unwrap();
    let wrong = report.cases[0].shown.as_ref().unwrap().outputs[0].elements.iter();
    let wrong = wrong.filter(|element| !element.right).count();
    assert!(wrong > 4, "{}", given.all());
    for plain in [false, true] {
        let text = show::of(&report, Terminal { width: 80, rows: usize::MAX, colour: false, plain });
        assert_eq!(text.matches("differs").count(), wrong, "{text}");
    }
}

#[test]
fn every_solution_is_right_on_tiny_cases_or_the_exercise_says_its_least() {
    let place = Place::new();
    let exercises = course::COURSE.iter().map(|exercise| exercise.id()).collect::<Vec<_>>();
    assert!(exercises.len() > 18);
    let mut without = Vec::new();
    for exercise in exercises {
        take(&place, &format!("{exercise}/kernel.cu"));
        // One of each kind that an exercise has.
        let kinds: &[&str] = match exercise {
            "01-coalescing" => &["luminance", "crop"],
            "04-synchronization" => &["weigh", "count_rises", "reverse_runs", "warp_sums"],
            "16-double-buffering" => &["1:", "2:"],
            _ => &["0"],
        };
        for (kind, n) in kinds.iter().flat_map(|kind| [1, 8, MOST_TINY].map(|n| (*kind, n.to_string()))) {
            let call = ["check", exercise, "--kernel", "k.cu", "--device", "sim", "--format", "json"];
            let given = place.grader(&[&call[..], &["--case", kind, "--n", &n]].concat());
            if given.code == 2 {
                assert!(given.err.contains("has no tiny case: the least that it has is"), "{}", given.all());
                without.push(exercise);
                continue;
            }
            assert_eq!(given.code, 0, "{exercise} {kind} {n}: {}", given.all());
            let report: Report = serde_json::from_str(&given.out).unwrap();
            assert_eq!(report.verdict, Verdict::Passed);
            let shown = report.cases[0].shown.as_ref().unwrap();
            let elements = || shown.outputs.iter().flat_map(|output| &output.elements);
            assert!(elements().count() > 0 && elements().all(|element| element.right), "{}", given.out);
            assert!(elements().all(|element| matches!(element.found, Content::Value(_))));
            let width = 80;
            let text = show::tiny(&report, Terminal { width, rows: usize::MAX, colour: false, plain: false });
            assert!(text.lines().all(|line| display_width(line) <= width), "{exercise} {n}: {text}");
        }
    }
    without.dedup();
    assert_eq!(without, ["05-bank-conflicts"]);
}

/// What a tiny case says is no verdict, and a course folder keeps nothing of it.
#[test]
fn a_tiny_case_leaves_no_trace() {
    let place = Place::new();
    assert_eq!(place.grader(&["init"]).code, 0);
    let solution = place.grader(&["solution", "03", "--give-up"]).out;
    place.write("03-reduction/kernel.cu", solution);
    let record = || fs::read_to_string(place.path(".course.json")).unwrap_or_default();
    let (before, listed) = (record(), place.grader(&["list"]).out);
    let given = place.grader(&["check", "03", "--n", "8", "--device", "sim"]);
    assert_eq!(given.code, 0, "{}", given.all());
    assert!(given.out.contains("judges nothing") && !given.out.contains("passed"), "{}", given.all());
    assert_eq!((record(), place.grader(&["list"]).out), (before, listed));
}

#[test]
fn a_case_has_a_number_a_name_and_parts_of_it() {
    let place = Place::new();
    take(&place, "03-reduction/kernel.cu");
    let case = |wanted: &str| {
        let call =
            ["check", "03", "--kernel", "k.cu", "--device", "sim", "--format", "json", "--case", wanted];
        place.grader(&call)
    };
    let number = |given: &Given| serde_json::from_str::<Report>(&given.out).unwrap().cases[0].number;
    for wanted in ["4", "n = 1023, infinity first", "Infinity First"] {
        assert_eq!(number(&case(wanted)), 4, "{wanted}");
    }
    for (wanted, words) in [
        ("99", "03-reduction has no case 99"),
        ("nothing of that kind", "its cases are 0 (one element, negative); 1 (n = 20"),
        ("largest", "name one by its number: 2 (n = 255, the largest last); "),
    ] {
        let given = case(wanted);
        assert!(given.code == 2 && given.err.contains(words), "{}", given.all());
    }
    for arguments in [&["--show"][..], &["--n", "0"], &["--n", "33"], &["--all", "--n", "8"]] {
        let given = place.grader(&[&["check", "03", "--kernel", "k.cu"], arguments].concat());
        assert_eq!(given.code, 2, "{}", given.all());
    }
}
