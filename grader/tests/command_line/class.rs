//! What an instructor does with results: looks into them, has them judged again, and finds out whether they were changed.

use std::{
    fs,
    path::{Path, PathBuf},
};

use rayon::prelude::*;
use snapbox::{Assert, file};

use crate::support::{Given, Place, headless, judged, log, store, take};

const SCORE: [&str; 7] = ["score", "class", "--out", "results", "--device", "sim", "--seed=7"];
const WRONG: &str =
    "extern \"C\" __global__ void reduce_max(const float *in, float *out, int n) { out[0] = 1.0f; }\n";

/// A class of two who hand in different things, scored; and the head that was printed.
fn scored(place: &Place) -> String {
    take(place, "03-reduction/kernel.cu");
    place.write("class/ada/03-reduction/kernel.cu", fs::read(place.path("k.cu")).unwrap());
    place.write("class/bob/03-reduction/kernel.cu", WRONG);
    let given = place.grader(&SCORE);
    assert_eq!(given.code, 0, "{}", given.all());
    head(&given.out)
}

fn head(out: &str) -> String {
    out.lines().find_map(|line| line.strip_prefix("audit head ")).expect("a head").to_owned()
}

fn audit(place: &Place, head: Option<&str>) -> (i32, String) {
    let given = match head {
        Some(head) => place.grader(&["class", "audit", "results", "--head", head]),
        None => place.grader(&["class", "audit", "results"]),
    };
    (given.code, given.all())
}

const SHEET: &str = "schema = 1\ntitle = \"Sheet\"\n[exercises.00-first-kernel]\ncorrect = 4\n[exercises.03-reduction]\n\
    correct = 4\nclean = 2\n";

/// All files below a folder, with what is in them.
fn files_below(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries
        .flat_map(|path| match path.is_dir() {
            true => files_below(&path),
            false => vec![(path.clone(), fs::read(&path).unwrap())],
        })
        .collect()
}

