//! The instructor's handbook: every command in it is run as it is printed, one after the other, on a class as an LMS hands it out.

use std::{env, fs, io::Write as _, path::Path, process::Command};

use crate::support::{Place, take};

const PAGE: &str = include_str!("../../../book/src/instructors.md");

/// The blocks that begin with this fence, in the page's order.
fn blocks(fence: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut block: Option<String> = None;
    for line in PAGE.lines() {
        match (&mut block, line) {
            (None, begin) if begin == fence => block = Some(String::new()),
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

/// Runs a block as it is printed.
fn run(place: &Place, block: &str) {
    let program = Path::new(env!("CARGO_BIN_EXE_grader"));
    let folder = program.parent().and_then(Path::to_str).expect("a folder");
    let path = format!("{folder}:{}", env::var("PATH").unwrap_or_default());
    let mut command = Command::new("sh");
    command.args(["-e", "-c", block]).current_dir(place.path("")).env("PATH", path);
    // Blocks that name no device are of a machine without a GPU.
    command.env("CUDA_VISIBLE_DEVICES", "");
    let given = place.given(command);
    assert_eq!(given.code, 0, "{block}\n{}", given.all());
}

#[test]
fn every_command_of_the_handbook_works_as_it_is_printed() {
    let place = Place::new();
    moodle(&place);
    let commands = blocks("```sh");
    assert!(commands.len() > 4, "{commands:?}");
    commands.iter().for_each(|block| run(&place, block));
    let imported = fs::read_to_string(place.path("upload.csv")).expect("what is to be imported");
    let lines: Vec<&str> = imported.lines().collect();
    let points =
        |line: &str| line.rsplit(',').next().and_then(|cell| cell.parse::<f64>().ok()).expect("points");
    assert!(lines.len() == 3 && lines[1].contains("2207"), "{imported}");
    // Ada's kernel is the right one.
    assert!(points(lines[1]) > points(lines[2]), "{imported}");
}

/// A folder per student, and what Canvas and Moodle have exported of them.
fn folders(place: &Place) {
    for (student, kernel) in
        [("ada", "03-reduction/kernel.cu"), ("zoë", "03-reduction/wrong/missing-barrier-in-tree.cu")]
    {
        take(place, kernel);
        let text = fs::read(place.path("k.cu")).expect("a kernel");
        place.write(&format!("submissions/{student}/03-reduction/kernel.cu"), text);
    }
    place.write(
        "exported.csv",
        "Student,ID,SIS User ID,SIS Login ID,Section\n    Points Possible,,,,\nada,11,,ada,A\nzoë,12,,zoë,A\n",
    );
    place.write(
        "worksheet.csv",
        "Identifier,Full name,Email address,Status,Grade,Maximum Grade,Last modified (grade)\n\
         Participant 9,ada,ada@example.org,,,8.00,-\nParticipant 8,zoë,zoe@example.org,,,8.00,-\n",
    );
}

/// The page's other blocks are commands, too, of which a reader changes the names. They are run as they are printed, but for
/// the one that needs Slurm: `cluster.rs` runs such. None of them shows output, which a test would have to compare.
#[test]
fn every_form_of_a_command_works_as_it_is_printed() {
    let place = Place::new();
    folders(&place);
    let forms = blocks("```text");
    assert!(forms.len() > 4, "{forms:?}");
    let fences = PAGE.lines().filter(|line| line.len() > 3 && line.starts_with("```")).count();
    assert_eq!(fences, forms.len() + blocks("```sh").len(), "a block that no test looks at");
    for block in &forms {
        let shown = block.lines().find(|line| !line.starts_with("grader "));
        assert_eq!(shown, None, "compare this with what the commands before it print");
        if block.contains("--engine slurm") {
            continue;
        }
        // What the page says of exports: they need an assignment, and without a GPU points for speed are open.
        if block.contains("class export") {
            run(
                &place,
                "sed -i 's/^unmeasured_speed = .*/unmeasured_speed = \"redistributed\"/' sheet-3.toml\n\
                 grader class score submissions/ --assignment sheet-3.toml --out results/",
            );
        }
        run(&place, block);
    }
    let made = |name: &str| fs::read_to_string(place.path(name)).expect("a CSV");
    for name in ["gradebook.csv", "points.csv", "similar.csv", "resembles.csv"] {
        let text = made(&format!("results/{name}"));
        assert!(text.starts_with('\u{feff}') && text.contains("zoë"), "a spreadsheet reads {text}");
    }
    // What an LMS has exported without a mark stays so.
    assert!(made("import.csv").starts_with("Identifier,Full name,"));
}
