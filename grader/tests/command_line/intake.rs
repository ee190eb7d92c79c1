//! What a class hands in, as LMSs and students pack it: everything is understood or listed, and nothing begins before
//! that. Layouts are made from the vendors' documentation (named in `grader/src/class/intake/layout.rs`), not from a
//! live LMS.

use std::{
    fs::{self, File},
    io::{Cursor, Write},
    os::unix::fs::symlink,
    process::Command,
};

use crate::support::{Given, Place};
use snapbox::{Assert, Data, file};
use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

fn same(given: String, expected: Data) {
    Assert::new().action_env("SNAPSHOTS").eq(given, expected);
}

/// A kernel that says of which exercise it is.
fn kernel(exercise: &str, of: &str) -> String {
    format!("// {exercise}: somebody's.\n// {of}\nextern \"C\" __global__ void k() {{}}\n")
}

/// A zip of these files.
fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    for (name, content) in files {
        archive.start_file(*name, options).unwrap();
        archive.write_all(content).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

/// A tar of these files, compressed where asked.
fn tar(files: &[(&str, &[u8])], gzip: bool) -> Vec<u8> {
    let mut archive = tar::Builder::new(Vec::new());
    for (name, content) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        archive.append_data(&mut header, name, *content).unwrap();
    }
    let bytes = archive.into_inner().unwrap();
    if !gzip {
        return bytes;
    }
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packed.write_all(&bytes).unwrap();
    packed.finish().unwrap()
}

fn dry_run(place: &Place, more: &[&str]) -> Given {
    let given = place.grader(&[&["class", "score"], more, &["--dry-run"]].concat());
    // A machine has as many cores as it has.
    let out =
        given.out.lines().map(|line| if line.contains(" on the simulator") { "ESTIMATE" } else { line });
    let out: Vec<&str> = out.take_while(|line| *line != "ESTIMATE").collect();
    Given { out: format!("{}\n", out.join("\n").trim_end()), ..given }
}

#[test]
fn folders_and_archives_of_students() {
    let place = Place::new();
    let (a, b) = (kernel("03-reduction", "a"), kernel("05-bank-conflicts", "b"));
    let both: [(&str, &[u8]); 2] =
        [("03-reduction/kernel.cu", a.as_bytes()), ("05-bank-conflicts/kernel.cu", b.as_bytes())];
    place.write("class/ada/03-reduction/kernel.cu", &a);
    // Its first lines say it, wherever it lies.
    place.write("class/ada/my work/kernel.cu", &b);
    place.write("class/bob.zip", zip(&both));
    place.write("class/cleo.tar", tar(&both, false));
    place.write("class/dan.tar.gz", tar(&both, true));
    // As Windows packs a folder.
    place.write("class/eve.zip", zip(&[("eve\\03-reduction\\kernel.cu", a.as_bytes())]));
    // A whole course folder, with what was packed in it.
    for known in ["course.toml", ".clangd", ".vscode/tasks.json", "03-reduction/kernel.before-reset-1.cu"] {
        place.write(&format!("class/fay/{known}"), "x");
    }
    place.write("class/fay/submission.zip", zip(&both));
    place.write("class/fay/03-reduction/kernel.cu", &a);
    place.write("class/fay/.course.json", "{\"schema\": 1, \"course\": \"0.0.9\"}");
    place.write("class/gus/submission.zip", zip(&both));
    place.write("class/__MACOSX/ada/._kernel.cu", "x");
    place.write("class/.DS_Store", "x");
    fs::create_dir_all(place.path("class/nobody")).unwrap();
    let given = dry_run(&place, &["class"]);
    same(given.all(), file!["intake/folders.txt"]);

    // The same in one archive, of all or of a folder of all.
    let mut all = Vec::new();
    for name in ["bob.zip", "cleo.tar", "dan.tar.gz", "eve.zip"] {
        all.push((format!("class/{name}"), fs::read(place.path(&format!("class/{name}"))).unwrap()));
    }
    all.push(("class/ada/03-reduction/kernel.cu".to_owned(), a.clone().into_bytes()));
    let all: Vec<(&str, &[u8])> = all.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect();
    place.write("all.zip", zip(&all));
    place.write("all.tgz", tar(&all, true));
    let whole = dry_run(&place, &["all.zip"]);
    assert_eq!(whole.code, 0, "{}", whole.all());
    assert!(whole.out.contains("eve") && whole.out.contains("dan"), "{}", whole.all());
    assert_eq!(dry_run(&place, &["all.tgz"]).out, whole.out);
}

