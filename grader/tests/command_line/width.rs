//! No line of what people read is wider than a terminal of 80 columns, or of 60, which would break it amid a word.

use std::{fs, path::Path};

use crate::{support::Place, terminal::Session};

/// Rows for all that one command says.
const ROWS: u16 = 400;

/// What a command says on a terminal of 80 columns, after a look at its lines.
fn said(place: &Place, command: &str) -> String {
    let arguments: Vec<&str> = command.split(' ').collect();
    let said = looked_at(Session::sized(&place.path(""), &arguments, (80, ROWS)), command);
    assert!(!said.trim().is_empty(), "`grader {command}` says nothing");
    said
}

/// What is said on a terminal of 60 columns, after a look at its lines: by the whole command, and by one whose standard
/// output goes elsewhere.
fn narrow(place: &Place, command: &str) -> [String; 2] {
    ["", " >elsewhere"].map(|elsewhere| {
        let script = format!("\"$GRADER\" {command}{elsewhere}");
        looked_at(Session::of_script(&place.path(""), &script, (60, ROWS)), command)
    })
}

fn looked_at(session: Session, command: &str) -> String {
    let (said, wide) = session.said();
    // A single word, such as a path, is never broken, and neither is a command to be copied.
    let may_be_wide =
        |line: &str| !line.contains(' ') || (line.starts_with('`') && line.matches('`').count() == 2);
    let wide: Vec<&String> = wide.iter().filter(|line| !may_be_wide(line.trim())).collect();
    assert!(wide.is_empty(), "`grader {command}` says on lines that are too wide {wide:#?}\n{said}");
    said
}

fn course() -> Place {
    let place = Place::new();
    assert_eq!(place.grader(&["init", "."]).code, 0);
    place
}

/// Puts a kernel of the course's own into a course folder.
fn write(place: &Place, kernel: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../solutions").join(kernel);
    let exercise = kernel.split('/').next().unwrap();
    place.write(&format!("{exercise}/kernel.cu"), fs::read(path).unwrap());
}

#[test]
fn reports_of_wrong_kernels_fit() {
    let place = course();
    let kernels = [
        "02-stencil/wrong/missing-barrier.cu",
        "03-reduction/wrong/missing-barrier-after-load.cu",
        "05-bank-conflicts/wrong/reads-twice.cu",
        "07-convolution/kernel.cu",
        "13-fences/wrong/no-fence.cu",
    ];
    for kernel in kernels {
        write(&place, kernel);
        let exercise = kernel.split('/').next().unwrap();
        for options in ["", " --verbose", " --profile"] {
            said(&place, &format!("check {exercise} --device sim{options}"));
        }
    }
    // Its longest line has 95 columns, and is what a finding is about.
    let kernel = place.path("07-convolution/kernel.cu");
    let text = fs::read_to_string(&kernel).unwrap();
    fs::write(&kernel, text.replace("__syncthreads();", "")).unwrap();
    let report = said(&place, "check 07 --device sim");
    assert!(report.contains("error[race]") && report.contains("^"), "{report}");
    fs::write(&kernel, "int x = ;\n").unwrap();
    said(&place, "check 07 --device sim");
    said(&place, "hint 07");
    said(&place, "list");
}

#[test]
fn what_a_learner_types_is_answered_in_lines_that_fit() {
    let place = course();
    for command in [
        "init",
        "list",
        "explain",
        "explain race",
        "check 03 --device sim",
        "hint 03",
        "hint 03 --again",
        "reset 03",
        "--help",
        "check --help",
        "run --help",
        "explain --help",
        "solution 03",
    ] {
        said(&place, command);
    }
    write(&place, "06-transpose/kernel.cu");
    let passed = said(&place, "check 06 --device sim");
    assert!(passed.contains("next exercise: 07-convolution"), "{passed}");
    said(&place, "submit 06");
}

