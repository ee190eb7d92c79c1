//! Points as an LMS takes them. The gradebooks here are made after the vendors' documentation and sources, and nothing of
//! this was imported into a live LMS.

use std::{env, fs, os::unix::fs::PermissionsExt as _, process::Command};

use crate::support::{Given, Place, may_be_missing, take};

const GRADER: &str = env!("CARGO_BIN_EXE_grader");
const SEED: &str = "7340217734551";

const SHEET: &str = "schema = 1\ntitle = \"Sheet 3\"\n[class]\nseed = 7340217734551\n[exercises.03-reduction]\n\
    correct = 4\nclean = 2\ncounters = 2\n";

/// Scored: the one passes, the other's kernel races and one more is the stub; two ids are Canvas' numbers.
fn scored() -> Place {
    let place = Place::new();
    place.write("sheet.toml", SHEET);
    place.write(
        "roster.csv",
        "id,name,email\n1234,Ada Lovelace,ada@example.edu\n1235,=Bob(1),bob@example.edu\n77,Cleo,cleo@example.edu\n",
    );
    for (student, kernel) in [("1234", "03-reduction/kernel.cu"), ("1235", "03-reduction/wrong/no-guard.cu")]
    {
        take(&place, kernel);
        let text = fs::read(place.path("k.cu")).unwrap();
        place.write(&format!("class/{student}/03-reduction/kernel.cu"), text);
    }
    let given = place.grader(&[
        "class",
        "score",
        "class",
        "--assignment",
        "sheet.toml",
        "--roster",
        "roster.csv",
        "--device",
        "sim",
        "--out",
        "results",
    ]);
    assert_eq!(given.code, 0, "{}", given.all());
    place
}

fn export(place: &Place, more: &[&str]) -> Given {
    place.grader(&[&["class", "export", "results"], more].concat())
}

fn bytes(place: &Place, name: &str) -> String {
    String::from_utf8(fs::read(place.path(name)).unwrap()).unwrap()
}

// After lib/gradebook_exporter.rb of Canvas, not from a live one.
const CANVAS: &str = "\u{feff}Student,ID,SIS User ID,SIS Login ID,Section,Sheet 2 (11),Sheet 3 (12),Final Score\r\n\
    \"    Points Possible\",,,,,10,8,(read only)\r\n\
    \"Lovelace, Ada\",1234,S77,ada,\"A, B\",9.5,,95\r\n\
    \"'=Bob(1)\",1235,S78,bob,A,,3,\r\n\
    \"Student, Test\",99,,test,A,,,\r\n";