#[test]
fn what_is_not_understood_is_listed_and_nothing_begins() {
    let place = Place::new();
    let a = kernel("03-reduction", "a");
    place.write("class/ada/03-reduction/kernel.cu", &a);
    place.write("class/ada/notes.txt", "x");
    place.write("class/ada/kernel.cu", "__global__ void k() {}\n");
    place.write("class/ada/x/kernel.cu", kernel("42-nothing", "a"));
    fs::create_dir_all(place.path("class/ada/3-reduction")).unwrap();
    place.write("class/..hidden/kernel.cu", "x");
    place.write("class/grades.xlsx", "x");
    place.write("class/bob.rar", "x");
    place.write("class/eve.zip", zip(&[("more.zip", &zip(&[])), ("readme", b"x")]));
    place.write("class/03-reduction/kernel.cu", &a);
    symlink("grades.xlsx", place.path("class/link.cu")).unwrap();
    let dry = dry_run(&place, &["class"]);
    same(dry.all(), file!["intake/not-understood.txt"]);
    // The real run says the same, and does nothing.
    let real = place.grader(&["class", "score", "class", "--out", "results", "--device", "sim"]);
    assert_eq!((real.code, real.out.as_str()), (2, ""), "{}", real.all());
    let listed = dry.out.split("not understood (").nth(1).unwrap();
    for line in listed.lines().skip(1).filter(|line| !line.is_empty()) {
        assert!(real.err.contains(line), "{line}\n{}", real.all());
    }
    assert!(!place.path("results").exists());
    let lenient = dry_run(&place, &["class", "--lenient"]);
    assert_eq!((lenient.code, &lenient.out), (0, &dry.out));
    // What it went on without is found among the results.
    let all = ["class", "score", "class", "--out", "results", "--device", "sim", "--lenient"];
    let given = place.grader(&all);
    assert_eq!(given.code, 0, "{}", given.all());
    assert!(given.err.contains("results/not-understood.txt lists all"), "{}", given.all());
    let kept = fs::read_to_string(place.path("results/not-understood.txt")).unwrap();
    for line in listed.lines().skip(1) {
        assert!(kept.contains(line), "{line}\n{kept}");
    }
}

#[test]
fn canvas() {
    let place = Place::new();
    let of = |exercise: &str| kernel(exercise, "canvas");
    for (name, exercise) in [
        ("lovelaceada_1234_901_kernel.cu", "03-reduction"),
        ("lovelaceada_1234_902_kernel-1.cu", "05-bank-conflicts"),
        ("lovelaceada_1234_903_kernel-2.cu", "05-bank-conflicts"),
        ("libo_late_1235_904_my_kernel.cu", "03-reduction"),
    ] {
        place.write(&format!("class/{name}"), of(exercise));
    }
    place.write("class/kimchi_1236_905_k.cu", "__global__ void k() {}\n");
    let packed = of("06-transpose");
    place
        .write("class/roeeve_1237_906_submission.zip", zip(&[("06-transpose/kernel.cu", packed.as_bytes())]));
    place.write("roster.csv", "Student,ID,SIS User ID,SIS Login ID,Section\n    Points Possible,,,,\n\
        \"Lovelace, Ada\",1234,S1,ada,A\n\"Li, Bo\",1235,S2,bo,A\n\"Kim, Chi\",1236,S3,chi,A\n\"Roe, Eve\",1237,S4,eve,A\n\
        \"Fox, Gus\",1238,S5,gus,A\n");
    let given = dry_run(&place, &["class", "--roster", "roster.csv", "--exercise", "07"]);
    same(given.all(), file!["intake/canvas.txt"]);
    // Without --exercise one kernel says nothing.
    let given = dry_run(&place, &["class"]);
    assert_eq!(given.code, 2);
    assert!(
        given.out.contains("kimchi_1236_905_k.cu: nothing says of which exercise it is"),
        "{}",
        given.all()
    );
}

#[test]
fn moodle() {
    let place = Place::new();
    let a = kernel("03-reduction", "a");
    let nested = zip(&[("03-reduction/kernel.cu", a.as_bytes())]);
    let files: [(&str, &[u8]); 5] = [
        ("Ada Lovelace_12_assignsubmission_file/kernel.cu", a.as_bytes()),
        ("Bo Li_13_assignsubmission_file/submission.zip", &nested),
        ("Chi Kim_14_assignsubmission_onlinetext/onlinetext.html", b"<p>mine</p>"),
        ("Chi Kim_14_assignsubmission_file/my/kernel.cu", a.as_bytes()),
        ("notes.txt", b"x"),
    ];
    place.write("sheet.zip", zip(&files));
    place.write(
        "roster.csv",
        "Identifier,Full name,Email address,Status\nParticipant 12,Ada Lovelace,ada@example.edu,\n\
        Participant 13,Bo Li,bo@example.edu,\nParticipant 15,Eve Roe,eve@example.edu,\n",
    );
    let given = dry_run(&place, &["sheet.zip", "--roster", "roster.csv"]);
    same(given.all(), file!["intake/moodle.txt"]);
    // Without folders, as Moodle makes it if asked.
    place.write("flat.zip", zip(&[("Ada Lovelace_12_assignsubmission_file_kernel.cu", a.as_bytes())]));
    let flat = dry_run(&place, &["flat.zip"]);
    assert!(flat.code == 0 && flat.out.contains("12") && flat.out.contains("Ada Lovelace"), "{}", flat.all());
}

