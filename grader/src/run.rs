//! `grader run`: any kernel of any file, with no exercise: a sanitizer and profiler.

mod launch;
mod numpy;
mod outputs;
mod parameters;
mod ptx;
pub mod render;
pub mod report;

use std::{
    fs,
    path::{Path, PathBuf},
};

use harness::{
    compiler::{self, CompileError, CompileLimits, CompileRequest, Compiled, Contraction},
    device::{
        self, Code, Devices, Execution, Job, Passes, Request, Target,
        worker::{GpuSession, simulate},
    },
    npy,
    plan::{BufferId, Plan},
    report::{Resources, number_of},
};
use warpsim::LineCounters;

use self::report::{RunReport, RunStatus};
use crate::{
    cli::{ResultFormat, Run},
    devices,
    exit::{Exit, Result, Trouble},
    files::{self, MAKE_READABLE, Unreadable},
    formats::{self, KernelResult},
    terminal::Terminal,
    toolchains,
    visible::{one_line, shown},
    working::Working,
};

/// Warp instructions after which a launch is called unfinished, however small it is: some ten seconds of a loop
/// that never ends.
const LEAST_BUDGET: u64 = 200_000_000;
/// The same for each warp of a larger launch: a kernel of many blocks does little in each.
const BUDGET_OF_A_WARP: u64 = 2_000;
/// Seconds after which a launch on a GPU is called unfinished.
const SECONDS: f64 = 60.0;

/// Runs it.
///
/// # Errors
/// Wrong usage. What becomes of the kernel is printed, whatever it is.
pub fn run(run: &Run, terminal: Terminal) -> Result<Exit> {
    let report = match report_of(run) {
        Ok(report) => report,
        Err(trouble) => {
            let is_unread = run.file.exists() && read(&run.file).is_err();
            let file = is_unread.then(|| shown(&run.file));
            formats::print(run.format, &[KernelResult::unjudged(&run.entry, file.as_deref(), &trouble)])?;
            return Err(trouble);
        }
    };
    match run.format {
        ResultFormat::Json => crate::print_json(&report)?,
        ResultFormat::Text => crate::print(&render::run(
            &report,
            render::Extent { source: run.profile, verbose: run.verbose },
            terminal,
        )),
        ResultFormat::Junit | ResultFormat::Github | ResultFormat::Editor => {
            formats::print(run.format, &[KernelResult::of_run(&report)])?;
        }
    }
    Ok(report.exit())
}

/// Runs a kernel; what became of it.
///
/// # Errors
/// Wrong usage.
pub fn report_of(run: &Run) -> Result<RunReport> {
    let devices = devices::resolve(&run.device)?;
    launch::check(run, devices.profile)?;
    outputs::require(run)?;
    let source = read(&run.file)?;

    let mut report = RunReport::new(shown(&run.file), run.entry.clone(), devices::names(&devices));
    report.source = source;
    report.usual_budget = default_budget(run.grid.0, run.block.0);
    match judge(run, &devices, &mut report) {
        Ok(()) => {}
        Err(trouble) if trouble.exit == Exit::JudgeError => {
            report.status = RunStatus::JudgeError;
            report.detail = Some(format!("{}; {}", trouble.message, trouble.next));
        }
        Err(trouble) => return Err(trouble),
    }
    Ok(report)
}

/// Warp instructions that a launch of this size may take.
fn default_budget(grid: [u32; 3], block: [u32; 3]) -> u64 {
    let volume = |extent: [u32; 3]| extent.iter().fold(1u64, |all, &n| all.saturating_mul(n.into()));
    let warps = volume(grid).saturating_mul(volume(block).div_ceil(32));
    LEAST_BUDGET.max(warps.saturating_mul(BUDGET_OF_A_WARP))
}

