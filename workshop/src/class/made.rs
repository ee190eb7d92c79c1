//! A made-up class: who hands in what, and what must become of it.

use std::{num::NonZeroUsize, path::Path, sync::OnceLock};

use grader::{
    exit::{Result, Trouble},
    kernels::{self, Candidate, Role},
    toolchains,
};
use harness::{exercise::Exercise, fill, report::Failure, toolchain::Toolchain};
use rayon::prelude::*;

use crate::mutate;

/// The seed of the inputs: the public one, for which mutants are proved to fail.
pub const SEED: u64 = harness::judge::PUBLIC_SEED;

/// What must become of a submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Truth {
    Passed,
    Failed,
    NotGradable,
}

impl Truth {
    /// What a row of the gradebook says; none where it is neither.
    pub fn of(outcome: &str, verdict: &str) -> Option<Self> {
        match (outcome, verdict.split(',').next().unwrap_or_default()) {
            ("graded", "passed") => Some(Truth::Passed),
            ("graded", "failed") => Some(Truth::Failed),
            ("not gradable", _) => Some(Truth::NotGradable),
            _ => None,
        }
    }
}

/// What a student hands in for an exercise.
#[derive(Clone, Debug)]
pub struct Submission {
    pub student: String,
    pub exercise: String,
    /// The file's content; without one there is a folder in its place.
    pub content: Option<Vec<u8>>,
    pub truth: Truth,
    /// Of which kind it is.
    pub kind: &'static str,
    /// What it is, for whoever looks at a row that differs.
    pub what: String,
}

/// What can be handed in for an exercise.
struct Shelf<'a> {
    exercise: &'a dyn Exercise,
    candidates: Vec<Candidate>,
    mutants: Vec<String>,
    /// The program that its solution is, once somebody asks.
    program: OnceLock<Option<blake3::Hash>>,
    /// Whether speed is judged.
    is_timed: bool,
    toolchain: &'a Toolchain,
}

/// How many of a hundred submissions are of each kind.
const SHARES: [(&str, u64); 9] = [
    ("solution", 26),
    ("right", 10),
    ("step", 10),
    ("wrong", 18),
    ("mutant", 20),
    ("stub", 6),
    ("does not compile", 4),
    ("hostile", 3),
    ("no kernel", 3),
];

/// A class: every student hands in something for every exercise, and so many the same. The same seed makes the same class.
///
/// # Errors
/// A kernel that cannot be read.
pub fn class(
    root: &Path,
    exercises: &[&dyn Exercise],
    (students, together): (usize, NonZeroUsize),
    seed: u64,
    is_timed: bool,
) -> Result<Vec<Submission>> {
    let toolchain = toolchains::resolve(None, None)?;
    let mut problems = Vec::new();
    let mut shelves = Vec::new();
    for &exercise in exercises {
        let candidates = kernels::of(root, exercise, &mut problems);
        shelves.push(Shelf {
            exercise,
            candidates,
            mutants: mutate::of_solution(root, exercise)?,
            program: OnceLock::new(),
            is_timed,
            toolchain: &toolchain,
        });
    }
    if let Some(problem) = problems.first() {
        return Err(Trouble::usage(problem.clone(), "`workshop check` says more"));
    }
    // Mutants are compiled, to tell which are another program.
    let class = (0..students * shelves.len()).into_par_iter().map(|place| {
        let (student, at) = (place / shelves.len(), place % shelves.len());
        let author = student - student % together;
        let random = |what: u64| fill::hash(seed, (author as u64) << 24 | (at as u64) << 8 | what);
        shelves[at].submission([student, author].map(|number| format!("student-{number:03}")), random)
    });
    Ok(class.collect())
}

/// Every kernel of the exercises, each handed in by a student of its own, as it is.
///
/// # Errors
/// A kernel that cannot be read.
pub fn every_kernel(root: &Path, exercises: &[&dyn Exercise]) -> Result<Vec<Submission>> {
    let mut problems = Vec::new();
    let mut class = Vec::new();
    for exercise in exercises {
        for candidate in kernels::of(root, *exercise, &mut problems) {
            let what = candidate.file.display().to_string();
            class.push(Submission {
                student: what.replace(['/', '.'], "-"),
                exercise: exercise.id().to_owned(),
                truth: truth(&candidate),
                content: Some(candidate.source.into_bytes()),
                kind: "kernel",
                what,
            });
        }
    }
    match problems.first() {
        Some(problem) => Err(Trouble::usage(problem.clone(), "`workshop check` says more")),
        None => Ok(class),
    }
}

