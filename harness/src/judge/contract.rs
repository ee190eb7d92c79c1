//! The contract of an exercise: its stub, its solution and its wrong kernels must get the verdicts they claim.
//!
//! A stub that fails for any reason proves nothing, so it must fail for its declared reason and no other. A wrong
//! kernel begins with lines such as
//!
//! ```text
//! //! fails: correct, clean/race
//! //! why: a round may read what another warp has not written in the round before.
//! ```
//!
//! and must fail exactly those goals: `correct`, `clean/KIND` for each kind of error found, a counter's name,
//! `compile`, or `speed` (judged only where a GPU is).

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use rayon::prelude::*;
use warpsim::Finding;

use super::{CheckOptions, Kernel, check, goals::kind_name};
use crate::{
    device::DeviceChoice,
    exercise::Exercise,
    report::{Report, Verdict},
};

/// Wrong kernels that an exercise must have at the least.
const WRONG_KERNELS: usize = 5;
/// Where a learner's part begins and ends.
const OPENING: &str = "// >>>";
const CLOSING: &str = "// <<<";

/// One thing that the contract says, and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContractCheck {
    /// What was looked at, e.g. `stub`, `solution`, `wrong/no-guard.cu`.
    pub subject: String,
    /// What was expected and found, one sentence each; empty where the contract is kept.
    pub problems: Vec<String>,
}

impl ContractCheck {
    fn new(subject: impl Into<String>, problems: Vec<String>) -> Self {
        ContractCheck { subject: subject.into(), problems }
    }
    /// True where the contract is kept.
    pub fn kept(&self) -> bool {
        self.problems.is_empty()
    }
}

/// Checks the contract of one exercise against its folder of solutions (`solutions/NN-name`).
///
/// Finding nothing to compare is a problem too.
pub fn contract(
    exercise: &dyn Exercise,
    solutions: &Path,
    options: &CheckOptions,
    progress: &(dyn Fn(&str) + Sync),
) -> Vec<ContractCheck> {
    let folder = match Folder::read(solutions) {
        Ok(folder) => folder,
        Err(problem) => return vec![ContractCheck::new("solutions", vec![problem])],
    };
    let mut checks = vec![
        ContractCheck::new("files", folder.problems()),
        ContractCheck::new(
            "stub = solution outside the marks",
            match read(&folder.solution) {
                Ok(solution) => outside_marks(exercise.stub(), &solution).err().into_iter().collect(),
                Err(problem) => vec![problem],
            },
        ),
    ];
    let mut jobs = vec![
        Job { subject: "stub".into(), path: None, role: Role::Stub },
        Job { subject: "solution".into(), path: Some(folder.solution.clone()), role: Role::Solution },
    ];
    let job = |folder: &str, path: &PathBuf, role| Job {
        subject: format!("{folder}/{}", file_name(path)),
        path: Some(path.clone()),
        role,
    };
    jobs.extend(folder.steps.iter().map(|path| job("steps", path, Role::Step)));
    jobs.extend(folder.wrong.iter().map(|path| job("wrong", path, Role::Wrong)));
    let run = |job: &Job| {
        progress(&format!("{}: {}", exercise.id(), job.subject));
        ContractCheck::new(&*job.subject, job.run(exercise, options).err().unwrap_or_default())
    };
    // Timings must not disturb each other.
    let more: Vec<ContractCheck> = match options.device {
        DeviceChoice::Simulator(_) => jobs.par_iter().map(run).collect(),
        _ => jobs.iter().map(run).collect(),
    };
    checks.extend(more);
    checks
}

/// What a folder of solutions holds.
struct Folder {
    solution: PathBuf,
    steps: Vec<PathBuf>,
    wrong: Vec<PathBuf>,
    stray: Vec<String>,
}

impl Folder {
    fn read(folder: &Path) -> Result<Self, String> {
        let mut all = Folder {
            solution: folder.join("kernel.cu"),
            steps: Vec::new(),
            wrong: Vec::new(),
            stray: Vec::new(),
        };
        for path in entries(folder)? {
            match (file_name(&path).as_str(), path.is_dir()) {
                ("kernel.cu", false) => {}
                ("steps", true) => all.steps = all.kernels_in(&path)?,
                ("wrong", true) => all.wrong = all.kernels_in(&path)?,
                (name, _) => all.stray.push(name.to_owned()),
            }
        }
        Ok(all)
    }

