//! A kernel before it is broken: what it compiles to, what it costs, which goals it fails itself.

use harness::{
    compiler::{self, CompileError, CompileRequest, Compiled},
    exercise::{Exercise, On},
    judge::{self, CheckOptions, Kernel},
    report::{CaseReport, CaseStatus, Report},
};

use grader::exit::{Result, Trouble};
use serde::{Deserialize, Serialize};

use super::{
    fate::{self, Excused, Fate},
    ptx,
    source::Source,
};

/// A mutant may take so many times what its original takes: one that does not end is not waited for.
const BUDGET_FACTOR: u64 = 10;
/// What a case may take in any event.
const LEAST_BUDGET: u64 = 20_000;

/// What two kernels have in common that are the same program: their checked and their optimised PTX.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Code {
    /// As the source is written.
    pub checked: blake3::Hash,
    /// As it runs.
    pub optimised: blake3::Hash,
}

impl Code {
    /// That of a compiled kernel.
    pub fn of(compiled: &Compiled) -> Self {
        Code { checked: ptx::code(&compiled.checked_ptx), optimised: ptx::code(&compiled.optimised_ptx) }
    }
}

/// Both in hexadecimal.
impl From<Code> for String {
    fn from(code: Code) -> String {
        format!("{} {}", code.checked, code.optimised)
    }
}

impl TryFrom<String> for Code {
    type Error = &'static str;

    fn try_from(text: String) -> std::result::Result<Self, Self::Error> {
        let code = || {
            let (checked, optimised) = text.split_once(' ')?;
            let hash = |hex| blake3::Hash::from_hex(hex).ok();
            Some(Code { checked: hash(checked)?, optimised: hash(optimised)? })
        };
        code().ok_or("no two hashes")
    }
}

/// A case that the simulator runs.
#[derive(Clone, Debug)]
pub struct CaseCost {
    /// The exercise's number of it.
    pub index: usize,
    /// Its name.
    pub name: String,
    /// Warp instructions that the original takes.
    pub instructions: u64,
    /// Those that it must be allowed, since its unoptimised code may take many more: a power of two times as many.
    pub needs: u64,
    /// The same of its optimised code alone: threads that wait in a loop take instructions that no counter has.
    pub glance_needs: u64,
    /// It is there for its size alone: the judge runs no more of it than its optimised code.
    pub is_large: bool,
}

impl CaseCost {
    /// Warp instructions that a mutant may take.
    pub fn budget(&self) -> u64 {
        (self.needs * BUDGET_FACTOR).max(LEAST_BUDGET)
    }

    /// Those that its optimised code may take.
    pub fn least_budget(&self) -> u64 {
        (self.glance_needs * BUDGET_FACTOR).max(LEAST_BUDGET)
    }
}

/// A kernel that is to be broken.
pub struct Original {
    /// What it compiles to.
    pub code: Code,
    /// The goals that it fails itself.
    pub excused: Excused,
    /// The cases that it ran.
    pub cases: Vec<CaseCost>,
}

impl Original {
    /// Compiles and judges it.
    ///
    /// # Errors
    /// A kernel that is not right, or that could not be judged: then its mutants say nothing.
    pub fn prove(exercise: &dyn Exercise, source: &Source, options: &CheckOptions) -> Result<Self> {
        let file = source.file.display().to_string();
        let wrong = |what: String| {
            Trouble::judge(
                format!("{file} {what}"),
                format!("`cargo workshop check {}` says more", exercise.id()),
            )
        };
        let kernel = Kernel { path: file.clone(), source: source.text.clone() };
        let compiled = compile(exercise, &kernel, options, true)
            .map_err(|error| wrong(format!("does not compile: {error}")))?;
        let code = Code::of(&compiled);
        let options = CheckOptions { compiled: Some(compiled), ..options.clone() };
        let report = judge::check(exercise, &kernel, &options, &|_| {});
        if let Some(why) = report.judge_error {
            return Err(wrong(format!("could not be judged: {why}")));
        }
        let excused = fate::excused(&report);
        if let Some(goal) = fate::wrong(&excused) {
            return Err(wrong(format!("fails {}: what is wrong already cannot be broken", goal.name())));
        }
        let needs = |case: usize, instructions: u64| {
            let doubled = std::iter::successors(Some(instructions), |budget| budget.checked_mul(2));
            let enough = |budget: &u64| {
                let (case, instruction_budget) = (Some(case), Some(*budget));
                let options = CheckOptions { case, instruction_budget, ..options.clone() };
                let report = judge::check(exercise, &kernel, &options, &|_| {});
                report.cases.iter().all(is_finished)
            };
            // It has finished within what the exercise allows, so that the search ends.
            doubled.take(u64::BITS as usize).find(enough).unwrap_or(u64::MAX / BUDGET_FACTOR)
        };
        let of_exercise = exercise.cases();
        let is_large = |index| of_exercise.iter().any(|case| case.index == index && case.on == On::Large);
        let mut original = Original { code, excused, cases: cases(&report, is_large, needs) };
        match original.survive_glances(exercise, &kernel, &options) {
            Ok(()) => Ok(original),
            Err(why) => Err(wrong(format!("fails where only its optimised code runs: {why}"))),
        }
    }

    /// Makes sure that a glance kills nothing that is not broken, and finds out what it must be allowed.
    fn survive_glances(
        &mut self,
        exercise: &dyn Exercise,
        kernel: &Kernel,
        options: &CheckOptions,
    ) -> std::result::Result<(), String> {
        let compiled = compile(exercise, kernel, options, false).map_err(|error| error.to_string())?;
        for case in &mut self.cases {
            let report = loop {
                let options = CheckOptions {
                    case: Some(case.index),
                    compiled: Some(compiled.clone()),
                    instruction_budget: Some(case.glance_needs),
                    glance: true,
                    ..options.clone()
                };
                let report = judge::check(exercise, kernel, &options, &|_| {});
                // All that it runs here has finished within what it may take of the whole.
                if report.cases.iter().all(is_finished) || case.glance_needs >= case.needs {
                    break report;
                }
                case.glance_needs *= 2;
            };
            if fate::fate(&report, &self.excused) != Fate::Alive {
                return Err(format!(
                    "case {}: {}",
                    case.name,
                    report.judge_error.unwrap_or(report.next_step)
                ));
            }
        }
        Ok(())
    }
}

fn is_finished(case: &CaseReport) -> bool {
    case.status == CaseStatus::Finished
}

fn cases(
    report: &Report,
    is_large: impl Fn(usize) -> bool,
    needs: impl Fn(usize, u64) -> u64,
) -> Vec<CaseCost> {
    let finished = report.cases.iter().filter(|case| is_finished(case));
    finished
        .filter_map(|case| {
            let (index, instructions) = (case.number, case.counters?.ptx_instructions);
            let needs = needs(index, instructions);
            let is_large = is_large(index);
            let name = case.name.clone();
            Some(CaseCost { index, name, instructions, needs, glance_needs: instructions, is_large })
        })
        .collect()
}

/// Compiles as the judge does, with machine code or without.
///
/// # Errors
/// Those of the compiler.
pub fn compile(
    exercise: &dyn Exercise,
    kernel: &Kernel,
    options: &CheckOptions,
    machine_code: bool,
) -> std::result::Result<Compiled, CompileError> {
    // The pool has looked for it; the judge's own search is for whoever asks for nothing.
    let toolchain = options.toolchain.as_ref().expect("the pool names a compiler");
    let request = judge::request(exercise, kernel, options, super::pool::ARCHITECTURE);
    compiler::compile(toolchain, &CompileRequest { machine_code, ..request })
}
