//! What the binary prints, and how it exits.

use std::{
    collections::BTreeSet,
    fs,
    os::unix::fs::symlink,
    path::Path,
    process::{Command, Stdio},
};

use crate::support::{Place, headless, judged, log, may_be_missing, results, store, take};
use clap::CommandFactory as _;
use snapbox::{Assert, Data, file};

pub fn same(given: String, expected: Data) {
    Assert::new().action_env("SNAPSHOTS").eq(given, expected);
}

#[test]
fn help() {
    let place = Place::new();
    same(place.grader(&["--help"]).all(), file!["cli/help.txt"]);
    same(place.grader(&["check", "--help"]).all(), file!["cli/help-check.txt"]);
    same(place.grader(&["run", "--help"]).all(), file!["cli/help-run.txt"]);
    same(place.grader(&["score", "--help"]).all(), file!["cli/help-score.txt"]);
}

#[test]
fn list_before_anything() {
    let place = Place::new();
    same(place.grader(&["list"]).all(), file!["cli/list.txt"]);
    let json: serde_json::Value =
        serde_json::from_str(&place.grader(&["list", "--format", "json"]).out).unwrap();
    let exercise = json["exercises"]
        .as_array()
        .unwrap()
        .iter()
        .find(|exercise| exercise["id"] == "03-reduction")
        .unwrap();
    assert_eq!(exercise["state"], "new");
}

#[test]
fn wrong_usage_says_what_to_do() {
    let place = Place::new();
    place.write("empty.cu", "\n");
    place.write("latin1.cu", b"// caf\xe9\n");
    place.write("k.cu", "extern \"C\" __global__ void k(int *p) { *p = 1; }\n");
    fs::create_dir(place.path("folder")).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, place.path("fifo.cu"), rustix::fs::Mode::from_raw_mode(0o644))
        .unwrap();
    let calls: [&[&str]; 20] = [
        &["check"],
        &["check", "redcution"],
        &["check", "3"],
        &["check", "3", "--kernel", "nowhere.cu"],
        &["check", "3", "--kernel", "folder"],
        &["check", "3", "--kernel", "empty.cu"],
        &["check", "3", "--kernel", "latin1.cu"],
        &["check", "3", "--kernel", "fifo.cu"],
        &["check", "3", "--kernel", "/dev/zero"],
        &["check", "3", "--kernel", "k.cu", "--case", "99"],
        &["check", "3", "--kernel", "k.cu", "--device", "sim:gtx"],
        &["check", "3", "--kernel", "k.cu", "--device", "tpu"],
        &["check", "3", "--kernel", "k.cu", "--compiler", "/nowhere"],
        &["run", "k.cu", "--entry", "missing", "--grid", "1", "--block", "1"],
        &["run", "k.cu", "--entry", "k", "--grid", "0", "--block", "1"],
        &["run", "k.cu", "--entry", "k", "--grid", "1", "--block", "1", "--arg", "in:f32:4"],
        &[
            "run", "k.cu", "--entry", "k", "--grid", "1", "--block", "1", "--arg", "i32:5", "--save",
            "0=a.npy",
        ],
        &["run", "nowhere.cu", "--entry", "k", "--grid", "1", "--block", "1"],
        &["score", "nowhere", "--out", "results"],
        &["hint", "3", "--again"],
    ];
    let mut all = String::new();
    for call in calls {
        let given = place.grader(call);
        assert_eq!((given.code, given.out.as_str()), (2, ""), "{call:?}: {}", given.err);
        // clap's usage lines are its own; the first paragraph is ours.
        let message = given.err.split("\n\n").next().unwrap().trim_end();
        all.push_str(&format!("$ grader {}\n{message}\n\n", call.join(" ")));
    }
    // A list of cases belongs to the exercise, not to this test.
    let all: Vec<&str> = all.lines().filter(|line| !line.contains("its cases are")).collect();
    same(all.join("\n"), file!["cli/wrong-usage.txt"]);
}