/// Every way to change a grade in what a scoring and the commands after it leave, with what the audit must say. Each is a
/// change that somebody could make on purpose who cannot rewrite the log.
#[test]
fn whatever_is_changed_in_results_is_found() {
    let place = Place::new();
    place.write("sheet.toml", SHEET);
    take(&place, "03-reduction/kernel.cu");
    place.write("class/ada/03-reduction/kernel.cu", fs::read(place.path("k.cu")).unwrap());
    place.write("class/bob/03-reduction/kernel.cu", WRONG);
    for call in [
        &[&SCORE[..], &["--assignment", "sheet.toml"]].concat()[..],
        &["class", "similar", "results"],
        &["class", "export", "results", "--to", "canvas"],
        &["class", "export", "results", "--to", "moodle"],
        &["class", "export", "results", "--to", "gradescope"],
    ] {
        let given = place.grader(call);
        assert_eq!(given.code, 0, "{call:?}: {}", given.all());
    }
    let folder = place.path("results");
    let head = fs::read_to_string(folder.join("audit-head.txt")).unwrap();
    let head = head.lines().next().unwrap().to_owned();
    let (code, all) = audit(&place, Some(&head));
    assert!(code == 0 && all.contains("everything agrees with the log"), "{all}");
    let whole = files_below(&folder);
    let sql = |statement: &'static str| {
        let place = &place;
        move || store(place, "results").execute_batch(statement).unwrap()
    };
    let sed = |file: &'static str, from: &'static str, to: &'static str| {
        let path = folder.join(file);
        move || {
            let text = fs::read_to_string(&path).unwrap();
            assert!(text.contains(from), "{file} has no {from}");
            fs::write(&path, text.replace(from, to)).unwrap();
        }
    };
    let better = || sed("gradebook.csv", "failed", "passed")();
    let another_header = |from: &'static str, to: &'static str| {
        let place = &place;
        move || {
            let changed = store(place, "results").execute(
                "UPDATE header SET value = replace(value, ?1, ?2) WHERE instr(value, ?1)",
                [from, to],
            );
            assert_eq!(changed.unwrap(), 1, "the header has no {from}");
            better();
        }
    };
    // What a scoring writes that begins: the log goes on as if one had.
    let began_again = || {
        let store = store(&place, "results");
        let (began, last, number): (String, String, u64) = store
            .query_row(
                "SELECT (SELECT entry FROM log WHERE id = 1), (SELECT head FROM log ORDER BY id DESC LIMIT 1), \
                 (SELECT count(*) FROM log)",
                [],
                |row| Ok((row.get(0)?, row.get(1)?, row.get::<_, i64>(2)?.unsigned_abs())),
            )
            .unwrap();
        assert!(began.contains("\"began\""), "{began}");
        let last = blake3::Hash::from_hex(last).unwrap();
        let head = chained(last.as_bytes(), number, &began);
        store
            .execute("INSERT INTO log (entry, head) VALUES (?1, ?2)", [began, head.to_hex().to_string()])
            .unwrap();
        better();
    };
    let make = |file: &'static str| {
        let path = folder.join(file);
        move || fs::write(&path, "made by hand\n").unwrap()
    };
    type Change<'a> = (&'a str, Box<dyn Fn() + 'a>, &'a str);
    let changes: [Change<'_>; 27] = [
        ("the gradebook", Box::new(better), "gradebook.csv, line "),
        ("the page", Box::new(sed("report.html", "failed", "passed")), "report.html, line "),
        ("JUnit's XML", Box::new(sed("junit.xml", "failures", "fails")), "junit.xml, line "),
        ("the points", Box::new(sed("points.csv", "bob", "eve")), "points.csv, line "),
        ("a student's page", Box::new(sed("students/bob.html", "failed", "passed")), "students/bob.html, line "),
        ("a missing page", Box::new(|| fs::remove_file(folder.join("students/ada.html")).unwrap()), "students/ada.html is missing"),
        ("a missing file", Box::new(|| fs::remove_file(folder.join("gradebook.csv")).unwrap()), "gradebook.csv is missing"),
        (
            "a verdict",
            Box::new(sql("UPDATE row SET value = replace(value, '\"failed\"', '\"passed\"')")),
            "bob, 03-reduction: the row is missing, damaged or another; it was failed",
        ),
        ("a row", Box::new(sql("DELETE FROM row WHERE value LIKE '%bob%reduction%'")), "bob, 03-reduction: the row is missing, damaged or another; it was failed"),
        (
            "another's row",
            Box::new(sql("UPDATE row SET (hash, value) = (SELECT hash, value FROM row WHERE value LIKE '%\"ada\"%03-red%')
                          WHERE value LIKE '%\"bob\"%03-red%'")),
            "bob, 03-reduction: the row is missing",
        ),
        ("a report", Box::new(sql("UPDATE judgement SET report = zeroblob(100)")), "bob, 03-reduction: the report is missing, damaged or another"),
        ("the log", Box::new(sql("UPDATE log SET entry = replace(entry, '\"failed\"', '\"passed\"')")), "of the log"),
        ("the log's end", Box::new(sql("DELETE FROM log WHERE id > 6")), "this log never had that head"),
        ("the log's middle", Box::new(sql("DELETE FROM log WHERE id = 5")), "entry 5 of the log"),
        ("all of the log", Box::new(sql("DELETE FROM log")), "this log never had that head"),
        // What would switch the comparison of files off.
        ("the judge", Box::new(another_header("\"judge\":\"", "\"judge\":\"0 ")), "the header in the store: the log has another grader"),
        ("files behind another judge", Box::new(another_header("\"judge\":\"", "\"judge\":\"0 ")), "gradebook.csv, line "),
        ("files behind an assignment that can't be read", Box::new(another_header("schema = 1", "schema =")), "gradebook.csv, line "),
        (
            "an exercise less",
            Box::new(another_header("[exercises.00-first-kernel]\\ncorrect = 4\\n", "")),
            "the header in the store: the log has another assignment",
        ),
        ("a scoring that began and has not ended", Box::new(began_again), "not compared: the files that a scoring hands out"),
        // What no scoring hands out.
        ("pairs", Box::new(sed("similar.csv", "student", "pupil")), "similar.csv: not what was written"),
        ("what is published", Box::new(sed("resembles.csv", "ada", "eve")), "resembles.csv: not what was written"),
        ("Canvas' points", Box::new(sed("canvas.csv", "bob", "eve")), "canvas.csv: not what was written"),
        ("Moodle's points", Box::new(sed("moodle.csv", "bob", "eve")), "moodle.csv: not what was written"),
        ("Gradescope's", Box::new(sed("gradescope/results/bob.json", "failed", "passed")), "gradescope/results/bob.json: not what was written"),
        ("a page that no scoring made", Box::new(make("students/zed.html")), "students/zed.html: the log does not know it"),
        ("the head's copy", Box::new(make("audit-head.txt")), "audit-head.txt, line 1"),
    ];
    for (what, change, said) in changes {
        change();
        let (code, all) = audit(&place, Some(&head));
        assert!(code == 1 && all.contains(said), "{what}: {all}");
        files_below(&folder).iter().for_each(|(path, _)| fs::remove_file(path).unwrap());
        whole.iter().for_each(|(path, content)| fs::write(path, content).unwrap());
    }
    assert_eq!(audit(&place, Some(&head)).0, 0);
}

/// What scoring can be told.
const TOLD: [&[&str]; 5] = [
    &["--lenient"],
    &["--assignment", "sheet.toml"],
    &["--seed", "7"],
    &["--roster", "roster.csv"],
    &["--cutoff", "2026-12-01T12:00:00Z"],
];

/// What was just written passes its own audit: by the head that was printed, by the head in its file, and with nothing
/// that is not compared or not there any more.
fn passes_its_own_audit(place: &Place, after: &str, given: &Given) {
    assert_eq!(given.code, 0, "{after}: {}", given.all());
    let copy = fs::read_to_string(place.path("results/audit-head.txt")).unwrap();
    let copy = copy.lines().next().unwrap();
    if let Some(printed) = given.out.lines().find_map(|line| line.strip_prefix("audit head ")) {
        assert_eq!(printed, copy, "{after}");
    }
    for head in [None, Some(copy)] {
        let (code, all) = audit(place, head);
        let out = all.split("--- standard output\n").nth(1).unwrap();
        let out: Vec<&str> = out.split("--- standard error\n").next().unwrap().lines().collect();
        assert!(code == 0 && out.len() == 2 && out[1] == "everything agrees with the log", "{after}: {all}");
    }
}

/// Scores with these and does all that a grader can do with results; after each step they pass their audit.
fn stay_what_they_are(told: &[&str]) {
    let place = Place::new();
    place.write("sheet.toml", SHEET);
    place.write(
        "roster.csv",
        "id,name,handed_in\nada,Ada,2026-12-01T11:00:00Z\nbob,Bob,2026-12-01T13:00:00Z\ndan,Dan,\n",
    );
    // Nothing that takes time to judge.
    place.write("class/ada/03-reduction/kernel.cu", "__global__ void k() { x }\n");
    place.write("class/bob/00-first-kernel/kernel.cu", "__global__ void k() { y }\n");
    let is_lenient = told.contains(&"--lenient");
    if is_lenient {
        place.write("class/ada/notes.txt", "x");
    }
    let options = ["class", "--out", "results", "--device", "sim", "--jobs", "1"];
    let score = || place.grader(&[&["class", "score"], &options[..], told].concat());
    let passes =
        |after: &str, given: &Given| passes_its_own_audit(&place, &format!("{told:?}, {after}"), given);
    passes("a scoring", &score());
    assert_eq!(place.path("results/not-understood.txt").exists(), is_lenient);
    passes("a second one", &score());
    let all: [&[&str]; 8] = [
        &["report", "results", "ada", "3"],
        &["replay", "results", "ada", "3", "--device", "sim"],
        &["similar", "results"],
        &["export", "results", "--to", "canvas"],
        &["export", "results", "--to", "gradescope"],
        &["export", "results", "--to", "github", "--out", "results/template"],
        &["regrade", "results", "--device", "sim"],
        &["regrade", "results", "--device", "sim", "--apply"],
    ];
    for step in all.into_iter().filter(|step| step[0] != "export" || told.contains(&"--assignment")) {
        passes(&step.join(" "), &place.grader(&[&["class"], step].concat()));
    }
    passes("a merge", &place.grader(&[&["class", "merge"], &options[..], told].concat()));
    if is_lenient {
        place.write("class/bob/more.txt", "x");
        passes("one with more that was not understood", &score());
        fs::remove_file(place.path("class/ada/notes.txt")).unwrap();
        fs::remove_file(place.path("class/bob/more.txt")).unwrap();
    }
    place.write("class/bob/00-first-kernel/kernel.cu", "__global__ void k() { z }\n");
    passes("one of what is mended", &score());
    assert!(!place.path("results/not-understood.txt").exists());
}

#[test]
fn results_pass_their_own_audit_however_they_were_made() {
    let mut ways: Vec<Vec<&str>> = vec![Vec::new(), TOLD.concat()];
    ways.extend(TOLD.iter().map(|words| words.to_vec()));
    ways.par_iter().for_each(|told| stay_what_they_are(told));
}

/// What was left out is compared, too: it says whose work nobody judged.
#[test]
fn what_was_not_understood_is_part_of_the_audit() {
    let place = Place::new();
    place.write("class/ada/03-reduction/kernel.cu", "__global__ void k() { x }\n");
    place.write("class/ada/notes.txt", "x");
    let given = place.grader(&[&SCORE[..], &["--lenient"]].concat());
    assert_eq!(given.code, 0, "{}", given.all());
    let head = head(&given.out);
    fs::write(place.path("results/not-understood.txt"), "nothing\n").unwrap();
    let (code, all) = audit(&place, Some(&head));
    assert!(code == 1 && all.contains("not-understood.txt: not what was written"), "{all}");
}

/// All files that a scoring writes are in what it prints at its end, and no others.
#[test]
fn a_scoring_names_every_file_that_it_wrote() {
    let ways: [&[&str]; 3] = [&[], &["--assignment", "sheet.toml"], &["--lenient"]];
    for told in ways {
        let place = Place::new();
        place.write("sheet.toml", SHEET);
        place.write("class/ada/03-reduction/kernel.cu", "__global__ void k() { x }\n");
        if told == ["--lenient"] {
            place.write("class/ada/notes.txt", "x");
        }
        let given = place.grader(&[&SCORE[..], told].concat());
        assert_eq!(given.code, 0, "{}", given.all());
        let said = given.out.split_once("results: ").unwrap().1.split_once("\nseed ").unwrap().0;
        let mut said: Vec<&str> = said.split(',').map(|name| name.trim().trim_end_matches('/')).collect();
        let there = fs::read_dir(place.path("results")).unwrap();
        let there = there.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut there: Vec<String> = there.collect();
        said.sort_unstable();
        there.sort_unstable();
        assert_eq!(there, said, "{told:?}: {}", given.all());
    }
}

/// Whoever leaves the assignment out by mistake loses no points; with another one, or a first one, all is made anew.
#[test]
fn points_are_not_lost_because_the_assignment_was_left_out() {
    let place = Place::new();
    place.write("sheet.toml", SHEET);
    place.write("other.toml", SHEET.replace("correct = 4", "correct = 6"));
    place.write("class/ada/03-reduction/kernel.cu", "__global__ void k() { x }\n");
    let score = |told: &[&str]| place.grader(&[&SCORE[..], told].concat());
    let merge = |told: &[&str]| place.grader(&[&["class", "merge"], &SCORE[1..], told].concat());
    let rows = || {
        let gradebook = fs::read(place.path("results/gradebook.csv")).unwrap();
        csv::Reader::from_reader(&gradebook[..]).records().count()
    };
    let written = || {
        let mut files = files_below(&place.path("results"));
        files.retain(|(path, _)| path.file_name().is_some_and(|name| name != "results.sqlite"));
        files.sort();
        (files, log(&place, "results").len())
    };
    // Without, then with.
    let given = score(&[]);
    passes_its_own_audit(&place, "without", &given);
    assert!(rows() > 2 && !place.path("results/points.csv").exists());
    passes_its_own_audit(&place, "with one", &score(&["--assignment", "sheet.toml"]));
    assert_eq!(rows(), 2);
    let points = || fs::read_to_string(place.path("results/points.csv")).unwrap();
    // With, then without: nothing is touched.
    let before = written();
    for call in [&score as &dyn Fn(&[&str]) -> Given, &merge] {
        let given = call(&[]);
        assert_eq!((given.code, given.out.as_str()), (2, ""), "{}", given.all());
        let said = given.err.replace("\n  ", " ");
        assert!(said.contains("results was scored with an assignment"), "{}", given.all());
        assert!(said.contains("--assignment FILE.toml") && said.contains("--out"), "{}", given.all());
        assert!(written() == before, "something was written");
    }
    // With another.
    let first = points();
    passes_its_own_audit(&place, "with another", &score(&["--assignment", "other.toml"]));
    assert_ne!(points(), first);
    passes_its_own_audit(&place, "a merge with it", &merge(&["--assignment", "other.toml"]));
}

/// A row without a report says why, and what helps.
#[test]
fn nothing_that_was_not_handed_in_is_to_be_scored_again() {
    let place = Place::new();
    place.write("class/ada/03-reduction/kernel.cu", "__global__ void k() { x }\n");
    place.write("class/bob/03-reduction/kernel.cu", "");
    assert_eq!(place.grader(&SCORE).code, 0);
    let reasons =
        [("ada", "4", "no 04-synchronization/kernel.cu"), ("bob", "3", "03-reduction/kernel.cu is empty")];
    for (student, exercise, reason) in reasons {
        for command in [&["class", "report", "results"][..], &["class", "replay", "--device=sim", "results"]]
        {
            let given = place.grader(&[command, &[student, exercise]].concat());
            let said = given.err.replace("\n  ", " ");
            assert_eq!((given.code, given.out.as_str()), (2, ""), "{}", given.all());
            assert!(
                said.contains("nothing was handed in that can be judged") && said.contains(reason),
                "{said}"
            );
            assert!(!said.contains("judges what has none"), "{said}");
        }
    }
}

/// The head after one more entry of a log that has so many.
fn chained(last: &[u8; 32], entries: u64, entry: &str) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    hasher.update(last).update(&entries.to_le_bytes()).update(entry.as_bytes());
    hasher.finalize()
}

