//! A learner's day without watching: a folder, a stub, mistakes, a pass, and what there is around them.

use std::{fs, os::unix::fs::PermissionsExt as _, path::Path, process::Command};

use clap::CommandFactory as _;
use serde_json::Value;

use crate::support::{Given, Place, all_there, take, unprivileged};

const GRADER: &str = env!("CARGO_BIN_EXE_grader");

/// A course folder.
fn course() -> Place {
    let place = Place::new();
    assert_eq!(place.grader(&["init"]).code, 0);
    place
}

/// Writes a kernel of the course as the learner's.
fn write(place: &Place, exercise: &str, kernel: &str) {
    take(place, kernel);
    fs::rename(place.path("k.cu"), place.path(exercise).join("kernel.cu")).unwrap();
}

#[test]
fn an_untouched_stub_is_not_started() {
    let place = course();
    let given = place.grader(&["check", "03", "--device", "sim"]);
    assert_eq!(given.code, 1);
    assert!(given.out.contains("not started: this is the stub as it came"), "{}", given.all());
    assert!(given.out.contains("from line 34 on"), "{}", given.all());
    assert!(!given.out.contains('✓') && given.out.lines().count() < 10, "{}", given.all());
}

#[test]
fn a_report_is_brief_and_verbose_has_all() {
    let place = course();
    write(&place, "03-reduction", "03-reduction/wrong/missing-barrier-in-tree.cu");
    let brief = place.grader(&["check", "03", "--device", "sim"]);
    assert_eq!(brief.code, 1);
    assert!(brief.out.lines().count() <= 30, "{}", brief.all());
    for part in
        ["error[race]", "things are wrong: --verbose shows all", "`grader explain race`", "next: Order"]
    {
        assert!(brief.out.contains(part), "{part}: {}", brief.all());
    }
    let verbose = place.grader(&["check", "03", "--device", "sim", "--verbose"]);
    assert!(
        verbose.out.contains("Asked") && verbose.out.contains("global_load_sectors  "),
        "{}",
        verbose.all()
    );
    assert!(verbose.out.lines().count() > brief.out.lines().count());
}

#[test]
fn in_its_folder_an_exercise_needs_no_name_and_a_pass_names_the_next() {
    let place = course();
    write(&place, "03-reduction", "03-reduction/kernel.cu");
    let given = place.grader_in("03-reduction", &["check", "--device", "sim"]);
    assert_eq!(given.code, 0, "{}", given.all());
    assert!(given.out.contains("next exercise: 04-synchronization, chapter 04"), "{}", given.all());
    let nowhere = place.grader(&["check", "--device", "sim"]);
    assert_eq!(nowhere.code, 2, "{}", nowhere.all());
    assert!(nowhere.all().contains("name one, as in `grader check 03`"), "{}", nowhere.all());
}

#[test]
fn reset_loses_nothing() {
    let place = course();
    let kernel = place.path("03-reduction/kernel.cu");
    let stub = fs::read_to_string(&kernel).unwrap();
    for (number, mine) in (1..).zip(["my first", "my second"]) {
        fs::write(&kernel, mine).unwrap();
        let given = place.grader(&["reset", "03"]);
        assert_eq!(given.code, 0, "{}", given.all());
        assert_eq!(fs::read_to_string(&kernel).unwrap(), stub);
        let kept = place.path(&format!("03-reduction/kernel.before-reset-{number}.cu"));
        assert_eq!(fs::read_to_string(kept).unwrap(), mine);
    }
    assert!(place.grader(&["reset", "03"]).out.contains("is the stub already"));
}

/// As an editor leaves it that crashed, or a disk that was full.
#[test]
fn an_empty_kernel_is_told_how_to_become_the_stub_again() {
    let place = course();
    let kernel = place.path("03-reduction/kernel.cu");
    let stub = fs::read_to_string(&kernel).unwrap();
    for command in [&["check", "03", "--device", "sim"][..], &["submit", "03"]] {
        fs::write(&kernel, "").unwrap();
        let given = place.grader(command);
        assert_eq!(given.code, 2, "{}", given.all());
        let commands = given.err.split('`').find_map(|part| part.strip_prefix("grader "));
        let told: Vec<&str> = commands.unwrap_or_default().split(' ').collect();
        assert_eq!(told, ["reset", "03-reduction"], "{}", given.all());
        let done = place.grader(&told);
        assert_eq!(done.code, 0, "{}", done.all());
        assert_eq!(fs::read_to_string(&kernel).unwrap(), stub);
    }
    // A file of its own has no stub.
    place.write("k.cu", "");
    let given = place.grader(&["check", "03", "--kernel", "k.cu"]);
    assert!(
        given.err.contains("next: write the kernel there") && !given.err.contains("reset"),
        "{}",
        given.err
    );
}

