//! The kernels of an exercise in a checkout: its stub, solution, steps, right and wrong kernels, and its baseline,
//! each with what its first lines say must become of it.
//!
//! Lists them and runs none. What they promise together is the workshop's to prove.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use harness::{
    exercise::Exercise,
    report::{Failure, FindingKind, Goal},
};

use crate::visible::shown;
use serde::{Deserialize, Serialize};

/// What a kernel is there for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The pristine stub.
    Stub,
    /// The solution.
    Solution,
    /// A step on the way to it.
    Step,
    /// A kernel that solves the exercise in another way or style, and must be accepted.
    Right,
    /// The honest naive kernel that speedups are relative to.
    Baseline,
    /// A kernel that must be rejected.
    Wrong,
}

/// A kernel and what must become of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Candidate {
    /// What it is there for.
    pub role: Role,
    /// Its path below the course's root.
    pub file: PathBuf,
    /// Its text.
    #[serde(skip)]
    pub source: String,
    /// In which ways it must fail.
    pub fails: BTreeSet<Failure>,
    /// Goals that it may fail, too: whether a race spoils an output is the machine's luck.
    #[serde(default)]
    pub may_fail: BTreeSet<Failure>,
}

/// Lists an exercise's kernels. What is missing or says nonsense is added to `problems`, as sentences.
pub fn of(root: &Path, exercise: &dyn Exercise, problems: &mut Vec<String>) -> Vec<Candidate> {
    let id = exercise.id();
    let folder = PathBuf::from("solutions").join(id);
    let mut candidates = vec![Candidate {
        role: Role::Stub,
        file: PathBuf::from("exercises").join(id).join("kernel.cu"),
        source: exercise.about().stub.to_owned(),
        fails: exercise.about().stub_fails.iter().copied().collect(),
        may_fail: BTreeSet::new(),
    }];
    let must_pass = |role: Role, file: PathBuf, source: String| {
        let (fails, may_fail) = Default::default();
        Candidate { role, file, source, fails, may_fail }
    };
    let solution = folder.join("kernel.cu");
    match fs::read_to_string(root.join(&solution)) {
        Ok(source) => candidates.push(must_pass(Role::Solution, solution, source)),
        Err(error) => problems.push(format!("no solution at {}: {error}", shown(&solution))),
    }
    for (role, name) in [(Role::Step, "steps"), (Role::Right, "right"), (Role::Wrong, "wrong")] {
        for file in kernels(root, &folder.join(name), problems) {
            let source = fs::read_to_string(root.join(&file)).unwrap_or_default();
            match declared_by(role, &source) {
                Ok((fails, may_fail)) => {
                    candidates.push(Candidate { role, file, source, fails, may_fail });
                }
                Err(problem) => problems.push(format!("{}: {problem}", shown(&file))),
            }
        }
    }
    if let Some(baseline) = exercise.about().baseline {
        let file = kernels(root, Path::new("kernels/baselines"), problems)
            .into_iter()
            .find(|file| fs::read_to_string(root.join(file)).is_ok_and(|text| text == baseline.source));
        match file {
            Some(file) => candidates.push(must_pass(Role::Baseline, file, baseline.source.to_owned())),
            None => problems.push("its baseline is no file of kernels/baselines".to_owned()),
        }
    }
    candidates
}

/// The `.cu` files of a folder, by name; anything else in it is a problem. The folder may be missing.
fn kernels(root: &Path, folder: &Path, problems: &mut Vec<String>) -> Vec<PathBuf> {
    let entries = fs::read_dir(root.join(folder)).into_iter().flatten().filter_map(|entry| entry.ok());
    let mut files: Vec<PathBuf> = entries.map(|entry| folder.join(entry.file_name())).collect();
    files.sort();
    files.retain(|file| {
        let kernel = file.extension().is_some_and(|extension| extension == "cu");
        if !kernel {
            problems.push(format!("stray {}", shown(file)));
        }
        kernel
    });
    files
}