#[test]
fn gradescope() {
    let place = Place::new();
    let a = kernel("03-reduction", "a");
    let yml = "---\nsubmission_1:\n  :submitters:\n  - :name: Ada Lovelace\n    :sid: '0123'\n    :email: ada@example.edu\n  \
        :created_at: 2026-12-01 10:00:00.5 Z\n  :score: 0.0\nsubmission_2:\n  :submitters:\n  - :name: Bo Li\n    \
        :email: bo@example.edu\n  - :name: Chi Kim\n    :sid: '0124'\n  :created_at: 2026-12-02 10:00:00 Z\n\
        submission_3:\n  :submitters:\n  - :name: Eve\n    :sid: '9'\n";
    let files: [(&str, &[u8]); 4] = [
        ("assignment_7_export/submission_metadata.yml", yml.as_bytes()),
        ("assignment_7_export/submission_1/03-reduction/kernel.cu", a.as_bytes()),
        ("assignment_7_export/submission_2/kernel.cu", a.as_bytes()),
        ("assignment_7_export/submission_4/kernel.cu", a.as_bytes()),
    ];
    place.write("export.zip", zip(&files));
    let given = dry_run(&place, &["export.zip", "--cutoff", "2026-12-01T12:00:00+01:00"]);
    same(given.all(), file!["intake/gradescope.txt"]);
}

#[test]
fn github_classroom() {
    let place = Place::new();
    let a = kernel("03-reduction", "a");
    for (student, folder) in [("ada-l", "learn/03-reduction"), ("bo", "03-reduction")] {
        let repository = format!("sheet-3-submissions/sheet-3-{student}");
        place.write(&format!("{repository}/{folder}/kernel.cu"), &a);
        for known in [".git/config", ".github/workflows/classroom.yml", "README.md", ".gitignore"] {
            place.write(&format!("{repository}/{known}"), "x");
        }
    }
    place.write(
        "classroom_roster.csv",
        "\"identifier\",\"github_username\",\"github_id\",\"name\"\n\"a1\",\"ada-l\",\"1\",\"Ada\"\n\
        \"b2\",\"bo\",\"2\",\"Bo\"\n",
    );
    let given = dry_run(&place, &["sheet-3-submissions", "--roster", "classroom_roster.csv"]);
    same(given.all(), file!["intake/github.txt"]);
}

#[test]
fn one_students_archive_and_files_of_students() {
    let place = Place::new();
    let a = kernel("03-reduction", "a");
    place.write("ada.zip", zip(&[("03-reduction/kernel.cu", a.as_bytes()), ("submission.json", b"{}")]));
    let one = dry_run(&place, &["ada.zip"]);
    assert!(one.code == 0 && one.out.contains("one student's"), "{}", one.all());
    place.write("files/ada.cu", &a);
    place.write("files/bob.cu", "__global__ void k() {}\n");
    let files = dry_run(&place, &["files", "--exercise", "3"]);
    assert!(files.code == 0 && files.out.contains("a file per student"), "{}", files.all());
    place.write("text.txt", "x");
    for (what, why) in [("text.txt", "is no folder and none of .zip"), ("nowhere", "not found")] {
        let given = dry_run(&place, &[what]);
        assert!(given.code == 2 && given.err.contains(why), "{}", given.all());
    }
    File::create(place.path("broken.zip")).unwrap().write_all(b"PK\x03\x04").unwrap();
    let given = dry_run(&place, &["broken.zip"]);
    assert!(given.code == 2 && given.err.contains("broken.zip is damaged"), "{}", given.all());
}