/// Compiles, plans, executes, saves; fills the report in.
fn judge(run: &Run, devices: &Devices, report: &mut RunReport) -> Result<()> {
    let code = if is_ptx(&run.file) {
        if run.compiler.is_some() {
            return Err(Trouble::usage(
                "a .ptx file needs no --compiler: it is compiled already",
                "leave it out",
            ));
        }
        if run.ptx.is_some() {
            return Err(Trouble::usage("a .ptx file is PTX already", "leave --ptx out"));
        }
        let mut code = Code {
            checked_ptx: report.source.clone(),
            optimised_ptx: report.source.clone(),
            ..Code::default()
        };
        let lowered = ptx::entry(&ptx::parse(&report.source)?, &run.entry)?;
        code.lowered_names.insert(run.entry.clone(), lowered);
        code
    } else {
        match compile(run, devices, report)? {
            Some(compiled) => {
                let code = Code::from(&compiled);
                if let Some(path) = &run.ptx {
                    files::write_atomically(path, code.optimised_ptx.as_bytes())
                        .map_err(|error| not_written(path, &error))?;
                }
                let outline = ptx::parse(&code.optimised_ptx)?;
                ptx::check_types(&outline, code.lowered(&run.entry), &run.entry, &run.arguments)?;
                code
            }
            None => return Ok(()),
        }
    };
    let module = ptx::parse(&code.optimised_ptx)?;
    let source = (!is_ptx(&run.file)).then_some(report.source.as_str());
    let parameters = parameters::of(&module, code.lowered(&run.entry), &run.entry, source);
    if run.arguments.len() != parameters.len() {
        let examples = parameters::examples(&module, code.lowered(&run.entry), &run.entry, source);
        return Err(wrong_number(run, &examples));
    }
    let (plan, saved) =
        launch::plan(run, &run.entry, &parameters, |name| ptx::variable(&module, code.lowered(name)))?;
    let budget = run.budget.unwrap_or(report.usual_budget);
    let request = |target: Target| Request {
        target,
        code: code.clone(),
        jobs: vec![Job {
            plan: plan.clone(),
            case: 0,
            passes: Passes::All,
            budget,
            seconds: SECONDS,
            clock: None,
        }],
        secret: run.seed.unwrap_or(0),
    };
    let is_shown = run.format == ResultFormat::Text;
    let working = Working::begin("running on the simulator", how_to_end(budget), is_shown);
    let target = Target::Simulator {
        profile: devices.profile.name.to_owned(),
        threads: 0,
        schedules: run.orders.schedules(),
        worst_requests: run.profile,
    };
    let (mut executions, sandbox) = simulate(request(target));
    drop(working);
    if let Some(sandbox) = sandbox.filter(|sandbox| !sandbox.protects_files()) {
        report.notes.push(format!("the simulator's worker is not confined: {sandbox}"));
    }
    let mut execution = executions.pop();
    if let Some(device::ExecutionStatus::Refused(why)) = execution.as_ref().map(|execution| &execution.status)
    {
        let (message, next) =
            (why.clone(), "give the kernel what it takes: --arg, --grid, --block, --device");
        return Err(Trouble::usage(message, next));
    }
    if let (Some(gpu), Some(simulated)) = (&devices.gpu, &mut execution) {
        let advice = format!("Ctrl-C stops it, and a launch ends by itself after {SECONDS} s");
        let _working = Working::begin("running on the GPU", advice, is_shown);
        let mut session = GpuSession::new();
        let measured = session.execute(request(Target::Gpu { uuid: gpu.uuid.clone() }));
        if let Some(sandbox) = session.sandbox().filter(|sandbox| !sandbox.protects_files()) {
            report.notes.push(format!("the GPU's worker is not confined: {sandbox}"));
        }
        // Outputs are the GPU's; findings, counters and what stopped the kernel stay the simulator's.
        match &simulated.status {
            device::ExecutionStatus::Finished => simulated.status = measured.status,
            device::ExecutionStatus::Unsupported(what) => {
                report.notes.push(format!("not checked, only run on the GPU: the simulator lacks {what}"));
                simulated.status = measured.status;
            }
            _ => {}
        }
        simulated.outputs = measured.outputs;
        simulated.printf = measured.printf;
        simulated.findings.extend(measured.findings);
        report.notes.extend(measured.guard_violations);
    }
    let Some(execution) = execution else {
        return Err(Trouble::judge("the device gave no result", "report this as a bug"));
    };
    fill_in(report, &execution);
    if report.status == RunStatus::Finished {
        save(run, &plan, &saved, &execution)?;
    } else if !run.save.is_empty() {
        report.notes.push("nothing was saved, because the kernel did not come to its end".to_owned());
    }
    Ok(())
}

