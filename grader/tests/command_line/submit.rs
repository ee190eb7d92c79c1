//! What `submit` packs is what `score` reads: the same verdicts, the same bytes for the same kernels, and a clear word
//! where there is nothing to pack.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    os::unix::fs::symlink,
    path::Path,
};

use rustix::fs::{CWD, Mode, mkfifoat};

use crate::support::{Given, Place, take};

fn course() -> Place {
    let place = Place::new();
    assert_eq!(place.grader(&["init", "mine"]).code, 0);
    place
}

fn write(place: &Place, exercise: &str, kernel: &str) {
    take(place, kernel);
    fs::rename(place.path("k.cu"), place.path("mine").join(exercise).join("kernel.cu")).unwrap();
}

fn submit(place: &Place, arguments: &[&str]) -> Given {
    place.grader_in("mine", &[&["submit"], arguments].concat())
}

/// Unpacks a submission as an LMS or an instructor does.
fn unpack(archive: &Path, into: &Path) {
    zip::ZipArchive::new(File::open(archive).unwrap()).unwrap().extract(into).unwrap();
}

#[test]
fn score_gives_the_verdicts_of_check() {
    let place = course();
    let kernels = [
        ("03-reduction", "03-reduction/wrong/missing-barrier-in-tree.cu"),
        ("04-synchronization", "04-synchronization/kernel.cu"),
        ("06-transpose", "06-transpose/kernel.cu"),
    ];
    let mut checked = BTreeMap::new();
    for (exercise, kernel) in kernels {
        write(&place, exercise, kernel);
        let report = place.grader_in("mine", &["check", exercise, "--device", "sim", "--format", "json"]).out;
        let report: serde_json::Value = serde_json::from_str(&report).unwrap();
        let unmeasured = if report["speed_unmeasured"] == true && report["verdict"] == "passed" {
            ", speed unmeasured"
        } else {
            ""
        };
        checked.insert(exercise.to_owned(), format!("{}{unmeasured}", report["verdict"].as_str().unwrap()));
    }
    let expected = ["failed", "passed", "passed, speed unmeasured"];
    assert!(checked.values().eq(expected.iter()), "{checked:?}");
    let given = submit(&place, &[]);
    assert_eq!(given.code, 0, "{}", given.all());
    assert!(
        given.out.contains("submission.zip: 03-reduction, 04-synchronization, 06-transpose\n"),
        "{}",
        given.all()
    );
    assert!(
        given.err.contains("not passed as they are now, and packed all the same: 03-reduction"),
        "{}",
        given.all()
    );
    assert!(
        given.err.contains("left out, for they are the stubs as they came: 00-first-kernel, 01-coalescing"),
        "{}",
        given.all()
    );
    unpack(&place.path("mine/submission.zip"), &place.path("class/ada"));
    // As it is, too.
    fs::copy(place.path("mine/submission.zip"), place.path("class/bob.zip")).unwrap();
    let given = place.grader(&["score", "class", "--out", "results", "--device", "sim", "--seed", "1"]);
    assert_eq!(given.code, 0, "{}", given.all());
    let mut book = csv::Reader::from_path(place.path("results/gradebook.csv")).unwrap();
    let rows: Vec<csv::StringRecord> = book.records().map(|row| row.unwrap()).collect();
    for student in ["ada", "bob"] {
        let graded: BTreeMap<String, String> = rows
            .iter()
            .filter(|row| &row[0] == student && &row[2] == "graded")
            .map(|row| (row[1].to_owned(), row[3].to_owned()))
            .collect();
        assert_eq!(graded, checked, "{student}");
    }
}