/// What is wrong about a class or a moment is said in words for who has to mend it.
#[test]
fn no_librarys_words_are_said_of_what_was_handed_in() {
    let place = Place::new();
    let a = kernel("03-reduction", "a");
    place.write("class/ada/03-reduction/kernel.cu", &a);
    let given = place.grader(&["class", "score", "class", "--dry-run"]);
    assert!(given.out.replace('\n', " ").contains("1 kernel of 1 student: about "), "{}", given.all());
    for moment in ["tomorrow", "1.12.2026", "2026-12-01", "2026-12-01T23:59:00"] {
        let given = dry_run(&place, &["class", "--cutoff", moment]);
        assert!(given.code == 2 && given.err.contains("as in 2026-12-01T23:59:00+01:00"), "{}", given.all());
        assert!(!given.err.contains("failed to parse") && !given.err.contains("digit"), "{}", given.all());
    }
    let whole = zip(&[("03-reduction/kernel.cu", a.as_bytes())]);
    let packed = tar(&[("03-reduction/kernel.cu", a.as_bytes())], true);
    for (name, bytes) in [
        ("empty.zip", &b""[..]),
        ("no.zip", b"hello"),
        ("cut.zip", &whole[..whole.len() / 2]),
        ("no.tar", b"hello"),
        ("no.tgz", b"hello"),
        ("cut.tgz", &packed[..packed.len() / 2]),
    ] {
        place.write(&format!("class/{name}"), bytes);
        place.write(name, bytes);
        let alone = dry_run(&place, &[name]);
        assert_eq!(alone.code, 2, "{name}: {}", alone.all());
        for said in [alone.all(), dry_run(&place, &["class"]).all()] {
            assert!(said.contains("damaged"), "{name}: {said}");
            for word in ["EOCD", "EOF", "deflate", "gzip header", "Zip archive", "stream", "iterator"] {
                assert!(!said.contains(word), "{name}, {word}: {said}");
            }
        }
        fs::remove_file(place.path(&format!("class/{name}"))).unwrap();
    }
}

#[test]
fn what_a_stub_was_written_for_comes_along() {
    let place = Place::new();
    assert_eq!(place.grader(&["init", "mine"]).code, 0);
    let kernel = place.path("mine/03-reduction/kernel.cu");
    let stub = fs::read_to_string(&kernel).unwrap();
    let version = format!("(course {})", env!("CARGO_PKG_VERSION"));
    assert!(stub.lines().next().unwrap().ends_with(&version), "{stub}");
    // It is the stub all the same.
    assert!(place.grader_in("mine", &["reset", "3"]).out.contains("is the stub already"));
    fs::write(&kernel, format!("{stub}// mine\n")).unwrap();
    assert_eq!(place.grader_in("mine", &["submit"]).code, 0);
    place.write("class/ada.zip", fs::read(place.path("mine/submission.zip")).unwrap());
    assert_eq!(dry_run(&place, &["class"]).out.matches("of the course").count(), 0);
    // Without the line, what `submit` says counts; and the line before that.
    let about = br#"{"schema": 1, "course": "0.0.8", "assignment": null, "exercises": {
        "03-reduction": {"blake3": "", "stub": null}, "06-transpose": {"blake3": "", "stub": null}}}"#;
    let old = stub.replace(&version, "(course 0.0.7)");
    place.write(
        "class/bob.zip",
        zip(&[
            ("submission.json", about),
            ("06-transpose/kernel.cu", b"x"),
            ("03-reduction/kernel.cu", old.as_bytes()),
        ]),
    );
    let told = dry_run(&place, &["class"]);
    for version in ["0.0.7", "0.0.8"] {
        let said = format!("1 kernel was written for version {version} of the course");
        assert!(told.out.contains(&said), "{}", told.all());
    }
}

/// The worst that students can pack costs neither much memory nor a classmate's row.
#[test]
fn bombs_stay_within_their_budget() {
    let place = Place::new();
    let a = kernel("03-reduction", "a");
    place.write("class/ada/03-reduction/kernel.cu", &a);
    let blanks = vec![b' '; 1 << 20];
    let names: Vec<String> = (0..9_000).map(|number| format!("{number}/03-reduction/kernel.cu")).collect();
    let heavy: Vec<(&str, &[u8])> = names[..70].iter().map(|name| (name.as_str(), &blanks[..])).collect();
    let countless: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), a.as_bytes())).collect();
    let (heavy, gz, countless) = (zip(&heavy), tar(&heavy, true), zip(&countless));
    for number in 0..4 {
        place.write(&format!("class/heavy-{number}.zip"), &heavy);
        place.write(&format!("class/gz-{number}.tar.gz"), &gz);
        place.write(&format!("class/countless-{number}.zip"), &countless);
    }
    let mut command = Command::new("sh");
    // The program alone takes a quarter of it.
    let script = "ulimit -v 524288; exec \"$0\" class score class --dry-run";
    command.args(["-c", script, env!("CARGO_BIN_EXE_grader")]).current_dir(place.path(""));
    let given = place.given(command);
    assert_eq!(given.code, 0, "{}", given.all());
    let said = given.out.replace("\n  ", " ");
    for number in 0..4 {
        let heavy = format!("heavy-{number}.zip can't be read: more than 64 MiB come out of it");
        let gz = format!("gz-{number}.tar.gz can't be read: more than 64 MiB come out of it");
        assert!(said.contains(&heavy) && said.contains(&gz), "{}", given.all());
    }
    assert!(given.out.contains(" ada "), "{}", given.all());
}