#[test]
fn the_solution_is_for_who_passed_or_gives_up() {
    let place = course();
    let published = |file: &str| {
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../solutions").join(file)).unwrap()
    };
    let solution = |name: &str| published(&format!("{name}/kernel.cu"));
    let refused = place.grader(&["solution", "03"]);
    assert_eq!((refused.code, refused.out.as_str()), (2, ""), "{}", refused.all());
    assert!(refused.all().contains("--give-up"), "{}", refused.all());
    let given = place.grader(&["solution", "03", "--give-up"]);
    assert_eq!((given.code, given.out.as_str()), (0, solution("03-reduction").as_str()));
    assert!(given.all().contains("1-divergent, 2-conflicting, 4-last-warp"), "{}", given.all());
    let refused = place.grader(&["solution", "04", "--step", "1"]);
    assert!(refused.all().contains("has no step 1"), "{}", refused.all());
    assert_eq!(place.grader(&["solution", "06", "--step", "5"]).code, 2, "a step gives as much away");
    let last_warp = published("03-reduction/steps/4-last-warp.cu");
    for name in ["4", "4-last-warp"] {
        assert_eq!(place.grader(&["solution", "03", "--give-up", "--step", name]).out, last_warp);
    }
    assert!(place.grader(&["list"]).out.contains("solution seen before"));
    write(&place, "00-first-kernel", "00-first-kernel/kernel.cu");
    assert_eq!(place.grader(&["check", "00", "--device", "sim"]).code, 0);
    assert_eq!(place.grader(&["solution", "00"]).out, solution("00-first-kernel"));
}

#[test]
fn init_makes_and_mends_and_says_what_to_type() {
    let place = Place::new();
    let made = place.grader(&["init", "my course"]);
    assert_eq!(made.code, 0, "{}", made.all());
    assert!(made.out.contains("next: cd 'my course' && grader watch"), "{}", made.all());
    let mended = place.grader(&["init", "my course"]);
    assert!(mended.out.contains(&format!("0 stubs written; {}", all_there())), "{}", mended.all());
    // In a checkout there is one folder for kernels, whatever is asked for.
    for asked in [&["init"][..], &["init", "."], &["init", "exercises/.."]] {
        let checkout = Place::new();
        fs::create_dir_all(checkout.path("grader")).unwrap();
        fs::write(checkout.path("grader/Cargo.toml"), "").unwrap();
        fs::create_dir_all(checkout.path("exercises/x")).unwrap();
        let given = checkout.grader(asked);
        assert_eq!(given.code, 0, "{}", given.all());
        assert!(checkout.path("learn/03-reduction/kernel.cu").is_file(), "{}", given.all());
        assert!(!checkout.path("03-reduction").exists() && !checkout.path(".course.json").exists());
        // What it says works as typed.
        assert!(given.out.contains("next: grader watch"), "{}", given.all());
    }
}

/// Makes what the program takes for a checkout of the course.
fn make_checkout(place: &Place, folder: &str) {
    place.write(&format!("{folder}/grader/Cargo.toml"), "");
    fs::create_dir_all(place.path(folder).join("exercises/x")).unwrap();
}

/// Calls the program as `cargo grade` does.
fn by_cargo(place: &Place, folder: &str, arguments: &[&str]) -> Given {
    let mut command = Command::new(GRADER);
    command.args(arguments).current_dir(place.path(folder)).env("CARGO", "cargo");
    place.given(command)
}

#[test]
fn in_a_checkout_the_first_lines_say_that_cargo_grade_is_it() {
    for first in [&["list"][..], &["init"], &["check", "00", "--device", "sim"]] {
        let place = Place::new();
        make_checkout(&place, "checkout");
        let given = by_cargo(&place, "checkout", first);
        let remark = "where a text says `grader`, type `cargo grade` here";
        assert!(given.err.contains(remark), "{first:?}: {}", given.all());
        if *first == ["init"] {
            assert!(given.out.ends_with("\nnext: cargo grade watch\n"), "{}", given.all());
        }
    }
    let place = Place::new();
    assert!(!place.grader(&["list"]).err.contains("where a text says"));
}

