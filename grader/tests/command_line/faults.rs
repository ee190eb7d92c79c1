//! Whatever breaks under the judge, the check ends as a judge error with exit code 3 and never as a grade;
//! the next check works, nothing is left running, and no temporary file stays.
//!
//! The failing GPUs are stand-ins for the NVIDIA driver (`faults/driver.c`), one for each way to fail.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::support::{Place, log, take};
use harness::exercise::{Exercise, On};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

const GRADER: &str = env!("CARGO_BIN_EXE_grader");

/// A place with a solution as `k.cu`, a folder for temporary files, and nothing in it yet.
fn place() -> Place {
    let place = Place::new();
    take(&place, "03-reduction/kernel.cu");
    fs::create_dir(place.path("temporary")).expect("a folder");
    place
}

/// A case that runs everywhere.
const EVERYWHERE: &str = "2";

/// The number of the case that is timed.
fn timed() -> String {
    let cases = reduction().cases();
    let timed = cases.iter().find(|case| case.on == On::GpuTimed).expect("one is timed");
    timed.index.to_string()
}

fn reduction() -> &'static dyn Exercise {
    *course::COURSE.iter().find(|exercise| exercise.id() == "03-reduction").expect("it is there")
}

fn check(place: &Place, device: &str) -> Command {
    check_case(place, device, EVERYWHERE)
}

fn check_case(place: &Place, device: &str, case: &str) -> Command {
    let mut command = Command::new(GRADER);
    command
        .args(["check", "3", "--kernel", "k.cu", "--case", case, "--format", "json", "--device", device])
        .env("TMPDIR", place.path("temporary"))
        .current_dir(place.path(""))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// What a check ended as: its exit code and its report, where it wrote one.
fn end(child: Child) -> (Option<i32>, Option<Value>) {
    let output = child.wait_with_output().expect("it was started");
    (output.status.code(), serde_json::from_slice(&output.stdout).ok())
}

/// The names of everything in a place.
pub fn everything(place: &Place) -> BTreeSet<PathBuf> {
    fn below(folder: &Path, into: &mut BTreeSet<PathBuf>) {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                below(&path, into);
            }
            into.insert(path);
        }
    }
    let mut names = BTreeSet::new();
    below(&place.path(""), &mut names);
    names
}

/// Process ids of the living children of a process.
pub fn children(parent: u32) -> Vec<Pid> {
    let stat = |id: i32| fs::read_to_string(format!("/proc/{id}/stat")).ok();
    let parent_of = |id: i32| -> Option<u32> {
        let stat = stat(id)?;
        let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
        let state = fields.next()?;
        (state != "Z").then(|| fields.next()?.parse().ok()).flatten()
    };
    fs::read_dir("/proc")
        .expect("Linux")
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok())
        .filter(|&id| parent_of(id) == Some(parent))
        .filter_map(Pid::from_raw)
        .collect()
}

pub fn alive(process: Pid) -> bool {
    let status = fs::read_to_string(format!("/proc/{}/status", process.as_raw_nonzero())).unwrap_or_default();
    status.lines().any(|line| line.starts_with("State:") && !line.contains('Z'))
}

#[track_caller]
fn no_grade(code: Option<i32>, report: Option<&Value>) {
    assert_eq!(code, Some(3), "{report:#?}");
    let report = report.expect("a report is written all the same");
    assert!(report["judge_error"].is_string(), "{report:#?}");
    assert_eq!(report["verdict"], "unmeasured", "{report:#?}");
}

/// A solution passes here, and leaves what was there.
#[track_caller]
fn the_next_check_works(place: &Place, before: &BTreeSet<PathBuf>) {
    let (code, report) = end(check(place, "sim").spawn().expect("the grader"));
    assert_eq!(code, Some(0), "{report:#?}");
    assert_eq!(&everything(place), before, "no temporary file stays");
}