#[test]
fn init_makes_stubs_and_keeps_what_is_there() {
    let place = Place::new();
    let mine = place.write("mine/03-reduction/kernel.cu", "// my own\n");
    same(place.grader(&["init", "mine"]).all(), file!["cli/init.txt"]);
    assert_eq!(fs::read_to_string(&mine).unwrap(), "// my own\n");
    assert!(place.path("mine/00-first-kernel/kernel.cu").is_file());
    let again = place.grader_in("mine/03-reduction", &["init", ".."]);
    let stubs = fs::read_dir(place.path("mine"))
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| !entry.file_name().to_str().unwrap().starts_with('.') && entry.path().is_dir())
        .count();
    let kept = format!("0 stubs written; {stubs} there already, left as they are");
    assert!(again.out.contains(&kept), "{}", again.all());
    place.write("file", "");
    assert_eq!(place.grader(&["init", "file"]).code, 2);
    assert_eq!(place.grader(&["init", "/proc/nowhere"]).code, 3);
    place.write("mine/.course.json", "not json");
    let damaged = place.grader_in("mine", &["hint", "3"]);
    assert!(damaged.code == 3 && damaged.err.contains("move it away"), "{}", damaged.all());
    assert_eq!(fs::read_to_string(place.path("mine/.course.json")).unwrap(), "not json");
}

#[test]
fn hints_come_one_at_a_time_and_are_remembered() {
    let place = Place::new();
    place.grader(&["init", "."]);
    let first = place.grader(&["hint", "reduction"]).out;
    let second = place.grader_in("03-reduction", &["hint", "03"]).out;
    assert!(first.starts_with("Hint 1 of ") && second.starts_with("Hint 2 of "), "{first}{second}");
    let again = place.grader(&["hint", "3", "--again"]).out;
    assert!(again.contains("Hint 1 of ") && again.contains("Hint 2 of ") && !again.contains("Hint 3 of "));
}

#[test]
fn hints_are_for_what_the_last_check_found() {
    let place = Place::new();
    place.grader(&["init", "."]);
    let check = |text: &str| {
        fs::write(place.path("03-reduction/kernel.cu"), text).unwrap();
        place.grader(&["check", "3", "--device", "sim"]).out
    };
    let hint = || place.grader(&["hint", "3"]).out;
    take(&place, "03-reduction/wrong/missing-barrier-in-tree.cu");
    let racy = fs::read_to_string(place.path("k.cu")).unwrap();
    let told = check(&racy);
    assert!(told.ends_with("stuck? `grader hint 03-reduction` has hints for a race\n"), "{told}");
    assert!(hint().starts_with("Hint 1 of 7, for a race\n"), "{}", hint());
    assert!(hint().starts_with("Hint 2 of 7, for a race\n"));
    let general = hint();
    assert!(general.starts_with("Hint 3 of 7\n"), "{general}");
    // What fails now chooses; general hints that were seen are not shown again.
    take(&place, "03-reduction/wrong/identity-zero.cu");
    check(&fs::read_to_string(place.path("k.cu")).unwrap());
    let negative = "for outputs that are wrong in cases with “negative” or “-infinity” alone";
    for number in 1..=3 {
        assert!(hint().starts_with(&format!("Hint {number} of 8, {negative}\n")));
    }
    assert!(hint().starts_with("Hint 5 of 8\n"));
    // The hints for a race stay seen.
    check(&racy);
    assert!(hint().starts_with("Hint 5 of 7\n"));
    check("int x = ;\n");
    assert!(hint().starts_with("Hint 1 of 7, for a kernel that does not compile\n"));
    // The stub fails because nothing is written yet: that is what the general hints are for.
    let fresh = Place::new();
    fresh.grader(&["init", "."]);
    let told = fresh.grader(&["check", "3", "--device", "sim"]).out;
    assert!(told.contains("not started") && told.contains("`grader hint 03-reduction`"), "{told}");
    assert!(fresh.grader(&["hint", "3"]).out.starts_with("Hint 1 of 5\n"));
}

#[test]
fn a_compile_error_is_shown_with_its_line() {
    let place = Place::new();
    place.write(
        "k.cu",
        "#include \"course.cuh\"\nextern \"C\" __global__ void reduce_max(int *p) {\n    *p = thread;\n}\n",
    );
    let given = place.grader(&["check", "3", "--kernel", "k.cu", "--device", "sim"]);
    same(given.all(), file!["cli/compile-error.txt"]);
    let run = ["run", "k.cu", "--entry", "reduce_max", "--grid", "1", "--block", "1", "--format", "json"];
    let given = place.grader(&run);
    let json: serde_json::Value = serde_json::from_str(&given.out).unwrap();
    assert_eq!((given.code, json["status"].as_str()), (1, Some("compile_error")));
    assert_eq!(json["diagnostics"][0]["place"]["line"], 3);
}

