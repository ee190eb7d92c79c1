//! The judge: one exercise, one kernel, one [`Report`].
//!
//! It compiles and runs in workers, compares, counts and measures, and turns what it saw into verdicts. It
//! knows no terminal. A failure of its own is never a grade: the report then carries `judge_error`.

mod audit;
mod bench;
mod blocks;
mod broken;
mod constants;
mod defences;
mod dump;
mod exit;
mod goals;
mod health;
mod later;
mod merge;
mod next_step;
mod plans;
mod run;
mod runs;
mod shares;
mod show;
mod signature;
mod speed;
mod turn;

use std::{path::PathBuf, sync::Arc};

use warpsim::{Finding, Severity};

use crate::{
    compiler::{self, CompileError, CompileLimits, CompileRequest, Compiled, Contraction, Guards},
    device::{DeviceChoice, Devices, GpuInfo, NoDevice},
    exercise::{About, COURSE_HEADER, Case, Constants, Exercise, SpeedGoals},
    measure::{MeasureLimits, Measured, Thresholds},
    plan::Plan,
    report::{CaseReport, CaseStatus, Diagnostic, Report, Resources, SCHEMA, Verdict},
    source,
    toolchain::{self, CompilerChoice, Toolchain},
    worker::SandboxStatus,
};
use goals::Evidence;
use run::OnGpu;
use runs::Runs;

pub use crate::device::gpus;
pub use defences::{Defence, Defences};
pub use exit::Exit;
pub use health::driver;
pub use plans::KeptPlans;
pub use turn::{GpuTurn, Turns};

/// The seed of a check on the simulator where none is given: public and fixed.
pub const PUBLIC_SEED: u64 = 1;

/// A submission: the text and the path that reports show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// The path as the learner knows it. Never opened.
    pub path: String,
    /// The source text.
    pub source: String,
}

impl Kernel {
    /// Reads a kernel's file.
    ///
    /// # Errors
    /// What the file system says.
    pub fn read(path: &std::path::Path) -> std::io::Result<Self> {
        Ok(Kernel { path: path.display().to_string(), source: std::fs::read_to_string(path)? })
    }
}

/// How to check.
#[derive(Clone, Debug, Default)]
pub struct CheckOptions {
    /// Where.
    pub device: DeviceChoice,
    /// The seed of every case; without one [`PUBLIC_SEED`], and for timing a secret one.
    pub seed: Option<u64>,
    /// Only the case with this [`Case::index`].
    pub case: Option<usize>,
    /// That case's kind with about so many elements in its place ([`Exercise::tiny`]), or without one the first case's. It
    /// judges nothing.
    pub tiny: Option<usize>,
    /// Keep of each line with bank conflicts the request to shared memory with most of them.
    pub worst_requests: bool,
    /// Put each case's inputs, outputs and expected outputs into the report.
    pub show: bool,
    /// Write each case's inputs, outputs and expected outputs into this folder as `.npy`.
    pub dump: Option<PathBuf>,
    /// A speed that cannot be measured is the judge's failure ([`Exit::JudgeError`]).
    pub require_speed: bool,
    /// Leave speed unmeasured even where a GPU is; the cases that are timed are then not run at all.
    pub skip_speed: bool,
    /// Judge nothing but the cases that are timed. The report is then no grade.
    pub only_speed: bool,
    /// Run no more of a case than the optimised code once. Who fails then fails; who passes has proved little.
    pub glance: bool,
    /// Speed goals in place of the exercise's own, which are for the GPU that they were measured on.
    pub speed_goals: Option<SpeedGoals>,
    /// What the caller has to say about this check; goes to the report's notes.
    pub notes: Vec<String>,
    /// How long to measure speed.
    pub limits: MeasureLimits,
    /// Threads for the simulator; 0 for one per core.
    pub threads: usize,
    /// In which orders of warps and blocks the simulator looks for findings.
    pub schedules: warpsim::Schedules,
    /// The compiler; without one, the judge looks for the pinned one and fetches it if need be.
    pub toolchain: Option<Toolchain>,
    /// What the kernel was compiled to already, by [`request`]: the judge then compiles it only for other
    /// architectures. For whoever judges one kernel again and again.
    pub compiled: Option<Compiled>,
    /// Plans that are kept from check to check. For whoever judges one exercise again and again.
    pub plans: Option<KeptPlans>,
    /// Warp instructions that a case may take on the simulator, where that is fewer than the exercise allows.
    pub instruction_budget: Option<u64>,
    /// Who hands out cores and GPUs, where several checks share a machine.
    pub turns: Option<Arc<dyn Turns>>,
    /// Headers that exist only in memory, besides `course.cuh`: name and text.
    pub headers: Vec<(String, String)>,
    /// What the compiler may use of this machine; without one, [`CompileLimits::default`].
    pub compile_limits: Option<CompileLimits>,
    /// Whoever judges leaves this alone: all of them.
    pub defences: Defences,
}