#[test]
fn whenever_a_worker_is_killed_there_is_no_grade() {
    let place = place();
    let before = everything(&place);
    let mut killed = 0;
    // From before it was asked to when it has answered.
    for moment in 0..24 {
        let child = check(&place, "sim").spawn().expect("the grader");
        let deadline = Instant::now() + Duration::from_secs(20);
        let worker = loop {
            match children(child.id()).first() {
                Some(worker) => break *worker,
                None => assert!(Instant::now() < deadline, "no worker"),
            }
        };
        thread::sleep(Duration::from_millis(5 * moment));
        // It may have done its work by now; then another may be there, or none.
        let worker = children(child.id()).first().copied().unwrap_or(worker);
        let hit = alive(worker) && kill_process(worker, Signal::KILL).is_ok();
        let (code, report) = end(child);
        match code {
            // The one that was killed had answered already.
            Some(0) => {}
            _ => {
                assert!(hit);
                no_grade(code, report.as_ref());
                killed += 1;
            }
        }
    }
    assert!(killed >= 3, "too few were killed at work: {killed}");
    the_next_check_works(&place, &before);
}

/// Two of these wait, one for half a minute and one for a whole one, while this machine does nothing: so all go side by side.
#[test]
fn what_fails_or_never_answers_gives_no_grade() {
    thread::scope(|scope| {
        scope.spawn(a_driver_that_never_returns_gives_no_grade);
        scope.spawn(a_worker_that_cannot_be_ended_gives_no_grade);
        a_gpu_that_fails_gives_no_grade();
    });
}

fn a_worker_that_cannot_be_ended_gives_no_grade() {
    let place = place();
    let before = everything(&place);
    for attempt in 0.. {
        let child = check(&place, "sim").spawn().expect("the grader");
        let deadline = Instant::now() + Duration::from_secs(20);
        let held = loop {
            assert!(Instant::now() < deadline, "no worker");
            let held = children(child.id()).first().map(|&worker| {
                let held = crate::traced::Held::new(worker.as_raw_nonzero().get())?;
                kill_process(worker, Signal::KILL)?;
                Ok::<_, std::io::Error>(held)
            });
            // It may have ended since it was seen.
            if let Some(Ok(held)) = held {
                break held;
            }
        };
        let (code, report) = end(child);
        drop(held);
        // It may have answered before it was killed; then its end concerns nobody.
        if code == Some(0) && attempt < 10 {
            continue;
        }
        no_grade(code, report.as_ref());
        let why = report.expect("a report")["judge_error"].to_string();
        assert!(why.contains("was killed and did not go") && why.contains("nvidia-smi"), "{why}");
        break;
    }
    the_next_check_works(&place, &before);
}

#[test]
fn whenever_the_judge_is_killed_nothing_is_left() {
    let place = place();
    let before = everything(&place);
    for moment in [0, 5, 20, 40, 60, 80, 120, 160] {
        let mut child = check(&place, "sim").spawn().expect("the grader");
        thread::sleep(Duration::from_millis(moment));
        let workers = children(child.id());
        child.kill().expect("it is ours");
        child.wait().expect("it was ours");
        let deadline = Instant::now() + Duration::from_secs(10);
        while workers.iter().any(|worker| alive(*worker)) {
            assert!(Instant::now() < deadline, "a worker outlives its judge");
            thread::sleep(Duration::from_millis(5));
        }
        assert_eq!(everything(&place), before, "killed after {moment} ms");
    }
    the_next_check_works(&place, &before);
}

#[test]
fn where_nothing_can_be_written_there_is_no_grade() {
    let place = place();
    let before = everything(&place);
    // No file may grow, nor the memory that judge and workers share: a full disk and more.
    let full = |arguments: &str| {
        let mut command = Command::new("sh");
        command.args(["-c", &format!("trap '' XFSZ; ulimit -f 0; exec {GRADER} {arguments}")]);
        command.current_dir(place.path(""));
        place.given(command)
    };
    let given = full("check 3 --kernel k.cu --device sim --format json");
    let report: Option<Value> = serde_json::from_str(&given.out).ok();
    no_grade(Some(given.code), report.as_ref());
    let given = full("init course");
    assert_eq!(given.code, 3, "{}", given.all());
    assert!(given.err.contains("could not") && given.err.contains("next:"), "{}", given.all());
    fs::remove_dir_all(place.path("course")).expect("it was begun");
    the_next_check_works(&place, &before);
}