#[test]
fn canvas_gradebook_keeps_all_but_the_column_that_is_filled_in() {
    let place = scored();
    place.write("canvas.csv", CANVAS);
    let all = ["--to", "canvas", "--gradebook", "canvas.csv", "--out", "new.csv"];
    let given = export(&place, &all);
    // Cleo is not in it: she is listed, and the file is there for the others.
    assert_eq!(given.code, 1, "{}", given.all());
    assert!(given.out.contains("left out: Cleo (77): canvas.csv has no such student"), "{}", given.all());
    assert!(given.err.contains("1 student of canvas.csv has no row in these results"), "{}", given.all());
    let filled = CANVAS.replace("9.5,,95", "9.5,8,95").replace(",bob,A,,3,", ",bob,A,,0,");
    let written = bytes(&place, "new.csv");
    assert_eq!(written.replace('"', ""), filled.replace('"', ""), "{written}");
    assert!(
        written.starts_with('\u{feff}')
            && written.contains("\"Lovelace, Ada\",1234,S77,ada,\"A, B\",9.5,8,95\r\n")
    );

    // Two of one id, and a name that is two's: nobody is guessed.
    place.write(
        "canvas.csv",
        CANVAS.replace(",1234,S77,ada", ",1,S77,x").replace("Student, Test", "Ada Lovelace"),
    );
    let given = export(&place, &all);
    assert!(given.code == 1 && given.out.contains("it could be 1 or 99"), "{}", given.all());

    // A column that is not there yet becomes an assignment.
    place.write("canvas.csv", CANVAS.replace("Sheet 3 (12)", "Sheet 4 (13)"));
    let given = export(&place, &all);
    assert!(given.err.contains("no column Sheet 3: it is added, worth 8"), "{}", given.all());
    let written = bytes(&place, "new.csv");
    assert!(
        written.contains(",Final Score,Sheet 3\r\n") && written.contains("(read only),8\r\n"),
        "{written}"
    );
    let given = export(&place, &[&all[..], &["--column", "Sheet 9"]].concat());
    assert!(
        given.code == 2 && given.err.contains("has no column Sheet 9, only: Student, ID"),
        "{}",
        given.all()
    );
    // What the LMS has it that it is worth.
    place.write("canvas.csv", CANVAS.replace(",10,8,", ",10,100,"));
    assert!(
        export(&place, &all)
            .err
            .contains("the LMS has it that 100 points are possible, and the assignment 8")
    );

    // A new one.
    let given = export(&place, &["--to", "canvas"]);
    assert_eq!(given.code, 0, "{}", given.all());
    let expected = "Student,ID,SIS User ID,SIS Login ID,Section,Sheet 3\n    Points Possible,,,,,8\n\
        Ada Lovelace,1234,,,,8\n'=Bob(1),1235,,,,0\nCleo,77,,,,\n";
    assert_eq!(bytes(&place, "results/canvas.csv"), expected);
    // It is a roster, whose names with apostrophes are still found.
    place.write("roster.csv", expected.replace(",1235,", ",S8,").replace(",77,", ",S9,"));
    fs::rename(place.path("class/1235"), place.path("class/=Bob(1)")).unwrap();
    let dry = place.grader(&["class", "score", "class", "--dry-run", "--roster", "roster.csv"]);
    assert_eq!(dry.code, 0, "{}", dry.all());

    // Whose id would be computed is left out, and not changed.
    let bare = ["class", "score", "class", "--assignment", "sheet.toml", "--device", "sim", "--out", "bare"];
    assert_eq!(place.grader(&bare).code, 0);
    let given = place.grader(&["class", "export", "bare", "--to", "canvas"]);
    assert!(
        given.code == 1 && given.out.contains("left out: =Bob(1): a spreadsheet would compute"),
        "{}",
        given.all()
    );
    assert!(!bytes(&place, "bare/canvas.csv").contains("Bob"));
}

// After mod/assign/locallib.php of Moodle, not from a live one.
const WORKSHEET: &str = "Identifier,Full name,Email address,Status,Grade,Maximum Grade,Grade can be changed,\
    Last modified (submission),Last modified (grade),Feedback comments\n\
    Participant 9,Ada Lovelace,ada@example.edu,\"Submitted for grading, \",,8.00,Yes,\"Monday, 1 December 2026, 10:59 AM\",-,\n\
    Participant 8,=Bob(1),bob@example.edu,No submission,,8.00,Yes,-,-,\"a, b\"\n\
    Participant 7,C.,cleo@example.edu,No submission,2,8.00,Yes,-,-,\n";

