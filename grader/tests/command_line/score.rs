//! Scoring under bad conditions: a full disk, a killed process, files that are none, folders that refuse,
//! little memory. Each must say what to do, lose nothing that was judged, and never make a grade of it.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::Path,
    process::{Command, Stdio},
    thread,
    time::Duration,
};

use rustix::process::{Pid, Signal, kill_process};

use crate::support::{Given, Place, disk, has_disks, judged, results, take, unprivileged};
use snapbox::{Assert, Data, file};

const GRADER: &str = env!("CARGO_BIN_EXE_grader");
const SOLVED: [&str; 3] = ["00-first-kernel", "05-bank-conflicts", "14-block-scan"];

fn score(folder: &str) -> Vec<&str> {
    vec!["score", "class", "--out", folder, "--device", "sim", "--seed", "7"]
}

/// Runs the grader behind a shell's setup, for example `ulimit -v 1000000`.
fn after(place: &Place, setup: &str, arguments: &[&str]) -> Given {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("{setup}; exec \"$0\" \"$@\""), GRADER]).args(arguments);
    place.given(in_place(place, command))
}

/// Runs the grader as one for whom permissions hold.
fn without_privileges(place: &Place, arguments: &[&str]) -> Given {
    let mut command = unprivileged(GRADER);
    command.args(arguments);
    place.given(in_place(place, command))
}

fn in_place(place: &Place, mut command: Command) -> Command {
    command.current_dir(place.path(""));
    command
}

/// Every file below a folder, by its path there.
fn files_below(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if path.is_dir() {
            found.extend(
                files_below(&path).into_iter().map(|(below, bytes)| (format!("{name}/{below}"), bytes)),
            );
        } else {
            found.insert(name, fs::read(&path).unwrap());
        }
    }
    found
}

/// What the student and the instructor get, without when it was made.
fn outcome(place: &Place, folder: &str) -> BTreeMap<String, Vec<u8>> {
    let mut files = files_below(&place.path(folder));
    // What says when, and in which order.
    files.retain(|name, _| {
        !name.starts_with("results.sqlite") && name != "report.html" && name != "audit-head.txt"
    });
    files
}

fn same(given: String, expected: Data) {
    Assert::new().action_env("SNAPSHOTS").eq(given, expected);
}

/// Many rows that cost nothing to judge: students without a kernel.
fn empty_class(place: &Place) {
    for student in 0..150 {
        fs::create_dir_all(place.path(&format!("class/a-student-with-a-long-name-{student:03}"))).unwrap();
    }
}

#[test]
fn what_does_not_fit_on_the_disk_is_written_by_resuming() {
    let place = Place::new();
    empty_class(&place);
    assert_eq!(place.grader(&score("whole")).code, 0);
    // A file that may not grow stands for a full disk, which takes more rights to make.
    let given = after(&place, "trap '' XFSZ; ulimit -f 360", &score("results"));
    assert_eq!((given.code, given.out.as_str()), (3, ""), "{}", given.all());
    same(given.err, file!["cli/disk-full.txt"]);
    let before = judged(&place, "results");
    assert!(before.len() >= 100, "what was written stays: {}", before.len());
    assert_eq!(place.grader(&score("results")).code, 0);
    assert_eq!(outcome(&place, "results"), outcome(&place, "whole"));
    // What was written before was not written again.
    let after = judged(&place, "results");
    assert!(after.starts_with(&before) && after.len() == judged(&place, "whole").len());
}

/// The same on a disk that is really full.
#[test]
fn a_full_disk_is_named_and_resuming_goes_on_once_there_is_room() {
    if !has_disks() {
        eprintln!(
            "no user name spaces here: only the test with a file that may not grow stands for a full disk"
        );
        return;
    }
    let place = Place::new();
    empty_class(&place);
    fs::create_dir(place.path("disk")).unwrap();
    assert_eq!(place.grader(&score("whole")).code, 0);
    let script = format!(
        "mount -t tmpfs -o size=300k none disk && {GRADER} {first}; echo \"code $?\"; \
         mount -o remount,size=16m disk && {GRADER} {second} >/dev/null; echo \"code $?\"; cp -r disk/results results",
        first = score("disk/results").join(" "),
        second = score("disk/results").join(" "),
    );
    let given = place.given(in_place(&place, disk(&script)));
    assert_eq!(given.out, "code 3\ncode 0\n", "{}", given.all());
    assert!(given.err.contains("the disk is full") && given.err.contains("goes on"), "{}", given.err);
    assert_eq!(outcome(&place, "results"), outcome(&place, "whole"));
}