/// Builds the stand-in driver and gives its folder.
pub fn driver(place: &Place, flags: &[&str]) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/command_line/faults/driver.c");
    let folder = place.path("driver");
    fs::create_dir_all(&folder).expect("a folder");
    for old in fs::read_dir(&folder).expect("a folder") {
        fs::remove_file(old.expect("an entry").path()).expect("ours");
    }
    let built = Command::new("cc")
        .args(["-shared", "-fPIC", "-O1", "-o"])
        .arg(folder.join("libcuda.so"))
        .args(flags)
        .arg(source)
        .arg("-ldl")
        .status()
        .expect("a C compiler, which linking Rust takes too");
    assert!(built.success());
    folder
}

/// Keeps thresholds for the stand-in in a cache of the place's own, so that no check measures any.
fn calibrated(place: &Place) {
    let cache = place.path("cache");
    fs::create_dir_all(cache.join("speed")).expect("a folder");
    // The compiler may be in the real one.
    let real = harness::toolchain::cache_folder().expect("a home");
    for entry in fs::read_dir(real).into_iter().flatten().flatten() {
        if entry.file_name() != "speed" {
            std::os::unix::fs::symlink(entry.path(), cache.join(entry.file_name())).expect("a link");
        }
    }
    let known = course::COURSE.iter().map(|exercise| {
        let calibrated = serde_json::json!({
            "date": "2026-11-23", "compiler": "", "measured": grader::calibrate::hash(*exercise),
            "pass_speedup": null, "expert_speedup": 1.2, "expert_roof_share": null, "kernels": []
        });
        (exercise.id().to_owned(), calibrated)
    });
    let exercises: serde_json::Map<String, Value> = known.collect();
    let kept = serde_json::json!({ "driver": "", "model": { "name": "Stand-in", "exercises": exercises } });
    fs::write(cache.join("speed/Stand-in_.json"), kept.to_string()).expect("a file");
}

fn with_driver(place: &Place, flags: &[&str]) -> (Option<i32>, Option<Value>) {
    case_with_driver(place, EVERYWHERE, flags)
}

fn case_with_driver(place: &Place, case: &str, flags: &[&str]) -> (Option<i32>, Option<Value>) {
    let folder = driver(place, flags);
    let mut check = check_case(place, "gpu", case);
    if place.path("cache").is_dir() {
        check.env("CUDA_GRADER_CACHE", place.path("cache"));
    }
    end(check.env("LD_LIBRARY_PATH", folder).spawn().expect("the grader"))
}

/// "Unspecified launch failure", as it looks where a kernel did it.
const KERNELS_FAULT: [&str; 2] = ["-DFAULTS_IN=\"reduce_max\"", "-DWITH=719"];

fn a_gpu_that_fails_gives_no_grade() {
    let place = place();
    driver(&place, &[]);
    let before = everything(&place);
    // CUDA_ERROR_DEVICE_UNAVAILABLE, _OUT_OF_MEMORY, _SYSTEM_NOT_READY, _ECC_UNCORRECTABLE, _UNKNOWN.
    for (what, error) in [
        ("init", "46"),
        ("allocate", "2"),
        ("load", "802"),
        ("upload", "999"),
        ("launch", "46"),
        ("query", "214"),
        ("query", "999"),
        ("download", "999"),
    ] {
        let (code, report) = with_driver(&place, &[&format!("-DFAILS={what}"), &format!("-DWITH={error}")]);
        no_grade(code, report.as_ref());
        // Not for want of the stand-in: it was asked, and said what it was told to.
        let why = report.expect("a report")["judge_error"].to_string();
        assert!(why.contains("CUDA_ERROR_") || why.contains("GPU memory"), "{what} {error}: {why}");
    }
    the_next_check_works(&place, &before);
}

#[test]
fn a_kernels_fault_is_its_own_only_where_the_gpu_is_well() {
    let place = place();
    calibrated(&place);
    // A look at the machine and the worker start the driver; the look after the fault finds no GPU.
    let gone = [&KERNELS_FAULT[..], &["-DGONE_AFTER=2"]].concat();
    // Whatever runs fails, also what is known to be good.
    let broken = ["-DFAILS=query", "-DWITH=719"];
    for case in [EVERYWHERE, &timed()] {
        let (code, report) = case_with_driver(&place, case, &KERNELS_FAULT);
        assert_eq!(code, Some(1), "case {case}: {report:#?}");
        let (code, report) = case_with_driver(&place, case, &gone);
        no_grade(code, report.as_ref());
        let why = report.expect("a report")["judge_error"].to_string();
        assert!(why.contains("went away"), "case {case}: {why}");
        let (code, report) = case_with_driver(&place, case, &broken);
        no_grade(code, report.as_ref());
        let why = report.expect("a report")["judge_error"].to_string();
        assert!(why.contains("known to be good") || why.contains("CUDA_ERROR_"), "case {case}: {why}");
    }
}

