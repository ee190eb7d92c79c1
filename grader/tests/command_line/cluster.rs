//! A scoring in parts, as jobs of a cluster do it: on a made-up Slurm that runs each job at once, and on a real one of this
//! machine where Debian's slurm-wlm is installed. Nothing of this was run on a larger cluster.

use std::{
    collections::BTreeMap,
    env, fs,
    net::TcpListener,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::Command,
    thread,
    time::{Duration, Instant},
};

use crate::support::{Given, Place, may_be_missing, take};

const GRADER: &str = env!("CARGO_BIN_EXE_grader");
const SCORE: [&str; 8] =
    ["class", "score", "class", "--device", "sim", "--seed=7", "--assignment", "sheet.toml"];
const SHEET: &str = "schema = 1\ntitle = \"Sheet\"\n[exercises.00-first-kernel]\ncorrect = 4\n[exercises.03-reduction]\n\
    correct = 4\nclean = 2\n";

/// What runs a job at once. It says that its number is that of its script's last line in `jobs`; tasks in `lost` are killed
/// before they begin.
const SBATCH: &str = r#"#!/bin/sh
here=$(dirname "$0")
for word; do
    case $word in
        --array=1-*) tasks=${word#--array=1-} ;;
        --output=*) said=${word#--output=} ;;
    esac
    script=$word
done
echo "$*" >>"$here/jobs"
id=$(wc -l <"$here/jobs")
if [ -n "${tasks-}" ]; then
    for task in $(seq "$tasks"); do
        case " ${LOST-} " in *" $task "*) continue ;; esac
        SLURM_ARRAY_TASK_ID=$task SLURM_CPUS_ON_NODE=1 sh "$script" >>"$(echo "$said" | sed "s/%a/$task/")" 2>&1
    done
else
    sh "$script" >>"$said" 2>&1
    echo "exit code $?" >>"$said"
fi
echo "$id;cluster"
"#;

/// Five kernels of three students, of which two are the same and one is wrong; an assignment.
fn class(place: &Place) {
    place.write("sheet.toml", SHEET);
    for (student, kernel) in [
        ("ada", "03-reduction/kernel.cu"),
        ("bob", "03-reduction/wrong/no-guard.cu"),
        ("cleo", "03-reduction/kernel.cu"),
        ("ada", "00-first-kernel/kernel.cu"),
        ("bob", "00-first-kernel/kernel.cu"),
    ] {
        take(place, kernel);
        let text = fs::read_to_string(place.path("k.cu")).unwrap();
        let text = if student == "bob" { format!("{text}// mine\n") } else { text };
        let exercise = kernel.split('/').next().unwrap();
        place.write(&format!("class/{student}/{exercise}/kernel.cu"), text);
    }
}

/// A made-up cluster whose arrays have so many tasks at most.
fn made_up(place: &Place, array: usize) {
    for (name, text) in
        [("sbatch", SBATCH.to_owned()), ("scontrol", format!("#!/bin/sh\necho 'MaxArraySize  = {array}'\n"))]
    {
        let path = place.write(&format!("bin/{name}"), text);
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }
}

fn submit(place: &Place, lost: &str, more: &[&str]) -> Given {
    let mut command = Command::new(GRADER);
    let others = env::var_os("PATH").unwrap_or_default();
    let path = env::join_paths([place.path("bin")].into_iter().chain(env::split_paths(&others)))
        .expect("no folder's name has a colon");
    command.args(SCORE).args(["--out", "results", "--engine", "slurm"]).args(more);
    command.current_dir(place.path("")).env("PATH", path).env("LOST", lost);
    place.given(command)
}

/// What is handed out, by file, and the reports; without what says when.
fn outcome(place: &Place, folder: &str) -> BTreeMap<String, Vec<u8>> {
    let read =
        |path: PathBuf| (path.file_name().unwrap().to_str().unwrap().to_owned(), fs::read(&path).unwrap());
    let named = ["gradebook.csv", "points.csv", "junit.xml", "students.zip"];
    let mut all: BTreeMap<String, Vec<u8>> =
        named.iter().map(|name| read(place.path(folder).join(name))).collect();
    let pages = fs::read_dir(place.path(folder).join("students")).unwrap();
    all.extend(pages.map(|entry| read(entry.unwrap().path())));
    for (student, exercise) in [("ada", "03"), ("bob", "03"), ("cleo", "03"), ("ada", "00"), ("bob", "00")] {
        let report = place.grader(&["class", "report", folder, student, exercise, "--format", "json"]);
        all.insert(format!("{student} {exercise}"), report.out.into_bytes());
    }
    all
}