#[test]
fn moodles_worksheet_and_gradebook_are_filled_in() {
    let place = scored();
    place.write("sheet.csv", WORKSHEET);
    let given = export(&place, &["--to", "moodle", "--gradebook", "sheet.csv"]);
    assert_eq!(given.code, 0, "{}", given.all());
    let filled = WORKSHEET
        .replace("grading, \",,8.00", "grading, \",8,8.00")
        .replace("No submission,,8.00", "No submission,0,8.00");
    // Cleo has handed in nothing: what her cell has is the instructor's.
    assert_eq!(bytes(&place, "results/moodle.csv"), filled);

    let gradebook = "First name;Last name;ID number;Email address;Assignment: Sheet 3 (Real);Course total (Real)\n\
        Ada;Lovelace;1234;;-;10\n=Bob(1);;1235;;-;\nCleo;;77;;-;\n";
    place.write("book.csv", gradebook);
    let given = export(&place, &["--to", "moodle", "--gradebook", "book.csv", "--out", "new.csv"]);
    assert_eq!(given.code, 0, "{}", given.all());
    assert_eq!(
        bytes(&place, "new.csv"),
        gradebook.replace("1234;;-;", "1234;;8;").replace("1235;;-;", "1235;;0;")
    );
    // Moodle refuses columns that it did not export.
    place.write("book.csv", gradebook.replace("Sheet 3", "Sheet 4"));
    let given = export(&place, &["--to", "moodle", "--gradebook", "book.csv"]);
    assert!(given.code == 2 && given.err.contains("make the assignment in the LMS"), "{}", given.all());
    let given = export(&place, &["--to", "moodle", "--out", "new.csv"]);
    assert_eq!(given.code, 0, "{}", given.all());
    assert!(bytes(&place, "new.csv").contains("\n'=Bob(1),1235,bob@example.edu,0\n"));
}

#[test]
fn gradescope_gets_results_and_an_autograder_that_makes_them() {
    let place = scored();
    let given = export(&place, &["--to", "gradescope"]);
    assert_eq!(given.code, 0, "{}", given.all());
    let of = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
    let ada = of(&bytes(&place, "results/gradescope/results/1234.json"));
    assert_eq!((&ada["score"], ada["tests"].as_array().unwrap().len()), (&8.0.into(), 3));
    let bob = bytes(&place, "results/gradescope/results/1235.json");
    let first = &of(&bob)["tests"][0];
    assert_eq!(
        (&first["score"], &first["max_score"], &first["name"]),
        (&0.0.into(), &4.0.into(), &"03-reduction: correct".into())
    );
    assert!(first["output"].as_str().unwrap().contains("asked: "), "{bob}");
    let assignment = bytes(&place, "results/gradescope/autograder/assignment.toml");
    assert!(
        !assignment.contains(SEED) && !assignment.contains("[class]") && !bob.contains(SEED),
        "{assignment}"
    );

    // The autograder, as Gradescope runs it: with little time on one core, and nothing of its own around it.
    let root = place.path("autograder");
    let autograder = place.path("results/gradescope/autograder");
    fs::create_dir_all(root.join("results")).unwrap();
    fs::rename(&autograder, root.join("source")).unwrap();
    take(&place, "03-reduction/kernel.cu");
    let text = fs::read(place.path("k.cu")).unwrap();
    place.write("autograder/submission/03-reduction/kernel.cu", text);
    let run = |grader: &str| {
        let mut command = Command::new(root.join("source/run_autograder"));
        command.env("AUTOGRADER_ROOT", &root).env("GRADER", grader).current_dir(&root);
        place.given(command)
    };
    let given = run(GRADER);
    assert_eq!(given.code, 0, "{}", given.all());
    assert_eq!(of(&bytes(&place, "autograder/results/results.json")), ada);
    // A judge that could not do its work is nobody's grade.
    fs::remove_file(root.join("results/results.json")).unwrap();
    assert_eq!(run("/bin/false").code, 1);
    assert!(!root.join("results/results.json").exists());
    let syntax = Command::new("bash").arg("-n").arg(root.join("source/setup.sh")).status().unwrap();
    assert!(syntax.success());
}