/// Tells a caller what the judge is doing, in a few words, e.g. `compiling`, `case 3 of 8 on sim:h200`.
pub type CheckProgress<'a> = dyn Fn(&str) + Sync + 'a;

/// For whoever cannot wait for the whole report.
#[derive(Clone, Copy)]
pub struct Onlooker<'a> {
    /// The [`Case::index`] that is simulated before all others, where the exercise has it: once, from the checked PTX, while
    /// the compiler still optimises. It is judged whole with the others.
    pub first: usize,
    /// Told of every case on every device as soon as it has ended, in any order. The report decides what they are worth, and
    /// may say of a case that it was left out.
    pub seen: &'a (dyn Fn(&CaseReport) + Sync),
}

/// Checks one kernel against one exercise.
pub fn check(
    exercise: &dyn Exercise,
    kernel: &Kernel,
    options: &CheckOptions,
    progress: &CheckProgress<'_>,
) -> Report {
    check_before(exercise, kernel, options, progress, None)
}

/// As [`check`], before an onlooker. The report is the same.
pub fn check_before(
    exercise: &dyn Exercise,
    kernel: &Kernel,
    options: &CheckOptions,
    progress: &CheckProgress<'_>,
    onlooker: Option<Onlooker<'_>>,
) -> Report {
    let mut report = empty_report(exercise, kernel, options);
    let check = Check { exercise, kernel, options, progress, onlooker };
    if let Err(stopped) = check.run(&mut report) {
        match stopped {
            CheckStop::Judge(why) => {
                report.next_step = JUDGE_FAILED.to_owned();
                report.judge_error = Some(why);
                report.verdict = Verdict::Unmeasured;
            }
            CheckStop::NoDevice(missing) => {
                report.next_step = missing.next_step();
                report.judge_error = Some(missing.to_string());
                report.verdict = Verdict::Unmeasured;
            }
            CheckStop::Learner { found, next_step } => {
                report.goals = vec![goals::compile_failed(found)];
                report.verdict = Verdict::Failed;
                report.next_step = next_step;
            }
        }
    }
    if options.case.is_some() && options.tiny.is_none() {
        let all = exercise.cases().len();
        report.one_case_of = Some(all);
        if report.verdict == Verdict::Passed {
            report.next_step = format!("This case is right. Leave `--case` out: all {all} cases decide.");
        }
    }
    report
}

/// The report of a check that was not begun, because something else kept the judge from its work. It is no grade.
pub fn not_begun(exercise: &dyn Exercise, kernel: &Kernel, options: &CheckOptions, why: String) -> Report {
    Report { judge_error: Some(why), verdict: Verdict::Unmeasured, ..empty_report(exercise, kernel, options) }
}