    fn kernels_in(&mut self, folder: &Path) -> Result<Vec<PathBuf>, String> {
        let (kernels, stray) = entries(folder)?
            .into_iter()
            .partition::<Vec<_>, _>(|path| path.extension().is_some_and(|extension| extension == "cu"));
        self.stray.extend(stray.iter().map(|path| format!("{}/{}", file_name(folder), file_name(path))));
        Ok(kernels)
    }

    fn problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        if !self.solution.is_file() {
            problems.push("expected kernel.cu, the solution, found none".to_owned());
        }
        if self.wrong.len() < WRONG_KERNELS {
            problems.push(format!(
                "expected at least {WRONG_KERNELS} kernels in wrong/, found {}",
                self.wrong.len()
            ));
        }
        if !self.stray.is_empty() {
            problems.push(format!(
                "expected kernel.cu, steps/*.cu and wrong/*.cu only, found {}",
                self.stray.join(", ")
            ));
        }
        problems
    }
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let problem = |error: std::io::Error| format!("expected the folder {}, found: {error}", folder.display());
    let mut paths = fs::read_dir(folder)
        .map_err(problem)?
        .map(|entry| entry.map(|entry| entry.path()).map_err(problem))
        .collect::<Result<Vec<_>, String>>()?;
    paths.sort();
    Ok(paths)
}

fn file_name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("expected {}, found: {error}", path.display()))
}

/// A source with each marked region's inside taken out, and how many regions there are.
fn skeleton(source: &str) -> Result<(Vec<&str>, usize), String> {
    let mut lines = Vec::new();
    let mut regions = 0;
    let mut inside = false;
    for (number, line) in (1..).zip(source.lines()) {
        let text = line.trim_start();
        if text.starts_with(OPENING) {
            if inside {
                return Err(format!("line {number}: expected {CLOSING}, found another {OPENING}"));
            }
            inside = true;
            regions += 1;
            lines.push(line);
        } else if text.starts_with(CLOSING) {
            if !inside {
                return Err(format!("line {number}: expected {OPENING} before {CLOSING}, found none"));
            }
            inside = false;
            lines.push(line);
        } else if !inside {
            lines.push(line);
        }
    }
    if inside {
        Err(format!("expected {CLOSING} after the last {OPENING}, found none"))
    } else {
        Ok((lines, regions))
    }
}

/// Whether stub and solution are equal outside their marked regions.
fn outside_marks(stub: &str, solution: &str) -> Result<(), String> {
    let (stub, regions) = skeleton(stub).map_err(|problem| format!("stub, {problem}"))?;
    let (solution, _) = skeleton(solution).map_err(|problem| format!("solution, {problem}"))?;
    if regions == 0 {
        return Err(format!("expected a region marked by {OPENING} and {CLOSING} in the stub, found none"));
    }
    match stub.iter().zip(&solution).find(|(a, b)| a != b) {
        Some((stub, solution)) => Err(format!(
            "expected the same outside the marks, found `{stub}` in the stub, `{solution}` in the solution"
        )),
        None if stub.len() != solution.len() => {
            Err("expected the same outside the marks, found that one goes on where the other ends".to_owned())
        }
        None => Ok(()),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Stub,
    Solution,
    /// On the way to the solution: right and clean, but it may be slow.
    Step,
    Wrong,
}

struct Job {
    subject: String,
    path: Option<PathBuf>,
    role: Role,
}

impl Job {
    fn run(&self, exercise: &dyn Exercise, options: &CheckOptions) -> Result<(), Vec<String>> {
        let source = match &self.path {
            None => exercise.stub().to_owned(),
            Some(path) => read(path).map_err(|problem| vec![problem])?,
        };
        let expected = match self.role {
            Role::Stub => exercise.stub_fails().iter().map(|&name| name.to_owned()).collect(),
            Role::Solution | Role::Step => BTreeSet::new(),
            Role::Wrong => declared(&source).map_err(|problem| vec![problem])?,
        };
        let kernel = Kernel { path: self.subject.clone(), source };
        let report = check(exercise, &kernel, options, &|_| {});
        let problems = self.problems(&report, expected);
        if problems.is_empty() { Ok(()) } else { Err(problems) }
    }

    fn problems(&self, report: &Report, mut expected: BTreeSet<String>) -> Vec<String> {
        if let Some(why) = &report.judge_error {
            return vec![format!("the judge could not do its work: {why}")];
        }
        // Without a GPU nobody can say what is slow.
        if report.speed_unmeasured {
            expected.remove("speed");
        }
        let named_kinds = expected.iter().any(|name| name.starts_with("clean/"));
        let mut found = failed(report, named_kinds);
        if self.role == Role::Step {
            found.retain(|name| name == "correct" || name.starts_with("clean") || name == "compile");
        }
        let mut problems = Vec::new();
        let list = |names: Vec<&String>| names.into_iter().map(String::as_str).collect::<Vec<_>>().join(", ");
        let missing: Vec<&String> = expected.difference(&found).collect();
        if !missing.is_empty() {
            problems.push(format!("expected to fail {}, but it passes", list(missing)));
        }
        let extra: Vec<&String> = found.difference(&expected).collect();
        if !extra.is_empty() {
            let why = explanation(report, &extra);
            problems.push(format!("expected to pass {}, but it fails: {why}", list(extra)));
        }
        problems
    }
}

/// The goals that a report says are failed, in the words of a wrong kernel's header.
fn failed(report: &Report, by_kind: bool) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for goal in report.goals.iter().filter(|goal| goal.required && goal.verdict == Verdict::Failed) {
        match goal.name.as_str() {
            "clean" if by_kind => {
                let errors = report.findings.iter().filter(|finding| finding.is_error());
                names.extend(errors.map(|finding| format!("clean/{}", kind_name(finding.kind))));
            }
            "speedup" => {
                names.insert("speed".to_owned());
            }
            name => {
                names.insert(name.to_owned());
            }
        }
    }
    names
}