#[test]
fn github_classroom_gets_a_workflow_that_adds_up() {
    let place = scored();
    let given = export(&place, &["--to", "github", "--out", "template"]);
    assert_eq!(given.code, 0, "{}", given.all());
    let workflow = bytes(&place, "template/.github/workflows/classroom.yml");
    let yaml: serde_json::Value = serde_saphyr::from_str(&workflow).unwrap();
    let steps = yaml["jobs"]["run-autograding-tests"]["steps"].as_array().unwrap();
    let reporter = steps.last().unwrap();
    // The reporter looks for results under the runner's name in capitals, and the runner is a step.
    let runner = reporter["with"]["runners"].as_str().unwrap();
    let output = reporter["env"][format!("{}_RESULTS", runner.to_uppercase())].as_str().unwrap();
    assert_eq!(output, format!("${{{{ steps.{runner}.outputs.result }}}}"));
    assert!(steps.iter().any(|step| step["id"] == runner));
    assert!(!bytes(&place, "template/.github/classroom/assignment.toml").contains(SEED));
    // Nothing that no LMS is asked for.
    let given = export(&place, &["--to", "github", "--gradebook", "roster.csv"]);
    assert_eq!(given.code, 2, "{}", given.all());
    let sheetless = ["class", "score", "class", "--device", "sim", "--out", "sheetless", "--lenient"];
    fs::remove_dir_all(place.path("class/1234")).unwrap();
    fs::remove_dir_all(place.path("class/1235/03-reduction")).unwrap();
    assert_eq!(place.grader(&sheetless).code, 0);
    let given = place.grader(&["class", "export", "sheetless", "--to", "canvas"]);
    assert!(given.code == 2 && given.err.contains("scored without an assignment"), "{}", given.all());
}

/// A machine of GitHub's: a repository of the template, and programs that stand in for those that would fetch something.
struct Runner {
    place: Place,
    steps: Vec<serde_json::Value>,
}

impl Runner {
    fn of(place: Place) -> Self {
        let given = export(&place, &["--to", "github", "--out", "repository"]);
        assert_eq!(given.code, 0, "{}", given.all());
        let workflow = bytes(&place, "repository/.github/workflows/classroom.yml");
        let yaml: serde_json::Value = serde_saphyr::from_str(&workflow).unwrap();
        let steps = yaml["jobs"]["run-autograding-tests"]["steps"].as_array().unwrap().clone();
        place.write("repository/.github/classroom/cuda_grader-0.1.0-py3-none-manylinux_2_28_x86_64.whl", "");
        fs::create_dir_all(place.path("temporary")).unwrap();
        let runner = Runner { place, steps };
        // `python3 -m venv FOLDER` makes a `pip`, and `pip install … WHEEL` a `grader`, if there is such a wheel.
        runner.program(
            "python3",
            "[ \"$1 $2\" = '-m venv' ]; mkdir -p \"$3/bin\"; cp \"$(dirname \"$0\")/pip\" \"$3/bin/pip\"",
        );
        runner.program(
            "pip",
            &format!(
                "[ \"$1\" = install ]; for wheel; do :; done; [ -f \"$wheel\" ]; ln -sf '{GRADER}' \"$(dirname \"$0\")/grader\""
            ),
        );
        runner
    }