#[test]
fn colours_only_where_they_are_wanted() {
    let place = Place::new();
    assert!(!place.grader(&["list"]).out.contains('\x1b'));
    let run = |variables: &[(&str, &str)]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_grader"));
        command
            .args(["doctor"])
            .current_dir(place.path(""))
            .env_remove("NO_COLOR")
            .env_remove("CLICOLOR_FORCE");
        String::from_utf8(command.envs(variables.iter().copied()).output().unwrap().stdout).unwrap()
    };
    assert!(run(&[("CLICOLOR_FORCE", "1")]).contains('\x1b'));
    assert!(!run(&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]).contains('\x1b'));
}

#[test]
fn a_reader_that_went_away_makes_no_pass() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_grader"));
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let given = command.arg("list").stdout(writer).stderr(Stdio::piped()).output().unwrap();
    assert_eq!((given.status.code(), given.stderr.as_slice()), (Some(141), &b""[..]));
}

/// Every command below this one, as it is typed.
fn commands(command: &clap::Command, above: &str, all: &mut BTreeSet<String>) {
    for below in command.get_subcommands() {
        let name = format!("{above}{}", below.get_name());
        match below.has_subcommands() {
            true => commands(below, &format!("{name} "), all),
            false => _ = all.insert(name),
        }
    }
}

#[test]
fn output_that_cannot_be_written_is_an_error_of_every_command() {
    let Ok(full) = fs::OpenOptions::new().write(true).open("/dev/full") else {
        return may_be_missing("/dev/full");
    };
    // They need a terminal, a GPU or a network.
    let left_out = ["watch", "calibrate", "compiler install"];
    let run = "run k.cu --entry reduce_max --grid 1 --block 256 --device sim --arg in:f32:256=ones --arg inout:f32:1=zeros \
               --arg i32:256";
    let with_sheet = "class --device sim --assignment sheet.toml --out";
    let tried = [
        ("", "".to_owned()),
        ("", "--help".to_owned()),
        ("", "--version".to_owned()),
        ("", "check --help".to_owned()),
        ("", "class score -h".to_owned()),
        ("list", "list".to_owned()),
        ("list", "list --format json".to_owned()),
        ("check", "check 03 --device sim".to_owned()),
        ("check", "check 03 --device sim --format junit".to_owned()),
        ("hint", "hint 03".to_owned()),
        ("explain", "explain race".to_owned()),
        ("solution", "solution 03".to_owned()),
        ("submit", "submit 03".to_owned()),
        ("reset", "reset 04".to_owned()),
        ("init", "init .".to_owned()),
        ("doctor", "doctor".to_owned()),
        ("completions", "completions bash".to_owned()),
        ("run", run.to_owned()),
        ("run", format!("{run} --format json")),
        ("score", format!("score {with_sheet} again")),
        ("class init", "class init new.toml".to_owned()),
        ("class score", format!("class score {with_sheet} results")),
        ("class score", "class score class --dry-run".to_owned()),
        ("class merge", format!("class merge {with_sheet} results")),
        ("class report", "class report results ada 03".to_owned()),
        ("class export", "class export results --to canvas".to_owned()),
        ("class similar", "class similar results".to_owned()),
        ("class audit", "class audit results".to_owned()),
        ("class replay", "class replay results ada 03 --device sim".to_owned()),
        ("class regrade", "class regrade results --device sim".to_owned()),
    ];
    let mut all = BTreeSet::new();
    commands(&grader::cli::Cli::command(), "", &mut all);
    let known = tried.iter().map(|(name, _)| *name).filter(|name| !name.is_empty()).chain(left_out);
    assert_eq!(known.map(str::to_owned).collect::<BTreeSet<_>>(), all);

    let place = Place::new();
    assert_eq!(place.grader(&["init", "."]).code, 0);
    take(&place, "03-reduction/kernel.cu");
    for copy in ["03-reduction/kernel.cu", "class/ada/03-reduction/kernel.cu"] {
        place.write(copy, fs::read(place.path("k.cu")).unwrap());
    }
    place.write("sheet.toml", "schema = 1\ntitle = \"Sheet\"\n[exercises.03-reduction]\ncorrect = 4\n");
    let whole = format!("class score {with_sheet} results");
    for words in ["check 03 --device sim", &whole] {
        let given = place.grader(&words.split_whitespace().collect::<Vec<_>>());
        assert_eq!(given.code, 0, "{}", given.all());
    }
    for (_, words) in tried {
        let mut command = Command::new(env!("CARGO_BIN_EXE_grader"));
        command.args(words.split_whitespace()).current_dir(place.path("")).stdin(Stdio::null());
        command.stdout(full.try_clone().unwrap());
        let given = place.given(command);
        assert_eq!(given.code, 3, "grader {words}: {}", given.all());
        assert!(
            given.err.contains("error: could not write to standard output: the disk is full\n"),
            "grader {words}: {}",
            given.all()
        );
    }
}