/// Bob's row says that it passed, and the log is written anew as if it always had: what somebody does who knows how.
fn forge(place: &Place) {
    let store = store(place, "results");
    let hash = |text: &str| blake3::hash(text.as_bytes()).to_hex().to_string();
    let row: String = store
        .query_row("SELECT value FROM row WHERE value LIKE '%\"bob\"%03-red%'", [], |row| row.get(0))
        .unwrap();
    let forged = row.replacen("\"verdict\":\"failed\"", "\"verdict\":\"passed\"", 1);
    assert_ne!(row, forged);
    store
        .execute("UPDATE row SET value = ?1, hash = ?2 WHERE value = ?3", [&forged, &hash(&forged), &row])
        .unwrap();
    rewrite(&store, |entry| entry.replace(&hash(&row), &hash(&forged)));
}

/// Writes the log anew, each entry changed so, and gives the head that it then has.
fn rewrite(store: &rusqlite::Connection, change: impl Fn(&str) -> String) -> String {
    let mut head = [0; 32];
    for (number, entry) in log_texts(store).into_iter().enumerate() {
        let entry = change(&entry);
        let next = chained(&head, number as u64, &entry);
        head = *next.as_bytes();
        let said = next.to_hex().to_string();
        store
            .execute("UPDATE log SET entry = ?1, head = ?2 WHERE id = ?3", (entry, said, number as i64 + 1))
            .unwrap();
    }
    blake3::Hash::from_bytes(head).to_hex().to_string()
}