#[test]
fn what_is_to_be_typed_outside_a_checkout_works_there() {
    let place = Place::new();
    make_checkout(&place, "checkout");
    let made = by_cargo(&place, "checkout", &["init", "../my own"]);
    assert_eq!(made.code, 0, "{}", made.all());
    assert!(made.err.contains("there: it is the same program"), "{}", made.all());
    let next = made.out.lines().find_map(|line| line.strip_prefix("next: ")).unwrap();
    assert!(!next.contains("cargo grade"), "{next}");
    // `watch` needs a terminal; what stands before it is what matters.
    let line = format!("{} list", next.strip_suffix(" watch").unwrap());
    let here = place.path("");
    let mut command = Command::new("sh");
    command.args(["-c", &line.replace("HERE", here.to_str().unwrap())]).current_dir(place.path("checkout"));
    let given = place.given(command);
    assert!(
        given.code == 0 && given.out.contains("Your kernels are in this folder"),
        "{line}: {}",
        given.all()
    );
    // Another cargo may have started it, far from any checkout.
    let given = by_cargo(&place, "my own", &["init"]);
    assert!(given.code == 0 && !given.all().contains("cargo grade"), "{}", given.all());
}

#[test]
fn a_checkout_has_its_folder_for_kernels_and_says_so() {
    let place = Place::new();
    make_checkout(&place, "checkout");
    let given = by_cargo(&place, "checkout", &["init", "mycourse"]);
    assert_eq!(given.code, 2, "{}", given.all());
    let found = "mycourse is inside a checkout of the course, which has a folder for kernels: learn";
    assert!(given.err.contains(found), "{}", given.all());
    let told = "`cargo grade init` makes or mends that one; for another, name a folder outside the checkout";
    assert!(given.err.contains(told), "{}", given.all());
    assert!(!place.path("checkout/mycourse").exists());
    assert_eq!(by_cargo(&place, "checkout", &["init"]).code, 0);
    let inside = place.grader_in("checkout/learn", &["init", "03-reduction"]);
    assert!(inside.code == 2 && inside.err.contains("is inside another course"), "{}", inside.all());
}

#[test]
fn no_course_begins_within_another() {
    let place = Place::new();
    assert_eq!(place.grader(&["init", "mine"]).code, 0);
    // From anywhere inside, `init` means the course that is there.
    let mended = place.grader_in("mine/03-reduction", &["init"]);
    assert!(mended.code == 0 && mended.out.contains(&all_there()), "{}", mended.all());
    for asked in ["03-reduction", "./03-reduction", "new", "new/er", "../mine/new"] {
        let given = place.grader_in("mine", &["init", asked]);
        assert_eq!(given.code, 2, "{asked}: {}", given.all());
        assert!(given.err.contains("is inside another course"), "{}", given.all());
        assert!(!place.path("mine/03-reduction/course.toml").exists() && !place.path("mine/new").exists());
    }
    let checkout = Place::new();
    fs::create_dir_all(checkout.path("grader")).unwrap();
    fs::write(checkout.path("grader/Cargo.toml"), "").unwrap();
    fs::create_dir_all(checkout.path("exercises/x")).unwrap();
    for (asked, code) in [("exercises", 2), ("grader/src", 2), ("learn/03-reduction", 2), ("learn", 0)] {
        let given = checkout.grader(&["init", asked]);
        assert_eq!(given.code, code, "{asked}: {}", given.all());
    }
    assert!(!checkout.path("exercises/course.toml").exists());
}

#[test]
fn one_case_is_no_pass_of_the_exercise() {
    let place = course();
    write(&place, "03-reduction", "03-reduction/kernel.cu");
    let check = |options: &[&str]| {
        let given = place.grader(&[&["check", "03", "--device", "sim"], options].concat());
        assert_eq!(given.code, 0, "{}", given.all());
        given.out
    };
    let one = check(&["--case", "0"]);
    assert!(one.contains(", one case of ") && one.contains("Leave `--case` out"), "{one}");
    assert!(!one.contains("next exercise"), "{one}");
    let json: Value = serde_json::from_str(&check(&["--case", "0", "--format", "json"])).unwrap();
    assert!(json["one_case_of"].as_u64() > Some(1), "{json}");
    let all = check(&[]);
    assert!(!all.contains("one case of") && all.contains("next exercise"), "{all}");
}

