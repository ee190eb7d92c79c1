//! Ctrl-C, `kill` and a terminal that is closed amid a learner's commands: an exit code, a sentence with the next step, and
//! nothing half done.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process};

use crate::{
    faults::{alive, children, everything},
    support::{Place, take},
    terminal::{CTRL_C, PATIENCE, Session},
};

const SIGNALS: [Signal; 3] = [Signal::INT, Signal::HUP, Signal::TERM];
/// What ends with a signal that it heard.
pub const INTERRUPTED: i32 = 130;

/// A command that was begun, and that hears signals now or has ended.
struct Begun(Child);

impl Begun {
    fn new(folder: &Path, arguments: &[&str]) -> Self {
        // The test itself may have been started with signals that are ignored.
        let mut command = Command::new("env");
        command.args(["--default-signal=HUP,INT,TERM", env!("CARGO_BIN_EXE_grader")]).args(arguments);
        command.env_remove("CARGO").env("LC_ALL", "C.UTF-8").current_dir(folder);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the grader");
        let mut begun = Begun(child);
        let since = Instant::now();
        while !begun.hears() && begun.0.try_wait().expect("it is ours").is_none() {
            assert!(since.elapsed() < PATIENCE, "it hears no signal");
            thread::sleep(Duration::from_micros(200));
        }
        begun
    }

    /// Whether it catches SIGINT.
    fn hears(&self) -> bool {
        let status = fs::read_to_string(format!("/proc/{}/status", self.0.id())).unwrap_or_default();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        let caught = caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
        caught >> (Signal::INT.as_raw() - 1) & 1 == 1
    }

