//! What an instructor does with results: looks into them, has them judged again, and finds out whether they were changed.

use std::{fs, path::PathBuf};

use snapbox::{Assert, file};

use crate::support::{Place, headless, judged, log, store, take};

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

/// Every way to change a grade in what a scoring leaves, with what the audit must say. Each is a change that somebody could
/// make on purpose who cannot rewrite the log.
#[test]
fn whatever_is_changed_in_results_is_found() {
    let place = Place::new();
    let printed = scored(&place);
    assert_eq!(audit(&place, Some(&printed)).0, 0);
    let folder = place.path("results");
    let files = || {
        let all = [folder.clone(), folder.join("students")]
            .into_iter()
            .flat_map(|in_it| fs::read_dir(in_it).unwrap());
        all.map(|entry| entry.unwrap().path()).filter(|path| path.is_file())
    };
    let whole: Vec<(PathBuf, Vec<u8>)> =
        files().map(|path| (path.clone(), fs::read(path).unwrap())).collect();
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
    type Change<'a> = (&'a str, Box<dyn Fn() + 'a>, &'a str);
    let changes: [Change<'_>; 14] = [
        ("the gradebook", Box::new(sed("gradebook.csv", "failed", "passed")), "gradebook.csv, line "),
        ("the page", Box::new(sed("report.html", "failed", "passed")), "report.html, line "),
        ("JUnit's XML", Box::new(sed("junit.xml", "failures", "fails")), "junit.xml, line "),
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
        ("the log's end", Box::new(sql("DELETE FROM log WHERE id > 30")), "this log never had that head"),
        ("the log's middle", Box::new(sql("DELETE FROM log WHERE id = 5")), "entry 5 of the log"),
        ("all of the log", Box::new(sql("DELETE FROM log")), "this log never had that head"),
    ];
    for (what, change, said) in changes {
        change();
        let (code, all) = audit(&place, Some(&printed));
        assert!(code == 1 && all.contains(said), "{what}: {all}");
        files().for_each(|path| fs::remove_file(path).unwrap());
        whole.iter().for_each(|(path, content)| fs::write(path, content).unwrap());
    }
    assert_eq!(audit(&place, Some(&printed)).0, 0);
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
    let mut head = [0; 32];
    for (number, entry) in log_texts(&store).into_iter().enumerate() {
        let entry = entry.replace(&hash(&row), &hash(&forged));
        let mut hasher = blake3::Hasher::new();
        hasher.update(&head).update(&(number as u64).to_le_bytes()).update(entry.as_bytes());
        head = *hasher.finalize().as_bytes();
        let said = hasher.finalize().to_hex().to_string();
        store
            .execute("UPDATE log SET entry = ?1, head = ?2 WHERE id = ?3", (entry, said, number as i64 + 1))
            .unwrap();
    }
}

fn log_texts(store: &rusqlite::Connection) -> Vec<String> {
    let mut entries = store.prepare("SELECT entry FROM log ORDER BY id").unwrap();
    entries.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
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
    assert_eq!(log(&place, "results").last().unwrap()["what"], "ended", "nothing was written");
    let applied = place.grader(&[&regrade[..], &["bob", "--apply"]].concat());
    assert_eq!(applied.code, 0, "{}", applied.all());
    assert_eq!(audit(&place, Some(&head(&applied.out))).0, 0);
    let last = judged(&place, "results").pop().unwrap();
    assert_eq!(last, ("bob".to_owned(), "03-reduction".to_owned(), "failed".to_owned()));
    assert!(log(&place, "results").iter().any(|entry| entry["because"] == "regrade"));
    assert_eq!(place.grader(&[&regrade[..], &["eve"]].concat()).code, 2);
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