fn log_texts(store: &rusqlite::Connection) -> Vec<String> {
    let mut entries = store.prepare("SELECT entry FROM log ORDER BY id").unwrap();
    entries.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}

/// A newer grader may make other files of the same rows, so it compares none; with a head that does not pass.
#[test]
fn files_of_another_grader_are_not_compared_and_that_is_said() {
    let place = Place::new();
    scored(&place);
    let older = |text: &str| text.replace("\"judge\":\"", "\"judge\":\"older ");
    let store = store(&place, "results");
    store
        .execute_batch("UPDATE header SET value = replace(value, '\"judge\":\"', '\"judge\":\"older ')")
        .unwrap();
    let head = rewrite(&store, older);
    drop(store);
    let (code, all) = audit(&place, Some(&head));
    assert!(
        code == 1 && all.contains("not compared: the files that a scoring hands out: grader older "),
        "{all}"
    );
    assert!(all.contains("the same `grader class score` as before judges by this one"), "{all}");
    assert!(!all.contains("changed: "), "{all}");
    let (code, all) = audit(&place, None);
    assert!(code == 0 && all.contains("everything that was compared agrees with the log"), "{all}");
}

/// Who can write the log anew leaves no trace in it: only the head that was printed tells.
#[test]
fn a_log_that_is_written_anew_is_found_by_its_head_alone() {
    let place = Place::new();
    let printed = scored(&place);
    // The same folder, made anew of something else.
    fs::copy(place.path("k.cu"), place.path("class/bob/03-reduction/kernel.cu")).unwrap();
    fs::remove_dir_all(place.path("results")).unwrap();
    assert_eq!(place.grader(&SCORE).code, 0);
    let (code, all) = audit(&place, None);
    assert!(code == 0 && all.contains("without --head only accidents show"), "{all}");
    let (code, all) = audit(&place, Some(&printed));
    assert!(code == 1 && all.contains("this log never had that head"), "{all}");
    // What is no head.
    assert_eq!(audit(&place, Some("12ab")).0, 2);
    assert_eq!(place.grader(&["class", "audit", "class"]).code, 2);
}