/// What the report says about goals that should have passed.
fn explanation(report: &Report, names: &[&String]) -> String {
    let mut reasons: Vec<String> = Vec::new();
    for goal in &report.goals {
        let named = |name: &&&String| **name == &goal.name || name.starts_with(&format!("{}/", goal.name));
        if names.iter().any(|name| named(&name)) {
            reasons.push(format!("{} ({})", goal.found, goal.asked));
        }
    }
    let errors = report.findings.iter().filter(|finding| finding.is_error());
    reasons.extend(errors.take(3).map(describe));
    if reasons.is_empty() { report.next_step.clone() } else { reasons.join("; ") }
}

fn describe(finding: &Finding) -> String {
    let line = finding.place.as_ref().map_or(String::new(), |place| format!("line {}: ", place.line));
    format!("{line}{}", finding.message)
}

/// The goals that a wrong kernel's header names.
fn declared(source: &str) -> Result<BTreeSet<String>, String> {
    let header = |key: &str| {
        source.lines().take_while(|line| line.starts_with("//!")).find_map(|line| {
            line.strip_prefix("//!")?.trim_start().strip_prefix(key)?.strip_prefix(':').map(str::trim)
        })
    };
    let fails = header("fails").unwrap_or_default();
    let why = header("why").unwrap_or_default();
    if fails.is_empty() || why.is_empty() {
        return Err(
            "expected the file to begin with `//! fails: GOAL, …` and `//! why: …`, found neither or one"
                .into(),
        );
    }
    Ok(fails.split(',').map(|name| name.trim().to_owned()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const STUB: &str = "a\n    // >>> your code\n    // <<<\nb\n";

    #[test]
    fn stub_and_solution_may_differ_inside_the_marks_only() {
        assert_eq!(outside_marks(STUB, "a\n    // >>> your code\nmine();\n    // <<<\nb\n"), Ok(()));
        assert!(outside_marks(STUB, "a\n    // >>> your code\n    // <<<\nc\n").is_err());
        assert!(outside_marks(STUB, "a\n    // >>> your code\n    // <<<\n").is_err());
        assert!(outside_marks("a\n", "a\n").expect_err("nothing to compare").contains("found none"));
        assert!(outside_marks(STUB, "// >>>\n").is_err());
        assert!(outside_marks(STUB, "// <<<\n").is_err());
    }

    #[test]
    fn headers_name_goals() {
        let source = "//! fails: correct, clean/race\n//! why: luck.\nint x;\n";
        let names: Vec<String> = declared(source).expect("a good header").into_iter().collect();
        assert_eq!(names, ["clean/race", "correct"]);
        assert!(declared("//! fails: correct\n").is_err());
        assert!(declared("int x;\n//! fails: correct\n//! why: too late\n").is_err());
    }
}