#[test]
fn who_waits_in_a_loop_is_told_what_waits_without_one() {
    let place = Place::new();
    take(&place, "05-bank-conflicts/kernel.cu");
    let solution = fs::read_to_string(place.path("k.cu")).unwrap();
    let next = |waiting: &str| {
        place.write("k.cu", solution.replace("    wait_for(value);\n", waiting));
        let given = place.grader(&["check", "05", "--kernel", "k.cu", "--device", "sim", "--format", "json"]);
        assert_eq!(given.code, 1, "{waiting}: {}", given.all());
        let report: Value = serde_json::from_str(&given.out).unwrap();
        report["next_step"].as_str().unwrap().to_owned()
    };
    for endless in [
        "while (value != data[0]) {\n}\n",
        "for (Element now = value; now == value; now = data[lane * stride]) {\n}\n",
        "while (true) {\n__syncwarp();\n}\n",
        "while (value >= 0 || value < 0) {\nvalue = data[lane * stride]; // wait_for(value)\n}\n",
    ] {
        let step = next(endless);
        assert!(
            step.contains("`wait_for(value)` waits until a value that was read is there"),
            "{endless}: {step}"
        );
        let step = next(&format!("wait_for(value);\n{endless}"));
        assert!(!step.contains("wait_for"), "who calls it needs no word of it: {step}");
    }
}

/// What `--profile` says of a line is what the counters say of it, and nobody writes an argument for it.
#[test]
fn a_profile_shows_the_source_with_what_it_costs() {
    let place = Place::new();
    take(&place, "06-transpose/kernel.cu");
    fs::rename(place.path("k.cu"), place.path("right.cu")).unwrap();
    take(&place, "06-transpose/wrong/no-padding.cu");
    let check = |file: &str, more: &[&str]| {
        let call = [&["check", "06", "--kernel", file, "--device", "sim"], more].concat();
        place.grader(&call).out
    };
    let report: Value = serde_json::from_str(&check("k.cu", &["--format", "json"])).unwrap();
    let work = |case: &&Value| case["counters"]["ptx_instructions"].as_u64();
    let largest = report["cases"].as_array().unwrap().iter().max_by_key(work).unwrap();
    let conflicts = |line: &&Value| line["shared_bank_conflicts"].as_u64().unwrap();
    let worst = largest["lines"].as_array().unwrap().iter().max_by_key(conflicts).unwrap();
    let (line, waits) = (worst["place"]["line"].as_u64().unwrap(), conflicts(&worst));
    let said = check("k.cu", &["--profile"]);
    let (_, profile) =
        said.split_once(&format!("profile of case {}: ", largest["number"])).expect("it is the largest's");
    let row = profile
        .lines()
        .find(|row| row.split_whitespace().any(|word| word == line.to_string()))
        .unwrap_or_default();
    assert!(waits > 0 && row.contains(&waits.to_string()), "{line} {waits}: {said}");
    for fact in ["executed ", "memory ", "roof ", "occupancy "] {
        assert!(profile.contains(&format!("\n{fact}")), "{fact}: {said}");
    }
    assert!(profile.lines().all(|line| line.chars().count() <= 100), "{said}");
    let plain = check("right.cu", &["--profile", "--plain"]);
    assert!(plain.contains("; Line: ") && !plain.contains("Conflicts: "), "{plain}");
}

#[test]
fn settings_hold_from_anywhere_inside_and_an_option_counts_more() {
    let place = course();
    write(&place, "03-reduction", "03-reduction/kernel.cu");
    let check =
        |options: &[&str]| place.grader_in("03-reduction", &[&["check", "--case", "2"], options].concat());
    place.write("course.toml", "schema = 1\ndevice = \"sim:t4\"\nplain = true\n");
    let given = check(&[]);
    assert!(given.code == 0 && given.out.contains("sim:t4, NVRTC"), "{}", given.all());
    let given = check(&["--device", "sim:a100"]);
    assert!(given.code == 0 && given.out.contains("sim:a100, NVRTC"), "{}", given.all());
    assert!(place.grader(&["list"]).out.contains("State: "));
    place.write("course.toml", "schema = 1\ncompiler = \"nowhere/libnvrtc.so\"\n");
    let given = check(&["--device", "sim"]);
    assert!(given.code != 0 && given.all().contains("HERE/nowhere/libnvrtc.so"), "{}", given.all());
    // What is wrong in it is told with its line; whoever looks at the folder or mends it can.
    place.write("course.toml", "schema = 1\ndevise = \"sim\"\n");
    let given = check(&[]);
    assert_eq!(given.code, 2, "{}", given.all());
    assert!(given.err.contains("HERE/course.toml:2: unknown key `devise`"), "{}", given.all());
    assert!(given.err.contains("did you mean `device`?"), "{}", given.all());
    let doctor = place.grader(&["doctor"]);
    assert!(doctor.out.contains("course.toml:2") && doctor.code == 3, "{}", doctor.all());
    let init = place.grader(&["init"]);
    assert!(init.out.contains(&all_there()) && init.code == 2, "{}", init.all());
}