fn whole(place: &Place) -> BTreeMap<String, Vec<u8>> {
    let given = place.grader(&[&SCORE[..], &["--out", "whole"]].concat());
    assert_eq!(given.code, 0, "{}", given.all());
    outcome(place, "whole")
}

/// What a job has said.
fn said(place: &Place, job: &str) -> String {
    fs::read_to_string(place.path("results/slurm").join(format!("{job}.txt"))).unwrap_or_default()
}

#[test]
fn what_jobs_judge_is_what_one_machine_judges() {
    let place = Place::new();
    class(&place);
    made_up(&place, 4);
    // An array of that size has three tasks; the second is lost before it begins, and so its share is missing.
    let given = submit(&place, "2", &["--tasks=9", "--sbatch=--partition=x"]);
    assert_eq!(given.code, 0, "{}", given.all());
    assert!(given.err.contains("3 tasks, and not 9"), "{}", given.all());
    assert!(
        given.out.contains("submitted: 1 begins, 2 judges in 3 tasks, 3 puts together"),
        "{}",
        given.all()
    );
    let jobs = fs::read_to_string(place.path("bin/jobs")).unwrap();
    assert!(jobs.lines().all(|job| job.contains("--partition=x")), "{jobs}");
    assert!(jobs.contains("--dependency=afterok:1") && jobs.contains("--dependency=afterany:2"), "{jobs}");
    let merged = said(&place, "merge");
    // Four different kernels make shares of two, one, and one.
    assert!(merged.contains("3 judgements of 2 parts"), "{merged}");
    assert!(merged.contains("1 row is not judged yet") && merged.contains("exit code 3"), "{merged}");
    let log = |folder: &str| crate::support::judged(&place, folder).len();
    let before = log("results");
    assert!(before < 6, "{before}");
    // The same command again: nothing is judged twice, and now it is all there.
    let given = submit(&place, "", &["--tasks=2"]);
    assert_eq!(given.code, 0, "{}", given.all());
    let merged = said(&place, "merge");
    assert!(merged.ends_with("exit code 0\n"), "{merged}\n{}", said(&place, "share-1"));
    assert_eq!(outcome(&place, "results"), whole(&place));
    assert_eq!(log("results"), log("whole"), "no row is written twice");
    let audited = place.grader(&["class", "audit", "results"]);
    assert_eq!(audited.code, 0, "{}", audited.all());
    // By hand it is the same once more, and says so.
    let merge = place.grader(&[&["class", "merge"], &SCORE[2..], &["--out", "results"]].concat());
    assert_eq!(merge.code, 0, "{}", merge.all());
}

#[test]
fn a_share_of_another_device_or_seed_is_refused() {
    let place = Place::new();
    class(&place);
    let part = |part: &str, more: &[&str]| {
        let own =
            ["class", "score", "class", "--assignment", "sheet.toml", "--out", "results", "--part", part];
        place.grader(&[&own[..], more].concat())
    };
    let early = part("1/2", &["--device", "sim"]);
    assert!(early.code == 2 && early.err.contains("the job that begins writes it"), "{}", early.all());
    let begun = part("begin", &["--device", "sim", "--seed=7"]);
    assert_eq!(begun.code, 0, "{}", begun.all());
    let other = part("1/2", &["--device", "sim:t4"]);
    assert!(other.code == 2 && other.err.contains("began with device sim:h200"), "{}", other.all());
    for (share, seed) in [("1/2", "--seed=8"), ("merge", "--seed=8")] {
        let other = part(share, &["--device", "sim", seed]);
        assert!(other.code == 2 && other.err.contains("began with seed 7, now it is 8"), "{}", other.all());
    }
    assert!(!place.path("results/parts/1-of-2").exists(), "nothing was judged");
    let wrong = part("3/2", &["--device", "sim"]);
    assert!(wrong.code == 2 && wrong.err.contains("expected begin, merge, or K/N"), "{}", wrong.all());
}