impl Shelf<'_> {
    fn submission(&self, [student, author]: [String; 2], random: impl Fn(u64) -> u64) -> Submission {
        let mut share = random(0) % 100;
        let kind = SHARES.iter().find(|(_, of)| {
            let found = share < *of;
            share = share.saturating_sub(*of);
            found
        });
        let kind = kind.map_or("solution", |(kind, _)| kind);
        let (text, truth, what) = self.kernel(kind, random(1));
        // At the end: first lines say what a kernel is for.
        let content = text.map(|mut text| {
            text.extend_from_slice(format!("\n// {author}\n").as_bytes());
            text
        });
        let content = if what == "empty" { Some(Vec::new()) } else { content };
        Submission { student, exercise: self.exercise.id().to_owned(), content, truth, kind, what }
    }

    fn kernel(&self, kind: &str, random: u64) -> (Option<Vec<u8>>, Truth, String) {
        let solution = || self.of(Role::Solution, random).map_or(String::new(), |found| found.source.clone());
        let of = |role: Role| {
            let found = self.of(role, random).or_else(|| self.of(Role::Solution, random));
            found.map_or((None, Truth::NotGradable, "nothing".to_owned()), |found| {
                (Some(found.source.clone().into_bytes()), truth(found), found.file.display().to_string())
            })
        };
        let with = |what: &str, text: String, truth: Truth| (Some(text.into_bytes()), truth, what.to_owned());
        match kind {
            // How fast they are is nobody's promise.
            "right" | "step" if self.is_timed => of(Role::Solution),
            "right" => of(Role::Right),
            "step" => of(Role::Step),
            "wrong" => of(Role::Wrong),
            "stub" => of(Role::Stub),
            "mutant" => {
                let first = random as usize % self.mutants.len().max(1);
                let program =
                    *self.program.get_or_init(|| mutate::program(self.exercise, self.toolchain, &solution()));
                let mut from_there = self.mutants.iter().cycle().skip(first).take(self.mutants.len());
                let is_another = |mutant: &&String| {
                    program.is_none() || program != mutate::program(self.exercise, self.toolchain, mutant)
                };
                match from_there.find(is_another) {
                    Some(mutant) => with("a mutant", mutant.clone(), Truth::Failed),
                    None => of(Role::Wrong),
                }
            }
            "does not compile" => match random % 3 {
                0 => with("half a file", solution().chars().take(200).collect(), Truth::Failed),
                1 => with(
                    "a missing name",
                    solution() + "\n__device__ int f() { return missing; }\n",
                    Truth::Failed,
                ),
                _ => with("prose", "I could not do it, sorry.\n".to_owned(), Truth::Failed),
            },
            "hostile" => match random % 3 {
                0 => with(
                    "reads /etc/passwd",
                    format!("#include \"/etc/passwd\"\n{}", solution()),
                    Truth::Failed,
                ),
                1 => with("other line numbers", format!("#line 1 \"x\"\n{}", solution()), Truth::Failed),
                _ => with("an endless include", format!("#include __FILE__\n{}", solution()), Truth::Failed),
            },
            "no kernel" => match random % 3 {
                0 => (None, Truth::NotGradable, "a folder".to_owned()),
                1 => (Some(b"// caf\xe9\n".to_vec()), Truth::NotGradable, "no UTF-8".to_owned()),
                _ => (Some(Vec::new()), Truth::NotGradable, "empty".to_owned()),
            },
            _ => of(Role::Solution),
        }
    }

    fn of(&self, role: Role, random: u64) -> Option<&Candidate> {
        let all: Vec<&Candidate> =
            self.candidates.iter().filter(|candidate| candidate.role == role).collect();
        all.get(random as usize % all.len().max(1)).copied()
    }
}

/// Without a GPU a kernel that is only too slow passes.
fn truth(candidate: &Candidate) -> Truth {
    let is_seen = |failure: &Failure| {
        !matches!(failure, Failure::Goal(harness::report::Goal::Speedup | harness::report::Goal::Expert))
    };
    match candidate.fails.iter().any(is_seen) {
        true => Truth::Failed,
        false => Truth::Passed,
    }
}