/// What the judge asks of the compiler.
pub fn request(
    exercise: &dyn Exercise,
    kernel: &Kernel,
    options: &CheckOptions,
    architecture: u32,
) -> CompileRequest {
    let mut request = CompileRequest::new(kernel.path.clone(), kernel.source.clone());
    request.headers.push((COURSE_HEADER.0.to_owned(), COURSE_HEADER.1.to_owned()));
    request.headers.extend(options.headers.iter().cloned());
    request.architecture = architecture;
    request.is_specific = exercise.about().is_specific;
    request.contraction = Contraction::Never;
    request.guards = Guards {
        confined: options.defences.has(Defence::Confinement),
        clean_log: options.defences.has(Defence::CleanLog),
    };
    if options.defences.has(Defence::CompileLimits) {
        request.limits = options.compile_limits.unwrap_or_default();
    }
    request
}

/// Times a kernel against its exercise's baseline once for each set of thresholds, all in the same two
/// workers: for studies of how steady verdicts are. The kernel must be right.
///
/// # Errors
/// Why it cannot be timed, in words.
pub fn regrade(
    exercise: &dyn Exercise,
    kernel: &Kernel,
    options: &CheckOptions,
    thresholds: &[Thresholds],
) -> Result<Vec<Measured>, String> {
    let check = Check { exercise, kernel, options, progress: &|_| {}, onlooker: None };
    let regraded = || {
        let devices = Devices::resolve(&options.device).map_err(CheckStop::NoDevice)?;
        let gpu = devices.gpu.as_ref().ok_or_else(|| CheckStop::Judge("there is no GPU here".to_owned()))?;
        let toolchain = check.toolchain(&devices)?;
        let mut report = empty_report(exercise, kernel, options);
        let compiled = check.compile(&toolchain, gpu.compute_capability, &mut report)?;
        let constants = check.interface(&compiled)?;
        check.measured_for(&toolchain, gpu, &compiled, &constants, thresholds)
    };
    regraded().map_err(CheckStop::into_words)
}

/// The next step where the judge failed and the kernel gives no hint why.
const JUDGE_FAILED: &str =
    "`grader doctor` looks at the whole machine; if it finds nothing, report this as a bug.";

/// What follows from a report's goals, findings, cases and errors: its verdict and its next step.
fn conclude(report: &mut Report) {
    (report.verdict, report.speed_unmeasured) = goals::verdict(&report.goals);
    report.next_step = next_step::next_step(&report.findings, &report.cases, &report.goals);
    if report.judge_error.is_some() {
        report.verdict = Verdict::Unmeasured;
        // An instruction that the simulator lacks is a finding, and its next step is the kernel's.
        if !report.findings.iter().any(Finding::is_error) {
            report.next_step = JUDGE_FAILED.to_owned();
        }
    }
}

fn empty_report(exercise: &dyn Exercise, kernel: &Kernel, options: &CheckOptions) -> Report {
    Report {
        schema: SCHEMA,
        exercise: exercise.id().to_owned(),
        title: exercise.about().title.to_owned(),
        kernel: kernel.path.clone(),
        kernel_hash: blake3::hash(kernel.source.as_bytes()).to_hex().to_string(),
        source: kernel.source.clone(),
        devices: Vec::new(),
        compiler: String::new(),
        seed: options.seed.unwrap_or(PUBLIC_SEED),
        sandbox: String::new(),
        verdict: Verdict::Unmeasured,
        judge_error: None,
        one_case_of: None,
        speed_unmeasured: true,
        goals: Vec::new(),
        cases: Vec::new(),
        findings: Vec::new(),
        diagnostics: Vec::new(),
        resources: Vec::new(),
        speed: Vec::new(),
        conditions: None,
        plots: Vec::new(),
        notes: options.notes.clone(),
        next_step: String::new(),
    }
}

/// Why a check ended before it ran a case.
pub(crate) enum CheckStop {
    /// The judge's failure.
    Judge(String),
    /// The machine's: it lacks the device that was asked for.
    NoDevice(NoDevice),
    /// The kernel's: it does not compile, or lacks what the exercise calls.
    Learner { found: String, next_step: String },
}

impl CheckStop {
    fn into_words(self) -> String {
        match self {
            CheckStop::Judge(why) => why,
            CheckStop::NoDevice(missing) => missing.to_string(),
            CheckStop::Learner { found, .. } => found,
        }
    }
}

