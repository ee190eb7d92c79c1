//! An assignment over a class: what counts, what is late, and what somebody decided by hand.

use std::{collections::BTreeMap, fs};

use crate::support::{Place, results, take};

const SHEET: &str = r#"schema = 1
title = "Sheet 3"

[class]
seed = 7
attempts = "best"
cutoff = 2026-12-01T12:00:00+01:00
roster = "roster.csv"

[[class.override]]
student = "dan"
exercise = "03-reduction"
points = 3.5
reason = "shown at the blackboard"

[exercises.03-reduction]
correct = 4
clean = 2
counters = 2
"#;

const ROSTER: &str = "id,name,handed_in\nada,Ada Lovelace,2026-12-01T10:59:59Z\nbob,Bob,2026-12-01T11:00:01Z\n\
    cleo,=Cleo,\ndan,Dan,\neve,Eve,\n";

fn class() -> Place {
    let place = Place::new();
    place.write("sheet.toml", SHEET);
    place.write("roster.csv", ROSTER);
    let put = |to: &str, kernel: &str| {
        take(&place, kernel);
        let text = fs::read(place.path("k.cu")).unwrap();
        place.write(&format!("class/{to}/kernel.cu"), text);
    };
    put("ada/03-reduction", "03-reduction/kernel.cu");
    put("bob/03-reduction", "../exercises/03-reduction/kernel.cu");
    put("cleo/attempt-1/03-reduction", "03-reduction/kernel.cu");
    put("cleo/attempt-2/03-reduction", "03-reduction/wrong/missing-barrier-in-tree.cu");
    // For an earlier version of the course.
    let first = place.path("class/cleo/attempt-1/03-reduction/kernel.cu");
    let text = fs::read_to_string(&first).unwrap();
    fs::write(&first, text.replacen("floats.", "floats. (course 0.0.9)", 1)).unwrap();
    // The assignment does not ask for it.
    put("ada/05-bank-conflicts", "05-bank-conflicts/kernel.cu");
    place
}

/// The gradebook by student, and each row by its column.
fn rows(place: &Place, folder: &str) -> BTreeMap<String, BTreeMap<String, String>> {
    let book = results(place, folder).0;
    let mut lines = csv::Reader::from_reader(book.as_bytes());
    let head = lines.headers().unwrap().clone();
    lines
        .records()
        .map(|line| {
            let line = line.unwrap();
            let row = head.iter().zip(line.iter()).map(|(name, text)| (name.to_owned(), text.to_owned()));
            (line[0].to_owned(), row.collect())
        })
        .collect()
}

#[test]
fn points_are_counted_and_changed_by_hand() {
    let place = class();
    let score = ["class", "score", "class", "--assignment", "sheet.toml", "--device", "sim", "--out"];
    let given = place.grader(&[&score[..], &["results"]].concat());
    assert_eq!(given.code, 0, "{}", given.all());
    assert!(given.out.contains("seed 7\n"), "{}", given.all());
    for said in [
        "handed in nothing (2): Dan (dan), Eve (eve)",
        "after 2026-12-01T11:00:00Z (1; costs no points): Bob (bob); of 1 nobody knows when",
        "more than one kernel for an exercise (1; the best counts): =Cleo (cleo)",
        "1 kernel was written for version 0.0.9 of the course, and judged by version",
        "1 kernel of exercises that the assignment doesn't have: not judged",
    ] {
        assert!(given.err.contains(said), "{said}\n{}", given.all());
    }
    let rows = rows(&place, "results");
    assert_eq!(rows.len(), 5);
    let of = |student: &str, columns: &[&str]| -> Vec<String> {
        columns.iter().map(|column| rows[student][*column].clone()).collect()
    };
    let points =
        ["points", "points_pending", "points_possible", "points_correct", "points_clean", "points_counters"];
    assert_eq!(of("ada", &points), ["8", "0", "8", "4", "2", "2"]);
    // An untouched stub may race nowhere and count little: it earns nothing.
    assert_eq!(of("bob", &points), ["0", "0", "8", "0", "0", "0"]);
    assert_eq!(of("cleo", &points), ["8", "0", "8", "4", "2", "2"]);
    // Nothing was graded, and nobody gets zero points for that by this program.
    assert_eq!(of("eve", &points), ["", "", "8", "", "", ""]);
    assert_eq!(of("dan", &points), ["3.5", "0", "8", "", "", ""]);
    assert_eq!(of("dan", &["outcome", "by_hand"]), ["not gradable", "shown at the blackboard"]);
    let handed_in = ["name", "handed_in", "late", "attempt"];
    assert_eq!(of("ada", &handed_in), ["Ada Lovelace", "2026-12-01T10:59:59Z", "", ""]);
    assert_eq!(of("bob", &handed_in), ["Bob", "2026-12-01T11:00:01Z", "late", ""]);
    assert_eq!(of("cleo", &handed_in), ["'=Cleo", "", "", "1 of 2"]);
    assert_eq!(of("cleo", &["course"]), [format!("0.0.9, judged by {}", env!("CARGO_PKG_VERSION"))]);
    assert_eq!(of("ada", &["course"]), [""]);
    assert_eq!(of("cleo", &["origin"]), ["cleo/attempt-1/03-reduction/kernel.cu"]);

    // The same class by its last attempts, in the same folder: points change, verdicts stay.
    place.write("sheet.toml", SHEET.replace("\"best\"", "\"last\"").replace("correct = 4", "correct = 5"));
    let given = place.grader(&[&score[..], &["results"]].concat());
    assert_eq!(given.code, 0, "{}", given.all());
    let rows = self::rows(&place, "results");
    assert_eq!(rows["ada"]["points"], "9");
    assert_eq!((rows["cleo"]["verdict"].as_str(), rows["cleo"]["attempt"].as_str()), ("failed", "2 of 2"));
    assert!(rows["cleo"]["points"].parse::<f64>().unwrap() < 9.0, "{:?}", rows["cleo"]);
    assert_eq!(rows["cleo"]["clean"], "failed", "the race is the last attempt's");
}