#[test]
fn a_gpu_that_fails_while_it_times_gives_no_grade() {
    let place = place();
    calibrated(&place);
    driver(&place, &[]);
    let before = everything(&place);
    // A run takes four launches, the reference kernel's after it as many. So the tenth is in the run after
    // the one that checks the kernel: the first that is timed.
    let [kernel, fault] = KERNELS_FAULT;
    let (code, report) = case_with_driver(&place, &timed(), &[kernel, fault, "-DAFTER=9"]);
    assert_eq!(code, Some(1), "{report:#?}");
    // The machine, the kernel's worker and the baseline's start the driver; the look
    // after the fault finds no GPU.
    let (code, report) = case_with_driver(&place, &timed(), &[kernel, fault, "-DAFTER=9", "-DGONE_AFTER=3"]);
    no_grade(code, report.as_ref());
    let why = report.expect("a report")["judge_error"].to_string();
    assert!(why.contains("went away"), "{why}");
    // CUDA_ERROR_DEVICE_UNAVAILABLE, _ECC_UNCORRECTABLE, _SYSTEM_NOT_READY, _UNKNOWN.
    for (what, error, after) in
        [("launch", "46", 60), ("query", "214", 60), ("upload", "802", 20), ("download", "999", 20)]
    {
        let flags = [format!("-DFAILS={what}"), format!("-DWITH={error}"), format!("-DAFTER={after}")];
        let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
        let (code, report) = case_with_driver(&place, &timed(), &flags);
        no_grade(code, report.as_ref());
        let why = report.expect("a report")["judge_error"].to_string();
        assert!(why.contains("CUDA_ERROR_"), "{what} {error}: {why}");
    }
    the_next_check_works(&place, &before);
}

/// On a GPU that nobody has measured on, the course's own kernels are timed before the learner's. Where they fail, no
/// grade is given, and nothing is kept that the next check would believe.
#[test]
fn a_gpu_that_fails_while_it_is_calibrated_gives_no_grade() {
    let place = place();
    calibrated(&place);
    let kept = place.path("cache/speed/Stand-in_.json");
    fs::remove_file(&kept).expect("it was made");
    let [kernel, fault] = KERNELS_FAULT;
    // The stand-in computes nothing, so that even the solution is wrong on it; or it fails in one of several ways.
    let ways: [&[&str]; 4] = [
        &[],
        &[kernel, fault],
        &["-DFAILS=query", "-DWITH=214"],
        &["-DFAILS=upload", "-DWITH=802", "-DAFTER=20"],
    ];
    for flags in ways {
        let (code, report) = case_with_driver(&place, &timed(), flags);
        no_grade(code, report.as_ref());
        let why = report.expect("a report")["judge_error"].to_string();
        assert!(why.contains("the course's own kernels don't work on Stand-in"), "{flags:?}: {why}");
        assert!(!kept.exists(), "{flags:?}");
    }
}

/// What is kept for this GPU is asked for; `--recalibrate` measures it all the same. That the stand-in, which computes
/// nothing, can't be measured shows that it was tried; and what was kept is still kept.
#[test]
fn what_is_kept_is_measured_again_only_where_that_is_asked_for() {
    let place = place();
    calibrated(&place);
    let kept = place.path("cache/speed/Stand-in_.json");
    let before = fs::read(&kept).expect("it was made");
    let gpu = driver(&place, &KERNELS_FAULT);
    let checked = |more: &[&str]| {
        let mut check = check_case(&place, "gpu", &timed());
        check.args(more).env("CUDA_GRADER_CACHE", place.path("cache")).env("LD_LIBRARY_PATH", &gpu);
        end(check.spawn().expect("the grader"))
    };
    let (code, report) = checked(&[]);
    assert_eq!(code, Some(1), "{report:#?}");
    let notes = report.expect("a report")["notes"].to_string();
    assert!(notes.contains("the speed goals are for Stand-in, as measured on 2026-11-23"), "{notes}");
    let (code, report) = checked(&["--recalibrate"]);
    no_grade(code, report.as_ref());
    let why = report.expect("a report")["judge_error"].to_string();
    assert!(why.contains("the course's own kernels don't work on Stand-in"), "{why}");
    assert_eq!(fs::read(&kept).expect("it is still there"), before);
}

