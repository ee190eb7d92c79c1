//! VS Code's task, as `init` writes it: what it runs, and what its problem matcher finds in what that prints.

use std::fs;

use regex::Regex;
use serde_json::Value;

use crate::support::{Given, Place, take};

/// A course folder with its tasks.
struct Folder {
    place: Place,
    tasks: Value,
}

/// What a problem matcher makes of a line: file, line, column, severity, message, code.
type Problem = [String; 6];

impl Folder {
    fn new() -> Self {
        let place = Place::new();
        assert_eq!(place.grader(&["init"]).code, 0);
        // VS Code's JSON has comments.
        let text = fs::read_to_string(place.path(".vscode/tasks.json")).unwrap();
        let text: String = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
        Folder { tasks: serde_json::from_str(&text).unwrap(), place }
    }

    /// The build task of an exercise whose kernel is open.
    fn build(&self, exercise: &str) -> Given {
        let task = &self.tasks["tasks"][0];
        assert_eq!(
            (task["command"].as_str(), task["group"]["isDefault"].as_bool()),
            (Some("grader"), Some(true))
        );
        assert_eq!(task["options"]["cwd"], "${workspaceFolder}");
        let arguments: Vec<String> = task["args"]
            .as_array()
            .unwrap()
            .iter()
            .map(|each| each.as_str().unwrap().replace("${fileDirnameBasename}", exercise))
            .collect();
        let mut arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        arguments.extend(["--device", "sim"]);
        self.place.grader(&arguments)
    }

    fn problems(&self, said: &str) -> Vec<Problem> {
        let matcher = &self.tasks["tasks"][0]["problemMatcher"];
        // Paths of the lines are looked for there.
        assert_eq!(matcher["fileLocation"], serde_json::json!(["autoDetect", "${workspaceFolder}"]));
        let pattern = &matcher["pattern"];
        let regexp = Regex::new(pattern["regexp"].as_str().unwrap()).unwrap();
        let group = |name: &str| pattern[name].as_u64().unwrap() as usize;
        let groups = ["file", "line", "column", "severity", "message", "code"].map(group);
        let problem = |found: regex::Captures<'_>| groups.map(|group| found[group].to_owned());
        said.lines().filter_map(|line| regexp.captures(line).map(problem)).collect()
    }

    fn write(&self, text: &str) {
        fs::write(self.place.path("03-reduction/kernel.cu"), text).unwrap();
    }

    fn course(&self, kernel: &str) -> String {
        take(&self.place, kernel);
        fs::read_to_string(self.place.path("k.cu")).unwrap()
    }
}

/// The line, from 1, that has this.
fn line_of(text: &str, what: &str) -> String {
    (1 + text.lines().position(|line| line.contains(what)).expect("it is there")).to_string()
}

#[test]
fn the_problem_matcher_finds_what_is_wrong() {
    let folder = Folder::new();
    let solution = folder.course("03-reduction/kernel.cu");
    let typo = solution.replacen("= fmaxf(", "= fmaxg(", 1);
    let race = folder.course("03-reduction/wrong/missing-barrier-in-tree.cu");
    let wrong = folder.course("03-reduction/wrong/identity-zero.cu");
    let conflicts = folder.course("03-reduction/wrong/conflicting-tree.cu");
    for (text, line, code, message) in [
        (&typo, line_of(&typo, "fmaxg("), "compiler", "identifier \"fmaxg\" is undefined"),
        (&race, line_of(&race, "data[thread + stride]"), "race", "no barrier between the two"),
        (&wrong, "1".to_owned(), "correct", "out[0] should be"),
        (&conflicts, "1".to_owned(), "shared_bank_conflicts", "asked: at most 0"),
    ] {
        folder.write(text);
        let given = folder.build("03-reduction");
        assert_eq!(given.code, 1, "{}", given.all());
        let problems = folder.problems(&given.out);
        let [file, found_line, column, severity, said, found_code] = &problems[0];
        assert_eq!(folder.place.path(file), folder.place.path("03-reduction/kernel.cu"));
        assert_eq!(
            (found_line, severity.as_str(), found_code.as_str()),
            (&line, "error", code),
            "{problems:?}"
        );
        assert!(column.parse::<u32>().is_ok_and(|column| column > 0), "{problems:?}");
        assert!(said.contains(message), "{problems:?}");
        // Whatever is said of the file is a problem; the last line is the verdict.
        assert_eq!(problems.len() + 1, given.out.lines().count(), "{}", given.all());
        assert!(given.out.ends_with("03-reduction failed\n"), "{}", given.all());
    }
    // A pass leaves none.
    folder.write(&solution);
    let given = folder.build("03-reduction");
    assert_eq!((given.code, folder.problems(&given.out)), (0, Vec::new()), "{}", given.all());
    // The learner's own part begins behind the mark.
    let stub = folder.place.grader(&["reset", "03"]);
    assert_eq!(stub.code, 0, "{}", stub.all());
    let given = folder.build("03-reduction");
    let stub = fs::read_to_string(folder.place.path("03-reduction/kernel.cu")).unwrap();
    let begins = (1 + line_of(&stub, ">>>").parse::<usize>().unwrap()).to_string();
    assert_eq!(folder.problems(&given.out)[0][1], begins, "{}", given.all());
}

#[test]
fn what_cannot_be_read_is_a_problem_of_its_file() {
    let folder = Folder::new();
    let kernel = folder.place.path("03-reduction/kernel.cu");
    for (bytes, said) in
        [(&b""[..], "empty"), (b" \n", "empty"), (b"// caf\xe9\n", "not UTF-8"), (b"a\0b", "NUL")]
    {
        fs::write(&kernel, bytes).unwrap();
        let given = folder.build("03-reduction");
        assert_eq!(given.code, 2, "{}", given.all());
        let problems = folder.problems(&given.out);
        let [[file, line, column, severity, message, _]] = problems.as_slice() else {
            panic!("{}", given.all())
        };
        assert_eq!(folder.place.path(file), kernel, "{}", given.all());
        assert_eq!([line, column, severity].map(String::as_str), ["1", "1", "error"], "{}", given.all());
        assert!(message.contains(said), "{}", given.all());
        let run = ["run", "03-reduction/kernel.cu", "--entry", "k", "--grid", "1", "--block", "1"];
        let given = folder.place.grader(&[&run[..], &["--format", "editor"]].concat());
        assert!(given.out.starts_with("03-reduction/kernel.cu:1:1: error: "), "{}", given.all());
    }
}

#[test]
fn in_a_checkout_cargo_runs_the_tasks() {
    let checkout = Place::new();
    checkout.write("grader/Cargo.toml", "");
    checkout.write("exercises/x/kernel.cu", "");
    assert_eq!(checkout.grader(&["init"]).code, 0);
    let tasks = fs::read_to_string(checkout.path("learn/.vscode/tasks.json")).unwrap();
    for begin in [r#""args": ["grade", "check","#, r#""args": ["grade", "watch","#] {
        assert!(tasks.contains(begin), "{tasks}");
    }
    assert!(tasks.contains(r#""command": "cargo""#) && !tasks.contains(r#""command": "grader""#), "{tasks}");
}