#[test]
fn after_an_update_a_check_says_what_brings_the_folder_up_to_date() {
    let place = course();
    let record = fs::read_to_string(place.path(".course.json")).unwrap();
    let version = format!("\"course\": \"{}\"", env!("CARGO_PKG_VERSION"));
    assert!(record.contains(&version), "{record}");
    place.write(".course.json", record.replace(&version, "\"course\": \"0.0.9\""));
    let check = || place.grader(&["check", "04", "--device", "sim"]).err;
    for _ in 0..2 {
        assert!(check().contains("this folder is of version 0.0.9 of the course"), "{}", check());
    }
    let init = place.grader(&["init"]);
    assert!(init.code == 0 && init.out.contains("from version 0.0.9 of the course to"), "{}", init.all());
    assert!(!check().contains("version"), "{}", check());
}

#[test]
fn a_folder_of_the_first_version_goes_on_working_and_init_mends_it() {
    let place = course();
    write(&place, "03-reduction", "03-reduction/kernel.cu");
    assert_eq!(place.grader(&["check", "03", "--device", "sim"]).code, 0);
    // That version wrote kernels and the record, and nothing of what came later into it.
    for name in ["course.toml", ".clangd", "compile_flags.txt"] {
        fs::remove_file(place.path(name)).unwrap();
    }
    fs::remove_dir_all(place.path(".vscode")).unwrap();
    let mut record: Value =
        serde_json::from_str(&fs::read_to_string(place.path(".course.json")).unwrap()).unwrap();
    record.as_object_mut().unwrap().retain(|key, _| key == "schema" || key == "exercises");
    place.write(".course.json", record.to_string());
    let given = place.grader_in("03-reduction", &["check", "--device", "sim"]);
    assert_eq!(given.code, 0, "{}", given.all());
    assert!(!place.path("course.toml").exists());
    assert!(place.grader(&["list"]).out.contains("✓ passed"));
    assert_eq!(place.grader(&["init"]).code, 0);
    for name in ["course.toml", ".clangd", "compile_flags.txt", ".vscode/tasks.json"] {
        assert!(place.path(name).is_file(), "{name}");
    }
    assert!(place.grader(&["list"]).out.contains("✓ passed"));
}

#[test]
fn explain_knows_the_words_of_reports() {
    let place = Place::new();
    let race = place.grader(&["explain", "race"]);
    assert!(race.code == 0 && race.out.contains("__syncthreads()") && race.out.contains("Chapter 04"));
    assert!(place.grader(&["explain", "bank", "conflict"]).out.contains("wavefront"));
    let all = place.grader(&["explain"]).out;
    assert!(all.contains("uninitialized_read") && all.contains("coarsening"), "{all}");
    let unknown = place.grader(&["explain", "racee"]);
    assert_eq!(unknown.code, 2);
    assert!(unknown.all().contains("did you mean `race`?"), "{}", unknown.all());
}

/// An exercise's row of the table, as it is read aloud, and its entry in JSON.
fn listed(place: &Place, exercise: &str) -> (String, Value) {
    let said = place.grader(&["list", "--plain"]).out;
    let row = said.lines().find(|line| line.starts_with(exercise)).expect("a row").to_owned();
    let json: Value = serde_json::from_str(&place.grader(&["list", "--format", "json"]).out).unwrap();
    let mut exercises = json["exercises"].as_array().unwrap().iter();
    let entry = exercises.find(|entry| entry["id"] == exercise).expect("an entry").clone();
    (row, entry)
}