#[test]
fn a_later_scoring_goes_on_and_the_audit_says_what_it_changed() {
    let place = Place::new();
    let printed = scored(&place);
    let before = judged(&place, "results").len();
    place.write("class/bob/03-reduction/kernel.cu", fs::read(place.path("k.cu")).unwrap());
    fs::remove_dir_all(place.path("class/ada")).unwrap();
    let given = place.grader(&SCORE);
    assert_eq!(given.code, 0, "{}", given.all());
    // The kernel was judged before, and not again for another student.
    let rows = judged(&place, "results");
    assert_eq!(rows[before..], [("bob".to_owned(), "03-reduction".to_owned(), "passed".to_owned())]);
    let (code, all) = audit(&place, Some(&printed));
    assert!(code == 0 && all.contains("after that head the log goes on"), "{all}");
    assert!(
        all.contains("bob, 03-reduction: passed")
            && all.contains("ada, 03-reduction: not handed in any more"),
        "{all}"
    );
    assert_eq!(audit(&place, Some(&head(&given.out))).0, 0);
}

#[test]
fn a_row_is_judged_again_from_what_is_stored() {
    let place = Place::new();
    scored(&place);
    fs::remove_dir_all(place.path("class")).unwrap();
    let same = place.grader(&["class", "replay", "results", "bob", "3", "--device", "sim"]);
    assert_eq!(
        (same.code, same.out.as_str()),
        (0, "bob, 03-reduction: failed, the same report byte for byte\n")
    );
    let nobody = place.grader(&["class", "replay", "results", "eve", "3", "--device", "sim"]);
    assert_eq!((nobody.code, nobody.out.as_str()), (2, ""), "{}", nobody.all());
    let nothing = place.grader(&["class", "replay", "results", "bob", "4", "--device", "sim"]);
    assert!(
        nothing.code == 2 && nothing.err.contains("no 04-synchronization/kernel.cu"),
        "{}",
        nothing.all()
    );
    // A row that was forged along with the log is found by judging it again; and scoring makes rows of reports.
    forge(&place);
    let forged = place.grader(&["class", "replay", "results", "bob", "3", "--device", "sim"]);
    assert!(forged.code == 1 && forged.out.contains("the row: was passed, is failed"), "{}", forged.all());
    let report = place.grader(&["class", "report", "results", "bob", "3"]);
    assert!(report.code == 0 && report.out.contains("03-reduction"), "{}", report.all());
}