/// What the first lines of a step, a right kernel or a wrong one declare: which failures it must have, and which
/// it may have.
fn declared_by(role: Role, source: &str) -> Result<(BTreeSet<Failure>, BTreeSet<Failure>), String> {
    match role {
        // A step that is shown for comparison says which counters it fails, and why.
        Role::Step if source.starts_with("//!") => {
            let (fails, may_fail) = declared(source)?;
            let other =
                fails.union(&may_fail).find(|failure| !matches!(failure, Failure::Goal(Goal::Counter(_))));
            match other {
                Some(other) => Err(format!("a step may fail counters and be slow, but it declares {other}")),
                None => Ok((fails, may_fail)),
            }
        }
        Role::Right if !source.starts_with("//! style: ") => {
            Err("the first line is not `//! style: what is unusual`".to_owned())
        }
        Role::Wrong => declared(source),
        _ => Ok(Default::default()),
    }
}

/// The failures of a kernel's first lines, those it must have and those it may: `//! fails: correct,
/// clean/race` and `//! may fail: …`, before `//! why: …`.
fn declared(source: &str) -> Result<(BTreeSet<Failure>, BTreeSet<Failure>), String> {
    let mut lines = source.lines().peekable();
    let failures = |text: &str| -> Result<BTreeSet<Failure>, String> {
        text.split(',').map(|name| name.trim().parse().map_err(|error| format!("{error}"))).collect()
    };
    let fails = lines.next().and_then(|line| line.strip_prefix("//! fails:"));
    let fails = failures(fails.ok_or("the first line is not `//! fails: GOAL, clean/KIND …`")?)?;
    let may_fail = lines.peek().and_then(|line| line.strip_prefix("//! may fail:"));
    let may_fail = match may_fail {
        Some(names) => {
            let declared = failures(names)?;
            lines.next();
            declared
        }
        None => BTreeSet::new(),
    };
    if !lines.next().is_some_and(|line| line.starts_with("//! why:")) {
        return Err("the next line is not `//! why: …`".to_owned());
    }
    Ok((fails, may_fail))
}

/// A kernel's reason in words: what follows `//! why:`, over several lines where it goes on.
pub fn why(source: &str) -> String {
    let mut lines = source.lines().skip_while(|line| !line.starts_with("//! why:"));
    let first = lines.next().and_then(|line| line.strip_prefix("//! why:")).unwrap_or_default();
    let rest = lines.map_while(|line| line.strip_prefix("//!"));
    let words: Vec<&str> = std::iter::once(first).chain(rest).map(str::trim).collect();
    words.join(" ")
}

/// The kind of finding that a wrong kernel's header names first; none where it names none.
pub fn first_kind(source: &str) -> Option<FindingKind> {
    let fails = source.lines().next()?.strip_prefix("//! fails:")?;
    let mut failures = fails.split(',').filter_map(|name| name.trim().parse::<Failure>().ok());
    failures.find_map(|failure| failure.finding())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_declared() {
        let (fails, may_fail) =
            declared("//! fails: clean/race\n//! may fail: correct\n//! why: luck\n").unwrap();
        assert_eq!(fails, BTreeSet::from([Failure::Finding(FindingKind::Race)]));
        assert_eq!(may_fail, BTreeSet::from([Failure::CORRECT]));
        let (fails, may_fail) = declared("//! fails: correct, clean/race\n//! why: because\n").unwrap();
        assert_eq!((fails.len(), may_fail.len()), (2, 0));
        let known = declared("//! fails: correct\n");
        assert!(declared("int x;\n").is_err() && known.unwrap_err().contains("why"));
        let unknown = declared("//! fails: compiles\n//! why: because\n");
        assert!(unknown.unwrap_err().contains("`compiles`"));
    }

    #[test]
    fn a_reason_goes_on_over_lines() {
        let source = "//! fails: correct\n//! why: the last block\n//!   has no guard.\n\nint x;\n";
        assert_eq!(why(source), "the last block has no guard.");
    }

    #[test]
    fn headers_are_asked_for_by_role() {
        let step =
            |goals: &str| declared_by(Role::Step, &format!("//! fails: {goals}\n//! why: naive\nint x;\n"));
        assert_eq!(step("barriers").unwrap().0.len(), 1);
        assert!(step("correct").is_err() && step("barriers, clean/race").is_err());
        assert!(declared_by(Role::Step, "// Step 1: on the way.\n").unwrap().0.is_empty());
        assert!(declared_by(Role::Step, "//! fails: barriers\nint x;\n").is_err(), "why?");
        assert!(
            declared_by(Role::Right, "//! style: cub\n").is_ok()
                && declared_by(Role::Right, "int x;\n").is_err()
        );
    }
}
