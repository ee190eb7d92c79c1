//! A learner's day without watching: a folder, a stub, mistakes, a pass, and what there is around them.

use std::{fs, path::Path};

use serde_json::Value;

use crate::support::{Place, take};

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
    assert!(mended.out.contains("0 stubs written; 19 there already"), "{}", mended.all());
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