#[test]
fn the_same_kernels_give_the_same_bytes_and_say_what_they_are_for() {
    let sheet = "schema = 1\ntitle = \"Sheet 3\"\n[exercises.03-reduction]\ncorrect = 4\n\
                 [exercises.00-first-kernel]\ncorrect = 4\n";
    let packed = || {
        let place = course();
        place.write("sheet.toml", sheet);
        assert_eq!(place.grader(&["init", "mine", "--assignment", "sheet.toml"]).code, 0);
        write(&place, "03-reduction", "03-reduction/kernel.cu");
        write(&place, "04-synchronization", "04-synchronization/kernel.cu");
        // Only what counts; over an earlier one.
        for _ in 0..2 {
            let given = submit(&place, &[]);
            assert!(
                given.code == 0 && given.out.contains("submission.zip: 03-reduction\n"),
                "{}",
                given.all()
            );
        }
        let given = submit(&place, &["04"]);
        assert!(
            given.code == 2 && given.err.contains("04-synchronization is not part of Sheet 3"),
            "{}",
            given.all()
        );
        place
    };
    let (one, other) = (packed(), packed());
    let archive = |place: &Place| fs::read(place.path("mine/submission.zip")).unwrap();
    assert_eq!(archive(&one), archive(&other));
    unpack(&one.path("mine/submission.zip"), &one.path("unpacked"));
    let about: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(one.path("unpacked/submission.json")).unwrap()).unwrap();
    assert_eq!(about["assignment"]["title"], "Sheet 3");
    assert_eq!(about["assignment"]["blake3"], blake3::hash(sheet.as_bytes()).to_hex().to_string());
    assert_eq!(about["course"], env!("CARGO_PKG_VERSION"));
    let kernel = fs::read(one.path("mine/03-reduction/kernel.cu")).unwrap();
    assert_eq!(about["exercises"]["03-reduction"]["blake3"], blake3::hash(&kernel).to_hex().to_string());
    assert!(about["exercises"]["03-reduction"]["stub"].is_string());
    assert_eq!(fs::read(one.path("unpacked/03-reduction/kernel.cu")).unwrap(), kernel);
}

#[test]
fn what_can_not_be_packed_is_told_and_leaves_no_file() {
    let place = course();
    let kernel = place.path("mine/03-reduction/kernel.cu");
    let refused = |arguments: &[&str], expected: &[&str]| {
        let given = submit(&place, arguments);
        assert_eq!(given.code, 2, "{}", given.all());
        assert!(given.err.contains(" next: "), "{}", given.all());
        expected.iter().for_each(|expected| assert!(given.err.contains(expected), "{}", given.all()));
        assert!(!place.path("mine/submission.zip").exists());
    };
    refused(&[], &["every kernel is the stub as it came: there is nothing to hand in"]);
    refused(&["3"], &["03-reduction is the stub as it came: there is nothing to hand in"]);
    refused(&["3", "4"], &["stubs as they came", "03-reduction, 04-synchronization"]);
    write(&place, "00-first-kernel", "00-first-kernel/kernel.cu");
    fs::remove_file(&kernel).unwrap();
    refused(&[], &["03-reduction/kernel.cu does not exist", "Nothing was packed"]);
    fs::write(&kernel, b"// caf\xe9\n").unwrap();
    refused(&[], &["03-reduction/kernel.cu: not UTF-8 text: line 1", "save the file as UTF-8"]);
    File::create(&kernel).unwrap().set_len(100 << 20).unwrap();
    refused(&[], &["03-reduction/kernel.cu: more than 1 MiB"]);
    fs::remove_file(&kernel).unwrap();
    symlink("nowhere.cu", &kernel).unwrap();
    refused(&[], &["03-reduction/kernel.cu is a link to nothing"]);
    fs::remove_file(&kernel).unwrap();
    fs::create_dir(&kernel).unwrap();
    refused(&[], &["03-reduction/kernel.cu: a folder, not a file"]);
    fs::remove_dir(&kernel).unwrap();
    // What a link leads to is packed, as it is what `check` judges; never the link.
    place.write("mine/elsewhere.cu", "// my own\n");
    symlink("../elsewhere.cu", &kernel).unwrap();
    let given = submit(&place, &["3"]);
    assert!(given.code == 0 && given.err.contains("what it leads to is packed"), "{}", given.all());
    unpack(&place.path("mine/submission.zip"), &place.path("unpacked"));
    let text = place.path("unpacked/03-reduction/kernel.cu");
    assert!(!text.is_symlink());
    assert_eq!(fs::read_to_string(text).unwrap(), "// my own\n");
}

#[test]
fn nothing_but_a_submission_is_written_over() {
    let place = course();
    write(&place, "03-reduction", "03-reduction/kernel.cu");
    let mine = place.write("mine/notes.zip", "mine");
    // Nothing is ever written to it: to open it would take for ever.
    mkfifoat(CWD, place.path("mine/pipe"), Mode::from_raw_mode(0o644)).unwrap();
    for taken in ["notes.zip", "03-reduction", "pipe"] {
        let given = submit(&place, &["--out", taken]);
        assert!(given.code == 2 && given.err.contains("is there already"), "{}", given.all());
    }
    assert_eq!(fs::read_to_string(mine).unwrap(), "mine");
    let elsewhere = Place::new();
    let given = elsewhere.grader(&["submit"]);
    assert!(given.code == 2 && given.err.contains("belongs to no course folder"), "{}", given.all());
}