#[test]
fn what_nobody_reads_on_standard_error_changes_no_verdict() {
    let place = Place::new();
    place.grader(&["init", "."]);
    take(&place, "03-reduction/kernel.cu");
    fs::copy(place.path("k.cu"), place.path("03-reduction/kernel.cu")).unwrap();
    let closed = |arguments: &[&str]| {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = Command::new(env!("CARGO_BIN_EXE_grader"));
        command.args(arguments).current_dir(place.path("")).stdout(Stdio::null()).stderr(writer);
        command.status().unwrap().code()
    };
    // It passes with a remark, and there is no such exercise.
    assert_eq!(closed(&["check", "3", "--device", "sim"]), Some(0));
    assert_eq!(closed(&["check", "nothing"]), Some(2));
}

#[test]
fn a_disk_that_is_full_leaves_no_part_of_a_stub() {
    let place = Place::new();
    // A file that may not grow stands for a full disk, which takes more rights to make.
    let script = "trap '' XFSZ; ulimit -f 2; exec \"$0\" init mine";
    let mut command = Command::new("bash");
    command.args(["-c", script, env!("CARGO_BIN_EXE_grader")]).current_dir(place.path(""));
    let given = place.given(command);
    assert_eq!(given.code, 3, "{}", given.all());
    let exercises = || {
        let entries = fs::read_dir(place.path("mine")).unwrap().map(|entry| entry.unwrap());
        entries
            .filter(|entry| !entry.file_name().to_str().unwrap().starts_with('.'))
            .map(|entry| entry.path())
    };
    for stub in exercises().map(|folder| folder.join("kernel.cu")).filter(|stub| stub.exists()) {
        assert!(fs::read_to_string(&stub).unwrap().ends_with("}\n"), "{stub:?} is cut off");
    }
    // With room, the next one writes what is missing.
    assert_eq!(place.grader(&["init", "mine"]).code, 0);
    assert!(
        exercises()
            .all(|folder| !folder.is_dir() || fs::metadata(folder.join("kernel.cu")).unwrap().len() > 0)
    );
}

#[test]
fn nothing_that_lies_here_is_run() {
    let place = Place::new();
    for module in ["pip/__init__.py", "pip/__main__.py", "pip.py", "sys.py"] {
        place.write(module, "open('executed', 'w')\n");
    }
    place.grader(&["init"]);
    assert_eq!(place.grader(&["doctor"]).code, 0);
    // A cache without the compiler, and a pip that finds none anywhere: it is asked for and fails.
    let mut install = Command::new(env!("CARGO_BIN_EXE_grader"));
    install
        .args(["compiler", "install"])
        .current_dir(place.path(""))
        .env("CUDA_GRADER_CACHE", place.path("cache"))
        .env("PYTHONPATH", "")
        .env("PIP_NO_INDEX", "1")
        .env("PIP_FIND_LINKS", place.path("no-wheels"));
    let given = place.given(install);
    assert_eq!(given.code, 3, "{}", given.all());
    assert!(given.err.contains("pip found no wheel of the compiler"), "{}", given.all());
    assert!(!place.path("executed").exists(), "a student's folder of that name would have been run");
}

#[test]
fn a_source_that_the_compiler_gives_up_on_does_not_compile() {
    let place = Place::new();
    let nested = format!("{}1{}", "(".repeat(60_000), ")".repeat(60_000));
    place.write("k.cu", format!("extern \"C\" __global__ void k(int *p) {{ *p = {nested}; }}\n"));
    let given =
        place.grader(&["run", "k.cu", "--entry", "k", "--grid", "1", "--block", "1", "--arg", "out:i32:1"]);
    assert!(given.code == 1 && given.out.contains("the compiler gave up"), "{}", given.all());
}