    /// Puts a program before those of this machine.
    fn program(&self, name: &str, script: &str) {
        let path = self.place.write(&format!("programs/{name}"), format!("#!/bin/sh\nset -e\n{script}\n"));
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Judges this kernel: each script of the workflow as GitHub runs it, up to the first that fails. What it says, and the
    /// results that the reporter gets.
    fn judge(&self, kernel: &str) -> (Given, Option<serde_json::Value>) {
        take(&self.place, kernel);
        let text = fs::read(self.place.path("k.cu")).unwrap();
        self.place.write("repository/learn/03-reduction/kernel.cu", text);
        let output = self.place.write("output", "");
        let path = format!(
            "{}:{}",
            self.place.path("programs").to_string_lossy(),
            env::var("PATH").unwrap_or_default()
        );
        let mut all = Given { code: 0, out: String::new(), err: String::new() };
        for step in self.steps.iter().filter(|step| step["run"].is_string()) {
            let script = self.place.write("script.sh", step["run"].as_str().unwrap());
            // docs.github.com, "Workflow syntax", `jobs.<job_id>.steps[*].shell`.
            let options: &[&str] = match step["shell"].as_str() {
                None => &["-e"],
                Some("bash") => &["--noprofile", "--norc", "-eo", "pipefail"],
                Some(other) => panic!("how does GitHub run {other}?"),
            };
            let mut command = Command::new("bash");
            command
                .args(options)
                .arg(script)
                .current_dir(self.place.path("repository"))
                .env("RUNNER_TEMP", self.place.path("temporary"))
                .env("GITHUB_OUTPUT", &output)
                .env("PATH", &path);
            let given = self.place.given(command);
            all = Given { code: given.code, out: all.out + &given.out, err: all.err + &given.err };
            if all.code != 0 {
                break;
            }
        }
        let result = bytes(&self.place, "output");
        let packed = result.trim_end().strip_prefix("result=").map(|packed| packed.to_owned() + "\n");
        let results = packed.map(|packed| {
            let packed = self.place.write("packed", packed);
            let mut decode = Command::new("base64");
            decode.arg("--decode").arg(packed);
            serde_json::from_str(&self.place.given(decode).out).unwrap()
        });
        fs::remove_dir_all(self.place.path("temporary")).unwrap();
        fs::create_dir_all(self.place.path("temporary")).unwrap();
        (all, results)
    }
}

#[test]
fn github_classrooms_scripts_judge_and_hand_in_or_fail() {
    if Command::new("jq").arg("--version").output().is_err() {
        return may_be_missing("jq");
    }
    let runner = Runner::of(scored());
    for (kernel, status, score) in
        [("03-reduction/kernel.cu", "pass", 8.0), ("03-reduction/wrong/no-guard.cu", "fail", 0.0)]
    {
        let (given, results) = runner.judge(kernel);
        assert_eq!(given.code, 0, "{}", given.all());
        let results = results.unwrap();
        let tests = results["tests"].as_array().unwrap();
        let sum = |key: &str| tests.iter().map(|test| test[key].as_f64().unwrap_or(0.0)).sum::<f64>();
        assert_eq!(results["version"], 1);
        assert_eq!((results["status"].as_str(), results["max_score"].as_f64()), (Some(status), Some(8.0)));
        assert_eq!((tests.len(), sum("score")), (3, score), "{results}");
        assert!(tests[0]["name"] == "03-reduction: correct" && tests[0]["status"] == status, "{results}");
        // The log is the learner's to read.
        assert!(!given.out.contains("seed") && !given.err.contains("seed"), "{}", given.all());
    }
    // Nothing is handed in of what was not judged, or can't be packed: not even nothing.
    runner.program("jq", "exit 5");
    let (given, results) = runner.judge("03-reduction/kernel.cu");
    assert!(given.code != 0 && results.is_none(), "{}", given.all());
    runner.program(
        "pip",
        "for wheel; do :; done; [ -f \"$wheel\" ]; ln -sf /bin/false \"$(dirname \"$0\")/grader\"",
    );
    let (given, results) = runner.judge("03-reduction/kernel.cu");
    assert!(given.code != 0 && results.is_none(), "{}", given.all());
}

#[test]
fn each_exercise_has_a_column_where_that_is_asked_for() {
    let place = scored();
    let given = export(&place, &["--to", "canvas", "--by-exercise", "--out", "new.csv"]);
    assert_eq!(given.code, 0, "{}", given.all());
    let written = bytes(&place, "new.csv");
    assert!(written.starts_with("Student,ID,SIS User ID,SIS Login ID,Section,03-reduction\n"), "{written}");
    assert!(written.contains("Points Possible,,,,,8\n") && written.contains(",1234,,,,8\n"), "{written}");
    // The assignment's own column stays as it is, and the exercise's is filled in.
    place.write("canvas.csv", CANVAS.replace("Sheet 2 (11)", "03-reduction (11)"));
    let all = ["--to", "canvas", "--by-exercise", "--gradebook", "canvas.csv", "--out", "new.csv"];
    assert_eq!(export(&place, &all).code, 1, "Cleo is not in it");
    assert!(bytes(&place, "new.csv").contains("\"A, B\",8,,95\r\n"), "{}", bytes(&place, "new.csv"));
    let useless = export(&place, &["--to", "gradescope", "--by-exercise"]);
    assert!(useless.code == 2 && useless.err.contains("--by-exercise is of no use"), "{}", useless.all());
}