#[test]
fn a_killed_scoring_goes_on_where_it_was() {
    let place = Place::new();
    for student in ["ada", "bob", "cleo", "dan"] {
        for exercise in SOLVED {
            take(&place, &format!("{exercise}/kernel.cu"));
            // Different kernels, or a hash could be taken for a result.
            let source = fs::read_to_string(place.path("k.cu")).unwrap();
            place.write(&format!("class/{student}/{exercise}/kernel.cu"), format!("// {student}\n{source}"));
        }
    }
    assert_eq!(place.grader(&score("whole")).code, 0);

    // SIGKILL, at ever later moments: nothing can be tidied up. What was done at one is not done again.
    let (mut kills, mut rows) = (0, 0);
    loop {
        let mut command = Command::new(GRADER);
        command.args(score("results")).stdout(Stdio::null()).stderr(Stdio::null());
        let mut process = in_place(&place, command).spawn().unwrap();
        thread::sleep(Duration::from_millis(300 * 3_u64.pow(kills) / 2_u64.pow(kills)));
        if process.try_wait().unwrap().is_some() {
            break;
        }
        process.kill().unwrap();
        process.wait().unwrap();
        kills += 1;
        assert!(kills < 20, "it gets nowhere");
        if place.path("results/results.sqlite").is_file() {
            let kept = judged(&place, "results").len();
            assert!(kept >= rows, "{kept} of {rows} rows are left");
            rows = kept;
        }
    }
    assert!(kills > 2, "it was to be killed at work");
    let parts =
        || files_below(&place.path("results")).into_keys().filter(|name| name.ends_with(".part")).count();
    assert_eq!(parts(), 0, "a file that was being written has no name yet");
    // As a file system leaves them that has no files without names.
    place.write("results/.tmpk1.part", "{");
    let again = place.grader(&score("results"));
    assert_eq!((again.code, parts()), (0, 0), "{}", again.all());
    assert_eq!(outcome(&place, "results"), outcome(&place, "whole"));
    assert_eq!(judged(&place, "results").len(), judged(&place, "whole").len(), "no row was judged twice");
    for exercise in SOLVED {
        let report = |folder: &str| {
            place.grader(&["class", "report", folder, "cleo", exercise, "--format", "json"]).out
        };
        assert_eq!(report("results"), report("whole"));
    }
    let audited = place.grader(&["class", "audit", "results"]);
    assert_eq!(audited.code, 0, "{}", audited.all());
}