/// Four students: one whose kernel doesn't compile, one who links to it, one with nothing, one with traps.
fn class(place: &Place) {
    place.write(
        "class/ada/03-reduction/kernel.cu",
        "extern \"C\" __global__ void reduce_max(int *p) { *p = x; }\n",
    );
    fs::create_dir_all(place.path("class/bob/03-reduction")).unwrap();
    symlink("../../ada/03-reduction/kernel.cu", place.path("class/bob/03-reduction/kernel.cu")).unwrap();
    fs::create_dir_all(place.path("class/=1+1")).unwrap();
    for folder in ["class/eve/00-first-kernel", "class/eve/05-bank-conflicts/kernel.cu"] {
        fs::create_dir_all(place.path(folder)).unwrap();
    }
    let fifo = place.path("class/eve/00-first-kernel/kernel.cu");
    rustix::fs::mkfifoat(rustix::fs::CWD, fifo, rustix::fs::Mode::from_raw_mode(0o644)).unwrap();
    // What can be opened is the kernel and the toolchain; nothing of this machine may show.
    place.write("class/eve/03-reduction/kernel.cu", "#include \"/etc/passwd\"\n");
    place.write("class/eve/07-convolution/kernel.cu", "#include __FILE__\n#include __FILE__\n");
    fs::File::create(place.write("class/eve/14-block-scan/kernel.cu", "")).unwrap().set_len(1 << 30).unwrap();
}

#[test]
fn cases_that_need_a_newer_gpu_are_left_out_and_that_is_said() {
    let place = Place::new();
    take(&place, "16-double-buffering/kernel.cu");
    let given = place.grader(&["check", "16", "--kernel", "k.cu", "--device", "sim:t4"]);
    assert_eq!(given.code, 0, "{}", given.all());
    let note = "13 of 26 cases need compute capability 8.0: unmeasured on sim:t4";
    assert!(given.out.contains(note), "{}", given.all());
}

#[test]
fn a_class_is_scored_whatever_is_submitted() {
    let place = Place::new();
    class(&place);
    let score = ["score", "class", "--out", "results", "--device", "sim", "--seed", "7"];
    let given = place.grader(&score);
    assert_eq!(given.code, 0, "{}", given.all());
    same(headless(&given.out), file!["cli/score.txt"]);
    let (gradebook, page) = results(&place, "results");
    same(gradebook.clone(), file!["cli/gradebook.csv"]);
    let report = place.grader(&["class", "report", "results", "eve", "3", "--format", "json"]).out;
    assert!(
        report.contains("\"verdict\": \"failed\"") && !report.contains("root:") && !page.contains("root:")
    );
    // A folder that is no exercise stops it, and one student's folder is that student's.
    fs::create_dir(place.path("class/ada/3-reduction")).unwrap();
    let strange = ["score", "class", "--out", "strange", "--device", "sim", "--seed", "7"];
    let refused = place.grader(&strange);
    assert!(
        refused.code == 2 && refused.err.contains("ada/3-reduction: an empty folder"),
        "{}",
        refused.all()
    );
    let lenient = place.grader(&[&strange[..], &["--lenient"]].concat());
    let as_strict = headless(&lenient.out).replace(", not-understood.txt", "");
    assert_eq!(as_strict.replace("strange:", "results:"), headless(&given.out));
    fs::remove_dir(place.path("class/ada/3-reduction")).unwrap();
    let one = place.grader(&["score", "class/ada", "--out", "one", "--device", "sim"]);
    assert!(one.code == 0 && one.err.contains("read as one student's folder or archive"), "{}", one.all());
    // Nothing is overwritten, and what began with one seed goes on with it.
    assert_eq!(place.grader(&["score", "class", "--out", "class/results"]).code, 2);
    assert_eq!(place.grader(&["score", "class", "--out", "class", "--device", "sim"]).code, 2);
    let other_seed = ["score", "class", "--out", "results", "--device", "sim", "--seed", "8"];
    assert_eq!(place.grader(&other_seed).code, 2);

    // Nothing changed: nothing is judged again.
    let before = judged(&place, "results").len();
    let again = place.grader(&score);
    assert_eq!((again.code, headless(&again.out)), (0, headless(&given.out)));
    assert_eq!(judged(&place, "results").len(), before);
    // Some rows are lost, and what was handed out.
    store(&place, "results").execute_batch("DELETE FROM row WHERE id > 4; DELETE FROM judgement").unwrap();
    fs::remove_file(place.path("results/gradebook.csv")).unwrap();
    let again = place.grader(&["score", "class", "--out", "results", "--device", "sim"]);
    assert_eq!((again.code, headless(&again.out)), (0, headless(&given.out)));
    assert_eq!(results(&place, "results").0, gradebook);
}