/// Points given by hand show in the audit, with what they are and why.
#[test]
fn points_by_hand_are_audited_with_their_reason() {
    let place = Place::new();
    place.write("roster.csv", ROSTER);
    let (before, by_hand) = SHEET.split_once("[[class.override]]").unwrap();
    let (_, exercises) = by_hand.split_once("[exercises").unwrap();
    place.write("sheet.toml", format!("{before}[exercises{exercises}"));
    place.write("class/ada/03-reduction/kernel.cu", "__global__ void k() { x }\n");
    let score =
        ["class", "score", "class", "--assignment", "sheet.toml", "--device", "sim", "--out", "results"];
    let given = place.grader(&score);
    assert_eq!(given.code, 0, "{}", given.all());
    let head = given.out.lines().find_map(|line| line.strip_prefix("audit head ")).unwrap().to_owned();
    place.write("sheet.toml", SHEET);
    let given = place.grader(&score);
    assert_eq!(given.code, 0, "{}", given.all());
    let audit = place.grader(&["class", "audit", "results", "--head", &head]);
    assert_eq!(audit.code, 0, "{}", audit.all());
    assert!(audit.out.contains("a scoring began with another assignment"), "{}", audit.all());
    let said = "dan, 03-reduction: not gradable, 3.5 by hand: shown at the blackboard\n";
    assert!(audit.out.contains(said), "{}", audit.all());
}

#[test]
fn a_dry_run_ends_as_the_run_would_and_says_how_long_it_takes() {
    let place = class();
    let dry = |more: &[&str]| place.grader(&[&["class", "score", "class", "--dry-run"][..], more].concat());
    let given = dry(&["--assignment", "sheet.toml"]);
    assert_eq!(given.code, 0, "{}", given.all());
    assert!(given.out.replace('\n', " ").contains("4 kernels of 5 students: about "), "{}", given.all());
    assert!(given.out.contains("2.35 s a kernel"), "{}", given.all());
    assert!(!place.path("results").exists());
    // Without an assignment every exercise counts.
    assert!(dry(&[]).out.replace('\n', " ").contains("5 kernels of 3 students"));
    // Both files may lie beside what was handed in, and nothing else may.
    place.write("class/sheet.toml", SHEET);
    place.write("class/roster.csv", ROSTER);
    let beside = dry(&["--assignment", "class/sheet.toml"]);
    assert_eq!(beside.out, given.out);
    place.write("class/ada/sheet.toml", SHEET);
    let listed = dry(&["--assignment", "class/sheet.toml"]);
    assert!(listed.code == 2 && listed.out.contains("ada/sheet.toml"), "{}", listed.all());
    for file in ["class/sheet.toml", "class/roster.csv", "class/ada/sheet.toml"] {
        fs::remove_file(place.path(file)).unwrap();
    }
    // A later cutoff on the command line.
    let later = dry(&["--assignment", "sheet.toml", "--cutoff", "2027-01-01T00:00:00Z"]);
    assert!(later.out.contains("nobody is known to have handed in after 2027"), "{}", later.all());
    // Who isn't in the roster is listed, and so is a change by hand for nobody.
    place.write("roster.csv", "id,name\nada,Ada\nbob,Bob\n");
    let unknown = dry(&["--assignment", "sheet.toml"]);
    assert_eq!(unknown.code, 2);
    for said in
        ["cleo, who handed in class/cleo: the roster", "the override of 03-reduction for dan: no student"]
    {
        assert!(unknown.out.contains(said.replace("class/", "").as_str()), "{said}\n{}", unknown.all());
    }
    // Two attempts of which nobody knows the last.
    place.write("roster.csv", ROSTER);
    place.write("sheet.toml", SHEET.replace("\"best\"", "\"last\""));
    fs::rename(place.path("class/cleo/attempt-1"), place.path("class/cleo/mine")).unwrap();
    fs::rename(place.path("class/cleo/attempt-2"), place.path("class/cleo/other")).unwrap();
    let given = dry(&["--assignment", "sheet.toml"]);
    assert!(
        given.code == 2 && given.out.contains("nothing says which was handed in last"),
        "{}",
        given.all()
    );
}

#[test]
fn an_assignment_to_start_from() {
    let place = class();
    let given = place.grader(&["class", "init", "mine.toml"]);
    assert_eq!(given.code, 0, "{}", given.all());
    let dry = place.grader(&["class", "score", "class", "--assignment", "mine.toml", "--dry-run"]);
    assert_eq!(dry.code, 0, "{}", dry.all());
    let again = place.grader(&["class", "init", "mine.toml"]);
    assert!(again.code == 2 && again.err.contains("is there already"), "{}", again.all());
    // It is the class's: no learner takes it.
    let refused = place.grader(&["init", "course", "--assignment", "mine.toml"]);
    assert!(refused.code == 2 && refused.err.contains("no learner may see"), "{}", refused.all());
}
