//! Whatever a worker does, the judge gets an answer or a failure that says what happened, and goes on.

use std::{
    env, fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{self, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process};

use harness::worker::{
    Limits, Worker, WorkerFailure, WorkerKind, call_with,
    probe::{Probe, ProbeOutcome, probe},
    standby,
};

mod traced;

#[test]
fn __worker() {
    if let Some(note) = env::var_os(LEAVES) {
        leave_a_child_behind(Path::new(&note));
    }
    harness::worker::intercept();
}

/// Set in a worker that is to exit at once and leave a process behind; where it writes that process's id.
const LEAVES: &str = "WORKER_TEST_LEAVES";

fn leave_a_child_behind(note: &Path) {
    let child = Command::new("sleep").arg("60").stdin(Stdio::null()).spawn().expect("a process");
    fs::write(note, child.id().to_string()).expect("a note");
    process::exit(7);
}

/// Not a test of its own: [`what_a_worker_started_ends_with_it`] runs it with another environment.
#[test]
#[ignore = "a helper"]
fn judge_of_a_worker_that_leaves_a_child() {
    let limits = Limits { environment: vec![LEAVES.to_owned(), "PATH".to_owned()], ..limits() };
    let failure = probe(&Probe::Nothing, &limits).expect_err("it exits at once");
    assert!(matches!(failure, WorkerFailure::Exited { code: 7, .. }), "{failure}");
    let child = fs::read_to_string(env::var_os(LEAVES).expect("it is set")).expect("a note");
    let deadline = Instant::now() + Duration::from_secs(10);
    while running(Path::new(&format!("/proc/{child}"))) {
        assert!(Instant::now() < deadline, "process {child} outlives the worker that started it");
        thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn what_a_worker_started_ends_with_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let judge = Command::new(env::current_exe().expect("this test"))
        .args(["--ignored", "--exact", "judge_of_a_worker_that_leaves_a_child"])
        .env(LEAVES, folder.path().join("child"))
        .output()
        .expect("a judge");
    assert!(judge.status.success(), "{}", String::from_utf8_lossy(&judge.stdout));
}

fn limits() -> Limits {
    Limits::simulate(512 << 20, 60, 60)
}

/// Asks for the failure, then checks that the next call works.
fn failure(of: &Probe, limits: &Limits) -> WorkerFailure {
    let failure = probe(of, limits).expect_err("the probe was to fail");
    let next = probe(&Probe::Nothing, &self::limits()).expect("the next call works");
    assert_eq!(next.value, Ok(Vec::new()));
    failure
}

/// Who keeps the next workers ready waits for none that it is done with, until it says so.
#[test]
fn workers_that_nobody_waits_for_are_gone_once_it_has_settled() {
    let judge = thread::spawn(|| {
        standby::keep();
        let started: Vec<Worker> =
            (0..3).map(|_| Worker::start(WorkerKind::Probe, &limits()).expect("a worker")).collect();
        let processes: Vec<PathBuf> =
            started.iter().map(|worker| PathBuf::from(format!("/proc/{}", worker.id()))).collect();
        assert!(processes.iter().all(|process| process.exists()));
        drop(started);
        standby::settle();
        // Not even a zombie.
        assert!(processes.iter().all(|process| !process.exists()), "{processes:?}");
        standby::settle();
    });
    judge.join().expect("no panic");
}

#[test]
fn a_crash_is_named() {
    let failure = failure(&Probe::Abort, &limits());
    assert!(matches!(failure, WorkerFailure::Crashed { signal: 6, .. }), "{failure}");
    assert!(failure.is_of_the_input());
}

#[test]
fn a_panic_is_named_and_is_nobody_elses_fault() {
    let failure = failure(&Probe::Panic, &limits());
    assert!(failure.to_string().contains("a panic was asked for"), "{failure}");
    assert!(!failure.is_of_the_input());
}

#[test]
fn a_hang_ends_at_the_wall_limit() {
    let start = Instant::now();
    let failure = failure(&Probe::Hang, &Limits { wall_seconds: 1, ..limits() });
    assert!(matches!(failure, WorkerFailure::WallLimit { limit_seconds: 1, cpu_seconds: 0 }), "{failure}");
    assert!(start.elapsed() < Duration::from_secs(20));
    assert!(!failure.is_of_the_input(), "a busy machine is nobody's fault");
}

#[test]
fn who_is_killed_from_outside_did_not_use_too_much() {
    let mut worker = Worker::start(WorkerKind::Probe, &limits()).expect("a worker");
    let process = Pid::from_raw(i32::try_from(worker.id()).expect("a process id")).expect("not 0");
    let killer = thread::spawn(move || {
        thread::sleep(Duration::from_millis(300));
        kill_process(process, Signal::KILL).expect("it is our child");
    });
    let failure = worker.ask::<_, ProbeOutcome>(&Probe::Hang, &[]).expect_err("it was killed");
    killer.join().expect("it only kills");
    assert!(matches!(failure, WorkerFailure::Killed), "{failure}");
    assert!(!failure.is_of_the_input(), "the system short of memory kills whom it likes");
}

#[test]
fn where_memory_runs_out_a_worker_goes_and_not_the_judge() {
    let mut worker = Worker::start(WorkerKind::Probe, &limits()).expect("a worker");
    worker.ask::<_, ProbeOutcome>(&Probe::Nothing, &[]).expect("an answer").value.expect("nothing to fail");
    let score = fs::read_to_string(format!("/proc/{}/oom_score_adj", worker.id())).expect("it lives");
    assert_eq!(score.trim(), "1000");
}

#[test]
fn an_endless_computation_ends_at_the_processor_limit() {
    let failure = failure(&Probe::Spin, &Limits { cpu_seconds: 1, ..limits() });
    assert!(matches!(failure, WorkerFailure::CpuLimit { limit_seconds: 1 }), "{failure}");
}

#[test]
fn too_much_memory_is_named() {
    let failure = failure(&Probe::Allocate(1 << 30), &limits());
    assert!(matches!(failure, WorkerFailure::OutOfMemory { .. }), "{failure}");
    assert_eq!(failure.to_string(), "stopped: it needed more than 536 MB of memory");
}

#[test]
fn a_machine_smaller_than_the_grant_is_said_and_is_nobodys_fault() {
    let more_than_any_machine = Limits::simulate(1 << 50, 60, 60);
    let failure = failure(&Probe::Allocate(1 << 46), &more_than_any_machine);
    assert!(matches!(failure, WorkerFailure::ShortOfMemory { .. }), "{failure}");
    assert!(!failure.is_of_the_input(), "{failure}");
    let nothing = probe(&Probe::Nothing, &more_than_any_machine).expect("what needs little works there");
    assert_eq!(nothing.value, Ok(Vec::new()));
}

#[test]
fn one_worker_serves_several_requests_and_none_after_a_failure() {
    let mut worker = Worker::start(WorkerKind::Probe, &limits()).expect("a worker");
    for word in ["one", "two"] {
        let answer = worker.ask::<_, ProbeOutcome>(&Probe::Print(word.to_owned()), &[]).expect("an answer");
        assert_eq!(answer.output, format!("{word}\n"));
    }
    assert!(worker.ask::<_, ProbeOutcome>(&Probe::Abort, &[]).is_err());
    assert!(worker.ask::<_, ProbeOutcome>(&Probe::Nothing, &[]).is_err());
}

#[test]
fn bulk_goes_both_ways_unchanged() {
    let bulk: Vec<u8> = (0..3_000_001_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let answer =
        call_with::<_, ProbeOutcome>(WorkerKind::Probe, &Probe::Nothing, &[&bulk, &[], b"end"], &limits());
    let answer = answer.expect("an answer");
    assert_eq!(answer.attachments, [bulk, Vec::new(), b"end".to_vec()]);
}

#[test]
fn an_answer_larger_than_the_file_limit_is_a_failure() {
    let bulk = vec![7_u8; 2 << 20];
    let limits = Limits { file_bytes: 1 << 20, ..limits() };
    assert!(call_with::<_, ProbeOutcome>(WorkerKind::Probe, &Probe::Nothing, &[&bulk], &limits).is_err());
}

#[test]
fn nothing_of_the_environment_reaches_a_worker() {
    let answer = probe(&Probe::Environment, &limits()).expect("an answer");
    let text = String::from_utf8(answer.value.expect("an environment")).expect("UTF-8");
    let names: Vec<&str> = text.lines().filter_map(|line| line.split('=').next()).collect();
    // What its caller has put there: the sign that it is one, and how its allocator keeps memory.
    assert_eq!(names, ["CUDA_GRADER_WORKER", "GLIBC_TUNABLES"]);
}

#[test]
fn a_dropped_worker_is_gone() {
    let worker = Worker::start(WorkerKind::Probe, &limits()).expect("a worker");
    let process = PathBuf::from(format!("/proc/{}", worker.id()));
    assert!(process.exists());
    drop(worker);
    assert!(!process.exists(), "neither running nor a zombie");
}

/// Not a test of its own: [`a_worker_dies_with_its_judge`] runs it in a process that it can kill.
#[test]
#[ignore = "a helper"]
fn judge_with_a_hanging_worker() {
    let mut worker = Worker::start(WorkerKind::Probe, &limits()).expect("a worker");
    println!("\nworker {}", worker.id());
    let _ = worker.ask::<_, ProbeOutcome>(&Probe::Hang, &[]);
}

#[test]
fn a_worker_dies_with_its_judge() {
    let mut judge = Command::new(env::current_exe().expect("this test"))
        .args(["--ignored", "--exact", "--nocapture", "judge_with_a_hanging_worker"])
        .stdout(Stdio::piped())
        .spawn()
        .expect("a judge");
    let output = BufReader::new(judge.stdout.take().expect("it is piped"));
    let worker = output
        .lines()
        .map_while(Result::ok)
        .find_map(|line| line.strip_prefix("worker ").map(|id| PathBuf::from(format!("/proc/{id}"))));
    let worker = worker.expect("the judge says which");
    // It has been asked to hang, or will be; either way it must not outlive the judge.
    thread::sleep(Duration::from_millis(300));
    assert!(worker.exists());
    judge.kill().expect("it runs");
    judge.wait().expect("it was ours");
    let deadline = Instant::now() + Duration::from_secs(10);
    while running(&worker) {
        assert!(Instant::now() < deadline, "the worker outlives its judge");
        thread::sleep(Duration::from_millis(10));
    }
}

/// Not a test of its own: [`a_worker_that_cannot_be_ended_is_left_behind`] runs it and holds its worker.
#[test]
#[ignore = "a helper"]
fn judge_with_a_worker_that_stays() {
    let limits = Limits { wall_seconds: 5, ..limits() };
    let mut worker = Worker::start(WorkerKind::Probe, &limits).expect("a worker");
    worker.ask::<_, ProbeOutcome>(&Probe::Nothing, &[]).expect("an answer").value.expect("nothing to fail");
    println!("\nworker {}", worker.id());
    let failure = worker.ask::<_, ProbeOutcome>(&Probe::Hang, &[]).expect_err("it hangs");
    assert!(!failure.is_of_the_input());
    println!("failure {failure}");
    let next = probe(&Probe::Nothing, &self::limits()).expect("the next call works");
    assert_eq!(next.value, Ok(Vec::new()));
    // Waits no second time for what will not go.
    let begun = Instant::now();
    drop(worker);
    assert!(begun.elapsed() < Duration::from_secs(5));
    println!("next");
}

/// What no kill ends is a process that waits for a device inside the system. What can be had without a broken
/// driver is one whose parent never learns that it has ended: a process that another one traces.
#[test]
fn a_worker_that_cannot_be_ended_is_left_behind() {
    let begun = Instant::now();
    let mut judge = Command::new(env::current_exe().expect("this test"))
        .args(["--ignored", "--exact", "--nocapture", "judge_with_a_worker_that_stays"])
        .stdout(Stdio::piped())
        .spawn()
        .expect("a judge");
    let output = BufReader::new(judge.stdout.take().expect("it is piped"));
    let mut lines = output.lines().map_while(Result::ok);
    let mut find = |start: &str| lines.find_map(|line| line.strip_prefix(start).map(str::to_owned));
    let worker: i32 = find("worker ").expect("the judge says which").parse().expect("a process id");
    let held = traced::Held::new(worker).expect("tracing is permitted");
    let failure = find("failure ").expect("the judge goes on");
    assert!(failure.contains("was killed and did not go (its state: Z"), "{failure}");
    assert!(failure.contains("did not finish within 5 s") && failure.contains("nvidia-smi"), "{failure}");
    find("next").expect("the next worker works, and nobody waits for the first");
    assert!(judge.wait().expect("it was ours").success());
    assert!(begun.elapsed() < Duration::from_secs(60));
    drop(held);
}

/// A dead process without a parent stays a zombie until the system's init takes it, which
/// is not ours to wait for.
fn running(process: &Path) -> bool {
    let status = fs::read_to_string(process.join("status")).unwrap_or_default();
    status.lines().any(|line| line.starts_with("State:") && !line.contains('Z'))
}

#[test]
fn an_interrupt_ends_what_runs_and_what_would() {
    let interrupt = harness::worker::Interrupt::default();
    let from_outside = interrupt.clone();
    let killer = thread::spawn(move || {
        thread::sleep(Duration::from_millis(300));
        from_outside.interrupt();
    });
    let start = Instant::now();
    thread::spawn(move || {
        interrupt.install();
        for _ in 0..2 {
            let outcome = probe(&Probe::Hang, &Limits { wall_seconds: 60, ..limits() });
            assert!(matches!(outcome, Err(WorkerFailure::Killed)));
        }
        // The next order has an interrupt of its own.
        harness::worker::Interrupt::default().install();
        probe(&Probe::Nothing, &limits()).expect("an answer");
    })
    .join()
    .expect("as asserted");
    killer.join().expect("it only interrupts");
    assert!(start.elapsed() < Duration::from_secs(30));
}