/// Ctrl-C: what is done is kept, and everything that is handed out says that it is not all.
#[test]
fn an_interrupted_scoring_says_how_far_it_came() {
    let place = Place::new();
    place.write(
        "sheet.toml",
        "schema = 1\ntitle = \"Sheet\"\n[exercises.00-first-kernel]\ncorrect = 4\n[exercises.03-reduction]\ncorrect = 4\n",
    );
    take(&place, "00-first-kernel/kernel.cu");
    place.write("class/ada/00-first-kernel/kernel.cu", fs::read(place.path("k.cu")).unwrap());
    // Each different, each takes its time, and more than are judged while this test waits.
    let solution = Path::new(env!("CARGO_MANIFEST_DIR")).join("../solutions/03-reduction/kernel.cu");
    let solution = fs::read_to_string(solution).unwrap();
    for student in 0..60 {
        let kernel = format!("{solution}// by student {student:02}\n");
        place.write(&format!("class/student-{student:02}/03-reduction/kernel.cu"), kernel);
    }
    let call = [&score("results")[..], &["--assignment", "sheet.toml", "--jobs", "1"]].concat();
    // How long the first row takes is this machine's to say.
    let interrupted = |after: Duration| {
        let mut command = Command::new(GRADER);
        command.args(&call).env("LC_ALL", "C.UTF-8").stdout(Stdio::null()).stderr(Stdio::piped());
        let process = in_place(&place, command).spawn().unwrap();
        thread::sleep(after);
        // Shells make what they start in the background ignore Ctrl-C's own signal; one handler hears both.
        kill_process(Pid::from_child(&process), Signal::TERM).unwrap();
        let output = process.wait_with_output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let mut after = Duration::from_millis(500);
    let (said, gradebook, page) = loop {
        let (code, said) = interrupted(after);
        // It may have ended between the two, before it judged any.
        let is_begun =
            ["gradebook.csv", "report.html"].iter().all(|name| place.path("results").join(name).is_file());
        let (gradebook, page) = if is_begun { results(&place, "results") } else { Default::default() };
        if gradebook.contains(",graded,") {
            assert_eq!(code, Some(130), "{said}");
            break (said, gradebook, page);
        }
        after = after.mul_f64(1.3);
        assert!(after < Duration::from_secs(60), "nothing is ever judged: {code:?} {said}");
    };
    assert!(said.contains("judged; the same command again goes on"), "{said}");
    let open = gradebook.lines().filter(|line| line.contains(",not judged,")).count();
    assert!(open > 0, "{gradebook}");
    // Two exercises of 61 students.
    assert!(page.contains(&format!("Incomplete: {open} of 122 rows are not judged yet")), "{open}");
    let audited = place.grader(&["class", "audit", "results"]);
    assert!(audited.code == 0 && audited.out.contains("the scoring has not ended"), "{}", audited.all());
    // A change there would not show, so with a head that is not enough.
    let head = fs::read_to_string(place.path("results/audit-head.txt")).unwrap();
    let head = head.lines().next().unwrap();
    let audited = place.grader(&["class", "audit", "results", "--head", head]);
    assert!(audited.code == 1 && audited.out.contains("not compared: "), "{}", audited.all());
    // No LMS gets what is not judged.
    let exported = place.grader(&["class", "export", "results", "--to", "canvas"]);
    let left_out = ": not judged, which is no grade";
    assert!(exported.code == 1 && exported.out.contains(left_out), "{}", exported.all());
}

#[test]
fn whatever_lies_where_a_kernel_should_be_costs_its_own_row() {
    let place = Place::new();
    take(&place, "03-reduction/kernel.cu");
    let good = fs::read(place.path("k.cu")).unwrap();
    let at = |student: &str| format!("class/{student}/03-reduction/kernel.cu");
    let put = |student: &str, content: &[u8]| place.write(&at(student), content);
    put("good", &good);
    put("empty", b"");
    put("spaces", b" \n\t\n");
    put("latin1", b"// caf\xe9\n");
    put("utf16", b"\xff\xfe/\0/\0\n\0");
    put("nul", b"// \0\n");
    fs::File::create(put("huge", b"")).unwrap().set_len(500 << 20).unwrap();
    let closed = put("closed-file", &good);
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).unwrap();
    fs::create_dir_all(place.path(&at("folder"))).unwrap();
    for student in ["fifo", "passwd", "device", "loop", "dangling", "neighbour"] {
        fs::create_dir_all(place.path(&at(student)).parent().unwrap()).unwrap();
    }
    let mode = rustix::fs::Mode::from_raw_mode(0o644);
    rustix::fs::mkfifoat(rustix::fs::CWD, place.path(&at("fifo")), mode).unwrap();
    symlink("/etc/passwd", place.path(&at("passwd"))).unwrap();
    symlink("/dev/zero", place.path(&at("device"))).unwrap();
    symlink("kernel.cu", place.path(&at("loop"))).unwrap();
    symlink("nowhere", place.path(&at("dangling"))).unwrap();
    symlink("../../good/03-reduction/kernel.cu", place.path(&at("neighbour"))).unwrap();
    put("closed-folder", &good);
    let closed_folder = place.path("class/closed-folder");
    fs::set_permissions(&closed_folder, fs::Permissions::from_mode(0o000)).unwrap();

    let given = without_privileges(&place, &score("results"));
    fs::set_permissions(&closed_folder, fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(given.code, 0, "{}", given.all());
    let (gradebook, page) = results(&place, "results");
    let mut rows = String::new();
    for record in csv::Reader::from_reader(gradebook.as_bytes()).records() {
        let record = record.unwrap();
        if &record[1] == "03-reduction" {
            let _ = writeln!(rows, "{:<14} {:<12} {:<7} {}", &record[0], &record[2], &record[3], &record[4]);
        }
    }
    same(rows, file!["cli/no-kernels.txt"]);
    assert!(!page.contains("root:"));

    // Once it is readable, it is judged; nobody else is judged again.
    let before = judged(&place, "results");
    let resumed = without_privileges(&place, &score("results"));
    assert_eq!(resumed.code, 0, "{}", resumed.all());
    let after = judged(&place, "results");
    let new: Vec<_> = after[before.len()..].iter().filter(|(.., status)| status == "passed").collect();
    assert!(after.starts_with(&before) && new.len() == 1 && new[0].0 == "closed-folder", "{after:?}");
}

#[test]
fn where_results_cannot_go_is_said_before_anything_is_judged() {
    let place = Place::new();
    place.write("class/ada/03-reduction/kernel.cu", "x\n");
    place.write("file", "mine\n");
    fs::create_dir_all(place.path("nobody/.git")).unwrap();
    fs::create_dir(place.path("closed")).unwrap();
    fs::create_dir(place.path("secret")).unwrap();
    fs::set_permissions(place.path("closed"), fs::Permissions::from_mode(0o555)).unwrap();
    fs::set_permissions(place.path("secret"), fs::Permissions::from_mode(0o000)).unwrap();
    let calls: [(i32, &[&str]); 8] = [
        (2, &["score", "nobody", "--out", "results"]),
        (2, &["score", "file", "--out", "results"]),
        (2, &["score", "secret", "--out", "results"]),
        (2, &["score", "class", "--out", "file"]),
        (2, &["score", "class", "--out", "file/results"]),
        (2, &["score", "class", "--out", "secret"]),
        (3, &["score", "class", "--out", "closed"]),
        (3, &["score", "class", "--out", "closed/results"]),
    ];
    let mut all = String::new();
    for (code, call) in calls {
        let given = without_privileges(&place, &[call, &["--device", "sim"]].concat());
        assert_eq!((given.code, given.out.as_str()), (code, ""), "{call:?}: {}", given.all());
        let _ = writeln!(all, "$ grader {}\n{}", call.join(" "), given.err);
    }
    fs::set_permissions(place.path("secret"), fs::Permissions::from_mode(0o755)).unwrap();
    same(all, file!["cli/no-results.txt"]);
    assert_eq!(fs::read_to_string(place.path("file")).unwrap(), "mine\n");
    assert!(!place.path("results").exists() && fs::read_dir(place.path("closed")).unwrap().next().is_none());
}

/// A kernel that makes the compiler take more memory than is good.
fn hungry() -> String {
    let mut text = "#define A0 a[0] += a[1];\n".to_owned();
    for level in 1..8 {
        let _ = writeln!(text, "#define A{level} {}", format!("A{} ", level - 1).repeat(16));
    }
    text + "extern \"C\" __global__ void reduce_max(float *a) { A7 }\n"
}

#[test]
fn a_machine_short_of_memory_gives_no_grade() {
    let place = Place::new();
    take(&place, "03-reduction/kernel.cu");
    let good = fs::read(place.path("k.cu")).unwrap();
    place.write("class/good/03-reduction/kernel.cu", &good);
    place.write("class/hungry/03-reduction/kernel.cu", hungry());
    place.write("class/wrong/03-reduction/kernel.cu", "__global__ void k() { x }\n");
    let given = after(&place, "ulimit -v 1048576", &score("results"));
    assert_eq!(given.code, 3, "{}", given.all());
    assert!(given.err.contains("1 judge error is no grade"), "{}", given.err);
    let gradebook = results(&place, "results").0;
    let row = |student: &str| {
        let mut rows = csv::Reader::from_reader(gradebook.as_bytes());
        let found =
            rows.records().map(Result::unwrap).find(|row| &row[0] == student && &row[1] == "03-reduction");
        let found = found.unwrap();
        (found[2].to_owned(), found[3].to_owned(), found[4].to_owned())
    };
    let (outcome, verdict, reason) = row("hungry");
    assert_eq!((outcome.as_str(), verdict.as_str()), ("judge error", ""), "{reason}");
    assert!(reason.contains("this system allows it 1073 MB, and the judge grants 2147 MB"), "{reason}");
    // The others have what they need.
    assert_eq!(row("good").1, "passed");
    assert_eq!(row("wrong").1, "failed");

    // So little that the compiler cannot say what stopped it, or can't even be loaded.
    for kibibytes in [60_000, 100_000, 130_000, 145_000, 149_000] {
        let check = ["check", "3", "--kernel", "k.cu", "--device", "sim"];
        let given = after(&place, &format!("ulimit -v {kibibytes}"), &check);
        let said = given.out.replace('\n', " ").contains("nothing about the kernel");
        // A smaller compiler than this machine's may have enough.
        assert!(given.code == 3 && said || kibibytes > 100_000 && given.code == 0, "{}", given.all());
    }
}