/// Scoring with another compiler changes grades; results of one are made out of those of another.
#[test]
fn results_of_two_compilers_are_never_mixed() {
    let place = Place::new();
    place.write(
        "class/ada/03-reduction/kernel.cu",
        "extern \"C\" __global__ void reduce_max(int *p) { *p = x; }\n",
    );
    let score = ["score", "class", "--out", "results", "--device", "sim"];
    assert_eq!(place.grader(&score).code, 0);
    let changed = store(&place, "results").execute(
        "UPDATE header SET value = replace(value, '\"compiler\":\"NVRTC 13.0.88\"', '\"compiler\":\"NVRTC 12.9.86\"')",
        [],
    );
    assert_eq!(changed, Ok(1));
    let log_before = log(&place, "results");
    let before = results(&place, "results");
    let refused = place.grader(&score);
    assert_eq!((refused.code, refused.out.as_str()), (2, ""));
    same(refused.err, file!["cli/mixture.txt"]);
    // Nothing was lost or changed.
    assert_eq!(log(&place, "results"), log_before);
    assert_eq!(results(&place, "results"), before);
}

#[test]
fn a_compiler_is_chosen_by_its_path() {
    let place = Place::new();
    place.write("k.cu", "extern \"C\" __global__ void k(int *p) { *p = 1; }\n");
    place.write("course.cu", "#include \"course.cuh\"\nextern \"C\" __global__ void reduce_max(int *p) {}\n");
    let check = ["check", "3", "--kernel", "course.cu", "--device", "sim", "--format", "json"];
    let report = |arguments: &[&str]| -> serde_json::Value {
        serde_json::from_str(&place.grader(&[&check[..], arguments].concat()).out).unwrap()
    };
    let pinned = report(&[]);
    let library = pinned["compiler"].as_str().unwrap().split_once('(').unwrap().1.trim_end_matches(')');
    assert_eq!(report(&["--compiler", library])["compiler"], pinned["compiler"]);
    assert_eq!(report(&["--compiler", "13.0.88"])["notes"].as_array().unwrap().len(), 0);
    // What is no compiler is wrong usage, whatever is installed here.
    for wrong in ["11", "k.cu", "99.1"] {
        let given = place.grader(&[&check[..], &["--compiler", wrong]].concat());
        assert_eq!(given.code, 2, "{wrong}: {}", given.all());
    }
    // The same compiler in another folder, as a toolkit has it: another origin, the same result.
    let toolkit = place.path("toolkit");
    fs::create_dir_all(toolkit.join("lib64")).unwrap();
    let lib = Path::new(library).parent().unwrap();
    for file in ["libnvrtc.so.13", "libnvrtc-builtins.so.13.0"] {
        fs::copy(lib.join(file), toolkit.join("lib64").join(file)).unwrap();
    }
    let other = report(&["--compiler", "toolkit"]);
    assert!(other["compiler"].as_str().unwrap().contains("HERE/toolkit/lib64/libnvrtc.so.13"), "{other}");
    assert!(other["notes"][0].as_str().unwrap().contains("using NVRTC 13.0 in "), "{other}");
    assert_eq!(other["goals"], pinned["goals"]);
}

/// CUDA 12's compiler, for GPUs and drivers that CUDA 13 has left behind, judged on the simulator.
#[test]
#[ignore = "fetches CUDA 12's compiler (137 MB); cargo test -p grader --test command_line cli:: -- --ignored"]
fn cuda_12_judges_and_does_not_mix_with_cuda_13() {
    let place = Place::new();
    take(&place, "03-reduction/kernel.cu");
    let check = ["check", "3", "--kernel", "k.cu", "--device", "sim", "--compiler", "12", "--format", "json"];
    let given = place.grader(&check);
    let report: serde_json::Value = serde_json::from_str(&given.out).unwrap();
    assert_eq!((given.code, report["verdict"].as_str()), (0, Some("passed")), "{}", given.all());
    assert!(report["compiler"].as_str().unwrap().starts_with("NVRTC 12.9.86 ("), "{}", report["compiler"]);
    take(&place, "03-reduction/wrong/missing-barrier-in-tree.cu");
    let given = place.grader(&check);
    let report: serde_json::Value = serde_json::from_str(&given.out).unwrap();
    assert_eq!((given.code, report["findings"][0]["kind"].as_str()), (1, Some("race")), "{}", given.all());

    fs::create_dir_all(place.path("class/ada/03-reduction")).unwrap();
    fs::copy(place.path("k.cu"), place.path("class/ada/03-reduction/kernel.cu")).unwrap();
    let score = ["score", "class", "--out", "results", "--device", "sim"];
    assert_eq!(place.grader(&[&score[..], &["--compiler", "12"]].concat()).code, 0);
    let mixed = place.grader(&score);
    assert!(mixed.code == 2 && mixed.err.contains("began with compiler NVRTC 12.9.86"), "{}", mixed.all());
    assert_eq!(place.grader(&[&score[..], &["--compiler", "12"]].concat()).code, 0);
}