/// A judge that says something else than before: made by changing what is stored, which a later look finds.
#[test]
fn regrading_shows_what_would_change_and_changes_it_when_asked() {
    let place = Place::new();
    scored(&place);
    let regrade = ["class", "regrade", "results", "--device", "sim"];
    let same = place.grader(&regrade);
    assert_eq!((same.code, same.out.as_str()), (0, "2 rows judged again: all the same\n"), "{}", same.all());
    forge(&place);
    let shown = place.grader(&regrade);
    assert_eq!(shown.code, 0, "{}", shown.all());
    Assert::new().action_env("SNAPSHOTS").eq(shown.out, file!["cli/regrade.txt"]);
    assert_eq!(log(&place, "results").last().unwrap()["what"], "proposed", "no row was written");
    // What was shown is not what is there any more: bob's new report is ada's.
    let forged = "UPDATE judgement SET (hash, dictionary, report) = (SELECT other.hash, other.dictionary, other.report \
        FROM judgement AS other JOIN row ON instr(row.value, other.key) WHERE row.value LIKE '%\"ada\"%03-red%') \
        WHERE key LIKE 'proposed %' AND EXISTS (SELECT 1 FROM row WHERE row.value LIKE '%\"bob\"%03-red%' AND \
        instr(row.value, substr(judgement.key, 10)))";
    assert_eq!(store(&place, "results").execute(forged, []).unwrap(), 1);
    let applied = place.grader(&[&regrade[..], &["bob", "--apply"]].concat());
    assert_eq!(applied.code, 0, "{}", applied.all());
    assert!(applied.err.contains("1 kernel was judged anew: no table was shown"), "{}", applied.err);
    assert_eq!(audit(&place, Some(&head(&applied.out))).0, 0);
    let last = judged(&place, "results").pop().unwrap();
    assert_eq!(last, ("bob".to_owned(), "03-reduction".to_owned(), "failed".to_owned()));
    assert!(log(&place, "results").iter().any(|entry| entry["because"] == "regrade"));
    assert_eq!(place.grader(&[&regrade[..], &["eve"]].concat()).code, 2);
    // What is applied is what was shown, and it is applied once.
    let shown = place.grader(&regrade);
    assert_eq!(shown.code, 0, "{}", shown.all());
    assert_eq!(audit(&place, None).0, 0, "{}", audit(&place, None).1);
    let applied = place.grader(&[&regrade[..], &["--apply"]].concat());
    assert!(applied.code == 0 && !applied.err.contains("judged anew"), "{}", applied.all());
    assert!(applied.out.starts_with(&shown.out), "{}", applied.all());
    let again = place.grader(&[&regrade[..], &["--apply"]].concat());
    assert!(again.err.contains("2 kernels were judged anew: no table was shown"), "{}", again.all());
}