/// There are more or fewer arguments than the kernel takes; an example of each that it takes.
fn wrong_number(run: &Run, examples: &[(String, String)]) -> Trouble {
    let entry = one_line(&run.entry);
    let takes = number_of(examples.len(), "argument");
    let found = run.arguments.len();
    let each: Vec<String> =
        examples.iter().map(|(name, example)| format!("{}: --arg {example}", one_line(name))).collect();
    let next = match each.is_empty() {
        true => "leave --arg out".to_owned(),
        false => format!("give one for each, in order, such as {}", each.join("; ")),
    };
    Trouble::usage(format!("kernel `{entry}` takes {takes}, found {found}"), next)
}

/// How to end a launch on the simulator before its budget does.
fn how_to_end(budget: u64) -> String {
    let smaller = (budget / 10).max(1);
    format!(
        "Ctrl-C stops it, and a launch ends by itself after {budget} warp instructions: `--budget {smaller}` ends it earlier"
    )
}

fn fill_in(report: &mut RunReport, execution: &Execution) {
    (report.status, report.detail) = match execution.status.clone() {
        device::ExecutionStatus::Finished => (RunStatus::Finished, None),
        device::ExecutionStatus::Faulted(why) | device::ExecutionStatus::Refused(why) => {
            (RunStatus::Faulted, Some(why))
        }
        device::ExecutionStatus::Unfinished(why) => (RunStatus::Unfinished, Some(why)),
        device::ExecutionStatus::Unsupported(why) => (RunStatus::Unsupported, Some(why)),
        device::ExecutionStatus::Error(why) => (RunStatus::JudgeError, Some(why)),
        device::ExecutionStatus::NotStarted => (RunStatus::JudgeError, Some("it was not started".to_owned())),
    };
    report.findings = execution.findings.clone();
    report.counters = execution.counters;
    let lines = execution.lines.iter();
    let lines = lines.map(|(place, counters)| LineCounters::new(place.clone(), *counters));
    report.lines = lines.collect();
    report.worst_requests = execution.worst_requests.clone();
    report.occupancy = execution.occupancy.clone();
    report.printf = execution.printf.clone();
}

/// Compiles the file; none where the compiler rejected it, which is then in the report.
fn compile(run: &Run, devices: &Devices, report: &mut RunReport) -> Result<Option<Compiled>> {
    let toolchain = toolchains::resolve(run.compiler.as_ref(), devices.gpu.as_ref())?;
    report.notes.extend(toolchain.note.clone());
    let mut request =
        CompileRequest::new(report.kernel.clone(), report.source.clone()).name(run.entry.clone());
    request.headers = crate::headers();
    request.limits = CompileLimits::own();
    request.include_directories = include_directories(run)?;
    request.defines = run
        .define
        .iter()
        .map(|define| match define.split_once('=') {
            Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
            None => (define.clone(), None),
        })
        .collect();
    request.contraction = if run.fmad { Contraction::Allowed } else { Contraction::Never };
    request.default_device = run.default_device;
    request.is_specific = run.arch.is_some_and(|arch| arch.is_specific);
    request.architecture = run.arch.map(|arch| arch.capability).unwrap_or(match &devices.gpu {
        Some(gpu) => gpu.compute_capability,
        None => devices.profile.compute_capability,
    });
    match compiler::compile(&toolchain, &request) {
        Ok(compiled) => Ok(Some(noted(compiled, run, report))),
        Err(CompileError::Rejected { diagnostics, .. }) => {
            // A name that isn't there is rejected like an error in the source; without
            // the name the source tells.
            request.names.clear();
            if let Ok(compiled) = compiler::compile(&toolchain, &request) {
                // Of a kernel that is called like a function of the compiler's own, it asks which is meant.
                if compiled.kernel(&run.entry).is_some() {
                    return Ok(Some(noted(compiled, run, report)));
                }
                let names: Vec<&str> = compiled.kernels.iter().map(|kernel| kernel.kernel.as_str()).collect();
                return Err(ptx::no_entry(&run.entry, &names));
            }
            report.compiler = Some(format!("NVRTC {}", toolchain.version));
            report.status = RunStatus::CompileError;
            report.diagnostics = diagnostics.into_iter().map(Into::into).collect();
            Ok(None)
        }
        Err(error @ CompileError::Architecture { .. }) => {
            Err(Trouble::usage(error.to_string(), "choose another --arch"))
        }
        Err(CompileError::Worker(failure)) if failure.is_of_the_input() => {
            report.compiler = Some(format!("NVRTC {}", toolchain.version));
            report.status = RunStatus::CompileError;
            report.detail = Some(format!("the compiler gave up: {failure}"));
            Ok(None)
        }
        Err(error) => Err(Trouble::judge(error.to_string(), "`grader doctor` looks at the whole machine")),
    }
}

