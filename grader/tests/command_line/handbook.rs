//! The instructor's handbook: every command in it is run as it is printed, one after the other, on a class as an LMS hands it out.

use std::{env, fs, io::Write as _, path::Path, process::Command};

use crate::support::{Place, take};

const PAGE: &str = include_str!("../../../book/src/instructors.md");

/// The blocks of commands, in the page's order.
fn commands() -> Vec<String> {
    let mut all = Vec::new();
    let mut block: Option<String> = None;
    for line in PAGE.lines() {
        match (&mut block, line) {
            (None, "```sh") => block = Some(String::new()),
            (Some(text), "```") => {
                all.push(std::mem::take(text));
                block = None;
            }
            (Some(text), line) => *text += &format!("{line}\n"),
            (None, _) => {}
        }
    }
    all
}

/// What Moodle's "download all submissions" gives: a zip with a folder per student.
fn moodle(place: &Place) {
    take(place, "03-reduction/kernel.cu");
    let right = fs::read_to_string(place.path("k.cu")).expect("the solution");
    take(place, "03-reduction/wrong/missing-barrier-in-tree.cu");
    let wrong = fs::read_to_string(place.path("k.cu")).expect("a wrong kernel");
    fs::remove_file(place.path("k.cu")).expect("ours");
    let file = fs::File::create(place.path("submissions.zip")).expect("a file");
    let mut zip = zip::ZipWriter::new(file);
    for (name, text) in [("Ada Lovelace_101", &right), ("Bob Barker_102", &wrong)] {
        let path = format!("{name}_assignsubmission_file/03-reduction.cu");
        zip.start_file(path, zip::write::SimpleFileOptions::default()).expect("an entry");
        zip.write_all(text.as_bytes()).expect("its text");
    }
    zip.finish().expect("a zip");
    // Moodle's gradebook export, by its documentation. The school's numbers are not those of the participants.
    place.write(
        "grades.csv",
        "First name,Last name,ID number,Email address,Assignment: Sheet 3 (Real)\n\
         Ada,Lovelace,2207,ada@example.org,-\nBob,Barker,2206,bob@example.org,-\n",
    );
}

#[test]
fn every_command_of_the_handbook_works_as_it_is_printed() {
    let place = Place::new();
    moodle(&place);
    let program = Path::new(env!("CARGO_BIN_EXE_grader"));
    let folder = program.parent().and_then(Path::to_str).expect("a folder");
    let path = format!("{folder}:{}", env::var("PATH").unwrap_or_default());
    let commands = commands();
    assert!(commands.len() > 4, "{commands:?}");
    for block in commands {
        let mut command = Command::new("sh");
        command.args(["-e", "-c", &block]).current_dir(place.path("")).env("PATH", &path);
        let given = place.given(command);
        assert_eq!(given.code, 0, "{block}\n{}", given.all());
    }
    let imported = fs::read_to_string(place.path("upload.csv")).expect("what is to be imported");
    let lines: Vec<&str> = imported.lines().collect();
    let points =
        |line: &str| line.rsplit(',').next().and_then(|cell| cell.parse::<f64>().ok()).expect("points");
    assert!(lines.len() == 3 && lines[1].contains("2207"), "{imported}");
    // Ada's kernel is the right one.
    assert!(points(lines[1]) > points(lines[2]), "{imported}");
}
