//! Screens of `grader watch` that a first day (`day`) does not show: what the keys p, b and r lead to, a judge that can't do
//! its work, and a file that is looked at again and again. `screens/SIZE/NAME.txt`.

use std::{
    fs,
    path::{Path, PathBuf},
};

use snapbox::{Assert, Data};

use crate::{
    faults::driver,
    support::Place,
    terminal::{Session, WAITS},
};

const SIZES: [(u16, u16); 2] = [(80, 24), (120, 40)];

/// Compares a screen with the one that is kept.
fn same(place: &Place, (columns, rows): (u16, u16), name: &str, screen: &str) {
    // The folder's name is random, and as long everywhere.
    let screen = screen.replace(place.path("").to_str().unwrap().trim_end_matches('/'), "HERE");
    let screen: Vec<&str> = screen.lines().map(str::trim_end).collect();
    let expected = format!("tests/command_line/screens/{columns}x{rows}/{name}.txt");
    let expected = Data::read_from(&Path::new(env!("CARGO_MANIFEST_DIR")).join(expected), None);
    Assert::new().action_env("SNAPSHOTS").eq(format!("{}\n", screen.join("\n")), expected);
}

/// A course folder, and the kernel of 03 in it.
fn course() -> (Place, PathBuf) {
    let place = Place::new();
    assert_eq!(place.grader(&["init", "course"]).code, 0);
    let kernel = place.path("course/03-reduction/kernel.cu");
    (place, kernel)
}

#[test]
fn a_profile_and_its_picture_of_banks() {
    let (place, kernel) = course();
    let conflicting = "../solutions/03-reduction/wrong/conflicting-tree.cu";
    fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join(conflicting), kernel).unwrap();
    for size in SIZES {
        let arguments = ["watch", "03", "--device", "sim"];
        let mut session = Session::sized(&place.path("course"), &arguments, size);
        let report = session.awaited_all(&["✗ failed 03-reduction", WAITS]);
        session.press("p");
        let screen = session.awaited_all(&["profile of case", "Enter: the report"]);
        same(&place, size, "profile", &screen);
        if size == SIZES[0] {
            // To the last row of the picture.
            session.press("      ");
            let screen = session.awaited(". . . . 28 . . .  . . . . 29");
            same(&place, size, "banks", &screen);
        }
        // What is judged again has the same report, and takes the place of what was read.
        session.press("r");
        let again = session.awaited_all(&["✗ failed 03-reduction", WAITS]);
        assert_eq!(again, report);
        session.press("q");
        session.ended();
    }
}

#[test]
fn the_book_has_an_address_of_its_own_line() {
    let place = Place::new();
    // A checkout, as far as the program knows one.
    for file in ["grader/Cargo.toml", "exercises/none", "book/book/index.html"] {
        place.write(file, "");
    }
    place.write("book/book/chapters/03-reduction.html", "");
    assert_eq!(place.grader(&["init"]).code, 0);
    let none = ["BROWSER", "DISPLAY", "WAYLAND_DISPLAY"].map(|name| (name, Path::new("")));
    for size in SIZES {
        let arguments = ["watch", "03", "--device", "sim"];
        let mut session = Session::with(&place.path("learn"), &arguments, size, &none);
        session.awaited_all(&["not started", WAITS]);
        session.press("b");
        let screen = session.awaited_all(&["Open this address in a browser.", "Enter: the report"]);
        same(&place, size, "book", &screen);
        session.press("q");
        session.ended();
    }
}

#[test]
fn a_judge_that_can_not_work_says_what_to_do() {
    let (place, _) = course();
    let folder = driver(&place, &["-DFAILS=init", "-DWITH=46"]);
    let variables = [("LD_LIBRARY_PATH", &*folder)];
    for size in SIZES {
        let arguments = ["watch", "03", "--device", "gpu"];
        let mut session = Session::with(&place.path("course"), &arguments, size, &variables);
        let screen = session.awaited_all(&["the judge could not do its work", WAITS]);
        same(&place, size, "judge-error", &screen);
        session.press("q");
        session.ended();
    }
}

/// What is to be done where the GPU that is asked for can't be used does not depend on who asks for it.
#[test]
fn check_and_run_say_the_same_without_a_gpu() {
    let (place, _) = course();
    let folder = driver(&place, &["-DFAILS=init", "-DWITH=46"]);
    let run = ["run", "03-reduction/kernel.cu", "--entry", "reduce_max", "--grid", "1", "--block", "1"];
    for call in [&["check", "03"][..], &run] {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_grader"));
        command.args(call).args(["--device", "gpu"]).current_dir(place.path("course"));
        command.env("LD_LIBRARY_PATH", &folder);
        let given = place.given(command);
        assert_eq!(given.code, 3, "{}", given.all());
        let (said, next) = (given.all(), "`grader doctor` says what is missing; --device sim needs no GPU");
        assert!(said.contains(&format!("next: {next}")), "{said}");
        assert!(!said.contains("report this as a bug"), "{said}");
    }
}

#[test]
fn looking_again_and_again_is_announced() {
    let (place, _) = course();
    for size in SIZES {
        let arguments = ["watch", "03", "--device", "sim", "--poll"];
        let mut session = Session::sized(&place.path("course"), &arguments, size);
        let screen = session.awaited_all(&["not started", WAITS]);
        same(&place, size, "polling", &screen);
        session.press("q");
        session.ended();
    }
}