struct Check<'a> {
    exercise: &'a dyn Exercise,
    kernel: &'a Kernel,
    options: &'a CheckOptions,
    progress: &'a CheckProgress<'a>,
    onlooker: Option<Onlooker<'a>>,
}

impl Check<'_> {
    fn run(&self, report: &mut Report) -> Result<(), CheckStop> {
        let mut devices = Devices::resolve(&self.options.device).map_err(CheckStop::NoDevice)?;
        let About { minimum_compute_capability: needed, is_specific, .. } = self.exercise.about();
        let left_out = devices.require(needed, is_specific).map_err(CheckStop::Judge)?;
        let no_gpu = match left_out {
            Some(_) if is_specific => "this GPU is not the one that it is for",
            Some(_) => "this GPU is too old for it",
            None => "no GPU here",
        };
        report.notes.extend(left_out);
        report.devices = devices.names();
        if devices.gpu.as_ref().is_some_and(|gpu| gpu.reads_host_memory) {
            report
                .notes
                .push("this GPU's driver lets kernels read the memory of the worker's process".to_owned());
        }
        if self.options.tiny.is_some() {
            report.notes.push("a tiny case is for thinking, and judges nothing".to_owned());
        }
        self.refuse_forged_lines()?;
        let core = self.options.turns.as_ref().map(|turns| turns.core());
        (self.progress)("compiling");
        let toolchain = self.toolchain(&devices)?;
        report.notes.extend(toolchain.note.clone());
        let compiled = match self.onlooker {
            Some(onlooker) => self.compile_before(&toolchain, &devices, onlooker, report)?,
            None => self.compile(&toolchain, devices.profile.compute_capability, report)?,
        };
        report.compiler = format!("{} ({})", compiled.compiler, toolchain.library.display());
        report.diagnostics = compiled.diagnostics.iter().cloned().map(Diagnostic::from).collect();
        let for_gpu = match &devices.gpu {
            Some(gpu) if gpu.compute_capability != compiled.architecture => {
                Some(self.compile(&toolchain, gpu.compute_capability, report)?)
            }
            Some(_) => Some(compiled.clone()),
            None => None,
        };
        report.resources = resources(for_gpu.as_ref().unwrap_or(&compiled));
        let constants = self.interface(&compiled)?;
        let audit = self.audit(&compiled, for_gpu.as_ref());
        report
            .notes
            .extend(audit.permitted.iter().map(|what| format!("{what}, which this exercise permits")));

        let cases = self.cases()?;
        let mut runs = Runs::default();
        if !self.options.only_speed {
            self.simulate(&devices, &compiled, &cases, &constants, report.seed, &mut runs)?;
        }
        drop(core);
        let turn = match (&devices.gpu, &self.options.turns) {
            (Some(_), Some(turns)) => Some(turns.gpu().map_err(CheckStop::Judge)?),
            _ => None,
        };
        if let Some(turn) = &turn {
            devices.gpu = Some(turn.gpu.clone());
            report.devices = devices.names();
        }
        match (&devices.gpu, &for_gpu) {
            (Some(_), _) if self.options.only_speed => {}
            (Some(gpu), Some(compiled)) => {
                self.run_on_gpu(
                    OnGpu { toolchain: &toolchain, gpu, compiled },
                    &cases,
                    &constants,
                    report.seed,
                    &mut runs,
                )?;
            }
            _ => runs.skip(&cases, "gpu", "needs a GPU"),
        }
        let sandbox = weaker(runs.sandbox.take(), compiled.sandbox.clone());
        report.notes.extend(unprotected(&sandbox));
        report.sandbox = sandbox.to_string();
        report.notes.append(&mut runs.notes);

        let mut findings: Vec<Finding> = Vec::new();
        for case in &runs.reports {
            merge::merge(&mut findings, &case.findings);
        }
        merge::sort(&mut findings);
        if !self.options.defences.has(Defence::Findings) {
            findings.clear();
        }
        let wrong = runs.reports.iter().any(goals::is_wrong);
        let mut timing_error = None;
        let timed = match (&devices.gpu, &for_gpu) {
            (Some(gpu), Some(_)) if wrong || self.options.skip_speed => {
                let why = if wrong { "timed only once every case is right" } else { "not asked for" };
                runs.skip(&cases, &format!("gpu:{}", gpu.index), why);
                Err(why.to_owned())
            }
            (Some(gpu), Some(compiled)) => {
                match self.time(&toolchain, gpu, compiled, &cases, &constants, &mut report.notes) {
                    Ok(speed) => {
                        for case in speed.cases {
                            runs.reports.push(case);
                            runs.bounds.push(Vec::new());
                        }
                        report.speed = speed.reports;
                        report.conditions = speed.conditions;
                        speed.timed
                    }
                    Err(stopped) => {
                        let why = stopped.into_words();
                        timing_error = Some(why.clone());
                        Err(why)
                    }
                }
            }
            _ => Err(no_gpu.to_owned()),
        };
        drop(turn);
        let evidence = Evidence {
            cases: &runs.reports,
            findings: &findings,
            bounds: &runs.bounds,
            speed_goals: self.options.speed_goals.unwrap_or_else(|| self.exercise.about().speed_goals),
            speed: timed.as_ref().map_err(String::as_str),
            not_permitted: &audit.problems,
        };
        report.goals = goals::goals(&evidence);
        report.plots = self.exercise.plots(&runs.case_runs(&cases));
        report.findings = findings;
        report.judge_error = judge_error(&runs.reports).or(timing_error);
        report.cases = runs.reports;
        conclude(report);
        if let Some(waits) = self.exercise.about().waits_with {
            report.next_step.extend(next_step::instead_of_a_loop(waits, report));
        }
        Ok(())
    }

    fn toolchain(&self, devices: &Devices) -> Result<Toolchain, CheckStop> {
        if let Some(toolchain) = &self.options.toolchain {
            return Ok(toolchain.clone());
        }
        let gpu = devices.gpu.as_ref().map(GpuInfo::needs);
        Toolchain::locate_or_install(&CompilerChoice::Pinned, gpu, toolchain::InstallProgress::Silent)
            .map_err(|error| CheckStop::Judge(error.to_string()))
    }

    fn compile(
        &self,
        toolchain: &Toolchain,
        architecture: u32,
        report: &mut Report,
    ) -> Result<Compiled, CheckStop> {
        if let Some(compiled) = &self.options.compiled
            && compiled.architecture == architecture
        {
            return Ok(compiled.clone());
        }
        let request = request(self.exercise, self.kernel, self.options, architecture);
        compiler::compile(toolchain, &request).map_err(|error| not_compiled(error, report))
    }

    /// Compiles, and shows an onlooker the first case meanwhile, as soon as there is checked PTX.
    fn compile_before(
        &self,
        toolchain: &Toolchain,
        devices: &Devices,
        onlooker: Onlooker<'_>,
        report: &mut Report,
    ) -> Result<Compiled, CheckStop> {
        let architecture = devices.profile.compute_capability;
        if self.options.compiled.is_some() {
            return self.compile(toolchain, architecture, report);
        }
        let request = request(self.exercise, self.kernel, self.options, architecture);
        let early = compiler::compile_early(toolchain, &request);
        let early = early.map_err(|error| not_compiled(error, report))?;
        if let Some(shown) = self.preview(devices, &early.checked, onlooker.first, report.seed) {
            (onlooker.seen)(&shown);
        }
        early.complete().map_err(|error| not_compiled(error, report))
    }

    /// Messages and findings must name the lines that the learner sees.
    fn refuse_forged_lines(&self) -> Result<(), CheckStop> {
        if !self.options.defences.has(Defence::Directives) {
            return Ok(());
        }
        match source::line_directive(&self.kernel.source) {
            None => Ok(()),
            Some(line) => Err(CheckStop::Learner {
                found: format!("a directive at line {line} gives lines other numbers"),
                next_step: format!(
                    "Remove the `#line` at line {line}: a report names the lines of this file."
                ),
            }),
        }
    }

    /// What the PTX of every architecture shows.
    fn audit(&self, compiled: &Compiled, for_gpu: Option<&Compiled>) -> audit::Audit {
        if !self.options.defences.has(Defence::Audit) {
            return audit::Audit::default();
        }
        let all: Vec<audit::Ptx<'_>> = std::iter::once(compiled)
            .chain(for_gpu.filter(|other| other.architecture != compiled.architecture))
            .map(|compiled| audit::Ptx { checked: &compiled.checked_ptx, optimised: &compiled.optimised_ptx })
            .collect();
        audit::audit(&self.kernel.path, &self.kernel.source, &all, self.exercise.about().permits)
    }

    /// Checks that the kernel has what the exercise calls, before any plan is made.
    fn interface(&self, compiled: &Compiled) -> Result<Constants, CheckStop> {
        let checked = constants::Interface::of(&compiled.checked_ptx);
        let optimised = constants::Interface::of(&compiled.optimised_ptx);
        for &name in self.exercise.about().kernels {
            if !optimised.kernels.iter().any(|known| known == name) {
                let cpp = format!("_Z{}{name}", name.len());
                let known = match &*optimised.kernels {
                    [] => "none".to_owned(),
                    known if known.iter().any(|known| known.starts_with(&cpp)) => {
                        format!("one under a C++ name, `{cpp}…`, which the host does not call")
                    }
                    known => known.join(", "),
                };
                return Err(CheckStop::Learner {
                    found: format!("expected a kernel `{name}`, found {known}"),
                    next_step: format!("Declare the kernel as extern \"C\" __global__ void {name}(…)."),
                });
            }
        }
        let about = self.exercise.about();
        constants::constants(about.constants, about.stub, &checked, &optimised).map_err(|problems| {
            CheckStop::Learner { found: problems.join("; "), next_step: capitalised(&problems[0]) }
        })
    }

    /// Checks that the kernels take what the plans pass.
    fn signatures(&self, compiled: &Compiled, plans: &[Plan]) -> Result<(), CheckStop> {
        let interface = constants::Interface::of(&compiled.checked_ptx);
        let stub = self.exercise.about().stub;
        match plans.iter().find_map(|plan| signature::mismatch(plan, &interface, stub)) {
            None => Ok(()),
            Some(signature::Mismatch { found, next_step }) => Err(CheckStop::Learner { found, next_step }),
        }
    }

    /// Checks that a launch can begin with the learner's constants.
    fn blocks(plans: &[Plan], constants: &Constants) -> Result<(), CheckStop> {
        match plans.iter().find_map(|plan| blocks::too_large(plan, constants)) {
            None => Ok(()),
            Some(blocks::TooLarge { found, next_step }) => Err(CheckStop::Learner { found, next_step }),
        }
    }

    /// Those of the chosen cases that a device of this compute capability can run; the others
    /// are reported as left out.
    fn able(
        &self,
        cases: &[Case],
        mut chosen: Vec<usize>,
        device: &str,
        capability: u32,
        runs: &mut Runs,
    ) -> Vec<usize> {
        let needs = |index: &usize| self.exercise.case_compute_capability(&cases[*index]);
        let count = chosen.len();
        let left_out: Vec<usize> = chosen.extract_if(.., |index| needs(index) > capability).collect();
        if let Some(needed) = left_out.iter().map(needs).max() {
            let needed = format!("compute capability {}.{}", needed / 10, needed % 10);
            for &index in &left_out {
                runs.leave_out(&cases[index], device, format!("needs {needed}"));
            }
            let left_out = left_out.len();
            runs.notes.push(format!("{left_out} of {count} cases need {needed}: unmeasured on {device}"));
        }
        chosen
    }

    /// The cases asked for.
    fn cases(&self) -> Result<Vec<Case>, CheckStop> {
        let cases = self.exercise.cases();
        let wanted = match (self.options.case, self.options.tiny) {
            (None, None) => return Ok(cases),
            (wanted, _) => wanted.unwrap_or(cases.first().map_or(0, |case| case.index)),
        };
        let known: Vec<String> = cases.iter().map(|case| case.index.to_string()).collect();
        match cases.into_iter().find(|case| case.index == wanted) {
            Some(case) => match self.options.tiny {
                None => Ok(vec![case]),
                Some(n) => {
                    let none = |why: &str| {
                        CheckStop::Judge(format!("{} has no tiny case: {why}", self.exercise.id()))
                    };
                    Ok(vec![self.exercise.tiny(&case, n).map_err(none)?])
                }
            },
            None => Err(CheckStop::Judge(format!("expected a case of {}, found {wanted}", known.join(", ")))),
        }
    }
}

