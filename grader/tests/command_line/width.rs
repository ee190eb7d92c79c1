//! No line of what people read is wider than a terminal of 80 columns, which would break it amid a word.

use std::{fs, path::Path};

use crate::{support::Place, terminal::Session};

/// Rows for all that one command says.
const ROWS: u16 = 400;

/// What a command says on a terminal of 80 columns, after a look at its lines.
fn said(place: &Place, command: &str) -> String {
    let arguments: Vec<&str> = command.split(' ').collect();
    let (said, wide) = Session::sized(&place.path(""), &arguments, (80, ROWS)).said();
    // A single word, such as a path, is never broken.
    let wide: Vec<&String> = wide.iter().filter(|line| line.trim().contains(' ')).collect();
    assert!(wide.is_empty(), "`grader {command}` says on lines that are too wide {wide:#?}\n{said}");
    assert!(!said.trim().is_empty(), "`grader {command}` says nothing");
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