#[test]
fn a_pass_is_never_forgotten_and_hints_are_there_for_another_try() {
    let place = course();
    let exercise = "00-first-kernel";
    let kernel = place.path(exercise).join("kernel.cu");
    let stub = fs::read_to_string(&kernel).unwrap();
    write(&place, exercise, "00-first-kernel/kernel.cu");
    let right = fs::read_to_string(&kernel).unwrap();
    assert_eq!(place.grader(&["check", "00", "--device", "sim"]).code, 0);
    let (row, entry) = listed(&place, exercise);
    assert!(row.contains("State: passed") && entry["ever_passed"] == true, "{row} {entry}");
    assert!(place.grader(&["hint", "00"]).out.starts_with("You passed 00-first-kernel\n"));
    for (text, state, said) in [
        (&*stub, "new", "State: passed, the stub again;"),
        (&format!("{right}\n"), "begun", "State: passed, changed since;"),
        ("", "unreadable", "State: passed, no kernel: empty;"),
    ] {
        fs::write(&kernel, text).unwrap();
        let (row, entry) = listed(&place, exercise);
        assert!(row.contains(said), "{said}: {row}");
        assert_eq!((&entry["state"], &entry["ever_passed"]), (&state.into(), &true.into()), "{entry}");
        let hint = place.grader(&["hint", "00"]).out;
        assert!(hint.starts_with("Hint ") && hint.contains("with another kernel"), "{said}: {hint}");
    }
    // What a check of the stub promises is what comes.
    fs::write(&kernel, &stub).unwrap();
    let told = place.grader(&["check", "00", "--device", "sim"]).out;
    assert!(told.contains("`grader hint 00-first-kernel` has a first hint"), "{told}");
    assert!(place.grader(&["hint", "00"]).out.starts_with("Hint "));
    // The kernel that passed is put back.
    fs::write(&kernel, &right).unwrap();
    assert!(place.grader(&["hint", "00"]).out.starts_with("You passed 00-first-kernel\n"));
    fs::remove_file(&kernel).unwrap();
    let (row, _) = listed(&place, exercise);
    assert!(row.contains("State: passed, no file;"), "{row}");
    fs::create_dir(&kernel).unwrap();
    let (row, _) = listed(&place, exercise);
    assert!(row.contains("State: passed, no kernel: a folder, not a file;"), "{row}");
    // Of another exercise nothing passed.
    let other = place.path("01-coalescing/kernel.cu");
    fs::set_permissions(&other, fs::Permissions::from_mode(0o000)).unwrap();
    let mut list = unprivileged(GRADER);
    list.args(["list", "--format", "json"]).current_dir(place.path(""));
    let given = place.given(list);
    let json: Value = serde_json::from_str(&given.out).unwrap_or_else(|_| panic!("{}", given.all()));
    let entry = &json["exercises"][1];
    assert_eq!((&entry["state"], &entry["ever_passed"]), (&"unreadable".into(), &false.into()), "{entry}");
}

#[test]
fn the_table_of_all_says_what_the_reports_say() {
    let place = course();
    let kernels = ["00-first-kernel/kernel.cu", "06-transpose/kernel.cu"];
    for kernel in kernels.into_iter().chain(["03-reduction/wrong/missing-barrier-in-tree.cu"]) {
        write(&place, &kernel[..kernel.find('/').unwrap()], kernel);
    }
    // Its GPUs are newer than a T4: of that one there is no verdict.
    let left = ["00-first-kernel", "03-reduction", "04-synchronization", "06-transpose", "21-clusters"];
    let others = course::COURSE.iter().map(|exercise| exercise.id()).filter(|id| !left.contains(id));
    others.for_each(|id| fs::write(place.path(id).join("kernel.cu"), "").unwrap());
    for option in ["", "--verbose", "--plain"] {
        let options = [option].into_iter().filter(|option| !option.is_empty());
        let call: Vec<&str> = ["check", "--all", "--device", "sim:t4"].into_iter().chain(options).collect();
        let given = place.grader(&call);
        let row = |id: &str| {
            let row = given.out.lines().rev().find(|line| line.trim_start().starts_with(id));
            row.unwrap_or_else(|| panic!("{id} has no row: {}", given.all())).to_owned()
        };
        let sign = |sign: &str| if option == "--plain" { String::new() } else { format!("{sign} ") };
        for id in ["00-first-kernel", "03-reduction", "06-transpose"] {
            let ends = |line: &&str| {
                let words = line.trim_start_matches(['✓', '✗', ' ']);
                ["passed ", "failed "].iter().any(|verdict| words.starts_with(&format!("{verdict}{id}")))
            };
            let end = given.out.lines().find(ends).unwrap_or_else(|| panic!("{id}: {}", given.all()));
            let status = end.replacen(&format!(" {id}"), "", 1);
            assert!(row(id).contains(&status), "{status}: {}", row(id));
        }
        assert!(row("06-transpose").contains("passed, speed unmeasured"), "{}", given.all());
        let not_started = format!("{}not started", sign("○"));
        assert!(given.out.contains(&format!("{not_started}: this is the stub")), "{}", given.all());
        assert!(row("04-synchronization").contains(&not_started), "{}", given.all());
        assert!(!row("04-synchronization").contains("correct"), "{}", given.all());
        let no_verdict = format!("{}the judge could not do its work", sign("!"));
        assert!(given.out.contains(&format!("{no_verdict}; this is no verdict on 21-")), "{}", given.all());
        assert!(row("21-clusters").contains(&no_verdict), "{}", given.all());
        assert!(row("05-bank-conflicts").contains(&format!("{}not judged", sign("!"))), "{}", given.all());
    }
}