/// What stands in a report's way where there is no build.
fn not_compiled(error: CompileError, report: &mut Report) -> CheckStop {
    match error {
        CompileError::Rejected { diagnostics, .. } => {
            report.diagnostics = diagnostics.iter().cloned().map(Diagnostic::from).collect();
            let first = report.diagnostics.iter().find(|each| each.severity == Severity::Error);
            let (message, line) = first.map_or(("it does not compile", None), |each| {
                // What helps stands below the first line, and the diagnostic shows it.
                let message = each.message.lines().next().unwrap_or_default();
                (message, each.place.as_ref().map(|place| place.line))
            });
            let at = line.map(|line| format!(" at line {line}")).unwrap_or_default();
            CheckStop::Learner {
                found: format!("{message}{at}"),
                next_step: format!("Fix the compiler's first error{at}: {message}."),
            }
        }
        // What the source makes the compiler eat is the source's fault.
        CompileError::Worker(failure) if failure.is_of_the_input() => CheckStop::Learner {
            found: format!("the compiler gave up: {failure}"),
            next_step: "Simplify what the compiler must expand: templates, macros, unrolled loops."
                .to_owned(),
        },
        other => CheckStop::Judge(other.to_string()),
    }
}

/// What must be said where nothing keeps a kernel's includes from this machine's files.
fn unprotected(sandbox: &SandboxStatus) -> Option<String> {
    (!sandbox.protects_files()).then(|| {
        format!("the kernel was not confined ({sandbox}): its includes can read every file that you can")
    })
}