#[test]
fn without_a_cluster_it_says_so() {
    let place = Place::new();
    class(&place);
    let mut command = Command::new(GRADER);
    command.args(SCORE).args(["--out", "results", "--engine", "slurm"]);
    command.current_dir(place.path("")).env("PATH", place.path("bin"));
    let given = place.given(command);
    assert!(given.code == 2 && given.err.contains("could not run sbatch"), "{}", given.all());
    assert!(!place.path("results").exists(), "something was written first");
    place.write("bin/sbatch", "#!/bin/sh\necho 'sbatch: error: invalid partition' >&2; exit 1\n");
    fs::set_permissions(place.path("bin/sbatch"), fs::Permissions::from_mode(0o755)).unwrap();
    let given = submit(&place, "", &[]);
    assert!(
        given.code == 2 && given.err.contains("refuses the job `begin`: sbatch: error"),
        "{}",
        given.all()
    );
}

/// What the first job would refuse is refused before there is a job.
#[test]
fn points_that_would_be_lost_are_told_before_anything_is_submitted_or_read() {
    let place = Place::new();
    class(&place);
    made_up(&place, 4);
    let scored = place.grader(&[&SCORE[..], &["--out", "results"]].concat());
    assert_eq!(scored.code, 0, "{}", scored.all());
    let path = env::join_paths(
        [place.path("bin")].into_iter().chain(env::split_paths(&env::var_os("PATH").unwrap_or_default())),
    );
    let path = path.expect("no folder's name has a colon");
    // That the submissions are not there would be found out next.
    for words in
        [&["class"][..], &["nothing"], &["class", "--engine", "slurm"], &["nothing", "--engine", "slurm"]]
    {
        let mut command = Command::new(GRADER);
        command.args(["class", "score", "--device", "sim", "--seed=7", "--out", "results"]).args(words);
        command.current_dir(place.path("")).env("PATH", &path);
        let given = place.given(command);
        assert!(given.code == 2 && given.out.is_empty(), "{}", given.all());
        assert!(given.err.starts_with("error: results was scored with an assignment"), "{}", given.all());
        assert!(!place.path("results/slurm").exists() && !place.path("bin/jobs").exists());
    }
}

/// A Slurm of this machine, for as long as this lives.
struct Slurm<'a> {
    folder: &'a Path,
    configuration: PathBuf,
}

impl<'a> Slurm<'a> {
    /// None where it is not installed.
    fn start(folder: &'a Path) -> Option<Self> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/slurm/start");
        let is_there = |program: &str| Command::new(program).arg("-V").output().is_ok();
        if !(is_there("slurmctld") && is_there("slurmd")) {
            return None;
        }
        // Two ports that nobody has, one after the other.
        let port = (20_000..60_000).step_by(2).skip(std::process::id() as usize % 1000).find(|&port| {
            [port, port + 1].iter().all(|&port| TcpListener::bind(("127.0.0.1", port)).is_ok())
        });
        let started = Command::new(script).arg(folder).arg(port?.to_string()).output().unwrap();
        assert!(started.status.success(), "{}", String::from_utf8_lossy(&started.stderr));
        Some(Slurm { folder, configuration: folder.join("slurm.conf") })
    }

    fn given(&self, place: &Place, program: &str, arguments: &[&str]) -> Given {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(place.path("")).env("SLURM_CONF", &self.configuration);
        place.given(command)
    }
}

impl Drop for Slurm<'_> {
    fn drop(&mut self) {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/slurm/stop");
        let _ = Command::new(script).arg(self.folder).status();
    }
}

#[test]
fn a_real_slurm_judges_the_same() {
    let place = Place::new();
    let folder = place.path("cluster");
    let Some(slurm) = Slurm::start(&folder) else {
        may_be_missing("slurmctld and slurmd (slurm-wlm)");
        println!("slurm-wlm is not installed: only the made-up one was tried");
        return;
    };
    class(&place);
    let arguments = [&SCORE[..], &["--out", "results", "--engine=slurm", "--tasks=2"]].concat();
    let given = slurm.given(&place, GRADER, &arguments);
    assert_eq!(given.code, 0, "{}", given.all());
    let begun = Instant::now();
    while !slurm.given(&place, "squeue", &["--noheader"]).out.is_empty() {
        assert!(begun.elapsed() < Duration::from_secs(300), "{}", slurm.given(&place, "squeue", &[]).all());
        thread::sleep(Duration::from_millis(500));
    }
    assert!(
        said(&place, "merge").contains("are put together"),
        "{}\n{}\n{}",
        said(&place, "begin"),
        said(&place, "share-1"),
        said(&place, "merge")
    );
    assert_eq!(outcome(&place, "results"), whole(&place));
}