/// Grades of one class come from one grader: one student alone is not judged by a newer one.
#[test]
fn a_newer_grader_judges_the_whole_class_or_no_student() {
    let place = Place::new();
    scored(&place);
    let older = "UPDATE header SET value = replace(value, '\"judge\":\"', '\"judge\":\"older ')";
    store(&place, "results").execute_batch(older).unwrap();
    let before = log(&place, "results").len();
    let alone = place.grader(&["class", "regrade", "results", "bob", "--apply", "--device", "sim"]);
    assert_eq!((alone.code, alone.out.as_str()), (2, ""), "{}", alone.all());
    assert!(alone.err.contains("the class was judged by grader older "), "{}", alone.err);
    let next = "grader class regrade results --apply --device sim:h200";
    assert!(alone.err.contains(next), "{}", alone.err);
    assert_eq!(log(&place, "results").len(), before, "nothing was written");
    // As it is printed.
    let words: Vec<&str> = next.split(' ').skip(1).collect();
    let all = place.grader(&words);
    assert_eq!(all.code, 0, "{}", all.all());
    assert!(all.out.starts_with("2 rows judged again"), "what is applied is shown: {}", all.out);
    assert_eq!(audit(&place, Some(&head(&all.out))).0, 0);
}

/// A copy that only the architecture compiles which judged it.
#[test]
fn a_copy_is_found_on_the_device_that_judged_it() {
    let place = Place::new();
    take(&place, "03-reduction/kernel.cu");
    let text = fs::read_to_string(place.path("k.cu")).unwrap();
    let hidden = format!("#if __CUDA_ARCH__ == 900\n#error\n#endif\n{text}");
    place.write("class/ada/03-reduction/kernel.cu", hidden);
    place.write("class/bob/03-reduction/kernel.cu", "__global__ void k() { x }\n");
    let score = ["score", "class", "--out", "results", "--device", "sim:t4", "--seed=7"];
    let given = place.grader(&score);
    assert_eq!(given.code, 0, "{}", given.all());
    let given = place.grader(&["class", "similar", "results"]);
    assert_eq!(given.code, 0, "{}", given.all());
    let resembling = fs::read_to_string(place.path("results/resembles.csv")).unwrap();
    assert!(resembling.contains("\nada,03-reduction,solution,1.00\n"), "{resembling}");
    // The judge has found the same of bob's.
    assert!(given.err.contains("1 kernel does not compile, and can not be compared"), "{}", given.err);
    assert!(!given.err.contains("was graded"), "{}", given.err);
    let gradebook = fs::read_to_string(place.path("results/gradebook.csv")).unwrap();
    let bob = gradebook.lines().find(|line| line.starts_with("bob,03-reduction,")).unwrap();
    assert!(bob.ends_with(",not compared"), "{bob}");
}