    /// Its first worker.
    fn worker(&self) -> Pid {
        let since = Instant::now();
        loop {
            if let Some(worker) = children(self.0.id()).first() {
                return *worker;
            }
            assert!(since.elapsed() < PATIENCE, "no worker");
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// Sends the signal, and waits for the end: the exit code, and what was said.
    fn interrupted(self, signal: Signal) -> (Option<i32>, String) {
        // It may have ended.
        let _ = kill_process(Pid::from_child(&self.0), signal);
        let output = self.0.wait_with_output().expect("it was started");
        (output.status.code(), String::from_utf8(output.stderr).expect("text"))
    }
}

#[track_caller]
fn assert_told(given: &(Option<i32>, String), what: &str, next: &str) {
    let (code, said) = given;
    assert_eq!(*code, Some(INTERRUPTED), "{said}");
    assert!(said.contains(&format!("error: interrupted{what}")), "{said}");
    assert!(said.contains(&format!(" next: {next}")), "{said}");
}

/// No part of a file is left.
#[track_caller]
fn assert_no_parts(place: &Place) {
    let is_part = |path: &PathBuf| path.to_string_lossy().ends_with(".part");
    assert_eq!(everything(place).into_iter().find(is_part), None);
}

fn solution() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../solutions/03-reduction/kernel.cu");
    fs::read_to_string(path).expect("the solution")
}

/// Rounds of which no two are the same, so that the judge goes on to the end of its budget.
fn endless() -> String {
    solution().replace(
        "__syncthreads();",
        "for (unsigned turn = 0; turn < 4000000000u; ++turn) { atomicAdd(&out[0], 1.0f); }",
    )
}

fn course() -> Place {
    let place = Place::new();
    assert_eq!(place.grader(&["init", "course"]).code, 0);
    place
}

#[test]
fn a_check_that_is_interrupted_keeps_nothing() {
    let place = course();
    place.write("course/03-reduction/kernel.cu", endless());
    let (before, record) = (everything(&place), fs::read(place.path("course/.course.json")).unwrap());
    for signal in SIGNALS {
        let begun = Begun::new(&place.path("course"), &["check", "03", "--device", "sim"]);
        let worker = begun.worker();
        let given = begun.interrupted(signal);
        assert_told(
            &given,
            " before the check was complete",
            "`grader check 03 --device sim` checks again\n",
        );
        let since = Instant::now();
        while alive(worker) {
            assert!(since.elapsed() < PATIENCE, "a worker is left");
            thread::sleep(Duration::from_millis(5));
        }
        assert_eq!(everything(&place), before);
        assert_eq!(fs::read(place.path("course/.course.json")).unwrap(), record);
    }
}

/// In a terminal the sentence has lines of its own, and the terminal is as it was.
#[test]
fn ctrl_c_ends_a_check_in_a_terminal() {
    let place = course();
    place.write("course/03-reduction/kernel.cu", endless());
    let mut session = Session::start(&place.path("course"), &["check", "03", "--device", "sim"]);
    session.awaited("cases on sim");
    session.press(CTRL_C);
    let screen = session.awaited_all(&["error: interrupted before the check", "checks again"]);
    // A row that is full goes on in the next, where the terminal shows `^C`: both are one line here.
    let begins_a_row = |line: &str| {
        line.split_once("error: interrupted").is_some_and(|(before, _)| before.chars().count() % 80 == 0)
    };
    assert!(screen.lines().any(begins_a_row), "{screen}");
    session.ended_with(INTERRUPTED as u32);
}

#[test]
fn a_run_that_is_interrupted_says_so() {
    let place = Place::new();
    place.write(
        "k.cu",
        "extern \"C\" __global__ void k(int *out) {\n    \
         for (unsigned turn = 0; turn < 4000000000u; ++turn) { atomicAdd(&out[0], 1); }\n}\n",
    );
    let before = everything(&place);
    for signal in SIGNALS {
        let call = "run k.cu --entry k --grid 1 --block 32 --arg out:i32:32 --device sim";
        let begun = Begun::new(&place.path(""), &call.split(' ').collect::<Vec<_>>());
        begun.worker();
        let given = begun.interrupted(signal);
        assert_told(&given, " before the run was complete", &format!("`grader {call}` runs it again\n"));
        assert_eq!(everything(&place), before);
    }
}

/// A run that takes long says for how long already, and how to end it: in a terminal, and where there is none.
#[test]
fn a_run_that_takes_long_says_so_and_how_to_end_it() {
    let place = Place::new();
    place.write(
        "k.cu",
        "extern \"C\" __global__ void k(int *out) {\n    \
         for (unsigned turn = 0; turn < 4000000000u; ++turn) { atomicAdd(&out[0], 1); }\n}\n",
    );
    let call = "run k.cu --entry k --grid 1 --block 32 --arg out:i32:32 --device sim --budget 2000000000";
    let words: Vec<&str> = call.split(' ').collect();
    let begun = Begun::new(&place.path(""), &words);
    let mut session = Session::sized(&place.path(""), &words, (60, 24));
    session.awaited("running on the simulator, ");
    let screen = session.awaited_all(&["note: ", "`--budget 200000000`", "running on the simulator, 1"]);
    let said = screen.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("note: running on the simulator for 10 s so far; Ctrl-C stops it"), "{screen}");
    session.press(CTRL_C);
    session.awaited("error: interrupted");
    session.ended_with(INTERRUPTED as u32);
    // The other one may have begun to run a little later.
    thread::sleep(Duration::from_secs(5));
    let given = begun.interrupted(Signal::TERM);
    assert_told(&given, " before the run was complete", &format!("`grader {call}` runs it again\n"));
    let (note, rest) = given.1.split_once('\n').expect("a note");
    assert!(
        note.starts_with(
            "note: running on the simulator for 10 s so far; Ctrl-C stops it, and a launch ends by itself"
        ),
        "{note}"
    );
    assert!(rest.starts_with("error: interrupted") || rest.starts_with("note: "), "{rest}");
}

/// The kernels of a course folder, by exercise.
fn kernels(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let exercises = fs::read_dir(folder).into_iter().flatten().flatten();
    let kernel = |exercise: fs::DirEntry| {
        let text = fs::read(exercise.path().join("kernel.cu")).ok()?;
        Some((PathBuf::from(exercise.file_name()), text))
    };
    exercises.filter_map(kernel).collect()
}