#[test]
fn a_check_says_what_is_wrong_and_where() {
    let place = Place::new();
    take(&place, "03-reduction/wrong/missing-barrier-in-tree.cu");
    let check = ["check", "03", "--kernel", "k.cu", "--device", "sim"];
    same(place.grader(&check).all(), file!["cli/race.txt"]);
    let json = place.grader(&[&check[..], &["--format", "json"]].concat());
    assert_eq!((json.code, json.err.as_str()), (1, ""));
    let report: serde_json::Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!((report["schema"].as_u64(), report["verdict"].as_str()), (Some(3), Some("failed")));
    assert_eq!(report["findings"][0]["kind"], "race");
    assert_eq!(
        json.out,
        place.grader(&[&check[..], &["--format", "json"]].concat()).out,
        "not deterministic"
    );
}

#[test]
fn a_solution_passes_and_is_remembered_by_its_content() {
    let place = Place::new();
    place.grader(&["init", "."]);
    take(&place, "03-reduction/kernel.cu");
    let stub = fs::read(place.path("03-reduction/kernel.cu")).unwrap();
    fs::copy(place.path("k.cu"), place.path("03-reduction/kernel.cu")).unwrap();
    let given = place.grader_in("03-reduction", &["check", "reduction", "--device", "sim"]);
    assert!(
        given.code == 0 && given.err.contains("`grader hint 03-reduction` now tells why"),
        "{}",
        given.all()
    );
    let state = || {
        let json: serde_json::Value =
            serde_json::from_str(&place.grader(&["list", "--format", "json"]).out).unwrap();
        let mut exercises = json["exercises"].as_array().unwrap().iter();
        let exercise = exercises.find(|exercise| exercise["id"] == "03-reduction").unwrap();
        exercise["state"].as_str().unwrap().to_owned()
    };
    assert!(state().starts_with("passed"), "{}", state());
    same(place.grader(&["hint", "3"]).all(), file!["cli/hint-passed.txt"]);
    assert!(place.grader(&["hint", "5"]).out.starts_with("Hint 1 of "), "that one has not passed");
    // Who breaks it afterwards gets the hints that the check offers.
    take(&place, "03-reduction/wrong/missing-barrier-in-tree.cu");
    let solution = fs::read(place.path("03-reduction/kernel.cu")).unwrap();
    fs::copy(place.path("k.cu"), place.path("03-reduction/kernel.cu")).unwrap();
    let told = place.grader(&["check", "3", "--device", "sim"]).out;
    assert!(told.contains("has hints for a race"), "{told}");
    assert!(place.grader(&["hint", "3"]).out.starts_with("Hint 1 of 7, for a race\n"));
    fs::write(place.path("03-reduction/kernel.cu"), &solution).unwrap();
    fs::write(place.path("k.cu"), &solution).unwrap();
    place.grader(&["check", "3", "--device", "sim"]);
    assert!(place.grader(&["hint", "3"]).out.starts_with("You passed "));
    assert!(place.grader(&["list"]).out.ends_with("\nYour kernels are in this folder.\n"));
    fs::write(place.path("03-reduction/kernel.cu"), "// another try\n").unwrap();
    assert_eq!(state(), "begun");
    fs::write(place.path("03-reduction/kernel.cu"), stub).unwrap();
    assert_eq!(state(), "new");
    fs::copy(place.path("k.cu"), place.path("03-reduction/kernel.cu")).unwrap();
    assert!(state().starts_with("passed"));
    let speed = place.grader(&["check", "0", "--kernel", "nowhere.cu", "--require-speed"]);
    assert_eq!(speed.code, 2);
}

#[test]
fn a_dump_says_where_it_is() {
    let place = Place::new();
    take(&place, "03-reduction/kernel.cu");
    let call = ["check", "3", "--kernel", "k.cu", "--device", "sim:h200", "--case", "5", "--dump", "arrays"];
    let given = place.grader(&call);
    assert_eq!(given.code, 0, "{}", given.all());
    assert!(given.out.contains("is in arrays/case-5-sim-h200 as .npy files"), "{}", given.all());
    assert!(place.path("arrays/case-5-sim-h200/launch-2-out.expected.npy").is_file());
}