/// What another folder has judged is not judged again; and what does not hold here is.
#[test]
fn judgements_of_another_folder_are_taken_over() {
    let place = Place::new();
    scored(&place);
    place.write("class/eve/03-reduction/kernel.cu", WRONG.replace("1.0f", "2.0f"));
    let reuse = ["score", "class", "--out", "more", "--device", "sim", "--reuse", "results"];
    let given = place.grader(&reuse);
    assert_eq!(given.code, 0, "{}", given.all());
    assert!(given.err.contains("2 judgements of results are taken over"), "{}", given.err);
    assert!(given.out.contains("\nseed 7\n"), "the other's seed: {}", given.out);
    place.grader(&[&SCORE[..1], &["class", "--out", "anew", "--device", "sim", "--seed", "7"]].concat());
    let gradebook = |folder: &str| fs::read_to_string(place.path(folder).join("gradebook.csv")).unwrap();
    assert_eq!(gradebook("more"), gradebook("anew"));
    let other = ["score", "class", "--out", "other", "--device", "sim", "--reuse", "results", "--seed", "8"];
    let given = place.grader(&other);
    assert!(given.err.contains("nothing of results holds here"), "{}", given.all());
    let itself = place.grader(&[&SCORE[..], &["--reuse", "results"]].concat());
    assert_eq!((itself.code, headless(&itself.out).as_str()), (2, ""));
}

/// The gradebook's last column: nothing before somebody has looked, then a flag that the log knows of.
#[test]
fn the_gradebook_says_which_published_kernel_one_is_like() {
    let place = Place::new();
    scored(&place);
    let column = || -> Vec<String> {
        let gradebook = fs::read_to_string(place.path("results/gradebook.csv")).unwrap();
        let of = |line: &str| line.rsplit(',').next().unwrap_or_default().to_owned();
        let judged = |line: &&str| line.contains("03-reduction") || line.contains("resembles_published");
        gradebook.lines().filter(judged).map(of).collect()
    };
    assert_eq!(column(), ["resembles_published", "", ""]);
    let given = place.grader(&["class", "similar", "results"]);
    assert_eq!(given.code, 0, "{}", given.all());
    assert_eq!(column(), ["resembles_published", "solution 1.00", "none"]);
    assert_eq!(audit(&place, None).0, 0, "{}", audit(&place, None).1);
    // A scoring that goes on keeps it.
    assert_eq!(place.grader(&SCORE).code, 0);
    assert_eq!(column(), ["resembles_published", "solution 1.00", "none"]);
    store(&place, "results").execute_batch("UPDATE resembling SET said = 'none'").unwrap();
    let (code, said) = audit(&place, None);
    assert!(code == 1 && said.contains("which published kernels are resembled"), "{said}");
}
