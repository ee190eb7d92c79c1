//! `workshop new` in a course: the files it makes, the lists it enters the exercise in, and what it refuses.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// Lists as courses have them.
const LISTS: [(&str, &str); 3] = [
    ("course/Cargo.toml", "[dependencies]\nexercise-02-last = { path = \"../exercises/02-last\" }\n"),
    ("course/src/lib.rs", "pub const COURSE: &[&dyn Exercise] = &[\n    &exercise_02_last::EXERCISE,\n];\n"),
    ("book/src/SUMMARY.md", "# Summary\n\n- [02 Last](chapters/02-last.md)\n"),
];

/// A course with no exercise but its lists.
fn course() -> tempfile::TempDir {
    let place = tempfile::tempdir().expect("a folder");
    for folder in ["exercises", "solutions", "kernels/baselines", "course/src", "book/src/chapters"] {
        fs::create_dir_all(place.path().join(folder)).expect("a folder");
    }
    for (list, text) in LISTS {
        fs::write(place.path().join(list), text).expect("a list");
    }
    place
}

/// The exit code, and what it says.
fn new(place: &Path, name: &str) -> (Option<i32>, String) {
    let mut workshop = Command::new(env!("CARGO_BIN_EXE_workshop"));
    workshop.env("LC_ALL", "C.UTF-8");
    let output = workshop.args(["new", name]).current_dir(place).output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    (output.status.code(), said + &String::from_utf8_lossy(&output.stderr))
}

/// Every file below a folder.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() { files(&path, found) } else { found.push(path) }
    }
}

#[test]
fn an_exercise_has_its_own_name_everywhere_and_is_entered() {
    let place = course();
    let (code, said) = new(place.path(), "01-my-topic");
    assert_eq!(code, Some(0), "{said}");
    for next in ["cargo workshop bless 01-my-topic", "cargo workshop check 01-my-topic"] {
        assert!(said.contains(next), "{said}");
    }
    let mut found = Vec::new();
    files(place.path(), &mut found);
    assert!(found.len() > 20, "{found:?}");
    for file in &found {
        let text = fs::read_to_string(file).expect("text");
        let of_scaffold = |text: &str| text.to_lowercase().contains("scaffold");
        assert!(!of_scaffold(&text) && !of_scaffold(&file.display().to_string()), "{}", file.display());
    }
    let read = |name: &str| fs::read_to_string(place.path().join(name)).expect("a list");
    let entered = read("course/Cargo.toml");
    let line = "exercise-01-my-topic = { path = \"../exercises/01-my-topic\" }\n";
    assert!(entered.find(line) < entered.find("exercise-02") && entered.contains(line), "{entered}");
    assert!(read("course/src/lib.rs").contains("    &exercise_01_my_topic::EXERCISE,\n    &exercise_02"));
    assert!(read("book/src/SUMMARY.md").contains("- [01 HOLE: title](chapters/01-my-topic.md)\n- [02"));
}

#[test]
fn nothing_is_written_over() {
    let place = course();
    let taken = place.path().join("kernels/baselines/my_topic.cu");
    fs::write(&taken, "mine\n").expect("a file");
    let (code, said) = new(place.path(), "01-my-topic");
    assert!(code == Some(2) && said.contains("kernels/baselines/my_topic.cu is there already"), "{said}");
    assert_eq!(fs::read_to_string(taken).expect("it is kept"), "mine\n");
    assert!(!place.path().join("exercises/01-my-topic").exists());
    assert_eq!(new(place.path(), "my-topic").0, Some(2));
}