/// The weaker of how two workers were shut in.
fn weaker(a: Option<SandboxStatus>, b: SandboxStatus) -> SandboxStatus {
    let strength = |status: &SandboxStatus| match status {
        SandboxStatus::Full => 2,
        SandboxStatus::Partial(_) => 1,
        SandboxStatus::Missing(_) => 0,
    };
    match a {
        Some(a) if strength(&a) < strength(&b) => a,
        _ => b,
    }
}

fn capitalised(sentence: &str) -> String {
    let mut letters = sentence.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect()) + "."
}

fn resources(compiled: &Compiled) -> Vec<Resources> {
    compiled
        .kernels
        .iter()
        .map(|kernel| Resources {
            kernel: kernel.kernel.clone(),
            architecture: format!("sm_{}", compiled.architecture),
            registers: kernel.registers,
            spill_bytes: kernel.spill_store_bytes + kernel.spill_load_bytes,
            shared_bytes: kernel.shared_bytes,
            local_bytes: kernel.stack_bytes,
        })
        .collect()
}

/// The first case that could not be judged, in words.
fn judge_error(cases: &[CaseReport]) -> Option<String> {
    cases.iter().find_map(|case| match &case.status {
        CaseStatus::JudgeError(why) | CaseStatus::Unsupported(why) => {
            Some(format!("case {} on {}: {why}", case.name, case.device))
        }
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_sandbox_is_said() {
        let missing = SandboxStatus::Missing("this kernel has no Landlock".to_owned());
        assert!(unprotected(&missing).is_some_and(|note| note.contains("no Landlock")));
        assert_eq!(unprotected(&SandboxStatus::Full), None);
    }
}