#[test]
fn what_init_wrote_is_whole_whenever_it_is_interrupted() {
    let place = Place::new();
    assert_eq!(place.grader(&["init", "whole"]).code, 0);
    let whole = kernels(&place.path("whole"));
    let mut interrupted = 0;
    for (pause, signal) in [0, 1, 2, 5, 10, 20, 40].into_iter().zip(SIGNALS.into_iter().cycle()) {
        let name = format!("after-{pause}");
        let begun = Begun::new(&place.path(""), &["init", &name]);
        thread::sleep(Duration::from_millis(pause));
        let given = begun.interrupted(signal);
        if given.0 != Some(0) {
            interrupted += 1;
            assert_told(
                &given,
                "; every file that is there is whole",
                &format!("`grader init {name}` writes"),
            );
        }
        assert_no_parts(&place);
        for (exercise, text) in kernels(&place.path(&name)) {
            assert!(text == whole[&exercise], "{} is not whole", exercise.to_string_lossy());
        }
        // The next step works.
        let again = place.grader(&["init", &name]);
        assert_eq!(again.code, 0, "{}", again.all());
        assert!(kernels(&place.path(&name)) == whole, "{}", again.all());
    }
    assert!(interrupted > 0, "it was never in time");
}

#[test]
fn reset_loses_no_kernel_whenever_it_is_interrupted() {
    let place = course();
    let folder = place.path("course");
    let kernel = folder.join("03-reduction/kernel.cu");
    let stub = fs::read(&kernel).unwrap();
    fs::write(&kernel, "mine").unwrap();
    // While it waits for another program that writes the record.
    for signal in SIGNALS {
        let other = File::open(&folder).unwrap();
        other.lock().unwrap();
        let given = Begun::new(&folder, &["reset", "03"]).interrupted(signal);
        drop(other);
        assert_told(
            &given,
            "; your kernel is where it was, or beside the stub",
            "`grader reset 03` goes on\n",
        );
        assert_eq!(fs::read(&kernel).unwrap(), b"mine");
    }
    // While it works.
    for pause in [0, 500, 1000, 2000, 4000, 8000] {
        let mine = format!("mine, after {pause}");
        fs::write(&kernel, &mine).unwrap();
        let begun = Begun::new(&folder, &["reset", "03"]);
        thread::sleep(Duration::from_micros(pause));
        let (code, said) = begun.interrupted(Signal::INT);
        assert!([Some(0), Some(INTERRUPTED)].contains(&code), "{code:?}: {said}");
        let set_aside = everything(&place).into_iter().filter(|path| {
            path.to_string_lossy().contains("before-reset") && fs::read(path).unwrap() == mine.as_bytes()
        });
        match set_aside.count() {
            0 => assert_eq!(fs::read(&kernel).unwrap(), mine.as_bytes()),
            count => assert!(count == 1 && fs::read(&kernel).unwrap() == stub),
        }
        assert_no_parts(&place);
    }
}

/// As large as a kernel may be, and hard to pack, so that packing takes a while.
fn noise(seed: u64) -> String {
    let mut state = seed;
    let mut text = String::from("// ");
    while text.len() < 1_000_000 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        text.push_str(&format!("{:016x}", state ^ state >> 29));
    }
    text
}

#[test]
fn a_submission_is_the_old_one_or_whole() {
    let place = course();
    take(&place, "03-reduction/kernel.cu");
    fs::rename(place.path("k.cu"), place.path("course/03-reduction/kernel.cu")).unwrap();
    assert_eq!(place.grader_in("course", &["submit"]).code, 0);
    let archive = place.path("course/submission.zip");
    let old = fs::read(&archive).unwrap();
    for (seed, exercise) in (1..).zip(course::COURSE) {
        place.write(&format!("course/{}/kernel.cu", exercise.id()), noise(seed));
    }
    for signal in SIGNALS {
        let given = Begun::new(&place.path("course"), &["submit"]).interrupted(signal);
        assert_told(&given, "; the archive is as it was before, or whole", "`grader submit` packs again\n");
        assert!(fs::read(&archive).unwrap() == old, "it was packed already: {}", given.1);
        assert_no_parts(&place);
    }
}
