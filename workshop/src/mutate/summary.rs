//! What became of an exercise's mutants, counted: for the terminal, JSON and the book.

use std::collections::BTreeMap;

use harness::report::Failure;
use serde::{Deserialize, Serialize};

use super::{edit::Mutant, equivalents::Why, pool::MutantOutcome};

/// The counts of one exercise.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Kernels that were broken: the solution and its steps.
    pub kernels: usize,
    /// Mutants that compile.
    pub mutants: usize,
    /// What killed how many: a goal, and the finding where it is that of `clean`.
    pub killed: BTreeMap<Failure, usize>,
    /// Those that compile to the original's code.
    pub same_code: usize,
    /// Those that are the same program for a reason that is listed.
    pub equivalent: usize,
    /// Those that a case kills that only a GPU runs.
    #[serde(default)]
    pub only_on_gpu: usize,
    /// The GPU on which that was seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gpu: Option<String>,
    /// Those that pass.
    pub missed: usize,
    /// Those that the judge could say nothing about.
    pub unjudged: usize,
    /// Those that do not compile; not among the mutants.
    pub unviable: usize,
    /// What was judged, in a few letters: all kernels, mutants and cases ([`super::digest`]).
    #[serde(default)]
    pub digest: String,
}

/// What is known of a mutant in the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Conclusion {
    /// As it was judged.
    Judged(MutantOutcome),
    /// It passes on the simulator, for a reason that is listed.
    Listed(Why),
}

/// An exercise's mutants and what became of them.
#[derive(Default)]
pub struct Survey {
    /// The exercise's id.
    pub exercise: String,
    /// Of everything that there was to judge.
    pub digest: String,
    /// Kernels, of which some may have no mutant here.
    pub kernels: usize,
    /// In the order of kernels and lines.
    pub mutants: Vec<(Mutant, Conclusion)>,
    /// What is wrong with the list of equivalent mutants: sentences.
    pub problems: Vec<String>,
}

impl Survey {
    /// The counts.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts { kernels: self.kernels, digest: self.digest.clone(), ..Counts::default() };
        for (_, conclusion) in &self.mutants {
            counts.mutants += 1;
            match conclusion {
                Conclusion::Listed(Why::Same(_)) => counts.equivalent += 1,
                Conclusion::Listed(Why::OnlyOnGpu(_)) => counts.only_on_gpu += 1,
                Conclusion::Judged(MutantOutcome::Killed { by, .. }) => {
                    *counts.killed.entry(*by).or_default() += 1;
                }
                Conclusion::Judged(MutantOutcome::SameCode) => counts.same_code += 1,
                Conclusion::Judged(MutantOutcome::Missed) => counts.missed += 1,
                Conclusion::Judged(MutantOutcome::Unjudged(_)) => counts.unjudged += 1,
                Conclusion::Judged(MutantOutcome::Unviable) => {
                    counts.mutants -= 1;
                    counts.unviable += 1;
                }
            }
        }
        counts
    }

    /// The mutants that pass.
    pub fn missed(&self) -> impl Iterator<Item = &Mutant> {
        self.mutants
            .iter()
            .filter(|(_, conclusion)| *conclusion == Conclusion::Judged(MutantOutcome::Missed))
            .map(|(mutant, _)| mutant)
    }

    /// The mutants that the judge could say nothing about, each with the reason.
    pub fn unjudged(&self) -> impl Iterator<Item = (&Mutant, &str)> {
        self.mutants.iter().filter_map(|(mutant, conclusion)| match conclusion {
            Conclusion::Judged(MutantOutcome::Unjudged(why)) => Some((mutant, why.as_str())),
            _ => None,
        })
    }

    /// Whether everything is as it should be.
    pub fn is_proved(&self) -> bool {
        self.problems.is_empty() && self.missed().next().is_none() && self.unjudged().next().is_none()
    }
}

/// All counts, as the book's table is made from them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// The file's version.
    pub schema: u32,
    /// By exercise.
    pub exercises: BTreeMap<String, Counts>,
}

/// What is printed as JSON: the counts, and everything that needs somebody.
#[derive(Clone, Debug, Serialize)]
pub struct Printed<'a> {
    /// As in [`Record`].
    pub schema: u32,
    /// What chose the sample, where there is one.
    pub seed: Option<u64>,
    /// In the course's order.
    pub exercises: Vec<PrintedSurvey<'a>>,
}

/// One exercise.
#[derive(Clone, Debug, Serialize)]
pub struct PrintedSurvey<'a> {
    /// Its id.
    pub exercise: &'a str,
    /// The counts.
    pub counts: Counts,
    /// The mutants that pass.
    pub missed: Vec<&'a Mutant>,
    /// The mutants that could not be judged, and why.
    pub unjudged: Vec<(&'a Mutant, &'a str)>,
    /// What is wrong with the list of equivalent mutants.
    pub problems: &'a [String],
}

impl Survey {
    /// For JSON.
    pub fn printed(&self) -> PrintedSurvey<'_> {
        PrintedSurvey {
            exercise: &self.exercise,
            counts: self.counts(),
            missed: self.missed().collect(),
            unjudged: self.unjudged().collect(),
            problems: &self.problems,
        }
    }
}