/// What was compiled; the report has what the compiler says of it.
fn noted(compiled: Compiled, run: &Run, report: &mut RunReport) -> Compiled {
    report.compiler = Some(compiled.compiler.clone());
    if let Some(resources) = compiled.kernel(&run.entry) {
        report.resources.push(Resources {
            kernel: resources.kernel.clone(),
            architecture: format!("sm_{}", compiled.architecture),
            registers: resources.registers,
            spill_bytes: resources.spill_store_bytes + resources.spill_load_bytes,
            shared_bytes: resources.shared_bytes,
            local_bytes: resources.stack_bytes,
        });
    }
    report.diagnostics = compiled.diagnostics.iter().cloned().map(Into::into).collect();
    compiled
}

/// The file's own folder, then those named.
fn include_directories(run: &Run) -> Result<Vec<PathBuf>> {
    let own = run.file.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut all = vec![own.to_owned()];
    for folder in &run.include {
        if !folder.is_dir() {
            return Err(Trouble::usage(
                format!("--include {}: no such folder", shown(folder)),
                "name a folder",
            ));
        }
        all.push(folder.clone());
    }
    Ok(all)
}

fn is_ptx(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("ptx"))
}

fn read(file: &Path) -> Result<String> {
    if is_ptx(file) {
        return fs::read_to_string(file).map_err(|error| {
            Trouble::usage(
                format!("could not read {}: {}", shown(file), files::explain(&error)),
                "name a .ptx file",
            )
        });
    }
    files::read_kernel(file).map_err(|error| match error {
        Unreadable::Missing => {
            Trouble::usage(format!("{} does not exist", shown(file)), "name a .cu or .ptx file")
        }
        Unreadable::Unusable(found, next) => Trouble::usage(format!("{}: {found}", shown(file)), next),
        Unreadable::Refused(why) => {
            Trouble::usage(format!("could not read {}: {why}", shown(file)), MAKE_READABLE)
        }
    })
}

/// Writes the buffers and variables that `--save` names.
fn save(run: &Run, plan: &Plan, saved: &[BufferId], execution: &Execution) -> Result<()> {
    for (save, &id) in run.save.iter().zip(saved) {
        let buffer = &plan.buffers[id.0];
        let refused = |error: &std::io::Error| not_written(&save.path, error);
        let output = execution.outputs.iter().find(|output| output.buffer == id);
        let bytes = output.map(|output| &output.bytes.0[..]).unwrap_or_default();
        let file = npy::file(buffer.element, &buffer.shape, bytes).map_err(|error| refused(&error))?;
        files::write_atomically(&save.path, &file).map_err(|error| refused(&error))?;
    }
    Ok(())
}

fn not_written(path: &Path, error: &std::io::Error) -> Trouble {
    Trouble::judge(
        format!("could not write {}: {}", shown(path), files::explain(error)),
        "save to a place that is writable",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_budget_grows_with_the_launch() {
        assert_eq!(default_budget([1; 3], [32, 1, 1]), LEAST_BUDGET);
        // 2^20 blocks of 8 warps.
        assert_eq!(default_budget([1 << 10, 1 << 10, 1], [16, 16, 1]), (8 << 20) * BUDGET_OF_A_WARP);
        // A warp that is not full is one.
        assert_eq!(default_budget([1 << 20, 1, 1], [33, 1, 1]), (2 << 20) * BUDGET_OF_A_WARP);
        assert_eq!(default_budget([u32::MAX; 3], [1024, 1, 1]), u64::MAX);
    }
}
