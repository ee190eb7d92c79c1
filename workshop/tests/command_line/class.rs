//! `workshop class`: that it leaves nothing behind when it is asked to end, and that it compares all that two judges say.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::Path,
    process::Command,
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process, test_kill_process};

/// Making a class of one exercise takes a while on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

fn waited_for<T>(what: &str, look: impl Fn() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(begun.elapsed() < PATIENCE, "{what}");
        thread::sleep(Duration::from_millis(20));
    }
}

/// A program that says its number and does not end, in the place of the one that scores.
fn endless(place: &Path) -> std::path::PathBuf {
    let program = place.join("endless");
    let said = place.join("number");
    let text = format!("#!/bin/sh\necho $$ >{0}.new\nmv {0}.new {0}\nexec sleep 600\n", said.display());
    fs::write(&program, text).expect("a file");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("a program");
    program
}

#[test]
fn who_ends_it_ends_the_program_that_scores() {
    let place = tempfile::tempdir().expect("a folder");
    let program = endless(place.path());
    let temporary = place.path().join("temporary");
    fs::create_dir(&temporary).expect("a folder");
    let mut workshop = Command::new(env!("CARGO_BIN_EXE_workshop"))
        .args(["class", "00-first-kernel", "--students", "1", "--program"])
        .arg(&program)
        .env("TMPDIR", &temporary)
        .spawn()
        .expect("it runs");
    let number = waited_for("the program that scores begins", || {
        let text = fs::read_to_string(place.path().join("number")).ok()?;
        Pid::from_raw(text.trim().parse().ok()?)
    });
    assert!(test_kill_process(number).is_ok(), "it is at work");
    kill_process(Pid::from_child(&workshop), Signal::TERM).expect("it is asked to end");
    let begun = Instant::now();
    let ended = loop {
        if let Some(ended) = workshop.try_wait().expect("it is ours") {
            break ended;
        }
        assert!(begun.elapsed() < PATIENCE, "it ends");
        thread::sleep(Duration::from_millis(20));
    };
    assert_eq!(ended.code(), Some(3), "{ended}");
    assert!(test_kill_process(number).is_err(), "the program that scores is gone");
    assert_eq!(fs::read_dir(&temporary).expect("a folder").count(), 0, "and so is the class");
}

/// The grader beside the workshop, and one that says something else of a single kernel.
fn another_grader(place: &Path) -> (std::path::PathBuf, std::path::PathBuf) {
    let grader = Path::new(env!("CARGO_BIN_EXE_workshop")).with_file_name("grader");
    let other = place.join("other");
    let text = format!(
        "#!/bin/sh\ncase \"$*\" in\n  *report*steps-*) {0} \"$@\" | sed s/passed/failed/;;\n  *) exec {0} \"$@\";;\nesac\n",
        grader.display()
    );
    fs::write(&other, text).expect("a file");
    fs::set_permissions(&other, fs::Permissions::from_mode(0o755)).expect("a program");
    (grader, other)
}

#[test]
fn a_judge_that_says_something_else_of_any_kernel_is_found() {
    let place = tempfile::tempdir().expect("a folder");
    let (grader, other) = another_grader(place.path());
    let output = Command::new(env!("CARGO_BIN_EXE_workshop"))
        .args(["class", "00-first-kernel", "--all", "--program"])
        .arg(&grader)
        .arg("--against")
        .arg(&other)
        .output()
        .expect("it runs");
    let said = String::from_utf8_lossy(&output.stdout);
    let kernels = fs::read_dir("../solutions/00-first-kernel/wrong").expect("wrong kernels").count();
    assert!(said.matches("differs").count() >= 1, "{said}");
    assert!(
        said.lines().filter(|line| line.ends_with("differs")).all(|line| line.contains("steps-")),
        "{said}"
    );
    assert_eq!(output.status.code(), Some(1), "{said}");
    let compared: usize = said.lines().last().unwrap().split(' ').next().unwrap().parse().expect("a number");
    assert!(compared > kernels + 10, "{said}");
}