/// What `score` asked of speed stands in the results, which a later run takes it from, and on the page; it is known
/// before the first kernel is judged.
#[test]
fn a_score_records_the_thresholds_that_it_used() {
    let place = place();
    calibrated(&place);
    // What is asked stands there whatever was handed in; this is judged in no time.
    place.write("class/ada/03-reduction/kernel.cu", "no kernel\n");
    let gpu = driver(&place, &[]);
    let score = |out: &str, more: &[&str]| {
        let mut command = Command::new(GRADER);
        command
            .args(["score", "class", "--device", "gpu", "--seed", "7", "--out", out])
            .args(more)
            .env("LD_LIBRARY_PATH", &gpu)
            .env("CUDA_GRADER_CACHE", place.path("cache"))
            .current_dir(place.path(""));
        place.given(command)
    };
    let recorded = |out: &str| {
        let last = log(&place, out).into_iter().rfind(|entry| entry["what"] == "began");
        last.expect("it began")["header"]["speed"]["03-reduction"].clone()
    };
    let page = |out: &str| fs::read_to_string(place.path(out).join("report.html")).expect("a page");

    let given = score("kept", &[]);
    assert!(place.path("kept/results.sqlite").is_file(), "{}", given.all());
    let asked = recorded("kept");
    assert_eq!(asked["goals"]["expert_speedup"], 1.2, "{}", given.all());
    let note = "the speed goals are for Stand-in, as measured on 2026-11-23";
    assert_eq!(asked["note"], note);
    assert!(page("kept").contains("expert 1.20") && page("kept").contains(note));

    // Another threshold since: what was begun with the first goes on with it.
    let kept = place.path("cache/speed/Stand-in_.json");
    let text = fs::read_to_string(&kept).expect("it was made").replace("1.2", "1.4");
    fs::write(&kept, text).expect("ours");
    score("kept", &[]);
    assert_eq!(recorded("kept"), asked);
    assert!(page("kept").contains("expert 1.20"), "what is judged is what was asked at the beginning");
    score("anew", &[]);
    assert_eq!(recorded("anew")["goals"]["expert_speedup"], 1.4);

    // None is known: it is measured first. On the stand-in nothing can be, so nothing is judged, and the next run may
    // begin in the same folder.
    fs::remove_file(&kept).expect("ours");
    for _ in 0..2 {
        let given = score("none", &[]);
        assert_eq!(given.code, 3, "{}", given.all());
        assert!(given.err.contains("the course's own kernels don't work on Stand-in"), "{}", given.err);
        assert!(!place.path("none/results.sqlite").exists());
    }
}

/// Over a minute: the time that an honest driver may take.
fn a_driver_that_never_returns_gives_no_grade() {
    let place = place();
    driver(&place, &[]);
    let before = everything(&place);
    let (code, report) = with_driver(&place, &["-DHANGS=launch"]);
    no_grade(code, report.as_ref());
    the_next_check_works(&place, &before);
}

#[test]
fn a_driver_that_lets_kernels_read_host_memory_is_named() {
    let place = place();
    let folder = driver(&place, &["-DHMM"]);
    let mut doctor = Command::new(GRADER);
    doctor.arg("doctor").env("LD_LIBRARY_PATH", &folder).current_dir(place.path(""));
    let given = place.given(doctor);
    assert!(given.out.contains("HMM") && given.out.contains("uvm_disable_hmm=1"), "{}", given.all());
    // A stand-in computes nothing, so the kernel is wrong; what is asked is that the report says it.
    let (_, report) = with_driver(&place, &["-DHMM"]);
    let report = report.expect("a report");
    assert!(report["notes"].to_string().contains("memory of the worker's process"), "{report:#?}");
}