#[test]
fn a_plot_is_written_where_there_is_one() {
    let place = Place::new();
    take(&place, "05-bank-conflicts/kernel.cu");
    let given = place.grader(&["check", "5", "--kernel", "k.cu", "--device", "sim", "--plot", "plot.svg"]);
    assert!(given.code == 0 && given.out.contains("└──"), "{}", given.all());
    assert!(fs::read_to_string(place.path("plot.svg")).unwrap().contains("</svg>"));
    take(&place, "03-reduction/kernel.cu");
    assert_eq!(
        place.grader(&["check", "3", "--kernel", "k.cu", "--device", "sim", "--plot", "no.svg"]).code,
        2
    );
}

#[test]
fn a_files_name_may_be_anything() {
    let place = Place::new();
    let kernel = "extern \"C\" __global__ void k(int* p) {\n    p[threadIdx.x] = p[9999];\n}\n";
    // The rest of a launch; the kernel reads what is not there, on line 2.
    let launch =
        ["--entry", "k", "--grid", "1", "--block", "32", "--device", "sim", "--arg", "inout:i32:32=zeros"];
    let names = [
        "a\nb.cu",
        "a\rb.cu",
        "a\tb.cu",
        "a\"b.cu",
        "a\\b.cu",
        "a'b.cu",
        "a b.cu",
        "a%sb.cu",
        "a\x1b[31mb.cu",
        "a\u{202e}b.cu",
        "a\u{2028}b.cu",
        "ü.cu",
        "-a.cu",
        "a;b.cu",
        "a$(b).cu",
        "a,b.cu",
    ];
    for name in names {
        place.write(name, kernel);
        let path = place.path(name);
        let given = place.grader(&[&["run", path.to_str().unwrap()], &launch[..]].concat());
        assert_eq!(given.code, 1, "{name:?}: {}", given.all());
        assert!(given.out.contains(":2:") && given.out.contains("p[9999]"), "{name:?}: {}", given.out);
        let check = ["check", "0", "--device", "sim", "--kernel", path.to_str().unwrap()];
        let checked = place.grader(&check);
        assert_eq!(checked.code, 1, "{name:?}: {}", checked.all());
        fs::remove_file(&path).unwrap();
        let missing = place.grader(&check);
        assert_eq!(missing.code, 2, "{name:?}: {}", missing.all());
        for printed in [given, checked, missing] {
            let hidden = |c: char| c.is_control() && c != '\n' || matches!(c, '\u{202e}' | '\u{2028}');
            assert!(!printed.all().contains(hidden), "{name:?}: {:?}", printed.all());
            assert!(!printed.all().contains("a\nb"), "{name:?}: {}", printed.all());
        }
    }
}

#[test]
fn one_endless_kernel_costs_its_own_row() {
    let place = Place::new();
    take(&place, "03-reduction/kernel.cu");
    for student in ["good", "endless"] {
        fs::create_dir_all(place.path(&format!("class/{student}/03-reduction"))).unwrap();
    }
    fs::copy(place.path("k.cu"), place.path("class/good/03-reduction/kernel.cu")).unwrap();
    place.write(
        "class/endless/03-reduction/kernel.cu",
        "#include \"course.cuh\"\nLAUNCH_CONSTANT(BLOCK_SIZE, 64);\n\
         extern \"C\" __global__ void reduce_max(const float *in, volatile float *out, int n) {\n    \
         for (int i = 0; in[0] == in[0]; i++) out[0] = i;\n}\n",
    );
    let given = place.grader(&["score", "class", "--out", "results", "--device", "sim"]);
    assert_eq!(given.code, 0, "{}", given.all());
    let gradebook = results(&place, "results").0;
    let status = |student: &str| {
        let line =
            gradebook.lines().find(|line| line.starts_with(&format!("{student},03-reduction"))).unwrap();
        line.split(',').nth(3).unwrap().trim_matches('"').to_owned()
    };
    assert_eq!((status("good").as_str(), status("endless").as_str()), ("passed", "failed"), "{gradebook}");
    let report = place.grader(&["class", "report", "results", "endless", "3", "--format", "json"]).out;
    assert!(report.contains("\"unfinished\"") || report.contains("\"deadlock\""));
}

#[test]
fn output_that_nobody_reads_ends_quietly() {
    let place = Place::new();
    let binary = Path::new(env!("CARGO_BIN_EXE_grader"));
    let script = format!("{} run --help | head -1", binary.to_str().unwrap());
    let output = Command::new("sh").args(["-c", &script]).current_dir(place.path("")).output().unwrap();
    assert!(!String::from_utf8_lossy(&output.stderr).contains("panicked"));
}