/// What goes to standard error is broken at spaces, too.
#[test]
fn errors_and_notes_fit() {
    let place = course();
    let inside = said(&place, "init 03-reduction/another");
    assert!(inside.starts_with("error: ") && inside.lines().count() > 2, "{inside}");
    assert!(inside.contains("\n       "), "the lines below are not indented: {inside}");
    for command in [
        "check redaction",
        "check 03 --device sim:h300",
        "check 03 --case 99 --device sim",
        "explain racee",
        "explain --book racee",
        "solution 03",
        "hint 99",
        "run nothing.cu --entry k --grid 1 --block 1",
    ] {
        said(&place, command);
    }
    write(&place, "03-reduction/kernel.cu");
    let noted = said(&place, "check 03 --device sim");
    assert!(noted.contains("note: "), "{noted}");
}

/// Wherever standard output goes: errors, notes and next steps have the width of the terminal that they are on.
#[test]
fn errors_and_notes_fit_a_narrow_terminal() {
    let place = course();
    write(&place, "03-reduction/kernel.cu");
    let kernel = fs::read(place.path("03-reduction/kernel.cu")).unwrap();
    place.write("k.cu", &kernel);
    for student in ["ada", "bob"] {
        place.write(&format!("class/{student}/03-reduction/kernel.cu"), &kernel);
    }
    place.write("class/cleo/notes.txt", "nothing");
    place.write("sheet.toml", "schema = 1\ntitle = \"Sheet\"\n[exercises.03-reduction]\ncorrect = 4\n");
    place.write("wrong.toml", "schema = 1\ntitle = Sheet\n");
    // What goes before is there for what comes behind.
    for command in [
        "submit",
        "submit 04",
        "check 03 --device sim",
        "check 03 --device sim --case 99",
        "check redaction",
        "check 03 --device gpu:7",
        "check 03 --device sim:h300",
        "check 03 --kernel k.cu --device sim --plot plot.svg",
        "init 03-reduction/another",
        "init mine --assignment wrong.toml",
        "solution 04",
        "reset 03",
        "explain --book racee",
        "calibrate",
        "compiler install --from /nowhere",
        "run nothing.cu --entry k --grid 1 --block 1",
        "run k.cu --entry reduce_min --grid 1 --block 1",
        "run k.cu --entry reduce_max --grid 1 --block 32 --device sim",
        "run k.cu --entry reduce_max --grid 1 --block 32 --device sim --arg in:f32:2048=chance",
        "run k.cu",
        "score class --device sim",
        "class score nothing --out results",
        "class score class --device sim --out results",
        "class score class --device sim --out results --lenient",
        "class export results --to canvas",
        "class score class --device sim --out results --lenient --assignment sheet.toml",
        "class score class --device sim --out results --lenient",
        "class score class --device sim --out results --lenient --seed 1 --assignment sheet.toml",
        "class score class --device sim --out class/results --lenient",
        "class export results --to canvas",
        "class export results --to gradescope",
        "class export results --to moodle",
        "class export results --to github",
        "class report results ada 04",
        "class similar results",
        "class audit results",
        "class replay results ada 03 --device sim",
        "class regrade results --device sim",
        "class merge class --device sim --out other",
        "class init sheet.toml",
    ] {
        let [whole, _] = narrow(&place, command);
        assert!(!whole.trim().is_empty(), "`grader {command}` says nothing");
    }
}

#[test]
fn reports_fit_a_narrow_terminal() {
    let place = course();
    write(&place, "03-reduction/kernel.cu");
    place.write("k.cu", fs::read(place.path("03-reduction/kernel.cu")).unwrap());
    place.write("class/ada/03-reduction/kernel.cu", fs::read(place.path("k.cu")).unwrap());
    let run = "run k.cu --entry reduce_max --grid 4 --block 256 --device sim --arg in:f32:2048=random:1 --arg inout:f32:4=zeros \
               --arg i32:2048";
    for (command, expected) in [
        (run.to_owned(), ["finished", " Wave- "]),
        (format!("{run} --profile"), ["finished", "roof "]),
        (format!("{run} --budget 30"), ["did not finish", "leave --budget out: then it is 200000000"]),
        ("check 03 --device sim".to_owned(), ["passed 03-reduction", "note:"]),
        ("list".to_owned(), ["03-reduction", "04-synchronization"]),
        ("score class --device sim --out results".to_owned(), ["Not gradable: 0; Judge error: 0", "seed "]),
    ] {
        let [whole, _] = narrow(&place, &command);
        let words = whole.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(expected.iter().all(|expected| words.contains(expected)), "{expected:?}\n{whole}");
    }
}