#[test]
fn every_command_that_takes_an_exercise_takes_its_folders() {
    let place = course();
    let takes_one = |command: &&clap::Command| command.get_positionals().any(|each| each.get_id() == "name");
    let cli = grader::cli::Cli::command();
    let commands: Vec<&str> = cli.get_subcommands().filter(takes_one).map(clap::Command::get_name).collect();
    assert_eq!(commands, ["watch", "check", "hint", "solution", "reset"]);
    // `watch` needs a terminal: it has a test of its own.
    for command in commands.into_iter().filter(|command| *command != "watch") {
        let options: &[&str] = match command {
            "check" => &["--device", "sim"],
            "solution" => &["--give-up"],
            _ => &[],
        };
        let call = [&[command], options].concat();
        let inside = place.grader_in("03-reduction", &call);
        let named = place.grader(&[&[command, "03-reduction"], options].concat());
        assert!(inside.code < 2 && inside.code == named.code, "{command}: {}", inside.all());
        let elsewhere = place.grader(&call);
        assert_eq!((elsewhere.code, &*elsewhere.out), (2, ""), "{command}: {}", elsewhere.all());
        for told in ["no exercise is named", &format!("`grader {command} 03`"), "`grader list`"] {
            assert!(elsewhere.err.contains(told), "{command}: {told}: {}", elsewhere.all());
        }
    }
}

#[test]
fn a_file_of_its_own_says_which_exercise_it_is_of() {
    let place = course();
    let stub = fs::read_to_string(place.path("03-reduction/kernel.cu")).unwrap();
    write(&place, "03-reduction", "03-reduction/kernel.cu");
    let right = fs::read_to_string(place.path("03-reduction/kernel.cu")).unwrap();
    let (_, headless) = right.split_once("#include").expect("it includes its header");
    place.write("03-reduction/mine.cu", format!("#include{headless}"));
    place.write("mine.cu", format!("#include{headless}"));
    place.write("elsewhere/k.cu", &right);
    place.write("04-synchronization/mine.cu", &stub);
    let check = |folder: &str, file: &str| {
        place.grader_in(folder, &["check", "--kernel", file, "--device", "sim", "--format", "json"])
    };
    for (folder, file) in [
        ("", "03-reduction/kernel.cu"),
        ("", "03-reduction/mine.cu"),
        ("", "elsewhere/k.cu"),
        ("elsewhere", "k.cu"),
        ("03-reduction", "../mine.cu"),
        ("05-bank-conflicts", "../03-reduction/mine.cu"),
    ] {
        let given = check(folder, file);
        assert_eq!(given.code, 0, "{folder} {file}: {}", given.all());
        assert!(given.out.contains("\"exercise\": \"03-reduction\""), "{folder} {file}: {}", given.all());
    }
    for (file, told) in [
        ("mine.cu", "as in `grader check 03 --kernel FILE`"),
        ("04-synchronization/mine.cu", "is of 03-reduction by its first lines, and lies in"),
        ("nowhere.cu", "nowhere.cu does not exist"),
    ] {
        let given = check("", file);
        assert_eq!(given.code, 2, "{file}: {}", given.all());
        assert!(given.err.contains(told), "{told}: {}", given.all());
    }
}
