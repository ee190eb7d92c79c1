//! An instructor's assignment in a learner's folder: installed, counted, refused where it is wrong.

use std::fs;

use crate::support::{Place, take};

const SHEET: &str = r#"schema = 1
title = "Sheet 3"
deadline = 2026-12-01T23:59:00+01:00

[exercises.06-transpose]
correct = 4
clean = 2
counters = 2
speedup = 1.5
expert = 0.5

[exercises.00-first-kernel]
correct = 1
"#;

fn course() -> Place {
    let place = Place::new();
    place.write("sheet.toml", SHEET);
    let given = place.grader(&["init", "mine", "--assignment", "sheet.toml"]);
    assert_eq!(given.code, 0, "{}", given.all());
    assert!(
        given.out.contains("assignment Sheet 3: 2 exercises, 11 points, due 2026-12-01 23:59 (UTC+01:00)"),
        "{}",
        given.all()
    );
    place
}

fn write(place: &Place, exercise: &str, kernel: &str) {
    take(place, kernel);
    fs::rename(place.path("k.cu"), place.path("mine").join(exercise).join("kernel.cu")).unwrap();
}

#[test]
fn check_and_list_count_points() {
    let place = course();
    let check = |exercise: &str| place.grader_in("mine", &["check", exercise, "--device", "sim"]).out;
    let list = || place.grader_in("mine", &["list"]).out;
    assert!(list().contains("Sheet 3: 0 of 11 points; due 2026-12-01 23:59 (UTC+01:00)"), "{}", list());
    // An untouched stub earns nothing, however little it does wrong.
    let said = check("06");
    assert!(
        said.contains("Sheet 3: 0 of 10 points: correct 0 of 4, clean 0 of 2, counters 0 of 2"),
        "{said}"
    );
    write(&place, "06-transpose", "06-transpose/wrong/no-padding.cu");
    // Nothing is said of a kernel that nobody has checked.
    assert!(list().contains("Sheet 3: 0 of 11 points;"), "{}", list());
    let said = check("06");
    let pending = "Sheet 3: 6 of 10 points: correct 4 of 4, clean 2 of 2, counters 0 of 2; pending: speedup 1.5, expert 0.5";
    assert!(said.replace("\n  ", " ").contains(pending), "{said}");
    write(&place, "06-transpose", "06-transpose/kernel.cu");
    assert!(list().contains("Sheet 3: 0 of 11 points;"), "{}", list());
    assert!(
        check("06")
            .replace("\n  ", " ")
            .contains("8 of 10 points: correct 4 of 4, clean 2 of 2, counters 2 of 2")
    );
    assert!(list().contains("8 of 10, 2 pending"), "{}", list());
    assert!(list().contains("Sheet 3: 8 of 11 points, 2 pending; due"), "{}", list());
    let json: serde_json::Value =
        serde_json::from_str(&place.grader_in("mine", &["list", "--format", "json"]).out).unwrap();
    assert_eq!(
        json["assignment"]["points"],
        serde_json::json!({ "earned": 8.0, "pending": 2.0, "of": 11.0 })
    );
    assert_eq!(json["exercises"][6]["points"]["earned"], 8.0);
    assert_eq!(json["exercises"][4]["points"], serde_json::Value::Null);
    // What is not part of it has no points.
    write(&place, "04-synchronization", "04-synchronization/kernel.cu");
    assert!(!check("04").contains("points"));
}

#[test]
fn where_speed_is_shared_out_nothing_is_pending() {
    let place = course();
    place.write("sheet.toml", format!("unmeasured_speed = \"redistributed\"\n{SHEET}"));
    assert_eq!(place.grader(&["init", "mine", "--assignment", "sheet.toml"]).code, 0);
    write(&place, "06-transpose", "06-transpose/kernel.cu");
    let said = place.grader_in("mine", &["check", "06", "--device", "sim"]).out;
    assert!(
        said.contains("10 of 10 points: correct 5 of 5, clean 2.5 of 2.5, counters 2.5 of 2.5\n"),
        "{said}"
    );
}

#[test]
fn what_is_wrong_is_told_and_nothing_is_installed() {
    let place = course();
    let refused = |text: &str, expected: &[&str]| {
        place.write("sheet.toml", text);
        let given = place.grader(&["init", "mine", "--assignment", "sheet.toml"]);
        assert_eq!(given.code, 2, "{}", given.all());
        expected.iter().for_each(|expected| assert!(given.err.contains(expected), "{}", given.all()));
        assert_eq!(fs::read_to_string(place.path("mine/assignment.toml")).unwrap(), SHEET);
    };
    refused(
        &SHEET.replace("clean", "cleen"),
        &["sheet.toml:7: 06-transpose has no goal `cleen`", "did you mean `clean`?"],
    );
    refused(&format!("{SHEET}\n[class]\nseed = 4711\n"), &["class's own table", "nothing was installed"]);
    let given = place.grader(&["init", "mine", "--assignment", "nowhere.toml"]);
    assert!(given.code == 2 && given.err.contains("nowhere.toml does not exist"), "{}", given.all());
    // Where the installed one is spoiled, kernels are judged all the same.
    place.write("mine/assignment.toml", SHEET.replace("06-transpose", "66-transpose"));
    write(&place, "06-transpose", "06-transpose/kernel.cu");
    let given = place.grader_in("mine", &["check", "06", "--device", "sim"]);
    assert_eq!(given.code, 0, "{}", given.all());
    assert!(
        given.err.contains("no points: ") && given.err.contains("did you mean `06-transpose`?"),
        "{}",
        given.all()
    );
    assert_eq!(place.grader_in("mine", &["list"]).code, 0);
}
